"""What looks like text and is none: the graphics that consoles and viewers lay over a picture, and things in it.

No painter draws a letter or a digit. The shapes of marks, the pattern of ticks and the tones differ between the splits.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.synth.scenes.backgrounds_tables import MAPS
from deidra.app.synth.scenes.backgrounds_textures import (
    FAMILIES,
    Colour,
    Family,
    chance,
    choose,
    outline,
)
from deidra.app.synth.scenes.distractors_grain import GRAINS
from deidra.app.synth.scenes.distractors_metal import HARD
from deidra.app.synth.scenes.distractors_objects import OBJECTS, Painter, Tone, draw, fill, screen_tone, spot
from deidra.app.synth.scenes.distractors_patterns import PATTERN_PIECES
from deidra.app.synth.scenes.distractors_rows import ROWS, marker

_RADIOGRAPHIC = {"xray", "angiography", "mammogram", "dental", "dexa", "ct", "film_sheet"}
_FLAT = {"paper", "screenshot", "ecg", "plain", "bars", "pattern"}
_GRAINY = {"ultrasound", "doppler", "oct", "bone_scan", "petct"}


def add_distractors(rng: np.random.Generator, image: NDArray[np.uint8], kind: str, split: str) -> None:
    """Draw none to eight things that look like text over ``image`` (H, W, 3), RGB, in place.

    ``kind`` is the background's kind, which decides what is likely; ``split`` is ``train``, ``calibrate`` or ``test``.
    """
    family = FAMILIES[split]
    for _ in range(min(8, int(rng.poisson(2.2)))):
        painter = choose(rng, _group(rng, kind))
        painter(rng, image, family)


def _group(rng: np.random.Generator, kind: str) -> tuple[Painter, ...]:
    """One of the groups of painters, as likely as it is on a background of this kind."""
    objects = 0.45 if kind in _RADIOGRAPHIC else 0.1 if kind in _FLAT else 0.25
    if chance(rng, objects):
        return OBJECTS if chance(rng, 0.5) else HARD
    grains = 0.2 if kind in _GRAINY else 0.04 if kind in _FLAT else 0.1
    groups = (OVERLAYS, ROWS, PATTERN_PIECES, GRAINS)
    return groups[int(rng.choice(4, p=(0.45, 0.4 - grains, 0.15, grains)))]


def ruler(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A scale without digits along an edge or in the picture: ticks of two or three lengths."""
    h, w = image.shape[:2]
    upright = chance(rng, 0.6)
    length = float(rng.uniform(0.2, 0.95)) * (h if upright else w)
    start = float(rng.uniform(0, (h if upright else w) - length))
    at = float(choose(rng, (0.01, 0.03, 0.97, 0.99, float(rng.uniform(0.05, 0.95))))) * (w if upright else h)
    pace, long = float(rng.uniform(3, 26)), float(rng.uniform(4, 18))
    major, middle = family.of((10, 5), (5, 5), (4, 2))
    tone, side = screen_tone(rng, family), float(choose(rng, (-1, 1)))
    for k in range(int(length / pace) + 1):
        reach = long * (1 if k % major == 0 else 0.7 if k % middle == 0 else 0.4) * side
        place = start + k * pace
        ends = [(at, place), (at + reach, place)] if upright else [(place, at), (place, at + reach)]
        draw(image, np.floor(ends), tone)
    if chance(rng, 0.6):
        ends = [(at, start), (at, start + length)] if upright else [(start, at), (start + length, at)]
        draw(image, np.floor(ends), tone)


def callipers(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """One to four measured distances: two marks each, joined by dots, a line or nothing."""
    tone, r = screen_tone(rng, family), float(rng.uniform(3, 9))
    for _ in range(int(rng.integers(1, 5))):
        a, b = np.array(spot(rng, image)), np.array(spot(rng, image))
        b = a + (b - a) * float(rng.uniform(0.15, 0.8))
        for end in (a, b):
            marker(rng, image, family, (float(end[0]), float(end[1])), r, tone)
        how = choose(rng, ("dots", "dots", "line", "none"))
        if how == "line":
            draw(image, np.array([a, b]), tone)
        elif how == "dots":
            _dotted(image, a, b, float(rng.uniform(4, 10)), tone)


def _dotted(image: Colour, a: NDArray[np.float64], b: NDArray[np.float64], pace: float, tone: Tone) -> None:
    for share in np.linspace(0, 1, max(2, int(np.hypot(*(b - a)) / pace))):
        x, y = a + (b - a) * share
        cv2.rectangle(image, (int(x), int(y)), (int(x) + (pace > 6), int(y) + (pace > 6)), tone, -1)


def dotted_lines(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Dotted or dashed lines: guides, cut planes, beams."""
    tone = screen_tone(rng, family)
    for _ in range(int(rng.integers(1, 4))):
        a, b = np.array(spot(rng, image, 0)), np.array(spot(rng, image, 0))
        axis = int(rng.integers(3))
        if axis < 2:
            b[axis] = a[axis]
        _dotted(image, a, b, float(rng.uniform(3, 14)), tone)


def colour_bar(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A colour or grey scale, smooth or in steps, with a frame and ticks."""
    h, w = image.shape[:2]
    names = family.of(
        ("grey", "rainbow", "hot iron", "sepia"),
        ("grey", "hot metal blue"),
        ("grey", "spectrum", "violet", "inverse grey"),
    )
    levels = np.linspace(255, 0, int(choose(rng, (256, 256, 16, 11))))
    strip = MAPS[choose(rng, names)][levels.astype(int)][:, None]
    wide, high = int(rng.uniform(6, 26)), int(rng.uniform(0.15, 0.6) * h)
    picture = np.asarray(cv2.resize(strip, (wide, high), interpolation=cv2.INTER_NEAREST), np.uint8)
    if chance(rng, 0.25):
        picture = np.ascontiguousarray(picture.transpose(1, 0, 2))
    x = int(choose(rng, (4, w - picture.shape[1] - 12, int(rng.uniform(0, w)))))
    y = int(rng.uniform(0, max(1, h - picture.shape[0])))
    window = image[y : y + picture.shape[0], max(x, 0) : max(x, 0) + picture.shape[1]]
    window[:] = picture[: window.shape[0], : window.shape[1]]
    if chance(rng, 0.6):
        cv2.rectangle(image, (x - 1, y - 1), (x + picture.shape[1], y + picture.shape[0]), (200, 200, 200), 1)
    for k in np.linspace(y, y + picture.shape[0], int(rng.integers(2, 12))) if chance(rng, 0.6) else ():
        cv2.line(image, (x + picture.shape[1], int(k)), (x + picture.shape[1] + 5, int(k)), (220, 220, 220), 1)


def focus(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Triangles beside the depth scale: focal zones; hour glasses in the other splits."""
    h, w = image.shape[:2]
    tone, r, x = screen_tone(rng, family), float(rng.uniform(3, 9)), float(choose(rng, (0.04, 0.95, 0.5))) * w
    shape = np.array(
        family.of([(-1, -1), (1, 0), (-1, 1)], [(-1, 0), (1, -1), (1, 1)], [(-1, -1), (1, -1), (-1, 1), (1, 1)])
    )
    for _ in range(int(rng.integers(1, 4))):
        fill(image, shape * r + (x, float(rng.uniform(0.1, 0.9) * h)), tone)


def region(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Boxes, ellipses and free outlines of regions of interest, with handles."""
    tone = screen_tone(rng, family)
    for _ in range(int(rng.integers(1, 5))):
        x, y = spot(rng, image)
        a, b = rng.gamma(2, 0.04, 2) * image.shape[1] + 4
        corners = np.array([(x - a, y - b), (x + a, y - b), (x + a, y + b), (x - a, y + b)])
        if chance(rng, 0.4):
            draw(image, corners, tone, int(rng.integers(1, 3)), closed=True)
        else:
            shape = outline(
                rng, family, (x, y), (float(a), float(b)), float(rng.uniform(0, 180)), 0.03 if chance(rng, 0.7) else 0.2
            )
            draw(image, shape, tone, int(rng.integers(1, 3)), closed=True)
        if chance(rng, 0.3):
            for corner in corners:
                fill(image, np.array([(-2, -2), (2, -2), (2, 2), (-2, 2)]) + corner, tone)


def cross_hair(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Lines through a point over the whole picture, with or without a gap, with ticks."""
    h, w = image.shape[:2]
    (x, y), tone = spot(rng, image, 0.2), screen_tone(rng, family)
    gap = float(choose(rng, (0, 10, 30)))
    for a, b in (((0, y), (x - gap, y)), ((x + gap, y), (w, y)), ((x, 0), (x, y - gap)), ((x, y + gap), (x, h))):
        draw(image, np.array([a, b]), tone)
    if chance(rng, 0.4):
        pace = float(rng.uniform(6, 25))
        for k in np.arange(-8, 9):
            draw(image, np.array([(x + k * pace, y - 3), (x + k * pace, y + 3)]), tone)


def arrows(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Arrows of a reader of the picture, and heads without a shaft."""
    tone = screen_tone(rng, family)
    for _ in range(int(rng.integers(1, 4))):
        at, turn, size = np.array(spot(rng, image)), float(rng.uniform(0, 6.3)), float(rng.uniform(8, 40))
        way = np.array([np.cos(turn), np.sin(turn)])
        if chance(rng, 0.7):
            cv2.arrowedLine(
                image,
                tuple(int(v) for v in at - way * size),
                tuple(int(v) for v in at),
                tone,
                int(rng.integers(1, 4)),
                cv2.LINE_AA,
                0,
                0.35,
            )
        else:
            across = np.array([-way[1], way[0]])
            notch = family.of(0.0, 0.3, 0.5)
            fill(
                image,
                np.array(
                    [
                        at,
                        at - way * size + across * size * 0.4,
                        at - way * size * (1 - notch),
                        at - way * size - across * size * 0.4,
                    ]
                ),
                tone,
            )


def cursor(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A mouse cursor: an arrow with an edge, or a beam of a text field."""
    at, size = spot(rng, image), float(rng.uniform(0.7, 2))
    shape = np.array([(0, 0), (0, 16), (4, 12.5), (7, 19), (9.5, 18), (6.5, 11.5), (11.5, 11.5)]) * size + at
    if chance(rng, 0.5):
        shape = at - (shape - at)
    fill(image, shape, family.of((255, 255, 255), (255, 255, 255), (10, 10, 10)))
    draw(image, shape, family.of((0, 0, 0), (0, 0, 0), (255, 255, 255)), closed=True)


def grid(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Grid lines or a coarse table of lines over a part of the picture."""
    (x, y), tone = spot(rng, image, 0.1), screen_tone(rng, family)
    pace = rng.uniform(8, 70, 2)
    columns, rows = int(rng.integers(2, 10)), int(rng.integers(2, 10))
    for k in range(columns + 1):
        draw(image, np.array([(x + k * pace[0], y), (x + k * pace[0], y + rows * pace[1])]), tone)
    for k in range(rows + 1):
        draw(image, np.array([(x, y + k * pace[1]), (x + columns * pace[0], y + k * pace[1])]), tone)


def trace(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A curve of heart beats, breath or a histogram along the bottom or in a small window."""
    h, w = image.shape[:2]
    left, right = float(rng.uniform(0, 0.4) * w), float(rng.uniform(0.5, 1) * w)
    base, tall = float(choose(rng, (0.95, 0.9, float(rng.uniform(0.1, 0.95))))) * h, float(rng.uniform(8, 60))
    x = np.linspace(left, right, 400)
    beat = np.mod((x - left) / (right - left) * rng.uniform(2, 14), 1)
    wide = family.of(0.02, 0.03, 0.015)
    y = tall * np.exp(-(((beat - 0.3) / wide) ** 2)) + 0.25 * tall * np.exp(-(((beat - 0.6) / 0.07) ** 2))
    if chance(rng, 0.3):
        y = tall * np.abs(np.cumsum(rng.normal(0, 0.1, 400)))
    draw(image, np.stack([x, base - y], 1), screen_tone(rng, family), int(rng.integers(1, 3)))


def logo(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A sign without letters: a few overlapping shapes in one or two colours."""
    at, size = spot(rng, image), float(rng.uniform(8, 40))
    tones = (screen_tone(rng, family), screen_tone(rng, family))
    for k in range(int(rng.integers(2, 5))):
        place = (at[0] + float(rng.normal(0, 0.5)) * size, at[1] + float(rng.normal(0, 0.3)) * size)
        shape = outline(rng, family, place, (size, size * float(rng.uniform(0.2, 1))), float(rng.uniform(0, 180)), 0.15)
        if chance(rng, 0.5):
            fill(image, shape, tones[k % 2])
        else:
            draw(image, shape, tones[k % 2], int(rng.integers(1, 4)), closed=True)


def icons(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A row or column of buttons with small pictures, batteries, trash balls and lamps."""
    (x, y), size = spot(rng, image), int(rng.integers(8, 26))
    across, tone, ink = chance(rng, 0.6), screen_tone(rng, family), screen_tone(rng, family)
    for k in range(int(rng.integers(2, 9))):
        a, b = (x + k * size * 1.3, y) if across else (x, y + k * size * 1.3)
        frame = np.array([(a, b), (a + size, b), (a + size, b + size), (a, b + size)])
        if chance(rng, 0.6):
            draw(image, frame, tone, closed=True)
        shape = outline(
            rng, family, (a + size / 2, b + size / 2), (size * 0.3, size * 0.3), float(rng.uniform(0, 90)), 0.25
        )
        if chance(rng, 0.5):
            fill(image, shape[:: int(choose(rng, (1, 16, 21)))], ink)
        else:
            draw(image, shape, ink, closed=True)


OVERLAYS: tuple[Painter, ...] = (
    ruler, ruler, callipers, callipers, dotted_lines, colour_bar, colour_bar, focus, region, cross_hair, arrows, cursor,
    grid, trace, logo, icons,
)  # fmt: skip
"""The graphics of consoles and viewers; what is common stands there twice."""

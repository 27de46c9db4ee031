"""Small marks in rows that could pass for characters: ticks, dashes, crosses, brackets, beats, symbols of buttons.

Each split has marks, rhythms and symbols that the others do not have.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.synth.scenes.backgrounds_textures import Colour, Family, arc, chance, choose, outline
from deidra.app.synth.scenes.distractors_objects import Painter, Tone, draw, fill, screen_tone, spot

Stroke = list[tuple[float, float]]

_MARKS: dict[str, list[Stroke]] = {
    "plus": [[(-1, 0), (1, 0)], [(0, -1), (0, 1)]],
    "cross": [[(-1, -1), (1, 1)], [(-1, 1), (1, -1)]],
    "star": [[(-1, 0), (1, 0)], [(-0.5, -0.87), (0.5, 0.87)], [(-0.5, 0.87), (0.5, -0.87)]],
    "square": [[(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]],
    "gap": [[(-1, 0), (-0.35, 0)], [(0.35, 0), (1, 0)], [(0, -1), (0, -0.35)], [(0, 0.35), (0, 1)]],
    "wedge": [[(-1, -0.6), (0, 0.6), (1, -0.6), (-1, -0.6)]],
    "diamond": [[(-1, 0), (0, -1), (1, 0), (0, 1), (-1, 0)]],
    "saltire": [[(-1, -1), (-0.3, -0.3)], [(0.3, 0.3), (1, 1)], [(-1, 1), (-0.3, 0.3)], [(0.3, -0.3), (1, -1)]],
    "tee": [[(-1, 0), (1, 0)], [(-1, -0.6), (-1, 0.6)], [(1, -0.6), (1, 0.6)]],
}


def marker(
    rng: np.random.Generator, image: Colour, family: Family, at: tuple[float, float], r: float, tone: Tone
) -> None:
    """One end of a calliper: a cross, a plus, a ring, a square or a star, none of which is a letter in a row."""
    names = family.of(("plus", "cross", "square"), ("plus", "wedge"), ("gap", "star", "plus"))
    mark(image, choose(rng, names), at, r, tone)


def mark(image: Colour, name: str, at: tuple[float, float], r: float, tone: Tone, width: int = 1) -> None:
    """The mark called ``name``, ``r`` pixels from its middle to its side."""
    for stroke in _MARKS[name]:
        draw(image, np.array(stroke) * r + at, tone, width)


def _row(
    rng: np.random.Generator, image: Colour, pace: float, most: int = 24
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Places (N, 2) in a row that lies, stands or slants, and its direction (2,)."""
    turn = float(choose(rng, (0.0, 0.0, np.pi / 2, np.pi / 2, float(rng.uniform(0, np.pi)))))
    way = np.array([np.cos(turn), np.sin(turn)])
    return np.array(spot(rng, image, 0)) + np.arange(int(rng.integers(3, most)))[:, None] * pace * way, way


def marks(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Rows, tables or heaps of small crosses, plus signs and other ends of callipers."""
    names = family.of(
        ("plus", "cross", "diamond", "square"), ("plus", "wedge", "tee"), ("gap", "star", "saltire", "plus")
    )
    name, tone = choose(rng, names), screen_tone(rng, family)
    r, width = float(rng.uniform(2, 9)), 1 if chance(rng, 0.7) else 2
    places, way = _row(rng, image, r * float(rng.uniform(3, 14)), 12)
    how = rng.random()
    if how < 0.3:
        across = np.array([-way[1], way[0]]) * r * float(rng.uniform(3, 10))
        places = np.concatenate([places + k * across for k in range(int(rng.integers(2, 6)))])
    elif how < 0.6:
        places = np.array([spot(rng, image) for _ in range(int(rng.integers(2, 12)))])
    for x, y in places.tolist():
        mark(image, name, (x, y), r, tone, width)


def ticks(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Ticks whose lengths alternate, on one side of a line, on both or without it, as on an axis or a scale bar."""
    tone, long = screen_tone(rng, family), float(rng.uniform(3, 16))
    places, way = _row(rng, image, float(rng.uniform(3, 30)), 60)
    across = np.array([-way[1], way[0]]) * long
    rhythm = choose(
        rng, family.of(((1.0, 0.5), (1.0, 0.4, 0.4, 0.4, 0.4)), ((1.0, 0.6, 0.3), (1.0,)), ((1.0, 0.4, 0.7, 0.4),))
    )
    width, both = 1 if chance(rng, 0.75) else int(rng.integers(2, 4)), chance(rng, 0.3)
    for k, place in enumerate(places):
        reach = across * rhythm[k % len(rhythm)]
        draw(image, np.array([place - (reach if both else 0), place + reach]), tone, width)
    if chance(rng, 0.6):
        draw(image, places[[0, -1]], tone, width)


def dashes(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Dashed and dotted lines and outlines: strokes, dots, or both by turns."""
    tone, pace = screen_tone(rng, family), float(rng.uniform(4, 22))
    share = choose(rng, family.of(((0.5,), (0.7, 0.1)), ((0.6,), (0.3, 0.3, 0.05)), ((0.4,), (0.8, 0.2))))
    width = int(rng.integers(1, 4))
    if chance(rng, 0.3):
        line = outline(rng, family, spot(rng, image), tuple(rng.uniform(15, 120, 2)), float(rng.uniform(0, 180)), 0.05)
        line = np.concatenate([line, line[:1]])
    else:
        line = np.array([spot(rng, image, 0), spot(rng, image, 0)])
        if chance(rng, 0.6):
            axis = int(rng.integers(2))
            line[1, axis] = line[0, axis]
    away = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    for k, at in enumerate(np.arange(0, away[-1], pace)):
        ends = np.array([at, at + pace * share[k % len(share)]])
        draw(image, np.stack([np.interp(ends, away, line[:, axis]) for axis in (0, 1)], 1), tone, width)


def brackets(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Frames of which the corners alone are drawn, square brackets and braces, as they mark a gate or a range."""
    tone, (x, y) = screen_tone(rng, family), spot(rng, image)
    a, b = (float(v) for v in rng.uniform(6, 90, 2))
    arm, width = float(rng.uniform(3, 14)), int(rng.integers(1, 3))
    how = choose(rng, family.of(("corners", "sides"), ("corners", "gate"), ("round", "corners")))
    if how == "gate":
        # A sample volume: two short strokes across a beam.
        for near in (-arm, arm):
            draw(image, np.array([(x - arm, y + near), (x + arm, y + near)]), tone, width)
        draw(image, np.array([(x, y - arm - b), (x, y - arm)]), tone)
        draw(image, np.array([(x, y + arm), (x, y + arm + b)]), tone)
        return
    for side in (-1, 1):
        if how == "sides":
            shape = [(x + side * (a - arm), y - b), (x + side * a, y - b), (x + side * a, y + b)]
            draw(image, np.array([*shape, (x + side * (a - arm), y + b)]), tone, width)
        elif how == "round":
            draw(
                image, arc((x + side * a, y), (arm, b), -80 if side > 0 else 100, 80 if side > 0 else 260), tone, width
            )
        else:
            for end in (-1, 1):
                corner = (x + side * a, y + end * b)
                shape = [(corner[0] - side * arm, corner[1]), corner, (corner[0], corner[1] - end * arm)]
                draw(image, np.array(shape), tone, width)


def arrow_row(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Arrow heads in a row, filled or empty, along it or across."""
    tone, r = screen_tone(rng, family), float(rng.uniform(3, 10))
    places, way = _row(rng, image, r * float(rng.uniform(2, 8)), 10)
    if chance(rng, 0.4):
        way = np.array([-way[1], way[0]])
    across = np.array([-way[1], way[0]])
    notch = family.of(1.0, 0.6, 0.2)
    for place in places:
        head = np.array([place - way * r + across * r, place + way * r, place - way * r - across * r])
        if chance(rng, 0.6):
            fill(image, np.array([*head, place - way * r * notch]), tone)
        else:
            draw(image, head, tone, closed=True)


def beats(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """One to six rows of heart beats with sharp peaks, some with pacing spikes, as of a monitor or a stress test."""
    h, w = image.shape[:2]
    left = float(rng.uniform(0, 0.5) * w)
    right = left + float(rng.uniform(0.2, 1)) * (w - left) + 20
    top, step = float(rng.uniform(0.05, 0.9) * h), float(rng.uniform(25, 110))
    tone, width, count = screen_tone(rng, family), int(rng.integers(1, 3)), float(rng.uniform(2, 26))
    count = min(count, (right - left) / 18)
    x = np.linspace(left, right, 600)
    for row in range(int(rng.integers(1, 7))):
        beat = np.mod(np.linspace(0, count, 600) + 0.01 * np.cumsum(rng.normal(0, 0.3, 600)), 1)
        tall = float(rng.uniform(0.2, 0.7)) * step * choose(rng, (1, 1, 1, -0.7))
        narrow = family.of(0.015, 0.025, 0.02)
        y = np.exp(-(((beat - 0.3) / narrow) ** 2)) - 0.3 * np.exp(-(((beat - 0.335) / narrow) ** 2))
        y += float(rng.uniform(0.05, 0.35)) * np.exp(-(((beat - 0.6) / 0.06) ** 2))
        y += 0.12 * np.exp(-(((beat - 0.16) / 0.03) ** 2)) + rng.normal(0, 0.006, 600)
        if chance(rng, 0.15):
            y += (beat < 0.012) * 0.9
        draw(image, np.stack([x, top + row * step - tall * y], 1), tone, width)


def _heart(r: float) -> NDArray[np.float64]:
    turn = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    y = 13 * np.cos(turn) - 5 * np.cos(2 * turn) - 2 * np.cos(3 * turn) - np.cos(4 * turn)
    return np.stack([np.sin(turn) ** 3, -y / 16], 1) * r


def _symbol(rng: np.random.Generator, image: Colour, name: str, at: tuple[float, float], r: float, tone: Tone) -> None:
    """The small picture of one button; none is a letter."""
    x, y = at
    solid = chance(rng, 0.6)
    shapes: dict[str, list[Stroke]] = {
        "play": [[(-0.7, -1), (1, 0), (-0.7, 1)]],
        "next": [[(-1, -0.8), (0, 0), (-1, 0.8)], [(0, -0.8), (1, 0), (0, 0.8)]],
        "pause": [[(-0.8, -1), (-0.25, -1), (-0.25, 1), (-0.8, 1)], [(0.25, -1), (0.8, -1), (0.8, 1), (0.25, 1)]],
        "house": [[(-1, 0), (0, -1), (1, 0), (0.7, 0), (0.7, 1), (-0.7, 1), (-0.7, 0)]],
        "folder": [[(-1, -0.7), (-0.2, -0.7), (0, -0.4), (1, -0.4), (1, 0.8), (-1, 0.8)]],
        "bolt": [[(0.2, -1), (-0.7, 0.2), (0, 0.2), (-0.2, 1), (0.7, -0.2), (0, -0.2)]],
        "speaker": [[(-1, -0.4), (-0.5, -0.4), (0.2, -1), (0.2, 1), (-0.5, 0.4), (-1, 0.4)]],
    }
    if name in shapes:
        for shape in shapes[name]:
            points = np.array(shape) * r + at
            if solid or name == "pause":
                fill(image, points, tone)
            else:
                draw(image, points, tone, closed=True)
    elif name == "heart":
        fill(image, _heart(r) + at, tone)
    elif name == "battery":
        draw(image, np.array([(-1, -0.5), (0.85, -0.5), (0.85, 0.5), (-1, 0.5)]) * r + at, tone, closed=True)
        fill(image, np.array([(0.85, -0.2), (1.05, -0.2), (1.05, 0.2), (0.85, 0.2)]) * r + at, tone)
        full = float(rng.uniform(-0.7, 0.7))
        fill(image, np.array([(-0.85, -0.32), (full, -0.32), (full, 0.32), (-0.85, 0.32)]) * r + at, tone)
    elif name == "magnifier":
        draw(image, arc((x - 0.2 * r, y - 0.2 * r), (0.6 * r, 0.6 * r), 0, 360), tone, 2 if r > 6 else 1)
        draw(image, np.array([(0.25, 0.25), (1, 1)]) * r + at, tone, 2)
    elif name == "marker":
        # The side of the probe: a disc, or a ring with a disc in it.
        if not solid:
            draw(image, arc(at, (r, r), 0, 360), tone, 1 if r < 6 else 2)
        cv2.circle(image, (round(x), round(y)), max(1, round(r * (1 if solid else 0.4))), tone, -1, cv2.LINE_AA)
    else:
        for k in range(3):
            draw(image, np.array([(-0.9, 0.7 * (k - 1)), (0.9, 0.7 * (k - 1))]) * r + at, tone, 2 if r > 6 else 1)


def symbols(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Buttons of a console or viewer without text, in a row, a column or alone, with or without a frame."""
    names = family.of(
        ("play", "battery", "heart", "magnifier", "marker", "list", "pause", "folder"),
        ("play", "marker", "speaker", "heart"),
        ("next", "house", "bolt", "battery", "marker", "magnifier"),
    )
    tone, ink, r = screen_tone(rng, family), screen_tone(rng, family), float(rng.uniform(3, 13))
    places, _ = _row(rng, image, r * float(rng.uniform(2.4, 5)), 9)
    framed, boxed = chance(rng, 0.35), chance(rng, 0.25)
    for x, y in places[: 1 if chance(rng, 0.4) else None].tolist():
        frame = np.array([(-1.4, -1.4), (1.4, -1.4), (1.4, 1.4), (-1.4, 1.4)]) * r + (x, y)
        if boxed:
            fill(image, frame, (60, 66, 76))
        if framed:
            draw(image, frame, tone, closed=True)
        _symbol(rng, image, choose(rng, names), (x, y), r, ink)


def blobs(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A sign of a maker without letters: rings, sectors and waves in one or two colours, and bars beside them."""
    (x, y), size = spot(rng, image), float(rng.uniform(6, 34))
    tones = (screen_tone(rng, family), screen_tone(rng, family))
    for k in range(int(rng.integers(3, 7))):
        r = size * float(rng.uniform(0.3, 1))
        start, sweep = float(rng.uniform(0, 360)), float(rng.uniform(90, 330))
        bow = arc((x, y), (r, r * float(rng.uniform(0.5, 1))), start, start + sweep, float(rng.uniform(0, 90)))
        if chance(rng, family.of(0.4, 0.6, 0.3)):
            fill(image, np.array([*bow, (x, y)]), tones[k % 2])
        else:
            draw(image, bow, tones[k % 2], int(rng.integers(1, 5)))
        if chance(rng, 0.4):
            x += size * float(rng.uniform(0.4, 1.3))


ROWS: tuple[Painter, ...] = (
    marks, marks, ticks, ticks, dashes, brackets, arrow_row, beats, symbols, symbols, blobs,
)  # fmt: skip
"""The small marks; what is common stands there twice."""

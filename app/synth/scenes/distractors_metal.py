"""Hard small things in the patient, and ends of bones and vessels: bright shapes of the size of characters.

Each split has shapes of its own: other rhythms of beads and staples, other threads, other meshes.
"""

from __future__ import annotations

import cv2
import numpy as np

from deidra.app.synth.scenes.backgrounds_textures import (
    Colour,
    Family,
    arc,
    branches,
    chance,
    choose,
    grain,
    outline,
    resized,
)
from deidra.app.synth.scenes.distractors_objects import Painter, Tone, draw, fill, metal, placed, spot


def _box(a: float, b: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([(-a, -b), (a, -b), (a, b), (-a, b)], np.float64)


def beads(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A chain of beads along a curve: a necklace, antibiotic beads, a bowel's suture line."""
    tone, r = metal(rng), float(rng.uniform(1, 6))
    line = branches(rng, spot(rng, image, 0.1), float(rng.uniform(0, 6.3)), float(rng.uniform(60, 300)), 1, 0)[0][0]
    away = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    for at in np.arange(0, away[-1], r * float(rng.uniform(2.1, 5))):
        place = (float(np.interp(at, away, line[:, 0])), float(np.interp(at, away, line[:, 1])))
        size = family.of(r, r * float(rng.uniform(0.6, 1)), max(1.0, r * (1 - 0.6 * at / away[-1])))
        fill(image, outline(rng, family, place, (size, size * family.of(1.0, 0.6, 1.0)), 0, 0), tone)
    if chance(rng, 0.4):
        draw(image, line, tone)


def staples(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """One or two lines of staples or stitches along a scar, each turned a little."""
    tone, size = metal(rng), float(rng.uniform(2.5, 9))
    shapes = family.of(
        ([(-1, 0.5), (-1, 0), (1, 0), (1, 0.5)], [(-1, 0), (1, 0)]),
        ([(-1, -0.3), (-0.5, 0.2), (0.5, 0.2), (1, -0.3)],),
        ([(-1, 0), (-0.6, 0.6), (0, 0), (0.6, 0.6), (1, 0)], [(-0.4, -1), (0.4, 1)]),
    )
    shape = np.array(choose(rng, shapes), np.float64)
    line = branches(rng, spot(rng, image, 0.1), float(rng.uniform(0, 6.3)), float(rng.uniform(50, 260)), 1, 0)[0][0]
    away = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    cross, pace = choose(rng, (0.0, np.pi / 2)), size * float(rng.uniform(1.6, 4))
    for row in range(1 if chance(rng, 0.7) else 2):
        for at in np.arange(pace * row / 2, away[-1], pace):
            x, y = (float(np.interp(at, away, line[:, axis])) for axis in (0, 1))
            step = line[min(len(line) - 1, int(np.searchsorted(away, at)))] - line[0]
            turn = float(np.arctan2(step[1], step[0])) + cross + float(rng.normal(0, 0.15))
            draw(image, placed(shape, turn, size, (x, y + row * size * 1.5)), tone, 1 if size < 5 else 2)


def stent(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A tube of wire along a curve: diamonds, zigzags with struts, or a coil."""
    level = int(choose(rng, (255, 230, 190, 30)))
    tone: Tone = (level, level, level)
    half, long = float(rng.uniform(3, 14)), float(rng.uniform(30, 140))
    turn, at, bend = float(rng.uniform(0, 6.3)), spot(rng, image, 0.1), float(rng.normal(0, 0.3))
    share = np.linspace(0, 1, 160)
    wave = np.abs(np.mod(share * long / half, 2) - 1) * 2 - 1
    if family.of(False, True, False):
        wave = np.sin(share * long / half * np.pi)
    for side in (1, -1) if family.of(True, True, chance(rng, 0.5)) else (1,):
        line = np.stack([share * long, side * wave * half + bend * long * share**2], 1)
        draw(image, placed(line, turn, 1, at), tone)
    if family.of(False, chance(rng, 0.5), True):
        for k in share[:: family.of(10, 10, 16)]:
            middle = bend * long * k * k
            strut = np.array([(k * long, middle - half), (k * long, middle + half)])
            draw(image, placed(strut, turn, 1, at), tone)


def plate(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A plate with holes or slots, some of them filled with the head of a screw seen end on."""
    bright = metal(rng)
    dark: Tone = (90, 90, 90) if bright[0] > 100 else (160, 160, 160)
    half, count = float(rng.uniform(3, 11)), int(rng.integers(2, 11))
    pace, turn, at = half * float(rng.uniform(2, 3.5)), float(rng.uniform(0, 3.14)), spot(rng, image, 0.1)
    ends = (-pace / 2 - half, pace * (count - 0.5) + half)
    body = np.array([(ends[0], -half), (ends[1], -half), (ends[1], half), (ends[0], half)])
    fill(image, placed(body, turn, 1, at), bright)
    for k in range(count):
        middle = placed(np.array([(k * pace, 0.0)]), turn, 1, at)[0]
        r = half * 0.6
        hole = outline(rng, family, (float(middle[0]), float(middle[1])), (r * family.of(1.0, 1.6, 1.2), r), 0, 0)
        fill(image, hole, dark)
        if chance(rng, 0.5):
            draw(image, placed(np.array([(-r, 0), (r, 0)]), float(rng.uniform(0, 3)), 1, tuple(middle)), bright, 2)
            if chance(rng, 0.5):
                draw(image, placed(np.array([(0, -r), (0, r)]), turn, 1, tuple(middle)), bright, 2)


def electrodes(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Electrodes on the skin: a button in a ring or a square, with a lead that runs to the edge."""
    tone, r = metal(rng), float(rng.uniform(4, 13))
    for _ in range(int(rng.integers(1, 5))):
        x, y = spot(rng, image, 0.1)
        heading = float(rng.uniform(0, 6.3))
        lead = branches(rng, (x, y), heading, float(rng.uniform(0.2, 0.7)) * image.shape[1], 1, 0)[0][0]
        draw(image, lead, tone, int(rng.integers(1, 3)))
        cv2.circle(image, (round(x), round(y)), max(1, round(r * 0.5)), tone, -1, cv2.LINE_AA)
        if family.of(True, False, chance(rng, 0.5)):
            draw(image, arc((x, y), (r, r), 0, 360), tone)
        else:
            draw(image, placed(_box(1, family.of(1, 1, 0.5)), heading, r, (x, y)), tone, closed=True)
        if chance(rng, 0.5):
            clip = placed(np.array([(0, -0.4), (1.8, -0.25), (1.8, 0.25), (0, 0.4)]), heading, r, (x, y))
            fill(image, clip, tone)


def tips(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """The end of a catheter or lead: a hook, a curl or a straight end with side holes or rings."""
    tone, r = metal(rng), float(rng.uniform(5, 26))
    turn, at, width = float(rng.uniform(0, 6.3)), spot(rng, image, 0.1), int(rng.integers(1, 4))
    sweep = float(rng.uniform(*family.of((90, 250), (270, 620), (30, 330))))
    angle = np.radians(np.linspace(0, sweep, 40))
    away = np.linspace(1, family.of(1.0, 0.5, 0.8), 40)
    curl = np.stack([np.sin(angle) * away, 1 - np.cos(angle) * away], 1)
    line = np.concatenate([[(-float(rng.uniform(1, 7)), 0.0)], curl])
    draw(image, placed(line, turn, r, at), tone, width)
    for k in range(1, int(rng.integers(1, 7))):
        x, y = placed(curl[-1 - 4 * k : -4 * k or None][:1], turn, r, at)[0]
        cv2.circle(image, (round(float(x)), round(float(y))), width + 1, tone, -1, cv2.LINE_AA)


def fillings(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Bright fillings, crowns and root posts in a row of teeth: blocks with notches, pegs, and thin rods."""
    level = int(rng.integers(215, 256))
    tone: Tone = (level, level, level)
    size, (x, y) = float(rng.uniform(5, 24)), spot(rng, image, 0.05)
    tilt = float(rng.normal(0, 0.2))
    for k in range(int(rng.integers(1, 8))):
        at = (x + k * size * 1.6, y + k * size * tilt + float(rng.normal(0, 0.15)) * size)
        lean = tilt + float(rng.normal(0, 0.2))
        how = rng.random()
        if how < 0.5:
            radii = (size * float(rng.uniform(0.3, 0.8)), size * float(rng.uniform(0.2, 0.6)))
            fill(image, outline(rng, family, at, radii, float(np.degrees(lean)), 0.3), tone)
        elif how < 0.75:
            crown = [(-0.7, -0.5), (-0.2, -0.35), (0.2, -0.5), (0.7, -0.4), (0.6, 0.3), (0, 0.1), (-0.6, 0.3)]
            fill(image, placed(np.array(crown), lean, size, at), tone)
        for root in rng.uniform(-0.4, 0.4, int(rng.integers(1, 3)) if how > 0.75 else 0):
            post = np.array([(root, 0.2), (root * 1.2, float(rng.uniform(1, 2.2)))])
            draw(image, placed(post, lean, size, at), tone, int(rng.integers(1, 4)))


def stumps(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Ends of ribs and vessels: short rods and hooks with a round end, and rings of vessels seen end on."""
    level = int(rng.integers(120, 250))
    dark = (max(0, level - 110),) * 3
    size, (x, y) = float(rng.uniform(4, 14)), spot(rng, image, 0.1)
    way = rng.normal(0, 1, 2)
    way *= size * float(rng.uniform(1.8, 4)) / max(0.1, float(np.hypot(*way)))
    turn = float(rng.uniform(0, 360))
    for k in range(int(rng.integers(2, 10))):
        at = (x + k * float(way[0]), y + k * float(way[1]))
        tone: Tone = (int(level * rng.uniform(0.8, 1)),) * 3
        if chance(rng, family.of(0.4, 0.6, 0.5)):
            r = size * float(rng.uniform(0.4, 0.9))
            ring = outline(rng, family, at, (r, r * float(rng.uniform(0.6, 1))), turn, 0.08)
            fill(image, ring, tone)
            if chance(rng, 0.5):
                fill(image, at + (ring - at) * 0.5, dark)
        else:
            sweep = float(rng.uniform(20, 120))
            bow = arc(at, (size * 1.6, size), turn, turn + sweep)
            draw(image, bow, tone, max(2, round(size * 0.35)))
            cv2.circle(image, tuple(int(v) for v in bow[-1]), max(2, round(size * 0.3)), tone, -1, cv2.LINE_AA)


def trabeculae(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A patch of spongy bone: a fine net of bright strands, stronger in one direction."""
    h, w = image.shape[:2]
    wide, high = (int(v) for v in rng.uniform(0.1, 0.5, 2) * (w, h))
    wide, high = max(16, wide), max(16, high)
    x, y = int(rng.uniform(0, max(1, w - wide))), int(rng.uniform(0, max(1, h - high)))
    window = image[y : y + high, x : x + wide]
    size = (window.shape[1], window.shape[0])
    lump, long = float(rng.uniform(1.5, 5)), float(rng.uniform(1, 3.5))
    small = (max(4, int(size[0] / lump)), max(4, int(size[1] / lump / long)))
    net = resized(grain(rng, small, family), size, cv2.INTER_CUBIC)
    # The zero lines of smooth noise make a net; the test's net are the crests.
    strands = np.exp(-((net - np.float32(family.of(0.0, 0.4, 0.9))) ** 2) * np.float32(8))
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.ellipse(mask, (size[0] // 2, size[1] // 2), (size[0] * 2 // 5, size[1] * 2 // 5), 0, 0, 360, (255,), -1)
    soft = cv2.blur(mask, (9, 9)).astype(np.float32) * np.float32(rng.uniform(30, 130) / 255)
    lifted = window + (strands * soft)[..., None]
    window[:] = np.clip(lifted, 0, 255).astype(np.uint8)


HARD: tuple[Painter, ...] = (
    beads, staples, staples, stent, plate, electrodes, tips, fillings, fillings, stumps, stumps, trabeculae,
)  # fmt: skip
"""The hard things; what is common stands there twice."""

"""Nuclear medicine without text: PET fused with CT, and bone scans; and film sheets of slices of all kinds."""

from __future__ import annotations

import cv2
import numpy as np

from deidra.app.synth.scenes.backgrounds_slices import ct, ct_levels, mr
from deidra.app.synth.scenes.backgrounds_tables import MAPS
from deidra.app.synth.scenes.backgrounds_textures import (
    Colour,
    Family,
    Frame,
    Grey,
    arc,
    blurred,
    chance,
    choose,
    coloured,
    grain,
    noise,
    outline,
    paint,
    resized,
    rgb,
    slope,
)

Size = tuple[int, int]


def petct(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A fused slice: hot spots through a colour table over a grey slice, or the hot spots alone."""
    base = ct_levels(rng, size, family) * np.float32(rng.uniform(0.4, 0.9))
    small = (max(2, size[0] // 8), max(2, size[1] // 8))
    inside = np.minimum(blurred(resized(base, small, cv2.INTER_AREA), 2) / 25, 1)
    heat = noise(rng, small, 6, family) * 60
    for _ in range(int(rng.integers(2, 14))):
        r = rng.uniform(0.02, 0.12) * small[0]
        spot = (float(rng.uniform(0.2, 0.8) * small[0]), float(rng.uniform(0.2, 0.8) * small[1]))
        paint(
            heat, outline(rng, family, spot, (r, r * rng.uniform(0.6, 1.6))), rng.uniform(60, 300), soft=r / 3, add=True
        )
    how = cv2.INTER_NEAREST if chance(rng, 0.15) else cv2.INTER_CUBIC
    heat = resized(heat * inside, size, how)
    table = MAPS[choose(rng, family.of(("hot iron", "rainbow"), ("hot metal blue", "rainbow"), ("spectrum", "violet")))]
    if chance(rng, 0.15):
        return coloured(heat, table)
    share = np.clip(heat / 160, 0, rng.uniform(0.5, 0.9))[..., None].astype(np.float32)
    return rgb(rgb(base) * (1 - share) + coloured(heat, table) * share)


def bone_scan(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A nuclear medicine picture: one or two bodies made of counts, dark on white or through a table."""
    count = 2 if size[0] > 0.6 * size[1] and chance(rng, 0.7) else 1
    cell = choose(rng, (2, 3, 3, 4, 5))
    small = (max(32, size[0] // cell), max(32, size[1] // cell))
    rate = np.full((small[1], small[0]), 0.4, np.float32)
    for place in range(count):
        at = Frame(small[0] * (place + 0.5) / count, small[1] / 2, small[1] / 2.1)
        _skeleton(rng, rate, at, family)
    gain = float(rng.uniform(22, 40))
    if chance(rng, 0.4):
        # Few counts: single bright dots on an almost empty ground.
        few = float(rng.uniform(0.08, 0.6))
        rate = rate * np.float32(few) + np.float32(rng.uniform(0, 0.4))
        gain *= float(rng.uniform(1, few**-0.5))
    counts = np.sqrt(np.maximum(rate + np.sqrt(rate) * grain(rng, small, family), 0)) * np.float32(gain)
    picture = resized(counts, size, cv2.INTER_NEAREST if chance(rng, 0.3) else cv2.INTER_LINEAR)
    return coloured(
        picture, MAPS[choose(rng, ("inverse grey", "inverse grey", "grey", family.of("hot iron", "sepia", "spectrum")))]
    )


def _skeleton(rng: np.random.Generator, rate: Grey, at: Frame, family: Family) -> None:
    def bar(points: list[tuple[float, float]], heat: float, width: float) -> None:
        paint(rate, at(points), heat, width=max(1.0, width * at.radius), soft=at.radius * 0.012, add=True)

    paint(rate, at(outline(rng, family, (0, -0.3), (0.2, 0.5))), 2.5, soft=3, add=True)
    paint(rate, at(outline(rng, family, (0, -0.87), (0.08, 0.1))), 9, soft=2, add=True)
    for row in np.linspace(-0.72, -0.05, 17):
        bar([(-0.012, row), (0.012, row)], rng.uniform(8, 18), 0.028)
    for side in (-1, 1):
        for row in np.linspace(-0.62, -0.25, 10):
            paint(
                rate,
                at(arc((side * 0.09, row), (0.09, 0.05), 200, 340, side * 25)),
                6,
                width=max(1, at.radius * 0.012),
                soft=1,
                add=True,
            )
        bar([(side * 0.06, -0.02), (side * 0.13, 0.0), (side * 0.12, 0.1)], 12, 0.05)
        bar([(side * 0.12, 0.1), (side * 0.09, 0.5)], 5, 0.035)
        bar([(side * 0.09, 0.53), (side * 0.08, 0.92)], 5, 0.03)
        bar([(side * 0.22, -0.62), (side * 0.27, -0.25), (side * 0.3, 0.05)], 4, 0.025)
        paint(rate, at(outline(rng, family, (side * 0.09, 0.515), (0.03, 0.03))), 9, soft=1.5, add=True)
    for _ in range(int(rng.integers(0, 14))):
        spot = (float(rng.normal(0, 0.1)), float(rng.uniform(-0.9, 0.3)))
        paint(rate, at(outline(rng, family, spot, (0.015, 0.015))), rng.uniform(15, 60), soft=1.5, add=True)


def film_sheet(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A sheet of film: a grid of a few slices, with or without lines between them, sometimes a light margin."""
    columns, rows = int(rng.integers(2, 6)), int(rng.integers(2, 6))
    painter = choose(rng, (ct, mr, mr, ct, petct))
    gap = int(rng.integers(0, 7))
    cell = (max(48, size[0] // columns - gap), max(48, size[1] // rows - gap))
    # Neighbours of one series look alike; other sheets show several series.
    distinct = [painter(rng, cell, family) for _ in range(choose(rng, (1, 1, 3)))]
    sheet = np.full((size[1], size[0], 3), choose(rng, (0, 0, 20, 90, 255)), np.uint8)
    for place in range(columns * rows):
        picture = choose(rng, distinct)
        if chance(rng, 0.8):
            turn = cv2.getRotationMatrix2D((cell[0] / 2, cell[1] / 2), rng.uniform(-6, 6), rng.uniform(0.75, 1.1))
            picture = np.asarray(cv2.warpAffine(picture, turn, cell), np.uint8)
        x, y = (place % columns) * (cell[0] + gap) + gap, (place // columns) * (cell[1] + gap) + gap
        window = sheet[y : y + cell[1], x : x + cell[0]]
        window[:] = picture[: window.shape[0], : window.shape[1]]
    if chance(rng, 0.3):
        light = slope(rng, size, 0.75, 1.05)[..., None]
        return rgb(sheet * light + np.float32(rng.uniform(0, 40)))
    return sheet

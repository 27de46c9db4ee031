"""Teeth and bone densitometry without text."""

from __future__ import annotations

import cv2
import numpy as np

from deidra.app.synth.scenes.backgrounds_radiographs import Plate, finished, lateral_spine, pelvis, tooth
from deidra.app.synth.scenes.backgrounds_tables import MAPS
from deidra.app.synth.scenes.backgrounds_textures import (
    Colour,
    Family,
    Grey,
    arc,
    box,
    chance,
    choose,
    coloured,
    paint,
    rgb,
)

Size = tuple[int, int]


def dental(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A dental panorama or a small picture of a few teeth."""
    p = Plate(rng, size, family)
    whole = chance(rng, 0.65)
    count, half = (14, 0.055) if whole else (4, 0.2)
    p.image += 55 + 40 * p.mottle + 25 * (p.trabeculae - 0.5)
    bend = float(rng.uniform(0.1, 0.25)) if whole else 0.03
    for x in (np.arange(count) - (count - 1) / 2) * half * 2.15:
        lift = bend * (1 - (x / (count * half)) ** 2)
        for way in (-1, 1):
            tooth(
                p,
                x + rng.normal(0, 0.005),
                way * half * 0.9 + lift - 0.1,
                half * rng.uniform(0.85, 1.05),
                half * 2.1,
                way,
                85,
            )
    if whole:
        for lift in (0.55, 0.62):
            paint(
                p.image,
                p.at(arc((0, -0.3), (1.1, lift + 0.35), 0, 180)),
                45,
                width=p.at.radius * 0.05,
                soft=2,
                add=True,
            )
        for side in (-1, 1):
            p.shaft((side * 1.0, 0.4), (side * 1.15, -0.7), 0.3, 50)
    else:
        p.image = np.asarray(cv2.rotate(p.image, cv2.ROTATE_180), np.float32)
    return finished(p)


def dexa(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """Bone densitometry: a coarse spine or hip, with boxes and lines as the program draws them, on white or black."""
    w, h = size
    small = (max(48, w // 4), max(48, h // 3))
    p = Plate(rng, small, family)
    p.image += 20
    choose(rng, (pelvis, lateral_spine, lateral_spine))(p)
    picture = np.asarray(cv2.resize(p.image, (w // 2, h * 2 // 3), interpolation=cv2.INTER_NEAREST), np.float32)
    paper = float(choose(rng, (255, 255, 0, 200)))
    sheet = np.full((h, w, 3), paper, np.float32)
    x, y = int(rng.integers(0, w // 2)), int(rng.integers(0, h // 3))
    table = MAPS[choose(rng, ("grey", "grey", family.of("sepia", "blue tint", "violet")))]
    sheet[y : y + picture.shape[0], x : x + picture.shape[1]] = coloured(picture, table)
    for row in np.linspace(0.15, 0.85, int(rng.integers(3, 7))):
        level = y + row * picture.shape[0]
        ends = np.array([(x + 0.2 * picture.shape[1], level), (x + 0.8 * picture.shape[1], level + rng.normal(0, 6))])
        paint(sheet, ends, choose(rng, ((255, 255, 0), (0, 255, 255), (255, 255, 255))), width=1)
    if w - x - picture.shape[1] > w // 4:
        _chart(rng, sheet, (x + picture.shape[1] + 10, y, w - 10, y + picture.shape[0] // 2))
    return rgb(sheet)


def _chart(rng: np.random.Generator, sheet: Grey, place: tuple[int, int, int, int]) -> None:
    left, top, right, bottom = place
    levels = np.linspace(top, bottom, 4)
    for above, below, colour in zip(
        levels[:-1], levels[1:], ((120, 210, 120), (240, 230, 120), (235, 130, 120)), strict=True
    ):
        paint(sheet, box(left, above, right, below), colour)
    line = np.stack([np.linspace(left, right, 12), np.linspace(top, bottom, 12) + rng.normal(0, 3, 12)], 1)
    paint(sheet, line, (20, 20, 20), width=2)
    paint(sheet, box(left, top, right, bottom)[[0, 1, 2, 3, 0]], (0, 0, 0), width=1)

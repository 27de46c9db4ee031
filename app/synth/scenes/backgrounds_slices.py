"""Slices without text: CT and MR."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from deidra.app.synth.scenes.backgrounds_textures import (
    Colour,
    Family,
    Frame,
    Grey,
    Points,
    arc,
    blurred,
    chance,
    choose,
    disc,
    frame_in,
    grain,
    noise,
    outline,
    paint,
    rgb,
)

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Contrast:
    """Grey levels (0 to 255) of the tissues in one way of imaging."""

    air: float
    lung: float
    fat: float
    muscle: float
    organ: float
    bone: float
    marrow: float
    fluid: float


_CT = (
    Contrast(0, 8, 75, 125, 145, 250, 215, 110),
    Contrast(0, 20, 95, 140, 170, 255, 235, 125),
    Contrast(0, 60, 150, 165, 175, 235, 205, 160),
    Contrast(0, 70, 150, 215, 235, 255, 255, 205),
    Contrast(0, 0, 25, 60, 75, 230, 160, 45),
)
_MR = (
    Contrast(4, 10, 225, 85, 110, 14, 185, 35),
    Contrast(4, 12, 150, 55, 95, 10, 120, 245),
    Contrast(3, 8, 35, 80, 125, 8, 30, 235),
    Contrast(5, 12, 60, 120, 165, 12, 90, 20),
)


class Slice:
    """One slice while it is drawn. ``image`` (H, W) holds grey levels, ``at`` the anatomy's coordinates."""

    def __init__(self, rng: np.random.Generator, size: Size, family: Family, contrast: Contrast) -> None:
        self.rng, self.size, self.family, self.tissue = rng, size, family, contrast
        self.image: Grey = np.full((size[1], size[0]), contrast.air, np.float32)
        self.at: Frame = frame_in(rng, size)
        self.mottle = noise(rng, size, float(rng.uniform(18, 40)), family)
        self.trabeculae = noise(rng, size, float(rng.uniform(60, 130)), family, 2)

    def blob(
        self,
        x: float,
        y: float,
        wide: float,
        high: float,
        value: float,
        *,
        angle: float = 0.0,
        rough: float = 0.08,
        soft: float = 0.0,
        texture: float = 0.0,
    ) -> Points:
        """Lay an outline of one tissue, in the anatomy's coordinates; ``texture`` in grey levels."""
        points = self.at(outline(self.rng, self.family, (x, y), (wide, high), angle, rough))
        paint(self.image, points, value, soft=soft, texture=(self.mottle, texture))
        return points

    def bone(self, x: float, y: float, wide: float, high: float, *, angle: float = 0.0, rough: float = 0.12) -> None:
        """A bone: a bright (dark in MR) rim around marrow with trabeculae."""
        points = self.at(outline(self.rng, self.family, (x, y), (wide, high), angle, rough))
        rim = max(1.0, min(wide, high) * self.at.radius * 0.16)
        paint(self.image, points, self.tissue.marrow, texture=(self.trabeculae, 90))
        paint(self.image, np.vstack([points, points[:1]]), self.tissue.bone, width=rim, soft=0.6)

    def body(self, wide: float, high: float, rough: float = 0.05) -> None:
        """Skin, fat and muscle of a trunk or limb around the middle."""
        shape = self.at(outline(self.rng, self.family, (0, 0), (wide, high), 0, rough))
        paint(self.image, shape, self.tissue.muscle * 0.8, soft=0.8)
        below = (shape - shape.mean(0)) * 0.985 + shape.mean(0)
        paint(self.image, below, self.tissue.fat, texture=(self.mottle, 25))
        inner = (shape - shape.mean(0)) * float(self.rng.uniform(0.8, 0.94)) + shape.mean(0)
        paint(self.image, inner, self.tissue.muscle, soft=1.5, texture=(self.mottle, 50))


def _head(s: Slice) -> None:
    wide, high = s.rng.uniform(0.66, 0.78), s.rng.uniform(0.85, 0.97)
    s.blob(0, 0, wide, high, s.tissue.fat, rough=0.03)
    s.blob(0, 0, wide * 0.95, high * 0.96, s.tissue.bone, rough=0.02)
    s.blob(0, 0, wide * 0.88, high * 0.9, s.tissue.fluid, rough=0.03)
    s.blob(0, 0, wide * 0.86, high * 0.88, s.tissue.organ, rough=0.03, texture=45)
    furrows: list[Points] = []
    for _ in range(26):
        turn, depth = s.rng.uniform(0, 2 * np.pi), s.rng.uniform(0.62, 0.85)
        x, y = np.cos(turn) * wide * depth, np.sin(turn) * high * depth
        line = arc((x, y), (0.09, 0.05), s.rng.uniform(0, 180), s.rng.uniform(180, 330), float(np.degrees(turn)))
        furrows.append(s.at(line))
    paint(s.image, furrows, s.tissue.fluid, 0.8, width=s.at.radius * 0.012, soft=0.8)
    for side in (-1, 1):
        s.blob(side * 0.1, -0.08, 0.05, 0.2, s.tissue.fluid, angle=side * 15, soft=1, rough=0.2)
        s.blob(side * 0.22, 0.05, 0.12, 0.17, s.tissue.organ + 14, angle=side * 20, soft=3, texture=20)
        if chance(s.rng, 0.25):
            s.blob(side * 0.33, -high * 0.85, 0.16, 0.15, s.tissue.fluid, soft=1)
    paint(s.image, s.at([(0, -high * 0.85), (0.01, 0), (0, high * 0.85)]), s.tissue.fluid, width=2, soft=0.8)


def _chest(s: Slice) -> None:
    high = s.rng.uniform(0.6, 0.72)
    s.body(0.95, high)
    for side in (-1, 1):
        s.blob(side * 0.45, -0.02, 0.33, high * 0.7, s.tissue.lung, rough=0.12, soft=1, texture=20)
        vessels: list[Points] = []
        for _ in range(int(s.rng.integers(25, 60))):
            x, y = side * s.rng.uniform(0.18, 0.7), s.rng.uniform(-0.4, 0.4)
            r = s.rng.uniform(0.006, 0.02)
            radii = (r, r * s.rng.uniform(0.5, 2.5))
            vessels.append(s.at(outline(s.rng, s.family, (x, y), radii, s.rng.uniform(0, 180))))
        paint(s.image, vessels, s.tissue.muscle, soft=0.6)
    s.blob(0.08, -0.08, s.rng.uniform(0.26, 0.36), 0.28, s.tissue.organ, rough=0.12, soft=1, texture=25)
    _ribs(s, 0.82, high * 0.85)
    _vertebra(s, 0, high * 0.6, 0.13)


def _ribs(s: Slice, wide: float, high: float) -> None:
    starts = np.arange(0, 360, s.rng.uniform(22, 34))
    lines = [s.at(arc((0, 0), (wide, high), start, start + s.rng.uniform(8, 17))) for start in starts]
    paint(s.image, lines, s.tissue.bone, width=s.at.radius * 0.05, soft=0.5)
    paint(s.image, lines, s.tissue.marrow, width=s.at.radius * 0.02, soft=0.7)


def _vertebra(s: Slice, x: float, y: float, r: float) -> None:
    s.bone(x, y, r, r * 0.8)
    s.blob(x, y + r * 1.15, r * 0.5, r * 0.42, s.tissue.fluid)
    for line in (
        [(-0.5, 0.7), (-0.7, 1.5), (0, 1.9), (0, 2.7)],
        [(0.5, 0.7), (0.7, 1.5), (0, 1.9)],
        [(-0.7, 1.3), (-1.7, 1.2)],
        [(0.7, 1.3), (1.7, 1.2)],
    ):
        paint(
            s.image, s.at(np.array(line) * r + np.array([x, y])), s.tissue.bone, width=s.at.radius * r * 0.25, soft=0.7
        )


def _abdomen(s: Slice) -> None:
    high = s.rng.uniform(0.6, 0.75)
    s.body(0.93, high)
    s.blob(0, -0.05, 0.74, high * 0.72, s.tissue.fat, rough=0.04, texture=30)
    s.blob(-0.38, -0.08, 0.36, 0.38, s.tissue.organ, rough=0.14, soft=0.8, texture=35)
    s.blob(0.55, 0.02, 0.14, 0.25, s.tissue.organ + 8, angle=20, soft=0.8, texture=35)
    for side in (-1, 1):
        s.blob(side * 0.34, 0.27, 0.11, 0.16, s.tissue.organ + 20, angle=side * 25, soft=0.8, texture=30)
        s.blob(side * 0.34 - side * 0.04, 0.27, 0.04, 0.07, s.tissue.fat, soft=2)
        s.blob(side * 0.2, 0.38, 0.12, 0.13, s.tissue.muscle, soft=1)
    for _ in range(int(s.rng.integers(5, 16))):
        x, y, r = s.rng.uniform(-0.15, 0.6), s.rng.uniform(-0.45, 0.2), s.rng.uniform(0.04, 0.1)
        s.blob(x, y, r, r, s.tissue.muscle + 10, rough=0.2, soft=0.8)
        s.blob(
            x, y, r * 0.7, r * 0.7, choose(s.rng, (s.tissue.air, s.tissue.fluid, 235)), rough=0.3, soft=0.8, texture=30
        )
    s.blob(0.03, 0.22, 0.06, 0.06, s.tissue.organ + 30, soft=0.6)
    _vertebra(s, 0, 0.38, 0.13)
    _ribs(s, 0.83, high * 0.86)


def _spine(s: Slice) -> None:
    s.image[:] = s.tissue.muscle + (s.mottle - 0.5) * 60
    count, bend = int(s.rng.integers(6, 13)), s.rng.uniform(-0.25, 0.25)
    rows = np.linspace(-1.1, 1.1, count)
    x = bend * np.cos(rows * s.rng.uniform(1, 2.2)) + s.rng.uniform(-0.25, 0.05)
    step = 2.2 / count
    paint(s.image, s.at(np.stack([x + 0.29, rows], 1)), s.tissue.fluid, width=s.at.radius * 0.13, soft=1)
    paint(s.image, s.at(np.stack([x + 0.28, rows], 1)), s.tissue.organ, width=s.at.radius * 0.06, soft=1)
    for place, (a, b) in enumerate(zip(x, rows, strict=True)):
        s.blob(a, b + step / 2, 0.16, step * 0.16, choose(s.rng, (s.tissue.organ, s.tissue.fluid)), soft=1)
        body = np.array(
            [(-0.17, -0.34), (0, -0.31), (0.17, -0.34), (0.15, 0), (0.17, 0.34), (0, 0.31), (-0.17, 0.34), (-0.15, 0)]
        )
        shape = s.at(body * (1, step) + (a, b) + s.rng.normal(0, 0.006, (8, 2)))
        paint(s.image, shape, s.tissue.marrow, soft=0.6, texture=(s.trabeculae, 60))
        paint(s.image, np.vstack([shape, shape[:1]]), s.tissue.bone, width=s.at.radius * 0.02, soft=0.5)
        if place % 2 or count < 9:
            s.bone(a + 0.55, b + step * 0.3, 0.16, step * 0.22, angle=20)
    paint(s.image, s.at([(-1.3, -2), (-0.75, -2), (-0.6, 2), (-1.3, 2)]), s.tissue.air, soft=1)
    paint(s.image, s.at([(1.4, -2), (0.9, -2), (0.95, 2), (1.4, 2)]), s.tissue.air, soft=1)
    paint(s.image, s.at([(0.8, -2), (0.9, -2), (0.95, 2), (0.85, 2)]), s.tissue.fat, soft=1)


def _knee(s: Slice) -> None:
    s.blob(0, 0, 0.75, 1.6, s.tissue.fat, rough=0.05, texture=25)
    s.blob(0.1, 0, 0.66, 1.4, s.tissue.muscle, rough=0.08, soft=2, texture=50)
    for way in (-1, 1):
        s.bone(0, way * 1.1, 0.22, 0.8)
        s.bone(-0.02, way * 0.34, 0.45, 0.28, rough=0.16)
        paint(s.image, s.at(box_rows(way)), s.tissue.marrow, soft=4, texture=(s.trabeculae, 70))
        s.blob(way * 0.26, 0.02, 0.17, 0.035, s.tissue.bone if s.tissue.bone < 50 else s.tissue.muscle, soft=0.6)
    s.bone(-0.62, -0.3, 0.09, 0.24)


def box_rows(way: int) -> Points:
    """The shaft of a long bone above (-1) or below (1) a knee, in the anatomy's coordinates."""
    return np.array([(-0.2, way * 0.45), (0.17, way * 0.45), (0.14, way * 1.5), (-0.16, way * 1.5)])


def _thighs(s: Slice) -> None:
    for side in (-1, 1):
        s.blob(side * 0.5, 0, 0.46, 0.5, s.tissue.fat, rough=0.05)
        s.blob(side * 0.5, 0, 0.38, 0.42, s.tissue.muscle, rough=0.1, soft=1, texture=60)
        for _ in range(9):
            x, y = side * 0.5 + s.rng.uniform(-0.25, 0.25), s.rng.uniform(-0.3, 0.3)
            paint(
                s.image,
                s.at(arc((x, y), (0.15, 0.1), 0, s.rng.uniform(60, 200), s.rng.uniform(0, 360))),
                s.tissue.fat,
                0.7,
                1,
                width=2,
            )
        s.bone(side * 0.5, 0.02, 0.1, 0.1)


_PARTS: tuple[Callable[[Slice], None], ...] = (_head, _chest, _abdomen, _spine, _knee)


def _part(rng: np.random.Generator, family: Family) -> Callable[[Slice], None]:
    """The part of the body; thighs are held out of training."""
    return choose(rng, family.of(_PARTS, (*_PARTS, _thighs), (*_PARTS, _thighs)))


def ct(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A CT slice: a round field of view, a table below, streaks, grain."""
    return rgb(ct_levels(rng, size, family))


def ct_levels(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """The grey levels (H, W) of :func:`ct`, not clipped."""
    s = Slice(rng, size, family, choose(rng, _CT))
    _part(rng, family)(s)
    if chance(rng, 0.5):
        y = rng.uniform(0.72, 0.95)
        for lift in (0.0, 0.06):
            paint(
                s.image,
                s.at(arc((0, y - 0.6), (1.1, 0.6 + lift), 30, 150)),
                rng.uniform(50, 150),
                width=2,
                soft=0.6,
                add=True,
            )
    if chance(rng, 0.15):
        x, y = rng.uniform(-0.4, 0.4, 2)
        for turn in rng.uniform(0, np.pi, 24):
            way = np.array([np.cos(turn), np.sin(turn)]) * 1.5
            paint(
                s.image,
                s.at([(x - way[0], y - way[1]), (x + way[0], y + way[1])]),
                rng.normal(0, 30),
                width=float(rng.uniform(1, 5)),
                soft=1,
                add=True,
            )
        s.blob(x, y, 0.05, 0.04, 255)
    lump = float(rng.uniform(1, 2.2))
    image = s.image + grain(rng, size, family, lump) * np.float32(rng.gamma(2, 4))
    if chance(rng, 0.35):
        image *= disc(size, size[0] / 2, size[1] / 2, min(size) / 2 - 1)
    return image * np.float32(rng.uniform(0.85, 1.2)) + np.float32(rng.normal(0, 8))


def mr(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """An MR slice: uneven sensitivity of the coils, Rician noise, sometimes ghosts and a box-shaped field."""
    contrast = choose(rng, _MR)
    s = Slice(rng, size, family, contrast)
    _part(rng, family)(s)
    uneven = noise(rng, size, 2, family, 1) * np.float32(rng.uniform(0.2, 0.9)) + np.float32(0.6)
    image = s.image * uneven
    if chance(rng, 0.2):
        image = 0.85 * image + 0.15 * np.roll(image, int(rng.integers(20, 200)), int(rng.integers(2)))
    sigma = np.float32(rng.gamma(2, 3))
    lump = float(rng.uniform(1, 2))
    image = cv2.magnitude(image + sigma * grain(rng, size, family, lump), sigma * grain(rng, size, family, lump))
    return rgb(blurred(np.asarray(image, np.float32), float(rng.choice([0, 0.6, 1]))))

"""Projections without text: radiographs, mammograms, angiograms, dental pictures and bone densitometry."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deidra.app.synth.scenes.backgrounds_textures import (
    Colour,
    Family,
    Frame,
    Grey,
    Points,
    arc,
    box,
    branches,
    chance,
    choose,
    disc,
    frame_in,
    grain,
    noise,
    outline,
    paint,
    paint_tree,
    rgb,
    slope,
)

Size = tuple[int, int]


class Plate:
    """A radiograph while it is drawn: ``image`` (H, W) gets brighter where more lies in the beam."""

    def __init__(self, rng: np.random.Generator, size: Size, family: Family) -> None:
        self.rng, self.size, self.family = rng, size, family
        self.at: Frame = frame_in(rng, size, (0.85, 1.25))
        self.image: Grey = slope(rng, size, 4, float(rng.uniform(8, 40)))
        self.trabeculae = noise(rng, size, float(rng.uniform(70, 150)), family, 2)
        self.mottle = noise(rng, size, float(rng.uniform(5, 12)), family)

    def soft(self, x: float, y: float, wide: float, high: float, value: float, blur: float, angle: float = 0) -> None:
        """Soft tissue of ``value`` grey levels; ``blur`` in the anatomy's unit."""
        points = self.at(outline(self.rng, self.family, (x, y), (wide, high), angle, 0.06))
        paint(self.image, points, value, soft=blur * self.at.radius, add=True, texture=(self.mottle, 0.5 * value))

    def hard(self, points: Points, value: float, rim: float = 0.6) -> None:
        """A bone by its outline in the anatomy's coordinates: trabeculae inside, a denser rim."""
        place = self.at(points)
        paint(self.image, place, value * 0.8, soft=0.8, add=True, texture=(self.trabeculae, 0.7 * value))
        width = max(1.0, self.at.radius * 0.012)
        paint(self.image, np.vstack([place, place[:1]]), value * rim, width=width, soft=0.7, add=True)

    def shaft(self, start: tuple[float, float], stop: tuple[float, float], width: float, value: float) -> None:
        """A long bone with wider ends; ``width`` at the ends, in the anatomy's unit."""
        self.hard(_long_bone(start, stop, width * self.rng.uniform(0.9, 1.1)), value)


def _long_bone(start: tuple[float, float], stop: tuple[float, float], width: float) -> Points:
    a, b = np.array(start), np.array(stop)
    along = np.linspace(0, 1, 12)[:, None]
    half = width / 2 * (0.55 + 0.45 * np.abs(2 * along - 1) ** 2.5)
    half[[0, -1]] *= 0.75
    way = (b - a) / max(float(np.hypot(*(b - a))), 1e-6)
    across = np.array([-way[1], way[0]])
    line = a + along * (b - a)
    return np.vstack([line + across * half, (line - across * half)[::-1]])


def _hand(p: Plate) -> None:
    p.soft(0, 0.35, 0.42, 0.5, 55, 0.02)
    turns = np.linspace(-0.35, 0.3, 4) + p.rng.normal(0, 0.04, 4)
    reaches = np.array([1.0, 1.08, 1.03, 0.85]) * p.rng.uniform(0.95, 1.08)
    fingers = [(-0.27 + 0.18 * k, 0.1, float(turns[k]), float(reaches[k]), 3) for k in range(4)]
    for x, y, turn, reach, count in [*fingers, (-0.38, 0.45, -0.9, 0.72, 2)]:
        way = np.array([np.sin(turn), -np.cos(turn)])
        tip = np.array([x, y]) + way * reach
        paint(
            p.image,
            p.at(np.array([(x, y), (tip[0], tip[1])])),
            45,
            texture=(p.mottle, 18),
            soft=3,
            add=True,
            width=p.at.radius * 0.15,
        )
        lengths = np.array([0.48, 0.3, 0.2][:count]) * reach
        here = np.array([x, y])
        p.shaft(tuple(here - way * 0.42 * reach), tuple(here - way * 0.03), 0.1, 75)
        for k, length in enumerate(lengths):
            p.shaft(tuple(here), tuple(here + way * (length - 0.02)), 0.09 - 0.012 * k, 80)
            here = here + way * length
    for _ in range(8):
        spot = (float(p.rng.uniform(-0.2, 0.25)), float(p.rng.uniform(0.55, 0.75)))
        p.hard(outline(p.rng, p.family, spot, (0.07, 0.06), 0, 0.15), 55)
    p.soft(0, 1.05, 0.26, 0.5, 50, 0.02)
    p.shaft((-0.1, 0.8), (-0.12, 1.6), 0.22, 70)
    p.shaft((0.16, 0.82), (0.14, 1.6), 0.14, 70)


def _chest(p: Plate) -> None:
    p.image += 95
    p.soft(0, 1.1, 1.3, 0.9, 70, 0.1)
    for side in (-1, 1):
        lung = p.at(outline(p.rng, p.family, (side * 0.48, -0.1), (0.33, 0.68), side * -6, 0.08))
        paint(p.image, lung, -75 + 25 * p.mottle, soft=0.03 * p.at.radius, add=True)
        hilum = p.at([(side * 0.16, -0.05)])[0]
        for _ in range(4):
            turn = (0 if side > 0 else np.pi) + p.rng.uniform(-1.1, 1.1)
            tree = branches(p.rng, (hilum[0], hilum[1]), turn, 0.22 * p.at.radius, 0.02 * p.at.radius, 3)
            paint_tree(p.image, tree, 20, soft=1.2, add=True)
        for row in np.linspace(-0.75, 0.45, 9):
            drop = p.rng.uniform(0.08, 0.2)
            line = p.at(arc((side * 0.42, row + drop), (0.43, 0.22), 180, 360, side * 18))
            paint(p.image, line, 26, width=p.at.radius * 0.055, soft=1.2, add=True)
            paint(p.image, line - (0, p.at.radius * 0.025), 18, width=2, soft=0.8, add=True)
        p.shaft((side * 0.08, -0.72), (side * 0.75, -0.85), 0.1, 40)
        p.soft(side * 0.9, -0.55, 0.16, 0.5, 25, 0.03, side * 10)
    p.soft(0.12, 0.25, 0.34, 0.32, 50, 0.03, 25)
    p.soft(0, -0.2, 0.14, 0.9, 40, 0.04)
    _column(p, 0, -1.1, 0.9, 0.11, 16, 22)


def _column(p: Plate, x: float, top: float, bottom: float, half: float, count: int, value: float) -> None:
    step = (bottom - top) / (count - 1)
    bend = p.rng.normal(0, 0.05)
    for row in np.linspace(top, bottom, count):
        a = x + bend * np.cos(3 * row)
        shape = np.array([(-1, -0.43), (0, -0.4), (1, -0.43), (0.88, 0), (1, 0.43), (0, 0.4), (-1, 0.43), (-0.88, 0)])
        p.hard(shape * (half, step) + (a, row), value)
        p.hard(outline(p.rng, p.family, (a, row + step * 0.15), (half * 0.16, step * 0.3), 0, 0.1), value * 0.7)
        for side in (-1, 1):
            p.hard(
                outline(p.rng, p.family, (a + side * half * 0.6, row - step * 0.1), (half * 0.2, step * 0.2)),
                value * 0.6,
            )


def pelvis(p: Plate) -> None:
    """A pelvis from the front, with gas in the bowel."""
    p.image += 40
    p.soft(0, 0.1, 1.15, 1.1, 60, 0.05)
    for side in (-1, 1):
        p.hard(outline(p.rng, p.family, (side * 0.52, -0.3), (0.34, 0.42), side * 30, 0.1), 60)
        ring = p.at(arc((side * 0.2, 0.5), (0.2, 0.24), 0, 360))
        paint(p.image, ring, 60, width=p.at.radius * 0.09, soft=1, add=True)
        p.hard(outline(p.rng, p.family, (side * 0.62, 0.27), (0.17, 0.17), 0, 0.03), 50)
        p.shaft((side * 0.66, 0.3), (side * 0.88, 0.5), 0.22, 50)
        p.shaft((side * 0.9, 0.42), (side * 0.8, 1.6), 0.3, 70)
    p.hard(np.array([(-0.25, -0.5), (0.25, -0.5), (0.06, 0.25), (-0.06, 0.25)]), 45)
    _column(p, 0, -1.2, -0.5, 0.17, 4, 55)
    for _ in range(int(p.rng.integers(0, 12))):
        x, y, r = p.rng.uniform(-0.5, 0.5), p.rng.uniform(-0.9, 0.1), p.rng.uniform(0.03, 0.12)
        p.soft(x, y, r, r, -35, 0.01)


def _knee(p: Plate) -> None:
    p.image += 10
    p.soft(0, 0, 0.5, 1.6, 60, 0.04)
    p.shaft((0.02, -1.7), (0, -0.04), 0.62, 75)
    p.shaft((0, 0.04), (0.02, 1.9), 0.58, 75)
    p.shaft((0.3, 0.15), (0.3, 1.8), 0.16, 45)
    if chance(p.rng, 0.5):
        p.hard(outline(p.rng, p.family, (0.02, -0.25), (0.16, 0.18), 0, 0.06), 35)


def lateral_spine(p: Plate) -> None:
    """A spine with the ribs behind it."""
    p.image += 50
    p.soft(0, 0, 0.9, 1.6, 40, 0.1)
    _column(
        p, float(p.rng.uniform(-0.3, 0.2)), -1.2, 1.2, float(p.rng.uniform(0.15, 0.24)), int(p.rng.integers(5, 10)), 80
    )
    for row in np.linspace(-1, 0.6, 8):
        paint(p.image, p.at(arc((0, row), (0.8, 0.3), 20, 160, 15)), 16, width=p.at.radius * 0.06, soft=1.5, add=True)


def _skull(p: Plate) -> None:
    p.soft(0, -0.15, 0.82, 0.72, 70, 0.01)
    ring = p.at(outline(p.rng, p.family, (0, -0.15), (0.8, 0.7), 0, 0.03))
    paint(p.image, np.vstack([ring, ring[:1]]), 80, width=p.at.radius * 0.05, soft=1, add=True)
    p.soft(-0.4, 0.55, 0.32, 0.42, 60, 0.03, 15)
    for _ in range(16):
        line = arc((p.rng.uniform(-0.6, 0.6), p.rng.uniform(-0.6, 0.3)), (0.3, 0.2), 0, 120, p.rng.uniform(0, 360))
        paint(p.image, p.at(line), 14, width=3, soft=1.5, add=True)
    for x in np.linspace(-0.72, -0.3, 7):
        for y, way in ((0.62, -1), (0.76, 1)):
            tooth(p, x, y, 0.028, 0.075, way, 75)
    _column(p, 0.25, 0.45, 1.3, 0.12, 5, 60)


def tooth(p: Plate, x: float, y: float, half: float, high: float, way: int, value: float) -> None:
    """A tooth at a place of the anatomy, its crown towards ``-way``; some have a filling."""
    root = np.array([(-0.9, 0), (0.9, 0), (0.55, 1.3), (0.2, 1.9), (0, 1.2), (-0.2, 1.9), (-0.55, 1.3)])
    p.hard(root * (half, way * high) + (x, y), value * 0.6)
    p.hard(outline(p.rng, p.family, (x, y - way * high * 0.3), (half, high * 0.6), 0, 0.08), value)
    if chance(p.rng, 0.12):
        paint(p.image, p.at(outline(p.rng, p.family, (x, y - way * high * 0.5), (half * 0.8, high * 0.3), 0, 0.2)), 250)


_PARTS: tuple[Callable[[Plate], None], ...] = (_hand, _chest, _chest, pelvis, _knee, lateral_spine)


def xray(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A radiograph of a hand, chest, pelvis, knee or spine; a skull in the calibration and test splits only."""
    plate = Plate(rng, size, family)
    choose(rng, family.of(_PARTS, (*_PARTS, _skull), (*_PARTS, _skull)))(plate)
    return finished(plate, turn=True)


def finished(plate: Plate, *, turn: bool = False) -> Colour:
    """Grain, tone curve, collimator and sometimes inversion."""
    rng, image = plate.rng, plate.image
    image = image + grain(rng, plate.size, plate.family, float(rng.uniform(1, 1.8))) * np.float32(rng.gamma(2, 1.6))
    image = (255 * np.power(np.clip(image / 255, 0, 1), np.float32(rng.uniform(0.7, 1.3)))).astype(np.float32)
    if turn and chance(rng, 0.55):
        mask = np.zeros_like(image)
        inset = rng.uniform(0, 0.16, 4)
        w, h = plate.size
        border = box(w * inset[0], h * inset[1], w * (1 - inset[2]), h * (1 - inset[3]))
        border += rng.normal(0, 0.01, (4, 2)) * w
        paint(mask, border, 1, soft=float(rng.uniform(0, 2)))
        image = image * mask + np.float32(choose(rng, (0, 0, 6, 255))) * (1 - mask)
    if turn and chance(rng, 0.2):
        image = 255 - image
    return rgb(image)


def mammogram(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A breast against one edge, with glands, ligaments, calcifications and, in an oblique view, the muscle."""
    p = Plate(rng, size, family)
    w, h = size
    p.image[:] = rng.uniform(0, 8)
    reach, y = float(rng.uniform(0.45, 0.85) * w), float(rng.uniform(0.4, 0.6) * h)
    breast = outline(rng, family, (0, y), (reach, float(rng.uniform(0.35, 0.48) * h)), 0, 0.05)
    paint(p.image, breast, 70 + 60 * p.mottle, soft=0.02 * w)
    glands = noise(rng, size, float(rng.uniform(8, 20)), family, 4, 2.0)
    paint(
        p.image,
        outline(rng, family, (reach * 0.45, y), (reach * 0.4, h * 0.25), 0, 0.15),
        110 * glands,
        soft=0.05 * w,
        add=True,
    )
    for level in (10, 14, 18):
        strands: list[tuple[Points, float]] = []
        for _ in range(int(rng.integers(6, 20))):
            start = (float(rng.uniform(0, 0.4) * reach), y + float(rng.normal(0, 0.15)) * h)
            strands += branches(rng, start, float(rng.normal(0, 0.5)), reach * float(rng.uniform(0.2, 0.6)), 1.5, 0)
        paint_tree(p.image, strands, level, soft=1, add=True)
    for _ in range(int(rng.integers(0, 40))):
        paint(
            p.image, outline(rng, family, (rng.uniform(0.1, 0.7) * reach, y + rng.normal(0, 0.1) * h), (1.2, 1.2)), 235
        )
    if chance(rng, 0.5):
        paint(p.image, np.array([(0, 0), (reach * 0.5, 0), (0, h * 0.6)], float), 190 + 30 * p.mottle, 0.8, 0.01 * w)
    if chance(rng, 0.5):
        p.image = np.ascontiguousarray(p.image[:, ::-1])
    return finished(p)


def angiography(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A vessel tree with contrast: dark on grey (cine) or on white (subtracted), round or square field, catheter."""
    p = Plate(rng, size, family)
    w, h = size
    level, ink = float(rng.uniform(120, 220)), -float(rng.uniform(60, 150))
    p.image[:] = level + (p.mottle - 0.5) * rng.uniform(10, 90)
    if chance(rng, 0.5):
        _column(p, float(rng.uniform(-0.4, 0.4)), -1.3, 1.3, 0.16, 7, -18)
        for row in np.linspace(-1, 1, 7):
            paint(
                p.image, p.at(arc((0, row), (1.1, 0.4), 190, 350, 10)), -18, width=p.at.radius * 0.07, soft=2, add=True
            )
    for _ in range(int(rng.integers(1, 4))):
        start = (float(rng.uniform(0.2, 0.8) * w), float(rng.uniform(0, 0.5) * h))
        size_of = family.of((0.03, 4), (0.02, 5), (0.04, 3))
        tree = branches(
            rng, start, float(rng.uniform(0.5, 2.6)), 0.25 * h, size_of[0] * w * rng.uniform(0.5, 1.2), size_of[1]
        )
        layer = np.zeros_like(p.image)
        paint_tree(layer, tree, 1.0, float(rng.uniform(0.5, 1)), 0.5)
        paint_tree(layer, [item for item in tree if item[1] > 4], 1.0, 0.5, 0.8)
        p.image += ink * layer
    catheter = branches(rng, (float(rng.uniform(0, 1) * w), float(h)), -1.5, 0.7 * h, 3, 0)[0][0]
    paint(p.image, catheter, ink * 0.5, width=2.5, soft=0.5, add=True)
    if chance(rng, 0.4):
        p.image *= disc(size, w / 2, h / 2, min(w, h) * rng.uniform(0.46, 0.56))
    elif chance(rng, 0.3):
        cut = rng.uniform(0.02, 0.2) * w
        p.image[:, : int(cut)] *= 0.1
        p.image[:, w - int(cut) :] *= 0.1
    if chance(rng, 0.15):
        p.image = 255 - p.image
    return finished(p)

"""Pens: how the path of a hand becomes ink.

Paths are arrays ``[point, (x, y)]`` in pixels, y down. They are drawn several times larger and shrunk.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.synth.scenes.glyphs import Mask, Patch

Path = NDArray[np.float64]
_FINE = 3
"""Fractional bits of the coordinates in which strokes are drawn."""
_STEPS = 7
"""Points of a curve between two that it goes through."""
_T = np.linspace(0, 1, _STEPS, endpoint=False)[:, None]


@dataclass(frozen=True, slots=True)
class Pen:
    """What writes.

    ``thickness`` is a share of the size of tall letters; ``pressure`` how far it varies along a stroke, 0 to 1;
    ``nib`` the share by which strokes along the nib are thinner than those across it; ``skips`` the share of a stroke
    that is left out in places; ``fade`` how far the ink runs dry, 0 to 1; ``grain`` how rough the paper or film shows.
    """

    name: str
    thickness: float
    pressure: float = 0.2
    nib: float = 0.0
    skips: float = 0.0
    fade: float = 0.0
    grain: float = 0.0


def any_pen(rng: np.random.Generator, light: bool = False) -> Pen:
    """One of the pens that write on paper, or on film if ``light``; no two are alike."""
    name = str(rng.choice(("crayon", "marker", "ball"), p=(0.55, 0.2, 0.25)) if light else
               rng.choice(("ball", "fountain", "marker", "pencil"), p=(0.45, 0.2, 0.17, 0.18)))  # fmt: skip
    low, high = {"ball": (0.05, 0.085), "fountain": (0.07, 0.13), "marker": (0.12, 0.21), "pencil": (0.055, 0.09),
                 "crayon": (0.09, 0.2)}[name]  # fmt: skip
    return Pen(
        name,
        float(rng.uniform(low, high)),
        pressure=float(rng.uniform(0.1, 0.55)) * (0.5 if name == "marker" else 1.0),
        nib=float(rng.uniform(0.4, 0.75)) if name == "fountain" else 0.0,
        skips=float(rng.uniform(0.01, 0.08)) if name != "marker" and rng.random() < 0.4 else 0.0,
        fade=float(rng.uniform(0.1, 0.5)) if rng.random() < 0.6 else 0.0,
        grain={"pencil": 0.35, "crayon": 0.5, "ball": 0.12}.get(name, 0.0) * float(rng.uniform(0.4, 1.2)),
    )


def smooth(points: Path) -> Path:
    """A curve through ``points`` (Catmull-Rom)."""
    ends = np.concatenate([2 * points[:1] - points[1:2], points, 2 * points[-1:] - points[-2:-1]])
    a, b, d, e = ends[:-3, None], ends[1:-2, None], ends[2:-1, None], ends[3:, None]
    curve = b + 0.5 * _T * (d - a + _T * (2 * a - 5 * b + 4 * d - e + _T * (3 * (b - d) + e - a)))
    return np.concatenate([curve.reshape(-1, 2), points[-1:]])


def bowed(rng: np.random.Generator, points: Path, wobble: float) -> Path:
    """Points of a polyline with more between them, so that a curve through them keeps its corners nearly.

    ``wobble`` is how far, as a share of its length, each side is bent.
    """
    a, b = points[:-1], points[1:]
    side = b - a
    across = np.stack([-side[:, 1], side[:, 0]], axis=1) * rng.normal(0, wobble, (len(a), 1))
    rows = np.stack(
        [a, a + 0.12 * side + 0.3 * across, a + 0.5 * side + across, a + 0.88 * side + 0.3 * across], axis=1
    )
    return np.concatenate([rows.reshape(-1, 2), points[-1:]])


def wander(rng: np.random.Generator, count: int, period: float) -> NDArray[np.float64]:
    """``count`` values that change slowly, about once in ``period``; mean 0, deviation about 0.6."""
    knots = rng.normal(0, 1, max(2, math.ceil(count / max(1.0, period)) + 1))
    return np.interp(np.linspace(0, len(knots) - 1, count), np.arange(len(knots)), knots)


def field(rng: np.random.Generator, shape: tuple[int, int], cell: float) -> NDArray[np.float32]:
    """A smooth random picture of ``shape`` (rows, columns) with lumps of ``cell`` pixels, mostly -1 to 1."""
    rows, columns = (max(2, round(side / max(1.0, cell)) + 1) for side in shape)
    coarse = rng.uniform(-1, 1, (rows, columns)).astype(np.float32)
    if cell > 12:
        # Smooth on a fourth of the size is smooth enough, and much quicker.
        quarter = (shape[1] // 4 + 1, shape[0] // 4 + 1)
        coarse = np.asarray(cv2.resize(coarse, quarter, interpolation=cv2.INTER_CUBIC), np.float32)
    how = cv2.INTER_LINEAR if cell > 12 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(coarse, (shape[1], shape[0]), interpolation=how), np.float32)


def weathered(rng: np.random.Generator, alpha: Mask, pen: Pen, size: float) -> Mask:
    """``alpha`` as the pen leaves it on paper: running dry in places, with gaps where the ground is rough."""
    if not pen.fade and not pen.grain:
        return alpha
    shape = (alpha.shape[0], alpha.shape[1])
    share = np.ones(shape, np.float32)
    if pen.fade:
        share -= pen.fade * np.clip(0.5 * field(rng, shape, 1.5 * size) + 0.4, 0, 1)
    if pen.grain:
        share -= pen.grain * np.clip(rng.random(shape, np.float32) + 0.6 * field(rng, shape, 2.5), 0, 1)
    return np.asarray(alpha * np.clip(share, 0.15, 1), np.uint8)


def _widths(rng: np.random.Generator, path: Path, pen: Pen, base: float) -> NDArray[np.float64]:
    """Thickness of each side of ``path``."""
    side = np.diff(path, axis=0)
    widths = base * (1 + pen.pressure * wander(rng, len(side), 9))
    if pen.nib:
        along = np.abs(np.sin(np.arctan2(side[:, 1], side[:, 0]) + 0.7))
        widths *= 1 - pen.nib + pen.nib * along
    if pen.pressure > 0.25 and len(side) > 6:
        # A quick hand lifts the pen while it still moves.
        widths[-3:] *= (0.85, 0.65, 0.45)
    return widths


def inked(rng: np.random.Generator, paths: list[Path], pen: Pen, size: float) -> Patch | None:
    """``paths`` drawn with ``pen`` in letters about ``size`` pixels high; the place is that of the origin."""
    paths = [path for path in paths if len(path) > 1]
    if not paths:
        return None
    times = 3 if size < 26 else 2 if size < 60 else 1
    base = max(1.1, pen.thickness * size) * times
    points = np.concatenate(paths)
    corner = np.floor(points.min(axis=0) - 2 * base / times - 2)
    wide, high = (np.ceil(points.max(axis=0) + 2 * base / times + 2) - corner).astype(int)
    sides, widths = [], []
    for path in paths:
        fixed = (path - corner) * times
        its = _widths(rng, path, pen, base)
        there = wander(rng, len(its), 8) > -1.5 + 9 * pen.skips if pen.skips else np.ones(len(its), bool)
        sides.append(np.stack([fixed[:-1], fixed[1:]], axis=1)[there])
        widths.append(its[there])
    # Few different widths: each is one call.
    level = np.clip(np.round(np.concatenate(widths)), max(1, times), 2.2 * base).astype(int)
    ends = np.round(np.concatenate(sides) * 2**_FINE).astype(np.int32)
    alpha = np.zeros((high * times, wide * times), np.uint8)
    how = cv2.LINE_AA if times == 1 else cv2.LINE_8
    for width in np.unique(level):
        cv2.polylines(alpha, list(ends[level == width]), False, 255, int(width), how, _FINE)
    if times > 1:
        alpha = np.asarray(cv2.resize(alpha, (wide, high), interpolation=cv2.INTER_AREA), np.uint8)
    alpha = weathered(rng, alpha, pen, size)
    left, top, width, height = cv2.boundingRect(alpha)
    if not width:
        return None
    cut = np.ascontiguousarray(alpha[top : top + height, left : left + width])
    return Patch(cut, int(corner[0]) + left, int(corner[1]) + top)

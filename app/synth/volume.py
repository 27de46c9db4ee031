"""A chest in three dimensions, slice by slice: neighbouring slices show the same organs a little farther on."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from deidra.app.synth.images import Plane

_RIBS = 12
_VESSELS = 90


def chest_slices(count: int, side: int = 512, seed: int = 1) -> Iterator[Plane]:
    """Axial slices from the apex downwards, ``(side, side)``, 0 to 1, with 0.5 about water.

    Ribs wander outwards from slice to slice, vessels are tubes that cross the lungs, vertebrae and discs alternate,
    and each slice has noise of its own.

    Args:
        count: slices of the whole chest; few of them lie far apart.
        side: rows and columns.
        seed: the same seed gives the same chest.
    """
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[-1 : 1 : side * 1j, -1 : 1 : side * 1j]
    tubes = _vessels(rng)
    for z in np.linspace(0, 1, count):
        wide, high = 0.62 + 0.2 * np.sqrt(z), 0.42 + 0.14 * np.sqrt(z)
        radius = np.hypot(y / high, x / wide)
        plane = 0.45 * _inside(radius, 1.0, 0.02) + 0.06 * _inside(radius, 0.93, 0.03)
        lungs = np.zeros_like(plane)
        for part in (-1, 1):
            size = 0.75 * np.sin(np.pi * min(0.98, 0.15 + 0.8 * z))
            oval = np.hypot((y + 0.02) / (0.36 * size), (x - part * 0.36 * wide / 0.8) / (0.27 * size))
            lungs = np.maximum(lungs, _inside(oval, 1.0, 0.06))
        heart = _inside(np.hypot((y + 0.08) / 0.2, (x - 0.08) / 0.26) + 3 * (z - 0.6) ** 2, 1.0, 0.06)
        plane = np.where(lungs * (1 - heart) > 0.5, 0.1, plane + 0.03 * heart)
        mask = np.zeros(plane.shape, np.uint8)
        for start, direction, thick in tubes:
            cv2.circle(mask, _pixel(start + direction * z, side), round(thick * side / 2 * 16), 255, -1, cv2.LINE_AA, 4)
        plane = np.where(lungs > 0.5, np.maximum(plane, mask / 510), plane)
        plane = np.maximum(plane, 0.75 * _ribs(side, z, wide, high))
        bone = 0.78 if int(z * 24) % 3 else 0.6
        plane = np.maximum(plane, bone * _inside(np.hypot((y - 0.26) / 0.09, x / 0.1), 1.0, 0.1))
        plane = np.maximum(plane, 0.7 * _inside(np.hypot((y - 0.38) / 0.06, x / 0.025), 1.0, 0.2))
        plane = np.maximum(plane, 0.3 * ((np.abs(y - 0.66 - 0.05 * (1 - x**2)) < 0.006) & (np.abs(x) < 0.8)))
        yield np.clip(plane + rng.normal(0, 0.01, plane.shape), 0, 1)


def _inside(distance: Plane, limit: float, soft: float) -> Plane:
    return np.asarray(np.clip((limit - distance) / soft, 0, 1))


def _vessels(rng: np.random.Generator) -> list[tuple[Plane, Plane, float]]:
    """Tubes: where each starts at the top, how far it moves to the bottom (both y, x), and its radius."""
    return [
        (rng.uniform((-0.35, -0.55), (0.3, 0.55)), rng.normal(0, 0.5, 2), float(rng.uniform(0.004, 0.016)))
        for _ in range(_VESSELS)
    ]


def _ribs(side: int, z: float, wide: float, high: float) -> Plane:
    """Cuts through ribs, which run downwards from the spine to the front along the wall of the chest."""
    cut = np.zeros((side, side), np.uint8)
    axes = round(0.11 * side / 2 * 16), round(0.022 * side / 2 * 16)
    for rib in range(_RIBS):
        # Where on its way from the back (0) to the front (1) this rib crosses the slice.
        way = (z - rib / (1.3 * _RIBS)) / 0.28
        if not 0 < way < 1:
            continue
        for part in (-1, 1):
            angle = np.pi / 2 - part * (0.25 + 2.5 * way)
            middle = np.array([0.86 * high * np.sin(angle), 0.86 * wide * np.cos(angle)])
            lean = np.degrees(np.arctan2(high * np.cos(angle), -wide * np.sin(angle)))
            cv2.ellipse(cut, _pixel(middle, side), axes, lean, 0, 360, 255, -1, cv2.LINE_AA, 4)
    return cut / 255


def _pixel(place: Plane, side: int) -> tuple[int, int]:
    """A place ``(y, x)`` from -1 to 1 as x and y in sixteenths of a pixel."""
    y, x = (place + 1) / 2 * (side - 1) * 16
    return round(x), round(y)

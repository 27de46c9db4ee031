"""Wear of print: ink in spots, and lines along which there is less of it.

The effects are those that paper 002 uses to make replacements look like the pages they stand on (InkMottling and
LowInkRandomLines of Groleau et al., 2023), on the share of ink that covers each pixel.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def mottled(ink: Floats, strength: float, rng: np.random.Generator, grain: float = 1.0) -> Floats:
    """Ink in spots.

    Args:
        ink: share of ink on each pixel, 0 to 1, ``(H, W)``.
        strength: standard deviation of what is left of full ink.
        rng: chance.
        grain: size of the spots in pixels.
    """
    if strength <= 0 or not ink.size:
        return ink
    noise = rng.standard_normal(ink.shape).astype(np.float32)
    field = np.asarray(cv2.GaussianBlur(noise, (0, 0), max(0.3, grain)), np.float32)
    field = field / np.float32(max(1e-6, float(field.std())))
    # Ink cannot be more than full: spots only take away, twice as much where they do.
    return np.asarray(np.clip(ink * (1 - 2 * strength * np.clip(field, 0, None)), 0, 1), np.float32)


def low_ink_lines(ink: Floats, strength: float, rng: np.random.Generator, share: float = 0.15) -> Floats:
    """Rows along which a printer ran low.

    Args:
        ink: as above.
        strength: the share of ink that such a row lacks, at most.
        rng: chance.
        share: the share of rows that are concerned.
    """
    if strength <= 0 or not ink.size:
        return ink
    result = ink.copy()
    rows, columns = ink.shape
    for row in rng.choice(rows, max(1, round(share * rows)), replace=False):
        begin, end = sorted(rng.integers(0, columns + 1, 2))
        result[row, begin:end] *= 1 - strength * float(rng.uniform(0.5, 1))
    return result

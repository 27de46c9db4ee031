"""Pictures as the product searches them: deep grey levels stretched, with the noise that this brings out."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.load.pictures import equalised, local_contrast, window
from deidra.app.synth.scenes.scene import Scene, contrast

Deep = NDArray[np.uint16]
DEPTH = 4095
"""The highest grey level of a scanner with 12 bits."""
_NOISE = (0.4, 40.0)
"""Standard deviations of a sensor's noise, in levels of 12 bits."""
_WAYS = ("local", "ranks", "window", "full")
_SHARES = (0.35, 0.35, 0.2, 0.1)
_KEPT = 0.5
"""Share of its contrast that text must keep where a window takes levels away."""
_CLEAR = 30.0
"""Contrast in grey levels that is enough."""


def grained(rng: np.random.Generator, grey: NDArray[np.float32], least: float, most: float) -> NDArray[np.float32]:
    """``grey`` with the noise of a sensor, which is one-sided in air; ``least`` and ``most`` bound its deviation."""
    noise = rng.standard_normal(grey.shape, np.float32)
    if rng.random() < 0.3:
        # Scanners interpolate: their noise is softer than the matrix that they store.
        noise = np.asarray(cv2.GaussianBlur(noise, (0, 0), float(rng.uniform(0.4, 0.9))), np.float32) * 2
    noise *= np.float32(np.exp(rng.uniform(np.log(least), np.log(most))))
    grey = grey + noise
    return np.abs(grey) if rng.random() < 0.6 else np.maximum(grey, 0)


def stretched(rng: np.random.Generator, values: Deep, way: str) -> NDArray[np.uint8]:
    """The grey levels in one of the ways in which the product shows them, or in a narrow window of the levels."""
    if way == "ranks":
        return equalised(values)
    grey = values.astype(np.float32)
    low, high = float(values.min()), float(values.max())
    if way == "window":
        # A few hundred pixels tell where the levels lie.
        some = np.sort(values.ravel()[:: max(1, values.size // 999)])
        place = rng.uniform(0.0, 0.45), rng.uniform(0.55, 1.0)
        low, high = (float(some[int(p * (len(some) - 1))]) for p in place)
        high = max(high, low + 24)
    full = window(grey, low, high)
    return local_contrast(full) if way == "local" else full


def way_of(rng: np.random.Generator) -> str:
    """One of the ways of :func:`stretched`."""
    return _WAYS[int(rng.choice(len(_WAYS), p=_SHARES))]


def as_rendered(rng: np.random.Generator, made: Scene) -> NDArray[np.uint8]:
    """The picture of a scene as a grey one that the product stretches.

    As it is where text would be lost in that, or where text that nobody is asked for could come out of the dark.
    """
    if made.faint:
        return made.image
    grey = np.asarray(cv2.cvtColor(made.image, cv2.COLOR_RGB2GRAY), np.float32) * np.float32(DEPTH / 255)
    if rng.random() < 0.8:
        grey = grained(rng, grey, *_NOISE)
    way = way_of(rng)
    values = np.clip(grey + 0.5, 0, DEPTH).astype(np.uint16)
    picture = np.asarray(cv2.cvtColor(stretched(rng, values, way), cv2.COLOR_GRAY2RGB), np.uint8)
    for number, text in enumerate(made.texts, start=1):
        corners = np.array(text.polygon)
        before = contrast(made.image, made.ink, number, corners)
        # What was clear stays clear, and what was faint does not get fainter.
        least = max(min(before, _CLEAR), _KEPT * before if way == "window" else 0)
        if contrast(picture, made.ink, number, corners) < least:
            return made.image
    return picture

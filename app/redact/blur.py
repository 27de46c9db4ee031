"""A box that looks as if its text were out of focus, though nothing of the text is left in it.

A blurred or pixelated text can be read again by whoever tries all texts and compares (Hill et al. 2016, "On the
(In)effectiveness of Mosaicing and Blurring"), however strong the blur: a real one is a function of the text. So no
kernel is laid over the box. What is painted is what lies around the box, drawn on into it, and on it a cloud as dark as
the box was in the mean, in one of sixteen steps. Shape and grain of the cloud come from the place and size of the box
alone. What is left of the text is that step, at most four bits for each sample, the same whichever order its strokes
stand in: more than black leaves, which leaves nothing.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.geometry import Box

Samples = NDArray[np.generic]
Floats = NDArray[np.float64]
_STEPS = 16
"""Steps of mean ink that are told apart between black and white."""
_GRAIN = 0.3
"""Standard deviation of the cloud's grain, as a share of the height of the box."""
_CLOUDY = 0.25
"""Standard deviation of the cloud's darkness, as a share of its mean."""


def smear(plane: Samples, box: Box, own: NDArray[np.bool_], was: Samples, ends: tuple[Floats, Floats]) -> None:
    """Lay a cloud over a region that is already filled with what lies around it, in place.

    Args:
        plane: ``(H, W)`` or ``(H, W, S)``; values between two samples must have a meaning.
        box: where the region is; not empty.
        own: which pixels of ``box`` belong to it.
        was: what stood in ``box`` before it was filled; only its mean is used, in steps.
        ends: black and white, one value for each sample.
    """
    left, top, right, bottom = box
    part = plane[top:bottom, left:right]
    filled = part[own].reshape(-1, _samples(plane)).astype(np.float64)
    before = was[own].reshape(-1, _samples(plane)).astype(np.float64)
    low, high = (np.asarray(end, np.float64) for end in ends)
    # Colour differences (YBR) are grey in black and in white: they have the reach of the brightness.
    step = max(1e-9, float(np.abs(high - low).max())) / _STEPS
    ink = np.round((before - filled).mean(0) / step) * step
    shade = cloud(box, own)[own]
    made = filled + shade[:, None] * ink
    least, most = min(low.min(), high.min()), max(low.max(), high.max())
    # Around the box there may be values beyond the ends: they stay what they are.
    made = np.clip(made, np.minimum(least, filled), np.maximum(most, filled))
    whole = np.round(made).astype(part.dtype)
    part[own] = whole if part.ndim == 3 else whole[:, 0]


def cloud(box: Box, own: NDArray[np.bool_]) -> Floats:
    """How dark each pixel of a region is, ``(bottom - top, right - left)``: 1 in the mean, fading towards its edge.

    It depends on the place and the shape of the region alone.
    """
    left, top, right, bottom = box
    height, width = own.shape
    sigma = max(1.0, _GRAIN * min(height, width))
    room = int(np.ceil(3 * sigma))
    noise = np.random.default_rng([max(0, left), max(0, top), max(0, right), max(0, bottom)])
    wide = noise.standard_normal((height + 2 * room, width + 2 * room))
    grain = np.asarray(cv2.GaussianBlur(wide, (0, 0), sigma))[room:-room, room:-room]
    grain = (grain - grain.mean()) / max(1e-9, float(grain.std()))
    edge = cv2.GaussianBlur(np.pad(own.astype(np.float64), room), (0, 0), sigma / 2)[room:-room, room:-room]
    shade = np.clip(edge - 0.5, 0, None) * np.clip(1 + _CLOUDY * grain, 0, 2)
    mean = float(shade[own].mean())
    return np.asarray(shade / mean) if mean > 0 else np.ones_like(shade)


def _samples(plane: Samples) -> int:
    return plane.shape[2] if plane.ndim == 3 else 1

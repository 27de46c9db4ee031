"""Grey frames deeper than the screen, and the windows through which they are looked at. Nothing here is stored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Window:
    """A span of grey values: ``width`` (at least 1) around ``centre``, in units of the modality (Hounsfield on CT)."""

    width: float
    centre: float

    def __str__(self) -> str:
        """As radiology writes it, for example ``W 400 L 40``."""
        return f"W {self.width:.0f} L {self.centre:.0f}"


@dataclass(frozen=True, slots=True)
class GreyFrame:
    """One frame before any window: ``values`` are ``(H, W)`` float32 after the modality transform.

    ``inverted`` is True where the least value is white (MONOCHROME1). ``windows`` are the header's own, in its order.
    ``low`` and ``high`` are the ends of all values, ``usual`` those of nearly all (0.5 and 99.8 %).
    """

    values: NDArray[np.float32]
    inverted: bool
    windows: tuple[Window, ...]
    low: float
    high: float
    usual: tuple[float, float]


@dataclass(frozen=True, slots=True)
class FrameView:
    """A frame or page for people: ``image`` is ``(H, W, 3)`` uint8 RGB; ``grey`` None where there is nothing deeper."""

    image: NDArray[np.uint8]
    grey: GreyFrame | None = None


CT_WINDOWS = {
    "brain": Window(80, 40),
    "lung": Window(1500, -600),
    "bone": Window(1800, 400),
    "soft": Window(400, 40),
}
"""Usual windows on CT, in Hounsfield units: brain, lung, bone, soft tissue (mediastinum, abdomen)."""


def spanning(low: float, high: float) -> Window:
    """The window from ``low`` to ``high``."""
    return Window(max(high - low, 1.0), (low + high) / 2)


def start_window(frame: GreyFrame) -> Window:
    """What a frame is shown with before anybody changes it: the header's first window, else nearly all values."""
    return frame.windows[0] if frame.windows else spanning(*frame.usual)


def through(frame: GreyFrame, window: Window) -> NDArray[np.uint8]:
    """The frame through a window, ``(H, W)`` uint8: the linear function of PS3.3 C.11.2.1.2.1."""
    width = max(window.width, 1.0)
    # With a width of 1 the standard's formula is a step at centre - 0.5; half a unit stands for it here.
    scale = 255 / max(width - 1, 0.5)
    shades = (frame.values - np.float32(window.centre - 0.5)) * np.float32(scale)
    shades += np.float32(127.5)
    np.clip(shades, 0, 255, out=shades)
    picture = shades.astype(np.uint8)
    return np.asarray(255 - picture if frame.inverted else picture)

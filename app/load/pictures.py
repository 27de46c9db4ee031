"""Pictures of a frame: for the detectors, and for people."""

from __future__ import annotations

import cv2
import numpy as np
import pydicom
from numpy.typing import NDArray

from deidra.app.load.bits import SampleBits, bit_planes
from deidra.app.load.contrast import FrameView, GreyFrame, Window
from deidra.app.load.levels import Levels

_BRIGHT = 128


def renderings(dataset: pydicom.Dataset, values: NDArray[np.generic]) -> list[NDArray[np.uint8]]:
    """Pictures of one frame, ``(H, W, 3)`` RGB, in which text may show: one window hides what another shows.

    Colour images give one. Grey ones give the full range and one with local contrast (CLAHE), which
    lifts faint text out of its surroundings; deeper than 8 bits also the ranks of the grey levels, and
    the header's own window, where these look different. Where something stands in the bits around the
    samples, which would hide what stands in these, the samples are shown alone; a picture of all bits and
    one of each bit around them follow.
    """
    if values.ndim == 3:
        return [_to_bytes(values)]
    bits = SampleBits.of(dataset) if values.dtype.kind in "iu" else None
    hidden = bits.hidden(values) if bits else None
    if bits is None or hidden is None or not hidden.any():
        return _coloured(_grey_pictures(dataset, values))
    pictures = [*_grey_pictures(dataset, bits.own(values)), _whole_range(values), *bit_planes(hidden)]
    return _coloured(pictures)


def _coloured(pictures: list[NDArray[np.uint8]]) -> list[NDArray[np.uint8]]:
    return [np.repeat(picture[:, :, None], 3, axis=2) for picture in pictures]


def _grey_pictures(dataset: pydicom.Dataset, values: NDArray[np.generic]) -> list[NDArray[np.uint8]]:
    grey = values.astype(np.float32)
    # Dim 8-bit images (fewer bits in use, or one) are stretched as deeper ones are.
    bright = values.dtype == np.uint8 and int(values.max(initial=0)) >= _BRIGHT
    full = np.asarray(values, np.uint8) if bright else window(grey, *_ends(grey))
    pictures = [full, local_contrast(full)]
    if values.dtype != np.uint8:
        pictures += [p for p in (equalised(values), *_windowed(dataset, values)) if _differs(p, full)]
    return pictures


def _whole_range(values: NDArray[np.generic]) -> NDArray[np.uint8]:
    grey = values.astype(np.float32)
    return window(grey, *_ends(grey))


def _differs(picture: NDArray[np.uint8], full: NDArray[np.uint8]) -> bool:
    return float(np.abs(picture.astype(np.int16) - full).mean()) > 8


def local_contrast(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A grey picture with its contrast spread tile by tile (CLAHE)."""
    return np.asarray(cv2.createCLAHE(2.0, (8, 8)).apply(picture), np.uint8)


def equalised(values: NDArray[np.generic]) -> NDArray[np.uint8]:
    """Grey levels by rank: what differs by few of 65,536 levels shows, wherever on the scale it is."""
    if values.dtype in (np.uint8, np.uint16):
        # So few levels can be counted without sorting; the top one is in use.
        levels, counts = values, np.bincount(values.ravel())
    else:
        _, levels, counts = np.unique(values, return_inverse=True, return_counts=True)
    # The middle of a level's ranks: large even areas stay apart from what is written on them.
    ranks = np.cumsum(counts) - counts / 2
    shades = np.asarray(ranks / ranks[-1] * 255, dtype=np.uint8)
    return np.asarray(shades[levels.reshape(values.shape)])


def _windowed(dataset: pydicom.Dataset, values: NDArray[np.generic]) -> list[NDArray[np.uint8]]:
    """The picture through the header's own window, where it has one."""
    if "WindowWidth" not in dataset:
        return []
    return [np.ascontiguousarray(display_picture(dataset, values)[:, :, 0])]


def _ends(grey: NDArray[np.float32]) -> tuple[float, float]:
    return float(grey.min()), float(grey.max())


def display_picture(dataset: pydicom.Dataset, values: NDArray[np.generic]) -> NDArray[np.uint8]:
    """One frame as a person expects it: modality and VOI transforms applied, MONOCHROME1 turned."""
    return _to_bytes(values) if values.ndim == 3 else _shown(dataset, Levels(values), values.dtype == np.uint8)


def _shown(dataset: pydicom.Dataset, levels: Levels, is_whole: bool) -> NDArray[np.uint8]:
    """The picture of grey levels; ``is_whole`` says that all of them are shown where the header has no window."""
    shades = levels.shades(dataset, voi=True)
    if "WindowWidth" in dataset or "VOILUTSequence" in dataset or is_whole:
        low, high = levels.ends(shades)
    else:
        low, high = levels.most(shades)
    table = window(shades, low, high)
    if dataset.get("PhotometricInterpretation") == "MONOCHROME1":
        table = 255 - table
    return np.asarray(cv2.cvtColor(levels.picture(table), cv2.COLOR_GRAY2RGB), np.uint8)


def frame_view(dataset: pydicom.Dataset, values: NDArray[np.generic]) -> FrameView:
    """One frame as a person expects it, with what other windows of it are made of.

    There are none of colour, and of 8 bits, which show all they have.
    """
    if values.ndim == 3:
        return FrameView(_to_bytes(values))
    levels = Levels(values)
    picture = _shown(dataset, levels, values.dtype == np.uint8)
    return FrameView(picture, None if values.dtype == np.uint8 else _grey_frame(dataset, levels))


def _grey_frame(dataset: pydicom.Dataset, levels: Levels) -> GreyFrame:
    """A frame before its window."""
    shades = levels.shades(dataset, voi=False)
    return GreyFrame(
        levels.picture(shades),
        dataset.get("PhotometricInterpretation") == "MONOCHROME1",
        _header_windows(dataset),
        *levels.ends(shades),
        levels.most(shades),
    )


def _header_windows(dataset: pydicom.Dataset) -> tuple[Window, ...]:
    """The windows of Window Center and Window Width (0028,1050 and 1051), those that are no numbers left out."""
    found = []
    for centre, width in zip(_numbers(dataset, "WindowCenter"), _numbers(dataset, "WindowWidth"), strict=False):
        if np.isfinite(centre) and np.isfinite(width) and width >= 1:
            found.append(Window(width, centre))
    return tuple(found)


def _numbers(dataset: pydicom.Dataset, keyword: str) -> list[float]:
    value = dataset.get(keyword)
    try:
        return [float(part) for part in ([value] if isinstance(value, (str, int, float)) else value or [])]
    except (TypeError, ValueError):
        return []


def window(grey: NDArray[np.float32], low: float, high: float) -> NDArray[np.uint8]:
    """``grey`` with ``low`` and below as black and ``high`` and above as white."""
    span = max(high - low, 1e-6)
    return np.asarray(np.clip((grey - low) / span, 0, 1) * 255, dtype=np.uint8)


def _to_bytes(values: NDArray[np.generic]) -> NDArray[np.uint8]:
    colour = values[:, :, :3]
    if colour.dtype == np.uint8:
        return np.ascontiguousarray(colour, dtype=np.uint8)
    floats = colour.astype(np.float64)
    top = max(float(floats.max()), 1.0)
    return np.asarray(floats / top * 255, dtype=np.uint8)

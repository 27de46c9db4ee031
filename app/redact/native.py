"""Covering regions in uncompressed pixel data, and clearing what hides in its spare bits and behind its end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import FileDataset
from pydicom.pixels.utils import get_expected_length

from deidra.app.decide.policy import Fill, RedactSection
from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import Box
from deidra.app.load.dicom import frame_count, is_encapsulated, whole_number
from deidra.app.load.frames import Frames
from deidra.app.redact.description import follow_pixels
from deidra.app.redact.paint import Palette, Region, Samples, cover_all, marked_frames, regions_of
from deidra.app.redact.palette import palette_of
from deidra.app.redact.plan import Mark
from deidra.app.redact.written import Way, Written

_AROUND = 8
"""Pixels beside a box of a 4:2:2 plane that it may be filled from."""


def redact_native(dataset: FileDataset, marks: Sequence[Mark], settings: RedactSection) -> Written:
    """Cover marks in native pixel data: same syntax, planes and bits.

    Raises:
        InputError: the image's description is incomplete or contradicts itself.
    """
    Frames(dataset)  # checks description and length
    interpretation = str(dataset.PhotometricInterpretation)
    samples = whole_number(dataset, "SamplesPerPixel", 1)
    if samples != (1 if interpretation.startswith(("MONO", "PALETTE")) else 3):
        raise InputError("The image's description contradicts itself (samples and colours).", "Export it again.")
    frames, rows, columns = frame_count(dataset), int(dataset.Rows), int(dataset.Columns)
    paired = interpretation == "YBR_FULL_422"
    planar = not paired and samples > 1 and whole_number(dataset, "PlanarConfiguration", 0) == 1
    shape: tuple[int, ...] = (frames, samples, rows, columns) if planar else (frames, rows, columns, samples)
    if paired:
        shape = (frames, rows, columns // 2, 4)
    dtype = _dtype(dataset)
    data = bytearray(dataset.PixelData)
    swapped = _has_swapped_bytes(dataset)
    if swapped:
        _swap(data)
    planes = np.frombuffer(data, dtype, int(np.prod(shape))).reshape(shape)
    palette = palette_of(dataset, interpretation, dtype, lambda: (float(planes.min()), float(planes.max())))
    for index in marked_frames(marks, frames):
        regions = regions_of(marks, index, columns, rows, settings)
        if paired:
            for region, text in regions:
                _cover_pairs(planes[index], region.box, region.fill or settings.fill, palette, text)
        else:
            plane = np.moveaxis(planes[index], 0, -1) if planar else planes[index]
            cover_all(plane, regions, settings.fill, palette)
    extent = (float(planes.min()), float(planes.max())) if samples == 1 else None
    length = planes.nbytes
    if swapped:
        _swap(data)
        length += length % 2  # the last sample stands in the second byte of its word
    dataset.PixelData = bytes(data[:length]) + b"\0" * (length % 2)
    follow_pixels(dataset, extent)
    return Written(Way.NATIVE)


def _cover_pairs(plane: Samples, box: Box, fill: Fill, palette: Palette, text: str | None) -> None:
    """Cover a box of a 4:2:2 plane ``(H, W / 2, 4)``: Y1 Y2 Cb Cr, where two pixels share their colour.

    The box grows to whole pairs (PS3.3 C.7.6.3.1.2).
    """
    left, top, right, bottom = box
    first, last = left // 2, (right + 1) // 2
    # With what is around, for fills that look there.
    x, y = max(0, first - _AROUND // 2), max(0, top - _AROUND)
    pairs = plane[y : bottom + _AROUND, x : last + _AROUND // 2]
    full = np.repeat(pairs[:, :, 1:], 2, axis=1)
    full[:, :, 0] = pairs[:, :, :2].reshape(pairs.shape[0], -1)
    inner = (2 * (first - x), top - y, 2 * (last - x), bottom - y)
    cover_all(full, [(Region(inner), text)], fill, palette)
    own, new = plane[top:bottom, first:last], full[inner[1] : inner[3], inner[0] : inner[2]]
    own[:, :, :2] = new[:, :, 0].reshape(*own.shape[:2], 2)
    own[:, :, 2:] = new[:, ::2, 1:]


def _dtype(dataset: FileDataset) -> np.dtype[np.generic]:
    bits = whole_number(dataset, "BitsAllocated", 0)
    if bits not in (8, 16, 32, 64):
        raise InputError(f"Pixels of {bits} bits cannot be redacted.")
    little = dataset.original_encoding[1] is not False
    kind = "i" if whole_number(dataset, "PixelRepresentation", 0) == 1 else "u"
    return np.dtype(f"{'<' if little or bits == 8 else '>'}{kind}{bits // 8}")


def _has_swapped_bytes(dataset: FileDataset) -> bool:
    """True for bytes that stand in big-endian words (PS3.5 D.2)."""
    big = dataset.original_encoding[1] is False
    return big and int(dataset.BitsAllocated) == 8 and str(dataset["PixelData"].VR) == "OW"


def _swap(data: bytearray) -> None:
    even = len(data) // 2 * 2
    data[0:even:2], data[1:even:2] = data[1:even:2], data[0:even:2]


def clear_high_bits(dataset: FileDataset) -> bool:
    """Zero native sample bits that are no part of the values, where old files keep overlay planes (PS3.5 8.1.1).

    Returns:
        True when something was cleared.
    """
    if not dataset.get("PixelData") or is_encapsulated(dataset):
        return False
    bits, stored = whole_number(dataset, "BitsAllocated", 8), whole_number(dataset, "BitsStored", 8)
    lowest = whole_number(dataset, "HighBit", stored - 1) + 1 - stored
    if bits not in (8, 16, 32) or stored >= bits or lowest < 0 or lowest + stored > bits:
        return False
    little = dataset.original_encoding[1] is not False
    size = bits // 8
    data = bytes(dataset.PixelData)
    whole = len(data) // size * size
    samples = np.frombuffer(data[:whole], f"{'<' if little else '>'}u{size}")
    mask = ((1 << stored) - 1) << lowest
    clean: NDArray[np.generic] = samples & mask
    if whole_number(dataset, "PixelRepresentation", 0) == 1 and lowest == 0:
        sign = np.asarray(1 << (stored - 1), dtype=samples.dtype)
        clean = np.where(samples & sign, clean | np.asarray(((1 << bits) - 1) ^ mask, samples.dtype), clean)
    if np.array_equal(clean, samples):
        return False
    dataset.PixelData = clean.astype(samples.dtype).tobytes() + data[whole:]
    return True


def drop_surplus(dataset: FileDataset) -> bool:
    """Cut off native bytes behind the last frame, unless they are zero: nobody sees or searches them.

    Returns:
        True when something was cut off.
    """
    if not dataset.get("PixelData") or is_encapsulated(dataset):
        return False
    try:
        expected = int(get_expected_length(dataset))
    except (AttributeError, TypeError, KeyError, ValueError):
        return False
    data = bytes(dataset.PixelData)
    if not data[expected:].strip(b"\0"):
        return False
    dataset.PixelData = data[:expected] + b"\0" * (expected % 2)
    return True

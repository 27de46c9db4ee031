"""Covering regions in DICOM pixel data: stored values are overwritten, all others stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pydicom
from numpy.typing import NDArray
from pydicom.dataset import FileDataset
from pydicom.pixels.processing import apply_color_lut
from pydicom.pixels.utils import get_expected_length
from pydicom.uid import ExplicitVRLittleEndian, JPEG2000Lossless, JPEGLSLossless, RLELossless

from deidra.app.decide.policy import Fill, RedactSection
from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import Box
from deidra.app.load.dicom import Frames, is_encapsulated, transfer_syntax, whole_number
from deidra.app.redact.paint import Palette, Region, cover
from deidra.app.redact.plan import Mark

_REENCODED = (RLELossless, JPEG2000Lossless, JPEGLSLossless)
"""Lossless syntaxes that are written again as they were; other compressed ones become native."""


def redact_pixels(dataset: FileDataset, marks: Sequence[Mark], settings: RedactSection) -> str:
    """Cover marks in the pixel data, in place.

    Native data is changed where it stands: same syntax, planes and bits. RLE, JPEG-LS and JPEG 2000
    lossless are decoded and encoded again without loss. Other compressed data is stored native, so
    that it loses nothing more.

    Args:
        dataset: a parsed file with pixel data.
        marks: polygons in stored pixel coordinates, with frame numbers from 0.
        settings: fill and padding.

    Returns:
        How the pixels were written: ``unchanged``, ``native``, ``re-encoded`` or ``decompressed``.

    Raises:
        InputError: the pixels cannot be decoded or encoded.
    """
    if not marks or "PixelData" not in dataset:
        return "unchanged"
    return (
        _redact_encapsulated(dataset, marks, settings)
        if is_encapsulated(dataset)
        else _redact_native(dataset, marks, settings)
    )


def regions_of(
    marks: Sequence[Mark], frame: int, width: int, height: int, settings: RedactSection
) -> list[tuple[Region, str | None]]:
    """Padded regions of the marks on one frame, with the text to write into them."""
    own = [mark for mark in marks if mark.frame is None or mark.frame == frame]
    regions = [Region.of(mark.polygon, width, height, settings) for mark in own]
    # Text is written level, so it needs the whole box.
    return [(Region(r.box) if mark.text else r, mark.text) for r, mark in zip(regions, own, strict=True)]


def _redact_native(dataset: FileDataset, marks: Sequence[Mark], settings: RedactSection) -> str:
    Frames(dataset)  # checks description and length
    expected = 1 if str(dataset.PhotometricInterpretation).startswith(("MONO", "PALETTE")) else 3
    if whole_number(dataset, "SamplesPerPixel", 1) != expected:
        raise InputError("The image's description contradicts itself (samples and colours).", "Export it again.")
    frames = max(1, whole_number(dataset, "NumberOfFrames", 1))
    rows, columns = int(dataset.Rows), int(dataset.Columns)
    samples = whole_number(dataset, "SamplesPerPixel", 1)
    if str(dataset.PhotometricInterpretation) == "YBR_FULL_422":
        planes = _native_array(dataset, (frames, rows, columns // 2, 4))
        for index in range(frames):
            for region, text in regions_of(marks, index, columns, rows, settings):
                _cover_pairs(planes[index], region.box, settings.fill, _palette(dataset, planes), text)
    else:
        planar = samples > 1 and whole_number(dataset, "PlanarConfiguration", 0) == 1
        shape = (frames, samples, rows, columns) if planar else (frames, rows, columns, samples)
        planes = _native_array(dataset, shape)
        palette = _palette(dataset, planes)
        for index in range(frames):
            plane = np.moveaxis(planes[index], 0, -1) if planar else planes[index]
            for region, text in regions_of(marks, index, columns, rows, settings):
                cover(plane, region, settings.fill, palette, text)
    data = planes.tobytes()
    dataset.PixelData = data + b"\0" * (len(data) % 2)
    return "native"


def _cover_pairs(plane: NDArray[np.generic], box: Box, fill: Fill, palette: Palette, text: str | None) -> None:
    """Cover a box of a 4:2:2 plane ``(H, W / 2, 4)``: Y1 Y2 Cb Cr, where two pixels share their colour.

    The box grows to whole pairs (PS3.3 C.7.6.3.1.2).
    """
    left, top, right, bottom = box
    first, last = left // 2, (right + 1) // 2
    pairs = plane[top:bottom, first:last]
    full = np.repeat(pairs[:, :, 1:], 2, axis=1)
    full[:, :, 0] = pairs[:, :, :2].reshape(pairs.shape[0], -1)
    cover(full, Region((0, 0, full.shape[1], full.shape[0])), fill, palette, text)
    pairs[:, :, :2] = full[:, :, 0].reshape(*pairs.shape[:2], 2)
    pairs[:, :, 2:] = full[:, ::2, 1:]


def _native_array(dataset: FileDataset, shape: tuple[int, ...]) -> NDArray[np.generic]:
    bits = int(dataset.BitsAllocated)
    if bits not in (8, 16, 32, 64):
        raise InputError(f"Pixels of {bits} bits cannot be redacted.")
    little = dataset.original_encoding[1] is not False
    kind = "i" if whole_number(dataset, "PixelRepresentation", 0) == 1 else "u"
    dtype = np.dtype(f"{'<' if little or bits == 8 else '>'}{kind}{bits // 8}")
    count = int(np.prod(shape))
    return np.frombuffer(dataset.PixelData, dtype, count).reshape(shape).copy()


def _redact_encapsulated(dataset: FileDataset, marks: Sequence[Mark], settings: RedactSection) -> str:
    frames = Frames(dataset)
    decoded = np.stack([frames.stored(index) for index in range(frames.count)])
    colour = decoded.ndim == 4
    if colour:
        dataset.PhotometricInterpretation = "RGB"
        dataset.PlanarConfiguration = 0
    palette = _palette(dataset, decoded)
    for index in range(frames.count):
        for region, text in regions_of(marks, index, decoded.shape[2], decoded.shape[1], settings):
            cover(decoded[index], region, settings.fill, palette, text)
    syntax = transfer_syntax(dataset)
    values = decoded if frames.count > 1 else decoded[0]
    bits = decoded.dtype.itemsize * 8
    if bits != int(dataset.BitsAllocated):
        dataset.BitsAllocated = bits
    _store_native(dataset, values)
    if syntax not in _REENCODED:
        return "decompressed"
    # Instances are told apart by their own UID, which the header engine has set already.
    try:
        dataset.compress(syntax, generate_instance_uid=False)
    except (RuntimeError, ValueError, NotImplementedError, AttributeError, TypeError):
        # Staying native is lossless as well, and a valid file.
        _store_native(dataset, values)
        return "decompressed"
    return "re-encoded"


def _store_native(dataset: FileDataset, values: NDArray[np.generic]) -> None:
    data = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes()
    dataset.PixelData = data + b"\0" * (len(data) % 2)
    dataset["PixelData"].VR = "OB" if values.dtype.itemsize == 1 else "OW"
    dataset["PixelData"].is_undefined_length = False
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    for keyword in ("ExtendedOffsetTable", "ExtendedOffsetTableLengths"):
        if keyword in dataset:
            delattr(dataset, keyword)


def _palette(dataset: pydicom.Dataset, values: NDArray[np.generic]) -> Palette:
    """Stored values that look black and white in this image."""
    interpretation = str(dataset.get("PhotometricInterpretation", "MONOCHROME2"))
    top = float(2 ** whole_number(dataset, "BitsStored", 8) - 1)
    if interpretation == "RGB":
        return Palette((0, 0, 0), (top, top, top))
    if interpretation.startswith("YBR"):
        middle = (top + 1) / 2
        return Palette((0, middle, middle), (top, middle, middle))
    if interpretation == "PALETTE COLOR":
        return _lut_palette(dataset, values)
    # The image's own range: a value outside it would change how viewers window the whole image.
    low, high = float(values.min()), float(values.max())
    return Palette((high,), (low,)) if interpretation == "MONOCHROME1" else Palette((low,), (high,))


def _lut_palette(dataset: pydicom.Dataset, values: NDArray[np.generic]) -> Palette:
    """Of the indices that the image uses and the table covers, the darkest and the brightest."""
    try:
        entries, first, _ = (int(v) for v in dataset.RedPaletteColorLookupTableDescriptor)
        indices = np.arange(first, first + (entries or 65536)).astype(values.dtype)
        colours = apply_color_lut(indices.reshape(1, -1), dataset).astype(np.float64).sum(-1)[0]
    except (AttributeError, KeyError, ValueError, IndexError, TypeError) as error:
        raise InputError("The image's colour table is damaged.", "Export it again.") from error
    return Palette((float(indices[colours.argmin()]),), (float(indices[colours.argmax()]),))


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
    clean = samples & mask
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

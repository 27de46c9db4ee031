"""The header's description of the pixels, after they were changed (PS3.3 C.7.6.3, C.7.6.1.1.5)."""

from __future__ import annotations

import pydicom
from pydicom.dataset import FileDataset
from pydicom.multival import MultiValue
from pydicom.uid import (
    HTJ2K,
    JPEG2000,
    JPEGBaseline8Bit,
    JPEGExtended12Bit,
    JPEGLSNearLossless,
)

from deidra.app.load.dicom import frame_count, whole_number
from deidra.app.redact.palette import Extent

JPEG_PROGRESSIVE = ("1.2.840.10008.1.2.4.53", "1.2.840.10008.1.2.4.55")
"""Retired: spectral selection, full progression."""
LOSSY_JPEG = (str(JPEGBaseline8Bit), str(JPEGExtended12Bit), *JPEG_PROGRESSIVE)
"""Transfer syntaxes whose streams hold quantised DCT coefficients."""
_METHODS = {
    **dict.fromkeys(LOSSY_JPEG, "ISO_10918_1"),
    str(JPEGLSNearLossless): "ISO_14495_1",
    str(JPEG2000): "ISO_15444_1",
    str(HTJ2K): "ISO_15444_15",
    **{f"1.2.840.10008.1.2.4.{n}{part}": "ISO_13818_2" for n in (100, 101) for part in ("", ".1")},
    **{f"1.2.840.10008.1.2.4.{n}{part}": "ISO_14496_10" for n in range(102, 107) for part in ("", ".1")},
    **{f"1.2.840.10008.1.2.4.{n}": "ISO_23008_2" for n in (107, 108)},
}


def follow_pixels(dataset: FileDataset, extent: Extent | None) -> None:
    """Make what the header says of the values fit changed pixels.

    The icon shows the picture before it was covered and goes. The smallest and largest values are set
    where they are known and go otherwise. Padding values have a meaning in grey images only.

    Args:
        dataset: the file, its pixels written.
        extent: smallest and largest value of all frames.
    """
    if "IconImageSequence" in dataset:
        del dataset.IconImageSequence
    _set_extreme(dataset, "SmallestImagePixelValue", extent and extent[0])
    _set_extreme(dataset, "LargestImagePixelValue", extent and extent[1])
    if whole_number(dataset, "SamplesPerPixel", 1) > 1:
        for keyword in ("PixelPaddingValue", "PixelPaddingRangeLimit"):
            if keyword in dataset:
                delattr(dataset, keyword)


def _set_extreme(dataset: FileDataset, keyword: str, value: float | None) -> None:
    if keyword not in dataset:
        return
    signed = whole_number(dataset, "PixelRepresentation", 0) == 1
    least, most = (-(2**15), 2**15 - 1) if signed else (0, 2**16 - 1)
    if value is None or not least <= value <= most:
        delattr(dataset, keyword)
        return
    tag = dataset[keyword].tag
    del dataset[tag]
    dataset.add_new(tag, "SS" if signed else "US", int(value))


def describe_samples(dataset: FileDataset, interpretation: str, itemsize: int, extent: Extent) -> None:
    """Say what the samples of pixels are that were decoded and stored in another way.

    Lossy compression overshoots, so that values can need more bits than were declared.
    """
    dataset.PhotometricInterpretation = interpretation
    if whole_number(dataset, "SamplesPerPixel", 1) > 1:
        dataset.PlanarConfiguration = 0
    dataset.BitsAllocated = itemsize * 8
    stored = whole_number(dataset, "BitsStored", itemsize * 8)
    signed = whole_number(dataset, "PixelRepresentation", 0) == 1
    least, most = (-(2 ** (stored - 1)), 2 ** (stored - 1) - 1) if signed else (0, 2**stored - 1)
    if extent[0] < least or extent[1] > most:
        dataset.BitsStored = itemsize * 8
        dataset.HighBit = itemsize * 8 - 1


def keep_lossy_flag(dataset: FileDataset, syntax: str, streams_length: int) -> None:
    """What was compressed with loss once stays marked so, with method and ratio, however it is stored now.

    Args:
        dataset: the file, described as before.
        syntax: the transfer syntax that its pixels came in.
        streams_length: bytes of the compressed streams.
    """
    method = _METHODS.get(syntax)
    if method is None:
        return
    dataset.LossyImageCompression = "01"
    if _count(dataset, "LossyImageCompressionMethod") == 0:
        dataset.LossyImageCompressionMethod = method
    if _count(dataset, "LossyImageCompressionRatio") != _count(dataset, "LossyImageCompressionMethod"):
        # Of one step it can be told; ratios of earlier ones are not known.
        if _count(dataset, "LossyImageCompressionMethod") == 1:
            dataset.LossyImageCompressionRatio = f"{max(1.0, _native_length(dataset) / max(1, streams_length)):.2f}"
        elif "LossyImageCompressionRatio" in dataset:
            del dataset.LossyImageCompressionRatio


def _count(dataset: pydicom.Dataset, keyword: str) -> int:
    value = dataset.get(keyword)
    if value is None or value == "":
        return 0
    return len(value) if isinstance(value, MultiValue | list) else 1


def _native_length(dataset: pydicom.Dataset) -> int:
    samples = whole_number(dataset, "SamplesPerPixel", 1) * (whole_number(dataset, "BitsAllocated", 8) // 8)
    return frame_count(dataset) * int(dataset.Rows) * int(dataset.Columns) * samples

"""JPEG variants that pydicom's permissive plugins do not decode: lossless, 12 bits, JPEG XL."""

from __future__ import annotations

import imagecodecs
import numpy as np
import pydicom
from numpy.typing import NDArray
from pydicom.encaps import generate_fragments, get_frame
from pydicom.pixels.processing import convert_color_space

_JPEG = {f"1.2.840.10008.1.2.4.{n}" for n in (51, 52, 53, 55, 57, 70)}
_ADOBE = b"\xff\xee\x00\x0eAdobe"
_JPEG_XL = {f"1.2.840.10008.1.2.4.{n}" for n in (110, 111, 112)}
IMAGECODECS_SYNTAXES = frozenset(_JPEG | _JPEG_XL)
"""Transfer syntax UIDs that :func:`decode_with_imagecodecs` is used for."""


def decode_with_imagecodecs(dataset: pydicom.Dataset, index: int, raw: bool = False) -> NDArray[np.generic]:
    """Frame ``index`` (from 0) as stored values, colour as RGB, or with ``raw`` as the header says.

    Raises:
        RuntimeError, ValueError: the stream is damaged (imagecodecs' errors derive from RuntimeError).
    """
    frames = int(dataset.get("NumberOfFrames") or 1)
    stream = get_frame(dataset.PixelData, index, number_of_frames=frames)
    if dataset.file_meta.TransferSyntaxUID in _JPEG_XL:
        values = imagecodecs.jpegxl_decode(stream)
    elif dataset.SamplesPerPixel == 1:
        values = imagecodecs.jpeg8_decode(stream)
    else:
        # Same colour space in and out: the header, not a guess from markers, says what the values are.
        values = imagecodecs.jpeg8_decode(stream, colorspace="RGB", outcolorspace="RGB")
        if str(dataset.PhotometricInterpretation).startswith("YBR") and not raw:
            values = convert_color_space(values, "YBR_FULL", "RGB")
    if dataset.get("PixelRepresentation") == 1:
        values = _signed(values, int(dataset.BitsStored))
    return values


def is_adobe_ycc(dataset: pydicom.Dataset, index: int) -> bool:
    """True when an Adobe marker says that the components of frame ``index`` are YCbCr."""
    if dataset.get("SamplesPerPixel") != 3 or not str(dataset.get("PhotometricInterpretation")).startswith("YBR"):
        return False
    stream = get_frame(dataset.PixelData, index, number_of_frames=int(dataset.get("NumberOfFrames") or 1))
    at = stream.find(_ADOBE)
    return at >= 0 and stream[at + 15 : at + 16] == b"\1"


def _signed(values: NDArray[np.generic], bits: int) -> NDArray[np.generic]:
    """Two's complement of ``bits`` bits: the decoder does not know that samples are signed."""
    width = values.dtype.itemsize * 8
    signed = values.astype(np.dtype(f"i{values.dtype.itemsize}"))
    return np.asarray(np.left_shift(signed, width - bits) >> (width - bits))


def more_frames_than_declared(dataset: pydicom.Dataset, count: int) -> bool:
    """True when compressed pixel data holds more pictures than NumberOfFrames says: those would never be searched.

    A picture may be cut into several fragments (PS3.5 A.4), but each starts with its own marker.
    """
    try:
        starts = [bytes(fragment[:2]) for fragment in generate_fragments(dataset.PixelData)]
    except (ValueError, TypeError, EOFError):
        return False  # no encapsulation at all: decoding will say so
    pictures = sum(start in _PICTURE_STARTS for start in starts)
    return pictures > count


_PICTURE_STARTS = (b"\xff\xd8", b"\xff\x4f", b"\xff\x0a")
"""Start of a JPEG, JPEG-LS, JPEG 2000 and JPEG XL codestream."""

"""Encoding the picture of a page as small as its content allows: two values, grey or colour.

A page of two values is stored as Group 4 fax (ITU-T T.6), one of few colours without loss, a photograph as JPEG.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, TiffImagePlugin

_FLAT_COLOURS = 4096
"""Pages with fewer colours than this are text and lines: stored without loss they are also smaller."""
_JPEG_QUALITY = 90
_DARK = 40
"""Black in a rendered page is at most this bright."""
_ONE_STRIP, _STRIP_OFFSETS, _STRIP_SIZES = 278, 273, 279
"""Tags of TIFF 6.0: RowsPerStrip, StripOffsets, StripByteCounts."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A picture as a stream of a PDF. ``filter`` is its name there (ISO 32000-1, 7.4), ``bits`` are those of a sample.

    ``channels`` is 1 or 3. In a fax stream black and white are swapped, as Pillow writes them.
    """

    data: bytes
    filter: str
    width: int
    height: int
    channels: int
    bits: int


def simplest(page: NDArray[np.uint8]) -> Image.Image:
    """A page ``(H, W, 3)`` as a picture of mode "1" where it is black and white, "L" where it is grey, else "RGB"."""
    if not (np.array_equal(page[:, :, 0], page[:, :, 1]) and np.array_equal(page[:, :, 1], page[:, :, 2])):
        return Image.fromarray(page)
    grey = np.ascontiguousarray(page[:, :, 0])
    picture = Image.fromarray(grey)
    return picture.convert("1", dither=Image.Dither.NONE) if bool(((grey == 0) | (grey == 255)).all()) else picture


def sharpened(page: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A page that was scanned in black and white as it was scanned, without the greys of rendering.

    A page on which black is shown as a colour or as grey stays as it is.
    """
    grey = page[:, :, 0]
    if not (np.array_equal(grey, page[:, :, 1]) and np.array_equal(grey, page[:, :, 2])):
        return page
    if grey.min() > _DARK:
        return page
    return np.repeat(np.where(grey > 127, 255, 0).astype(np.uint8)[:, :, None], 3, axis=2)


def encoded(page: NDArray[np.uint8]) -> Encoded:
    """A page ``(H, W, 3)`` RGB as a stream of a PDF."""
    picture = simplest(page)
    if picture.mode == "1":
        return Encoded(_group4(picture), "CCITTFaxDecode", *picture.size, 1, 1)
    channels = len(picture.getbands())
    stream = io.BytesIO()
    if picture.getcolors(_FLAT_COLOURS) is not None:
        picture.save(stream, "PNG")
        return Encoded(_chunks(stream.getvalue()), "FlateDecode", *picture.size, channels, 8)
    picture.save(stream, "JPEG", quality=_JPEG_QUALITY)
    return Encoded(stream.getvalue(), "DCTDecode", *picture.size, channels, 8)


def _group4(picture: Image.Image) -> bytes:
    """The bare stream of Group 4 fax: a TIFF of one strip without its frame."""
    stream = io.BytesIO()
    picture.save(stream, "TIFF", compression="group4", tiffinfo={_ONE_STRIP: picture.height})
    data = stream.getvalue()
    with Image.open(io.BytesIO(data)) as written:
        if not isinstance(written, TiffImagePlugin.TiffImageFile):
            raise TypeError("not a TIFF")
        (start,), (size,) = written.tag_v2[_STRIP_OFFSETS], written.tag_v2[_STRIP_SIZES]
    return data[start : start + size]


def _chunks(png: bytes) -> bytes:
    """The compressed rows of a PNG, which are those of a PDF with predictor 15 (ISO 32000-1, 7.4.4.4)."""
    found, place = [], 8
    while place < len(png):
        (length,) = struct.unpack_from(">I", png, place)
        if png[place + 4 : place + 8] == b"IDAT":
            found.append(png[place + 8 : place + 8 + length])
        place += length + 12
    return b"".join(found)

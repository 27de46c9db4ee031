"""Single frames decoded and encoded, as the header of their file describes them."""

from __future__ import annotations

import struct
import warnings

import imagecodecs
import numpy as np
import pydicom
from numpy.typing import NDArray
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.pixels.encoders.base import get_encoder
from pydicom.uid import (
    HTJ2K,
    JPEG2000,
    UID,
    HTJ2KLossless,
    HTJ2KLosslessRPCL,
    JPEG2000Lossless,
    JPEGLossless,
    JPEGLosslessSV1,
    JPEGLSLossless,
    RLELossless,
)

from deidra.app.domain.errors import InputError
from deidra.app.load.dicom import whole_number
from deidra.app.load.frames import Frames
from deidra.app.redact.codestream import jpeg_segments
from deidra.app.redact.jpeg_header import JpegHeader, NotReadable
from deidra.app.redact.precision import stream_precision

Samples = NDArray[np.generic]
LOSSLESS = tuple(
    str(uid)
    for uid in (
        RLELossless,
        JPEGLSLossless,
        JPEG2000Lossless,
        HTJ2KLossless,
        HTJ2KLosslessRPCL,
        JPEGLossless,
        JPEGLosslessSV1,
    )
)
"""Transfer syntaxes that can be written without loss."""
JPEG2000_FAMILY = tuple(str(uid) for uid in (JPEG2000Lossless, JPEG2000, HTJ2KLossless, HTJ2KLosslessRPCL, HTJ2K))
_LOSSLESS_JPEG = (str(JPEGLossless), str(JPEGLosslessSV1))
_HTJ2K = (str(HTJ2KLossless), str(HTJ2KLosslessRPCL))
_TRANSFORMED = ("YBR_RCT", "YBR_ICT")
"""Colours that a JPEG 2000 stream transforms by itself; decoders give RGB (PS3.5 8.2.4)."""
_ADOBE = 0xEE
_DESCRIPTION = (
    "Rows",
    "Columns",
    "SamplesPerPixel",
    "PhotometricInterpretation",
    "PlanarConfiguration",
    "BitsAllocated",
    "BitsStored",
    "HighBit",
    "PixelRepresentation",
)


class CannotEncode(Exception):
    """A frame cannot be written in a transfer syntax, or does not come back as it was."""


class Codec:
    """Frames of one file.

    Args:
        dataset: the file, with its description complete.
        syntax: transfer syntax of its streams.
    """

    def __init__(self, dataset: pydicom.Dataset, syntax: str) -> None:
        self._head = {key: dataset.get(key) for key in _DESCRIPTION if dataset.get(key) is not None}
        self._syntax = syntax
        self.samples = whole_number(dataset, "SamplesPerPixel", 1)

    @property
    def interpretation(self) -> str:
        """What the samples mean that :meth:`raw` gives."""
        said = str(self._head.get("PhotometricInterpretation", "MONOCHROME2"))
        return "RGB" if said in _TRANSFORMED and self._syntax in JPEG2000_FAMILY else said

    def raw(self, stream: bytes) -> Samples:
        """A frame in the colour space of :attr:`interpretation`, ``(H, W)`` or ``(H, W, S)``, to be written on.

        Raises:
            InputError: it cannot be decoded.
        """
        return np.array(self._frames(stream, self._syntax, self._head).raw(0))

    def words(self, stream: bytes) -> Samples:
        """A frame as :meth:`raw` gives it, but with all bits of its words, also those that are no part of a sample.

        Raises:
            InputError: it cannot be decoded.
        """
        allocated = int(str(self._head.get("BitsAllocated", 8)))
        # As if samples filled their words: decoders then neither drop bits nor overwrite them with the sign.
        full = {"BitsStored": allocated, "HighBit": allocated - 1, "PixelRepresentation": 0}
        words = np.array(self._frames(stream, self._syntax, {**self._head, **full}).raw(0))
        if self._head.get("PixelRepresentation") != 1:
            return words
        unused = 8 * words.dtype.itemsize - min(
            stream_precision(stream, self._syntax) or allocated, 8 * words.dtype.itemsize
        )
        signed = words.view(np.dtype(f"i{words.dtype.itemsize}"))
        return np.asarray(np.left_shift(signed, unused) >> unused)

    def rgb(self, stream: bytes) -> Samples:
        """A frame with its colours as RGB, ``(H, W)`` or ``(H, W, 3)``, to be written on.

        Raises:
            InputError: it cannot be decoded.
        """
        return np.array(self._frames(stream, self._syntax, self._head).stored(0))

    def encode(self, values: Samples, syntax: str, interpretation: str, like: bytes = b"") -> bytes:
        """A frame as a stream of a lossless syntax that decodes to the same values.

        Args:
            values: as :meth:`raw` gives them, or RGB.
            syntax: one of :data:`LOSSLESS`.
            interpretation: what the header will say of the samples.
            like: a stream of this file in the same syntax, whose precision is kept.

        Raises:
            CannotEncode: no encoder takes the values, or they come back changed.
        """
        head = {
            **self._head,
            "PhotometricInterpretation": interpretation,
            "BitsAllocated": values.dtype.itemsize * 8,
            "PixelRepresentation": int(values.dtype.kind == "i"),
        }
        stored, most = int(head["BitsStored"]), values.dtype.itemsize * 8
        # Some files hold more bits than they declare.
        for bits in sorted({min(stored, most), most}):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    stream = self._encoded(values, syntax, interpretation, bits, like)
                    back = self._frames(stream, syntax, head).raw(0)
            except (RuntimeError, ValueError, NotImplementedError, AttributeError, TypeError, NotReadable, InputError):
                continue
            if back.shape == values.shape and np.array_equal(back, values):
                return stream
        raise CannotEncode

    def _frames(self, stream: bytes, syntax: str, head: dict[str, object]) -> Frames:
        single = FileDataset("", {}, file_meta=FileMetaDataset())
        single.file_meta.TransferSyntaxUID = UID(syntax)
        for keyword, value in head.items():
            setattr(single, keyword, value)
        single.PixelData = encapsulate([stream])
        single["PixelData"].is_undefined_length = True
        return Frames(single)

    def _encoded(self, values: Samples, syntax: str, interpretation: str, bits: int, like: bytes) -> bytes:
        if syntax in _LOSSLESS_JPEG:
            return _lossless_jpeg(values, interpretation, JpegHeader.of(like).precision if like else bits)
        if syntax in _HTJ2K:
            return _htj2k(values, interpretation in _TRANSFORMED, bits)
        if syntax == JPEG2000Lossless:
            return _jpeg2000(values, interpretation in _TRANSFORMED, bits)
        options = {
            "rows": values.shape[0],
            "columns": values.shape[1],
            "number_of_frames": 1,
            "samples_per_pixel": self.samples,
            "bits_allocated": values.dtype.itemsize * 8,
            "bits_stored": bits,
            "pixel_representation": int(values.dtype.kind == "i"),
            "photometric_interpretation": interpretation,
        }
        if self.samples > 1:
            options["planar_configuration"] = 0
        return bytes(get_encoder(syntax).encode(np.ascontiguousarray(values), **options))


def _lossless_jpeg(values: Samples, interpretation: str, bits: int) -> bytes:
    """JPEG process 14 with first-order prediction, legal as .57 and .70; signed samples as two's complement."""
    unsigned = values.view(np.dtype(f"u{values.dtype.itemsize}"))
    mask = (1 << bits) - 1
    container = np.uint8 if bits <= 8 else np.uint16
    words = np.ascontiguousarray(unsigned & np.asarray(mask, unsigned.dtype)).astype(container)
    # Same colour space in and out: nothing is converted.
    space = None if values.ndim == 2 else "RGB"
    stream = bytes(
        imagecodecs.jpeg8_encode(
            words, lossless=True, predictor=1, bitspersample=bits, colorspace=space, outcolorspace=space
        )
    )
    return _as_ycbcr(stream) if interpretation.startswith("YBR") else stream


def _as_ycbcr(stream: bytes) -> bytes:
    """A lossless RGB stream without what says so in it: no Adobe marker, and components called 1, 2 and 3.

    As YCbCr the encoder would write two Huffman tables, which libjpeg-turbo reads wrongly at times.
    """
    stream = stream.replace(b"R\x11\0G\x11\0B\x11\0", b"\1\x11\0\2\x11\0\3\x11\0", 1)
    stream = stream.replace(b"\3R\0G\0B\0", b"\3\1\0\2\0\3\0", 1)
    return b"".join(part for part in jpeg_segments(stream) if part[1] != _ADOBE)


def _jpeg2000(values: Samples, transformed: bool, bits: int) -> bytes:
    """Reversible JPEG 2000, with at most as many resolutions as the image can be halved."""
    halvings = min(values.shape[:2]).bit_length()
    stream = imagecodecs.jpeg2k_encode(
        np.ascontiguousarray(values),
        level=0,
        codecformat="j2k",
        reversible=True,
        bitspersample=bits,
        mct=transformed,
        resolutions=min(6, halvings),
    )
    return bytes(stream)


def _htj2k(values: Samples, transformed: bool, bits: int) -> bytes:
    """Reversible high-throughput JPEG 2000, resolutions first (RPCL), with lengths of tile-parts.

    The encoder takes the size of the container for the precision. Precision only tells by how much
    unsigned samples are shifted, so they are shifted by the difference first, and it is corrected then.
    """
    most = values.dtype.itemsize * 8
    if most > 16:
        raise CannotEncode
    words = values
    if values.dtype.kind == "u" and bits < most:
        if int(values.max(initial=0)) >> bits:
            raise ValueError
        words = values + np.asarray((1 << (most - 1)) - (1 << (bits - 1)), values.dtype)
    colour = values.ndim == 3
    stream = bytearray(
        imagecodecs.htj2k_encode(
            np.ascontiguousarray(words),
            level=0,
            reversible=True,
            tlm=True,
            rgb=transformed if colour else None,
            planar=False if colour else None,
        )
    )
    size = stream.index(b"\xff\x51")
    (components,) = struct.unpack_from(">H", stream, size + 38)
    for component in range(components):
        at = size + 40 + 3 * component
        stream[at] = stream[at] & 0x80 | bits - 1
    return bytes(stream)

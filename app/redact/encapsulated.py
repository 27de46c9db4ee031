"""Covering regions in compressed pixel data, frame by frame: frames in which nothing changes keep their bytes.

Bits around the samples of lossless streams are cleared as well, with marks or without.

Where the transfer syntax can be written exactly it stays; see :mod:`deidra.app.redact.pixels`.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence

import numpy as np
from pydicom.dataset import FileDataset
from pydicom.uid import (
    HTJ2K,
    JPEG2000,
    UID,
    ExplicitVRLittleEndian,
    JPEG2000Lossless,
    JPEGLSLossless,
    JPEGLSNearLossless,
    RLELossless,
)

from deidra.app.decide.policy import RedactSection
from deidra.app.load.bits import SampleBits
from deidra.app.load.dicom import transfer_syntax
from deidra.app.load.frames import Frames
from deidra.app.redact.codec import JPEG2000_FAMILY, LOSSLESS, CannotEncode, Codec, Samples
from deidra.app.redact.description import LOSSY_JPEG, describe_samples, follow_pixels, keep_lossy_flag
from deidra.app.redact.jpeg_blocks import is_available
from deidra.app.redact.jpeg_fill import CannotFill, cover_blocks
from deidra.app.redact.jpeg_header import JpegHeader, NotReadable
from deidra.app.redact.paint import Region, cover_all, marked_frames, regions_of
from deidra.app.redact.palette import Extent, palette_of
from deidra.app.redact.plan import Mark
from deidra.app.redact.precision import stream_precision
from deidra.app.redact.streams import frames_of, store_frames, store_native
from deidra.app.redact.written import Way, Written

_NATIVE = str(ExplicitVRLittleEndian)
_NAMES = {
    _NATIVE: "uncompressed",
    str(RLELossless): "RLE",
    str(JPEGLSLossless): "JPEG-LS lossless",
    str(JPEG2000Lossless): "JPEG 2000 lossless",
}
_JPEG_XL = tuple(f"1.2.840.10008.1.2.4.{n}" for n in (110, 111, 112))
"""pydicom does not know their names yet."""
_ANY_LOSSLESS = (str(JPEGLSLossless), str(RLELossless), _NATIVE)
_J2K_LOSSLESS = (str(JPEG2000Lossless), *_ANY_LOSSLESS)


def may_hide_bits(dataset: FileDataset) -> bool:
    """Whether lossless streams have room for more than samples; native pixels are cleared elsewhere."""
    return transfer_syntax(dataset) in LOSSLESS and SampleBits.of(dataset) is not None


def redact_encapsulated(dataset: FileDataset, marks: Sequence[Mark], settings: RedactSection) -> Written:
    """Cover marks in compressed pixel data, in place, and clear bits around the samples of lossless streams.

    Lossy streams keep such bits where nothing is covered: whether a value is too high because it holds more than
    the sample, or because compression overshot, cannot be told.

    Raises:
        InputError: frames cannot be told apart or decoded.
    """
    Frames(dataset)  # checks description and number of frames
    work = _Work(dataset, marks, settings)
    if not work.marked:
        return Written(Way.UNCHANGED)
    if work.syntax in LOSSLESS:
        try:
            return work.same_syntax()
        except CannotEncode:
            targets = _J2K_LOSSLESS if work.syntax in JPEG2000_FAMILY else _ANY_LOSSLESS
            return work.convert(targets, warning=f"{_name(work.syntax)} could not be written again without loss")
    if work.syntax in LOSSY_JPEG:
        return _lossy_jpeg(work)
    if work.syntax in (JPEG2000, HTJ2K):
        return work.convert(_J2K_LOSSLESS)
    return work.convert(_ANY_LOSSLESS)


def _lossy_jpeg(work: _Work) -> Written:
    if work.is_deep():
        return work.convert(_ANY_LOSSLESS)
    if not is_available():
        missing = "libturbojpeg (Debian: libturbojpeg0) is not installed, so JPEG could not be kept"
        return work.convert(_ANY_LOSSLESS, warning=missing)
    try:
        return work.blocks()
    except CannotFill:
        return work.convert(_ANY_LOSSLESS, warning="the JPEG stream cannot be changed in its blocks")


class _Work:
    """One file's frames, marks and decoder."""

    def __init__(self, dataset: FileDataset, marks: Sequence[Mark], settings: RedactSection) -> None:
        self._dataset = dataset
        self._marks = marks
        self._settings = settings
        self._rows, self._columns = int(dataset.Rows), int(dataset.Columns)
        self.syntax = transfer_syntax(dataset)
        self._streams = frames_of(dataset)
        self._codec = Codec(dataset, self.syntax)
        # What has its own words for colours is decoded to RGB if it cannot be kept.
        self._keeps_colours = self.syntax in (*LOSSLESS, *JPEG2000_FAMILY, JPEGLSNearLossless)
        frames = marked_frames(marks, len(self._streams))
        self.marked = {index: found for index in frames if (found := self._regions(index))}
        self._bits = SampleBits.of(dataset) if self.syntax in LOSSLESS else None
        # Old files keep overlays there, which may hold text.
        self._hiding = [index for index, stream in enumerate(self._streams) if self._hides(stream)]
        self.marked |= {index: [] for index in self._hiding if index not in self.marked}

    def _hides(self, stream: bytes) -> bool:
        """Whether words of a frame hold more than samples (PS3.5 8.1.1)."""
        if self._bits is None:
            return False
        precision = stream_precision(stream, self.syntax)
        shorter = precision is not None and precision < int(self._dataset.BitsAllocated)
        if shorter and (self._bits.lowest or (precision or 0) <= self._bits.stored):
            # Shorter words hold samples from their lowest bit on, whatever the header says of longer ones.
            return False
        return bool(self._bits.hidden(self._codec.words(stream)).any())

    def _regions(self, index: int) -> list[tuple[Region, str | None]]:
        return regions_of(self._marks, index, self._columns, self._rows, self._settings)

    def is_deep(self) -> bool:
        """True for JPEG of more than 8 bits, as the stream says."""
        try:
            return JpegHeader.of(self._streams[0]).precision > 8
        except NotReadable:
            return False

    def _decoded(self, stream: bytes) -> Samples:
        values = self._codec.raw(stream) if self._keeps_colours else self._codec.rgb(stream)
        return self._bits.own(values) if self._bits and self._hiding else values

    @property
    def _colours(self) -> str:
        """What the samples mean that :meth:`_decoded` gives."""
        return self._codec.interpretation if self._keeps_colours or self._codec.samples == 1 else "RGB"

    @functools.cached_property
    def _extents(self) -> list[Extent]:
        """Smallest and largest value of each frame, decoded one after the other."""
        found = []
        for stream in self._streams:
            values = self._decoded(stream)
            found.append((float(values.min()), float(values.max())))
        return found

    def _whole(self, extents: Sequence[Extent]) -> Extent:
        return min(low for low, _ in extents), max(high for _, high in extents)

    def _paint(self, values: Samples, index: int) -> None:
        if not self.marked[index]:
            return
        palette = palette_of(self._dataset, self._colours, values.dtype, lambda: self._whole(self._extents))
        cover_all(values, self.marked[index], self._settings.fill, palette)

    def same_syntax(self) -> Written:
        """Marked frames decoded, covered and encoded as they were."""
        streams = list(self._streams)
        new_extents: dict[int, Extent] = {}
        said = str(self._dataset.PhotometricInterpretation)
        for index in self.marked:
            values = self._decoded(streams[index])
            self._paint(values, index)
            new_extents[index] = float(values.min()), float(values.max())
            streams[index] = self._codec.encode(values, self.syntax, said, like=streams[index])
        extent = self._new_extent(new_extents)
        store_frames(self._dataset, streams)
        follow_pixels(self._dataset, extent)
        return Written(Way.REENCODED if any(self.marked.values()) else Way.CLEANED, self._cleared)

    @property
    def _cleared(self) -> str:
        """What was done to the bits around the samples."""
        if not self._hiding:
            return ""
        return f"bits around the samples cleared in {len(self._hiding)} of {len(self._streams)} frames"

    def _new_extent(self, changed: dict[int, Extent]) -> Extent | None:
        """The file's extent after the change; None where the header does not tell it anyway."""
        told = "SmallestImagePixelValue" in self._dataset or "LargestImagePixelValue" in self._dataset
        if self._codec.samples > 1 or not told:
            return None
        return self._whole([changed.get(index, extent) for index, extent in enumerate(self._extents)])

    def blocks(self) -> Written:
        """Marked frames changed in their DCT blocks."""
        streams = list(self._streams)
        said = str(self._dataset.PhotometricInterpretation)
        for index, regions in self.marked.items():
            streams[index] = cover_blocks(streams[index], regions, self._settings.fill, self._codec, said)
        keep_lossy_flag(self._dataset, self.syntax, sum(map(len, self._streams)))
        store_frames(self._dataset, streams)
        follow_pixels(self._dataset, None)
        return Written(Way.BLOCKS)

    def convert(self, targets: Sequence[str], warning: str = "") -> Written:
        """All frames decoded once and stored without loss, in the first of some syntaxes that takes them."""
        for target in targets[:-1]:
            try:
                streams, dtype, extents = self._converted(target)
            except CannotEncode:
                continue
            self._describe(target, dtype, self._whole(extents))
            self._dataset.file_meta.TransferSyntaxUID = UID(target)
            store_frames(self._dataset, streams)
            break
        else:
            target = _NATIVE
            data, dtype, extents = self._decompressed()
            self._describe(target, dtype, self._whole(extents))
            store_native(self._dataset, data, dtype)
        follow_pixels(self._dataset, self._whole(extents) if self._codec.samples == 1 else None)
        note = f"{_name(self.syntax)} decoded once, stored as {_NAMES[target]}"
        note = "; ".join(part for part in (note, self._cleared) if part)
        return Written(Way.DECOMPRESSED if target == _NATIVE else Way.CONVERTED, note, warning)

    def _covered(self, index: int) -> Samples:
        values = self._decoded(self._streams[index])
        if index in self.marked:
            self._paint(values, index)
        return values

    def _converted(self, target: str) -> tuple[list[bytes], np.dtype[np.generic], list[Extent]]:
        streams, extents = [], []
        values: Samples = np.zeros(0, np.uint8)
        for index in range(len(self._streams)):
            values = self._covered(index)
            extents.append((float(values.min()), float(values.max())))
            streams.append(self._codec.encode(values, target, self._interpretation(target)))
        return streams, values.dtype, extents

    def _decompressed(self) -> tuple[bytearray, np.dtype[np.generic], list[Extent]]:
        data, extents = bytearray(), []
        values: Samples = np.zeros(0, np.uint8)
        for index in range(len(self._streams)):
            values = self._covered(index)
            extents.append((float(values.min()), float(values.max())))
            data += np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes()
        return data, values.dtype, extents

    def _interpretation(self, target: str) -> str:
        """What the header says of the samples in another syntax."""
        said = str(self._dataset.PhotometricInterpretation)
        if target == JPEG2000Lossless and said in ("YBR_RCT", "YBR_ICT") and self._keeps_colours:
            return "YBR_RCT"
        return self._colours

    def _describe(self, target: str, dtype: np.dtype[np.generic], extent: Extent) -> None:
        if _is_lossy(self._streams[0], self.syntax):
            keep_lossy_flag(self._dataset, self.syntax, sum(map(len, self._streams)))
        describe_samples(self._dataset, self._interpretation(target), dtype.itemsize, extent)


def _name(syntax: str) -> str:
    if syntax in _JPEG_XL:
        return "JPEG XL"
    return str(UID(syntax).name).split(" (")[0].removesuffix(" Image Compression")


def _is_lossy(stream: bytes, syntax: str) -> bool:
    """Whether a stream lost something; syntaxes for lossy streams may hold others."""
    try:
        if syntax in (JPEG2000, HTJ2K):
            # COD: Scod, progression, layers, colour transform, levels, block size and style, wavelet (0: 9-7).
            return stream[stream.index(b"\xff\x52") + 13] == 0
        if syntax == JPEGLSNearLossless:
            at = stream.index(b"\xff\xda")
            return stream[at + 5 + 2 * stream[at + 4]] > 0
    except (ValueError, IndexError, struct.error):
        return True
    return syntax in LOSSY_JPEG

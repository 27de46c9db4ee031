"""Compressed pixel data that is not redacted: what is no picture in it is taken out.

JPEG and JPEG 2000 streams can carry comments, Exif, thumbnails and bytes behind their end, which
no viewer shows and no search of the picture finds. The entropy-coded data stays byte for byte.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from pydicom.dataset import FileDataset
from pydicom.encaps import encapsulate, generate_frames

from deidra.app.load.dicom import is_encapsulated, whole_number

_SOI, _EOI, _SOS, _COM = 0xD8, 0xD9, 0xDA, 0xFE
_JFIF, _ADOBE, _APP_COLOUR = 0xE0, 0xEE, 0xE8
_SOT, _J2K_COM, _EOC = 0xFF90, 0xFF64, b"\xff\xd9"
_HARMLESS_COMMENT = re.compile(
    rb"^[\x00-\x01]{0,2}(created by openjpeg|kakadu|creator|jasper|lead tech|aware|accusoft|intel|dcmtk|lavc|gd-jpeg)",
    re.IGNORECASE,
)
"""Names of encoders, which identify nobody; without this almost every file would be changed."""


def strip_comments(dataset: FileDataset) -> bool:
    """Take comments, application data and trailing bytes out of compressed frames, in place.

    Returns:
        True when something was taken out; the pixel data is untouched otherwise.
    """
    if not dataset.get("PixelData") or not is_encapsulated(dataset):
        return False
    count = max(1, whole_number(dataset, "NumberOfFrames", 1))
    try:
        frames = list(generate_frames(dataset.PixelData, number_of_frames=count))
    except (ValueError, TypeError, EOFError, struct.error):
        return False
    cleaned = [clean_stream(frame) for frame in frames]
    if len(frames) != count or all(_same(a, b) for a, b in zip(frames, cleaned, strict=True)):
        return False
    dataset.PixelData = encapsulate(cleaned)
    dataset["PixelData"].is_undefined_length = True
    for keyword in ("ExtendedOffsetTable", "ExtendedOffsetTableLengths"):
        if keyword in dataset:
            delattr(dataset, keyword)
    return True


def _same(before: bytes, after: bytes) -> bool:
    return before.rstrip(b"\0") == after.rstrip(b"\0")


def clean_stream(data: bytes) -> bytes:
    """One JPEG, JPEG-LS or JPEG 2000 stream without comments and trailing bytes; others as they are."""
    try:
        if data[:2] == b"\xff\xd8":
            return b"".join(_jpeg_parts(data))
        if data[:4] == b"\xff\x4f\xff\x51":
            return _clean_j2k(data)
    except (IndexError, struct.error):
        return data  # damaged: the decoder has judged it already
    return data


def _jpeg_parts(data: bytes) -> Iterator[bytes]:
    """Segments of a JPEG stream that decoding needs (ISO/IEC 10918-1 B.1)."""
    yield data[:2]
    at = 2
    while at < len(data):
        if data[at] != 0xFF:
            raise IndexError(at)
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == _EOI:
            yield data[at : at + 2]
            return
        (length,) = struct.unpack_from(">H", data, at + 2)
        end = at + 2 + length
        if marker == _SOS:
            # Entropy-coded data follows up to the next marker that is no restart and no stuffing.
            while not (data[end] == 0xFF and data[end + 1] >= 0x80 and not 0xD0 <= data[end + 1] <= 0xD7):
                end += 1
        if _is_needed(marker, data[at + 4 : end]):
            yield data[at:end]
        at = end


def _is_needed(marker: int, content: bytes) -> bool:
    if marker == _COM:
        return bool(_HARMLESS_COMMENT.match(content))
    if marker == _JFIF:
        return content[:5] == b"JFIF\0" and len(content) == 14  # without thumbnail
    if marker == _ADOBE:
        return content[:5] == b"Adobe"
    if marker == _APP_COLOUR:
        return content[:4] in (b"mrfx", b"SPIF")  # JPEG-LS colour transforms
    return not 0xE0 <= marker <= 0xEF


def _clean_j2k(data: bytes) -> bytes:
    """A JPEG 2000 codestream with blanked comments (lengths stay), cut off behind its end (ISO/IEC 15444-1 A)."""
    out = bytearray(data)
    at = 2
    while True:
        (marker,) = struct.unpack_from(">H", data, at)
        if marker == _SOT:
            break
        (length,) = struct.unpack_from(">H", data, at + 2)
        content = data[at + 6 : at + 2 + length]
        if marker == _J2K_COM and not _HARMLESS_COMMENT.match(content):
            out[at + 6 : at + 2 + length] = b" " * len(content)
        at += 2 + length
    end = _end_of_tiles(data, at)
    return bytes(out[:end])


def _end_of_tiles(data: bytes, at: int) -> int:
    """Where the codestream ends: behind the last tile-part and the end marker."""
    while data[at : at + 2] == b"\xff\x90":
        (length,) = struct.unpack_from(">I", data, at + 6)
        if length == 0:
            end = data.rfind(_EOC)
            return end + 2 if end >= 0 else len(data)
        at += length
    return at + 2 if data[at : at + 2] == _EOC else len(data)

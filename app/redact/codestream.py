"""Compressed pixel data that is not redacted: what is no picture in it is taken out.

JPEG and JPEG 2000 streams can carry comments, Exif, thumbnails and bytes behind their end, which
no viewer shows and no search of the picture finds. The entropy-coded data stays byte for byte.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from pydicom.dataset import FileDataset
from pydicom.encaps import generate_frames
from pydicom.uid import RLELossless

from deidra.app.load.dicom import is_encapsulated, transfer_syntax, whole_number
from deidra.app.redact.streams import drop_tables, store_frames

_SOI, _EOI, _SOS, _COM = 0xD8, 0xD9, 0xDA, 0xFE
_JFIF, _ADOBE, _APP_COLOUR = 0xE0, 0xEE, 0xE8
_SOT, _SOD, _J2K_COM, _EOC = 0xFF90, 0xFF93, 0xFF64, b"\xff\xd9"
_ADOBE_BYTES = 12
_RLE_SEGMENTS = 15
_HARMLESS_COMMENT = re.compile(
    rb"(Created by (GDCM/)?OpenJPEG version [0-9.]{1,12}|Kakadu-v?[0-9.]{1,12}|LEAD Technologies Inc\. V[0-9.]{1,8}"
    rb"|CREATOR: gd-jpeg v[0-9.]{1,8} \(using IJG JPEG v[0-9]{1,3}\)(, quality = [0-9]{1,3})?\n?"
    rb"|OpenJPH Ver [0-9.]{1,12}|JPEG Pro|JasPer Version [0-9.]{1,12}|Lavc[0-9.]{1,16})\0?"
)
"""Names and versions of encoders, and nothing else; without this almost every file would be changed."""


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
    pixels = whole_number(dataset, "Rows", 0) * whole_number(dataset, "Columns", 0)
    # Segments of one-bit images are packed; their length is no number of pixels.
    run_length = transfer_syntax(dataset) == RLELossless and whole_number(dataset, "BitsAllocated", 8) >= 8
    cleaned = [_clean_rle(frame, pixels) if run_length else clean_stream(frame) for frame in frames]
    if len(frames) != count:
        return False
    if all(_same(a, b) for a, b in zip(frames, cleaned, strict=True)) and _plausible_table(dataset.PixelData, count):
        return False
    drop_tables(dataset)  # an extended one may be as wrong as the basic one
    store_frames(dataset, cleaned)
    return True


def _plausible_table(data: bytes, count: int) -> bool:
    """True when the Basic Offset Table is empty or holds rising offsets, one a frame (PS3.5 A.4)."""
    (length,) = struct.unpack_from("<I", data, 4)
    if length == 0:
        return True
    offsets = struct.unpack_from(f"<{length // 4}I", data, 8)
    return len(offsets) == count and offsets[0] == 0 and list(offsets) == sorted(offsets) and offsets[-1] < len(data)


def _same(before: bytes, after: bytes) -> bool:
    """Equal but for one byte of padding, which some encoders set to other values than zero."""
    if before == after:
        return True
    return before[: len(after)] == after and before[len(after) :].rstrip(b"\0") in (b"", b"\xff", b" ")


def clean_stream(data: bytes) -> bytes:
    """One JPEG, JPEG-LS or JPEG 2000 stream without comments and trailing bytes; others as they are."""
    try:
        if data[:2] == b"\xff\xd8":
            return b"".join(jpeg_segments(data))
        if data[:4] == b"\xff\x4f\xff\x51":
            return _clean_j2k(data)
        if data[4:8] == b"jP  ":
            # DICOM wants the bare codestream; the boxes of a JP2 file around it can hold anything.
            return _clean_j2k(data[data.index(b"jp2c") + 4 :])
    except (IndexError, ValueError, struct.error):
        return data  # damaged: the decoder has judged it already
    return data


def jpeg_segments(data: bytes) -> Iterator[bytes]:
    """Segments of a JPEG stream that decoding needs, scans with their data (ISO/IEC 10918-1 B.1).

    Raises:
        IndexError, ValueError, struct.error: the stream is damaged.
    """
    yield data[:2]
    at = 2
    while at < len(data):
        if data[at] != 0xFF:
            # Decoders skip stray bytes between segments; so does this, and leaves them out.
            at = data.index(b"\xff", at)
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
            end = data.index(b"\xff", end)
            while data[end + 1] < 0x80 or 0xD0 <= data[end + 1] <= 0xD7:
                end = data.index(b"\xff", end + 1)
        if _is_needed(marker, data[at + 4 : end]):
            yield data[at:end]
        at = end


def _is_needed(marker: int, content: bytes) -> bool:
    if marker == _COM:
        return bool(_HARMLESS_COMMENT.fullmatch(content))
    if marker == _JFIF:
        return content[:5] == b"JFIF\0" and len(content) == 14  # without thumbnail
    if marker == _ADOBE:
        return content[:5] == b"Adobe" and len(content) == _ADOBE_BYTES
    if marker == _APP_COLOUR:
        return content[:4] == b"mrfx" and len(content) == 5  # colour transform of JPEG-LS
    return not 0xE0 <= marker <= 0xEF


def _clean_j2k(data: bytes) -> bytes:
    """A JPEG 2000 codestream with blanked comments (lengths stay), cut off behind its end (ISO/IEC 15444-1 A)."""
    out = bytearray(data)
    at = _blank_comments(out, 2)
    end = len(data)
    while data[at : at + 2] == b"\xff\x90":
        (length,) = struct.unpack_from(">I", data, at + 6)
        start = _blank_comments(out, at + 12)
        if length == 0:
            # The last tile-part goes on to the end marker (A.4.2).
            end = data.index(_EOC, start) + 2
            return bytes(out[:end])
        at += length
    if data[at : at + 2] == _EOC:
        end = at + 2
    return bytes(out[:end])


def _blank_comments(out: bytearray, at: int) -> int:
    """Blank the comments of a main or tile-part header; returns where the header ends (at SOT or behind SOD)."""
    while True:
        (marker,) = struct.unpack_from(">H", out, at)
        if marker == _SOT:
            return at
        if marker == _SOD:
            return at + 2
        (length,) = struct.unpack_from(">H", out, at + 2)
        content = bytes(out[at + 6 : at + 2 + length])
        if marker == _J2K_COM and not _HARMLESS_COMMENT.fullmatch(content):
            out[at + 6 : at + 2 + length] = b" " * len(content)
        at += 2 + length


def _clean_rle(data: bytes, pixels: int) -> bytes:
    """An RLE frame with empty spare offsets, cut off behind its last segment (PS3.5 G.3 and G.5)."""
    try:
        (segments,) = struct.unpack_from("<I", data)
        if not 1 <= segments <= _RLE_SEGMENTS:
            return data
        offsets = struct.unpack_from(f"<{segments}I", data, 4)
        at, filled = max(offsets), 0
        while filled < pixels:
            control = data[at]
            if control < 128:
                filled, at = filled + control + 1, at + control + 2
            else:
                filled, at = filled + (257 - control if control > 128 else 0), at + (2 if control > 128 else 1)
    except (IndexError, struct.error):
        return data
    header = struct.pack(f"<{_RLE_SEGMENTS + 1}I", segments, *offsets, *[0] * (_RLE_SEGMENTS - segments))
    return bytes(header + data[len(header) : at] + b"\0" * (at % 2))

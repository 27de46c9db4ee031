"""How many bits a sample of a compressed stream can have, as the stream itself says."""

from __future__ import annotations

import struct

from pydicom.uid import RLELossless

from deidra.app.redact.codestream import jpeg_segments

_NO_FRAMES = (0xC4, 0xC8, 0xCC)
"""Markers among those of JPEG frames that are none: tables and extensions (ISO/IEC 10918-1 B.1.1.3)."""
_JPEG_LS_FRAME = 0xF7
_SIZE = b"\xff\x4f\xff\x51"


def stream_precision(stream: bytes, syntax: str) -> int | None:
    """Bits of a sample in a JPEG, JPEG-LS or JPEG 2000 stream.

    Returns:
        None for run lengths, which are words of the file, and for streams whose headers cannot be read.
    """
    if syntax == RLELossless:
        return None
    try:
        if _SIZE in stream[:256]:
            return _of_codestream(stream, stream.index(_SIZE) + 2)
        for segment in jpeg_segments(stream):
            if segment[1] == _JPEG_LS_FRAME or (0xC0 <= segment[1] <= 0xCF and segment[1] not in _NO_FRAMES):
                return segment[4]
    except (IndexError, ValueError, struct.error):
        pass
    return None


def _of_codestream(stream: bytes, size: int) -> int:
    """The deepest component of a SIZ marker segment (ISO/IEC 15444-1 A.5.1)."""
    (components,) = struct.unpack_from(">H", stream, size + 38)
    return max((stream[size + 40 + 3 * number] & 0x7F) + 1 for number in range(components))

"""Mending files that break the standard in known ways, so that they can be read without loss."""

from __future__ import annotations

import io
import struct

from pydicom.datadict import dictionary_has_tag, dictionary_VR
from pydicom.filereader import read_dataset

from deidra.app.domain.errors import InputError
from deidra.app.load.grammar import (
    LONG_VRS,
    META_START,
    PIXEL_TAGS,
    SHORT_VRS,
    UNDEFINED,
    Encoding,
    NotStrict,
    encoded,
    encoding_of,
    fragments_end,
    is_deflated,
    items_end,
    meta_group,
)

_NO_VRS = frozenset((b"  ", b"??", b"\0\0"))
"""What some devices write where the VR belongs; a length of two bytes follows."""
_ITEM_WISE = Encoding(True, True)
"""How the items of elements of unknown type are written (PS3.5 6.2.2 note 2)."""


def mended(data: bytes) -> bytes | None:
    """The file with its top-level elements written as the standard wants them.

    Mended are elements without a VR, and sequences of unknown type in a file with the most significant byte first.

    Args:
        data: a file that could not be read as it is.

    Returns:
        The mended file; None when there is nothing to mend, or what is wrong is something else.
    """
    try:
        if data[128:META_START] != b"DICM":
            return None
        place, meta = meta_group(data)
        syntax = meta.get(0x00020010, b"").rstrip(b"\0 ").decode("ascii", "replace")
        encoding = encoding_of(syntax)
        if not syntax or encoding.implicit or is_deflated(syntax):
            return None
        parts: list[bytes | memoryview] = []
        view, begin = memoryview(data), 0
        while place < len(data):
            new, end = _element(data, place, encoding)
            if new is not None:
                parts += [view[begin:place], new]
                begin = end
            place = end
    except (NotStrict, struct.error, InputError):
        return None
    return b"".join([*parts, view[begin:]]) if parts else None


def _element(data: bytes, place: int, encoding: Encoding) -> tuple[bytes | None, int]:
    """The element at a place written anew, None when it is well as it is, and where it ends."""
    order = "<" if encoding.little else ">"
    group, number, code, length = struct.unpack_from(f"{order}HH2sH", data, place)
    tag = group << 16 | number
    if code in SHORT_VRS:
        return None, place + 8 + length
    if code in _NO_VRS:
        return _without_vr(data, place, tag, order)
    if code not in LONG_VRS:
        raise NotStrict
    (length,) = struct.unpack_from(f"{order}L", data, place + 8)
    value = place + 12
    if length != UNDEFINED:
        return None, value + length
    if tag in PIXEL_TAGS:
        return None, fragments_end(data, value, encoding)
    if code != b"UN" or encoding.little:
        return None, items_end(data, value, _ITEM_WISE if code == b"UN" else encoding)
    end = items_end(data, value, _ITEM_WISE)
    raw = struct.pack("<HHL", group, number, UNDEFINED) + data[value:end]
    dataset = read_dataset(io.BytesIO(raw), *_ITEM_WISE, bytelength=len(raw))
    return encoded(dataset, encoding), end


def _without_vr(data: bytes, place: int, tag: int, order: str) -> tuple[bytes, int]:
    """An element without a VR gets the dictionary's; one without length and value, too, is left out."""
    (length,) = struct.unpack_from(f"{order}H", data, place + 6)
    end = place + 8 + length
    if not _may_follow(data, end, tag, order):
        if _may_follow(data, place + 6, tag, order):
            return b"", place + 6
        raise NotStrict
    head, value = data[place : place + 4], data[place + 8 : end]
    vr = dictionary_VR(tag).split(" or ")[0].encode() if dictionary_has_tag(tag) else b"UN"
    if vr in SHORT_VRS:
        return head + vr + data[place + 6 : end], end
    return head + b"UN\0\0" + struct.pack(f"{order}L", length) + value, end


def _may_follow(data: bytes, place: int, tag: int, order: str) -> bool:
    """True when an element with a tag not below ``tag`` starts here, or the file ends."""
    if place >= len(data):
        return place == len(data)
    if place + 8 > len(data):
        return False
    group, number, code = struct.unpack_from(f"{order}HH2s", data, place)
    return group << 16 | number >= tag and code in SHORT_VRS | LONG_VRS | _NO_VRS

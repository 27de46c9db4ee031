"""The bytes of DICOM files: heads of elements, ends of sequences and fragments, the meta group (PS3.5 7, PS3.10 7).

Nothing here looks at values; what does not follow the grammar raises, so that nothing is read past or left out.
"""

from __future__ import annotations

import functools
import struct
import warnings
import zlib
from typing import NamedTuple

from pydicom import Dataset
from pydicom.datadict import dictionary_has_tag, dictionary_VR
from pydicom.filebase import DicomBytesIO
from pydicom.filewriter import write_dataset
from pydicom.uid import UID, DeflatedExplicitVRLittleEndian, ExplicitVRBigEndian, ImplicitVRLittleEndian

from deidra.app.domain.errors import InputError

UNDEFINED = 0xFFFFFFFF
SHORT_VRS = frozenset(b"AE AS AT CS DA DS DT FD FL IS LO LT PN SH SL SS ST TM UI UL US".split())
LONG_VRS = frozenset(b"OB OD OF OL OV OW SQ SV UC UN UR UT UV".split())
ITEM, ITEM_END, SEQUENCE_END = 0xFFFEE000, 0xFFFEE00D, 0xFFFEE0DD
PIXEL_DATA = 0x7FE00010
PIXEL_TAGS = frozenset({0x7FE00008, 0x7FE00009, PIXEL_DATA})
META_START = 132
MOST_DEPTH = 64
"""Deepest nesting of sequences that is read; real objects stay below ten."""
MOST_INFLATED = 2 << 30
"""A deflated file that unpacks to more bytes than this is refused: such files are made to fill memory."""
_ITEM_STARTS = (b"\xfe\xff\x00\xe0", b"\xff\xfe\xe0\x00")


class Encoding(NamedTuple):
    """How elements are written: without or with their VR, least or most significant byte first."""

    implicit: bool
    little: bool


class NotStrict(Exception):
    """The bytes are not written strictly by the standard; they need the tolerant reader."""


class Overrun(NotStrict):
    """A length leads out of what it stands in: the file is cut off, or the length is wrong."""


def too_deep() -> InputError:
    """The error for sequences in sequences without an end."""
    return InputError("The file nests sequences implausibly deep.", "It is damaged or malicious.")


def encoding_of(syntax: str) -> Encoding:
    """How the elements of a transfer syntax are written."""
    return Encoding(syntax == ImplicitVRLittleEndian, syntax != ExplicitVRBigEndian)


@functools.lru_cache(maxsize=128)
def compresses(syntax: str) -> bool | None:
    """True when a transfer syntax has its pixels compressed in fragments; None when it is not known."""
    uid = UID(syntax)
    if not uid.is_transfer_syntax or uid.is_private:
        return None
    return bool(uid.is_encapsulated)


def meta_group(data: bytes, place: int = META_START) -> tuple[int, dict[int, bytes]]:
    """End and values of the file meta group, which is explicit, least significant byte first (PS3.10 7.1).

    Args:
        data: the whole file.
        place: where the group begins.

    Raises:
        NotStrict: it is not written by the standard.
    """
    values: dict[int, bytes] = {}
    while place + 8 <= len(data):
        group, number, code, length = struct.unpack_from("<HH2sH", data, place)
        if group != 2:
            break
        value = place + 8
        if code in LONG_VRS:
            (length,) = struct.unpack_from("<L", data, place + 8)
            value = place + 12
        elif code not in SHORT_VRS:
            raise NotStrict
        place = value + length
        if place > len(data):
            raise Overrun
        values[group << 16 | number] = data[value:place]
    return place, values


def inflated(data: bytes, start: int) -> bytes:
    """The elements of a deflated file, which begin at ``start``.

    Raises:
        NotStrict: something stands behind the deflated elements, or their end is missing.
        InputError: they unpack to implausibly many bytes.
        zlib.error: they are damaged.
    """
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    body = inflater.decompress(memoryview(data)[start:], MOST_INFLATED)
    if inflater.unconsumed_tail:
        raise InputError("The file unpacks to implausibly many bytes.", "It is damaged or malicious.")
    # Some writers end as gzip does, with a checksum and the size.
    trailer = struct.pack("<LL", zlib.crc32(body), len(body) & 0xFFFFFFFF)
    if not inflater.eof:
        raise Overrun
    if inflater.unused_data.removeprefix(trailer).strip(b"\0"):
        raise NotStrict
    return body


def is_deflated(syntax: str) -> bool:
    """True when a transfer syntax has all elements deflated."""
    return syntax == DeflatedExplicitVRLittleEndian


def fragments_end(body: bytes, place: int, encoding: Encoding) -> int:
    """The end of encapsulated pixel data (PS3.5 A.4): fragments are told by their lengths, never by their bytes.

    Raises:
        NotStrict, struct.error: its form is another one, or it is cut off.
    """
    form = struct.Struct("<HHL" if encoding.little else ">HHL")
    while True:
        group, number, length = form.unpack_from(body, place)
        place += 8
        if (group, number) == (0xFFFE, 0xE0DD) and not length:
            return place
        if (group, number) != (0xFFFE, 0xE000) or length == UNDEFINED:
            raise NotStrict
        if place + length > len(body):
            raise Overrun
        place += length


def element_head(body: bytes, place: int, encoding: Encoding) -> tuple[int, str, int, int]:
    """Tag, VR, length and place of the value of an element, an item or a delimiter inside a sequence.

    Raises:
        NotStrict, struct.error: there is no head of the standard.
    """
    order = "<" if encoding.little else ">"
    group, number, length = struct.unpack_from(f"{order}HHL", body, place)
    tag = group << 16 | number
    if encoding.implicit or group == 0xFFFE:
        return tag, "", length, place + 8
    vr = body[place + 4 : place + 6]
    if vr in SHORT_VRS:
        (length,) = struct.unpack_from(f"{order}H", body, place + 6)
        return tag, vr.decode("ascii"), length, place + 8
    if vr in LONG_VRS:
        reserved, length = struct.unpack_from(f"{order}HL", body, place + 6)
        if not reserved:
            return tag, vr.decode("ascii"), length, place + 12
    raise NotStrict


def holds_items(body: bytes, value: int, tag: int, vr: str) -> bool:
    """True when the value of an element of defined length is a sequence of items."""
    if vr == "SQ":
        return True
    # In implicit encoding, and for elements of unknown type, the dictionary tells.
    if vr not in ("", "UN") or body[value : value + 4] not in _ITEM_STARTS:
        return False
    return bool(dictionary_has_tag(tag) and dictionary_VR(tag) == "SQ")


class _Level(NamedTuple):
    """An open sequence or item: it ends at ``end`` or, where that is open, before it with a delimiter."""

    in_item: bool
    is_open: bool
    end: int


def items_end(body: bytes, place: int, encoding: Encoding, end: int | None = None) -> int:
    """The end of a sequence whose first item starts at ``place``; every length inside is checked.

    Walks all levels with a stack of its own, so that no depth of nesting can exhaust Python's.

    Args:
        body: what the sequence stands in.
        place: where its value begins.
        encoding: how it is written.
        end: where its value ends; None when it has no length of its own.

    Raises:
        NotStrict, struct.error: it is not written by the standard, or is cut off.
        InputError: it nests implausibly deep.
    """
    levels = [_Level(False, end is None, len(body) if end is None else end)]
    while levels:
        in_item, is_open, limit = levels[-1]
        if place == limit and not is_open:
            levels.pop()
            continue
        tag, vr, length, place = element_head(body, place, encoding)
        if place > limit or (length != UNDEFINED and place + length > limit):
            raise Overrun
        if tag in (ITEM_END, SEQUENCE_END):
            if length or not is_open or in_item is not (tag == ITEM_END):
                raise NotStrict
            levels.pop()
            continue
        if in_item is (tag == ITEM):
            raise NotStrict
        stop = _value_end(body, place, tag, vr, length, encoding)
        if stop is not None:
            place = stop
        else:
            is_open = length == UNDEFINED
            levels.append(_Level(not in_item, is_open, limit if is_open else place + length))
            if len(levels) > 2 * MOST_DEPTH:
                raise too_deep()
    return place


def _value_end(body: bytes, place: int, tag: int, vr: str, length: int, encoding: Encoding) -> int | None:
    """Where a value inside a sequence ends; None when it is a level to enter."""
    if length == UNDEFINED:
        if tag in PIXEL_TAGS:
            return fragments_end(body, place, encoding)
        if vr not in ("", "SQ"):
            raise NotStrict
        return None
    if tag == ITEM:
        return None
    if not holds_items(body, place, tag, vr):
        return place + length
    # Items of unknown type are written implicit, least significant byte first (PS3.5 6.2.2 note 2).
    return items_end(body, place, Encoding(True, True), place + length) if vr == "UN" else None


def encoded(dataset: Dataset, encoding: Encoding) -> bytes:
    """The elements of a dataset, encoded.

    Raises:
        InputError: an element cannot be written.
    """
    stream = DicomBytesIO()
    stream.is_implicit_VR, stream.is_little_endian = encoding
    try:
        with warnings.catch_warnings():
            # Values that were odd in the original are written as they were.
            warnings.simplefilter("ignore")
            write_dataset(stream, dataset, dataset._character_set)
    except (ValueError, TypeError, AttributeError, KeyError, OSError, NotImplementedError, LookupError) as error:
        # pydicom's message could quote the value.
        raise InputError(f"The file cannot be written ({type(error).__name__}).", "An element is malformed.") from error
    return stream.getvalue()

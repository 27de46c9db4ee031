"""DICOM files as encoded elements: where each top-level element stands in the bytes of its file (PS3.5 7.1).

Within a series nearly all elements repeat byte for byte from file to file, so a stage that only
looks at their bytes can remember what it did with them and need not decode them again. Files that
are written strictly by the standard are split as they are; all others are read with
:func:`deidra.app.load.dicom.read_dataset`, which repairs or refuses them, and written again first.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pydicom.dataset import FileDataset

from deidra.app.domain.errors import InputError
from deidra.app.load.dicom import read_dataset, transfer_syntax
from deidra.app.load.grammar import (
    ITEM,
    ITEM_END,
    LONG_VRS,
    META_START,
    PIXEL_DATA,
    PIXEL_TAGS,
    SEQUENCE_END,
    SHORT_VRS,
    UNDEFINED,
    Encoding,
    NotStrict,
    Overrun,
    compresses,
    element_head,
    encoded,
    encoding_of,
    fragments_end,
    holds_items,
    inflated,
    is_deflated,
    items_end,
    meta_group,
)

__all__ = [
    "ITEM",
    "ITEM_END",
    "PIXEL_DATA",
    "SEQUENCE_END",
    "UNDEFINED",
    "EncodedElement",
    "EncodedFile",
    "Encoding",
    "NotStrict",
    "Splitter",
    "element_head",
    "encoded",
    "items_end",
]

_MAY_HOLD_ITEMS = frozenset({"", "SQ", "UN"})
_MOST_REMEMBERED = 256 << 10
"""A group of more bytes than this is not remembered."""
_MOST_CHECKED = 4 << 20
"""Bytes of sequences that are remembered as well-formed."""


class EncodedElement(NamedTuple):
    """A top-level element: bytes ``start`` to ``end`` of what it stands in, its value from ``value`` on.

    ``vr`` is empty in implicit encoding.
    """

    tag: int
    vr: str
    start: int
    value: int
    end: int


class EncodedGroup(NamedTuple):
    """All top-level elements with one group number: bytes ``start`` to ``end`` of the body.

    Places of the elements count from ``start``.
    """

    number: int
    start: int
    end: int
    elements: tuple[EncodedElement, ...]


@dataclass(frozen=True, slots=True)
class EncodedFile:
    """A file split into its elements.

    ``meta`` holds values of the file meta group by tag; ``body`` the bytes that the elements of the
    dataset stand in (inflated where the transfer syntax deflates them); group numbers and tags ascend.
    """

    transfer_syntax: str
    meta: Mapping[int, bytes]
    body: bytes
    encoding: Encoding
    groups: tuple[EncodedGroup, ...]

    @property
    def elements(self) -> list[EncodedElement]:
        """All top-level elements, with places in the body."""
        return [
            EncodedElement(tag, vr, group.start + start, group.start + value, group.start + end)
            for group in self.groups
            for tag, vr, start, value, end in group.elements
        ]

    @property
    def deflated(self) -> bool:
        """True when the elements stand deflated in the file."""
        return is_deflated(self.transfer_syntax)

    def __contains__(self, tag: object) -> bool:
        """Whether a top-level element is there."""
        return isinstance(tag, int) and any(
            group.number == tag >> 16 and any(element.tag == tag for element in group.elements) for group in self.groups
        )

    def value(self, tag: int) -> bytes:
        """The encoded value of a top-level element; empty when it is absent."""
        for group in self.groups:
            if group.number == tag >> 16:
                for element in group.elements:
                    if element.tag == tag:
                        return self.body[group.start + element.value : group.start + element.end]
        return b""


class Splitter:
    """Splits files; remembers groups and sequences, so that repeated ones are not walked again."""

    def __init__(self) -> None:
        self._groups_seen: dict[tuple[int, Encoding], tuple[bytes, tuple[EncodedElement, ...]]] = {}
        self._seen: dict[tuple[int, Encoding], bytes] = {}
        self._checked: dict[bytes, Encoding] = {}
        self._checked_bytes = 0

    def split(self, data: bytes) -> EncodedFile:
        """Split a file into its elements, each of its bytes accounted for.

        Args:
            data: the whole file.

        Raises:
            InputError: the file is damaged, truncated, or parts of it would be lost.
        """
        try:
            return self._strict(data)
        except (NotStrict, struct.error, zlib.error):
            return self.split_dataset(read_dataset(data))

    def split_dataset(self, dataset: FileDataset) -> EncodedFile:
        """Split a parsed dataset, as it would be written in its transfer syntax.

        Raises:
            InputError: an element cannot be written.
        """
        syntax = transfer_syntax(dataset)
        encoding = encoding_of(syntax)
        meta = {int(element.tag): str(element.value).encode() for element in getattr(dataset, "file_meta", ())}
        body = encoded(dataset, encoding)
        try:
            return EncodedFile(syntax, meta, body, encoding, self._groups(body, 0, encoding))
        except (NotStrict, struct.error) as error:
            raise InputError("An element of the file cannot be written.", "Export it again.") from error

    def _strict(self, data: bytes) -> EncodedFile:
        if data[128:META_START] != b"DICM":
            raise NotStrict
        meta_end, meta = meta_group(data)
        syntax = meta.get(0x00020010, b"").rstrip(b"\0 ").decode("ascii", "replace")
        if not syntax:
            raise NotStrict
        encoding = encoding_of(syntax)
        body, start = (inflated(data, meta_end), 0) if is_deflated(syntax) else (data, meta_end)
        groups = self._groups(body, start, encoding)
        _check_pixels(body, groups, syntax)
        return EncodedFile(syntax, meta, body, encoding, groups)

    def _groups(self, body: bytes, start: int, encoding: Encoding) -> tuple[EncodedGroup, ...]:
        found = []
        last, place, size = 2, start, len(body)
        order = "<H" if encoding.little else ">H"
        while place < size:
            (number,) = struct.unpack_from(order, body, place)
            if number <= last or number == ITEM >> 16:
                raise NotStrict
            last = number
            raw, elements = self._groups_seen.get((number, encoding), (b"", ()))
            end = place + len(raw)
            # The group of another file is this one's where it stands here and nothing more of the group follows.
            again = raw and body.startswith(raw, place) and body[end : end + 2] != raw[:2]
            if not again:
                elements, end = self._elements(body, place, encoding, number)
                if end - place <= _MOST_REMEMBERED:
                    self._groups_seen[number, encoding] = (body[place:end], elements)
            found.append(EncodedGroup(number, place, end, elements))
            place = end
        if not found:
            raise NotStrict
        return tuple(found)

    def _elements(
        self, body: bytes, start: int, encoding: Encoding, wanted: int
    ) -> tuple[tuple[EncodedElement, ...], int]:
        """The elements of one group, and where it ends."""
        found: list[EncodedElement] = []
        size, last, place = len(body), 0, start
        short = struct.Struct("<HH2sH" if encoding.little else ">HH2sH").unpack_from
        plain = struct.Struct("<HHL" if encoding.little else ">HHL").unpack_from
        long = struct.Struct("<HL" if encoding.little else ">HL").unpack_from
        make = EncodedElement
        while place < size:
            if encoding.implicit:
                group, number, length = plain(body, place)
                vr, value = "", place + 8
            else:
                group, number, code, length = short(body, place)
                value = place + 8
                if group != wanted:
                    break
                if code not in SHORT_VRS:
                    reserved, length = long(body, place + 6)
                    if reserved or code not in LONG_VRS:
                        raise NotStrict
                    value = place + 12
                vr = code.decode("ascii")
            if group != wanted:
                break
            tag = group << 16 | number
            if tag <= last:
                raise NotStrict
            last = tag
            if length == UNDEFINED:
                end = self._end(body, place, value, tag, vr, encoding)
            else:
                end = value + length
                if end > size:
                    raise Overrun
                if length & 1:
                    raise NotStrict
                if length and vr in _MAY_HOLD_ITEMS and holds_items(body, value, tag, vr):
                    self._check(body, place, value, end, Encoding(True, True) if vr == "UN" else encoding)
            found.append(make(tag, vr, place - start, value - start, end - start))
            place = end
        return tuple(found), place

    def _end(self, body: bytes, start: int, value: int, tag: int, vr: str, encoding: Encoding) -> int:
        """Where an element of undefined length ends.

        An encoded sequence is never the beginning of a longer one, so one that was seen before ends
        where it ended then.
        """
        if tag in PIXEL_TAGS:
            return fragments_end(body, value, encoding)
        known = self._seen.get((tag, encoding))
        if known is not None and body.startswith(known, start):
            return start + len(known)
        if vr not in ("", "SQ", "UN"):
            raise NotStrict
        if vr == "UN" and not encoding.little:
            # Items of unknown type are written implicit, least significant byte first (PS3.5 6.2.2 note 2).
            raise NotStrict
        end = items_end(body, value, Encoding(True, True) if vr == "UN" else encoding)
        self._seen[tag, encoding] = body[start:end]
        return end

    def _check(self, body: bytes, start: int, value: int, end: int, encoding: Encoding) -> None:
        """Check the items of a sequence of defined length, unless the same bytes were checked before."""
        if end - start > _MOST_CHECKED // 8:
            items_end(body, value, encoding, end)
            return
        raw = body[start:end]
        if self._checked.get(raw) == encoding:
            return
        items_end(body, value, encoding, end)
        if self._checked_bytes > _MOST_CHECKED:
            self._checked.clear()
            self._checked_bytes = 0
        self._checked_bytes += len(raw)
        self._checked[raw] = encoding


def _check_pixels(body: bytes, groups: tuple[EncodedGroup, ...], syntax: str) -> None:
    """Pixel data that does not have the form of its transfer syntax is a matter for the tolerant reader."""
    for group in groups:
        if group.number != PIXEL_DATA >> 16:
            continue
        for element in group.elements:
            if element.tag == PIXEL_DATA and element.end > element.value:
                value = group.start + element.value
                if compresses(syntax) is (body[value - 4 : value] != b"\xff\xff\xff\xff"):
                    raise NotStrict

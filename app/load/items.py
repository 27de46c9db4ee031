"""Items of an encoded sequence, taken apart and put together again (PS3.5 7.5)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from deidra.app.load.encoded import (
    ITEM,
    ITEM_END,
    SEQUENCE_END,
    UNDEFINED,
    EncodedElement,
    Encoding,
    NotStrict,
    element_head,
    items_end,
)


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a sequence.

    Args:
        encoding: how the file is encoded.
        head: bytes of the sequence's element before its length.
        undefined: the sequence has no length of its own.
        items: the elements of every item, places counted from the sequence's first byte.
        open_items: for every item, whether it has no length of its own.
    """

    encoding: Encoding
    head: bytes
    undefined: bool
    items: tuple[tuple[EncodedElement, ...], ...]
    open_items: tuple[bool, ...]

    def joined(self, bodies: list[bytes]) -> bytes:
        """The sequence's element with new bodies for its items; lengths stay defined or undefined as they were."""
        form = struct.Struct("<HHL" if self.encoding.little else ">HHL").pack
        parts = []
        for body, is_open in zip(bodies, self.open_items, strict=True):
            parts.append(form(ITEM >> 16, ITEM & 0xFFFF, UNDEFINED if is_open else len(body)))
            parts.append(body)
            if is_open:
                parts.append(form(ITEM_END >> 16, ITEM_END & 0xFFFF, 0))
        if self.undefined:
            parts.append(form(SEQUENCE_END >> 16, SEQUENCE_END & 0xFFFF, 0))
        content = b"".join(parts)
        size = UNDEFINED if self.undefined else len(content)
        return self.head + size.to_bytes(4, "little" if self.encoding.little else "big") + content


def split_items(raw: bytes, value: int, encoding: Encoding) -> Items | None:
    """The items of a sequence; None when it is not written strictly by the standard.

    Args:
        raw: the sequence's element, whole.
        value: where its value begins.
        encoding: how the file is encoded.
    """
    size = int.from_bytes(raw[value - 4 : value], "little" if encoding.little else "big")
    undefined = size == UNDEFINED
    end = len(raw) - 8 if undefined else len(raw)
    items, is_open = [], []
    place = value
    try:
        while place < end:
            tag, _, length, place = element_head(raw, place, encoding)
            if tag != ITEM:
                return None
            stop = end if length == UNDEFINED else place + length
            elements, place = _elements(raw, place, stop, length == UNDEFINED, encoding)
            items.append(elements)
            is_open.append(length == UNDEFINED)
    except (NotStrict, struct.error):
        return None
    if place != end:
        return None
    return Items(encoding, raw[: value - 4], undefined, tuple(items), tuple(is_open))


def _elements(
    raw: bytes, place: int, stop: int, is_open: bool, encoding: Encoding
) -> tuple[tuple[EncodedElement, ...], int]:
    """The elements of an item, and where the item ends."""
    found: list[EncodedElement] = []
    last = 0
    while place < stop:
        tag, vr, length, value = element_head(raw, place, encoding)
        if tag == ITEM_END and is_open and not length:
            return tuple(found), value
        if tag <= last or tag >> 16 == ITEM >> 16:
            raise NotStrict
        last = tag
        if length != UNDEFINED:
            end = value + length
        elif vr in ("", "SQ"):
            end = items_end(raw, value, encoding)
        else:
            raise NotStrict
        if end > stop or end & 1:
            raise NotStrict
        found.append(EncodedElement(tag, vr, place, value, end))
        place = end
    if is_open or place != stop:
        raise NotStrict
    return tuple(found), place

"""What becomes of one encoded element that was not met before: decoded, walked, encoded.

Simple values are handled as bytes (:mod:`deidra.app.metadata.quick`). Items of sequences are taken
apart like the file itself, so that what repeats in them is remembered as well; sequences that need to
be seen as a whole go through :class:`~deidra.app.metadata.walk.Walk`.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Mapping, Sequence

from pydicom import Dataset
from pydicom.datadict import dictionary_has_tag, dictionary_keyword, dictionary_VR
from pydicom.dataelem import RawDataElement
from pydicom.errors import BytesLengthException
from pydicom.filereader import read_dataset
from pydicom.tag import BaseTag

from deidra.app.domain.errors import InputError
from deidra.app.domain.model import Action
from deidra.app.load.charset import repair
from deidra.app.load.encoded import EncodedElement, Encoding, encoded
from deidra.app.load.items import Items, split_items
from deidra.app.metadata.changes import FieldChange, HeaderResult, Override, Subject
from deidra.app.metadata.iod import attribute_type
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.memo import Context, Memos, Outcome
from deidra.app.metadata.profile import Code, Option, Profile
from deidra.app.metadata.quick import QuickLeaves
from deidra.app.metadata.walk import CONTENT_SEQUENCE, ITEMS_REASON, Walk

Cleaner = Callable[[Sequence[FieldChange], Subject], Mapping[str, Override]]
"""Reads the values that the profile keeps in a patient's file; says by path what must be written instead."""

PIXEL_REPRESENTATION = 0x00280103
_CHARACTER_SET = 0x00080005
FAULTS = (
    ValueError,
    KeyError,
    AttributeError,
    TypeError,
    LookupError,
    OverflowError,
    BytesLengthException,
    struct.error,
)
"""pydicom reports malformed elements with all of these."""


class ElementWorker:
    """Works out outcomes.

    Args:
        profile: the profile with options and recipe.
        key: the project's key.
        cleaner: reads kept values; None when that is a stage of its own.
        memos: where outcomes are remembered.
    """

    def __init__(self, profile: Profile, key: ProjectKey, cleaner: Cleaner | None, memos: Memos) -> None:
        self._profile = profile
        self._key = key
        self._cleaner = cleaner
        self._memos = memos
        self._quick = QuickLeaves(profile, key)

    def outcome(
        self,
        context: Context,
        key: object,
        element: EncodedElement,
        raw: bytes,
        creator: bytes,
        own: Sequence[tuple[str, Override]],
    ) -> Outcome:
        """What becomes of a top-level element.

        Args:
            context: the file's context.
            key: under which the outcome is remembered.
            element: where the element's value begins, and its VR.
            raw: its bytes.
            creator: the bytes of its private creator's element, if it is private.
            own: overrides below it.

        Raises:
            InputError: it is malformed, or a curator's new value does not fit.
        """
        try:
            if own or context.rules or element.tag & 0x10000:
                outcome = self._walked(context, element, raw, creator, dict(own), ())
            else:
                outcome = self._public(context, element, raw, ())
        except FAULTS as error:
            # The message could quote values.
            raise InputError(
                f"The DICOM file holds a malformed element ({type(error).__name__}).", "Export it again."
            ) from error
        self._memos.remember(context, key, outcome, len(raw))
        return outcome

    def _public(self, context: Context, element: EncodedElement, raw: bytes, parents: tuple[int, ...]) -> Outcome:
        """A public element that no rule and no override concerns."""
        tag, vr = element.tag, element.vr
        handler = self._quick.handler(context.encoding, context.sop_class, parents, tag, vr)
        if handler is not None:
            quick = handler(raw, raw[element.value - element.start :])
            if quick is not None:
                return quick
        if self._goes_item_by_item(context, tag, vr, parents):
            items = split_items(raw, element.value - element.start, context.encoding)
            if items is not None and not any(self._is_special(inner.tag) for item in items.items for inner in item):
                return self._items(context, tag, raw, items, parents)
        return self._walked(context, element, raw, b"", {}, parents)

    def _goes_item_by_item(self, context: Context, tag: int, vr: str, parents: tuple[int, ...]) -> bool:
        if vr not in ("", "SQ") or not dictionary_has_tag(tag) or dictionary_VR(tag) != "SQ":
            return False
        if tag == CONTENT_SEQUENCE and Option.STRUCTURED_CONTENT in self._profile.options:
            return False
        depends = self._profile.depends_on_type(BaseTag(tag))
        kind = attribute_type(context.sop_class, parents, tag) if depends else ""
        return self._profile.code(BaseTag(tag), kind) not in (Code.REMOVE, Code.EMPTY, Code.DUMMY)

    @staticmethod
    def _is_special(tag: int) -> bool:
        """Elements by which others in their item are understood, and those that are dropped without a word."""
        return bool(tag & 0x10000) or tag == _CHARACTER_SET or not tag & 0xFFFF

    def _items(self, context: Context, tag: int, raw: bytes, items: Items, parents: tuple[int, ...]) -> Outcome:
        """A sequence whose items are handled element by element."""
        path, count = f"({tag >> 16:04X},{tag & 0xFFFF:04X})", len(items.items)
        shown = f"{count} items"
        changes = [FieldChange(path, dictionary_keyword(tag), "SQ", shown, shown, Action.KEEP, ITEMS_REASON)]
        uids: dict[str, str] = {}
        below = (*parents, tag)
        bodies = []
        for number, elements in enumerate(items.items):
            prefix = f"{path}[{number}]/"
            parts = []
            for element in elements:
                inner = raw[element.start : element.end]
                key = (below, inner)
                outcome = context.memo.get(key)
                if outcome is None:
                    outcome = self._public(context, element, inner, below)
                    self._memos.remember(context, key, outcome, len(inner))
                parts.append(outcome.data)
                changes += outcome.below(prefix)
                uids.update(outcome.uids)
            bodies.append(b"".join(parts))
        return Outcome(items.joined(bodies), tuple(changes), uids)

    def _walked(
        self,
        context: Context,
        element: EncodedElement,
        raw: bytes,
        creator: bytes,
        overrides: Mapping[str, Override],
        parents: tuple[int, ...],
    ) -> Outcome:
        """An element that is decoded, walked, and encoded when it was changed."""
        result, dataset, repaired = self._walk(context, element, raw, creator, overrides, parents)
        if self._cleaner is not None:
            wanted = self._cleaner(result.changes, context.subject)
            found = {path: new for path, new in wanted.items() if path not in overrides}
            if found:
                overrides = {**overrides, **found}
                result, dataset, repaired = self._walk(context, element, raw, creator, overrides, parents)
        tag, data = BaseTag(element.tag), raw
        if tag not in dataset:
            data = b""
        elif result.touched or repaired or dataset[tag].VR == "SQ":
            # Sequences are always written anew: what stands between their items must not leave.
            for other in list(dataset.keys()):
                if other != tag:
                    del dataset[other]
            data = encoded(dataset, context.encoding)
        return Outcome(data, tuple(result.changes), result.uids)

    def _walk(
        self,
        context: Context,
        element: EncodedElement,
        raw: bytes,
        creator: bytes,
        overrides: Mapping[str, Override],
        parents: tuple[int, ...],
    ) -> tuple[HeaderResult, Dataset, bool]:
        dataset = decoded(element, raw, context.encoding, context.charset)
        if creator:
            place = creator_element(creator, context.encoding)
            dataset._dict[place.tag] = place
        if context.encoding.implicit and context.pixel_representation:
            value = context.pixel_representation
            signed = BaseTag(PIXEL_REPRESENTATION)
            if signed not in dataset:
                dataset._dict[signed] = RawDataElement(signed, "US", len(value), value, 0, True, True)
        repaired = repair(dataset, context.charset)
        result = HeaderResult()
        walk = Walk(self._profile, self._key, context.subject, overrides, result, context.rules, context.sop_class)
        walk.only(dataset, BaseTag(element.tag), parents)
        return result, dataset, repaired


def decoded(element: EncodedElement, raw: bytes, encoding: Encoding, charset: Sequence[str]) -> Dataset:
    """A dataset of one element."""
    undefined = raw[element.value - element.start - 4 : element.value - element.start] == b"\xff\xff\xff\xff"
    if undefined and (element.vr in ("SQ", "UN") or encoding.implicit):
        dataset = read_dataset(io.BytesIO(raw), *encoding, bytelength=len(raw), parent_encoding=list(charset))
    else:
        value = raw[element.value - element.start :]
        tag = BaseTag(element.tag)
        one = RawDataElement(tag, _vr(element), len(value), value, 0, *encoding)
        dataset = Dataset({tag: one}, parent_encoding=list(charset))
    dataset.set_original_encoding(*encoding, list(charset))
    return dataset


def _vr(element: EncodedElement) -> str | None:
    """The VR to decode an element with.

    Where the standard leaves it to other elements (pixel representation, a descriptor), which may not be at hand,
    one is chosen that any value fits; bytes that stay are never written with it.
    """
    if element.vr not in ("", "UN") or not dictionary_has_tag(element.tag):
        return element.vr or None
    choices = dictionary_VR(element.tag).split(" or ")
    if len(choices) == 1:
        return element.vr or None
    return "OW" if "OW" in choices else choices[0]


def creator_element(raw: bytes, encoding: Encoding) -> RawDataElement:
    """A private creator element from its bytes."""
    order = "little" if encoding.little else "big"
    tag = int.from_bytes(raw[:2], order) << 16 | int.from_bytes(raw[2:4], order)  # type: ignore[arg-type]
    value = raw[8:] if encoding.implicit or raw[4:6] != b"UN" else raw[12:]
    return RawDataElement(BaseTag(tag), "LO", len(value), value, 0, *encoding)

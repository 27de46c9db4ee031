"""Values that differ from slice to slice, handled as bytes: UIDs, numbers and times.

Only what needs no second thought is done here, exactly as :class:`~deidra.app.metadata.walk.Walk` would do it;
everything else is left to that. A test compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from pydicom._uid_dict import UID_dictionary
from pydicom.datadict import dictionary_has_tag, dictionary_keyword, dictionary_VR
from pydicom.tag import BaseTag

from deidra.app.domain.model import Action
from deidra.app.load.encoded import Encoding
from deidra.app.metadata.changes import FieldChange
from deidra.app.metadata.dates import DateMode
from deidra.app.metadata.iod import attribute_type
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.memo import Outcome
from deidra.app.metadata.profile import EDITION, Code, Option, Profile
from deidra.app.metadata.walk import NO_INSTANCE

_UID = re.compile(rb"[0-9]+(?:\.[0-9]+)+\0?", re.ASCII)
_DECIMAL = rb"[+-]?(?:\d{1,4}\.?|\d{0,14}\.\d{1,14})(?:[eE][+-]?\d{1,2})?"
_INTEGER = rb"[+-]?\d{1,4}"
"""Longer ones may be identifiers, so they are compared with those."""
_NUMBERS = {
    vr: re.compile(rb"%b(?:\\%b)* ?" % (form, form), re.ASCII) for vr, form in (("DS", _DECIMAL), ("IS", _INTEGER))
}
_TIME = re.compile(rb"(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(?:\.\d{1,6})? ?")
_MOVING = (DateMode.SHIFT, DateMode.FIXED, DateMode.BASELINE)
Handler = Callable[[bytes, bytes], Outcome | None]
"""From an element's bytes and its value to what becomes of it; None: look closer."""


class QuickLeaves:
    """Handlers of simple elements under a profile and a key."""

    def __init__(self, profile: Profile, key: ProjectKey) -> None:
        self._profile = profile
        self._key = key
        self._known: dict[tuple[Encoding, str, tuple[int, ...], int, str], Handler | None] = {}

    def handler(
        self, encoding: Encoding, sop_class: str, parents: tuple[int, ...], tag: int, vr: str
    ) -> Handler | None:
        """The handler of a public element, or None where there is none.

        Args:
            encoding: how the file is encoded.
            sop_class: SOP Class UID of the file.
            parents: tags of the sequences around the element, from the top.
            tag: the element's tag.
            vr: its value representation as the file gives it; empty in implicit encoding.
        """
        key = (encoding, sop_class, parents, tag, vr)
        if key not in self._known:
            self._known[key] = self._find(encoding, sop_class, parents, BaseTag(tag), vr)
        return self._known[key]

    def _find(
        self, encoding: Encoding, sop_class: str, parents: tuple[int, ...], tag: BaseTag, vr: str
    ) -> Handler | None:
        if not dictionary_has_tag(tag) or vr not in ("", dictionary_VR(tag)):
            return None
        vr = dictionary_VR(tag)
        kind = attribute_type(sop_class, parents, int(tag)) if self._profile.depends_on_type(tag) else ""
        code, keyword = self._profile.code(tag, kind), dictionary_keyword(tag)
        path = f"({tag.group:04X},{tag.element:04X})"
        kept = {Code.ABSENT: "not in the profile's table", Code.KEEP: f"{EDITION} action K"}
        if vr == "UI":
            remaps = Option.UIDS not in self._profile.options and not NO_INSTANCE.search(keyword)
            return self._uid(path, keyword, encoding) if remaps and code in (Code.UID, Code.ABSENT) else None
        if vr in _NUMBERS and code in kept:
            return _keeping(_NUMBERS[vr], path, keyword, vr, kept[code])
        if vr == "TM" and code is Code.ABSENT:
            return _keeping(_TIME, path, keyword, vr, kept[code])
        if vr == "TM" and code is Code.CLEAN and self._profile.keeps_times and self._profile.dates in _MOVING:
            return _keeping(_TIME, path, keyword, vr, "dates move by whole days, so times stay")
        return None

    def _uid(self, path: str, keyword: str, encoding: Encoding) -> Handler:
        order: Literal["little", "big"] = "little" if encoding.little else "big"
        width = 4 if encoding.implicit else 2

        def handle(raw: bytes, value: bytes) -> Outcome | None:
            if not _UID.fullmatch(value):
                return None
            old = value.rstrip(b"\0").decode("ascii")
            if old in UID_dictionary:
                return None
            new = self._key.uid(old)
            written = new.encode("ascii") + b"\0" * (len(new) % 2)
            head = raw[: len(raw) - len(value) - width]
            change = FieldChange(path, keyword, "UI", old, new, Action.REMAP, "keyed UID")
            return Outcome(head + len(written).to_bytes(width, order) + written, (change,), {old: new})

        return handle


def _keeping(form: re.Pattern[bytes], path: str, keyword: str, vr: str, reason: str) -> Handler:
    def handle(raw: bytes, value: bytes) -> Outcome | None:
        if not form.fullmatch(value):
            return None
        text = value.decode("ascii").rstrip(" ")
        return Outcome(raw, (FieldChange(path, keyword, vr, text, text, Action.KEEP, reason),), {})

    return handle

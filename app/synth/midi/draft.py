"""A data set in the making, together with what a curator would do with each of its elements."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

from pydicom.datadict import dictionary_VR, tag_for_keyword
from pydicom.dataset import Dataset, FileDataset
from pydicom.multival import MultiValue
from pydicom.sequence import Sequence as Items

from deidra.app.synth.midi.key import Action, Check, Row
from deidra.app.synth.midi.required import KEPT_SEQUENCES, TYPE_1, TYPE_2


@dataclass(frozen=True, slots=True)
class Phi:
    """A private piece of a text and the row of the table that its removal counts in."""

    text: str
    row: Row


@dataclass(frozen=True, slots=True)
class Gap:
    """A piece of a text that may stay or go: ``DOB:`` before a birth date."""

    text: str


Part = str | Phi | Gap
"""A plain string is harmless and must stay."""

_PIXEL_DATA = 0x7FE00010
_LIMITS = {"LO": 64, "SH": 16}
"""Characters in a value (PS3.5 6.2)."""
_GENERIC_WORDS = (
    "hospital clinic clinics center centre medical health healthcare university regional general memorial institute "
    "radiology imaging department dept street road avenue lane drive north south east west saint suite apt unknown "
    "the and for with from year old pacs main"
)
_GENERIC = frozenset(_GENERIC_WORDS.split())
"""Words of names and addresses that a realistic substitute may have as well."""


@dataclass(slots=True)
class Want:
    """What is wanted of one element; the fields are those of :class:`~deidra.app.synth.midi.key.Check`."""

    action: Action
    row: Row
    answer: str = ""
    box: str = ""


@dataclass(slots=True)
class Draft:
    """``dataset`` and the wanted outcome of each element, noted while the elements are filled in.

    Methods take the item to fill (the data set or an item of a sequence) and values by keyword.
    """

    dataset: FileDataset
    _wants: dict[tuple[int, int], list[Want]] = field(default_factory=dict)
    _creators: dict[tuple[int, int], str] = field(default_factory=dict)
    _items: list[Dataset] = field(default_factory=list)
    burned: bool = False

    def plain(self, item: Dataset, **values: Any) -> None:
        """Values that nobody asks about, beyond that required elements are there."""
        for keyword, value in values.items():
            setattr(item, keyword, value)

    def keep(self, item: Dataset, row: Row = Row.REVIEWED, **values: Any) -> None:
        """Values that must stay as they are."""
        for keyword, value in values.items():
            setattr(item, keyword, value)
            self._want(item, keyword, Want(Action.TEXT_RETAINED, row, as_text(item[keyword].value)))

    def gone(self, item: Dataset, row: Row, **values: Any) -> None:
        """Values that are private as a whole."""
        for keyword, value in values.items():
            setattr(item, keyword, value)
            answer = private_words(as_text(item[keyword].value), "")
            if answer:
                self._want(item, keyword, Want(Action.TEXT_REMOVED, row, answer))

    def text(self, item: Dataset, keyword: str, parts: Sequence[Part], row: Row | None = Row.DESCRIPTOR) -> None:
        """A text of private and harmless pieces. ``row`` counts what stays; None: the text may go altogether."""
        tag = int(tag_for_keyword(keyword) or 0)
        limit = _LIMITS.get(dictionary_VR(tag), 1024)
        while len(value := "".join(part if isinstance(part, str) else part.text for part in parts).strip()) > limit:
            parts = parts[:-1]
        setattr(item, keyword, value)
        self._note_parts(item, tag, parts, row)

    def date(self, item: Dataset, kept: bool = True, **values: str | list[str]) -> None:
        """Dates (DA, DT) to be shifted; ``kept`` False for those that must go whatever the dates option says."""
        for keyword, value in values.items():
            setattr(item, keyword, value)
            for text in [value] if isinstance(value, str) else value:
                self._want(item, keyword, Want(Action.DATE_SHIFTED, Row.DATE, text))
                if kept:
                    self._want(item, keyword, Want(Action.TEXT_REMOVED, Row.MODIFIED_DATE, text[:8]))
            if kept and item is self.dataset and item[keyword].VR == "DA":
                self._want(item, keyword, Want(Action.TEXT_NOTNULL, Row.MODIFIED_DATE))

    def uid(self, item: Dataset, known: bool = True, **values: str) -> None:
        """UIDs to be replaced; ``known`` if the set holds the study, series or instance that they name."""
        for keyword, value in values.items():
            setattr(item, keyword, value)
            self._want(item, keyword, Want(Action.UID_CHANGED, Row.OTHER_ID, value))
            if known:
                self._want(item, keyword, Want(Action.UID_CONSISTENT, Row.UID, value))

    def patient_id(self, item: Dataset, value: str) -> None:
        """The patient's number, which must become the same new one everywhere."""
        item.PatientID = value
        self._want(item, "PatientID", Want(Action.PATID_CONSISTENT, Row.PATIENT_ID, value))
        self._want(item, "PatientID", Want(Action.TEXT_REMOVED, Row.BASIC_ZD, value))

    def items(self, parent: Dataset, keyword: str, *children: Dataset) -> None:
        """A sequence of items that are filled in already."""
        setattr(parent, keyword, Items(list(children)))
        self._items += children

    def block(self, item: Dataset, group: int, creator: str) -> PrivateBlock:
        """The private block of ``creator``, made if it is not there."""
        return PrivateBlock(self, item, group, creator)

    def add_private(self, item: Dataset, group: int, creator: str, offset: int, vr: str, value: Any) -> int:
        """Add a private element; returns its tag."""
        block = item.private_block(group, creator, create=True)
        block.add_new(offset, vr, value)
        tag = int(block.get_tag(offset))
        self._creators[id(item), tag] = creator
        return tag

    def hidden(self, text: str, frame: int, box: tuple[int, int, int, int]) -> None:
        """A private text burned into the pixels of ``frame`` (counting from 0) at ``box``."""
        self.burned = True
        place = " ".join(map(str, (frame, *box)))
        self.note(self.dataset, _PIXEL_DATA, Want(Action.PIXELS_HIDDEN, Row.NAME, text, place))

    def checks(self, file: str) -> Iterator[Check]:
        """Every check of the finished data set, in the order of its elements."""
        instance = str(self.dataset.SOPInstanceUID)
        if "PixelData" in self.dataset and not self.burned:
            digest = hashlib.md5(self.dataset.PixelData, usedforsecurity=False).hexdigest()
            self.note(self.dataset, _PIXEL_DATA, Want(Action.PIXELS_RETAINED, Row.PIXELS, digest))
        for dataset in (self.dataset.file_meta, self.dataset):
            for tag, want in self._walk(dataset, "", True):
                yield Check(instance, file, want.row, tag, want.action, want.answer, want.box)

    def _walk(self, item: Dataset, prefix: str, kept: bool) -> Iterator[tuple[str, Want]]:
        modality = str(self.dataset.get("Modality", ""))
        for element in item:
            tag = int(element.tag)
            path = prefix + self._name(item, tag)
            if kept and element.keyword:
                name = element.keyword if prefix else f"{modality}:{element.keyword}"
                if element.keyword in TYPE_1 or name in TYPE_1:
                    yield path, Want(Action.TEXT_NOTNULL, Row.IOD_1)
                elif element.keyword in TYPE_2 or name in TYPE_2:
                    yield path, Want(Action.TAG_RETAINED, Row.IOD_2)
            for want in self._wants.get((id(item), tag), ()):
                yield path, want
            if element.VR == "SQ":
                stays = kept and element.keyword in KEPT_SEQUENCES
                for number, child in enumerate(element.value):
                    yield from self._walk(child, f"{path}[{number}]/", stays)

    def _name(self, item: Dataset, tag: int) -> str:
        group, number = tag >> 16, tag & 0xFFFF
        creator = self._creators.get((id(item), tag))
        return f'({group:04X},"{creator}",{number & 0xFF:02X})' if creator else f"({group:04X},{number:04X})"

    def _want(self, item: Dataset, keyword: str, want: Want) -> None:
        self.note(item, int(tag_for_keyword(keyword) or 0), want)

    def note(self, item: Dataset, tag: int, want: Want) -> None:
        """Note what is wanted of the element ``tag`` of ``item``."""
        self._items.append(item)  # kept alive, so that its id stays its own
        self._wants.setdefault((id(item), tag), []).append(want)

    def _note_parts(self, item: Dataset, tag: int, parts: Sequence[Part], row: Row | None) -> None:
        kept = [part.strip(" ,;:.") for part in parts if isinstance(part, str) and part.strip(" ,;:.")]
        for part in parts:
            answer = private_words(part.text, " ".join(kept)) if isinstance(part, Phi) else ""
            if isinstance(part, Phi) and answer:
                self.note(item, tag, Want(Action.TEXT_REMOVED, part.row, answer))
        if kept and row is not None:
            self.note(item, tag, Want(Action.TEXT_RETAINED, row, " ".join(kept)))


@dataclass(frozen=True, slots=True)
class PrivateBlock:
    """The elements of one private creator in one group; offsets are 00 to FF."""

    draft: Draft
    item: Dataset
    group: int
    creator: str

    def keep(self, offset: int, vr: str, value: Any) -> None:
        """A value that is known to be harmless."""
        tag = self._add(offset, vr, value)
        want = Want(Action.TEXT_RETAINED, Row.PRIVATE_KEEP, as_text(self.item[tag].value))
        self.draft.note(self.item, tag, want)

    def gone(self, offset: int, vr: str, *parts: Part, listed: bool = False) -> None:
        """A private or unknown value; every piece that is not a :class:`Gap` must go.

        ``listed`` says that tables call the element harmless: what must go then counts as the private text it is.
        """
        raw = vr in ("OB", "UN")
        texts = [part if isinstance(part, str) else part.text for part in parts]
        texts = [_ascii(text) for text in texts] if raw else texts
        tag = self._add(offset, vr, _padded("".join(texts)) if raw else "".join(texts))
        for part, text in zip(parts, texts, strict=True):
            answer = "" if isinstance(part, Gap) else private_words(text, "")
            if answer:
                row = part.row if listed and isinstance(part, Phi) else Row.PRIVATE_REMOVE
                self.draft.note(self.item, tag, Want(Action.TEXT_REMOVED, row, answer))

    def date(self, offset: int, vr: str, value: str) -> None:
        """A date, to be shifted or removed."""
        self.draft.note(self.item, self._add(offset, vr, value), Want(Action.DATE_SHIFTED, Row.DATE, value))

    def uid(self, offset: int, vr: str, value: str) -> None:
        """A UID, to be replaced or removed."""
        self.draft.note(self.item, self._add(offset, vr, value), Want(Action.UID_CHANGED, Row.OTHER_ID, value))

    def items(self, offset: int, *children: Dataset) -> None:
        """A private sequence."""
        self._add(offset, "SQ", Items(list(children)))

    def _add(self, offset: int, vr: str, value: Any) -> int:
        return self.draft.add_private(self.item, self.group, self.creator, offset, vr, value)


def private_words(text: str, kept: str) -> str:
    """The words of a private text that can only have stayed if the text did, with blanks between.

    Left out are words under three characters, words such as ``hospital`` that a substitute may have,
    and words that the harmless text around holds as well.
    """
    words = []
    for word in re.split(r"[\s^=\\,;()]+", text):
        word = word.strip(".:'\"")
        enough = len(word) > 2 or (len(word) == 2 and not word.isascii())
        if enough and word.lower() not in _GENERIC and word.lower() not in kept.lower() and word not in words:
            words.append(word)
    return " ".join(words)


def as_text(value: Any) -> str:
    """An element's value as one text; several values are joined with backslashes."""
    if isinstance(value, MultiValue | list | tuple):
        return "\\".join(str(one) for one in value)
    return str(value)


def _padded(text: str) -> bytes:
    data = text.encode("ascii")
    return data + b"\0" * (len(data) % 2)


def _ascii(text: str) -> str:
    return normalize("NFKD", text).encode("ascii", "ignore").decode()

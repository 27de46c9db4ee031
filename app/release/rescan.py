"""The re-scan: every written file is searched again, as a stranger would, before it may leave."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import ahocorasick
from pydicom import Dataset

from deidra.app.decide.policy import Policy
from deidra.app.decide.verdict import is_clear
from deidra.app.detect.documents import page_drafts
from deidra.app.detect.drafts import Draft, region_drafts
from deidra.app.detect.gazetteer import is_safe
from deidra.app.detect.images import StackSearch, dicom_text, page_text
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.locate import TextLocator
from deidra.app.detect.tagger import EntityTagger
from deidra.app.detect.vocabulary import is_eponym_at
from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import bounding_box, intersection_area
from deidra.app.domain.model import AssetKind, FrameText, Identifier, TextLine
from deidra.app.domain.taxonomy import EntityType
from deidra.app.load.dicom import read_dataset
from deidra.app.load.embedded import embedded_pdf
from deidra.app.load.frames import Frames
from deidra.app.load.pages import Pages
from deidra.app.metadata.engine import TEXT_VRS
from deidra.app.redact.plan import Mark
from deidra.app.release.pdf_check import beneath, contents, stray_key, text_layer

_LEAST_NAME_BYTES = 5
_LEAST_CODE_BYTES = 6
_LEAST_PATTERN = 5
_FIRST_CJK = 0x2E80
_AROUND = 60
_NO_TEXT = re.compile(r"[^ -~\xa0-\xff]")
_ENCODINGS = (
    *("latin-1", "utf-8", "utf-16-le", "utf-16-be", "gb18030", "euc-kr", "shift_jis", "euc-jp", "big5"),
    *("cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "iso8859-2", "iso8859-5", "iso8859-7", "iso8859-9"),
)
"""Ways in which names stand in DICOM and PDF files (PS3.3 C.12.1.1.2)."""
_NAMES = (EntityType.PATIENT, EntityType.STAFF)
_CODES = (EntityType.ID_MRN, EntityType.ID_OTHER, EntityType.ID_SSN)


@dataclass(frozen=True, slots=True)
class Leak:
    """Something private in a written file.

    ``where`` is free of PHI. ``in_words``: in the words that a document was given beside its pictures, not in these.
    """

    where: str
    type: EntityType
    in_words: bool = False


_UNREADABLE = Leak("nothing: the written file cannot be read back", EntityType.UNREAD)


class ByteSearch:
    """Searches raw bytes for all identifiers of a project at once (Aho-Corasick).

    Only values that do not occur by chance are searched for: names of five letters and more that are
    no common word (shorter ones in scripts of many characters), identifiers of six characters and
    more, UIDs. Dates are left to the other searches: a shifted date may rightly equal some original
    date. Case is ignored for ASCII; for other letters the usual spellings are searched.
    """

    def __init__(self, identifiers: Iterable[Identifier], uids: Iterable[str]) -> None:
        self._automaton = ahocorasick.Automaton()
        for item in identifiers:
            for value in _byte_values(item):
                for spelling in _spellings(value):
                    for encoding in _ENCODINGS:
                        self._add(spelling, encoding, item.type)
        for uid in uids:
            if len(uid) > 10:
                self._add(uid, "latin-1", None)
        self._automaton.make_automaton()

    def _add(self, text: str, encoding: str, kind: EntityType | None) -> None:
        try:
            pattern = text.encode(encoding).lower().decode("latin-1")
        except UnicodeEncodeError:
            return
        if len(pattern) >= _LEAST_PATTERN:
            width = 2 if encoding.startswith("utf-16") else 1
            self._automaton.add_word(pattern, (kind, len(pattern), width, text.casefold()))

    def search(self, data: bytes, kept: Sequence[str] = ()) -> EntityType | None:
        """The type of the first identifier found in ``data``, those that stand in a kept text excepted."""
        spared = [text.casefold() for text in kept]
        if not len(self._automaton):
            return None
        text = data.lower().decode("latin-1")
        for end, (kind, length, width, word) in self._automaton.iter(text):
            if any(word in keeper for keeper in spared):
                continue
            start = end - length + 1
            before, after = text[max(0, start - width) : start], text[end + 1 : end + 1 + width]
            if kind is None:
                # Part of a longer UID is another UID.
                if not (before.isdigit() or before == "." or after.isdigit() or after == "."):
                    return EntityType.OTHERPHI
            elif not word.isascii() or not (_joins(before) or _joins(after) or _is_eponym(text, start, end + 1)):
                return EntityType(kind)
        return None


def _is_eponym(text: str, start: int, end: int) -> bool:
    """True for a name that stands for no person where it stands: "cooper ligaments"."""
    around = _NO_TEXT.sub("\n", text[max(0, start - _AROUND) : end + _AROUND])
    first = min(start, _AROUND)
    return is_eponym_at(around, first, first + end - start)


def _joins(neighbour: str) -> bool:
    """True when a word goes on there: a letter or digit of ASCII, in one or two bytes."""
    return any(char.isascii() and char.isalnum() for char in neighbour)


def _byte_values(item: Identifier) -> list[str]:
    if item.type in _NAMES:
        words = re.findall(r"[^\W\d_]+", item.value)
        found = [word for word in words if len(word) >= _least_letters(word) and not is_safe(word)]
        # Short names in scripts without blanks are long enough as a whole.
        joined = "".join(word for word in words if ord(min(word)) >= _FIRST_CJK)
        return [*found, joined, item.value] if joined else found
    if item.type in _CODES and len(item.value) >= _LEAST_CODE_BYTES and not is_safe(item.value):
        return [item.value]
    return []


def _spellings(value: str) -> set[str]:
    """A value as it may be written. Capitals of "ß" are "SS" or, in old systems, "ß" itself."""
    letterwise = "".join(c.upper() if len(c.upper()) == 1 else c for c in value)
    return {value, value.lower(), value.upper(), value.title(), letterwise}


def _least_letters(word: str) -> int:
    """Letters that a name must have to be no accident: few where an alphabet has thousands."""
    return 2 if ord(min(word)) >= _FIRST_CJK else _LEAST_NAME_BYTES


class Rescanner:
    """Searches written files for what must not be in them."""

    def __init__(
        self, identifiers: Sequence[Identifier], uids: Iterable[str], policy: Policy, locator: TextLocator
    ) -> None:
        counting = policy.counting(identifiers)
        self._known = KnownIdentifiers(counting)
        self._bytes = ByteSearch(counting, uids)
        self._tagger = EntityTagger(
            self._known, policy.types_off, definitions=policy.defined, times=not policy.dates.times
        )
        self._policy = policy
        self._locator = locator

    def scan(self, data: bytes, kind: AssetKind, decided: Sequence[Mark], kept_texts: Sequence[str]) -> Leak | None:
        """The first leak in a written file, or None.

        Args:
            data: the file as it is on disk.
            kind: what it is.
            decided: places that were redacted, replaced or kept by decision, in pixels of the written file as it is
                searched, with the text that may stand there: surrogates look like PHI and are meant to.
            kept_texts: originals that a curator chose to keep.
        """
        kept = [text for text in kept_texts if text]
        try:
            if kind is not AssetKind.DICOM:
                return self._in_bytes(data, kept) or self._document(data, kind, decided, kept)
            dataset = read_dataset(data)
            leak = self.beside_pixels(data, dataset, kept)
            document = embedded_pdf(dataset)
            if document is not None:
                return leak or self._document(document, AssetKind.PDF, decided, kept)
            return leak or self.leak_on(dicom_text(dataset, self._locator).frames, decided)
        except InputError:
            return _UNREADABLE

    def slices(self) -> SliceScan:
        """A search of written slices of one series, one after the other."""
        return SliceScan(self, StackSearch(self._locator))

    def leak_on(self, frames: Iterable[FrameText], decided: Sequence[Mark]) -> Leak | None:
        """The first leak in what was read on the frames of a written image; see :meth:`scan`."""
        return self._frames(frames, decided, pages=False)

    def beside_pixels(self, data: bytes, dataset: Dataset, kept_texts: Sequence[str]) -> Leak | None:
        """The first leak in a written DICOM file outside its pixels; see :meth:`scan`."""
        kept = [text for text in kept_texts if text]
        return self._in_bytes(data, kept) or self._header(dataset, kept)

    def _in_bytes(self, data: bytes, kept: Sequence[str]) -> Leak | None:
        found = self._bytes.search(data, kept)
        return None if found is None else Leak("the bytes of the file", found)

    def _document(self, data: bytes, kind: AssetKind, decided: Sequence[Mark], kept: list[str]) -> Leak | None:
        leak = self._structure(data, decided, kept) if kind is AssetKind.PDF else None
        return leak or self._frames(page_text(Pages(data, kind), self._locator).frames, decided, pages=True)

    def _structure(self, data: bytes, decided: Sequence[Mark], kept: list[str]) -> Leak | None:
        """What leaks in a PDF beside its pictures."""
        stray = stray_key(data)
        if stray:
            return Leak(f"the structure of the PDF ({stray})", EntityType.OTHERPHI)
        for content in contents(data):
            found = self._bytes.search(content, kept)
            if found is not None:
                return Leak("a stream of the PDF", found)
        page = beneath(data, decided)
        if page is not None:
            return Leak(f"the text layer of page {page + 1}, under a box", EntityType.OTHERPHI, in_words=True)
        leak = self._frames(text_layer(data), decided, True, "text layer")
        return None if leak is None else replace(leak, in_words=True)

    def _header(self, dataset: Dataset, kept: list[str]) -> Leak | None:
        for element in dataset.iterall():
            if str(element.VR) not in TEXT_VRS or element.value is None:
                continue
            text = str(element.value)
            if text in kept:
                continue
            for span in self._known.spans(text):
                exact = span.score >= 0.97 and span.type not in (EntityType.DATE_BIRTH, EntityType.DATE_OTHER)
                if exact:
                    return Leak(f"header element {element.tag}", span.type)
        return None

    def _drafts(self, frame: FrameText, pages: bool, own: Iterable[Mark]) -> list[Draft]:
        """What is private in a text, by the rule that it was decided by.

        On pages a place that was decided on keeps its label: otherwise what stands below would be taken for its value.
        """
        if pages:
            covered = tuple(TextLine(mark.polygon, "", (), ()) for mark in own)
            return page_drafts(replace(frame, lines=(*frame.lines, *covered)), self._tagger, self._policy.page_rules)
        return region_drafts(frame, self._tagger, unknown_words=True)

    def _frames(
        self, frames: Iterable[FrameText], decided: Sequence[Mark], pages: bool, part: str = "pixels"
    ) -> Leak | None:
        for frame in frames:
            # What stands on all frames was decided on wherever it was first seen.
            own = [mark for mark in decided if mark.frame is None or frame.index in (None, mark.frame)]
            boxes = [bounding_box(mark.polygon) for mark in own]
            for draft in self._drafts(frame, pages, own):
                # What can be read leaks, also where one detector alone sees it or is in doubt.
                if draft.type is None or draft.polygon is None or not is_clear(draft, self._policy):
                    continue
                here = bounding_box(draft.polygon)
                if not any(intersection_area(here, box) for box in boxes):
                    word = "page" if pages else "frame"
                    place = f"all {word}s" if frame.index is None else f"{word} {frame.index + 1}"
                    return Leak(f"the {part} of {place}", draft.type)
        return None


class SliceScan:
    """Searches written slices of one series together, as they were searched before; see :class:`StackSearch`.

    Args:
        rescanner: judges what is read.
        search: sees the pixels of one slice after the other.
    """

    def __init__(self, rescanner: Rescanner, search: StackSearch) -> None:
        self._rescanner = rescanner
        self._search = search

    def look(self, number: int, data: bytes, kept_texts: Sequence[str]) -> Leak | None:
        """What leaks in a slice outside its pixels. Where nothing does, the pixels are looked at too.

        Args:
            number: its number in the stack; numbers rise.
            data: the file as it is on disk.
            kept_texts: originals that a curator chose to keep.
        """
        try:
            dataset = read_dataset(data)
            leak = self._rescanner.beside_pixels(data, dataset, kept_texts)
            if leak is None:
                self._search.frame(number, Frames(dataset))
        except InputError:
            return _UNREADABLE
        return leak

    def pixels(self, number: int, decided: Sequence[Mark]) -> Leak | None:
        """What leaks in the pixels of a slice, when all slices were looked at and nothing else leaked in it."""
        return self._rescanner.leak_on(self._search.text_of(number).frames, decided)

"""The re-scan: every written file is searched again, as a stranger would, before it may leave."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import ahocorasick
from pydicom import Dataset

from deidra.app.decide.policy import Policy
from deidra.app.decide.verdict import verdict_of
from deidra.app.detect.drafts import region_drafts
from deidra.app.detect.gazetteer import is_safe
from deidra.app.detect.images import dicom_text, page_text
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.locate import TextLocator
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import Polygon, bounding_box, intersection_area
from deidra.app.domain.model import AssetKind, FrameText, Identifier, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.load.dicom import read_dataset
from deidra.app.load.pages import Pages
from deidra.app.metadata.engine import TEXT_VRS

_LEAST_NAME_BYTES = 5
_LEAST_CODE_BYTES = 6
_NAMES = (EntityType.PATIENT, EntityType.STAFF)
_CODES = (EntityType.ID_MRN, EntityType.ID_OTHER, EntityType.ID_SSN)


@dataclass(frozen=True, slots=True)
class Leak:
    """Something private in a written file. ``where`` is free of PHI."""

    where: str
    type: EntityType


class ByteSearch:
    """Searches raw bytes for all identifiers of a project at once (Aho-Corasick).

    Only values that do not occur by chance are searched for: names of five letters and more that are
    no common word, identifiers of six characters and more, UIDs. Dates are left to the other searches:
    a shifted date may rightly equal some original date.
    """

    def __init__(self, identifiers: Iterable[Identifier], uids: Iterable[str]) -> None:
        self._automaton = ahocorasick.Automaton()
        for item in identifiers:
            for value in _byte_values(item):
                for encoding in ("latin-1", "utf-8", "utf-16-le"):
                    self._add(value.encode(encoding, "ignore"), item.type)
        for uid in uids:
            if len(uid) > 10:
                self._add(uid.encode("ascii", "ignore"), EntityType.OTHERPHI)
        self._automaton.make_automaton()

    def _add(self, pattern: bytes, kind: EntityType) -> None:
        if len(pattern) >= _LEAST_NAME_BYTES:
            text = pattern.decode("latin-1").lower()
            self._automaton.add_word(text, (kind, len(text)))

    def search(self, data: bytes) -> EntityType | None:
        """The type of the first identifier found in ``data``, upper and lower case alike."""
        if not len(self._automaton):
            return None
        text = data.decode("latin-1").lower()
        for end, (kind, length) in self._automaton.iter(text):
            before, after = text[end - length : end - length + 1], text[end + 1 : end + 2]
            if kind is not EntityType.OTHERPHI and (_joins(before) or _joins(after)):
                continue  # part of a longer word or number
            if kind is EntityType.OTHERPHI and (after.isdigit() or after == ".") and after:
                continue  # a longer UID that starts alike
            return EntityType(kind)
        return None


def _joins(char: str) -> bool:
    return bool(char) and char.isascii() and char.isalnum()


def _byte_values(item: Identifier) -> list[str]:
    if item.type in _NAMES:
        words = re.findall(r"[^\W\d_]+", item.value)
        return [w.lower() for w in words if len(w) >= _LEAST_NAME_BYTES and not is_safe(w)]
    if item.type in _CODES and len(item.value) >= _LEAST_CODE_BYTES and not is_safe(item.value):
        return [item.value.lower()]
    return []


class Rescanner:
    """Searches written files for what must not be in them."""

    def __init__(
        self, identifiers: Sequence[Identifier], uids: Iterable[str], policy: Policy, locator: TextLocator
    ) -> None:
        off = policy.detect.types_off
        self._known = KnownIdentifiers(i for i in identifiers if i.type not in off)
        self._bytes = ByteSearch((i for i in identifiers if i.type not in off), uids)
        self._tagger = EntityTagger(self._known, off)
        self._policy = policy
        self._locator = locator

    def scan(self, data: bytes, kind: AssetKind, covered: Sequence[Polygon], kept_texts: Sequence[str]) -> Leak | None:
        """The first leak in a written file, or None.

        Args:
            data: the file as it is on disk.
            kind: what it is.
            covered: polygons that were redacted, replaced or kept by decision; surrogates drawn there
                look like PHI and are meant to.
            kept_texts: originals that a curator chose to keep.
        """
        kept = [text for text in kept_texts if text]
        found = None if kept else self._bytes.search(data)
        if found is not None:
            return Leak("the bytes of the file", found)
        try:
            if kind is AssetKind.DICOM:
                dataset = read_dataset(data)
                leak = self._header(dataset, kept)
                return leak or self._frames(dicom_text(dataset, self._locator), covered, unknown_words=True)
            return self._frames(page_text(Pages(data, kind), self._locator), covered, unknown_words=False)
        except InputError:
            return Leak("nothing: the written file cannot be read back", EntityType.UNREAD)

    def _header(self, dataset: Dataset, kept: list[str]) -> Leak | None:
        for element in dataset.iterall():
            if str(element.VR) not in TEXT_VRS or element.value is None:
                continue
            text = str(element.value)
            if any(text == k or text in k or k in text for k in kept):
                continue
            for span in self._known.spans(text):
                exact = span.score >= 0.97 and span.type not in (EntityType.DATE_BIRTH, EntityType.DATE_OTHER)
                if exact:
                    return Leak(f"header element {element.tag}", span.type)
        return None

    def _frames(self, frames: Iterable[FrameText], covered: Sequence[Polygon], unknown_words: bool) -> Leak | None:
        boxes = [bounding_box(polygon) for polygon in covered]
        for frame in frames:
            for draft in region_drafts(frame, self._tagger, unknown_words):
                if draft.type is None or draft.polygon is None or verdict_of(draft, self._policy) is not Verdict.AUTO:
                    continue
                here = bounding_box(draft.polygon)
                if not any(intersection_area(here, box) for box in boxes):
                    place = "all frames" if frame.index is None else f"frame or page {frame.index}"
                    return Leak(f"the pixels of {place}", draft.type)
        return None

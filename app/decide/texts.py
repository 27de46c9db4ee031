"""Single texts judged as the product judges them: header values, cells beside their labels, lines, notes."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydicom.datadict import dictionary_VR, tag_for_keyword
from pydicom.tag import Tag as DicomTag

from deidra.app.decide.policy import Policy
from deidra.app.decide.tagging import tagger_of
from deidra.app.decide.verdict import counts, verdict_of
from deidra.app.detect.definitions.together import definition_of
from deidra.app.detect.drafts import Draft, labelled_tags, span_evidence
from deidra.app.detect.entity_model import DEGREES
from deidra.app.detect.fields import entity_type, field_tags, is_read
from deidra.app.detect.gazetteer import is_name, is_safe
from deidra.app.detect.tagger import Tag
from deidra.app.domain.model import Action, Identifier, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.profile import Code, Option, Profile
from deidra.models.entity_tagger import NAME as NETWORK

_PRIVATE_VR = "LO"
"""How the value of an attribute is read that the standard does not list."""
_MOST_REMEMBERED = 50_000
_SINGLE_VRS = frozenset({"LT", "ST", "UT", "UR"})
"""VRs in whose text a backslash parts nothing (PS3.5, 6.2)."""
_NAMING = frozenset(
    {EntityType.PATIENT, EntityType.STAFF, EntityType.HOSPITAL, EntityType.ID_OTHER, EntityType.OTHERPHI}
)
"""Types of attributes whose values also hold words that are nobody's: titles, rooms, models, "UNKNOWN"."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_DIGITS = re.compile(r"\d{3,}")
_DESCRIBING = Profile(frozenset({Option.DESCRIPTORS, Option.STRUCTURED_CONTENT}))
"""Tells attributes that hold descriptions, of which the standard allows to clean the text."""


@dataclass(frozen=True, slots=True)
class JudgedSpan:
    """Characters ``start`` (from 0) up to ``end`` (exclusive) of a text, and what the policy says of them.

    ``score`` is the probability that they are private as ``type``, ``variance`` that of the network's answer where it
    decided, and None where no network was asked. ``definition`` tells which definition of the policy
    finds them, if any.
    """

    start: int
    end: int
    type: EntityType
    text: str
    score: float
    variance: float | None
    verdict: Verdict
    definition: str = ""


class TextJudge:
    """Says which parts of single texts are private, and what the policy says of each.

    What was said of a text is remembered.

    Args:
        policy: the policy in force.
        known: known identifiers; those that count as private under the policy are looked for.
    """

    def __init__(self, policy: Policy, known: Iterable[Identifier] = ()) -> None:
        self._policy = policy
        self._tagger = tagger_of(policy, known)
        self._profile = policy.profile
        self._remembered = functools.lru_cache(_MOST_REMEMBERED)(self.fresh)

    def spans(
        self, text: str, *, tag: str = "", label: str = "", unknown_words: bool = False
    ) -> tuple[JudgedSpan, ...]:
        """Private parts of a text, in order, not overlapping. Types that the policy switches off are left out.

        Args:
            text: the text.
            tag: the keyword of the DICOM attribute whose value the text is. Where the attribute's meaning makes the
                value private (PatientName), it is private as a whole if the policy does not keep it, but for titles,
                degrees and words of everyday; descriptions and what the policy keeps are read. A name that the
                standard does not list is a private attribute's.
            label: the label beside the text, of a cell or of a line on an image; not looked at with a tag.
            unknown_words: the text stands on an image: words of no list and bare numbers are asked about.
        """
        return self._remembered(text, tag, label, unknown_words)

    def fresh(self, text: str, tag: str = "", label: str = "", unknown_words: bool = False) -> tuple[JudgedSpan, ...]:
        """The same, whatever is remembered."""
        if tag:
            drafts = self._of_field(text, tag)
        else:
            drafts = [_draft(text, found) for found in labelled_tags(text, label, self._tagger, unknown_words)]
        return tuple(
            JudgedSpan(
                start,
                end,
                draft.type,
                draft.text,
                draft.score,
                self._told(draft),
                verdict_of(draft, self._policy),
                definition_of(draft.evidence),
            )
            for start, end, draft in drafts
            if draft.type is not None and counts(draft, self._policy)
        )

    def _told(self, draft: Draft) -> float | None:
        return draft.variance if self._tagger.has_network else None

    def _of_field(self, text: str, keyword: str) -> list[tuple[int, int, Draft]]:
        number = tag_for_keyword(keyword)
        if number is None:
            return [_draft(text, found) for found in field_tags("", _PRIVATE_VR, text, self._tagger, private=True)]
        vr = dictionary_VR(number)
        element = DicomTag(number)
        kept = self._profile.code(element) in (Code.KEEP, Code.ABSENT)
        if kept or _DESCRIBING.code(element) is Code.CLEAN:
            tags = field_tags(keyword, vr, text, self._tagger) if is_read(vr, text) else []
            return [_draft(text, found) for found in tags]
        if vr == "TM" and self._policy.dates.times:
            return []
        kind = entity_type(keyword, vr)
        return [found for start, end in _values(text, vr) for found in self._of_value(text, start, end, keyword, kind)]

    def _of_value(
        self, text: str, start: int, end: int, keyword: str, kind: EntityType
    ) -> Iterator[tuple[int, int, Draft]]:
        """Private parts of a value that is private by its attribute: all of it, but for words that are nobody's."""
        value = text[start:end]
        if kind in _NAMING:
            found = self._tagger.tags(value, keyword=keyword)
            read = [tag for tag in found if any(span.agent == NETWORK for span in tag.spans)]
            if read and not _is_more(value, read):
                for tag in read:
                    yield _whole(text, start + tag.start, start + tag.end, tag.type)
                return
        yield _whole(text, start, end, kind)


def _values(text: str, vr: str) -> Iterator[tuple[int, int]]:
    """Where the values of an attribute stand in its text, without padding; several are parted by backslashes."""
    place = 0
    for value in [text] if vr in _SINGLE_VRS else text.split("\\"):
        bare = value.strip(" \0")
        if bare:
            start = place + value.index(bare)
            yield start, start + len(bare)
        place += len(value) + 1


def _is_more(value: str, found: Iterable[Tag]) -> bool:
    """Whether there may be anything private in a value beside what was found: another word than those of everyday."""
    rest = list(value)
    for tag in found:
        rest[tag.start : tag.end] = " " * (tag.end - tag.start)
    left = "".join(rest)
    words = [word for word in _WORD.findall(left) if word.lower() not in DEGREES]
    return bool(_DIGITS.search(left)) or any(is_name(word) or not is_safe(word) for word in words)


def _draft(text: str, tag: Tag) -> tuple[int, int, Draft]:
    part, reason = text[tag.start : tag.end], tag.spans[0].detail
    evidence = tuple(span_evidence(tag, part))
    return (
        tag.start,
        tag.end,
        Draft(None, None, None, part, tag.type, tag.score, tag.variance, Action.REDACT, evidence, reason, tag.certain),
    )


def _whole(text: str, start: int, end: int, kind: EntityType) -> tuple[int, int, Draft]:
    """What is private by its attribute."""
    reason = "private by its attribute"
    draft = Draft(None, None, None, text[start:end], kind, 1.0, 0.0, Action.REMOVE, (), reason, certain=True)
    return start, end, draft

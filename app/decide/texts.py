"""Single texts judged as the product judges them: header values, cells beside their labels, lines, notes."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from pydicom.datadict import dictionary_VR, tag_for_keyword
from pydicom.tag import Tag as DicomTag

from deidra.app.decide.policy import Policy
from deidra.app.decide.tagging import tagger_of
from deidra.app.decide.verdict import counts, verdict_of
from deidra.app.detect.definitions.together import definition_of
from deidra.app.detect.drafts import Draft, labelled_tags, span_evidence
from deidra.app.detect.fields import entity_type, field_tags, is_read
from deidra.app.detect.tagger import Tag
from deidra.app.domain.model import Action, Identifier, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.profile import Code, Option, Profile

_PRIVATE_VR = "LO"
"""How the value of an attribute is read that the standard does not list."""
_MOST_REMEMBERED = 50_000
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
                value private (PatientName), it is private as a whole if the policy does not keep it; descriptions
                and what the policy keeps are read. A name that the standard does not list is a private attribute's.
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
        return [_whole(text, entity_type(keyword, vr))] if text.strip(" \0") else []


def _draft(text: str, tag: Tag) -> tuple[int, int, Draft]:
    part, reason = text[tag.start : tag.end], tag.spans[0].detail
    evidence = tuple(span_evidence(tag, part))
    return (
        tag.start,
        tag.end,
        Draft(None, None, None, part, tag.type, tag.score, tag.variance, Action.REDACT, evidence, reason, tag.certain),
    )


def _whole(text: str, kind: EntityType) -> tuple[int, int, Draft]:
    """A value that is private by its attribute, without the padding around it."""
    start, end = len(text) - len(text.lstrip(" \0")), len(text.rstrip(" \0"))
    reason = "private by its attribute"
    return start, end, Draft(None, None, None, text[start:end], kind, 1.0, 0.0, Action.REMOVE, (), reason, certain=True)

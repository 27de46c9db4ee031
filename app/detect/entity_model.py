"""The entity tagger's network as an agent: what it finds in a text, as spans beside those of rules and lists."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from deidra.app.detect.gazetteer import is_name, is_safe, is_word
from deidra.app.detect.spans import DEFINITION, KNOWN, Span
from deidra.app.detect.vocabulary import eponym_ranges, is_eponym_at, is_imaging_word
from deidra.app.domain.taxonomy import EntityType
from deidra.models.entity_tagger import NAME, EntityModel, TextInput, is_shipped, tagger_calibration
from deidra.models.tagger_pieces import Found

_PERSONS = (EntityType.PATIENT, EntityType.STAFF)
_NAMED = (*_PERSONS, EntityType.HOSPITAL, EntityType.PATORG, EntityType.LOCATION_OTHER)
_COMMON = 0.35
"""Most that a person called by a word of imaging may score: a curator may be asked."""
_LEAST_NAME = 2
_LEAST_TEXT = 5
"""Letters and digits of a text that tell something by themselves; scales and misread graphics have fewer."""
_WORD = re.compile(r"[^\W\d_]{2,}")
DEGREES = frozenset(
    "md do rn np pa phd dds rt ct mr rdms lcsw frcr bsn cnmt mbbs mph jr sr ii iii iv".split()  # noqa: SIM905
)
"""What follows a person's name and is no part of it, or tells nothing without it; dots part some into letters."""
_NUMBER = re.compile(r"\d{4,}")
_PROSE = re.compile(r"(?<![^\W_])[^\W\d_]{3,}(?![^\W_])")
_LEAST_PROSE, _KNOWN_SHARE = 12, 2 / 3
"""Words in small letters that tell a language, and the share of them that lists of English know in an English text."""
_UNLIKELY = 0.1
"""Where any private character is less likely, a word of a list was none in all but one of 109 synthetic texts."""
_WORD_UNLIKELY = 0.02
"""The same for words of no list and bare numbers: none in all but one of 230."""
_DOUBTED, _DOUBTED_IN_PROSE, _SENTENCE = 0.4, 0.6, 2
"""What is left of their score there. In a text of at least so many words in small letters a curator is still asked:
sentences differ more from those that the network knows than lines and header values do."""
TITLE_BEFORE = re.compile(r"\b(?:Dr|Prof|Doctor|Mr|Mrs|Ms|Miss|Nurse|Sister)\b\.?\s*$", re.IGNORECASE)
"""A title right before a name."""
_INITIALS, _MOST_INITIALS = 0.9, 3
"""Initials of staff are also acronyms ("CT", "ER"): from this score on they are believed, up to so many letters."""
_NEW_SENTENCE = re.compile(r"^(?:\s*[.;!?]\s+|\s{2,}|\s*\n\s*)[^\W\d_]+$")
"""A word behind a name that begins another sentence or column."""
_SURE, _SPREAD = 0.85, 0.05
"""Least score and most variance of what the network knows the ends of."""


@functools.cache
def entity_model() -> EntityModel | None:
    """The network, shared by the process; None where it is not installed."""
    return EntityModel() if is_shipped() else None


def model_spans(model: EntityModel, text: str, keyword: str = "", health: bool = False) -> Iterator[Span]:
    """What the network finds private in a text; scores are calibrated, and variances told.

    Args:
        model: the network.
        text: one line, field value or note.
        keyword: of the attribute whose value the text is, if any.
        health: diagnoses are private as well.

    Raises:
        ModelError: the model is damaged.
    """
    if not _is_read(text, keyword):
        return
    for found in model.found(TextInput(text, keyword)):
        if found.type is EntityType.HEALTH and not health:
            continue
        score = round(float(tagger_calibration().probability(found.score)), 4)
        if found.type in _NAMED:
            if _is_vocabulary(text, found):
                continue
            if score > _COMMON and _is_doubtful(text, found):
                score = _COMMON
        yield Span(found.start, found.end, found.type, score, NAME, "reads as such where it stands", found.variance)


def doubted(model: EntityModel, text: str, keyword: str, spans: Iterable[Span], bare: bool = False) -> Iterator[Span]:
    """Spans that only say what a word may be: with less score where the network sees nothing private.

    Args:
        model: the network.
        text: what the spans are of.
        keyword: as for :func:`model_spans`.
        spans: of lists, or of forms.
        bare: they are words of no list and bare forms, of which a curator is asked only.

    Raises:
        ModelError: the model is damaged.
    """
    reading = model.reading(TextInput(text, keyword)) if _is_read(text, keyword) else None
    limit = _WORD_UNLIKELY if bare else _UNLIKELY
    left = _DOUBTED_IN_PROSE if sum(map(str.islower, _PROSE.findall(text))) >= _SENTENCE else _DOUBTED
    for span in spans:
        unlikely = reading is not None and reading.likelihood(span.start, span.end) < limit
        yield replace(span, score=round(span.score * left, 4)) if unlikely else span


def _is_read(text: str, keyword: str) -> bool:
    return bool(keyword) or sum(map(str.isalnum, text)) >= _LEAST_TEXT


def is_foreign(text: str) -> bool:
    """Whether a text is prose of a language that the network has hardly learnt: there it is not believed alone."""
    words = [word for word in _PROSE.findall(text) if word.islower()]
    return len(words) >= _LEAST_PROSE and sum(map(is_word, words)) < _KNOWN_SHARE * len(words)


def _is_vocabulary(text: str, found: Found) -> bool:
    """Whether a name is a letter, in an eponym, of words of imaging alone, or an ordinary word in small letters."""
    if sum(map(str.isalpha, text[found.start : found.end])) < _LEAST_NAME:
        return True
    words = _WORD.findall(text[found.start : found.end])
    if not TITLE_BEFORE.search(text[: found.start]):
        spaced = text.replace("_", " ")
        if any(first < found.end and found.start < last for first, last in eponym_ranges(spaced)):
            return True
        if is_eponym_at(spaced, found.start, found.end):
            return True
    if words and all(map(is_imaging_word, words)):
        return found.type is not EntityType.STAFF or found.score < _INITIALS or len("".join(words)) > _MOST_INITIALS
    return len(words) == 1 and words[0].islower() and is_safe(words[0])


def _is_doubtful(text: str, found: Found) -> bool:
    """Whether a person is called by a word of imaging and words of no list."""
    words = _WORD.findall(text[found.start : found.end])
    imaging = [is_imaging_word(word) for word in words]
    listed = any(is_name(word) for word, known in zip(words, imaging, strict=True) if not known)
    return found.type in _PERSONS and any(imaging) and not listed


def is_anchor(span: Span) -> bool:
    """Whether the network is so sure of a span that its ends count."""
    return span.agent == NAME and span.score >= _SURE and span.variance <= _SPREAD


def anchored(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans, those of rules and lists cut at the ends of what the network is sure of ("Dr. Ayers", "Ayers MD").

    What is cut off goes only if it holds no name, no long number, and no capitalised word behind a span on its line
    that is no degree: a surname may be any word ("Okonkwo Case"). Known identifiers and what the policy
    defines are never cut.
    """
    anchors = sorted((span for span in spans if is_anchor(span)), key=lambda span: span.start)
    found: list[Span] = []
    for span in spans:
        met = [anchor for anchor in anchors if anchor.overlaps(span)]
        if span.agent in (NAME, KNOWN, DEFINITION) or not met:
            found.append(span)
            continue
        found += [replace(span, start=max(span.start, a.start), end=min(span.end, a.end)) for a in met]
        edges = [span.start, *(edge for a in met for edge in (a.start, a.end)), span.end]
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            if start < end and _holds_more(text[start:end], behind=start > span.start):
                found.append(replace(span, start=start, end=end))
    return found


def _holds_more(rest: str, behind: bool) -> bool:
    """Whether what is cut off before or ``behind`` a span may be private."""
    if behind:
        rest = _NEW_SENTENCE.sub("", rest)
    if _NUMBER.search(rest) or any(is_name(word) and not is_safe(word) for word in _WORD.findall(rest)):
        return True
    line = rest.partition("\n")[0] if behind else ""
    return any(word[0].isupper() and word.lower() not in DEGREES for word in _WORD.findall(line))

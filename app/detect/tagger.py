"""The entity tagger: rules, gazetteer and known identifiers together, by union."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from deidra.app.detect.gazetteer import AGENT as GAZETTEER
from deidra.app.detect.gazetteer import is_safe, is_word, name_spans
from deidra.app.detect.known import AGENT as KNOWN
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.rules import rule_spans
from deidra.app.detect.spans import Span
from deidra.app.domain.taxonomy import EntityType

VOCABULARY = "vocabulary"
_NAMES = (EntityType.PATIENT, EntityType.STAFF)
_WORD = re.compile(r"[^\W\d_]+")
_UNKNOWN = (
    (re.compile(r"[^\W\d_]{4,}"), EntityType.PATIENT, "a word of no list"),
    (re.compile(r"(?<![\w.,])\d{5,}(?![\w.,])"), EntityType.ID_OTHER, "a long number without a unit"),
    (re.compile(r"^\d{4}$"), EntityType.ID_OTHER, "a number alone on its line"),
    (re.compile(r"(?<![\w.])\d{1,2}[/\-]\d{3,6}(?![\w.])"), EntityType.DATE_OTHER, "may be a misread date"),
    (re.compile(r"(?<!\w)(?:fe)?male(?!\w)", re.IGNORECASE), EntityType.DEMOG, "sex"),
)
"""Forms that are private often enough to ask a curator, but not to act alone."""
_NAME_GAP = re.compile(r"[\s,^.=\-]{0,3}(?:[^\W\d_]\.?[\s,^.=\-]{1,2})?")
"""What may stand between two parts of one name: blanks, commas, carets, an initial."""


@dataclass(frozen=True, slots=True)
class Tag:
    """Characters ``start`` to ``end`` are private as ``type``, with every span that says so.

    ``score`` is the highest of the spans' scores; ``certain`` is True when a known identifier is among them.
    """

    start: int
    end: int
    type: EntityType
    score: float
    spans: tuple[Span, ...]

    @property
    def certain(self) -> bool:
        """A header value of the project vouches for this tag."""
        return any(span.agent == KNOWN and span.score >= 0.9 for span in self.spans)


class EntityTagger:
    """Says which parts of a text are private.

    Args:
        known: the project's known identifiers.
        types_off: types that the policy does not count as private.
    """

    def __init__(self, known: KnownIdentifiers, types_off: Iterable[EntityType] = ()) -> None:
        self._known = known
        self._off = frozenset(types_off)

    def tags(self, text: str, *, single_names: bool = True, unknown_words: bool = False) -> list[Tag]:
        """Private parts of ``text``, in order, not overlapping.

        Args:
            text: one line, field value or sentence.
            single_names: report single words that may be a name (too noisy for header text).
            unknown_words: report what is of no list or of a doubtful form: rare or misread names, bare numbers.
        """
        spans = [*self._known.spans(text), *(self._doubted(span, text) for span in rule_spans(text))]
        spans += [span for span in name_spans(text) if single_names or span.score >= 0.8]
        if unknown_words:
            spans += self._unknown(text, spans)
        return _merged(text, [span for span in spans if span.type not in self._off])

    @staticmethod
    def _doubted(span: Span, text: str) -> Span:
        """A name made of safe words only ("Name: SUPINE") is hardly one: its score is lowered."""
        if span.type not in _NAMES:
            return span
        words = _WORD.findall(text[span.start : span.end])
        if words and all(is_safe(word) for word in words):
            return replace(span, score=0.35, detail=f"{span.detail}; all its words are common")
        return span

    @staticmethod
    def _unknown(text: str, spans: list[Span]) -> list[Span]:
        found = []
        for pattern, kind, detail in _UNKNOWN:
            for match in pattern.finditer(text):
                if kind is EntityType.PATIENT and is_word(match.group()):
                    continue
                span = Span(match.start(), match.end(), kind, 0.3, VOCABULARY, detail)
                if not any(span.overlaps(other) for other in spans):
                    found.append(span)
        return found


def _merged(text: str, spans: Iterable[Span]) -> list[Tag]:
    """Overlapping spans become one tag, typed by the surest; neighbouring parts of a name are joined."""
    groups: list[list[Span]] = []
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        if groups and _belongs(text, groups[-1], span):
            groups[-1].append(span)
        else:
            groups.append([span])
    return [_tag(group) for group in groups]


def _belongs(text: str, group: list[Span], span: Span) -> bool:
    end = max(s.end for s in group)
    if span.start < end:
        return True
    names = span.type in _NAMES and all(s.type in _NAMES for s in group)
    return names and bool(_NAME_GAP.fullmatch(text[end : span.start]))


_RANK = {KNOWN: 2, GAZETTEER: 0, VOCABULARY: 0}


def _tag(group: list[Span]) -> Tag:
    best = max(group, key=lambda s: (s.score, _RANK.get(s.agent, 1)))
    return Tag(min(s.start for s in group), max(s.end for s in group), best.type, best.score, tuple(group))

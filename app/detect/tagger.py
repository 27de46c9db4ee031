"""The entity tagger: rules, gazetteer, known identifiers, a network and the policy's definitions together, by union."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from deidra.app.detect.comparable import Comparable, comparable
from deidra.app.detect.definitions.together import Definitions
from deidra.app.detect.entity_model import anchored, doubted, entity_model, is_anchor, is_foreign, model_spans
from deidra.app.detect.gazetteer import AGENT as GAZETTEER
from deidra.app.detect.gazetteer import is_given_name, is_name, is_safe, is_word, name_spans
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.names import SEX_AND_AGE
from deidra.app.detect.places import end_of_address, place_spans
from deidra.app.detect.rules import (
    BEFORE_DEGREE,
    CALLED_INSTITUTION,
    DICOM_NAME,
    FORMER_NAME,
    INSTITUTION,
    UID,
    rule_spans,
    standard_uids,
    time_spans,
)
from deidra.app.detect.spans import KNOWN, Span
from deidra.app.detect.vocabulary import PARTICLES, is_before_noun, is_imaging_word
from deidra.app.domain.taxonomy import EntityType
from deidra.models.entity_tagger import NAME as NETWORK

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
_OTHER_LABEL = re.compile(
    r"(?:protocol|series|study|sequence|coil|file|device|station|scan|program|view|part|procedure|exam|study|image|layout"
    r"|position)\s*(?:nom|name)\s*[:=]\s*$",
    re.IGNORECASE,
)
"""Labels that hold "name" and name no person."""
_WORD_BEFORE = re.compile(r"(?<![\w^])([^\W\d_][^\W\d_'’\-]+)[ ]+$")
_WORD_AFTER = re.compile(r"[ ]+([^\W\d_][^\W\d_'’\-]+)(?!\w)")
_LAST_WORD = re.compile(r"(?<![\w'’])([^\W\d_a-z][^\W\d_]+)[,\s]*$")
_RIGHT = re.compile(r",?\s+RT\b")
"""A degree of technologists, far more often the right side."""
_BETTER_TYPE = 0.7
"""Least score of the network's type. Of 552 synthetic texts where a rule told another, it was right in 525."""
_SAYS = 0.5
"""Least score of a span that counts as agreement."""
_NAME_GAP = re.compile(r"(?!\.\s*\n)[\s,^.=\-]{0,3}(?:[^\W\d_]\.?[\s,^.=\-]{1,2})?")
"""What may stand between two parts of one name: blanks, commas, carets, an initial."""


@dataclass(frozen=True, slots=True)
class Tag:
    """Characters ``start`` to ``end`` are private as ``type``, with every span that says so.

    ``score`` is the highest of the spans' scores, ``variance`` that of the span which decided the type; ``certain`` is
    True when a known identifier is among them.
    """

    start: int
    end: int
    type: EntityType
    score: float
    spans: tuple[Span, ...]
    variance: float = 0.0

    @property
    def certain(self) -> bool:
        """A header value of the project vouches for this tag."""
        return any(span.agent == KNOWN and span.score >= 0.9 for span in self.spans)


class EntityTagger:
    """Says which parts of a text are private.

    Args:
        known: the project's known identifiers.
        types_off: types that the policy does not count as private.
        network: texts are read by the network as well, if it is installed.
        health: what the network finds of diagnoses is private as well.
        definitions: what finds the types that the policy defines; these are private whatever types are off.
        times: times of day are private.
    """

    def __init__(
        self,
        known: KnownIdentifiers,
        types_off: Iterable[EntityType] = (),
        *,
        network: bool = False,
        health: bool = False,
        definitions: Definitions | None = None,
        times: bool = False,
    ) -> None:
        self.known = known
        self._model = entity_model() if network else None
        self._health = health
        self._times = times
        self._off, self.definitions = frozenset(types_off), definitions or Definitions()

    @property
    def has_network(self) -> bool:
        """Whether texts are read by the network as well."""
        return self._model is not None

    def tags(
        self,
        text: str,
        *,
        keyword: str = "",
        single_names: bool = True,
        unknown_words: bool = False,
        title: bool = False,
        terms: bool = False,
        more: Sequence[Span] = (),
    ) -> list[Tag]:
        """Private parts of ``text``, in order, not overlapping.

        Args:
            text: one line, field value or sentence.
            keyword: of the attribute whose value the text is; it tells the network what to expect.
            single_names: report single words that may be a name or place (too noisy for header text).
            unknown_words: report what is of no list or of a doubtful form: rare or misread names, bare numbers.
            title: the text is the title of an application entity or the name of a station: known identifiers alone
                count, also where they are glued to other words.
            terms: the text is a term of some vocabulary, which the network is not asked about.
            more: what is known of parts of it from elsewhere.
        """
        composed = comparable(text)
        if composed is not None:
            tags = self.tags(
                composed.text,
                keyword=keyword,
                single_names=single_names,
                unknown_words=unknown_words,
                title=title,
                terms=terms,
            )
            return [_placed(tag, composed) for tag in tags]
        spans = [*self.known.spans(text, title), *more]
        lists: list[Span] = []
        if not title:
            spans += _checked_rules(text, spans)
            spans += _before_age(text)
            spans += time_spans(text) if self._times else ()
            lists = [s for s in (*name_spans(text), *place_spans(text)) if single_names or s.score >= 0.8]
        unknown = self._unknown(text, [*spans, *lists]) if unknown_words else []
        if self._model and not title and not terms:
            read = list(model_spans(self._model, text, keyword, self._health))
            unknown = [one for one in unknown if not any(one.overlaps(other) for other in read)]
            # In prose of other languages the network tells more of what others find, and nothing by itself.
            if is_foreign(text):
                read = [one for one in read if any(one.overlaps(other) for other in (*spans, *lists))]
            else:
                lists = list(doubted(self._model, text, keyword, lists))
                unknown = list(doubted(self._model, text, keyword, unknown, bare=True))
            spans += read
        found = _without_uids(text, [*spans, *lists, *unknown])
        return _merged(text, anchored(text, self.definitions.counting(text, keyword, found, self._off)))

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


def _placed(tag: Tag, composed: Comparable) -> Tag:
    """A tag of a comparable text in places of the text as it is."""
    spans = []
    for span in tag.spans:
        start, end = composed.place(span.start, span.end)
        spans.append(replace(span, start=start, end=end))
    start, end = composed.place(tag.start, tag.end)
    return replace(tag, start=start, end=end, spans=tuple(spans))


def _before_age(text: str) -> Iterator[Span]:
    """Listed names directly before sex and age ("HILL M 45Y")."""
    for match in SEX_AND_AGE.finditer(text):
        start = match.start()
        while (word := _LAST_WORD.search(text[:start])) and is_name(word[1]) and not is_imaging_word(word[1]):
            start = word.start()
        if start < match.start():
            yield Span(start, match.start(), EntityType.PATIENT, 0.8, GAZETTEER, "name before sex and age")


def _checked_rules(text: str, known: list[Span]) -> list[Span]:
    """What the rules say, names without the words around them that belong to no name."""
    found = []
    for span in rule_spans(text):
        checked: Span | None = span
        if span.type in _NAMES:
            checked = _dicom_name(span, text) if span.detail == DICOM_NAME else _labelled_name(span, text, known)
        elif span.type is EntityType.HOSPITAL and span.detail in (INSTITUTION, CALLED_INSTITUTION):
            checked = _institution(span, text)
        elif span.type is EntityType.LOCATION_ADDRESS:
            checked = replace(span, end=end_of_address(text, span.end))
        if checked is not None:
            found.append(checked)
    return found


def _labelled_name(span: Span, text: str, known: list[Span]) -> Span | None:
    """A name after its label ends before vocabulary; one of safe words only ("Name: SUPINE") is hardly a name."""
    words = list(_WORD.finditer(text, span.start, span.end))
    end = span.end
    for number, match in enumerate(words):
        if number and _ends_name(match.group(), text) and not any(k.start <= match.start() < k.end for k in known):
            end = span.start + len(text[span.start : match.start()].rstrip(" ,.;:-^/"))
            words = words[:number]
            break
    span = replace(span, end=end)
    if not words or not all(is_safe(match.group()) for match in words):
        return span
    if all(len(match.group()) < 2 or is_imaging_word(match.group()) for match in words) and _OTHER_LABEL.search(
        text[: span.start][-30:]
    ):
        return None
    if is_imaging_word(words[-1].group()) and is_before_noun(text, span.end):
        return None
    if span.detail == BEFORE_DEGREE and (
        not any(is_name(match.group()) for match in words)
        or (_RIGHT.match(text, span.end) and any(is_imaging_word(match.group()) for match in words))
        or (_RIGHT.match(text, span.end) and not any(is_given_name(match.group()) for match in words))
    ):
        return None
    score = 0.6 if span.detail == FORMER_NAME else 0.35
    return replace(span, score=score, detail=f"{span.detail}; all its words are common")


def _institution(span: Span, text: str) -> Span | None:
    """The name of an institution without ordinary words around it ("OUTSIDE FILMS Mercy Valley Medical Center")."""
    words = list(_WORD.finditer(text, span.start, span.end))
    mixed = not text[span.start : span.end].isupper()
    if span.detail == CALLED_INSTITUTION:
        while len(words) > 2 and is_imaging_word(words[-1].group()) and words[-1].group().lower() not in PARTICLES:
            words.pop()
        return replace(span, end=words[-1].end())
    first = 0
    while first < len(words) - 2 and _is_no_institution(words[first].group(), mixed):
        first += 1
    return replace(span, start=words[first].start() if first else span.start)


def _is_no_institution(word: str, mixed: bool) -> bool:
    if word.lower() in PARTICLES or len(word) < 2:
        return False
    return is_imaging_word(word) or (mixed and len(word) > 4 and word.isupper() and is_safe(word))


def _ends_name(word: str, text: str) -> bool:
    """Whether a word behind a name is none of its parts."""
    if is_imaging_word(word):
        return True
    if not is_safe(word) or is_name(word):
        return False
    return (word.islower() and word not in PARTICLES) or (text.isupper() and len(word) >= 5)


def _dicom_name(span: Span, text: str) -> Span | None:
    """A name in DICOM form with another family name before it; none of imaging words ("Head^Routine")."""
    words = _WORD.findall(text[span.start : span.end])
    if any(is_imaging_word(word) for word in words) and not any(
        is_name(word) and not is_safe(word) for word in words if not is_imaging_word(word)
    ):
        return None
    start, end = span.start, span.end
    while (before := _WORD_BEFORE.search(text[:start])) and _is_name_only(before[1]):
        start = before.start(1)
    while (after := _WORD_AFTER.match(text[end:])) and _is_name_only(after[1]):
        end += after.end(1)
    span = replace(span, start=start, end=end)
    if all(is_safe(word) for word in words):
        return replace(span, score=0.35, detail=f"{span.detail}; all its words are common")
    return span


def _is_name_only(word: str) -> bool:
    return word[0].isupper() and is_name(word) and not is_safe(word)


def _without_uids(text: str, spans: list[Span]) -> list[Span]:
    """Spans without those in a UID, which is private as a whole, or, of the standard's registry, not at all."""
    whole = [(span.start, span.end) for span in spans if span.detail == UID]
    ranges = [*whole, *standard_uids(text)]
    if not ranges:
        return spans
    return [s for s in spans if s.detail == UID or not any(a < s.end and s.start < b for a, b in ranges)]


def _merged(text: str, spans: Iterable[Span]) -> list[Tag]:
    """Overlapping spans become one tag, typed by the surest; neighbouring parts of a name are joined."""
    ordered = sorted(spans, key=lambda s: (s.start, s.end))
    begins = [span.start for span in ordered if is_anchor(span)]
    groups: list[list[Span]] = []
    for span in ordered:
        if groups and _belongs(text, groups[-1], span, begins):
            groups[-1].append(span)
        else:
            groups.append([span])
    return [_tag(group) for group in groups]


def _belongs(text: str, group: list[Span], span: Span, begins: list[int]) -> bool:
    end = max(s.end for s in group)
    if span.start < end:
        return True
    names = span.type in _NAMES and all(s.type in _NAMES for s in group)
    # Where the network is sure of both, it has seen where one name ends and the next begins.
    apart = span.start in begins and any(is_anchor(s) for s in group)
    return names and not apart and bool(_NAME_GAP.fullmatch(text[end : span.start]))


_RANK = {KNOWN: 3, GAZETTEER: 0, VOCABULARY: 0, NETWORK: 1}


def _tag(group: list[Span]) -> Tag:
    best = max(group, key=lambda s: (s.score, _RANK.get(s.agent, 2)))
    start, end = min(s.start for s in group), max(s.end for s in group)
    read = max((s for s in group if s.agent == NETWORK), key=lambda s: s.score, default=None)
    kind = read.type if read and _tells_more(read, best, end - start) else best.type
    score, variance = best.score, best.variance
    other = max((s for s in group if read and _agrees(s, read)), key=lambda s: s.score, default=None)
    if read and other:
        # Two that know nothing of each other: what both doubt is left.
        score, variance = round(1 - (1 - read.score) * (1 - other.score), 4), read.variance * (1 - other.score)
    return Tag(start, end, kind, max(score, best.score), tuple(group), min(variance, best.variance))


def _agrees(span: Span, read: Span) -> bool:
    """Whether rules or lists say the same kind of most of what the network reads; a bare form says nothing."""
    if span.agent in (NETWORK, KNOWN, VOCABULARY) or span.score < _SAYS:
        return False
    shared = min(span.end, read.end) - max(span.start, read.start)
    alike = span.type.value.split(".")[0] == read.type.value.split(".")[0] or {span.type, read.type} <= set(_NAMES)
    return alike and 2 * shared >= read.end - read.start


def _tells_more(read: Span, best: Span, length: int) -> bool:
    """Whether the network's type counts: lists know no roles, and rules forms, not what stands around them."""
    return best.agent != KNOWN and read.score >= _BETTER_TYPE and 2 * (read.end - read.start) >= length

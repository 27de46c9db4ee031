"""What a definition finds in a text: codes of its shapes, texts like its examples, what it takes over from rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from deidra.app.detect.definitions.definition import Definition, folded
from deidra.app.detect.definitions.shapes import Shape, compact
from deidra.app.detect.definitions.standard import NEAR, singular
from deidra.app.detect.definitions.strength import probability, share_elsewhere
from deidra.app.detect.definitions.words import Prototype
from deidra.app.detect.spans import DEFINITION, Span
from deidra.app.domain.taxonomy import EntityType

_BEFORE, _BEHIND = 48, 16
"""Characters before and behind a match in which a context word counts."""
_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_LEAST_STEM = 5
_EXAMPLE = 0.97
"""Score of a text that is an example."""
_ALIKE, _ALIKE_NEAR, _FOR_LIKENESS, _TAKEN = 0.3, 0.65, 0.2, 0.5
"""Scores of a text that is only like an example, the same near a context word, what is added for full likeness, and the
score of another type's bare value. None of them is enough to act alone."""
_LEAST_ALIKE, _LEAST_ALIKE_NEAR = 0.45, 0.25
_LEAST = 0.3
"""A match is asked about at least; what is surely none is a counter-example."""
_MOST = 0.98
_SLIP = 0.6
"""Share of what a code would score that is left to one with a character that was read wrongly."""


@dataclass(frozen=True, slots=True)
class Match:
    """Characters ``start`` (from 0) to ``end`` (exclusive) of a text, which are ``text``, may be of a defined type.

    ``score`` is the probability (0 to 1) that they are; ``near`` tells whether a context word stands near, ``form``
    which of the definition's shapes or ways it was.
    """

    start: int
    end: int
    text: str
    score: float
    near: bool
    form: str


@dataclass(frozen=True, slots=True)
class Misread:
    """A form as readers may read it: its ``pattern``, ``share`` of other texts, and its fewest and most letters."""

    pattern: re.Pattern[str]
    share: float
    letters: tuple[int, int]

    def matches(self, text: str) -> bool:
        """Whether a text that has the pattern is a code in which one character was read wrongly."""
        count = sum(map(str.isalpha, text))
        return self.letters[0] - 1 <= count <= self.letters[1] + 1


@dataclass(frozen=True, slots=True)
class Form:
    """One induced regular expression: what it says in ``words``, and its ``share`` (0 to 1) of other texts.

    ``number`` is the same without fixed letters at its beginning, where there are any; ``misread`` as it may be read.
    """

    pattern: re.Pattern[str]
    words: str
    share: float
    needs_digit: bool = False
    number: re.Pattern[str] | None = None
    misread: Misread | None = None

    def matches(self, text: str) -> bool:
        """Whether all of ``text`` is of this form."""
        return self.pattern.fullmatch(text) is not None and self.suits(text)

    def suits(self, found: str) -> bool:
        """Whether what the pattern has found counts: where a word would match as well, if there is a digit in it."""
        return not self.needs_digit or any(map(str.isdigit, found))


class Matcher:
    """Finds a type that was defined; :func:`deidra.app.detect.definitions.induce.induced` makes it.

    Args:
        definition: the definition.
        forms: what its codes look like; empty for words.
        types: types of Deidra's own that the definition names; where it does, they find most of it.
        near_types: types that an example shows to be meant as well, as they cannot be told from those named.
        type: the type of what is found.
    """

    def __init__(
        self,
        definition: Definition,
        forms: Sequence[Form],
        types: tuple[EntityType, ...],
        near_types: frozenset[EntityType],
        type: EntityType,
    ) -> None:
        self.definition = definition
        self.forms = tuple(forms)
        self.types = types
        self.type = type
        self.words = (
            () if definition.pattern else tuple(text for text in definition.examples if not self._has_form(text))
        )
        self._near_types = near_types
        self._examples = frozenset(map(folded, definition.examples))
        self._counter = frozenset(map(folded, definition.counter_examples))
        self._prototype = Prototype(self.words, definition.counter_examples) if self.words else None
        refused = sum(any(form.matches(text) for form in self.forms) for text in definition.counter_examples)
        self._trust = (1 + len(definition.examples)) / (1 + len(definition.examples) + refused)

    @property
    def detail(self) -> str:
        """How evidence names the definition."""
        return f"definition: {self.definition.name}"

    @property
    def context_words(self) -> tuple[str, ...]:
        """Words near which a match is surer."""
        return self.definition.context_words

    def _has_form(self, text: str) -> bool:
        return any(form.matches(text) for form in self.forms)

    def matches(self, text: str, context: str = "") -> list[Match]:
        """What is found in a text, in order, not overlapping; of two that overlap, the surer and longer one.

        Args:
            text: one line, field value or sentence.
            context: what stands beside it: a label, or the keyword of an attribute.
        """
        found = [*self._codes(text, context), *self._misread(text, context), *self._alike(text, context)]
        found.sort(key=lambda match: (-match.score, match.start - match.end, match.start))
        kept: list[Match] = []
        for match in found:
            if not any(match.start < other.end and other.start < match.end for other in kept):
                kept.append(match)
        return sorted(kept, key=lambda match: match.start)

    def spans(self, text: str, context: str = "") -> Iterator[Span]:
        """The matches as evidence."""
        for match in self.matches(text, context):
            yield Span(match.start, match.end, self.type, match.score, DEFINITION, self.detail)

    def taken_over(self, text: str, others: Iterable[Span], context: str = "") -> Iterator[Span]:
        """Values of other types that may be of the one defined: a bare date, where dates of birth are private.

        Where an example is such a value, or a context word stands near, they count as much as they do elsewhere. Else
        they are asked about: all of them where nothing says what the type looks like, and those that are a code of it
        without its fixed letters where something does.
        """
        wanted = {near: kind for kind in self.types for near in NEAR.get(kind, ()) if near not in self.types}
        for span in others:
            part = text[span.start : span.end]
            if span.type not in wanted or folded(part) in self._counter:
                continue
            meant = span.type in self._near_types or self._near(text, span.start, span.end, context)
            if meant or not self.forms or any(form.number and form.number.fullmatch(part) for form in self.forms):
                score = span.score if meant else min(span.score, _TAKEN)
                yield Span(span.start, span.end, wanted[span.type], score, DEFINITION, self.detail, span.variance)

    def is_label(self, text: str) -> bool:
        """Whether a text holds nothing but context words and words such as "number"."""
        words = singular(text).split()
        rest = [word for word in words if not _is_context(word, self.context_words)]
        return bool(words) and len(rest) < len(words) and all(word in _LABEL_WORDS for word in rest)

    def _codes(self, text: str, context: str) -> Iterator[Match]:
        for form in self.forms:
            for match in form.pattern.finditer(text):
                start, end = match.span()
                if start == end or not form.suits(match.group()) or folded(match.group()) in self._counter:
                    continue
                near = self._near(text, start, end, context)
                score = max(_LEAST, probability(form.share, near) * (1.0 if near else self._trust))
                if folded(match.group()) in self._examples:
                    score = max(score, _EXAMPLE)
                yield Match(start, end, match.group(), round(min(score, _MOST), 4), near, form.words)

    def _misread(self, text: str, context: str) -> Iterator[Match]:
        """Codes in which a reader took one character for another that looks so: a curator is asked."""
        for form, loose in [(form, form.misread) for form in self.forms if form.misread]:
            for match in loose.pattern.finditer(text):
                part = match.group()
                if self._has_form(part) or not loose.matches(part) or folded(part) in self._counter:
                    continue
                near = self._near(text, *match.span(), context)
                score = round(_SLIP * probability(loose.share, near) * (1.0 if near else self._trust), 4)
                if score >= _LEAST:
                    yield Match(*match.span(), part, score, near, f"{form.words}, one of them misread")

    def _alike(self, text: str, context: str) -> Iterator[Match]:
        if self._prototype is None:
            return
        for one in self._prototype.found(text):
            part = text[one.start : one.end]
            if folded(part) in self._counter:
                continue
            near = self._near(text, one.start, one.end, context)
            if one.same:
                yield Match(one.start, one.end, part, _EXAMPLE * one.score, near, "an example")
            elif not self.types and one.score >= (_LEAST_ALIKE_NEAR if near else _LEAST_ALIKE):
                score = (_ALIKE_NEAR if near else _ALIKE) + _FOR_LIKENESS * one.score
                yield Match(one.start, one.end, part, round(score, 4), near, "like an example")

    def _near(self, text: str, start: int, end: int, context: str) -> bool:
        around = f"{context} {text[max(0, start - _BEFORE) : start]} {text[end : end + _BEHIND]}"
        return any(_is_context(token.lower(), self.context_words) for token in _TOKEN.findall(around))


_LABEL_WORDS = frozenset("number no nr num id code name is".split())  # noqa: SIM905


def _is_context(token: str, words: Sequence[str]) -> bool:
    own = singular(token)
    return any(
        own == part
        or (len(part) >= _LEAST_STEM and len(own) >= _LEAST_STEM and (own.startswith(part) or part.startswith(own)))
        for word in words
        for part in word.split()
    )


def form_of_shape(shape: Shape, needs_digit: bool) -> Form:
    """A shape as a form that finds it."""
    number, loose = shape.number, shape.misread
    return Form(
        re.compile(shape.pattern),
        shape.words,
        share_elsewhere(shape.pattern),
        needs_digit,
        re.compile(number.pattern) if number else None,
        Misread(re.compile(loose.pattern), share_elsewhere(loose.pattern), shape.letters) if loose else None,
    )


def is_code(example: str) -> bool:
    """Whether an example is a code: there is a digit in it."""
    return any(map(str.isdigit, compact(example)))

"""Shapes of codes: runs of letters and digits with separators between them, generalised from examples.

``A12345678`` is a letter and eight digits; ``AB-12`` and ``CD-345`` are two capitals, a dash, and two or three digits.
Shapes only ever widen, so that what matched with fewer examples matches with more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

MOST_REPEATS = 99
"""Characters of one run that a description may ask for."""
_LEAST_PREFIX = 2
"""Letters that are taken for a fixed prefix where all examples share them; a single letter is one of many."""
_RUN = re.compile(r"[^\W\d_]+|\d+|\s+|[\W_]", re.ASCII)
_BEFORE = r"(?<![^\W_])(?<!\d[.,/\-])"
_AFTER = r"(?![^\W_])(?![.,/\-]\d)"
"""A code is no part of a longer word, number, date or UID."""


class Kind(StrEnum):
    """Which characters a run is made of."""

    DIGIT = "digit"
    UPPER = "capital letter"
    LOWER = "small letter"
    LETTER = "letter"
    ALNUM = "letter or digit"
    FIXED = "fixed"


_CLASSES = {
    Kind.DIGIT: "[0-9]",
    Kind.UPPER: "[A-Z]",
    Kind.LOWER: "[a-z]",
    Kind.LETTER: "[A-Za-z]",
    Kind.ALNUM: "[A-Za-z0-9]",
}
_LIKE_DIGITS, _LIKE_LETTERS = "OoIlSBZ", "01258"
"""Letters that readers take for digits, and digits that they take for letters."""
_LETTERS = (Kind.UPPER, Kind.LOWER, Kind.LETTER)


@dataclass(frozen=True, slots=True)
class Run:
    """``least`` to ``most`` characters of one kind, or the fixed ``text``.

    ``grouped`` digits may have single blanks, dashes or dots between them, as in telephone numbers.
    ``loose`` runs hold what looks like their characters as well.
    """

    kind: Kind
    least: int = 1
    most: int = 1
    text: str = ""
    grouped: bool = False
    loose: bool = False

    @property
    def pattern(self) -> str:
        """The run as a regular expression."""
        if self.kind is Kind.FIXED:
            return r"\s+" if self.text.isspace() else re.escape(self.text)
        one = _CLASSES[self.kind]
        if self.loose:
            one = f"{one[:-1]}{_LIKE_DIGITS if self.kind is Kind.DIGIT else _LIKE_LETTERS}]"
        if self.grouped:
            return f"{one}(?:[ .-]?{one}){{{self.least - 1},{self.most - 1}}}"
        return one + (f"{{{self.least}}}" if self.least == self.most else f"{{{self.least},{self.most}}}")

    @property
    def misread(self) -> Run:
        """The run as readers of images may read it: letters for digits and digits for letters that look so."""
        return replace(self, loose=self.kind is not Kind.FIXED)

    @property
    def words(self) -> str:
        """The run in words."""
        if self.kind is Kind.FIXED:
            return "a blank" if self.text.isspace() else f'"{self.text}"'
        count = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
        plural = "s" if self.most > 1 else ""
        name = f"letter{plural} or digit{plural}" if self.kind is Kind.ALNUM else f"{self.kind.value}{plural}"
        return f"{count} {name}{', blanks or dashes between them' if self.grouped else ''}"


@dataclass(frozen=True, slots=True)
class Shape:
    """The runs of a code, in order."""

    runs: tuple[Run, ...]

    @property
    def pattern(self) -> str:
        """The shape as a regular expression that takes whole codes only."""
        return (
            _BEFORE + "".join(_with_gap(a, b) for a, b in zip(self.runs, [*self.runs[1:], None], strict=True)) + _AFTER
        )

    @property
    def words(self) -> str:
        """The shape in words."""
        return ", ".join(run.words for run in self.runs)

    @property
    def number(self) -> Shape | None:
        """The shape without the fixed letters before its number, which are often left out; None: there are none."""
        rest = list(self.runs)
        while rest and rest[0].kind is Kind.FIXED:
            rest.pop(0)
        return Shape(tuple(rest)) if rest and len(rest) < len(self.runs) else None

    @property
    def misread(self) -> Shape | None:
        """The shape as readers of images may read it; None for shapes without digits."""
        if not any(run.kind is Kind.DIGIT for run in self.runs):
            return None
        return Shape(tuple(run.misread for run in self.runs))

    @property
    def letters(self) -> tuple[int, int]:
        """The fewest and the most letters of a text of this shape."""
        held = [run for run in self.runs if run.kind is not Kind.DIGIT]
        fixed = sum(sum(map(str.isalpha, run.text)) for run in held if run.kind is Kind.FIXED)
        free = [run for run in held if run.kind is not Kind.FIXED]
        return fixed + sum(r.least for r in free if r.kind is not Kind.ALNUM), fixed + sum(r.most for r in free)

    def matches(self, text: str) -> bool:
        """Whether all of ``text`` has this shape."""
        return re.fullmatch(self.pattern, text) is not None


def _with_gap(run: Run, following: Run | None) -> str:
    """A run's expression; readers of images put blanks between a word and its number, or take them away."""
    word = run.text.isalpha() if run.kind is Kind.FIXED else run.kind in _LETTERS and run.most >= _LEAST_PREFIX
    return run.pattern + (" ?" if word and following is not None and following.kind is Kind.DIGIT else "")


def shape_of(example: str) -> Shape:
    """The shape of one example: every run with its length and case."""
    return Shape(tuple(_run(match.group()) for match in _RUN.finditer(example)))


def _run(part: str) -> Run:
    if part.isascii() and part.isdigit():
        return Run(Kind.DIGIT, len(part), len(part))
    if part.isascii() and part.isalpha():
        return Run(_case(part), len(part), len(part), part)
    return Run(Kind.FIXED, text=" " if part.isspace() else part)


def _case(part: str) -> Kind:
    return Kind.UPPER if part.isupper() else Kind.LOWER if part.islower() else Kind.LETTER


def shapes_of(examples: Iterable[str], prefix: str = "") -> tuple[Shape, ...]:
    """The shapes that the examples share: one for each order of letters, digits and separators, in their order.

    Args:
        examples: codes as they are written.
        prefix: letters that are fixed whatever the examples say; an example's first letters if they begin with it.
    """
    met: dict[tuple[str, ...], Shape] = {}
    for example in examples:
        shape = shape_of(example)
        key = tuple(_key(run) for run in shape.runs)
        met[key] = _joined(met[key], shape) if key in met else shape
    return tuple(
        Shape(tuple(_settled(run, prefix if not n else "") for n, run in enumerate(s.runs))) for s in met.values()
    )


def _key(run: Run) -> str:
    return "letters" if run.kind in _LETTERS else run.text if run.kind is Kind.FIXED else run.kind.value


def _joined(one: Shape, other: Shape) -> Shape:
    return Shape(tuple(_widened(a, b) for a, b in zip(one.runs, other.runs, strict=True)))


def _widened(a: Run, b: Run) -> Run:
    kind = a.kind if a.kind is b.kind else Kind.LETTER
    return Run(kind, min(a.least, b.least), max(a.most, b.most), a.text if a.text == b.text else "")


def _settled(run: Run, prefix: str) -> Run:
    """Letters that all examples share are fixed if there are several of them."""
    if run.kind not in _LETTERS:
        return run
    fixed = len(run.text) >= _LEAST_PREFIX or (bool(prefix) and run.text == prefix)
    return Run(Kind.FIXED, text=run.text) if fixed else replace(run, text="")


def compact(text: str) -> str:
    """A text without what separates its letters and digits, in capitals."""
    return re.sub(r"[\W_]+", "", text).upper()


def covers(shapes: Sequence[Shape], example: str) -> bool:
    """Whether an example has one of the shapes, at least when what separates its parts is left out."""
    return any(shape.matches(example) or _without_separators(shape).matches(compact(example)) for shape in shapes)


def _without_separators(shape: Shape) -> Shape:
    kept = [run for run in shape.runs if run.kind is not Kind.FIXED or run.text.isalnum()]
    return Shape(tuple(_any_case(run) for run in kept))


def _any_case(run: Run) -> Run:
    return replace(run, text=run.text.upper()) if run.kind is Kind.FIXED else run

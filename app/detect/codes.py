"""Numbers of the project's people, found in text however they are written: identifiers, phones, dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise

import ahocorasick

from deidra.app.detect.dates import written_dates
from deidra.app.detect.gazetteer import is_safe, plain
from deidra.app.detect.spans import KNOWN, Span
from deidra.app.domain.model import Identifier
from deidra.app.domain.taxonomy import EntityType

_WORD = re.compile(r"[^\W_]+")
_CODE = re.compile(r"[^\W_]+(?:[-/.][^\W_]+)*")
_LOOKALIKES = str.maketrans({"o": "0", "i": "1", "l": "1", "|": "1", "s": "5", "b": "8", "z": "2", "q": "0"})
"""Characters that readers take for one another; both sides of a comparison are folded."""
_LEAST_ID = 4
_LEAST_NUMBER = 5
"""Digits that a number must have to count without its prefix or its leading zeros."""
_LEAST_BROKEN = 7
"""Digits that a number must have to count when it is broken up."""
_PREFIXED = re.compile(r"([^\W\d_]{0,8})[-_#:.]?0*([1-9]\d*)([^\W\d_]?)")
_NUMBERS = re.compile(r"[+(]{0,2}\d[\d\s().\-/]*\d")
_MOST_GROUPS = 6
_LEAST_GLUED = 9
_ODD = re.compile(r"[^\w\-/. ]|_")
"""Characters at which words and codes end, but which identifiers may hold."""
_EXTENSION = re.compile(r"\s*(?:x|ext\.?|#|;)\s*\d+\s*$", re.IGNORECASE)
_BIRTH = re.compile(
    r"(?:d\.?\s?o\.?\s?b|birth|born|bday|geb|naiss|nac|née?)\w*\W*(?:(?:date|am|le)\W*)?$", re.IGNORECASE
)
_MEASURED = re.compile(
    r"\s?(?:mm|cm|ml|m|s|ms|msec|sec|kv|kvp|ma|mas|hz|khz|mhz|mg|mgi|mgy|gy|bq|mbq|hu|kg|g|t|%|deg|°|x\d|/|min|fps)\b",
    re.I,
)
_PARAMETER = re.compile(
    r"(?:^|[^a-z])(?:t[reis]|b|fov|w|l|ww|wl|kv|ma|mas|st|sl|hu|etl|fa|im|se|matrix)\s?[=:]?\s?$", re.I
)


def _folded(text: str) -> str:
    return "".join(c for c in plain(text) if c.isalnum()).translate(_LOOKALIKES)


class KnownCodes:
    """Looks for identifiers: whatever separates, prefixes or pads their characters."""

    def __init__(self) -> None:
        self._codes: dict[str, Identifier] = {}
        self._numbers: dict[str, Identifier] = {}
        self._literals: dict[str, Identifier] = {}
        self._automaton: ahocorasick.Automaton | None = None

    def add(self, item: Identifier) -> None:
        """Make an identifier known; words and short ones are not searched for."""
        folded = _folded(item.value)
        if len(folded) < _LEAST_ID or is_safe(item.value):
            return
        self._codes.setdefault(folded, item)
        literal = item.value.lower()
        if _has_digit(literal) and (_ODD.search(literal) or _is_unmistakable(folded)):
            self._literals.setdefault(literal, item)
            self._automaton = None
        bare = _PREFIXED.fullmatch(re.sub(r"[\s\-/.]", "", item.value))
        # A short number without its letters is too common.
        if bare and not bare[3] and len(bare[2]) >= _LEAST_NUMBER + bool(bare[1]):
            self._numbers.setdefault(bare[2], item)

    def of_number(self, digits: str) -> Identifier | None:
        """The identifier that consists of these digits."""
        return self._codes.get(digits) or self._numbers.get(digits.lstrip("0"))

    def spans(self, text: str) -> Iterator[Span]:
        """Every part of ``text`` that is a known identifier."""
        if not self._codes:
            return
        ends = []
        for pattern in (_CODE, _WORD):
            for match in pattern.finditer(text):
                item = self._of(match.group())
                if item is not None and self._counts(text, match):
                    ends.append(match.span())
                    yield self._span(match.start(), match.end(), item, text)
        words = list(_WORD.finditer(text))
        for left, right in pairwise(words):
            if right.start() - left.end() != 1 or text[left.end()] not in " _":
                continue
            # A prefix and its number, written apart.
            item = self._codes.get(_folded(left.group() + right.group()))
            if (
                item is not None
                and _has_digit(left.group() + right.group())
                and (left.start(), right.end()) not in ends
            ):
                yield self._span(left.start(), right.end(), item, text)

    def literal_spans(self, text: str) -> Iterator[Span]:
        """Identifiers that stand in ``text`` exactly, with separators inside or glued to other letters."""
        lower = text.lower()
        if not self._literals or len(lower) != len(text):
            return
        if self._automaton is None:
            self._automaton = ahocorasick.Automaton()
            for literal in self._literals:
                self._automaton.add_word(literal, literal)
            self._automaton.make_automaton()
        for last, literal in self._automaton.iter(lower):
            start, end = last - len(literal) + 1, last + 1
            before, after = lower[max(0, start - 1) : start], lower[end : end + 1]
            odd = bool(_ODD.search(literal))
            if not (_goes_on(before, literal[0], odd) or _goes_on(after, literal[-1], odd)):
                yield self._span(start, end, self._literals[literal], text)

    def _of(self, word: str) -> Identifier | None:
        folded = _folded(word)
        item = self._codes.get(folded) if len(folded) >= _LEAST_ID else None
        if item is not None:
            # Letters alone are like digits only by accident ("SOLO" and 5010).
            return item if _has_digit(word) or not _has_digit(item.value) else None
        bare = _PREFIXED.fullmatch(re.sub(r"[-/.]", "", word))
        if bare is None or len(bare[2]) < _LEAST_NUMBER or bare[3]:
            return None
        return self._numbers.get(bare[2])

    @staticmethod
    def _counts(text: str, match: re.Match[str]) -> bool:
        word = match.group()
        if is_safe(word) and word.isalpha():
            return False
        if word.isdigit() and len(word) <= _LEAST_NUMBER:
            # Measured values have as many digits.
            return not (_MEASURED.match(text, match.end()) or _PARAMETER.search(text[: match.start()][-10:]))
        return True

    @staticmethod
    def _span(start: int, end: int, item: Identifier, text: str) -> Span:
        word = text[start:end]
        score = 0.6 if word.isdigit() and len(word) <= _LEAST_ID else 0.98
        return Span(start, end, item.type, score, KNOWN, f"the value of {item.source}")


def _has_digit(text: str) -> bool:
    return any(c.isdigit() for c in text)


def _is_unmistakable(folded: str) -> bool:
    """True for identifiers so long that no other word holds them by chance."""
    return len(folded) >= _LEAST_GLUED


def _goes_on(neighbour: str, edge: str, odd: bool) -> bool:
    """True when an identifier is part of a longer one: digits go on, or anything where it is split anyway."""
    return neighbour.isalnum() if odd else neighbour.isdigit() and edge.isdigit()


class KnownNumbers:
    """Looks for phone numbers, and for identifiers of digits that are broken up.

    Args:
        codes: the identifiers.
    """

    def __init__(self, codes: KnownCodes) -> None:
        self._codes = codes
        self._phones: dict[str, list[tuple[str, Identifier]]] = {}

    def add(self, item: Identifier) -> None:
        """Make a phone number known."""
        digits = re.sub(r"\D", "", _EXTENSION.sub("", item.value).replace("(0)", ""))
        national = digits.lstrip("0")
        if len(national) >= _LEAST_BROKEN:
            known = self._phones.setdefault(national[-_LEAST_BROKEN:], [])
            if all(national != other for other, _ in known):
                known.append((national, item))

    def spans(self, text: str) -> Iterator[Span]:
        """Every part of ``text`` that is one of these numbers."""
        for match in _NUMBERS.finditer(text):
            if sum(c.isdigit() for c in match.group()) >= _LEAST_BROKEN:
                yield from self._in(match)

    def _in(self, match: re.Match[str]) -> Iterator[Span]:
        text = match.string
        groups = [m.span() for m in re.finditer(r"\d+", match.group())]
        first = 0
        while first < len(groups):
            for last in range(min(len(groups), first + _MOST_GROUPS) - 1, first - 1, -1):
                start, end = match.start() + groups[first][0], match.start() + groups[last][1]
                found = self._known(text[start:end], last > first)
                if found is not None:
                    # A bracket or plus sign before the number belongs to it.
                    while start > match.start() and text[start - 1] in "+(":
                        start -= 1
                    yield Span(start, end, found.type, 0.98, KNOWN, f"the number in {found.source}")
                    first = last
                    break
            first += 1

    def _known(self, written: str, broken: bool) -> Identifier | None:
        digits = re.sub(r"\D", "", written)
        if len(digits) < _LEAST_BROKEN:
            return None
        if broken:
            item = self._codes.of_number(digits)
            if item is not None:
                return item
        national = re.sub(r"\D", "", written.replace("(0)", "")).lstrip("0")
        for known, item in self._phones.get(national[-_LEAST_BROKEN:], ()):
            shorter, longer = sorted((known, national), key=len)
            if len(shorter) == _LEAST_BROKEN and not broken:
                continue
            alike = next((n for n in range(len(shorter)) if shorter[-1 - n] != longer[-1 - n]), len(shorter))
            # Country codes and leading zeros differ.
            if alike >= 9 or alike == len(shorter):
                return item
        return None


class KnownDays:
    """Looks for dates, in any order of their parts, separated or not."""

    def __init__(self) -> None:
        self._days: dict[date, Identifier] = {}
        self._compact: dict[str, Identifier] = {}

    def add(self, item: Identifier) -> None:
        """Make a day known."""
        for found in written_dates(item.value):
            for day in found.days:
                if day in self._days:
                    continue
                self._days[day] = item
                forms = ["%m%d%Y", "%d%m%Y"]
                if item.type is EntityType.DATE_BIRTH:
                    forms += ["%y%m%d", "%d%m%y", "%m%d%y"]
                for form in forms:
                    self._compact.setdefault(day.strftime(form), item)

    def spans(self, text: str) -> Iterator[Span]:
        """Every part of ``text`` that is a known day."""
        if not self._days or not _has_digit(text):
            return
        for found in written_dates(text):
            for day in sorted(found.days & self._days.keys()):
                item = self._days[day]
                yield Span(found.start, found.end, item.type, 0.98, KNOWN, f"the date in {item.source}")
                break
        for match in re.finditer(r"(?<![\d.])(?:\d{8}|\d{6})(?![\d.]\d|\d)", text):
            known = self._compact.get(match.group())
            # Six digits are too often something else.
            if known is not None and (len(match.group()) == 8 or _BIRTH.search(text[: match.start()][-24:])):
                yield Span(match.start(), match.end(), known.type, 0.95, KNOWN, f"the date in {known.source}")

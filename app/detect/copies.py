"""Pages that are the same page again: scanned twice, copied, or sent on.

Words are compared, not pictures: a copy lies otherwise and is darker, but says the same. All longer numbers must be the
same, so that a form filled in for somebody else is hardly taken for one; a long form that differs in few words is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from rapidfuzz.fuzz import ratio

from deidra.app.detect.vocabulary import plain
from deidra.app.domain.model import FrameText

_WORD = re.compile(r"[^\W_]+")
_SHARED = 0.9
"""Two pages are the same where they share this part of all their words, each counted as often as it occurs."""
_HELD, _LEFT = 0.95, 0.8
"""Or where nearly all words of the one stand on the other, of which it has most: readers miss lines of a poor copy."""
_LEAST_WORDS = 12
"""Pages with fewer words are not compared: blank ones and pictures are all alike."""
_LEAST_NUMBER = 4
"""Digits from which a number must stand on both pages: a copy may lose words, but other numbers are another page."""
_NEAR_WORD = 80
"""Likeness (0 to 100) from which two words are one that was read twice."""
_LEAST_LETTERS = 4
"""Shorter words, and those with digits, are other words where a letter differs."""


def copies(pages: Iterable[FrameText]) -> list[int]:
    """For each page the place (from 0) of the first page that it is a copy of, its own where there is none."""
    firsts: list[tuple[int, Counter[str]]] = []
    holders: dict[str, list[int]] = {}
    found = []
    for place, page in enumerate(pages):
        words = Counter(_words(page))
        same = next((first for first, other in _near(words, firsts, holders) if _is_copy(words, other)), place)
        found.append(same)
        if same == place and words.total() >= _LEAST_WORDS:
            for word in words:
                holders.setdefault(word, []).append(len(firsts))
            firsts.append((place, words))
    return found


def is_copy(page: FrameText, other: FrameText) -> bool:
    """Whether two pages are the same page, each with enough words to tell."""
    words, others = Counter(_words(page)), Counter(_words(other))
    return min(words.total(), others.total()) >= _LEAST_WORDS and _is_copy(words, others)


def _words(page: FrameText) -> Iterator[str]:
    for line in page.lines:
        yield from _WORD.findall(plain(line.text))


def _near(
    words: Counter[str], firsts: list[tuple[int, Counter[str]]], holders: dict[str, list[int]]
) -> Iterator[tuple[int, Counter[str]]]:
    """The pages that share at least half of their kinds of words with a page, in their order."""
    if words.total() < _LEAST_WORDS:
        return
    shared = Counter(number for word in words for number in holders.get(word, ()))
    for number in sorted(number for number, count in shared.items() if 2 * count >= len(words)):
        yield firsts[number]


def _is_copy(words: Counter[str], other: Counter[str]) -> bool:
    if _numbers(words) != _numbers(other):
        return False
    fewer, more = sorted((words.total(), other.total()))
    if fewer < _LEFT * more:
        return False
    shared = (words & other).total() + _misread(words - other, other - words)
    return shared >= _SHARED * (fewer + more - shared) or shared >= _HELD * fewer


def _misread(words: Counter[str], other: Counter[str]) -> int:
    """How many words of a page that are not on the other one stand there with a letter or two read otherwise."""
    left = [word for word in other.elements() if _may_be_misread(word)]
    found = 0
    for word in filter(_may_be_misread, words.elements()):
        near = max(left, key=lambda one: ratio(word, one), default="")
        if near and ratio(word, near) >= _NEAR_WORD:
            left.remove(near)
            found += 1
    return found


def _may_be_misread(word: str) -> bool:
    return len(word) >= _LEAST_LETTERS and not any(map(str.isdigit, word))


def _numbers(words: Counter[str]) -> set[str]:
    return {word for word in words if word.isdecimal() and len(word) >= _LEAST_NUMBER}

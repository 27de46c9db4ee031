"""Names and safe words: which words can be a person's name, and which are known to be none."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from importlib import resources
from itertools import pairwise

from deidra.app.detect.spans import Span
from deidra.app.detect.vocabulary import (
    eponym_ranges,
    is_addressed,
    is_doubtful_word,
    is_eponym_at,
    is_imaging_word,
    plain,
    word_key,
)
from deidra.app.detect.wordlist import WordList
from deidra.app.domain.taxonomy import EntityType

__all__ = ["AGENT", "is_name", "is_no_person", "is_safe", "is_word", "name_spans", "plain"]

AGENT = "gazetteer"
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]+(?:['’][^\W\d_]+)?(?![^\W_])")
"""Letters that touch digits are parts of codes."""
_GENITIVE = re.compile(r"['’]s$")
_CONTRACTED = frozenset({"s", "m", "re", "ll", "ve", "d", "t"})
_GRADE = re.compile(r" (?:(?:[IVX]{1,4}|\d)[A-Da-d]?|[A-D]\d)(?![\w/-]|[.,]\d)")
"""A grade: what it stands behind is a scale."""
_INITIALS = re.compile(r"(?<![\w.])(?:[^\W\d_a-z]\. ?){1,3}$")
_UNDERSCORED = re.compile(r"[^\W\d_]+(?:_[^\W\d_]+){1,2}$")
_LETTERS = re.compile(r"[^\W\d_]+")
_ORDINALS = frozenset("ºª°")
_MOST_SMALL = 60
"""Longer texts in small letters are prose, in which a pair of rare words may be anything."""
_LEAST_PROSE = 40
_MOST_ACRONYM = 4
_CITED = re.compile(r"(?: et al\.?)?,? (?:19|20)\d\d(?!\d)")
_JOIN = re.compile(r"^(?:[ \t,^\-]{1,3}|[ \t]?\n[ \t]?|\.|\. )$")
_JOIN_UNLISTED = re.compile(r"^[ \t,^\-]{1,2}$")


@functools.cache
def _list(name: str) -> WordList:
    return WordList((resources.files(__package__) / "data" / f"{name}.words").read_bytes())


@functools.lru_cache(maxsize=50_000)
def is_safe(word: str) -> bool:
    """True for a word that is known to be no name in images and documents."""
    key = word_key(word)
    return len(key) < 2 or is_imaging_word(word) or is_doubtful_word(word) or key in _list("words")


@functools.lru_cache(maxsize=50_000)
def is_name(word: str) -> bool:
    """True for a word that occurs as a given name or a surname."""
    key = word_key(word)
    return len(key) >= 2 and (key in _list("first_names") or key in _list("surnames"))


def is_given_name(word: str) -> bool:
    """True for a word that occurs as a given name."""
    return word_key(word) in _list("first_names")


def is_word(word: str) -> bool:
    """True for a word of either list; anything else is a code, a misreading or a rare name."""
    return is_safe(word) or is_name(word)


def name_spans(text: str) -> Iterator[Span]:
    """Runs of words that are names: a given name with a surname is likely a person, a single one may be.

    A name that is also a common word ("Doe", "Park") counts beside a name that is not, never alone; eponyms
    ("Paget disease") do not count.
    """
    if _UNDERSCORED.match(text) or (text.islower() and len(text) <= _MOST_SMALL and text.isascii()):
        yield from _plain_pair(text)
    runs = _runs(text)
    if not runs:
        return
    eponyms = eponym_ranges(text)
    for run in runs:
        yield from _span(text, [m for m in run if not any(a <= m.start() < b for a, b in eponyms)])


def _plain_pair(text: str) -> Iterator[Span]:
    """A given name and a surname in small letters, or glued with an underscore, if neither is a word as well."""
    words = list(_LETTERS.finditer(text))
    for left, right in pairwise(words):
        pair = left.group(), right.group()
        gap = text[left.end() : right.start()]
        if gap not in (" ", ", ", ",", "_") or any(
            is_safe(word) or not is_name(word) or len(word) < 3 for word in pair
        ):
            continue
        if any(map(is_given_name, pair)):
            yield Span(
                left.start(), right.end(), EntityType.PATIENT, 0.6, AGENT, "given name and surname, unusually written"
            )


def _runs(text: str) -> list[list[re.Match[str]]]:
    """Names that follow one another, with nothing but blanks, commas, carets and initials between them."""
    runs: list[list[re.Match[str]]] = []
    run: list[re.Match[str]] = []
    unlisted: set[int] = set()
    for match in _WORD.finditer(text):
        if len(match.group()) == 1 and run:
            continue  # a middle initial
        if not _may_be_name(match.group()):
            if not _joins_name(match.group()) or text[match.end() : match.end() + 1] == ":":
                run = []
                continue
            unlisted.add(match.start())
        rare = match.start() in unlisted or bool(run and run[-1].start() in unlisted)
        join = _JOIN_UNLISTED if rare else _JOIN
        if not run or not join.match(_between(text, run[-1], match)):
            run = []
            runs.append(run)
        run.append(match)
    # Words of no list are no name among themselves, unless they are two that are written as one.
    return [
        run for run in runs if len(run) > 1 or any(m.start() not in unlisted and not is_safe(m.group()) for m in run)
    ]


def _between(text: str, left: re.Match[str], right: re.Match[str]) -> str:
    """What stands between two words, without an initial and its dot."""
    return re.sub(r"(?<![^\W\d_])[^\W\d_]\.?\s", "", text[left.end() : right.start()])


def _may_be_name(word: str) -> bool:
    if len(word) < 3 or not word[0].isupper() or is_imaging_word(word) or _is_contraction(word):
        return False
    return is_name(word) or is_name(_GENITIVE.sub("", word))


def _is_contraction(word: str) -> bool:
    """ "What's", "I'm": an ordinary word with a verb glued to it."""
    first, mark, last = word.replace("’", "'").partition("'")
    return bool(mark) and last.lower() in _CONTRACTED and is_safe(first)


def _joins_name(word: str) -> bool:
    """A word of no list that is written as names are: part of a name beside one that is listed."""
    if len(word) < 3 or not word[0].isupper() or word[1:].isupper() or not _ORDINALS.isdisjoint(word):
        return False
    return not is_word(word)


def _span(text: str, run: list[re.Match[str]]) -> Iterator[Span]:
    pair = len(run) >= 2 and any(is_given_name(match.group()) for match in run)
    if pair:
        # Common words at either end belong to the name only where they can be a given name.
        while run and is_safe(run[0].group()) and not is_given_name(run[0].group()):
            run = run[1:]
        while len(run) > 2 and is_safe(run[-1].group()) and not is_given_name(run[-1].group()):
            run = run[:-1]
        pair = len(run) >= 2
    if not pair:
        run = [match for match in run if not is_safe(match.group()) and not is_no_person(text, *match.span())]
        if _is_prose(text):
            run = [match for match in run if not _is_acronym(match.group())]
    listed = any(not is_safe(match.group()) and _may_be_name(match.group()) for match in run)
    if not listed and (len(run) < 2 or any(is_safe(match.group()) for match in run)):
        return
    score, detail = (0.85, "given name and surname") if pair else (0.5, "may be a name")
    if not listed:
        score, detail = 0.4, "words of no list, written as a name"
    start = run[0].start()
    if initials := _INITIALS.search(text[:start][-12:]):
        start -= len(initials.group())
    end = run[-1].end() - (2 if _GENITIVE.search(run[-1].group()) else 0)
    yield Span(start, end, EntityType.PATIENT, score, AGENT, detail)


def _is_prose(text: str) -> bool:
    """Whether the text is long and mostly of lower-case letters, so that capitals mean something."""
    return len(text) >= _LEAST_PROSE and 2 * sum(map(str.islower, text)) > len(text)


def _is_acronym(word: str) -> bool:
    return word.isupper() and len(word) <= _MOST_ACRONYM and not is_given_name(word)


def is_no_person(text: str, start: int, end: int) -> bool:
    """Whether a lone name is an eponym, cited, a scale, or within a protocol's name written with underscores."""
    if _CITED.match(text, end) and text[:start].endswith(", "):
        return True
    if _GRADE.match(text, end) and not text[start:end].isupper() and not is_addressed(text, start):
        return True
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    return "_" in around or is_eponym_at(text, start, end, listed=False)

"""Names and safe words: which words can be a person's name, and which are known to be none."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from importlib import resources

from deidra.app.detect.spans import Span
from deidra.app.detect.vocabulary import (
    eponym_ranges,
    is_doubtful_word,
    is_eponym_at,
    is_imaging_word,
    plain,
    word_key,
)
from deidra.app.detect.wordlist import WordList
from deidra.app.domain.taxonomy import EntityType

__all__ = ["AGENT", "is_name", "is_safe", "is_word", "name_spans", "plain"]

AGENT = "gazetteer"
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]+(?:['’][^\W\d_]+)?(?![^\W_])")
"""Letters that touch digits are parts of codes."""
_CITED = re.compile(r"(?: et al\.?)?,? (?:19|20)\d\d(?!\d)")
_JOIN = re.compile(r"^[\s,^.\-]{1,3}$")


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
    runs = _runs(text)
    if not runs:
        return
    eponyms = eponym_ranges(text)
    for run in runs:
        yield from _span(text, [m for m in run if not any(a <= m.start() < b for a, b in eponyms)])


def _runs(text: str) -> list[list[re.Match[str]]]:
    """Names that follow one another, with nothing but blanks, commas, carets and initials between them."""
    runs: list[list[re.Match[str]]] = []
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(text):
        if len(match.group()) == 1 and run:
            continue  # a middle initial
        if not _may_be_name(match.group()):
            run = []
            continue
        if not run or not _JOIN.match(_between(text, run[-1], match)):
            run = []
            runs.append(run)
        run.append(match)
    return [run for run in runs if any(not is_safe(match.group()) for match in run)]


def _between(text: str, left: re.Match[str], right: re.Match[str]) -> str:
    """What stands between two words, without an initial and its dot."""
    return re.sub(r"(?<![^\W\d_])[^\W\d_]\.?\s", "", text[left.end() : right.start()])


def _may_be_name(word: str) -> bool:
    return len(word) >= 3 and word[0].isupper() and is_name(word) and not is_imaging_word(word)


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
        run = [match for match in run if not is_safe(match.group()) and not _is_no_person(text, match)]
    if not any(not is_safe(match.group()) for match in run):
        return
    score, detail = (0.85, "given name and surname") if pair else (0.5, "may be a name")
    yield Span(run[0].start(), run[-1].end(), EntityType.PATIENT, score, AGENT, detail)


def _is_no_person(text: str, match: re.Match[str]) -> bool:
    """A lone name in an eponym, in a citation, or within a name of a protocol that is written with underscores."""
    if _CITED.match(text, match.end()) and text[: match.start()].endswith(", "):
        return True
    around = text[max(0, match.start() - 1) : match.start()] + text[match.end() : match.end() + 1]
    return "_" in around or is_eponym_at(text, match.start(), match.end(), listed=False)

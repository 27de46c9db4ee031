"""Places of a list, with the post codes and abbreviated states beside them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from importlib import resources
from itertools import pairwise

from deidra.app.detect.gazetteer import AGENT, is_no_person
from deidra.app.detect.spans import Span
from deidra.app.detect.vocabulary import is_imaging_word, plain
from deidra.app.domain.taxonomy import EntityType

_WORD = re.compile(r"[^\W\d_]+")
_START = re.compile(r"(?<![^\W_])[^\W\d_a-z][^\W\d_]+\.?")
_BETWEEN = re.compile(r"[ \t]*[,\n/][ \t,]*")
"""What stands between places that contain one another; a blank alone does not."""
_CODE_BEFORE = re.compile(r"(?<![\w.,/-])(?:[A-Z]{1,2}-)?\d{4,6}(?:-\d{3,4})?[,\s]{1,2}$")
_AFTER = re.compile(
    r"(?:,\s?|\s(?=[A-Z]{2}[,\s]{1,3}\d{5}))(?:(?:A[KLRZ]|C[AOT]|D[CE]|FL|G[AU]|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT"
    r"|V[AIT]|W[AIVY])(?![\w.])(?:[,\s]{1,3}\d{5}(?:-\d{4})?(?![\w.]))?)|[,\s]{1,3}(?:(?:[A-Z]{2}[,\s]{1,2})?\d{4,6}(?:-\d{3,4})?(?![\w.,/:-]))"
)
_ADJECTIVE = re.compile(r" [a-z]+(?: [a-z]+){0,2}$")
"""What follows a place that begins a short text: it tells which collar or classification is meant."""
_IN = re.compile(r"(?<!\w)(?:in|from|to|near|born in|visit|visiting|en|aus|à|da)\s$")
_REST = re.compile(
    r"(?:\s?[,\n]\s{0,2}[^\W\d_a-z][\w'’.\-]*(?: [^\W\d_a-z][\w'’.\-]*){0,2}){0,2}\s?[,\n]?\s{0,2}"
    r"(?:[A-Z]{2}[,\s]{1,2})?"
    r"(?:[A-Z]{1,2}-)?\d{4,6}(?:-\d{3,4})?(?![\w./:-])(?:[ ,\n]{1,2}[^\W\d_a-z][^\W\d_]{2,}(?=\s*(?:$|[,.;\n])))?"
)
"""What follows a street on one line or the next: town and state, up to the post code."""


def end_of_address(text: str, end: int) -> int:
    """Where an address ends whose street ends at ``end``: behind town, state and post code, if a code is there."""
    rest = _REST.match(text, end)
    words = _WORD.findall(rest.group()) if rest else []
    return rest.end() if rest and not any(is_imaging_word(word) for word in words) else end


@functools.cache
def _places() -> dict[str, list[tuple[str, ...]]]:
    """The words of every place by the first of them, longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in (resources.files(__package__) / "data" / "places.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            for entry in line.split("|"):
                words = tuple([plain(word) for word in _WORD.findall(entry)])
                found.setdefault(words[0], []).append(words)
    return {first: sorted(entries, key=len, reverse=True) for first, entries in found.items()}


def place_spans(text: str) -> Iterator[Span]:
    """Every place in ``text`` that is written with a capital, together with those that contain it.

    A single one may be an eponym or a name and is asked about; two that follow one another, or one with a post code or
    an abbreviated state, are hardly anything else.
    """
    run: list[tuple[int, int]] = []
    for start, end in _found(text):
        if run and not _BETWEEN.fullmatch(text[run[-1][1] : start]):
            yield from _span(text, run)
            run = []
        run.append((start, end))
    yield from _span(text, run)


def _found(text: str) -> Iterator[tuple[int, int]]:
    end = 0
    for match in _START.finditer(text):
        entries = _places().get(plain(match.group().rstrip(".")))
        if entries is None or match.start() < end:
            continue
        words = list(_WORD.finditer(text, match.start(), match.start() + 48))
        keys = [plain(word.group()) for word in words]
        size = next((len(e) for e in entries if tuple(keys[: len(e)]) == e and _is_written(text, words[: len(e)])), 0)
        if size:
            end = words[size - 1].end()
            yield match.start(), end


def _is_written(text: str, words: list[re.Match[str]]) -> bool:
    """Whether nothing but blanks and marks stands between the words, and nothing is glued to the last."""
    gaps = [text[left.end() : right.start()] for left, right in pairwise(words)]
    after = text[words[-1].end() : words[-1].end() + 1]
    return all(re.fullmatch(r"[ .,\-]{1,2}", gap) for gap in gaps) and not (after.isalnum() or after in ("_", "^"))


def _is_no_place(text: str, start: int, end: int) -> bool:
    """Whether a lone place is an eponym, a scale, or tells the kind of a thing ("Philadelphia collar")."""
    return is_no_person(text, start, end) or (start == 0 and bool(_ADJECTIVE.match(text, end)))


def _span(text: str, run: list[tuple[int, int]]) -> Iterator[Span]:
    if not run:
        return
    start, end = run[0][0], run[-1][1]
    before, after = _CODE_BEFORE.search(text[:start][-14:]), _AFTER.match(text, end)
    if len(run) == 1 and not before and not after and _is_no_place(text, start, end):
        return
    score, detail = (0.8, "places") if len(run) > 1 or before or after else (0.55, "may be a place")
    if score < 0.8 and _IN.search(text[:start][-10:]):
        score = 0.7
    if before:
        start -= len(before.group())
    yield Span(start, after.end() if after else end, EntityType.LOCATION_OTHER, score, AGENT, detail)

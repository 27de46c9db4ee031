"""Names and safe words: which words can be a person's name, and which are known to be none."""

from __future__ import annotations

import functools
import gzip
import re
import unicodedata
from collections.abc import Iterator
from importlib import resources

from deidra.app.detect.spans import Span
from deidra.app.domain.taxonomy import EntityType

AGENT = "gazetteer"
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_JOIN = re.compile(r"^[\s,^.\-]{1,3}$")


def plain(text: str) -> str:
    """Lower case, accents removed: how words are compared."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


@functools.cache
def _list(name: str) -> frozenset[str]:
    packed = (resources.files(__package__) / "data" / f"{name}.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode("ascii").split())


@functools.cache
def _imaging_words() -> frozenset[str]:
    return frozenset((resources.files(__package__) / "data" / "imaging_words.txt").read_text("utf-8").split())


def is_safe(word: str) -> bool:
    """True for a word that is known to be no name in images and documents."""
    key = plain(word).replace("'", "").replace("’", "")
    return len(key) < 2 or key in _list("words") or key in _imaging_words()


def is_name(word: str) -> bool:
    """True for a word that occurs as a given name or a surname."""
    key = plain(word).replace("'", "").replace("’", "")
    return len(key) >= 2 and (key in _list("first_names") or key in _list("surnames"))


def is_word(word: str) -> bool:
    """True for a word of either list; anything else is a code, a misreading or a rare name."""
    return is_safe(word) or is_name(word)


def name_spans(text: str) -> Iterator[Span]:
    """Runs of words that are names: a given name with a surname is likely a person, a single one may be.

    A name that is also a common word ("Doe", "Park") counts beside a name that is not, never alone.
    """
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(text):
        if len(match.group()) == 1 and run:
            continue  # a middle initial
        if not _may_be_name(match.group()):
            yield from _span(run)
            run = []
            continue
        if run and not _JOIN.match(_between(text, run[-1], match)):
            yield from _span(run)
            run = []
        run.append(match)
    yield from _span(run)


def _between(text: str, left: re.Match[str], right: re.Match[str]) -> str:
    """What stands between two words, without an initial and its dot."""
    return re.sub(r"(?<![^\W\d_])[^\W\d_]\.?\s", "", text[left.end() : right.start()])


def _may_be_name(word: str) -> bool:
    return len(word) >= 3 and word[0].isupper() and is_name(word) and plain(word) not in _imaging_words()


def _span(run: list[re.Match[str]]) -> Iterator[Span]:
    if not any(not is_safe(match.group()) for match in run):
        return
    first_names = _list("first_names")
    pair = len(run) >= 2 and any(plain(match.group()) in first_names for match in run)
    if not pair:
        run = [match for match in run if not is_safe(match.group())]
    score, detail = (0.85, "given name and surname") if pair else (0.5, "may be a name")
    yield Span(run[0].start(), run[-1].end(), EntityType.PATIENT, score, AGENT, detail)

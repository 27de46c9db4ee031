"""Labels of no list by their words: a head ("telephone", "birth") and what it is about ("employer", "home", "insured").

The words and the rules are data: ``grammar.toml``. Every word of a label must be known, so that prose and values are
hardly taken for labels.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from deidra.app.detect.gazetteer import is_name, is_word
from deidra.app.detect.vocabulary import plain

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_HOUR = re.compile(r"(?<!\w)\d{1,2}(?:[:.]\d\d)?(?=[\s-]?(?:[ap]\.?m(?!\w)|digits?(?!\w)|hours?(?!\w)))", re.IGNORECASE)
_MOST_TOKENS, _MOST_PHRASE = 14, 3
_LEAST_FUZZY, _LEAST_GLUED = 6, 8
"""Letters of a word of which one wrong one is forgiven, and of one that may be several without their blanks."""
_LEAST_PIECE = 3
_SHORT = frozenset({"of", "no", "at", "in", "to", "or"})
"""Shorter words that stand in glued ones."""
_LEAST_STRANGE = 2
"""Words of a label of which one may be of no class."""
_STRONG = frozenset(
    {
        *("birth date", "birth place", "social security number", "home phone", "office phone", "phone", "home address"),
        *(
            "religion",
            "citizenship or nationality",
            "marital, parental or spousal status",
            "e-mail address",
            "office address",
        ),
    }
)
"""Meanings that one word of no class leaves as they are; others need all words."""
_BEGINS = frozenset({"chronic", "acute", "serious", "type", "underlying", "mental"})
"""Words that begin a state of health, and so end no label of one."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """Classes of words tell the meaning named ``means``: see ``grammar.toml``."""

    means: str
    needs: frozenset[str]
    any: frozenset[str]
    never: frozenset[str]
    twice: str

    def holds(self, classes: Counter[str]) -> bool:
        """Whether it tells what words of these classes mean."""
        found = set(classes)
        one = not self.any or bool(self.any & found)
        return self.needs <= found and one and not self.never & found and (not self.twice or classes[self.twice] > 1)


@dataclass(frozen=True)
class _Grammar:
    words: dict[str, frozenset[str]]
    long: tuple[str, ...]
    rules: tuple[_Rule, ...]


@functools.cache
def _grammar() -> _Grammar:
    data = tomllib.loads((resources.files(__package__) / "grammar.toml").read_text("utf-8"))
    words: dict[str, set[str]] = {}
    for name, members in data["classes"].items():
        for word in members:
            words.setdefault(word, set()).add(name)
    rules = tuple(
        _Rule(
            one["means"],
            frozenset(one.get("needs", ())),
            frozenset(one.get("any", ())),
            frozenset(one.get("not", ())),
            one.get("twice", ""),
        )
        for one in data["rule"]
    )
    long = tuple(word for word in words if len(word) >= _LEAST_FUZZY and " " not in word)
    return _Grammar({word: frozenset(names) for word, names in words.items()}, long, rules)


@functools.lru_cache(maxsize=20_000)
def composed_meaning(text: str, exact: bool = False) -> str | None:
    """The name of what a label means by its words, as in ``labels.toml``; None where they do not tell.

    Args:
        text: the label and nothing else; what stands in brackets counts as well.
        exact: no misread letters and no words of no class are forgiven, and blanks must stand between words.
    """
    tokens = [plain(token) for token in _TOKEN.findall(text.replace("#", " no "))]
    if not 0 < len(tokens) <= _MOST_TOKENS or any(map(str.isdigit, _HOUR.sub("", text))):
        return None
    classes: Counter[str] = Counter()
    strange: list[str] = []
    for word, names in _classed(tokens, exact):
        if not names:
            strange.append(word)
        classes.update(names)
    allowed = 1 if not exact and len(tokens) >= _LEAST_STRANGE else 0
    if len(strange) > allowed or any(is_name(word) or not is_word(word) for word in strange):
        return None
    if any(name.endswith("_option") and count == 1 for name, count in classes.items()):
        return None
    means = next((rule.means for rule in _grammar().rules if rule.holds(classes)), None)
    begun = means == "health status" and tokens[-1] in _BEGINS
    return None if begun or (strange and means not in _STRONG) else means


def _classed(tokens: Sequence[str], exact: bool) -> Iterator[tuple[str, frozenset[str]]]:
    """Words and phrases of a label with their classes, the longest phrases first; no class: an unknown word."""
    words = _grammar().words
    place = 0
    while place < len(tokens):
        for size in range(min(_MOST_PHRASE, len(tokens) - place), 0, -1):
            phrase = _known(" ".join(tokens[place : place + size]))
            if phrase is not None:
                yield phrase, words[phrase]
                place += size
                break
        else:
            yield from _mended(tokens[place], exact)
            place += 1


def _known(phrase: str) -> str | None:
    """The entry that a word or phrase is, also as a plural or a possessive."""
    words = _grammar().words
    bare = re.sub(r"['’]s?$", "", phrase)
    for one in (bare, bare.removesuffix("s"), bare.removesuffix("es"), re.sub(r"ies$", "y", bare)):
        if one in words:
            return one
    return None


def _mended(token: str, exact: bool) -> Iterator[tuple[str, frozenset[str]]]:
    """The classes of a word of no list: of one that differs by a letter, or of the words that it is glued from."""
    grammar = _grammar()
    if not exact and len(token) >= _LEAST_FUZZY and not is_word(token):
        near = process.extractOne(token, grammar.long, scorer=Levenshtein.distance, score_cutoff=1)
        pieces = [near[0]] if near else _pieces(token) if len(token) >= _LEAST_GLUED else None
        if pieces:
            yield from ((piece, grammar.words[piece]) for piece in pieces)
            return
    yield token, frozenset()


def _pieces(token: str) -> list[str] | None:
    """The words that a token is glued from, as few as can be; None where it is not."""
    best: list[list[str] | None] = [[], *([None] * len(token))]
    for end in range(1, len(token) + 1):
        for start in range(end):
            before, piece = best[start], _known(token[start:end])
            if before is None or piece is None or (end - start < _LEAST_PIECE and piece not in _SHORT):
                continue
            now = best[end]
            if now is None or len(before) + 1 < len(now):
                best[end] = [*before, piece]
    return best[-1]

"""Labels of forms by their wording, also where a reader misread a letter or dropped the blanks.

The wordings are data: ``labels.toml``.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from importlib import resources
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from deidra.app.detect.layout.grammar import composed_meaning
from deidra.app.detect.vocabulary import plain
from deidra.app.domain.taxonomy import EntityType

HARMLESS = "harmless"
_NUMBER = re.compile(r"(?:numbers?|nos?|num|nr|nbr)$")
_HINT = re.compile(r"\((?![^()]*\d{3})[^()]*\)?")
_ENUMERATED = re.compile(
    r"^\s*(?i:(?:item|question|box|field|line|q)\.?\s?(?=\d))?\(?(?:\d{1,2}[a-z]?|[a-zA-Z])\s?[.):]+\s*(?=[^\W\d_]{2})"
    r"|^\s*\d{1,2}[a-z]?\s+(?=[^\W\d_a-z][^\W\d_]+\s+[^\W\d_]{2}|[A-Z]{3,}\b)"
)
"""The number of a question before its label: "3a.", "Item 4:", "(b)"."""
_LEAST_FUZZY, _LEAST_TWICE = 6, 11
"""Letters from which one and two wrong ones are forgiven."""
_ANSWERS = ("yes", "no")
_MOST_KEY = 44
_BROKEN = {"date": 3, "phone": 2, "ssn": 2}
"""Lines of values that narrow cells break in two."""


class Side(StrEnum):
    """Whose a phone number or an address is."""

    HOME = "home"
    OFFICE = "office"
    EITHER = "either"
    NONE = ""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a label says of its value; see ``labels.toml``. ``type`` is None where the value is harmless."""

    name: str
    type: EntityType | None
    form: str
    side: Side = Side.NONE
    lines: int = 1
    options: frozenset[str] = frozenset()

    @property
    def is_private(self) -> bool:
        """Whether the value is of some private type."""
        return self.type is not None


UNKNOWN = Meaning("a label of no list", None, "words")
"""What stands before a colon and is no wording of the catalogue."""


@dataclass(frozen=True)
class _Catalogue:
    meanings: tuple[Meaning, ...]
    wordings: dict[str, Meaning]
    long: tuple[str, ...]
    headings: dict[str, Side]
    context: dict[str, tuple[str, ...]]


def squeezed(text: str) -> str:
    """A text without accents, blanks and marks, in small letters: what is compared; "#" is "no"."""
    return "".join(char for char in plain(text.replace("#", " no ")) if char.isalnum())


@functools.cache
def _catalogue() -> _Catalogue:
    data = tomllib.loads((resources.files(__package__) / "labels.toml").read_text("utf-8"))
    meanings = {entry["name"]: _meaning(entry) for entry in data["meaning"]}
    wordings: dict[str, Meaning] = {}
    for entry in data["meaning"]:
        for words in entry["words"]:
            key = squeezed(words)
            for one in (key, _NUMBER.sub("", key)):
                if len(one) > 1:
                    wordings.setdefault(one, meanings[entry["name"]])
    owned: dict[str, Meaning] = {}
    for side, owners in data["owners"].items():
        for owner in owners:
            # Behind an owner "no" is no answer, it is a number.
            for key, meaning in ((key, meaning) for key, meaning in wordings.items() if key not in _ANSWERS):
                owned.setdefault(squeezed(owner) + key, _owned(meaning, Side(side), meanings))
    owned = {key: meaning for key, meaning in owned.items() if key not in wordings}
    wordings = {**owned, **wordings}
    headings = {squeezed(words): Side(side) for side, many in data["headings"].items() for words in many}
    context = {name: tuple(words) for name, words in data["context"].items()}
    long = tuple(key for key in wordings if len(key) >= _LEAST_FUZZY and key not in owned)
    return _Catalogue(tuple(meanings.values()), wordings, long, headings, context)


def _meaning(entry: dict[str, Any]) -> Meaning:
    kind = None if entry["type"] == HARMLESS else EntityType(entry["type"])
    options = frozenset(squeezed(option) for option in entry.get("options", ()))
    lines = entry.get("lines", _BROKEN.get(entry["form"], 1))
    return Meaning(entry["name"], kind, entry["form"], Side(entry.get("side", "")), lines, options)


def _owned(meaning: Meaning, side: Side, meanings: dict[str, Meaning]) -> Meaning:
    """What a label means before which an owner stands: "employer's phone", "physician name"."""
    if meaning.side is Side.EITHER:
        return next(
            other
            for other in meanings.values()
            if other.form == meaning.form and other.side is side and other.is_private
        )
    if side is Side.OFFICE and meaning.type is EntityType.PATIENT:
        return meanings["name of staff"]
    return meaning


def meanings() -> tuple[Meaning, ...]:
    """All meanings that labels have."""
    return _catalogue().meanings


def meaning_named(name: str) -> Meaning:
    """The meaning of a name.

    Raises:
        KeyError: there is none.
    """
    return {one.name: one for one in meanings()}[name]


def context_words(side: str) -> tuple[str, ...]:
    """Words that tell whose the details near them are: of "home", of "office", or of a "resume"."""
    return _catalogue().context[side]


@functools.lru_cache(maxsize=20_000)
def label_meaning(text: str, exact: bool = False) -> Meaning | None:
    """What a text means that is a label and nothing else; None where it is none.

    Args:
        text: the text, with or without a colon.
        exact: no misread letters are forgiven.
    """
    said = _ENUMERATED.sub("", text)
    # What stands in brackets may tell more ("Phone (home)"), or is a remark ("Address (if it has changed)").
    candidates = list(dict.fromkeys([said, _HINT.sub(" ", said), text]))
    surely, perhaps = (_listed, partial(_composed, exact=True)), (_almost_listed, partial(_composed, exact=False))
    ways = [(way, one) for one in candidates for way in surely]
    ways += [] if exact else [(way, one) for way in perhaps for one in candidates]
    return next((found for way, one in ways if (found := way(one)) is not None), None)


def _listed(text: str) -> Meaning | None:
    key = squeezed(text)
    if not 1 < len(key) <= _MOST_KEY:
        return None
    wordings = _catalogue().wordings
    return next((wordings[one] for one in (key, _NUMBER.sub("", key)) if one in wordings), None)


def _composed(text: str, exact: bool) -> Meaning | None:
    name = composed_meaning(text, exact)
    if name is None or option_meanings(text) or heading_side(text) is not None:
        return None
    words = re.findall(r"[^\W\d_]+", text)
    # The answer stands behind it: "Gender recorded Female", "Canadian citizen".
    held = not exact and any(option_meanings(word) and composed_meaning(word, True) is None for word in words)
    return None if held else meaning_named(name)


def _almost_listed(text: str) -> Meaning | None:
    key = squeezed(text)
    if not _LEAST_FUZZY <= len(key) <= _MOST_KEY:
        return None
    catalogue = _catalogue()
    if any(map(str.isdigit, text)):
        return None
    near = process.extractOne(
        key, catalogue.long, scorer=Levenshtein.distance, score_cutoff=2 if len(key) >= _LEAST_TWICE else 1
    )
    return catalogue.wordings[near[0]] if near else None


def heading_side(text: str) -> Side | None:
    """Whose details stand below a heading, or None for a text that is no heading of the catalogue."""
    return _catalogue().headings.get(squeezed(text))


def option_meanings(text: str) -> tuple[Meaning, ...]:
    """The meanings that a word answers as an option ("married"); empty where it answers none."""
    key = squeezed(text)
    return tuple(one for one in meanings() if key in one.options) if len(key) > 1 else ()


def holds_words(text: str, words: Iterable[str]) -> bool:
    """Whether one of some words stands in a text, as a whole word, whatever its case."""
    padded = " " + " ".join(re.findall(r"[^\W_]+", plain(text))) + " "
    return any(f" {word} " in padded for word in words)


def with_side(meaning: Meaning, side: Side) -> Meaning:
    """A phone number's or an address's meaning once it is known whose it is."""
    if meaning.side is not Side.EITHER or side not in (Side.HOME, Side.OFFICE):
        return meaning
    return next(one for one in meanings() if one.form == meaning.form and one.side is side)


def doubtful_side(meaning: Meaning) -> Meaning:
    """The same where it cannot be told whose it is: the type of a private one."""
    home = with_side(meaning, Side.HOME)
    return replace(meaning, type=home.type)

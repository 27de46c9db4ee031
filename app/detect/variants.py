"""Other forms of a person's name: short forms, the other gender's ending, Latin letters for other scripts, initials."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable, Sequence
from importlib import resources

from anyascii import anyascii

from deidra.app.detect.gazetteer import plain

_LEAST_STEM = 3
_ENDINGS = (
    ("ski", "ska"), ("cki", "cka"), ("zki", "zka"), ("skyj", "ska"), ("sky", "ska"), ("skiy", "skaya"),
    ("ov", "ova"), ("ev", "eva"), ("in", "ina"), ("yn", "yna"), ("skiy", "skaia"), ("sky", "skaya"),
)  # fmt: skip
"""Endings of Slavic family names of men and women."""
_PLAIN_ENDINGS = frozenset({"in", "ina", "yn", "yna"})
"""Endings that other names have as well: the other form counts only where the stem is long."""
_LONG_STEM = 5


@functools.cache
def _short_forms() -> dict[str, frozenset[str]]:
    """Every listed name with its short forms, and every short form with its names, comparable."""
    text = (resources.files(__package__) / "data" / "nicknames.toml").read_text("utf-8")
    found: dict[str, set[str]] = {}
    for block in tomllib.loads(text).values():
        for line in block.split("\n"):
            *names, short = line.split(":")
            forms = [plain(form) for form in short.split()]
            for name in (plain(word) for part in names for word in part.split()):
                found.setdefault(name, set()).update(forms)
                for form in forms:
                    found.setdefault(form, set()).add(name)
    return {name: frozenset(forms - {name}) for name, forms in found.items()}


def short_forms(given: Iterable[str]) -> frozenset[str]:
    """What people with these given names (comparable) are also called, and what their names are short for."""
    listed = _short_forms()
    return frozenset(form for name in given for form in listed.get(name, ()))


def other_genders(family: Iterable[str]) -> frozenset[str]:
    """Family names (comparable) as relatives of the other gender bear them: ``kowalski`` and ``kowalska``."""
    return frozenset(form for name in family for form in _other_gender(name))


def _other_gender(name: str) -> set[str]:
    found = set()
    for pair in _ENDINGS:
        for ending, other in (pair, pair[::-1]):
            stem = name.removesuffix(ending)
            least = _LONG_STEM if ending in _PLAIN_ENDINGS else _LEAST_STEM
            if stem != name and len(stem) >= least:
                found.add(stem + other)
    return found


def in_latin(words: Iterable[str]) -> list[str]:
    """Words of other scripts in Latin letters, comparable; one for each word that has another form."""
    found = []
    for word in words:
        if word.isascii() or plain(word).isascii():
            continue
        latin = re.sub(r"[^a-z]", "", anyascii(word).lower())
        if len(latin) > 1:
            found.append(latin)
    return found


def initials_of(family: Sequence[str], given: Sequence[str]) -> frozenset[str]:
    """The initials that a person may be told by, without dots: ``rjs``, ``srj``, ``rs`` and ``sr``."""
    first, last = "".join(word[0] for word in given if word), "".join(word[0] for word in family if word)
    if not first or not last:
        return frozenset()
    return frozenset({first + last, last + first, first[0] + last, last + first[0]})

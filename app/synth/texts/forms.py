"""The lists of forms in the TOML files: which of them hold private values and which do not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from deidra.app.synth.texts.draw import Draw
from deidra.app.synth.texts.pools import read_toml
from deidra.app.synth.texts.slots import is_private

COMPOSED = ("train",)
"""Splits with sentences that are put together by chance. Those of the others stay as they were written."""
RULE = re.compile(r"<(\w+)>")


@dataclass(frozen=True, slots=True)
class Group:
    """Forms that may stand under any of ``names`` (keywords or labels), and how often beside other groups."""

    names: tuple[str, ...]
    forms: tuple[str, ...]
    weight: int


@dataclass(frozen=True, slots=True)
class Forms:
    """Groups of forms with private values, and of forms without."""

    private: tuple[Group, ...]
    harmless: tuple[Group, ...]

    def pick(self, draw: Draw, private: bool, by_group: bool) -> tuple[str, str]:
        """A name and a form: groups by their weight, or every form as often as the others."""
        groups = self.private if private else self.harmless
        weights = [group.weight if by_group else len(group.forms) for group in groups]
        group = draw.rng.choices(groups, weights)[0]
        return draw.one(group.names), draw.one(group.forms)


def parted(entries: list[dict[str, Any]], key: str = "") -> Forms:
    """Groups of forms with their names under ``key``, parted by whether a form is private."""
    found: dict[bool, list[Group]] = {True: [], False: []}
    for entry in entries:
        for private, groups in found.items():
            own = tuple(form for form in entry["forms"] if is_private(form) is private)
            if own:
                groups.append(Group(tuple(entry.get(key, ("",))), own, entry.get("weight", 1)))
    return Forms(tuple(found[True]), tuple(found[False]))


@lru_cache(maxsize=32)
def field_forms(section: str) -> Forms:
    """What fields.toml has for ``section``: shared, or a split."""
    return parted(read_toml("fields")[section], "tags")


@lru_cache(maxsize=32)
def cell_forms(split: str) -> Forms:
    """Labels and values of cells.toml for a split."""
    return parted(read_toml("cells")[split]["cells"], "labels")


@lru_cache(maxsize=32)
def row_forms(split: str) -> Forms:
    """Rows of cells.toml for a split."""
    return parted(read_toml("cells")[split]["rows"])


@lru_cache(maxsize=32)
def line_forms(section: str) -> Forms:
    """What lines.toml has for ``section``: shared, or a split."""
    return parted([read_toml("lines")[section]])


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a note; ``block`` tells that its forms are lines, not sentences."""

    name: str
    titles: tuple[str, ...]
    block: bool
    forms: tuple[str, ...]
    harmless: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoteForms:
    """Kinds of notes with their sections in order."""

    kinds: dict[str, tuple[Section, ...]]


@lru_cache(maxsize=3)
def note_forms(split: str) -> NoteForms:
    """What notes_SPLIT.toml holds."""
    data: dict[str, Any] = read_toml(f"notes_{split}")
    sections = {
        name: Section(
            name,
            tuple(entry.get("titles", ())),
            entry.get("block", False),
            tuple(entry["forms"]),
            tuple(form for form in entry["forms"] if not is_private(form)),
        )
        for name, entry in data["sections"].items()
    }
    return NoteForms({kind: tuple(sections[name] for name in names) for kind, names in data["kinds"].items()})


@lru_cache(maxsize=3)
def grammar(split: str) -> dict[str, tuple[str, ...]]:
    """Rules of composed_SPLIT.toml with their forms; empty for a split that has none."""
    if split not in COMPOSED:
        return {}
    return {rule: tuple(forms) for rule, forms in read_toml(f"composed_{split}").items()}


def composed(draw: Draw, rule: str) -> str:
    """A form put together by chance: ``rule`` of the grammar, with every rule in it replaced by one of its forms.

    Raises:
        KeyError: the split has no such rule.
    """
    rules = grammar(draw.pool.split)
    return RULE.sub(lambda match: composed(draw, match[1]), draw.one(rules[rule]))

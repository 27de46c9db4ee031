"""Content items of structured documents: the action of PS3.15 Table E.3.4-1 for a concept name.

The table says what the Clean Structured Content Option does with a content item, whose concept name stands in
Concept Name Code Sequence (0040,A043). It counts where that option is in force; whether it is, the caller knows.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources

from deidra.app.metadata.profile import Code, Option, chosen_code

_COMPOUND = {"X/D": "D"}
"""A dummy is valid whether or not the template demands the item."""
_STRICTEST_FIRST = (Code.REMOVE, Code.DUMMY, Code.CLEAN, Code.KEEP)


@dataclass(frozen=True, slots=True)
class _Item:
    value_type: str
    action: Code
    options: dict[Option, Code]


@functools.cache
def _table() -> dict[tuple[str, str], list[_Item]]:
    text = (resources.files(__package__) / "data" / "ps315_content_2026d.tsv").read_text("utf-8")
    items: dict[tuple[str, str], list[_Item]] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        value, scheme, value_type, _, action, options = line.split("\t")
        pairs = (pair.split("=") for pair in options.split())
        chosen = {Option(option): Code(code) for option, code in pairs}
        items.setdefault((value, scheme), []).append(_Item(value_type, Code(_COMPOUND.get(action, action)), chosen))
    return items


def content_code(value: str, scheme: str, options: frozenset[Option], value_type: str = "") -> Code | None:
    """The action for a content item, by its concept name.

    A few concept names stand in the table once for each value type, with different actions.

    Args:
        value: Code Value (0008,0100) of the concept name; padding does not matter.
        scheme: Coding Scheme Designator (0008,0102) of the concept name.
        options: the options in force; a retaining or cleaning option overrides the table's own action.
        value_type: Value Type (0040,A040) of the item. Without one, or when the table does not have the concept
            name with it, the strictest action of the concept name counts.

    Returns:
        The action, or None when the table does not name the concept.
    """
    rows = _table().get((value.strip(" \0"), scheme.strip(" \0")))
    if rows is None:
        return None
    fitting = [row for row in rows if row.value_type == value_type.strip(" \0")] or rows
    codes = {chosen_code(row.options, options, row.action) for row in fitting}
    return next(code for code in _STRICTEST_FIRST if code in codes)

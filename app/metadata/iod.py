"""The type of an attribute in the information object (IOD) of a SOP class (PS3.3), for PS3.15's compound codes.

Table E.1-1 leaves some actions open, such as X/Z/D: which of them is allowed depends on the attribute's type
in the IOD that the file is an instance of (PS3.5 7.4, PS3.15 E.3). Type 1 must have a value, type 2 may be
empty, type 3 may be absent; a C says that this holds only under a condition.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources

TYPES = ("1", "1C", "2", "2C", "3")
"""The types of attributes, the strictest first."""


@dataclass(frozen=True, slots=True)
class _Table:
    """``rank`` counts into :data:`TYPES` plus one; 0 stands for an attribute that is not there."""

    number: dict[str, int]
    """A number from 0 for each SOP class."""
    ranks: dict[tuple[int, ...], bytearray]
    """By path of tags from the top, the attribute's own last: the rank in each SOP class."""
    strictest: dict[tuple[int, int], int]
    """By parent sequence and tag: the strictest rank in any IOD."""


@functools.cache
def _table() -> _Table:
    text = (resources.files(__package__) / "data" / "iod_types.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    number = {uid: int(count) for count, uid, _ in rows if "." in uid}
    table = _Table(number, {}, {})
    for path, name, classes in rows:
        if name not in TYPES:
            continue
        tags = tuple(int(tag, 16) for tag in path.split("/"))
        rank = TYPES.index(name) + 1
        ranks = table.ranks.setdefault(tags, bytearray(len(number)))
        for part in classes.split():
            first, _, last = part.partition("-")
            for place in range(int(first), int(last or first) + 1):
                ranks[place] = rank
        if len(tags) > 1:
            key = (tags[-2], tags[-1])
            table.strictest[key] = min(rank, table.strictest.get(key, rank))
    return table


def attribute_type(sop_class: str, parents: tuple[int, ...], tag: int) -> str:
    """The type of an attribute that has a compound code in PS3.15 Table E.1-1.

    Where modules of an IOD differ, the strictest type counts. Sequences can hold themselves (Content Sequence),
    so below a sequence that stands where the table does not have it, the strictest type that any IOD gives the
    attribute in a sequence of this tag counts.

    Args:
        sop_class: SOP Class UID of the file.
        parents: tags of the sequences around the attribute, from the data set's top down; empty at the top.
        tag: the attribute's tag.

    Returns:
        "1", "1C", "2", "2C" or "3"; "" when the SOP class is not known or has no such attribute there, and for
        attributes without a compound code.
    """
    table = _table()
    place = table.number.get(sop_class)
    if place is None:
        return ""
    ranks = table.ranks.get((*parents, tag))
    rank = ranks[place] if ranks else 0
    if not rank and parents:
        rank = table.strictest.get((parents[-1], tag), 0)
    return TYPES[rank - 1] if rank else ""

"""What the form of a text tells where no label does: an option that stands alone, a date of long ago, a place.

None of it is sure: a curator is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deidra.app.detect.dates import written_dates
from deidra.app.detect.layout.wordings import Meaning, option_meanings, squeezed
from deidra.app.detect.places import place_spans
from deidra.app.domain.taxonomy import EntityType

_SSN = re.compile(r"(?<![\w.,/-])\d{3}([ -])\d{2}\1\d{4}(?![\w/-])")
_LEAST_OPTION = 4
"""Letters of an option that is told without its question."""
_COMMON = frozenset(
    {"none", "other", "three", "four", "five", "white", "black", "citizen", "orthodox", "engaged", "divers"}
)
"""Options that answer many other questions."""
_GENERATION = 16
"""Years before the latest date of its page from which on a date may be that of a birth."""
_WHOLE = 0.8
"""A place that takes this share of a text is all that it says."""


@dataclass(frozen=True, slots=True)
class Told:
    """Characters ``start`` to ``end`` of a text may be private as ``type``; ``why`` says by what."""

    start: int
    end: int
    type: EntityType
    why: str


def latest_year(texts: Sequence[str]) -> int | None:
    """The latest year in the dates of a page; of a date that can mean several days the earliest counts."""
    return max((min(date.days).year for text in texts for date in written_dates(text)), default=None)


def told_by_form(text: str, start: int, end: int, latest: int | None, in_person: bool) -> Iterator[Told]:
    """What characters ``start`` to ``end`` of a text may be, a cell without a label or behind one of no list.

    Args:
        text: the text.
        start: where the cell begins.
        end: where it ends.
        latest: the latest year of the page's dates; None where it has none.
        in_person: what stands around it is of a private person.
    """
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    cell = text[start:end]
    meaning = _option(cell)
    if meaning is not None:
        yield Told(start, end, EntityType.DEMOG, f"it answers a question: {meaning.name}")
        return
    for match in _SSN.finditer(cell):
        yield Told(start + match.start(), start + match.end(), EntityType.ID_SSN, "it has the form of an SSN")
    for date in written_dates(cell):
        if latest is not None and max(day.year for day in date.days) <= latest - _GENERATION:
            yield Told(
                start + date.start, start + date.end, EntityType.DATE_BIRTH, "a date long before the others here"
            )
    size = len(cell.strip())
    for place in place_spans(cell) if in_person else ():
        if place.end - place.start >= _WHOLE * size and not any(map(str.isdigit, cell)):
            yield Told(start + place.start, start + place.end, EntityType.LOCATION_BIRTHPLACE, "a place of a person")


def _option(cell: str) -> Meaning | None:
    """The question that a cell surely answers: of religion, nationality, marital status or sex."""
    key = squeezed(cell)
    if len(key) < _LEAST_OPTION or key in _COMMON or key.isdigit():
        return None
    found = [one for one in option_meanings(cell) if one.type is EntityType.DEMOG]
    return found[0] if len(found) == 1 else None

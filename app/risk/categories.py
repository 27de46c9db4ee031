"""What category of document a page is (table 6 of the paper on fine-grained privacy protection), by what it says."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files

_LEAST_WORDS = 2
"""A page that shows fewer of a category's words may be of any."""


@dataclass(frozen=True, slots=True)
class Category:
    """One row of the table. ``words`` are what it is recognised by."""

    name: str
    synonyms: tuple[str, ...]
    shows: tuple[str, ...]
    words: tuple[str, ...]


@functools.cache
def categories() -> tuple[Category, ...]:
    """All categories, in the table's order."""
    table = tomllib.loads((files("deidra.app.risk") / "categories.toml").read_text(encoding="utf-8"))
    return tuple(
        Category(name, *(tuple(row[key]) for key in ("synonyms", "shows", "words"))) for name, row in table.items()
    )


def category_of(texts: Iterable[str]) -> Category | None:
    """The category of which a page shows most words and names; None where no category shows two of them.

    Args:
        texts: the lines of the page.
    """
    page = " " + " ".join(re.findall(r"[a-z0-9]+", " ".join(texts).lower())) + " "
    counts = {}
    for category in categories():
        named = (category.name, *category.synonyms)
        counts[category] = sum(f" {word} " in page for word in dict.fromkeys((*category.words, *named)))
    best = max(counts, key=lambda category: counts[category])
    return best if counts[best] >= _LEAST_WORDS else None

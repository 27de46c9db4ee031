"""What sets one kind of review apart from another: the first, the second reading, the settling of differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deidra.app.domain.model import Finding
from deidra.ui.translation import later
from deidra.ui.words import history_words, measures


@dataclass(frozen=True, slots=True)
class Habits:
    """How a review page words things, and what it does without."""

    row: Callable[[Finding], str] = measures
    """The last line of an item in the list."""
    history: Callable[[Finding], str] = history_words
    history_title: str = later("History")
    history_first: bool = False
    """Whether the history stands above the evidence."""
    remark_title: str = later("Your remark")
    empty: str = later("Nothing is waiting.\nRelease the files, or import more.")
    """Said of an empty list of what waits."""
    count: str = later("waiting")
    """Stands behind the number of items that wait."""
    is_first: bool = True
    """Whether decided and flagged items can be listed and boxes drawn, and a release is what comes next."""
    without: frozenset[str] = frozenset()
    """Ids of commands that the page does not have."""


FIRST = Habits()
"""The first review."""

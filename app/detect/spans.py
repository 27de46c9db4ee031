"""A span: what one agent says about a part of a text."""

from __future__ import annotations

from dataclasses import dataclass

from deidra.app.domain.taxonomy import EntityType


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` (from 0) up to ``end`` (exclusive) are of ``type``, says ``agent``.

    ``score`` is the probability (0 to 1) that they are private.
    """

    start: int
    end: int
    type: EntityType
    score: float
    agent: str
    detail: str

    def overlaps(self, other: Span) -> bool:
        """True when the two share a character."""
        return self.start < other.end and other.start < self.end

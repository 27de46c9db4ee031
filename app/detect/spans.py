"""A span: what one agent says about a part of a text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from deidra.app.domain.taxonomy import EntityType

KNOWN = "known-identifier"
"""The agent that vouches for what it finds: a header of the project holds the value."""
DEFINITION = "definition"
"""The agent that finds types which the policy defines."""
_APART_AFTER = re.compile(r"\.?\s*(?:$|[,;:/()\[\]|_^\\\n]|[-–]\s|\d{6,}|\d{1,4}[-/.]\d)")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` (from 0) up to ``end`` (exclusive) are of ``type``, says ``agent``.

    ``score`` is the probability (0 to 1) that they are private, ``variance`` that of the network's probability.
    """

    start: int
    end: int
    type: EntityType
    score: float
    agent: str
    detail: str
    variance: float = 0.0

    def overlaps(self, other: Span) -> bool:
        """True when the two share a character."""
        return self.start < other.end and other.start < self.end


def stands_apart(text: str, start: int, end: int) -> bool:
    """Whether a word is the last, or cut off from the words after it, and is no part of a compound."""
    before = text[max(0, start - 1) : start]
    if (before and before in "-–'’") or re.search(r"(?<!\w)\d+\s?$", text[:start]):
        return False
    return bool(_APART_AFTER.match(text[end:]))

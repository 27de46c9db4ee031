"""Known identifiers that begin at the end of one line and go on in the next one, or in the cell to the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.spans import Span
from deidra.app.domain.geometry import Box, bounding_box
from deidra.app.domain.model import TextLine

_LEAST = 2
"""Characters that each of both lines has at least: one alone says nothing."""
_SURE = 0.9
"""Scores below this are guesses; two lines would be put together by chance too often."""
_HYPHENS = "-‐‑–"


def split_spans(lines: Sequence[TextLine], known: KnownIdentifiers) -> list[list[Span]]:
    """For each line the parts of known identifiers that it shares with a line beside or below it.

    Args:
        lines: those of one frame or page.
        known: the project's known identifiers.
    """
    boxes = [bounding_box(line.polygon) for line in lines]
    found: list[list[Span]] = [[] for _ in lines]
    for first, second in _neighbours(boxes):
        for one, other in _shared(lines[first].text, lines[second].text, known):
            found[first].append(one)
            found[second].append(other)
    return found


def _neighbours(boxes: Sequence[Box]) -> Iterator[tuple[int, int]]:
    """Pairs of lines of which the second goes on where the first ends: it stands right below or right beside it."""
    for first, (left, top, right, bottom) in enumerate(boxes):
        height = bottom - top
        for second, (x0, y0, x1, y1) in enumerate(boxes):
            if second == first or not 0.5 * height <= y1 - y0 <= 2 * height:
                continue
            below = -0.3 * height <= y0 - bottom <= height and min(right, x1) > max(left, x0)
            beside = min(bottom, y1) - max(top, y0) > 0.5 * height and 0 <= x0 - right + height <= 3 * height
            if below or beside:
                yield first, second


def _shared(first: str, second: str, known: KnownIdentifiers) -> Iterator[tuple[Span, Span]]:
    """What of a known identifier stands in each of two texts that follow one another."""
    first, second = first.rstrip(), second.rstrip()
    lead = len(second) - len(second.lstrip())
    rest = second[lead:]
    heads = [first, f"{first} "]
    if first[-1:] in tuple(_HYPHENS):
        # A hyphen at the end of a line may stand for the break alone.
        heads.append(first[:-1])
    for head in heads:
        for span in known.spans(head + rest):
            here, there = len(head) - span.start, span.end - len(head)
            if span.score >= _SURE and min(here, there) >= _LEAST:
                told = f"{span.detail}; over two lines"
                yield (
                    replace(span, end=len(first), detail=told),
                    replace(span, start=lead, end=lead + there, detail=told),
                )

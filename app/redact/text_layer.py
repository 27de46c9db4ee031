"""What may be read in a released page: the words of the original without what was covered, and what was written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from deidra.app.detect.agents import BARCODE
from deidra.app.detect.written import is_believed, is_exact
from deidra.app.domain.geometry import Box, Point, Polygon, bounding_box, box_polygon, slice_along
from deidra.app.domain.model import TextLine
from deidra.app.redact.paint import Region, text_mask

_MOST_HIDDEN = 0.2
"""A character of which a larger share is covered is gone."""
_ALONG, _ACROSS = 5, 5
"""Points of a character that are looked at."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, and its four corners in pixels of the page: top left, top right, bottom right, bottom left as it is read.

    ``last`` says that a line ends with it.
    """

    text: str
    polygon: Polygon
    last: bool = True


def words_left(
    lines: Sequence[TextLine], regions: Sequence[tuple[Region, str | None]], width: int, height: int
) -> list[Word]:
    """The words of a page that can still be read after its regions were covered, and the texts written into them.

    A line is cut at characters. Where it is not known where they stand, all of it goes if any of it is covered.

    Args:
        lines: the text that was located on the page, in its pixels.
        regions: what is covered, each with the text that is written there.
        width: of the page in pixels.
        height: of the page in pixels.
    """
    covered = np.zeros((height, width), np.bool_)
    for region, _ in regions:
        covered[region.rows, region.columns] |= region.mask
    exact = [bounding_box(line.polygon) for line in lines if is_exact(line)]
    words = [
        word
        for line in lines
        if _is_text(line)
        for word in _left(line, covered)
        if is_exact(line) or not _lies_in(word, exact)
    ]
    return words + [_written(region, text) for region, text in regions if text]


def _is_text(line: TextLine) -> bool:
    """Whether what a line says stands there in letters: not what a barcode holds, and not what nobody sees."""
    return line.kind != BARCODE and is_believed(line)


def _lies_in(word: Word, boxes: Sequence[Box]) -> bool:
    """Whether the middle of a word lies in one of some boxes: what is read there is said twice."""
    x, y = (sum(values) / len(word.polygon) for values in zip(*word.polygon, strict=True))
    return any(box[0] <= x < box[2] and box[1] <= y < box[3] for box in boxes)


def _left(line: TextLine, covered: NDArray[np.bool_]) -> Iterator[Word]:
    length = len(line.text)
    if not length or len(line.polygon) != 4:
        return
    known = len(line.char_spans) == length
    spans = line.char_spans if known else [(n / length, (n + 1) / length) for n in range(length)]
    hidden = [False] * length
    if _touches(line.polygon, covered):
        hidden = [_share(slice_along(line.polygon, *span), covered) > _MOST_HIDDEN for span in spans]
        if any(hidden) and not known:
            return
    shown = (n for n in range(length) if not hidden[n] and not line.text[n].isspace())
    runs = [list(run) for _, run in groupby(enumerate(shown), lambda pair: pair[1] - pair[0])]
    for number, run in enumerate(runs):
        first, last = run[0][1], run[-1][1]
        polygon = slice_along(line.polygon, spans[first][0], spans[last][1])
        yield Word(line.text[first : last + 1], polygon, number == len(runs) - 1)


def _touches(polygon: Polygon, covered: NDArray[np.bool_]) -> bool:
    left, top, right, bottom = bounding_box(polygon)
    return bool(covered[max(0, top) : max(0, bottom), max(0, left) : max(0, right)].any())


def _share(polygon: Polygon, covered: NDArray[np.bool_]) -> float:
    """The share of a quadrilateral that is covered."""
    corners = np.asarray(polygon)
    s = ((np.arange(_ALONG) + 0.5) / _ALONG)[None, :, None]
    t = ((np.arange(_ACROSS) + 0.5) / _ACROSS)[:, None, None]
    points = (corners[0] * (1 - s) + corners[1] * s) * (1 - t) + (corners[3] * (1 - s) + corners[2] * s) * t
    x = np.clip(points[..., 0].astype(int), 0, covered.shape[1] - 1)
    y = np.clip(points[..., 1].astype(int), 0, covered.shape[0] - 1)
    return float(covered[y, x].mean())


def _written(region: Region, text: str) -> Word:
    """A text as it was drawn into a region: from the left, as far as its ink goes."""
    left, top, right, bottom = region.box
    columns = np.flatnonzero(text_mask(text, right - left, bottom - top).any(axis=0))
    end = left + int(columns[-1]) + 1 if columns.size else right
    return Word(text, box_polygon(left, top, end, bottom))


def scaled(polygon: Polygon, factor: float) -> Polygon:
    """A polygon on the same page at another resolution."""
    points: list[Point] = [(x * factor, y * factor) for x, y in polygon]
    return tuple(points)

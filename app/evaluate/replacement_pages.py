"""Filled pages with their private values redacted in several ways, by the product's own hand, on true places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from deidra.app.decide.redaction import Fill, RedactSection
from deidra.app.decide.surrogates import Surrogates
from deidra.app.domain.geometry import Polygon, as_polygon
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.keys import KEY_BYTES, ProjectKey
from deidra.app.redact.documents import redact_page
from deidra.app.redact.plan import Mark
from deidra.app.synth.filled.files import filled_page
from deidra.app.synth.filled.pages import Page, Placed

Picture = NDArray[np.uint8]
_KEY = ProjectKey(bytes(range(KEY_BYTES)))
_SHIFT = -400
"""Days by which dates on the pages move."""
_LEVEL = 0.6
"""Words stand on one row if their ends differ by less than this share of their height."""


class Method(StrEnum):
    """How private values are redacted."""

    BLACK = "black"
    WHITE = "white"
    SYNTHETIC = "synthetic"
    INPAINT = "inpaint"
    BLUR = "blur"


PAPER_METHODS = (Method.BLACK, Method.WHITE, Method.SYNTHETIC)
"""Those of paper 002."""


@dataclass(frozen=True, slots=True)
class Row:
    """A private value, or one row of it: what it says, its corners in pixels of the page, and its type."""

    text: str
    polygon: Polygon
    type: EntityType


@dataclass(frozen=True, slots=True)
class Redacted:
    """A page with what was made of it.

    Args:
        number: of the page in its set, from 0.
        kind: of document.
        original: RGB, ``(H, W, 3)``.
        made: the same page, redacted.
        area: area of all private rows as a share of that of the page, 0 to 1.
        values: how many rows are private.
        replaced: how many of them have a made-up value; on the others there is none, and they stay white.
    """

    number: int
    kind: str
    original: Picture
    made: Mapping[Method, Picture]
    area: float
    values: int
    replaced: int


def pages_redacted(count: int, split: str, noise: int, seed: int, methods: tuple[Method, ...]) -> Iterator[Redacted]:
    """The pages of a set, each redacted by ``methods``; see :func:`deidra.app.synth.filled.files.filled_page`."""
    for number in range(count):
        page = filled_page(seed, number, split, noise)
        rows = private_rows(page)
        texts = [surrogate(row) for row in rows]
        original = np.repeat(page.image[:, :, None], 3, axis=2)
        made = {method: redacted(original, rows, method) for method in methods}
        share = sum(area(row.polygon) for row in rows) / page.image.size
        yield Redacted(number, page.kind, original, made, share, len(rows), sum(text is not None for text in texts))


def redacted(page: Picture, rows: list[Row], method: Method) -> Picture:
    """A copy of a page with its private rows redacted. Made-up values are written on white, as in the paper."""
    synthetic = method is Method.SYNTHETIC
    marks = [Mark(row.polygon, 0, surrogate(row) if synthetic else None, row.text if synthetic else "") for row in rows]
    return redact_page(page, 0, marks, RedactSection(fill=Fill.WHITE if synthetic else Fill(method.value)))


def surrogate(row: Row) -> str | None:
    """What the product would write in the place of a row; None for types that have no made-up value."""
    return Surrogates(_KEY).of(row.type, row.text, _SHIFT)


def private_rows(page: Page) -> list[Row]:
    """The private values of a page by rows: words of a value that stand on one row are one place."""
    rows: list[list[Placed]] = []
    for text in page.texts:
        if not text.private or text.neutral:
            continue
        if rows and _goes_on(rows[-1][-1], text):
            rows[-1].append(text)
        else:
            rows.append([text])
    return [Row(" ".join(text.text for text in row), _around(row), EntityType(row[0].type)) for row in rows]


def _goes_on(last: Placed, text: Placed) -> bool:
    if last.value != text.value:
        return False
    height = last.polygon[3][1] - last.polygon[0][1]
    down = abs(text.polygon[3][1] - last.polygon[2][1])
    # Letters reach below the base line or do not.
    return down < _LEVEL * height and text.polygon[0][0] > last.polygon[0][0]


def _around(row: list[Placed]) -> Polygon:
    """Corners around words of one row, along the first and the last one."""
    left, right = row[0].polygon, row[-1].polygon
    if left is right:
        return left
    slope = (right[1][1] - left[0][1]) / max(1.0, right[1][0] - left[0][0])
    if abs(slope) > 1:
        slope = 0.0
    # How far each word's ends lie above and below a line through the first corner.
    tops = [y - left[0][1] - slope * (x - left[0][0]) for word in row for x, y in word.polygon]
    start, end = left[0][0], right[1][0]
    above, below = left[0][1] + min(tops), left[0][1] + max(tops)
    fall = slope * (end - start)
    return as_polygon([(start, above), (end, above + fall), (end, below + fall), (start, below)])


def area(polygon: Polygon) -> float:
    """Pixels inside a polygon (shoelace formula)."""
    x, y = np.asarray(polygon, np.float64).T
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)

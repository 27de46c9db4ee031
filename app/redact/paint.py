"""Covering regions on sample arrays, whatever their type, and writing surrogate text into them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from deidra.app.decide.policy import Fill, RedactSection, Shape
from deidra.app.domain.geometry import Box, Polygon, is_upright, padded_box, padded_polygon
from deidra.app.redact.blur import smear
from deidra.app.redact.inpaint import inpaint
from deidra.app.redact.plan import Mark

Samples = NDArray[np.generic]

_TEXT_HEIGHT = 0.78
"""Share of a box's height that its text had: boxes are drawn around ink and grow by 15 % on each side."""
_SHIFT = 4
"""Corners of drawn polygons are exact to a sixteenth of a pixel."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Stored values of one image that look black and white: a number, or one for each sample.

    ``indexed``: the values are indices into a colour table, between which there is nothing.
    """

    black: tuple[float, ...]
    white: tuple[float, ...]
    indexed: bool = False


@dataclass(frozen=True, slots=True)
class Region:
    """What is covered: the pixels of ``box`` that ``inside``, ``(bottom - top, right - left)``, names; None all.

    ``fill`` is its own; None: that of all regions.
    """

    box: Box
    inside: NDArray[np.bool_] | None = None
    fill: Fill | None = None

    @property
    def pixels(self) -> int:
        """How many pixels are covered."""
        left, top, right, bottom = self.box
        if right <= left or bottom <= top:
            return 0
        return (right - left) * (bottom - top) if self.inside is None else int(self.inside.sum())

    @property
    def rows(self) -> slice:
        """Rows of the box."""
        return slice(self.box[1], self.box[3])

    @property
    def columns(self) -> slice:
        """Columns of the box."""
        return slice(self.box[0], self.box[2])

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Which pixels of the box are covered, ``(bottom - top, right - left)``."""
        left, top, right, bottom = self.box
        return np.ones((bottom - top, right - left), np.bool_) if self.inside is None else self.inside

    @classmethod
    def of(cls, polygon: Polygon, width: int, height: int, settings: RedactSection) -> Region:
        """A polygon with its padding on a frame: a sloping rectangle as such, everything else as its bounding box."""
        share, least = settings.padding_share, settings.padding_least
        grown = padded_polygon(polygon, share, least) if settings.shape is Shape.POLYGON else None
        if grown is None:
            return cls(padded_box(polygon, width, height, share, least))
        # Half a pixel more: what the edge of the rectangle touches is covered.
        box = padded_box(grown, width, height, 0, 1)
        return cls(box, _inside(grown, box))

    @classmethod
    def drawn(cls, polygon: Polygon, width: int, height: int) -> Region:
        """A polygon as somebody has drawn it on a frame, and no more: what its edge encloses, and what that touches."""
        box = padded_box(polygon, width, height, 0, 0 if is_upright(polygon) else 1)
        return cls(box, None if is_upright(polygon) else _enclosed(polygon, box))


def _inside(rectangle: Polygon, box: Box) -> NDArray[np.bool_]:
    """Which pixels of a box lie in a rectangle or are touched by its edge."""
    corners = np.asarray(rectangle)
    x = np.arange(box[0], box[2])[None] + 0.5
    y = np.arange(box[1], box[3])[:, None] + 0.5
    inside = np.ones((max(0, box[3] - box[1]), max(0, box[2] - box[0])), np.bool_)
    for side in (corners[1] - corners[0], corners[3] - corners[0]):
        u, v = side / np.linalg.norm(side)
        ends, reach = corners @ (u, v), (abs(u) + abs(v)) / 2
        place = x * u + y * v
        inside &= (place > ends.min() - reach) & (place < ends.max() + reach)
    return inside


def _enclosed(polygon: Polygon, box: Box) -> NDArray[np.bool_]:
    """Which pixels of a box cannot be reached from outside without crossing the polygon's edge, the edge with them.

    An edge that crosses itself leaves no holes, as a rule of odd and even crossings would.
    """
    rim = 2
    canvas = np.zeros((max(0, box[3] - box[1]) + 2 * rim, max(0, box[2] - box[0]) + 2 * rim), np.uint8)
    # Pixel centres are at half pixels; the frame may cut the polygon, whose corners lie outside the box then.
    corners = np.asarray(polygon, np.float64) - (box[0] - rim + 0.5, box[1] - rim + 0.5)
    cv2.fillPoly(canvas, [np.round(corners * 2**_SHIFT).astype(np.int32)], (1,), shift=_SHIFT)
    cv2.polylines(canvas, [np.round(corners * 2**_SHIFT).astype(np.int32)], True, (1,), 2, shift=_SHIFT)
    outside = np.pad(canvas[rim:-rim, rim:-rim], 1)
    cv2.floodFill(outside, None, (0, 0), (2,))
    return np.asarray(outside[1:-1, 1:-1] != 2)


def regions_of(
    marks: Sequence[Mark], frame: int, width: int, height: int, settings: RedactSection
) -> list[tuple[Region, str | None]]:
    """Padded regions of the marks on one frame, with the text to write into them; those outside are left out."""
    own = [mark for mark in marks if mark.frame is None or mark.frame == frame]
    regions = [(replace(_region(mark, width, height, settings), fill=mark.fill), mark.text) for mark in own]
    # Text is written level, so it needs the whole box.
    found = [(replace(region, inside=None) if text else region, text) for region, text in regions]
    return [(region, text) for region, text in found if region.pixels]


def _region(mark: Mark, width: int, height: int, settings: RedactSection) -> Region:
    if mark.drawn:
        return Region.drawn(mark.polygon, width, height)
    return Region.of(mark.polygon, width, height, settings)


def marked_frames(marks: Sequence[Mark], count: int) -> list[int]:
    """Frames, from 0 in rising order, that at least one mark is on."""
    if any(mark.frame is None for mark in marks):
        return list(range(count))
    return sorted({mark.frame for mark in marks if mark.frame is not None and 0 <= mark.frame < count})


def cover(plane: Samples, region: Region, fill: Fill, palette: Palette, text: str | None = None) -> None:
    """Overwrite ``region`` of a ``(H, W)`` or ``(H, W, S)`` plane in place, and write ``text`` into it.

    Everything outside the region keeps its value.
    """
    cover_all(plane, [(region, text)], fill, palette)


def cover_all(plane: Samples, regions: Sequence[tuple[Region, str | None]], fill: Fill, palette: Palette) -> None:
    """Overwrite all regions of one plane in place; as :func:`cover`, but none is filled from another one's pixels.

    ``fill`` is that of regions without one of their own.

    Boxes grow, so neighbours may overlap: all are filled before anything is written.
    """
    regions = [(region, text) for region, text in regions if region.pixels]
    hidden = np.zeros(plane.shape[:2], np.bool_)
    for region, _ in regions:
        hidden[region.rows, region.columns] |= region.mask
    written = []
    for region, text in regions:
        own = region.fill or fill
        paper = _paper(plane, region.box, own, palette)
        part = plane[region.rows, region.columns]
        around = own in (Fill.INPAINT, Fill.BLUR)
        was = part.copy()
        if not (around and inpaint(plane, region.box, region.mask, hidden, not palette.indexed)):
            part[region.mask] = paper if plane.ndim == 3 else paper[0]
        # A text that is written there is to be read, and there is nothing between two indices.
        if own is Fill.BLUR and not text and not palette.indexed:
            smear(plane, region.box, region.mask, was, (np.asarray(palette.black), np.asarray(palette.white)))
        if text:
            written.append((part, text, paper))
    for part, text, paper in written:
        _write(part, text, paper, palette)


def _write(part: Samples, text: str, paper: Samples, palette: Palette) -> None:
    ink = palette.white if _distance(paper, palette.black) <= _distance(paper, palette.white) else palette.black
    value = np.asarray(ink, dtype=part.dtype)
    part[text_mask(text, part.shape[1], part.shape[0])] = value if part.ndim == 3 else value[0]


def _samples(plane: Samples) -> int:
    return plane.shape[2] if plane.ndim == 3 else 1


def _paper(plane: Samples, box: Box, fill: Fill, palette: Palette) -> Samples:
    """The fill as one stored value for each sample, ``(S,)``."""
    left, top, right, bottom = box
    if fill in (Fill.BLACK, Fill.WHITE):
        value = palette.black if fill is Fill.BLACK else palette.white
        return np.asarray(value, dtype=plane.dtype)
    if fill is Fill.CORNER:
        return np.array(plane[top, left]).reshape(-1)
    inside = plane[top:bottom, left:right]
    rim = (inside[0], inside[-1], inside[:, 0], inside[:, -1])
    values = np.concatenate([edge.reshape(-1, _samples(plane)) for edge in rim])
    # An existing value, not a mean of two: palette indices cannot be averaged.
    colours, counts = np.unique(values, axis=0, return_counts=True)
    return np.asarray(colours[counts.argmax()], dtype=plane.dtype)


def _distance(paper: Samples, other: tuple[float, ...]) -> float:
    return float(np.abs(paper.astype(np.float64) - np.asarray(other)).sum())


@functools.lru_cache(maxsize=256)
def text_mask(text: str, width: int, height: int) -> NDArray[np.bool_]:
    """``text`` about as large as what stood there, if it fits into ``(height, width)`` pixels; True where there is ink.

    It is aligned to the left. Boxes are higher than the text that they cover.
    """
    image = Image.new("L", (width, height))
    draw = ImageDraw.Draw(image)
    size = _largest(lambda s: _fits(draw, text, s, width, height), height)
    font = ImageFont.load_default(size)
    box = draw.textbbox((0, 0), text, font=font)
    draw.text((1 - box[0], (height - (box[3] - box[1])) / 2 - box[1]), text, fill=255, font=font)
    return np.asarray(image) > 127


def _fits(draw: ImageDraw.ImageDraw, text: str, size: int, width: int, height: int) -> bool:
    left, top, right, bottom = draw.textbbox((0, 0), text, font=ImageFont.load_default(size))
    return right - left <= width - 2 and bottom - top <= max(5, _TEXT_HEIGHT * height)


def _largest(fits: Callable[[int], bool], most: int) -> int:
    for size in range(max(4, most), 4, -1):
        if fits(size):
            return size
    return 4

"""Pages that lie askew or upside down: how far they are turned is told by what can be read on them.

A page whose lines are level and read well is taken as it is; nothing else is looked at. For any other the direction of
its lines is measured by projection (lines of text leave gaps between them in one direction only), and which side is up
by reading a few lines both ways.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.geometry import Polygon, bounding_box, box_polygon
from deidra.app.domain.model import TextLine
from deidra.app.load.turning import Turning
from deidra.models.text_detector import DetectedBox
from deidra.models.text_reader import PPOCRReader, crop

Image = NDArray[np.uint8]

_READABLE = 0.85
"""Lines that are read with this confidence, on average by their length, are upright."""
_LEVEL = 8.0
"""Degrees; lines that slope less are level."""
_LEAST_CHARACTERS = 12
"""A page with less text is not judged by it."""
_MOST_TRIED = 10
"""Lines that are read both ways."""
_COARSE = 700
"""Longer side in pixels of the picture that projections are taken of."""
_STEP, _FINE_STEP = 2.0, 0.25
_ALIKE, _BETTER = 0.9, 1.05
"""A turned page is taken when so much is read on it, as a share of what was read before: if it is upright; if not."""
_CLEARER = 1.3
"""Lines of another direction count when rows differ by so much more in it than in that of the page."""


class Locator(Protocol):
    """What finds and reads text on pictures."""

    def page_lines(self, picture: Image) -> list[TextLine]:
        """All lines on a page."""

    def suspects(self, picture: Image) -> list[DetectedBox]:
        """What one look takes for text; nothing is read."""

    def confidences(self, crops: Sequence[Image]) -> list[float]:
        """How sure the first reader is of what it reads on pictures of lines, 0 to 1."""


def upright_lines(picture: Image, locator: Locator) -> list[TextLine]:
    """All lines of a page ``(H, W, 3)`` in its own pixels, whichever way it lies.

    Raises:
        ModelError: a model is missing or damaged.
    """
    found = locator.page_lines(picture)
    if _is_upright(found) or not _may_be_text(picture):
        return found
    height, width = picture.shape[:2]
    skew = _direction(picture)
    turning = Turning(width, height, -skew)
    if _is_upside_down(turning.picture(picture), locator):
        turning = Turning(width, height, 180 - skew)
    if turning.degrees % 360 == 0:
        return found
    turned = locator.page_lines(turning.picture(picture))
    least = _ALIKE if _is_upright(turned) else _BETTER
    if _amount(turned) < least * _amount(found):
        return found
    return [replace(line, polygon=turning.back(line.polygon)) for line in turned]


def _is_upright(lines: Sequence[TextLine]) -> bool:
    read = [(line, _confidence(line)) for line in lines if line.text]
    total = sum(len(line.text) for line, _ in read)
    if total < _LEAST_CHARACTERS:
        return False
    readable = sum(len(line.text) * confidence for line, confidence in read) / total
    level = sum(len(line.text) for line, _ in read if _slope(line.polygon) <= _LEVEL)
    return readable >= _READABLE and level >= total / 2


def _slope(polygon: Polygon) -> float:
    """Degrees (0 to 180) between the longer side of a line and the level; lines read upwards are not level."""
    (ax, ay), (bx, by), _, (dx, dy) = polygon[:4]
    along, down = (bx - ax, by - ay), (dx - ax, dy - ay)
    if math.hypot(*down) > 1.5 * math.hypot(*along):
        along = down
    return abs(math.degrees(math.atan2(along[1], along[0])))


def _confidence(line: TextLine) -> float:
    return next((e.score for e in line.evidence if e.agent == PPOCRReader.name), 0.0)


def _amount(lines: Sequence[TextLine]) -> float:
    """How much is read, and how surely."""
    return sum(len(line.text) * _confidence(line) ** 2 for line in lines)


def _may_be_text(picture: Image) -> bool:
    return int(np.ptp(picture)) > 0


def _direction(picture: Image) -> float:
    """The direction of the lines on a page, in degrees clockwise from level, above -90 and up to 90."""
    ink = _ink(picture)
    coarse = np.arange(-90 + _STEP, 90 + _STEP, _STEP)
    best = coarse[int(np.argmax([_sharpness(ink, angle) for angle in coarse]))]
    fine = np.arange(best - _STEP, best + _STEP + _FINE_STEP, _FINE_STEP)
    exact = float(fine[int(np.argmax([_sharpness(ink, angle) for angle in fine]))])
    if abs(exact) <= _FINE_STEP or _sharpness(ink, exact) < _CLEARER * _sharpness(ink, 0.0):
        return 0.0
    return exact


def _ink(picture: Image) -> NDArray[np.float32]:
    """Where there is ink, 0 to 1, on a small square picture without the page's edges."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    scale = _COARSE / max(grey.shape)
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else grey
    paper = cv2.medianBlur(small, 31)
    ink = cv2.absdiff(small, paper).astype(np.float32) / 255
    side = math.ceil(math.hypot(*ink.shape))
    square = np.zeros((side, side), np.float32)
    top, left = (side - ink.shape[0]) // 2, (side - ink.shape[1]) // 2
    square[top : top + ink.shape[0], left : left + ink.shape[1]] = ink
    return square


def _sharpness(ink: NDArray[np.float32], degrees: float) -> float:
    """How much neighbouring rows differ in ink when a page is turned back by some degrees."""
    middle = (ink.shape[1] - 1) / 2, (ink.shape[0] - 1) / 2
    level = cv2.warpAffine(ink, cv2.getRotationMatrix2D(middle, degrees, 1.0), ink.shape[::-1])
    return float((np.diff(level.sum(axis=1)) ** 2).sum())


def _is_upside_down(picture: Image, locator: Locator) -> bool:
    boxes = [bounding_box(box.polygon) for box in locator.suspects(picture)]
    wide = sorted(boxes, key=lambda box: box[0] - box[2])[:_MOST_TRIED]
    crops = [crop(picture, box_polygon(*box)) for box in wide if box[2] - box[0] > 1.5 * (box[3] - box[1]) > 0]
    if not crops:
        return False
    scores = locator.confidences([*crops, *(np.ascontiguousarray(cut[::-1, ::-1]) for cut in crops)])
    return sum(scores[len(crops) :]) > sum(scores[: len(crops)])

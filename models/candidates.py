"""Candidate boxes of a detector: which of them tell of the same text."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.geometry import Polygon, as_polygon
from deidra.models.text_detector import DetectedBox

Boxes = NDArray[np.float32]
Floats = NDArray[np.float32]
KINDS = ("printed", "handwriting", "barcode")
"""Classes of the text detector after background."""
SAME = 0.5
"""Boxes that overlap (intersection over union) more than this are one."""
_INSIDE = 0.8
_ALIKE_HEIGHT = 0.55
_LEAST_SLOPE = math.radians(1.5)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Everything the network took for text, each once, best first; rows of ``M`` boxes in image pixels.

    ``boxes (M, 4)`` upright bounds; ``slope (M,)`` radians; ``short_side (M,)`` of the rectangle of that slope;
    ``probability`` and ``variance`` ``(M, 4)`` over background and :data:`KINDS`; ``edge_variance (M, 4)`` squared
    pixels.
    """

    boxes: Floats
    slope: Floats
    short_side: Floats
    probability: Floats
    variance: Floats
    edge_variance: Floats

    @property
    def score(self) -> Floats:
        """Mean probability that it is text of any kind, ``(M,)``."""
        return np.asarray(1 - self.probability[:, 0], np.float32)

    @property
    def kind(self) -> NDArray[np.int64]:
        """Index into :data:`KINDS`, ``(M,)``."""
        return np.asarray(self.probability[:, 1:].argmax(1), np.int64)

    @property
    def doubt(self) -> Floats:
        """Variance of the probability of its own kind, ``(M,)``."""
        return np.asarray(self.variance[np.arange(len(self.variance)), self.kind + 1], np.float32)

    def told(self) -> list[DetectedBox]:
        """Each as a box with its corners, as agents tell of them."""
        rows = zip(self.boxes, self.slope, self.short_side, self.score, self.doubt, self.kind, strict=True)
        return [
            DetectedBox(quadrilateral(box, float(slope), float(short)), float(score), float(doubt), KINDS[kind])
            for box, slope, short, score, doubt, kind in rows
        ]

    def take(self, rows: NDArray[np.int64]) -> Candidates:
        """Some of them."""
        return Candidates(*(getattr(self, name)[rows] for name in self.__slots__))

    @staticmethod
    def join(parts: list[Candidates]) -> Candidates:
        """Several as one."""
        return Candidates(*(np.concatenate([getattr(p, n) for p in parts]) for n in Candidates.__slots__))


def overlaps(box: Boxes, others: Boxes) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Of one box ``(4,)`` with others ``(M, 4)``: intersection over union, and share of the others that it holds."""
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[2:], others[:, 2:])
    shared = np.clip(high - low, 0, None).prod(1)
    area = np.clip(others[:, 2:] - others[:, :2], 0, None).prod(1)
    union = area + (box[2:] - box[:2]).prod() - shared
    return shared / np.maximum(union, 1e-6), shared / np.maximum(area, 1e-6)


def distinct(boxes: Boxes, scores: NDArray[np.float32]) -> NDArray[np.int64]:
    """Indices of the boxes that stay when each text is told of once, best first.

    A box goes if a better one overlaps it by more than half, or holds most of it and is not much
    taller (a piece of a line).
    """
    order = np.argsort(-scores, kind="stable")
    kept: list[int] = []
    alive = np.ones(len(order), bool)
    for place, index in enumerate(order):
        if not alive[place]:
            continue
        kept.append(int(index))
        rest = boxes[order[place + 1 :]]
        if not len(rest):
            break
        union, held = overlaps(boxes[index], rest)
        height = boxes[index, 3] - boxes[index, 1]
        alike = (rest[:, 3] - rest[:, 1]) > _ALIKE_HEIGHT * height
        alive[place + 1 :] &= ~((union > SAME) | ((held > _INSIDE) & alike))
    return np.array(kept, np.int64)


def quadrilateral(box: Boxes, slope: float, short_side: float) -> Polygon:
    """The rectangle of a slope (radians, clockwise) and a shorter side whose upright bounds are ``box``.

    With sides a along the slope and b across it, ``width = a cos + b sin`` and ``height = a sin + b cos``. Bounds and
    slope alone would give both sides, but with twice the bounds' error at 30 degrees and none at all at 45; so the
    shorter one is told, and the other follows from the longer side of the bounds. Small slopes count as none.
    """
    left, top, right, bottom = (float(v) for v in box)
    lean = abs(slope)
    width, height = right - left, bottom - top
    cos, sin = math.cos(lean), math.sin(lean)
    short = min(short_side, width, height)
    long = (max(width, height) - short * sin) / cos
    along, across = (long, short) if width >= height else (short, long)
    if not (lean > _LEAST_SLOPE and min(along, across) > 1):
        return as_polygon([(left, top), (right, top), (right, bottom), (left, bottom)])
    x, y = (left + right) / 2, (top + bottom) / 2
    cos, sin = math.cos(slope), math.sin(slope)
    corners = [(-along, -across), (along, -across), (along, across), (-along, across)]
    return as_polygon([(x + (u * cos - v * sin) / 2, y + (u * sin + v * cos) / 2) for u, v in corners])

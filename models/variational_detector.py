"""The uncertainty-aware text detector: a variational Faster R-CNN on scales and tiles.

What the network is and how it was trained stands in ``cards/text_detector.md``.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.models.calibration import Calibration, calibration
from deidra.models.candidates import KINDS, Boxes, Candidates, distinct, overlaps, quadrilateral
from deidra.models.runtime import session
from deidra.models.text_detector import DetectedBox, Image

_PIECE = 0.8
"""A cut box of which this share lies in a whole one is a piece of it."""


class VariationalDetector:
    """Finds printed text, handwriting and barcodes, and says of each box how sure it is.

    Args:
        least_score: candidates below this mean probability are not told of; by default what the
            calibration found to miss no more text than promised.
    """

    name = "deidra-det"
    TILE = 1280
    """Largest side that the network sees at once: memory stays bounded."""
    SHARED = 192
    """Pixels that neighbouring tiles share; text higher than that is found on the smaller picture."""
    OVERVIEW = 1024
    """Longer pictures are searched on this size as well, for text too large for the tiles."""
    SMALL = 448
    """Pictures whose shorter side is below this are enlarged."""
    LEAST_CANDIDATE = 0.05

    def __init__(self, least_score: float | None = None, tuned: Calibration | None = None) -> None:
        self._tuned = tuned or calibration()
        self._least = self._tuned.least_score if least_score is None else least_score

    def detect(self, image: Image) -> list[DetectedBox]:
        """See :class:`deidra.models.text_detector.TextDetector`; ``variance`` is that of the class probability."""
        found = self.candidates(image)
        keep = np.flatnonzero(found.score >= self._least)
        rows = zip(*(a[keep] for a in (found.boxes, found.slope, found.score, found.doubt, found.kind)), strict=True)
        return [
            DetectedBox(quadrilateral(box, float(slope)), float(score), float(doubt), KINDS[kind])
            for box, slope, score, doubt, kind in rows
        ]

    def candidates(self, image: Image) -> Candidates:
        """All candidates on an ``(H, W, 3)`` RGB image, also those of low probability or high variance."""
        height, width = image.shape[:2]
        found = _whole([self._scaled(image, factor) for factor in self._factors(height, width)])
        limits = np.array([width, height, width, height], np.float32)
        inside = np.clip(found.boxes, 0, limits)
        found = Candidates(inside, *(getattr(found, n) for n in Candidates.__slots__[1:]))
        real = np.flatnonzero((inside[:, 2:] - inside[:, :2]).min(1, initial=np.inf) >= 2)
        found = found.take(real)
        return found.take(distinct(found.boxes, found.score))

    def _factors(self, height: int, width: int) -> list[float]:
        factors = [1.0]
        if min(height, width) < self.SMALL:
            factors = [min(2.0, 2 * self.SMALL / min(height, width))]
        if max(height, width) > self.TILE:
            factors.append(self.OVERVIEW / max(height, width))
        return factors

    def _scaled(self, image: Image, factor: float) -> tuple[Candidates, NDArray[np.bool_]]:
        """Candidates found on the image enlarged or shrunk, in pixels of the image; which a tile's edge still cuts."""
        size = [max(1, round(side * factor)) for side in image.shape[1::-1]]
        how = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
        picture = image if factor == 1 else np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)
        rows, columns = picture.shape[:2]
        parts = [self._tile(picture, *corner) for corner in _corners(rows, columns, self.TILE, self.SHARED)]
        found, cut = _mended(parts) if len(parts) > 1 else parts[0]
        back = np.array([image.shape[1] / size[0], image.shape[0] / size[1]] * 2, np.float32)
        moved = found.boxes * back
        return Candidates(moved, found.slope, found.probability, found.variance, found.edge_variance * back**2), cut

    def _tile(self, picture: Image, top: int, left: int) -> tuple[Candidates, NDArray[np.bool_]]:
        """Candidates of one tile in pixels of the picture, and which of them its inner edges cut."""
        tile = picture[top : top + self.TILE, left : left + self.TILE]
        height, width = tile.shape[:2]
        padded = np.zeros((max(256, -(-height // 32) * 32), max(256, -(-width // 32) * 32), 3), np.uint8)
        padded[:height, :width] = tile
        answer = session("deidra-det").run(None, {"images": padded.transpose(2, 0, 1)[None]})
        boxes, slope, probability, variance, edge_variance = answer[:5]
        keep = np.flatnonzero(1 - probability[:, 0] >= self.LEAST_CANDIDATE)
        keep = keep[distinct(boxes[keep], 1 - probability[keep, 0])]
        boxes = boxes[keep]
        edge = 4.0
        cut = (left > 0) & (boxes[:, 0] < edge) | (top > 0) & (boxes[:, 1] < edge)
        cut |= (left + width < picture.shape[1]) & (boxes[:, 2] > width - edge)
        cut |= (top + height < picture.shape[0]) & (boxes[:, 3] > height - edge)
        moved = boxes + np.array([left, top, left, top], np.float32)
        return Candidates(moved, slope[keep], probability[keep], variance[keep], edge_variance[keep]), cut


def _corners(height: int, width: int, tile: int, shared: int) -> Iterator[tuple[int, int]]:
    """Top left corners of tiles that cover a picture, evenly spread."""
    for top in _starts(height, tile, shared):
        for left in _starts(width, tile, shared):
            yield top, left


def _starts(length: int, tile: int, shared: int) -> list[int]:
    if length <= tile:
        return [0]
    count = -(-(length - shared) // (tile - shared))
    return [round(i * (length - tile) / (count - 1)) for i in range(count)]


def _mended(parts: list[tuple[Candidates, NDArray[np.bool_]]]) -> tuple[Candidates, NDArray[np.bool_]]:
    """Candidates of all tiles; the halves of a line that a tile's edge cut become one. Which have no other half."""
    found = Candidates.join([p for p, _ in parts])
    cut = np.concatenate([c for _, c in parts])
    alone = cut.copy()
    boxes = found.boxes.copy()
    gone = np.zeros(len(boxes), bool)
    for index in np.flatnonzero(cut):
        if gone[index]:
            continue
        for other in np.flatnonzero(_continues(boxes[index], boxes) & ~gone):
            if other != index:
                low, high = boxes[[index, other], :2].min(0), boxes[[index, other], 2:].max(0)
                boxes[index] = [*low, *high]
                gone[other], alone[index] = True, False
    merged = Candidates(boxes, *(getattr(found, n) for n in Candidates.__slots__[1:]))
    keep = np.flatnonzero(~gone)
    return merged.take(keep), alone[keep]


def _whole(scales: list[tuple[Candidates, NDArray[np.bool_]]]) -> Candidates:
    """Candidates of all scales without the pieces of what another scale shows whole."""
    found = Candidates.join([c for c, _ in scales])
    cut = np.concatenate([c for _, c in scales])
    gone = np.zeros(len(cut), bool)
    if cut.any():
        for box in found.boxes[~cut]:
            gone |= cut & (overlaps(box, found.boxes)[1] > _PIECE)
    return found.take(np.flatnonzero(~gone))


def _continues(box: Boxes, others: Boxes) -> NDArray[np.bool_]:
    """Which boxes overlap this one and stand on the same row (or, for upright lines, in the same column)."""
    union, held = overlaps(box, others)
    result = np.zeros(len(others), bool)
    for low, high in ((1, 3), (0, 2)):
        shared = np.minimum(box[high], others[:, high]) - np.maximum(box[low], others[:, low])
        longest = np.maximum(box[high] - box[low], others[:, high] - others[:, low])
        result |= shared > 0.6 * longest
    return result & ((union > 0) | (held > 0))

"""The uncertainty-aware text detector: a variational Faster R-CNN on scales and tiles.

What the network is and how it was trained stands in ``cards/text_detector.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.geometry import bounding_box, box_polygon
from deidra.models.calibration import Calibration, calibration
from deidra.models.candidates import Boxes, Candidates, distinct, overlaps
from deidra.models.runtime import on_cuda, session
from deidra.models.text_detector import DetectedBox, Image, Look

_Answer = tuple[Candidates, NDArray[np.bool_]]
"""Candidates, and which of them an edge of a tile cuts."""
GRID = 32
"""Sides of what the network sees are multiples of this: its coarsest stride."""
_LEAST_SIDE = 256
_EDGE = 4.0
"""Boxes that end within so many pixels of a tile's edge may go on behind it."""
_PIECE = 0.8
"""A cut box of which this share lies in a whole one is a piece of it."""


class VariationalDetector:
    """Finds printed text, handwriting and barcodes, and says of each box how sure it is.

    Args:
        least_score: candidates below this mean probability are not told of; by default what the
            calibration found to miss no more text than promised.
    """

    name = "deidra-det"
    TILE = 1376
    """Largest side that the network sees at once: memory stays bounded. A multiple of :data:`GRID`."""
    SHARED = 192
    """Pixels that neighbouring tiles share at least; text higher than that is found on the smaller picture."""
    OVERVIEW = 1024
    """Longer pictures are searched on this size as well, for text too large for the tiles."""
    SMALL = 448
    """Pictures whose shorter side is below this are enlarged."""
    TOGETHER = 8_000_000
    """Pixels that a card sees at once."""
    LEAST_CANDIDATE = 0.05

    def __init__(self, least_score: float | None = None, tuned: Calibration | None = None) -> None:
        self._tuned = tuned or calibration()
        self._least = self._tuned.least_score if least_score is None else least_score

    def detect(self, image: Image) -> list[DetectedBox]:
        """See :class:`deidra.models.text_detector.TextDetector`; ``variance`` is that of the class probability."""
        return self.look(image).boxes

    def look(self, image: Image) -> Look:
        """See :class:`deidra.models.text_detector.ScreeningDetector`; probabilities are calibrated.

        Signs are the candidates: of nothing below :attr:`LEAST_CANDIDATE` is told.
        """
        (found,) = self.candidates([image])
        bounds = [bounding_box(box_polygon(*map(float, box))) for box in found.boxes]
        return Look(self._told(found), tuple(zip(bounds, self._tuned.probability(found.score).tolist(), strict=True)))

    def _told(self, found: Candidates) -> list[DetectedBox]:
        return found.take(np.flatnonzero(found.score >= self._least)).told()

    def candidates(self, images: Sequence[Image]) -> list[Candidates]:
        """All candidates on each ``(H, W, 3)`` RGB image, also those of low probability or high variance.

        On a card, tiles of one shape go through the network together, as many as :attr:`TOGETHER` pixels hold;
        what is found on an image does not depend on the others.
        """
        tiles = [tile for number, image in enumerate(images) for tile in self._tiles(number, image)]
        answers = self._answers(tiles)
        found: list[Candidates] = []
        for number, image in enumerate(images):
            scales: dict[float, list[_Answer]] = {}
            for tile, answer in zip(tiles, answers, strict=True):
                if tile.image == number:
                    scales.setdefault(tile.factor, []).append(answer)
            whole = _whole([_mended(parts) if len(parts) > 1 else parts[0] for parts in scales.values()])
            found.append(_inside(whole, *image.shape[:2]))
        return found

    def _tiles(self, number: int, image: Image) -> Iterator[_Tile]:
        height, width = image.shape[:2]
        for factor in self._factors(height, width):
            size = [max(1, round(side * factor)) for side in (width, height)]
            how = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
            picture = image if factor == 1 else np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)
            back = (width / size[0], height / size[1])
            for top, bottom in _spans(size[1], self.TILE, self.SHARED):
                for left, right in _spans(size[0], self.TILE, self.SHARED):
                    yield _Tile(number, factor, back, left, top, picture[top:bottom, left:right], (size[0], size[1]))

    def _factors(self, height: int, width: int) -> list[float]:
        factors = [1.0]
        if min(height, width) < self.SMALL:
            factors = [min(2.0, 2 * self.SMALL / min(height, width))]
        if max(height, width) > self.TILE:
            factors.append(self.OVERVIEW / max(height, width))
        return factors

    def _answers(self, tiles: Sequence[_Tile]) -> list[_Answer]:
        """What the network says of each tile, in pixels of its image, and which boxes an inner edge of it cuts."""
        shapes: dict[tuple[int, int], list[int]] = {}
        for number, tile in enumerate(tiles):
            shapes.setdefault(tile.shape, []).append(number)
        answers: dict[int, _Answer] = {}
        for (height, width), numbers in shapes.items():
            most = max(1, self.TOGETHER // (height * width)) if on_cuda() else 1
            for start in range(0, len(numbers), most):
                chunk = numbers[start : start + most]
                batch = np.zeros((len(chunk), 3, height, width), np.uint8)
                for row, number in enumerate(chunk):
                    pixels = tiles[number].pixels
                    batch[row, :, : pixels.shape[0], : pixels.shape[1]] = pixels.transpose(2, 0, 1)
                *parts, image = session("deidra-det").run(None, {"images": batch})
                for row, number in enumerate(chunk):
                    answers[number] = self._answer(tiles[number], Candidates(*(p[image == row] for p in parts)))
        return [answers[number] for number in range(len(tiles))]

    def _answer(self, tile: _Tile, found: Candidates) -> _Answer:
        found = found.take(np.flatnonzero(found.score >= self.LEAST_CANDIDATE))
        found = found.take(distinct(found.boxes, found.score))
        cut = tile.cuts(found.boxes)
        back = np.array([*tile.back, *tile.back], np.float32)
        moved = replace(
            found,
            boxes=(found.boxes + np.array([tile.left, tile.top] * 2, np.float32)) * back,
            short_side=found.short_side * np.float32(max(tile.back)),
            edge_variance=found.edge_variance * back**2,
        )
        return moved, cut


@dataclass(frozen=True, slots=True)
class _Tile:
    """A part of one of the images at one scale.

    ``back`` leads from its pixels to those of the image (x, y); ``left`` and ``top`` are its place on the scaled
    picture, whose width and height are ``whole``.
    """

    image: int
    factor: float
    back: tuple[float, float]
    left: int
    top: int
    pixels: Image
    whole: tuple[int, int]

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width that the network takes it in."""
        height, width = (max(_LEAST_SIDE, _on_grid(side)) for side in self.pixels.shape[:2])
        return height, width

    def cuts(self, boxes: Boxes) -> NDArray[np.bool_]:
        """Which boxes end at an edge behind which the picture goes on."""
        height, width = self.pixels.shape[:2]
        cut = (self.left > 0) & (boxes[:, 0] < _EDGE) | (self.top > 0) & (boxes[:, 1] < _EDGE)
        cut |= (self.left + width < self.whole[0]) & (boxes[:, 2] > width - _EDGE)
        cut |= (self.top + height < self.whole[1]) & (boxes[:, 3] > height - _EDGE)
        return np.asarray(cut, np.bool_)


def _inside(found: Candidates, height: int, width: int) -> Candidates:
    """Candidates clipped to the image, each text once."""
    boxes = np.clip(found.boxes, 0, np.array([width, height, width, height], np.float32))
    found = replace(found, boxes=boxes)
    found = found.take(np.flatnonzero((boxes[:, 2:] - boxes[:, :2]).min(1, initial=np.inf) >= 2))
    return found.take(distinct(found.boxes, found.score))


def _spans(length: int, tile: int, shared: int) -> list[tuple[int, int]]:
    """Begin and end of the parts, at most ``tile`` long, into which a side is cut: as few and as short as can be.

    Neighbours share at least ``shared``; all parts are equally long, and evenly spread.
    """
    if length <= tile:
        return [(0, length)]
    count = -(-(length - shared) // (tile - shared))
    side = min(tile, _on_grid(-(-(length + (count - 1) * shared) // count)))
    starts = [round(i * (length - side) / (count - 1)) for i in range(count)]
    return [(start, start + side) for start in starts]


def _on_grid(side: int) -> int:
    return -(-side // GRID) * GRID


def _mended(parts: list[_Answer]) -> _Answer:
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
    merged = replace(found, boxes=boxes)
    keep = np.flatnonzero(~gone)
    return merged.take(keep), alone[keep]


def _whole(scales: list[_Answer]) -> Candidates:
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

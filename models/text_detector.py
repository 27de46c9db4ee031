"""Text detectors: an interface that says of every box how sure it is, and PP-OCRv6 behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.geometry import Box, Polygon, as_polygon
from deidra.models.runtime import session

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class DetectedBox:
    """One text box: four corners (top left, top right, bottom right, bottom left) in image pixels.

    ``score`` is the mean probability (0 to 1) that this is text, ``variance`` its spread; ``kind`` is
    "printed", "handwriting" or "barcode", or "" where the detector does not tell them apart.
    """

    polygon: Polygon
    score: float
    variance: float
    kind: str = ""


class TextDetector(Protocol):
    """Finds text in an image. ``name`` is the agent's name in the evidence."""

    name: str

    def detect(self, image: Image) -> list[DetectedBox]:
        """Boxes in an ``(H, W, 3)`` RGB image, in no particular order."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a detector says of one image.

    Args:
        boxes: what it takes for text.
        signs: upright bounds of all that may be text at all, the boxes among them, with the probability (0 to 1).
    """

    boxes: list[DetectedBox]
    signs: tuple[tuple[Box, float], ...]


@runtime_checkable
class ScreeningDetector(TextDetector, Protocol):
    """A detector that also tells of the slightest signs of text."""

    def look(self, image: Image) -> Look:
        """Boxes in an ``(H, W, 3)`` RGB image, and all signs of text on it."""


@runtime_checkable
class PartDetector(TextDetector, Protocol):
    """A detector that sees a part of a picture as it sees it in the whole."""

    def detect_part(self, image: Image, whole: tuple[int, int]) -> list[DetectedBox]:
        """Boxes in a part ``(H, W, 3)`` of a picture of the height and width ``whole``, in pixels of the part."""


class PPOCRDetector:
    """PP-OCRv6 small, a differentiable-binarisation network (Liao et al., AAAI 2020).

    The network gives a probability of text for each pixel. A box's score is the mean over its
    pixels; its variance is the variance over the same pixels, which is what this network can really
    tell about its own doubt.
    """

    name = "ppocr-det"
    SHORT_SIDE = 736
    LONG_SIDE = 2400
    PIXEL_THRESHOLD = 0.3
    BOX_THRESHOLD = 0.5
    UNCLIP_RATIO = 1.6
    LEAST_SIDE = 3
    MOST_BOXES = 1000

    def detect(self, image: Image) -> list[DetectedBox]:
        """See :class:`TextDetector`."""
        return self.detect_part(image, (image.shape[0], image.shape[1]))

    def detect_part(self, image: Image, whole: tuple[int, int]) -> list[DetectedBox]:
        """See :class:`PartDetector`: the part is shown at the scale of the whole picture."""
        height, width = image.shape[:2]
        scale = min(max(1.0, self.SHORT_SIDE / min(whole)), self.LONG_SIDE / max(whole))
        size = [max(32, round(side * scale / 32) * 32) for side in (width, height)]
        resized = cv2.resize(image[:, :, ::-1], (size[0], size[1]))
        batch = ((resized.astype(np.float32) / 255 - 0.5) / 0.5).transpose(2, 0, 1)[None]
        probability = session("ppocr-det").run(None, {"x": batch})[0][0, 0]
        return self._boxes(probability, width / size[0], height / size[1], width, height)

    def _boxes(
        self, probability: NDArray[np.float32], x_scale: float, y_scale: float, width: int, height: int
    ) -> list[DetectedBox]:
        mask = (probability > self.PIXEL_THRESHOLD).astype(np.uint8)
        mask = np.asarray(cv2.dilate(mask, np.ones((2, 2), np.uint8)), np.uint8)
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        boxes = []
        for contour in contours[: self.MOST_BOXES]:
            centre, sides, angle = cv2.minAreaRect(contour)
            if min(sides) < self.LEAST_SIDE:
                continue
            score, variance = _pixel_statistics(probability, _corners(centre, sides, angle))
            if score < self.BOX_THRESHOLD:
                continue
            # The network is trained on shrunk text; growing a rectangle by d = area * ratio / perimeter
            # undoes it. For a rectangle the offset polygon is the rectangle with 2 d longer sides.
            grow = sides[0] * sides[1] * self.UNCLIP_RATIO / (2 * (sides[0] + sides[1]))
            grown = (sides[0] + 2 * grow, sides[1] + 2 * grow)
            corners = _in_reading_order(_corners(centre, grown, angle))
            corners[:, 0] = np.clip(corners[:, 0] * x_scale, 0, width)
            corners[:, 1] = np.clip(corners[:, 1] * y_scale, 0, height)
            boxes.append(DetectedBox(as_polygon(corners.tolist()), score, variance))
        return boxes


def _corners(centre: Sequence[float], sides: Sequence[float], angle: float) -> NDArray[np.float32]:
    return np.asarray(cv2.boxPoints((centre, sides, angle)), np.float32)


def _pixel_statistics(probability: NDArray[np.float32], corners: NDArray[np.float32]) -> tuple[float, float]:
    height, width = probability.shape
    left, top = np.clip(np.floor(corners.min(0)).astype(int), 0, (width - 1, height - 1))
    right, bottom = np.clip(np.ceil(corners.max(0)).astype(int), 0, (width - 1, height - 1))
    mask = np.zeros((bottom - top + 1, right - left + 1), np.uint8)
    cv2.fillPoly(mask, [(corners - (left, top)).astype(np.int32)], 1)
    values = probability[top : bottom + 1, left : right + 1][mask > 0]
    if values.size == 0:
        return 0.0, 0.0
    return float(values.mean()), float(values.var())


def _in_reading_order(corners: NDArray[np.float32]) -> NDArray[np.float32]:
    """Four corners as top left, top right, bottom right, bottom left."""
    by_x = corners[np.argsort(corners[:, 0], kind="stable")]
    left = by_x[:2][np.argsort(by_x[:2, 1], kind="stable")]
    right = by_x[2:][np.argsort(by_x[2:, 1], kind="stable")]
    return np.array([left[0], right[0], right[1], left[1]])

"""Turning a page about its middle so that all of it stays on the paper, and bringing places on it back.

A point p of the page becomes p' = R (p - c) + c', where c is the middle of the page and c' that of the turned picture,
which is larger. The formula in the literature with one centre for both holds only where the picture does not grow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.geometry import Polygon, as_polygon

_WHITE = (255, 255, 255)


@dataclass(frozen=True, slots=True)
class Turning:
    """A page of ``width`` by ``height`` pixels turned clockwise by some degrees."""

    width: int
    height: int
    degrees: float

    @property
    def _turn(self) -> NDArray[np.float64]:
        quarters = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}
        radians = math.radians(self.degrees)
        c, s = quarters.get(self.degrees % 360, (math.cos(radians), math.sin(radians)))
        return np.array([[c, -s], [s, c]])

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the turned picture in pixels."""
        c, s = np.abs(self._turn[:, 0])
        return math.ceil(self.width * c + self.height * s - 1e-6), math.ceil(self.width * s + self.height * c - 1e-6)

    def picture(self, page: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The page ``(H, W, 3)`` turned, on white paper."""
        if self.degrees % 90 == 0:
            return np.ascontiguousarray(np.rot90(page, -int(self.degrees // 90) % 4))
        # OpenCV counts from the middle of the first pixel, places on pages from its corner.
        shift = np.array(self.size) / 2 - self._turn @ (self.width / 2, self.height / 2)
        matrix = np.column_stack([self._turn, self._turn @ (0.5, 0.5) + shift - 0.5])
        turned = cv2.warpAffine(
            page, matrix, self.size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=_WHITE
        )
        return np.asarray(turned, np.uint8)

    def there(self, polygon: Polygon) -> Polygon:
        """Where a place on the page is on the turned picture."""
        points = (np.asarray(polygon) - (self.width / 2, self.height / 2)) @ self._turn.T + np.array(self.size) / 2
        return as_polygon(points)

    def back(self, polygon: Polygon) -> Polygon:
        """Where a place on the turned picture is on the page; its corners keep their order."""
        points = (np.asarray(polygon) - np.array(self.size) / 2) @ self._turn + (self.width / 2, self.height / 2)
        return as_polygon(points)

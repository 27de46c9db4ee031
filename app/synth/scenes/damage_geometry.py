"""Moving a picture together with its ink: warps, resizing, turns, mirrors and padding.

Positions are ``(x, y)`` of pixel centres, the first of which is ``(0, 0)``; sizes are ``(width, height)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Ink = NDArray[np.uint16]
Matrix = NDArray[np.float64]
Kind = TypeVar("Kind", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Warped:
    """A picture (H, W, 3), its ink (H, W) and the matrix (3, 3) that takes old positions ``(x, y, 1)`` to new ones."""

    image: Image
    ink: Ink
    matrix: Matrix


def warp(image: Image, ink: Ink, matrix: Matrix, size: tuple[int, int], fill: tuple[int, int, int]) -> Warped:
    """Move a picture and its ink by ``matrix`` into a picture of ``size``; ``fill`` is the colour outside.

    A picture that shrinks is averaged first, so nothing flickers. Ink that shrinks takes the greatest number under each
    new pixel, so a stroke of one pixel stays, and numbers are never mixed.
    """
    matrix = np.asarray(matrix, np.float64)
    wide, high = _footprint(matrix, image.shape[1], image.shape[0])
    shrunk, before = image, matrix
    step_x, step_y = int(max(1, wide + 0.05)), int(max(1, high + 0.05))
    if step_x > 1 or step_y > 1:
        small = (max(1, image.shape[1] // step_x), max(1, image.shape[0] // step_y))
        shrunk = np.asarray(cv2.resize(image, small, interpolation=cv2.INTER_AREA), np.uint8)
        before = matrix @ np.linalg.inv(_scaling(small[0] / image.shape[1], small[1] / image.shape[0]))
        wide, high = _footprint(before, small[0], small[1])
    if max(wide, high) > 1.05:
        # Less than one step of averaging is left: a blur of the rest of a pixel's footprint.
        sigma_x, sigma_y = (0.45 * float(np.sqrt(max(side * side - 1, 0.01))) for side in (wide, high))
        shrunk = np.asarray(cv2.GaussianBlur(shrunk, (0, 0), sigma_x, sigmaY=sigma_y), np.uint8)
    moved = cv2.warpPerspective(
        shrunk, before, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=fill
    )
    return Warped(np.asarray(moved, np.uint8), _warp_ink(ink, matrix, size), matrix)


def _footprint(matrix: Matrix, width: int, height: int) -> tuple[float, float]:
    """How many old pixels, across and down, one new pixel covers in the middle of the picture."""
    middle = np.array([(width - 1) / 2, (height - 1) / 2, 1])
    x, y, w = matrix @ middle
    jacobian = (matrix[:2, :2] - np.outer((x / w, y / w), matrix[2, :2])) / w
    back = np.linalg.inv(jacobian)
    return float(np.hypot(*back[0])), float(np.hypot(*back[1]))


def _warp_ink(ink: Ink, matrix: Matrix, size: tuple[int, int]) -> Ink:
    wide, high = _footprint(matrix, ink.shape[1], ink.shape[0])
    # A turn alone has a footprint of 1; the least shrinking makes it greater and needs the maximum.
    window = (int(np.ceil(wide - 0.001)), int(np.ceil(high - 0.001)))
    if max(window) > 1:
        ink = np.asarray(cv2.dilate(ink, np.ones((max(1, window[1]), max(1, window[0])), np.uint8)), np.uint16)
    moved = cv2.warpPerspective(
        ink, matrix, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT, borderValue=0
    )
    return np.asarray(moved, np.uint16)


def _scaling(across: float, down: float) -> Matrix:
    """Old positions to new ones when a picture is resized: pixel edges, not centres, stay in proportion."""
    return np.array([(across, 0, (across - 1) / 2), (0, down, (down - 1) / 2), (0, 0, 1)])


def resize(image: Image, ink: Ink, size: tuple[int, int], how: int) -> Warped:
    """Another resolution; ``how`` is OpenCV's interpolation of the picture, the ink follows as in :func:`warp`."""
    matrix = _scaling(size[0] / image.shape[1], size[1] / image.shape[0])
    return Warped(
        np.asarray(cv2.resize(image, size, interpolation=how), np.uint8), _warp_ink(ink, matrix, size), matrix
    )


class Journey:
    """A picture on its way through several steps."""

    def __init__(self, image: Image, ink: Ink) -> None:
        self.image, self.ink, self.matrix = image, ink, np.eye(3)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.image.shape[1], self.image.shape[0]

    def take(self, step: Warped) -> None:
        """Go on with the result of one step."""
        self.image, self.ink, self.matrix = step.image, step.ink, step.matrix @ self.matrix

    def warp(self, matrix: Matrix, size: tuple[int, int], fill: tuple[int, int, int]) -> None:
        """Move by any matrix; see :func:`warp`."""
        self.take(warp(self.image, self.ink, matrix, size, fill))

    def turn(self, degrees: float, fill: tuple[int, int, int]) -> None:
        """Turn around the middle; the picture grows to hold all of it. Turns by right angles are exact."""
        w, h = self.size
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        wide, high = round(abs(w * c) + abs(h * s)), round(abs(w * s) + abs(h * c))
        shift = np.array([(wide - 1) / 2, (high - 1) / 2]) - np.array([(c, s), (-s, c)]) @ ((w - 1) / 2, (h - 1) / 2)
        self.warp(np.array([(c, s, shift[0]), (-s, c, shift[1]), (0, 0, 1)]), (wide, high), fill)

    def turn_right_angles(self, quarters: int) -> None:
        """Turn counterclockwise by quarters; no pixel changes."""
        w, h = self.size
        one = np.array([(0, 1, 0), (-1, 0, w - 1), (0, 0, 1)])
        two = np.array([(-1, 0, w - 1), (0, -1, h - 1), (0, 0, 1)])
        three = np.array([(0, -1, h - 1), (1, 0, 0), (0, 0, 1)])
        matrix = (np.eye(3), one, two, three)[quarters % 4]
        self.take(Warped(_solid(np.rot90(self.image, quarters)), _solid(np.rot90(self.ink, quarters)), matrix))

    def mirror(self, *, across: bool) -> None:
        """Mirror left and right (``across``) or top and bottom."""
        w, h = self.size
        if across:
            matrix = np.array([(-1, 0, w - 1), (0, 1, 0), (0, 0, 1)], np.float64)
            self.take(Warped(_solid(self.image[:, ::-1]), _solid(self.ink[:, ::-1]), matrix))
        else:
            matrix = np.array([(1, 0, 0), (0, -1, h - 1), (0, 0, 1)], np.float64)
            self.take(Warped(_solid(self.image[::-1]), _solid(self.ink[::-1]), matrix))

    def pad(self, left: int, top: int, right: int, bottom: int, fill: tuple[int, int, int]) -> None:
        """Add pixels at the sides."""
        image = cv2.copyMakeBorder(self.image, top, bottom, left, right, cv2.BORDER_CONSTANT, value=fill)
        ink = np.pad(self.ink, ((top, bottom), (left, right)))
        self.take(
            Warped(np.asarray(image, np.uint8), ink, np.array([(1, 0, left), (0, 1, top), (0, 0, 1)], np.float64))
        )

    def rescale(self, across: float, down: float, how: int) -> None:
        """Resize by factors."""
        size = (max(8, round(self.size[0] * across)), max(8, round(self.size[1] * down)))
        self.take(resize(self.image, self.ink, size, how))

    def done(self) -> Warped:
        """What has become of the picture."""
        return Warped(self.image, self.ink, self.matrix)


def _solid(view: NDArray[Kind]) -> NDArray[Kind]:
    return np.ascontiguousarray(view)

"""Where faces are on a picture: BlazeFace (Bazarevsky et al., 2019), which sees 256 x 256 pixels at once.

Faces smaller than a tenth of what it sees are missed, so that it sees the whole picture and parts of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.geometry import Box, area, intersection_area
from deidra.models.runtime import session

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]
NAME = "faces"
SIDE = 256
"""Rows and columns that the network sees."""
_STRIDES = ((16, 2), (32, 6))
"""Pixels from one cell to the next, and anchors of each cell."""
_LEAST_SCORE = 0.75
"""Below it are eyes, emblems and folds on pages and photographs."""
_SAME_FACE = 0.5
"""Boxes that share more of the smaller one are of one face."""
_DEPTH = 2
"""The parts are half, a quarter and so on of the longer side."""
_LEAST_PART = 128
"""Smaller parts are enlarged too much to show anything new."""
_TOGETHER = 16
_DARK, _LIGHT, _SHADED = 30, 225, 0.005
"""A photograph has shades between these grey levels, on more than this share of it, where no paper is near."""
_COARSE, _NEAR = 512, 7
"""Longer side in pixels of the picture that shades are looked for on, and the side of what is near. Between letters
and lines of text paper is nearer: on filled pages and on most real forms no part is taken for a photograph."""


@dataclass(frozen=True, slots=True)
class Face:
    """A face: its box in pixels of the picture, and its probability."""

    box: Box
    score: float


class FaceDetector:
    """Finds faces that look at the camera."""

    def faces(self, picture: Image) -> list[Face]:
        """Faces on a picture ``(H, W, 3)``, RGB, the surest first."""
        height, width = picture.shape[:2]
        shades = _shades(picture)
        parts = [part for part in _parts(height, width) if _shows_a_photograph(shades, part, max(height, width))]
        found: list[Face] = []
        for start in range(0, len(parts), _TOGETHER):
            some = parts[start : start + _TOGETHER]
            raw, logits = session(NAME).run(None, {"image": np.stack([_seen(picture, part) for part in some])})
            for (x0, y0, side), values, told in zip(some, raw, logits[:, :, 0], strict=True):
                probability = 1 / (1 + np.exp(-np.clip(told.astype(np.float64), -100, 100)))
                for number in np.flatnonzero(probability >= _LEAST_SCORE):
                    x, y, w, h = (_placed(values[number, :4], int(number)) * side / SIDE).tolist()
                    box = (x + x0, y + y0, x + x0 + w, y + y0 + h)
                    found.append(Face(_inside(box, height, width), float(probability[number])))
        return _distinct(found)


def _distinct(faces: list[Face]) -> list[Face]:
    """Of boxes of one face the surest, surest first."""
    kept: list[Face] = []
    for face in sorted(faces, key=lambda face: (-face.score, face.box)):
        if not any(
            intersection_area(face.box, other.box) > _SAME_FACE * min(area(face.box), area(other.box)) for other in kept
        ):
            kept.append(face)
    return kept


def _parts(height: int, width: int) -> Iterator[tuple[int, int, int]]:
    """Left, top and side of squares that cover the picture, half over each other; the largest covers all of it."""
    side = max(height, width)
    yield 0, 0, side
    for _ in range(_DEPTH):
        side //= 2
        if side < _LEAST_PART:
            return
        for top in _starts(height, side):
            for left in _starts(width, side):
                yield left, top, side


def _starts(length: int, side: int) -> list[int]:
    last = max(0, length - side)
    steps = -(-last // max(1, side // 2))
    return [round(last * step / steps) for step in range(steps + 1)] if steps else [0]


def _shades(picture: Image) -> NDArray[np.bool_]:
    """Where a picture has shades and no paper is near, on a small copy of it."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    scale = min(1.0, _COARSE / max(grey.shape))
    size = max(1, round(grey.shape[1] * scale)), max(1, round(grey.shape[0] * scale))
    lightest = cv2.dilate(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.ones((_NEAR, _NEAR), np.uint8))
    return np.asarray((lightest > _DARK) & (lightest < _LIGHT), np.bool_)


def _shows_a_photograph(shades: NDArray[np.bool_], part: tuple[int, int, int], longer: int) -> bool:
    """Whether a part of a picture with a longer side of so many pixels has shades; text on paper has none."""
    scale = max(shades.shape) / longer
    left, top, right, bottom = (
        round(side * scale) for side in (part[0], part[1], part[0] + part[2], part[1] + part[2])
    )
    seen = shades[top : max(top + 1, bottom), left : max(left + 1, right)]
    return bool(seen.size) and float(seen.mean()) > _SHADED


def _seen(picture: Image, part: tuple[int, int, int]) -> Floats:
    """What the network sees of a part, ``(3, 256, 256)`` from -1 to 1; what lies outside of the picture is black."""
    left, top, side = part
    piece = picture[top : top + side, left : left + side]
    scale = SIDE / side
    size = max(1, round(piece.shape[1] * scale)), max(1, round(piece.shape[0] * scale))
    shown = np.zeros((SIDE, SIDE, 3), np.float32)
    small = cv2.resize(piece, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    shown[: size[1], : size[0]] = small
    return np.ascontiguousarray((shown / 127.5 - 1).transpose(2, 0, 1), np.float32)


def _placed(raw: Floats, number: int) -> Floats:
    """Left, top, width and height in pixels that the network sees, of the anchor with this number."""
    for stride, each in _STRIDES:
        cells = SIDE // stride
        if number < cells * cells * each:
            cell = number // each
            x, y = (cell % cells + 0.5) * stride, (cell // cells + 0.5) * stride
            w, h = float(raw[2]), float(raw[3])
            return np.array([x + raw[0] - w / 2, y + raw[1] - h / 2, w, h], np.float32)
        number -= cells * cells * each
    raise IndexError(number)


def _inside(box: tuple[float, float, float, float], height: int, width: int) -> Box:
    """Whole pixels of the picture."""
    left, top, right, bottom = box
    return (
        max(0, math.floor(left)),
        max(0, math.floor(top)),
        min(width, math.ceil(right)),
        min(height, math.ceil(bottom)),
    )

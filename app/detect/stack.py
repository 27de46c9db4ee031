"""Which frames of a stack may show text that its searched frames do not show.

Most frames of a sequence, and most slices of a series, differ little from the ones before. A full search costs
seconds, a glance costs milliseconds. So every frame is glanced at, and searched only where something appears that a
detector takes for text. Text that stands on any frame stood on the first one, which is searched, or appeared on a later
one; what appears raises the contrast where it appears. Not noticed is text that appears within 16 pixels of moving
edges of at least two thirds of its contrast.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.geometry import bounding_box
from deidra.models.text_detector import DetectedBox

Image = NDArray[np.uint8]
Values = NDArray[np.generic]
Floats = NDArray[np.float32]
CELL = 8
"""Side in pixels of the cells whose contrast is followed."""
_RISE = 1.6
"""Contrast that grows by less than this factor shows nothing new: text stands out of what surrounds it."""
_FLOOR = 0.5
"""Grey levels of contrast that count as none."""
_MOVED = 0.1
"""Cells whose pixels change on average by less than this share of their contrast stand still."""
_REACH = 2
"""Cells over which things move between frames."""
_MEMORY = 8
"""Frames that are remembered."""
_LEAST_CELLS = 2
"""Fewer cells in a group hold no character."""
_MARGIN = 4
"""Cells around those of a rise that the detector sees as well."""
_WINDOW = 56
"""Cells that it sees at least: in a small part, stretched and enlarged, anything looks like a letter."""


class Watch:
    """Looks at the frames of a stack one after another.

    Args:
        suspects: finds boxes that may be text on a picture ``(H, W, 3)``.
    """

    def __init__(self, suspects: Callable[[Image], Sequence[DetectedBox]]) -> None:
        self._suspects = suspects
        self._before: Floats | None = None
        self._contrast: deque[Floats] = deque(maxlen=_MEMORY)
        self._moved: deque[NDArray[np.bool_]] = deque(maxlen=_MEMORY)
        """Of each remembered frame the cells that differ from the frame before."""
        self._cleared: deque[Floats] = deque(maxlen=_MEMORY)
        """Of each remembered frame the contrast of cells, and their neighbours', in which the detector saw no text."""

    def appears(self, values: Values) -> bool:
        """Whether something that may be text appears on the next frame, ``(H, W)`` or ``(H, W, 3)``.

        The first frame is always one to be searched, and so is a frame of another size than the one before.
        """
        planes = values.astype(np.float32)
        contrast = contrast_of_cells(planes)
        clear, moved = np.zeros_like(contrast), np.zeros(contrast.shape, bool)
        found = self._before is None or self._before.shape != planes.shape
        if self._before is None or found:
            for memory in (self._contrast, self._moved, self._cleared):
                memory.clear()
        else:
            moved = _in_cells(np.abs(planes - self._before)) > _MOVED * contrast + _FLOOR
            rise = grouped(contrast > _RISE * self._known(moved) + _FLOOR)
            if rise.any():
                found = self._is_text(values, rise)
                if not found:
                    clear = _around(np.where(rise, contrast, 0), 1)
        self._before = planes
        self._contrast.append(contrast)
        self._moved.append(moved)
        self._cleared.append(clear)
        return found

    def _known(self, moved: NDArray[np.bool_]) -> Floats:
        """The contrast that each cell may have without saying anything new.

        What moves brings its contrast from cells nearby; what stands still does not, and hides no text beside it. Of
        the remembered frames the middle one counts: on speckle, some frame is always fainter by chance. Text that
        fades in over half of them is noticed.
        """
        moving = np.logical_or.reduce([moved, *self._moved])
        near = [np.maximum(c, _around(np.where(moving, c, 0), _REACH)) for c in self._contrast]
        return np.asarray(np.maximum(_middle(near), np.maximum.reduce(self._cleared)), np.float32)

    def _is_text(self, values: Values, rise: NDArray[np.bool_]) -> bool:
        """Whether the detector sees a box on what has risen; it sees a window with the contrast of the window."""
        (top, bottom), (left, right) = (_window(np.asarray(rise.any(axis))) for axis in (1, 0))
        for box in self._suspects(stretched(values[top:bottom, left:right])):
            x0, y0, x1, y1 = bounding_box(box.polygon)
            cells = rise[(y0 + top) // CELL : -(-(y1 + top) // CELL), (x0 + left) // CELL : -(-(x1 + left) // CELL)]
            if cells.any():
                return True
        return False


def contrast_of_cells(planes: Floats) -> Floats:
    """Mean local contrast in cells of :data:`CELL` pixels, ``(rows, columns)``; colour: that of its strongest channel.

    Local contrast is the highest less the lowest value among a pixel and its eight neighbours.
    """
    return _in_cells(np.asarray(cv2.morphologyEx(planes, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))))


def _window(risen: NDArray[np.bool_]) -> tuple[int, int]:
    """Begin and end in pixels of the part of a side that is shown to the detector, given which of its cells rose."""
    cells = np.flatnonzero(risen)
    begin, end = int(cells[0]) - _MARGIN, int(cells[-1]) + 1 + _MARGIN
    more = max(0, _WINDOW - (end - begin))
    end = min(len(risen), end + more // 2)
    begin = max(0, min(begin, end - _WINDOW))
    end = min(len(risen), max(end, begin + _WINDOW))
    return begin * CELL, end * CELL


def _middle(frames: Sequence[Floats]) -> Floats:
    """The median of each cell over frames; of an even number, the higher of the two in the middle."""
    place = len(frames) // 2
    return np.asarray(np.partition(np.stack(frames), place, axis=0)[place], np.float32)


def _in_cells(pixels: Floats) -> Floats:
    """Mean of the pixels of each cell, of the highest of their channels."""
    if pixels.ndim == 3:
        # Channel by channel: numpy is slow along a short last axis.
        pixels = functools.reduce(np.maximum, np.moveaxis(pixels, 2, 0))
    height, width = (-(-side // CELL) * CELL for side in pixels.shape)
    # The edge is repeated: a cell that ends behind it counts with what there is of it.
    whole = np.pad(pixels, ((0, height - pixels.shape[0]), (0, width - pixels.shape[1])), "edge")
    return np.asarray(whole.reshape(height // CELL, CELL, width // CELL, CELL).mean((1, 3)), np.float32)


def _around(cells: Floats, reach: int) -> Floats:
    """The highest value among the cells no farther than ``reach``."""
    return np.asarray(cv2.dilate(cells, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)))


def grouped(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Those of the cells that touch others, by a side or a corner."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(cells.astype(np.uint8), connectivity=8)
    large = np.zeros(count, bool)
    large[1:] = stats[1:, cv2.CC_STAT_AREA] >= min(_LEAST_CELLS, cells.size)
    return np.asarray(large[labels], np.bool_)


def stretched(values: Values) -> Image:
    """A part of a frame as a picture ``(H, W, 3)`` that uses all grey levels."""
    part = values.astype(np.float32)
    low, high = float(part.min()), float(part.max())
    shown = ((part - low) * (255 / max(high - low, 1e-6))).astype(np.uint8)
    return np.repeat(shown[:, :, None], 3, axis=2) if shown.ndim == 2 else shown

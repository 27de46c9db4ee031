"""Grey levels of a frame: transforms of single values are worked out once a level, not once a pixel."""

from __future__ import annotations

import warnings
from typing import TypeVar

import cv2
import numpy as np
import pydicom
from numpy.typing import NDArray
from pydicom.pixels.processing import apply_modality_lut, apply_voi_lut

_Kind = TypeVar("_Kind", bound=np.generic)
_USUAL = 0.005, 0.998
"""The shares of pixels between which nearly all values lie."""
_MOST_LEVELS = 1 << 16


class Levels:
    """The values of a grey frame ``(H, W)`` and the levels that they take.

    Where values are integers within 65,536 of each other, tables have an entry a level, from the least value to the
    greatest; else a table is the frame itself. Pictures made from tables are the same either way.
    """

    def __init__(self, values: NDArray[np.generic]) -> None:
        self._values = values
        self._places: NDArray[np.uint16] | None = None
        self._levels = values
        self._counts: NDArray[np.float64] | None = None
        if values.size and values.dtype.kind in "iu":
            low, high = int(values.min()), int(values.max())
            if high - low < min(_MOST_LEVELS, values.size):
                # The difference fits, though it may not fit into the type of the values on its way.
                self._places = (values.astype(np.uint16) - np.uint16(low & 0xFFFF)).astype(np.uint16)
                self._levels = np.arange(low, high + 1).astype(values.dtype)
                count = high - low + 1
                found = cv2.calcHist([self._places.reshape(-1, 1)], [0], None, [count], [0, count])
                self._counts = found.ravel().astype(np.float64)

    def shades(self, dataset: pydicom.Dataset, *, voi: bool) -> NDArray[np.float32]:
        """A table after the header's modality transform and, with ``voi``, its first window or VOI table.

        A header that tells nonsense of them changes nothing.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                shades = apply_modality_lut(self._levels, dataset)
                return np.asarray(apply_voi_lut(shades, dataset) if voi else shades, np.float32)
        except (AttributeError, KeyError, ValueError, TypeError, IndexError):
            return self._levels.astype(np.float32)

    def ends(self, table: NDArray[np.float32]) -> tuple[float, float]:
        """The least and the greatest entry that some pixel has."""
        used = table if self._counts is None else table[self._counts > 0]
        return float(used.min()), float(used.max())

    def most(self, table: NDArray[np.float32]) -> tuple[float, float]:
        """The ends of nearly all pixels: half a percent is below them, two in a thousand above."""
        if self._counts is None:
            low, high = np.percentile(table, [100 * share for share in _USUAL])
            return float(low), float(high)
        order = np.argsort(table, kind="stable")
        reached = np.cumsum(self._counts[order])
        low, high = (table[order[np.searchsorted(reached, share * reached[-1])]] for share in _USUAL)
        return float(low), float(high)

    def picture(self, table: NDArray[_Kind]) -> NDArray[_Kind]:
        """The frame with every value's entry of a table, ``(H, W)``."""
        return table if self._places is None else table[self._places]

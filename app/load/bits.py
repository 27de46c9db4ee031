"""Bits of a pixel's word that are no part of its sample, where old files keep overlays with text (PS3.5 8.1.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pydicom
from numpy.typing import NDArray

_MOST_PLANES = 8
Words = NDArray[np.unsignedinteger[Any]]
"""Samples with all that stands in the words around them."""


@dataclass(frozen=True, slots=True)
class SampleBits:
    """Where samples sit in their words.

    Args:
        lowest: place of the lowest bit of a sample, from 0.
        stored: bits of a sample.
    """

    lowest: int
    stored: int

    @classmethod
    def of(cls, dataset: pydicom.Dataset) -> SampleBits | None:
        """As the header says; None where samples fill their words, or the header contradicts itself."""
        try:
            allocated, stored = int(dataset.get("BitsAllocated") or 8), int(dataset.get("BitsStored") or 8)
            lowest = int(dataset.get("HighBit") or stored - 1) + 1 - stored
        except (TypeError, ValueError):
            return None
        if allocated not in (8, 16, 32) or not 0 < stored < allocated or not 0 <= lowest <= allocated - stored:
            return None
        return cls(lowest, stored)

    def own(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        """Words with nothing but the sample in them: zeros around it, above it its sign if ``values`` is signed."""
        words = _unsigned(values)
        width = 8 * words.dtype.itemsize
        if self.lowest + self.stored > width:
            return values
        clean: Words = words & _number(self._mask, words)
        if values.dtype.kind == "i":
            sign = _number(1 << (self.lowest + self.stored - 1), words)
            above = _number((1 << width) - (1 << (self.lowest + self.stored)), words)
            clean = np.where(words & sign, clean | above, clean)
        return np.asarray(clean, words.dtype).view(values.dtype)

    def hidden(self, values: NDArray[np.generic]) -> Words:
        """The bits that are no part of a sample, as unsigned words.

        The sign of a sample in the bits above it is none of them, and where all of these are empty nothing is:
        some writers leave the sign out.
        """
        words = _unsigned(values)
        if self.lowest + self.stored > 8 * words.dtype.itemsize:
            return np.zeros_like(words)
        around = words & _number(~self._mask & ((1 << 8 * words.dtype.itemsize) - 1), words)
        return words ^ _unsigned(self.own(values)) if around.any() else around

    @property
    def _mask(self) -> int:
        return ((1 << self.stored) - 1) << self.lowest


def own_samples(dataset: pydicom.Dataset, values: NDArray[np.generic]) -> NDArray[np.generic]:
    """A frame's values without what stands in the bits around its samples; colour as it is."""
    bits = SampleBits.of(dataset) if values.ndim == 2 and values.dtype.kind in "iu" else None
    return bits.own(values) if bits else values


def _unsigned(values: NDArray[np.generic]) -> Words:
    kind = values.dtype
    words: Words = np.ascontiguousarray(values).view(np.dtype(f"{kind.byteorder}u{kind.itemsize}"))
    return words


def _number(value: int, like: Words) -> Words:
    return np.asarray(value, like.dtype)


def bit_planes(hidden: Words) -> list[NDArray[np.uint8]]:
    """A black and white picture of each bit that is set on some pixels only, the highest ones first."""
    pictures: list[NDArray[np.uint8]] = []
    for bit in reversed(range(8 * hidden.dtype.itemsize)):
        plane = (hidden & _number(1 << bit, hidden)) != 0
        if plane.any() and not plane.all():
            picture = np.asarray(plane * np.uint8(255), np.uint8)
            if not any(np.array_equal(picture, other) for other in pictures):
                pictures.append(picture)
    return pictures[:_MOST_PLANES]

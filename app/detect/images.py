"""Which pictures of an asset are searched for text: frames of DICOM files, pages of scans."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import FileDataset

from deidra.app.detect.locate import TextLocator
from deidra.app.detect.spots import Spots
from deidra.app.detect.stack import Watch
from deidra.app.domain.model import FrameText
from deidra.app.load.dicom import Frames, frame_count, is_mask, renderings
from deidra.app.load.pages import Pages

MOST_SEARCHED = 3
"""All frames of sequences up to so many are searched: a glance at so few saves nothing."""


def dicom_text(dataset: FileDataset, locator: TextLocator) -> list[FrameText]:
    """All text on a DICOM image, in stored pixel coordinates.

    The first frame is searched, and every other is glanced at: it is searched if something appears on it that may be
    text, and places where text stands are read again where they look otherwise (see :mod:`deidra.app.detect.stack`).
    One frame is held in memory at a time.

    Raises:
        InputError: the pixels cannot be decoded.
    """
    if is_mask(dataset) or not frame_count(dataset):
        return []
    frames = Frames(dataset)
    search = _Search(dataset, frames, locator)
    for index in range(frames.count):
        search.frame(index)
    return search.text()


class _Search:
    """Collects the text of one image's frames."""

    def __init__(self, dataset: FileDataset, frames: Frames, locator: TextLocator) -> None:
        self._dataset = dataset
        self._frames = frames
        self._locator = locator
        self._spots = Spots(locator)
        self._watch = Watch(locator.suspects)
        self._seen: dict[bytes, int] = {}
        self._size = 0, 0

    def frame(self, index: int) -> None:
        """Search a frame or glance at it, unless an equal one was there before."""
        values = self._frames.frame(index).values
        digest = hashlib.sha256(np.ascontiguousarray(values).tobytes()).digest()
        earlier = self._seen.setdefault(digest, index)
        if earlier != index:
            self._spots.repeated(index, earlier)
            return
        if self._frames.count <= MOST_SEARCHED or self._watch.appears(values):
            self._spots.found(index, self._locator.lines(self._pictures(index, values)), values)
        else:
            self._spots.glanced(index, values, renderings(self._dataset, values)[0])
        self._size = values.shape[1], values.shape[0]

    def _pictures(self, index: int, values: NDArray[np.generic]) -> list[NDArray[np.uint8]]:
        pictures = renderings(self._dataset, values)
        if self._dataset.get("PhotometricInterpretation") == "PALETTE COLOR":
            # Equal colours of two indices would hide what stands in the indices themselves.
            pictures += renderings(self._dataset, self._frames.stored(index))
        return pictures

    def text(self) -> list[FrameText]:
        """What was found."""
        return self._spots.text(self._frames.count, *self._size)


def page_text(pages: Pages, locator: TextLocator) -> list[FrameText]:
    """All text on a scan, page by page.

    Raises:
        InputError: a page cannot be rendered.
    """
    found = []
    for index in range(pages.count):
        picture = pages.page(index)
        height, width = picture.shape[:2]
        found.append(FrameText(index, width, height, tuple(locator.lines([picture]))))
    return found

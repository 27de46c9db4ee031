"""Which pictures of an asset are searched for text: frames of DICOM files, pages of scans."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import FileDataset

from deidra.app.detect.locate import TextLocator, merge_frames
from deidra.app.domain.model import FrameText
from deidra.app.load.dicom import Frames, frame_count, is_mask, renderings
from deidra.app.load.pages import Pages

MOST_FRAMES_SEARCHED = 240
"""Longer sequences are searched on this many frames, and on projections of the frames in between."""
_BLANK_PROJECTION = 6.0
"""A projection that is darker or brighter than all but this many grey levels of 255 shows nothing."""


def dicom_text(dataset: FileDataset, locator: TextLocator) -> list[FrameText]:
    """All text on a DICOM image, in stored pixel coordinates.

    Every frame of sequences up to 480 frames is searched (equal frames once). In longer ones the
    frames between two searched ones are searched together, as the brightest and the darkest value
    of each pixel, which show bright and dark text of any of them; where such a projection is all
    white or black, each of its frames is searched by itself.

    Raises:
        InputError: the pixels cannot be decoded.
    """
    if is_mask(dataset) or not frame_count(dataset):
        return []
    frames = Frames(dataset)
    search = _Search(dataset, frames, locator)
    step = max(1, -(-frames.count // MOST_FRAMES_SEARCHED))
    for start in range(0, frames.count, step):
        between = range(start + 1, min(start + step, frames.count))
        search.frame(start)
        if len(between) == 1:
            search.frame(between[0])
        elif between:
            search.together(between)
    return merge_frames(search.found, frames.count)


class _Search:
    """Collects the text of one image's frames."""

    def __init__(self, dataset: FileDataset, frames: Frames, locator: TextLocator) -> None:
        self.found: list[FrameText] = []
        self._dataset = dataset
        self._frames = frames
        self._locator = locator
        self._seen: set[bytes] = set()

    def frame(self, index: int) -> None:
        """Search one frame, unless an equal one was searched."""
        values = self._frames.frame(index).values
        digest = hashlib.sha256(np.ascontiguousarray(values).tobytes()).digest()
        if digest in self._seen:
            return
        self._seen.add(digest)
        pictures = renderings(self._dataset, values)
        if self._dataset.get("PhotometricInterpretation") == "PALETTE COLOR":
            # Equal colours of two indices would hide what stands in the indices themselves.
            pictures += renderings(self._dataset, self._frames.stored(index))
        self._add(index, pictures)

    def together(self, indices: range) -> None:
        """Search several frames on their projections, or one by one where those show nothing."""
        highest = lowest = self._frames.frame(indices[0]).values
        for index in indices[1:]:
            values = self._frames.frame(index).values
            highest, lowest = np.maximum(highest, values), np.minimum(lowest, values)
        pictures = [renderings(self._dataset, projection) for projection in (highest, lowest)]
        if any(p[0].std() < _BLANK_PROJECTION for p in pictures):
            for index in indices:
                self.frame(index)
            return
        for picture in pictures:
            self._add(None, picture)

    def _add(self, index: int | None, pictures: list[NDArray[np.uint8]]) -> None:
        height, width = pictures[0].shape[:2]
        self.found.append(FrameText(index, width, height, tuple(self._locator.lines(pictures))))


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

"""Which pictures of an asset are searched for text: frames of DICOM files, pages of scans."""

from __future__ import annotations

import hashlib

import numpy as np
from pydicom.dataset import FileDataset

from deidra.app.detect.locate import TextLocator, merge_frames
from deidra.app.domain.model import FrameText
from deidra.app.load.dicom import Frames, frame_count, is_mask, renderings
from deidra.app.load.pages import Pages

MOST_FRAMES_SEARCHED = 12
"""Longer sequences are searched on this many frames and on the brightest and darkest value of every pixel."""


def dicom_text(dataset: FileDataset, locator: TextLocator) -> list[FrameText]:
    """All text on a DICOM image, in stored pixel coordinates.

    Every frame of short sequences is searched (equal frames once). In longer ones text hides in no
    single frame: besides evenly spread frames, the pixel-wise maximum and minimum over all frames
    are searched, which show bright and dark text of any frame.

    Raises:
        InputError: the pixels cannot be decoded.
    """
    if is_mask(dataset) or not frame_count(dataset):
        return []
    frames = Frames(dataset)
    if frames.count == 1:
        values = frames.frame(0).values
        height, width = values.shape[:2]
        return [FrameText(0, width, height, tuple(locator.lines(renderings(dataset, values))))]
    searched = _search_set(frames)
    found: list[FrameText] = []
    seen: dict[bytes, int] = {}
    highest = lowest = None
    for frame in frames:
        values = frame.values
        if frames.count > MOST_FRAMES_SEARCHED:
            highest = values.copy() if highest is None else np.maximum(highest, values)
            lowest = values.copy() if lowest is None else np.minimum(lowest, values)
        digest = hashlib.sha256(np.ascontiguousarray(values).tobytes()).digest()
        if frame.index in searched and digest not in seen:
            seen[digest] = frame.index
            height, width = values.shape[:2]
            found.append(FrameText(frame.index, width, height, tuple(locator.lines(renderings(dataset, values)))))
    for projection in (highest, lowest):
        if projection is not None:
            height, width = projection.shape[:2]
            found.append(FrameText(None, width, height, tuple(locator.lines(renderings(dataset, projection)))))
    return merge_frames(found, frames.count)


def _search_set(frames: Frames) -> set[int]:
    if frames.count <= MOST_FRAMES_SEARCHED:
        return set(range(frames.count))
    return {round(i * (frames.count - 1) / (MOST_FRAMES_SEARCHED - 1)) for i in range(MOST_FRAMES_SEARCHED)}


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

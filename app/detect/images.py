"""Which pictures of an asset are searched for text: frames of DICOM files, pages of scans."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import FileDataset

from deidra.app.detect.faces import PHOTOGRAPHED, face_lines, is_photograph
from deidra.app.detect.locate import TextLocator
from deidra.app.detect.orientation import upright_lines
from deidra.app.detect.spots import Spots
from deidra.app.detect.stack import Watch
from deidra.app.detect.written import visible_glyphs, with_written
from deidra.app.domain.model import FrameText, LocatedText
from deidra.app.load.dicom import frame_count, is_mask
from deidra.app.load.frames import Frames
from deidra.app.load.pages import Pages
from deidra.app.load.pictures import renderings

MOST_SEARCHED = 3
"""All frames of sequences up to so many are searched: a glance at so few saves nothing."""


def dicom_text(dataset: FileDataset, locator: TextLocator) -> LocatedText:
    """All text on a DICOM image, and faces on a photograph, in stored pixel coordinates.

    One frame is held in memory at a time; see :class:`StackSearch`.

    Raises:
        InputError: the pixels cannot be decoded.
    """
    if not is_searched(dataset):
        return LocatedText((), 0)
    frames = Frames(dataset)
    search = StackSearch(locator, frames.count <= MOST_SEARCHED)
    for index in range(frames.count):
        search.frame(index, frames, index)
    found = search.text(frames.count)
    return _with_faces(found, frames) if is_photograph(dataset) and frames.count <= MOST_SEARCHED else found


def _with_faces(found: LocatedText, frames: Frames) -> LocatedText:
    """The text of a photograph's frames, and the faces on them."""
    texts = {text.index: text for text in found.frames}
    for index in range(frames.count):
        values = frames.frame(index).values
        if faces := face_lines(renderings(frames.dataset, values)[0], PHOTOGRAPHED):
            text = texts.get(index) or FrameText(index, values.shape[1], values.shape[0], ())
            texts[index] = replace(text, lines=(*text.lines, *faces))
    return LocatedText(tuple(texts.values()), found.searched)


def is_searched(dataset: FileDataset) -> bool:
    """Whether an image has pixels that can show text."""
    return bool(frame_count(dataset)) and not is_mask(dataset)


class StackSearch:
    """Collects the text of the frames of one image, or of the slices of a series.

    The first frame is searched, and every other is glanced at: it is searched if something appears on it that may be
    text, and places where text stands are read again where they look otherwise (see :mod:`deidra.app.detect.stack`).

    Args:
        locator: finds and reads text.
        every: whether every frame is searched.
    """

    def __init__(self, locator: TextLocator, every: bool = False) -> None:
        self._locator = locator
        self._every = every
        self._spots = Spots(locator)
        self._watch = Watch(locator.suspects)
        self._seen: dict[bytes, int] = {}
        self._sizes: dict[int, tuple[int, int]] = {}
        self._searched: set[int] = set()

    def frame(self, number: int, frames: Frames, index: int = 0) -> None:
        """Look at a frame, unless an equal one was there before.

        Args:
            number: its number in the stack; numbers rise.
            frames: the file's frames.
            index: which of them it is.

        Raises:
            InputError: the pixels cannot be decoded.
        """
        values = frames.frame(index).values
        self._sizes[number] = values.shape[1], values.shape[0]
        digest = hashlib.sha256(repr(values.shape).encode() + np.ascontiguousarray(values).tobytes()).digest()
        earlier = self._seen.setdefault(digest, number)
        if earlier != number:
            self._spots.repeated(number, earlier)
        elif self._every or self._watch.appears(values):
            self._searched.add(number)
            self._spots.found(number, self._locator.lines(_pictures(frames, index, values)), values)
        else:
            self._spots.glanced(number, values, lambda: renderings(frames.dataset, values)[0])

    def text(self, total: int) -> LocatedText:
        """The text of an image of ``total`` frames."""
        return LocatedText(tuple(self._spots.text(total, *self._sizes[max(self._sizes)])), len(self._searched))

    def text_of(self, number: int) -> LocatedText:
        """The text of one slice, as that of an image of one frame."""
        text = FrameText(0, *self._sizes[number], tuple(self._spots.lines(number)))
        return LocatedText((text,), int(number in self._searched))


def _pictures(frames: Frames, index: int, values: NDArray[np.generic]) -> list[NDArray[np.uint8]]:
    """The renderings of a frame that are searched."""
    pictures = renderings(frames.dataset, values)
    if frames.dataset.get("PhotometricInterpretation") == "PALETTE COLOR":
        # Equal colours of two indices would hide what stands in the indices themselves.
        pictures += renderings(frames.dataset, frames.stored(index))
    return pictures


def page_text(pages: Pages, locator: TextLocator) -> LocatedText:
    """All text on a scan, page by page, and faces; what a PDF holds as visible characters is read by them.

    Raises:
        InputError: a page cannot be rendered.
    """
    found = []
    for index in range(pages.count):
        picture = pages.page(index)
        height, width = picture.shape[:2]
        lines = upright_lines(picture, locator)
        if pages.pdf:
            lines = with_written(lines, visible_glyphs(pages.pdf, index, picture))
        found.append(FrameText(index, width, height, (*lines, *face_lines(picture))))
    return LocatedText(tuple(found), pages.count)

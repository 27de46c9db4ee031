"""Frames and pages as images, decoded in the background, a few kept and the next ones fetched ahead."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from deidra.app.domain.errors import KnownError
from deidra.ui.operations import Operations

if TYPE_CHECKING:
    from deidra.app.load.contrast import FrameView, GreyFrame
    from deidra.app.workflow import Project

_KEPT_BYTES = 256 * 2**20
"""Decoded images kept in memory, at most."""

Key = tuple[str, int]
"""Asset id and frame, counted from 0."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image, and what other windows of it are made of; ``grey`` is None where there is nothing deeper."""

    image: QImage
    grey: GreyFrame | None = None

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self.image.sizeInBytes() + (self.grey.values.nbytes if self.grey else 0)


def to_qimage(pixels: np.ndarray) -> QImage:
    """An ``(H, W, 3)`` RGB or ``(H, W)`` grey uint8 array as an image that owns its memory.

    It has the format of the screen: the GUI thread need not convert what it shows.
    """
    pixels = np.ascontiguousarray(pixels)
    height, width = pixels.shape[:2]
    form = QImage.Format.Format_Grayscale8 if pixels.ndim == 2 else QImage.Format.Format_RGB888
    image = QImage(pixels.data, width, height, pixels.strides[0], form)
    return image.convertToFormat(QImage.Format.Format_RGB32)


class Pictures(QObject):
    """Delivers originals from a small cache and previews always anew, as decisions change them."""

    ready = Signal(str, int, bool, object)
    """Asset id, frame, whether it is the preview, Picture."""
    failed = Signal(str, object)
    """Asset id and the KnownError."""

    def __init__(self, project: Project, operations: Operations, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._project = project
        self._operations = operations
        self._kept: OrderedDict[Key, Picture] = OrderedDict()
        self._bytes = 0
        self._coming: set[Key] = set()

    def want(self, asset_id: str, index: int, preview: bool) -> None:
        """Ask for an image; ``ready`` brings it, at once when it is kept. Older wishes of its kind are dropped."""
        key = (asset_id, index)
        if not preview and key in self._kept:
            self._kept.move_to_end(key)
            self.ready.emit(asset_id, index, False, self._kept[key])
            return
        source = self._project.preview_view if preview else self._project.frame_view

        def done(picture: Picture) -> None:
            if not preview:
                self._keep(key, picture)
            self.ready.emit(asset_id, index, preview, picture)

        def failed(error: KnownError) -> None:
            self.failed.emit(asset_id, error)

        name = "released" if preview else "wanted"
        self._operations.picture(name, _decoder(source, asset_id, index), done, failed)

    def ahead(self, keys: Iterable[Key]) -> None:
        """Decode originals that will probably be wanted next. Failures show when they are wanted."""
        for key in keys:
            if key in self._kept:
                # What comes next outlives what has been.
                self._kept.move_to_end(key)
                continue
            if key in self._coming:
                continue
            self._coming.add(key)

            def done(picture: Picture, key: Key = key) -> None:
                self._coming.discard(key)
                self._keep(key, picture)

            def failed(_error: KnownError, key: Key = key) -> None:
                self._coming.discard(key)

            self._operations.picture(None, _decoder(self._project.frame_view, *key), done, failed)

    def _keep(self, key: Key, picture: Picture) -> None:
        if key in self._kept:
            return
        self._kept[key] = picture
        self._bytes += picture.size
        while self._bytes > _KEPT_BYTES and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= oldest.size


def _decoder(source: Callable[[str, int], FrameView], asset_id: str, index: int) -> Callable[[], Picture]:
    def work() -> Picture:
        view = source(asset_id, index)
        return Picture(to_qimage(view.image), view.grey)

    return work

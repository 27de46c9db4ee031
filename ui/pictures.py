"""Frames and pages as images, decoded in the background, a few kept and the next ones fetched ahead."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from deidra.app.domain.errors import KnownError
from deidra.ui.canvas import to_qimage
from deidra.ui.operations import Operations

if TYPE_CHECKING:
    from deidra.app.workflow import Project

_KEPT_BYTES = 256 * 2**20
"""Decoded images kept in memory, at most."""

Key = tuple[str, int]
"""Asset id and frame, counted from 0."""


class Pictures(QObject):
    """Delivers originals from a small cache and previews always anew, as decisions change them."""

    ready = Signal(str, int, bool, QImage)
    """Asset id, frame, whether it is the preview, image."""
    failed = Signal(str, object)
    """Asset id and the KnownError."""

    def __init__(self, project: Project, operations: Operations, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._project = project
        self._operations = operations
        self._kept: OrderedDict[Key, QImage] = OrderedDict()
        self._bytes = 0
        self._coming: set[Key] = set()

    def want(self, asset_id: str, index: int, preview: bool) -> None:
        """Ask for an image; ``ready`` brings it, at once when it is kept. Older wishes are dropped."""
        key = (asset_id, index)
        if not preview and key in self._kept:
            self._kept.move_to_end(key)
            self.ready.emit(asset_id, index, False, self._kept[key])
            return
        source = self._project.preview_image if preview else self._project.frame_image

        def done(image: QImage) -> None:
            if not preview:
                self._keep(key, image)
            self.ready.emit(asset_id, index, preview, image)

        def failed(error: KnownError) -> None:
            self.failed.emit(asset_id, error)

        self._operations.picture("wanted", _decoder(source, asset_id, index), done, failed)

    def ahead(self, keys: Iterable[Key]) -> None:
        """Decode originals that will probably be wanted next. Failures show when they are wanted."""
        for key in keys:
            if key in self._kept or key in self._coming:
                continue
            self._coming.add(key)

            def done(image: QImage, key: Key = key) -> None:
                self._coming.discard(key)
                self._keep(key, image)

            def failed(_error: KnownError, key: Key = key) -> None:
                self._coming.discard(key)

            self._operations.picture(None, _decoder(self._project.frame_image, *key), done, failed)

    def _keep(self, key: Key, image: QImage) -> None:
        if key in self._kept:
            return
        self._kept[key] = image
        self._bytes += image.sizeInBytes()
        while self._bytes > _KEPT_BYTES and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= oldest.sizeInBytes()


def _decoder(source: Callable[[str, int], np.ndarray], asset_id: str, index: int) -> Callable[[], QImage]:
    return lambda: to_qimage(source(asset_id, index))

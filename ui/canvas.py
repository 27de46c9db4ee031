"""The image with its boxes: zoom, pan, click to select."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QMouseEvent,
    QPainter,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsPixmapItem, QGraphicsScene, QGraphicsView

from deidra.app.domain.model import Finding
from deidra.ui.boxes import BoxItem
from deidra.ui.theme import CANVAS
from deidra.ui.words import BoxState, state_of

_ZOOM_STEP = 1.25
_LEAST, _MOST = 0.02, 40.0
"""Screen pixels an image pixel, at the ends of the zoom."""
_CLICK_PX = 5
"""A press that moves less than this is a click, not a pan."""


def to_qimage(pixels: np.ndarray) -> QImage:
    """An ``(H, W, 3)`` uint8 RGB array as an image that owns its memory."""
    pixels = np.ascontiguousarray(pixels)
    height, width = pixels.shape[:2]
    return QImage(pixels.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()


class ImageCanvas(QGraphicsView):
    """Shows one frame or page and the findings on it."""

    finding_clicked = Signal(str)
    zoomed = Signal(float)
    """Screen pixels an image pixel."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Image")
        self.setAccessibleDescription("The frame with its findings; the list on the left selects them by keyboard")
        self._scene = QGraphicsScene(self)
        self.setScene(self._scene)
        self._pixmap = QGraphicsPixmapItem()
        self._pixmap.setTransformationMode(Qt.TransformationMode.SmoothTransformation)
        self._scene.addItem(self._pixmap)
        self._boxes: dict[str, BoxItem] = {}
        self._selected: str | None = None
        self._peeking = False
        self._preview = False
        self._fitting = True
        self._message = ""
        self._pressed_at: QPoint | None = None
        self.setBackgroundBrush(QColor(CANVAS))
        self.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(240, 200)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)

    @property
    def boxes(self) -> dict[str, BoxItem]:
        """The boxes of this frame, by finding id."""
        return self._boxes

    @property
    def has_image(self) -> bool:
        """True when a frame is shown."""
        return not self._pixmap.pixmap().isNull()

    @property
    def message(self) -> str:
        """The sentence shown in place of an image."""
        return self._message

    @property
    def boxes_shown(self) -> bool:
        """False while peeking at the original or previewing the release."""
        return not (self._peeking or self._preview)

    @property
    def zoom(self) -> float:
        """Screen pixels an image pixel."""
        return self.transform().m11()

    def show_image(self, image: QImage, keep_view: bool = False) -> None:
        """Show a frame. ``keep_view`` leaves zoom and position, for another frame of the same size."""
        same_size = self._pixmap.pixmap().size() == image.size()
        self._message = ""
        self._pixmap.setPixmap(QPixmap.fromImage(image))
        self._scene.setSceneRect(QRectF(self._pixmap.pixmap().rect()))
        if not (keep_view and same_size) or self._fitting:
            self.fit()
        self.viewport().update()

    def clear(self, message: str) -> None:
        """Show no image but a sentence that says why."""
        self._pixmap.setPixmap(QPixmap())
        self.show_boxes([], None)
        self._message = message
        self.viewport().update()

    def show_boxes(self, findings: Sequence[Finding], selected: str | None) -> None:
        """Draw these findings. Ignored ones are drawn only while selected: they would hide the rest."""
        old, self._boxes = self._boxes, {}
        self._selected = selected
        for finding in findings:
            hidden = state_of(finding) is BoxState.IGNORED and finding.id != selected
            if finding.polygon is None or hidden:
                continue
            box = old.get(finding.id)
            if box is not None and box.finding is finding:
                # Unchanged boxes stay: frames with thousands of them must not be built anew each time.
                del old[finding.id]
            else:
                box = BoxItem(finding, finding.polygon)
                box.setVisible(self.boxes_shown)
                self._scene.addItem(box)
            if box.is_emphasized != (finding.id == selected):
                box.emphasize(finding.id == selected)
            self._boxes[finding.id] = box
        for box in old.values():
            self._scene.removeItem(box)

    def reveal_selected(self) -> None:
        """Scroll so that the selected box is in sight."""
        box = self._boxes.get(self._selected or "")
        if box is not None and not self._fitting:
            self.ensureVisible(box.polygon.boundingRect(), 40, 40)

    def set_peek(self, on: bool) -> None:
        """Hide the boxes while the curator looks at the original."""
        self._peeking = on
        self._follow_modes()

    def set_preview(self, on: bool) -> None:
        """Say that the image is the released one; boxes are not drawn on it."""
        self._preview = on
        self._follow_modes()

    def _follow_modes(self) -> None:
        for box in self._boxes.values():
            box.setVisible(self.boxes_shown)
        self.viewport().update()

    def fit(self) -> None:
        """Show the whole image, and keep doing so when the window changes its size."""
        self._fitting = True
        if self.has_image:
            self.fitInView(self._pixmap, Qt.AspectRatioMode.KeepAspectRatio)
            self.zoomed.emit(self.zoom)

    def actual_size(self) -> None:
        """One image pixel on one screen pixel, around the selected box."""
        self._fitting = False
        self.resetTransform()
        box = self._boxes.get(self._selected or "")
        if box is not None:
            self.centerOn(box)
        self.zoomed.emit(self.zoom)

    def zoom_by(self, factor: float) -> None:
        """Enlarge or reduce, within limits."""
        target = min(_MOST, max(_LEAST, self.zoom * factor))
        self._fitting = False
        self.scale(target / self.zoom, target / self.zoom)
        # Large zooms are for reading pixels; smoothing would blur what is to be judged.
        smooth = target < 3
        self._pixmap.setTransformationMode(
            Qt.TransformationMode.SmoothTransformation if smooth else Qt.TransformationMode.FastTransformation
        )
        self.zoomed.emit(self.zoom)

    def zoom_in(self) -> None:
        """One step larger."""
        self.zoom_by(_ZOOM_STEP)

    def zoom_out(self) -> None:
        """One step smaller."""
        self.zoom_by(1 / _ZOOM_STEP)

    def box_at(self, position: QPoint) -> BoxItem | None:
        """The smallest box under a viewport position, so that boxes inside others can be reached."""
        hits = [
            item
            for item in self.items(QRect(position - QPoint(3, 3), position + QPoint(3, 3)))
            if isinstance(item, BoxItem) and item.isVisible()
        ]
        return min(hits, key=lambda box: _area(box.polygon.boundingRect()), default=None)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Zoom around the mouse."""
        if event.angleDelta().y():
            self.zoom_by(_ZOOM_STEP ** (event.angleDelta().y() / 120))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Remember where a click or pan begins."""
        self._pressed_at = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A press that did not move selects the box under it."""
        super().mouseReleaseEvent(event)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        position, pressed = event.position().toPoint(), self._pressed_at
        self._pressed_at = None
        if pressed is None or (position - pressed).manhattanLength() > _CLICK_PX:
            return
        box = self.box_at(position)
        if box is not None:
            self.finding_clicked.emit(box.finding.id)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keep a fitted image fitted."""
        super().resizeEvent(event)
        if self._fitting:
            self.fit()

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:  # noqa: N802
        """Write why there is no image."""
        if not self._message:
            return
        painter.save()
        painter.resetTransform()
        painter.setFont(self.font())
        painter.setPen(QColor("#c9ced6"))
        room = self.viewport().rect().adjusted(24, 24, -24, -24)
        painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), self._message)
        painter.restore()


def _area(rect: QRectF) -> float:
    return rect.width() * rect.height()

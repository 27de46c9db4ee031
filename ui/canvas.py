"""The image with its boxes: zoom, pan, click to select; the tools say what else dragging does."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPixmap,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsPixmapItem, QGraphicsScene, QGraphicsView

from deidra.app.domain.model import Finding
from deidra.ui.box_layer import BoxLayer
from deidra.ui.boxes import Box
from deidra.ui.canvas_items import AfterItem, SelectionItem
from deidra.ui.canvas_tools import ChangeTool, ContrastTool, DividerTool, Tool
from deidra.ui.corner_tools import CornerTool, DrawTool
from deidra.ui.theme import CANVAS
from deidra.ui.translation import tr
from deidra.ui.words import BoxState, state_of

_ZOOM_STEP = 1.25
_LEAST, _MOST = 0.02, 40.0
"""Screen pixels an image pixel, at the ends of the zoom."""
_CLICK_PX = 5
"""A press that moves less than this is a click, not a pan."""


class ImageCanvas(QGraphicsView):
    """Shows one frame or page and the findings on it."""

    finding_clicked = Signal(str)
    zoomed = Signal(float)
    """Screen pixels an image pixel."""
    contrast_dragged = Signal(int, int)
    """Screen pixels to the right and down."""
    frames_wheeled = Signal(int)
    """How many frames on (positive) or back."""
    box_drawn = Signal(QPolygonF)
    """A new box or polygon, in image pixels."""
    box_changed = Signal(str, QPolygonF)
    """The id of the selected finding and its new shape, in image pixels."""
    drawing_left = Signal()
    """Esc was pressed while boxes are drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Image"))
        self.setAccessibleDescription(tr("The frame with its findings; the list on the left selects them by keyboard"))
        self._scene = QGraphicsScene(self)
        self.setScene(self._scene)
        self._pixmap = QGraphicsPixmapItem()
        self._pixmap.setTransformationMode(Qt.TransformationMode.SmoothTransformation)
        # Scaled once a zoom, not each time that a box changes.
        self._pixmap.setCacheMode(QGraphicsPixmapItem.CacheMode.DeviceCoordinateCache)
        self._scene.addItem(self._pixmap)
        self.after = AfterItem()
        self.layer = BoxLayer()
        self.selection = SelectionItem()
        for item in (self.after, self.layer, self.selection):
            self._scene.addItem(item)
        self._boxes: dict[str, Box] = {}
        self._selected: str | None = None
        self.has_frames = False
        """Whether the wheel goes through frames; else it zooms."""
        self.drawing = False
        """Whether a drag draws a box; else it moves the image."""
        self._draw, self._change, self._reshape = DrawTool(self), ChangeTool(self), CornerTool(self)
        self._tools: tuple[Tool, ...] = (
            ContrastTool(self),
            DividerTool(self),
            self._draw,
            self._change,
            self._reshape,
        )
        self._tool: Tool | None = None
        self._wheeled = 0
        self._nudged: ChangeTool | CornerTool | None = None
        self._peeking = False
        self._preview = False
        self._fitting = True
        self._message = ""
        self._pressed_at: QPoint | None = None
        self._moved = False
        self.setBackgroundBrush(QColor(CANVAS))
        self.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(240, 200)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        self.viewport().setMouseTracking(True)

    @property
    def boxes(self) -> dict[str, Box]:
        """The boxes of this frame, by finding id."""
        return self._boxes

    @property
    def selected_box(self) -> Box | None:
        """The selected finding's box, where it is on this frame."""
        return self._boxes.get(self._selected or "")

    @property
    def has_image(self) -> bool:
        """True when a frame is shown."""
        return not self._pixmap.pixmap().isNull()

    @property
    def image(self) -> QImage:
        """What is shown, without boxes."""
        return self._pixmap.pixmap().toImage()

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

    def show_after(self, image: QImage | None) -> None:
        """Cover the right side with the released image, behind a divider; None takes it away."""
        self.after.show_pixmap(None if image is None else QPixmap.fromImage(image))
        self.viewport().update()

    def clear(self, message: str) -> None:
        """Show no image but a sentence that says why."""
        self._pixmap.setPixmap(QPixmap())
        self.after.show_pixmap(None)
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
            # Unchanged boxes stay: frames with thousands of them must not be built anew each time.
            self._boxes[finding.id] = box if box and box.finding is finding else Box(finding, finding.polygon)
        self._draw_boxes()
        self.frame_selected()

    def _draw_boxes(self) -> None:
        self.layer.setVisible(self.boxes_shown)
        self.layer.show_boxes(self._boxes.values(), self.selected_box, self.sceneRect())

    def try_text(self, text: str | None) -> None:
        """Show a replacement of the selected box that is being typed; None shows its state again."""
        if (box := self.selected_box) is not None:
            box.trial = text
            self.layer.update()

    def frame_selected(self) -> None:
        """Put frame and handles around the selected box."""
        box = self.selected_box
        if box is None or not self.boxes_shown:
            self.selection.show_rect(None)
        elif box.is_upright:
            self.selection.show_rect(box.bounds)
        else:
            self.selection.show_corners(box.polygon)

    def set_drawing(self, on: bool) -> None:
        """Let the mouse draw, or move the image."""
        self.drawing = on
        self.give_up()
        self.viewport().setCursor(Qt.CursorShape.CrossCursor if on else Qt.CursorShape.ArrowCursor)

    def give_up(self) -> None:
        """Forget the corners of a polygon that was begun."""
        if self._draw.has_corners:
            self._draw.cancel()

    def nearest(self, place: QPointF) -> QPointF:
        """The place on the image that is nearest to a point."""
        room = self.sceneRect()
        return QPointF(min(max(place.x(), room.left()), room.right()), min(max(place.y(), room.top()), room.bottom()))

    def clipped(self, rect: QRectF) -> QRectF:
        """The part of a rectangle that is on the image."""
        return rect.intersected(self.sceneRect())

    def reveal_selected(self) -> None:
        """Scroll so that the selected box is in sight."""
        box = self.selected_box
        if box is not None and not self._fitting:
            self.ensureVisible(box.bounds, 40, 40)

    def set_peek(self, on: bool) -> None:
        """Hide the boxes while the curator looks at the original."""
        self._peeking = on
        self._follow_modes()

    def set_preview(self, on: bool) -> None:
        """Say that the image is the released one; boxes are not drawn on it."""
        self._preview = on
        self._follow_modes()

    def _follow_modes(self) -> None:
        self.layer.setVisible(self.boxes_shown)
        self.frame_selected()
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
        if (box := self.selected_box) is not None:
            self.centerOn(box.bounds.center())
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

    def box_at(self, position: QPoint) -> Box | None:
        """The smallest box under a viewport position, so that boxes inside others can be reached."""
        near = self.mapToScene(QRect(position - QPoint(3, 3), position + QPoint(3, 3))).boundingRect()
        hits = [box for box in self._boxes.values() if box.touches(near)] if self.boxes_shown else []
        return min(hits, key=lambda box: box.area, default=None)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Go through the frames where there are several, else zoom around the mouse; with Ctrl always zoom."""
        turned = event.angleDelta().y()
        if turned and self.has_frames and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._wheeled += turned
            # Touch pads send small parts of a step.
            steps = int(self._wheeled / 120)
            self._wheeled -= 120 * steps
            if steps:
                self.frames_wheeled.emit(-steps)
        elif turned:
            self.zoom_by(_ZOOM_STEP ** (turned / 120))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Let a tool take the drag, or remember where a click or pan begins."""
        if self._tool is not None:
            return
        self._tool = next((tool for tool in self._tools if self.has_image and tool.press(event)), None)
        if self._tool is None and event.button() is not Qt.MouseButton.RightButton:
            super().mousePressEvent(event)
        self._pressed_at = event.position().toPoint()
        self._moved = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Drag with the tool, or show which tool a press here would take."""
        here = event.position().toPoint()
        if self._pressed_at is not None and (here - self._pressed_at).manhattanLength() > _CLICK_PX:
            self._moved = True
        if self._tool is not None:
            if self._moved:
                self._tool.move(event)
            return
        super().mouseMoveEvent(event)
        if not event.buttons():
            self._draw.hover(here)
            cursors = (tool.cursor(here) for tool in self._tools)
            self.viewport().setCursor(
                next((cursor for cursor in cursors if cursor is not None), Qt.CursorShape.ArrowCursor)
            )

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A press that did not move selects the box under it; else the tool or the pan ends."""
        tool, self._tool = self._tool, None
        taken = False
        if tool is None:
            super().mouseReleaseEvent(event)
            self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        elif self._moved:
            tool.release()
        else:
            taken = tool.click()
        position, pressed = event.position().toPoint(), self._pressed_at
        self._moved = self._moved or (pressed is not None and (position - pressed).manhattanLength() > _CLICK_PX)
        self._pressed_at = None
        if pressed is None or self._moved or taken or event.button() is not Qt.MouseButton.LeftButton:
            return
        box = self.box_at(position)
        if box is not None:
            self.finding_clicked.emit(box.finding.id)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Close the polygon that was begun."""
        if self._draw.has_corners:
            self._draw.close()
        else:
            super().mouseDoubleClickEvent(event)

    def event(self, event: QEvent) -> bool:
        """Have Backspace for the last corner while a polygon is drawn; it is a command of the window otherwise."""
        key = event.key() if isinstance(event, QKeyEvent) else 0
        if event.type() is QEvent.Type.ShortcutOverride and self._draw.act_of(key) is not None:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Esc gives up a drag, or leaves drawing; Enter draws, and Ctrl with arrow keys changes what was drawn."""
        nudged = next((tool for tool in (self._change, self._reshape) if tool.nudge(event)), None)
        if nudged is not None:
            self._nudged = nudged
        elif (act := self._draw.act_of(event.key())) is not None:
            act()
        elif self.drawing and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.boxes_shown:
            self._draw.at_centre()
        elif event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self._tool is not None:
            self._tool.cancel()
            self._tool, self._pressed_at = None, None
        elif self.drawing:
            self.drawing_left.emit()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Store a box that arrow keys have changed, once the key is let go."""
        super().keyReleaseEvent(event)
        if not event.isAutoRepeat():
            self._end_nudge()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """The same where the key is let go elsewhere."""
        super().focusOutEvent(event)
        self._end_nudge()

    def _end_nudge(self) -> None:
        nudged, self._nudged = self._nudged, None
        if nudged is not None:
            nudged.release()

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

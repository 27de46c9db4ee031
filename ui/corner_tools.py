"""Drawing a box or a polygon on the image, and changing a polygon by its corners."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPolygonF

from deidra.ui.canvas_tools import LEAST_SIDE, ShapeTool

if TYPE_CHECKING:
    from deidra.ui.canvas import ImageCanvas

_CLOSING_PX = 9
"""A click so near to the first corner, in screen pixels, closes the polygon."""


def _is_large(shape: QRectF) -> bool:
    """Whether it can be meant, and is no slip of the mouse."""
    return min(shape.width(), shape.height()) >= LEAST_SIDE


class DrawTool:
    """Draws in drawing mode: a drag makes a box, clicks the corners of a polygon. With Shift a drag does so always."""

    def __init__(self, canvas: ImageCanvas) -> None:
        self._canvas = canvas
        self._start = QPointF()
        self._corners: list[QPointF] = []

    @property
    def has_corners(self) -> bool:
        """Whether a polygon has been begun."""
        return bool(self._corners)

    def press(self, event: QMouseEvent) -> bool:
        """Take the left button while drawing is on."""
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.button() is not Qt.MouseButton.LeftButton or not (self._canvas.drawing or shift):
            return False
        if not (self._canvas.has_image and self._canvas.boxes_shown):
            return False
        self._start = self._canvas.mapToScene(event.position().toPoint())
        return True

    def move(self, event: QMouseEvent) -> None:
        """The box grows, or the line to the next corner."""
        end = self._canvas.mapToScene(event.position().toPoint())
        if self.has_corners:
            self._start = end
            self._show(end)
        else:
            self._canvas.selection.show_rect(self._canvas.clipped(QRectF(self._start, end).normalized()), changing=True)

    def hover(self, position: QPoint) -> None:
        """Draw the line to where the next corner would be."""
        if self.has_corners:
            self._show(self._canvas.mapToScene(position))

    def _show(self, *more: QPointF) -> None:
        points = [*self._corners, *(self._canvas.nearest(place) for place in more)]
        self._canvas.selection.show_corners(QPolygonF(points), changing=True, is_open=True)

    def release(self) -> None:
        """Tell of the box, unless it is too small to be meant."""
        rect = self._canvas.selection.rect if self._canvas.selection.changing else QRectF()
        if self.has_corners:
            self.click()
        elif _is_large(rect):
            self._canvas.box_drawn.emit(QPolygonF(rect))
        else:
            self._canvas.frame_selected()

    def click(self) -> bool:
        """Set a corner where the mouse was pressed; at the first one, close the polygon."""
        if not self._canvas.drawing:
            self.cancel()
            return False
        place = self._canvas.nearest(self._start)
        away = self._canvas.zoom * (place - self._corners[0]).manhattanLength() if self.has_corners else 0.0
        if len(self._corners) > 2 and away <= _CLOSING_PX:
            self.close()
        elif not self.has_corners or place != self._corners[-1]:
            self._corners.append(place)
            self._show()
        return True

    def back(self) -> None:
        """Take the last corner away."""
        del self._corners[-1:]
        if self.has_corners:
            self._show()
        else:
            self._canvas.frame_selected()

    def close(self) -> None:
        """Tell of the polygon, unless it is too small or too short of corners to be meant."""
        shape, self._corners = QPolygonF(self._corners), []
        if shape.size() > 2 and _is_large(shape.boundingRect()):
            # It stays on the screen while its type is asked for.
            self._canvas.selection.show_corners(shape, changing=True)
            self._canvas.box_drawn.emit(shape)
        else:
            self._canvas.frame_selected()

    def act_of(self, key: int) -> Callable[[], None] | None:
        """What a key does to a polygon that was begun; None for other keys, and where none was begun."""
        acts: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Backspace: self.back,
            Qt.Key.Key_Return: self.close,
            Qt.Key.Key_Enter: self.close,
            Qt.Key.Key_Escape: self.cancel,
        }
        return acts.get(key) if self.has_corners else None

    def at_centre(self) -> None:
        """Draw a box in the middle of what is seen, for the keyboard."""
        seen = self._canvas.mapToScene(self._canvas.viewport().rect()).boundingRect()
        room = self._canvas.clipped(seen)
        width, height = max(room.width() / 4, LEAST_SIDE), max(room.height() / 10, LEAST_SIDE)
        rect = QRectF(0, 0, width, height)
        rect.moveCenter(room.center())
        self._canvas.selection.show_rect(self._canvas.clipped(rect), changing=True)
        self.release()

    def cancel(self) -> None:
        """Forget the box, or the corners."""
        self._corners = []
        self._canvas.frame_selected()

    def cursor(self, position: QPoint) -> Qt.CursorShape | None:
        """A cross while drawing is on."""
        return Qt.CursorShape.CrossCursor if self._canvas.drawing else None


class CornerTool(ShapeTool):
    """Moves a corner of the selected polygon, and all of it where a curator has drawn it."""

    def __init__(self, canvas: ImageCanvas) -> None:
        super().__init__(canvas)
        self._corner: int | None = None
        self._before = QPolygonF()

    def press(self, event: QMouseEvent) -> bool:
        """Take a corner, or the inside of a drawn polygon."""
        selection = self._canvas.selection
        if event.button() is not Qt.MouseButton.LeftButton or not selection.isVisible() or not selection.by_corners:
            return False
        self._start = self._canvas.mapToScene(event.position().toPoint())
        self._before = QPolygonF(selection.corners)
        self._corner = selection.handle_at(self._start, self._canvas.zoom)
        return self._corner is not None or self._is_inside(self._start)

    def _is_inside(self, place: QPointF) -> bool:
        box, corners = self._canvas.selected_box, self._canvas.selection.corners
        return box is not None and box.finding.drawn and corners.containsPoint(place, Qt.FillRule.WindingFill)

    def move(self, event: QMouseEvent) -> None:
        """The corner or the polygon follows."""
        self._shift(self._canvas.mapToScene(event.position().toPoint()) - self._start)

    def _shift(self, step: QPointF) -> None:
        points, room = self._before.toList(), self._canvas.sceneRect()
        if self._corner is not None:
            points[self._corner] = self._canvas.nearest(points[self._corner] + step)
        else:
            rect = self._before.boundingRect()
            x = min(max(step.x(), room.left() - rect.left()), room.right() - rect.right())
            y = min(max(step.y(), room.top() - rect.top()), room.bottom() - rect.bottom())
            points = [point + QPointF(x, y) for point in points]
        self._canvas.selection.show_corners(QPolygonF(points), changing=True)

    def nudge(self, event: QKeyEvent) -> bool:
        """Move a drawn polygon by Ctrl with an arrow key; False for other keys. :meth:`release` stores it."""
        box, selection = self._canvas.selected_box, self._canvas.selection
        step = self._step(event)
        if step is None or box is None or not selection.by_corners:
            return False
        self._corner, self._before = None, QPolygonF(selection.corners)
        self._shift(step)
        self._before = QPolygonF(box.polygon)
        return True

    def release(self) -> None:
        """Tell of the polygon where it has changed."""
        box, selection = self._canvas.selected_box, self._canvas.selection
        changed = selection.changing and selection.corners.toList() != self._before.toList()
        if box is not None and changed and _is_large(selection.rect):
            self._canvas.box_changed.emit(box.finding.id, QPolygonF(selection.corners))
        else:
            self._canvas.frame_selected()

    def cursor(self, position: QPoint) -> Qt.CursorShape | None:
        """A hand over corners, arrows over a polygon that can be moved."""
        selection = self._canvas.selection
        if not (selection.isVisible() and selection.by_corners):
            return None
        place = self._canvas.mapToScene(position)
        if selection.handle_at(place, self._canvas.zoom) is not None:
            return Qt.CursorShape.PointingHandCursor
        return Qt.CursorShape.SizeAllCursor if self._is_inside(place) else None

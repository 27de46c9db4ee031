"""What dragging on the image does, besides moving it: window and level, divider, upright boxes changed.

A tool is asked at each press whether it takes the drag; the first that says yes has the mouse until the release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPolygonF

from deidra.ui.canvas_items import HANDLES

if TYPE_CHECKING:
    from deidra.ui.canvas import ImageCanvas

LEAST_SIDE = 3.0
"""A drawn box is at least so many image pixels wide and high; less is a slip of the mouse."""
_DIVIDER_PX = 8
_STEP_PX = 4
"""How far an arrow key moves an edge, in screen pixels; at least one image pixel."""
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_LOWER_RIGHT = HANDLES.index((1.0, 1.0))
_CURSORS = (
    Qt.CursorShape.SizeFDiagCursor,
    Qt.CursorShape.SizeVerCursor,
    Qt.CursorShape.SizeBDiagCursor,
    Qt.CursorShape.SizeHorCursor,
)
"""Of the handles 0 to 3; those opposite have the same."""


class Tool(Protocol):
    """One way to drag."""

    def press(self, event: QMouseEvent) -> bool:
        """Whether the tool takes the drag that begins here."""

    def move(self, event: QMouseEvent) -> None:
        """The mouse has moved."""

    def release(self) -> None:
        """The drag is over."""

    def click(self) -> bool:
        """The mouse did not move: give the drag up. Whether the click was taken; else it selects what is there."""

    def cancel(self) -> None:
        """The drag is given up."""

    def cursor(self, position: QPoint) -> Qt.CursorShape | None:
        """What the mouse looks like where the tool would take a drag; None elsewhere."""


class ContrastTool:
    """The right button, or the left one with Ctrl: to the right a wider window, down a darker image."""

    def __init__(self, canvas: ImageCanvas) -> None:
        self._canvas = canvas
        self._last = QPoint()

    def press(self, event: QMouseEvent) -> bool:
        """Take the right button, or Ctrl with the left."""
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        left = event.button() is Qt.MouseButton.LeftButton
        self._last = event.position().toPoint()
        return event.button() is Qt.MouseButton.RightButton or (left and bool(control))

    def move(self, event: QMouseEvent) -> None:
        """Tell how far."""
        here = event.position().toPoint()
        step, self._last = here - self._last, here
        self._canvas.contrast_dragged.emit(step.x(), step.y())

    def release(self) -> None:
        """Nothing is left to do."""

    def click(self) -> bool:
        """Select what is there."""
        return False

    def cancel(self) -> None:
        """The window stays as it is."""

    def cursor(self, position: QPoint) -> Qt.CursorShape | None:
        """Nothing tells where this starts: it is everywhere."""
        return None


class DividerTool:
    """Moves the divider between the original and the released image."""

    def __init__(self, canvas: ImageCanvas) -> None:
        self._canvas = canvas

    def _is_near(self, position: QPoint) -> bool:
        after = self._canvas.after
        x = self._canvas.mapFromScene(QPointF(after.divider, 0)).x()
        return after.isVisible() and abs(position.x() - x) <= _DIVIDER_PX

    def press(self, event: QMouseEvent) -> bool:
        """Take presses near the divider."""
        return event.button() is Qt.MouseButton.LeftButton and self._is_near(event.position().toPoint())

    def move(self, event: QMouseEvent) -> None:
        """The divider follows."""
        self._canvas.after.move_divider(self._canvas.mapToScene(event.position().toPoint()).x())

    def release(self) -> None:
        """Nothing is left to do."""

    def click(self) -> bool:
        """Select what is there."""
        return False

    def cancel(self) -> None:
        """The divider stays where it is."""

    def cursor(self, position: QPoint) -> Qt.CursorShape | None:
        """Two arrows near the divider."""
        return Qt.CursorShape.SplitHCursor if self._is_near(position) else None


class ShapeTool:
    """What tools that change the selected box or polygon have in common."""

    def __init__(self, canvas: ImageCanvas) -> None:
        self._canvas = canvas
        self._start = QPointF()

    def click(self) -> bool:
        """Select what is there."""
        self.cancel()
        return False

    def cancel(self) -> None:
        """The shape is as it was."""
        self._canvas.frame_selected()

    def _step(self, event: QKeyEvent) -> QPointF | None:
        """How far Ctrl with an arrow key moves what was drawn, in image pixels; None for other keys and shapes."""
        box, selection = self._canvas.selected_box, self._canvas.selection
        arrow = _ARROWS.get(Qt.Key(event.key()))
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if arrow is None or not control or box is None or not box.finding.drawn or not selection.isVisible():
            return None
        return QPointF(*arrow) * max(1.0, round(_STEP_PX / self._canvas.zoom))


class ChangeTool(ShapeTool):
    """Resizes the selected box by its handles, and moves it where a curator has drawn it."""

    def __init__(self, canvas: ImageCanvas) -> None:
        super().__init__(canvas)
        self._handle: int | None = None
        self._before = QRectF()

    def press(self, event: QMouseEvent) -> bool:
        """Take a handle, or the inside of a drawn box."""
        selection = self._canvas.selection
        if event.button() is not Qt.MouseButton.LeftButton or not selection.isVisible() or selection.by_corners:
            return False
        self._start = self._canvas.mapToScene(event.position().toPoint())
        self._before = QRectF(self._canvas.selection.rect)
        self._handle = self._canvas.selection.handle_at(self._start, self._canvas.zoom)
        return self._handle is not None or self._is_inside(self._start)

    def _is_inside(self, place: QPointF) -> bool:
        box = self._canvas.selected_box
        return box is not None and box.finding.drawn and self._canvas.selection.rect.contains(place)

    def move(self, event: QMouseEvent) -> None:
        """The box follows."""
        step = self._canvas.mapToScene(event.position().toPoint()) - self._start
        self._canvas.selection.show_rect(self._changed(step), changing=True)

    def _changed(self, step: QPointF) -> QRectF:
        rect, room = QRectF(self._before), self._canvas.sceneRect()
        if self._handle is None:
            x = min(max(step.x(), room.left() - rect.left()), room.right() - rect.right())
            y = min(max(step.y(), room.top() - rect.top()), room.bottom() - rect.bottom())
            return rect.translated(x, y)
        along, down = HANDLES[self._handle]
        if along == 0:
            rect.setLeft(min(rect.left() + step.x(), rect.right() - LEAST_SIDE))
        elif along == 1:
            rect.setRight(max(rect.right() + step.x(), rect.left() + LEAST_SIDE))
        if down == 0:
            rect.setTop(min(rect.top() + step.y(), rect.bottom() - LEAST_SIDE))
        elif down == 1:
            rect.setBottom(max(rect.bottom() + step.y(), rect.top() + LEAST_SIDE))
        return self._canvas.clipped(rect)

    def nudge(self, event: QKeyEvent) -> bool:
        """Move a drawn box by Ctrl with an arrow key, or with Shift too its right and lower edge; False for other keys.

        The box is stored by :meth:`release`, when the key is let go.
        """
        box, selection = self._canvas.selected_box, self._canvas.selection
        step = self._step(event)
        if step is None or box is None or selection.by_corners:
            return False
        self._handle = _LOWER_RIGHT if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else None
        self._before = QRectF(selection.rect)
        rect = self._changed(step)
        self._before = QRectF(box.bounds)
        selection.show_rect(rect, changing=True)
        return True

    def release(self) -> None:
        """Tell of the box where it has changed."""
        box, rect = self._canvas.selected_box, self._canvas.selection.rect
        if box is not None and self._canvas.selection.changing and rect != self._before:
            self._canvas.box_changed.emit(box.finding.id, QPolygonF(rect))
        else:
            self._canvas.frame_selected()

    def cursor(self, position: QPoint) -> Qt.CursorShape | None:
        """Arrows over handles and over a box that can be moved."""
        if not self._canvas.selection.isVisible() or self._canvas.selection.by_corners:
            return None
        place = self._canvas.mapToScene(position)
        handle = self._canvas.selection.handle_at(place, self._canvas.zoom)
        if handle is not None:
            return _CURSORS[handle % 4]
        return Qt.CursorShape.SizeAllCursor if self._is_inside(place) else None

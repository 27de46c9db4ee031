"""What lies over the image beside the findings: frame and handles of the selected box, the divider."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

_DARK = QColor(0, 0, 0, 150)
_WHITE = QColor("#ffffff")
_HANDLE = 9
"""Side of a handle, in screen pixels."""
_GAP = 5
"""Between a selected box and its frame, in screen pixels."""
HANDLES = (
    (0.0, 0.0),
    (0.5, 0.0),
    (1.0, 0.0),
    (1.0, 0.5),
    (1.0, 1.0),
    (0.5, 1.0),
    (0.0, 1.0),
    (0.0, 0.5),
)
"""Places of the handles as shares of a box's width and height."""


def line_pen(colour: QColor, width: float) -> QPen:
    """A pen of one width at any zoom."""
    pen = QPen(colour, width)
    pen.setCosmetic(True)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return pen


class SelectionItem(QGraphicsItem):
    """A white frame around the selected box, with handles; also what is being drawn or moved.

    An upright box has eight handles around it, another shape one at each corner.

    It lies above all boxes, while these lie in the order of their areas: no item is hidden under a larger one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rect = QRectF()
        """The upright box, or the smallest that holds the other shape."""
        self.corners = QPolygonF()
        """Corners of a shape that is no upright box; else empty."""
        self.changing = False
        self._open = False
        self.setZValue(20)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.hide()

    def show_rect(self, rect: QRectF | None, changing: bool = False) -> None:
        """Frame a rectangle in image pixels; None hides the frame. ``changing``: it follows the mouse."""
        self._show(QRectF(rect) if rect is not None else QRectF(), QPolygonF(), changing, False)
        self.setVisible(rect is not None)

    def show_corners(self, corners: QPolygonF, changing: bool = False, is_open: bool = False) -> None:
        """Frame another shape, in image pixels. ``is_open``: corners are to come, and its last line is left out."""
        self._show(corners.boundingRect(), QPolygonF(corners), changing, is_open)
        self.setVisible(True)

    def _show(self, rect: QRectF, corners: QPolygonF, changing: bool, is_open: bool) -> None:
        self.prepareGeometryChange()
        self.rect, self.corners, self.changing, self._open = rect, corners, changing, is_open
        self.update()

    @property
    def by_corners(self) -> bool:
        """Whether the handles are the corners of a shape that is no upright box."""
        return not self.corners.isEmpty()

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The frame with its handles, which are larger in image pixels when zoomed out."""
        return self.rect.adjusted(-400, -400, 400, 400)

    def handle_at(self, place: QPointF, scale: float) -> int | None:
        """The handle at a place of the image, ``scale`` being screen pixels an image pixel."""
        reach = (_HANDLE / 2 + 3) / scale
        for number, corner in enumerate(self._handles(scale)):
            if abs(corner.x() - place.x()) <= reach and abs(corner.y() - place.y()) <= reach:
                return number
        return None

    def _handles(self, scale: float) -> list[QPointF]:
        if self.by_corners:
            return self.corners.toList()
        frame = self._frame(scale)
        return [QPointF(frame.left() + x * frame.width(), frame.top() + y * frame.height()) for x, y in HANDLES]

    def _frame(self, scale: float) -> QRectF:
        gap = 0 if self.changing else _GAP / scale
        return self.rect.adjusted(-gap, -gap, gap, gap)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the frame, dark below white, so that it is seen on paper and on black; then the handles."""
        scale = max(painter.worldTransform().m11(), 0.02)
        frame = self._frame(scale)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (line_pen(_DARK, 4.6), line_pen(_WHITE, 1.6)):
            painter.setPen(pen)
            if not self.by_corners:
                painter.drawRect(frame)
            elif self._open:
                painter.drawPolyline(self.corners)
            else:
                painter.drawPolygon(self.corners)
        side = _HANDLE / scale
        painter.setPen(line_pen(QColor("#101214"), 1))
        painter.setBrush(_WHITE)
        for number, centre in enumerate(self._handles(scale)):
            x, y = HANDLES[number] if not self.by_corners else (0.0, 0.0)
            # The middle handles of a small box would lie on those of its corners.
            room = frame.width() if x == 0.5 else frame.height() if y == 0.5 else 4 * side
            if room >= 3 * side:
                painter.drawRect(QRectF(centre.x() - side / 2, centre.y() - side / 2, side, side))


class AfterItem(QGraphicsItem):
    """The released image, over the original, to the right of a divider that can be moved."""

    def __init__(self) -> None:
        super().__init__()
        self._pixmap = QPixmap()
        self.share = 0.5
        """Where the divider stands, as a share of the image's width."""
        self.setZValue(0.5)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.hide()

    def show_pixmap(self, pixmap: QPixmap | None) -> None:
        """Cover the right side with this image; None takes it away."""
        self.prepareGeometryChange()
        self._pixmap = pixmap if pixmap is not None else QPixmap()
        self.setVisible(pixmap is not None)

    @property
    def divider(self) -> float:
        """The divider's place, in image pixels."""
        return self.share * self._pixmap.width()

    def move_divider(self, x: float) -> None:
        """Put the divider at an image pixel, not beyond the image."""
        if self._pixmap.width():
            self.share = min(max(x / self._pixmap.width(), 0.0), 1.0)
            self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The whole image: the divider may go anywhere."""
        return QRectF(self._pixmap.rect())

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the right part, the divider and its grip."""
        right = self.boundingRect()
        right.setLeft(self.divider)
        painter.save()
        painter.setClipRect(right)
        painter.drawPixmap(0, 0, self._pixmap)
        painter.restore()
        top, bottom = QPointF(self.divider, 0), QPointF(self.divider, right.bottom())
        for pen in (line_pen(_DARK, 5), line_pen(_WHITE, 2)):
            painter.setPen(pen)
            painter.drawLine(top, bottom)
        radius = 9 / max(painter.worldTransform().m11(), 0.02)
        painter.setPen(line_pen(QColor("#101214"), 1.5))
        painter.setBrush(_WHITE)
        painter.drawEllipse(QPointF(self.divider, right.bottom() / 2), radius, radius)
        for side in (-1, 1):
            x = self.divider + side * radius * 0.3
            middle = right.bottom() / 2
            painter.drawLine(QPointF(x, middle - radius * 0.4), QPointF(x, middle + radius * 0.4))

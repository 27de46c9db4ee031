"""All boxes of a frame as one item: drawn by state, each state with a few strokes, however many boxes there are."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen, QPixmap, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from deidra.ui.boxes import SOLID, Badge, Box, inside, outline, under
from deidra.ui.words import BoxState

_BADGE = 16
"""Width and height of the mark at a box, in device-independent pixels."""
_HANDLE_ROOM = 11
"""How much farther out the mark of a selected box stands."""
_RIM = QColor(0, 0, 0, 150)
_ON_BADGE = QColor("#101214")
_LETTERS = QColor("#efe6ff")
_ORDER = (*SOLID, *(state for state in BoxState if state not in SOLID))
"""What hides comes first, so that no box is hidden by another."""


class BoxLayer(QGraphicsItem):
    """Draws boxes over an image. Coordinates are pixels of the frame."""

    def __init__(self) -> None:
        super().__init__()
        self._by_state: list[tuple[BoxState, list[Box]]] = []
        self._lettered: list[Box] = []
        self._badges: list[Badge] = []
        self._shown: tuple[list[Box], Box | None, QRectF] = ([], None, QRectF())
        """All but the selected one, the selected one, and where the frame lies."""
        self._pictures: dict[tuple[str, str, float], QPixmap] = {}
        self.setZValue(1)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        # Drawn once a change or zoom, not each time that something over it moves.
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    def show_boxes(self, boxes: Iterable[Box], selected: Box | None, room: QRectF) -> None:
        """Draw these boxes of a frame that lies in ``room``, one of them as the selected one."""
        # Smaller ones later, thus above.
        others = sorted((box for box in boxes if box is not selected), key=lambda box: -box.area)
        shown = (others, selected, QRectF(room))
        if shown == self._shown:
            return
        self._shown = shown
        self.prepareGeometryChange()
        grouped = ((state, [box for box in others if box.state is state]) for state in _ORDER)
        self._by_state = [(state, group) for state, group in grouped if group]
        self._lettered = [box for box in others if box.surrogate]
        self._badges = [badge for box in others for badge in box.badges]
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The image with room for lines and badges, which are wider in frame pixels when zoomed out."""
        return self._shown[2].adjusted(-1000, -1000, 1000, 1000)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw halos, insides, outlines, the texts of replacements, and the badges."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for state, boxes in self._by_state:
            _draw(painter, boxes, outline(state), inside(state))
        for box in self._lettered:
            painter.fillPath(box.lettering, _LETTERS)
        if (chosen := self._shown[1]) is not None:
            fill = inside(chosen.state, True, chosen.trial is not None)
            _draw(painter, [chosen], outline(chosen.state, True), fill)
            if chosen.surrogate:
                painter.fillPath(chosen.lettering, _LETTERS)
        self._draw_badges(painter, chosen.badges if chosen is not None else [])

    def _draw_badges(self, painter: QPainter, of_selected: list[Badge]) -> None:
        place = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        for badges, gap in ((self._badges, 0), (of_selected, _HANDLE_ROOM)):
            # Above and to the left of the corner, where it hides no text of the box.
            outside = QPointF(2 - _BADGE - gap, 2 - _BADGE - gap)
            for badge in badges:
                at = place.map(badge.at) + outside
                painter.drawPixmap(at.toPoint(), self._picture(badge, painter.device().devicePixelRatioF()))
        painter.restore()

    def _picture(self, badge: Badge, ratio: float) -> QPixmap:
        """The badge, drawn once for a text, a colour and device pixels a pixel."""
        key = (badge.text, badge.colour, ratio)
        if key not in self._pictures:
            self._pictures[key] = _badge_picture(badge, ratio)
        return self._pictures[key]


def _draw(painter: QPainter, boxes: list[Box], pen: QPen, fill: QBrush) -> None:
    painter.setPen(under(pen))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for box in boxes:
        painter.drawPolygon(box.polygon)
    # Patterns belong to the screen, not to the image: undo the zoom for them.
    inverse, possible = painter.worldTransform().inverted()
    fill.setTransform(inverse if possible else QTransform())
    painter.setPen(pen)
    painter.setBrush(fill)
    for box in boxes:
        painter.drawPolygon(box.polygon)


def _badge_picture(badge: Badge, ratio: float) -> QPixmap:
    picture = QPixmap(round(_BADGE * ratio), round(_BADGE * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(_RIM, 1))
    painter.setBrush(QColor(badge.colour))
    whole = QRectF(0, 0, _BADGE, _BADGE)
    painter.drawRoundedRect(whole.adjusted(1, 1, -1, -1), 3, 3)
    font = QFont()
    font.setPixelSize(11)
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(_ON_BADGE)
    painter.drawText(whole, Qt.AlignmentFlag.AlignCenter, badge.text)
    painter.end()
    return picture

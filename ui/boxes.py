"""How a finding looks on the image: state by colour and by shape, at the same width at any zoom."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPainterPath, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from deidra.app.domain.geometry import Polygon
from deidra.app.domain.model import Finding
from deidra.ui.theme import BOX_COLOURS, FLAG_COLOUR
from deidra.ui.words import BoxState, state_of, surrogate_of

_HALO = QColor(0, 0, 0, 150)
"""Under every line, so that boxes are seen on white paper as well as on black images."""
_REPLACED = QColor(43, 28, 82, 235)
"""Behind the text of a replacement."""
_BADGE = 16
"""Width and height of the mark at a box, in device-independent pixels."""
_HANDLE_ROOM = 11
"""How much farther out the mark of a selected box stands."""
_BADGE_TEXT = {BoxState.UNDECIDED: "?", BoxState.AUTO: "✓"}
_WIDTHS = {BoxState.KEEP: 1.2, BoxState.IGNORED: 1.2}


class Badge(QGraphicsItem):
    """A small mark at the corner of a box, of one size at any zoom."""

    def __init__(self, text: str, colour: QColor, parent: QGraphicsItem) -> None:
        super().__init__(parent)
        self._text, self._colour = text, colour
        self._gap = 0
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def boundingRect(self) -> QRectF:  # noqa: N802
        """Above and to the left of the corner, where it hides no text of the box."""
        return QRectF(-_BADGE + 2 - self._gap, -_BADGE + 2 - self._gap, _BADGE, _BADGE)

    def make_room(self, on: bool) -> None:
        """Stand farther out, beside the handle of a selected box."""
        self.prepareGeometryChange()
        self._gap = _HANDLE_ROOM if on else 0

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the mark."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(_HALO, 1))
        painter.setBrush(self._colour)
        painter.drawRoundedRect(self.boundingRect().adjusted(1, 1, -1, -1), 3, 3)
        font = QFont(painter.font())
        font.setPixelSize(11)
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor("#101214"))
        painter.drawText(self.boundingRect(), Qt.AlignmentFlag.AlignCenter, self._text)


class BoxItem(QGraphicsItem):
    """The polygon of one finding. Coordinates are pixels of the frame."""

    def __init__(self, finding: Finding, polygon: Polygon) -> None:
        super().__init__()
        self.finding = finding
        self.state = state_of(finding)
        self.colour = QColor(BOX_COLOURS[self.state])
        self.polygon = QPolygonF([QPointF(x, y) for x, y in polygon])
        self._selected = False
        self._trial: str | None = None
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        # Smaller boxes lie above larger ones, so that none is hidden.
        self.setZValue(1 + 1 / (1 + area_of(self.polygon.boundingRect())))
        if self.state in _BADGE_TEXT:
            corner = min(self.polygon.toList(), key=lambda point: point.x() + point.y())
            Badge(_BADGE_TEXT[self.state], self.colour, self).setPos(corner)
        if finding.remark.flagged:
            corner = max(self.polygon.toList(), key=lambda point: point.x() - point.y())
            Badge("⚑", QColor(FLAG_COLOUR), self).setPos(corner)

    @property
    def is_emphasized(self) -> bool:
        """True for the finding that is selected."""
        return self._selected

    def emphasize(self, on: bool) -> None:
        """Draw as the selected one; the canvas draws a frame around it."""
        self._selected = on
        for child in self.childItems():
            if isinstance(child, Badge):
                child.make_room(on)
        self.update()

    def try_text(self, text: str | None) -> None:
        """Show a replacement that is being typed; None shows the state again."""
        self._trial = text
        self.update()

    @property
    def surrogate(self) -> str:
        """The text that is drawn in place of the original; empty for none."""
        if self._trial is not None:
            return self._trial
        return surrogate_of(self.finding) if self.state is BoxState.REPLACE else ""

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The polygon with room for its lines, which are wider in frame pixels when zoomed out."""
        return self.polygon.boundingRect().adjusted(-24, -24, 24, 24)

    def shape(self) -> QPainterPath:
        """The polygon itself, for clicks."""
        path = QPainterPath()
        path.addPolygon(self.polygon)
        path.closeSubpath()
        return path

    @property
    def pen(self) -> QPen:
        """The outline of the state: dotted for automatic, dashed for ignored, thin for kept."""
        pen = QPen(self.colour, _WIDTHS.get(self.state, 2.0) + (1.2 if self._selected else 0))
        pen.setCosmetic(True)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        if self.state is BoxState.AUTO:
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            pen.setDashPattern([0.1, 2.2])
        elif self.state is BoxState.IGNORED:
            pen.setStyle(Qt.PenStyle.DashLine)
        return pen

    @property
    def fill(self) -> QBrush:
        """The inside of the state: hatched for redact, solid for blank, tinted for replace."""
        colour = QColor(self.colour)
        if self._trial is not None:
            return QBrush(_REPLACED)
        if self.state is BoxState.REDACT:
            return QBrush(colour, Qt.BrushStyle.BDiagPattern)
        if self.state is BoxState.BLANK:
            colour.setAlpha(225)
            return QBrush(colour)
        if self.state is BoxState.REPLACE:
            return QBrush(_REPLACED)
        if self._selected and self.state is BoxState.UNDECIDED:
            colour.setAlpha(36)
            return QBrush(colour)
        return QBrush(Qt.BrushStyle.NoBrush)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw halo, inside, outline and, for a replacement, its text."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen, fill = self.pen, self.fill
        painter.setPen(_under(pen))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolygon(self.polygon)
        # Hatching belongs to the screen, not to the image: undo the zoom for the pattern.
        inverse, possible = painter.worldTransform().inverted()
        fill.setTransform(inverse if possible else QTransform())
        painter.setPen(pen)
        painter.setBrush(fill)
        painter.drawPolygon(self.polygon)
        if self.surrogate:
            self._draw_surrogate(painter, self.surrogate)

    def _draw_surrogate(self, painter: QPainter, text: str) -> None:
        font = QFont()
        font.setPixelSize(64)
        path = QPainterPath()
        path.addText(0, 0, font, text)
        source, target = path.boundingRect(), self.polygon.boundingRect()
        room = target.adjusted(target.width() * 0.03, target.height() * 0.14, 0, -target.height() * 0.14)
        scale = min(room.height() / max(source.height(), 1), room.width() * 0.97 / max(source.width(), 1))
        fit = QTransform()
        fit.translate(room.left(), room.center().y() - source.height() * scale / 2)
        fit.scale(scale, scale)
        fit.translate(-source.left(), -source.top())
        painter.fillPath(fit.map(path), QColor("#efe6ff"))


def _under(pen: QPen) -> QPen:
    """A dark pen with the same dashes, to be drawn under ``pen``."""
    halo = QPen(pen)
    halo.setColor(_HALO)
    halo.setWidthF(pen.widthF() + 1.4)
    if pen.style() is Qt.PenStyle.CustomDashLine:
        # Dash lengths are counted in line widths, and this line is wider.
        halo.setDashPattern([length * pen.widthF() / halo.widthF() for length in pen.dashPattern()])
    return halo


def area_of(rect: QRectF) -> float:
    """Square pixels of a rectangle."""
    return rect.width() * rect.height()

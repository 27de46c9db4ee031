"""How a finding looks on the image: state by colour and by shape, at the same width at any zoom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QImage, QPainterPath, QPen, QPolygonF, QTransform

from deidra.app.domain.geometry import Polygon, is_upright
from deidra.app.domain.model import Finding
from deidra.ui.theme import BOX_COLOURS, FLAG_COLOUR
from deidra.ui.words import BoxState, state_of, surrogate_of

_HALO = QColor(0, 0, 0, 150)
"""Under every line, so that boxes are seen on white paper as well as on black images."""
_REPLACED = QColor(43, 28, 82, 235)
"""Behind the text of a replacement."""
_BADGE_TEXT = {BoxState.UNDECIDED: "?", BoxState.AUTO: "✓"}
_STRIPE = 6
"""Pixels from a dot of a dotted line to the next."""
_WIDTHS = {BoxState.KEEP: 1.2, BoxState.IGNORED: 1.2}
SOLID = (BoxState.BLANK, BoxState.REPLACE)
"""States whose boxes hide what is under them."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A small mark at a corner of a box, of one size at any zoom: its text, colour, and place in frame pixels."""

    text: str
    colour: str
    at: QPointF


class Box:
    """The polygon of one finding. Coordinates are pixels of the frame. :class:`~deidra.ui.box_layer.BoxLayer` draws it.

    A box is no graphics item: a frame may have hundreds, and each item of Python's costs calls at every drawing.
    """

    def __init__(self, finding: Finding, polygon: Polygon) -> None:
        self.finding = finding
        self.state = state_of(finding)
        self.colour = QColor(BOX_COLOURS[self.state])
        self.polygon = QPolygonF([QPointF(x, y) for x, y in polygon])
        self.bounds = self.polygon.boundingRect()
        self.trial: str | None = None
        """A replacement that is being typed; None shows the state."""
        self._lettered: tuple[str, QPainterPath] | None = None

    @cached_property
    def area(self) -> float:
        """Square pixels of the box around the polygon. Smaller boxes lie above larger ones, so that none is hidden."""
        return self.bounds.width() * self.bounds.height()

    def touches(self, rect: QRectF) -> bool:
        """Whether a rectangle has a part of the polygon in it, or lies in it."""
        return self.bounds.intersects(rect) and self.polygon.intersects(QPolygonF(rect))

    @cached_property
    def is_upright(self) -> bool:
        """Whether it is a rectangle along the axes; other shapes are changed by their corners."""
        return is_upright(tuple((point.x(), point.y()) for point in self.polygon.toList()))

    @cached_property
    def badges(self) -> list[Badge]:
        """The marks of the state, above and to the left, and of a flag, above and to the right."""
        marks, corners = [], self.polygon.toList()
        if self.state in _BADGE_TEXT:
            corner = min(corners, key=lambda point: point.x() + point.y())
            marks.append(Badge(_BADGE_TEXT[self.state], BOX_COLOURS[self.state], corner))
        if self.finding.remark.flagged:
            marks.append(Badge("⚑", FLAG_COLOUR, max(corners, key=lambda point: point.x() - point.y())))
        return marks

    @property
    def surrogate(self) -> str:
        """The text that is drawn in place of the original; empty for none."""
        if self.trial is not None:
            return self.trial
        return surrogate_of(self.finding) if self.state is BoxState.REPLACE else ""

    @property
    def lettering(self) -> QPainterPath:
        """The letters of the replacement, as large as the box allows."""
        text = self.surrogate
        if self._lettered is None or self._lettered[0] != text:
            self._lettered = (text, self._letters(text))
        return self._lettered[1]

    def _letters(self, text: str) -> QPainterPath:
        font = QFont()
        font.setPixelSize(64)
        path = QPainterPath()
        path.addText(0, 0, font, text)
        source, target = path.boundingRect(), self.bounds
        room = target.adjusted(target.width() * 0.03, target.height() * 0.14, 0, -target.height() * 0.14)
        scale = min(room.height() / max(source.height(), 1), room.width() * 0.97 / max(source.width(), 1))
        fit = QTransform()
        fit.translate(room.left(), room.center().y() - source.height() * scale / 2)
        fit.scale(scale, scale)
        fit.translate(-source.left(), -source.top())
        return fit.map(path)


def outline(state: BoxState, selected: bool = False) -> QPen:
    """The line of a state: dotted for automatic, dashed for ignored, thin for kept; thicker for the selected box."""
    pen = QPen(QColor(BOX_COLOURS[state]), _WIDTHS.get(state, 2.0) + (1.2 if selected else 0))
    pen.setCosmetic(True)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    if state is BoxState.AUTO:
        # Dots by a striped brush: a pen's own take ten times as long, and a frame may have hundreds of these boxes.
        pen.setBrush(_striped(BOX_COLOURS[state]))
    elif state is BoxState.IGNORED:
        pen.setStyle(Qt.PenStyle.DashLine)
    return pen


@lru_cache(maxsize=8)
def _striped(colour: str) -> QBrush:
    """Diagonal stripes, which make dots of lines in any direction."""
    stripes = QImage(_STRIPE, _STRIPE, QImage.Format.Format_ARGB32_Premultiplied)
    stripes.fill(Qt.GlobalColor.transparent)
    for x in range(_STRIPE):
        for y in range(_STRIPE):
            if (x + y) % _STRIPE < _STRIPE / 2:
                stripes.setPixelColor(x, y, QColor(colour))
    return QBrush(stripes)


def inside(state: BoxState, selected: bool = False, trial: bool = False) -> QBrush:
    """The inside of a state: hatched for redact, solid for blank, tinted for replace, nothing for the others.

    ``selected`` tints the box under review where nothing else does; ``trial`` is for a replacement being typed.
    """
    colour = QColor(BOX_COLOURS[state])
    if trial or state is BoxState.REPLACE:
        return QBrush(_REPLACED)
    if state is BoxState.REDACT:
        return QBrush(colour, Qt.BrushStyle.BDiagPattern)
    if state is BoxState.BLANK:
        colour.setAlpha(225)
        return QBrush(colour)
    if selected and state is BoxState.UNDECIDED:
        colour.setAlpha(36)
        return QBrush(colour)
    return QBrush(Qt.BrushStyle.NoBrush)


def under(pen: QPen) -> QPen:
    """A wider dark pen, to be drawn under ``pen``."""
    halo = QPen(pen)
    halo.setBrush(_HALO)
    halo.setWidthF(pen.widthF() + 1.4)
    return halo

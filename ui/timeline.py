"""A patient's dates before and after on one axis of time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from deidra.ui.theme import GRID, colours
from deidra.ui.translation import later, tr

_DOT = 5.0
_MOST_YEARS = 12
"""Labels of years on the axis."""

_EMPTY = later("Select a patient to see the dates on one axis.")


class Timeline(QWidget):
    """Two rows of marks, circles before and squares after, with a line between those of one event."""

    def __init__(self) -> None:
        super().__init__()
        self._pairs: list[tuple[date, date | None]] = []
        line = self.fontMetrics().height()
        self.setMinimumHeight(5 * line + 3 * GRID)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Timeline"))
        self.show_pairs([])

    def show_pairs(self, pairs: Sequence[tuple[date, date | None]]) -> None:
        """Show events: the day before, and the day after or None where no day stays."""
        self._pairs = list(pairs)
        if pairs:
            words = [
                tr(
                    "{before} to {after}",
                    before=before.isoformat(),
                    after=after.isoformat() if after else tr("nothing"),
                )
                for before, after in pairs
            ]
            self.setAccessibleDescription("; ".join(words))
        else:
            self.setAccessibleDescription(tr("No dates."))
        self.update()

    @property
    def span(self) -> tuple[date, date] | None:
        """The first and the last day of the axis; None without dates."""
        days = [day for pair in self._pairs for day in pair if day is not None]
        return (min(days), max(days)) if days else None

    def place(self, day: date) -> float:
        """How far to the right a day stands, in pixels."""
        span = self.span
        left, right = self._edges()
        if span is None or span[0] == span[1]:
            return (left + right) / 2
        return left + (right - left) * (day - span[0]).days / (span[1] - span[0]).days

    def _edges(self) -> tuple[float, float]:
        words = max(map(self.fontMetrics().horizontalAdvance, (tr("before"), tr("after"))))
        return float(words + 3 * GRID), float(self.width() - 5 * GRID)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw axis, marks and lines."""
        scheme, span = colours(), self.span
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(scheme.muted))
        if span is None:
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, tr(_EMPTY))
            return
        line = self.fontMetrics().height()
        above, below, axis = line, 2.5 * line, 3.6 * line
        for row, words in ((above, tr("before")), (below, tr("after"))):
            painter.drawText(QPointF(GRID, row + line / 3), words)
        left, right = self._edges()
        painter.drawLine(QPointF(left, axis), QPointF(right, axis))
        self._draw_years(painter, axis, line)
        for before, after in self._pairs:
            here = QPointF(self.place(before), above)
            if after is not None:
                there = QPointF(self.place(after), below)
                painter.setPen(QPen(QColor(scheme.muted), 1, Qt.PenStyle.DotLine))
                painter.drawLine(here, there)
                painter.setPen(QPen(QColor(scheme.accent), 2))
                painter.setBrush(QColor(scheme.accent))
                painter.drawRect(QRectF(there.x() - _DOT, there.y() - _DOT, 2 * _DOT, 2 * _DOT))
            painter.setPen(QPen(QColor(scheme.warning), 2))
            painter.setBrush(QColor(scheme.panel))
            painter.drawEllipse(here, _DOT, _DOT)

    def _draw_years(self, painter: QPainter, axis: float, line: int) -> None:
        first, last = self.span or (date.min, date.min)
        if first.year == last.year:
            marks = [(first, first.isoformat())] if first == last else [(d, d.isoformat()) for d in (first, last)]
        else:
            step = max(1, -(-(last.year - first.year) // _MOST_YEARS))
            years = range(first.year + 1, last.year + 1, step)
            marks = [(date(year, 1, 1), str(year)) for year in years]
        for day, words in marks:
            x = self.place(day)
            wide = self.fontMetrics().horizontalAdvance(words)
            painter.drawLine(QPointF(x, axis - 3), QPointF(x, axis + 3))
            painter.drawText(QPointF(x - wide / 2, axis + line), words)

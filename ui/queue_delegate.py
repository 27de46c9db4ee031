"""Draws one row of the queue: state mark, masked text, type, place, risk and uncertainty."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from deidra.app.domain.model import Finding
from deidra.ui.queue_model import FINDING_ROLE, QueueModel
from deidra.ui.theme import BOX_COLOURS, GRID, colours, small_font
from deidra.ui.words import STATE_MARKS, BoxState, masked, place, state_of, type_label

_MARK = 20
"""Width and height of the state mark, in device-independent pixels."""


def draw_mark(painter: QPainter, box: QRect, state: BoxState) -> None:
    """The state's letter in its colour, filled for items that wait and outlined for the others."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    colour = QColor(BOX_COLOURS[state])
    waiting = state is BoxState.UNDECIDED
    painter.setPen(QPen(colour, 1.5))
    painter.setBrush(colour if waiting else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 4, 4)
    font = QFont(painter.font())
    font.setPixelSize(round(box.height() * 0.62))
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(QColor("#1a1d21") if waiting else QColor(colours().text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, STATE_MARKS[state])
    painter.restore()


class QueueDelegate(QStyledItemDelegate):
    """Three lines a row; heights follow the font, so larger system fonts work."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: N802
        """One line of text, two of small text, and room around them."""
        lines = option.fontMetrics.height() + 2 * QFontMetrics(small_font(option.font)).height()
        return QSize(220, lines + 2 * GRID + 4)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row."""
        finding = index.data(FINDING_ROLE)
        model = index.model()
        if not isinstance(finding, Finding) or not isinstance(model, QueueModel):
            return
        scheme = colours()
        rect: QRect = option.rect
        font: QFont = option.font
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(scheme.selection))
            painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), QColor(scheme.accent))
        painter.setPen(QColor(scheme.line))
        painter.drawLine(rect.left() + GRID, rect.bottom(), rect.right() - GRID, rect.bottom())

        mark = QRect(rect.left() + GRID + 4, rect.top() + GRID, _MARK, _MARK)
        draw_mark(painter, mark, state_of(finding))

        left = mark.right() + GRID
        width = rect.right() - GRID - left
        bold = QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        small = small_font(font)
        y = rect.top() + GRID
        label = type_label(finding.type)
        text = masked(finding.text)
        # The text comes first, but leaves the type at least two fifths.
        text_width = min(QFontMetrics(bold).horizontalAdvance(text) + 2, width * 3 // 5)
        label_width = min(QFontMetrics(small).horizontalAdvance(label) + 2, width - text_width - GRID)
        height = QFontMetrics(bold).height()
        _line(painter, QRect(left, y, width - label_width - GRID, height), text, bold, scheme.text)
        right = QRect(left + width - label_width, y, label_width, height)
        _line(painter, right, label, small, scheme.muted, Qt.AlignmentFlag.AlignRight)
        y += height + 2
        height = QFontMetrics(small).height()
        where = place(finding, model.asset(finding.asset_id))
        _line(painter, QRect(left, y, width, height), where, small, scheme.muted)
        y += height + 2
        _line(painter, QRect(left, y, width, height), model.row_words(finding), small, scheme.text)
        painter.restore()


def _line(
    painter: QPainter,
    rect: QRect,
    text: str,
    font: QFont,
    colour: str,
    align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> None:
    painter.setFont(font)
    painter.setPen(QColor(colour))
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, align | Qt.AlignmentFlag.AlignVCenter, shown)

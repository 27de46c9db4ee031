"""The four decisions, always in the same place, and the row above them for frames or for typing."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFont, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QStyle,
    QStyleOptionButton,
    QVBoxLayout,
    QWidget,
)

from deidra.ui.theme import BOX_COLOURS, GRID, colours
from deidra.ui.words import BoxState

_KEYS = (
    ("accept", "A", "Accept", BoxState.REDACT),
    ("replace", "R", "Replace", BoxState.REPLACE),
    ("blank", "B", "Blank", BoxState.BLANK),
    ("keep", "K", "Keep", BoxState.KEEP),
)


class KeyButton(QPushButton):
    """A button that shows its key as a cap, with a stripe in the colour that its boxes get."""

    def __init__(self, key: str, text: str, state: BoxState, action: QAction) -> None:
        super().__init__()
        self._key, self._label, self._state = key, text, state
        self.setAccessibleName(f"{text}, key {key}")
        self.setToolTip(action.toolTip())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        # A click must not take the focus: Space would then press the button again on the next item.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(action.trigger)
        action.enabledChanged.connect(self.setEnabled)
        self.setEnabled(action.isEnabled())

    def sizeHint(self) -> QSize:  # noqa: N802
        """Room for cap and text."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._label) + 72, metrics.height() + 3 * GRID)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The style's button, then cap, text and stripe."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.style().drawControl(QStyle.ControlElement.CE_PushButtonBevel, option, painter, self)
        scheme = colours()
        ink = QColor(scheme.text if self.isEnabled() else scheme.muted)
        metrics = self.fontMetrics()
        cap = metrics.height() + 4
        total = cap + GRID + metrics.horizontalAdvance(self._label)
        left, top = (self.width() - total) // 2, (self.height() - cap) // 2 - 1
        box = QRect(left, top, cap, cap)
        painter.setPen(QPen(QColor(scheme.muted), 1.2))
        painter.setBrush(QColor(scheme.panel))
        painter.drawRoundedRect(box, 4, 4)
        font = QFont(self.font())
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(ink)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._key)
        painter.setFont(self.font())
        text = QRect(box.right() + GRID, 0, self.width(), self.height() - 2)
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._label)
        if self.isEnabled():
            stripe = QRect(12, self.height() - 6, self.width() - 24, 3)
            painter.fillRect(stripe, QColor(BOX_COLOURS[self._state]))
        painter.end()


class SurrogateField(QLineEdit):
    """The text of a replacement; Esc leaves without deciding."""

    cancelled = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Esc cancels."""
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)


class DecisionBar(QWidget):
    """Frame navigation or the replacement editor above, the decision buttons below.

    Both upper rows share one place of fixed height, so that the buttons never move.
    """

    replacement_typed = Signal(str)
    replacement_left = Signal()

    def __init__(self, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self.buttons = {name: KeyButton(key, text, state, actions[name]) for name, key, text, state in _KEYS}
        self.frames = QWidget()
        self.back = _frame_button("◀", "Frame before", actions["frame_back"])
        self.on = _frame_button("▶", "Frame after", actions["frame_on"])
        self.frame_label = QLabel()
        self.frame_label.setAccessibleName("Frame")
        self.frame_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.zoom_label = QLabel()
        self.zoom_label.setObjectName("muted")
        self.mode_label = QLabel()
        self.mode_label.setObjectName("mode")
        self.mode_label.setAccessibleName("What the image shows")
        self.mode_label.hide()
        self.zoom_label.setAccessibleName("Zoom")
        self.hint = QLabel("V: original   W: as released   F1: keys")
        self.hint.setObjectName("muted")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        # Hints give way in a narrow window; the controls beside them do not.
        self.hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._hint_text = self.hint.text()
        self.image_controls = QWidget()
        row = QHBoxLayout(self.image_controls)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        for widget in (self.back, self.frame_label, self.on, self.zoom_label, self.mode_label):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self.frames)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(self.image_controls)
        row.addWidget(self.hint, 1)

        self.editor = QWidget()
        self.field = SurrogateField()
        self.field.setAccessibleName("Replace with")
        self.editor_hint = QLabel()
        self.editor_hint.setObjectName("muted")
        row = QHBoxLayout(self.editor)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(QLabel("Replace with"))
        row.addWidget(self.field, 1)
        row.addWidget(self.editor_hint)
        self.field.returnPressed.connect(self._confirm)
        self.field.cancelled.connect(self.close_editor)

        self.upper = QStackedWidget()
        self.upper.addWidget(self.frames)
        self.upper.addWidget(self.editor)
        self.upper.setFixedHeight(self.field.sizeHint().height() + 2)
        lower = QHBoxLayout()
        lower.setSpacing(GRID)
        for button in self.buttons.values():
            lower.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.upper)
        layout.addLayout(lower)
        self.show_frame(0, 0, "frame")

    @property
    def is_editing(self) -> bool:
        """True while a replacement is being typed."""
        return self.upper.currentWidget() is self.editor

    def open_editor(self, proposal: str) -> None:
        """Ask for the text to write instead, starting from the proposal."""
        self.editor_hint.setText("Enter stores, Esc cancels")
        self.field.setText(proposal)
        self.field.selectAll()
        self.upper.setCurrentWidget(self.editor)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_editor(self) -> None:
        """Leave the editor without deciding."""
        if self.is_editing:
            self.upper.setCurrentWidget(self.frames)
            self.replacement_left.emit()

    def show_frame(self, index: int, count: int, word: str) -> None:
        """Say which frame or page is shown; ``index`` counts from 0, people from 1."""
        self.frame_label.setText(f"{word} {index + 1} / {count}" if count else "no image")
        several = count > 1
        self.back.setVisible(several)
        self.on.setVisible(several)
        self.back.setEnabled(index > 0)
        self.on.setEnabled(index < count - 1)

    def show_frame_controls(self, on: bool) -> None:
        """Hide what belongs to images while the header is in front."""
        self.image_controls.setVisible(on)

    def show_mode(self, text: str) -> None:
        """Say what the image is when it is not the original with boxes; on the image it would hide text."""
        self.mode_label.setText(text)
        self.mode_label.setVisible(bool(text))
        self._fit_hint()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show the hint only where all of it fits."""
        super().resizeEvent(event)
        self._fit_hint()

    def _fit_hint(self) -> None:
        needed = self.hint.fontMetrics().horizontalAdvance(self._hint_text) + 2 * GRID
        fits = self.width() - self.image_controls.sizeHint().width() >= needed
        self.hint.setText(self._hint_text if fits else "F1: all keys")

    def show_zoom(self, zoom: float) -> None:
        """Say how large the image is, in percent of its own pixels."""
        self.zoom_label.setText(f"zoom {zoom * 100:.0f} %")

    def _confirm(self) -> None:
        text = self.field.text().strip()
        if not text:
            self.editor_hint.setText("Type the text to write, or press Esc")
            return
        self.upper.setCurrentWidget(self.frames)
        self.replacement_typed.emit(text)


def _frame_button(text: str, name: str, action: QAction) -> QPushButton:
    button = QPushButton(text)
    button.setAccessibleName(name)
    button.setToolTip(action.toolTip())
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setMaximumWidth(44)
    button.clicked.connect(action.trigger)
    return button

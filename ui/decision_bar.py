"""The four decisions, always in the same place, and the row above them for frames or for typing."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFont, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPen, QResizeEvent
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
from deidra.ui.translation import later, share, tr
from deidra.ui.words import BoxState

_BUTTONS = (
    ("accept", later("Accept"), BoxState.REDACT),
    ("replace", later("Replace"), BoxState.REPLACE),
    ("blank", later("Blank"), BoxState.BLANK),
    ("keep", later("Keep"), BoxState.KEEP),
)


class KeyButton(QPushButton):
    """A button that shows its key as a cap, with a stripe in the colour that its boxes get."""

    def __init__(self, text: str, state: BoxState, action: QAction) -> None:
        super().__init__()
        self._label, self._state, self._action = text, state, action
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        # A click must not take the focus: Space would then press the button again on the next item.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        """Take key and state of the command, which may be given another key."""
        self._key = key_text(self._action)
        name = tr("{command}, key {key}", command=self._label, key=self._key) if self._key else self._label
        self.setAccessibleName(name)
        self.setToolTip(self._action.toolTip())
        self.setEnabled(self._action.isEnabled())
        self.update()

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
        cap = max(metrics.height() + 4, metrics.horizontalAdvance(self._key) + GRID) if self._key else 0
        tall = metrics.height() + 4
        total = cap + GRID + metrics.horizontalAdvance(self._label)
        left, top = (self.width() - total) // 2, (self.height() - tall) // 2 - 1
        box = QRect(left, top, cap, tall)
        painter.setPen(QPen(QColor(scheme.muted), 1.2))
        painter.setBrush(QColor(scheme.panel))
        if self._key:
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
    replacement_tried = Signal(object)
    """The text as it is being typed; None when the editor is left."""

    def __init__(self, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self.buttons = {name: KeyButton(tr(text), state, actions[name]) for name, text, state in _BUTTONS}
        self.frames = QWidget()
        self.back = _frame_button("◀", tr("Frame before"), actions["frame_back"])
        self.on = _frame_button("▶", tr("Frame after"), actions["frame_on"])
        self.frame_label = QLabel()
        self.frame_label.setAccessibleName(tr("Frame"))
        self.frame_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.play = QPushButton(tr("Play"))
        self.play.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.play.setToolTip(actions["play"].toolTip())
        self.play.clicked.connect(actions["play"].trigger)
        # Wide enough for both of its words, so that nothing moves.
        widest = max(map(self.play.fontMetrics().horizontalAdvance, (tr("Play"), tr("Pause"))))
        self.play.setFixedWidth(widest + 32)
        self.contrast_label = QLabel()
        self.contrast_label.setObjectName("muted")
        self.contrast_label.setAccessibleName(tr("Window and level"))
        self.contrast_label.setToolTip(tr("Width and centre of the grey values shown. Drag with the right button."))
        self.zoom_label = QLabel()
        self.zoom_label.setObjectName("muted")
        self.mode_label = QLabel()
        self.mode_label.setObjectName("mode")
        self.mode_label.setAccessibleName(tr("What the image shows"))
        self.mode_label.hide()
        self.zoom_label.setAccessibleName(tr("Zoom"))
        self._hint_actions = (
            (actions["peek"], tr("original")),
            (actions["wipe"], tr("before and after")),
            (actions["draw"], tr("draw")),
            (actions["keys"], tr("keys")),
        )
        self.hint = QLabel(self._hint_text())
        self.hint.setObjectName("muted")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        # Hints give way in a narrow window; the controls beside them do not.
        self.hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        for action, _words in self._hint_actions:
            action.changed.connect(self._fit_hint)
        self.image_controls = QWidget()
        row = QHBoxLayout(self.image_controls)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        parts = (self.back, self.frame_label, self.on, self.play, self.zoom_label, self.contrast_label, self.mode_label)
        for widget in parts:
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self.frames)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(self.image_controls)
        row.addWidget(self.hint, 1)

        self.editor = QWidget()
        self.field = SurrogateField()
        self.field.setAccessibleName(tr("Replace with"))
        self.editor_hint = QLabel()
        self.editor_hint.setObjectName("muted")
        row = QHBoxLayout(self.editor)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(QLabel(tr("Replace with")))
        row.addWidget(self.field, 1)
        row.addWidget(self.editor_hint)
        self.field.returnPressed.connect(self._confirm)
        self.field.cancelled.connect(self.close_editor)
        self.field.textChanged.connect(self._try)

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
        self.show_frame(0, 0)

    @property
    def is_editing(self) -> bool:
        """True while a replacement is being typed."""
        return self.upper.currentWidget() is self.editor

    def open_editor(self, proposal: str) -> None:
        """Ask for the text to write instead, starting from the proposal."""
        self.editor_hint.setText(tr("Enter stores, Esc cancels"))
        self.field.setText(proposal)
        self.field.selectAll()
        self.upper.setCurrentWidget(self.editor)
        self._try(proposal)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_editor(self) -> None:
        """Leave the editor without deciding."""
        if self.is_editing:
            self.upper.setCurrentWidget(self.frames)
            self.replacement_tried.emit(None)
            self.replacement_left.emit()

    def _try(self, text: str) -> None:
        if self.is_editing:
            self.replacement_tried.emit(text.strip())

    def show_frame(self, index: int, count: int, is_page: bool = False) -> None:
        """Say which frame or page is shown; ``index`` counts from 0, people from 1."""
        fields = {"number": index + 1, "count": count}
        words = tr("page {number} / {count}", **fields) if is_page else tr("frame {number} / {count}", **fields)
        self.frame_label.setText(words if count else tr("no image"))
        several = count > 1
        self.back.setVisible(several)
        self.on.setVisible(several)
        self.play.setVisible(several)
        self.back.setEnabled(index > 0)
        self.on.setEnabled(index < count - 1)

    def show_playing(self, on: bool) -> None:
        """Say what a press of the play button does."""
        self.play.setText(tr("Pause") if on else tr("Play"))

    def show_contrast(self, text: str) -> None:
        """Say which window the image is shown through; empty where it has none."""
        self.contrast_label.setText(text)
        self.contrast_label.setVisible(bool(text))
        self._fit_hint()

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
        text = self._hint_text()
        room = self.width() - self.image_controls.sizeHint().width() - 2 * GRID
        width = self.hint.fontMetrics().horizontalAdvance
        short = tr("{key}: all keys", key=key_text(self._hint_actions[-1][0]))
        self.hint.setText(text if width(text) <= room else short if width(short) <= room else "")

    def _hint_text(self) -> str:
        return "   ".join(f"{key_text(action)}: {words}" for action, words in self._hint_actions if key_text(action))

    def show_zoom(self, zoom: float) -> None:
        """Say how large the image is, in percent of its own pixels."""
        self.zoom_label.setText(tr("zoom {percent}", percent=share(zoom)))

    def _confirm(self) -> None:
        text = self.field.text().strip()
        if not text:
            self.editor_hint.setText(tr("Type the text to write, or press Esc"))
            return
        self.upper.setCurrentWidget(self.frames)
        self.replacement_tried.emit(None)
        self.replacement_typed.emit(text)


def key_text(action: QAction) -> str:
    """The first key of a command, as it is called on this system; empty where it has none."""
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def _frame_button(text: str, name: str, action: QAction) -> QPushButton:
    button = QPushButton(text)
    button.setAccessibleName(name)
    button.setToolTip(action.toolTip())
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setMaximumWidth(44)
    button.clicked.connect(action.trigger)
    return button

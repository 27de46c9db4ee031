"""Why a curator decided: a reason in one word and a note."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from deidra.app.domain.model import NO_REMARK, ReasonCode, Remark
from deidra.ui.theme import GRID
from deidra.ui.words import REASON_WORDS


class RemarkFields(QWidget):
    """The remark of one finding. It is told when a reason is chosen, and when the note is left with Enter or Tab."""

    changed = Signal(object)
    """The Remark."""

    def __init__(self) -> None:
        super().__init__()
        self._of = ""
        self._remark = NO_REMARK
        self.code = QComboBox()
        self.code.setAccessibleName("Reason")
        self.code.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        for code, words in REASON_WORDS.items():
            self.code.addItem(words, code)
        self.note = QLineEdit()
        self.note.setAccessibleName("Note")
        self.note.setPlaceholderText("Note: stays in the project, is never released")
        self.note.setToolTip(self.note.placeholderText())
        self.note.setMaxLength(1000)
        self.code.activated.connect(self._take)
        self.note.editingFinished.connect(self._take)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.code)
        layout.addWidget(self.note)

    def show_remark(self, finding_id: str, remark: Remark) -> None:
        """Show the remark of a finding; what is being typed about the same one stays."""
        typing = self.note.hasFocus() and finding_id == self._of and remark.note == self._remark.note
        self._of, self._remark = finding_id, remark
        self.code.setCurrentIndex(self.code.findData(remark.code))
        if not typing:
            self.note.setText(remark.note)

    def _take(self) -> None:
        made = replace(self._remark, note=self.note.text().strip(), code=ReasonCode(self.code.currentData()))
        if made != self._remark:
            self._remark = made
            self.changed.emit(made)

"""Why a curator decided: a reason in one word and a note; and what one box is filled with."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from deidra.app.domain.model import NO_REMARK, ReasonCode, Remark
from deidra.ui.theme import GRID
from deidra.ui.translation import tr
from deidra.ui.words import FILL_WORDS, REASON_WORDS


class RemarkFields(QWidget):
    """The remark of one finding. It is told when a reason is chosen, and when the note is left with Enter or Tab."""

    changed = Signal(object)
    """The Remark."""

    def __init__(self) -> None:
        super().__init__()
        self._of = ""
        self._remark = NO_REMARK
        self.code = QComboBox()
        self.code.setAccessibleName(tr("Reason"))
        self.code.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        for code, words in REASON_WORDS.items():
            self.code.addItem(tr(words), code)
        self.fill = QComboBox()
        self.fill.setAccessibleName(tr("Fill of this box"))
        self.fill.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.fill.addItem(tr("Fill: as the policy says"), "")
        for fill, words in FILL_WORDS.items():
            self.fill.addItem(tr("Fill: {fill}", fill=tr(words)), fill.value)
        self.note = QLineEdit()
        self.note.setAccessibleName(tr("Note"))
        self.note.setPlaceholderText(tr("Note: stays in the project, is never released"))
        self.note.setToolTip(self.note.placeholderText())
        self.note.setMaxLength(1000)
        self.code.activated.connect(self._take)
        self.fill.activated.connect(self._take)
        self.note.editingFinished.connect(self._take)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.code)
        layout.addWidget(self.note)
        layout.addWidget(self.fill)

    def show_remark(self, finding_id: str, remark: Remark, has_box: bool = True) -> None:
        """Show the remark of a finding; what is being typed about the same one stays."""
        self.fill.setVisible(has_box)
        self.fill.setCurrentIndex(max(0, self.fill.findData(remark.fill)))
        typing = self.note.hasFocus() and finding_id == self._of and remark.note == self._remark.note
        self._of, self._remark = finding_id, remark
        self.code.setCurrentIndex(self.code.findData(remark.code))
        if not typing:
            self.note.setText(remark.note)

    def _take(self) -> None:
        code, fill = ReasonCode(self.code.currentData()), str(self.fill.currentData())
        made = replace(self._remark, note=self.note.text().strip(), code=code, fill=fill)
        if made != self._remark:
            self._remark = made
            self.changed.emit(made)

"""A device rule as a form: for which images it is, and where on them text is printed."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from deidra.app.decide.editing import device_rule
from deidra.app.detect.devices import DeviceAction, DeviceRule
from deidra.app.domain.errors import PolicyError
from deidra.ui.faults import error_words
from deidra.ui.marked import Marked
from deidra.ui.theme import GRID
from deidra.ui.translation import later, tr

_ACTIONS = {
    DeviceAction.COVER: later("Cover the boxes always"),
    DeviceAction.SEARCH: later("Take text in the boxes for more surely private"),
}
_TEXTS = (
    ("manufacturer", later("Manufacturer"), later("part of it, * and ? as in file names")),
    ("model", later("Model"), later("part of it, * and ? as in file names")),
    ("modality", later("Modality"), later("all of it: US")),
    ("sop_class", later("SOP class UID"), "1.2.840.10008.5.1.4.1.1.6.1"),
    ("rows", later("Rows"), "480"),
    ("columns", later("Columns"), "640"),
)
_SIZES = ("rows", "columns")


class DeviceDialog(QDialog):
    """Asks for a rule; boxes can be taken over from the review."""

    ruled = Signal(object)
    """The DeviceRule."""

    def __init__(self, parent: QWidget, marked: Marked | None, rule: DeviceRule | None = None) -> None:
        super().__init__(parent)
        self._marked = marked
        self._source = rule.source if rule else ""
        self.setWindowTitle(tr("Edit a device rule") if rule else tr("Add a device rule"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.name = QLineEdit()
        self.name.setAccessibleName(tr("Name of the rule"))
        self.name.setPlaceholderText(tr("banner of Echo 9"))
        self.fields: dict[str, QLineEdit] = {}
        form = QFormLayout()
        form.setSpacing(GRID)
        form.addRow(tr("Name"), self.name)
        for key, words, hint in _TEXTS:
            field = QLineEdit()
            field.setAccessibleName(tr(words))
            field.setPlaceholderText(tr(hint))
            self.fields[key] = field
            form.addRow(tr(words), field)
        self.action = QComboBox()
        self.action.setAccessibleName(tr("Action"))
        for action, words in _ACTIONS.items():
            self.action.addItem(tr(words), action.value)
        form.addRow(tr("Action"), self.action)
        self.boxes = QPlainTextEdit()
        self.boxes.setAccessibleName(tr("Boxes"))
        self.boxes.setPlaceholderText(tr("x, y, width, height in pixels from the top left corner; one box a line"))
        self.boxes.setTabChangesFocus(True)
        self.boxes.setFixedHeight(5 * self.boxes.fontMetrics().height())
        form.addRow(tr("Boxes"), self.boxes)
        self.take = QPushButton(tr("Take the box that is selected in the review"))
        self.take.setAutoDefault(False)
        self.take.setEnabled(marked is not None)
        self.take.setToolTip("" if marked else tr("Select an item on an image on the Review page first."))
        self.take.clicked.connect(self._take)
        form.addRow("", self.take)
        self.fault = QLabel()
        self.fault.setObjectName("warning")
        self.fault.setAccessibleName(tr("What is missing"))
        self.fault.setWordWrap(True)
        buttons = QDialogButtonBox()
        self.store = buttons.addButton(tr("Save") if rule else tr("Add"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.store.setObjectName("primary")
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addLayout(form)
        layout.addWidget(self.fault)
        layout.addStretch(1)
        layout.addWidget(buttons)
        self.setMinimumWidth(560)
        if rule is not None:
            self._fill(rule)

    def _fill(self, rule: DeviceRule) -> None:
        self.name.setText(rule.name)
        for key, value in rule.selectors.items():
            self.fields[key].setText(str(value))
        self.action.setCurrentIndex(self.action.findData(rule.action.value))
        self.boxes.setPlainText("\n".join(", ".join(map(str, box)) for box in rule.boxes))

    def _take(self) -> None:
        """The selected box, and where nothing is filled in, the machine of its image."""
        if self._marked is None:
            return
        left, top, right, bottom = self._marked.box
        line = f"{max(left, 0)}, {max(top, 0)}, {right - max(left, 0)}, {bottom - max(top, 0)}"
        self.boxes.setPlainText("\n".join([*self.boxes.toPlainText().splitlines(), line]))
        if any(field.text().strip() for field in self.fields.values()):
            return
        for key in ("manufacturer", "model", "modality", *_SIZES):
            value = self._marked.device.get(key)
            self.fields[key].setText(str(value) if value else "")

    def _accept(self) -> None:
        try:
            rule = device_rule(self._values())
        except PolicyError as error:
            self.fault.setText(error_words(error)[0])
            return
        self.ruled.emit(rule)
        self.accept()

    def _values(self) -> dict[str, Any]:
        values: dict[str, Any] = {key: field.text().strip() for key, field in self.fields.items()}
        for key in _SIZES:
            # What is no number stays text, which the rule refuses by name.
            values[key] = int(values[key]) if values[key].isdecimal() else values[key]
        values |= {"name": self.name.text().strip(), "action": self.action.currentData(), "source": self._source}
        lines = [line for line in self.boxes.toPlainText().splitlines() if line.strip()]
        values["boxes"] = [[int(part) for part in re.findall(r"-?\d+", line)] for line in lines]
        return values

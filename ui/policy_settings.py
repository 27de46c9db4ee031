"""The settings of a policy that people change most, as a form."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QFrame,
    QGroupBox,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from deidra.app.decide.editing import changed, types_of, with_preset, with_type
from deidra.app.decide.policy import PRESETS, DocumentFormat, Shape
from deidra.app.domain.taxonomy import EntityType
from deidra.ui.operations import Operations
from deidra.ui.policy_draft import PolicyDraft
from deidra.ui.second_settings import SecondSettings
from deidra.ui.theme import GRID
from deidra.ui.thresholds import Thresholds
from deidra.ui.translation import later, tr
from deidra.ui.words import FILL_WORDS

PRESET_WORDS = {
    "basic": later("Basic profile of DICOM"),
    "tcia": later("Public archive (TCIA)"),
    "safe-harbor": later("HIPAA Safe Harbor"),
    "limited": later("HIPAA limited data set"),
    "gdpr": later("GDPR, sparing"),
    "documents": later("Scanned forms and letters"),
}
_SHAPES = {Shape.POLYGON: later("along sloping text"), Shape.BOX: later("upright boxes")}
_DOCUMENTS = {
    DocumentFormat.SAME: later("the same kind of file"),
    DocumentFormat.PDF: "PDF",
    DocumentFormat.TIFF: "TIFF",
    DocumentFormat.PNG: later("PNG (TIFF where there are several pages)"),
}
_KIND = Qt.ItemDataRole.UserRole


class PolicySettings(QScrollArea):
    """Preset, types, thresholds and output. Every change goes to the draft at once, none into force."""

    def __init__(self, draft: PolicyDraft, operations: Operations) -> None:
        super().__init__()
        self._draft = draft
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.thresholds = Thresholds(draft, operations)
        self.second = SecondSettings(draft)
        body = QWidget()
        body.setObjectName("clear")
        columns = QHBoxLayout(body)
        columns.setContentsMargins(0, GRID, GRID, 0)
        columns.setSpacing(2 * GRID)
        columns.addWidget(self._private(), 1)
        right = QVBoxLayout()
        right.setSpacing(2 * GRID)
        right.addWidget(_group(tr("When Deidra acts alone"), self.thresholds))
        right.addWidget(self._output())
        right.addWidget(self.second)
        right.addStretch(1)
        columns.addLayout(right, 1)
        self.setWidget(body)
        self.viewport().setAutoFillBackground(False)
        self.setFocusProxy(self.preset)
        draft.changed.connect(self.refresh)
        self.refresh()

    def _private(self) -> QGroupBox:
        self.preset = QComboBox()
        self.preset.setAccessibleName(tr("Start from a preset"))
        self.preset.setToolTip(
            tr("Takes all settings of a preset; own types, device rules and the second reader stay.")
        )
        for name in PRESETS:
            self.preset.addItem(tr(PRESET_WORDS[name]), name)
        self.preset.activated.connect(self._choose_preset)
        self.only = QLineEdit()
        self.only.setAccessibleName(tr("Only these are private"))
        self.only.setPlaceholderText(tr("every type that is ticked below"))
        self.only.setToolTip(
            tr("A sentence: names, dates of birth and passport numbers. Nothing else is private then.")
        )
        self.only.editingFinished.connect(self._take_sentence)
        self.types = QListWidget()
        self.types.setAccessibleName(tr("Types that are private"))
        self.types.setToolTip(tr("Space switches the selected type on or off"))
        self.types.itemChanged.connect(self._switch)
        group = QGroupBox(tr("What is private"))
        form = QFormLayout(group)
        form.setContentsMargins(GRID, 2 * GRID, GRID, GRID)
        form.setSpacing(GRID)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.addRow(tr("Preset"), self.preset)
        form.addRow(tr("Only"), self.only)
        form.addRow(self.types)
        self.types.setMinimumHeight(12 * (self.fontMetrics().height() + GRID // 2))
        return group

    def _output(self) -> QGroupBox:
        self.fill = _choice(tr("Fill of covered places"), FILL_WORDS.items())
        self.shape = _choice(tr("Shape of covered places"), _SHAPES.items())
        self.documents = _choice(tr("Documents are written as"), _DOCUMENTS.items())
        self.surrogates = QCheckBox(tr("Write made-up values into covered places"))
        self.vector = QCheckBox(tr("Keep PDF pages as text where nothing is covered"))
        for combo, key in ((self.fill, "fill"), (self.shape, "shape"), (self.documents, "documents")):
            combo.activated.connect(lambda _row, combo=combo, key=key: self._redact(key, combo.currentData()))
        for box, key in ((self.surrogates, "surrogates"), (self.vector, "vector")):
            box.clicked.connect(lambda on, key=key: self._redact(key, on))
        group = QGroupBox(tr("What is written"))
        form = QFormLayout(group)
        form.setContentsMargins(GRID, 2 * GRID, GRID, GRID)
        form.setSpacing(GRID)
        form.addRow(tr("Fill with"), self.fill)
        form.addRow(tr("Cover"), self.shape)
        form.addRow(tr("Write documents as"), self.documents)
        form.addRow(self.surrogates)
        form.addRow(self.vector)
        return group

    def _redact(self, key: str, value: object) -> None:
        self._draft.edit(lambda policy: changed(policy, "redact", **{key: value}))

    def _choose_preset(self, row: int) -> None:
        name = str(self.preset.itemData(row))
        self._draft.edit(lambda policy: with_preset(policy, name))

    def _take_sentence(self) -> None:
        text = " ".join(self.only.text().split())
        if text != self._draft.policy.detect.only:
            self._draft.edit(lambda policy: changed(policy, "detect", only=text))

    def _switch(self, item: QListWidgetItem) -> None:
        kind = EntityType(item.data(_KIND))
        self._draft.edit(lambda policy: with_type(policy, kind, item.checkState() is Qt.CheckState.Checked))

    def show_second_reader(self) -> None:
        """Bring the choice of a second reader into sight and give it the keyboard."""
        self.ensureWidgetVisible(self.second)
        self.second.mode.setFocus()

    def refresh(self) -> None:
        """Show the edited policy."""
        policy = self._draft.policy
        row = self.preset.findData(policy.name)
        self.preset.setCurrentIndex(row)
        self.preset.setPlaceholderText(policy.name)
        self.only.setText(policy.detect.only)
        self._show_types()
        for combo, value in (
            (self.fill, policy.redact.fill),
            (self.shape, policy.redact.shape),
            (self.documents, policy.redact.documents),
        ):
            combo.setCurrentIndex(combo.findData(value.value))
        self.surrogates.setChecked(policy.redact.surrogates)
        self.vector.setChecked(policy.redact.vector)

    def _show_types(self) -> None:
        policy = self._draft.policy
        self.types.blockSignals(True)
        told = types_of(policy)
        while self.types.count() < len(told):
            self.types.addItem(QListWidgetItem())
        for row, (kind, words, private) in enumerate(told):
            item = self.types.item(row)
            item.setData(_KIND, kind.value)
            item.setText(f"{tr(words)}   · {tr('risk {risk}', risk=policy.risk_of(kind))}")
            flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
            # With a sentence the types follow from its words.
            item.setFlags(flags if policy.detect.only else flags | Qt.ItemFlag.ItemIsEnabled)
            item.setCheckState(Qt.CheckState.Checked if private else Qt.CheckState.Unchecked)
        self.types.blockSignals(False)
        self.types.viewport().update()


def _group(title: str, inside: QWidget) -> QGroupBox:
    group = QGroupBox(title)
    layout = QVBoxLayout(group)
    layout.setContentsMargins(GRID, 2 * GRID, GRID, GRID)
    layout.addWidget(inside)
    return group


def _choice(name: str, entries: Iterable[tuple[StrEnum, str]]) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    for value, words in entries:
        # Qt hands a StrEnum back as a plain string.
        combo.addItem(tr(words), value.value)
    return combo

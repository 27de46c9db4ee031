"""How curators work, as a part of the policy's form: which items a second one reads."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFormLayout, QGroupBox, QListWidget, QListWidgetItem, QWidget

from deidra.app.decide.editing import changed
from deidra.app.decide.second import SecondReader, Strata
from deidra.app.domain.taxonomy import EntityType
from deidra.ui.fields import NumberField
from deidra.ui.policy_draft import PolicyDraft
from deidra.ui.theme import GRID
from deidra.ui.translation import later, tr
from deidra.ui.words import type_label

_MODES = {
    SecondReader.OFF: later("nobody"),
    SecondReader.SAMPLE: later("a second curator, a sample"),
    SecondReader.TYPES: later("a second curator, all of some types"),
}
_STRATA = {
    Strata.TYPE: later("of each type"),
    Strata.RISK: later("of each third of the risk"),
    Strata.NONE: later("of all items"),
}
_KIND = Qt.ItemDataRole.UserRole


class SecondSettings(QGroupBox):
    """Second reader and decoys. Fields that the choice does not use are hidden; every change goes to the draft."""

    def __init__(self, draft: PolicyDraft) -> None:
        super().__init__(tr("How curators are checked"))
        self._draft = draft
        self.mode = _choice(tr("Who reads decided items again"), _MODES)
        self.mode.setToolTip(tr("Without sight of the first decision. A release waits until differences are settled."))
        self.share = NumberField(tr("Share that is read again, in percent"), 1, 100)
        self.strata = _choice(tr("What the share is taken of"), _STRATA)
        self.seed = NumberField(tr("Seed of sample and decoys"), 0, 999_999)
        self.seed.setToolTip(tr("Another number draws other items and makes other decoys (0 to 999999)"))
        self.decoys = NumberField(tr("Decoys, in percent of what is asked about"), 0, 50)
        self.decoys.setToolTip(
            tr(
                "Made-up private values of headers, to see how many a curator notices. "
                "They are in no release (0 to 50)."
            )
        )
        self.readers = NumberField(tr("Curators for each of these items"), 2, 9)
        self.readers.setToolTip(tr("The first one is counted (2 to 9)"))
        self.types = QListWidget()
        self.types.setAccessibleName(tr("Types that are read again"))
        self.types.setToolTip(tr("Space switches the selected type on or off"))
        self.types.setMinimumHeight(6 * (self.fontMetrics().height() + GRID // 2))
        for kind in EntityType:
            item = QListWidgetItem(type_label(kind))
            item.setData(_KIND, kind.value)
            item.setCheckState(Qt.CheckState.Unchecked)
            self.types.addItem(item)
        self.form = QFormLayout(self)
        self.form.setContentsMargins(GRID, 2 * GRID, GRID, GRID)
        self.form.setSpacing(GRID)
        self._rows: tuple[tuple[QWidget, str, tuple[SecondReader, ...]], ...] = (
            (self.mode, tr("Read again by"), tuple(SecondReader)),
            (self.share, tr("Percent"), (SecondReader.SAMPLE,)),
            (self.strata, tr("Taken"), (SecondReader.SAMPLE,)),
            (self.types, tr("Types"), (SecondReader.TYPES,)),
            (self.readers, tr("Curators in all"), (SecondReader.SAMPLE, SecondReader.TYPES)),
            (self.decoys, tr("Decoys, percent"), tuple(SecondReader)),
            (self.seed, tr("Seed"), tuple(SecondReader)),
        )
        for part, words, _modes in self._rows:
            self.form.addRow(words, part)
        self.mode.activated.connect(lambda: self._take(second_reader=self.mode.currentData()))
        self.strata.activated.connect(lambda: self._take(strata=self.strata.currentData()))
        self.share.chosen.connect(lambda number: self._take(share=number / 100))
        self.decoys.chosen.connect(lambda number: self._take(decoys=number / 100))
        self.seed.chosen.connect(lambda number: self._take(seed=number))
        self.readers.chosen.connect(lambda number: self._take(readers=number))
        self.types.itemChanged.connect(lambda _item: self._take(types=self._ticked()))
        draft.changed.connect(self.refresh)
        self.refresh()

    def _take(self, **values: object) -> None:
        self._draft.edit(lambda policy: changed(policy, "review", **values))

    def _ticked(self) -> list[str]:
        items = [self.types.item(row) for row in range(self.types.count())]
        return [item.data(_KIND) for item in items if item.checkState() is Qt.CheckState.Checked]

    def refresh(self) -> None:
        """Show the edited policy."""
        wanted = self._draft.policy.review
        self.mode.setCurrentIndex(self.mode.findData(wanted.second_reader.value))
        self.strata.setCurrentIndex(self.strata.findData(wanted.strata.value))
        self.share.show_number(max(1, round(wanted.share * 100)))
        self.seed.show_number(wanted.seed)
        self.decoys.show_number(round(wanted.decoys * 100))
        self.readers.show_number(wanted.readers)
        self.types.blockSignals(True)
        for row in range(self.types.count()):
            item = self.types.item(row)
            on = EntityType(item.data(_KIND)) in wanted.types
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
        self.types.blockSignals(False)
        for part, _words, modes in self._rows:
            self.form.setRowVisible(part, wanted.second_reader in modes)
        drawn = wanted.second_reader is SecondReader.SAMPLE or wanted.decoys > 0
        self.form.setRowVisible(self.seed, drawn)


def _choice(name: str, entries: dict[SecondReader, str] | dict[Strata, str]) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    for value, words in entries.items():
        combo.addItem(tr(words), value.value)
    return combo

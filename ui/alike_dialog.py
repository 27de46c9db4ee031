"""What would be decided together, shown before it is: one row an item, each of which can be left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from deidra.app.domain.model import Asset, DecisionKind
from deidra.app.review.alike import SAME_TEXT, Alike
from deidra.ui.theme import GRID, title_font
from deidra.ui.translation import later, tr, trn
from deidra.ui.words import place, proposal_text, type_label

_TITLES = {
    DecisionKind.ACCEPT: later("Accept what is proposed for these items?"),
    DecisionKind.REPLACE: later("Replace these items?"),
    DecisionKind.BLANK: later("Blank these items?"),
    DecisionKind.KEEP: later("Keep these items as they are?"),
}


class AlikeDialog(QDialog):
    """Asks for one decision on several items; Enter decides, Esc leaves all as it is."""

    chosen = Signal(object)
    """Ids of the items to decide on, in the order shown."""

    def __init__(
        self, parent: QWidget, kind: DecisionKind, items: Sequence[Alike], asset: Callable[[str], Asset | None]
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Decide together"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._kind, self._items = kind, list(items)
        title = QLabel(tr(_TITLES[kind]))
        title.setFont(title_font(title.font()))
        self.advice = QLabel(_advice(kind))
        self.advice.setObjectName("muted")
        self.advice.setWordWrap(True)
        self.advice.setVisible(bool(self.advice.text()))
        self.table = QTableWidget(len(self._items), 5)
        self.table.setAccessibleName(tr("Items that are alike; Space takes one out"))
        self.table.setHorizontalHeaderLabels([tr("Text"), tr("Type"), tr("Place"), tr("Alike by"), tr("What happens")])
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        for row, item in enumerate(self._items):
            self._show_row(row, item, asset(item.finding.asset_id))
        for column, width in enumerate((220, 150, 190, 200)):
            self.table.setColumnWidth(column, width)
        cancel = QPushButton(tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self.decide = QPushButton()
        self.decide.setObjectName("primary")
        self.decide.setDefault(True)
        self.decide.clicked.connect(self._choose)
        buttons = QHBoxLayout()
        buttons.setSpacing(GRID)
        buttons.addStretch()
        buttons.addWidget(cancel)
        buttons.addWidget(self.decide)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(title)
        layout.addWidget(self.advice)
        layout.addWidget(self.table, 1)
        layout.addLayout(buttons)
        self.table.itemChanged.connect(self._count)
        self._count()
        self.table.setFocus()
        self.resize(980, 520)

    def _show_row(self, row: int, item: Alike, asset: Asset | None) -> None:
        finding = item.finding
        possible = self._kind is not DecisionKind.REPLACE or bool(finding.proposal)
        what = _happens(self._kind, item) if possible else tr("nothing: there is no surrogate")
        cells = (
            finding.text or tr("(no text)"),
            type_label(finding.type),
            place(finding, asset),
            tr(item.why) or tr("this item"),
            what,
        )
        for column, text in enumerate(cells):
            cell = QTableWidgetItem(text)
            flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
            if column == 0 and possible:
                cell.setFlags(flags | Qt.ItemFlag.ItemIsUserCheckable)
                # What stays is readable for everybody: other texts are left out unless somebody takes them in.
                alone = self._kind is DecisionKind.KEEP and item.why not in ("", SAME_TEXT)
                cell.setCheckState(Qt.CheckState.Unchecked if alone else Qt.CheckState.Checked)
            else:
                cell.setFlags(flags)
            self.table.setItem(row, column, cell)

    @property
    def ids(self) -> list[str]:
        """Ids of the items that are ticked."""
        cells = [self.table.item(row, 0) for row in range(len(self._items))]
        return [
            item.finding.id
            for item, cell in zip(self._items, cells, strict=True)
            if cell is not None
            and cell.flags() & Qt.ItemFlag.ItemIsUserCheckable
            and cell.checkState() is Qt.CheckState.Checked
        ]

    def _count(self) -> None:
        count = len(self.ids)
        self.decide.setText(_button_words(self._kind, count))
        self.decide.setEnabled(count > 0)

    def _choose(self) -> None:
        self.chosen.emit(self.ids)
        self.accept()


def _button_words(kind: DecisionKind, count: int) -> str:
    if kind is DecisionKind.ACCEPT:
        return trn("Accept {count} item", "Accept {count} items", count)
    if kind is DecisionKind.REPLACE:
        return trn("Replace {count} item", "Replace {count} items", count)
    if kind is DecisionKind.BLANK:
        return trn("Blank {count} item", "Blank {count} items", count)
    return trn("Keep {count} item", "Keep {count} items", count)


def _advice(kind: DecisionKind) -> str:
    if kind is DecisionKind.KEEP:
        return tr("Items with another text at the same place are not ticked: look at each before you keep it.")
    return ""


def _happens(kind: DecisionKind, item: Alike) -> str:
    if kind is DecisionKind.ACCEPT:
        return proposal_text(item.finding)
    if kind is DecisionKind.REPLACE:
        return tr("replaced with {text}", text=item.finding.proposal)
    return tr("blanked") if kind is DecisionKind.BLANK else tr("kept as it is")

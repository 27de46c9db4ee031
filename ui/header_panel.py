"""The header of a file, value by value: before, after, what is done and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QStackedWidget, QTableView

from deidra.app.domain.model import Finding
from deidra.ui.reasons import reason_words
from deidra.ui.theme import BOX_COLOURS, colours
from deidra.ui.translation import later, tr
from deidra.ui.words import BoxState

if TYPE_CHECKING:
    from deidra.app.workflow import HeaderRow

_COLUMNS = (later("Tag"), later("Name"), later("VR"), later("Before"), later("After"), later("Action"), later("Reason"))
_WIDTHS = (92, 136, 36, 144, 136, 68, 90)
_BEFORE, _AFTER = 3, 4
_ANY_INDEX = QModelIndex | QPersistentModelIndex


def with_decoys(rows: Sequence[HeaderRow], decoys: Sequence[Finding]) -> list[HeaderRow]:
    """A header's rows with those of decoys at their places, so that a decoy looks like any other item."""
    # Off the GUI thread, and loaded there: the dictionary of DICOM would hold up the window.
    from pydicom.datadict import dictionary_VR, keyword_for_tag
    from pydicom.tag import Tag

    from deidra.app.redact.plan import overrides

    words = overrides(decoys, accept_pending=True)
    shown = list(rows)
    for decoy in decoys if shown else ():
        tag = Tag(str(decoy.tag).strip("()").replace(",", ""))
        place = next((number for number, row in enumerate(shown) if row.tag > str(decoy.tag)), len(shown))
        made = replace(
            shown[0],
            tag=str(decoy.tag),
            keyword=keyword_for_tag(tag),
            vr=dictionary_VR(tag),
            before=decoy.text,
            after=words[str(decoy.tag)].text,
            action=words[str(decoy.tag)].kind.value,
            reason=words[str(decoy.tag)].reason,
            finding_id=decoy.id,
        )
        shown.insert(place, made)
    return shown


class HeaderModel(QAbstractTableModel):
    """Header rows, one of them marked as the finding under review. Rows count from 0."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[HeaderRow] = []
        self._marked = -1

    def show(self, rows: Sequence[HeaderRow]) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self._rows = list(rows)
        self._marked = -1
        self.endResetModel()

    def row(self, number: int) -> HeaderRow | None:
        """One row."""
        return self._rows[number] if 0 <= number < len(self._rows) else None

    def mark(self, finding: Finding | None) -> int:
        """Highlight the row of a finding; returns its number or -1."""
        self._marked = -1
        if finding is not None:
            matches = (
                number
                for number, row in enumerate(self._rows)
                if row.finding_id == finding.id or (finding.tag is not None and row.tag == finding.tag)
            )
            self._marked = next(matches, -1)
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(_COLUMNS) - 1))
        return self._marked

    def rowCount(self, parent: _ANY_INDEX = QModelIndex()) -> int:  # noqa: N802, B008
        """Header values."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _ANY_INDEX = QModelIndex()) -> int:  # noqa: N802, B008
        """Always the same seven."""
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:  # noqa: N802
        """Column titles."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return tr(_COLUMNS[section])
        return None

    def data(self, index: _ANY_INDEX, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts, with changed and removed values set apart by weight and style as well as colour."""
        row = self.row(index.row())
        if row is None:
            return None
        column = index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return _cells(row)[column]
        if role == Qt.ItemDataRole.BackgroundRole and index.row() == self._marked:
            mark = QColor(BOX_COLOURS[BoxState.UNDECIDED])
            mark.setAlpha(70)
            return mark
        if role == Qt.ItemDataRole.FontRole and column == _AFTER:
            font = QFont()
            font.setItalic(not row.after)
            font.setBold(bool(row.after) and row.after != row.before)
            return font
        if role == Qt.ItemDataRole.ForegroundRole:
            unchanged = row.after == row.before
            if unchanged or (column == _AFTER and not row.after) or column not in (_BEFORE, _AFTER):
                return QColor(colours().text if index.row() == self._marked else colours().muted)
        return None


def _cells(row: HeaderRow) -> tuple[str, ...]:
    after = tr("(removed)") if row.after is None else row.after or (tr("(empty)") if row.before else "")
    return row.tag, row.keyword, row.vr, row.before, after, tr(row.action), reason_words(row.reason)


class HeaderPanel(QStackedWidget):
    """The table, or a sentence where a file has no header."""

    finding_chosen = Signal(str)
    """The curator went to a row that belongs to a finding."""

    def __init__(self) -> None:
        super().__init__()
        self.model = HeaderModel()
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName(tr("Header before and after"))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.table.setWordWrap(False)
        self.table.setShowGrid(False)
        self.table.setAlternatingRowColors(True)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 12)
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in enumerate(_WIDTHS):
            self.table.setColumnWidth(column, width)
        self.table.activated.connect(self._chosen)
        self.table.clicked.connect(self._chosen)
        self.message = QLabel()
        self.message.setObjectName("muted")
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setWordWrap(True)
        self.addWidget(self.table)
        self.addWidget(self.message)
        self.clear(tr("Select an item to see its header."))

    def show_rows(self, rows: Sequence[HeaderRow], finding: Finding | None) -> None:
        """Show a header, scrolled to the row of ``finding``."""
        self.model.show(rows)
        if not rows:
            self.clear(tr("This file has no header."))
            return
        self.setCurrentIndex(0)
        self.mark(finding)

    def mark(self, finding: Finding | None) -> None:
        """Go to the row of a finding."""
        number = self.model.mark(finding)
        if number >= 0:
            self.table.scrollTo(self.model.index(number, 0), QAbstractItemView.ScrollHint.PositionAtCenter)

    def clear(self, message: str) -> None:
        """Show a sentence instead of a table."""
        self.model.show([])
        self.message.setText(message)
        self.setCurrentIndex(1)

    def _chosen(self, index: QModelIndex) -> None:
        row = self.model.row(index.row())
        if row is not None and row.finding_id:
            self.finding_chosen.emit(row.finding_id)

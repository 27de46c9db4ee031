"""A table of plain texts that is read, not edited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QTableView

_ANY_INDEX = QModelIndex | QPersistentModelIndex


class TextModel(QAbstractTableModel):
    """Rows of texts under fixed column titles. Rows and columns count from 0."""

    def __init__(self, columns: Sequence[str]) -> None:
        super().__init__()
        self._columns = tuple(columns)
        self._rows: list[tuple[str, ...]] = []

    def show(self, rows: Sequence[tuple[str, ...]]) -> None:
        """Replace all rows; each has one text a column."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: _ANY_INDEX = QModelIndex()) -> int:  # noqa: N802, B008
        """How many rows are shown."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _ANY_INDEX = QModelIndex()) -> int:  # noqa: N802, B008
        """One for each title."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:  # noqa: N802
        """Column titles."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._columns[section]
        return None

    def data(self, index: _ANY_INDEX, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text, which is its own tooltip since columns can be narrow."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._rows[index.row()][index.column()]
        return None


class TextTable(QTableView):
    """Shows a :class:`TextModel`; Tab leaves it, arrow keys move in it."""

    def __init__(self, name: str, columns: Sequence[str], width: int) -> None:
        super().__init__()
        self.rows = TextModel(columns)
        self.setModel(self.rows)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setWordWrap(False)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 12)
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setStretchLastSection(True)
        header.setHighlightSections(False)
        for column in range(len(columns) - 1):
            self.setColumnWidth(column, width)

    def setColumnWidth(self, column: int, width: int) -> None:  # noqa: N802
        """Make a column so wide, or as wide as its title, which some languages need more room for."""
        super().setColumnWidth(column, max(width, self.horizontalHeader().sectionSizeHint(column)))

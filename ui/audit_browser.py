"""The audit log: who did what, when, with a filter, and whether the log is what was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from deidra.storage.audit import AuditRow
from deidra.ui.text_table import TextTable
from deidra.ui.theme import GRID
from deidra.ui.translation import number, tr, trn

_SHA256, _DIGEST = 64, 12
"""Characters of a digest, and how many of them are shown."""


class AuditBrowser(QWidget):
    """Rows of the log, the newest first, and whether the chain of their hashes holds."""

    check_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[tuple[str, ...]] = []
        self.state = QLabel()
        self.state.setAccessibleName(tr("State of the audit log"))
        self.state.setWordWrap(True)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Find a name, an event or a number"))
        self.filter.setAccessibleName(tr("Find in the audit log"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._show)
        columns = (tr("Row"), tr("When (UTC)"), tr("Who"), tr("What"), tr("Details"))
        self.table = TextTable(tr("Audit log"), columns, 130)
        for column, width in enumerate((8, 26, 18, 24)):
            self.table.setColumnWidth(column, width * self.fontMetrics().averageCharWidth())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2 * GRID, 0, 0)
        layout.setSpacing(GRID)
        self.check = QPushButton(tr("Check again"))
        self.check.setAccessibleName(tr("Check the audit log again"))
        self.check.clicked.connect(self.check_wanted)
        head = QHBoxLayout()
        head.addWidget(self.state, 1)
        head.addWidget(self.check)
        layout.addLayout(head)
        layout.addWidget(self.filter)
        layout.addWidget(self.table, 1)

    def show_rows(self, rows: Sequence[AuditRow], broken_row: int | None) -> None:
        """Show the log; ``broken_row`` is the first row that was changed, None when there is none."""
        self._rows = [
            (str(row.id), row.at[:19].replace("T", " "), row.actor, row.event.replace("-", " "), _details(row))
            for row in reversed(rows)
        ]
        if broken_row is None:
            told = trn(
                "✓ The log is intact: {count} row, sealed.",
                "✓ The log is intact: {count} rows, each sealed with the one before.",
                len(rows),
            )
            self.state.setText(told)
        else:
            row = number(broken_row)
            self.state.setText(tr("! Row {row} or a row before it was changed after it was written.", row=row))
        self.state.setObjectName("" if broken_row is None else "warning")
        self.state.style().polish(self.state)
        self._show()

    def _show(self) -> None:
        words = self.filter.text().casefold().split()
        self.table.rows.show(
            [row for row in self._rows if all(any(word in cell.casefold() for cell in row) for word in words)]
        )


def _details(row: AuditRow) -> str:
    """For example ``findings 12, seconds 3.1``."""
    return ", ".join(f"{name} {value}" for name, value in _facts(row.data))


def _facts(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _facts(value)
        elif value is not None:
            text = str(value)
            # Of a digest the first characters tell one from another.
            yield key.replace("_", " "), f"{text[:_DIGEST]}…" if len(text) == _SHA256 else text

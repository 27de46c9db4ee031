"""A table of what a policy holds, with buttons to add, edit and remove."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from deidra.ui.text_table import TextTable
from deidra.ui.theme import GRID
from deidra.ui.translation import tr


class EditedTable(QWidget):
    """Rows that can be added, edited (also Enter or a double click) and removed (also Delete).

    Args:
        name: what the table holds, for a screen reader.
        thing: one of its rows, in words: "own type".
        columns: their titles.
        widths: their widths in characters; the last column takes what is left.
        about: a sentence above the table.
        empty: what stands in place of the table while it has no rows.
    """

    add_wanted = Signal()
    edit_wanted = Signal(int)
    """The row, from 0."""
    remove_wanted = Signal(int)

    def __init__(
        self,
        name: str,
        verbs: tuple[str, str, str],
        columns: Sequence[str],
        widths: Sequence[int],
        about: str,
        empty: str,
    ) -> None:
        super().__init__()
        self._fixed: frozenset[int] = frozenset()
        note = QLabel(about)
        note.setObjectName("muted")
        note.setWordWrap(True)
        self.table = TextTable(name, columns, 160)
        for column, width in enumerate(widths):
            self.table.setColumnWidth(column, width * self.fontMetrics().averageCharWidth())
        self.empty = QLabel(empty)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.empty)
        self.add = QPushButton(tr("Add…"))
        self.edit = QPushButton(tr("Edit…"))
        self.remove = QPushButton(tr("Remove"))
        buttons = QHBoxLayout()
        buttons.setSpacing(GRID)
        for button, verb in zip((self.add, self.edit, self.remove), verbs, strict=True):
            button.setAccessibleName(verb)
            buttons.addWidget(button)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, GRID, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(note)
        layout.addWidget(self.stack, 1)
        layout.addLayout(buttons)
        self.setFocusProxy(self.add)
        self.add.clicked.connect(self.add_wanted)
        self.edit.clicked.connect(lambda: self._ask(self.edit_wanted))
        self.remove.clicked.connect(lambda: self._ask(self.remove_wanted))
        self.table.installEventFilter(self)
        self.table.activated.connect(lambda _index: self._ask(self.edit_wanted))
        self.table.selectionModel().currentChanged.connect(lambda _new, _old: self._follow())
        self.show_rows([])

    @property
    def row(self) -> int:
        """The selected row from 0, or -1."""
        return self.table.currentIndex().row()

    def show_rows(self, rows: Sequence[tuple[str, ...]], fixed: frozenset[int] = frozenset()) -> None:
        """Show rows; those in ``fixed`` can be looked at but not changed. The selected row stays."""
        row = self.row
        self._fixed = fixed
        self.table.rows.show(rows)
        if rows:
            self.table.selectRow(min(max(row, 0), len(rows) - 1))
        self.stack.setCurrentIndex(0 if rows else 1)
        self._follow()

    def _can_change(self) -> bool:
        return self.row >= 0 and self.row not in self._fixed

    def _follow(self) -> None:
        self.edit.setEnabled(self._can_change())
        self.remove.setEnabled(self._can_change())

    def _ask(self, signal: SignalInstance) -> None:
        if self._can_change():
            signal.emit(self.row)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Delete in the table removes."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Delete:
            self._ask(self.remove_wanted)
            return True
        return super().eventFilter(watched, event)

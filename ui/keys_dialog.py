"""All keys, made from the table of commands; each can be changed, and none gets two meanings."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from deidra.ui.actions import BINDINGS, LOCAL_KEYS, Binding, conflict, key_words, keys_of, set_keys
from deidra.ui.theme import GRID
from deidra.ui.translation import tr

_MODIFIERS = (Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr)


class KeyField(QLineEdit):
    """Takes the next key that is pressed."""

    pressed = Signal(str)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setAccessibleName(tr("New key"))
        self.setPlaceholderText(tr("Press the new key"))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Tell the key with its modifiers; Esc leaves."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() not in _MODIFIERS:
            combination = event.keyCombination()
            # Shift is already part of signs such as the question mark.
            if len(event.text()) == 1 and event.text().isprintable() and not event.text().isalnum():
                name = event.text() if event.text() != " " else "Space"
            else:
                name = QKeySequence(combination).toString()
            self.pressed.emit(name.replace("Num+", ""))
        event.accept()


class KeysDialog(QDialog):
    """A row a command: its name, its keys, what it does."""

    def __init__(self, parent: QWidget, actions: Mapping[str, QAction]) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keys"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._actions = actions
        self._rows: dict[int, Binding] = {}
        self.table = QTableWidget(0, 3)
        self.table.setAccessibleName(tr("Commands and their keys"))
        self.table.setHorizontalHeaderLabels([tr("Command"), tr("Keys"), tr("What it does")])
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column in (0, 1):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        self._fill()
        self.field = KeyField()
        self.change = QPushButton(tr("Change…"))
        self.change.setAccessibleName(tr("Change the key of the selected command"))
        self.reset = QPushButton(tr("Back to standard"))
        self.reset.setAccessibleName(tr("Give the selected command its standard keys"))
        self.reset_all = QPushButton(tr("All to standard"))
        self.close_button = QPushButton(tr("Close"))
        self.note = QLabel(tr("Select a command and press Change…"))
        self.note.setObjectName("muted")
        self.note.setWordWrap(True)
        self.note.setAccessibleName(tr("What happened"))
        row = QHBoxLayout()
        row.setSpacing(GRID)
        for button in (self.change, self.reset, self.reset_all):
            row.addWidget(button)
            button.setAutoDefault(False)
        row.addWidget(self.field)
        row.addStretch()
        row.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.note)
        layout.addLayout(row)
        self.field.hide()
        self.change.clicked.connect(self._begin)
        self.table.itemActivated.connect(self._begin)
        self.reset.clicked.connect(self._reset)
        self.reset_all.clicked.connect(self._reset_all)
        self.close_button.clicked.connect(self.accept)
        self.field.pressed.connect(self._take)
        self.field.left.connect(self._end)
        self.table.currentCellChanged.connect(self._selected)
        self.table.selectRow(1)
        self.table.setFocus()
        self.resize(820, 760)

    def _fill(self) -> None:
        group = ""
        for binding in BINDINGS:
            if binding.group != group:
                group = binding.group
                self._title(tr(group))
            self._rows[self._row(binding.name, self._shown(binding), tr(binding.tip))] = binding
        self._title(tr("While typing"))
        for key, text, tip in LOCAL_KEYS:
            self._row(tr(text), tr(key), tr(tip))

    def _row(self, *cells: str) -> int:
        row = self.table.rowCount()
        self.table.insertRow(row)
        for column, text in enumerate(cells):
            item = QTableWidgetItem(text)
            if column == 1:
                font = item.font()
                font.setBold(True)
                item.setFont(font)
            self.table.setItem(row, column, item)
        return row

    def _title(self, text: str) -> None:
        row = self._row(text, "", "")
        self.table.setSpan(row, 0, 1, 3)
        item = self.table.item(row, 0)
        if item is not None:
            font = item.font()
            font.setBold(True)
            item.setFont(font)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)

    @staticmethod
    def _shown(binding: Binding) -> str:
        return tr(" or ").join(map(key_words, keys_of(binding)))

    @property
    def _binding(self) -> Binding | None:
        return self._rows.get(self.table.currentRow())

    def select(self, command: str) -> None:
        """Select the row of a command."""
        self.table.selectRow(next(row for row, binding in self._rows.items() if binding.id == command))

    def _selected(self) -> None:
        self._end()
        self.change.setEnabled(self._binding is not None)
        self.reset.setEnabled(self._binding is not None)

    def _begin(self) -> None:
        if self._binding is not None:
            self._say(tr("Press the new key for “{command}”, or Esc.", command=self._binding.name))
            self.field.show()
            self.field.setFocus()

    def _end(self) -> None:
        if not self.field.isHidden():
            self.field.hide()
            self._say("")
            self.table.setFocus()

    def _say(self, text: str, is_refusal: bool = False) -> None:
        self.note.setText(text)
        self.note.setObjectName("warning" if is_refusal else "muted")
        self.note.style().polish(self.note)

    def _take(self, key: str) -> None:
        binding = self._binding
        if binding is None:
            return
        refused = conflict(binding, key)
        if refused:
            self._say(refused, is_refusal=True)
            return
        self._set(binding, (key,))
        self._end()
        self._say(tr("“{command}” has the key {key} now.", command=binding.name, key=key_words(key)))

    def _reset(self) -> None:
        binding = self._binding
        if binding is None:
            return
        refused = next((text for text in (conflict(binding, key) for key in binding.keys) if text), "")
        if not refused:
            self._set(binding, None)
        done = tr("“{command}” has its standard keys again.", command=binding.name)
        self._say(refused or done, bool(refused))

    def _reset_all(self) -> None:
        for binding in self._rows.values():
            self._set(binding, None)
        self._say(tr("All commands have their standard keys again."))

    def _set(self, binding: Binding, keys: tuple[str, ...] | None) -> None:
        set_keys(self._actions, binding, keys)
        row = next(row for row, other in self._rows.items() if other.id == binding.id)
        item = self.table.item(row, 1)
        if item is not None:
            item.setText(self._shown(binding))

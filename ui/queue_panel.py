"""The left panel: filter, order, and the list of findings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from deidra.app.domain.model import Finding
from deidra.app.domain.taxonomy import TYPES, EntityType
from deidra.storage.findings import FindingFilter
from deidra.ui.curator import curator
from deidra.ui.habits import FIRST, Habits
from deidra.ui.operations import Operations
from deidra.ui.queue_delegate import QueueDelegate
from deidra.ui.queue_model import QueueModel
from deidra.ui.reasons import reason_words
from deidra.ui.theme import GRID, title_font
from deidra.ui.translation import later, number, tr, trc
from deidra.ui.words import type_label

if TYPE_CHECKING:
    from deidra.app.workflow import Project

_SORTS = (
    (later("expected leak"), "leak"),
    (later("risk"), "risk"),
    (later("uncertainty"), "uncertain"),
    (later("file"), "file"),
)
_SHOWS = (
    (later("waiting"), "waiting"),
    (later("decided"), "decided"),
    (later("all"), "all"),
    (later("flagged"), "flagged"),
)
_COUNT_WORDS = {"decided": later("decided"), "flagged": later("flagged"), "all": later("found")}
_TYPING_MS = 200
"""How long typing must rest before the list follows."""


class FilterField(QLineEdit):
    """The filter text; Esc empties it and hands the focus back to the list."""

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Esc and Enter leave the field."""
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.left.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit()
        else:
            super().keyPressEvent(event)


class QueuePanel(QFrame):
    """Shows the queue and tells which finding is selected."""

    selected = Signal(object)
    """A Finding, or None when nothing is selected."""
    release_wanted = Signal()
    exhausted = Signal()
    """There is no other finding that waits in this list."""

    def __init__(self, project: Project, operations: Operations, habits: Habits = FIRST) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._habits = habits
        self.model = QueueModel(project, operations, habits)
        self._wish: str | None = None
        self._before: str | None = None
        self._seek: tuple[int, str | None] | None = None
        self._quiet = False
        self._off_list = False
        self._last_row = 0
        self._reason = ""
        self._build()
        self.model.loaded.connect(self._arrived)
        self.model.total_changed.connect(self._show_total)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(self.apply_filter)
        self.text.textChanged.connect(self._typing.start)
        self.text.left.connect(self.list.setFocus)
        for combo in (self.type, self.sort, self.show_which):
            combo.currentIndexChanged.connect(self.apply_filter)
        self.list.selectionModel().currentChanged.connect(self._current_changed)
        self.apply_filter()

    def _build(self) -> None:
        self.text = FilterField()
        self.text.setPlaceholderText(tr("Find a text or tag"))
        self.text.setClearButtonEnabled(True)
        types = sorted((type_label(kind), kind.value) for kind in TYPES)
        self.type = _combo(tr("Type"), ((tr("every type"), None), *types))
        self.sort = _combo(tr("Order"), ((tr(words), data) for words, data in _SORTS))
        self.show_which = _combo(tr("Show"), ((tr(words), data) for words, data in _SHOWS))
        self.text.setAccessibleName(tr("Find in the list"))
        self.reason = QPushButton()
        self.reason.setToolTip(tr("Show items of every reason again"))
        self.reason.setAccessibleName(tr("Show items of every reason"))
        self.reason.clicked.connect(lambda: self.show_reason(""))
        self.reason.hide()
        self.count = QLabel()
        self.count.setFont(title_font(self.count.font()))
        self.count.setAccessibleName(tr("Number of items in the list"))
        self.list = QListView()
        self.list.setAccessibleName(tr("Findings"))
        self.list.setModel(self.model)
        self.list.setItemDelegate(QueueDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.release = QPushButton(tr("Release…"))
        self.release.setAccessibleName(trc("button", "Release"))
        self.release.clicked.connect(self.release_wanted)
        self.empty_text = QLabel()
        self.empty_text.setWordWrap(True)
        self.empty_text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        empty = QWidget()
        column = QVBoxLayout(empty)
        column.addStretch()
        column.addWidget(self.empty_text)
        column.addSpacing(GRID)
        column.addWidget(self.release, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()
        self.pages = QStackedWidget()
        self.pages.addWidget(self.list)
        self.pages.addWidget(empty)

        head = QHBoxLayout()
        head.addWidget(self.count)
        head.addStretch()
        if self._habits.is_first:
            head.addWidget(QLabel(tr("show")))
            head.addWidget(self.show_which)
        combos = QGridLayout()
        combos.setSpacing(GRID)
        combos.addWidget(self.sort, 0, 0)
        combos.addWidget(self.type, 0, 1)
        combos.setColumnStretch(0, 7)
        combos.setColumnStretch(1, 6)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(self.text)
        layout.addLayout(combos)
        layout.addWidget(self.reason)
        layout.addWidget(self.pages, 1)
        self.show_which.setParent(self)
        self.show_which.setVisible(self._habits.is_first)
        for before, after in ((self.show_which, self.text), (self.text, self.sort), (self.sort, self.type)):
            QWidget.setTabOrder(before, after)
        QWidget.setTabOrder(self.type, self.list)

    @property
    def shows_waiting(self) -> bool:
        """True where the list holds what waits, less what other curators have."""
        return bool(self.show_which.currentData() == "waiting")

    def apply_filter(self) -> None:
        """Read the list that the controls ask for."""
        which = self.show_which.currentData()
        kind = self.type.currentData()
        wanted = FindingFilter(
            pending=True if which == "waiting" else None,
            decided=True if which == "decided" else None,
            flagged=True if which == "flagged" else None,
            type=EntityType(kind) if kind else None,
            text=self.text.text().strip() or None,
            reason=self._reason or None,
            free_for=curator() if which == "waiting" else None,
            with_decoys=which != "decided",
        )
        self._seek = None
        self._off_list = False
        self.model.set_query(wanted, self.sort.currentData())

    def show_reason(self, reason: str) -> None:
        """Show what waits for one reason alone; an empty one takes this back."""
        self._reason, words = reason, reason_words(reason)
        shown = self.reason.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, self.width() - 8 * GRID)
        self.reason.setText(f"{shown}   ✕")
        self.reason.setAccessibleName(tr("Only: {reason}. Press to show every reason", reason=words))
        self.reason.setVisible(bool(reason))
        if reason:
            self.text.clear()
            self.type.setCurrentIndex(0)
            self.show_which.setCurrentIndex(self.show_which.findData("waiting"))
        self.apply_filter()
        self.list.setFocus()

    def stop(self) -> None:
        """Forget a filter that is being typed, before the project is closed."""
        self._typing.stop()

    def reload(self, wish: str | None = None) -> None:
        """Read the list again and select ``wish``, or what was selected before."""
        self._wish = wish
        current = self.model.finding(self.current_row())
        self._before = current.id if current else None
        self.model.reload()

    def update_findings(self, findings: list[Finding]) -> bool:
        """Show changed findings; says which is selected only when asked to go on. See the model."""
        self._quiet = True
        complete = self.model.update_findings(findings)
        self._quiet = False
        return complete

    def current_row(self) -> int:
        """The selected row, or -1."""
        return self.list.currentIndex().row()

    def select_row(self, row: int) -> None:
        """Select a loaded row and tell."""
        self._quiet = True
        self.list.setCurrentIndex(self.model.index(row))
        self._quiet = False
        self._tell()

    def select_finding(self, finding_id: str) -> bool:
        """Select a finding if it is in the loaded part of the list."""
        row = self.model.row_of(finding_id)
        if row >= 0:
            self.select_row(row)
        return row >= 0

    def leave_list(self) -> None:
        """Select nothing, for a finding that is on the image but not in the list."""
        if self.current_row() >= 0:
            self._last_row = self.current_row()
        self._off_list = True
        self._quiet = True
        self.list.setCurrentIndex(QModelIndex())
        self._quiet = False

    def go_on(self, decided: str, row: int) -> None:
        """After a decision on the finding that was in ``row`` (-1: not in the list), select the next."""
        start = row if row >= 0 else self._last_row - 1
        self._select_next_pending(start - 1 if row >= 0 and self.model.row_of(decided) < 0 else start, decided)

    def select_next(self) -> None:
        """Select the next finding that waits, below the selected one or from the top again."""
        current = self.model.finding(self.current_row())
        start = self._last_row - 1 if self._off_list else self.current_row()
        self._select_next_pending(start, current.id if current else None)

    def _select_next_pending(self, after: int, leaving: str | None) -> None:
        row = self.model.next_pending(after)
        if row < 0 and self.model.canFetchMore(QModelIndex()):
            self._seek = (after, leaving)
            self.model.fetchMore(QModelIndex())
            return
        self._seek = None
        if row < 0:
            row = self.model.next_pending(-1)
        finding = self.model.finding(row)
        if finding is None or finding.id == leaving:
            self.exhausted.emit()
        else:
            self.select_row(row)

    def select_previous(self) -> None:
        """Select the row above."""
        row = self._last_row if self._off_list else self.current_row() - 1
        if 0 <= row < self.model.rowCount():
            self.select_row(row)

    def _arrived(self) -> None:
        if self._seek is not None:
            self._select_next_pending(*self._seek)
            return
        wish, self._wish = self._wish, None
        before, self._before = self._before, None
        if wish is not None:
            if not self.select_finding(wish):
                self.leave_list()
        elif self.current_row() >= 0 or (self._off_list and self.model.rowCount()):
            return
        elif self.model.rowCount() == 0:
            self.selected.emit(None)
        elif before is None or not self.select_finding(before):
            self.select_row(0)

    def _tell(self) -> None:
        finding = self.model.finding(self.current_row())
        if finding is not None:
            self._off_list = False
            self.list.scrollTo(self.list.currentIndex())
            self.selected.emit(finding)

    def _current_changed(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._quiet:
            self._tell()

    def _show_total(self, total: int) -> None:
        which = self.show_which.currentData()
        words = self._habits.count if which == "waiting" else _COUNT_WORDS[which]
        self.count.setText(f"{number(total)} {tr(words)}")
        filtered = bool(self.text.text().strip() or self.type.currentData() or self._reason)
        if filtered:
            self.empty_text.setText(
                tr("Nothing matches.\nEmpty the filter, choose “every type”, or take back the reason.")
            )
        elif which == "waiting":
            self.empty_text.setText(tr(self._habits.empty))
        elif which == "flagged":
            self.empty_text.setText(tr("Nothing is flagged.\nF flags an item for a second look."))
        else:
            self.empty_text.setText(tr("Nothing is here yet.\nImport files, or drop a folder onto the window."))
        self.release.setVisible(which == "waiting" and not filtered and self._habits.is_first)
        self.pages.setCurrentIndex(0 if total else 1)


def _combo(name: str, entries: Iterable[tuple[str, str | None]]) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setToolTip(name)
    combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    combo.setMinimumContentsLength(7)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    for label, value in entries:
        combo.addItem(label, value)
    return combo

"""The release: what is in its way, what it would write, what the last one did, and the audit log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from deidra.app.release.job import Pending
from deidra.app.release.manifest import verify
from deidra.app.release.plan import LastRelease, ReleasePlan, last_release, plans
from deidra.app.release.report import HTML
from deidra.app.review.second import SecondState
from deidra.storage.audit import AuditRow
from deidra.ui.audit_browser import AuditBrowser
from deidra.ui.operations import Operations
from deidra.ui.reasons import reason_words
from deidra.ui.state_pages import StatePage, selectable
from deidra.ui.text_table import TextTable
from deidra.ui.theme import GRID
from deidra.ui.translation import later, number, tr, trn
from deidra.ui.words import files, release_lines

if TYPE_CHECKING:
    from deidra.app.workflow import Project, RunSummary
    from deidra.storage import ProjectStore

_PENDING = {
    Pending.REFUSE: later("only when every item is decided"),
    Pending.ACCEPT: later("with every proposal that waits accepted"),
    Pending.QUARANTINE: later("without files that have items waiting"),
}


@dataclass(frozen=True, slots=True)
class ReleaseState:
    """What the page shows of a project."""

    store: ProjectStore
    summary: RunSummary
    current: bool
    broken_row: int | None
    reasons: list[tuple[str, int]]
    plans: list[ReleasePlan]
    second: SecondState
    last: LastRelease | None
    audit: list[AuditRow]


class ReleasePage(StatePage):
    """Tabs: checklist with dry run, the last release, the audit log."""

    jump_wanted = Signal(str)
    """A reason for which items wait."""
    message = Signal(str)

    def __init__(self, operations: Operations) -> None:
        super().__init__(tr("Release"))
        self._operations = operations
        self._last: LastRelease | None = None
        self._store: ProjectStore | None = None
        self._reasons: list[str] = []
        self.audit = AuditBrowser()
        self.audit.check_wanted.connect(self._check_log)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(tr("Parts of the release"))
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.addTab(self._checklist(), tr("Before the release"))
        self.tabs.addTab(self._last_one(), tr("Last release"))
        self.tabs.addTab(self.audit, tr("Audit log"))
        self.body.addWidget(self.tabs, 1)
        self.setFocusProxy(self.tabs.tabBar())

    def _checklist(self) -> QWidget:
        self.checks = selectable(tr("Before the release"))
        self.reasons_title = QLabel(tr("Why items wait:"))
        self.reasons = TextTable(tr("Reasons for which items wait"), (tr("Items"), tr("Reason")), 80)
        self.reasons.setColumnWidth(0, 10 * self.fontMetrics().averageCharWidth())
        self.reasons.setMinimumHeight(4 * (self.fontMetrics().height() + 12))
        self.reasons.activated.connect(lambda _index: self._jump())
        self.jump = QPushButton(tr("Review these items"))
        self.jump.clicked.connect(self._jump)
        plan_title = QLabel(tr("A release would write, before it searches its own files once more:"))
        self.plans = TextTable(
            tr("What a release would write"), (tr("Released"), tr("Files written"), tr("Held back"), tr("Why")), 130
        )
        for column_number, width in enumerate((44, 18, 14)):
            self.plans.setColumnWidth(column_number, width * self.fontMetrics().averageCharWidth())
        self.plans.setFixedHeight(5 * (self.fontMetrics().height() + 12))
        tab = QWidget()
        column = QVBoxLayout(tab)
        column.setContentsMargins(0, 2 * GRID, 0, 0)
        column.setSpacing(GRID)
        for part in (self.checks, self.reasons_title):
            column.addWidget(part)
        column.addWidget(self.reasons, 1)
        column.addWidget(self.jump, 0, Qt.AlignmentFlag.AlignLeft)
        column.addSpacing(GRID)
        column.addWidget(plan_title)
        column.addWidget(self.plans)
        self.rest = QWidget()
        column.addWidget(self.rest, 1)
        tab.setObjectName("clear")
        # With large text the checklist is taller than a small window.
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(tab)
        area.viewport().setAutoFillBackground(False)
        return area

    def _last_one(self) -> QWidget:
        self.last_words = selectable(tr("The last release"))
        self.held = TextTable(tr("Files that the last release held back"), (tr("File"), tr("Why")), 420)
        self.open_folder = QPushButton(tr("Open folder"))
        self.open_report = QPushButton(tr("Open report"))
        self.verify = QPushButton(tr("Verify files"))
        self.verify.setToolTip(tr("Every file is there, unchanged, and no other"))
        self.open_folder.clicked.connect(lambda: self._open(""))
        self.open_report.clicked.connect(lambda: self._open(HTML))
        self.verify.clicked.connect(self._verify)
        tab = QWidget()
        column = QVBoxLayout(tab)
        column.setContentsMargins(0, 2 * GRID, 0, 0)
        column.setSpacing(GRID)
        column.addWidget(self.last_words)
        column.addWidget(self.held, 1)
        row = QHBoxLayout()
        for button in (self.open_folder, self.open_report, self.verify):
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)
        self.last_rest = QWidget()
        column.addWidget(self.last_rest, 1)
        return tab

    def reader(self, project: Project) -> Callable[[], ReleaseState]:
        """What the page shows."""
        store = project.store
        return lambda: ReleaseState(
            store,
            project.summary(),
            project.is_current(),
            store.broken_audit_row(),
            store.findings.pending_by_reason(),
            plans(store, project.second.state()),
            project.second.state(),
            last_release(store),
            list(store.audit_rows()),
        )

    def show_state(self, state: ReleaseState) -> None:
        """One line a check, the reasons, the plans, the last release, the log."""
        self.checks.setText("\n".join(release_lines(state.summary, state.broken_row, state.current, state.second)))
        self._reasons = [reason for reason, _ in state.reasons]
        self.reasons.rows.show([(number(count), reason_words(reason)) for reason, count in state.reasons])
        waits = bool(state.reasons)
        for part in (self.reasons_title, self.reasons, self.jump):
            part.setVisible(waits)
        self.rest.setVisible(not waits)
        if waits:
            self.reasons.selectRow(0)
        self.plans.rows.show([_plan_row(plan) for plan in state.plans])
        self._show_last(state.last)
        self.audit.show_rows(state.audit, state.broken_row)
        self._store = state.store

    def _show_last(self, last: LastRelease | None) -> None:
        self._last = last
        there = last is not None and last.folder.exists()
        for button in (self.open_folder, self.open_report, self.verify):
            button.setEnabled(there)
        held = last.held if last is not None else ()
        self.held.rows.show([(path, reason_words(reason)) for path, reason in held])
        self.held.setVisible(bool(held))
        self.last_rest.setVisible(not held)
        if last is None:
            self.last_words.setText(tr("Nothing was released yet. Press Release at the top."))
            return
        found = sum(reason.startswith("re-scan") for _, reason in held)
        searched = (
            trn(
                "Its own search held {count} file back because something private was found in it.",
                "Its own search held {count} files back because something private was found in them.",
                found,
            )
            if found
            else tr("Its own search of every written file found nothing private.")
        )
        lines = [
            tr(
                "{written} in {folder}, {held} held back.",
                written=files(last.written),
                folder=last.folder,
                held=files(len(held)),
            ),
            searched,
        ]
        lines += [] if there else [tr("The folder is not there any more.")]
        self.last_words.setText("\n".join(lines))

    def _jump(self) -> None:
        row = self.reasons.currentIndex().row()
        if row >= 0:
            self.jump_wanted.emit(self._reasons[row])

    def _open(self, name: str) -> None:
        if self._last is not None:
            show_path(self._last.folder / name)

    def _check_log(self) -> None:
        store = self._store
        if store is not None:

            def work() -> tuple[list[AuditRow], int | None]:
                return list(store.audit_rows()), store.broken_audit_row()

            self._operations.read("log", work, lambda found: self.audit.show_rows(*found))

    def _verify(self) -> None:
        if self._last is None:
            return
        folder = self._last.folder

        def done(count: int) -> None:
            self.message.emit(trn("{count} file verified.", "{count} files verified.", count))

        self._operations.search("verify", lambda: verify(folder), done)


def show_path(path: Path) -> None:
    """Open a folder or file with the program that the desktop has for it."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def _plan_row(plan: ReleasePlan) -> tuple[str, ...]:
    held = sum(count for _, count in plan.held)
    why = "; ".join(f"{number(count)} × {reason_words(reason)}" for reason, count in plan.held)
    written = tr("nothing") if plan.blocked else number(plan.written)
    return (
        tr(_PENDING[plan.pending]),
        written,
        number(held),
        why or (tr("items wait or are missing") if plan.blocked else ""),
    )

"""The main window: menus, the open project, long work, and the ways in from outside."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QMainWindow,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from deidra.app.domain.errors import KnownError
from deidra.app.progress import Control, ProgressEvent, ProgressSink
from deidra.app.review import Change, Progress
from deidra.ui import settings, theme
from deidra.ui.actions import BINDINGS, OwnKeys, build, is_key_of
from deidra.ui.commands import handlers
from deidra.ui.curator import ask_curator, curator
from deidra.ui.dialogs import (
    ReleaseDialog,
    WelcomePage,
    ask_folder,
    edits_box,
    error_box,
    free_folder,
    summary_box,
)
from deidra.ui.job_strip import JobStrip
from deidra.ui.jobs import Job
from deidra.ui.menus import fill_menu_bar, fill_recent
from deidra.ui.operations import Operations
from deidra.ui.page_stack import PAGES, PageStack
from deidra.ui.review_page import ReviewPage
from deidra.ui.status_bar import StatusBar
from deidra.ui.theme import Theme
from deidra.ui.translation import Language, number, tr, trn
from deidra.ui.words import duration_text

if TYPE_CHECKING:
    from deidra.app.decide.policy import Policy
    from deidra.app.workflow import Project, ReleaseSummary, RunSummary

Opener = Callable[[Path, bool], "Project"]
"""Opens a project folder; the flag says whether to make one where there is none."""

_REFRESH_S = 2.0
"""How often the counts follow a run under way."""


def open_project(folder: Path, create: bool) -> Project:
    """Open the project of a folder."""
    # The pipeline brings heavy libraries; importing it here lets the empty window appear at once.
    from deidra.app.workflow import Project

    return Project.open(folder, create)


def _is_project(folder: Path) -> bool:
    from deidra.app.workflow import DATABASE, STORE_URL

    return (folder / DATABASE).exists() or (folder / STORE_URL).exists()


def _leave(project: Project, by: str) -> None:
    """Give back what a curator has, and close the project."""
    try:
        project.desk.leave(by)
    finally:
        project.close()


class MainWindow(QMainWindow):
    """The window. It owns its project: closing the window, or opening another project, closes it.

    Args:
        project: the project to review, or None for the welcome page.
        parent: as in Qt.
        opener: how a folder becomes a project, where not as ever.
    """

    def __init__(
        self, project: Project | None = None, parent: QWidget | None = None, opener: Opener | None = None
    ) -> None:
        super().__init__(parent)
        self._opener = opener or open_project
        self.project: Project | None = None
        self.page: ReviewPage | None = None
        self.job: Job | None = None
        self._closing = False
        self._then: Callable[[], object] | None = None
        self._remembers = False
        self._dropped: list[Path] = []
        self._refreshed_at = 0.0
        self.operations = Operations(self)
        self.operations.failed.connect(self.show_error)
        self.operations.unsaved.connect(self._say_unsaved)
        self.actions_by_id = build(self, handlers(self))
        self._own_keys = OwnKeys(self)
        self.setWindowIcon(QIcon(theme.icon_path("deidra")))
        self.setAcceptDrops(True)
        self.resize(1440, 900)
        self._build()
        self._adopt(None)
        if project is not None:
            self._adopt(project)

    def _build(self) -> None:
        self.recent_menu = fill_menu_bar(self.menuBar(), self.actions_by_id, self.set_theme, self.set_language)
        self.recent_menu.aboutToShow.connect(lambda: fill_recent(self.recent_menu, self.open_project))
        self.status = StatusBar()
        self.strip = JobStrip(self.actions_by_id)
        buttons = []
        for name, text in (("new", tr("New project…")), ("open", tr("Open project…"))):
            button = QPushButton(text)
            button.clicked.connect(self.actions_by_id[name].trigger)
            buttons.append(button)
        self.pages = PageStack(self.actions_by_id, self.operations, WelcomePage(*buttons))
        self.pages.apply_wanted.connect(self.apply_policy)
        self.pages.import_wanted.connect(self.import_paths)
        self.pages.message.connect(self.status.show_message)
        self.pages.review_made.connect(self._take_review)
        self.pages.working_changed.connect(self._refresh_counts)
        central = QWidget()
        column = QVBoxLayout(central)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        column.addWidget(self.pages, 1)
        self.setCentralWidget(central)
        self.setStatusBar(self.status)

    # Projects

    def open_project(self, folder: Path, create: bool = True) -> None:
        """Open the project in a folder; ``create`` makes one where there is none."""
        if not self._refuse_while_working():
            self.settle_edits(
                lambda: self.operations.change(
                    lambda: self._opener(folder, create), self.replace_project, self.show_error
                )
            )

    def settle_edits(self, then: Callable[[], object]) -> None:
        """Go on with ``then`` once no edit of the policy would be lost: ask whether to apply or to discard them."""
        draft = self.pages.draft
        if draft is None or not draft.is_edited:
            then()
            return

        def discard() -> None:
            draft.discard()
            then()

        self.open_dialog(edits_box(self, draft.differences, lambda: self.apply_policy(draft.policy, then), discard))

    def close_project(self) -> None:
        """Show the welcome, after asking about edits that are not applied."""
        if not self._refuse_while_working():
            self.settle_edits(lambda: self.replace_project(None))

    def replace_project(self, project: Project | None) -> None:
        """Close the project and show another, or the welcome."""
        if self._refuse_while_working():
            return
        old = self.project
        self._adopt(project)
        if old is not None:
            self.operations.change(partial(_leave, old, curator()), lambda _: None)
        if project is not None and self._dropped:
            dropped, self._dropped = self._dropped, []
            self.import_paths(dropped)

    def _refuse_while_working(self) -> bool:
        if self.job is not None:
            self.status.show_message(tr("Stop the work under way first."))
        return self.job is not None

    def _adopt(self, project: Project | None) -> None:
        self.operations.forget()
        if self.page is not None:
            self._keep_state()
            self.page.stop()
            self.page = None
        self.project = project
        for binding in BINDINGS:
            if binding.needs_project:
                self.actions_by_id[binding.id].setEnabled(project is not None and not binding.needs_item)
        self.strip.import_button.setVisible(project is not None)
        self.strip.release_button.setVisible(project is not None)
        if project is None:
            self.setWindowTitle("Deidra")
            self.strip.title.setText("Deidra")
            self.status.show_no_project()
            self.pages.adopt(None, None)
        else:
            settings.remember_project(project.folder)
            self.setWindowTitle(f"Deidra – {project.folder.name}")
            self.strip.title.setText(project.folder.name)
            self.status.show_message(tr("Everything is saved"))
            self.status.show_policy(project.policy_name)
            self.status.show_curator(curator())
            self.page = ReviewPage(project, self.operations, self.actions_by_id)
            self._take_review(self.page)
            self.page.release_wanted.connect(self.actions_by_id["release"].trigger)
            if self._remembers:
                self.page.splitter.restoreState(settings.window_part("splitter"))
            self.pages.adopt(project, self.page)
            if self._remembers and settings.front_page() in PAGES:
                self.pages.go(settings.front_page())
            self._refresh_counts()
            self._check_audit()
        self._own_keys.guard(self)

    def _take_review(self, page: ReviewPage) -> None:
        page.viewer.peeked.connect(self._watch_for_end_of_peek)
        page.changed.connect(self._stored)
        page.changed_elsewhere.connect(self._refresh_counts)
        page.message.connect(self.status.show_message)
        self._own_keys.guard(page)

    def _refresh_counts(self, with_second: bool = True) -> None:
        project = self.project
        if project is None:
            return
        by, page = curator(), self.pages.working
        desk = project.desk if page is None else page.project.desk

        def work() -> tuple[Progress, bool, bool]:
            return project.desk.progress(with_decoys=True), desk.can_undo(by), desk.can_redo(by)

        self.operations.search("counts", work, self._show_counts)
        # This looks at every decided item, so nothing else waits for it.
        if with_second:
            self.operations.search("second", lambda: project.second.waiting(by), self.pages.rail.show_second)

    def _show_counts(self, counts: tuple[Progress, bool, bool]) -> None:
        progress, can_undo, can_redo = counts
        self.status.show_progress(progress)
        self.pages.rail.show_waiting(progress.waiting)
        queue = self.page.queue if self.page is not None else None
        if queue is not None and not progress.waiting and queue.shows_waiting and queue.model.rowCount():
            # Decoys wait only while something else does.
            queue.reload()
        self.actions_by_id["undo"].setEnabled(can_undo)
        self.actions_by_id["redo"].setEnabled(can_redo)

    def _check_audit(self) -> None:
        if self.project is not None:
            self.operations.read("audit", self.project.store.broken_audit_row, self.status.show_audit)

    def _stored(self, _change: Change) -> None:
        self.status.show_saved()
        # What a curator decides in the first review, that curator does not read again.
        self._refresh_counts(with_second=self.pages.working is not self.page)

    def _say_unsaved(self) -> None:
        self.status.show_message(tr("Not saved."))

    def show_error(self, error: KnownError) -> None:
        """Say what happened and what to do, without holding up the window."""
        self.open_dialog(error_box(self, error))

    @staticmethod
    def open_dialog(dialog: QDialog) -> None:
        """Show a dialog without holding up the window."""
        dialog.open()

    # Long work

    def import_paths(self, paths: Sequence[Path]) -> None:
        """Add files and folders to the project and run it; without a project, ask for one first."""
        project = self.project
        if not paths or self._refuse_while_working():
            return
        if project is None:
            if len(paths) == 1 and _is_project(paths[0]):
                self.open_project(paths[0])
                return
            self._dropped = list(paths)
            ask_folder(self, tr("Choose or create a project folder for these files"), self.open_project)
            return
        inputs = list(paths)

        def work(progress: ProgressSink, control: Control) -> RunSummary:
            return project.run(inputs, progress, control)

        self._start(Job("run", work, self), tr("Starting…"), self._run_done)

    def release_to(self, out: Path, pending: str) -> None:
        """Write the release to ``out``; ``pending`` is ``refuse``, ``accept`` or ``quarantine``."""
        project = self.project
        if project is None or self._refuse_while_working():
            return

        def work(progress: ProgressSink, control: Control) -> ReleaseSummary:
            return project.release(out, pending, progress, control)

        self._start(Job("release", work, self), tr("Releasing…"), self._release_done)

    def apply_policy(self, policy: Policy, then: Callable[[], object] | None = None) -> None:
        """Put a policy in force and decide again on everything that was found, and where that went well go on."""
        project = self.project
        if project is None or self._refuse_while_working():
            return

        def work(progress: ProgressSink, control: Control) -> RunSummary:
            return project.apply_policy(policy, progress, control)

        def done(summary: RunSummary) -> None:
            self._policy_applied(summary)
            self._then = then

        self._start(Job("policy", work, self), tr("Deciding again…"), done)

    def _policy_applied(self, summary: RunSummary) -> None:
        self.status.show_message(
            tr(
                "Applied in {time}: {findings}, {waiting} wait for you.",
                time=duration_text(summary.seconds),
                findings=trn("{count} finding", "{count} findings", summary.findings),
                waiting=number(summary.queued),
            )
        )

    def _start(self, job: Job, title: str, done: Callable[[Any], None]) -> None:
        self.job = job
        for name in ("import_files", "import_folder", "release"):
            self.actions_by_id[name].setEnabled(False)
        job.progressed.connect(self._progressed)
        job.succeeded.connect(done)
        job.failed.connect(self.show_error)
        job.cancelled.connect(lambda: self.status.show_message(tr("Stopped. What was finished is kept.")))
        job.ended.connect(self._job_ended)
        self.strip.begin(job, title)
        job.start()

    def _progressed(self, _event: ProgressEvent) -> None:
        now = time.monotonic()
        if now - self._refreshed_at < _REFRESH_S:
            return
        self._refreshed_at = now
        self._refresh_counts()
        if self.page is not None and self.page.queue.model.rowCount() == 0:
            self.page.queue.reload()

    def _job_ended(self) -> None:
        if self.job is not None:
            self.job.deleteLater()
        self.job = None
        self.strip.end()
        if self._closing:
            self.close()
            return
        for name in ("import_files", "import_folder", "release"):
            self.actions_by_id[name].setEnabled(self.project is not None)
        if self.project is not None:
            self.status.show_policy(self.project.policy_name)
        self._refresh_counts()
        self._check_audit()
        if self.page is not None:
            self.page.reload()
        then, self._then = self._then, None
        if then is not None and self.project is not None:
            self.pages.adopt_policy(self.project.policy)
            then()
        else:
            self.pages.refresh()

    def _run_done(self, summary: RunSummary) -> None:
        text = trn(
            "{count} file processed in {time}: {findings}, {waiting} wait for you.",
            "{count} files processed in {time}: {findings}, {waiting} wait for you.",
            summary.assets,
            time=duration_text(summary.seconds),
            findings=trn("{count} finding", "{count} findings", summary.findings),
            waiting=number(summary.queued),
        )
        self._tell(text, [(str(path), reason) for path, reason in summary.quarantined])

    def _release_done(self, summary: ReleaseSummary) -> None:
        text = trn(
            "{count} file released in {time} to {folder}.",
            "{count} files released in {time} to {folder}.",
            summary.released,
            time=duration_text(summary.seconds),
            folder=summary.folder,
        )
        left_out = [(str(path), reason) for path, reason in summary.quarantined]
        self.status.show_message(text)
        self.open_dialog(summary_box(self, text, left_out))

    def _tell(self, text: str, left_out: list[tuple[str, str]]) -> None:
        self.status.show_message(text)
        if left_out:
            self.open_dialog(summary_box(self, text, left_out))

    # Questions

    def ask_release(self) -> None:
        """Ask where to release to; edits of the policy come first, since a release knows only what is applied."""
        if self.project is not None and not self._refuse_while_working():
            self.settle_edits(self._choose_release)

    def _choose_release(self) -> None:
        project = self.project
        if project is None:
            return

        def ask(waiting: int) -> None:
            dialog = ReleaseDialog(self, waiting, free_folder(project.folder))
            dialog.chosen.connect(self.release_to)
            self.open_dialog(dialog)

        self.operations.read("release", lambda: project.desk.progress().waiting, ask)

    def ask_curator(self) -> None:
        """Ask for the name that is stored with every decision."""
        before = curator()
        self.open_dialog(ask_curator(self, lambda: self._curator_named(before)))

    def _curator_named(self, before: str) -> None:
        project = self.project
        if project is None:
            return

        def named(_: None) -> None:
            if self.page is not None:
                self.status.show_curator(curator())
                self.page.queue.apply_filter()
            self.pages.refresh()
            self._refresh_counts()

        # What one had under the old name would else be another curator's.
        self.operations.change(lambda: project.desk.leave(before), named)

    def set_theme(self, choice: Theme) -> None:
        """Use and remember a theme."""
        settings.set_theme(choice)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            theme.apply(app, choice)

    def set_language(self, choice: Language) -> None:
        """Remember a language; what is on the screen keeps its own until the window is opened again."""
        settings.set_language(choice)
        self.status.show_message(tr("The language changes when Deidra is started again."))

    def remember_state(self) -> None:
        """Take up size and place of the last time, and keep them from now on."""
        self._remembers = True
        self.restoreGeometry(settings.window_part("geometry"))

    def _keep_state(self) -> None:
        if self._remembers:
            settings.keep_window_part("geometry", self.saveGeometry())
            if self.page is not None:
                settings.keep_front_page(self.pages.front)
                settings.keep_window_part("splitter", self.page.splitter.saveState())

    # Qt events

    def _watch_for_end_of_peek(self, on: bool) -> None:
        """Listen only meanwhile: a filter sees every event of the application, and costs."""
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
            if on:
                app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """End the look at the original when its key is let go or the window loses the focus."""
        kind = event.type()
        page = self.pages.working if self.page is not None else None
        if page is not None and page.viewer.is_peeking:
            released = (
                kind is QEvent.Type.KeyRelease
                and isinstance(event, QKeyEvent)
                and is_key_of(self.actions_by_id["peek"], event)
                and not event.isAutoRepeat()
            )
            if released or (kind is QEvent.Type.WindowDeactivate and watched is self):
                page.viewer.set_peek(False)
        return super().eventFilter(watched, event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Take files and folders."""
        if self.job is None and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Import what was dropped."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        self.import_paths(paths)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Stop work under way, store what is being stored, close the project."""
        if self.job is not None:
            self._closing = True
            self.job.control.cancel()
            self.status.show_message(tr("Stopping the work under way…"))
            event.ignore()
            return
        if self.pages.draft is not None and self.pages.draft.is_edited:
            event.ignore()
            # Whoever stays goes on working: the end of the next job is no reason to close.
            self._closing = False
            self.settle_edits(self.close)
            return
        self._keep_state()
        if self.page is not None:
            self.page.stop()
        self.pages.stop()
        project = self.project
        if project is not None:
            by = curator()
            self.operations.change(lambda: project.desk.leave(by), lambda _: None)
        self.operations.shutdown()
        if self.project is not None:
            self.project.close()
            self.project = None
        event.accept()

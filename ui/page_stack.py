"""The rail at the left and the pages that it leads to, in the order of the work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QIcon
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from deidra.ui.actions import BINDINGS, REVIEW_GROUPS
from deidra.ui.marked import Marked
from deidra.ui.operations import Operations
from deidra.ui.review_page import ReviewPage
from deidra.ui.state_pages import ProjectPage, StatePage
from deidra.ui.theme import GRID, icon_path
from deidra.ui.translation import number, tr, trn
from deidra.ui.words import waiting_words

if TYPE_CHECKING:
    from deidra.app.decide.policy import Policy
    from deidra.app.workflow import Project
    from deidra.ui.policy_draft import PolicyDraft
    from deidra.ui.policy_page import PolicyPage
    from deidra.ui.second_page import SecondPage

REVIEW = "review_page"
SECOND = "second_page"
PAGES = tuple(binding.id for binding in BINDINGS if binding.group == "Go")
"""Ids of the commands that show a page."""
_ICON = 22


class Rail(QFrame):
    """One button a page, with icon and word; those of both reviews carry the count of what waits."""

    def __init__(self, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setAccessibleName(tr("Pages"))
        self.buttons: dict[str, QToolButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, GRID, 0, GRID)
        column.setSpacing(GRID // 2)
        wide = 8 * self.fontMetrics().averageCharWidth() + GRID
        for name in PAGES:
            action = actions[name]
            action.setIcon(QIcon(icon_path(name.removesuffix("_page"))))
            action.setIconVisibleInMenu(False)
            button = QToolButton()
            button.setDefaultAction(action)
            button.setIconSize(QSize(_ICON, _ICON))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setMinimumWidth(wide)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
            button.setAccessibleName(action.text().replace("&", ""))
            self.buttons[name] = button
            column.addWidget(button)
        column.addStretch()

    def show_waiting(self, waiting: int) -> None:
        """Put the count on the review's button."""
        button = self.buttons[REVIEW]
        # A button takes its text from its command again whenever that changes, so the count goes there.
        words = tr("Review")
        button.defaultAction().setIconText(f"{words}\n{number(waiting)}" if waiting else words)
        button.setAccessibleName(f"{words}, {waiting_words(waiting)}")

    def show_second(self, waiting: int) -> None:
        """Put the count of what waits for this curator on the second reader's button."""
        button = self.buttons[SECOND]
        short = tr("Second")
        button.defaultAction().setIconText(f"{short}\n{number(waiting)}" if waiting else short)
        words = trn("{count} item waits for you", "{count} items wait for you", waiting)
        button.setAccessibleName(f"{tr('Second reader')}, {words if waiting else tr('nothing waits')}")


class PageStack(QWidget):
    """Shows one page at a time, the welcome while there is no project.

    The commands of the review and of its view are off on other pages: nobody decides on what is not on the screen.
    """

    import_wanted = Signal(object)
    """Paths of files that are to be tried again."""
    apply_wanted = Signal(object)
    """A Policy that is to be put in force."""
    message = Signal(str)
    """A short sentence for the status bar."""
    review_made = Signal(object)
    """A ReviewPage that was made after the project was adopted."""
    working_changed = Signal()
    """The commands of the review act on another page, or on none."""

    def __init__(self, actions: Mapping[str, QAction], operations: Operations, welcome: QWidget) -> None:
        super().__init__()
        self._actions = actions
        self._operations = operations
        self._project: Project | None = None
        self._review: ReviewPage | None = None
        self.draft: PolicyDraft | None = None
        """The policy that the pages edit; None without a project."""
        self._welcome = welcome
        self.state_pages: dict[str, StatePage] = {}
        choice = QActionGroup(self)
        for name in PAGES:
            choice.addAction(actions[name])
        self._review_commands = QActionGroup(self)
        self._review_commands.setExclusionPolicy(QActionGroup.ExclusionPolicy.None_)
        for binding in BINDINGS:
            if binding.group in REVIEW_GROUPS:
                self._review_commands.addAction(actions[binding.id])
        self.rail = Rail(actions)
        self.stack = QStackedWidget()
        self.stack.addWidget(welcome)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addWidget(self.stack, 1)

    def adopt(self, project: Project | None, review: ReviewPage | None) -> None:
        """Take the pages of another project, the review in front, or the welcome when there is none."""
        # All are made anew, so that nothing of one project is seen in the next.
        self.stop()
        for old in (*self.state_pages.values(), self._review):
            if old is not None:
                self.stack.removeWidget(old)
                old.deleteLater()
        self._project, self._review, self.draft = project, review, None
        self.state_pages = {} if project is None else self._state_pages()
        self.rail.setVisible(project is not None)
        for name in PAGES:
            self._actions[name].setEnabled(project is not None)
        self.rail.show_waiting(0)
        self.rail.show_second(0)
        if review is None:
            self.stack.setCurrentWidget(self._welcome)
        else:
            for page in (*self.state_pages.values(), review):
                self.stack.addWidget(page)
            self.go(REVIEW)

    @property
    def front(self) -> str:
        """The id of the page in front; empty for the welcome."""
        shown = self.stack.currentWidget()
        return next((name for name in PAGES if shown is self._page(name)), "")

    def _page(self, name: str) -> QWidget | None:
        return self._review if name == REVIEW else self.state_pages.get(name)

    @property
    def working(self) -> ReviewPage | None:
        """The review in front, which the commands act on."""
        if self.front == REVIEW:
            return self._review
        second = self._second
        return second.working if second is not None and self.front == SECOND else None

    @property
    def _second(self) -> SecondPage | None:
        return cast("SecondPage | None", self.state_pages.get(SECOND))

    def go(self, name: str) -> None:
        """Show a page and give it the keyboard; it reads the project anew."""
        page = self._page(name)
        if page is None or self._project is None:
            return
        self._actions[name].setChecked(True)
        self._leave_front()
        self.stack.setCurrentWidget(page)
        self._read(name)
        page.setFocus()
        if name == REVIEW and self._review is not None:
            self._review.enter()
        elif name == SECOND and self._second is not None:
            self._second.enter()
        self._follow_working()

    def _leave_front(self) -> None:
        if self.front == REVIEW and self._review is not None:
            self._review.leave()
        elif self.front == SECOND and self._second is not None:
            self._second.leave()

    def _follow_working(self) -> None:
        self._review_commands.setEnabled(self.working is not None)
        self.working_changed.emit()

    def stop(self) -> None:
        """Start no work any more: the project is about to be closed."""
        for page in self.state_pages.values():
            page.stop()

    def refresh(self) -> None:
        """Read anew what the page in front shows."""
        self._read(self.front)

    def adopt_policy(self, policy: Policy) -> None:
        """Take the policy that is in force now, before the pages read it."""
        if self.draft is not None:
            self.draft.adopt(policy)

    def _read(self, name: str) -> None:
        # The review follows its changes itself.
        page = self.state_pages.get(name)
        if page is not None and self._project is not None:
            self._operations.read("page", page.reader(self._project), page.show_state)

    def _state_pages(self) -> dict[str, StatePage]:
        # These bring heavy libraries; importing them here lets the empty window appear at once.
        from deidra.ui.dates_page import DatesPage
        from deidra.ui.policy_draft import PolicyDraft
        from deidra.ui.policy_page import PolicyPage
        from deidra.ui.release_page import ReleasePage
        from deidra.ui.second_page import SecondPage

        draft = self.draft = PolicyDraft()
        draft.refused.connect(self._operations.failed)
        policy = PolicyPage(draft, self._operations, self._marked)
        policy.exported.connect(self.message)
        dates = DatesPage(draft, self._operations)
        dates.message.connect(self.message)
        files = ProjectPage()
        files.import_wanted.connect(self.import_wanted)
        files.message.connect(self.message)
        second = SecondPage(self._operations, self._actions)
        second.message.connect(self.message)
        second.made.connect(self.review_made)
        second.working_changed.connect(self._follow_working)
        second.settled.connect(self._follow_settled)
        second.policy_wanted.connect(lambda: self._show_second_settings(policy))
        release = ReleasePage(self._operations)
        release.message.connect(self.message)
        release.jump_wanted.connect(self._review_reason)
        for bar in (policy.changes, dates.changes):
            bar.apply_wanted.connect(lambda: self.apply_wanted.emit(draft.policy))
        return {
            "project_page": files,
            "policy": policy,
            "dates_page": dates,
            SECOND: second,
            "release_page": release,
        }

    def _follow_settled(self) -> None:
        if self._review is not None:
            self._review.follow_others()

    def _show_second_settings(self, policy: PolicyPage) -> None:
        self.go("policy")
        policy.show_second_reader()

    def _review_reason(self, reason: str) -> None:
        if self._review is not None:
            self.go(REVIEW)
            self._review.queue.show_reason(reason)

    def _marked(self) -> Marked | None:
        return self._review.marked if self._review is not None else None

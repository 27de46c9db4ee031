"""The second reader: what to read blind, differences to settle, and how far curators agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from deidra.app.review.decoys import Sensitivity
from deidra.app.review.second import Agreement
from deidra.ui.actions import DECISIONS
from deidra.ui.agreement_panel import AgreementPanel
from deidra.ui.curator import curator
from deidra.ui.habits import Habits
from deidra.ui.operations import Operations
from deidra.ui.review_page import ReviewPage
from deidra.ui.second_reading import BlindDesk, SecondProject, SettleDesk
from deidra.ui.state_pages import StatePage
from deidra.ui.theme import GRID, title_font
from deidra.ui.translation import later, number, tr

if TYPE_CHECKING:
    from deidra.app.domain.model import Finding
    from deidra.app.workflow import Project

_WITHOUT = frozenset(("draw", "erase", "flag", *(f"{name}_alike" for name in DECISIONS)))
"""Commands that only the first review has."""
_OFF_TITLE = later("No second reader is asked for")
_OFF = later(
    "A second curator can decide on some of the items once more, without seeing the first decision. Where the two "
    "differ, you settle it together; and the share on which they agree tells how far one curator alone can be trusted."
    "\n\nThe policy says which items are read again: a sample, or all of some types. A release then waits until they "
    "are read and every difference is settled."
)
_READ = later("Nothing is left for you to read.\nUndo takes your last one back.")
_SETTLED = later("Nothing is left to settle.\nUndo opens what you settled last.")
_BLIND = later("Another curator has decided on this. How, you will not see here: decide as if you were the first.")


@dataclass(frozen=True, slots=True)
class SecondPageState:
    """Whether anybody asks for a second reader, and what there is to read, to settle and to tell."""

    project: Project
    is_wanted: bool
    to_read: int
    differences: int
    agreement: Mapping[str, Agreement]
    fleiss: Mapping[int, float | None]
    sensitivity: Mapping[str, Sensitivity]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show: no second reading, now or before, and no decoy that was decided on."""
        whole, decoys = self.agreement.get(""), self.sensitivity.get("")
        read = whole is not None and whole.readings > 0
        return not self.is_wanted and not read and (decoys is None or not decoys.decoys)


def read_state(project: Project, by: str) -> SecondPageState:
    """The state of a project's second reading for a curator."""
    second = project.second
    return SecondPageState(
        project,
        second.is_wanted,
        len(second.to_read_ids(by)),
        len(second.differences()),
        second.agreement(),
        second.fleiss(),
        second.sensitivity(),
    )


class SecondPage(StatePage):
    """Tabs over two reviews with desks of their own, which are made when they are first looked at."""

    policy_wanted = Signal()
    message = Signal(str)
    settled = Signal()
    """A difference was settled, or that was taken back."""
    made = Signal(object)
    """A ReviewPage that was made."""
    working_changed = Signal()
    """Another review, or none, is in front."""

    def __init__(self, operations: Operations, actions: Mapping[str, QAction]) -> None:
        super().__init__(tr("Second reader"))
        self._operations, self._actions = operations, actions
        self._state: SecondPageState | None = None
        self._by = ""
        self._entered = False
        self._in_front: ReviewPage | None = None
        self.reviews: dict[int, ReviewPage] = {}
        self._holders = (_holder(), _holder())
        self.agreement = AgreementPanel()
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(tr("Parts of the second reading"))
        self.tabs.tabBar().setDrawBase(False)
        for part, words in (
            (self._holders[0], tr("To read")),
            (self._holders[1], tr("Differences")),
            (self.agreement, tr("Agreement")),
        ):
            self.tabs.addTab(part, words)
        self.stack = QStackedWidget()
        self.stack.addWidget(self._nothing())
        self.stack.addWidget(self.tabs)
        self.title.hide()
        # The reviews have margins of their own.
        self.body.setContentsMargins(0, GRID // 2, 0, 0)
        self.body.addWidget(self.stack, 1)
        self.setFocusProxy(self.choose)
        self.tabs.currentChanged.connect(lambda: self._follow_tab())

    def _nothing(self) -> QWidget:
        title = QLabel(tr(_OFF_TITLE))
        title.setFont(title_font(title.font()))
        title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        words = QLabel(tr(_OFF))
        words.setWordWrap(True)
        words.setFixedWidth(64 * words.fontMetrics().averageCharWidth())
        words.setAccessibleName(tr(_OFF_TITLE))
        # In a row of its own a label is as high as its text needs at that width.
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(words)
        middle.addStretch(1)
        self.choose = QPushButton(tr("Choose in the policy…"))
        self.choose.setObjectName("primary")
        self.choose.clicked.connect(self.policy_wanted)
        page = QWidget()
        column = QVBoxLayout(page)
        column.addStretch(1)
        column.addWidget(title)
        column.addSpacing(GRID)
        column.addLayout(middle)
        column.addSpacing(2 * GRID)
        column.addWidget(self.choose, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(2)
        return page

    def reader(self, project: Project) -> Callable[[], SecondPageState]:
        """What the page shows."""
        by = curator()
        return lambda: read_state(project, by)

    def show_state(self, state: SecondPageState) -> None:
        """Show counts and agreement, and read the list in front anew."""
        self._show(state)
        had_focus = self.hasFocus()
        self.stack.setCurrentIndex(0 if state.is_empty else 1)
        self.setFocusProxy(self.choose if state.is_empty else self.tabs.tabBar())
        renamed, self._by = self._by != curator(), curator()
        if renamed:
            # Lists are one curator's.
            for review in self.reviews.values():
                review.queue.apply_filter()
        if not self._follow_tab() and self._in_front is not None and not renamed:
            self._in_front.reload()
        elif had_focus and self._in_front is None:
            self.setFocus()

    def _show(self, state: SecondPageState) -> None:
        self._state = state
        for tab, words, count in ((0, tr("To read"), state.to_read), (1, tr("Differences"), state.differences)):
            self.tabs.setTabText(tab, f"{words} ({number(count)})" if count else words)
        self.agreement.show_agreement(state.agreement, state.fleiss)
        self.agreement.show_sensitivity(state.sensitivity)

    @property
    def working(self) -> ReviewPage | None:
        """The review that the commands act on; None where there is none in front."""
        return self._in_front

    def enter(self) -> None:
        """The page comes to the front; its state follows."""
        self._entered = True

    def leave(self) -> None:
        """Another page comes to the front."""
        self._entered = False
        self._follow_tab()

    def stop(self) -> None:
        """Start no work any more."""
        self._state = None
        for review in self.reviews.values():
            review.stop()

    def _follow_tab(self) -> bool:
        """Let the commands act on the tab in front; False where they did so before."""
        tab, state = self.tabs.currentIndex(), self._state
        shows = self._entered and state is not None and self.stack.currentWidget() is self.tabs
        if shows and state is not None and tab in (0, 1) and tab not in self.reviews:
            wanted: ReviewPage | None = self._make(tab, state.project)
        else:
            wanted = self.reviews.get(tab) if shows else None
            if wanted is not None and wanted is not self._in_front:
                wanted.reload()
        if wanted is self._in_front:
            return False
        if self._in_front is not None:
            self._in_front.leave()
        self._in_front = wanted
        if wanted is not None:
            wanted.enter()
            wanted.setFocus()
        self.working_changed.emit()
        return True

    def _make(self, tab: int, project: Project) -> ReviewPage:
        review = self._blind_review(project) if tab == 0 else self._settling(project)
        self.reviews[tab] = review
        layout = self._holders[tab].layout()
        if layout is not None:
            layout.addWidget(review)
        review.changed.connect(lambda _change: self._count())
        if tab == 1:
            review.changed.connect(lambda _change: self.settled.emit())
        review.changed_elsewhere.connect(self._count)
        self.made.emit(review)
        return review

    def _blind_review(self, project: Project) -> ReviewPage:
        habits = Habits(
            history=_blind_history,
            history_title=later("First decision"),
            remark_title=later("Your remark, stored with your decision"),
            empty=_READ,
            count=later("to read"),
            is_first=False,
            without=_WITHOUT,
        )
        second = SecondProject(project, BlindDesk, True)
        return ReviewPage(cast("Project", second), self._operations, self._actions, habits)

    def _settling(self, project: Project) -> ReviewPage:
        second = SecondProject(project, SettleDesk, False)
        desk = cast("SettleDesk", second.desk)
        habits = Habits(
            row=desk.brief,
            history=lambda finding: "\n".join(desk.said(finding)) or tr("This is settled."),
            history_title=later("What the curators say"),
            history_first=True,
            remark_title=later("Remark on this item"),
            empty=_SETTLED,
            count=later("to settle"),
            is_first=False,
            without=_WITHOUT,
        )
        return ReviewPage(cast("Project", second), self._operations, self._actions, habits)

    def _count(self) -> None:
        if self._state is not None:
            self._operations.search("second page", self.reader(self._state.project), self._show)


def _blind_history(finding: Finding) -> str:
    return tr("You have read this item.") if finding.decision is not None else tr(_BLIND)


def _holder() -> QWidget:
    holder = QWidget()
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    return holder

"""What the pages beside the review have in common, and the page of the project's files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from deidra.ui.text_table import TextTable
from deidra.ui.theme import GRID, title_font
from deidra.ui.words import project_lines

if TYPE_CHECKING:
    from deidra.app.workflow import Project, RunSummary


class StatePage(QWidget):
    """A title over a body. What to do stands in the strip above, at the same place for every page."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.title = QLabel(title)
        self.title.setFont(title_font(self.title.font()))
        self.title.setWordWrap(True)
        card = QFrame()
        card.setObjectName("panel")
        self.body = QVBoxLayout(card)
        self.body.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        self.body.setSpacing(GRID)
        self.body.addWidget(self.title)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.addWidget(card)

    def reader(self, project: Project) -> Callable[[], Any]:
        """What to call, in any thread, for the argument of :meth:`show_state`."""
        raise NotImplementedError

    def show_state(self, state: Any) -> None:
        """Show what the reader returned."""
        raise NotImplementedError

    def stop(self) -> None:
        """Start no work any more: the project is about to be closed."""


class ProjectPage(StatePage):
    """How many files there are, how far they are, and which are held back for what reason."""

    def __init__(self) -> None:
        super().__init__("Project")
        self.counts = _text("Project in numbers")
        self.held_title = _text("")
        self.held = TextTable("Files held back", ("File", "Reason"), 420)
        self.body.addWidget(self.counts)
        self.body.addWidget(self.held_title)
        self.body.addWidget(self.held, 1)
        self.setFocusProxy(self.held)

    def reader(self, project: Project) -> Callable[[], RunSummary]:
        """The project's summary."""
        return project.summary

    def show_state(self, state: RunSummary) -> None:
        """Counts, and the files in quarantine."""
        self.counts.setText("\n".join(project_lines(state)))
        held = [(str(path), reason) for path, reason in state.quarantined]
        self.held_title.setText("Held back until somebody looks:" if held else "No file is held back.")
        self.held.rows.show(held)


def _text(name: str) -> QLabel:
    label = QLabel()
    label.setAccessibleName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def selectable(name: str) -> QLabel:
    """A label whose text can be selected, also by keyboard."""
    label = _text(name)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return label

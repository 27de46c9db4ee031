"""What the pages beside the review have in common, and the page of the project's files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from deidra.ui.reasons import reason_words
from deidra.ui.text_table import TextTable
from deidra.ui.theme import GRID, title_font
from deidra.ui.translation import later, tr, trn
from deidra.ui.words import project_lines

if TYPE_CHECKING:
    from deidra.app.workflow import Project, RunSummary

_ALL_WELL = later("No file is held back: every file that was found could be read.")


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


@dataclass(frozen=True, slots=True)
class ProjectState:
    """The project, its state in numbers, and the files that a password would open."""

    project: Project
    summary: RunSummary
    encrypted: list[Path]


class ProjectPage(StatePage):
    """How many files there are, how far they are, and which are held back for what reason."""

    import_wanted = Signal(object)
    """Paths of files that are to be tried again."""
    message = Signal(str)

    def __init__(self) -> None:
        super().__init__(tr("Project"))
        self._project: Project | None = None
        self._encrypted: list[Path] = []
        self.counts = selectable(tr("Project in numbers"))
        self.counts.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.held_title = _text("")
        self.held = TextTable(tr("Files held back"), (tr("File"), tr("Reason")), 420)
        self.rest = QWidget()
        self.locked = _text(tr("Encrypted files"))
        self.password = QPushButton(tr("Enter password…"))
        self.password.setToolTip(tr("For encrypted PDFs. It is kept until the project is closed, and never stored."))
        self.password.clicked.connect(self._ask_password)
        row = QHBoxLayout()
        row.addWidget(self.locked, 1)
        row.addWidget(self.password)
        self.body.addWidget(self.counts)
        self.body.addWidget(self.held_title)
        self.body.addWidget(self.held, 1)
        self.body.addWidget(self.rest, 1)
        self.body.addLayout(row)
        # What stands before a proxy in the order of the Tab key would never be reached.
        self.setFocusProxy(self.counts)
        QWidget.setTabOrder(self.counts, self.held)
        QWidget.setTabOrder(self.held, self.password)
        self.password.hide()

    def reader(self, project: Project) -> Callable[[], ProjectState]:
        """What the page shows."""
        return lambda: ProjectState(project, project.summary(), project.encrypted_files())

    def show_state(self, state: ProjectState) -> None:
        """Counts, and the files in quarantine."""
        self._project, self._encrypted = state.project, state.encrypted
        self.counts.setText("\n".join(project_lines(state.summary)))
        held = [(str(path), reason_words(reason)) for path, reason in state.summary.quarantined]
        self.held_title.setText(
            tr("Held back until somebody looks:") if held else tr(_ALL_WELL) if state.summary.assets else ""
        )
        self.held.rows.show(held)
        self.held.setVisible(bool(held))
        self.rest.setVisible(not held)
        count = len(state.encrypted)
        self.locked.setText(trn("{count} file encrypted.", "{count} files encrypted.", count) if count else "")
        self.password.setVisible(bool(state.encrypted))

    def _ask_password(self) -> None:
        dialog = QInputDialog(self.window())
        dialog.setWindowTitle(tr("Password"))
        dialog.setLabelText(tr("Password of the encrypted PDFs. It is not stored."))
        dialog.setTextEchoMode(QLineEdit.EchoMode.Password)
        dialog.setOkButtonText(tr("Try"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.textValueSelected.connect(self._try_password)
        dialog.open()

    def _try_password(self, word: str) -> None:
        if self._project is None or not word:
            return
        self._project.add_password(word)
        self.import_wanted.emit(self._encrypted)


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

"""The dialogs. All are opened without blocking; their signals bring the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from deidra.app.domain.errors import KnownError
from deidra.ui.faults import error_words
from deidra.ui.reasons import reason_words
from deidra.ui.theme import GRID, title_font
from deidra.ui.translation import later, tr, trc, trn
from deidra.ui.words import waiting_words

_PENDING = (
    ("refuse", later("Do not release while items wait")),
    ("accept", later("Accept every proposal that waits")),
    ("quarantine", later("Leave files out that have items waiting")),
)


def error_box(parent: QWidget, error: KnownError) -> QMessageBox:
    """What happened and what to do about it."""
    what, advice = error_words(error)
    box = QMessageBox(QMessageBox.Icon.Warning, "Deidra", what, QMessageBox.StandardButton.Ok, parent)
    box.setInformativeText(advice)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box


def edits_box(
    parent: QWidget, names: Sequence[str], apply: Callable[[], object], discard: Callable[[], object]
) -> QMessageBox:
    """Ask what becomes of edits of the policy; Esc stays and changes nothing."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle("Deidra")
    box.setText(tr("The policy was changed, but the changes are not applied yet."))
    box.setInformativeText(tr("Changed: {names}.", names=", ".join(map(tr, names))))
    for text, role, call in (
        (tr("Apply"), QMessageBox.ButtonRole.AcceptRole, apply),
        (tr("Discard"), QMessageBox.ButtonRole.DestructiveRole, discard),
    ):
        # Only once the box is gone: what follows may close the window.
        box.addButton(text, role).clicked.connect(lambda _checked=False, call=call: QTimer.singleShot(0, call))
    stay = box.addButton(tr("Stay"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(stay)
    box.setEscapeButton(stay)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box


def summary_box(parent: QWidget, text: str, left_out: Sequence[tuple[str, str]]) -> QMessageBox:
    """What a run or a release did, and which files were left out and why."""
    box = QMessageBox(QMessageBox.Icon.Information, "Deidra", text, QMessageBox.StandardButton.Ok, parent)
    if left_out:
        box.setInformativeText(
            trn(
                "{count} file is in quarantine and will not be released.",
                "{count} files are in quarantine and will not be released.",
                len(left_out),
            )
        )
        box.setDetailedText("\n".join(f"{path}: {reason_words(reason)}" for path, reason in left_out))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box


def about_box(parent: QWidget) -> QMessageBox:
    """Version and licence."""
    text = f"Deidra {metadata.version('deidra')}"
    box = QMessageBox(QMessageBox.Icon.NoIcon, tr("About Deidra"), text, QMessageBox.StandardButton.Ok, parent)
    box.setInformativeText(
        tr(
            "DE-IDentification Review Application.\n"
            "Finds, redacts, reviews and releases DICOM files and scans. Originals are read, never written.\n\n"
            "Apache License 2.0."
        )
    )
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box


def ask_folder(parent: QWidget, title: str, then: Callable[[Path], None]) -> None:
    """Let the curator choose a folder; ``then`` is called with it unless the dialog is cancelled."""
    dialog = QFileDialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda name: then(Path(name)))
    dialog.open()


def ask_files(parent: QWidget, then: Callable[[Sequence[Path]], None]) -> None:
    """Let the curator choose files; ``then`` is called with them unless the dialog is cancelled."""
    dialog = QFileDialog(parent, tr("Import files"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.filesSelected.connect(lambda names: then([Path(name) for name in names]))
    dialog.open()


def free_folder(project: Path) -> Path:
    """A folder beside the project, not in it: the project holds the key to its surrogates."""
    names = (f"{project.name}-release{end}" for end in ("", *(f"-{number}" for number in range(2, 1000))))
    return next((path for path in map(project.parent.joinpath, names) if not path.exists()), project.parent)


class ReleaseDialog(QDialog):
    """Where to write the release, and what becomes of items that still wait."""

    chosen = Signal(Path, str)
    """The folder, and ``refuse``, ``accept`` or ``quarantine``."""

    def __init__(self, parent: QWidget, waiting: int, suggested: Path) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Release"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = QLabel(tr("Write the de-identified files"))
        title.setFont(title_font(title.font()))
        self.folder = QLineEdit(str(suggested))
        self.folder.setAccessibleName(tr("Release folder"))
        browse = QPushButton(tr("Choose…"))
        browse.setAccessibleName(tr("Choose the release folder"))
        browse.clicked.connect(self._browse)
        row = QHBoxLayout()
        row.addWidget(self.folder, 1)
        row.addWidget(browse)
        words = f"{waiting_words(waiting)}." if waiting else tr("Every item is decided.")
        self.waiting = QLabel(words)
        self.waiting.setObjectName("warning" if waiting else "muted")
        self.choices = {value: QRadioButton(tr(text)) for value, text in _PENDING}
        self.choices["refuse"].setChecked(True)
        buttons = QDialogButtonBox()
        self.start = buttons.addButton(trc("button", "Release"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.start.setObjectName("primary")
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(title)
        layout.addWidget(QLabel(tr("Originals stay untouched. The folder is created if it does not exist.")))
        layout.addLayout(row)
        layout.addSpacing(GRID)
        layout.addWidget(self.waiting)
        for button in self.choices.values():
            layout.addWidget(button)
            button.setVisible(waiting > 0)
        layout.addSpacing(GRID)
        layout.addStretch()
        layout.addWidget(buttons)
        self.folder.textChanged.connect(lambda text: self.start.setEnabled(bool(text.strip())))
        self.setMinimumWidth(520)

    def _browse(self) -> None:
        ask_folder(self, tr("Release folder"), lambda folder: self.folder.setText(str(folder)))

    def _accept(self) -> None:
        pending = next(value for value, button in self.choices.items() if button.isChecked())
        self.chosen.emit(Path(self.folder.text().strip()).expanduser(), pending)
        self.accept()


class WelcomePage(QWidget):
    """What the window shows while no project is open."""

    def __init__(self, new: QPushButton, open_: QPushButton) -> None:
        super().__init__()
        card = QFrame()
        card.setObjectName("panel")
        title = QLabel(tr("Drop a folder here, or press Ctrl+O to open a project"))
        title.setFont(title_font(title.font()))
        title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        title.setWordWrap(True)
        text = QLabel(
            tr(
                "A project keeps what was found in DICOM files, PDFs and scans, and what you decided.\n"
                "Originals are read, never written. Shift+F1 opens the user guide."
            )
        )
        text.setObjectName("muted")
        text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        text.setWordWrap(True)
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(new)
        buttons.addWidget(open_)
        buttons.addStretch()
        column = QVBoxLayout(card)
        column.setContentsMargins(6 * GRID, 6 * GRID, 6 * GRID, 6 * GRID)
        column.setSpacing(2 * GRID)
        for part in (title, text):
            column.addWidget(part)
        column.addLayout(buttons)
        card.setMinimumWidth(620)
        card.setMaximumWidth(760)
        row = QHBoxLayout()
        row.addStretch()
        row.addWidget(card)
        row.addStretch()
        layout = QVBoxLayout(self)
        layout.addStretch()
        layout.addLayout(row)
        layout.addStretch()

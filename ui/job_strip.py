"""The strip at the top: which project, the two main steps, and the progress of long work."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QSizePolicy, QWidget

from deidra.app.progress import ProgressEvent
from deidra.ui.jobs import Job
from deidra.ui.theme import GRID, title_font
from deidra.ui.translation import decimal, number, tr
from deidra.ui.words import duration_text


def progress_text(event: ProgressEvent) -> str:
    """For example ``1,204 / 3,980 · 41/s · 1 min left``; what is not known is left out."""
    parts = [f"{number(event.done)} / {number(event.total)}"]
    if event.rate > 0:
        parts.append(f"{decimal(event.rate, 0 if event.rate >= 10 else 1)}/s")
    if event.eta_s is not None and event.done < event.total:
        parts.append(tr("{time} left", time=duration_text(event.eta_s)))
    return " · ".join(parts)


class JobStrip(QFrame):
    """Shows one job at a time and lets the curator pause and stop it."""

    def __init__(self, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self.setObjectName("strip")
        self._job: Job | None = None
        self.title = QLabel("Deidra")
        self.title.setFont(title_font(self.title.font()))
        self.title.setAccessibleName(tr("Project"))
        self.stage = QLabel()
        self.stage.setAccessibleName(tr("Stage"))
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress"))
        self.bar.setTextVisible(False)
        self.bar.setMinimumWidth(120)
        self.bar.setMaximumWidth(260)
        self.bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.numbers = QLabel()
        self.numbers.setObjectName("muted")
        self.numbers.setAccessibleName(tr("Progress in numbers"))
        self.pause = QPushButton(tr("Pause"))
        self.pause.clicked.connect(self._toggle_pause)
        self.stop = QPushButton(tr("Stop"))
        self.stop.setToolTip(tr("Stop after the present file; what is finished is kept"))
        self.stop.clicked.connect(self._stop)
        self.import_button = _command(tr("Import…"), actions["import_folder"])
        self.release_button = _command(tr("Release…"), actions["release"])
        self.release_button.setObjectName("primary")
        self._working = [self.stage, self.bar, self.numbers, self.pause, self.stop]
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        row.setSpacing(GRID)
        row.addWidget(self.title)
        row.addStretch(1)
        for widget in self._working:
            row.addWidget(widget)
        row.addSpacing(GRID)
        row.addWidget(self.import_button)
        row.addWidget(self.release_button)
        self.setFixedHeight(self.sizeHint().height())
        self.end()

    def begin(self, job: Job, title: str) -> None:
        """Show a job that starts."""
        self._job = job
        self.stage.setText(title)
        self.numbers.setText("")
        self.bar.setRange(0, 0)
        self.pause.setText(tr("Pause"))
        self.pause.setEnabled(True)
        self.stop.setEnabled(True)
        _show(self._working, True)
        job.progressed.connect(self.show_progress)

    def show_progress(self, event: ProgressEvent) -> None:
        """Show how far the job is."""
        if self.stop.isEnabled():
            self.stage.setText(tr(event.stage))
        self.bar.setRange(0, max(event.total, 1))
        self.bar.setValue(event.done)
        self.numbers.setText(progress_text(event))

    def end(self) -> None:
        """No job is running."""
        self._job = None
        _show(self._working, False)

    def _toggle_pause(self) -> None:
        if self._job is None:
            return
        control = self._job.control
        if control.paused:
            control.resume()
        else:
            control.pause()
        self.pause.setText(tr("Resume") if control.paused else tr("Pause"))

    def _stop(self) -> None:
        if self._job is not None:
            self._job.control.cancel()
            self.stage.setText(tr("Stopping…"))
            self.pause.setEnabled(False)
            self.stop.setEnabled(False)


def _command(text: str, action: QAction) -> QPushButton:
    button = QPushButton(text)
    button.setAccessibleName(text.rstrip("…"))
    button.setToolTip(action.toolTip())
    button.clicked.connect(action.trigger)
    button.setEnabled(action.isEnabled())
    action.enabledChanged.connect(button.setEnabled)
    return button


def _show(widgets: list[QWidget], on: bool) -> None:
    for widget in widgets:
        widget.setVisible(on)

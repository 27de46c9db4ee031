"""Several curators at once: the item under review is leased, and what others do is noticed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from deidra.app.domain.model import Finding
from deidra.ui.curator import curator
from deidra.ui.operations import Operations

if TYPE_CHECKING:
    from deidra.app.workflow import Project

_LOOK_MS = 4_000
"""How often the window looks what others have done."""
_ACTS = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)


class Leasing(QObject):
    """Leases what is under review while its curator is at work, and looks now and then for others' decisions."""

    refused = Signal(str)
    """The id of the finding under review, which another curator has or has decided on."""
    changed_elsewhere = Signal()
    """Another curator has decided, undone or redone something."""

    def __init__(self, project: Project, operations: Operations, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = project.desk
        self._operations = operations
        self._finding: Finding | None = None
        self._active = False
        self._newest: int | None = None
        self.timer = QTimer(self)
        self.timer.setInterval(_LOOK_MS)
        self.timer.timeout.connect(self.look)
        self.start()

    def start(self) -> None:
        """Look, after :meth:`stop`."""
        self.timer.start()
        self._listen(True)

    def take(self, finding: Finding | None) -> None:
        """Lease the finding under review; None where nothing that waits is under review."""
        self._finding = finding if finding is not None and finding.pending else None
        if self._finding is not None:
            self._renew()

    def _renew(self) -> None:
        finding, desk, by = self._finding, self._desk, curator()
        self._listen(True)
        if finding is None:
            return

        def told(is_taken: bool) -> None:
            if not is_taken and self._finding is not None and self._finding.id == finding.id:
                self._finding = None
                self.refused.emit(finding.id)

        # Not among the changes: a decision must not be refused because a lease is still being stored.
        self._operations.read("lease", lambda: desk.take(finding, by), told)

    def look(self) -> None:
        """Renew the lease if the curator has done something since, and look for what others did."""
        if self._active:
            self._renew()
        desk, by = self._desk, curator()
        self._operations.read("others", lambda: desk.newest_by_others(by), self._compare)

    def _compare(self, newest: int) -> None:
        before, self._newest = self._newest, newest
        if before is not None and newest != before:
            self.changed_elsewhere.emit()

    def look_again(self) -> None:
        """Tell of the same once more with the next look: it could not be shown."""
        self._newest = -1

    def stop(self) -> None:
        """Look no more: the page is left, or the project is about to be closed."""
        self.timer.stop()
        self._finding = None
        self._listen(False)

    def _listen(self, on: bool) -> None:
        """Wait for the next act of the curator. One is enough: a filter sees every event of the window, and costs."""
        self._active = False
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
            if on:
                app.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Notice that somebody is at work."""
        if event.type() in _ACTS:
            self._listen(False)
            self._active = True
        return False

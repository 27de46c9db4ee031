"""Long work with progress, pause and stop: a run or a release, one at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from deidra.app.domain.errors import Cancelled, KnownError
from deidra.app.progress import Control, ProgressEvent, ProgressSink

_LEAST_INTERVAL_S = 0.05
"""Progress is shown at most this often; a run over small files reports thousands of steps a second."""


class Job(QObject):
    """One run, application of a policy or release on a thread of its own. All signals arrive in the GUI thread."""

    progressed = Signal(object)
    """A ProgressEvent."""
    succeeded = Signal(object)
    """The summary that the work returned."""
    failed = Signal(object)
    """A KnownError."""
    cancelled = Signal()
    """The work was stopped by the user; what was finished is kept."""
    ended = Signal()
    """Last signal in every case."""

    _finished = Signal(object)

    def __init__(self, kind: str, work: Callable[[ProgressSink, Control], Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self.control = Control()
        self._work = work
        self._shown_at = 0.0
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=f"deidra-{kind}")
        self._finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        """Begin the work."""
        future = self._executor.submit(self._work, self._report, self.control)
        future.add_done_callback(self._finished.emit)
        self._executor.shutdown(wait=False)

    def _report(self, event: ProgressEvent) -> None:
        now = time.monotonic()
        if event.done >= event.total or now - self._shown_at >= _LEAST_INTERVAL_S:
            self._shown_at = now
            self.progressed.emit(event)

    def _deliver(self, future: Future[Any]) -> None:
        try:
            summary = future.result()
        except Cancelled:
            self.cancelled.emit()
        except KnownError as error:
            self.failed.emit(error)
        else:
            self.succeeded.emit(summary)
        finally:
            self.ended.emit()

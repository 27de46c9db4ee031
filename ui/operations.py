"""The one way from the window to work that may wait: everything here runs off the GUI thread.

Results come back as calls in the GUI thread. A :class:`KnownError` goes to the caller's handler, or
to the ``failed`` signal; anything else is a bug and is raised in the GUI thread, where the
application's exception hook reports it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from deidra.app.domain.errors import KnownError

T = TypeVar("T")
_REST_MS = 60
"""After so long without another wish, what is merely useful is begun: what is asked for goes first."""


@dataclass(slots=True)
class _Pending:
    done: Callable[[Any], None]
    failed: Callable[[KnownError], None] | None
    lane: str
    name: str | None


class Operations(QObject):
    """Runs changes, reads, picture decoding and long searches, each kind in order on a thread of its own.

    Changes wait for changes only, so that a slow decode never holds up a decision, and decisions
    are stored in the order in which they were made.
    """

    failed = Signal(object)
    """A KnownError that no caller handles."""
    unsaved = Signal()
    """It was a change that failed: nothing of it is stored. This comes first."""
    idle = Signal()
    """Nothing is waiting or running any more."""

    _finished = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lanes = {
            lane: ThreadPoolExecutor(1, thread_name_prefix=f"deidra-{lane}")
            for lane in ("change", "read", "picture", "search")
        }
        self._pending: dict[Future[Any], _Pending] = {}
        self._finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._resting: Callable[[], None] | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._begin_rest)

    @property
    def is_idle(self) -> bool:
        """True when no result is due."""
        return not self._pending and self._resting is None

    @property
    def is_changing(self) -> bool:
        """True while a change is on its way to the disk."""
        return any(entry.lane == "change" for entry in self._pending.values())

    def change(
        self, work: Callable[[], T], done: Callable[[T], None], failed: Callable[[KnownError], None] | None = None
    ) -> None:
        """Run ``work``, which alters the project, after all changes before it."""
        self._submit("change", None, work, done, failed)

    def read(
        self,
        name: str,
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[KnownError], None] | None = None,
    ) -> None:
        """Run ``work``, which only reads. A later read of the same name makes this one's result moot."""
        self._submit("read", name, work, done, failed)

    def picture(
        self,
        name: str | None,
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[KnownError], None] | None = None,
    ) -> None:
        """Decode an image; names work as for :meth:`read`, and None never supersedes."""
        self._submit("picture", name, work, done, failed)

    def search(
        self,
        name: str,
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[KnownError], None] | None = None,
    ) -> None:
        """Run ``work``, which reads through the whole project, so that no other read waits for it."""
        self._submit("search", name, work, done, failed)

    def at_rest(self, begin: Callable[[], None]) -> None:
        """Call ``begin`` in the GUI thread after a moment in which nothing else is wished for; the last wish counts."""
        self._resting = begin
        self._rest.start()

    def _begin_rest(self) -> None:
        begin, self._resting = self._resting, None
        if begin is not None:
            begin()
            if not self._pending:
                self.idle.emit()

    def forget(self) -> None:
        """Drop the results of all reads; changes are finished and still reported."""
        self._rest.stop()
        self._resting = None
        for future, entry in list(self._pending.items()):
            if entry.lane != "change":
                future.cancel()
                del self._pending[future]

    def shutdown(self) -> None:
        """Finish the changes under way, drop everything else, and end the threads."""
        self.forget()
        for executor in self._lanes.values():
            executor.shutdown(wait=True)
        self._pending.clear()

    def _submit(
        self,
        lane: str,
        name: str | None,
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[KnownError], None] | None,
    ) -> None:
        if name is not None:
            for future, entry in list(self._pending.items()):
                if entry.name == name and entry.lane == lane:
                    future.cancel()
                    del self._pending[future]
        future = self._lanes[lane].submit(work)
        self._pending[future] = _Pending(done, failed, lane, name)
        future.add_done_callback(self._finished.emit)

    def _deliver(self, future: Future[Any]) -> None:
        entry = self._pending.pop(future, None)
        if entry is None:
            return
        try:
            result = future.result()
        except CancelledError:
            return
        except KnownError as error:
            if entry.lane == "change" and entry.failed is None:
                self.unsaved.emit()
            (entry.failed or self.failed.emit)(error)
        else:
            entry.done(result)
        if self.is_idle:
            self.idle.emit()

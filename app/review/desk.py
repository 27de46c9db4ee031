"""The review desk: what waits for a curator, and what a curator decides.

Decisions are append-only. Undo and redo are operations of their own, so they survive a restart and
stay in the record; which operation they act on is told from the history alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import DecisionKind, Finding
from deidra.storage import ProjectStore
from deidra.storage.findings import Choice, FindingFilter, Operation


@dataclass(frozen=True, slots=True)
class Change:
    """What an operation did: ``kind`` is decide, undo or redo; ``findings`` the ids it touched."""

    kind: str
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the review is: queued findings in all, and those that still wait."""

    queued: int
    waiting: int

    @property
    def decided(self) -> int:
        """Queued findings that have a decision."""
        return self.queued - self.waiting


class ReviewDesk:
    """Curators' work on one project. All methods may be called from any thread."""

    def __init__(self, store: ProjectStore) -> None:
        self._store = store

    def queue(
        self, wanted: FindingFilter | None = None, sort: str = "leak", offset: int = 0, limit: int | None = None
    ) -> list[Finding]:
        """Findings that wait for a curator, or those that match ``wanted``; one page, in order."""
        return self._store.findings.select(wanted or FindingFilter(pending=True), sort, offset, limit)

    def count(self, wanted: FindingFilter | None = None) -> int:
        """How many findings match (default: how many wait)."""
        return self._store.findings.count(wanted or FindingFilter(pending=True))

    def finding(self, finding_id: str) -> Finding:
        """One finding with evidence and current decision.

        Raises:
            KeyError: there is no such finding.
        """
        return self._store.findings.get(finding_id)

    def progress(self) -> Progress:
        """Counts for the progress display."""
        waiting = self._store.findings.count(FindingFilter(pending=True))
        decided = self._store.findings.count(FindingFilter(decided=True))
        return Progress(waiting + decided, waiting)

    def decide(
        self, finding_ids: Sequence[str], kind: DecisionKind, text: str | None = None, by: str = "curator"
    ) -> Change:
        """Decide on findings as one operation, stored before this returns.

        Args:
            finding_ids: the findings; deciding again replaces the decision before.
            kind: accept the proposal, replace with ``text`` (or the proposed surrogate), blank, keep.
            text: the surrogate of a replace decision.
            by: who decides.

        Raises:
            KnownError: a finding does not exist, or a replace decision has no text to write.
        """
        choices = [
            Choice(i, kind, self._replacement(i, text) if kind is DecisionKind.REPLACE else None)
            for i in dict.fromkeys(finding_ids)
        ]
        if not choices:
            return Change("decide", ())
        try:
            self._store.decisions.apply("decide", choices, by)
        except KeyError as error:
            raise _unknown(str(error.args[0])) from error
        return Change("decide", tuple(choice.finding_id for choice in choices))

    def _replacement(self, finding_id: str, text: str | None) -> str:
        if text is not None:
            return text
        try:
            proposal = self._store.findings.get(finding_id).proposal
        except KeyError as error:
            raise _unknown(finding_id) from error
        if not proposal:
            raise KnownError("There is no surrogate to replace this item with.", "Type the text to write instead.")
        return proposal

    def can_undo(self) -> bool:
        """True when there is an operation to undo."""
        return bool(_stacks(self._store.decisions.operations())[0])

    def can_redo(self) -> bool:
        """True when there is an undone operation to redo."""
        return bool(_stacks(self._store.decisions.operations())[1])

    def undo(self, by: str = "curator") -> Change | None:
        """Take back the newest operation; None when there is none."""
        return self._step("undo", by)

    def redo(self, by: str = "curator") -> Change | None:
        """Apply the newest undone operation again; None when there is none."""
        return self._step("redo", by)

    def _step(self, kind: str, by: str) -> Change | None:
        done, undone = _stacks(self._store.decisions.operations())
        stack = done if kind == "undo" else undone
        if not stack:
            return None
        effects = self._store.decisions.effects(stack[-1])
        choices = [before if kind == "undo" else after for before, after in effects]
        self._store.decisions.apply(kind, choices, by, target=stack[-1])
        return Change(kind, tuple(choice.finding_id for choice in choices))


def _unknown(finding_id: str) -> KnownError:
    return KnownError(f"There is no finding {finding_id}.", "List the ids with: deidra queue --project DIR")


def _stacks(operations: Iterable[Operation]) -> tuple[list[int], list[int]]:
    """Replay the history: ids of operations that can be undone, and of those that can be redone."""
    done: list[int] = []
    undone: list[int] = []
    for operation in operations:
        if operation.kind == "decide":
            done.append(operation.id)
            undone.clear()
        elif operation.target is not None:
            source, sink = (done, undone) if operation.kind == "undo" else (undone, done)
            source.remove(operation.target)
            sink.append(operation.target)
    return done, undone

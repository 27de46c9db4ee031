"""The review desk: what waits for a curator, and what a curator decides.

Decisions are append-only. Undo and redo are operations of their own, so they survive a restart and
stay in the record; which operation they act on is told from the history alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from deidra.app.domain.errors import KnownError
from deidra.app.domain.geometry import Polygon
from deidra.app.domain.model import Asset, DecisionKind, Finding, Remark
from deidra.app.domain.taxonomy import EntityType
from deidra.app.review.alike import Alike, alike
from deidra.app.review.drawing import drawn_finding
from deidra.app.review.page_copies import PageCopies
from deidra.storage import ProjectStore
from deidra.storage.decisions import Choice, Operation
from deidra.storage.findings import FindingFilter


@dataclass(frozen=True, slots=True)
class Change:
    """What an operation did: ``kind`` is decide, undo or redo; ``findings`` the ids it touched.

    ``decoys`` are those of them that turn out to be decoys; their decision is final.
    """

    kind: str
    findings: tuple[str, ...]
    decoys: tuple[str, ...] = ()


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
        self._copies = PageCopies(store)

    def queue(
        self, wanted: FindingFilter | None = None, sort: str = "leak", offset: int = 0, limit: int | None = None
    ) -> list[Finding]:
        """Findings that wait for a curator, or those that match ``wanted``; one page, in order."""
        return self._store.findings.select(wanted or FindingFilter(pending=True), sort, offset, limit)

    def count(self, wanted: FindingFilter | None = None) -> int:
        """How many findings match (default: how many wait)."""
        return self._store.findings.count(wanted or FindingFilter(pending=True))

    def finding(self, finding_id: str) -> Finding:
        """One finding, or decoy, with evidence and current decision.

        Raises:
            KeyError: there is no such finding.
        """
        try:
            return self._store.findings.get(finding_id)
        except KeyError:
            return self._store.decoys.get(finding_id)

    def decoys_on(self, asset_id: str) -> list[Finding]:
        """The decoys that wait on a file, which its header is shown with."""
        return self._store.decoys.on(asset_id)

    def progress(self, with_decoys: bool = False) -> Progress:
        """Counts for the progress display; ``with_decoys`` as the queue is shown to curators."""
        waiting = self._store.findings.count(FindingFilter(pending=True, with_decoys=with_decoys))
        decided = self._store.findings.count(FindingFilter(decided=True))
        return Progress(waiting + decided, waiting)

    def decide(
        self,
        finding_ids: Sequence[str],
        kind: DecisionKind,
        text: str | None = None,
        by: str = "curator",
        seen: Mapping[str, DecisionKind | None] | None = None,
    ) -> Change:
        """Decide on findings as one operation, stored before this returns.

        Args:
            finding_ids: the findings; deciding again replaces the decision before.
            kind: accept the proposal, replace with ``text`` (or the proposed surrogate), blank, keep.
            text: the surrogate of a replace decision.
            by: who decides.
            seen: by finding, the decision that the curator saw before.

        Raises:
            KnownError: a finding does not exist, another curator has it or has decided on it since it was seen, or a
                replace decision has no text to write.
        """
        decoys = self._store.decoys.among(finding_ids)
        for decoy_id in sorted(decoys):
            self._decide_decoy(decoy_id, kind, text, by)
        ids = [finding_id for finding_id in dict.fromkeys(finding_ids) if finding_id not in decoys]
        # A drawn box that hides nothing private is no box.
        drawn = self._store.findings.drawn_among(ids) if kind is DecisionKind.KEEP else ()
        change = self._apply(
            [
                Choice(
                    i,
                    None if i in drawn else kind,
                    self._replacement(i, text) if kind is DecisionKind.REPLACE else None,
                )
                for i in ids
            ],
            by,
            seen=seen,
        )
        return Change("decide", (*change.findings, *sorted(decoys)), tuple(sorted(decoys)))

    def _decide_decoy(self, decoy_id: str, kind: DecisionKind, text: str | None, by: str) -> None:
        if kind is DecisionKind.REPLACE and text is None:
            text = self._store.decoys.get(decoy_id).proposal
        self._store.decoys.decide(decoy_id, kind, text if kind is DecisionKind.REPLACE else None, by)

    def _apply(
        self,
        choices: Sequence[Choice],
        by: str,
        drawn: Sequence[Finding] = (),
        seen: Mapping[str, DecisionKind | None] | None = None,
    ) -> Change:
        if not choices:
            return Change("decide", ())
        try:
            self._store.decisions.apply("decide", choices, by, drawn=drawn, seen=seen)
        except KeyError as error:
            raise _unknown(str(error.args[0])) from error
        return Change("decide", tuple(choice.finding_id for choice in choices))

    def draw(self, asset_id: str, index: int | None, polygon: Polygon, kind: EntityType, by: str = "curator") -> Change:
        """Add a box that is covered, as one operation: undo takes it away.

        Args:
            asset_id: the file.
            index: the frame or page, from 0; None for all of them.
            polygon: in pixels of the original frame or page.
            kind: what is private there.
            by: who draws.

        Raises:
            KnownError: the project has no such file.
        """
        finding = drawn_finding(self._asset(asset_id), index, polygon, kind, by)
        return self._apply([Choice(finding.id, DecisionKind.ACCEPT)], by, [finding])

    def redraw(self, finding_id: str, polygon: Polygon, by: str = "curator") -> Change:
        """Put a box in another's place, as one operation. The new one, first in the change, is covered.

        A drawn box is withdrawn. One that was found stays as it is, with the decision to keep it: the curator says
        that the new box is the right one.

        Raises:
            KnownError: there is no such finding, or it is no region.
        """
        old = self._known(finding_id)
        if old.polygon is None:
            raise KnownError("This item has no place on the image.", "Decide on it by its keys instead.")
        index = old.page if old.frame is None else old.frame
        kind = old.type or EntityType.OTHERPHI
        new = drawn_finding(self._asset(old.asset_id), index, polygon, kind, by, old.text)
        before = Choice(old.id, None if old.drawn else DecisionKind.KEEP)
        return self._apply([Choice(new.id, DecisionKind.ACCEPT), before], by, [new])

    def erase(self, finding_id: str, by: str = "curator") -> Change:
        """Take a drawn box away, as one operation.

        Raises:
            KnownError: there is no such finding, or it was found and not drawn.
        """
        if not self._known(finding_id).drawn:
            raise KnownError("This box was found, not drawn.", "Keep it instead (key K): its pixels stay then.")
        return self._apply([Choice(finding_id, None)], by)

    def remark(self, finding_ids: Sequence[str], remark: Remark, by: str = "curator") -> Change:
        """Flag findings and note why, as one operation. Decisions stay.

        Raises:
            KnownError: a finding does not exist.
        """
        decoys = self._store.decoys.among(finding_ids)
        for decoy_id in decoys:
            self._store.decoys.remark(decoy_id, remark)
        if decoys:
            return Change("decide", tuple(finding_ids))
        found = [self._known(finding_id) for finding_id in dict.fromkeys(finding_ids)]
        return self._apply([Choice(f.id, f.decision, f.decision_text, remark) for f in found], by)

    def alike(self, finding_id: str) -> list[Alike]:
        """What waits and is like a finding; see :func:`deidra.app.review.alike.alike`.

        Raises:
            KnownError: there is no such finding.
        """
        if self._store.decoys.among([finding_id]):
            return []
        return alike(self._store, self._known(finding_id), self._copies)

    def _known(self, finding_id: str) -> Finding:
        try:
            return self._store.findings.get(finding_id)
        except KeyError as error:
            raise _unknown(finding_id) from error

    def _asset(self, asset_id: str) -> Asset:
        try:
            return self._store.assets.get(asset_id)
        except KeyError as error:
            raise KnownError("The project has no such file.", "Open the project again.") from error

    def _replacement(self, finding_id: str, text: str | None) -> str:
        if text is not None:
            return text
        proposal = self._known(finding_id).proposal
        if not proposal:
            raise KnownError("There is no surrogate to replace this item with.", "Type the text to write instead.")
        return proposal

    def take(self, seen: Finding, by: str) -> bool:
        """Lease a finding to a curator for some minutes, or renew that.

        False where another curator has it, or where it is not any more as it was seen.
        """
        # A decoy is nobody's: two curators who see the same one tell no more than one of them.
        return bool(self._store.decoys.among([seen.id])) or self._store.leases.take(seen, by)

    def next(self, by: str, sort: str = "leak") -> Finding | None:
        """Lease the first finding that waits and that no other curator has; None where there is none."""
        finding_id = self._store.leases.next(by, sort)
        return self.finding(finding_id) if finding_id is not None else None

    def leave(self, by: str) -> None:
        """Give back all that is leased to a curator."""
        self._store.leases.release(by)

    def newest_by_others(self, by: str) -> int:
        """A number that grows whenever another curator has done something."""
        return self._store.decisions.newest_by_others(by)

    def can_undo(self, by: str = "curator") -> bool:
        """True when a curator has an operation to undo."""
        return bool(_stacks(self._store.decisions.operations(), by)[0])

    def can_redo(self, by: str = "curator") -> bool:
        """True when a curator has an undone operation to redo."""
        return bool(_stacks(self._store.decisions.operations(), by)[1])

    def undo(self, by: str = "curator") -> Change | None:
        """Take back the curator's newest operation; None when there is none.

        Raises:
            KnownError: another curator has decided on it since.
        """
        return self._step("undo", by)

    def redo(self, by: str = "curator") -> Change | None:
        """Apply the curator's newest undone operation again; None when there is none.

        Raises:
            KnownError: another curator has decided on it since.
        """
        return self._step("redo", by)

    def _step(self, kind: str, by: str) -> Change | None:
        done, undone = _stacks(self._store.decisions.operations(), by)
        stack = done if kind == "undo" else undone
        if not stack:
            return None
        effects = self._store.decisions.effects(stack[-1])
        choices = [before if kind == "undo" else after for before, after in effects]
        left = [after if kind == "undo" else before for before, after in effects]
        seen = {choice.finding_id: choice.kind for choice in left}
        self._store.decisions.apply(kind, choices, by, target=stack[-1], seen=seen)
        return Change(kind, tuple(choice.finding_id for choice in choices))


def _unknown(finding_id: str) -> KnownError:
    return KnownError(f"There is no finding {finding_id}.", "List the ids with: deidra queue --project DIR")


def _stacks(operations: Iterable[Operation], by: str) -> tuple[list[int], list[int]]:
    """Replay a curator's history: ids of operations that can be undone, and of those that can be redone."""
    done: list[int] = []
    undone: list[int] = []
    for operation in operations:
        if operation.actor != by:
            continue
        if operation.kind == "decide":
            done.append(operation.id)
            undone.clear()
        elif operation.target is not None:
            source, sink = (done, undone) if operation.kind == "undo" else (undone, done)
            source.remove(operation.target)
            sink.append(operation.target)
    return done, undone

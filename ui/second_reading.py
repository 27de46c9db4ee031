"""A project as the second reader sees it, and as whoever settles differences does: what a review page works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import NO_REMARK, DecisionKind, Finding, Remark, Verdict
from deidra.app.review import Change
from deidra.app.review.alike import Alike
from deidra.app.review.second import Difference, blind, blinded
from deidra.storage.findings import FindingFilter
from deidra.storage.readings import Reading
from deidra.ui.translation import tr
from deidra.ui.words import said_words

if TYPE_CHECKING:
    from deidra.app.load.contrast import FrameView
    from deidra.app.workflow import HeaderRow, Project


class _Desk:
    """What a review asks of its desk, over a list that is not the queue."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._store = project.store
        self._counted: tuple[FindingFilter | None, int] = (None, 0)

    def _listed(self, curator: str) -> set[str]:
        """The ids of what waits for a curator here."""
        raise NotImplementedError

    def _shown(self, finding: Finding) -> Finding:
        """A stored finding as this desk shows it."""
        raise NotImplementedError

    def _on(self, asset_id: str) -> list[Finding]:
        """What is shown on a file, in order."""
        raise NotImplementedError

    def queue(
        self, wanted: FindingFilter, sort: str = "leak", offset: int = 0, limit: int | None = None
    ) -> list[Finding]:
        """A page of what waits for ``wanted.free_for``, or what is shown on a file."""
        if wanted.asset_id is not None:
            return self._on(wanted.asset_id)
        listed = self._listed(wanted.free_for or "")
        # The list's order and its filter are the store's.
        stored = replace(wanted, pending=None, free_for=None, decided=True, with_decoys=False)
        rows = [name for name in self._store.findings.ids(stored, sort) if name in listed]
        self._counted = (wanted, len(rows))
        page = rows[offset : None if limit is None else offset + limit]
        found = self._store.findings.many(page)
        return [self._shown(found[name]) for name in page if name in found]

    def count(self, wanted: FindingFilter) -> int:
        """How many match, as the newest page of the same list was taken from."""
        if self._counted[0] != wanted:
            self.queue(wanted, "file", 0, 0)
        return self._counted[1]

    def finding(self, finding_id: str) -> Finding:
        """One item, as it is shown."""
        return self._shown(self._store.findings.get(finding_id))

    def take(self, seen: Finding, by: str) -> bool:
        """Lease an item, as it is stored, to a curator."""
        try:
            stored = self._store.findings.get(seen.id)
        except KeyError:
            return False
        return stored.decision is not None and self._store.leases.take(stored, by)

    def leave(self, by: str) -> None:
        """Give back all that is leased to a curator."""
        self._store.leases.release(by)

    def newest_by_others(self, by: str) -> int:
        """A number that grows whenever another curator has decided, read or settled something."""
        return self._project.desk.newest_by_others(by) + self._store.readings.newest_by_others(by)

    def alike(self, _finding_id: str) -> list[Alike]:
        """None: each item is read for itself."""
        return []

    def decoys_on(self, _asset_id: str) -> list[Finding]:
        """None: decoys measure the first reading."""
        return []

    def redo(self, _by: str) -> Change | None:
        """None: what was taken back is decided anew."""
        return None

    def can_redo(self, _by: str) -> bool:
        """Never."""
        return False


class BlindDesk(_Desk):
    """Second decisions. Nothing that the first curator did is told: no decision, text, remark or drawn box."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._ids: set[str] = set()
        self._own: dict[str, Reading] = {}
        self._remarks: dict[str, Remark] = {}
        self._curator = ""

    def _listed(self, curator: str) -> set[str]:
        second = self._project.second
        if curator != self._curator:
            self._curator, self._remarks = curator, {}
        self._ids = set(second.to_read_ids(curator))
        self._own = second.own_readings(curator)
        return self._ids

    def _shown(self, finding: Finding) -> Finding:
        own = self._own.get(finding.id)
        if own is None:
            return replace(blind(finding), remark=self._remarks.get(finding.id, NO_REMARK))
        return replace(blind(finding), decision=own.kind, decision_text=own.text, remark=own.remark)

    def _on(self, asset_id: str) -> list[Finding]:
        # Items that this curator does not read would look undecided; left out, they say nothing.
        stored = self._store.findings.select(FindingFilter(asset_id=asset_id), "file")
        return [
            self._shown(finding)
            for finding in blinded(stored)
            if finding.id in self._ids or finding.id in self._own or finding.verdict is Verdict.AUTO
        ]

    def decide(
        self,
        finding_ids: Sequence[str],
        kind: DecisionKind,
        text: str | None = None,
        by: str = "curator",
        seen: Mapping[str, DecisionKind | None] | None = None,
    ) -> Change:
        """Store a second decision.

        Raises:
            KnownError: the item is none of those to read, or as :meth:`SecondDesk.decide` says.
        """
        for finding_id in finding_ids:
            if finding_id not in self._ids and finding_id not in self._own:
                raise KnownError(tr("This item is none of those that you read."), tr("Choose one of the list."))
            remark = self._remarks.get(finding_id, NO_REMARK)
            self._project.second.decide(finding_id, kind, by, text, remark)
            self._refresh(finding_id, by)
        return Change("decide", tuple(finding_ids))

    def _refresh(self, finding_id: str, by: str) -> None:
        self._own = self._project.second.own_readings(by)
        if finding_id in self._own:
            self._ids.discard(finding_id)
        else:
            self._ids.add(finding_id)

    def remark(self, finding_ids: Sequence[str], remark: Remark, by: str = "curator") -> Change:
        """Keep a note and a reason until the decision, which they are stored with.

        Raises:
            KnownError: the item is read already.
        """
        for finding_id in finding_ids:
            if finding_id in self._own:
                raise KnownError(
                    tr("You have read this item already."), tr("Take that back first (Undo), then say more.")
                )
            self._remarks[finding_id] = Remark(note=remark.note, code=remark.code)
        return Change("decide", tuple(finding_ids))

    def undo(self, by: str) -> Change | None:
        """Take back the curator's newest second decision; its remark stays for the next one."""
        finding_id = self._project.second.undo(by)
        if finding_id is None:
            return None
        own = self._own.get(finding_id)
        if own is not None:
            self._remarks[finding_id] = own.remark
        self._refresh(finding_id, by)
        return Change("undo", (finding_id,))

    def can_undo(self, by: str) -> bool:
        """True when the curator has a second decision to take back."""
        return self._project.second.can_undo(by)


class SettleDesk(_Desk):
    """Differences, each waiting until somebody decides what counts."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._open: dict[str, Difference] = {}

    def _listed(self, curator: str) -> set[str]:
        held = self._store.leases.held()
        self._open = {item.finding.id: item for item in self._project.second.differences()}
        return {name for name in self._open if held.get(name, curator) == curator}

    def _shown(self, finding: Finding) -> Finding:
        return replace(finding, decision=None, decision_text=None) if finding.id in self._open else finding

    def _on(self, asset_id: str) -> list[Finding]:
        stored = self._store.findings.select(FindingFilter(asset_id=asset_id), "file")
        return [self._shown(finding) for finding in stored]

    def said(self, finding: Finding) -> list[str]:
        """What each curator has said of an item, a line each; the decision that counts first."""
        item = self._open.get(finding.id)
        if item is None:
            return []
        first = item.finding
        lines = [said_words(item.first_by, first.decision, first.decision_text, first.remark)]
        return lines + [said_words(r.curator, r.kind, r.text, r.remark) for r in item.readings]

    def brief(self, finding: Finding) -> str:
        """The same in one short line, without texts and remarks."""
        item = self._open.get(finding.id)
        if item is None:
            return ""
        pairs = ((item.first_by, item.finding.decision), *item.seconds)
        return " · ".join(said_words(who, kind) for who, kind in pairs)

    def decide(
        self,
        finding_ids: Sequence[str],
        kind: DecisionKind,
        text: str | None = None,
        by: str = "curator",
        seen: Mapping[str, DecisionKind | None] | None = None,
    ) -> Change:
        """Settle a difference: this decision counts.

        Raises:
            KnownError: as :meth:`SecondDesk.settle` says.
        """
        for finding_id in finding_ids:
            self._project.second.settle(finding_id, kind, by, text)
            self._open.pop(finding_id, None)
        return Change("decide", tuple(finding_ids))

    def remark(self, finding_ids: Sequence[str], remark: Remark, by: str = "curator") -> Change:
        """Change the finding's remark, which stays with it."""
        return self._project.desk.remark(finding_ids, remark, by)

    def undo(self, by: str) -> Change | None:
        """Take back the curator's newest settlement."""
        finding_id = self._project.second.undo(by, final=True)
        if finding_id is None:
            return None
        self._open = {item.finding.id: item for item in self._project.second.differences()}
        return Change("undo", (finding_id,))

    def can_undo(self, by: str) -> bool:
        """True when the curator has settled something that can be taken back."""
        return self._project.second.can_undo(by, final=True)


class _DeskOf(Protocol):
    """Makes a desk of a project."""

    def __call__(self, project: Project) -> BlindDesk | SettleDesk: ...


class SecondProject:
    """What a review page needs of a project, with another desk; ``blind`` hides what curators decided."""

    def __init__(self, project: Project, desk: _DeskOf, is_blind: bool) -> None:
        self._project, self._blind = project, is_blind
        self.desk = desk(project)
        self.store = project.store

    def frame_count(self, asset_id: str) -> int:
        """As the project says."""
        return self._project.frame_count(asset_id)

    def frame_view(self, asset_id: str, index: int) -> FrameView:
        """As the project shows it."""
        return self._project.frame_view(asset_id, index)

    def preview_view(self, asset_id: str, index: int) -> FrameView:
        """As it would be released, with every proposal taken where the reader must be blind."""
        return self._project.preview_view(asset_id, index, blind=self._blind)

    def header(self, asset_id: str) -> list[HeaderRow]:
        """Every header element before and after, likewise."""
        return self._project.header(asset_id, blind=self._blind)

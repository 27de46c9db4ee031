"""Findings with their evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, Text, case, cast, delete, func, insert, or_, select, update

from deidra.app.domain.geometry import as_polygon
from deidra.app.domain.model import (
    Action,
    AssetStatus,
    DecisionKind,
    Finding,
    Grounds,
    ReasonCode,
    Remark,
    Verdict,
)
from deidra.app.domain.taxonomy import EntityType
from deidra.storage import schema
from deidra.storage.assets import evidence_of, evidence_values
from deidra.storage.audit import now
from deidra.storage.database import Database

_SQL_VARIABLES = 500
"""SQLite limits the variables of one statement; long lists of ids go in slices of this length."""


@dataclass(frozen=True, slots=True)
class FindingFilter:
    """Which findings are wanted. ``None`` means "any"; all conditions must hold."""

    pending: bool | None = None
    verdict: Verdict | None = None
    asset_id: str | None = None
    type: EntityType | None = None
    text: str | None = None
    regions: bool | None = None
    decided: bool | None = None
    reason: str | None = None
    flagged: bool | None = None
    free_for: str | None = None
    """A curator: what others have leased is left out."""


SORTS = {
    "leak": (schema.findings.c.risk * (0.05 + schema.findings.c.variance)).desc(),
    "risk": schema.findings.c.risk.desc(),
    "uncertain": schema.findings.c.variance.desc(),
    "file": schema.findings.c.asset_id,
}
"""Orders of the queue; "leak" is expected leak: risk times uncertainty."""


class FindingTable:
    """Findings of all assets."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def replace(self, asset_id: str, findings: Sequence[Finding], status: AssetStatus = AssetStatus.DECIDED) -> None:
        """Make ``findings`` the findings of an asset and set its status, in one transaction.

        Decisions stay with findings whose id is the same. A finding that is no longer found but
        was decided upon is kept with verdict ignore, since its decision is part of the record. Boxes that
        curators drew stay as they are.
        """
        table = schema.findings
        with self._db.begin() as connection:
            old = {
                row.id: row
                for row in connection.execute(
                    select(table.c.id, table.c.decision, table.c.decision_text).where(
                        table.c.asset_id == asset_id, table.c.drawn == 0
                    )
                )
            }
            recorded = set(
                connection.scalars(
                    select(schema.decisions.c.finding_id)
                    .join(table, table.c.id == schema.decisions.c.finding_id)
                    .where(table.c.asset_id == asset_id, table.c.drawn == 0)
                )
            )
            new_ids = {finding.id for finding in findings}
            for slice_ in _slices([i for i in old if i not in recorded]):
                connection.execute(delete(table).where(table.c.id.in_(slice_)))
            for slice_ in _slices(list(recorded)):
                connection.execute(delete(schema.evidence).where(schema.evidence.c.finding_id.in_(slice_)))
            for slice_ in _slices([i for i in recorded if i not in new_ids]):
                connection.execute(
                    update(table)
                    .where(table.c.id.in_(slice_))
                    .values(verdict=Verdict.IGNORE.value, reason="no longer found")
                )
            fresh = []
            for ordinal, finding in enumerate(findings):
                values = finding_values(finding, ordinal)
                if finding.id in recorded:
                    connection.execute(update(table).where(table.c.id == finding.id).values(**values))
                else:
                    fresh.append(values)
            if fresh:
                connection.execute(insert(table), fresh)
            rows = [
                {"finding_id": finding.id, "ordinal": n, **evidence_values(item)}
                for finding in findings
                for n, item in enumerate(finding.evidence)
            ]
            if rows:
                connection.execute(insert(schema.evidence), rows)
            connection.execute(update(schema.assets).where(schema.assets.c.id == asset_id).values(status=status.value))

    def select(
        self,
        wanted: FindingFilter | None = None,
        sort: str = "file",
        offset: int = 0,
        limit: int | None = None,
        with_evidence: bool = True,
    ) -> list[Finding]:
        """A page of findings. Ties are broken by asset and position, so pages never overlap."""
        query = finding_query(wanted or FindingFilter(), sort, offset, limit)
        with self._db.read() as connection:
            rows = connection.execute(query).all()
            evidence = _evidence_of(connection, [row.id for row in rows]) if with_evidence else {}
        return [_finding(row, evidence.get(row.id, [])) for row in rows]

    def drawn_among(self, ids: Sequence[str]) -> set[str]:
        """Those of the findings that curators drew."""
        table = schema.findings
        found: set[str] = set()
        with self._db.read() as connection:
            for slice_ in _slices(list(ids)):
                found.update(connection.scalars(select(table.c.id).where(table.c.id.in_(slice_), table.c.drawn == 1)))
        return found

    def waiting_like(self, text: str, asset_ids: Sequence[str]) -> list[Finding]:
        """Findings that wait and have this text (case ignored, empty for none), or lie on one of these assets."""
        table = schema.findings
        pending = _where(select(table), FindingFilter(pending=True))
        queries = [pending.where(table.c.asset_id.in_(slice_)) for slice_ in _slices(list(asset_ids))]
        if text:
            queries.append(pending.where(func.lower(table.c.text) == text.lower()))
        found: dict[str, Finding] = {}
        with self._db.read() as connection:
            for query in queries:
                for row in connection.execute(query.order_by(table.c.asset_id, table.c.ordinal)):
                    found.setdefault(row.id, _finding(row, ()))
        return list(found.values())

    def waiting_pages_showing(self, texts: Sequence[str], least: int) -> list[tuple[str, int]]:
        """Pages of documents, by asset and number, on which ``least`` of these texts were read as whole lines.

        Pages of documents on which nothing waits are left out.
        """
        table, frames = schema.findings, schema.frames
        waits = _where(select(table.c.asset_id).distinct(), FindingFilter(pending=True)).where(
            table.c.page.is_not(None)
        )
        # Lines are stored as JSON, and what any reader says of a line stands there in the same form.
        stored = cast(frames.c.lines, Text)
        shown = [case((stored.contains(json.dumps(text), autoescape=True), 1), else_=0) for text in texts]
        if not shown:
            return []
        query = (
            select(frames.c.asset_id, frames.c.frame_index)
            .where(frames.c.asset_id.in_(waits), sum(shown[1:], shown[0]) >= least)
            .order_by(frames.c.asset_id, frames.c.frame_index)
        )
        with self._db.read() as connection:
            return [(row.asset_id, row.frame_index) for row in connection.execute(query)]

    def count(self, wanted: FindingFilter | None = None) -> int:
        """How many findings match."""
        query = _where(select(func.count()).select_from(schema.findings), wanted or FindingFilter())
        with self._db.read() as connection:
            return int(connection.execute(query).scalar_one())

    def get(self, finding_id: str) -> Finding:
        """One finding with its evidence.

        Raises:
            KeyError: there is no such finding.
        """
        with self._db.read() as connection:
            row = connection.execute(select(schema.findings).where(schema.findings.c.id == finding_id)).one_or_none()
            if row is None:
                raise KeyError(finding_id)
            return _finding(row, _evidence_of(connection, [row.id]).get(row.id, []))

    def pending_by_asset(self) -> dict[str, int]:
        """How many findings wait for a curator, by asset id (quarantined assets do not count)."""
        table = schema.findings
        query = _where(select(table.c.asset_id, func.count().label("waiting")), FindingFilter(pending=True)).group_by(
            table.c.asset_id
        )
        with self._db.read() as connection:
            return {row.asset_id: row.waiting for row in connection.execute(query)}

    def pending_by_reason(self) -> list[tuple[str, int]]:
        """Why findings wait for a curator, and how many for each reason, the most frequent first."""
        table = schema.findings
        count = func.count().label("waiting")
        query = _where(select(table.c.reason, count), FindingFilter(pending=True))
        query = query.group_by(table.c.reason).order_by(count.desc(), table.c.reason)
        with self._db.read() as connection:
            return [(row.reason, row.waiting) for row in connection.execute(query)]


def finding_query(wanted: FindingFilter, sort: str, offset: int = 0, limit: int | None = None) -> Select[Any]:
    """A query for a page of findings."""
    order = (SORTS[sort], schema.findings.c.asset_id, schema.findings.c.ordinal)
    return _where(select(schema.findings), wanted).order_by(*order).offset(offset).limit(limit)


def kind_of(value: str | None) -> DecisionKind | None:
    """A stored decision; None where there is none."""
    return DecisionKind(value) if value else None


def _slices(ids: list[str]) -> Iterable[list[str]]:
    return (ids[i : i + _SQL_VARIABLES] for i in range(0, len(ids), _SQL_VARIABLES))


def _where(query: Select[Any], wanted: FindingFilter) -> Select[Any]:
    table = schema.findings
    # A drawn box whose decision was taken back is there for redo alone.
    query = query.where(or_(table.c.drawn == 0, table.c.decision.is_not(None)))
    if wanted.pending is not None:
        quarantined = select(schema.assets.c.id).where(schema.assets.c.status == AssetStatus.QUARANTINED.value)
        waiting = (table.c.verdict == Verdict.QUEUE.value) & table.c.decision.is_(None)
        query = query.where(waiting & table.c.asset_id.not_in(quarantined) if wanted.pending else ~waiting)
    if wanted.verdict is not None:
        query = query.where(table.c.verdict == wanted.verdict.value)
    if wanted.asset_id is not None:
        query = query.where(table.c.asset_id == wanted.asset_id)
    if wanted.type is not None:
        query = query.where(table.c.type == wanted.type.value)
    if wanted.reason is not None:
        query = query.where(table.c.reason == wanted.reason)
    if wanted.text:
        query = query.where(
            or_(
                table.c.text.icontains(wanted.text, autoescape=True),
                table.c.tag.icontains(wanted.text, autoescape=True),
            )
        )
    if wanted.regions is not None:
        query = query.where(table.c.tag.is_(None) if wanted.regions else table.c.tag.is_not(None))
    if wanted.decided is not None:
        query = query.where(table.c.decision.is_not(None) if wanted.decided else table.c.decision.is_(None))
    if wanted.flagged is not None:
        query = query.where(table.c.flagged == int(wanted.flagged))
    if wanted.free_for is not None:
        leases = schema.leases
        held = select(leases.c.finding_id).where(leases.c.curator != wanted.free_for, leases.c.until > now())
        query = query.where(table.c.id.not_in(held))
    return query


def _evidence_of(connection: Connection, ids: list[str]) -> dict[str, list[Any]]:
    table = schema.evidence
    found: dict[str, list[Any]] = {}
    for slice_ in _slices(ids):
        query = select(table).where(table.c.finding_id.in_(slice_)).order_by(table.c.finding_id, table.c.ordinal)
        for row in connection.execute(query):
            found.setdefault(row.finding_id, []).append(evidence_of(row._asdict()))
    return found


def finding_values(finding: Finding, ordinal: int) -> dict[str, Any]:
    """The columns of a finding, its decision and remark left out: only operations change these."""
    return {
        "id": finding.id,
        "asset_id": finding.asset_id,
        "frame": finding.frame,
        "page": finding.page,
        "polygon": finding.polygon,
        "tag": finding.tag,
        "text": finding.text,
        "type": finding.type.value if finding.type else None,
        "score": finding.score,
        "variance": finding.variance,
        "risk": finding.risk,
        "verdict": finding.verdict.value,
        "action": finding.action.value,
        "reason": finding.reason,
        "proposal": finding.proposal,
        "grounds": _grounds_values(finding.grounds),
        "drawn": int(finding.drawn),
        "ordinal": ordinal,
    }


def _grounds_values(grounds: Grounds | None) -> dict[str, Any] | None:
    if grounds is None:
        return None
    kind = grounds.type.value if grounds.type else None
    return {"type": kind, "certain": grounds.certain, "asked": grounds.asked}


def _grounds(values: Mapping[str, Any] | None) -> Grounds | None:
    if values is None:
        return None
    return Grounds(EntityType(values["type"]) if values["type"] else None, values["certain"], values["asked"])


def _finding(row: Row[Any], evidence: Iterable[Any]) -> Finding:
    return Finding(
        id=row.id,
        asset_id=row.asset_id,
        frame=row.frame,
        page=row.page,
        polygon=as_polygon(row.polygon) if row.polygon is not None else None,
        tag=row.tag,
        text=row.text,
        type=EntityType(row.type) if row.type else None,
        score=row.score,
        variance=row.variance,
        risk=row.risk,
        verdict=Verdict(row.verdict),
        action=Action(row.action),
        reason=row.reason,
        proposal=row.proposal,
        evidence=tuple(evidence),
        decision=kind_of(row.decision),
        decision_text=row.decision_text,
        grounds=_grounds(row.grounds),
        drawn=bool(row.drawn),
        remark=Remark(bool(row.flagged), row.note, ReasonCode(row.reason_code), row.fill),
    )

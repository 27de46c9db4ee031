"""Findings with their evidence, and the curators' decisions on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, func, insert, or_, select, update

from deidra.app.domain.geometry import as_polygon
from deidra.app.domain.model import Action, AssetStatus, DecisionKind, Finding, Grounds, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.storage import audit, schema
from deidra.storage.assets import evidence_of, evidence_values
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


SORTS = {
    "leak": (schema.findings.c.risk * (0.05 + schema.findings.c.variance)).desc(),
    "risk": schema.findings.c.risk.desc(),
    "uncertain": schema.findings.c.variance.desc(),
    "file": schema.findings.c.asset_id,
}
"""Orders of the queue; "leak" is expected leak: risk times uncertainty."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision to store: ``kind`` None returns the finding to undecided."""

    finding_id: str
    kind: DecisionKind | None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One step of a curator: a decision on some findings, or the undo or redo of such a step."""

    id: int
    kind: str
    target: int | None
    actor: str
    at: str


class FindingTable:
    """Findings of all assets."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def replace(self, asset_id: str, findings: Sequence[Finding], status: AssetStatus = AssetStatus.DECIDED) -> None:
        """Make ``findings`` the findings of an asset and set its status, in one transaction.

        Decisions stay with findings whose id is the same. A finding that is no longer found but
        was decided upon is kept with verdict ignore, since its decision is part of the record.
        """
        table = schema.findings
        with self._db.begin() as connection:
            old = {
                row.id: row
                for row in connection.execute(
                    select(table.c.id, table.c.decision, table.c.decision_text).where(table.c.asset_id == asset_id)
                )
            }
            recorded = set(
                connection.scalars(
                    select(schema.decisions.c.finding_id)
                    .join(table, table.c.id == schema.decisions.c.finding_id)
                    .where(table.c.asset_id == asset_id)
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
                values = _finding_values(finding, ordinal)
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
        query = _where(select(schema.findings), wanted or FindingFilter())
        order = (SORTS[sort], schema.findings.c.asset_id, schema.findings.c.ordinal)
        query = query.order_by(*order).offset(offset).limit(limit)
        with self._db.read() as connection:
            rows = connection.execute(query).all()
            evidence = _evidence_of(connection, [row.id for row in rows]) if with_evidence else {}
        return [_finding(row, evidence.get(row.id, [])) for row in rows]

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


class DecisionTable:
    """Curators' decisions: operations and their effects, append-only, with persistent undo and redo."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def apply(self, kind: str, choices: Iterable[Choice], actor: str, target: int | None = None) -> int:
        """Store one operation and make its choices current, with an audit row, in one transaction.

        Args:
            kind: ``decide``, ``undo`` or ``redo``.
            choices: what each finding is after the operation.
            actor: the curator's name.
            target: the operation that is undone or redone.

        Returns:
            The id of the operation.

        Raises:
            KeyError: a finding does not exist; nothing is stored then.
        """
        with self._db.begin() as connection:
            result = connection.execute(
                insert(schema.operations)
                .values(kind=kind, target=target, actor=actor, at=audit.now())
                .returning(schema.operations.c.id)
            )
            operation = int(result.scalar_one())
            counts: dict[str, int] = {}
            for choice in choices:
                self._apply_one(connection, operation, choice)
                name = choice.kind.value if choice.kind else "undecided"
                counts[name] = counts.get(name, 0) + 1
            audit.append(connection, actor, kind, {"operation": operation, "target": target, "counts": counts})
            return operation

    @staticmethod
    def _apply_one(connection: Connection, operation: int, choice: Choice) -> None:
        table = schema.findings
        where = table.c.id == choice.finding_id
        before = connection.execute(select(table.c.decision, table.c.decision_text).where(where)).one_or_none()
        if before is None:
            raise KeyError(choice.finding_id)
        kind = choice.kind.value if choice.kind else None
        connection.execute(
            insert(schema.decisions).values(
                operation_id=operation,
                finding_id=choice.finding_id,
                before_kind=before.decision,
                before_text=before.decision_text,
                kind=kind,
                text=choice.text,
            )
        )
        connection.execute(update(table).where(where).values(decision=kind, decision_text=choice.text))

    def operations(self) -> list[Operation]:
        """All operations, oldest first."""
        query = select(schema.operations).order_by(schema.operations.c.id)
        with self._db.read() as connection:
            return [Operation(r.id, r.kind, r.target, r.actor, r.at) for r in connection.execute(query)]

    def effects(self, operation: int) -> list[tuple[Choice, Choice]]:
        """What each finding was before and after an operation."""
        table = schema.decisions
        query = select(table).where(table.c.operation_id == operation).order_by(table.c.id)
        with self._db.read() as connection:
            return [
                (
                    Choice(r.finding_id, _kind(r.before_kind), r.before_text),
                    Choice(r.finding_id, _kind(r.kind), r.text),
                )
                for r in connection.execute(query)
            ]


def _kind(value: str | None) -> DecisionKind | None:
    return DecisionKind(value) if value else None


def _slices(ids: list[str]) -> Iterable[list[str]]:
    return (ids[i : i + _SQL_VARIABLES] for i in range(0, len(ids), _SQL_VARIABLES))


def _where(query: Select[Any], wanted: FindingFilter) -> Select[Any]:
    table = schema.findings
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
    return query


def _evidence_of(connection: Connection, ids: list[str]) -> dict[str, list[Any]]:
    table = schema.evidence
    found: dict[str, list[Any]] = {}
    for slice_ in _slices(ids):
        query = select(table).where(table.c.finding_id.in_(slice_)).order_by(table.c.finding_id, table.c.ordinal)
        for row in connection.execute(query):
            found.setdefault(row.finding_id, []).append(evidence_of(row._asdict()))
    return found


def _finding_values(finding: Finding, ordinal: int) -> dict[str, Any]:
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
        decision=_kind(row.decision),
        decision_text=row.decision_text,
        grounds=_grounds(row.grounds),
    )

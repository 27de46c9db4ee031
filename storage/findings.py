"""Findings with their evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, Text, case, cast, delete, func, insert, select, update

from deidra.app.domain.geometry import as_polygon
from deidra.app.domain.model import (
    Action,
    AssetKind,
    AssetStatus,
    DecisionKind,
    Finding,
    Grounds,
    Identifier,
    ReasonCode,
    Remark,
    Verdict,
)
from deidra.app.domain.taxonomy import EntityType
from deidra.storage import schema
from deidra.storage.assets import evidence_of, evidence_values
from deidra.storage.database import Database
from deidra.storage.finding_query import SORTS, FindingFilter, as_it_is, finding_query, matching, where_wanted

__all__ = [
    "SORTS",
    "FindingFilter",
    "FindingTable",
    "Judged",
    "decoy_evidence",
    "finding_of",
    "finding_query",
    "finding_values",
    "kind_of",
    "slices",
]

_SQL_VARIABLES = 500
"""SQLite limits the variables of one statement; long lists of ids go in slices of this length."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of a finding without its text and place."""

    id: str
    type: EntityType | None
    risk: float
    decision: DecisionKind | None
    drawn: bool


@dataclass(frozen=True, slots=True)
class Sure:
    """What one of some agents says with a score of at least ``score`` and a variance of at most ``variance``."""

    agents: Sequence[str]
    score: float
    variance: float


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
            for slice_ in slices([i for i in old if i not in recorded]):
                connection.execute(delete(table).where(table.c.id.in_(slice_)))
            for slice_ in slices(list(recorded)):
                connection.execute(delete(schema.evidence).where(schema.evidence.c.finding_id.in_(slice_)))
            for slice_ in slices([i for i in recorded if i not in new_ids]):
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

    def agreed(self, types: Iterable[EntityType], first: Sure, others: Sure) -> list[Identifier]:
        """Texts on DICOM images that are covered without asking, and of which two kinds of agents say the same type.

        Args:
            types: the types that count.
            first: whose text is taken.
            others: of whom one must say the same type of a part of the same finding.

        Returns:
            Each once for a patient, in a stable order; ``source`` is empty.
        """
        findings, assets = schema.findings, schema.assets
        says, agrees = schema.evidence.alias(), schema.evidence.alias()
        second = select(agrees.c.finding_id).where(
            agrees.c.finding_id == findings.c.id, agrees.c.type == findings.c.type, *_sure(agrees, others)
        )
        query = (
            select(assets.c.patient_key, says.c.type, says.c.text)
            .join(findings, findings.c.id == says.c.finding_id)
            .join(assets, assets.c.id == findings.c.asset_id)
            .where(assets.c.kind == AssetKind.DICOM.value, findings.c.tag.is_(None), says.c.type == findings.c.type)
            .where(findings.c.verdict == Verdict.AUTO.value, findings.c.drawn == 0)
            .where(findings.c.type.in_([kind.value for kind in types]), *_sure(says, first), second.exists())
            .distinct()
            .order_by(assets.c.patient_key, says.c.type, says.c.text)
        )
        with self._db.read() as connection:
            return [
                Identifier(row.patient_key, EntityType(row.type), row.text, "") for row in connection.execute(query)
            ]

    def select(
        self,
        wanted: FindingFilter | None = None,
        sort: str = "file",
        offset: int = 0,
        limit: int | None = None,
        with_evidence: bool = True,
    ) -> list[Finding]:
        """A page of findings. Ties are broken by asset and position, so pages never overlap."""
        wanted = wanted or FindingFilter()
        with self._db.read() as connection:
            wanted = as_it_is(connection, wanted)
            query = finding_query(wanted, sort, offset, limit)
            rows = connection.execute(query).all()
            evidence = _evidence_of(connection, [row.id for row in rows]) if with_evidence else {}
            if wanted.with_decoys and with_evidence:
                evidence |= decoy_evidence(connection, [row.id for row in rows])
        return [finding_of(row, evidence.get(row.id, [])) for row in rows]

    def ids(self, wanted: FindingFilter, sort: str = "file") -> list[str]:
        """The ids of all findings that match, in order, without decoys."""
        with self._db.read() as connection:
            query = finding_query(replace(wanted, with_decoys=False), sort)
            return list(connection.scalars(query.with_only_columns(schema.findings.c.id)))

    def judged(self, wanted: FindingFilter | None = None, ids: Sequence[str] | None = None) -> list[Judged]:
        """Findings in brief, in the order of files: those that match, or of some ids in any order."""
        table = schema.findings
        brief = select(table.c.id, table.c.type, table.c.risk, table.c.decision, table.c.drawn)
        queries = [where_wanted(brief, wanted or FindingFilter()).order_by(table.c.asset_id, table.c.ordinal)]
        if ids is not None:
            queries = [query.where(table.c.id.in_(part)) for query in queries for part in slices(list(ids))]
        with self._db.read() as connection:
            return [
                Judged(
                    row.id, EntityType(row.type) if row.type else None, row.risk, kind_of(row.decision), bool(row.drawn)
                )
                for query in queries
                for row in connection.execute(query)
            ]

    def many(self, ids: Sequence[str]) -> dict[str, Finding]:
        """Findings with their evidence by id; ids that there are none of are left out."""
        table = schema.findings
        found: dict[str, Finding] = {}
        with self._db.read() as connection:
            evidence = _evidence_of(connection, list(ids))
            for part in slices(list(ids)):
                for row in connection.execute(select(table).where(table.c.id.in_(part))):
                    found[row.id] = finding_of(row, evidence.get(row.id, ()))
        return found

    def drawn_among(self, ids: Sequence[str]) -> set[str]:
        """Those of the findings that curators drew."""
        table = schema.findings
        found: set[str] = set()
        with self._db.read() as connection:
            for slice_ in slices(list(ids)):
                found.update(connection.scalars(select(table.c.id).where(table.c.id.in_(slice_), table.c.drawn == 1)))
        return found

    def waiting_like(self, text: str, asset_ids: Sequence[str]) -> list[Finding]:
        """Findings that wait and have this text (case ignored, empty for none), or lie on one of these assets."""
        table = schema.findings
        pending = where_wanted(select(table), FindingFilter(pending=True))
        queries = [pending.where(table.c.asset_id.in_(slice_)) for slice_ in slices(list(asset_ids))]
        if text:
            queries.append(pending.where(func.lower(table.c.text) == text.lower()))
        found: dict[str, Finding] = {}
        with self._db.read() as connection:
            for query in queries:
                for row in connection.execute(query.order_by(table.c.asset_id, table.c.ordinal)):
                    found.setdefault(row.id, finding_of(row, ()))
        return list(found.values())

    def waiting_pages_showing(self, texts: Sequence[str], least: int) -> list[tuple[str, int]]:
        """Pages of documents, by asset and number, on which ``least`` of these texts were read as whole lines.

        Pages of documents on which nothing waits are left out.
        """
        table, frames = schema.findings, schema.frames
        waits = where_wanted(select(table.c.asset_id).distinct(), FindingFilter(pending=True)).where(
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
        wanted = wanted or FindingFilter()
        with self._db.read() as connection:
            query = select(func.count()).select_from(matching(as_it_is(connection, wanted)))
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
            return finding_of(row, _evidence_of(connection, [row.id]).get(row.id, []))

    def pending_by_asset(self) -> dict[str, int]:
        """How many findings wait for a curator, by asset id (quarantined assets do not count)."""
        table = schema.findings
        query = where_wanted(
            select(table.c.asset_id, func.count().label("waiting")), FindingFilter(pending=True)
        ).group_by(table.c.asset_id)
        with self._db.read() as connection:
            return {row.asset_id: row.waiting for row in connection.execute(query)}

    def pending_by_reason(self) -> list[tuple[str, int]]:
        """Why findings wait for a curator, and how many for each reason, the most frequent first."""
        table = schema.findings
        count = func.count().label("waiting")
        query = where_wanted(select(table.c.reason, count), FindingFilter(pending=True))
        query = query.group_by(table.c.reason).order_by(count.desc(), table.c.reason)
        with self._db.read() as connection:
            return [(row.reason, row.waiting) for row in connection.execute(query)]


def decoy_evidence(connection: Connection, ids: list[str]) -> dict[str, list[Any]]:
    """The evidence of those that are decoys, by id."""
    table = schema.decoys
    found: dict[str, list[Any]] = {}
    for slice_ in slices(ids):
        for row in connection.execute(select(table.c.id, table.c.evidence).where(table.c.id.in_(slice_))):
            found[row.id] = [evidence_of(values) for values in row.evidence]
    return found


def kind_of(value: str | None) -> DecisionKind | None:
    """A stored decision; None where there is none."""
    return DecisionKind(value) if value else None


def _sure(table: Any, wanted: Sure) -> tuple[Any, ...]:
    score, variance = table.c.score >= wanted.score, table.c.variance <= wanted.variance
    return table.c.agent.in_(wanted.agents), score, variance, table.c.text.is_not(None)


def slices(ids: list[str]) -> Iterable[list[str]]:
    """Long lists of ids in parts that one statement takes."""
    return (ids[i : i + _SQL_VARIABLES] for i in range(0, len(ids), _SQL_VARIABLES))


def _evidence_of(connection: Connection, ids: list[str]) -> dict[str, list[Any]]:
    table = schema.evidence
    found: dict[str, list[Any]] = {}
    for slice_ in slices(ids):
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


def finding_of(row: Row[Any], evidence: Iterable[Any]) -> Finding:
    """The finding of a row, or the decoy."""
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

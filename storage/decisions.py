"""The curators' decisions on findings, with the boxes they drew and their remarks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import DecisionKind, Finding, ReasonCode, Remark
from deidra.storage import audit, schema
from deidra.storage.assets import evidence_values
from deidra.storage.database import Database
from deidra.storage.findings import finding_values, kind_of
from deidra.storage.leases import settle

_FIRST_DRAWN = 1_000_000
"""Drawn boxes come after all that was found on an asset, in the order in which they were drawn."""


_REMARK = ("flagged", "note", "reason_code", "fill")
"""Columns of a remark."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision to store: ``kind`` None returns the finding to undecided, ``remark`` None leaves the remark."""

    finding_id: str
    kind: DecisionKind | None
    text: str | None = None
    remark: Remark | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One step of a curator: a decision on some findings, or the undo or redo of such a step."""

    id: int
    kind: str
    target: int | None
    actor: str
    at: str


class DecisionTable:
    """Curators' decisions: operations and their effects, append-only, with persistent undo and redo."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def apply(
        self,
        kind: str,
        choices: Iterable[Choice],
        actor: str,
        target: int | None = None,
        drawn: Sequence[Finding] = (),
        seen: Mapping[str, DecisionKind | None] | None = None,
    ) -> int:
        """Store one operation and make its choices current, with an audit row, in one transaction.

        Args:
            kind: ``decide``, ``undo`` or ``redo``.
            choices: what each finding is after the operation.
            actor: the curator's name.
            target: the operation that is undone or redone.
            drawn: new findings that a curator drew; the choices say what becomes of them.
            seen: by finding, the decision that the curator saw; nothing is checked where there is none.

        Returns:
            The id of the operation.

        Raises:
            KeyError: a finding does not exist; nothing is stored then.
            KnownError: another curator has a finding, or has decided on it; nothing is stored then.
        """
        with self._db.begin() as connection:
            return store_operation(connection, kind, choices, actor, target, drawn, seen)

    def operations(self) -> list[Operation]:
        """All operations, oldest first."""
        query = select(schema.operations).order_by(schema.operations.c.id)
        with self._db.read() as connection:
            return [Operation(r.id, r.kind, r.target, r.actor, r.at) for r in connection.execute(query)]

    def newest_by_others(self, curator: str) -> int:
        """The id of the newest operation of anybody else; 0 where there is none."""
        table = schema.operations
        with self._db.read() as connection:
            newest = connection.execute(select(func.max(table.c.id)).where(table.c.actor != curator)).scalar()
        return int(newest or 0)

    def effects(self, operation: int) -> list[tuple[Choice, Choice]]:
        """What each finding was before and after an operation."""
        with self._db.read() as connection:
            return effects_of(connection, operation)


def effects_of(connection: Connection, operation: int) -> list[tuple[Choice, Choice]]:
    """What :meth:`DecisionTable.effects` tells, inside the caller's transaction."""
    table = schema.decisions
    query = select(table).where(table.c.operation_id == operation).order_by(table.c.id)
    return [
        (
            Choice(
                r.finding_id,
                kind_of(r.before_kind),
                r.before_text,
                _remark(r.before_flagged, r.before_note, r.before_reason_code, r.before_fill),
            ),
            Choice(r.finding_id, kind_of(r.kind), r.text, _remark(r.flagged, r.note, r.reason_code, r.fill)),
        )
        for r in connection.execute(query)
    ]


def store_operation(
    connection: Connection,
    kind: str,
    choices: Iterable[Choice],
    actor: str,
    target: int | None = None,
    drawn: Sequence[Finding] = (),
    seen: Mapping[str, DecisionKind | None] | None = None,
) -> int:
    """What :meth:`DecisionTable.apply` does, inside the caller's transaction."""
    chosen = list(choices)
    result = connection.execute(
        insert(schema.operations)
        .values(kind=kind, target=target, actor=actor, at=audit.now())
        .returning(schema.operations.c.id)
    )
    operation = int(result.scalar_one())
    counts: dict[str, int] = {"drawn": len(drawn)} if drawn else {}
    for finding in drawn:
        _insert_drawn(connection, finding)
    settle(connection, [choice.finding_id for choice in chosen], actor)
    for choice in chosen:
        _apply_one(connection, operation, choice, seen or {})
        name = choice.kind.value if choice.kind else "undecided"
        counts[name] = counts.get(name, 0) + 1
        if choice.remark is not None and choice.remark.flagged:
            counts["flagged"] = counts.get("flagged", 0) + 1
    audit.append(connection, actor, kind, {"operation": operation, "target": target, "counts": counts})
    return operation


def _apply_one(connection: Connection, operation: int, choice: Choice, seen: Mapping[str, DecisionKind | None]) -> None:
    table = schema.findings
    where = table.c.id == choice.finding_id
    columns = (table.c.decision, table.c.decision_text, *(table.c[name] for name in _REMARK))
    before = connection.execute(select(*columns).where(where)).one_or_none()
    if before is None:
        raise KeyError(choice.finding_id)
    if choice.finding_id in seen and kind_of(before.decision) is not seen[choice.finding_id]:
        raise KnownError("Another curator has decided on this item.", "Look at it again before you change that.")
    kind = choice.kind.value if choice.kind else None
    remark = {name: getattr(before, name) for name in _REMARK}
    after = remark if choice.remark is None else remark_values(choice.remark)
    connection.execute(
        insert(schema.decisions).values(
            operation_id=operation,
            finding_id=choice.finding_id,
            before_kind=before.decision,
            before_text=before.decision_text,
            kind=kind,
            text=choice.text,
            **{f"before_{name}": value for name, value in remark.items()},
            **after,
        )
    )
    connection.execute(update(table).where(where).values(decision=kind, decision_text=choice.text, **after))


def _insert_drawn(connection: Connection, finding: Finding) -> None:
    table = schema.findings
    query = select(func.count()).where(table.c.asset_id == finding.asset_id, table.c.drawn == 1)
    number = int(connection.execute(query).scalar_one())
    connection.execute(insert(table).values(**finding_values(finding, _FIRST_DRAWN + number)))
    rows = [
        {"finding_id": finding.id, "ordinal": n, **evidence_values(item)} for n, item in enumerate(finding.evidence)
    ]
    if rows:
        connection.execute(insert(schema.evidence), rows)


def remark_values(remark: Remark) -> dict[str, Any]:
    """The columns of a remark."""
    values = (int(remark.flagged), remark.note, remark.code.value, remark.fill)
    return dict(zip(_REMARK, values, strict=True))


def _remark(flagged: int | None, note: str | None, code: str | None, fill: str | None) -> Remark | None:
    """A stored remark; None where an older Deidra stored none."""
    return None if flagged is None else Remark(bool(flagged), note or "", ReasonCode(code or ""), fill or "")

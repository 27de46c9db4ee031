"""Second readings: what other curators decide without sight of the first decision, and what settles differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import NO_REMARK, DecisionKind, ReasonCode, Remark
from deidra.storage import audit, schema
from deidra.storage.database import Database
from deidra.storage.decisions import Choice, effects_of, store_operation
from deidra.storage.findings import kind_of
from deidra.storage.leases import settle

_TABLE = schema.second_decisions


@dataclass(frozen=True, slots=True)
class Reading:
    """One row: a second decision, or the one that settles a difference (``final``).

    ``first`` and ``first_by`` are the decision that counted at that time, and who had made it.
    """

    finding_id: str
    curator: str
    kind: DecisionKind
    text: str | None
    first: DecisionKind
    first_by: str
    final: bool
    remark: Remark = NO_REMARK


class ReadingTable:
    """Second and final decisions, append-only. What counts in a release is the finding's own decision, as ever."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(
        self,
        finding_id: str,
        curator: str,
        kind: DecisionKind,
        text: str | None = None,
        final: bool = False,
        remark: Remark = NO_REMARK,
    ) -> None:
        """Store a second decision; a final one also becomes the finding's own, by an operation.

        Args:
            finding_id: the finding.
            curator: who decides.
            kind: the decision.
            text: of a replacement.
            final: whether this settles a difference.
            remark: the note and the reason of a second decision; a final one leaves the finding's remark.

        Raises:
            KeyError: there is no such finding.
            KnownError: the finding has no first decision, the curator has made it or read it already, or another
                curator has the item; nothing is stored then.
        """
        findings = schema.findings
        with self._db.begin() as connection:
            row = connection.execute(select(findings.c.decision).where(findings.c.id == finding_id)).one_or_none()
            if row is None:
                raise KeyError(finding_id)
            first = kind_of(row.decision)
            if first is None:
                raise KnownError("This item has no first decision yet.", "Decide on it in the review.")
            first_by = _newest_decision(connection, finding_id)[1]
            settle(connection, [finding_id], curator)
            if not final and first_by == curator:
                raise KnownError("The first decision on this item is yours.", "Another curator has to read it.")
            standing = _standing(connection, finding_id)
            if not final and any(r.curator == curator and not r.final for r in standing):
                raise KnownError("You have read this item already.", "List what is left: deidra second list")
            operation = None
            if final:
                operation = store_operation(connection, "decide", [Choice(finding_id, kind, text)], curator)
            connection.execute(
                insert(_TABLE).values(
                    finding_id=finding_id,
                    curator=curator,
                    kind=kind.value,
                    text=text,
                    first_kind=first.value,
                    first_by=first_by,
                    final=int(final),
                    at=audit.now(),
                    note=remark.note,
                    reason_code=remark.code.value,
                    operation_id=operation,
                )
            )
            audit.append(connection, curator, "settled" if final else "second-reading", {"findings": 1})

    def undo(self, curator: str, final: bool) -> str | None:
        """Take back a curator's newest second decision, or the newest one with which the curator settled a difference.

        Returns:
            The id of the finding; None where there is nothing to take back.

        Raises:
            KnownError: the difference was settled since, somebody has decided on the item since it was settled, or
                another curator has the item; nothing is stored then.
        """
        with self._db.begin() as connection:
            row = _newest_of(connection, curator, final)
            if row is None:
                return None
            settle(connection, [row.finding_id], curator)
            if final:
                self._undo_operation(connection, row)
            elif any(other.final and other.id > row.id for other in _standing(connection, row.finding_id)):
                raise KnownError("This item has been settled since.", "Your decision stays in the record as it is.")
            same = ("finding_id", "curator", "kind", "text", "first_kind", "first_by", "final", "note", "reason_code")
            values = {name: getattr(row, name) for name in same}
            connection.execute(insert(_TABLE).values(**values, at=audit.now(), takes_back=row.id))
            event = "settled-undone" if final else "second-reading-undone"
            audit.append(connection, curator, event, {"findings": 1})
            return str(row.finding_id)

    @staticmethod
    def _undo_operation(connection: Connection, row: Row[Any]) -> None:
        if _newest_decision(connection, row.finding_id)[0] != row.operation_id:
            raise KnownError(
                "Somebody has decided on this item, or remarked on it, since you settled it.",
                "Look at it in the review, and decide on it there.",
            )
        before = [choice for choice, _after in effects_of(connection, row.operation_id)]
        store_operation(connection, "undo", before, row.curator, target=row.operation_id)

    def can_undo(self, curator: str, final: bool) -> bool:
        """True when a curator has a second decision, or one that settles a difference, to take back."""
        with self._db.read() as connection:
            return _newest_of(connection, curator, final) is not None

    def all(self) -> list[Reading]:
        """All decisions that were not taken back, oldest first."""
        with self._db.read() as connection:
            return [
                Reading(
                    r.finding_id,
                    r.curator,
                    DecisionKind(r.kind),
                    r.text,
                    DecisionKind(r.first_kind),
                    r.first_by,
                    bool(r.final),
                    Remark(note=r.note, code=ReasonCode(r.reason_code)),
                )
                for r in _standing(connection)
            ]

    def newest_by_others(self, curator: str) -> int:
        """A number that grows whenever anybody else reads, settles or takes that back."""
        with self._db.read() as connection:
            newest = connection.execute(select(func.max(_TABLE.c.id)).where(_TABLE.c.curator != curator)).scalar()
        return int(newest or 0)

    def first_curators(self) -> dict[str, str]:
        """By finding, who has made its newest decision."""
        operations, decisions = schema.operations, schema.decisions
        query = (
            select(decisions.c.finding_id, operations.c.actor)
            .join(operations, decisions.c.operation_id == operations.c.id)
            .order_by(decisions.c.id)
        )
        with self._db.read() as connection:
            return {row.finding_id: row.actor for row in connection.execute(query)}


def _standing(connection: Connection, finding_id: str | None = None) -> list[Row[Any]]:
    """Rows that are decisions and were not taken back, oldest first: of one finding, or of all."""
    query = select(_TABLE).order_by(_TABLE.c.id)
    if finding_id is not None:
        query = query.where(_TABLE.c.finding_id == finding_id)
    rows = connection.execute(query).all()
    gone = {row.takes_back for row in rows}
    return [row for row in rows if row.takes_back is None and row.id not in gone]


def _newest_of(connection: Connection, curator: str, final: bool) -> Row[Any] | None:
    """A curator's newest row that can be taken back; what an older Deidra has settled cannot."""
    undoing = _TABLE.alias("undoing")
    query = select(_TABLE).where(
        _TABLE.c.curator == curator,
        _TABLE.c.final == int(final),
        _TABLE.c.takes_back.is_(None),
        _TABLE.c.id.not_in(select(undoing.c.takes_back).where(undoing.c.takes_back.is_not(None))),
    )
    if final:
        query = query.where(_TABLE.c.operation_id.is_not(None))
    return connection.execute(query.order_by(_TABLE.c.id.desc()).limit(1)).one_or_none()


def _newest_decision(connection: Connection, finding_id: str) -> tuple[int, str]:
    """Operation and curator of a finding's newest decision."""
    operations, decisions = schema.operations, schema.decisions
    query = (
        select(decisions.c.operation_id, operations.c.actor)
        .join(operations, decisions.c.operation_id == operations.c.id)
        .where(decisions.c.finding_id == finding_id)
        .order_by(decisions.c.id.desc())
        .limit(1)
    )
    row = connection.execute(query).one()
    return int(row.operation_id), str(row.actor)

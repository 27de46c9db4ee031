"""Second readings: what other curators decide without sight of the first decision, and what settles differences."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import insert, select

from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import DecisionKind
from deidra.storage import audit, schema
from deidra.storage.database import Database
from deidra.storage.decisions import Choice, store_operation
from deidra.storage.findings import kind_of
from deidra.storage.leases import settle


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


class ReadingTable:
    """Second and final decisions, append-only. What counts in a release is the finding's own decision, as ever."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(
        self, finding_id: str, curator: str, kind: DecisionKind, text: str | None = None, final: bool = False
    ) -> None:
        """Store a second decision; a final one also becomes the finding's own, by an operation.

        Raises:
            KeyError: there is no such finding.
            KnownError: the finding has no first decision, the curator has made it or read it already, or another
                curator has the item; nothing is stored then.
        """
        findings, operations, decisions = schema.findings, schema.operations, schema.decisions
        newest = (
            select(operations.c.actor)
            .join(decisions, decisions.c.operation_id == operations.c.id)
            .where(decisions.c.finding_id == finding_id)
            .order_by(decisions.c.id.desc())
            .limit(1)
        )
        table = schema.second_decisions
        own = select(table.c.id).where(table.c.finding_id == finding_id, table.c.curator == curator, table.c.final == 0)
        with self._db.begin() as connection:
            row = connection.execute(select(findings.c.decision).where(findings.c.id == finding_id)).one_or_none()
            if row is None:
                raise KeyError(finding_id)
            first = kind_of(row.decision)
            if first is None:
                raise KnownError("This item has no first decision yet.", "Decide on it in the review.")
            first_by = str(connection.execute(newest).scalar_one())
            settle(connection, [finding_id], curator)
            if not final and first_by == curator:
                raise KnownError("The first decision on this item is yours.", "Another curator has to read it.")
            if not final and connection.execute(own).first() is not None:
                raise KnownError("You have read this item already.", "List what is left: deidra second list")
            if final:
                store_operation(connection, "decide", [Choice(finding_id, kind, text)], curator)
            connection.execute(
                insert(table).values(
                    finding_id=finding_id,
                    curator=curator,
                    kind=kind.value,
                    text=text,
                    first_kind=first.value,
                    first_by=first_by,
                    final=int(final),
                    at=audit.now(),
                )
            )
            audit.append(connection, curator, "settled" if final else "second-reading", {"findings": 1})

    def all(self) -> list[Reading]:
        """All rows, oldest first."""
        table = schema.second_decisions
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
                )
                for r in connection.execute(select(table).order_by(table.c.id))
            ]

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

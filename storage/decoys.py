"""Decoys: made-up items among those that wait, and what curators decided on them. Nothing else knows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, func, insert, select, update

from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import DecisionKind, Finding, Remark
from deidra.app.domain.taxonomy import EntityType
from deidra.storage import audit, schema
from deidra.storage.assets import evidence_of, evidence_values
from deidra.storage.database import Database
from deidra.storage.decisions import remark_values
from deidra.storage.findings import finding_of, finding_values, slices

_TABLE = schema.decoys
_FIRST = 500_000
"""Decoys come after all that was found on an asset, and before boxes that curators drew."""


@dataclass(frozen=True, slots=True)
class DecoyDecision:
    """What a curator decided on a decoy."""

    decoy_id: str
    curator: str
    type: EntityType | None
    kind: DecisionKind


class DecoyTable:
    """Decoys that wait, and those that were decided on, which are final."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def plant(self, decoys: Sequence[Finding], actor: str) -> None:
        """Put decoys in the place of those that wait. What was decided on stays, and is not planted again."""
        with self._db.begin() as connection:
            removed = connection.execute(delete(_TABLE).where(_TABLE.c.decision.is_(None))).rowcount
            decided = set(connection.scalars(select(_TABLE.c.id)))
            rows = [
                {**finding_values(decoy, _FIRST + n), "evidence": [evidence_values(item) for item in decoy.evidence]}
                for n, decoy in enumerate(decoys)
                if decoy.id not in decided
            ]
            if rows:
                connection.execute(insert(_TABLE), rows)
            if rows or removed:
                audit.append(connection, actor, "decoys-planted", {"decoys": len(rows), "removed": removed})

    def get(self, decoy_id: str) -> Finding:
        """One decoy, with the decision on it.

        Raises:
            KeyError: there is no such decoy.
        """
        with self._db.read() as connection:
            row = connection.execute(select(_TABLE).where(_TABLE.c.id == decoy_id)).one_or_none()
            if row is None:
                raise KeyError(decoy_id)
            return finding_of(row, [evidence_of(values) for values in row.evidence])

    def on(self, asset_id: str) -> list[Finding]:
        """The decoys that wait on an asset."""
        query = select(_TABLE).where(_TABLE.c.asset_id == asset_id, _TABLE.c.decision.is_(None))
        with self._db.read() as connection:
            rows = connection.execute(query.order_by(_TABLE.c.ordinal)).all()
        return [finding_of(row, [evidence_of(values) for values in row.evidence]) for row in rows]

    def among(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are decoys'."""
        found: set[str] = set()
        with self._db.read() as connection:
            for part in slices(list(ids)):
                found.update(connection.scalars(select(_TABLE.c.id).where(_TABLE.c.id.in_(part))))
        return found

    def decide(self, decoy_id: str, kind: DecisionKind, text: str | None, curator: str) -> None:
        """Store the decision on a decoy, which is final.

        Raises:
            KeyError: there is no such decoy.
            KnownError: somebody has decided on it already; nothing is stored then.
        """
        with self._db.begin() as connection:
            row = connection.execute(select(_TABLE).where(_TABLE.c.id == decoy_id)).one_or_none()
            if row is None:
                raise KeyError(decoy_id)
            if row.decision is not None:
                raise KnownError("This was a decoy, and its decision is final.", "Go on with the next item.")
            values = {"decision": kind.value, "decision_text": text}
            connection.execute(update(_TABLE).where(_TABLE.c.id == decoy_id).values(**values))
            connection.execute(
                insert(schema.decoy_decisions).values(
                    decoy_id=decoy_id, curator=curator, type=row.type, kind=kind.value, text=text, at=audit.now()
                )
            )
            audit.append(connection, curator, "decoy-decided", {"decoy": decoy_id, "kind": kind.value})

    def remark(self, decoy_id: str, remark: Remark) -> None:
        """Flag a decoy and note why, as with any item; nothing of it is kept beyond the decoy."""
        with self._db.begin() as connection:
            connection.execute(update(_TABLE).where(_TABLE.c.id == decoy_id).values(**remark_values(remark)))

    def decided(self) -> int:
        """How many decoys were decided on."""
        with self._db.read() as connection:
            return int(connection.execute(select(func.count()).select_from(schema.decoy_decisions)).scalar_one())

    def decisions(self) -> list[DecoyDecision]:
        """All decisions on decoys, oldest first."""
        table = schema.decoy_decisions
        with self._db.read() as connection:
            return [
                DecoyDecision(r.decoy_id, r.curator, EntityType(r.type) if r.type else None, DecisionKind(r.kind))
                for r in connection.execute(select(table).order_by(table.c.id))
            ]

"""One project's storage: the tables of a database behind small, typed interfaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import delete, insert, select, update

from deidra.storage import audit, schema
from deidra.storage.assets import AssetTable
from deidra.storage.database import Database
from deidra.storage.decisions import DecisionTable
from deidra.storage.decoys import DecoyTable
from deidra.storage.findings import FindingTable
from deidra.storage.leases import LeaseTable
from deidra.storage.readings import ReadingTable


class ProjectStore:
    """Everything a project remembers.

    Args:
        url: any SQLAlchemy URL; a project folder uses SQLite.

    Raises:
        StoreError: the database cannot be opened or was written by a newer Deidra.
    """

    def __init__(self, url: str) -> None:
        self._db = Database(url)
        self.assets = AssetTable(self._db)
        self.findings = FindingTable(self._db)
        self.decisions = DecisionTable(self._db)
        self.leases = LeaseTable(self._db)
        self.readings = ReadingTable(self._db)
        self.decoys = DecoyTable(self._db)

    def close(self) -> None:
        """Release the database."""
        self._db.close()

    def value(self, key: str) -> str | None:
        """A project setting, or None."""
        with self._db.read() as connection:
            return connection.execute(select(schema.meta.c.value).where(schema.meta.c.key == key)).scalar()

    def set_value(self, key: str, value: str) -> None:
        """Store a project setting."""
        with self._db.begin() as connection:
            connection.execute(delete(schema.meta).where(schema.meta.c.key == key))
            connection.execute(insert(schema.meta).values(key=key, value=value))

    def remember(self, kind: str, pairs: Mapping[str, str]) -> None:
        """Add original-to-surrogate pairs to the crosswalk; known originals keep their surrogate."""
        if not pairs:
            return
        table = schema.crosswalk
        mine = (table.c.kind == kind) & table.c.original.in_(list(pairs))
        with self._db.begin() as connection:
            known = set(connection.scalars(select(table.c.original).where(mine)))
            rows = [
                {"kind": kind, "original": original, "surrogate": surrogate}
                for original, surrogate in pairs.items()
                if original not in known
            ]
            if rows:
                connection.execute(insert(table), rows)

    def assign(self, kind: str, pairs: Mapping[str, str]) -> None:
        """Put original-to-surrogate pairs into the crosswalk; known originals get the new surrogate."""
        table = schema.crosswalk
        with self._db.begin() as connection:
            for original, surrogate in pairs.items():
                connection.execute(delete(table).where(table.c.kind == kind, table.c.original == original))
                connection.execute(insert(table).values(kind=kind, original=original, surrogate=surrogate))

    def crosswalk(self, kind: str) -> dict[str, str]:
        """All pairs of one kind, by original."""
        table = schema.crosswalk
        query = select(table.c.original, table.c.surrogate).where(table.c.kind == kind).order_by(table.c.original)
        with self._db.read() as connection:
            return {row.original: row.surrogate for row in connection.execute(query)}

    def start_job(self, kind: str, actor: str, data: Mapping[str, Any]) -> int:
        """Record that long work begins. Jobs left running by a crash are marked interrupted."""
        table = schema.jobs
        with self._db.begin() as connection:
            connection.execute(
                update(table).where(table.c.kind == kind, table.c.state == "running").values(state="interrupted")
            )
            result = connection.execute(
                insert(table)
                .values(kind=kind, state="running", started=audit.now(), ended=None, summary=dict(data))
                .returning(table.c.id)
            )
            audit.append(connection, actor, f"{kind}-started", data)
            return int(result.scalar_one())

    def end_job(self, job: int, kind: str, state: str, actor: str, summary: Mapping[str, Any]) -> None:
        """Record how long work ended: ``done``, ``cancelled`` or ``failed``."""
        table = schema.jobs
        with self._db.begin() as connection:
            connection.execute(
                update(table).where(table.c.id == job).values(state=state, ended=audit.now(), summary=dict(summary))
            )
            audit.append(connection, actor, f"{kind}-{state}", summary)

    def log(self, actor: str, event: str, data: Mapping[str, Any]) -> None:
        """Add one event to the audit log. ``data`` must hold ids and counts only, never PHI."""
        with self._db.begin() as connection:
            audit.append(connection, actor, event, data)

    def audit_rows(self) -> Iterable[audit.AuditRow]:
        """The audit log, oldest first."""
        with self._db.read() as connection:
            return audit.rows(connection)

    def broken_audit_row(self) -> int | None:
        """The first audit row whose hash chain does not hold; None when intact."""
        with self._db.read() as connection:
            return audit.first_broken_row(connection)

"""Leases: who is at work on which finding, so that no two curators get the same one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, delete, insert, select

from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import Finding
from deidra.storage import schema
from deidra.storage.audit import now, stamp
from deidra.storage.database import Database
from deidra.storage.findings import FindingFilter, finding_query

MINUTES = 10.0
"""How long a lease lasts that nobody renews."""
_TABLE = schema.leases


class LeaseTable:
    """One row for each finding that some curator has on the screen. A lease that has run out counts for nothing."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def take(self, seen: Finding, curator: str, minutes: float = MINUTES) -> bool:
        """Lease a finding, or renew its lease.

        Args:
            seen: the finding as the curator sees it.
            curator: who is at work on it.
            minutes: how long the lease lasts.

        Returns:
            False where another curator has it, or where it has another decision by now, or is gone.
        """
        table = schema.findings
        query = select(table.c.decision).where(table.c.id == seen.id)
        # The transaction takes the write lock before it reads: nobody comes between look and lease.
        with self._db.begin() as connection:
            row = connection.execute(query).one_or_none()
            if row is None or row.decision != (seen.decision.value if seen.decision else None):
                return False
            if holders(connection, [seen.id], curator):
                return False
            _lease(connection, seen.id, curator, minutes)
            return True

    def next(self, curator: str, sort: str = "leak", minutes: float = MINUTES) -> str | None:
        """Lease the first finding in order that waits and that no other curator has.

        Returns:
            Its id; None where there is none. It is the same again until it is decided or released.
        """
        wanted = FindingFilter(pending=True, free_for=curator)
        with self._db.begin() as connection:
            row = connection.execute(finding_query(wanted, sort, limit=1)).first()
            if row is None:
                return None
            _lease(connection, row.id, curator, minutes)
            return str(row.id)

    def release(self, curator: str) -> None:
        """Give back all that a curator has."""
        with self._db.begin() as connection:
            connection.execute(delete(_TABLE).where(_TABLE.c.curator == curator))

    def held(self) -> dict[str, str]:
        """The curator of every finding that is leased at present."""
        with self._db.read() as connection:
            rows = connection.execute(select(_TABLE.c.finding_id, _TABLE.c.curator).where(_TABLE.c.until > now()))
            return {row.finding_id: row.curator for row in rows}


def _lease(connection: Connection, finding_id: str, curator: str, minutes: float) -> None:
    until = stamp(datetime.now(UTC) + timedelta(minutes=minutes))
    connection.execute(delete(_TABLE).where((_TABLE.c.finding_id == finding_id) | (_TABLE.c.until <= now())))
    connection.execute(insert(_TABLE).values(finding_id=finding_id, curator=curator, until=until))


def holders(connection: Connection, finding_ids: Iterable[str], curator: str) -> set[str]:
    """The other curators who have some of these findings."""
    query = select(_TABLE.c.finding_id, _TABLE.c.curator).where(_TABLE.c.curator != curator, _TABLE.c.until > now())
    wanted = set(finding_ids)
    return {row.curator for row in connection.execute(query) if row.finding_id in wanted}


def settle(connection: Connection, finding_ids: Iterable[str], curator: str) -> None:
    """Inside the transaction of a decision: refuse what others have, and give back what is decided.

    Raises:
        KnownError: another curator has one of the findings.
    """
    ids = list(finding_ids)
    others = holders(connection, ids, curator)
    if others:
        raise KnownError(
            f"{', '.join(sorted(others))} is at work on this item.",
            "Go on with the next one; this one comes back if it is left undecided.",
        )
    for finding_id in ids:
        connection.execute(delete(_TABLE).where(_TABLE.c.finding_id == finding_id))

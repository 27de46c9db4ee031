"""The audit log: append-only rows, each holding a hash over itself and the row before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from deidra.storage.schema import audit

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One event: who did what, when. ``data`` holds ids and counts, never PHI."""

    id: int
    at: str
    actor: str
    event: str
    data: Mapping[str, Any]


def now() -> str:
    """The current time in UTC, ISO 8601 to the millisecond."""
    return stamp(datetime.now(UTC))


def stamp(moment: datetime) -> str:
    """A time in UTC, ISO 8601 to the millisecond; such texts sort as the times do."""
    return moment.isoformat(timespec="milliseconds")


def _digest(previous: str, at: str, actor: str, event: str, data: str) -> str:
    return hashlib.sha256(json.dumps([previous, at, actor, event, data]).encode()).hexdigest()


def append(connection: Connection, actor: str, event: str, data: Mapping[str, Any]) -> None:
    """Add one event inside the caller's transaction, so that log and change live or die together."""
    previous = connection.execute(select(audit.c.hash).order_by(audit.c.id.desc()).limit(1)).scalar() or GENESIS
    at, text = now(), json.dumps(data, sort_keys=True)
    digest = _digest(previous, at, actor, event, text)
    connection.execute(insert(audit).values(at=at, actor=actor, event=event, data=text, previous=previous, hash=digest))


def first_broken_row(connection: Connection) -> int | None:
    """The id of the first row whose chain does not hold, or None when the log is intact."""
    previous = GENESIS
    for row in connection.execute(select(audit).order_by(audit.c.id)):
        if row.previous != previous or row.hash != _digest(previous, row.at, row.actor, row.event, row.data):
            return int(row.id)
        previous = row.hash
    return None


def rows(connection: Connection) -> list[AuditRow]:
    """All events, oldest first."""
    query = select(audit).order_by(audit.c.id)
    return [AuditRow(r.id, r.at, r.actor, r.event, json.loads(r.data)) for r in connection.execute(query)]

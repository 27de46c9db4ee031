"""Which findings are wanted, and in what order, as queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, FromClause, Select, Table, or_, select, union_all

from deidra.app.domain.model import AssetStatus, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.storage import schema
from deidra.storage.audit import now


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
    with_decoys: bool = False
    """Whether decoys that nobody has decided on stand among findings that wait, as long as any does."""


SORTS: dict[str, Callable[[FromClause], Any]] = {
    "leak": lambda table: (table.c.risk * (0.05 + table.c.variance)).desc(),
    "risk": lambda table: table.c.risk.desc(),
    "uncertain": lambda table: table.c.variance.desc(),
    "file": lambda table: table.c.asset_id,
}
"""Orders of the queue; "leak" is expected leak: risk times uncertainty."""


def finding_query(wanted: FindingFilter, sort: str, offset: int = 0, limit: int | None = None) -> Select[Any]:
    """A query for a page of findings."""
    source = matching(wanted) if wanted.with_decoys else schema.findings
    query = select(source) if wanted.with_decoys else where_wanted(select(source), wanted)
    return query.order_by(SORTS[sort](source), source.c.asset_id, source.c.ordinal).offset(offset).limit(limit)


def as_it_is(connection: Connection, wanted: FindingFilter) -> FindingFilter:
    """The filter without decoys where there are none: two tables cannot be read in order by an index."""
    if not wanted.with_decoys:
        return wanted
    some = connection.execute(select(schema.decoys.c.id).where(schema.decoys.c.decision.is_(None)).limit(1)).first()
    return wanted if some is not None else replace(wanted, with_decoys=False)


def matching(wanted: FindingFilter) -> FromClause:
    """What matches, to select from: findings, and decoys among them where that is wanted."""
    found = where_wanted(select(schema.findings), wanted)
    if not wanted.with_decoys:
        return found.subquery()
    table = schema.decoys
    waits = where_wanted(select(schema.findings.c.id), FindingFilter(pending=True)).exists()
    shared = select(*(table.c[column.name] for column in schema.findings.c))
    decoys = where_wanted(shared, wanted, table).where(table.c.decision.is_(None), waits)
    return union_all(found, decoys).subquery()


def where_wanted(query: Select[Any], wanted: FindingFilter, table: Table = schema.findings) -> Select[Any]:
    """A query for what matches a filter, of findings or of decoys."""
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

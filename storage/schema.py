"""Tables of a project database (SQLAlchemy 2 Core). Migrations under ``migrations/`` create them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

SCHEMA_VERSION = (1, 7)
"""Major and minor. A newer major is refused; a newer minor is read, an older one is migrated."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite numbers rows by itself only for INTEGER keys; other databases need 64 bits for long audits.
_rowid = BigInteger().with_variant(Integer, "sqlite")

meta = Table("meta", metadata, Column("key", String(64), primary_key=True), Column("value", Text, nullable=False))

assets = Table(
    "assets",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("path", Text, nullable=False),
    Column("member", Text, nullable=False, default=""),
    Column("sha256", String(64), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("status", String(16), nullable=False, index=True),
    Column("reason", Text, nullable=False, default=""),
    Column("patient_key", String(32), nullable=False, default="", index=True),
    Column("study_uid", String(64), nullable=False, default=""),
    Column("series_uid", String(64), nullable=False, default=""),
    Column("instance_uid", String(64), nullable=False, default="", index=True),
    Column("modality", String(16), nullable=False, default=""),
    Column("info", JSON, nullable=False),
    UniqueConstraint("path", "member", "sha256"),
)

frames = Table(
    "frames",
    metadata,
    Column("asset_id", ForeignKey("assets.id", ondelete="CASCADE"), primary_key=True),
    # -1 stands for "all frames": a primary key cannot be null.
    Column("frame_index", Integer, primary_key=True),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("lines", JSON, nullable=False),
)


def _finding_columns() -> tuple[Column[Any], ...]:
    return (
        Column("id", String(32), primary_key=True),
        Column("asset_id", ForeignKey("assets.id", ondelete="CASCADE"), nullable=False, index=True),
        Column("frame", Integer),
        Column("page", Integer),
        Column("polygon", JSON),
        Column("tag", Text),
        Column("text", Text, nullable=False),
        Column("type", String(32)),
        Column("score", Float, nullable=False),
        Column("variance", Float, nullable=False),
        Column("risk", Float, nullable=False),
        Column("verdict", String(8), nullable=False),
        Column("action", String(16), nullable=False),
        Column("reason", Text, nullable=False, default=""),
        Column("proposal", Text),
        # What the verdict was made of; null in findings of schema 1.0.
        Column("grounds", JSON(none_as_null=True)),
        # The current decision, kept equal to the newest row of ``decisions`` in the same transaction.
        Column("decision", String(8)),
        Column("decision_text", Text),
        # 1 where a curator drew the box. Without a decision such a finding is withdrawn.
        Column("drawn", Integer, nullable=False, server_default="0"),
        # The current remark of the curators, kept as the decision is.
        Column("flagged", Integer, nullable=False, server_default="0"),
        Column("note", Text, nullable=False, server_default=""),
        Column("reason_code", String(16), nullable=False, server_default=""),
        Column("fill", String(16), nullable=False, server_default=""),
        Column("ordinal", Integer, nullable=False),
    )


findings = Table("findings", metadata, *_finding_columns(), Index("ix_findings_pending", "verdict", "decision"))

# Made-up items that measure curators. They have a table of their own, so that nothing but the queue knows them.
decoys = Table(
    "decoys",
    metadata,
    *_finding_columns(),
    Column("evidence", JSON, nullable=False),
)

decoy_decisions = Table(
    "decoy_decisions",
    metadata,
    Column("id", _rowid, primary_key=True, autoincrement=True),
    Column("decoy_id", String(32), nullable=False, unique=True),
    Column("curator", Text, nullable=False),
    Column("type", String(32)),
    Column("kind", String(8), nullable=False),
    Column("text", Text),
    Column("at", String(32), nullable=False),
)

evidence = Table(
    "evidence",
    metadata,
    Column("finding_id", ForeignKey("findings.id", ondelete="CASCADE"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("agent", String(32), nullable=False),
    Column("text", Text),
    Column("type", String(32)),
    Column("score", Float, nullable=False),
    Column("variance", Float, nullable=False),
    Column("detail", Text, nullable=False, default=""),
)

operations = Table(
    "operations",
    metadata,
    Column("id", _rowid, primary_key=True, autoincrement=True),
    Column("kind", String(8), nullable=False),
    Column("target", ForeignKey("operations.id")),
    Column("actor", Text, nullable=False),
    Column("at", String(32), nullable=False),
)

decisions = Table(
    "decisions",
    metadata,
    Column("id", _rowid, primary_key=True, autoincrement=True),
    Column("operation_id", ForeignKey("operations.id"), nullable=False, index=True),
    Column("finding_id", ForeignKey("findings.id"), nullable=False, index=True),
    # What the finding was and is after the operation; null is "undecided".
    Column("before_kind", String(8)),
    Column("before_text", Text),
    Column("kind", String(8)),
    Column("text", Text),
    # The remark before and after; null in rows of schemas before 1.2, which did not touch it.
    Column("before_flagged", Integer),
    Column("before_note", Text),
    Column("before_reason_code", String(16)),
    Column("before_fill", String(16)),
    Column("flagged", Integer),
    Column("note", Text),
    Column("reason_code", String(16)),
    Column("fill", String(16)),
)

second_decisions = Table(
    "second_decisions",
    metadata,
    Column("id", _rowid, primary_key=True, autoincrement=True),
    Column("finding_id", ForeignKey("findings.id"), nullable=False, index=True),
    Column("curator", Text, nullable=False),
    Column("kind", String(8), nullable=False),
    Column("text", Text),
    # The decision that counted when this one was made, and whose it was.
    Column("first_kind", String(8), nullable=False),
    Column("first_by", Text, nullable=False),
    # 1 where it settles a difference, by the operation named below.
    Column("final", Integer, nullable=False),
    Column("at", String(32), nullable=False),
    Column("note", Text, nullable=False, server_default=""),
    Column("reason_code", String(16), nullable=False, server_default=""),
    Column("operation_id", _rowid),
    # The row that this one takes back; such a row is no decision itself.
    Column("takes_back", _rowid),
)

leases = Table(
    "leases",
    metadata,
    Column("finding_id", ForeignKey("findings.id", ondelete="CASCADE"), primary_key=True),
    Column("curator", Text, nullable=False),
    # ISO 8601 in UTC, as all times here: texts that sort as the times do.
    Column("until", String(32), nullable=False, index=True),
)

identifiers = Table(
    "identifiers",
    metadata,
    Column("asset_id", ForeignKey("assets.id", ondelete="CASCADE"), primary_key=True),
    Column("type", String(32), primary_key=True),
    Column("value", String(512), primary_key=True),
    Column("source", Text, nullable=False),
)

crosswalk = Table(
    "crosswalk",
    metadata,
    Column("kind", String(16), primary_key=True),
    Column("original", String(512), primary_key=True),
    Column("surrogate", Text, nullable=False),
)

outputs = Table(
    "outputs",
    metadata,
    Column("asset_id", ForeignKey("assets.id", ondelete="CASCADE"), primary_key=True),
    Column("output", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("reason", Text, nullable=False, default=""),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", _rowid, primary_key=True, autoincrement=True),
    Column("kind", String(16), nullable=False),
    Column("state", String(16), nullable=False),
    Column("started", String(32), nullable=False),
    Column("ended", String(32)),
    Column("summary", JSON, nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("id", _rowid, primary_key=True, autoincrement=True),
    Column("at", String(32), nullable=False),
    Column("actor", Text, nullable=False),
    Column("event", String(32), nullable=False),
    Column("data", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False, unique=True),
)

APPEND_ONLY = ("audit", "decisions", "decoy_decisions", "operations", "second_decisions")
"""Tables whose rows are never changed or deleted; SQLite triggers refuse it."""

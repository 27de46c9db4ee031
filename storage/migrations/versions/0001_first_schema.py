"""The first schema: every table of version 1.0, and triggers that keep logs append-only."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_rowid = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_asset = "assets.id"
_append_only = ("audit", "decisions", "operations")


def upgrade() -> None:
    op.create_table(
        "meta", sa.Column("key", sa.String(64), primary_key=True), sa.Column("value", sa.Text, nullable=False)
    )
    op.create_table(
        "assets",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("member", sa.Text, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16), nullable=False, index=True),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("patient_key", sa.String(32), nullable=False, index=True),
        sa.Column("study_uid", sa.String(64), nullable=False),
        sa.Column("series_uid", sa.String(64), nullable=False),
        sa.Column("instance_uid", sa.String(64), nullable=False, index=True),
        sa.Column("modality", sa.String(16), nullable=False),
        sa.Column("info", sa.JSON, nullable=False),
        sa.UniqueConstraint("path", "member", "sha256", name="uq_assets_path"),
    )
    op.create_table(
        "frames",
        sa.Column("asset_id", sa.String(32), sa.ForeignKey(_asset, ondelete="CASCADE"), primary_key=True),
        sa.Column("frame_index", sa.Integer, primary_key=True),
        sa.Column("width", sa.Integer, nullable=False),
        sa.Column("height", sa.Integer, nullable=False),
        sa.Column("lines", sa.JSON, nullable=False),
    )
    op.create_table(
        "findings",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("asset_id", sa.String(32), sa.ForeignKey(_asset, ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("frame", sa.Integer),
        sa.Column("page", sa.Integer),
        sa.Column("polygon", sa.JSON),
        sa.Column("tag", sa.Text),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("type", sa.String(32)),
        sa.Column("score", sa.Float, nullable=False),
        sa.Column("variance", sa.Float, nullable=False),
        sa.Column("risk", sa.Float, nullable=False),
        sa.Column("verdict", sa.String(8), nullable=False),
        sa.Column("action", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("proposal", sa.Text),
        sa.Column("decision", sa.String(8)),
        sa.Column("decision_text", sa.Text),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Index("ix_findings_pending", "verdict", "decision"),
    )
    op.create_table(
        "evidence",
        sa.Column("finding_id", sa.String(32), sa.ForeignKey("findings.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("ordinal", sa.Integer, primary_key=True),
        sa.Column("agent", sa.String(32), nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("type", sa.String(32)),
        sa.Column("score", sa.Float, nullable=False),
        sa.Column("variance", sa.Float, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
    )
    op.create_table(
        "operations",
        sa.Column("id", _rowid, primary_key=True, autoincrement=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("target", _rowid, sa.ForeignKey("operations.id")),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
    )
    op.create_table(
        "decisions",
        sa.Column("id", _rowid, primary_key=True, autoincrement=True),
        sa.Column("operation_id", _rowid, sa.ForeignKey("operations.id"), nullable=False, index=True),
        sa.Column("finding_id", sa.String(32), sa.ForeignKey("findings.id"), nullable=False, index=True),
        sa.Column("before_kind", sa.String(8)),
        sa.Column("before_text", sa.Text),
        sa.Column("kind", sa.String(8)),
        sa.Column("text", sa.Text),
    )
    op.create_table(
        "identifiers",
        sa.Column("asset_id", sa.String(32), sa.ForeignKey(_asset, ondelete="CASCADE"), primary_key=True),
        sa.Column("type", sa.String(32), primary_key=True),
        sa.Column("value", sa.String(512), primary_key=True),
        sa.Column("source", sa.Text, nullable=False),
    )
    op.create_table(
        "crosswalk",
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("original", sa.String(512), primary_key=True),
        sa.Column("surrogate", sa.Text, nullable=False),
    )
    op.create_table(
        "outputs",
        sa.Column("asset_id", sa.String(32), sa.ForeignKey(_asset, ondelete="CASCADE"), primary_key=True),
        sa.Column("output", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
    op.create_table(
        "jobs",
        sa.Column("id", _rowid, primary_key=True, autoincrement=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("started", sa.String(32), nullable=False),
        sa.Column("ended", sa.String(32)),
        sa.Column("summary", sa.JSON, nullable=False),
    )
    op.create_table(
        "audit",
        sa.Column("id", _rowid, primary_key=True, autoincrement=True),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("event", sa.String(32), nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
    )
    if op.get_bind().dialect.name == "sqlite":
        for table in _append_only:
            for verb in ("UPDATE", "DELETE"):
                op.execute(
                    f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
                )
    op.execute("INSERT INTO meta (key, value) VALUES ('schema_version', '1.0')")

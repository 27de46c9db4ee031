"""Made-up items that measure how many private values a curator notices."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_rowid = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "decoys",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column(
            "asset_id", sa.String(32), sa.ForeignKey("assets.id", ondelete="CASCADE"), nullable=False, index=True
        ),
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
        sa.Column("grounds", sa.JSON(none_as_null=True)),
        sa.Column("decision", sa.String(8)),
        sa.Column("decision_text", sa.Text),
        sa.Column("drawn", sa.Integer, nullable=False, server_default="0"),
        sa.Column("flagged", sa.Integer, nullable=False, server_default="0"),
        sa.Column("note", sa.Text, nullable=False, server_default=""),
        sa.Column("reason_code", sa.String(16), nullable=False, server_default=""),
        sa.Column("fill", sa.String(16), nullable=False, server_default=""),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("evidence", sa.JSON, nullable=False),
    )
    op.create_table(
        "decoy_decisions",
        sa.Column("id", _rowid, primary_key=True, autoincrement=True),
        sa.Column("decoy_id", sa.String(32), nullable=False, unique=True),
        sa.Column("curator", sa.Text, nullable=False),
        sa.Column("type", sa.String(32)),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("at", sa.String(32), nullable=False),
    )
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER decoy_decisions_no_{verb.lower()} BEFORE {verb} ON decoy_decisions "
                "BEGIN SELECT RAISE(ABORT, 'decoy_decisions is append-only'); END"
            )
    op.execute("UPDATE meta SET value = '1.6' WHERE key = 'schema_version'")

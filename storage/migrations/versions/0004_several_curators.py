"""Several curators work on one project: items are leased, and some are decided on a second time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_rowid = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "leases",
        sa.Column("finding_id", sa.String(32), sa.ForeignKey("findings.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("curator", sa.Text, nullable=False),
        sa.Column("until", sa.String(32), nullable=False, index=True),
    )
    op.create_table(
        "second_decisions",
        sa.Column("id", _rowid, primary_key=True, autoincrement=True),
        sa.Column("finding_id", sa.String(32), sa.ForeignKey("findings.id"), nullable=False, index=True),
        sa.Column("curator", sa.Text, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("first_kind", sa.String(8), nullable=False),
        sa.Column("first_by", sa.Text, nullable=False),
        sa.Column("final", sa.Integer, nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
    )
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER second_decisions_no_{verb.lower()} BEFORE {verb} ON second_decisions "
                "BEGIN SELECT RAISE(ABORT, 'second_decisions is append-only'); END"
            )
    op.execute("UPDATE meta SET value = '1.3' WHERE key = 'schema_version'")

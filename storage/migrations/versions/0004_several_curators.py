"""Several curators work on one project: each item is leased to one of them at a time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "leases",
        sa.Column("finding_id", sa.String(32), sa.ForeignKey("findings.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("curator", sa.Text, nullable=False),
        sa.Column("until", sa.String(32), nullable=False, index=True),
    )
    op.execute("UPDATE meta SET value = '1.3' WHERE key = 'schema_version'")

"""Findings keep what their verdict was made of, so that other thresholds can be tried on them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("findings", sa.Column("grounds", sa.JSON, nullable=True))
    op.execute("UPDATE meta SET value = '1.1' WHERE key = 'schema_version'")

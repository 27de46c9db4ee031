"""Curators draw boxes, flag findings, and note why they decided."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The defaults let an older Deidra of this major version go on writing.
    op.add_column("findings", sa.Column("drawn", sa.Integer, nullable=False, server_default="0"))
    op.add_column("findings", sa.Column("flagged", sa.Integer, nullable=False, server_default="0"))
    op.add_column("findings", sa.Column("note", sa.Text, nullable=False, server_default=""))
    op.add_column("findings", sa.Column("reason_code", sa.String(16), nullable=False, server_default=""))
    for name in ("before_flagged", "flagged"):
        op.add_column("decisions", sa.Column(name, sa.Integer, nullable=True))
    for name in ("before_note", "note"):
        op.add_column("decisions", sa.Column(name, sa.Text, nullable=True))
    for name in ("before_reason_code", "reason_code"):
        op.add_column("decisions", sa.Column(name, sa.String(16), nullable=True))
    op.execute("UPDATE meta SET value = '1.2' WHERE key = 'schema_version'")

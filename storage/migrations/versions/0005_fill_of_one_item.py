"""A curator chooses what one box is filled with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The default lets an older Deidra of this major version go on writing.
    op.add_column("findings", sa.Column("fill", sa.String(16), nullable=False, server_default=""))
    for name in ("before_fill", "fill"):
        op.add_column("decisions", sa.Column(name, sa.String(16), nullable=True))
    op.execute("UPDATE meta SET value = '1.4' WHERE key = 'schema_version'")

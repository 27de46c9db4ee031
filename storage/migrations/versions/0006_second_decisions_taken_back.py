"""Second decisions have a remark and can be taken back."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_rowid = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    # The defaults let an older Deidra of this major version go on writing.
    for name, kind in (("note", sa.Text()), ("reason_code", sa.String(16))):
        op.add_column("second_decisions", sa.Column(name, kind, nullable=False, server_default=""))
    for name in ("operation_id", "takes_back"):
        op.add_column("second_decisions", sa.Column(name, _rowid, nullable=True))
    op.execute("UPDATE meta SET value = '1.5' WHERE key = 'schema_version'")

"""PostgreSQL keeps logs append-only, too, and takes values of any length, as SQLite does."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_LOGS = ("audit", "decisions", "decoy_decisions", "operations", "second_decisions")
_FREE = (
    ("assets", "study_uid"),
    ("assets", "series_uid"),
    ("assets", "instance_uid"),
    ("assets", "modality"),
    ("identifiers", "value"),
    ("crosswalk", "original"),
)
"""Columns that hold what stands in files, however long that is."""


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION deidra_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
        )
        for table in _LOGS:
            op.execute(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION deidra_append_only()"
            )
        for table, column in _FREE:
            op.alter_column(table, column, type_=sa.Text())
    op.execute("UPDATE meta SET value = '1.7' WHERE key = 'schema_version'")

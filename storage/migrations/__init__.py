"""Alembic scripts: the history of the project database's shape."""

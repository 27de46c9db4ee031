"""Alembic runs this with the connection that :class:`deidra.storage.database.Database` holds open."""

from alembic import context

from deidra.storage.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
context.run_migrations()

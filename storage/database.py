"""Opens a project database: engine, pragmas, migrations, version check, and clear errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, select
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError

from deidra.app.domain.errors import StoreError
from deidra.storage import schema
from deidra.storage.postgres import LOCK_TIMEOUT_S, postgres_engine, told

_URL_ADVICE = "Write it as postgresql://USER@HOST/DATABASE, without a password."


def sqlite_url(path: Path) -> str:
    """The SQLAlchemy URL of a SQLite file."""
    # Built from parts: a question mark or a colon in a folder's name must not be taken for URL syntax.
    return URL.create("sqlite", database=str(path)).render_as_string(hide_password=False)


def _set_pragmas(connection: Any, _record: Any) -> None:
    # The driver would begin transactions by itself, too late; the "begin" event below does it.
    connection.isolation_level = None
    cursor = connection.cursor()
    # WAL lets the window read while a run writes; FULL keeps committed work over a power loss.
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=FULL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


class Database:
    """One SQLAlchemy engine on a migrated project database.

    Raises:
        StoreError: the database cannot be opened, is locked, or was written by a newer Deidra.
    """

    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        try:
            self._migrate()
        except BaseException:
            self.engine.dispose()
            raise

    def _migrate(self) -> None:
        config = Config()
        config.set_main_option("script_location", str(resources.files("deidra.storage") / "migrations"))
        head = ScriptDirectory.from_config(config).get_current_head()
        with self.begin() as connection:
            current = MigrationContext.configure(connection).get_current_revision()
            if current is not None:
                self._refuse_newer(connection)
            if current == head:
                return
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    @staticmethod
    def _refuse_newer(connection: Connection) -> None:
        row = connection.execute(select(schema.meta.c.value).where(schema.meta.c.key == "schema_version")).scalar()
        try:
            major = int(str(row).split(".", maxsplit=1)[0])
        except ValueError as error:
            raise _damaged() from error
        if major > schema.SCHEMA_VERSION[0]:
            own = ".".join(map(str, schema.SCHEMA_VERSION))
            raise StoreError(
                f"This project was written by a newer Deidra (schema {row}; this one knows {own}).",
                "Install that version of Deidra or a newer one; nothing was changed.",
            )

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction: committed at the end of the block, rolled back on any error."""
        try:
            with self.engine.begin() as connection:
                yield connection
        except DBAPIError as error:
            raise explain(error) from error

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A snapshot to read from; it neither waits for a writer nor holds one up."""
        try:
            with self.engine.connect().execution_options(deidra_read_only=True) as connection:
                yield connection
        except DBAPIError as error:
            raise explain(error) from error

    def close(self) -> None:
        """Release every connection."""
        self.engine.dispose()


def _engine(url: str) -> Engine:
    try:
        parts = make_url(url)
    except ArgumentError as error:
        # The message would quote the URL, which may hold a password.
        raise StoreError("The URL of the project database cannot be read.", _URL_ADVICE) from error
    if parts.get_backend_name() == "postgresql":
        return postgres_engine(parts)
    if parts.get_backend_name() != "sqlite":
        raise StoreError("A project database is of SQLite or PostgreSQL.", _URL_ADVICE)
    engine = create_engine(parts, connect_args={"timeout": LOCK_TIMEOUT_S}, hide_parameters=True)
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin_immediate)
    return engine


def _begin_immediate(connection: Connection) -> None:
    if connection.get_execution_options().get("deidra_read_only"):
        connection.exec_driver_sql("BEGIN")
        return
    # sqlite3 starts a transaction lazily, at the first write, where waiting for another writer can
    # end in "database is locked" at once; taking the write lock first waits LOCK_TIMEOUT_S instead.
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def explain(error: DBAPIError) -> StoreError:
    """A database error as a message without SQL or parameters (those hold PHI)."""
    facts = error.orig.args[0] if error.orig is not None and error.orig.args else None
    if isinstance(facts, dict):
        known = told(str(facts.get("C", "")))
        if known is not None:
            return known
    if isinstance(error, InterfaceError):
        return StoreError(
            "The server of the project database cannot be reached.",
            "Check the network, and host and port in store.url. Everything stored before is safe.",
        )
    text = str(error.orig).lower()
    if "locked" in text:
        return StoreError(
            "The project database is locked by another program.",
            "Close the other Deidra window or run that uses this project, then try again. Nothing was lost.",
        )
    if "full" in text:
        return StoreError(
            "The disk that holds the project is full.",
            "Free some space and start again; everything finished so far is stored.",
        )
    if "readonly" in text or "read-only" in text:
        return StoreError(
            "The project folder is read-only.", "Make the folder writable or choose another with --project."
        )
    if "unable to open" in text:
        return StoreError(
            "The project database cannot be opened.", "Check that the project folder exists and is writable."
        )
    if "not a database" in text or "malformed" in text:
        return _damaged()
    return StoreError(f"The project database reported an error ({type(error.orig).__name__}).", "See the log file.")


def _damaged() -> StoreError:
    return StoreError("The project database is damaged.", "Restore the project folder from a backup.")

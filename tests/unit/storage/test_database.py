from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from deidra.app.domain.errors import StoreError
from deidra.app.domain.model import Asset, Finding, Grounds
from deidra.storage import ProjectStore, database, schema
from deidra.storage.database import Database, explain, sqlite_url

SECRET = "Okonkwo-Secret-4711"


def test_the_migrations_create_exactly_the_declared_tables(db_path: Path) -> None:
    opened = Database(sqlite_url(db_path))
    with opened.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        difference = compare_metadata(context, schema.metadata)
    opened.close()
    assert difference == []


def test_the_migrations_create_every_declared_column_with_its_nullability(db_path: Path) -> None:
    opened = Database(sqlite_url(db_path))
    inspector = sa.inspect(opened.engine)
    for table in schema.metadata.sorted_tables:
        columns = {c["name"]: c["nullable"] for c in inspector.get_columns(table.name)}
        assert columns == {c.name: c.nullable for c in table.columns}, table.name
        assert inspector.get_pk_constraint(table.name)["constrained_columns"] == [c.name for c in table.primary_key]
    opened.close()


def test_a_new_database_says_which_schema_it_has(store: ProjectStore) -> None:
    assert store.value("schema_version") == ".".join(map(str, schema.SCHEMA_VERSION))


def test_opening_again_changes_nothing(store: ProjectStore, db_path: Path) -> None:
    store.set_value("policy", "text")
    store.close()
    again = ProjectStore(sqlite_url(db_path))
    assert again.value("policy") == "text"
    again.close()


def test_a_newer_major_schema_is_refused_and_nothing_is_changed(store: ProjectStore, db_path: Path) -> None:
    store.set_value("schema_version", f"{schema.SCHEMA_VERSION[0] + 1}.0")
    store.set_value("policy", "kept")
    store.close()
    before = _dump(db_path)
    with pytest.raises(StoreError, match="written by a newer Deidra") as caught:
        ProjectStore(sqlite_url(db_path))
    assert "nothing was changed" in caught.value.advice
    assert _dump(db_path) == before


def test_a_project_of_the_first_schema_is_taken_over_with_its_findings(
    store: ProjectStore, db_path: Path, asset: Callable[..., Asset], finding: Callable[..., Finding]
) -> None:
    store.assets.add([asset()])
    store.findings.replace("a", [finding("f", grounds=Grounds(None, True, False))])
    store.close()
    with sqlite3.connect(db_path) as connection:
        for column in ("grounds", "drawn", "flagged", "note", "reason_code", "fill"):
            connection.execute(f"ALTER TABLE findings DROP COLUMN {column}")
        for column in ("flagged", "note", "reason_code", "fill"):
            connection.execute(f"ALTER TABLE decisions DROP COLUMN {column}")
            connection.execute(f"ALTER TABLE decisions DROP COLUMN before_{column}")
        connection.execute("DROP TABLE leases")
        for table in ("second_decisions", "decoys", "decoy_decisions"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.execute("UPDATE meta SET value = '1.0' WHERE key = 'schema_version'")
    connection.close()
    taken = ProjectStore(sqlite_url(db_path))
    assert taken.value("schema_version") == "1.7"
    assert taken.findings.select() == [finding("f")]
    taken.close()


def test_a_newer_major_schema_with_an_unknown_revision_is_refused(store: ProjectStore, db_path: Path) -> None:
    store.set_value("schema_version", "99.1")
    store.close()
    with sqlite3.connect(db_path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0099'")
    connection.close()
    with pytest.raises(StoreError, match=r"schema 99\.1"):
        ProjectStore(sqlite_url(db_path))


def test_a_newer_minor_schema_is_read(store: ProjectStore, db_path: Path) -> None:
    store.set_value("schema_version", f"{schema.SCHEMA_VERSION[0]}.{schema.SCHEMA_VERSION[1] + 1}")
    store.close()
    ProjectStore(sqlite_url(db_path)).close()


def test_a_schema_version_that_is_no_number_is_reported_as_damage(store: ProjectStore, db_path: Path) -> None:
    store.set_value("schema_version", "garbage")
    store.close()
    with pytest.raises(StoreError, match="damaged"):
        ProjectStore(sqlite_url(db_path))


def _dump(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    lines = list(connection.iterdump())
    connection.close()
    return lines


@pytest.fixture
def blocker(db_path: Path, store: ProjectStore) -> sqlite3.Connection:
    """Another program that holds the write lock."""
    store.close()
    connection = sqlite3.connect(db_path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    yield connection
    connection.close()


def test_opening_a_locked_database_says_so(
    blocker: sqlite3.Connection, db_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOCK_TIMEOUT_S", 0.1)
    with pytest.raises(StoreError, match="locked by another program") as caught:
        ProjectStore(sqlite_url(db_path))
    assert "Close the other Deidra" in caught.value.advice


def test_writing_to_a_locked_database_says_so_and_reading_still_works(
    db_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOCK_TIMEOUT_S", 0.1)
    opened = ProjectStore(sqlite_url(db_path))
    opened.set_value("policy", "first")
    other = sqlite3.connect(db_path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked by another program"):
        opened.set_value("policy", SECRET)
    assert opened.value("policy") == "first"
    other.close()
    opened.set_value("policy", "second")
    assert opened.value("policy") == "second"
    opened.close()


def test_a_writer_waits_for_another_writer_that_ends_soon(db_path: Path) -> None:
    opened = ProjectStore(sqlite_url(db_path))
    other = sqlite3.connect(db_path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, other.close)
    started = time.monotonic()
    release.start()
    opened.set_value("policy", "written")
    assert time.monotonic() - started >= 0.15
    assert opened.value("policy") == "written"
    opened.close()


def test_an_error_inside_a_transaction_takes_everything_back(store: ProjectStore) -> None:
    store.set_value("policy", "before")

    def work() -> None:
        with store._db.begin() as connection:
            connection.execute(sa.update(schema.meta).values(value="after"))
            connection.execute(sa.text("SELECT nothing FROM nowhere"))

    with pytest.raises(StoreError):
        work()
    assert store.value("policy") == "before"


def test_a_file_that_is_no_database_is_reported_as_damaged(db_path: Path) -> None:
    content = b"this is no database at all " * 200
    db_path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        ProjectStore(sqlite_url(db_path))
    assert db_path.read_bytes() == content


def test_a_folder_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened"):
        ProjectStore(sqlite_url(tmp_path / "nowhere" / "project.db"))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_read_only_folder_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "fixed"
    folder.mkdir()
    folder.chmod(0o500)
    with pytest.raises(StoreError, match=r"read-only|cannot be opened"):
        ProjectStore(sqlite_url(folder / "project.db"))


def test_writing_to_a_read_only_database_is_reported(store: ProjectStore, db_path: Path) -> None:
    store.close()
    # SQLite's own read-only mode needs no file permissions, which do not bind every user.
    read_only = ProjectStore(f"sqlite:///file:{db_path}?mode=ro&uri=true")
    assert read_only.value("schema_version") == "1.7"
    with pytest.raises(StoreError, match="read-only"):
        read_only.set_value("policy", SECRET)
    read_only.close()


@pytest.mark.parametrize("name", ["with blanks", "müller", "100%", "a#b", "a&b=c", "who?x=1"])
def test_a_project_may_lie_in_a_folder_with_any_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    opened = ProjectStore(sqlite_url(folder / "project.db"))
    opened.set_value("policy", "x")
    opened.close()
    assert (folder / "project.db").stat().st_size > 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("database is locked", "locked by another program"),
        ("database table is locked", "locked by another program"),
        ("database or disk is full", "disk that holds the project is full"),
        ("attempt to write a readonly database", "read-only"),
        ("unable to open database file", "cannot be opened"),
        ("file is not a database", "damaged"),
        ("database disk image is malformed", "damaged"),
        ("UNIQUE constraint failed: assets.path", "reported an error"),
    ],
)
def test_every_database_error_gets_a_message_and_an_advice_without_sql_or_values(text: str, message: str) -> None:
    original = sqlite3.OperationalError(text)
    error = explain(sa.exc.OperationalError(f"INSERT INTO x VALUES ('{SECRET}')", {"value": SECRET}, original))
    assert message in str(error)
    assert error.advice
    for part in (str(error), error.advice):
        assert SECRET not in part
        assert "INSERT" not in part
        assert "assets.path" not in part


def test_a_real_constraint_failure_shows_neither_sql_nor_values(store: ProjectStore) -> None:
    row = {"kind": "uid", "original": SECRET, "surrogate": "x"}
    with pytest.raises(StoreError) as caught, store._db.begin() as connection:
        connection.execute(sa.insert(schema.crosswalk), [row, row])
    shown = f"{caught.value} {caught.value.advice}"
    assert SECRET not in shown
    assert "crosswalk" not in shown.lower()
    assert "insert" not in shown.lower()


def test_errors_of_the_database_do_not_show_values(db_path: Path) -> None:
    database = Database(sqlite_url(db_path))
    with database.engine.connect() as connection, pytest.raises(sa.exc.OperationalError) as caught:
        connection.execute(sa.text("INSERT INTO nowhere VALUES (:name)"), {"name": SECRET})
    assert SECRET not in str(caught.value)
    assert "hidden" in str(caught.value)
    database.engine.dispose()

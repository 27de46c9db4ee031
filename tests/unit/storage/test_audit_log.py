from __future__ import annotations

import sqlite3

import pytest

from deidra.storage import ProjectStore
from deidra.storage.schema import APPEND_ONLY


@pytest.fixture
def logged(store: ProjectStore) -> ProjectStore:
    for number in range(4):
        store.log("curator", "event", {"number": number})
    return store


@pytest.fixture
def tamper(logged: ProjectStore, raw: sqlite3.Connection) -> sqlite3.Connection:
    """A connection of somebody who has removed the triggers first."""
    for name in ("audit_no_update", "audit_no_delete"):
        raw.execute(f"DROP TRIGGER {name}")
    raw.commit()
    return raw


def test_events_come_back_in_order_with_their_data(logged: ProjectStore) -> None:
    rows = list(logged.audit_rows())
    assert [row.data for row in rows] == [{"number": n} for n in range(4)]
    assert {(row.actor, row.event) for row in rows} == {("curator", "event")}
    assert all(row.at.endswith("+00:00") for row in rows)


def test_an_untouched_log_is_intact(logged: ProjectStore) -> None:
    assert logged.broken_audit_row() is None


def test_an_empty_log_is_intact(store: ProjectStore) -> None:
    assert store.broken_audit_row() is None


@pytest.mark.parametrize("column", ["at", "actor", "event", "data", "previous", "hash"])
def test_a_changed_row_is_found(logged: ProjectStore, tamper: sqlite3.Connection, column: str) -> None:
    tamper.execute(f"UPDATE audit SET {column} = 'forged' WHERE id = 2")
    tamper.commit()
    assert logged.broken_audit_row() == 2


def test_a_deleted_row_is_found(logged: ProjectStore, tamper: sqlite3.Connection) -> None:
    tamper.execute("DELETE FROM audit WHERE id = 2")
    tamper.commit()
    assert logged.broken_audit_row() == 3


def test_a_deleted_first_row_is_found(logged: ProjectStore, tamper: sqlite3.Connection) -> None:
    tamper.execute("DELETE FROM audit WHERE id = 1")
    tamper.commit()
    assert logged.broken_audit_row() == 2


def test_reordered_rows_are_found(logged: ProjectStore, tamper: sqlite3.Connection) -> None:
    tamper.execute("UPDATE audit SET id = 100 WHERE id = 2")
    tamper.execute("UPDATE audit SET id = 2 WHERE id = 3")
    tamper.execute("UPDATE audit SET id = 3 WHERE id = 100")
    tamper.commit()
    assert logged.broken_audit_row() == 2


@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize("verb", ["UPDATE", "DELETE"])
def test_the_logs_are_append_only(logged: ProjectStore, raw: sqlite3.Connection, table: str, verb: str) -> None:
    raw.execute("INSERT INTO operations (kind, actor, at) VALUES ('decide', 'c', 'now')")
    raw.execute(
        "INSERT INTO assets (id, path, member, sha256, size, kind, status, reason, patient_key, study_uid, series_uid,"
        " instance_uid, modality, info) VALUES ('a', 'p', '', '', 1, 'dicom', 'decided', '', '', '', '', '', '', '{}')"
    )
    raw.execute(
        "INSERT INTO findings (id, asset_id, text, score, variance, risk, verdict, action, reason, ordinal)"
        " VALUES ('f', 'a', '', 0, 0, 0, 'queue', 'redact', '', 0)"
    )
    raw.execute("INSERT INTO decisions (operation_id, finding_id) VALUES (1, 'f')")
    raw.execute(
        "INSERT INTO second_decisions (finding_id, curator, kind, first_kind, first_by, final, at)"
        " VALUES ('f', 'b', 'keep', 'keep', 'c', 0, 'now')"
    )
    raw.execute("INSERT INTO decoy_decisions (decoy_id, curator, kind, at) VALUES ('d', 'b', 'keep', 'now')")
    raw.commit()
    count = raw.execute(f"SELECT count(*) FROM {table}").fetchone()
    assert count[0] > 0
    sql = f"UPDATE {table} SET id = id + 1000" if verb == "UPDATE" else f"DELETE FROM {table}"
    with pytest.raises(sqlite3.IntegrityError, match=f"{table} is append-only"):
        raw.execute(sql)
    raw.rollback()
    assert raw.execute(f"SELECT count(*) FROM {table}").fetchone() == count


def test_jobs_leave_a_start_and_an_end_in_the_log(store: ProjectStore) -> None:
    job = store.start_job("run", "curator", {"policy": "p"})
    store.end_job(job, "run", "done", "curator", {"assets": 3})
    assert [(row.event, row.data) for row in store.audit_rows()] == [
        ("run-started", {"policy": "p"}),
        ("run-done", {"assets": 3}),
    ]


def test_a_job_that_a_crash_left_running_is_marked_interrupted(store: ProjectStore, raw: sqlite3.Connection) -> None:
    store.start_job("run", "curator", {})
    store.start_job("run", "curator", {})
    store.start_job("release", "curator", {})
    assert raw.execute("SELECT kind, state FROM jobs ORDER BY id").fetchall() == [
        ("run", "interrupted"),
        ("run", "running"),
        ("release", "running"),
    ]

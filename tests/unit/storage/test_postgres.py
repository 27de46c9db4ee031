"""A project's database on a real PostgreSQL, which the test starts, and two processes at work in it."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from hard_headers import header, to_file
from sqlalchemy import make_url

from deidra.app.decide.editing import changed
from deidra.app.decide.policy import load_policy
from deidra.app.decide.second import ReviewSection
from deidra.app.domain.errors import KnownError, StoreError
from deidra.app.domain.model import Action, Asset, AssetKind, DecisionKind, Finding, Identifier, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.keys import ProjectKey
from deidra.app.release.manifest import verify
from deidra.app.review import ReviewDesk
from deidra.app.review.second import SecondDesk
from deidra.app.workflow import STORE_URL, Project
from deidra.storage import ProjectStore, schema
from deidra.storage.database import Database
from deidra.storage.findings import FindingFilter
from deidra.storage.postgres import _password

pytest.importorskip("pg8000", reason="the extra [postgres] is not installed")

PASSWORD = "corr:ect horse"
TABLES = schema.metadata.sorted_tables


def _program(name: str) -> str | None:
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    return shutil.which(name) or next((str(path) for path in installed), None)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server of its own on this machine; the URL of its first database, without the password."""
    initdb, control = _program("initdb"), _program("pg_ctl")
    if initdb is None or control is None:
        pytest.skip("there is no PostgreSQL server on this machine (apt-get install postgresql)")
    # The server refuses to run as root.
    user: dict[str, int] = {}
    folder = Path(tempfile.mkdtemp(prefix="deidra-pg-"))
    if os.geteuid() == 0:
        account = next((a for a in pwd.getpwall() if a.pw_name in ("postgres", "nobody")), None)
        if account is None:
            pytest.skip("a server of PostgreSQL does not run as root, and there is no other user")
        user = {"user": account.pw_uid, "group": account.pw_gid}
        os.chown(folder, account.pw_uid, account.pw_gid)
    secret, data, port = folder / "secret", folder / "data", _free_port()
    secret.write_text(PASSWORD)
    secret.chmod(0o644)

    def call(*words: str) -> None:
        # What the server prints goes to its log: it would keep a pipe open for as long as it runs.
        done = subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)
        assert done.returncode == 0, words[0]

    settings = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    call(
        initdb, "-D", str(data), "-U", "deidra", "-A", "scram-sha-256", f"--pwfile={secret}", "-E", "UTF8", "--no-sync"
    )
    try:
        call(control, "-D", str(data), "-l", str(folder / "log"), "-o", settings, "-w", "start")
        yield f"postgresql://deidra@127.0.0.1:{port}/postgres"
        call(control, "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def url(server: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """A new database for each test."""
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    name = f"t{abs(hash(request.node.name)):x}"
    admin = sa.create_engine(
        make_url(server).set(drivername="postgresql+pg8000", password=PASSWORD), isolation_level="AUTOCOMMIT"
    )
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    admin.dispose()
    return make_url(server).set(database=name).render_as_string(hide_password=False)


@pytest.fixture
def store(url: str) -> Iterator[ProjectStore]:
    opened = ProjectStore(url)
    yield opened
    opened.close()


def finding(name: str, **more: object) -> Finding:
    values = {
        "asset_id": "a",
        "frame": 0,
        "page": None,
        "polygon": ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0)),
        "tag": None,
        "text": f"Text {name}",
        "type": EntityType.PATIENT,
        "score": 0.5,
        "variance": 0.1,
        "risk": 50.0,
        "verdict": Verdict.QUEUE,
        "action": Action.REDACT,
        "proposal": "Doe",
        **more,
    }
    return Finding(id=name, **values)  # type: ignore[arg-type]


def filled(store: ProjectStore, count: int = 3) -> ReviewDesk:
    store.assets.add([Asset("a", "/in/a", "", "0" * 64, 1, AssetKind.DICOM)])
    store.findings.replace("a", [finding(f"f{n:03}") for n in range(count)])
    return ReviewDesk(store)


def test_the_migrations_make_every_table_and_column(url: str) -> None:
    opened = Database(url)
    inspector = sa.inspect(opened.engine)
    for table in TABLES:
        columns = {c["name"]: c["nullable"] for c in inspector.get_columns(table.name)}
        assert columns == {c.name: c.nullable for c in table.columns}, table.name
    opened.close()
    again = ProjectStore(url)
    assert again.value("schema_version") == ".".join(map(str, schema.SCHEMA_VERSION))
    again.close()


def test_the_review_works_as_on_sqlite(store: ProjectStore, tmp_path: Path) -> None:
    def story(where: ProjectStore) -> list[object]:
        desk = filled(where)
        desk.decide(["f000", "f001"], DecisionKind.ACCEPT, by="ann")
        desk.decide(["f002"], DecisionKind.REPLACE, "Poe", by="ann")
        desk.undo("ann")
        desk.redo("ann")
        box = desk.draw("a", 0, ((1.0, 1.0), (5.0, 1.0), (5.0, 5.0), (1.0, 5.0)), EntityType.STAFF, "ann")
        desk.undo("ann")
        second = SecondDesk(where, ReviewSection(second_reader="types", types=("PATIENT",)))
        second.decide("f000", DecisionKind.KEEP, "bob")
        second.settle("f000", DecisionKind.BLANK, "bob")
        where.decoys.plant([finding("decoy", tag="(0010,4000)", polygon=None)], "ann")
        desk.decide(["decoy"], DecisionKind.KEEP, by="ann")
        assert where.broken_audit_row() is None
        found = where.findings.select()
        return [
            [(f.id, f.decision, f.decision_text, f.polygon) for f in found if f.id not in box.findings],
            [(o.kind, o.target, o.actor) for o in where.decisions.operations()],
            second.agreement(),
            second.sensitivity(),
            [(row.actor, row.event) for row in where.audit_rows()],
        ]

    other = ProjectStore(f"sqlite:///{tmp_path / 'project.db'}")
    assert story(store) == story(other)
    other.close()


def test_long_values_and_nul_characters_come_back_as_they_were(store: ProjectStore) -> None:
    text = "a\0b" + "x" * 3000
    store.assets.add([Asset("a", "/in/a", "", "0" * 64, 1, AssetKind.DICOM)])
    store.findings.replace("a", [finding("f", text=text)])
    assert store.findings.get("f").text == text
    asset = store.assets.get("a")
    known = [Identifier("a", EntityType.PATIENT, text[:600], "x")]
    store.assets.save_loaded(replace(asset, study_uid="1." * 90, info={"words": text}), known)
    assert store.assets.get("a").study_uid == "1." * 90
    assert store.assets.get("a").info == {"words": text}
    assert [item.value for item in store.assets.identifiers_of("a")] == [text[:600]]


@pytest.mark.parametrize("table", schema.APPEND_ONLY)
@pytest.mark.parametrize("verb", ["UPDATE {} SET id = id + 1", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_the_logs_are_append_only(store: ProjectStore, table: str, verb: str) -> None:
    filled(store).decide(["f000"], DecisionKind.KEEP, by="ann")
    with pytest.raises(StoreError), store._db.begin() as connection:
        connection.exec_driver_sql(verb.format(table))


_WORKER = """
import sys
from deidra.app.domain.model import DecisionKind
from deidra.app.metadata.keys import ProjectKey
from deidra.app.release.manifest import verify
from deidra.app.review import ReviewDesk
from deidra.storage import ProjectStore

store = ProjectStore(sys.argv[1])
desk = ReviewDesk(store)
print("ready", flush=True)
sys.stdin.readline()
while (finding := desk.next(sys.argv[2])) is not None:
    print(finding.id, flush=True)
    desk.decide([finding.id], DecisionKind.KEEP, by=sys.argv[2], seen={finding.id: None})
store.close()
"""


def test_of_two_machines_nobody_gets_an_item_that_the_other_has(url: str) -> None:
    store = ProjectStore(url)
    filled(store, 60)
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", _WORKER, url, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for name in ("ann", "bob")
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    got = [worker.communicate(timeout=120)[0].split() for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0]
    assert sorted(got[0] + got[1]) == [f"f{n:03}" for n in range(60)]
    assert all(got), "both worked"
    assert store.broken_audit_row() is None
    assert sorted({step.actor for step in store.decisions.operations()}) == ["ann", "bob"]
    store.close()


def test_two_machines_that_open_a_new_database_at_once_make_one_project(url: str) -> None:
    words = [sys.executable, "-c", f"from deidra.storage import ProjectStore; ProjectStore({url!r}).close()"]
    workers = [subprocess.Popen(words) for _ in range(2)]
    assert [worker.wait(timeout=120) for worker in workers] == [0, 0]


def test_a_reader_sees_one_state_and_waits_for_no_writer(store: ProjectStore, url: str) -> None:
    filled(store)
    other = ProjectStore(url)
    with other._db.begin() as writing, store._db.read() as reading:
        writing.execute(sa.update(schema.findings).values(risk=1.0))
        before = reading.execute(sa.select(schema.findings.c.risk)).scalars().all()
        assert set(before) == {50.0}
    other.close()


def test_a_reader_cannot_write(store: ProjectStore) -> None:
    filled(store)
    with pytest.raises(StoreError, match="read-only"), store._db.read() as connection:
        connection.execute(sa.update(schema.findings).values(risk=1.0))


def test_a_project_keeps_the_url_and_another_machine_needs_its_key(url: str, tmp_path: Path) -> None:
    first = Project.open(tmp_path / "one", database=url)
    first.close()
    assert (tmp_path / "one" / STORE_URL).read_text().strip() == url
    assert PASSWORD not in (tmp_path / "one" / STORE_URL).read_text()
    assert not (tmp_path / "one" / "project.db").exists()
    Project.open(tmp_path / "one", create=False).close()
    with pytest.raises(KnownError, match="lacks the key"):
        Project.open(tmp_path / "two", database=url)
    ProjectKey.load_or_create(tmp_path / "two" / "project.key")
    with pytest.raises(KnownError, match="is not that of the project"):
        Project.open(tmp_path / "two", database=url)
    shutil.copy(tmp_path / "one" / "project.key", tmp_path / "two" / "project.key")
    second = Project.open(tmp_path / "two", database=url)
    assert second._key.token("a", "b") == first._key.token("a", "b")
    second.close()
    with pytest.raises(KnownError, match="another database"):
        Project.open(tmp_path / "two", database=url + "x")


def test_a_project_is_run_reviewed_and_released_as_on_sqlite(url: str, tmp_path: Path) -> None:
    study = tmp_path / "study"
    study.mkdir()
    for number in range(4):
        file = header(SOPInstanceUID=f"1.2.3.{number}", StudyDescription="t1 melissa costa", PatientName="Okonkwo^Ada")
        (study / f"{number}.dcm").write_bytes(to_file(file))
    policy = changed(load_policy("tcia"), "review", decoys=0.5)
    shared, own = Project.open(tmp_path / "shared", database=url), tmp_path / "own"
    own.mkdir()
    shutil.copy(tmp_path / "shared" / "project.key", own / "project.key")
    told = []
    for project in (shared, Project.open(own)):
        project.store.set_value("policy", policy.model_dump_json())
        project.run([study])
        wanted = FindingFilter(pending=True, with_decoys=True, free_for="ann", text="melissa")
        queue = project.desk.queue(replace(wanted, text=None))
        assert project.desk.count(wanted) >= 4
        for finding in queue:
            project.desk.decide([finding.id], DecisionKind.ACCEPT, by="ann")
        project.release(project.folder.parent / f"{project.folder.name}-release")
        assert verify(project.folder.parent / f"{project.folder.name}-release") == 6, "four files and two reports"
        told.append(([finding.id for finding in queue], project.store.findings.select(), project.summary().assets))
        project.close()
    assert len(told[0][0]) == 6, "two of them are decoys"
    assert told[0] == told[1]


def test_what_is_wrong_with_a_server_is_said_without_values(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_url(url).set(database="nowhere").render_as_string()
    with pytest.raises(StoreError, match="no such database"):
        ProjectStore(other)
    with pytest.raises(StoreError, match="cannot be reached"):
        ProjectStore(make_url(url).set(port=_free_port()).render_as_string())
    monkeypatch.setenv("PGPASSWORD", "wrong")
    with pytest.raises(StoreError, match="refused the password"):
        Project.open(tmp_path / "p", database=url)
    assert not (tmp_path / "p" / "project.key").exists()


def test_the_password_comes_from_a_file_that_only_its_owner_reads(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PGPASSWORD")
    path = tmp_path / "pgpass"
    escaped = PASSWORD.replace(":", "\\:")
    path.write_text(f"# servers\nelsewhere:*:*:*:no\n127.0.0.1:*:*:deidra:{escaped}\n")
    path.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(path))
    ProjectStore(url).close()
    path.chmod(0o644)
    with pytest.raises(StoreError, match="can be read by others"):
        ProjectStore(url)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("postgresql://deidra:secret@127.0.0.1/x", "holds a password"),
        ("mysql://deidra@127.0.0.1/x", "SQLite or PostgreSQL"),
        ("not a url: secret", "cannot be read"),
    ],
)
def test_a_url_that_does_not_fit_is_refused_and_not_quoted(
    wrong: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreError, match=words) as caught:
        Project.open(tmp_path / "p", database=wrong)
    assert "secret" not in f"{caught.value} {caught.value.advice}"
    assert not (tmp_path / "p" / STORE_URL).exists()


def test_a_connection_to_another_machine_is_encrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    from deidra.storage import postgres

    seen = {}
    monkeypatch.setenv("PGPASSWORD", "x")
    plain = postgres.create_engine
    monkeypatch.setattr(
        postgres, "create_engine", lambda url, **more: seen.update(more["connect_args"]) or plain(url, **more)
    )
    postgres.postgres_engine(make_url("postgresql://deidra@db.example.org/x"))
    assert seen["ssl_context"].check_hostname
    seen.clear()
    postgres.postgres_engine(make_url("postgresql://deidra@localhost/x"))
    assert "ssl_context" not in seen


def test_the_first_line_that_fits_gives_the_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    path = tmp_path / "pgpass"
    path.write_text("h:5432:d:u:one\nh:*:*:u:t\\:wo\\\\\n*:*:*:*:\n")
    path.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(path))
    told: Callable[[str], str | None] = lambda text: _password(make_url(text))  # noqa: E731
    assert told("postgresql://u@h/d") == "one"
    assert told("postgresql://u@h:99/d") == "t:wo\\"
    assert told("postgresql://v@h/d") == ""
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    assert told("postgresql://u@h/d") is None

"""Trouble from outside: each gives a clear message, and nothing is lost."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sample_project import Finished, Sample

from deidra.app.detect.agents import AGENTS
from deidra.app.domain.errors import Cancelled, KnownError, ModelError, ReleaseBlocked, StoreError
from deidra.app.domain.model import Asset, AssetStatus, FrameText
from deidra.app.progress import Control, ProgressEvent
from deidra.app.release import export
from deidra.app.stages import StageWorker
from deidra.app.workflow import Project
from deidra.models import registry as registry_module
from deidra.models import runtime
from deidra.storage import database


@pytest.fixture
def scan(sample: Sample, tmp_path: Path) -> Path:
    folder = tmp_path / "inputs"
    folder.mkdir()
    return Path(shutil.copy(sample.folder / "scans" / "intake_form.png", folder))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    project = Project.open(tmp_path / "project")
    yield project
    project.close()


def test_an_input_that_vanishes_during_the_run_is_quarantined_with_the_reason(
    project: Project, sample: Sample, scan: Path
) -> None:
    other = Path(shutil.copy(sample.folder / "dicom" / "sr_report.dcm", scan.parent))

    def vanish(event: ProgressEvent) -> None:
        if event.stage == "load" and event.done == 0:
            scan.unlink()

    summary = project.run([scan.parent], progress=vanish)
    assert summary.assets == 2
    assert summary.quarantined == [(str(scan), "The file is no longer where it was.")]
    statuses = {Path(a.path).name: a.status for a in project.store.assets.all()}
    assert statuses[other.name] is AssetStatus.DECIDED


def test_a_quarantined_input_gets_another_try_when_it_is_back(project: Project, scan: Path) -> None:
    content = scan.read_bytes()

    def vanish(event: ProgressEvent) -> None:
        if event.stage == "load" and event.done == 0:
            scan.unlink(missing_ok=True)

    assert len(project.run([scan.parent], progress=vanish).quarantined) == 1
    scan.write_bytes(content)
    assert project.run([scan.parent]).quarantined == []


def test_unusable_files_are_quarantined_each_with_its_reason(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "empty.dcm").write_bytes(b"")
    (folder / "notes.txt").write_text("no image", "utf-8")
    (folder / "cut.dcm").write_bytes(b"\0" * 128 + b"DICM" + b"\x08\x00\x05")
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 50)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing")
    (folder / "broken.zip").write_bytes(b"PK\x03\x04" + b"\0" * 60)
    summary = project.run([folder])
    reasons = {Path(path).name: reason for path, reason in summary.quarantined}
    assert len(reasons) == summary.assets == 6
    assert reasons["empty.dcm"] == "The file is empty."
    assert "not a DICOM file" in reasons["notes.txt"]
    assert all(reason and "Traceback" not in reason and "please report" not in reason for reason in reasons.values())


def test_a_fault_in_one_file_does_not_end_the_batch_and_tells_nothing_private(
    project: Project, scan: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(sample.folder / "dicom" / "sr_report.dcm", scan.parent)
    original = StageWorker.detect

    def faulty(self: StageWorker, asset: Asset) -> list[FrameText]:
        if asset.path == str(scan):
            raise ZeroDivisionError("KOWALCZYK^ANNA")
        return original(self, asset)

    monkeypatch.setattr(StageWorker, "detect", faulty)
    summary = project.run([scan.parent])
    assert summary.quarantined == [(str(scan), "Deidra failed on this file (ZeroDivisionError); please report it.")]
    log = (project.folder / "deidra.log").read_text("utf-8")
    assert "ZeroDivisionError" in log
    assert "KOWALCZYK" not in log


def test_a_missing_input_is_named_by_position_not_by_its_telling_path(project: Project, tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="no input at position 1") as caught:
        project.run([tmp_path / "Kowalczyk Anna"])
    assert "Kowalczyk" not in str(caught.value)


@pytest.mark.parametrize("name", AGENTS)
def test_a_missing_model_stops_the_run_and_what_was_loaded_is_stored(
    project: Project, scan: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    lost = registry_module.ModelInfo(name, "nowhere.onnx", "0" * 64, "", "", "")
    others = registry_module.registry()
    runtime.session.cache_clear()
    registry_module.verified_path.cache_clear()
    monkeypatch.setattr(registry_module, "registry", lambda: {**others, name: lost})
    try:
        with pytest.raises(ModelError, match=f"{name} is missing"):
            project.run([scan])
    finally:
        runtime.session.cache_clear()
        registry_module.verified_path.cache_clear()
    assert [a.status for a in project.store.assets.all()] == [AssetStatus.LOADED]
    monkeypatch.undo()
    assert project.run([scan]).quarantined == []


def test_a_changed_model_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forged = tmp_path / "forged.onnx"
    forged.write_bytes(b"not the tested file")
    info = registry_module.ModelInfo("forged", str(forged), "0" * 64, "", "", "")
    monkeypatch.setattr(registry_module, "registry", lambda: {"forged": info})
    with pytest.raises(ModelError, match="not the file that Deidra was tested with"):
        registry_module.verified_path("forged")


def test_a_database_that_another_program_locks_gives_a_clear_message(
    project: Project, scan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.close()
    monkeypatch.setattr(database, "LOCK_TIMEOUT_S", 0.2)
    other = sqlite3.connect(project.folder / "project.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(StoreError, match="locked by another program"):
            Project.open(project.folder).run([scan])
    finally:
        other.execute("ROLLBACK")
        other.close()
    again = Project.open(project.folder)
    assert again.run([scan]).quarantined == []
    again.close()


def test_a_database_that_can_grow_no_more_gives_a_clear_message_and_keeps_what_is_stored(
    project: Project, sample: Sample, scan: Path
) -> None:
    project.run([scan])
    findings = len(project.store.findings.select())

    def limit(connection: sqlite3.Connection, _record: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    engine = project.store._db.engine
    engine.dispose()
    database.event.listen(engine, "connect", limit)
    with pytest.raises(StoreError, match="disk that holds the project is full"):
        project.run([sample.folder / "dicom"])
    database.event.remove(engine, "connect", limit)
    engine.dispose()
    assert len(project.store.findings.select()) == findings
    assert project.store.broken_audit_row() is None


def test_too_little_free_disk_is_said_before_the_run(
    project: Project, scan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(project.folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=10 << 20))
    with pytest.raises(StoreError, match="Only 10 MB are free"):
        project.run([scan])


def test_a_read_only_database_gives_a_clear_message(project: Project) -> None:
    project.close()
    store_url = project.folder / "store.url"
    store_url.write_text(f"sqlite:///file:{project.folder / 'project.db'}?mode=ro&uri=true", "utf-8")
    opened = Project.open(project.folder)
    with pytest.raises(StoreError, match="read-only"):
        opened.store.set_value("x", "y")
    opened.close()


def test_a_project_folder_that_cannot_be_made_gives_a_clear_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    with pytest.raises(StoreError, match="cannot be made or read"):
        Project.open(tmp_path / "file" / "project")


def test_a_release_onto_a_full_disk_gives_a_clear_message_and_leaves_no_half_file(
    finished: Finished, copy_of: Callable[[Finished], Project], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = copy_of(finished)

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(export.os, "fsync", full)
    with pytest.raises(KnownError, match="release folder cannot be written"):
        project.release(tmp_path / "out", pending="accept")
    assert [p.name for p in (tmp_path / "out").rglob("*") if p.is_file()] == ["INCOMPLETE"]


def test_a_release_is_refused_while_items_wait_and_writes_nothing(
    finished: Finished, copy_of: Callable[[Finished], Project], tmp_path: Path
) -> None:
    project = copy_of(finished)
    for change in iter(project.desk.undo, None):
        assert change.findings
    with pytest.raises(ReleaseBlocked, match="wait for a curator"):
        project.release(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_release_never_goes_into_a_folder_with_files(
    finished: Finished, copy_of: Callable[[Finished], Project], tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "precious.txt").write_text("mine", "utf-8")
    with pytest.raises(KnownError, match="not empty"):
        copy_of(finished).release(tmp_path / "out", pending="accept")
    assert (tmp_path / "out" / "precious.txt").read_text("utf-8") == "mine"


def test_an_input_that_changed_after_the_run_is_held_back(project: Project, scan: Path, tmp_path: Path) -> None:
    project.run([scan])
    scan.write_bytes(scan.read_bytes() + b"\0")
    summary = project.release(tmp_path / "out", pending="accept")
    assert summary.quarantined == [(str(scan), "The file was changed since it was searched.")]


def test_a_cancelled_run_keeps_what_is_done_and_goes_on_later(project: Project, sample: Sample, scan: Path) -> None:
    shutil.copy(sample.folder / "dicom" / "sr_report.dcm", scan.parent)
    control = Control()

    def stop(event: ProgressEvent) -> None:
        if event.stage == "load" and event.done == 1:
            control.cancel()

    with pytest.raises(Cancelled):
        project.run([scan.parent], progress=stop, control=control)
    statuses = sorted(a.status.value for a in project.store.assets.all())
    assert statuses == ["loaded", "registered"]
    assert project.run([scan.parent]).quarantined == []
    assert {a.status for a in project.store.assets.all()} == {AssetStatus.DECIDED}

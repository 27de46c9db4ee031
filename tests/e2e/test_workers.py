"""Several processes give what one gives, byte for byte."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pydicom
import pytest
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian
from sample_project import Sample

from deidra.app.decide.policy import load_policy
from deidra.app.domain.errors import Cancelled, KnownError
from deidra.app.headers import clean_headers
from deidra.app.metadata.keys import ProjectKey
from deidra.app.progress import Control
from deidra.app.workflow import DATABASE, KEY, Project

KEY_TEXT = "5a" * 32
WRITTEN_AT = {"manifest.json", "report.html"}
"""Files that hold the time of the release."""


def tables(folder: Path) -> dict[str, list[str]]:
    with sqlite3.connect(folder / DATABASE) as connection:
        names = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
        # Where the last release went is the one thing that may differ.
        rows = {name: map(repr, connection.execute(f'select * from "{name}"')) for name in names}
        return {name: sorted(row.replace(str(folder), "") for row in found) for name, found in rows.items()}


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def run_and_release(folder: Path, sample: Sample, workers: int) -> tuple[dict[str, list[str]], dict[str, bytes]]:
    folder.mkdir(mode=0o700)
    (folder / KEY).write_text(KEY_TEXT, "ascii")
    project = Project.open(folder)
    try:
        project.run([sample.folder / "dicom"], policy="tcia", workers=workers)
        project.release(folder / "release", "accept", workers=workers)
    finally:
        project.close()
    return tables(folder), contents(folder / "release")


def test_a_run_and_a_release_do_not_depend_on_the_number_of_workers(sample: Sample, tmp_path: Path) -> None:
    one, released = run_and_release(tmp_path / "one", sample, 1)
    two, again = run_and_release(tmp_path / "two", sample, 2)
    assert {name: rows for name, rows in one.items() if name not in ("jobs", "audit")} == {
        name: rows for name, rows in two.items() if name not in ("jobs", "audit")
    }
    assert len(one["findings"]) > 100
    assert released.keys() == again.keys()
    assert [name for name in released if released[name] != again[name] and name not in WRITTEN_AT] == []
    assert sum(name.endswith(".dcm") for name in released) >= 10


@pytest.mark.parametrize("policy", ["basic", "tcia"])
def test_headers_in_bulk_do_not_depend_on_the_number_of_workers(sample: Sample, tmp_path: Path, policy: str) -> None:
    key = ProjectKey(bytes.fromhex(KEY_TEXT))
    made = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        result = clean_headers([sample.folder / "dicom"], out, load_policy(policy), key, workers)
        made.append((result, contents(out)))
    assert made[0] == made[1]
    assert made[0][0].written == len(made[0][1]) >= 15


def test_files_without_instance_uid_are_kept_apart_in_bulk(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in (1, 2):
        dataset = FileDataset("", {}, bytes(128), FileMetaDataset(), False, True)
        dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
        dataset.SOPClassUID, dataset.PatientID, dataset.InstanceNumber = CTImageStorage, "MR1", number
        dataset.save_as(tmp_path / "in" / f"{number}.dcm", enforce_file_format=False)
    out = tmp_path / "out"
    result = clean_headers([tmp_path / "in"], out, load_policy("tcia"), ProjectKey(bytes(32)))
    assert (result.written, result.refused) == (2, [])
    for path in out.rglob("*.dcm"):
        assert path.stem == pydicom.dcmread(path).SOPInstanceUID


def test_baselines_are_refused_without_a_project(tmp_path: Path) -> None:
    policy = tmp_path / "own.toml"
    policy.write_text('extends = "tcia"\n[dates]\nmode = "baseline"\n', "utf-8")
    with pytest.raises(KnownError, match="known to projects only"):
        clean_headers([tmp_path], tmp_path / "out", load_policy(str(policy)), ProjectKey(bytes(32)))
    assert not (tmp_path / "out").exists()


def test_work_that_ends_early_leaves_no_provisional_file(sample: Sample, tmp_path: Path) -> None:
    control = Control()
    out = tmp_path / "out"
    with pytest.raises(Cancelled):
        clean_headers(
            *([sample.folder / "dicom"], out, load_policy("tcia"), ProjectKey(bytes(32))),
            sink=lambda event: control.cancel() if event.stage == "write" else None,
            control=control,
        )
    assert [path for path in out.rglob("*") if path.is_file() and path.suffix != ".dcm"] == []

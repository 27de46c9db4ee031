"""A run may be killed at any moment: started again, it ends where an undisturbed run ends."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from sample_project import Sample

KILLS = 20
FILES = ("dicom/ct_1_implicit.dcm", "dicom/sr_report.dcm", "dicom/mr_jpeg_ls.dcm", "scans/intake_form.png")
# What a run records about itself differs from run to run; everything else is content.
TABLES = {
    "assets": "id, path, member, sha256, size, kind, status, reason, patient_key, study_uid, series_uid, "
    "instance_uid, info",
    "frames": "asset_id, frame_index, width, height, lines",
    "findings": "id, asset_id, frame, page, polygon, tag, text, type, score, variance, risk, verdict, action, reason, "
    "proposal, decision, decision_text, ordinal",
    "evidence": "finding_id, ordinal, agent, text, type, score, variance, detail",
    "identifiers": "asset_id, type, value, source",
    "crosswalk": "kind, original, surrogate",
    "meta": "key, value",
}


@pytest.fixture
def inputs(sample: Sample, tmp_path: Path) -> Path:
    folder = tmp_path / "inputs"
    folder.mkdir()
    for name in FILES:
        shutil.copy(sample.folder / name, folder)
    return folder


def _command(inputs: Path, project: Path) -> list[str]:
    return [sys.executable, "-m", "deidra.app.cli", "run", str(inputs), "--project", str(project), "--json"]


def _new_project(folder: Path) -> Path:
    folder.mkdir()
    (folder / "project.key").write_text("42" * 32, "ascii")
    return folder


def _content(project: Path) -> dict[str, list[Any]]:
    with sqlite3.connect(project / "project.db") as connection:
        return {
            table: sorted(connection.execute(f"SELECT {columns} FROM {table}").fetchall(), key=repr)
            for table, columns in TABLES.items()
        }


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a POSIX signal")
def test_a_run_that_is_killed_twenty_times_ends_in_the_same_database(inputs: Path, tmp_path: Path) -> None:
    calm = _new_project(tmp_path / "calm")
    started = time.monotonic()
    subprocess.run(_command(inputs, calm), check=True, capture_output=True)
    duration = time.monotonic() - started
    harried = _new_project(tmp_path / "harried")
    dice = random.Random(20)
    kills = 0
    while kills < KILLS:
        process = subprocess.Popen(_command(inputs, harried), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=dice.uniform(0.3, duration))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
        else:
            # It came to its end: the rest of the kills must meet a run that still has work in every stage.
            for left in harried.glob("project.db*"):
                left.unlink()
    subprocess.run(_command(inputs, harried), check=True, capture_output=True)
    assert _content(harried) == _content(calm)


def test_a_killed_run_leaves_no_temporary_files(inputs: Path, tmp_path: Path) -> None:
    project = _new_project(tmp_path / "project")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {"TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    process = subprocess.Popen(
        _command(inputs, project),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        if any(scratch.iterdir()):
            break
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert list(scratch.iterdir()) == []


def test_a_second_run_changes_nothing(inputs: Path, tmp_path: Path) -> None:
    project = _new_project(tmp_path / "project")
    subprocess.run(_command(inputs, project), check=True, capture_output=True)
    before = _content(project)
    subprocess.run(_command(inputs, project), check=True, capture_output=True)
    assert _content(project) == before

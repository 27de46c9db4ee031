"""What a person at the terminal or another user of the machine gets to see."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from deidra.app import cli
from deidra.app.workflow import Project

SECRET = "OKONKWO"


def test_a_fault_of_the_program_is_told_without_its_message(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        cli._report_fault(type(error), error, error.__traceback__)
    told = capsys.readouterr()
    assert told.out == ""
    assert SECRET not in told.err
    assert "ValueError at test_privacy_of_faults.py:" in told.err


def test_a_fault_ends_the_program_without_a_trace_of_its_message() -> None:
    code = (
        "import sys; from deidra.app import cli\n"
        f"cli.cli.main = lambda **_: (_ for _ in ()).throw(RuntimeError('{SECRET}'))\n"
        "cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert SECRET not in done.stderr + done.stdout
    assert "RuntimeError" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems know these permissions")
def test_a_new_project_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        project = Project.open(tmp_path / "project")
    finally:
        os.umask(before)
    project.close()
    assert stat.S_IMODE((tmp_path / "project").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "project" / "project.key").stat().st_mode) & 0o077 == 0

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deidra.app.decide.policy import load_policy
from deidra.app.domain.errors import KnownError
from deidra.app.evaluate import conformance
from deidra.app.evaluate.conformance import compare, without_values
from deidra.app.synth.sample import make_sample

JUDGE = """#!{python}
import sys, pydicom
dataset = pydicom.dcmread(sys.argv[2], force=True)
if "PatientSex" in dataset and not dataset.PatientSex:
    sys.stderr.write("Error - </PatientSex(0010,0040)> - is empty = <>\\n")
if "OtherPatientNames" in dataset:
    sys.stderr.write("Error - </OtherPatientNames(0010,1001)> - is there = <" + str(dataset.OtherPatientNames) + ">\\n")
sys.stderr.write("Warning - of no concern\\n")
"""


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "judge"
    program.write_text(JUDGE.format(python=sys.executable), "utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(conformance, "find_program", lambda: str(program))
    return program


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for dciodvfy is a script")
def test_errors_that_come_and_go_are_told_apart_and_without_values(judge: Path, tmp_path: Path) -> None:
    sample = make_sample(tmp_path / "sample")
    [result] = compare([sample.folder / "dicom" / "ct_1_implicit.dcm"], load_policy("basic"))
    assert result.before == 1
    assert result.gained == ("Error - </PatientSex(0010,0040)> - is empty = <>",)
    assert result.lost == ("Error - </OtherPatientNames(0010,1001)> - is there = <>",)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for dciodvfy is a script")
def test_a_file_that_cannot_be_read_is_reported_with_the_reason(judge: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.dcm").write_bytes(b"\0" * 128 + b"DICM\x08\x00\x05")
    [result] = compare([tmp_path / "cut.dcm"], load_policy("basic"))
    assert result.refused
    assert result.gained == ()


def test_a_missing_judge_is_said_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance.shutil, "which", lambda _name: None)
    monkeypatch.setattr(conformance.sysconfig, "get_path", lambda _name: "/nowhere")
    with pytest.raises(KnownError, match="dciodvfy is not installed") as caught:
        conformance.find_program()
    assert "deidra[bench]" in caught.value.advice


def test_values_are_left_out_of_messages() -> None:
    message = "Error - </PatientName(0010,0010)> - bad = <Okonkwo^Adaeze> should be <>"
    assert without_values(message) == "Error - </PatientName(0010,0010)> - bad = <> should be <>"

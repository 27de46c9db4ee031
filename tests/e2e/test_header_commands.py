"""The commands about headers, patients, recipes and measures, as scripts use them."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pydicom
import pytest
from sample_project import Finished, Sample

CTP = """<script>
 <e en="T" t="00081030" n="StudyDescription">@keep()</e>
 <e en="T" t="00100010" n="PatientName">@remove()</e>
 <r en="T" t="privategroups">Remove private groups</r>
</script>"""
DEID = "FORMAT dicom\n\n%header\nREMOVE StudyDescription\nREPLACE StationName SCANNER\nBLANK ALL\n"


def deidra(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deidra.app.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")


def parsed(result: subprocess.CompletedProcess[str]) -> Any:
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_headers_in_bulk_are_written_by_pseudonym_and_the_rest_is_named(sample: Sample, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    shutil.copytree(sample.folder / "dicom", tmp_path / "in" / "dicom")
    (tmp_path / "in" / "notes.txt").write_text("nothing", "utf-8")
    out = tmp_path / "out"
    result = parsed(deidra("headers", tmp_path / "in", "--out", out, "--key", tmp_path / "key", "--json"))
    files = list(out.rglob("*.dcm"))
    assert result["written"] == len(files) >= 15
    assert [Path(row["path"]).name for row in result["refused"]] == ["notes.txt"]
    assert {p for p in out.rglob("*") if p.is_file()} == set(files)
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    for path in files:
        dataset = pydicom.dcmread(path, stop_before_pixels=True)
        assert path.relative_to(out).parts[0] == dataset.PatientID
        assert dataset.PatientIdentityRemoved == "YES"
        assert "113101" not in [item.CodeValue for item in dataset.DeidentificationMethodCodeSequence]
    again = deidra("headers", tmp_path / "in", "--out", out, "--key", tmp_path / "key")
    assert again.returncode == 2
    assert "not empty" in again.stderr


@pytest.mark.parametrize(("name", "text"), [("script.xml", CTP), ("recipe.deid", DEID)])
def test_a_recipe_of_another_tool_becomes_a_policy_that_explains_itself(
    sample: Sample, tmp_path: Path, name: str, text: str
) -> None:
    recipe, own = tmp_path / name, tmp_path / "own.toml"
    recipe.write_text(text, "utf-8")
    made = deidra("policy", "import", recipe, "--out", own)
    assert made.returncode == 0, made.stderr
    assert "rules written" in made.stdout
    shown = deidra("policy", "show", own)
    assert "rule 1:" in shown.stdout
    file = sample.folder / "dicom" / "sr_report.dcm"
    assert "rule of the policy" in deidra("policy", "explain", own, "--input", file).stdout
    assert deidra("policy", "import", recipe, "--out", own).returncode == 2


def test_a_faulty_recipe_is_refused_by_its_line(tmp_path: Path) -> None:
    recipe = tmp_path / "broken.deid"
    recipe.write_text("FORMAT dicom\n%header\nEXPLODE PatientName\n", "utf-8")
    made = deidra("policy", "import", recipe, "--out", tmp_path / "own.toml")
    assert made.returncode == 2
    assert "line 3" in made.stderr
    assert "Traceback" not in made.stderr
    assert not (tmp_path / "own.toml").exists()
    partly = deidra("policy", "import", recipe, "--out", tmp_path / "own.toml", "--partial")
    assert partly.returncode == 0
    assert "not taken over: broken.deid, line 3" in partly.stdout


def test_an_imported_patient_table_is_used_by_the_next_run(finished: Finished, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(finished.folder, tmp_path / "project"))
    before = parsed(deidra("patients", "dates", "--project", folder, "--json"))
    assert all(event["after"] and event["after"] != event["before"] for event in before)
    cross = tmp_path / "before"
    assert deidra("crosswalk", "--project", folder, "--out", cross).returncode == 0
    with (cross / "patid_map.csv").open(encoding="utf-8") as stream:
        identity = next(csv.DictReader(stream))["id_old"]
    table = tmp_path / "patients.csv"
    table.write_text(f"patient_id,pseudonym,days\n{identity},TRIAL-7,-1000\n", "utf-8")
    assert deidra("patients", "import", table, "--project", folder).returncode == 0
    after = parsed(deidra("patients", "dates", "--project", folder, "--json"))
    assert "TRIAL-7" in {event["pseudonym"] for event in after}
    assert deidra("run", finished.sample.folder / "dicom", "--project", folder).returncode == 0
    released = tmp_path / "release"
    result = deidra("release", "--project", folder, "--out", released, "--pending", "accept")
    assert result.returncode == 0, result.stderr
    files = list((released / "TRIAL-7").rglob("*.dcm"))
    assert files
    assert {str(pydicom.dcmread(path, stop_before_pixels=True).PatientID) for path in files} == {"TRIAL-7"}


def test_a_faulty_patient_table_is_refused_by_its_line(finished: Finished, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(finished.folder, tmp_path / "project"))
    (tmp_path / "t.csv").write_text("patient_id,days\nMR-SECRET,soon\n", "utf-8")
    result = deidra("patients", "import", tmp_path / "t.csv", "--project", folder)
    assert result.returncode == 2
    assert "Line 2" in result.stderr
    assert "SECRET" not in result.stderr


def test_a_midi_set_is_scored_by_its_key(tmp_path: Path) -> None:
    made = deidra("synth", "midi", "--out", tmp_path / "set", "--patients", 1)
    assert made.returncode == 0, made.stderr
    (tmp_path / "maps").mkdir()
    for name in ("uid_map.csv", "patid_map.csv"):
        (tmp_path / "maps" / name).write_text("id_old,id_new\n", "utf-8")
    result = parsed(
        deidra(
            *("evaluate", "midi", tmp_path / "set", "--released", tmp_path / "set" / "dicom"),
            *("--crosswalk", tmp_path / "maps", "--failures", tmp_path / "failures.csv", "--json"),
        )
    )
    total = result["rows"][-1]
    assert total["failed"] == result["failures"] > 1000
    with (tmp_path / "failures.csv").open(encoding="utf-8") as stream:
        assert sum(1 for _ in csv.DictReader(stream)) == total["failed"]


def test_the_benchmark_says_which_peers_are_missing(tmp_path: Path) -> None:
    results = parsed(deidra("bench", "headers", "--files", 3, "--rounds", 1, "--json"))
    own, *peers = results
    assert (own["tool"], own["files"]) == ("deidra", 3)
    assert own["cpu_seconds"] > 0
    assert {peer["tool"] for peer in peers} >= {"dicognito", "dcmanon (Rust)", "pydicom read+save"}
    assert all(peer["files"] or peer["note"] for peer in peers)

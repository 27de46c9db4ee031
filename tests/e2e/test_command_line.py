"""The command line as scripts use it: arguments, JSON keys, exit status."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sample_project import Finished, Sample

FINDING_KEYS = {
    *("id", "asset", "frame", "page", "polygon", "tag", "text", "type", "score", "variance", "risk", "evidence"),
    *("verdict", "action", "decision"),
}


def deidra(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deidra.app.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")


def parsed(result: subprocess.CompletedProcess[str]) -> Any:
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def folder(finished: Finished, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished.folder, tmp_path / "project"))


def test_a_run_prints_one_json_object_and_no_progress_when_not_on_a_terminal(sample: Sample, tmp_path: Path) -> None:
    result = deidra("run", sample.folder / "dicom" / "sr_report.dcm", "--project", tmp_path / "p", "--json")
    summary = parsed(result)
    assert summary.keys() >= {"assets", "released_automatically", "queued", "findings", "quarantined", "seconds"}
    assert summary["assets"] == 1
    inventory = {"patients": 1, "studies": 1, "series": 1, "instances": 1, "documents": 0, "pages": 0}
    assert summary["inventory"] == inventory
    assert result.stderr == ""


def test_findings_have_the_promised_keys(folder: Path, finished: Finished) -> None:
    findings = parsed(deidra("findings", "--project", folder, "--json"))
    assert len(findings) == finished.summary.findings
    assert all(finding.keys() >= FINDING_KEYS for finding in findings)
    regions = [f for f in findings if f["polygon"]]
    fields = [f for f in findings if f["tag"]]
    assert len(regions) + len(fields) == len(findings)
    assert all(f["page"] is None for f in fields)
    assert {f["verdict"] for f in findings} == {"auto", "queue", "ignore"}
    assert all(e.keys() >= {"agent", "text", "type", "score", "variance"} for f in findings for e in f["evidence"])
    documents = [f for f in regions if f["asset"].endswith((".png", ".jpg", ".tiff", ".pdf"))]
    assert documents
    assert all(f["page"] is not None and f["frame"] is None for f in documents)


def test_harmless_text_is_listed_with_verdict_ignore(folder: Path) -> None:
    findings = parsed(deidra("findings", "--project", folder, "--json"))
    ignored = {f["text"] for f in findings if f["verdict"] == "ignore"}
    assert {"L", "R"} & ignored
    assert all(f["type"] is None for f in findings if f["verdict"] == "ignore")


def test_deciding_on_ids_takes_them_off_the_queue_and_all_empties_it(folder: Path) -> None:
    queue = parsed(deidra("queue", "--project", folder, "--json"))
    assert len(queue) >= 2
    assert deidra("decide", "--project", folder, queue[0]["id"], "keep", "--by", "me").returncode == 0
    rest = parsed(deidra("queue", "--project", folder, "--json"))
    assert [f["id"] for f in rest] == [f["id"] for f in queue[1:]]
    assert deidra("decide", "--project", folder, "--all", "blank").returncode == 0
    assert parsed(deidra("queue", "--project", folder, "--json")) == []
    decided = {f["id"]: f["decision"] for f in parsed(deidra("findings", "--project", folder, "--json"))}
    assert decided[queue[0]["id"]] == "keep"
    assert decided[queue[1]["id"]] == "blank"


def test_a_release_with_waiting_items_is_stopped_with_status_3(folder: Path, tmp_path: Path) -> None:
    result = deidra("release", "--project", folder, "--out", tmp_path / "out")
    assert result.returncode == 3
    assert "wait for a curator" in result.stderr
    assert not (tmp_path / "out").exists()


def test_pending_quarantine_releases_only_the_files_where_nothing_waits(folder: Path, tmp_path: Path) -> None:
    waiting = {f["asset"] for f in parsed(deidra("queue", "--project", folder, "--json"))}
    result = parsed(
        deidra("release", "--project", folder, "--out", tmp_path / "out", "--pending", "quarantine", "--json")
    )
    assert {item["path"] for item in result["quarantined"]} == waiting
    assert result["released"] > 0
    assert deidra("verify", tmp_path / "out").returncode == 0
    tampered = next((tmp_path / "out").rglob("*.dcm"))
    tampered.write_bytes(tampered.read_bytes() + b"\0\0")
    failed = deidra("verify", tmp_path / "out")
    assert failed.returncode == 4
    assert "was changed" in failed.stderr


def test_the_crosswalk_holds_the_three_tables_with_their_headers(folder: Path, tmp_path: Path) -> None:
    assert deidra("crosswalk", "--project", folder, "--out", tmp_path / "secret").returncode == 0
    first_lines = {p.name: p.read_text("utf-8").splitlines()[0] for p in (tmp_path / "secret").iterdir()}
    assert first_lines == {
        "uid_map.csv": "id_old,id_new",
        "patid_map.csv": "id_old,id_new",
        "assets.csv": "path,output,status,reason",
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--project", "p"),
        ("run", "nowhere", "--project", "p"),
        ("decide", "--project", "p", "maybe"),
        ("queue",),
        ("verify", "nowhere"),
        ("run", ".", "--project", "p", "--policy", "no-such-policy"),
        ("frobnicate",),
    ],
)
def test_wrong_use_ends_with_status_2_and_a_message(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = deidra(*arguments)
    assert result.returncode == 2
    assert result.stderr
    assert "Traceback" not in result.stderr


def test_the_pages_of_a_project_tell_what_masks_by_risk_cover_and_leave(folder: Path, sample: Sample) -> None:
    rows = parsed(deidra("risk", "pages", "--project", folder, "--threshold", 50, "--json"))
    assert {Path(row["path"]).name for row in rows} == {path.name for path in (sample.folder / "scans").iterdir()}
    for row in rows:
        full, whole, fine, high = row["masks"]
        assert (full["covered"], whole["covered"]) == (0, 1)
        assert 0 < high["covered"] <= fine["covered"] < 0.2
        assert full["risk"] > high["risk"] >= fine["risk"] == 0
    assert next(row["category"] for row in rows if row["path"].endswith("lab_report.jpg")) == "medical record document"


def test_a_census_counts_the_documents_of_each_folder(folder: Path, sample: Sample) -> None:
    scans = sample.folder / "scans"
    one, everything = parsed(deidra("census", "--project", folder, "--json"))
    assert Path(one["folder"]).name == "scans"
    assert everything["folder"] == "all"
    assert one["documents"] == one["private"] == everything["documents"] == len(list(scans.iterdir()))
    assert one["types"] == everything["types"]
    assert one["types"]["PATIENT"] == one["documents"]
    assert everything["pages"] >= everything["documents"]
    assert 0 <= everything["copies"] < everything["pages"]
    assert "copies" not in one


def test_kinds_of_personal_data_are_listed_with_their_risk_the_riskiest_first() -> None:
    scores = parsed(deidra("risk", "types", "--weight", "loss", "--json"))
    assert len(scores) == 47
    assert list(scores.values()) == sorted(scores.values(), reverse=True)


def test_an_unknown_finding_is_refused_and_nothing_is_decided(folder: Path) -> None:
    before = len(parsed(deidra("queue", "--project", folder, "--json")))
    result = deidra("decide", "--project", folder, "no-such-id", "keep")
    assert result.returncode == 2
    assert "no finding no-such-id" in result.stderr
    assert len(parsed(deidra("queue", "--project", folder, "--json"))) == before


def test_doctor_tells_versions_models_and_hashes() -> None:
    result = deidra("doctor")
    assert result.returncode == 0
    for word in ("onnxruntime", "tesseract", "deidra-det", "ppocr-det", "ok", "free disk", "fonts", "CPU"):
        assert word in result.stdout


def test_the_command_line_works_without_qt(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['PySide6'] = None\n"
        "from deidra.app.cli import main; sys.argv = ['deidra', 'queue', '--project', 'nowhere']; main()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 2
    assert "no project in this folder" in result.stderr

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from deidra.app.domain.errors import KnownError, VerificationFailed
from deidra.app.release.manifest import INCOMPLETE, MANIFEST, ReleasedFile, verify, write_manifest


@pytest.fixture
def release(tmp_path: Path) -> Path:
    folder = tmp_path / "release"
    files = []
    for name in ("P1/s/1.dcm", "P1/s/2.dcm", "documents/x.pdf"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
        digest = hashlib.sha256(name.encode()).hexdigest()
        files.append(ReleasedFile(name, digest, f"asset of {name}", "dicom", "unchanged", {"remove": 3}))
    (folder / "report.csv").write_text("counts")
    write_manifest(folder, files, {"software": "1", "policy": "basic"}, ["report.csv"])
    return folder


def test_an_untouched_release_is_verified_with_its_number_of_files(release: Path) -> None:
    assert verify(release) == 4


def test_the_manifest_lists_files_facts_and_reports(release: Path) -> None:
    content = json.loads((release / MANIFEST).read_text("utf-8"))
    assert content["format"] == 1
    assert content["policy"] == "basic"
    assert [f["path"] for f in content["files"]] == ["P1/s/1.dcm", "P1/s/2.dcm", "documents/x.pdf"]
    assert content["files"][0]["actions"] == {"remove": 3}
    assert content["reports"] == {"report.csv": hashlib.sha256(b"counts").hexdigest()}


def test_a_missing_file_is_named(release: Path) -> None:
    (release / "P1/s/2.dcm").unlink()
    with pytest.raises(VerificationFailed, match=r"P1/s/2\.dcm is missing"):
        verify(release)


@pytest.mark.parametrize("name", ["P1/s/1.dcm", "report.csv"])
def test_a_changed_file_is_named(release: Path, name: str) -> None:
    (release / name).write_bytes(b"other")
    with pytest.raises(VerificationFailed, match=f"{name} was changed"):
        verify(release)


@pytest.mark.parametrize("name", ["extra.txt", "P1/s/3.dcm", "P1/manifest.json", ".hidden"])
def test_an_additional_file_is_named(release: Path, name: str) -> None:
    (release / name).write_bytes(b"x")
    with pytest.raises(VerificationFailed, match=f"{name} is not in the manifest"):
        verify(release)


def test_a_renamed_file_is_missing_and_additional(release: Path) -> None:
    (release / "P1/s/1.dcm").rename(release / "P1/s/9.dcm")
    with pytest.raises(VerificationFailed, match=r"1\.dcm is missing; .*9\.dcm is not in the manifest"):
        verify(release)


def test_many_problems_are_counted(release: Path) -> None:
    for number in range(14):
        (release / f"extra{number:02}").write_bytes(b"x")
    with pytest.raises(VerificationFailed, match="and 4 more"):
        verify(release)


def test_an_unfinished_release_is_never_valid(release: Path) -> None:
    (release / INCOMPLETE).write_text("x")
    with pytest.raises(VerificationFailed, match="not finished"):
        verify(release)


def test_a_folder_without_a_release_is_told(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="holds no release") as caught:
        verify(tmp_path)
    assert not isinstance(caught.value, VerificationFailed)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"files": 3, "reports": {}}', '{"files": [{}], "reports": {}}']
)
def test_a_damaged_manifest_fails(release: Path, content: str) -> None:
    (release / MANIFEST).write_text(content)
    with pytest.raises(VerificationFailed, match="damaged"):
        verify(release)

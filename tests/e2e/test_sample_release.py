"""The main job on the sample set: nothing planted as private gets out, what is harmless stays."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pydicom
import pytest
from rapidfuzz import fuzz
from sample_project import Finished

from deidra.app.domain.geometry import bounding_box, intersection_area
from deidra.app.domain.model import AssetKind, DecisionKind, Finding
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.load.pages import Pages
from deidra.app.load.pictures import display_picture
from deidra.app.release.manifest import verify
from deidra.app.workflow import Project
from deidra.models.text_reader import PPOCRReader
from deidra.storage.findings import FindingFilter


@pytest.fixture(scope="module")
def released(finished: Finished, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The sample set decided as a careful curator would, and released."""
    project = Project.open(finished.folder, create=False)
    out = tmp_path_factory.mktemp("out") / "release"
    try:
        locations = {asset.id: asset.location for asset in project.store.assets.all()}
        for finding in project.desk.queue():
            kind = DecisionKind.ACCEPT if _is_planted(finding, locations, finished) else DecisionKind.KEEP
            project.desk.decide([finding.id], kind, by="careful curator")
        summary = project.release(out)
        tables = project.write_crosswalk(tmp_path_factory.mktemp("crosswalk"))
    finally:
        project.close()
    with next(t for t in tables if t.name == "assets.csv").open(encoding="utf-8") as stream:
        outputs = {row["path"]: row for row in csv.DictReader(stream)}
    return {"folder": out, "summary": summary, "outputs": outputs, "tables": tables}


def _is_planted(finding: Finding, locations: dict[str, str], finished: Finished) -> bool:
    for file in finished.sample.key["files"]:
        if finished.sample.location(file["path"]) != locations[finding.asset_id]:
            continue
        if finding.polygon is None:
            return True
        here = bounding_box(finding.polygon)
        return any(intersection_area(here, tuple(x["box"])) for x in file["phi"] if x["box"])
    raise AssertionError(finding.asset_id)


def _files(finished: Finished, released: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Path]]:
    for file in finished.sample.key["files"]:
        row = released["outputs"][finished.sample.location(file["path"])]
        yield file, released["folder"] / row["output"]


def _pictures(path: Path, kind: str) -> list[np.ndarray]:
    if kind == "dicom":
        dataset = read_dataset(path.read_bytes())
        frames = Frames(dataset)
        return [display_picture(dataset, frame.values) for frame in frames]
    pages = Pages(path.read_bytes(), AssetKind(kind))
    return [pages.page(i) for i in range(pages.count)]


def _boxed(finished: Finished, released: dict[str, Any], which: str) -> Iterator[tuple[str, str, str]]:
    """Path, planted text, and what can be read at its place in the release."""
    reader = PPOCRReader()
    for file, path in _files(finished, released):
        entries = [x for x in file[which] if x["box"]]
        if not entries:
            continue
        pictures = _pictures(path, file["kind"])
        crops = []
        for entry in entries:
            left, top, right, bottom = entry["box"]
            picture = pictures[entry["frame"] or entry["page"] or 0]
            crops.append(picture[max(0, top - 4) : bottom + 4, max(0, left - 4) : right + 4])
        for entry, reading in zip(entries, reader.read(crops), strict=True):
            yield file["path"], entry["text"], reading.text


def _stands(value: bytes, data: bytes) -> bool:
    """Whether the value is there; a number not inside a longer one, where chance would put it: UIDs have 39 digits."""
    escaped = re.escape(value)
    return value in data and (not value.isdigit() or re.search(rb"(?<!\d)" + escaped + rb"(?!\d)", data) is not None)


def _likeness(a: str, b: str) -> float:
    return fuzz.ratio(*("".join(c for c in text.lower() if c.isalnum()) for text in (a, b)))


def test_every_file_of_the_sample_is_released(finished: Finished, released: dict[str, Any]) -> None:
    assert released["summary"].quarantined == []
    assert released["summary"].released == finished.summary.assets == len(finished.sample.key["files"])
    assert verify(released["folder"]) == released["summary"].released + 2


def test_most_files_need_no_curator_and_some_do(finished: Finished) -> None:
    assert finished.summary.queued > 0
    assert finished.summary.released_automatically >= 0.7 * finished.summary.assets


def test_no_planted_value_is_in_the_bytes_of_any_released_file(finished: Finished, released: dict[str, Any]) -> None:
    values = {x["text"] for file in finished.sample.key["files"] for x in file["phi"] if len(x["text"]) >= 6}
    assert len(values) > 100
    # Months and years written out, and shifted dates that equal some other original, tell nothing.
    patterns = {
        variant.encode(encoding).lower()
        for value in values
        if not (value.isdigit() and len(value) == 8)
        for variant in (value, value.replace("^", " "))
        for encoding in ("utf-8", "latin-1", "utf-16-le")
        if value.isascii() or encoding == "utf-8"
    }
    for path in released["folder"].rglob("*"):
        if path.is_file():
            data = path.read_bytes().lower()
            assert [p for p in patterns if _stands(p, data)] == [], path.name


def test_no_planted_value_is_in_a_released_file_name_or_the_log(finished: Finished, released: dict[str, Any]) -> None:
    names = "\n".join(p.relative_to(released["folder"]).as_posix() for p in released["folder"].rglob("*")).lower()
    log = (
        (finished.folder / "deidra.log").read_text("utf-8").lower() if (finished.folder / "deidra.log").exists() else ""
    )
    for file in finished.sample.key["files"]:
        for entry in file["phi"]:
            text = entry["text"].lower()
            if len(text) >= 5:
                # A number may stand by chance inside the digits of a new UID.
                alone = re.compile(rf"(?<![0-9a-z]){re.escape(text)}(?![0-9a-z])")
                assert not alone.search(names)
                assert not alone.search(log)


def test_planted_header_values_are_gone_from_their_elements(finished: Finished, released: dict[str, Any]) -> None:
    checked = 0
    for file, path in _files(finished, released):
        planted = [x for x in file["phi"] if x["where"] == "header"]
        if file["kind"] != "dicom" or not planted:
            continue
        dataset = pydicom.dcmread(path)
        texts = [str(e.value) for e in dataset.iterall() if e.VR not in ("SQ", "OW", "OB", "DA", "TM", "DT")]
        for entry in planted:
            if len(entry["text"]) >= 4 and entry["type"] not in ("DATE.other", "DATE.birth", "AGE", "DEMOG"):
                value = entry["text"].encode()
                assert not any(_stands(value, text.encode()) for text in texts), (file["path"], entry["tag"])
                checked += 1
    assert checked > 200


def test_planted_pixel_text_cannot_be_read_in_the_release(finished: Finished, released: dict[str, Any]) -> None:
    seen = list(_boxed(finished, released, "phi"))
    assert len(seen) >= 100
    assert [(path, text, read) for path, text, read in seen if _likeness(text, read) >= 50] == []


def test_planted_harmless_text_can_still_be_read_in_the_release(finished: Finished, released: dict[str, Any]) -> None:
    seen = list(_boxed(finished, released, "keep"))
    assert len(seen) >= 80
    assert [(path, text, read) for path, text, read in seen if _likeness(text, read) < 60] == []


def test_dates_move_by_one_distance_for_each_patient(finished: Finished, released: dict[str, Any]) -> None:
    distances: dict[str, set[int]] = {}
    for file, path in _files(finished, released):
        if file["kind"] != "dicom" or "!" in file["path"]:
            continue
        before = pydicom.dcmread(finished.sample.folder / file["path"], force=True)
        after = pydicom.dcmread(path)
        days = [(_day(after[tag].value) - _day(before[tag].value)).days for tag in ("StudyDate", "ContentDate")
                if before.get(tag) and after.get(tag)]  # fmt: skip
        distances.setdefault(str(before.PatientID), set()).update(days)
    assert len(distances) >= 3
    assert all(len(days) == 1 and max(days) <= -30 for days in distances.values()), distances
    assert len({min(days) for days in distances.values()}) == len(distances)


def _day(value: object) -> Any:
    return pydicom.valuerep.DA(str(value))


def test_references_between_instances_still_hold(finished: Finished, released: dict[str, Any]) -> None:
    instances, references = set(), set()
    for file, path in _files(finished, released):
        if file["kind"] == "dicom":
            dataset = pydicom.dcmread(path)
            instances.add(str(dataset.SOPInstanceUID))
            assert dataset.file_meta.MediaStorageSOPInstanceUID == dataset.SOPInstanceUID
            references.update(str(e.value) for e in dataset.iterall() if e.keyword == "ReferencedSOPInstanceUID")
    assert instances & references


def test_released_files_say_what_was_done_to_them(finished: Finished, released: dict[str, Any]) -> None:
    for file, path in _files(finished, released):
        if file["kind"] == "dicom":
            dataset = pydicom.dcmread(path)
            assert dataset.PatientIdentityRemoved == "YES"
            codes = {item.CodeValue for item in dataset.DeidentificationMethodCodeSequence}
            assert {"113100", "113107"} <= codes
            assert dataset.LongitudinalTemporalInformationModified == "MODIFIED"


def test_the_manifest_and_reports_hold_no_original_path_and_nothing_of_the_crosswalk(
    finished: Finished, released: dict[str, Any]
) -> None:
    texts = [(released["folder"] / n).read_text("utf-8") for n in ("manifest.json", "report.html", "report.csv")]
    originals = [row["id_old"] for table in released["tables"] if table.name != "assets.csv"
                 for row in csv.DictReader(table.open(encoding="utf-8"))]  # fmt: skip
    assert len(originals) > 40
    for text in texts:
        assert str(finished.sample.folder) not in text
        assert [o for o in originals if o in text] == []
    manifest = json.loads(texts[0])
    assert sum(manifest["decisions"].values()) >= 1
    assert all(len(f["sha256"]) == 64 for f in manifest["files"])


def test_originals_are_not_changed(
    finished: Finished, released: dict[str, Any], copy_of: Callable[[Finished], Project]
) -> None:
    project = copy_of(finished)
    for asset in project.store.assets.all():
        if not asset.member:
            assert hashlib.sha256(Path(asset.path).read_bytes()).hexdigest() == asset.sha256
    # The sample is made anew by seed: the files must still be those.
    assert project.store.findings.count(FindingFilter(decided=True)) > 0


def test_a_second_release_holds_the_same_files(finished: Finished, released: dict[str, Any], tmp_path: Path) -> None:
    project = Project.open(finished.folder, create=False)
    try:
        project.release(tmp_path / "again")
    finally:
        project.close()
    first, second = (
        {f["path"]: f["sha256"] for f in json.loads((folder / "manifest.json").read_text("utf-8"))["files"]}
        for folder in (released["folder"], tmp_path / "again")
    )
    assert first == second

"""Real files from public test collections, where they lie beside the project: none may end a run.

They are no part of the project. Text in pixels is not searched for here, which would take long;
that is what the sample set is for.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pydicom
import pytest
from pydicom.dataset import FileDataset

from deidra.app.detect import images
from deidra.app.detect.locate import TextLocator
from deidra.app.domain.model import Asset, AssetKind, AssetStatus, TextLine
from deidra.app.load.dicom import is_encapsulated, is_mask, read_dataset
from deidra.app.load.frames import Frames
from deidra.app.workflow import Project, ReleaseSummary, RunSummary

DATA = Path(os.environ.get("DEIDRA_REAL_FILES", Path(__file__).parents[3] / "shared" / "data"))

pytestmark = [
    pytest.mark.shared,
    # More than 400 files are read, decided, written and searched again before the first of these tests.
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the real test files are not at {DATA} (set DEIDRA_REAL_FILES)"),
]


@dataclass(frozen=True)
class Outcome:
    project: Project
    run: RunSummary
    release: ReleaseSummary
    hashes: dict[Path, str]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcome]:
    def no_text(_self: TextLocator, _pictures: object) -> list[TextLine]:
        return []

    inputs = [DATA / name for name in ("dicom", "documents", "burned_in") if (DATA / name).is_dir()]
    hashes = {path: _hash(path) for folder in inputs for path in folder.rglob("*") if path.is_file()}
    project = Project.open(tmp_path_factory.mktemp("real") / "project")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TextLocator, "lines", no_text)
        patch.setattr(TextLocator, "page_lines", no_text)
        patch.setattr(images, "face_lines", lambda *_: [])
        patch.setattr(TextLocator, "suspects", no_text)
        run = project.run(inputs)
        release = project.release(tmp_path_factory.mktemp("real") / "release", pending="accept")
        yield Outcome(project, run, release, hashes)
    project.close()


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _by_state(outcome: Outcome) -> dict[AssetStatus, list[Asset]]:
    states: dict[AssetStatus, list[Asset]] = {}
    for asset in outcome.project.store.assets.all():
        states.setdefault(asset.status, []).append(asset)
    return states


def test_every_real_file_is_ready_or_quarantined_with_a_reason(outcome: Outcome) -> None:
    states = _by_state(outcome)
    assert set(states) == {AssetStatus.DECIDED, AssetStatus.QUARANTINED}
    assert outcome.run.assets == len(outcome.hashes) >= 100
    assert all(asset.reason.endswith(".") for asset in states[AssetStatus.QUARANTINED])


def test_no_real_file_meets_a_fault_of_deidra(outcome: Outcome) -> None:
    reasons = [reason for _, reason in [*outcome.run.quarantined, *outcome.release.quarantined]]
    assert [reason for reason in reasons if "please report" in reason] == []


def test_real_files_are_not_changed(outcome: Outcome) -> None:
    assert {path: _hash(path) for path in outcome.hashes} == outcome.hashes


def test_what_is_not_released_has_a_reason_and_everything_else_is_there(outcome: Outcome) -> None:
    outputs = outcome.project.store.assets.outputs()
    assert len(outputs) == outcome.run.assets
    for output in outputs.values():
        if output.status == "released":
            assert (outcome.release.folder / output.output).is_file()
        else:
            assert output.reason


def test_released_real_dicom_files_read_back_and_keep_their_pixels(outcome: Outcome) -> None:
    outputs = outcome.project.store.assets.outputs()
    compared = 0
    for asset in outcome.project.store.assets.all():
        output = outputs[asset.id]
        if asset.kind is not AssetKind.DICOM or output.status != "released":
            continue
        before = read_dataset(Path(asset.path).read_bytes())
        after = pydicom.dcmread(outcome.release.folder / output.output)
        assert after.PatientIdentityRemoved == "YES"
        assert str(after.get("PatientName", "")) != str(before.get("PatientName", "")) or not before.get("PatientName")
        if before.get("PixelData") and after.get("PixelData") and not _has_bits_above(before):
            # Compressed streams may lose comments and trailing bytes, but never a pixel.
            same = _decoded(before) == _decoded(after) if is_encapsulated(before) else _digest(before) == _digest(after)
            assert same, asset.path
            compared += 1
    assert compared >= 60


def _digest(dataset: pydicom.Dataset) -> str:
    return hashlib.sha256(dataset.PixelData).hexdigest()


def _decoded(dataset: FileDataset) -> list[str]:
    if is_mask(dataset):
        return [_digest(dataset)]  # labels are not searched, and some of them no library decodes
    frames = Frames(dataset)
    return [hashlib.sha256(frames.stored(i).tobytes()).hexdigest() for i in range(min(3, frames.count))]


def _has_bits_above(dataset: pydicom.Dataset) -> bool:
    """Old files keep overlays in the bits above the samples; those bits are rightly cleared."""
    return int(dataset.get("BitsAllocated") or 8) > int(dataset.get("BitsStored") or 8)

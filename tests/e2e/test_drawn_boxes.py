"""A box that a curator draws and redraws is what the release covers, and nothing else."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pydicom
import pytest
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, generate_uid

from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.taxonomy import EntityType
from deidra.app.workflow import Project

SIDE = 160


def smooth_slice(path: Path) -> np.ndarray:
    """A CT slice without any text; returns its stored values."""
    meta = FileMetaDataset()
    meta.TransferSyntaxUID, meta.MediaStorageSOPClassUID = ExplicitVRLittleEndian, CTImageStorage
    meta.MediaStorageSOPInstanceUID = generate_uid(entropy_srcs=["drawn"])
    dataset = FileDataset(str(path), {}, file_meta=meta, preamble=bytes(128))
    dataset.SOPClassUID, dataset.SOPInstanceUID = CTImageStorage, meta.MediaStorageSOPInstanceUID
    dataset.StudyInstanceUID, dataset.SeriesInstanceUID = (generate_uid(entropy_srcs=[name]) for name in "ab")
    dataset.PatientName, dataset.PatientID, dataset.Modality = "Smith^John", "4711", "CT"
    dataset.Rows = dataset.Columns = SIDE
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 16, 12, 11, 0
    y, x = np.mgrid[:SIDE, :SIDE]
    values = (1000 + 8 * x + 4 * y).astype(np.uint16)
    dataset.PixelData = values.tobytes()
    dataset.save_as(path, enforce_file_format=True)
    return values


@pytest.fixture
def loaded(tmp_path: Path):
    values = smooth_slice(tmp_path / "slice.dcm")
    project = Project.open(tmp_path / "project")
    project.run([tmp_path / "slice.dcm"])
    yield project, values
    project.close()


def released(project: Project, out: Path) -> np.ndarray:
    project.release(out, "accept")
    (path,) = out.rglob("*.dcm")
    return pydicom.dcmread(path).pixel_array


def test_the_release_covers_the_redrawn_box_and_leaves_the_rest(loaded, tmp_path: Path) -> None:
    project, values = loaded
    (asset,) = project.store.assets.all()
    (first,) = project.desk.draw(asset.id, 0, box_polygon(10, 10, 40, 30), EntityType.OTHERPHI).findings
    project.desk.redraw(first, box_polygon(60, 80, 120, 100))
    # Deciding again under the policy must not lose what a person has drawn.
    project.apply_policy(project.policy)
    after = released(project, tmp_path / "out")
    changed = after != values
    assert changed[80:100, 60:120].all()
    assert len(np.unique(after[80:100, 60:120])) == 1
    # As it was drawn, without the padding of boxes that were found.
    around = np.zeros_like(changed)
    around[80:100, 60:120] = True
    assert not changed[~around].any()


def test_the_release_covers_a_drawn_polygon_and_leaves_the_corners_around_it(loaded, tmp_path: Path) -> None:
    project, values = loaded
    (asset,) = project.store.assets.all()
    diamond = ((80.0, 40.0), (120.0, 80.0), (80.0, 120.0), (40.0, 80.0))
    project.desk.draw(asset.id, 0, diamond, EntityType.OTHERPHI)
    changed = released(project, tmp_path / "out") != values
    y, x = np.mgrid[:SIDE, :SIDE] + 0.5
    away = np.abs(x - 80) + np.abs(y - 80)
    assert changed[away < 40].all()
    assert not changed[away > 44].any()


def test_a_box_that_was_taken_back_is_not_covered(loaded, tmp_path: Path) -> None:
    project, values = loaded
    (asset,) = project.store.assets.all()
    project.desk.draw(asset.id, None, box_polygon(60, 80, 120, 100), EntityType.OTHERPHI)
    project.desk.undo()
    assert (released(project, tmp_path / "out") == values).all()


def test_a_box_on_a_page_is_covered_in_its_preview(tmp_path: Path) -> None:
    page = np.full((200, 300, 3), 255, np.uint8)
    page[50:60, 40:240] = 90
    cv2.imwrite(str(tmp_path / "scan.png"), page)
    project = Project.open(tmp_path / "project")
    project.run([tmp_path / "scan.png"])
    (asset,) = project.store.assets.all()
    before = project.preview_view(asset.id, 0).image
    project.desk.draw(asset.id, 0, box_polygon(100, 120, 200, 150), EntityType.OTHERPHI)
    after = project.preview_view(asset.id, 0).image
    project.close()
    assert (before[120:150, 100:200] == 255).all()
    assert (after[120:150, 100:200] != 255).all()
    assert (after[:110] == before[:110]).all()

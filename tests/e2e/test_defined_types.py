"""A type that a curator defines: shown in the project, asked about, and found from the next run on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image, ImageDraw, ImageFont
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian, SecondaryCaptureImageStorage, generate_uid

from deidra.app.cli import cli
from deidra.app.domain.model import Verdict
from deidra.app.workflow import Project

POLICY = 'extends = "tcia"\n[detect]\nnetwork = false\nonly = "ages"\n'


def picture(*texts: str) -> np.ndarray:
    """White lines of text on black."""
    page = Image.new("L", (640, 240))
    drawn = ImageDraw.Draw(page)
    for row, text in enumerate(texts):
        drawn.text((30, 30 + 60 * row), text, fill=255, font=ImageFont.load_default(32))
    return np.asarray(page)


def write_capture(path: Path, pixels: np.ndarray, description: str) -> None:
    dataset = Dataset()
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.SOPClassUID = dataset.file_meta.MediaStorageSOPClassUID = SecondaryCaptureImageStorage
    dataset.SOPInstanceUID = dataset.file_meta.MediaStorageSOPInstanceUID = generate_uid()
    dataset.StudyInstanceUID, dataset.SeriesInstanceUID = generate_uid(), generate_uid()
    dataset.PatientID, dataset.PatientName, dataset.Modality = "4711", "Okonkwo^Ada", "OT"
    dataset.StudyDescription = description
    dataset.Rows, dataset.Columns = pixels.shape
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
    dataset.BitsAllocated = dataset.BitsStored = 8
    dataset.HighBit, dataset.PixelRepresentation = 7, 0
    dataset.PixelData = pixels.tobytes()
    dataset.save_as(path, enforce_file_format=True)


def define(*arguments: str) -> dict[str, object]:
    result = CliRunner().invoke(cli, ["define", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    told: dict[str, object] = json.loads(result.stdout)
    return told


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of one picture under a policy in which ages alone are private."""
    folder = tmp_path_factory.mktemp("defined")
    write_capture(folder / "one.dcm", picture("PASSPORT B87654321", "20240131 XR", "HAND"), "Hand C12345670 view")
    (folder / "own.toml").write_text(POLICY, "utf-8")
    project = Project.open(folder / "project")
    try:
        project.run([folder / "one.dcm"], policy=str(folder / "own.toml"))
        assert [f.text for f in project.store.findings.select() if f.verdict is not Verdict.IGNORE and f.polygon] == []
    finally:
        project.close()
    return folder


def test_what_is_defined_is_shown_and_found_in_pixels_and_header_from_the_next_run_on(folder: Path) -> None:
    policy = str(folder / "own.toml")
    told = define(
        *("passport numbers", str(folder / "project"), "--policy", policy),
        *("--description", "a letter and eight digits", "--example", "A12345678"),
    )
    assert {(m["text"], m["on_images"], m["in_headers"]) for m in told["matches"]} == {  # type: ignore[attr-defined]
        ("B87654321", 1, 0),
        ("C12345670", 0, 1),
    }
    project = Project.open(folder / "project", create=False)
    try:
        project.run([], policy=policy)
        found = [f for f in project.store.findings.select() if "definition: passport numbers" in f.reason]
    finally:
        project.close()
    (region,) = [f for f in found if f.polygon is not None]
    (field,) = [f for f in found if f.polygon is None]
    assert (region.text, field.text, field.proposal) == ("B87654321", "Hand C12345670 view", "Hand view")
    assert field.verdict is Verdict.AUTO


def test_an_answer_is_kept_and_the_refused_text_is_never_found(folder: Path) -> None:
    policy = str(folder / "own.toml")
    words = ("badge numbers", str(folder / "project"), "--policy", policy, "--description", "eight digits")
    told = define(*words, "--answers", "no")
    assert [question["text"] for question in told["questions"]] == ["20240131"]  # type: ignore[attr-defined]
    again = define(*words)
    assert (again["counter_examples"], again["matches"], again["questions"]) == (["20240131"], [], [])

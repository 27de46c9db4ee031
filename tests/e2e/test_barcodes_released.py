"""Barcodes in images: what a header vouches for is covered, what nobody knows waits, nothing is left to decode."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from barcode_pictures import symbol
from numpy.typing import NDArray
from pydicom import uid as uids
from pydicom.dataset import FileDataset

from deidra.app.domain.model import Finding, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.load.pictures import renderings
from deidra.app.synth import headers, images
from deidra.app.synth.encode import add_pixels, to_levels, write
from deidra.app.synth.exams import make_exams
from deidra.app.synth.headers import Series
from deidra.app.synth.people import make_cast
from deidra.app.workflow import Project
from deidra.models.barcode_reader import BarcodeReader

SHAPE = (256, 320)
LEFT, TOP = 150, 60
STUDY = make_exams(make_cast(7)).ct
PERSON = STUDY.person
CODES = {
    # Name: content, symbology, scale, type, whether it is covered without asking.
    "name": (PERSON.caret, "QRCode", 3, EntityType.PATIENT, True),
    "number": (f"{PERSON.mrn}", "Code128", 1, EntityType.ID_MRN, True),
    "colour": (f"{PERSON.full}, {PERSON.mrn}", "DataMatrix", 4, None, True),
    "stranger": ("QX-82-B", "QRCode", 3, EntityType.ID_OTHER, False),
    "harmless": ("AXIAL", "QRCode", 3, None, False),
}
Values = NDArray[np.generic]


@dataclass
class Released:
    """Files before and after by name, the place of each barcode, and the findings on the pixels of each file."""

    out: Path
    before: dict[str, FileDataset]
    after: dict[str, FileDataset]
    places: dict[str, tuple[slice, slice]]
    findings: dict[str, list[Finding]]


def with_barcode(name: str, number: int) -> tuple[FileDataset, tuple[slice, slice]]:
    """A file with a barcode on a light patch, and the rows and columns of the patch."""
    content, symbology, scale, _, _ = CODES[name]
    patch = symbol(content, symbology, scale) / 255
    place = (slice(TOP, TOP + patch.shape[0]), slice(LEFT, LEFT + patch.shape[1]))
    series = Series(STUDY, number, "CT", "AXIAL", "ABDOMEN", ("Acme Medical", "Tomograph 64"))
    plane = images.ct_slice(np.random.default_rng(number), SHAPE) * 0.5
    plane[place] = patch[:, : SHAPE[1] - LEFT]
    dataset = headers.base_dataset(series, 1, uids.CTImageStorage)
    if name == "colour":
        dataset.SOPClassUID = dataset.file_meta.MediaStorageSOPClassUID = uids.SecondaryCaptureImageStorage
        add_pixels(dataset, to_levels(np.repeat(plane[:, :, None], 3, axis=2), 8), "RGB", 8)
    else:
        headers.add_geometry(dataset, series, 1, 0.78)
        dataset.RescaleIntercept, dataset.RescaleSlope = "-1024", "1"
        add_pixels(dataset, to_levels(plane, 12), "MONOCHROME2", 12)
    dataset.file_meta.TransferSyntaxUID = uids.ExplicitVRLittleEndian
    return dataset, place


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Released]:
    folder = tmp_path_factory.mktemp("barcodes")
    places = {}
    for number, name in enumerate(CODES, 1):
        dataset, places[name] = with_barcode(name, number)
        (folder / f"{name}.dcm").write_bytes(write(dataset))
    project = Project.open(tmp_path_factory.mktemp("project"))
    try:
        project.run([folder])
        names = {asset.id: Path(asset.path).stem for asset in project.store.assets.all()}
        findings: dict[str, list[Finding]] = {name: [] for name in CODES}
        for finding in project.store.findings.select(None, "file"):
            if finding.polygon is not None:
                findings[names[finding.asset_id]].append(finding)
        out = tmp_path_factory.mktemp("release") / "out"
        assert project.release(out, pending="accept").quarantined == []
        outputs = project.store.assets.outputs()
        after = {name: read_dataset((out / outputs[key].output).read_bytes()) for key, name in names.items()}
        before = {name: read_dataset((folder / f"{name}.dcm").read_bytes()) for name in CODES}
        yield Released(out, before, after, places, findings)
    finally:
        project.close()


@pytest.mark.parametrize("name", CODES)
def test_a_barcode_is_one_finding_with_its_content_and_its_symbology(released: Released, name: str) -> None:
    content, symbology, _, kind, certain = CODES[name]
    (finding,) = (f for f in released.findings[name] if f.text == content)
    assert [re.sub(r"\W", "", e.detail.split(",")[0]) for e in finding.evidence if e.text == content][:1] == [symbology]
    assert kind is None or finding.type is kind
    expected = Verdict.AUTO if certain else Verdict.IGNORE if name == "harmless" else Verdict.QUEUE
    assert finding.verdict is expected


@pytest.mark.parametrize("name", CODES)
def test_a_private_barcode_is_covered_and_nothing_else_is(released: Released, name: str) -> None:
    before, after = (Frames(d[name]).frame(0).values for d in (released.before, released.after))
    rows, columns = released.places[name]
    if name == "harmless":
        assert np.array_equal(before, after)
        return
    # The patch around the bars is light; all that is dark in it is covered.
    dark = before[rows, columns] < before.max() / 2
    assert len(np.unique(after[rows, columns][dark])) == 1
    away = np.ones(before.shape[:2], bool)
    away[max(0, rows.start - 40) : rows.stop + 40, max(0, columns.start - 40) : columns.stop + 40] = False
    assert np.array_equal(before[away], after[away])


@pytest.mark.parametrize("name", CODES)
def test_no_barcode_of_a_released_file_can_be_decoded_but_the_harmless_one(released: Released, name: str) -> None:
    dataset = released.after[name]
    pictures = renderings(dataset, Frames(dataset).frame(0).values)
    found = {code.content for picture in pictures for code in BarcodeReader().find(picture)}
    assert found == ({"AXIAL"} if name == "harmless" else set())

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pydicom
import pypdfium2
import pytest
from PIL import Image
from pydicom import uid as uids

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.sample import make_sample

SYNTAXES = {
    uids.ImplicitVRLittleEndian,
    uids.ExplicitVRLittleEndian,
    uids.ExplicitVRBigEndian,
    uids.DeflatedExplicitVRLittleEndian,
    uids.RLELossless,
    uids.JPEG2000Lossless,
    uids.JPEGLSLossless,
    uids.JPEGBaseline8Bit,
    uids.JPEGLosslessSV1,
}


def dicom_entries(key: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry for entry in key["files"] if entry["kind"] == "dicom"]


def values_at(dataset: pydicom.Dataset, path: str) -> str:
    """The text at a tag path with items counted from 1."""
    *parents, last = path.split("/")
    for step in parents:
        group, element, number = re.fullmatch(r"\((\w+),(\w+)\)\[(\d+)\]", step).groups()
        dataset = dataset[int(group, 16), int(element, 16)].value[int(number)]
    tag = pydicom.tag.Tag(last.strip("()").split(","))
    source = dataset.file_meta if tag.group == 2 else dataset
    value = source[tag].value
    return value.decode("ascii", "replace") if isinstance(value, bytes) else str(value)


def test_the_same_seed_gives_the_same_bytes(sample, tmp_path: Path) -> None:
    again = make_sample(tmp_path)
    names = sorted(path.relative_to(sample.folder) for path in sample.folder.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert [name for name in names if (sample.folder / name).read_bytes() != (tmp_path / name).read_bytes()] == []
    assert again.folder == tmp_path


def test_another_seed_gives_other_people(key, tmp_path: Path) -> None:
    other = json.loads(make_sample(tmp_path, seed=8).key.read_text(encoding="utf-8"))

    def numbers(answers: dict[str, Any]) -> set[str]:
        return {phi["text"] for entry in answers["files"] for phi in entry["phi"] if phi["type"] == EntityType.ID_MRN}

    assert not numbers(key) & numbers(other)


def test_what_was_written_is_what_the_key_lists(sample, key) -> None:
    listed = {sample.folder / entry["path"].partition("!")[0] for entry in key["files"]}
    assert listed == {*sample.dicom, *sample.scans}
    assert {path for path in sample.folder.rglob("*") if path.is_file()} == {*listed, sample.key}


def test_every_dicom_file_reads_and_decodes(key, dataset, planes) -> None:
    for entry in dicom_entries(key):
        found = dataset(entry["path"])
        if "PixelData" not in found:
            assert found.Modality == "SR"
            continue
        frames = planes(entry)
        assert len(frames) == int(found.get("NumberOfFrames", 1))
        assert frames[0].shape[:2] == (found.Rows, found.Columns)


def test_every_transfer_syntax_occurs(key, dataset) -> None:
    found = {dataset(entry["path"]).file_meta.TransferSyntaxUID for entry in dicom_entries(key)}
    assert found == SYNTAXES


def test_the_set_holds_the_modalities_and_photometric_interpretations(key, dataset) -> None:
    sets = [dataset(entry["path"]) for entry in dicom_entries(key)]
    assert {found.Modality for found in sets} == {"CT", "MR", "US", "DX", "CR", "MG", "XA", "PT", "OT", "SR"}
    assert {found.get("PhotometricInterpretation") for found in sets} == {
        None,
        "MONOCHROME1",
        "MONOCHROME2",
        "RGB",
        "YBR_FULL",
        "YBR_FULL_422",
        "PALETTE COLOR",
    }


def test_there_are_four_patients_and_one_has_several_studies_and_a_series_of_three(key, dataset) -> None:
    sets = [dataset(entry["path"]) for entry in dicom_entries(key)]
    studies = {(found.PatientID, found.StudyInstanceUID) for found in sets}
    assert sorted(Counter(patient for patient, _ in studies).values()) == [1, 1, 1, 3]
    assert max(Counter(found.SeriesInstanceUID for found in sets).values()) == 3


def test_instance_uids_are_unique_and_references_point_into_the_set(key, dataset) -> None:
    sets = [dataset(entry["path"]) for entry in dicom_entries(key)]
    instances = [found.SOPInstanceUID for found in sets]
    assert len(set(instances)) == len(instances)
    referring = [found for found in sets if "ReferencedImageSequence" in found]
    referenced = [found.ReferencedImageSequence[0].ReferencedSOPInstanceUID for found in referring]
    assert referenced
    assert set(referenced) <= set(instances)


def test_one_file_has_no_preamble_and_one_preamble_names_the_patient(sample, dataset, key) -> None:
    bare = [path for path in sample.dicom if path.suffix != ".zip" and path.read_bytes()[128:132] != b"DICM"]
    assert len(bare) == 1
    second = "dicom/ct_2_explicit.dcm"
    [entry] = [entry for entry in key["files"] if entry["path"] == second]
    [planted] = [phi for phi in entry["phi"] if phi["where"] == "metadata"]
    assert planted["text"].encode() in dataset(second).preamble


def test_the_archive_holds_its_member(sample, key) -> None:
    [inside] = [entry["path"] for entry in key["files"] if "!" in entry["path"]]
    archive, member = inside.split("!")
    assert zipfile.ZipFile(sample.folder / archive).namelist() == [member]


def test_every_planted_header_value_stands_where_the_key_says(key, dataset) -> None:
    checked = 0
    for entry in dicom_entries(key):
        found = dataset(entry["path"])
        for item in [*entry["phi"], *entry["keep"]]:
            if item["where"] == "header" and item["tag"] != "(6000,3000)":
                assert item["text"] in values_at(found, item["tag"]), (entry["path"], item)
                checked += 1
    assert checked > 300


def test_every_text_box_holds_ink_and_the_texts_of_a_plane_do_not_overlap(key, planes) -> None:
    for entry in key["files"]:
        drawn = [item for item in [*entry["phi"], *entry["keep"]] if item["box"]]
        frames = planes(entry) if drawn else []
        taken: dict[int, np.ndarray] = {}
        for item in drawn:
            index = item["frame"] if item["frame"] is not None else item["page"]
            plane = frames[index].astype(float)
            left, top, right, bottom = item["box"]
            assert 0 <= left < right <= plane.shape[1]
            assert 0 <= top < bottom <= plane.shape[0]
            inside = plane[top:bottom, left:right]
            assert np.ptp(inside) > 0.08 * max(plane.max(), 1), (entry["path"], item)
            used = taken.setdefault(index, np.zeros(plane.shape[:2], dtype=bool))
            # Italic and accented letters may lean a pixel or two into the next box.
            assert used[top + 2 : bottom - 2, left + 2 : right - 2].mean() == 0, (entry["path"], item)
            used[top:bottom, left:right] = True


def test_two_images_hold_no_private_text_and_one_name_stands_in_no_header(key, dataset) -> None:
    clean = [
        entry["path"]
        for entry in dicom_entries(key)
        if "PixelData" in dataset(entry["path"]) and not any(phi["where"] == "pixel" for phi in entry["phi"])
    ]
    assert len(clean) >= 2
    [stranger] = [
        phi["text"]
        for entry in key["files"]
        if entry["path"] == "dicom/sc_screen.dcm"
        for phi in entry["phi"]
        if phi["where"] == "pixel" and phi["type"] == EntityType.PATIENT
    ]
    headers = " ".join(str(dataset(entry["path"])) for entry in dicom_entries(key))
    assert stranger.split()[-1] not in headers


def test_types_are_entity_types_and_every_file_with_a_picture_has_harmless_text(key) -> None:
    assert {phi["type"] for entry in key["files"] for phi in entry["phi"]} <= {str(kind) for kind in EntityType}
    assert key["version"] == 1
    assert all(entry["keep"] for entry in key["files"])


@pytest.mark.parametrize(
    ("path", "pages"),
    [
        ("scans/intake_form.png", 1),
        ("scans/letter.tiff", 2),
        ("scans/lab_report.jpg", 1),
        ("scans/summary_digital.pdf", 2),
        ("scans/referral_scanned.pdf", 1),
    ],
)
def test_documents_have_their_pages(key, planes, path: str, pages: int) -> None:
    [entry] = [entry for entry in key["files"] if entry["path"] == path]
    assert len(planes(entry)) == pages


def test_the_lab_report_is_stored_on_its_side(read) -> None:
    with Image.open(io.BytesIO(read("scans/lab_report.jpg"))) as image:
        assert image.getexif()[0x0112] == 6
        assert image.height > image.width


def test_the_digital_pdf_hides_private_data_outside_its_pages(key, read) -> None:
    document = pypdfium2.PdfDocument(read("scans/summary_digital.pdf"))
    [entry] = [entry for entry in key["files"] if entry["path"] == "scans/summary_digital.pdf"]
    text = "".join(page.get_textpage().get_text_range() for page in document)
    for phi in entry["phi"]:
        if phi["where"] == "text":
            assert phi["text"] in text
    hidden = [phi["text"] for phi in entry["phi"] if phi["where"] == "metadata"]
    info = document.get_metadata_dict()
    outline = " ".join(mark.get_title() for mark in document.get_toc())
    assert hidden[0] == info["Author"]
    assert hidden[1] in info["Title"]
    assert hidden[2] in outline
    assert b"/Annots" in read("scans/summary_digital.pdf")

from __future__ import annotations

import csv
import shutil
import subprocess
import sysconfig
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pydicom
import pytest
from pydicom.dataset import FileDataset

from deidra.app.evaluate.midi import frames_of
from deidra.app.synth.midi.draft import Draft, Gap, Phi, private_words
from deidra.app.synth.midi.generate import MidiSet, make_midi
from deidra.app.synth.midi.key import Action, Row
from deidra.app.synth.midi.people import WORD_NAMES, make_patients

Lines = list[dict[str, str]]
VERIFIER = shutil.which("dciodvfy") or shutil.which("dciodvfy", path=sysconfig.get_path("scripts"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> MidiSet:
    return make_midi(tmp_path_factory.mktemp("midi"), patients=2, seed=5)


@pytest.fixture(scope="module")
def key(made: MidiSet) -> Lines:
    with made.key.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def datasets(made: MidiSet, key: Lines) -> dict[str, FileDataset]:
    return {file: pydicom.dcmread(made.folder / file) for file in dict.fromkeys(line["file"] for line in key)}


def test_every_file_is_in_the_key_and_every_entry_of_the_key_is_a_file(made: MidiSet, key: Lines) -> None:
    files = {path.relative_to(made.folder).as_posix() for path in made.folder.rglob("*.dcm")}
    assert files == {line["file"] for line in key}
    assert len(files) == made.instances
    assert len(key) == made.checks


def test_all_actions_and_all_rows_of_the_results_table_occur(key: Lines) -> None:
    assert {line["action"] for line in key} == {action.value for action in Action}
    assert {(line["category"], line["subcategory"]) for line in key} == {(row.category, row.value) for row in Row}
    assert len(Row) == 25


def test_all_eight_modalities_occur(datasets: dict[str, FileDataset]) -> None:
    assert {dataset.Modality for dataset in datasets.values()} == {"CR", "CT", "DX", "MG", "MR", "PT", "SR", "US"}


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(made: MidiSet, tmp_path: Path) -> None:
    again, other = make_midi(tmp_path / "again", 1, 5), make_midi(tmp_path / "other", 1, 6)
    files = [path.relative_to(again.folder) for path in again.folder.rglob("*.dcm")]
    assert files
    assert all((again.folder / file).read_bytes() == (made.folder / file).read_bytes() for file in files)
    assert again.key.read_bytes() == made.key.read_bytes()[: again.key.stat().st_size]
    assert other.key.read_bytes() != again.key.read_bytes()


def test_references_lead_to_instances_of_the_set(datasets: dict[str, FileDataset], key: Lines) -> None:
    known = {
        dataset[keyword].value
        for dataset in datasets.values()
        for keyword in ("StudyInstanceUID", "SeriesInstanceUID", "SOPInstanceUID")
    }
    asked = {line["answer"] for line in key if line["action"] == "uid_consistent"}
    assert asked <= known
    assert any(line["tag"].count("/") == 4 for line in key if line["action"] == "uid_consistent")


def test_images_with_private_text_are_asked_to_hide_it_and_all_others_to_keep_every_bit(
    datasets: dict[str, FileDataset], key: Lines
) -> None:
    actions: dict[str, Counter[str]] = defaultdict(Counter)
    for line in key:
        actions[line["file"]][line["action"]] += 1
    for file, dataset in datasets.items():
        if "PixelData" in dataset:
            assert (actions[file]["pixels_retained"] == 1) != (actions[file]["pixels_hidden"] > 0)


def test_boxes_hold_ink_that_is_large_enough_to_read(datasets: dict[str, FileDataset], key: Lines) -> None:
    hidden = [line for line in key if line["action"] == "pixels_hidden"]
    assert hidden
    for line in hidden:
        frame, left, top, right, bottom = map(int, line["box"].split())
        region = frames_of(datasets[line["file"]])[frame][top:bottom, left:right]
        assert bottom - top >= 14
        assert int(region.max()) - int(region.min()) > 120


def test_no_picture_is_flat(datasets: dict[str, FileDataset]) -> None:
    for dataset in datasets.values():
        if "PixelData" in dataset:
            assert all(len(np.unique(frame)) > 50 for frame in frames_of(dataset))


def test_sets_mix_transfer_syntaxes_and_character_sets(tmp_path: Path) -> None:
    folder = make_midi(tmp_path, 5, 1).folder
    found = [pydicom.dcmread(path, stop_before_pixels=True) for path in folder.rglob("*.dcm")]
    syntaxes = {dataset.file_meta.TransferSyntaxUID.name for dataset in found}
    assert {"Implicit VR Little Endian", "Explicit VR Little Endian"} < syntaxes
    charsets = {str(dataset.SpecificCharacterSet) for dataset in found}
    assert {"ISO_IR 100", "ISO_IR 192", "['', 'ISO 2022 IR 87']"} <= charsets


def test_patients_have_names_that_are_words_and_some_are_over_eighty_nine() -> None:
    patients = list(make_patients(16, 0))
    assert sum(patient.family in WORD_NAMES for patient in patients) == 8
    assert sum(patient.birth.year < 1929 for patient in patients) == 2
    assert len({patient.mrn for patient in patients}) == 16


def test_a_text_asks_for_its_private_words_to_go_and_for_the_others_to_stay() -> None:
    draft = Draft(pydicom.FileDataset("", {}, file_meta=pydicom.dataset.FileMetaDataset()))
    draft.dataset.SOPInstanceUID = "1.2.3"
    date, name = Phi("20140321", Row.DATE), Phi("HILL, SUSAN", Row.NAME)
    parts = ["P4^P101^S108^I0, Gated, 0.0%", Gap(" "), date, Gap(" for "), name, Gap(" "), "Hill-Sachs view"]
    draft.text(draft.dataset, "ImageComments", parts)
    assert draft.dataset.ImageComments == "P4^P101^S108^I0, Gated, 0.0% 20140321 for HILL, SUSAN Hill-Sachs view"
    checks = [(check.row, check.action, check.answer) for check in draft.checks("a.dcm") if check.tag == "(0020,4000)"]
    assert checks == [
        (Row.DATE, Action.TEXT_REMOVED, "20140321"),
        (Row.NAME, Action.TEXT_REMOVED, "SUSAN"),
        (Row.DESCRIPTOR, Action.TEXT_RETAINED, "P4^P101^S108^I0, Gated, 0.0% Hill-Sachs view"),
    ]


def test_words_that_a_substitute_may_have_and_short_ones_are_not_asked_for() -> None:
    assert private_words("Larkspur Valley Regional Hospital, PO 7", "") == "Larkspur Valley"
    assert private_words("O'Hara^Jo^^Dr.", "") == "O'Hara"
    assert private_words("高橋^亮介", "") == "高橋 亮介"


@pytest.mark.skipif(VERIFIER is None, reason="dciodvfy is not installed")
def test_the_instances_are_valid(made: MidiSet) -> None:
    firsts = {path.parent: path for path in sorted(made.folder.rglob("*.dcm"), reverse=True)}
    for path in firsts.values():
        assert VERIFIER is not None
        result = subprocess.run([VERIFIER, "-new", str(path)], capture_output=True, check=False)
        assert [line for line in result.stderr.decode("latin-1").splitlines() if line.startswith("Error")] == []

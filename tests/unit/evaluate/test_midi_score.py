from __future__ import annotations

import csv
import hashlib
import re
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pydicom
import pytest
from pydicom.dataset import Dataset, FileDataset
from pydicom.multival import MultiValue
from pydicom.uid import ExplicitVRLittleEndian, generate_uid

from deidra.app.evaluate.midi import MISSING, MidiScore, frames_of, removed, retained, score, table
from deidra.app.synth.midi.generate import MidiSet, make_midi

STEP = re.compile(r'\((\w{4}),(?:(\w{4})|"([^"]*)",(\w{2}))\)(?:\[(\d+)\])?')
Lines = list[dict[str, str]]
REMOVING = {"text_removed", "date_shifted", "uid_changed"}
KEEPING = {"tag_retained", "text_notnull", "text_retained", "pixels_retained"}


def new_uid(old: str) -> str:
    return str(generate_uid(entropy_srcs=[old]))


def blind(_region: np.ndarray) -> str:
    """A reader that sees nothing."""
    return ""


def parent(dataset: FileDataset, path: str) -> tuple[Dataset, int] | None:
    """The item that holds the element at ``path`` and its tag; of a sequence kept as bytes, the sequence."""
    item: Dataset = dataset.file_meta if path.startswith("(0002,") else dataset
    for step in STEP.finditer(path):
        group, element, creator, offset, index = step.groups()
        if element:
            tag = int(group + element, 16)
        else:
            tag = int(item.private_block(int(group, 16), creator).get_tag(int(offset, 16)))
        if tag not in item:
            return None
        if index is None or isinstance(item[tag].value, bytes):
            return item, tag
        item = item[tag].value[int(index)]
    raise AssertionError(path)


def shift(value: str) -> str:
    """A DA or DT value one day later."""
    return (datetime.strptime(value[:8], "%Y%m%d") + timedelta(days=1)).strftime("%Y%m%d") + value[8:]


def curate_element(item: Dataset, tag: int, asked: dict[str, list[str]]) -> None:
    """Do to an element what its checks ask for, and nothing else."""
    element = item[tag]
    if isinstance(element.value, bytes) and not KEEPING & asked.keys():
        del item[tag]
    elif "patid_consistent" in asked:
        element.value = new_uid(element.value)[-9:]
    elif "date_shifted" in asked:
        many = isinstance(element.value, MultiValue)
        element.value = [shift(one) for one in element.value] if many else shift(str(element.value))
    elif "uid_changed" in asked:
        element.value = new_uid(str(element.value))
    elif "text_removed" not in asked:
        return
    elif "text_retained" in asked:
        element.value = asked["text_retained"][0]
    elif "text_notnull" in asked:
        element.value = "REMOVED"
    elif "tag_retained" in asked:
        element.value = None
    else:
        del item[tag]


def hide(dataset: FileDataset, boxes: list[str]) -> None:
    """Fill boxes of the key."""
    pixels = dataset.pixel_array.copy()
    frames = pixels if "NumberOfFrames" in dataset else pixels[np.newaxis]
    for frame, left, top, right, bottom in (map(int, box.split()) for box in boxes):
        frames[frame, top:bottom, left:right] = 0
    if dataset.file_meta.TransferSyntaxUID.is_compressed:
        dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.PixelData = pixels.tobytes()


def curate(dataset: FileDataset, checks: Lines) -> None:
    """What a careful curator would do to a data set."""
    asked: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for check in checks:
        if not check["action"].startswith("pixels"):
            asked[check["tag"]][check["action"]].append(check["answer"])
    places = [(parent(dataset, tag), actions) for tag, actions in asked.items()]
    for place, actions in places:
        if place is not None and place[1] in place[0]:
            curate_element(*place, actions)
    boxes = [check["box"] for check in checks if check["action"] == "pixels_hidden"]
    if boxes:
        hide(dataset, boxes)


def read_key(path: Path) -> dict[str, Lines]:
    """The lines of the key by file."""
    by_file: dict[str, Lines] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as stream:
        for line in csv.DictReader(stream):
            by_file[line["file"]].append(line)
    return by_file


def write_key(path: Path, lines: Lines) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    return path


def write_map(path: Path, pairs: dict[str, str]) -> Path:
    lines = ["id_old,id_new", *(f"{old},{new}" for old, new in pairs.items())]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


class Release:
    """Released files with their maps, and the key they are scored against."""

    def __init__(self, folder: Path, key: Path) -> None:
        self.files = folder / "files"
        self.files.mkdir(parents=True)
        self.key = key
        self.uids: dict[str, str] = {}
        self.patients: dict[str, str] = {}

    def add(self, dataset: FileDataset, name: str, old: FileDataset) -> None:
        for keyword in ("StudyInstanceUID", "SeriesInstanceUID", "SOPInstanceUID"):
            self.uids[old[keyword].value] = dataset[keyword].value
        self.patients[old.PatientID] = dataset.PatientID
        dataset.save_as(self.files / name, enforce_file_format=True)

    def score(self, reader: object = blind) -> MidiScore:
        uids = write_map(self.files.parent / "uids.csv", self.uids)
        patients = write_map(self.files.parent / "patients.csv", self.patients)
        assert callable(reader)
        return score(self.key, self.files, uids, patients, reader)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> MidiSet:
    return make_midi(tmp_path_factory.mktemp("midi"), patients=2, seed=5)


@pytest.fixture(scope="module")
def untouched(made: MidiSet, tmp_path_factory: pytest.TempPathFactory) -> tuple[MidiScore, dict[str, Lines]]:
    """The score of a copy with the old identifiers, whose patients should have got new ones."""
    release = Release(tmp_path_factory.mktemp("untouched"), made.key)
    for number, file in enumerate(read_key(made.key)):
        dataset = pydicom.dcmread(made.folder / file)
        release.add(dataset, f"{number}.dcm", dataset)
    release.patients = {old: f"NEW{old}" for old in release.patients}
    return release.score(), read_key(made.key)


def test_what_a_careful_curator_releases_passes_every_check(made: MidiSet, tmp_path: Path) -> None:
    release = Release(tmp_path / "release", made.key)
    for number, (file, checks) in enumerate(read_key(made.key).items()):
        dataset = pydicom.dcmread(made.folder / file)
        curate(dataset, checks)
        release.add(dataset, f"{number}.dcm", pydicom.dcmread(made.folder / file))
    result = release.score(lambda region: "no text" if int(region.max()) == int(region.min()) else "something else")
    assert result.failures == ()
    assert result.total.passed == made.checks


def test_an_untouched_copy_fails_every_check_of_what_must_go(untouched: tuple[MidiScore, dict[str, Lines]]) -> None:
    result, key = untouched
    failed = {(fault.check.file, fault.check.tag, fault.check.answer) for fault in result.failures}
    wanted = {
        (file, line["tag"], line["answer"])
        for file, lines in key.items()
        for line in lines
        if line["action"] in REMOVING
    }
    assert wanted <= failed


def test_an_untouched_copy_passes_every_check_of_what_must_stay(untouched: tuple[MidiScore, dict[str, Lines]]) -> None:
    assert not [fault for fault in untouched[0].failures if fault.check.action in KEEPING]


def test_the_table_has_a_line_for_each_row_and_the_sum(untouched: tuple[MidiScore, dict[str, Lines]]) -> None:
    result, _ = untouched
    lines = table(result).splitlines()
    assert len(lines) == 1 + 25 + 1
    assert lines[1].split() == [
        "dicom",
        "DICOM-IOD-1",
        "0",
        str(result.rows[0].total),
        str(result.rows[0].total),
        "(1.0000)",
    ]
    assert lines[-1].split()[1:3] == [str(result.total.failed), str(result.total.passed)]


def small() -> FileDataset:
    """A data set with one element of each kind."""
    dataset = FileDataset("", {}, file_meta=pydicom.dataset.FileMetaDataset(), preamble=b"\0" * 128)
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.SOPClassUID = pydicom.uid.SecondaryCaptureImageStorage
    dataset.StudyInstanceUID, dataset.SeriesInstanceUID, dataset.SOPInstanceUID = "1.2.1", "1.2.2", "1.2.3"
    dataset.PatientID, dataset.StudyDate = "M1234567", "20190304"
    dataset.StudyDescription = "CT HEAD Novak"
    dataset.Rows, dataset.Columns, dataset.SamplesPerPixel = 4, 8, 1
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 8, 8, 7, 0
    dataset.PhotometricInterpretation = "MONOCHROME2"
    dataset.PixelData = bytes(range(32))
    block = dataset.private_block(0x0019, "ACME 1", create=True)
    block.add_new(0x0C, "IS", "1000")
    return dataset


def one_check(action: str, tag: str, answer: str = "", box: str = "") -> dict[str, str]:
    names = {"category": "tcia", "subcategory": "TCIA-REV"}
    return {
        "sop_instance_uid": "1.2.3",
        "file": "a.dcm",
        **names,
        "tag": tag,
        "action": action,
        "answer": answer,
        "box": box,
    }


def good() -> FileDataset:
    """The data set as it should be released."""
    dataset = small()
    dataset.StudyInstanceUID, dataset.SeriesInstanceUID, dataset.SOPInstanceUID = "1.3.1", "1.3.2", "1.3.3"
    dataset.PatientID, dataset.StudyDate, dataset.StudyDescription = "NEW", "20190101", "CT HEAD"
    return dataset


def passes(tmp_path: Path, check: dict[str, str], dataset: FileDataset, reader: object = blind) -> bool:
    release = Release(
        tmp_path / new_uid(str(len(list(tmp_path.iterdir()))))[-12:], write_key(tmp_path / "key.csv", [check])
    )
    release.add(dataset, "b.dcm", small())
    release.uids, release.patients = {"1.2.3": "1.3.3", "1.2.1": "1.3.1"}, {"M1234567": "NEW"}
    return release.score(reader).total.failed == 0


@pytest.mark.parametrize(
    ("action", "keyword", "answer", "wrong"),
    [
        ("tag_retained", "StudyDescription", "", None),
        ("text_notnull", "StudyDescription", "", ""),
        ("text_retained", "StudyDescription", "CT HEAD", "CT"),
        ("text_removed", "StudyDescription", "Novak", "CT HEAD NOVAK"),
        ("date_shifted", "StudyDate", "20190304", "20190304"),
        ("uid_changed", "StudyInstanceUID", "1.2.1", "1.2.1"),
        ("uid_consistent", "StudyInstanceUID", "1.2.1", "1.3.77"),
        ("patid_consistent", "PatientID", "M1234567", "OTHER"),
    ],
)
def test_each_action_tells_the_right_value_from_a_wrong_one(
    tmp_path: Path, action: str, keyword: str, answer: str, wrong: str | None
) -> None:
    tag = pydicom.tag.Tag(keyword)
    check = one_check(action, f"({tag.group:04X},{tag.elem:04X})", answer)
    assert passes(tmp_path, check, good())
    dataset = good()
    if wrong is None:
        del dataset[tag]
    else:
        dataset[tag].value = wrong
    assert not passes(tmp_path, check, dataset)


def test_pixels_are_retained_only_to_the_last_bit(tmp_path: Path) -> None:
    dataset = good()
    check = one_check("pixels_retained", "(7FE0,0010)", hashlib.md5(dataset.PixelData).hexdigest())
    assert passes(tmp_path, check, dataset)
    dataset.PixelData = dataset.PixelData[:-1] + b"\0"
    assert not passes(tmp_path, check, dataset)


def test_pixels_are_hidden_when_the_reader_finds_no_planted_word_in_the_box(tmp_path: Path) -> None:
    shapes = []

    def reader(region: np.ndarray) -> str:
        shapes.append(region.shape)
        return "Dr. NOVAK"

    check = one_check("pixels_hidden", "(7FE0,0010)", "Novak Jan", "0 2 1 7 3")
    assert not passes(tmp_path, check, good(), reader)
    assert shapes == [(2, 5)]
    assert passes(tmp_path, check, good(), lambda _region: "No va k")
    assert passes(tmp_path, one_check("pixels_hidden", "(7FE0,0010)", "Li", "0 2 1 7 3"), good(), lambda _region: "Li")


def test_a_private_element_is_found_by_its_creator_when_its_block_has_moved(tmp_path: Path) -> None:
    check = one_check("text_retained", '(0019,"ACME 1",0C)', "1000")
    moved = good()
    del moved[0x00191010 - 0x1000], moved[0x0019100C]
    other = moved.private_block(0x0019, "OTHER", create=True)
    other.add_new(0x0C, "IS", "5")
    moved.private_block(0x0019, "ACME 1", create=True).add_new(0x0C, "IS", "1000")
    assert passes(tmp_path, check, moved)
    del moved[0x0019110C]
    assert not passes(tmp_path, check, moved)


def test_an_instance_that_was_not_released_fails_even_what_must_go(tmp_path: Path) -> None:
    release = Release(
        tmp_path / "release", write_key(tmp_path / "key.csv", [one_check("text_removed", "(0008,1030)", "x")])
    )
    result = release.score()
    assert result.total.failed == 1
    assert result.failures[0].found == MISSING


def test_private_text_in_a_sequence_that_is_only_bytes_is_found(tmp_path: Path) -> None:
    dataset = good()
    block = dataset.private_block(0x0033, "RIS", create=True)
    block.add_new(0x08, "UN", b"\xfe\xff\x00\xe0....Novak...")
    assert not passes(tmp_path, one_check("text_removed", '(0033,"RIS",08)[0]/(0010,0010)', "Novak"), dataset)


def test_a_reference_that_was_removed_is_consistent(tmp_path: Path) -> None:
    assert passes(tmp_path, one_check("uid_consistent", "(0008,1140)[0]/(0008,1155)", "1.2.1"), good())


@pytest.mark.parametrize(
    ("answer", "found", "expected"),
    [
        ("Hill-Sachs view", "HILL-SACHS VIEW [removed]", True),
        ("Gated, 0.0%", "P4, gated 0.0%", True),
        ("Gated contrast", "Gated", False),
        ("0.50", "0.5", True),
        ("1", "10", False),
        ("1.0\\2.50", "1\\2.5", True),
        ("NO", "YES", False),
        ("the", "a", False),
    ],
)
def test_retained_text_is_there_as_a_whole_or_word_by_word(answer: str, found: str, expected: bool) -> None:
    assert retained(answer, found) is expected


@pytest.mark.parametrize(
    ("answer", "found", "expected"),
    [
        ("Novak Jan", "seen by jan", False),
        ("20190304", "20190304101500.0", False),
        ("(412) 555-0134", "call 555-0134", False),
        ("Novak", "", True),
    ],
)
def test_removed_text_has_none_of_its_words_left(answer: str, found: str, expected: bool) -> None:
    assert removed(answer, found) is expected


def test_frames_are_shown_as_a_viewer_does() -> None:
    dataset = small()
    dataset.PhotometricInterpretation = "MONOCHROME1"
    [frame] = frames_of(dataset)
    assert frame.dtype == np.uint8
    assert frame[0, 0] == 255
    assert frame[3, 7] == 0


def test_an_unknown_action_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown action"):
        passes(tmp_path, one_check("text_painted", "(0008,1030)"), good())

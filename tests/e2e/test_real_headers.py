"""Headers of real files from public test collections, where they lie beside the project: nothing lost, nothing leaked.

Every file is read whole or refused with the reason that is right for it:

| file | what is special about it | right outcome |
|---|---|---|
| 031, 033 | DICOMDIR | refused: it lists patients |
| 034 | encapsulated document | refused |
| 040 | a fragment holds the bytes of a delimiter | read, the fragment stays whole |
| 043 | encoded icon inside an item | read, the icon goes |
| 069 | says explicit, is implicit | read, written as it says |
| 103 | sequence of unknown type without a length | read, nothing lost |
| 115 | says JPEG-LS, is native | read, written as native |
| 118 | private ID of the patient, implicit encoding | read, the private data goes |
| 119 | declares 3 GB and ends early | refused: cut off |
| 130 | Rows is no number | refused: its pixels cannot be searched |
| 136 | UIDs in related series | read, the UIDs are new |
| 143, 231 | the last element is cut off | refused: cut off |
| 175 | ends behind the file meta group | refused: no elements |
| 178 | an element without a VR | read, what follows it stays |
| 179 | the same, twice, once without length and value | read, what follows it stays |
| 200 | compressed pixels without delimiter | refused: cut off |
| 202 to 210 | no preamble, no meta group | read, written as proper files |
| 211 | no preamble, a meta group without VRs | read, written as a proper file |
| 248 | unknown sequence of the other byte order | read, nothing lost |
"""

from __future__ import annotations

import functools
import io
import os
import time
from dataclasses import dataclass
from pathlib import Path

import pydicom
import pytest
from pydicom.uid import ExplicitVRLittleEndian
from raw_dicom import MOMENT_S

from deidra.app.decide.policy import load_policy
from deidra.app.domain.errors import InputError
from deidra.app.domain.model import Action
from deidra.app.load.dicom import read_dataset, refuse_unsupported
from deidra.app.load.encoded import PIXEL_DATA, EncodedFile, Splitter
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.walk import WRITTEN_BY_DEIDRA
from deidra.app.redact.header import RedactedFile, redact_dicom

DATA = Path(os.environ.get("DEIDRA_REAL_FILES", Path(__file__).parents[3] / "shared" / "data")) / "dicom"
FILES = {p.name[:3]: p for p in sorted(DATA.glob("[0-9][0-9][0-9]_*"))} if DATA.is_dir() else {}
REFUSED = {
    **{"031": "DICOMDIR", "033": "DICOMDIR", "034": "encapsulated", "119": "cut off", "130": "size is missing"},
    **{"143": "cut off", "175": "no DICOM elements", "200": "cut off", "231": "cut off"},
}
CLEANED = {"043", "048", "069", "091", "093", "217"}
"""Their compressed streams hold comments or markers of the application, which go; no pixel changes."""
KEY = ProjectKey(bytes(range(32)))
SUBJECT = Subject("PABCDEFGH", -100)
_INSTANCE, _BURNED_IN, _PADDING = 0x00080018, 0x00280301, 0xFFFCFFFC

pytestmark = [
    pytest.mark.shared,
    pytest.mark.filterwarnings("ignore::UserWarning:pydicom"),
    pytest.mark.skipif(not FILES, reason=f"the real test files are not at {DATA} (set DEIDRA_REAL_FILES)"),
]
presets = pytest.mark.parametrize("preset", ["basic", "tcia"])
readable = pytest.mark.parametrize("number", [n for n in FILES if n not in REFUSED] or ["none"])


@functools.cache
def _engine(preset: str) -> HeaderEngine:
    return HeaderEngine(load_policy(preset).profile, KEY)


def _data(number: str) -> bytes:
    if number not in FILES:
        pytest.skip(f"there is no file {number} at {DATA}")
    return FILES[number].read_bytes()


def _redacted(number: str, preset: str) -> tuple[EncodedFile, RedactedFile, EncodedFile]:
    """The file before, what was made of it, and the file after."""
    data = _data(number)
    refuse_unsupported(read_dataset(data))
    result = redact_dicom(data, [], _engine(preset), SUBJECT, load_policy(preset))
    return Splitter().split(data), result, Splitter().split(result.data)


def _path(tag: int) -> str:
    return f"({tag >> 16:04X},{tag & 0xFFFF:04X})"


@dataclass(frozen=True)
class Verdict:
    """What is wrong with an output: faults of form, paths of kept values that differ, paths lost, UIDs left."""

    improper: list[str]
    pixels: str
    same_pixels: bool
    altered: list[str]
    lost: list[str]
    leaked: list[str]


@functools.cache
def _verdict(number: str, preset: str) -> Verdict:
    before, result, after = _redacted(number, preset)
    kept = {c.path for c in result.header.changes if c.action is Action.KEEP and c.vr != "SQ"}
    # An empty instance UID is filled, and the mark says what was done with the pixels.
    tags = [e.tag for e in before.elements if _path(e.tag) in kept and e.tag not in (_INSTANCE, _BURNED_IN)]
    body = b"".join(after.body[e.start : e.end] for e in after.elements if e.tag != PIXEL_DATA)
    return Verdict(
        _improper(result.data, after),
        result.pixels,
        before.value(PIXEL_DATA) == after.value(PIXEL_DATA),
        [_path(tag) for tag in tags if before.value(tag) != after.value(tag)],
        _lost(before, result, after),
        [old for old in result.header.uids if len(old) > 16 and old.encode() in body],
    )


def _meta_tags(file: EncodedFile) -> set[int]:
    """What the file meta group must hold; no class is made up for a file that does not say what it is."""
    return {0x00020003, 0x00020010} | ({0x00020002} if file.value(0x00080016) else set())


def _improper(data: bytes, after: EncodedFile) -> list[str]:
    new = read_dataset(data)
    checks = {
        "preamble": data[:132] == bytes(128) + b"DICM",
        "written strictly": after.elements == Splitter()._strict(data).elements,
        "meta group": _meta_tags(after) <= after.meta.keys(),
        "instance": new.file_meta.MediaStorageSOPInstanceUID == new.SOPInstanceUID != "",
        "mark": new.PatientIdentityRemoved == "YES",
        "name": str(new.get("PatientName") or SUBJECT.pseudonym) == SUBJECT.pseudonym,
        "patient": str(new.get("PatientID") or SUBJECT.pseudonym) == SUBJECT.pseudonym,
    }
    return [name for name, right in checks.items() if not right]


def _lost(before: EncodedFile, result: RedactedFile, after: EncodedFile) -> list[str]:
    """Paths of elements that are neither there nor told to be removed; not what carries nothing."""
    there = {e.tag for e in after.elements}
    removed = {c.path for c in result.header.changes if c.after is None}
    blocks = {t & 0xFFFF0000 | (t & 0xFFFF) >> 8 for t in there if t & 0x10000}
    lost = []
    for tag in (e.tag for e in before.elements if e.tag not in there and _path(e.tag) not in removed):
        is_creator = bool(tag & 0x10000) and 0x10 <= tag & 0xFFFF <= 0xFF
        carries_nothing = tag & 0xFFFF == 0 or tag == _PADDING or (is_creator and tag not in blocks)
        if not carries_nothing and tag not in WRITTEN_BY_DEIDRA:
            lost.append(_path(tag))
    return lost


def _new(number: str, preset: str = "tcia") -> pydicom.Dataset:
    return pydicom.dcmread(io.BytesIO(_redacted(number, preset)[1].data))


@pytest.mark.parametrize(("number", "reason"), REFUSED.items())
def test_a_file_that_cannot_be_released_is_refused_at_once_with_the_right_reason(number: str, reason: str) -> None:
    data = _data(number)
    begin = time.process_time()
    with pytest.raises(InputError, match=reason) as caught:
        refuse_unsupported(read_dataset(data))
    assert time.process_time() - begin < MOMENT_S
    assert caught.value.advice


@presets
@readable
def test_every_other_file_is_written_as_a_proper_file_that_reads_back(number: str, preset: str) -> None:
    assert _verdict(number, preset).improper == []


@presets
@readable
def test_pixels_stay_as_they_are_unless_something_hides_in_them(number: str, preset: str) -> None:
    verdict = _verdict(number, preset)
    assert verdict.pixels == ("cleaned" if number in CLEANED else "unchanged")
    assert verdict.same_pixels is (number not in CLEANED)


@presets
@readable
def test_values_that_are_kept_stay_byte_for_byte(number: str, preset: str) -> None:
    assert _verdict(number, preset).altered == []


@presets
@readable
def test_every_element_is_in_the_output_or_told_to_be_removed(number: str, preset: str) -> None:
    assert _verdict(number, preset).lost == []


@presets
@readable
def test_no_uid_that_was_replaced_is_left_anywhere_in_the_header(number: str, preset: str) -> None:
    assert _verdict(number, preset).leaked == []


def test_a_fragment_with_the_bytes_of_a_delimiter_stays_whole() -> None:
    before, _, after = _redacted("040", "tcia")
    delimiter = b"\xfe\xff\xdd\xe0"
    assert before.value(PIXEL_DATA).count(delimiter) > 1
    assert after.value(PIXEL_DATA) == before.value(PIXEL_DATA)
    assert read_dataset(_data("040")).PixelData == before.value(PIXEL_DATA)[:-8]


def test_an_encoded_icon_inside_an_item_goes() -> None:
    assert "IconImageSequence" in read_dataset(_data("043"))
    assert "IconImageSequence" not in _new("043")


def test_implicit_bytes_under_an_explicit_label_are_written_explicit() -> None:
    new = _new("069")
    assert new.file_meta.TransferSyntaxUID == "1.2.840.10008.1.2.4.50"
    assert new.pixel_array.shape == (256, 256, 3)


def test_native_pixels_under_a_compressed_label_are_written_as_native() -> None:
    new = _new("115")
    assert new.file_meta.TransferSyntaxUID == ExplicitVRLittleEndian
    assert new.pixel_array.shape == (new.Rows, new.Columns)


def test_a_private_id_of_the_patient_goes() -> None:
    assert [e.tag for e in _redacted("118", "tcia")[2].elements if e.tag & 0x10000] == []


@presets
def test_uids_of_related_series_are_new(preset: str) -> None:
    before = read_dataset(_data("136"))
    new = _new("136", preset)
    (old,) = before.RelatedSeriesSequence
    assert old.SeriesInstanceUID.encode() not in _redacted("136", preset)[1].data
    if "RelatedSeriesSequence" in new:
        assert new.RelatedSeriesSequence[0].SeriesInstanceUID == KEY.uid(old.SeriesInstanceUID)
        assert new.RelatedSeriesSequence[0].StudyInstanceUID == KEY.uid(old.StudyInstanceUID)


@pytest.mark.parametrize("number", ["178", "179"])
def test_an_element_without_a_vr_takes_nothing_of_what_follows(number: str) -> None:
    before = read_dataset(_data(number))
    assert (before.RescaleType, before.RescaleIntercept) == ("HU", -1024)
    assert len(before.ExposureDoseSequence) == 4
    assert len(_new(number).ExposureDoseSequence) == 4


@pytest.mark.parametrize("number", [n for n in FILES if "202" <= n <= "211"] or ["none"])
def test_a_file_without_preamble_gets_a_meta_group_that_fits_it(number: str) -> None:
    assert _data(number)[128:132] != b"DICM"
    before, _, after = _redacted(number, "tcia")
    assert after.encoding == before.encoding
    assert _meta_tags(after) <= after.meta.keys()


def test_a_sequence_of_the_other_byte_order_is_read() -> None:
    (source,) = read_dataset(_data("248")).SourceImageSequence
    (new,) = _new("248").SourceImageSequence
    assert new.ReferencedSOPInstanceUID == KEY.uid(source.ReferencedSOPInstanceUID)

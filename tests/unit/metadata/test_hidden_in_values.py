"""Private text where numbers or single bytes should stand."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from dicom_files import to_bytes
from pydicom.dataset import FileDataset
from pydicom.uid import ImplicitVRLittleEndian

from deidra.app.decide.headers import one_pass_engine
from deidra.app.decide.policy import load_policy
from deidra.app.domain.errors import InputError
from deidra.app.domain.model import Identifier
from deidra.app.domain.taxonomy import EntityType
from deidra.app.headers import clean_headers
from deidra.app.load.dicom import read_dataset
from deidra.app.load.encoded import Splitter
from deidra.app.metadata.engine import Subject
from deidra.app.metadata.keys import ProjectKey

KEY = ProjectKey(bytes(32))
KNOWN = [
    Identifier("p", EntityType.PATIENT, "Okonkwo^Adaeze", "PatientName"),
    Identifier("p", EntityType.ID_MRN, "4711882", "PatientID"),
]


def cleaned(data: bytes, preset: str = "tcia") -> bytes:
    engine = one_pass_engine(KNOWN, load_policy(preset), KEY)
    file = Splitter().split(data)
    return b"".join(engine.write(file, engine.process(file, Subject("P1", -100)), searched=False))


def with_element(header: FileDataset, tag: int, vr: bytes, value: bytes) -> bytes:
    """The file with one more element, as its bytes have it."""
    data = to_bytes(header)
    file = Splitter().split(data)
    element = struct.pack("<HH2sH", tag >> 16, tag & 0xFFFF, vr, len(value)) + value
    place = next((e.start for e in file.elements if e.tag > tag), len(file.body))
    return data[:place] + element + data[place:]


@pytest.mark.parametrize("tag", [0x0008103E, 0x00180015, 0x00181030])
def test_two_bytes_a_letter_hide_nothing(header: FileDataset, tag: int) -> None:
    vr = b"CS" if tag == 0x00180015 else b"LO"
    if tag in header:
        del header[tag]
    after = cleaned(with_element(header, tag, vr, "OKONKWO ".encode("utf-16-le")))
    assert "OKONKWO".encode("utf-16-le") not in after
    assert b"OKONKWO" not in after


@pytest.mark.parametrize(("tag", "vr"), [(0x00280010, b"US"), (0x00280011, b"US"), (0x00189073, b"FD")])
def test_letters_behind_a_single_number_go(header: FileDataset, tag: int, vr: bytes) -> None:
    if tag in header:
        del header[tag]
    after = cleaned(with_element(header, tag, vr, b"\0\2" * (4 if vr == b"FD" else 1) + b"OKONKWO!"))
    assert b"OKONKWO" not in after
    assert tag in read_dataset(after)


@pytest.mark.parametrize("keyword", ["SliceThickness", "SliceLocation", "PatientWeight", "SeriesNumber"])
def test_an_id_in_a_number_goes_and_other_numbers_stay(header: FileDataset, keyword: str) -> None:
    setattr(header, keyword, "4711882")
    assert b"4711882" not in cleaned(to_bytes(header))
    setattr(header, keyword, "12")
    assert str(read_dataset(cleaned(to_bytes(header)))[keyword].value) in ("12", "12.0")


@pytest.mark.parametrize("syntax", ["explicit", "implicit"])
@pytest.mark.parametrize("tag", [0x00283006, 0x54001010, 0x00280106])
def test_elements_whose_type_others_decide_are_read_alone(header: FileDataset, syntax: str, tag: int) -> None:
    if syntax == "implicit":
        header.file_meta.TransferSyntaxUID = ImplicitVRLittleEndian
        data = to_bytes(header)
        place = next((e.start for e in Splitter().split(data).elements if e.tag > tag), len(data))
        data = data[:place] + struct.pack("<HHL", tag >> 16, tag & 0xFFFF, 4) + b"\1\2\3\4" + data[place:]
    else:
        raw = to_bytes(header)
        place = next((e.start for e in Splitter().split(raw).elements if e.tag > tag), len(raw))
        data = raw[:place] + struct.pack("<HH2sHL", tag >> 16, tag & 0xFFFF, b"UN", 0, 4) + b"\1\2\3\4" + raw[place:]
    assert read_dataset(cleaned(data, "basic")).PatientID == "P1"


def test_one_damaged_file_does_not_end_the_batch(header: FileDataset, tmp_path: Path) -> None:
    good = to_bytes(header)
    place = good.index(b"\x02\x00\x03\x00UI")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "bad.dcm").write_bytes(good[: place + 4] + b"ZZ" + good[place + 6 :])
    (tmp_path / "in" / "good.dcm").write_bytes(good)
    with pytest.raises(InputError):
        Splitter().split((tmp_path / "in" / "bad.dcm").read_bytes())
    result = clean_headers([tmp_path / "in"], tmp_path / "out", load_policy("tcia"), KEY)
    assert result.written == 1
    assert [Path(path).name for path, _ in result.refused] == ["bad.dcm"]

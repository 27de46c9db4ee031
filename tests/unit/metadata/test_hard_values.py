"""Values that de-identification tools fail on: several values, UIDs, names, character sets, lengths, wrong types."""

from __future__ import annotations

import struct

import pytest
import raw_dicom
from hard_headers import (
    BIRTH,
    DAY,
    IDENTITY,
    KEY,
    NAME,
    NEW_DAY,
    PRESETS,
    SUBJECT,
    SURNAME,
    UIDS,
    clean,
    header,
    item,
    put,
    text,
)
from pydicom.uid import ImplicitVRLittleEndian

from deidra.app.domain.errors import InputError
from deidra.app.metadata.identity import patient_key
from deidra.app.metadata.keys import ProjectKey

presets = pytest.mark.parametrize("preset", PRESETS)


@presets
def test_several_names_go(preset: str) -> None:
    dataset = header(
        OperatorsName=["Mbeki^Thabo", "Ngozi^Chika"],
        OtherPatientNames=["Okonkwo^Ada", "Eze^Adaeze"],
        PerformingPhysicianName=["Smithson^Alan", ""],
        PhysiciansOfRecord="Vandenberg^Q=Ван^Дер=x",
        NameOfPhysiciansReadingStudy=["Larkins^Z"],
        ReferringPhysicianName="Holloway^Grace^^Dr^MD",
    )
    result = clean(dataset, preset)
    assert (
        result.holds("mbeki", "ngozi", "okonkwo", "adaeze", "smithson", "vandenberg", "Ван", "larkins", "holloway")
        == []
    )
    assert text(result.dataset.ReferringPhysicianName) == ""


@presets
@pytest.mark.parametrize("count", [1, 2, 3])
def test_several_uids_are_each_replaced(preset: str, count: int) -> None:
    old = [f"{UIDS['study']}.88.{n}" for n in range(count)]
    result = clean(header(IrradiationEventUID=old, FrameOfReferenceUID=old[0]), preset)
    new = result.dataset.IrradiationEventUID
    assert ([new] if count == 1 else list(new)) == [KEY.uid(uid) for uid in old]
    assert result.dataset.FrameOfReferenceUID == KEY.uid(old[0])
    assert result.holds(*UIDS.values()) == []


@presets
@pytest.mark.parametrize(
    "value", ["1.2.03.4.5", "1.2.840.0001", "01.2.3.44.55", "1..2.3", "AB-4711-ok", "1.2.3." + "4" * 70]
)
@pytest.mark.parametrize("tag", [0x00080018, 0x0020000D, 0x0020000E, 0x00200052])
def test_invalid_uids_are_replaced_the_same_way_everywhere(preset: str, value: str, tag: int) -> None:
    dataset = header()
    put(dataset, tag, "UI", value.encode())
    reference = item()
    put(reference, 0x00081155, "UI", value.encode())
    dataset.SourceImageSequence = [reference]
    result = clean(dataset, preset)
    assert str(result.dataset[tag].value) == KEY.uid(value)
    assert result.get("SourceImageSequence[0]/ReferencedSOPInstanceUID") == KEY.uid(value)
    assert result.holds(value) == []


@pytest.mark.parametrize(
    ("first", "second", "one"),
    [
        ("LAST^FIRST^MIDDLE", "LAST^FIRST^MIDDLE^", True),
        ("LAST^FIRST^MIDDLE", "LAST^FIRST^MIDDLE^^", True),
        ("LAST^FIRST^MIDDLE", " LAST^FIRST^MIDDLE ", True),
        ("LAST^FIRST^MIDDLE", "Last^First^Middle", True),
        ("LAST^FIRST^MIDDLE", "LAST^FIRST^MIDDLE==", True),
        ("LAST^FIRST", "LAST^FIRST=", True),
        ("LAST^FIRST", "FIRST^LAST", False),
        ("LAST^FIRST", "LAST^SECOND", False),
    ],
)
def test_forms_of_one_name_are_one_patient(first: str, second: str, one: bool) -> None:
    keys = {patient_key(header(PatientName=name, PatientID=None), KEY) for name in (first, second)}
    assert len(keys) == (1 if one else 2)


def test_one_id_with_and_without_padding_is_one_patient() -> None:
    keys = set()
    for value in (b"MRN4711 ", b"MRN4711\0", b" MRN4711", b"MRN4711"):
        dataset = header()
        put(dataset, 0x00100020, "LO", value)
        keys.add(patient_key(dataset, KEY))
    assert len(keys) == 1


def test_pseudonyms_and_uids_depend_on_the_key() -> None:
    other = ProjectKey(bytes(reversed(range(32))))
    dataset = header()
    assert patient_key(dataset, KEY) != patient_key(dataset, other)
    assert KEY.uid(UIDS["study"]) != other.uid(UIDS["study"])


@presets
@pytest.mark.parametrize(
    ("tag", "vr", "value"),
    [
        (0x00180050, "DS", b"thin"),
        (0x00180050, "DS", b"1,5"),
        (0x00200013, "IS", b"1A"),
        (0x00200013, "IS", b"1.5"),
        (0x00181151, "IS", b"99999999999999"),
        (0x00280010, "US", b"\1\0\2"),
        (0x00180060, "DS", b"120\\"),
        (0x00080030, "TM", b"noon"),
        (0x00101010, "AS", b"old"),
        (0x00080008, "CS", b"\xff\xfe"),
        (0x00280009, "AT", b"\x18\0"),
    ],
)
def test_one_odd_value_does_not_end_the_file(preset: str, tag: int, vr: str, value: bytes) -> None:
    dataset = header()
    put(dataset, tag, vr, value)
    new = clean(dataset, preset).dataset
    assert (new.PatientID, new.StudyDate) == (SUBJECT.pseudonym, NEW_DAY)


@presets
@pytest.mark.parametrize(("tag", "vr"), [(0x00189306, b"FD"), (0x00189461, b"FL")])
def test_a_number_of_the_wrong_length_is_refused_without_quoting_it(preset: str, tag: int, vr: bytes) -> None:
    more = raw_dicom.put(tag, vr, b"OKONKW")
    with pytest.raises(InputError) as caught:
        clean(raw_dicom.part10(raw_dicom.header(more=more, at=0x00200000)), preset)
    assert "OKONKW" not in f"{caught.value} {caught.value.advice}"


@presets
@pytest.mark.parametrize(
    ("tag", "vr", "value"),
    [
        (0x00080020, "LO", DAY.encode()),
        (0x00080020, "UN", DAY.encode()),
        (0x00080018, "LO", b"x"),
        (0x00100010, "UT", NAME.encode()),
        (0x00100010, "UN", NAME.encode()),
        (0x00100020, "UN", IDENTITY.encode()),
        (0x00100030, "ST", BIRTH.encode()),
        (0x00080090, "LO", NAME.encode()),
        (0x00081030, "OB", NAME.encode()),
        (0x00280010, "LT", NAME.encode()),
        (0x00080060, "PN", NAME.encode()),
        (0x00081140, "LT", NAME.encode()),
    ],
)
def test_no_wrong_vr_carries_a_value_past_the_rules(preset: str, tag: int, vr: str, value: bytes) -> None:
    dataset = header()
    put(dataset, tag, vr, value)
    result = clean(dataset, preset)
    assert result.holds(SURNAME, IDENTITY, BIRTH) == []
    if tag != 0x00080020:
        assert result.dataset.StudyDate == NEW_DAY
    else:
        assert DAY.encode() not in result.data


@presets
def test_empty_values_stay_empty_and_nothing_is_made_up(preset: str) -> None:
    empties = ["ReferringPhysicianName", "StudyID", "AccessionNumber", "PatientSex", "SeriesTime", "ContrastBolusAgent"]
    dataset = header(**dict.fromkeys(empties, ""), SourceImageSequence=[], ProcedureCodeSequence=[])
    new = clean(dataset, preset).dataset
    assert [keyword for keyword in empties if text(new.get(keyword))] == []
    assert [len(new[k].value) for k in ("SourceImageSequence", "ProcedureCodeSequence") if k in new] in (
        [0, 0],
        [0],
        [],
    )


@presets
def test_empty_patient_elements_get_the_pseudonym(preset: str) -> None:
    new = clean(header(PatientID="", PatientName=""), preset).dataset
    assert new.PatientID in ("", SUBJECT.pseudonym)
    assert new.PatientName in ("", SUBJECT.pseudonym)


@presets
def test_numbers_in_implicit_files_keep_their_sign(preset: str) -> None:
    dataset = header(syntax=ImplicitVRLittleEndian, PixelRepresentation=1, SmallestImagePixelValue=-1024)
    new = clean(dataset, preset)
    assert struct.pack("<h", -1024) in new.data
    assert new.dataset.SmallestImagePixelValue == -1024

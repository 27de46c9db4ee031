from __future__ import annotations

import re
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydicom.datadict import dictionary_VR, tag_for_keyword

from deidra.app.metadata.iod import TYPES, attribute_type

CT = "1.2.840.10008.5.1.4.1.1.2"
PET = "1.2.840.10008.5.1.4.1.1.128"
ENHANCED_CT = "1.2.840.10008.5.1.4.1.1.2.1"
ULTRASOUND = "1.2.840.10008.5.1.4.1.1.6.1"
RT_PLAN = "1.2.840.10008.5.1.4.1.1.481.5"
GRAYSCALE_STATE = "1.2.840.10008.5.1.4.1.1.11.1"
ENHANCED_SR = "1.2.840.10008.5.1.4.1.1.88.22"
ECG = "1.2.840.10008.5.1.4.1.1.9.1.1"
PDF = "1.2.840.10008.5.1.4.1.1.104.1"


def rows(name: str) -> list[list[str]]:
    text = (resources.files("deidra.app.metadata") / "data" / name).read_text("utf-8")
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]


def tag(keyword: str) -> int:
    number = tag_for_keyword(keyword)
    assert number is not None, keyword
    return int(number)


def type_of(sop_class: str, *path: str) -> str:
    *parents, last = (tag(keyword) for keyword in path)
    return attribute_type(sop_class, tuple(parents), last)


@pytest.mark.parametrize(
    ("sop_class", "keyword", "expected"),
    [
        (CT, "PatientID", "2"),
        (CT, "SeriesDate", "3"),
        (CT, "StationName", "3"),
        (CT, "AcquisitionDate", "3"),
        (CT, "ContrastBolusAgent", "2"),
        (CT, "ContentDate", "2C"),
        (CT, "PatientSexNeutered", "2C"),
        (CT, "OperatorsName", "3"),
        (PET, "SeriesDate", "1"),
        (PET, "SeriesTime", "1"),
        (PET, "AcquisitionDate", "2"),
        (ENHANCED_CT, "ContentDate", "1"),
        (ENHANCED_CT, "DeviceSerialNumber", "1"),
        (ENHANCED_CT, "AcquisitionDateTime", "1C"),
        (ECG, "AcquisitionDateTime", "1"),
        (PDF, "AcquisitionDateTime", "2"),
        (RT_PLAN, "RTPlanDate", "2"),
        (RT_PLAN, "OperatorsName", "2"),
        (GRAYSCALE_STATE, "ContentCreatorName", "3"),
        (ENHANCED_SR, "ContentDate", "1"),
    ],
)
def test_attributes_have_the_type_of_the_standard(sop_class: str, keyword: str, expected: str) -> None:
    assert type_of(sop_class, keyword) == expected


def test_the_strictest_of_an_objects_modules_counts() -> None:
    # Type 3 in General Equipment, type 1 in Enhanced General Equipment; an enhanced object has both.
    assert type_of(CT, "DeviceSerialNumber") == "3"
    assert type_of(ENHANCED_CT, "DeviceSerialNumber") == "1"


def test_the_type_below_a_sequence_is_its_own() -> None:
    assert type_of(RT_PLAN, "BeamSequence", "TreatmentMachineName") == "2"
    assert type_of(RT_PLAN, "TreatmentMachineName") == ""


def test_a_sequence_in_an_unlisted_place_takes_the_strictest_type_of_its_kind() -> None:
    outer = type_of(ENHANCED_SR, "ContentSequence", "ObservationDateTime")
    assert outer in ("1C", "3")
    nested = ["ContentSequence"] * 5
    assert type_of(ENHANCED_SR, *nested, "ObservationDateTime") in TYPES[: TYPES.index(outer) + 1]


@pytest.mark.parametrize("sop_class", ["", "1.2.3", "CT Image Storage"])
def test_an_unknown_sop_class_has_no_types(sop_class: str) -> None:
    assert type_of(sop_class, "PatientID") == ""


def test_an_attribute_that_an_object_does_not_have_has_no_type() -> None:
    assert type_of(CT, "RTPlanDate") == ""
    assert type_of(ULTRASOUND, "ReviewerName") == ""
    assert attribute_type(CT, (tag("BeamSequence"), 0x00091001), tag("PatientID")) == ""


@given(
    st.sampled_from([CT, ENHANCED_SR, "", "1.2"]),
    st.lists(st.integers(0, 0xFFFFFFFF), max_size=6),
    st.integers(0, 0xFFFFFFFF),
)
def test_any_place_has_a_type_or_none(sop_class: str, parents: list[int], number: int) -> None:
    assert attribute_type(sop_class, tuple(parents), number) in (*TYPES, "")


def test_every_attribute_with_a_compound_code_is_there() -> None:
    compound = {row[0] for row in rows("ps315_2026d.tsv") if "/" in row[2]}
    listed = {row[0].split("/")[-1] for row in rows("iod_types.tsv") if row[1] in TYPES}
    # Each of them belongs to the IOD of some SOP class.
    assert listed == compound


def test_every_row_can_be_used() -> None:
    numbers = set()
    for path, name, classes in rows("iod_types.tsv"):
        if name not in TYPES:
            assert re.fullmatch(r"1\.2\.840\.10008[0-9.]+", name)
            assert re.fullmatch(r"[a-z0-9-]+", classes)
            numbers.add(int(path))
            continue
        assert re.fullmatch(r"[0-9A-F]{8}(/[0-9A-F]{8})*", path)
        assert all(dictionary_VR(int(parent, 16)) == "SQ" for parent in path.split("/")[:-1])
        assert {int(n) for part in classes.split() for n in part.split("-")} <= numbers
    assert numbers == set(range(180))


def test_no_sop_class_has_two_types_for_one_attribute() -> None:
    seen = set()
    for path, name, classes in rows("iod_types.tsv"):
        for part in classes.split() if name in TYPES else []:
            first, _, last = part.partition("-")
            for place in range(int(first), int(last or first) + 1):
                assert (path, place) not in seen
                seen.add((path, place))

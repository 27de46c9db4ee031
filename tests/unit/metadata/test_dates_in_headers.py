"""Dates and times of headers under each mode."""

from __future__ import annotations

import pytest
from dicom_files import InPlace
from pydicom import Dataset
from pydicom.dataset import FileDataset

from deidra.app.metadata.dates import DateMode
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import Option, Profile
from deidra.app.metadata.recipes import Rule, RuleAction

KEY = ProjectKey(bytes(32))
TEN_BACK = Subject("P1", -10)


def cleaned(
    header: FileDataset, mode: DateMode, times: bool = True, rules: list[Rule] | None = None, **values: object
) -> FileDataset:
    for keyword, value in values.items():
        setattr(header, keyword, value)
    options = {Option.MODIFIED_DATES} if mode not in (DateMode.REMOVE, DateMode.KEEP) else set()
    if mode is DateMode.KEEP:
        options = {Option.FULL_DATES}
    profile = Profile(frozenset({*options, Option.PATIENT}), rules or [], mode, times)
    InPlace(HeaderEngine(profile, KEY)).process(header, TEN_BACK)
    return header


@pytest.mark.parametrize("mode", [DateMode.SHIFT, DateMode.FIXED, DateMode.BASELINE])
def test_moving_modes_move_whole_days_and_leave_times(header: FileDataset, mode: DateMode) -> None:
    after = cleaned(header, mode, StudyDate="20240305", StudyTime="235959", AcquisitionDateTime="20240305000001.5+0100")
    assert (after.StudyDate, after.StudyTime) == ("20240224", "235959")
    assert after.AcquisitionDateTime == "20240224000001.5+0100"


def test_only_the_year_stays_and_no_time(header: FileDataset) -> None:
    after = cleaned(
        header,
        DateMode.YEAR,
        StudyDate="20240305",
        StudyTime="101112",
        AcquisitionDateTime="20240305000001.5+0100",
        ContentDate="2024.12.31",
        PatientBirthDate="19310101",
    )
    assert (after.StudyDate, after.StudyTime, after.ContentDate) == ("20240101", "", "20240101")
    assert after.AcquisitionDateTime == "2024"
    assert not after.PatientBirthDate


def test_times_can_be_left_out_while_dates_move(header: FileDataset) -> None:
    after = cleaned(
        header, DateMode.SHIFT, False, StudyDate="20240305", StudyTime="101112", AcquisitionDateTime="20240305101112"
    )
    assert (after.StudyDate, after.StudyTime, after.AcquisitionDateTime) == ("20240224", "", "20240224")


def test_kept_dates_are_kept_but_never_what_is_no_date(header: FileDataset) -> None:
    after = cleaned(header, DateMode.KEEP, StudyDate="20240305", StudyTime="101112")
    assert (after.StudyDate, after.StudyTime) == ("20240305", "101112")
    header["StudyDate"]._value = "OKONKWO"
    assert not cleaned(header, DateMode.KEEP).StudyDate


def test_a_date_that_cannot_be_parsed_becomes_a_dummy_where_a_value_is_required(header: FileDataset) -> None:
    item = Dataset()
    item.ValueType, item.Date = "DATE", "20240305"
    item["Date"]._value = "SOON"
    header.ContentSequence = [item]
    profile = Profile(frozenset({Option.MODIFIED_DATES, Option.STRUCTURED_CONTENT}))
    InPlace(HeaderEngine(profile, KEY)).process(header, TEN_BACK)
    assert header.ContentSequence[0].Date == "19000101"


def test_a_pet_injection_keeps_its_distance_to_the_series(header: FileDataset) -> None:
    item = Dataset()
    item.RadiopharmaceuticalStartTime = "234500"
    item.RadiopharmaceuticalStartDateTime = "20240304234500"
    header.RadiopharmaceuticalInformationSequence = [item]
    after = cleaned(header, DateMode.SHIFT, SeriesDate="20240305", SeriesTime="004500")
    inner = after.RadiopharmaceuticalInformationSequence[0]
    assert (after.SeriesDate, after.SeriesTime) == ("20240224", "004500")
    assert inner.RadiopharmaceuticalStartDateTime == "20240223234500"
    assert inner.RadiopharmaceuticalStartTime == "234500"


def test_a_rule_that_shifts_does_so_when_other_dates_are_removed(header: FileDataset) -> None:
    rules = [Rule(RuleAction.SHIFT, keyword="StudyDate")]
    after = cleaned(header, DateMode.REMOVE, True, rules, StudyDate="20240305", SeriesDate="20240305")
    assert after.StudyDate == "20240224"
    assert "SeriesDate" not in after or not after.SeriesDate

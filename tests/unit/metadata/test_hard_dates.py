"""Dates, times and ages that de-identification tools fail on."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hard_headers import PRESETS, SUBJECT, clean, header, put, text
from hypothesis import given, settings
from hypothesis import strategies as st

presets = pytest.mark.parametrize("preset", PRESETS)


@presets
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("20240229", "20231121"),
        ("2024.02.29", "20231121"),
        ("2024-02-29", "20231121"),
        ("2024/02/29", "20231121"),
        (" 20240229", "20231121"),
        ("1990/01/", ""),
        ("UNKNOWN", ""),
        ("0", ""),
        ("00000000", ""),
        ("20240230", ""),
        ("20241301", ""),
        ("29.02.2024", ""),
        ("Feb 29 24", ""),
        ("20240229Okonkwo", ""),
        ("00010101", ""),
        ("", ""),
    ],
)
def test_odd_study_dates_move_or_go(preset: str, value: str, expected: str) -> None:
    dataset = header()
    put(dataset, 0x00080020, "DA", value.encode())
    result = clean(dataset, preset)
    assert text(result.dataset.StudyDate) == expected


@presets
@pytest.mark.parametrize("value", ["19500228", "1950.12.11", "1990/01/", "UNKNOWN", "0", "", "19500228-19500301"])
def test_no_form_of_a_birth_date_stays(preset: str, value: str) -> None:
    dataset = header()
    put(dataset, 0x00100030, "DA", value.encode())
    assert text(clean(dataset, preset).dataset.PatientBirthDate) == ""


@presets
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("20240229101112.123456+0100", "20231121101112.123456+0100"),
        ("20240229101112.123456-0530", "20231121101112.123456-0530"),
        ("20240229101112&0100", ""),
        ("20240229101112", "20231121101112"),
        ("202402291011", "202311211011"),
        ("2024022910", "2023112110"),
        ("20240229", "20231121"),
        ("20240229-0500", "20231121-0500"),
        ("20240229 101112", ""),
        ("2024-02-29T10:11:12", ""),
        ("soon", ""),
    ],
)
def test_date_times_keep_their_precision_and_zone(preset: str, value: str, expected: str) -> None:
    dataset = header()
    put(dataset, 0x0008002A, "DT", value.encode())
    new = clean(dataset, preset).dataset.get("AcquisitionDateTime")
    # An attribute that must have a value gets one that tells nothing.
    assert text(new) in ({expected} if expected else {"", "19000101"})


@presets
@pytest.mark.parametrize("value", ["2024", "202402", "2024+0100", "202402-0500"])
def test_partial_date_times_move_at_their_precision(preset: str, value: str) -> None:
    dataset = header()
    put(dataset, 0x0008002A, "DT", value.encode())
    new = text(clean(dataset, preset).dataset.get("AcquisitionDateTime"))
    digits = value.split("+")[0].split("-")[0]
    assert len(new) == len(value)
    assert new[: len(digits)] != digits
    assert new[len(digits) :] == value[len(digits) :]


@presets
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("20240201-20240229", "20231024-20231121"),
        ("20240229-", "20231121-"),
        ("-20240229", "-20231121"),
        ("20240229\\20240101", "20231121\\20230923"),
        ("20240229\\\\20240101", "20231121\\\\20230923"),
        ("20240229\\UNKNOWN", ""),
    ],
)
def test_date_ranges_and_several_dates_move_part_by_part(preset: str, value: str, expected: str) -> None:
    dataset = header()
    put(dataset, 0x00080022, "DA", value.encode())
    new = clean(dataset, preset).dataset.get("AcquisitionDate")
    shown = (
        "\\".join(map(str, new)) if isinstance(new, (list, tuple)) or type(new).__name__ == "MultiValue" else text(new)
    )
    assert shown == expected


@settings(deadline=None, max_examples=60)
@given(
    days=st.lists(st.dates(date(1960, 1, 1), date(2100, 1, 1)), min_size=2, max_size=4),
    preset=st.sampled_from(PRESETS),
)
def test_intervals_between_all_dates_stay(days: list[date], preset: str) -> None:
    keywords = ["StudyDate", "SeriesDate", "AcquisitionDate", "ContentDate"]
    values = dict(zip(keywords, (d.strftime("%Y%m%d") for d in days), strict=False))
    new = clean(header(**values), preset).dataset
    moved = [datetime.strptime(new[keyword].value, "%Y%m%d") for keyword in values]
    old = [datetime.strptime(value, "%Y%m%d") for value in values.values()]
    assert {(b - a).days for a, b in zip(old, moved, strict=True)} == {SUBJECT.shift_days}


@presets
def test_times_stay_with_their_dates(preset: str) -> None:
    new = clean(header(SeriesTime="101500.25", AcquisitionTime="10:16:00", ContentTime="1017"), preset).dataset
    assert (new.StudyTime, new.SeriesTime) == ("101112", "101500.25")
    assert text(new.AcquisitionTime).replace(":", "") == "101600"
    assert new.ContentTime == "1017"


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        *(("045Y", "045Y"), ("089Y", "089Y"), ("090Y", "090Y"), ("091Y", "090Y"), ("107Y", "090Y"), ("999Y", "090Y")),
        *(("011M", "011M"), ("1100M", ""), ("45Y", "045Y"), ("95", ""), ("old", ""), ("", "")),
    ],
)
def test_ages_over_89_are_one_group_and_others_stay(age: str, expected: str) -> None:
    dataset = header()
    put(dataset, 0x00101010, "AS", age.encode())
    assert text(clean(dataset, "tcia").dataset.PatientAge) == expected
    assert "PatientAge" not in clean(dataset, "basic").dataset

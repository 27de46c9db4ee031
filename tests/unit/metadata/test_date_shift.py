from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.metadata.dates import parse_da, shift_value

DAYS = st.dates(date(1900, 1, 1), date(2100, 12, 31))
SHIFTS = st.integers(-3650, -30)


def da(day: date) -> str:
    return f"{day.year:04}{day.month:02}{day.day:02}"


@given(DAYS, DAYS, SHIFTS)
def test_the_interval_between_two_dates_stays(first: date, second: date, days: int) -> None:
    moved = [parse_da(shift_value("DA", da(day), days) or "") for day in (first, second)]
    assert moved[1] - moved[0] == second - first
    assert moved[0] == first + timedelta(days=days)


@given(DAYS, SHIFTS, st.times(), st.sampled_from(["", "+0100", "-0530"]))
def test_a_date_time_moves_by_whole_days_and_keeps_its_time_and_zone(
    day: date, days: int, time: object, zone: str
) -> None:
    rest = f"{time:%H%M%S.%f}{zone}"
    assert shift_value("DT", da(day) + rest, days) == da(day + timedelta(days=days)) + rest


@given(DAYS, DAYS, SHIFTS)
def test_a_range_and_several_values_move_part_by_part(first: date, second: date, days: int) -> None:
    a, b = (da(day + timedelta(days=days)) for day in (first, second))
    assert shift_value("DA", f"{da(first)}-{da(second)}", days) == f"{a}-{b}"
    assert shift_value("DA", f"{da(first)}\\{da(second)}", days) == f"{a}\\{b}"
    assert shift_value("DT", f"{da(first)}12\\{da(second)}13", days) == f"{a}12\\{b}13"


@given(st.text(max_size=20), st.sampled_from(["DA", "DT"]), SHIFTS)
def test_any_text_is_shifted_or_refused_but_never_copied(text: str, vr: str, days: int) -> None:
    moved = shift_value(vr, text, days)
    if moved and moved.strip("\\-"):
        assert moved != text.strip(" \0")


@pytest.mark.parametrize(
    ("vr", "text", "moved"),
    [
        ("DA", "20240301", "20240229"),
        ("DA", "20230301", "20230228"),
        ("DA", "20200101", "20191231"),
        ("DA", "1950.12.11", "19501210"),
        ("DA", "1950/12/11", "19501210"),
        ("DA", "1950-12-11", "19501210"),
        ("DA", " 20240301 ", "20240229"),
        ("DA", "20240301\0", "20240229"),
        ("DA", "20240301-", "20240229-"),
        ("DA", "-20240301", "-20240229"),
        ("DA", "20240301\\", "20240229\\"),
        ("DA", "", ""),
        ("DA", "  ", ""),
        ("DA", "09990101", "09981231"),
        ("DT", "20240301", "20240229"),
        ("DT", "20240301235959.123456-0800", "20240229235959.123456-0800"),
        ("DT", "2024030112", "2024022912"),
    ],
)
def test_a_date_moves_one_day_back(vr: str, text: str, moved: str) -> None:
    assert shift_value(vr, text, -1) == moved


@pytest.mark.parametrize(
    "text", ["1990/01/", "UNKNOWN", "0", "20231332", "20230229", "2023", "202301", "01012023x", "20240301\\x", "a-b"]
)
def test_what_is_no_date_is_refused(text: str) -> None:
    assert shift_value("DA", text, -1) is None


@pytest.mark.parametrize("text", ["2024", "202403", "20240301120000.1234567", "20240230", "now", "20240301 1200"])
def test_what_is_no_date_time_is_refused(text: str) -> None:
    assert shift_value("DT", text, -1) is None


def test_a_shift_out_of_the_calendar_is_refused() -> None:
    assert shift_value("DA", "00010105", -30) is None

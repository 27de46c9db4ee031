from __future__ import annotations

from collections.abc import Callable
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.detect.dates import written_dates

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
FORMS: dict[str, Callable[[date], str]] = {
    "20240229": lambda d: f"{d:%Y%m%d}",
    "2024-02-29": lambda d: f"{d:%Y-%m-%d}",
    "2024/02/29": lambda d: f"{d:%Y/%m/%d}",
    "2024.02.29": lambda d: f"{d:%Y.%m.%d}",
    "2024-2-9": lambda d: f"{d.year}-{d.month}-{d.day}",
    "29/02/2024": lambda d: f"{d:%d/%m/%Y}",
    "02/29/2024": lambda d: f"{d:%m/%d/%Y}",
    "29.02.2024": lambda d: f"{d:%d.%m.%Y}",
    "29-02-2024": lambda d: f"{d:%d-%m-%Y}",
    "2/29/24": lambda d: f"{d.month}/{d.day}/{d:%y}",
    "29.2.24": lambda d: f"{d.day}.{d.month}.{d:%y}",
    "29 / 02 / 2024": lambda d: f"{d:%d / %m / %Y}",
    "29 Feb 2024": lambda d: f"{d.day} {MONTHS[d.month - 1][:3]} {d.year}",
    "29FEB2024": lambda d: f"{d:%d}{MONTHS[d.month - 1][:3].upper()}{d.year}",
    "29FEB24": lambda d: f"{d:%d}{MONTHS[d.month - 1][:3].upper()}{d:%y}",
    "29-Feb-2024": lambda d: f"{d.day}-{MONTHS[d.month - 1][:3]}-{d.year}",
    "29-FEB-24": lambda d: f"{d.day}-{MONTHS[d.month - 1][:3].upper()}-{d:%y}",
    "29th of February": lambda d: f"{d.day}th {MONTHS[d.month - 1]} {d.year}",
    "29. February 2024": lambda d: f"{d.day}. {MONTHS[d.month - 1]} {d.year}",
    "February 29, 2024": lambda d: f"{MONTHS[d.month - 1]} {d.day}, {d.year}",
    "Feb 29 2024": lambda d: f"{MONTHS[d.month - 1][:3]} {d.day} {d.year}",
    "Feb. 29th, 2024": lambda d: f"{MONTHS[d.month - 1][:3]}. {d.day}th, {d.year}",
    "FEB-29, 2024": lambda d: f"{MONTHS[d.month - 1][:3].upper()}-{d.day}, {d.year}",
}


@pytest.mark.parametrize("form", FORMS)
@given(day=st.dates(date(1900, 1, 1), date(2099, 12, 31)), around=st.sampled_from([("", ""), ("on ", " at 10:15")]))
def test_a_day_written_in_any_form_is_among_the_days_that_are_read(
    form: str, day: date, around: tuple[str, str]
) -> None:
    written = FORMS[form](day)
    text = f"{around[0]}{written}{around[1]}"
    (found,) = written_dates(text)
    assert day in found.days
    assert text[found.start : found.end].strip() == written


@given(st.text(max_size=40))
def test_any_text_gives_dates_inside_it_that_do_not_overlap(text: str) -> None:
    found = sorted(written_dates(text), key=lambda d: d.start)
    assert all(0 <= d.start < d.end <= len(text) and d.days for d in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_an_ambiguous_date_means_both_days() -> None:
    (found,) = written_dates("03/04/1999")
    assert found.days == {date(1999, 3, 4), date(1999, 4, 3)}


def test_a_year_of_two_digits_means_both_centuries() -> None:
    (found,) = written_dates("31/12/24")
    assert found.days == {date(1924, 12, 31), date(2024, 12, 31)}


@pytest.mark.parametrize(("text", "certain"), [("3.12.24", False), ("3.12.2024", True), ("3/12/24", True)])
def test_short_dotted_dates_could_be_versions(text: str, certain: bool) -> None:
    (found,) = written_dates(text)
    assert found.certain is certain


@pytest.mark.parametrize(
    "text",
    [
        *("", "30/02/2024", "2024-13-01", "20241301", "12:30:45", "3.12.1", "1.2.840.10008", "1/2", "99999999"),
        *("May 5mm", "5 May", "123/12/2024", "2024-01-015", "W 400 L 40", "18500101", "01/01/1850", "120240229"),
    ],
)
def test_what_is_no_date_is_left_alone(text: str) -> None:
    assert list(written_dates(text)) == []


def test_several_dates_are_found_each() -> None:
    text = "from 2024-02-29 to 1 Mar 2024 (DOB 12/11/1950)"
    assert sorted(text[d.start : d.end] for d in written_dates(text)) == ["1 Mar 2024", "12/11/1950", "2024-02-29"]


def test_a_date_as_unix_programs_write_it_is_found_with_its_time() -> None:
    [found] = written_dates("Fri Apr 30 06:27:24 1993 3D")
    assert found.days == {date(1993, 4, 30)}
    assert (found.start, found.end) == (4, 24)

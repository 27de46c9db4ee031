from __future__ import annotations

from collections.abc import Callable
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.detect.dates import moved_date, written_dates

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


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2019年6月4日", date(2019, 6, 4)),
        ("2019 年 6 月 4 日", date(2019, 6, 4)),
        ("2019년 6월 4일", date(2019, 6, 4)),
        ("昭和23年7月13日", date(1948, 7, 13)),
        ("平成元年1月8日", date(1989, 1, 8)),
        ("令和元年5月1日", date(2019, 5, 1)),
        ("19 июня 2019", date(2019, 6, 19)),
        ("19 июня 2019 г.", date(2019, 6, 19)),
        ("3 МАЯ 2019", date(2019, 5, 3)),
        ("19 czerwca 2019", date(2019, 6, 19)),
        ("1 września 2019", date(2019, 9, 1)),
        ("20190604T101500", date(2019, 6, 4)),
        ("20190604T101500.25Z", date(2019, 6, 4)),
        ("20190604T1015", date(2019, 6, 4)),
        ("20190604101500", date(2019, 6, 4)),
        ("2019-06-04T10:15:00Z", date(2019, 6, 4)),
        ("2019-06-04T10:15:00.125+02:00", date(2019, 6, 4)),
    ],
)
def test_a_date_of_other_scripts_or_with_its_time_is_found_whole(text: str, day: date) -> None:
    [found] = written_dates(f"x {text} y")
    assert day in found.days
    assert (found.start, found.end) == (2, 2 + len(text))


@pytest.mark.parametrize("text", ["6月4日", "2019年", "23年7月13日", "昭和23年", "19 июня", "czerwca 2019", "T101500"])
def test_a_part_of_a_date_in_other_scripts_is_none(text: str) -> None:
    assert list(written_dates(text)) == []


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("20190604T101500", "20190614T101500"),
        ("2019-06-04T10:15:00Z", "2019-06-14T10:15:00Z"),
        ("19 июня 2019", "29 Jun 2019"),
        ("昭和23年7月13日", "23 Jul 1948"),
        ("12 OCT 2019", "22 Oct 2019"),
    ],
)
def test_a_date_moves_in_its_form_or_a_common_one(text: str, moved: str) -> None:
    assert moved_date(f"on {text}", 10) == f"on {moved}"

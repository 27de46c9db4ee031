from __future__ import annotations

import re
from datetime import date, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.metadata.dates import DateMode, change_value, grouped_age, parse_da, shift_value

DAYS = st.dates(date(1850, 1, 1), date(2150, 12, 31))
SHIFTS = st.integers(-40000, 40000).filter(bool)
MODES = st.sampled_from(DateMode)
MOVING = st.sampled_from([DateMode.SHIFT, DateMode.FIXED, DateMode.BASELINE])
VRS = st.sampled_from(["DA", "DT", "TM"])
ZONES = st.sampled_from(["", "+0000", "+0100", "-0530", "+1400", "-1200"])
DATE_LIKE = st.text(alphabet="0123456789.-/:+\\ \0", max_size=30)
REAL_DIGITS = st.builds(
    "{}{}{}".format,
    st.dates().map(lambda day: day.strftime("%Y%m%d").rjust(8, "0")),
    st.sampled_from(["", "-", "-19990101", "101112", "-0500", "\\20000229", "\0"]),
    st.sampled_from(["", "-", "+0100", ".5"]),
)
TEXTS = st.one_of(st.text(max_size=30), DATE_LIKE, REAL_DIGITS)

ONE_TM = r"([01]\d|2[0-3])([0-5]\d(([0-5]\d|60)(\.\d{1,6})?)?)?"
ONE_DT = r"\d{4}((0[1-9]|1[0-2])((0[1-9]|[12]\d|3[01])(" + ONE_TM + r")?)?)?([+-]\d{4})?"
ONE = {"DA": r"\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])", "DT": ONE_DT, "TM": ONE_TM}


def fits(vr: str, text: str) -> bool:
    """True for what PS3.5 6.2 allows: values, ranges and several of them."""
    one = ONE[vr]
    form = re.compile(f"({one})?|{one}-({one})?|-{one}", re.ASCII)
    return all(form.fullmatch(part) for part in text.split("\\"))


def da(day: date) -> str:
    return f"{day.year:04}{day.month:02}{day.day:02}"


@given(DAYS, DAYS, SHIFTS, MOVING)
def test_the_interval_between_two_dates_stays(first: date, second: date, days: int, mode: DateMode) -> None:
    moved = [parse_da(change_value("DA", da(day), mode, days) or "") for day in (first, second)]
    assert moved[0] is not None
    assert moved[1] is not None
    assert moved[1] - moved[0] == second - first
    assert moved[0] - first == timedelta(days=days)


@given(DAYS, SHIFTS, st.times(), ZONES)
def test_moving_there_and_back_gives_the_date_and_time_again(day: date, days: int, clock: time, zone: str) -> None:
    for vr, text in (("DA", da(day)), ("DT", f"{da(day)}{clock:%H%M%S.%f}{zone}")):
        there = change_value(vr, text, DateMode.SHIFT, days)
        assert there is not None
        assert change_value(vr, there, DateMode.SHIFT, -days) == text


@given(TEXTS, st.sampled_from(["DA", "DT"]), SHIFTS, MOVING)
def test_a_date_never_stays_as_it_was(text: str, vr: str, days: int, mode: DateMode) -> None:
    moved = change_value(vr, text, mode, days)
    if moved:
        assert moved not in text
        old, new = ([part.strip(" \0") for part in value.split("\\")] for value in (text, moved))
        assert all(a != b for a, b in zip(old, new, strict=True) if a)


@given(TEXTS, VRS, MODES, st.integers(-4_000_000, 4_000_000))
def test_what_comes_out_fits_its_type_whatever_goes_in(text: str, vr: str, mode: DateMode, days: int) -> None:
    changed = change_value(vr, text, mode, days)
    assert changed is None or fits(vr, changed)


@given(TEXTS, VRS)
def test_what_is_kept_is_kept_once_and_for_all(text: str, vr: str) -> None:
    kept = change_value(vr, text, DateMode.KEEP, 0)
    if kept is not None:
        assert change_value(vr, kept, DateMode.KEEP, 0) == kept


@given(TEXTS, VRS, SHIFTS)
def test_nothing_is_left_of_a_removed_value(text: str, vr: str, days: int) -> None:
    assert change_value(vr, text, DateMode.REMOVE, days) == ""


@given(st.sampled_from(["DA", "DT"]), TEXTS)
def test_only_the_year_is_left_of_a_date(vr: str, text: str) -> None:
    changed = change_value(vr, text, DateMode.YEAR, 0)
    if changed:
        one = r"(\d{4}0101)" if vr == "DA" else r"(\d{4})"
        assert re.fullmatch(rf"({one}?(-{one}?)?\\?)+", changed)


@pytest.mark.parametrize(
    ("vr", "text", "moved"),
    [
        ("DA", "20240301", "20240229"),
        ("DA", "1950.12.11", "19501210"),
        ("DA", "1950-12-11", "19501210"),
        ("DA", "1950/12/11", "19501210"),
        ("DA", " 20240301\0", "20240229"),
        ("DA", "20240301-20240401", "20240229-20240331"),
        ("DA", "20240301 - 20240401", "20240229-20240331"),
        ("DA", "1950-12-11-1950-12-12", "19501210-19501211"),
        ("DA", "20240301-", "20240229-"),
        ("DA", "-20240301", "-20240229"),
        ("DA", "20240301\\20240401 ", "20240229\\20240331"),
        ("DA", "20240301\\", "20240229\\"),
        ("DA", "", ""),
        ("DA", " \0", ""),
        ("DA", "\\", ""),
        ("DA", "10000101", "09991231"),
        ("DT", "20240301", "20240229"),
        ("DT", "2024030112", "2024022912"),
        ("DT", "202403011259", "202402291259"),
        ("DT", "20240301125960", "20240229125960"),
        ("DT", "20240301235959.123456-0800", "20240229235959.123456-0800"),
        ("DT", "20240301-0500", "20240229-0500"),
        ("DT", "20240301+0545", "20240229+0545"),
        ("DT", "20240301-0000", "20240229+0000"),
        ("DT", "20240301-20240401", "20240229-20240331"),
        ("DT", "20240301-0500-20240401-0500", "20240229-0500-20240331-0500"),
        ("DT", "20240301-0500-", "20240229-0500-"),
        ("DT", "-20240301", "-20240229"),
        ("DT", "2024030112\\20240401", "2024022912\\20240331"),
        ("TM", "101112.5", "101112.5"),
        ("TM", "10:11:12", "101112"),
        ("TM", "10:11", "1011"),
        ("TM", "10", "10"),
        ("TM", "235960", "235960"),
        ("TM", "1011-1213", "1011-1213"),
        ("TM", "1011-", "1011-"),
        ("TM", "101112 \\ 1213", "101112\\1213"),
    ],
)
def test_a_value_moves_one_day_back(vr: str, text: str, moved: str) -> None:
    assert change_value(vr, text, DateMode.SHIFT, -1) == moved


@pytest.mark.parametrize(
    ("text", "days", "moved"),
    [
        ("2024", -400, "2023"),
        ("2024", 100, "2025"),
        ("2024", -100, "2023"),
        ("2024", 0, "2024"),
        ("202403", -30, "202402"),
        ("202403", -3, "202402"),
        ("202403", 3, "202404"),
        ("202402", 366, "202502"),
        ("202401-0500", -31, "202312-0500"),
        ("2023-2024", -365, "2022-2023"),
        ("202401-202402", -31, "202312-202401"),
        ("0001", -1, None),
        ("9999", 1, None),
        ("000101", -31, None),
    ],
)
def test_a_date_without_a_day_keeps_its_precision(text: str, days: int, moved: str | None) -> None:
    assert change_value("DT", text, DateMode.SHIFT, days) == moved


@pytest.mark.parametrize(
    ("vr", "text", "year"),
    [
        ("DA", "19501211", "19500101"),
        ("DA", "1950.12.11", "19500101"),
        ("DA", "19501211-19510203", "19500101-19510101"),
        ("DT", "19501211101112.5+0100", "1950"),
        ("DT", "1950", "1950"),
        ("DT", "20230101\\20240101", "2023\\2024"),
        ("TM", "101112", ""),
        ("TM", "1011-1213", ""),
        ("TM", "1011\\1213", ""),
    ],
)
def test_a_date_becomes_its_year(vr: str, text: str, year: str) -> None:
    assert change_value(vr, text, DateMode.YEAR, -5) == year


@pytest.mark.parametrize("mode", [DateMode.SHIFT, DateMode.YEAR, DateMode.KEEP])
@pytest.mark.parametrize(
    ("vr", "text"),
    [
        *(("DA", text) for text in ("1990/01/", "199001", "1990", "UNKNOWN", "0", "00000000", "20231332", "20230229")),
        *(
            ("DA", text)
            for text in ("01012023x", "20240301\\x", "a-b", "-", "20240301-x", "２０２４０３０１", "20240301\n")
        ),
        *(("DT", text) for text in ("0000", "202413", "20240230", "2024030124", "202403011260", "20240301121261")),
        *(("DT", text) for text in ("now", "20240301 1200", "20240301120000.1234567", "20240301.5", "20240301+1500")),
        *(("DT", text) for text in ("20240301-0560", "2024-03-01", "-", "202", "20240301120000.")),
        *(
            ("TM", text)
            for text in ("24", "2400", "1060", "101161", "1", "101", "10:1112", "101112.", "1011.5", "noon")
        ),
        *(("TM", text) for text in ("101112.1234567", "-", "10-x", "101112+0100")),
        ("LO", "20240301"),
        ("DA", "20240301" * 1000),
        ("DT", "-" * 100_000),
    ],
)
def test_what_is_no_date_or_time_is_refused(vr: str, text: str, mode: DateMode) -> None:
    assert change_value(vr, text, mode, -30) is None


@pytest.mark.parametrize("days", [-1, -(10**9), -(10**30)])
def test_a_shift_out_of_the_calendar_is_refused(days: int) -> None:
    assert change_value("DA", "00010101", DateMode.SHIFT, days) is None
    assert change_value("DT", "00010101", DateMode.SHIFT, days) is None


@given(TEXTS, st.sampled_from(["DA", "DT"]), st.integers(-3650, -30))
def test_the_older_function_moves_alike_what_has_a_day(text: str, vr: str, days: int) -> None:
    older = shift_value(vr, text, days)
    assert older is None or older == change_value(vr, text, DateMode.SHIFT, days)


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("089Y", "089Y"),
        ("090Y", "090Y"),
        ("102Y", "090Y"),
        ("90Y", "090Y"),
        ("7y ", "007Y"),
        ("999M", "999M"),
        ("1080M", "090Y"),
        ("1079M", "089Y"),
        ("4800W", "090Y"),
        ("33000D", "090Y"),
        ("32000D", "087Y"),
        ("012D\0", "012D"),
        ("052W", "052W"),
        ("", ""),
        (" ", ""),
    ],
)
def test_ages_over_89_are_one_group(text: str, age: str) -> None:
    assert grouped_age(text) == age


@pytest.mark.parametrize("text", ["Y", "old", "90", "0.5Y", "-01Y", "090 Y", "090YY", "٠٩٠Y", "090Y\\091Y"])
def test_what_is_no_age_is_refused(text: str) -> None:
    assert grouped_age(text) is None


@given(st.integers(0, 99999), st.sampled_from("DWMY"), st.integers(1, 120))
def test_no_age_over_a_limit_comes_out(number: int, unit: str, limit: int) -> None:
    age = grouped_age(f"{number}{unit}", limit)
    assert age is not None
    assert re.fullmatch(r"\d{3}[DWMY]", age)
    in_years = {"D": 365.25, "W": 365.25 / 7, "M": 12, "Y": 1}
    assert int(age[:3]) / in_years[age[3]] < limit + 1 or age == f"{limit + 1:03}Y"


@given(st.text(alphabet="0123456789DWMYy \0", max_size=8) | st.text(max_size=12))
def test_any_text_is_an_age_or_refused(text: str) -> None:
    age = grouped_age(text)
    assert age is None or re.fullmatch(r"\d{3}[DWMY]|", age)

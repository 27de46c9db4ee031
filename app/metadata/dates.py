"""Dates, times and ages of headers: how they are read, moved, cut to the year (PS3.5 6.2: AS, DA, DT, TM).

All dates of a patient move by the same number of whole days, so intervals, times of day and time zones stay.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import date, timedelta
from enum import StrEnum

_DA = re.compile(r"(\d{4})[.\-/]?(\d{2})[.\-/]?(\d{2})", re.ASCII)
_DT = re.compile(
    r"(\d{4})(?:(\d{2})(?:(\d{2})((?:[01]\d|2[0-3])(?:[0-5]\d(?:(?:[0-5]\d|60)(?:\.\d{1,6})?)?)?)?)?)?([+-]\d{4})?",
    re.ASCII,
)
_TM = re.compile(r"([01]\d|2[0-3])(?:(:?)([0-5]\d)(?:\2([0-5]\d|60)(\.\d{1,6})?)?)?", re.ASCII)
_AS = re.compile(r"(\d{1,5})([DWMY])", re.ASCII | re.IGNORECASE)
_PADDING = " \0"
_LONGEST = 64
"""No value of these types is longer, a range of two included."""
_WESTERNMOST, _EASTERNMOST = -1200, 1400
"""Offsets from UTC as four digits, hours and minutes (PS3.5 6.2, DT)."""
_DAYS = {"D": 1.0, "W": 7.0, "M": 365.25 / 12, "Y": 365.25}
_LARGEST_AGE = 999


class DateMode(StrEnum):
    """What happens to dates."""

    SHIFT = "shift"
    FIXED = "fixed"
    BASELINE = "baseline"
    YEAR = "year"
    REMOVE = "remove"
    KEEP = "keep"


def parse_da(text: str) -> date | None:
    """A DA value, also in the older ``YYYY.MM.DD`` form or with hyphens or slashes; None when it is no date."""
    match = _DA.fullmatch(text.strip(_PADDING))
    return _date(*match.groups()) if match else None


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def change_value(vr: str, text: str, mode: DateMode, days: int) -> str | None:
    """What a date or time becomes.

    Several values (separated by a backslash) and ranges (``A-B``, ``A-``, ``-B``) are changed part by part. A
    date always comes out as eight digits, a time without colons. A DT that stops at the year or the month keeps
    this precision: the middle of the period moves; where that would leave it the same, it becomes the
    neighbouring period in the direction of the shift, so that no value stays as it was.

    Args:
        vr: DA, DT or TM.
        text: the value; padding does not matter.
        mode: SHIFT, FIXED and BASELINE move DA and DT by whole days and leave TM; YEAR gives ``YYYY0101`` for
            DA, ``YYYY`` for DT and nothing for TM; KEEP leaves what can be parsed; REMOVE leaves nothing.
        days: how far dates move, below zero into the past; counts in the moving modes only.

    Returns:
        The new value, "" for none, or None when the value cannot be parsed or would leave the calendar (years
        1 to 9999); it must not be copied then.
    """
    if mode is DateMode.REMOVE:
        return ""
    change = _CHANGES.get(vr)
    if change is None:
        return None
    parts = [_part(part.strip(_PADDING), lambda one: change(one, mode, days)) for part in text.split("\\")]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return "\\".join(known) if any(known) else ""


def shift_value(vr: str, text: str, days: int) -> str | None:
    """A DA or DT value moved by ``days``; None when it cannot be parsed (it must not be copied then).

    Multiple values (separated by a backslash) and ranges (by a hyphen) are moved part by part. A DT without a
    day is refused; :func:`change_value` moves it.
    """
    if vr == "DT" and not all(re.match(r"\d{8}|$", part.strip(_PADDING), re.ASCII) for part in text.split("\\")):
        return None
    return change_value(vr, text, DateMode.SHIFT, days)


def _part(text: str, change: Callable[[str], str | None]) -> str | None:
    """One value, or a range of two. A hyphen that can be an offset from UTC or stand in a date is no range."""
    if not text or len(text) > _LONGEST:
        return None if text else ""
    whole = change(text)
    if whole is not None:
        return whole
    for place in (place for place in reversed(range(len(text))) if text[place] == "-"):
        halves = text[:place].strip(_PADDING), text[place + 1 :].strip(_PADDING)
        first, last = (change(half) if half else "" for half in halves)
        if first is None or last is None or not any(halves):
            continue
        if first and len(last) == 4 and first[:4] > last:
            # Not a range that ends in a year long before, but an offset that does not exist.
            return None
        # Times have no year: a range of them becomes nothing, not a hyphen.
        return f"{first}-{last}" if first or last else ""
    return None


def _da(text: str, mode: DateMode, days: int) -> str | None:
    day = parse_da(text)
    if day is None:
        return None
    if mode is DateMode.YEAR:
        return f"{day.year:04}0101"
    moved = day if mode is DateMode.KEEP else _moved(day, days)
    return _digits(moved) if moved else None


def _dt(text: str, mode: DateMode, days: int) -> str | None:
    match = _DT.fullmatch(text)
    if match is None:
        return None
    year, month, day, time, zone = (group or "" for group in match.groups())
    first = _date(year, month or "01", day or "01")
    if first is None or not _is_offset(zone):
        return None
    # -0000 is no offset of the standard; +0000 says the same.
    rest = time + zone.replace("-0000", "+0000")
    if mode is DateMode.YEAR:
        return year
    if mode is DateMode.KEEP:
        return year + month + day + rest
    moved = _moved(first, days) if day else _moved_period(first, len(year + month), days)
    return _digits(moved)[: len(year + month + day)] + rest if moved else None


def _tm(text: str, mode: DateMode, _days: int) -> str | None:
    match = _TM.fullmatch(text)
    if match is None:
        return None
    return "" if mode is DateMode.YEAR else text.replace(":", "")


_CHANGES: dict[str, Callable[[str, DateMode, int], str | None]] = {"DA": _da, "DT": _dt, "TM": _tm}


def _is_offset(zone: str) -> bool:
    return not zone or (_WESTERNMOST <= int(zone) <= _EASTERNMOST and int(zone[3:]) < 60)


def _moved_period(first: date, digits: int, days: int) -> date | None:
    """A day of the year (4 digits) or month (6 digits) that a period, given by its first day, moves to."""
    length = 365 if digits == 4 else calendar.monthrange(first.year, first.month)[1]
    moved = _moved(first, length // 2 + days)
    if moved is None or not days or _digits(moved)[:digits] != _digits(first)[:digits]:
        return moved
    return _moved(first, -1) if days < 0 else _moved(first, length + 1)


def _moved(day: date, days: int) -> date | None:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None


def _digits(day: date) -> str:
    # strftime does not pad the years before 1000 on every system.
    return f"{day.year:04}{day.month:02}{day.day:02}"


def grouped_age(text: str, limit: int = 89) -> str | None:
    """An AS value, with all ages over a limit as one (45 CFR 164.514(b)(2)(i)(C)).

    Args:
        text: the value; fewer than three digits, more of them, and small letters are read as well.
        limit: the highest age in whole years that stays.

    Returns:
        The age, in three digits and D, W, M or Y; the limit plus one in years for ages over the limit, whatever
        their unit; "" for an empty value; None when it is no age.
    """
    stripped = text.strip(_PADDING)
    match = _AS.fullmatch(stripped)
    if match is None:
        return None if stripped else ""
    number, unit = int(match[1]), match[2].upper()
    years = number if unit == "Y" else int(number * _DAYS[unit] / _DAYS["Y"])
    if years > limit:
        return f"{limit + 1:03}Y"
    return f"{number:03}{unit}" if number <= _LARGEST_AGE else f"{years:03}Y"

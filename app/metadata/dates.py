"""Date shifting by whole days: intervals, times of day and time zones stay (PS3.5 6.2: DA, DT)."""

from __future__ import annotations

import re
from datetime import date, timedelta

_DA = re.compile(r"^(\d{4})[.\-/]?(\d{2})[.\-/]?(\d{2})$")
_DT = re.compile(r"^(\d{4})(\d{2})(\d{2})(\d{0,6}(?:\.\d{1,6})?(?:[+-]\d{4})?)$")


def parse_da(text: str) -> date | None:
    """A DA value, also in the older ``YYYY.MM.DD`` form; None when it is no date."""
    match = _DA.match(text.strip(" \0"))
    return _date(*match.groups()) if match else None


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def shift_value(vr: str, text: str, days: int) -> str | None:
    """A DA or DT value moved by ``days``; None when it cannot be parsed (it must not be copied then).

    Multiple values (separated by a backslash) and ranges (by a hyphen) are moved part by part.
    """
    if "\\" in text:
        parts = [shift_value(vr, part, days) for part in text.split("\\")]
        return None if None in parts else "\\".join(part or "" for part in parts)
    stripped = text.strip(" \0")
    if not stripped:
        return ""
    if vr == "DA":
        whole = parse_da(stripped)
        if whole is not None:
            return _moved(whole, days)
        halves = stripped.split("-")
        if len(halves) == 2:
            moved = [shift_value("DA", half, days) for half in halves]
            return None if None in moved else "-".join(half or "" for half in moved)
        return None
    match = _DT.match(stripped)
    if match is None:
        return None
    day = _date(*match.groups()[:3])
    shifted = _moved(day, days) if day else None
    return None if shifted is None else shifted + match[4]


def _moved(day: date, days: int) -> str | None:
    try:
        return (day + timedelta(days=days)).strftime("%Y%m%d").rjust(8, "0")
    except OverflowError:
        return None

"""Dates as people, scanners and forms write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "jan january januar janvier enero ene gennaio janeiro januari janv jänner января январь stycznia styczeń",
            "feb february februar februari février fevrier fév fev febrero febbraio fevereiro "
            "февраля февраль lutego luty",
            "mar march märz maerz mär mrz mars marzo março marco maart марта март marca marzec",
            "apr april avril avr abril abr aprile апреля апрель kwietnia kwiecień",
            "may mai mayo maggio maio mei maj мая май maja",
            "jun june juni juin junio giugno junho июня июнь czerwca czerwiec",
            "jul july juli juillet juil julio luglio julho июля июль lipca lipiec",
            "aug august août aout agosto ago augustus augusti августа август sierpnia sierpień",
            "sep sept september septembre septiembre settembre setembro сентября сентябрь września wrzesień",
            "oct october okt oktober octobre octubre ottobre outubro октября октябрь października październik",
            "nov november novembre noviembre novembro ноября ноябрь listopada listopad",
            "dec december dez dezember décembre decembre déc diciembre dic dicembre dezembro "
            "декабря декабрь grudnia grudzień",
        ],
        1,
    )
    for name in names.split()
}
_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_EARLIEST, _LATEST = 1880, 2100

_YEAR = r"(?P<y>\d{4}|\d{2}) (?! \d | \.\d )"
_DAY = r"(?P<d>\d{1,2})"
_MONTH = rf"(?P<b>{_NAMES})\.?"
_CLOCK = r"(?: T(?:[01]\d|2[0-3]):?[0-5]\d(?::?[0-5]\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})? (?!\d) )?"
_NO_FIGURE = r"(?<![\d:;./-])"
_HOUR_24, _MINUTE = r"(?:[01]?\d|2[0-3])", r"[0-5]\d"
_HALF = r"[ap]\.?m\b\.?(?!/)"
_TIMES = tuple(
    (re.compile(pattern, re.VERBOSE | re.IGNORECASE), certain)
    # Seconds, a half of the day, a word for the hour or a label tell a time from a ratio.
    for pattern, certain in (
        (
            rf"{_NO_FIGURE} (?P<value> {_HOUR_24} (?P<s>[:;]) {_MINUTE} (?P=s) {_MINUTE} (?:[.,]\d{{1,6}})?"
            rf"(?: \s?{_HALF} )? ) (?![\d:;/])",
            True,
        ),
        (rf"{_NO_FIGURE} (?P<value> (?:0?\d|1[0-2]) [:.;] {_MINUTE} \s? {_HALF} )", True),
        (rf"{_NO_FIGURE} (?P<value> {_HOUR_24} [:.] {_MINUTE} ) (?= \s? (?:hrs?|hours|uhr|h|uur) \b )", True),
        (
            r"\b (?: \w*time | \w*zeit | heure | hora | ora | tijd ) \s*[:=]?\s*"
            rf"(?P<value> {_HOUR_24} [:;] {_MINUTE} )"
            r"(?! [\d:;/] | \.\d | \s?(?:m?s|sec|min)\b )",
            True,
        ),
        (rf"{_NO_FIGURE} (?P<value> (?:[1-9]|1[0-2]) \s {_HALF} )", False),
        (rf"^\s* (?P<value> (?:[01]\d|2[0-3]) [:;] {_MINUTE} ) \s*$", False),
    )
)
_BEHIND_DATE = re.compile(r"[\s,T@-]{1,3}(?:(?:at|um|à)\s)?(?P<value>(?:[01]?\d|2[0-3])[:;.][0-5]\d)(?![\d:;./])")
_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
"""Reigns of Japan, by the year before their first."""
_PATTERNS = tuple(
    (form, re.compile(pattern, re.VERBOSE | re.IGNORECASE))
    for form, pattern in {
        "ymd": rf"(?<![\d.]) (?P<y>\d{{4}}) \s?[-/.]\s? (?P<m>\d{{1,2}}) \s?[-/.]\s? {_DAY} (?!\d){_CLOCK}",
        "ymdk": rf"(?<![\d.]) (?P<y>\d{{4}}) \s?[年년]\s? (?P<m>\d{{1,2}}) \s?[月월]\s? {_DAY} \s?[日号일]",
        "era": rf"(?P<e>{'|'.join(_ERAS)}) \s? (?P<y>\d{{1,2}}|元) \s?年\s? (?P<m>\d{{1,2}}) \s?月\s? {_DAY} \s?日",
        "xxy": rf"(?<![\d.]) (?P<a>\d{{1,2}}) \s?(?P<sep>[-/.])\s? (?P<b>\d{{1,2}}) \s?(?P=sep)\s? {_YEAR}",
        "dby": rf"(?<!\d) {_DAY}(?:st|nd|rd|th|er|º|ª)? [\s\-./]* (?:(?:de|of)\s+)? {_MONTH}"
        rf"[\s\-./,]* (?:de\s+)? {_YEAR} (?:\s?(?:года|г\.?)(?!\w))?",
        "ybd": rf"(?<!\d) (?P<y>\d{{4}}) [\s\-./]* {_MONTH} [\s\-./]* {_DAY} (?!\d)",
        "bdy": rf"(?<![a-z]) {_MONTH} [\s\-]* {_DAY}(?:st|nd|rd|th)? \s*[,\s]\s* (?P<y>\d{{4}}) (?!\d)",
        # As Unix programs and older scanner consoles write it: Fri Apr 30 06:27:24 1993.
        "clock": rf"(?<![a-z]) {_MONTH} \s* {_DAY} \s+ \d{{1,2}}:\d{{2}}(?::\d{{2}})? \s* (?P<y>\d{{4}}) (?!\d)",
        # With a time of day behind it, as in values of VR DT.
        "compact": r"""(?<!\d) (?P<y>(?:19|20)\d{2}) (?P<m>\d{2}) (?P<d>\d{2})
            (?: T?(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(?:\.\d{1,6})?Z? | T(?:[01]\d|2[0-3]):?[0-5]\d Z? )? (?!\d)""",
    }.items()
)


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date in a text: characters ``start`` to ``end``, and every calendar day that it can mean."""

    start: int
    end: int
    days: frozenset[date]
    certain: bool


def written_dates(text: str) -> Iterator[WrittenDate]:
    """Every date in ``text``. ``certain`` is False for forms that are also versions or fractions."""
    if not any(c.isdigit() for c in text):
        return
    taken: list[tuple[int, int]] = []
    for form, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            days = _days(form, match)
            if days:
                taken.append(match.span())
                short_year = form == "xxy" and len(match["y"]) == 2
                yield WrittenDate(match.start(), match.end(), days, not (short_year and match["sep"] == "."))


@dataclass(frozen=True, slots=True)
class WrittenTime:
    """A time of day or a clock's reading in a text: characters ``start`` to ``end``.

    ``certain`` is False for hours and minutes alone, which may be a ratio.
    """

    start: int
    end: int
    certain: bool


def written_times(text: str) -> Iterator[WrittenTime]:
    """Every time of day in ``text``: with seconds, with am or pm, after a label or a date, or alone on its line."""
    if not any(c.isdigit() for c in text):
        return
    taken: list[tuple[int, int]] = []
    matches = [(match, certain) for pattern, certain in _TIMES for match in pattern.finditer(text)]
    matches += [(match, True) for date in written_dates(text) if (match := _BEHIND_DATE.match(text, date.end))]
    for match, certain in matches:
        start, end = match.span("value")
        if not any(a < end and start < b for a, b in taken):
            taken.append((start, end))
            yield WrittenTime(start, end, certain)


def _days(form: str, match: re.Match[str]) -> frozenset[date]:
    if form == "era":
        years: tuple[int, ...] = (_ERAS[match["e"]] + (1 if match["y"] == "元" else int(match["y"])),)
    else:
        years = _years(match["y"])
    if form in ("ymd", "ymdk", "era", "compact"):
        pairs = {(int(match["m"]), int(match["d"]))}
    elif form == "xxy":
        first, second = int(match["a"]), int(match["b"])
        pairs = {(first, second), (second, first)}
    else:
        pairs = {(_MONTHS[match["b"].lower()], int(match["d"]))}
    return frozenset(day for year in years for pair in pairs if (day := _date(year, *pair)) is not None)


def _years(text: str) -> tuple[int, ...]:
    return (int(text),) if len(text) == 4 else (1900 + int(text), 2000 + int(text))


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if _EARLIEST <= year <= _LATEST else None
    except ValueError:
        return None


def moved_date(text: str, days: int) -> str | None:
    """``text`` with its first date moved by ``days``, written in the same form; None when it holds none."""
    found = next(written_dates(text), None)
    if found is None:
        return None
    original = text[found.start : found.end]
    # One of the days that the text can mean; the new one is written in the same order.
    day = min(found.days)
    try:
        moved = day + timedelta(days=days)
    except OverflowError:
        return None
    values = {2: f"{moved.day:02d}", 1: f"{moved.month:02d}"}
    numbers = re.findall(r"\d+", original)
    if len(numbers[0]) >= 8:
        new = f"{moved.year:04d}{values[1]}{values[2]}{original[8:]}"
    elif any(c.isalpha() for c in re.sub(r"T.*", "", original)):
        new = f"{values[2]} {moved.strftime('%b')} {moved.year}"
    elif len(numbers[0]) == 4:
        new = re.sub(r"\d+", "{}", original, count=3).format(moved.year, values[1], values[2])
    else:
        day_first = int(numbers[0]) == day.day and int(numbers[1]) == day.month
        pair = (values[2], values[1]) if day_first else (values[1], values[2])
        year = str(moved.year) if len(numbers[2]) == 4 else f"{moved.year % 100:02d}"
        new = re.sub(r"\d+", "{}", original).format(*pair, year)
    return text[: found.start] + new + text[found.end :]

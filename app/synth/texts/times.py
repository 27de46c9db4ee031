"""Dates in the forms of machines, forms and letters of many languages; ages; times of day, which are not private."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.people import Phi
from deidra.app.synth.texts.draw import Draw
from deidra.app.synth.texts.names import Maker

_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
}
_NAMES = {language: tuple(names.split()) for language, names in _MONTHS.items()}
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBERS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TODAY = date(2027, 1, 1)
_AGE_UNITS = (
    "-year-old", "-year-old", "-year-old", " year old", " year-old", " y/o", "yo", " yo", " y.o.", "-yo", "y/o",
    " years old", " yr old", "-yr-old", "YO",
)  # fmt: skip


_OLDER = 0.08
_OLDEST = 80


def past(draw: Draw, years: int) -> date:
    """A day of the last ``years`` years, at times of long before: what happened then is no date of birth."""
    if draw.pool.split == "train" and draw.chance(_OLDER):
        years = _OLDEST
    return _TODAY - timedelta(days=int(draw.rng.random() ** 1.6 * years * 365) + 1)


def _ordinal(number: int) -> str:
    return f"{number}{'th' if 10 < number < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _numeric(draw: Draw, day: date) -> str:
    mark = draw.one(("/", "/", "-", ".", " "))
    year = f"{day.year}" if draw.chance(0.75) else f"{day.year % 100:02d}"
    pad = "02d" if draw.chance(0.65) else "d"
    first, second = (day.month, day.day) if draw.locale.name == "en_US" else (day.day, day.month)
    if mark == " " and (len(year) == 2 or pad == "d"):
        mark = "/"
    return f"{first:{pad}}{mark}{second:{pad}}{mark}{year}"


def _english(draw: Draw, day: date) -> str:
    month = _NAMES["en"][day.month - 1]
    short = month[:3]
    forms = (
        f"{month} {day.day}, {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{short} {day.day}, {day.year}",
        f"{short}. {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
        f"{day.day} {short} {day.year}",
        f"{day.day:02d}-{short}-{day.year}",
        f"{day.day:02d}-{short.upper()}-{day.year % 100:02d}",
        f"{month} {_ordinal(day.day)}, {day.year}",
        f"the {_ordinal(day.day)} of {month} {day.year}"[4:],
        f"{_DAYS[day.weekday()]}, {month} {day.day}, {day.year}",
        f"{month} {day.day} {day.year}",
    )
    return draw.one(forms)


def _local(draw: Draw, day: date) -> str:
    language = draw.locale.language
    if language == "en":
        return _english(draw, day)
    month = _NAMES[language][day.month - 1]
    if language == "de":
        return f"{day.day}. {month} {day.year}"
    if language in ("es", "pt"):
        return f"{day.day} de {month} de {day.year}"
    return f"{day.day} {month} {day.year}"


def compact(draw: Draw, day: date) -> str:
    """``day`` without blanks, as machines write it."""
    month = _NAMES["en"][day.month - 1][:3]
    forms = (
        f"{day:%Y%m%d}", f"{day:%Y%m%d}", f"{day:%Y-%m-%d}", f"{day:%Y.%m.%d}", f"{day:%Y/%m/%d}",
        f"{day.day:02d}{month.upper()}{day.year}", f"{day.day:02d}-{month.upper()}-{day.year}",
        f"{day.day:02d}{month.upper()}{day.year % 100:02d}", f"{day.day:02d}{month}{day.year}",
    )  # fmt: skip
    return draw.one(forms)


def written(draw: Draw, day: date) -> str:
    """``day`` as people write it."""
    turn = draw.rng.random()
    if turn < 0.45:
        return _numeric(draw, day)
    if turn < 0.85:
        return _local(draw, day)
    return f"{day:%Y-%m-%d}" if turn < 0.93 else compact(draw, day)


def _short(draw: Draw, day: date) -> str:
    month = _NAMES["en"][day.month - 1]
    forms = (f"{day.month}/{day.day}", f"{day.month:02d}/{day.day:02d}", f"{month} {day.day}", f"{month[:3]} {day.day}")
    return draw.one((*forms, f"{month} {_ordinal(day.day)}", f"{_DAYS[day.weekday()]}, {month} {day.day}"))


def _month(draw: Draw, day: date) -> str:
    month = _NAMES[draw.locale.language if draw.chance(0.4) else "en"][day.month - 1]
    return draw.one((f"{month} {day.year}", f"{month} {day.year}", f"{month[:3]} {day.year}", f"{day:%m/%Y}"))


def clock(draw: Draw) -> str:
    """A time of day."""
    hour, minute, second = draw.rng.randrange(24), draw.rng.randrange(60), draw.rng.randrange(60)
    half = f"{hour % 12 or 12}:{minute:02d}"
    forms = (
        f"{hour:02d}:{minute:02d}", f"{hour:02d}:{minute:02d}:{second:02d}", f"{half} {'AM' if hour < 12 else 'PM'}",
        f"{half}{'am' if hour < 12 else 'pm'}", f"{half} {'a.m.' if hour < 12 else 'p.m.'}", f"{hour:02d}{minute:02d}h",
    )  # fmt: skip
    return draw.one(forms)


def _tm(draw: Draw) -> str:
    hour, minute, second = draw.rng.randrange(24), draw.rng.randrange(60), draw.rng.randrange(60)
    text = f"{hour:02d}{minute:02d}{second:02d}"
    return text if draw.chance(0.5) else f"{text}.{draw.digits('######' if draw.chance(0.5) else '###')}"


def _dt(draw: Draw) -> str:
    day = past(draw, 30)
    zone = draw.one(("", "", "+0100", "-0500"))
    return f"{day:%Y%m%d}{_tm(draw)}{zone}" if draw.chance(0.8) else f"{day:%Y-%m-%d}T{draw.digits('1#:2#:3#')}"


def years(draw: Draw) -> int:
    """An age in years."""
    return draw.rng.randint(18, 89) if draw.chance(0.85) else draw.rng.randint(1, 106)


def _age(draw: Draw) -> str:
    turn = draw.rng.random()
    if turn < 0.9:
        return f"{years(draw)}{draw.one(_AGE_UNITS)}"
    if turn < 0.97:
        tens, unit = draw.one(_NUMBERS), draw.one(_UNITS)
        return f"{tens}-{unit}-year-old" if draw.chance(0.7) else f"{tens}-year-old"
    number = draw.rng.randint(2, 11)
    return f"{number}{draw.one(('-month-old', ' month old', '-week-old', '-day-old', ' mo'))}"


def _age_years(draw: Draw) -> str:
    number = years(draw)
    return draw.one((f"{number}", f"{number}", f"{number} years", f"{number} yrs", f"{number} years old", f"{number}y"))


def _age_code(draw: Draw) -> str:
    turn = draw.rng.random()
    if turn < 0.7:
        return f"{years(draw):03d}Y"
    number = draw.rng.randint(1, 24)
    return f"{number:03d}{draw.one(('M', 'W', 'D'))}" if turn < 0.82 else f"{years(draw)}{draw.one(('Y', 'Y', 'y'))}"


def _date(kind: EntityType, day: Callable[[Draw], date], write: Callable[[Draw, date], str]) -> Maker:
    return lambda draw: [Phi(write(draw, day(draw)), kind)]


def _lately(draw: Draw) -> date:
    return past(draw, 30)


def _da(draw: Draw, day: date) -> str:
    return f"{day:%Y%m%d}" if draw.chance(0.9) else f"{day:%Y.%m.%d}"


_BIRTH, _OTHER, _AGED = EntityType.DATE_BIRTH, EntityType.DATE_OTHER, EntityType.AGE

SLOTS: dict[str, Maker] = {
    "dob": _date(_BIRTH, lambda d: d.birthday, written),
    "dobc": _date(_BIRTH, lambda d: d.birthday, compact),
    "dobda": _date(_BIRTH, lambda d: d.birthday, _da),
    "dobn": _date(_BIRTH, lambda d: d.birthday, _numeric),
    "date": _date(_OTHER, _lately, written),
    "datec": _date(_OTHER, _lately, compact),
    "da": _date(_OTHER, _lately, _da),
    "daten": _date(_OTHER, _lately, _numeric),
    "dates": _date(_OTHER, _lately, _short),
    "month": _date(_OTHER, _lately, _month),
    "dt": lambda d: [Phi(_dt(d), _OTHER)],
    "age": lambda d: [Phi(_age(d), _AGED)],
    "agey": lambda d: [Phi(_age_years(d), _AGED)],
    "agen": lambda d: [Phi(f"{years(d)}", _AGED)],
    "agede": lambda d: [Phi(f"{years(d)} Jahre alt", _AGED)],
    "agefr": lambda d: [Phi(f"{years(d)} ans", _AGED)],
    "agees": lambda d: [Phi(f"{years(d)} años", _AGED)],
    "agec": lambda d: [Phi(_age_code(d), _AGED)],
    "agea": lambda d: [Phi(f"{years(d)}{d.one(('Y', '', 'Y', 'yo', 'y'))}", _AGED)],
    "tm": lambda d: [_tm(d)],
    "time": lambda d: [clock(d)],
    "year": lambda d: [f"{past(d, 45).year}"],
}

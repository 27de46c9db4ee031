"""Addresses, towns, institutions, employers, and what describes a person."""

from __future__ import annotations

import re
from collections.abc import Callable

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.people import Phi
from deidra.app.synth.scenes.words import latin
from deidra.app.synth.texts.draw import Draw
from deidra.app.synth.texts.names import Maker

_STATES = (
    "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY", "LA",
    "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK",
    "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "DC",
)  # fmt: skip
_STATE_NAMES = (
    "Alabama", "Alaska", "Arizona", "Arkansas", "California", "Colorado", "Connecticut", "Florida", "Georgia",
    "Illinois", "Iowa", "Kansas", "Kentucky", "Louisiana", "Maine", "Maryland", "Michigan", "Minnesota", "Missouri",
    "Montana", "Nebraska", "Nevada", "Ohio", "Oklahoma", "Oregon", "Pennsylvania", "Tennessee", "Texas", "Utah",
    "Vermont", "Virginia", "Wisconsin",
)  # fmt: skip
_SUFFIXES = (
    "Street", "Street", "St.", "St", "Avenue", "Ave", "Ave.", "Road", "Rd", "Rd.", "Lane", "Ln", "Drive", "Dr",
    "Court", "Ct", "Blvd", "Boulevard", "Way", "Place", "Terrace", "Circle", "Pkwy", "Close", "Crescent", "Hwy",
    "Trail", "Square",
)  # fmt: skip
_UNITS = ("Apt ~", "Apt. ~@", "Suite ~##", "Unit ~", "#~#", "Ste ~##", "Apt ~##", "Floor ~")
_SLOT = re.compile(r"\{(\w+)\}")
_SHORT_WORDS = frozenset({"de", "di", "do", "das", "of", "the", "and", "&", "del", "la"})


def _street(draw: Draw) -> str:
    if draw.locale.streets != "en":
        return draw.one(draw.pool.values[f"streets_{draw.locale.streets}"])
    stem = draw.one(draw.pool.values["street_words"]) if draw.chance(0.6) else draw.family()
    return f"{stem} {draw.one(_SUFFIXES)}"


def address(draw: Draw) -> str:
    """A postal address."""
    made: dict[str, Callable[[], str]] = {
        "no": lambda: str(draw.rng.randint(1, 10 ** draw.rng.randint(1, 4) if draw.locale.streets == "en" else 180)),
        "n": lambda: str(draw.rng.randint(1, 40)),
        "street": lambda: _street(draw),
        "unit": lambda: draw.digits(draw.one(_UNITS)),
        "city": draw.city,
        "state": lambda: draw.one(_STATES),
        "zip": lambda: draw.digits(draw.one(draw.locale.zip)),
    }  # fmt: skip
    return _SLOT.sub(lambda match: made[match[1]](), draw.one(draw.locale.address))


def _named(draw: Draw, pattern: str) -> str:
    made: dict[str, Callable[[], str]] = {
        "city": draw.city,
        "family": draw.family,
        "saintless": lambda: draw.value("saintless"),
    }
    return _SLOT.sub(lambda match: made[match[1]](), pattern)


def hospital(draw: Draw) -> str:
    """The name of an institution."""
    if draw.locale.language != "en":
        return _named(draw, draw.value("hospital_foreign"))
    turn = draw.rng.random()
    if turn < 0.25:
        stem = draw.value("saints")
        if draw.chance(0.3):
            return (
                f"{stem}{draw.one((chr(39) + 's', ''))} of {draw.city()}" if "St." in stem else f"{stem} {draw.city()}"
            )
    elif turn < 0.55:
        stem = draw.value("hospital_stems")
    elif turn < 0.85:
        stem = draw.city()
    else:
        stem = draw.family()
        if draw.chance(0.3):
            stem = f"{draw.name().given} {stem}"
    return f"{stem} {draw.value('hospital_kinds')}"


def acronym(draw: Draw) -> str:
    """The initials of an institution, three letters or more."""
    for _ in range(8):
        words = [
            w for w in re.split(r"[\s\-']+", latin(hospital(draw))) if w.lower() not in _SHORT_WORDS and len(w) > 1
        ]
        letters = "".join(word[0] for word in words if word[0].isalpha()).upper()
        if 3 <= len(letters) <= 5:
            return letters
    return f"{latin(draw.city())[:1].upper() or 'X'}GMC"


def _stem(draw: Draw) -> str:
    kind = "hospital_stems" if draw.chance(0.5) else "saints"
    letters = "".join(c for c in (draw.value(kind) if draw.chance(0.6) else latin(draw.city())) if c.isalpha())
    return (letters.upper() or "LAKESIDE")[: draw.rng.randint(5, 9)]


def _title(draw: Draw) -> str:
    ending = draw.one(("_PACS", "CT1", "MR1", "_MR", "_CT", "RAD", "AE", "_SCU", "PACS", "_STORE", "_US", "XR", "_AE1"))
    return (_stem(draw) if draw.chance(0.6) else acronym(draw)) + ending


def _station(draw: Draw) -> str:
    stem = acronym(draw) if draw.chance(0.6) else _stem(draw)[:6]
    mark = draw.one(("", "", "-", "_"))
    kind = draw.one(("CT", "MR", "US", "XR", "DX", "RAD", "WS", "NM"))
    return f"{stem}{mark}{kind}{draw.one(('', mark))}{draw.rng.randint(1, 12)}"


def _employer(draw: Draw) -> str:
    turn = draw.rng.random()
    if turn < 0.5:
        stem = draw.value("employer_stems")
    elif turn < 0.75:
        stem = draw.family()
    elif turn < 0.85:
        return f"{draw.family()}, {draw.family()} and {draw.family()}"
    else:
        stem = draw.city()
    return f"{stem} {draw.value('employer_kinds')}"


def _town(draw: Draw) -> str:
    city = draw.city()
    if draw.locale.name == "en_US" and draw.chance(0.5):
        return f"{city}, {draw.one(_STATES) if draw.chance(0.6) else draw.one(_STATE_NAMES)}"
    return city


def _birthplace(draw: Draw) -> str:
    turn = draw.rng.random()
    if turn < 0.4:
        return _town(draw)
    country = draw.value("countries")
    return f"{draw.city()}, {country}" if turn < 0.8 else country


def _of(kind: EntityType, write: Callable[[Draw], str]) -> Maker:
    return lambda draw: [Phi(write(draw), kind)]


def _listed(kind: EntityType, *lists: str) -> Maker:
    return lambda draw: [Phi(draw.value(draw.one(lists)), kind)]


def _person_word(draw: Draw) -> str:
    return draw.one(
        ("woman", "female", "lady", "woman") if draw.patient.female else ("man", "male", "gentleman", "man")
    )


_DEMOG, _ORG, _PLACE = EntityType.DEMOG, EntityType.PATORG, EntityType.LOCATION_OTHER

SLOTS: dict[str, Maker] = {
    "home": _of(EntityType.LOCATION_HOME_ADDRESS, address),
    "addr": _of(EntityType.LOCATION_ADDRESS, address),
    "born": _of(EntityType.LOCATION_BIRTHPLACE, _birthplace),
    "city": _of(_PLACE, _town),
    "state": _of(_PLACE, lambda d: d.one(_STATE_NAMES)),
    "country": _listed(_PLACE, "countries"),
    "hosp": _of(EntityType.HOSPITAL, hospital),
    "hospac": _of(EntityType.HOSPITAL, acronym),
    "aet": _of(EntityType.HOSPITAL, _title),
    "station": _of(EntityType.ID_OTHER, _station),
    "emp": _of(_ORG, _employer),
    "school": _of(_ORG, lambda d: _named(d, d.value("schools"))),
    "job": _listed(_ORG, "jobs"),
    "insurer": _listed(_ORG, "insurers"),
    "sexw": _of(_DEMOG, _person_word),
    "sexc": _listed(_DEMOG, "sex_codes", "sex_codes", "sex_codes", "sex_codes", "sex_foreign"),
    "sexl": _of(_DEMOG, lambda d: d.one(("M", "F"))),
    "marital": _listed(_DEMOG, "marital"),
    "maritalc": _listed(_DEMOG, "marital_codes"),
    "kids": _listed(_DEMOG, "kids"),
    "religion": _listed(_DEMOG, "religions"),
    "nation": _listed(_DEMOG, "nationalities"),
    "ethnic": _listed(_DEMOG, "ethnicities"),
}

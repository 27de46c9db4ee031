"""What is filled into the fields of documents, from the names and places of one split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.texts.draw import Draw
from deidra.app.synth.texts.places import address
from deidra.app.synth.texts.pools import pool
from deidra.app.synth.texts.times import past

_LOCALE = "en_US"


@dataclass(frozen=True, slots=True)
class Field:
    """A field: the ``type`` of what stands in it, whether that is ``private``, and ``neutral`` if either is right."""

    type: EntityType
    private: bool
    make: Callable[[Draw], str]
    neutral: bool = False


def drawer(rng: Random, split: str) -> Draw:
    """A source of values in American English, of the names and places of ``split``."""
    draw = Draw(rng, pool(split))
    draw.locale = next(locale for locale in draw.pool.locales if locale.name == _LOCALE)
    return draw


def _person(draw: Draw) -> str:
    name = draw.name()
    return f"{name.given} {name.family}"


def _day(years: int) -> Callable[[Draw], str]:
    return lambda draw: past(draw, years).strftime(draw.one(("%m/%d/%Y", "%B %d, %Y", "%d %b %Y")))


def _listed(*entries: str) -> Callable[[Draw], str]:
    return lambda draw: draw.one(entries)


def _form(*patterns: str) -> Callable[[Draw], str]:
    return lambda draw: draw.digits(draw.one(patterns))


_FAITHS = _listed("Catholic", "Lutheran", "Muslim", "Jewish", "Buddhist", "Baptist")
_NATIONS = _listed("Canadian", "Mexican", "German", "Indian", "American", "Polish")
_PHONE = _form("(~##) ~##-####", "~##-~##-####", "~## ~## ####")
FIELDS = {
    "name": Field(EntityType.PATIENT, True, _person),
    "birth": Field(EntityType.DATE_BIRTH, True, _day(80)),
    "birthplace": Field(EntityType.LOCATION_BIRTHPLACE, True, lambda draw: draw.city()),
    "age": Field(EntityType.AGE, True, lambda draw: f"{draw.rng.randint(18, 89)} years"),
    "sex": Field(EntityType.DEMOG, True, _listed("Male", "Female")),
    "ssn": Field(EntityType.ID_SSN, True, _form("~##-~#-####", "~## ~# ####")),
    "marital": Field(EntityType.DEMOG, True, _listed("Single", "Married", "Divorced", "Widowed")),
    "religion": Field(EntityType.DEMOG, True, _FAITHS),
    "nationality": Field(EntityType.DEMOG, True, _NATIONS),
    "home_address": Field(EntityType.LOCATION_HOME_ADDRESS, True, address),
    "home_phone": Field(EntityType.PHONE_HOME, True, _PHONE),
    "health": Field(
        EntityType.HEALTH, True, _listed("asthma", "type 2 diabetes", "hypertension", "chronic migraine", "psoriasis")
    ),
    "mrn": Field(EntityType.ID_MRN, True, _form("~#######", "@@######", "~##-##-##")),
    "staff": Field(EntityType.STAFF, False, lambda draw: f"Dr. {_person(draw)}", neutral=True),
    "office_phone": Field(EntityType.PHONE_OTHER, False, _PHONE),
    "employer_address": Field(EntityType.LOCATION_ADDRESS, False, address),
    "other_date": Field(EntityType.DATE_OTHER, False, _day(3)),
    "grant": Field(EntityType.ID_OTHER, False, _form("R01-CA######", "U54 HL######", "NSF-#######")),
    "order": Field(EntityType.ID_OTHER, False, _form("~######", "@-#####", "~##/####")),
}
"""Fields of documents. Those of few possible values (sex, marital status) have the same ones in all splits."""

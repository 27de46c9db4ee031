"""Words for the types that Deidra knows by itself, so that a definition can name them: "patient names"."""

from __future__ import annotations

import re

from deidra.app.domain.taxonomy import EntityType

_NAMES = (EntityType.PATIENT, EntityType.STAFF)
_PHONES = (EntityType.PHONE_HOME, EntityType.PHONE_OTHER)
_PLACES = (EntityType.LOCATION_HOME_ADDRESS, EntityType.LOCATION_ADDRESS, EntityType.LOCATION_OTHER)
_WORDS: dict[str, tuple[EntityType, ...]] = {
    **dict.fromkeys(("name", "person name", "personal name", "full name", "people name"), _NAMES),
    **dict.fromkeys(("patient name", "patient", "name of patient"), (EntityType.PATIENT,)),
    **dict.fromkeys(
        ("staff name", "physician name", "doctor name", "physician", "doctor", "staff", "name of physician"),
        (EntityType.STAFF,),
    ),
    **dict.fromkeys(
        ("date of birth", "birth date", "birthdate", "dob", "birthday"),
        (EntityType.DATE_BIRTH,),
    ),
    **dict.fromkeys(("date",), (EntityType.DATE_BIRTH, EntityType.DATE_OTHER)),
    **dict.fromkeys(("study date", "other date", "date of service"), (EntityType.DATE_OTHER,)),
    **dict.fromkeys(("age",), (EntityType.AGE,)),
    **dict.fromkeys(("ssn", "social security number", "social security"), (EntityType.ID_SSN,)),
    **dict.fromkeys(
        (
            *("mrn", "medical record number", "medical number", "medical record", "patient id", "patient number"),
            *("hospital number", "patient identifier"),
        ),
        (EntityType.ID_MRN,),
    ),
    **dict.fromkeys(
        ("identifier", "id", "id number", "identification number"), (EntityType.ID_MRN, EntityType.ID_OTHER)
    ),
    **dict.fromkeys(("phone number", "phone", "telephone number", "telephone", "fax number", "mobile number"), _PHONES),
    **dict.fromkeys(("email", "email address", "e mail", "e mail address"), (EntityType.EMAIL,)),
    **dict.fromkeys(("address", "street address", "postal address", "home address", "street"), _PLACES),
    **dict.fromkeys(("place", "location", "city"), (*_PLACES, EntityType.LOCATION_BIRTHPLACE)),
    **dict.fromkeys(("birth place", "birthplace", "place of birth"), (EntityType.LOCATION_BIRTHPLACE,)),
    **dict.fromkeys(("hospital", "hospital name", "institution", "institution name", "clinic"), (EntityType.HOSPITAL,)),
    **dict.fromkeys(("employer", "school", "occupation", "profession"), (EntityType.PATORG,)),
    **dict.fromkeys(
        ("demographic detail", "sex", "gender", "religion", "nationality", "marital status"), (EntityType.DEMOG,)
    ),
    **dict.fromkeys(
        (
            *(
                "disease name",
                "disease",
                "diagnosis",
                "diagnose",
                "health detail",
                "health information",
                "medical condition",
            ),
            *("illness", "name of disease", "disorder"),
        ),
        (EntityType.HEALTH,),
    ),
    **dict.fromkeys(
        ("financial detail", "bank account", "account number", "card number", "credit card number", "credit card"),
        (EntityType.FINANCE,),
    ),
    **dict.fromkeys(("url", "web address", "ip address", "device serial number"), (EntityType.OTHERPHI,)),
}
NEAR: dict[EntityType, tuple[EntityType, ...]] = {
    EntityType.DATE_BIRTH: (EntityType.DATE_OTHER,),
    EntityType.ID_MRN: (EntityType.ID_OTHER,),
    EntityType.PATIENT: (EntityType.STAFF,),
    EntityType.STAFF: (EntityType.PATIENT,),
    EntityType.PHONE_HOME: (EntityType.PHONE_OTHER,),
    EntityType.LOCATION_HOME_ADDRESS: (EntityType.LOCATION_ADDRESS,),
}
"""Types that nothing but the words around a value tells apart: a bare date may be a date of birth."""
_FILLING = re.compile(r"\b(?:all|any|the|their|his|her|of|every|each|'s|’s)\b|['’]s?\b", re.IGNORECASE)
_SPLIT = re.compile(r"\s*(?:,\s*(?:and|or)\s+|,|;|\s+and\s+|\s+or\s+|\s+as\s+well\s+as\s+)\s*", re.IGNORECASE)


def singular(phrase: str) -> str:
    """A phrase in small letters and the singular, without "the" and "of": "Dates of birth" is "date birth"."""
    words = re.findall(r"[^\W_]+", _FILLING.sub(" ", phrase.replace("-", " ")).lower())
    return " ".join(_one(word) for word in words)


def _one(word: str) -> str:
    if word.endswith("diagnoses"):
        return "diagnosis"
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


_BY_PHRASE = {singular(words): types for words, types in _WORDS.items()}


def standard_types(phrase: str) -> tuple[EntityType, ...]:
    """The types that a phrase names, such as "dates of birth"; empty where it is none of their names."""
    return _BY_PHRASE.get(singular(phrase), ())


def phrases_of(sentence: str) -> list[str]:
    """The parts of an enumeration: "names, dates of birth and passport numbers"."""
    return [part for part in (one.strip(" .:\"'") for one in _SPLIT.split(sentence)) if part]

"""Entity rules: forms that give private data away, with the checks that their issuers define.

The rules themselves are data: ``data/rules.toml``.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any

from deidra.app.detect.checks import (
    is_card,
    is_dni,
    is_iban,
    is_in_numbering_plan,
    is_loose_number,
    is_nhs_number,
    is_phone,
    is_vin,
)
from deidra.app.detect.dates import written_dates, written_times
from deidra.app.detect.gazetteer import is_name, is_safe
from deidra.app.detect.spans import Span
from deidra.app.detect.vocabulary import is_imaging_word
from deidra.app.domain.taxonomy import EntityType

AGENT = "rules"
DICOM_NAME = "name in DICOM form"
FORMER_NAME = "former name"
BEFORE_DEGREE = "name before a degree"
UID = "unique identifier"
INSTITUTION = "name of an institution"
CALLED_INSTITUTION = "institution with its name behind"
"""Details of the rules that others look at more closely."""
_LEAST_IP = len("10.1.2.30")
_LEAST_UID = 14
_UID_ROOT = re.compile(r"1\.2\.\d{2,3}\.\d{3,}|1\.3\.(?:6|12|46|51|76)\.|2\.16\.\d{2,3}\.|2\.25\.\d{9,}")
_LEAST_ROOTLESS_UID = 22
_LEAST_COMPONENTS = 7
"""A UID of an unusual root has at least so many characters or components: shorter ones may be versions."""
_STANDARD_UID = re.compile(r"(?<![\w.])1\.2\.840\.10008(?:\.\d+)+(?![\w]|\.\d)")
_NEEDS_BY_CHECK = {
    **{"digit": "0", "ssn": "0", "ip": ".", "uid": "."},
    **{"card": "0", "iban": "0", "nhs": "0", "dni": "0", "phone": "0", "vin": "0"},
}
_BIRTH = re.compile(
    r"(?:d\.?\s?o\.?\s?b|birth|born|bday|geb|naiss|nac|nasc|född|født|urodz)\w*\.?\s*(?:date)?\s*[:;,]?\s*\(?$", re.I
)
_LABELS = (
    *("patient name", "patient's name", "name", "patient", "full name", "date of birth", "birth date", "dob", "d.o.b."),
    *("birth", "ssn", "social security", "social security number", "social security no", "home address", "address"),
    *("home phone", "phone", "telephone", "fax", "email", "e-mail", "mrn", "medical record", "medical record number"),
    *("medical record no", "patient id", "id", "accession", "accession number", "accession no", "sex", "gender", "age"),
    *("referring physician", "physician", "radiologist", "birth place", "place of birth", "marital status"),
    *("religion", "nationality", "citizenship", "employer", "occupation", "insurance id", "insurance number"),
    *("policy number", "policy no", "emergency contact", "hospital", "institution"),
    *(
        "nombre",
        "apellidos",
        "nombre y apellidos",
        "fecha de nacimiento",
        "domicilio",
        "dirección",
        "teléfono",
        "nhc",
        "edad",
    ),
    *(
        "sexo",
        "médico",
        "historia clínica",
        "nachname",
        "vorname",
        "geburtsdatum",
        "geb.-datum",
        "anschrift",
        "adresse",
    ),
    *("telefon", "wohnort", "geschlecht", "alter", "patientennummer", "fallnummer", "arzt", "nom", "prénom"),
    *(
        "date de naissance",
        "téléphone",
        "sexe",
        "médecin",
        "cognome",
        "nome",
        "data di nascita",
        "indirizzo",
        "telefono",
    ),
    *(
        "sesso",
        "data de nascimento",
        "endereço",
        "telefone",
        "naam",
        "achternaam",
        "voornaam",
        "geboortedatum",
        "adres",
    ),
    *(
        "zip",
        "zip code",
        "postal code",
        "city",
        "town",
        "country",
        "plz",
        "cp",
        "code postal",
        "account number",
        "iban",
    ),
    *("card number", "passport", "passport number", "license number", "driver's license"),
)


@dataclass(frozen=True)
class _Rule:
    """A rule. ``needs`` are characters, ``hints`` parts of words in small letters, of which a text must hold one."""

    type: EntityType
    score: float
    detail: str
    source: str
    flags: int
    needs: frozenset[str]
    hints: tuple[str, ...]
    check: Callable[[str], bool] | None

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled when a text first needs it."""
        return re.compile(self.source, self.flags)


def _valid_ssn(text: str) -> bool:
    """Area, group and serial are never zero, and areas 666 and 900 to 999 are not issued (SSA)."""
    digits = re.sub(r"\D", "", text)
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    return area not in ("000", "666") and int(area) < 900 and group != "00" and serial != "0000"


def _has_digit(text: str) -> bool:
    return any(c.isdigit() for c in text)


def _is_name_like(text: str) -> bool:
    words = re.findall(r"[^\W\d_]+", text)
    return any(len(word) > 1 and word[0].isupper() for word in words)


def _valid_ip(text: str) -> bool:
    # Shorter ones are versions of software far more often than addresses.
    parts = text.split(".")
    return len(parts) == 4 and all(int(part) < 256 for part in parts) and len(text) >= _LEAST_IP


def _is_unsafe(text: str) -> bool:
    return any(not is_safe(word) for word in re.findall(r"[^\W\d_]+", text))


def _starts_unsafe(text: str) -> bool:
    return _is_unsafe(text.split()[0])


def _is_proper(text: str) -> bool:
    words = re.findall(r"[^\W\d_]+", text)
    return any(not is_safe(word) or (is_name(word) and not is_imaging_word(word)) for word in words)


def _is_organisation(text: str) -> bool:
    """Whether the words before the one that makes an organisation are not of imaging alone ("Hologic, Inc.")."""
    words = re.findall(r"[^\W\d_]{2,}", text)
    return any(not is_imaging_word(word) for word in words[:-1])


def _is_registered(uid: str) -> bool:
    """Whether the DICOM standard lists this unique identifier (PS3.6 annex A)."""
    # Loaded with the first UID: it brings all of pydicom.
    from pydicom._uid_dict import UID_dictionary

    return uid in UID_dictionary


def _private_uid(text: str) -> bool:
    """A unique identifier that no standard registers, and that is no version of a program."""
    if len(text) < _LEAST_UID or _is_registered(text) or _valid_ip(text):
        return False
    rooted = bool(_UID_ROOT.match(text)) or text.count(".") >= _LEAST_COMPONENTS - 1
    return rooted or len(text) >= _LEAST_ROOTLESS_UID


_CHECKS: dict[str, Callable[[str], bool]] = {
    "ssn": _valid_ssn,
    "ip": _valid_ip,
    "uid": _private_uid,
    "digit": _has_digit,
    "name": _is_name_like,
    "unsafe": _is_unsafe,
    "first": _starts_unsafe,
    "proper": _is_proper,
    "organisation": _is_organisation,
    "card": is_card,
    "iban": is_iban,
    "nhs": is_nhs_number,
    "dni": is_dni,
    "phone": is_phone,
    "numbering_plan": is_in_numbering_plan,
    "vin": is_vin,
    "loose": is_loose_number,
}


def _words(labels: list[str] | tuple[str, ...]) -> str:
    longest_first = sorted(labels, key=len, reverse=True)
    return "|".join(re.escape(label).replace(r"\ ", r"\s*") for label in longest_first)


def _hints(entry: dict[str, Any]) -> tuple[str, ...]:
    """What a text must hold one of: the hints of a rule, or the first words of its labels."""
    wanted = entry.get("hints") or [label.lower().split()[0] for label in entry.get("labels", ())]
    shortest_first = sorted(set(wanted), key=lambda hint: (len(hint), hint))
    kept: list[str] = []
    for hint in shortest_first:
        if not any(shorter in hint for shorter in kept):
            kept.append(hint)
    return tuple(kept)


def _compiled(entry: dict[str, Any]) -> _Rule:
    value = entry["pattern"] if "(?P<value>" in entry["pattern"] else f"(?P<value>{entry['pattern']})"
    if "labels" in entry:
        between = (
            r"\s*(?:\([^)]{0,12}\)\s*)?[:=]\s*"
            if entry.get("separator")
            else r"\s*(?:\([^)]{0,12}\)\s*)?(?:[:\#=.]|\b(?i:no)\b\.?|\b(?i:number)\b)*\s*[:\#]?\s*"
        )
        value = rf"(?<![^\W\d_])(?:{_words(entry['labels'])})(?![^\W\d_]){between}{value}"
    flags = re.VERBOSE if entry.get("case") else re.VERBOSE | re.IGNORECASE
    check = entry.get("check", "")
    needs = entry.get("needs", ":=" if entry.get("separator") else _NEEDS_BY_CHECK.get(check, ""))
    return _Rule(
        EntityType(entry["type"]),
        entry["score"],
        entry["detail"],
        value,
        flags,
        frozenset(needs.replace("0", "0123456789")),
        _hints(entry),
        _CHECKS.get(check),
    )


@functools.cache
def _rules() -> tuple[_Rule, ...]:
    text = (resources.files(__package__) / "data" / "rules.toml").read_text("utf-8")
    return tuple(_compiled(entry) for entry in tomllib.loads(text)["rule"])


_LABEL_ONLY = re.compile(rf"^\W*(?:{_words(_LABELS)})\s*[:#]?\s*$", re.IGNORECASE)


def is_label(text: str) -> bool:
    """True for a text that is only the label of a private value, such as "Date of birth:"."""
    return bool(_LABEL_ONLY.match(text))


def rule_spans(text: str) -> Iterator[Span]:
    """Every part of ``text`` whose form gives private data away."""
    yield from _date_spans(text)
    small = text.lower()
    for rule in _rules():
        if rule.needs and rule.needs.isdisjoint(text):
            continue
        if rule.hints and not any(hint in small for hint in rule.hints):
            continue
        for match in rule.pattern.finditer(text):
            value = match["value"]
            if value and (rule.check is None or rule.check(value)):
                start, end = match.span("value")
                start += len(value) - len(value.lstrip())
                end -= len(value) - len(value.rstrip(" ,.;:"))
                yield Span(start, end, rule.type, rule.score, AGENT, rule.detail)


def standard_uids(text: str) -> list[tuple[int, int]]:
    """Where unique identifiers of the DICOM standard stand: what looks private in them is not."""
    if text.count(".") < 3:
        return []
    return [match.span() for match in _STANDARD_UID.finditer(text) if _is_registered(match.group())]


def _date_spans(text: str) -> Iterator[Span]:
    for found in written_dates(text):
        if _BIRTH.search(text[: found.start]):
            yield Span(found.start, found.end, EntityType.DATE_BIRTH, 0.97, AGENT, "date after a birth label")
        else:
            score = 0.93 if found.certain else 0.6
            yield Span(found.start, found.end, EntityType.DATE_OTHER, score, AGENT, "date")


def time_spans(text: str) -> Iterator[Span]:
    """Times of day, which are private where a policy keeps none: as dates, of whose elements they are (HIPAA C)."""
    for found in written_times(text):
        score = 0.93 if found.certain else 0.6
        yield Span(found.start, found.end, EntityType.DATE_OTHER, score, AGENT, "time of day")

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

from deidra.app.detect.dates import written_dates
from deidra.app.detect.spans import Span
from deidra.app.domain.taxonomy import EntityType

AGENT = "rules"
_LEAST_IP = len("10.1.2.30")
_BIRTH = re.compile(r"(?:d\.?\s?o\.?\s?b|birth|born|bday|geb|naiss|nac)\w*\.?\s*(?:date)?\s*[:;,]?\s*\(?$", re.I)
_LABELS = (
    *("patient name", "patient's name", "name", "patient", "full name", "date of birth", "birth date", "dob", "d.o.b."),
    *("birth", "ssn", "social security", "social security number", "social security no", "home address", "address"),
    *("home phone", "phone", "telephone", "fax", "email", "e-mail", "mrn", "medical record", "medical record number"),
    *("medical record no", "patient id", "id", "accession", "accession number", "accession no", "sex", "gender", "age"),
    *("referring physician", "physician", "radiologist", "birth place", "place of birth", "marital status"),
    *("religion", "nationality", "citizenship", "employer", "occupation", "insurance id", "insurance number"),
    *("policy number", "policy no", "emergency contact", "hospital", "institution"),
)


@dataclass(frozen=True, slots=True)
class _Rule:
    type: EntityType
    score: float
    detail: str
    pattern: re.Pattern[str]
    check: Callable[[str], bool] | None


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
    return all(int(part) < 256 for part in text.split(".")) and len(text) >= _LEAST_IP


_CHECKS: dict[str, Callable[[str], bool]] = {
    "ssn": _valid_ssn,
    "ip": _valid_ip,
    "digit": _has_digit,
    "name": _is_name_like,
}


def _words(labels: list[str] | tuple[str, ...]) -> str:
    longest_first = sorted(labels, key=len, reverse=True)
    return "|".join(re.escape(label).replace(r"\ ", r"\s*") for label in longest_first)


def _compiled(entry: dict[str, Any]) -> _Rule:
    value = f"(?P<value>{entry['pattern']})"
    if "labels" in entry:
        between = (
            r"\s*(?:\([^)]{0,12}\)\s*)?[:=]\s*"
            if entry.get("separator")
            else r"\s*(?:\([^)]{0,12}\)\s*)?(?:[:\#=.]|\bno\b\.?|\bnumber\b)*\s*[:\#]?\s*"
        )
        value = rf"(?<![^\W\d_])(?:{_words(entry['labels'])})(?![^\W\d_]){between}{value}"
    flags = re.VERBOSE if entry.get("case") else re.VERBOSE | re.IGNORECASE
    check = _CHECKS[entry["check"]] if "check" in entry else None
    return _Rule(EntityType(entry["type"]), entry["score"], entry["detail"], re.compile(value, flags), check)


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
    for rule in _rules():
        for match in rule.pattern.finditer(text):
            value = match["value"]
            if value and (rule.check is None or rule.check(value)):
                start, end = match.span("value")
                start += len(value) - len(value.lstrip())
                end -= len(value) - len(value.rstrip(" ,.;:"))
                yield Span(start, end, rule.type, rule.score, AGENT, rule.detail)


def _date_spans(text: str) -> Iterator[Span]:
    for found in written_dates(text):
        if _BIRTH.search(text[: found.start]):
            yield Span(found.start, found.end, EntityType.DATE_BIRTH, 0.97, AGENT, "date after a birth label")
        else:
            score = 0.93 if found.certain else 0.6
            yield Span(found.start, found.end, EntityType.DATE_OTHER, score, AGENT, "date")

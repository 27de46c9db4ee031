"""What values look like: how surely a text beside a label is the value that the label promises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from deidra.app.detect.dates import written_dates
from deidra.app.detect.gazetteer import is_name, is_safe
from deidra.app.detect.layout.wordings import Meaning, squeezed
from deidra.app.detect.places import place_spans
from deidra.app.detect.vocabulary import PARTICLES

SURE, LIKELY, DOUBTED = 0.97, 0.93, 0.6
"""Scores of a value that is of its form beyond accident, that is of it, and that may be it."""
_EMPTY = re.compile(
    r"(?:n\.?/?a\.?|none|nil|unknown|unk|same(?: as above)?|see (?:above|below)|not applicable|tbd|[\W_]*)\.?"
)
_EDGE = " \t_.,;:|()[]{}-–—*~•·=/\\'\"<>#"
_KEPT = {"phone": "(", "option": "[("}
"""What of these begins a value all the same: an area code, a box to tick."""
_DIGIT = re.compile(r"\d")
_LOOKS = str.maketrans({"O": "0", "o": "0", "I": "1", "l": "1", "|": "1", "S": "5", "B": "8", "Z": "2"})
"""Letters that readers take digits for."""
_SSN = re.compile(r"(?<![\w])(?:[\dOoIlSBZ]{3}[\s.\-–/]{0,3}[\dOoIlSBZ]{2}[\s.\-–/]{0,3}[\dOoIlSBZ]{4})(?!\w)")
_SSN_MASKED = re.compile(r"(?<!\w)(?:[xX*#]{3}[\s\-]{0,3}[xX*#]{2}[\s\-]{0,3}\d{4})(?!\w)")
_AGE = re.compile(
    r"(?<![\d./])\d{1,3}(?:\s?(?:years?|yrs?\.?|y\.?o?\.?|ans|jahre|anos|anni|mos?|months?))?(?![\d/])", re.I
)
_PHONE = re.compile(r"(?<![\w])\+?\(?\d[\d\s().\-–/]{5,20}\d(?!\w)(?:\s?(?:x|ext\.?)\s?\d{1,5})?", re.I)
_EMAIL = re.compile(r"\S+\s?@\s?\S+")
_CODE = re.compile(r"(?<!\w)(?=[^\s]*\d)[A-Za-z0-9](?:[A-Za-z0-9\-/.*]|\s(?=\d)){2,}(?!\w)")
_MONEY = re.compile(r"[$€£]?\s?\d[\d.,\s]*(?:\s?(?:usd|eur|gbp|chf|k))?", re.I)
_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*\.?")
_MOST_NAME, _MOST_WORDS, _MOST_OPTION, _MOST_PLACE = 6, 14, 4, 6
_MOST_AGE = 125
_LEAST_PHONE, _MOST_PHONE = 7, 15
_POST_CODE = re.compile(
    r"(?:[A-Z]{1,2}[\s-])?\d{4,6}(?:\s?-\s?\d{3,4})?|[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}|[A-Z]\d[A-Z]\s?\d[A-Z]\d"
)
"""Of the USA and most of Europe, of the United Kingdom, of Canada."""
_STREET = re.compile(
    r"(?<!\w)(?:street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|place|pl|square|sq|terrace|ter|circle"
    r"|cir|parkway|pkwy|highway|hwy|crescent|trail|trl|way|close|walk|mews|row|alley|plaza|loop|pike)\.?(?:,|$)",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"(?:^|(?<=[\s,]))(?:A[KLRZ]|C[AOT]|D[CE]|FL|G[AU]|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]"
    r"|T[NX]|UT|V[AIT]|W[AIVY])\.?$"
)
"""The ends of rows of an address: a kind of street (before a comma, too), a state of the USA."""
_MARKED = re.compile(r"^[\W_]*(?:[xX✓✔☑☒☐□■]\s|\[.?\]|\(.?\))?[\W_]*")


@dataclass(frozen=True, slots=True)
class Value:
    """Characters ``start`` to ``end`` of a text are the value that a label promises, with probability ``score``."""

    start: int
    end: int
    score: float


def values_in(meaning: Meaning, text: str, start: int, end: int) -> list[Value]:
    """What of characters ``start`` to ``end`` of a text is the value of a label; empty: nothing is of its form."""
    kept = _KEPT.get(meaning.form, "")
    while start < end and text[start] in _EDGE and text[start] not in kept:
        start += 1
    while start < end and text[end - 1] in _EDGE and not (text[end - 1] == ")" and "(" in text[start:end]):
        end -= 1
    part = text[start:end]
    if not part or _EMPTY.fullmatch(part.lower()):
        return []
    return [Value(start + v.start, start + v.end, v.score) for v in _FORMS[meaning.form](meaning, part)]


def is_filled(text: str) -> bool:
    """Whether a text is more than a blank line or a word that says there is nothing."""
    part = text.strip(_EDGE)
    return bool(part) and not _EMPTY.fullmatch(part.lower())


def _ssn(meaning: Meaning, part: str) -> Iterator[Value]:
    found = False
    for pattern in (_SSN, _SSN_MASKED):
        for match in pattern.finditer(part):
            if sum(map(str.isdigit, match.group())) >= 4:
                found = True
                digits = sum(map(str.isdigit, match.group()))
                yield Value(match.start(), match.end(), SURE if digits == 9 or pattern is _SSN_MASKED else LIKELY)
    if not found and _reads_as_number(part, 4, 12):
        yield Value(0, len(part), DOUBTED)


def _date(meaning: Meaning, part: str) -> Iterator[Value]:
    found = False
    for date in written_dates(part):
        found = True
        yield Value(date.start, date.end, SURE)
    if not found and len(part) <= 24 and _reads_as_number(part, 2, 10):
        yield Value(0, len(part), DOUBTED)


def _age(meaning: Meaning, part: str) -> Iterator[Value]:
    match = _AGE.search(part)
    if match and len(part) <= 24:
        number = int(re.sub(r"\D", "", match.group()) or 0)
        if number <= _MOST_AGE:
            sure = match.start() == 0 and len(match.group()) >= 0.6 * len(part)
            yield Value(0, len(part), LIKELY if sure else DOUBTED)


def _phone(meaning: Meaning, part: str) -> Iterator[Value]:
    found = False
    for match in _PHONE.finditer(part):
        digits = sum(map(str.isdigit, match.group()))
        if _LEAST_PHONE <= digits <= _MOST_PHONE and not next(written_dates(match.group()), None):
            found = True
            yield Value(match.start(), match.end(), SURE)
    if not found and len(part) <= 24 and _reads_as_number(part, 3, 15) and not next(written_dates(part), None):
        yield Value(0, len(part), DOUBTED)


def _email(meaning: Meaning, part: str) -> Iterator[Value]:
    found = False
    for match in _EMAIL.finditer(part):
        found = True
        yield Value(match.start(), match.end(), SURE)
    if not found and " " not in part and ("." in part or len(part) > 8):
        yield Value(0, len(part), DOUBTED)


def _code(meaning: Meaning, part: str) -> Iterator[Value]:
    dates = list(written_dates(part))
    for match in _CODE.finditer(part):
        if not any(date.start < match.end() and match.start() < date.end for date in dates):
            yield Value(match.start(), match.end(), LIKELY)


def _money(meaning: Meaning, part: str) -> Iterator[Value]:
    match = _MONEY.search(part)
    if match and len(part) <= 30:
        yield Value(match.start(), match.end(), LIKELY if _DIGIT.search(match.group()) else DOUBTED)


def _name(meaning: Meaning, part: str) -> Iterator[Value]:
    words = _WORD.findall(part)
    digits = sum(map(str.isdigit, part))
    if not words or len(words) > _MOST_NAME or digits > 2 or len("".join(words)) < 2:
        return
    capitals = [w for w in words if w[0].isupper() or w.lower() in PARTICLES]
    if len(capitals) < len(words):
        # Prose; only a name in small letters is still asked about.
        if len(words) <= 3 and any(is_name(w) and not is_safe(w) for w in words):
            yield Value(0, len(part), DOUBTED)
        return
    listed = any(is_name(w) for w in words)
    known = all(is_safe(w) and not is_name(w) for w in words)
    yield Value(0, len(part), DOUBTED if known or digits else SURE if listed else LIKELY)


def _place(meaning: Meaning, part: str) -> Iterator[Value]:
    words = _WORD.findall(part)
    if not words or len(words) > _MOST_PLACE or sum(map(str.isdigit, part)) > 5:
        return
    listed = next(place_spans(part), None) is not None
    capital = words[0][0].isupper()
    common = all(is_safe(word) for word in words) and not listed
    yield Value(0, len(part), SURE if listed else DOUBTED if common or not capital else LIKELY)


def _address(meaning: Meaning, part: str) -> Iterator[Value]:
    words, digits = _WORD.findall(part), sum(map(str.isdigit, part))
    if len(part) > 120 or (not words and not digits):
        return
    if digits >= 2 and words and len(words) <= _MOST_WORDS:
        yield Value(0, len(part), SURE)
    elif next(place_spans(part), None) is not None or _POST_CODE.fullmatch(part):
        yield Value(0, len(part), LIKELY)
    elif digits and len(words) <= _MOST_PLACE:
        yield Value(0, len(part), LIKELY if words else DOUBTED)
    elif len(words) <= _MOST_PLACE and words[0][0].isupper() and (_STREET.search(part) or _STATE.search(part)):
        yield Value(0, len(part), LIKELY)
    elif 0 < len(words) <= _MOST_PLACE and words[0][0].isupper():
        yield Value(0, len(part), DOUBTED)


def _option(meaning: Meaning, part: str) -> Iterator[Value]:
    first = _MARKED.match(part)
    start = first.end() if first else 0
    words = _WORD.findall(part[start:])
    whole = squeezed(part[start:])
    if whole in meaning.options or (words and len(words) <= _MOST_WORDS and _has_option(meaning, words)):
        yield Value(0, len(part), SURE)
    elif words and len(words) <= _MOST_OPTION and len(part) <= 40 and not _is_remark(words):
        yield Value(0, len(part), DOUBTED)


def _is_remark(words: list[str]) -> bool:
    """Whether words are no answer but some other label or a remark: common words of which the last begins small."""
    return len(words) > 1 and words[-1][0].islower() and all(is_safe(word) and not is_name(word) for word in words)


def is_option(meaning: Meaning, text: str) -> bool:
    """Whether a text is an option of a question and nothing else, the box before it apart."""
    first = _MARKED.match(text)
    return squeezed(text[first.end() if first else 0 :]) in meaning.options


def _has_option(meaning: Meaning, words: list[str]) -> bool:
    """Whether the first words are an option, or options stand among few others ("Married, two children")."""
    keys = [squeezed(word) for word in words]
    pairs = [a + b for a, b in pairwise(keys)]
    hits = [key for key in (*keys, *pairs) if len(key) > 1 and key in meaning.options]
    return bool(hits) and (keys[0] in meaning.options or len(words) <= _MOST_OPTION)


def _words(meaning: Meaning, part: str) -> Iterator[Value]:
    words = _WORD.findall(part)
    if 0 < len(words) <= _MOST_WORDS and len(part) <= 120:
        yield Value(0, len(part), LIKELY if len("".join(words)) > 2 else DOUBTED)


def _reads_as_number(part: str, least: int, most: int) -> bool:
    """Whether a text is mostly digits once letters that look like digits count as such, and has a real one."""
    mended = part.translate(_LOOKS)
    digits = sum(map(str.isdigit, mended))
    letters = sum(map(str.isalpha, mended))
    return bool(_DIGIT.search(part)) and least <= digits <= most and digits >= 2 * letters


_FORMS = {
    "ssn": _ssn,
    "date": _date,
    "age": _age,
    "phone": _phone,
    "email": _email,
    "code": _code,
    "money": _money,
    "name": _name,
    "place": _place,
    "address": _address,
    "option": _option,
    "words": _words,
}
NUMERIC = frozenset({"ssn", "date", "age", "phone", "code", "money"})
"""Forms of values that are mostly digits."""

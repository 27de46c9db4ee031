"""Numbers with check digits, and phone numbers: what their issuers define."""

from __future__ import annotations

import re

_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
    "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15,
    "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24,
    "SM": 27, "TN": 24, "TR": 26, "UA": 29, "VG": 24, "XK": 20,
}  # fmt: skip
"""Characters of an IBAN by country (ISO 13616 registry)."""
_CARD_STARTS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})$|5[1-5]\d{14}$|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}$|3[47]\d{13}$"
    r"|3(?:0[0-5]|[689]\d)\d{11,13}$|6(?:011|5\d\d|4[4-9]\d)\d{12,15}$|35(?:2[89]|[3-8]\d)\d{12,15}$"
    r"|(?:5018|5020|5038|5[678]\d\d|6304|6759|676[1-3]|0604)\d{8,15}$|62\d{14,17}$"
)
"""First digits and lengths that networks of payment cards use."""
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_VIN_VALUES = {letter: value for letters, value in (
    ("AJ", 1), ("BKS", 2), ("CLT", 3), ("DMU", 4), ("ENV", 5), ("FW", 6), ("GPX", 7), ("HY", 8), ("RZ", 9),
) for letter in letters}  # fmt: skip
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_PARTITIONS = frozenset({"00", "01", "02", "10", "11", "12"})
_PERMUTATION = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)
_VERHOEFF = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 3, 4, 0, 6, 7, 8, 9, 5), (2, 3, 4, 0, 1, 7, 8, 9, 5, 6),
    (3, 4, 0, 1, 2, 8, 9, 5, 6, 7), (4, 0, 1, 2, 3, 9, 5, 6, 7, 8), (5, 9, 8, 7, 6, 0, 4, 3, 2, 1),
    (6, 5, 9, 8, 7, 1, 0, 4, 3, 2), (7, 6, 5, 9, 8, 2, 1, 0, 4, 3), (8, 7, 6, 5, 9, 3, 2, 1, 0, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
)  # fmt: skip
"""The multiplication table of the dihedral group of ten."""
_LEAST_PHONE, _MOST_PHONE = 9, 13


def digits_of(text: str) -> str:
    """The digits of a text alone."""
    return re.sub(r"\D", "", text)


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of those before it (ISO/IEC 7812-1 annex B)."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        value = int(char) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def is_card(text: str) -> bool:
    """A number of a payment card: first digits and length of a network, and the check digit."""
    digits = digits_of(text)
    return len(set(digits)) > 1 and bool(_CARD_STARTS.match(digits)) and luhn(digits)


def is_iban(text: str) -> bool:
    """An international bank account number: length of its country, remainder 1 of 97 (ISO 13616)."""
    code = re.sub(r"[\s-]", "", text).upper()
    if _IBAN_LENGTHS.get(code[:2]) != len(code):
        return False
    return int("".join(str(int(char, 36)) for char in code[4:] + code[:4])) % 97 == 1


def is_nhs_number(text: str) -> bool:
    """A number of the National Health Service: ten digits, the last one checks the others (modulus 11)."""
    digits = digits_of(text)
    if len(digits) != 10 or len(set(digits)) < 3:
        return False
    check = 11 - sum(int(digit) * (10 - place) for place, digit in enumerate(digits[:9])) % 11
    return check % 11 == int(digits[9]) and check != 10


def is_dni(text: str) -> bool:
    """A Spanish DNI or NIE: the letter at its end is that of the number's remainder of 23."""
    code = re.sub(r"[\s.-]", "", text).upper()
    number = {"X": "0", "Y": "1", "Z": "2"}.get(code[0], code[0]) + code[1:-1]
    return number.isdigit() and _DNI_LETTERS[int(number) % 23] == code[-1]


def is_snomed(text: str) -> bool:
    """An identifier of SNOMED CT: a partition before the check digit of Verhoeff's scheme (its release file guide)."""
    if not text.isdigit() or not 6 <= len(text) <= 18 or text[-3:-1] not in _PARTITIONS:
        return False
    check = 0
    for place, char in enumerate(reversed(text)):
        check = _VERHOEFF[check][_permuted(place, int(char))]
    return check == 0


def _permuted(place: int, digit: int) -> int:
    for _ in range(place % 8):
        digit = _PERMUTATION[digit]
    return digit


def is_loose_number(text: str) -> bool:
    """A number of which no vocabulary is known to hold it."""
    return not is_snomed(text)


def is_vin(text: str) -> bool:
    """A vehicle identification number whose ninth character checks the others (49 CFR 565.15)."""
    code = text.upper()
    values = [int(char) if char.isdigit() else _VIN_VALUES.get(char, -1) for char in code]
    if len(code) != len(_VIN_WEIGHTS) or min(values) < 0 or code.isdigit():
        return False
    rest = sum(value * weight for value, weight in zip(values, _VIN_WEIGHTS, strict=True)) % 11
    return code[8] == ("X" if rest == 10 else str(rest))


def is_in_numbering_plan(text: str) -> bool:
    """A phone number with its country code that the numbering plan of that country allows (ITU-T E.164)."""
    import phonenumbers  # several megabytes of plans, which most texts do not need

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(text))
    except phonenumbers.NumberParseException:
        return False


def is_phone(text: str) -> bool:
    """As many digits as phone numbers have, of more than two kinds."""
    digits = digits_of(text)
    return _LEAST_PHONE <= len(digits) <= _MOST_PHONE and len(set(digits)) > 2

"""Check digits: every number of a kind is told from those that differ in one digit."""

from __future__ import annotations

import pytest

from deidra.app.detect.checks import (
    digits_of,
    is_card,
    is_dni,
    is_iban,
    is_nhs_number,
    is_phone,
    is_snomed,
    is_vin,
    luhn,
)

CARDS = [
    "4111111111111111",
    "5500005555555559",
    "2223003122003222",
    "378282246310005",
    "6011111111111117",
    "30569309025904",
]
IBANS = ["GB82WEST12345698765432", "DE89370400440532013000", "FR1420041010050500013M02606", "NO9386011117947"]


@pytest.mark.parametrize("card", CARDS)
def test_a_card_number_with_another_last_digit_is_none(card: str) -> None:
    assert is_card(card)
    assert is_card(" ".join(card[n : n + 4] for n in range(0, len(card), 4)))
    others = [card[:-1] + digit for digit in "0123456789" if digit != card[-1]]
    assert not any(map(is_card, others))


@pytest.mark.parametrize("digits", ["79927398713", "0", "18"])
def test_luhn_holds_for_the_check_digit_alone(digits: str) -> None:
    # 7992739871 is the usual example: its check digit is 3.
    assert luhn(digits)
    assert not luhn(digits[:-1] + str((int(digits[-1]) + 1) % 10))


@pytest.mark.parametrize("number", ["4111111111111", "1234567812345670", "0000000000000000", "41111111111111111"])
def test_numbers_of_no_network_or_length_are_no_cards(number: str) -> None:
    assert not is_card(number)


@pytest.mark.parametrize("iban", IBANS)
def test_an_iban_has_the_length_of_its_country_and_its_check_digits(iban: str) -> None:
    assert is_iban(iban)
    assert is_iban(" ".join(iban[n : n + 4] for n in range(0, len(iban), 4)).lower())
    assert not is_iban(iban[:2] + f"{(int(iban[2:4]) + 1) % 100:02d}" + iban[4:])
    assert not is_iban(iban[:-1])
    assert not is_iban("XX" + iban[2:])


@pytest.mark.parametrize("number", ["943 476 5919", "9434765919", "401 023 2137"])
def test_a_number_of_the_health_service_has_its_check_digit(number: str) -> None:
    assert is_nhs_number(number)
    digits = digits_of(number)
    assert not any(is_nhs_number(digits[:9] + digit) for digit in "0123456789" if digit != digits[9])


@pytest.mark.parametrize("number", ["1111111111", "943476591", "94347659199"])
def test_numbers_of_one_digit_or_another_length_are_none_of_the_health_service(number: str) -> None:
    assert not is_nhs_number(number)


@pytest.mark.parametrize("number", ["12345678Z", "12.345.678-z", "X1234567L", "Y1234567X"])
def test_a_spanish_identity_number_has_its_letter(number: str) -> None:
    assert is_dni(number)
    assert not any(is_dni(number[:-1] + letter) for letter in "ABCDEFGHIJ" if letter != number[-1].upper())


@pytest.mark.parametrize(("text", "phone"), [("0161 496 0123", True), ("12 34 56 78", False), ("111 111 1111", False)])
def test_a_phone_number_has_nine_to_thirteen_digits_of_more_than_two_kinds(text: str, phone: bool) -> None:
    assert is_phone(text) is phone
    assert not is_phone(text + "1234567")


@pytest.mark.parametrize("vin", ["1HGCM82633A004352", "1M8GDM9AXKP042788"])
def test_the_ninth_character_of_a_vehicle_number_checks_the_others(vin: str) -> None:
    # 1M8GDM9AXKP042788 is the usual example: the remainder is 10, written X.
    assert is_vin(vin)
    assert not any(is_vin(vin[:8] + other + vin[9:]) for other in "0123456789X" if other != vin[8])


@pytest.mark.parametrize("vin", ["1HGCM82633A00435", "1HGCM82633A0O4352", "11111111111111111"])
def test_other_lengths_letters_that_look_like_digits_and_digits_alone_are_no_vehicle_number(vin: str) -> None:
    assert not is_vin(vin)


@pytest.mark.parametrize("code", ["103339001", "399162004", "410668003", "74400008", "900000000000207008"])
def test_a_code_of_snomed_has_its_check_digit(code: str) -> None:
    assert is_snomed(code)
    assert not any(is_snomed(code[:-1] + digit) for digit in "0123456789" if digit != code[-1])


@pytest.mark.parametrize("code", ["10333", "1033390x1", "1033390011033390011"])
def test_other_lengths_and_letters_are_no_code_of_snomed(code: str) -> None:
    assert not is_snomed(code)

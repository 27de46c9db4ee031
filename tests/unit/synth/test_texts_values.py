from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.people import Phi
from deidra.app.synth.texts.draw import Draw, Name
from deidra.app.synth.texts.names import dicom
from deidra.app.synth.texts.noise import misread
from deidra.app.synth.texts.parts import Part, assembled, filled, lowered, template
from deidra.app.synth.texts.pools import pool
from deidra.app.synth.texts.slots import fill, is_private

PIECES = st.lists(
    st.one_of(
        st.text("0O1lI5S8Brnm cdWe.,:^/-xyz", max_size=12),
        st.builds(Phi, st.text("0O1lI5S8Brnm clWe.,:^/-", max_size=12), st.sampled_from(EntityType)),
    ),
    max_size=8,
)


def draw(seed: int, split: str = "train") -> Draw:
    return Draw(Random(f"values {seed}"), pool(split))


def values(slot: str, count: int = 200) -> list[str]:
    return [assembled(fill(draw(seed), f"{{{slot}}}"))[0] for seed in range(count)]


@settings(max_examples=200, deadline=None)
@given(parts=PIECES, seed=st.integers(0, 10**6), rate=st.floats(0, 1))
def test_reading_errors_move_the_spans_with_their_values(parts: list[Part], seed: int, rate: float) -> None:
    wrong = misread(parts, Random(seed), rate)
    text, spans = assembled(wrong)
    kept = [part for part in wrong if isinstance(part, Phi) and part.text.strip()]
    assert [(span.text, span.type) for span in spans] == [(part.text.strip(), part.type) for part in kept]
    assert [text[span.start : span.end] for span in spans] == [span.text for span in spans]


def test_a_reader_without_errors_changes_nothing_and_one_with_errors_much() -> None:
    parts: list[Part] = ["Name: ", Phi("MORRISON, CLARA 5810", EntityType.PATIENT), " 120 kV"]
    assert misread(parts, Random(1), 0) == parts
    wrong = [assembled(misread(parts, Random(seed), 0.3))[0] for seed in range(50)]
    assert len(set(wrong)) > 40
    assert any("rn" in text or "N" in text for text in wrong)


def test_pieces_are_put_together_without_blanks_at_the_ends_of_values() -> None:
    text, spans = assembled(["  Dr. ", Phi(" Ana Sol ", EntityType.STAFF), ", ", Phi(" ", EntityType.PATIENT), "MD "])
    assert text == "Dr.  Ana Sol ,  MD"
    assert [(span.start, span.end, span.text) for span in spans] == [(5, 12, "Ana Sol")]


def test_acronyms_of_institutions_stay_in_capitals_where_all_else_is_small() -> None:
    parts: list[Part] = ["AX T2 ", Phi("NGMC", EntityType.HOSPITAL), " ", Phi("Mercy Clinic", EntityType.HOSPITAL)]
    assert assembled(lowered([*parts, Phi(" LEE", EntityType.PATIENT)]))[0] == "ax t2 NGMC mercy clinic lee"


def test_a_template_is_filled_slot_by_slot() -> None:
    parts = filled("a {x}{y} b", lambda slot: [Phi(slot.upper(), EntityType.AGE)])
    assert assembled(parts)[0] == "a XY b"
    assert template("a {x}{y} b").slots == ("x", "y")
    assert template("a {x}: b 1").wording == "ab"


def test_a_form_is_private_if_one_of_its_slots_is() -> None:
    assert is_private("{exam} {ptlast}")
    assert not is_private("{exam} {eponym} {d2} {time} {dx}")


@pytest.mark.parametrize(
    ("slot", "pattern"),
    [
        ("dobda", r"\d{8}|\d{4}\.\d\d\.\d\d"),
        ("agec", r"\d{3}[YMWD]|\d{1,3}[Yy]"),
        ("tm", r"\d{6}(\.\d{3}|\.\d{6})?"),
        ("ssn", r"(?!000|666|9)\d{3}([- ]?)(?!00)\d\d\1(?!0000)\d{4}"),
        ("mac", r"[0-9A-F]{2}([:-][0-9A-F]{2}){5}"),
        ("uid", r"[0-2](\.(0|[1-9]\d*)){2,}"),
        ("std", r"1\.2\.840\.10008\.\d\.\d\.\d"),
        ("ip", r"\d{1,3}(\.\d{1,3}){3}"),
        ("vin", r"[A-HJ-NPR-Z0-9]{17}"),
        ("ptmail", r"[a-z0-9._]+@[a-z.]+\.(org|com|net)"),
    ],
)
def test_values_have_the_form_of_their_kind(slot: str, pattern: str) -> None:
    assert [value for value in values(slot) if not re.fullmatch(pattern, value)] == []


def test_card_numbers_carry_a_valid_check_digit() -> None:
    numbers = [re.sub(r"\D", "", card) for card in values("card") if not re.search("[Xx*]", card)]
    assert len(numbers) > 100
    for number in numbers:
        digits = [int(digit) for digit in reversed(number)]
        doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[1::2]]
        assert (sum(digits[::2]) + sum(doubled)) % 10 == 0
        assert len(number) in (15, 16)


def test_the_birth_date_of_one_patient_is_one_day() -> None:
    one = draw(4)
    dates = {assembled(fill(one, "{dobda}"))[0].replace(".", "") for _ in range(20)}
    assert len(dates) == 1


def test_the_parts_of_a_person_name_value_are_one_span_without_its_title() -> None:
    name = Name("Clara", "Eve", "Morrison", "", True, "")
    found = set()
    for seed in range(400):
        text, spans = assembled(dicom(draw(seed), name, ("DR",), EntityType.STAFF))
        assert [(span.start, span.end == len(text) or text[span.end] == "^") for span in spans] == [(0, True)]
        found.add((text, spans[0].text))
    assert ("MORRISON^CLARA^E^DR", "MORRISON^CLARA^E") in found
    assert ("MORRISON^CLARA^EVE", "MORRISON^CLARA^EVE") in found
    assert ("morrison_clara", "morrison_clara") in found
    assert ("Morrison, Clara E", "Morrison, Clara E") in found


def test_initials_are_no_degree_or_modality() -> None:
    signed = {text.upper().replace(".", "") for text in values("stini", 3000)}
    assert len(signed) > 400
    assert signed & {"DR", "MD", "RN", "CT", "MR", "RT", "MRI", "PET"} == set()


@pytest.mark.parametrize("slot", ["ptbare", "stbare", "ptglued"])
def test_a_name_without_context_is_no_word(slot: str) -> None:
    words = {word.casefold() for word in pool("train").word_families}
    assert {value.casefold() for value in values(slot, 2000)} & words == set()
    assert {value.casefold() for value in values("ptlast", 2000)} & words != set()


def test_acronyms_of_hospitals_have_three_letters_or_more() -> None:
    assert [value for value in values("hospac") if not re.fullmatch("[A-Z]{3,5}", value)] == []


def test_an_unknown_slot_is_an_error() -> None:
    with pytest.raises(KeyError, match="nobody"):
        fill(draw(1), "{nobody}")

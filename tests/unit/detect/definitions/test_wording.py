from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.detect.definitions.standard import phrases_of, standard_types
from deidra.app.detect.definitions.wording import without_lead, wording_of
from deidra.app.domain.taxonomy import EntityType


@pytest.mark.parametrize(
    ("sentence", "shapes"),
    [
        ("passport numbers, a letter and eight digits", ["1 letter, 8 digits"]),
        ("begins with a letter and ends with eight numbers", ["1 letter, 8 digits"]),
        ("eight digits preceded by a letter", ["1 letter, 8 digits"]),
        ("eight digits after one letter", ["1 letter, 8 digits"]),
        ("ends with a letter, six digits", ["6 digits, 1 letter"]),
        ("11-digit number", ["11 digits"]),
        ("an eleven digit number", ["11 digits"]),
        ("two capital letters followed by 6 to 8 digits", ["2 capital letters, 6 to 8 digits"]),
        ("a number with 9 or 10 digits", ["9 to 10 digits"]),
        ("up to 5 digits", ["1 to 5 digits"]),
        ("starts with MRN followed by 8 digits", ['"MRN", 8 digits']),
        ("MRN and 8 digits", ['"MRN", 8 digits']),
        ("the letter P and seven digits", ['"P", 7 digits']),
        ("'RX-' then five digits", ['"RX-", 5 digits']),
        ("digits in groups of 3-2-4", ['3 digits, "-", 2 digits, "-", 4 digits']),
        ("digits in groups of 2 and 4 separated by spaces", ["2 digits, a blank, 4 digits"]),
        ("two small letters, a slash and four digits", ['2 small letters, "/", 4 digits']),
        ("8 digits or a letter and 7 digits", ["8 digits", "1 letter, 7 digits"]),
        ("between 5 and 7 alphanumeric characters", ["5 to 7 letters or digits"]),
        ("11-digit phone number", ["11 digits", "11 digits, blanks or dashes between them"]),
    ],
)
def test_a_description_tells_the_shape_of_a_code(sentence: str, shapes: list[str]) -> None:
    assert [shape.words for shape in wording_of(sentence).shapes] == shapes


@pytest.mark.parametrize("sentence", ["names of research projects", "passport number", "a number of a ward", ""])
def test_words_that_tell_no_shape_give_none(sentence: str) -> None:
    assert wording_of(sentence).shapes == ()


def test_a_beginning_alone_leaves_the_rest_open() -> None:
    wording = wording_of("medical numbers, starts with MRN")
    assert (wording.prefix, wording.open) == ("MRN", True)
    assert any(shape.matches("MRN93987011") for shape in wording.shapes)
    assert not any(shape.matches("93987011") for shape in wording.shapes)


def test_grouped_digits_of_a_phone_are_the_same_digits() -> None:
    shapes = wording_of("11-digit phone number").shapes
    for text in ("15553048389", "1-555-304-8389", "1 555 304 8389"):
        assert any(shape.matches(text) for shape in shapes)
    assert not any(shape.matches("555-304-8389") for shape in shapes)


@given(
    st.integers(1, 20), st.sampled_from(["letter", "digit"]), st.integers(1, 20), st.sampled_from([" and ", ", then "])
)
def test_counts_are_read_in_the_order_in_which_they_are_named(first: int, kind: str, second: int, between: str) -> None:
    other = "digit" if kind == "letter" else "letter"
    (shape,) = wording_of(f"{first} {kind}s{between}{second} {other}s").shapes
    assert [(run.kind.value, run.least, run.most) for run in shape.runs] == [
        (kind, first, first),
        (other, second, second),
    ]


@given(st.text(max_size=60))
def test_any_sentence_is_read_without_a_fault_and_always_the_same(sentence: str) -> None:
    assert wording_of(sentence) == wording_of(sentence)


def test_the_lead_of_a_sentence_is_no_part_of_it() -> None:
    assert without_lead("Private information only stands for: names.") == "names"


@pytest.mark.parametrize(
    ("phrase", "first"),
    [
        ("patient names", EntityType.PATIENT),
        ("Dates of birth", EntityType.DATE_BIRTH),
        ("phone numbers", EntityType.PHONE_HOME),
        ("email addresses", EntityType.EMAIL),
        ("e-mail address", EntityType.EMAIL),
        ("disease names", EntityType.HEALTH),
        ("diagnoses", EntityType.HEALTH),
        ("medical record numbers", EntityType.ID_MRN),
        ("street addresses", EntityType.LOCATION_HOME_ADDRESS),
        ("social security numbers", EntityType.ID_SSN),
    ],
)
def test_standard_types_are_known_by_their_names(phrase: str, first: EntityType) -> None:
    assert standard_types(phrase)[0] is first


def test_what_is_no_standard_type_is_none() -> None:
    assert standard_types("passport numbers") == ()


def test_an_enumeration_is_taken_apart() -> None:
    assert phrases_of("names, dates of birth and passport numbers.") == ["names", "dates of birth", "passport numbers"]

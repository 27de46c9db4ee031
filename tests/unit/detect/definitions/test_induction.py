from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deidra.app.detect.definitions.definition import Definition
from deidra.app.detect.definitions.induce import induced
from deidra.app.detect.definitions.matcher import Matcher
from deidra.app.domain.errors import PolicyError
from deidra.app.domain.taxonomy import EntityType

PASSPORT = Definition("passport numbers", "a letter and eight digits", ("A12345678",))
CODES = st.from_regex(r"[A-Z]{1,4}[-/ ]?[0-9]{2,8}(?:[-/][0-9]{1,4})?", fullmatch=True)


def texts(matcher: Matcher, text: str, context: str = "") -> list[str]:
    return [match.text for match in matcher.matches(text, context)]


def finds(matcher: Matcher, text: str) -> bool:
    return text in texts(matcher, text)


def test_one_example_stands_for_all_codes_of_its_shape() -> None:
    matcher = induced(Definition("tokens", "", ("A12345678",)))
    assert texts(matcher, "B87654321 and B8765432") == ["B87654321"]


def test_lengths_of_several_examples_are_a_range() -> None:
    matcher = induced(Definition("tokens", "", ("AB-12", "CD-3456")))
    assert texts(matcher, "EF-123 GH-1 IJ-12345") == ["EF-123"]


def test_letters_that_all_examples_share_are_fixed_until_one_has_others() -> None:
    one = Definition("tokens", "", ("MRN93987011",))
    assert not finds(induced(one), "PAT93987011")
    assert finds(induced(replace(one, examples=("MRN93987011", "PAT12345678"))), "QQQ93987011")


def test_a_code_is_no_part_of_a_longer_word_number_or_uid() -> None:
    matcher = induced(PASSPORT)
    assert texts(matcher, "AB12345678 A123456789 1.2.A12345678.3 A12345678-44") == []
    assert texts(matcher, "(A12345678), no.A12345679") == ["A12345678", "A12345679"]


def test_a_context_word_or_keyword_makes_a_weak_shape_surer() -> None:
    matcher = induced(Definition("badge numbers", "eight digits"))
    ((bare,), (near,), (keyed,)) = (
        matcher.matches("20240131"),
        matcher.matches("Badge no: 20240131"),
        matcher.matches("20240131", "BadgeNumber"),
    )
    assert bare.score < 0.7 < 0.95 < near.score == keyed.score
    assert (bare.near, near.near, keyed.near) == (False, True, True)


def test_a_rare_shape_is_sure_without_context() -> None:
    (match,) = induced(PASSPORT).matches("B87654321")
    assert match.score > 0.95
    assert not match.near


def test_context_words_come_from_the_noun_and_are_added_to() -> None:
    matcher = induced(replace(PASSPORT, context=("Reisepass",)))
    assert matcher.context_words == ("reisepass", "passport")


def test_a_misread_letter_is_asked_about() -> None:
    (match,) = induced(PASSPORT).matches("022002894")
    assert 0.3 <= match.score < 0.88
    assert induced(PASSPORT).matches("02200289") == []


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        (replace(PASSPORT, examples=("A12345678", "12345")), "example 2"),
        (Definition("tokens", "", ("A1",), pattern=r"\d+"), "example 1 does not have the pattern"),
        (Definition("tokens", "", ("A1",), pattern="("), "no regular expression"),
        (Definition("tokens", "", ("A1",), ("a1",)), "example 1 is a counter-example"),
        (Definition("tokens"), "neither the words nor an example"),
        (Definition("tokens", "", ("--",)), "example 1 holds no letter or digit"),
        (Definition(" "), "needs a name"),
    ],
)
def test_what_contradicts_itself_or_says_nothing_is_refused_without_quoting_it(
    definition: Definition, words: str
) -> None:
    with pytest.raises(PolicyError, match=words) as error:
        induced(definition)
    assert "12345" not in str(error.value)


def test_an_example_with_separators_is_what_a_description_without_them_says() -> None:
    matcher = induced(Definition("client numbers", "nine digits", ("123-456-789",)))
    assert finds(matcher, "987-654-321")
    assert finds(matcher, "987654321")


def test_an_explicit_pattern_counts_alone() -> None:
    matcher = induced(Definition("tokens", "eight digits", ("K-1",), pattern=r"K-\d"))
    assert texts(matcher, "K-7 12345678") == ["K-7"]


def test_an_explicit_pattern_may_look_around_itself() -> None:
    assert texts(induced(Definition("tokens", pattern=r"(?<=K-)\d+")), "K-77 88") == ["77"]


def test_words_are_found_by_likeness_to_examples() -> None:
    matcher = induced(Definition("names of research projects", "", ("Blue Heron", "Red Kestrel")))
    found = {match.text: match.score for match in matcher.matches("Blue Heron, blue Herom, Green Kestrel, chest CT")}
    assert found["Blue Heron"] > 0.95 > found["blue Herom"] > 0.8 > found["Green Kestrel"] >= 0.25
    assert not any("chest" in text for text in found)
    assert matcher.type is EntityType.OTHERPHI


def test_rooms_and_wards_are_found_by_the_form_of_their_examples() -> None:
    matcher = induced(Definition("rooms or wards", "", ("Ward 7B", "Room 12")))
    assert texts(matcher, "from Ward 9C to Room 31, series 12") == ["Ward 9C", "Room 31"]


def test_a_standard_type_is_part_of_the_definition_unless_a_shape_is_told() -> None:
    assert induced(Definition("disease names")).types == (EntityType.HEALTH,)
    told = induced(Definition("medical record numbers", "MRN and eight digits"))
    assert (told.types, told.type) == ((), EntityType.ID_MRN)
    phone = induced(Definition("11-digit phone numbers"))
    assert (phone.types, phone.type) == ((), EntityType.PHONE_HOME)


@given(CODES, st.text("0123456789", min_size=10, max_size=10))
def test_any_code_that_differs_in_digits_alone_matches(example: str, digits: str) -> None:
    matcher = induced(Definition("tokens", "", (example,)))
    drawn = "".join(digits[i % 10] if c.isdigit() else c for i, c in enumerate(example))
    assert finds(matcher, drawn)


@given(st.integers(1, 3), st.integers(4, 9), st.data())
def test_any_code_drawn_from_a_described_class_matches(letters: int, digits: int, data: st.DataObject) -> None:
    matcher = induced(Definition("tokens", f"{letters} capital letters followed by {digits} digits"))
    drawn = data.draw(st.from_regex(rf"[A-Z]{{{letters}}}[0-9]{{{digits}}}", fullmatch=True))
    assert finds(matcher, drawn)


@given(st.lists(CODES, min_size=1, max_size=4))
def test_induction_is_idempotent_and_does_not_depend_on_the_order(examples: list[str]) -> None:
    once = induced(Definition("tokens", "", tuple(examples)))
    again = induced(once.definition)
    turned = induced(Definition("tokens", "", tuple(reversed(examples))))
    patterns = {form.pattern.pattern for form in once.forms}
    assert [f.pattern for f in again.forms] == [f.pattern for f in once.forms]
    assert {form.pattern.pattern for form in turned.forms} == patterns


@given(st.lists(CODES, min_size=1, max_size=3), CODES, st.lists(CODES, max_size=5))
def test_an_added_example_never_loses_a_match_and_is_one_itself(
    examples: list[str], more: str, others: list[str]
) -> None:
    few = induced(Definition("tokens", "", tuple(examples)))
    many = induced(Definition("tokens", "", (*examples, more)))
    assert finds(many, more)
    for text in (*examples, *others):
        if finds(few, text):
            assert finds(many, text)


@given(st.lists(CODES, min_size=1, max_size=3), CODES)
def test_a_counter_example_is_never_matched(examples: list[str], other: str) -> None:
    assume(other.casefold() not in {example.casefold() for example in examples})
    matcher = induced(Definition("tokens", "", tuple(examples), (other,)))
    assert other not in texts(matcher, f"id {other} seen")
    assert all(finds(matcher, example) for example in examples)

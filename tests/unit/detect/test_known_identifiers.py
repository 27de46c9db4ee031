from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.detect.known import KnownIdentifiers, name_parts
from deidra.app.domain.model import Identifier
from deidra.app.domain.taxonomy import EntityType

Known = Callable[..., KnownIdentifiers]
PATIENT, STAFF = EntityType.PATIENT, EntityType.STAFF


def parts(known: KnownIdentifiers, text: str) -> list[str]:
    return [text[s.start : s.end] for s in known.spans(text)]


def test_a_misread_name_is_like_the_known_one(known: Known) -> None:
    people = known((PATIENT, "Okonkwo^Johnathan"))
    assert parts(people, "Okonkwa, Jonathan") == ["Okonkwa", "Jonathan"]


def test_john_and_jon_match_and_jane_smith_and_bugs_bunny_do_not(known: Known) -> None:
    people = known((PATIENT, "Smith^John"))
    assert parts(people, "John Smith") == ["John", "Smith"]
    assert "Jon" in parts(people, "Jon Smith")
    assert "Jane" not in parts(people, "Jane Smith")
    assert parts(people, "Bugs Bunny") == []


def test_the_likeness_is_told_in_the_score_and_the_detail(known: Known) -> None:
    people = known((PATIENT, "Okonkwo^Adaeze"))
    (exact,) = people.spans("OKONKWO")
    (like,) = people.spans("OKONKWA")
    assert exact.score == 0.97
    assert exact.detail == "a name in a header element"
    assert like.score < exact.score
    assert like.detail == "like a name in a header element"


@pytest.mark.parametrize(
    "text", ["Okonkwo Adaeze", "ADAEZE OKONKWO", "Okonkwo^Adaeze", "okonkwo, adaeze", "Dr Adaeze N. Okonkwo-Obi"]
)
def test_a_name_is_found_in_any_order_and_case(known: Known, text: str) -> None:
    found = parts(known((PATIENT, "OKONKWO^ADAEZE")), text)
    assert sorted(part.lower() for part in found) == ["adaeze", "okonkwo"]


def test_accents_do_not_hide_a_name(known: Known) -> None:
    assert parts(known((PATIENT, "Müßig^Zoë")), "MUSSIG ZOE") == ["MUSSIG", "ZOE"]
    assert parts(known((PATIENT, "Mussig^Zoe")), "Müßig") == ["Müßig"]


def test_a_name_in_other_scripts_is_found(known: Known) -> None:
    assert set(parts(known((PATIENT, "山田^太郎")), "患者 山田 さん")) == {"山田"}


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("王^小明", "患者王小明于今日检查", "王小明"),
        ("王^小明", "小明今日检查", "小明"),
        ("山田^太郎", "山田太郎様の検査", "山田太郎"),
        ("山田^太郎=ヤマダ^タロウ", "患者ヤマダ様", "ヤマダ"),
        ("김^희중", "환자김희중님", "김희중"),
    ],
)
def test_a_name_without_blanks_around_it_is_found_in_scripts_without_blanks(
    known: Known, name: str, text: str, found: str
) -> None:
    assert found in parts(known((PATIENT, name)), text)


def test_other_text_of_scripts_without_blanks_is_no_name(known: Known) -> None:
    assert parts(known((PATIENT, "王^小明")), "患者今日检查") == []
    # One character alone is a word too often.
    assert parts(known((PATIENT, "王^小明")), "国王检查") == []


@pytest.mark.parametrize("text", ["Big Bore", "BIG BORE CT", "a big one"])
def test_a_patient_called_big_does_not_touch_big_bore(known: Known, text: str) -> None:
    assert parts(known((PATIENT, "Big^John")), text) == []


def test_a_harmless_word_counts_beside_another_part_of_the_same_name(known: Known) -> None:
    people = known((PATIENT, "Big^Okonkwo"))
    assert parts(people, "Big, Okonkwo") == ["Big", "Okonkwo"]
    assert parts(people, "Okonkwo") == ["Okonkwo"]


def test_harmless_parts_of_two_people_do_not_keep_each_other_company(known: Known) -> None:
    people = known((PATIENT, "Big^Okonkwo"), (STAFF, "Hill^Ngozi"))
    assert [span.score for span in people.spans("Big Hill")] == [0.55]
    assert parts(people, "Big Hill sign") == []


@pytest.mark.parametrize("text", ["mm", "L", "A", "12", "an", ""])
def test_short_text_is_never_like_a_name(known: Known, text: str) -> None:
    assert parts(known((PATIENT, "Li^An"), (PATIENT, "Okonkwo^A")), text) == []


@pytest.mark.parametrize(
    "text", ["MRN4711X", "mrn4711x", "MRN-4711-X", "MRN47llX", "MRN471IX", "ID: MRN4711X.", "MRN/4711/X"]
)
def test_an_id_is_found_however_it_is_read_or_broken_up(known: Known, text: str) -> None:
    spans = list(known((EntityType.ID_MRN, "MRN4711X")).spans(text))
    assert spans
    assert {(s.type, s.score) for s in spans} == {(EntityType.ID_MRN, 0.98)}


def test_lookalike_characters_are_folded_on_both_sides(known: Known) -> None:
    assert parts(known((EntityType.ID_OTHER, "0158-B2")), "O1SB-8Z") == ["O1SB-8Z"]


@pytest.mark.parametrize("text", ["MRN4712X", "4711", "XMRN4711X", "MRN4711"])
def test_other_ids_are_left_alone(known: Known, text: str) -> None:
    assert parts(known((EntityType.ID_MRN, "MRN4711X")), text) == []


@pytest.mark.parametrize("value", ["CHEST", "1", "12", "ABC"])
def test_an_id_that_is_a_word_or_too_short_is_not_searched_for(known: Known, value: str) -> None:
    assert parts(known((EntityType.ID_MRN, value)), f"CHEST {value} AP") == []


@pytest.mark.parametrize(
    "text", ["19501211", "1950-12-11", "11/12/1950", "12/11/1950", "11.12.50", "11 Dec 1950", "DEC 11, 1950", "11DEC50"]
)
def test_a_birth_date_is_known_in_any_form(known: Known, text: str) -> None:
    (span,) = known((EntityType.DATE_BIRTH, "19501211")).spans(f"x {text} y")
    assert (span.type, span.score, f"x {text} y"[span.start : span.end].strip()) == (
        EntityType.DATE_BIRTH,
        0.98,
        text,
    )


def test_another_day_is_not_known(known: Known) -> None:
    assert parts(known((EntityType.DATE_BIRTH, "19501211")), "1950-12-12") == []


@pytest.mark.parametrize("text", ["(212) 555-0147", "212.555.0147", "+1 212 555 0147", "2125550147"])
def test_a_phone_number_is_known_however_it_is_written(known: Known, text: str) -> None:
    assert text.strip("(") in "".join(parts(known((EntityType.PHONE_HOME, "212-555-0147")), text))


@pytest.mark.parametrize(
    "text", ["SEASIDE GENERAL CLINIC", "at Seaside General Clinic, floor 2", "Seaside Genera1 Clinic"]
)
def test_an_institution_is_found_as_a_phrase(known: Known, text: str) -> None:
    (span,) = known((EntityType.HOSPITAL, "Seaside General Clinic")).spans(text)
    assert span.type is EntityType.HOSPITAL
    assert span.end - span.start >= 20


@pytest.mark.parametrize("text", ["Mountain Special Centre", "General Clinic", "Sea"])
def test_other_institutions_are_left_alone(known: Known, text: str) -> None:
    assert parts(known((EntityType.HOSPITAL, "Seaside General Clinic")), text) == []


def test_nothing_is_found_when_nothing_is_known(known: Known) -> None:
    assert parts(known(), "Okonkwo^Adaeze 1950-12-11 MRN4711X") == []


def test_a_name_is_split_into_comparable_words() -> None:
    assert name_parts("Müller^Jo Ann^^Dr.") == ["muller", "jo", "ann", "dr"]


@given(st.text(max_size=40))
def test_any_text_gives_spans_inside_it(text: str) -> None:
    pairs = [
        *((PATIENT, "Okonkwo^Adaeze"), (EntityType.ID_MRN, "MRN4711X"), (EntityType.DATE_BIRTH, "19501211")),
        *((EntityType.PHONE_HOME, "2125550147"), (EntityType.HOSPITAL, "Seaside General Clinic")),
    ]
    known = KnownIdentifiers([Identifier("P", kind, value, "s") for kind, value in pairs])
    for span in known.spans(text):
        assert 0 <= span.start < span.end <= len(text)
        assert 0 < span.score < 1


@pytest.mark.parametrize("value", ["SCOTT FIXED", "smith_john_test", "Volunteer Okonkwo"])
def test_an_identifier_that_is_words_is_found_as_a_whole(known: Known, value: str) -> None:
    spans = known((EntityType.ID_MRN, value)).spans(f"ID {value.upper()} AXIAL")
    assert {(span.start, span.end, span.type) for span in spans} == {(3, 3 + len(value), EntityType.ID_MRN)}


@pytest.mark.parametrize("value", ["HEAD PHANTOM", "QUALITY CONTROL", "AXIAL CHEST"])
def test_an_identifier_of_everyday_words_is_not_searched_for(known: Known, value: str) -> None:
    assert list(known((EntityType.ID_MRN, value)).spans(f"{value} TEST SERIES")) == []

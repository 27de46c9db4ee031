"""Names with a part of no list, and words that look like names by an accident of writing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deidra.app.detect.gazetteer import is_given_name, is_word, name_spans
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.taxonomy import EntityType


def found(text: str) -> list[tuple[str, float]]:
    return [(text[s.start : s.end], s.score) for s in name_spans(text)]


def test_the_words_of_these_tests_are_of_the_lists_that_they_are_meant_for() -> None:
    assert is_given_name("Margaret")
    assert not is_word("Zzyvelgrob")
    assert not is_word("Qarnitush")


@pytest.mark.parametrize(
    ("text", "name", "score"),
    [
        ("seen: Margaret Zzyvelgrob", "Margaret Zzyvelgrob", 0.85),
        ("seen: Zzyvelgrob, Margaret", "Zzyvelgrob, Margaret", 0.85),
        ("seen: Zzyvelgrob Qarnitush again", "Zzyvelgrob Qarnitush", 0.4),
        ("this is Okonkwo's film", "Okonkwo", 0.5),
    ],
)
def test_a_word_of_no_list_is_part_of_a_name_beside_another(text: str, name: str, score: float) -> None:
    assert found(text) == [(name, score)]


@pytest.mark.parametrize(
    "text",
    [
        "What's new",
        "I'm here",
        "It’s the left one",
        "Zzyvelgrob",
        "Zzyvelgrob head",
        "Tanner 4",
        "Frykman VIII",
        "the patient had a scan and the FGR was small on it",
    ],
)
def test_contractions_scales_acronyms_and_lone_codes_are_no_names(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("label", ["NºZzyvel 28", "Zzyvelgrob: 4"])
def test_a_label_behind_a_name_is_no_part_of_it(label: str) -> None:
    assert found(f"Margaret Okonkwo {label}")[0] == ("Margaret Okonkwo", 0.85)


@pytest.mark.parametrize("text", ["TANNER 4", "Dr Tanner 4", "Tanner 45", "Tanner 4/5/2020"])
def test_a_name_before_a_number_that_is_no_grade_stays_a_name(text: str) -> None:
    assert any("tanner" in name.lower() for name, _ in found(text))


@pytest.mark.parametrize("text", ["Baker line placement", "BAKER TUBE", "Baker protocol"])
def test_what_is_done_to_a_known_person_makes_no_eponym_of_the_name(
    known: Callable[..., KnownIdentifiers], text: str
) -> None:
    tags = EntityTagger(known((EntityType.PATIENT, "Baker^Ann"))).tags(text)
    assert [tag.type for tag in tags] == [EntityType.PATIENT]


@pytest.mark.parametrize("gap", [".\n", " .\n", "\n\n", ". "])
def test_a_word_of_no_list_belongs_to_no_name_behind_the_end_of_a_sentence(gap: str) -> None:
    assert found(f"Margaret{gap}Zzyvelgrob") == [("Margaret", 0.5)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("okonkwo, nnamdi", "okonkwo, nnamdi"),
        ("seen nnamdi okonkwo again", "nnamdi okonkwo"),
        ("OKONKWO_NNAMDI", "OKONKWO_NNAMDI"),
    ],
)
def test_a_given_name_and_a_surname_in_small_letters_or_with_an_underscore_are_asked_about(
    text: str, name: str
) -> None:
    assert (name, 0.6) in found(text)


@pytest.mark.parametrize("text", ["chest pa and lateral", "okonkwo", "t2_tse_sag", "OKONKWO_CHEST", "nnamdi. okonkwo"])
def test_one_such_name_or_none_is_not(text: str) -> None:
    assert all(score != 0.6 for _, score in found(text))


@pytest.mark.parametrize("text", ["A. Okonkwo", "A. B. Okonkwo", "A.B. Okonkwo"])
def test_initials_before_a_name_belong_to_it(text: str) -> None:
    assert found(f"seen by {text} today") == [(text, 0.5)]

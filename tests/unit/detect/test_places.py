"""Places are found with what belongs to them; eponyms, scales and things that are named after a place are not."""

from __future__ import annotations

import pytest

from deidra.app.detect.places import end_of_address, place_spans
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.taxonomy import EntityType


def found(text: str) -> list[tuple[str, float]]:
    return [(text[s.start : s.end], s.score) for s in place_spans(text)]


@pytest.mark.parametrize(
    ("text", "place", "score"),
    [
        ("seen again, Madrid", "Madrid", 0.55),
        ("she flew to Buenos Aires", "Buenos Aires", 0.7),
        ("lives in New York", "New York", 0.7),
        ("SÃO PAULO", "SÃO PAULO", 0.55),
        ("Paris, France", "Paris, France", 0.8),
        ("Getafe\nMadrid\nSpain", "Madrid\nSpain", 0.8),
        ("28035 Madrid", "28035 Madrid", 0.8),
        ("D-10115 Berlin", "D-10115 Berlin", 0.8),
        ("Denver, CO 80202", "Denver, CO 80202", 0.8),
        ("Denver CO 80202-1234", "Denver CO 80202-1234", 0.8),
        ("Denver, CO", "Denver, CO", 0.8),
        ("St. Louis", "St. Louis", 0.55),
    ],
)
def test_a_place_is_found_with_those_around_it_its_state_and_its_post_code(text: str, place: str, score: float) -> None:
    assert found(text) == [(place, score)]


@pytest.mark.parametrize(
    "text",
    [
        "boston",
        "Bostonian",
        "Boston_brace",
        "Boston brace",
        "Philadelphia collar",
        "Chicago classification",
        "Vancouver B2",
        "Rome IV",
        "New chest film",
        "United",
    ],
)
def test_what_only_sounds_like_a_place_is_none(text: str) -> None:
    assert found(text) == []


def test_a_modality_behind_a_place_is_no_state() -> None:
    assert found("Phoenix CT") == [("Phoenix", 0.55)]


def test_a_name_stays_a_name(tagger: EntityTagger) -> None:
    [tag] = tagger.tags("seen by Sydney Okonkwo today")
    assert tag.type is EntityType.PATIENT


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("12 Quill Road, Quillburg 85363 now", ", Quillburg 85363"),
        ("12 Quill Road\nQuillburg\nCO 80202", "\nQuillburg\nCO 80202"),
        ("12 Quill Road, CT chest", ""),
        ("12 Quill Road, Chest 12345", ""),
        ("12 Quill Road", ""),
    ],
)
def test_an_address_goes_on_to_its_post_code(text: str, rest: str) -> None:
    start = len("12 Quill Road")
    assert text[start : end_of_address(text, start)] == rest

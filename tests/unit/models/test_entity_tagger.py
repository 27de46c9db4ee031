"""The entity tagger as it ships: what it says of texts, and that it says it quickly twice."""

import pytest

from deidra.app.domain.taxonomy import EntityType
from deidra.models import entity_tagger
from deidra.models.entity_tagger import EntityModel, TaggerCalibration, TextInput, tagger_calibration
from deidra.models.tagger_pieces import WINDOW

NOTE = "Mr. Okonkwo, born 12 March 1957, called from +1 (617) 555-0143 about his wife Adaeze."


@pytest.fixture(scope="module")
def model() -> EntityModel:
    return EntityModel()


def told(model: EntityModel, text: str, tag: str = "") -> list[tuple[str, EntityType]]:
    return [(text[f.start : f.end], f.type) for f in model.found(TextInput(text, tag))]


def test_it_tells_names_dates_and_phones_in_a_note(model: EntityModel) -> None:
    assert [(text, kind.value.split(".")[0]) for text, kind in told(model, NOTE)] == [
        ("Okonkwo", "PATIENT"),
        ("12 March 1957", "DATE"),
        ("+1 (617) 555-0143", "PHONE"),
        ("Adaeze", "PATIENT"),
    ]


def test_what_it_is_sure_of_has_a_high_score_and_little_variance(model: EntityModel) -> None:
    for found in model.found(TextInput(NOTE)):
        assert found.score > 0.9
        assert 0 <= found.variance < 0.05


def test_what_is_said_of_a_text_does_not_depend_on_those_before_it(model: EntityModel) -> None:
    texts = [TextInput(NOTE), TextInput("AX T2 FSE"), TextInput(""), TextInput("SMITH^JOHN", "PatientName")]
    others = EntityModel()
    for text in [*reversed(texts), *texts]:
        assert others.found(text) == EntityModel().found(text)
    assert model.found(TextInput("")) == ()


def test_it_tells_how_likely_any_place_is_private(model: EntityModel) -> None:
    reading = model.reading(TextInput(NOTE))
    start = NOTE.index("Okonkwo")
    assert reading.likelihood(start, start + 7) > 0.9
    start = NOTE.index("called")
    assert reading.likelihood(start, start + 6) < 0.1
    assert reading.likelihood(len(NOTE), len(NOTE) + 5) == 0


def test_a_long_text_is_read_to_its_end(model: EntityModel) -> None:
    text = "The lungs are clear. " * WINDOW + "Seen by Dr. Adaeze Okonkwo on 12 March 2017."
    assert ("12 March 2017", EntityType.DATE_OTHER) in told(model, text)


def test_a_text_that_was_seen_is_not_read_again(model: EntityModel, monkeypatch: pytest.MonkeyPatch) -> None:
    first = model.found(TextInput(NOTE))
    monkeypatch.setattr(entity_tagger, "session", lambda name: pytest.fail("read again"))
    assert model.found(TextInput(NOTE)) == first


def test_it_forgets_when_it_remembers_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entity_tagger, "_MOST_SEEN", 3)
    model = EntityModel()
    for number in range(5):
        model.found(TextInput(f"AX T{number}"))
    assert len(model._seen) <= 3


def test_a_temperature_above_one_draws_probabilities_towards_a_half() -> None:
    tuned = TaggerCalibration(temperature=2.0)
    assert tuned.probability(0.5) == pytest.approx(0.5)
    assert tuned.probability(0.9) == pytest.approx(0.75)
    assert tuned.probability(1.0) > 0.99
    assert tagger_calibration().temperature > 0

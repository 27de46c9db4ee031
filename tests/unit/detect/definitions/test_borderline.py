from __future__ import annotations

import pytest

from deidra.app.detect.definitions.borderline import answered, borderline
from deidra.app.detect.definitions.definition import Definition
from deidra.app.detect.definitions.induce import induced
from deidra.app.detect.definitions.matcher import Match

BADGES = Definition("badge numbers", "six or eight digits")
TEXTS = ("123456, then 654321", "seen by Badge 777777", "111111", "222222")


def found(definition: Definition) -> list[Match]:
    return [match for text in TEXTS for match in induced(definition).matches(text)]


def test_at_most_five_texts_in_doubt_are_asked_about_each_once_and_of_every_form() -> None:
    definition = Definition("tokens", "6 digits or two letters and 2 digits")
    matches = induced(definition).matches("123456 AB12 654321 111111 222222 333333 123456 CD34")
    asked = borderline(matches, definition)
    assert len(asked) == 5
    assert len({match.text for match in asked}) == 5
    assert {match.form for match in asked[:2]} == {match.form for match in matches}


def test_what_stands_beside_a_context_word_or_was_answered_is_not_asked_about() -> None:
    definition = Definition("badge numbers", "six digits", ("123456",), ("654321",))
    asked = {match.text for match in borderline(found(definition), definition)}
    assert asked == {"111111", "222222"}


def test_answers_become_examples_and_counter_examples_and_are_not_asked_again() -> None:
    definition = Definition("badge numbers", "six digits")
    questions = borderline(found(definition), definition)
    told = answered(definition, questions, [True, False])
    assert (told.examples, told.counter_examples) == ((questions[0].text,), (questions[1].text,))
    assert questions[0].text in {m.text for m in found(told) if m.score > 0.95}
    assert questions[1].text not in {m.text for m in found(told)}
    assert not {q.text for q in questions[:2]} & {m.text for m in borderline(found(told), told)}


def test_a_refused_code_makes_others_of_its_form_less_sure_but_still_asked_about() -> None:
    definition = Definition("badge numbers", "six digits")
    before, after = (
        induced(one).matches("999999")[0].score
        for one in (definition, Definition("badge numbers", "six digits", (), ("123456", "654321")))
    )
    assert 0.3 <= after < before


def test_more_answers_than_questions_are_refused() -> None:
    with pytest.raises(ValueError, match="more answers"):
        answered(BADGES, [], [True])

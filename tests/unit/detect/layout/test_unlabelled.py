"""What the form of a text and the words of its sentence tell where no label does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deidra.app.decide.policy import Policy, load_policy
from deidra.app.decide.verdict import verdict_of
from deidra.app.detect.conditions import condition_spans
from deidra.app.detect.documents import page_drafts
from deidra.app.detect.layout.sides import sentence_side
from deidra.app.detect.layout.wordings import Side
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.model import FrameText, TextLine, Verdict
from deidra.app.domain.taxonomy import EntityType

Line = Callable[..., TextLine]
DOCUMENTS = load_policy("documents")


def verdicts(
    line: Line, tagger: EntityTagger, *texts: str, policy: Policy = DOCUMENTS
) -> dict[str, tuple[EntityType | None, Verdict]]:
    lines = tuple(line(text, 10, 10 + 30 * number) for number, text in enumerate(texts))
    found = page_drafts(FrameText(0, 1000, 1000, lines), tagger, policy.page_rules)
    return {d.text: (d.type, verdict_of(d, policy)) for d in found}


@pytest.mark.parametrize("value", ["Catholic", "Widowed", "Danish", "Female"])
def test_an_answer_behind_a_label_of_no_list_waits(line: Line, tagger: EntityTagger, value: str) -> None:
    assert verdicts(line, tagger, f"Xyzzy: {value}")[value] == (EntityType.DEMOG, Verdict.QUEUE)


def test_an_answer_to_a_harmless_question_stays(line: Line, tagger: EntityTagger) -> None:
    assert verdicts(line, tagger, "Language: Danish")["Language: Danish"][1] is Verdict.IGNORE


def test_a_date_long_before_the_others_of_its_page_waits_as_one_of_a_birth(line: Line, tagger: EntityTagger) -> None:
    found = verdicts(line, tagger, "Xyzzy: 3/4/1961", "Plugh: 5/6/2024")
    assert found["3/4/1961"] == (EntityType.DATE_BIRTH, Verdict.QUEUE)
    assert found["Plugh: 5/6/2024"][1] is Verdict.IGNORE


def test_a_phone_number_behind_a_label_of_no_list_waits(line: Line, tagger: EntityTagger) -> None:
    found = verdicts(line, tagger, "Xyzzy: (555) 123-4567")
    assert found["(555) 123-4567"] == (EntityType.PHONE_HOME, Verdict.QUEUE)


def test_the_first_date_behind_born_is_the_birth_date_and_no_other(line: Line, tagger: EntityTagger) -> None:
    found = verdicts(line, tagger, "Thank you for sending her (born 2/23/1966) on 4/7/2024.")
    assert [text for text, (kind, _) in found.items() if kind is EntityType.DATE_BIRTH] == ["2/23/1966"]


def test_an_age_goes_with_its_unit(line: Line, tagger: EntityTagger) -> None:
    found = verdicts(line, tagger, "Seen at 69 years: no findings.")
    assert found["69 years"][0] is EntityType.AGE


@pytest.mark.parametrize(
    ("before", "after", "side"),
    [
        ("Write to us at ", " or ring the number below.", Side.OFFICE),
        ("At home the patient answers ", ".", Side.HOME),
        ("Please phone the patient's employer at ", "", Side.OFFICE),
        ("He now lives at ", ".", Side.HOME),
        ("Our clinic is closed. She can be reached at ", ".", Side.HOME),
        ("Phone ", "", Side.EITHER),
    ],
)
def test_the_sentence_tells_whose_a_detail_in_it_is(before: str, after: str, side: Side) -> None:
    assert sentence_side(before, after) is side


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He suffers from chronic obstructive pulmonary disease.", ["chronic obstructive pulmonary disease"]),
        ("Crohn's disease, osteoporosis and atrial fibrillation",
         ["Crohn's disease", "osteoporosis", "atrial fibrillation"]),
        ("Psoriatic arthritis; hypothyroidism", ["Psoriatic arthritis", "hypothyroidism"]),
        ("Type 2 Diabetes Mellitus", ["Type 2 Diabetes Mellitus"]),
        ("The diploma of a school in Oklahoma, for all purposes and extensions", []),
        ("The diagnosis and the prognosis were discussed.", []),
    ],
)  # fmt: skip
def test_states_of_health_are_known_by_their_names(text: str, expected: list[str]) -> None:
    assert [text[span.start : span.end] for span in condition_spans(text)] == expected


def test_a_state_of_health_in_prose_is_private_only_where_the_policy_says_so(line: Line, tagger: EntityTagger) -> None:
    text = "She was treated for endometriosis in the spring."
    assert verdicts(line, tagger, text)["endometriosis"] == (EntityType.HEALTH, Verdict.AUTO)
    assert EntityType.HEALTH not in {
        kind for kind, _ in verdicts(line, tagger, text, policy=load_policy("basic")).values()
    }


@pytest.mark.parametrize("text", ["Research on asthma of the department", "Leaflet on diabetes"])
def test_a_state_of_health_that_nobody_is_said_to_have_waits(line: Line, tagger: EntityTagger, text: str) -> None:
    verdict = dict(verdicts(line, tagger, text).values())
    assert verdict[EntityType.HEALTH] is Verdict.QUEUE

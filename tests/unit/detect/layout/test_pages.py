from __future__ import annotations

from collections.abc import Callable

import pytest

from deidra.app.decide.policy import Policy, load_policy
from deidra.app.decide.verdict import verdict_of
from deidra.app.detect.documents import page_drafts
from deidra.app.detect.drafts import Draft
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.page_tags import _is_grant
from deidra.app.detect.spans import Span
from deidra.app.detect.tagger import EntityTagger, Tag
from deidra.app.domain.geometry import bounding_box
from deidra.app.domain.model import FrameText, TextLine, Verdict
from deidra.app.domain.taxonomy import EntityType

Line = Callable[..., TextLine]
Known = Callable[..., KnownIdentifiers]
DOCUMENTS, BASIC = load_policy("documents"), load_policy("basic")


def drafts(*lines: TextLine, tagger: EntityTagger, policy: Policy = DOCUMENTS) -> list[Draft]:
    return page_drafts(FrameText(0, 1000, 1000, lines), tagger, policy.page_rules)


def private(*lines: TextLine, tagger: EntityTagger, policy: Policy = DOCUMENTS) -> list[tuple[str, EntityType | None]]:
    found = drafts(*lines, tagger=tagger, policy=policy)
    return [(d.text, d.type) for d in found if verdict_of(d, policy) is not Verdict.IGNORE]


def test_stacked_cells_of_a_header_row_give_their_values_a_meaning(line: Line, tagger: EntityTagger) -> None:
    found = private(
        line("Last name, first name", 10, 10),
        line("Date of Birth", 200, 10),
        line("Social Security #", 400, 10),
        line("Xqzyk, Barto", 10, 24),
        line("3/2/70", 200, 24),
        line("123-45-6789", 400, 24),
        tagger=tagger,
    )
    assert found == [
        ("Xqzyk, Barto", EntityType.PATIENT),
        ("3/2/70", EntityType.DATE_BIRTH),
        ("123-45-6789", EntityType.ID_SSN),
    ]


def test_all_rows_below_a_header_belong_to_their_column(line: Line, tagger: EntityTagger) -> None:
    found = private(
        line("Test", 10, 10),
        line("Nationality", 200, 10),
        line("Glucose", 10, 24),
        line("Canadian", 200, 24),
        line("Sodium", 10, 38),
        line("Danish", 200, 38),
        tagger=tagger,
    )
    assert found == [("Canadian", EntityType.DEMOG), ("Danish", EntityType.DEMOG)]


def test_cells_that_were_read_as_one_line_are_told_apart_by_their_columns(line: Line, tagger: EntityTagger) -> None:
    found = private(
        line("Nationality", 10, 10),
        line("Date of birth", 160, 10),
        line("Canadian                 3/2/1970", 10, 24),
        tagger=tagger,
    )
    assert found == [("Canadian", EntityType.DEMOG), ("3/2/1970", EntityType.DATE_BIRTH)]


@pytest.mark.parametrize(
    ("label", "value", "kind"),
    [
        ("SSN:", "123456789", EntityType.ID_SSN),
        ("Born:", "3 March 1970", EntityType.DATE_BIRTH),
        ("Birth place:", "Lyon", EntityType.LOCATION_BIRTHPLACE),
        ("Age:", "45", EntityType.AGE),
        ("Marital status:", "Widowed", EntityType.DEMOG),
        ("Home address:", "12 Oak Street", EntityType.LOCATION_HOME_ADDRESS),
        ("Home phone:", "555-1234", EntityType.PHONE_HOME),
        ("Religion:", "Quaker", EntityType.DEMOG),
        ("Citizenship:", "Danish", EntityType.DEMOG),
        ("Gender:", "F", EntityType.DEMOG),
        ("Diagnosis:", "asthma", EntityType.HEALTH),
    ],
)
def test_each_of_the_eleven_types_is_known_by_its_label(
    line: Line, tagger: EntityTagger, label: str, value: str, kind: EntityType
) -> None:
    assert private(line(label, 10, 10), line(value, 130, 10), tagger=tagger) == [(value, kind)]
    assert private(line(f"{label} {value}", 10, 10), tagger=tagger) == [(value, kind)]


def test_details_of_an_office_stay_under_the_preset_and_go_under_others(line: Line, tagger: EntityTagger) -> None:
    lines = [
        line("Employer: Quux Widgets Inc.", 10, 10),
        line("Phone: (555) 999-1234", 10, 24),
        line("Business address: 99 Main Street", 10, 38),
        line("Date of visit: 4/5/2023", 10, 52),
    ]
    assert private(*lines, tagger=tagger) == []
    types = [kind for _, kind in private(*lines, tagger=tagger, policy=BASIC)]
    assert types == [EntityType.PATORG, EntityType.PHONE_OTHER, EntityType.LOCATION_ADDRESS, EntityType.DATE_OTHER]


def test_a_phone_is_of_a_home_where_what_stands_around_it_is(line: Line, tagger: EntityTagger) -> None:
    found = private(
        line("Home address: 12 Oak Street", 10, 10),
        line("Springfield, IL 62704", 94, 24),
        line("Phone: (555) 123-4567", 10, 38),
        tagger=tagger,
    )
    assert [kind for _, kind in found] == [
        *(EntityType.LOCATION_HOME_ADDRESS, EntityType.LOCATION_HOME_ADDRESS, EntityType.PHONE_HOME)
    ]


def test_a_curator_is_asked_whose_a_phone_is_that_nothing_tells(line: Line, tagger: EntityTagger) -> None:
    (draft,) = drafts(line("Phone: (555) 123-4567", 10, 10), tagger=tagger)
    assert (draft.type, verdict_of(draft, DOCUMENTS)) == (EntityType.PHONE_HOME, Verdict.QUEUE)


def test_a_grant_number_is_no_social_security_number(line: Line, tagger: EntityTagger) -> None:
    lines = [line("Grant No.:", 10, 10), line("123-45-6789", 100, 10)]
    assert private(*lines, tagger=tagger) == []
    assert private(*lines, tagger=tagger, policy=BASIC) == [("123-45-6789", EntityType.ID_SSN)]


def test_a_known_identifier_goes_whatever_label_stands_beside_it(line: Line, known: Known) -> None:
    tagger = EntityTagger(known((EntityType.ID_MRN, "A4711-99")))
    assert private(line("Grant No.: A4711-99", 10, 10), tagger=tagger) == [("A4711-99", EntityType.ID_MRN)]


@pytest.mark.parametrize("label", ["Name:", "Date of birth:", "Religion", "Signature"])
def test_handwriting_beside_a_private_label_is_asked_about(line: Line, tagger: EntityTagger, label: str) -> None:
    hand = line("~wk dj", 150, 10, kind="handwriting", second="lul", confidence=0.3, located=0.1, agents=["ppocr-det"])
    found = [d for d in drafts(line(label, 10, 10), hand, tagger=tagger) if d.type is not None]
    assert [verdict_of(d, DOCUMENTS) for d in found] == [Verdict.QUEUE]
    assert found[0].polygon == hand.polygon


def test_a_value_that_the_readers_read_differently_is_asked_about(line: Line, tagger: EntityTagger) -> None:
    value = line("8W:q", 130, 10, second="3/2/7", confidence=0.5, second_confidence=0.4)
    found = drafts(line("Date of birth:", 10, 10), value, tagger=tagger)
    assert [(d.type, verdict_of(d, DOCUMENTS)) for d in found][1:] == [(EntityType.DATE_BIRTH, Verdict.QUEUE)]


def test_what_was_surely_read_and_is_no_value_stays(line: Line, tagger: EntityTagger) -> None:
    assert private(line("Date of birth:", 10, 10), line("see page two", 130, 10), tagger=tagger) == []


def test_every_option_of_a_private_question_is_covered_with_its_box(line: Line, tagger: EntityTagger) -> None:
    lines = [line("Sex:", 10, 10), line("Male", 130, 10), line("Female", 230, 10)]
    found = [d for d in drafts(*lines, tagger=tagger) if d.type is not None]
    assert [(d.text, d.type) for d in found] == [("Male", EntityType.DEMOG), ("Female", EntityType.DEMOG)]
    assert [bounding_box(d.polygon)[0] for d in found] == [130 - 16, 230 - 16]
    assert private(line("[X] Married [ ] Single", 10, 10), tagger=tagger)[0][1] is EntityType.DEMOG


def test_labels_are_never_private(line: Line, tagger: EntityTagger) -> None:
    labels = ["Last name", "Home address", "Mother's maiden name", "Place of birth", "Marital status", "Physician"]
    lines = [line(text, 10, 10 + 60 * n) for n, text in enumerate(labels)]
    assert private(*lines, tagger=tagger, policy=BASIC) == []


def test_lines_for_machines_on_passports_go(line: Line, tagger: EntityTagger) -> None:
    text = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<"
    assert private(line(text, 10, 10), tagger=tagger) == [(text, EntityType.OTHERPHI)]


def test_what_a_policy_turns_off_on_pages_stays(line: Line, tagger: EntityTagger) -> None:
    lines = [line("Sex: F", 10, 10), line("Signature: Ada Byron", 10, 60)]
    policy = DOCUMENTS.model_copy(
        update={"documents": DOCUMENTS.documents.model_copy(update={"types_off": (EntityType.DEMOG,), "things": ()})}
    )
    assert (lines[0].text, EntityType.DEMOG) not in private(*lines, tagger=tagger, policy=policy)
    assert all(kind is EntityType.PATIENT for _, kind in private(*lines, tagger=tagger, policy=policy))


def test_a_date_within_prose_is_not_the_value_of_a_word_above_it(line: Line, tagger: EntityTagger) -> None:
    assert private(line("born", 10, 10), line("whom we examined on 4/5/2023", 10, 24), tagger=tagger) == []


def test_a_label_whose_value_is_covered_takes_no_other(line: Line, tagger: EntityTagger) -> None:
    covered = line(" ", 130, 10)
    covered = TextLine(covered.polygon, "", (), ())
    lines = [line("Date of birth", 10, 10), covered, line("4/5/2023", 10, 24)]
    assert all(kind is None or draft.score < 0.88 for draft in drafts(*lines, tagger=tagger) for kind in [draft.type])


@pytest.mark.parametrize(("side", "expected"), [("Home", 1), ("Business", 0)])
def test_a_post_box_is_of_the_side_that_its_label_says(
    line: Line, tagger: EntityTagger, side: str, expected: int
) -> None:
    box = "P.O. Box 12, Xyzburg, NJ 07001"
    found = private(line(f"{side} address", 10, 10), line(box, 10, 24), tagger=tagger)
    assert found == [(box, EntityType.LOCATION_HOME_ADDRESS)] * expected


@pytest.mark.parametrize(
    ("label", "value", "confidence", "verdict"),
    [
        ("Religion:", "Quaker", 0.99, Verdict.AUTO),
        ("Religion:", "Quaker", 0.9, Verdict.QUEUE),
        ("Religion:", "Frisbee club", 0.99, Verdict.QUEUE),
    ],
)
def test_a_label_whose_promise_a_sure_reading_keeps_needs_no_second_reader(
    line: Line, tagger: EntityTagger, label: str, value: str, confidence: float, verdict: Verdict
) -> None:
    answer = line(value, 130, 10, confidence=confidence, second="| |", second_confidence=0.3, located=0.999)
    found = [d for d in drafts(line(label, 10, 10), answer, tagger=tagger) if d.type is not None]
    assert [verdict_of(d, DOCUMENTS) for d in found] == [verdict]


@pytest.mark.parametrize(
    ("text", "agent", "expected"),
    [
        ("R01-CA123456", "deidra-tag", True),
        ("NSF-1234567", "rules", True),
        ("R01-CA123456", "label", False),
        ("MRN-1234567", "deidra-tag", False),
        ("12345678", "deidra-tag", False),
    ],
)
def test_the_number_of_a_grant_is_not_private_unless_a_label_calls_it_so(text: str, agent: str, expected: bool) -> None:
    span = Span(0, len(text), EntityType.ID_OTHER, 0.95, agent, "reads as such")
    assert _is_grant(Tag(0, len(text), EntityType.ID_OTHER, 0.95, (span,)), text) is expected

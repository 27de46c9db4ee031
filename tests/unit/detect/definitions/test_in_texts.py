from __future__ import annotations

from collections.abc import Callable

import pytest

from deidra.app.decide.policy import Policy
from deidra.app.decide.tagging import tagger_of
from deidra.app.decide.texts import JudgedSpan, TextJudge
from deidra.app.detect.drafts import region_drafts
from deidra.app.detect.fields import field_drafts
from deidra.app.domain.model import Action, FrameText, TextLine, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.engine import FieldChange

PASSPORT = {"name": "passport numbers", "description": "a letter and eight digits", "examples": ["A12345678"]}
ONLY_PASSPORTS = {"definitions": [PASSPORT], "detect": {"only": "passport numbers"}}
SAYS = "definition: passport numbers"


def judged(settings: dict[str, object], text: str, **options: str) -> list[JudgedSpan]:
    return list(TextJudge(Policy.model_validate(settings)).spans(text, **options))


def test_a_defined_type_is_found_beside_the_standard_ones_and_its_name_is_told() -> None:
    spans = judged({"definitions": [PASSPORT]}, "MRN: 4711471, passport B87654321")
    assert [(s.text, s.type, s.verdict, s.definition) for s in spans] == [
        ("4711471", EntityType.ID_MRN, Verdict.AUTO, ""),
        ("B87654321", EntityType.ID_OTHER, Verdict.AUTO, SAYS),
    ]


@pytest.mark.parametrize("text", ["MRN: 4711471", "DOB 17.04.1953", "Name: Adaeze Okonkwo", "jo@mail.example.org"])
def test_a_type_outside_the_definition_is_never_found(text: str) -> None:
    assert judged({"definitions": [PASSPORT]}, text)
    assert judged(ONLY_PASSPORTS, text) == []


def test_what_is_more_surely_of_a_type_that_is_off_is_of_none_that_is_on() -> None:
    assert [s.text for s in judged({"detect": {"only": "phone numbers"}}, "744-50-1864, 555-304-8389")] == [
        "555-304-8389"
    ]


def test_a_bare_date_may_be_a_date_of_birth_and_is_one_where_an_example_is_a_bare_date() -> None:
    only: dict[str, object] = {"only": "dates of birth", "network": False}
    (asked,) = judged({"detect": only}, "seen 18 Jun 1983")
    assert (asked.type, asked.verdict) == (EntityType.DATE_BIRTH, Verdict.QUEUE)
    entry = {"name": "dates of birth", "examples": ["2 May 1990"]}
    (sure,) = judged({"detect": only, "definitions": [entry]}, "seen 18 Jun 1983")
    assert (sure.type, sure.verdict) == (EntityType.DATE_BIRTH, Verdict.AUTO)


def test_disease_names_are_found_where_they_are_named() -> None:
    assert [s.type for s in judged({"detect": {"only": "disease names"}}, "History of migraine and asthma")] == [
        EntityType.HEALTH
    ] * 2


def test_a_defined_word_wins_over_the_list_of_harmless_words() -> None:
    entry = {"name": "project names", "examples": ["AXIAL SUPINE"]}
    (span,) = judged({"definitions": [entry]}, "AXIAL SUPINE")
    assert (span.text, span.verdict) == ("AXIAL SUPINE", Verdict.AUTO)


def test_the_label_beside_a_text_and_the_keyword_are_context() -> None:
    badge = {
        "definitions": [{"name": "badge numbers", "description": "eight digits"}],
        "detect": {"only": "badge numbers"},
    }
    assert [s.verdict for s in judged(badge, "20240131")] == [Verdict.QUEUE]
    assert [s.verdict for s in judged(badge, "20240131", label="Badge no.")] == [Verdict.AUTO]


@pytest.mark.parametrize(("keyword", "vr"), [("StudyDescription", "LO"), ("Manufacturer", "LO"), ("StationName", "SH")])
def test_kept_header_text_of_any_kind_is_searched(keyword: str, vr: str) -> None:
    tagger = tagger_of(Policy.model_validate(ONLY_PASSPORTS), ())
    kept = FieldChange("(0008,1030)", keyword, vr, "CT A12345670 chest", "CT A12345670 chest", Action.KEEP, "kept")
    (draft,) = field_drafts([kept], tagger)
    assert (draft.proposal, draft.reason) == ("CT chest", SAYS)


def test_a_finding_on_an_image_covers_the_code_alone_and_names_the_definition(
    line: Callable[..., TextLine], frame: Callable[..., FrameText]
) -> None:
    tagger = tagger_of(Policy.model_validate(ONLY_PASSPORTS), ())
    drafts = region_drafts(frame(line("CT chest A12345670 image 12 of 30")), tagger, True)
    (draft,) = [draft for draft in drafts if draft.type is not None]
    assert (draft.text, draft.type, draft.reason) == ("A12345670", EntityType.ID_OTHER, SAYS)
    assert [e.detail for e in draft.evidence if e.agent == "definition"] == [SAYS]


def test_a_label_of_a_defined_type_gives_the_line_beside_it_its_meaning(
    line: Callable[..., TextLine], frame: Callable[..., FrameText]
) -> None:
    badge = {
        "definitions": [{"name": "badge numbers", "description": "eight digits"}],
        "detect": {"only": "badge numbers"},
    }
    tagger = tagger_of(Policy.model_validate(badge), ())
    drafts = region_drafts(frame(line("Badge no:"), line("20240131", left=120)), tagger, True)
    assert [(d.text, d.score > 0.95) for d in drafts if d.type is not None] == [("20240131", True)]

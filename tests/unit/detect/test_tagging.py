from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.detect.fields import cut_out, entity_type, field_drafts
from deidra.app.detect.gazetteer import is_name, is_safe, name_spans, plain
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.spans import Span
from deidra.app.detect.tagger import EntityTagger, Tag
from deidra.app.domain.model import Action
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.engine import FieldChange

Known = Callable[..., KnownIdentifiers]


def shown(tags: list[Tag], text: str) -> list[tuple[str, EntityType]]:
    return [(text[tag.start : tag.end], tag.type) for tag in tags]


def test_the_parts_of_a_name_become_one_tag(known: Known) -> None:
    tagger = EntityTagger(known((EntityType.PATIENT, "Okonkwo^Adaeze")))
    for text in ("OKONKWO^ADAEZE", "Okonkwo, Adaeze", "Adaeze N. Okonkwo"):
        (tag,) = tagger.tags(text)
        assert (tag.start, tag.end, tag.type) == (0, len(text), EntityType.PATIENT)
        assert tag.certain


def test_tags_come_in_order_and_do_not_overlap(known: Known) -> None:
    tagger = EntityTagger(known((EntityType.PATIENT, "Okonkwo^Adaeze"), (EntityType.ID_MRN, "A-4711")))
    text = "MRN: A-4711 Okonkwo DOB 12/11/1950"
    assert shown(tagger.tags(text), text) == [
        ("A-4711", EntityType.ID_MRN),
        ("Okonkwo", EntityType.PATIENT),
        ("12/11/1950", EntityType.DATE_BIRTH),
    ]


def test_overlapping_spans_are_typed_by_the_surest(known: Known) -> None:
    tagger = EntityTagger(known((EntityType.DATE_BIRTH, "19501211")))
    (tag,) = tagger.tags("seen 11.12.50")
    assert tag.type is EntityType.DATE_BIRTH
    assert tag.score == max(span.score for span in tag.spans) == 0.98
    assert {span.agent for span in tag.spans} == {"rules", "known-identifier"}


def test_a_tag_is_certain_only_when_a_header_value_vouches_for_it(known: Known) -> None:
    assert not EntityTagger(known()).tags("Name: Okonkwo")[0].certain
    assert EntityTagger(known((EntityType.PATIENT, "Okonkwo"))).tags("Name: Okonkwo")[0].certain


def test_a_labelled_name_of_common_words_is_doubted(tagger: EntityTagger) -> None:
    (tag,) = tagger.tags("Name: SUPINE")
    assert tag.score == 0.35
    assert "common" in tag.spans[0].detail


def test_single_names_can_be_left_out(tagger: EntityTagger) -> None:
    assert shown(tagger.tags("with Katherine"), "with Katherine") == [("Katherine", EntityType.PATIENT)]
    assert tagger.tags("with Katherine", single_names=False) == []


def test_the_words_before_an_institution_are_not_part_of_its_name(tagger: EntityTagger) -> None:
    text = "seen at St. Mary Hospital"
    assert shown(tagger.tags(text), text) == [("St. Mary Hospital", EntityType.HOSPITAL)]


def test_words_of_no_list_are_reported_when_asked_for(tagger: EntityTagger) -> None:
    assert tagger.tags("Xqzwv image") == []
    (tag,) = tagger.tags("Xqzwv image", unknown_words=True)
    assert (tag.start, tag.end, tag.score) == (0, 5, 0.3)
    assert tagger.tags("Xqz image", unknown_words=True) == []


def test_types_that_are_off_give_no_tags(known: Known) -> None:
    off = EntityTagger(known((EntityType.DATE_BIRTH, "19501211")), [EntityType.DATE_OTHER, EntityType.DATE_BIRTH])
    assert off.tags("11.12.1950") == []
    assert off.tags("MRN: A-4711") != []


@given(st.text(max_size=60))
def test_any_text_gives_ordered_tags_inside_it(text: str) -> None:
    tags = EntityTagger(KnownIdentifiers([])).tags(text, unknown_words=True)
    assert all(0 <= tag.start < tag.end <= len(text) for tag in tags)
    assert all(a.end <= b.start for a, b in pairwise(tags))


def test_a_given_name_and_a_surname_are_likely_a_person() -> None:
    (span,) = name_spans("report for Katherine Okafor today")
    assert (span.start, span.end, span.score) == (11, 27, 0.85)


def test_a_single_name_may_be_a_person() -> None:
    (span,) = name_spans("report for Katherine")
    assert span.score == 0.5


@pytest.mark.parametrize("text", ["Hill", "park view", "Young Hill", "katherine", "DIXON", "Walker"])
def test_names_that_are_words_never_stand_alone(text: str) -> None:
    assert list(name_spans(text)) == []


def test_words_are_compared_without_case_and_accents() -> None:
    assert plain("ÉCHO Müßig") == "echo mussig"
    assert is_safe("AXIAL")
    assert is_safe("x")
    assert not is_safe("Okonkwo")
    assert is_name("Katherine")
    assert not is_name("Xqzwv")


def tag(start: int, end: int) -> Tag:
    return Tag(start, end, EntityType.OTHERPHI, 1, (Span(start, end, EntityType.OTHERPHI, 1, "a", "d"),))


@pytest.mark.parametrize(
    ("text", "private", "rest"),
    [
        ("p4 20190619", "20190619", "p4"),
        ("20190619 p4", "20190619", "p4"),
        ("CT (Okonkwo) chest", "Okonkwo", "CT chest"),
        ("CT [Okonkwo]", "Okonkwo", "CT"),
        ("Okonkwo, chest", "Okonkwo", "chest"),
        ("chest, Okonkwo", "Okonkwo", "chest"),
        ("a Okonkwo b", "Okonkwo", "a b"),
        ("P4^P101^S108^I0, Gated, 0.0% 20140321", "20140321", "P4^P101^S108^I0, Gated, 0.0%"),
        ("Okonkwo", "Okonkwo", ""),
    ],
)
def test_what_separated_a_private_part_goes_with_it(text: str, private: str, rest: str) -> None:
    start = text.index(private)
    assert cut_out(text, [tag(start, start + len(private))]).replace("  ", " ") == rest


def test_several_private_parts_are_cut_out_at_once() -> None:
    text = "Okonkwo CT 20140321 chest"
    assert cut_out(text, [tag(0, 7), tag(11, 19)]) == "CT chest"


@given(st.text(alphabet="ab ,(", max_size=20), st.data())
def test_nothing_private_is_left_and_nothing_is_added(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    rest = cut_out(text[:start] + "X" * (end - start) + text[end:], [tag(start, end)])
    assert "X" not in rest
    assert len(rest) <= len(text) - (end - start)


def change(keyword: str, vr: str, before: str, after: str | None, action: Action) -> FieldChange:
    return FieldChange("(0008,103E)", keyword, vr, before, after, action, "why")


def test_what_the_profile_changes_is_certain(tagger: EntityTagger) -> None:
    (draft,) = field_drafts([change("PatientBirthDate", "DA", "19501211", "", Action.EMPTY)], tagger)
    assert (draft.type, draft.score, draft.certain, draft.proposal) == (EntityType.DATE_BIRTH, 1.0, True, "")


def test_uids_sequences_and_empty_values_are_no_findings(tagger: EntityTagger) -> None:
    changes = [
        change("StudyInstanceUID", "UI", "1.2", "2.25.1", Action.REMAP),
        change("ContentSequence", "SQ", "3 items", None, Action.REMOVE),
        change("StudyDate", "DA", "", "", Action.EMPTY),
        change("Rows", "US", "512", "512", Action.KEEP),
    ]
    assert list(field_drafts(changes, tagger)) == []


def test_private_text_in_a_kept_value_is_cut_out(known: Known) -> None:
    tagger = EntityTagger(known((EntityType.PATIENT, "Okonkwo^Adaeze")))
    text = "CT chest Okonkwo"
    (draft,) = field_drafts([change("SeriesDescription", "LO", text, text, Action.KEEP)], tagger)
    assert (draft.action, draft.proposal, draft.certain) == (Action.CLEAN, "CT chest", True)


def test_a_finding_is_as_sure_as_its_least_sure_part(known: Known) -> None:
    tagger = EntityTagger(known((EntityType.PATIENT, "Okonkwo^Adaeze")))
    text = "Okonkwo Name: SUPINE"
    (draft,) = field_drafts([change("ImageComments", "LT", text, text, Action.KEEP)], tagger)
    assert draft.score == min(tag.score for tag in tagger.tags(text, single_names=False))
    assert draft.certain is False


@pytest.mark.parametrize("vr", ["CS", "AE"])
def test_codes_are_cleaned_only_of_known_identifiers(known: Known, vr: str) -> None:
    kept = change("StationAETitle", vr, "MRN: A-4711", "MRN: A-4711", Action.KEEP)
    assert list(field_drafts([kept], EntityTagger(known()))) == []
    assert list(field_drafts([kept], EntityTagger(known((EntityType.ID_MRN, "A-4711")))))


@pytest.mark.parametrize(
    ("keyword", "vr", "kind"),
    [
        ("PatientName", "PN", EntityType.PATIENT),
        ("ReferringPhysicianName", "PN", EntityType.STAFF),
        ("PatientBirthDate", "DA", EntityType.DATE_BIRTH),
        ("StudyDate", "DA", EntityType.DATE_OTHER),
        ("PatientID", "LO", EntityType.ID_MRN),
        ("AccessionNumber", "SH", EntityType.ID_OTHER),
        ("PatientAge", "AS", EntityType.AGE),
        ("PatientSex", "CS", EntityType.DEMOG),
        ("InstitutionName", "LO", EntityType.HOSPITAL),
        ("PatientAddress", "LO", EntityType.LOCATION_HOME_ADDRESS),
        ("InstitutionAddress", "ST", EntityType.LOCATION_ADDRESS),
        ("PersonTelephoneNumbers", "SH", EntityType.PHONE_OTHER),
        ("SeriesDescription", "LO", EntityType.OTHERPHI),
    ],
)
def test_the_type_of_a_changed_value_follows_from_the_attribute(keyword: str, vr: str, kind: EntityType) -> None:
    assert entity_type(keyword, vr) is kind


@pytest.mark.parametrize("text", ["9261", "ser 151832", "08/20631", "Male", "Grzbk"])
def test_doubtful_forms_are_asked_about_where_unknown_words_count(known: Known, text: str) -> None:
    tagger = EntityTagger(known())
    assert tagger.tags(text) == []
    [tag] = tagger.tags(text, unknown_words=True)
    assert tag.score == 0.3


@pytest.mark.parametrize("text", ["120 kV", "W 400 L 40", "TR 4000", "3.14159", "12 mm", "FOV 240 mm"])
def test_measured_values_are_no_doubtful_forms(known: Known, text: str) -> None:
    assert EntityTagger(known()).tags(text, unknown_words=True) == []


@pytest.mark.parametrize(
    ("keyword", "vr"),
    [("SeriesDescription", "LO"), ("ImageComments", "LT"), ("TextValue", "UT"), ("StudyID", "SH"), ("CodeValue", "SH")],
)
def test_a_single_name_in_a_kept_header_text_counts(tagger: EntityTagger, keyword: str, vr: str) -> None:
    text = "called Katherine"
    (draft,) = field_drafts([change(keyword, vr, text, text, Action.KEEP)], tagger)
    assert (draft.type, draft.proposal) == (EntityType.PATIENT, "called")


@pytest.mark.parametrize(
    "keyword",
    ["Manufacturer", "ManufacturerModelName", "SoftwareVersions", "CodeMeaning", "CodingSchemeDesignator"],
)
def test_a_single_name_is_none_in_what_makers_and_vocabularies_write(tagger: EntityTagger, keyword: str) -> None:
    text = "called Katherine"
    assert list(field_drafts([change(keyword, "LO", text, text, Action.KEEP)], tagger)) == []
    # A full name still is one.
    text = "Dr. Katherine Okafor"
    assert list(field_drafts([change(keyword, "LO", text, text, Action.KEEP)], tagger)) != []

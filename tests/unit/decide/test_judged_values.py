"""Values of attributes that are private by their meaning, judged as single texts."""

import pytest

from deidra.app.decide.policy import load_policy
from deidra.app.decide.texts import TextJudge
from deidra.app.domain.model import Verdict
from deidra.app.domain.taxonomy import EntityType


@pytest.fixture(scope="module")
def judge() -> TextJudge:
    return TextJudge(load_policy("basic"))


def told(judge: TextJudge, tag: str, text: str) -> list[tuple[str, EntityType]]:
    found = judge.spans(text, tag=tag)
    assert all(span.text == text[span.start : span.end] for span in found)
    assert all(span.verdict is Verdict.AUTO for span in found)
    return [(span.text, span.type) for span in found]


@pytest.mark.parametrize(
    ("tag", "text", "kind"),
    [
        ("PatientSex", "male", EntityType.DEMOG),
        ("PatientReligiousPreference", "Taoist", EntityType.DEMOG),
        ("PatientBirthDate", "19570312", EntityType.DATE_BIRTH),
        ("PatientID", "A-77", EntityType.ID_MRN),
        ("PatientAge", "061Y", EntityType.AGE),
    ],
)
def test_a_value_is_private_as_a_whole(judge: TextJudge, tag: str, text: str, kind: EntityType) -> None:
    assert told(judge, tag, f"{text} ") == [(text, kind)]


def test_a_title_before_a_name_and_a_room_behind_an_institution_are_not(judge: TextJudge) -> None:
    assert told(judge, "ReferringPhysicianName", "Dr. Okonkwo") == [("Okonkwo", EntityType.STAFF)]
    assert told(judge, "InstitutionName", "Mercy Valley Hospital Imaging Dept") == [
        ("Mercy Valley Hospital", EntityType.HOSPITAL)
    ]


def test_a_word_that_nobody_knows_keeps_the_value_whole(judge: TextJudge) -> None:
    assert told(judge, "ReferringPhysicianName", "Okonkwo^Adaeze Xqwzly")[0][0].endswith("Xqwzly")
    assert told(judge, "StationName", "XQWZLY") == [("XQWZLY", EntityType.ID_OTHER)]


def test_several_values_are_told_one_by_one(judge: TextJudge) -> None:
    assert told(judge, "OtherPatientIDs", "0907407\\MRN737927") == [
        ("0907407", EntityType.ID_MRN),
        ("MRN737927", EntityType.ID_MRN),
    ]


def test_a_time_of_day_is_private_only_where_the_policy_does_not_keep_it(judge: TextJudge) -> None:
    assert told(judge, "SeriesTime", "092454") == []
    dates = load_policy("basic").dates.model_copy(update={"times": False})
    strict = TextJudge(load_policy("basic").model_copy(update={"dates": dates}))
    assert [span.text for span in strict.spans("092454", tag="SeriesTime")] == ["092454"]

from __future__ import annotations

import pytest
from dicom_files import InPlace
from hypothesis import given
from hypothesis import strategies as st
from pydicom import Dataset
from pydicom.dataset import FileDataset, FileMetaDataset

from deidra.app.domain.errors import InputError
from deidra.app.domain.model import DecisionKind
from deidra.app.metadata.engine import HeaderEngine, Override, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import Option, Profile
from deidra.app.metadata.recipes import Rule, RuleAction, tag_pattern

KEY = ProjectKey(bytes(32))


@pytest.fixture
def dataset() -> FileDataset:
    dataset = FileDataset("", {}, file_meta=FileMetaDataset())
    dataset.SOPInstanceUID = "1.2.3.4"
    dataset.Modality = "CT"
    dataset.StudyDescription = "CT ABDOMEN"
    dataset.StudyDate = "20200310"
    dataset.PatientName = "Okonkwo^Adaeze"
    dataset.PatientTelephoneNumbers = "555 0147"
    dataset.AccessionNumber = "A4711"
    item = Dataset()
    item.StudyDescription = "inside"
    dataset.RelatedSeriesSequence = [item]
    block = dataset.private_block(0x0043, "GEMS_PARM_01", create=True)
    block.add_new(0x27, "SH", "0.9:1")
    block.add_new(0x28, "LO", "Okonkwo")
    return dataset


def process(dataset: FileDataset, *rules: Rule, overrides: dict[str, Override] | None = None) -> None:
    profile = Profile(frozenset({Option.MODIFIED_DATES}), rules)
    InPlace(HeaderEngine(profile, KEY)).process(dataset, Subject("P1", -10), overrides)


def test_a_rule_by_keyword_overrides_the_profile_everywhere_in_the_file(dataset: FileDataset) -> None:
    process(dataset, Rule(RuleAction.KEEP, keyword="StudyDescription"))
    assert dataset.StudyDescription == "CT ABDOMEN"


def test_the_first_rule_that_matches_counts(dataset: FileDataset) -> None:
    process(
        dataset,
        Rule(RuleAction.REPLACE, keyword="Study*", vr="LO", value="first"),
        Rule(RuleAction.REPLACE, keyword="StudyDescription", value="second"),
    )
    assert dataset.StudyDescription == "first"


def test_a_condition_on_the_file_switches_a_rule_off(dataset: FileDataset) -> None:
    process(dataset, Rule(RuleAction.KEEP, keyword="StudyDescription", when=(("Modality", "MR"),)))
    assert "StudyDescription" not in dataset


def test_a_condition_takes_patterns_in_any_case(dataset: FileDataset) -> None:
    process(dataset, Rule(RuleAction.KEEP, keyword="StudyDescription", when=(("Modality", "c*"),)))
    assert dataset.StudyDescription == "CT ABDOMEN"


def test_a_tag_with_wildcards_names_all_that_fit(dataset: FileDataset) -> None:
    process(dataset, Rule(RuleAction.REPLACE, tag="(0010,21xx)", value="none"))
    assert dataset.PatientTelephoneNumbers == "none"


def test_a_private_element_is_kept_by_its_creator_and_its_neighbour_goes(dataset: FileDataset) -> None:
    process(dataset, Rule(RuleAction.KEEP, creator="GEMS*", tag="(0043,xx27)"))
    assert dataset.private_block(0x0043, "GEMS_PARM_01")[0x27].value == "0.9:1"
    assert (0x0043, 0x1028) not in dataset


def test_a_private_rule_does_not_touch_another_creators_elements(dataset: FileDataset) -> None:
    process(dataset, Rule(RuleAction.KEEP, creator="SIEMENS*"))
    assert [element for element in dataset if element.tag.is_private] == []


def test_hash_gives_the_same_token_for_the_same_value_and_hides_it(dataset: FileDataset) -> None:
    process(dataset, Rule(RuleAction.HASH, keyword="AccessionNumber"))
    assert dataset.AccessionNumber == KEY.token("hash", "A4711", 16)
    assert "4711" not in dataset.AccessionNumber


@pytest.mark.parametrize(
    ("action", "after"), [(RuleAction.EMPTY, ""), (RuleAction.DUMMY, "19000101"), (RuleAction.SHIFT, "20200229")]
)
def test_actions_on_a_date(dataset: FileDataset, action: RuleAction, after: str) -> None:
    process(dataset, Rule(action, keyword="StudyDate"))
    assert dataset.StudyDate == after


def test_a_rule_may_remove_what_the_profile_keeps(dataset: FileDataset) -> None:
    process(dataset, Rule(RuleAction.REMOVE, keyword="Modality"))
    assert "Modality" not in dataset


def test_a_rule_may_replace_the_patients_name(dataset: FileDataset) -> None:
    process(dataset, Rule(RuleAction.REPLACE, keyword="PatientName", value="Trial^Subject"))
    assert dataset.PatientName == "Trial^Subject"


def test_a_curators_decision_outranks_a_rule(dataset: FileDataset) -> None:
    rule = Rule(RuleAction.KEEP, keyword="StudyDescription")
    process(dataset, rule, overrides={"(0008,1030)": Override(DecisionKind.REPLACE, "decided")})
    assert dataset.StudyDescription == "decided"


def test_a_replacement_that_does_not_fit_is_refused(dataset: FileDataset) -> None:
    with pytest.raises(InputError, match="does not fit"):
        process(dataset, Rule(RuleAction.REPLACE, keyword="StudyDate", value="soon"))


@given(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF))
def test_a_tag_without_wildcards_names_itself_alone(group: int, element: int) -> None:
    pattern = tag_pattern(f"({group:04x},{element:04X})")
    assert pattern.fullmatch(f"{group:04X}{element:04X}")
    assert not pattern.fullmatch(f"{group ^ 1:04X}{element:04X}")


@pytest.mark.parametrize("text", ["", "0010", "(0010,00)", "(001g,0010)", "PatientName"])
def test_what_is_no_tag_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no tag"):
        tag_pattern(text)

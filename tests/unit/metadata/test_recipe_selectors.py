"""Rules by path, and rules that clean."""

from __future__ import annotations

import contextlib

import pytest
from dicom_files import InPlace
from hypothesis import given
from hypothesis import strategies as st
from pydicom import Dataset
from pydicom.dataset import FileDataset

from deidra.app.domain.model import Action
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import Profile
from deidra.app.metadata.recipes import Rule, RuleAction, path_pattern


def requests(header: FileDataset) -> FileDataset:
    items = []
    for number in (1, 2):
        item = Dataset()
        item.ScheduledProcedureStepDescription = f"step {number}"
        item.ScheduledProcedureStepID = f"S{number}"
        items.append(item)
    header.RequestAttributesSequence = items
    return header


def processed(header: FileDataset, *rules: Rule) -> dict[str, Action]:
    engine = InPlace(HeaderEngine(Profile(frozenset(), rules), ProjectKey(bytes(32))))
    return {change.path: change.action for change in engine.process(header, Subject("P1", -10)).changes}


def test_a_rule_by_path_reaches_that_element_alone(header: FileDataset) -> None:
    kept = Rule(RuleAction.KEEP, keyword="RequestAttributesSequence")
    one = Rule(RuleAction.REPLACE, path="(0040,0275)[1]/(0040,0007)", value="other")
    rest = Rule(RuleAction.CLEAN, path="(0040,0275)[*]/(0040,00xx)")
    processed(requests(header), one, rest, Rule(RuleAction.CLEAN, tag="(0040,0275)"), kept)
    assert [i.ScheduledProcedureStepDescription for i in header.RequestAttributesSequence] == ["step 1", "other"]


def test_a_rule_that_cleans_a_sequence_enters_it_and_keeps_text_to_be_read(header: FileDataset) -> None:
    found = processed(
        requests(header),
        Rule(RuleAction.CLEAN, keyword="RequestAttributesSequence"),
        Rule(RuleAction.CLEAN, keyword="ScheduledProcedureStepDescription"),
    )
    assert found["(0040,0275)[0]/(0040,0007)"] is Action.KEEP
    assert header.RequestAttributesSequence[1].ScheduledProcedureStepDescription == "step 2"


def test_a_rule_that_cleans_moves_dates_remaps_uids_and_removes_bytes(header: FileDataset) -> None:
    header.AcquisitionDate = "20240305"
    header.FrameOfReferenceUID = "1.2.3.4.99"
    header.add_new(0x00420011, "OB", b"unread")
    processed(header, Rule(RuleAction.CLEAN, tag="(xxxx,xxxx)"))
    assert header.AcquisitionDate == "20240224"
    assert header.FrameOfReferenceUID.startswith("2.25.")
    assert (0x0042, 0x0011) not in header


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("(0010,0010)", "(0010,0010)", True),
        ("(0010,0010)", "(0040,0275)[0]/(0010,0010)", False),
        ("**/(0010,0010)", "(0010,0010)", True),
        ("**/(0010,0010)", "(0040,0275)[0]/(0008,1110)[12]/(0010,0010)", True),
        ("(0040,0275)[*]/(0040,0007)", "(0040,0275)[17]/(0040,0007)", True),
        ("(0040,0275)[1]/(0040,0007)", "(0040,0275)[11]/(0040,0007)", False),
        ("(0040,a730)[*]/**/(0040,A160)", "(0040,A730)[3]/(0040,A730)[0]/(0040,A160)", True),
        ("(0040,A730)[*]/**/(0040,A160)", "(0040,A730)[3]/(0040,A160)", True),
        ("(00xx,0010)", "(0028,0010)", True),
    ],
)
def test_paths_are_matched_step_by_step(pattern: str, path: str, fits: bool) -> None:
    assert bool(path_pattern(pattern).fullmatch(path)) is fits


@given(st.text(max_size=40))
def test_any_text_is_a_path_or_is_refused_as_none(text: str) -> None:
    with contextlib.suppress(ValueError):
        path_pattern(text)


@pytest.mark.parametrize("rule", [Rule(RuleAction.EMPTY, keyword="*"), Rule(RuleAction.KEEP, tag="(0010,xxxx)")])
def test_a_rule_for_many_elements_leaves_the_pseudonym(header: FileDataset, rule: Rule) -> None:
    processed(header, rule)
    assert (header.PatientID, header.PatientName) == ("P1", "P1")
    processed(header, Rule(RuleAction.REPLACE, keyword="PatientName", value="Doe^J"), rule)
    assert header.PatientName == "Doe^J"

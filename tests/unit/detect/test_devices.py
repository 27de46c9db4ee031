"""Device rules: which machines they are for, and what they say of text in their boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from pydicom.dataset import Dataset

from deidra.app.decide.policy import Policy
from deidra.app.decide.verdict import judged, verdict_of
from deidra.app.detect.devices import (
    Device,
    DeviceAction,
    DeviceRule,
    confirmed,
    device_drafts,
    known_rules,
    matching,
)
from deidra.app.detect.drafts import Draft, region_drafts
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.geometry import bounding_box, intersection_area
from deidra.app.domain.model import Action, FrameText, TextLine, Verdict
from deidra.app.domain.taxonomy import EntityType

Line = Callable[..., TextLine]
US = "1.2.840.10008.5.1.4.1.1.6.1"
MACHINE = Device("Acme Medical Systems", "Echo 9 Pro", "US", US, 600, 800)


SELECTORS = ("manufacturer", "model", "modality", "sop_class", "rows", "columns")


def rule(**fields: Any) -> DeviceRule:
    every = {} if set(SELECTORS) & set(fields) else {"model": "*"}
    return DeviceRule.model_validate({"name": "banner", "boxes": [[0, 0, 800, 60]], **every, **fields})


@pytest.mark.parametrize(
    ("selector", "is_for"),
    [
        ({"manufacturer": "acme"}, True),
        ({"manufacturer": "ACME MEDICAL"}, True),
        ({"manufacturer": "acme*"}, True),
        ({"manufacturer": "medical*"}, False),
        ({"model": "echo ?*"}, True),
        ({"model": "echo 8"}, False),
        ({"modality": "us"}, True),
        ({"modality": "U"}, False),
        ({"modality": "[CU]?"}, True),
        ({"sop_class": US}, True),
        ({"sop_class": US[:-2]}, False),
        ({"sop_class": "1.2.840.10008.5.1.4.1.1.6*"}, True),
        ({"rows": 600}, True),
        ({"rows": 800}, False),
        ({"columns": 800, "rows": 600}, True),
        ({"manufacturer": "acme", "model": "echo", "modality": "US", "rows": 601}, False),
    ],
)
def test_a_rule_is_for_images_that_have_all_it_names(selector: dict[str, Any], is_for: bool) -> None:
    assert rule(**selector).matches(MACHINE) is is_for
    assert matching([rule(**selector)], MACHINE) == [rule(**selector)] * is_for


def test_a_machine_is_known_by_its_header() -> None:
    dataset = Dataset()
    dataset.Manufacturer, dataset.ManufacturerModelName, dataset.Modality = "Acme Medical Systems ", "Echo 9 Pro", "US"
    dataset.SOPClassUID, dataset.Rows, dataset.Columns = US, 600, 800
    assert Device.of(dataset) == MACHINE
    assert Device.of(Dataset()) == Device("", "", "", "", 0, 0)
    assert Device.stored(MACHINE.facts) == MACHINE
    assert Device.stored({}) == Device.of(Dataset())


@pytest.mark.parametrize(
    ("fault", "place"),
    [
        ({"boxes": []}, ("boxes",)),
        ({"boxes": [[0, 0, 10]]}, ("boxes", 0, 3)),
        ({"boxes": [[0, 0, 10, 10], [0, -1, 10, 10]]}, ("boxes", 1, 1)),
        ({"boxes": [[0, 0, 0, 10]]}, ("boxes", 0, 2)),
        ({"boxes": [[0, 0, 1.5, 10]]}, ("boxes", 0, 2)),
        ({"boxes": [[0, 0, "9", 10]]}, ("boxes", 0, 2)),
        ({"boxes": [[0, 0, 9, 70_000]]}, ("boxes", 0, 3)),
        ({"rows": 0}, ("rows",)),
        ({"rows": True}, ("rows",)),
        ({"action": "hide"}, ("action",)),
        ({"name": ""}, ("name",)),
        ({"maker": "Acme"}, ("maker",)),
        ({"model": ""}, ()),
    ],
)
def test_a_faulty_rule_is_refused_with_the_place_of_the_fault(fault: dict[str, Any], place: tuple[Any, ...]) -> None:
    with pytest.raises(ValidationError) as raised:
        rule(**fault)
    assert raised.value.errors()[0]["loc"] == place


def test_the_rules_that_come_with_deidra_have_sources_and_change_nothing_by_themselves() -> None:
    rules = known_rules()
    assert len({one.name for one in rules}) == len(rules) > 10
    for one in rules:
        assert one.source
        assert one.manufacturer
        assert one.model
        assert one.action is DeviceAction.SEARCH
        assert list(device_drafts([one], MACHINE, None)) == []
    ultrasound = Device("Philips Medical Systems", "iU22", "US", US, 600, 800)
    assert [(r.name, r.boxes) for r in matching(rules, ultrasound)] == [("Philips iU22, 800 x 600", ((0, 0, 800, 59),))]


INTS = st.integers(0, 65_535)


@given(
    st.lists(st.tuples(INTS, INTS, st.integers(1, 65_535), st.integers(1, 65_535)), min_size=1, max_size=5),
    st.integers(0, 4000),
    st.integers(0, 4000),
)
def test_places_are_the_boxes_cut_to_the_image(boxes: list[tuple[int, int, int, int]], columns: int, rows: int) -> None:
    places = rule(boxes=boxes).places(columns, rows)
    image = (0, 0, columns, rows)
    shared = [intersection_area((x, y, x + w, y + h), image) for x, y, w, h in boxes]
    assert [(r - left) * (b - top) for left, top, r, b in places] == [size for size in shared if size]
    assert all(0 <= left < r <= columns and 0 <= top < b <= rows for left, top, r, b in places)


@given(
    st.dictionaries(
        st.sampled_from(
            ["name", "action", "manufacturer", "model", "modality", "sop_class", "rows", "columns", "boxes", "x"]
        ),
        st.one_of(
            st.text(max_size=6),
            st.integers(-2, 70_000),
            st.none(),
            st.lists(st.lists(st.integers(-1, 70_000), max_size=5), max_size=3),
        ),
    )
)
def test_what_is_accepted_matches_some_machine_or_none_and_stays_the_same_when_stored(fields: dict[str, Any]) -> None:
    try:
        made = DeviceRule.model_validate(fields)
    except ValidationError:
        return
    assert made.selectors
    assert all(x >= 0 and y >= 0 and w > 0 and h > 0 for x, y, w, h in made.boxes)
    assert DeviceRule.model_validate_json(made.model_dump_json()) == made
    assert isinstance(made.matches(MACHINE), bool)


@pytest.mark.parametrize("frame", [None, 0])
def test_boxes_to_cover_are_findings_though_nothing_is_located_there(frame: int | None) -> None:
    rules = [rule(action="cover", boxes=[[0, 0, 900, 60], [790, 590, 20, 20], [900, 0, 5, 5]], source="a test"), rule()]
    found = list(device_drafts(rules, MACHINE, frame))
    assert [bounding_box(d.polygon) for d in found] == [(0, 0, 800, 60), (790, 590, 800, 600)]
    for draft in found:
        assert (draft.frame, draft.text, draft.action, draft.certain) == (frame, "", Action.REDACT, True)
        assert [(e.agent, e.detail) for e in draft.evidence] == [
            ("device rule", "banner: is covered on images of this machine (a test)")
        ]
        assert judged(draft, Policy()) == (Verdict.AUTO, "device rule: banner")


def test_a_box_of_two_rules_is_covered_once() -> None:
    rules = [rule(action="cover"), rule(name="again", action="cover")]
    assert len(list(device_drafts(rules, MACHINE, None))) == 1


def drafts(line: TextLine, tagger: EntityTagger, *rules: DeviceRule) -> list[Draft]:
    found = region_drafts(FrameText(0, 800, 600, (line,)), tagger, unknown_words=False)
    return list(confirmed(found, rules, MACHINE))


def test_private_text_that_one_detector_sees_is_covered_without_asking_where_it_is_expected(
    line: Line, tagger: EntityTagger
) -> None:
    text = line("MRN: A4711", agents=["ppocr-det"])
    (alone,), (expected,) = drafts(text, tagger), drafts(text, tagger, rule())
    assert (verdict_of(alone, Policy()), verdict_of(expected, Policy())) == (Verdict.QUEUE, Verdict.AUTO)
    assert (alone.score, expected.score) == (0.97, 0.985)
    assert expected.evidence[-1].detail == "banner: identifying text is printed here"


def test_unread_text_is_asked_about_where_text_is_expected(line: Line, tagger: EntityTagger) -> None:
    unread = line("xqwz 1", confidence=0.3, second="|-~ k", second_confidence=0.2, agents=["ppocr-det"])
    (noise,), (expected,) = drafts(unread, tagger), drafts(unread, tagger, rule())
    assert (verdict_of(noise, Policy()), verdict_of(expected, Policy())) == (Verdict.IGNORE, Verdict.QUEUE)
    assert expected.type is EntityType.UNREAD


@pytest.mark.parametrize("top", [56, 200])
def test_text_that_stands_mostly_outside_gains_nothing(line: Line, tagger: EntityTagger, top: float) -> None:
    text = line("MRN: A4711", top=top)
    assert drafts(text, tagger, rule()) == drafts(text, tagger)


def test_harmless_text_stays_harmless(line: Line, tagger: EntityTagger) -> None:
    text = line("AXIAL T2")
    assert drafts(text, tagger, rule()) == drafts(text, tagger)


@given(st.floats(0, 1), st.integers(0, 100))
def test_a_rule_never_lowers_a_score_or_takes_evidence_away(score: float, top: int) -> None:
    polygon = ((10.0, float(top)), (60.0, float(top)), (60.0, top + 12.0), (10.0, top + 12.0))
    draft = Draft(0, polygon, None, "A", EntityType.PATIENT, score, 0.0, Action.REDACT, (), "why")
    (after,) = confirmed([draft], [rule()], MACHINE)
    assert after.score >= score - 1e-4
    assert after.score <= 1
    assert bool(after.evidence) is (top <= 54)

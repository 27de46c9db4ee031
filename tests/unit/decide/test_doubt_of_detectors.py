from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from deidra.app.decide.policy import DetectSection, Policy, ThresholdSection
from deidra.app.decide.surrogates import Surrogates
from deidra.app.decide.verdict import findings_of, is_clear, judged, verdict_of
from deidra.app.detect.agents import Agent
from deidra.app.detect.drafts import Draft
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, Asset, AssetKind, Evidence, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.keys import ProjectKey

# The made-up calibration: sure from .9 on, variances from 0 to .02, wrong boxes from a quarter of that on.
SURE, DOUBTFUL = 0.9, 0.899999
THEIRS = Evidence("ppocr-det", None, None, 0.6, 0.2, "text located here")
READ = (Evidence("ppocr-rec", "Okonkwo", None, 0.9, 0.0), Evidence("tesseract", "Okonkwo", None, 0.9, 0.0))
ONE = "a rule; only one of two detectors sees text here"
DOUBT = "a rule; the detector is in doubt"


def ours(score: float = SURE, variance: float = 0.0) -> Evidence:
    return Evidence("deidra-det", None, None, score, variance, "text located here")


def region(*located: Evidence, kind: EntityType = EntityType.PATIENT, **changes: Any) -> Draft:
    made = Draft(0, box_polygon(0, 0, 9, 9), None, "x", kind, 0.95, 0.0, Action.REDACT, (*located, *READ), "a rule")
    return replace(made, **changes)


def policy(*agents: Agent, **thresholds: Any) -> Policy:
    detect = DetectSection(agents=agents) if agents else DetectSection()
    return Policy(detect=detect, thresholds=ThresholdSection(**thresholds))


BOTH: tuple[Agent, ...] = ("deidra-det", "ppocr-det")


@pytest.mark.parametrize(
    ("located", "settings", "verdict", "reason"),
    [
        ((ours(), THEIRS), policy(), Verdict.AUTO, "a rule"),
        ((ours(DOUBTFUL), THEIRS), policy(), Verdict.QUEUE, DOUBT),
        ((ours(variance=0.02), THEIRS), policy(), Verdict.AUTO, "a rule"),
        ((ours(),), policy(), Verdict.QUEUE, ONE),
        ((THEIRS,), policy(), Verdict.QUEUE, ONE),
        ((ours(),), policy(both_agents=False), Verdict.AUTO, "a rule"),
        ((ours(DOUBTFUL),), policy(both_agents=False), Verdict.QUEUE, DOUBT),
        ((THEIRS,), policy(both_agents=False), Verdict.AUTO, "a rule"),
        ((ours(0.1, 0.0049), THEIRS), policy(doubt="paper"), Verdict.AUTO, "a rule"),
        ((ours(1.0, 0.005), THEIRS), policy(doubt="paper"), Verdict.QUEUE, DOUBT),
        ((ours(1.0, 9.0), THEIRS), policy(doubt="paper"), Verdict.QUEUE, DOUBT),
        ((THEIRS,), policy("ppocr-det"), Verdict.AUTO, "a rule"),
        ((ours(DOUBTFUL), THEIRS), policy("ppocr-det"), Verdict.AUTO, "a rule"),
        ((ours(),), policy("deidra-det"), Verdict.AUTO, "a rule"),
        ((ours(DOUBTFUL),), policy("deidra-det"), Verdict.QUEUE, DOUBT),
    ],
)
def test_a_rule_alone_is_applied_only_where_the_detectors_have_no_doubt(
    located: tuple[Evidence, ...], settings: Policy, verdict: Verdict, reason: str
) -> None:
    assert judged(region(*located), settings) == (verdict, reason)


@pytest.mark.parametrize("located", [(), (THEIRS,), (ours(0.0, 1.0),)])
def test_what_a_header_vouches_for_is_applied_whatever_the_detectors_think(located: tuple[Evidence, ...]) -> None:
    assert judged(region(*located, certain=True), policy()) == (Verdict.AUTO, "a rule")


def test_header_values_have_nothing_to_do_with_detectors() -> None:
    field = region(polygon=None, tag="(0008,103E)", frame=None)
    assert verdict_of(field, policy()) is Verdict.AUTO


def test_doubt_never_makes_a_finding_of_what_is_ignored_or_asked_about() -> None:
    for score, verdict in ((0.1, Verdict.IGNORE), (0.5, Verdict.QUEUE)):
        assert judged(region(ours(0.0), score=score), policy()) == (verdict, "a rule")


@pytest.mark.parametrize(
    ("located", "limit", "verdict"),
    [
        ((ours(0.5),), 0.5, Verdict.QUEUE),
        ((ours(0.499),), 0.5, Verdict.IGNORE),
        ((ours(0.499),), 0.4, Verdict.QUEUE),
        ((ours(0.9),), 1.0, Verdict.IGNORE),
        ((ours(0.1), THEIRS), 0.5, Verdict.QUEUE),
        ((ours(0.0),), 0.0, Verdict.QUEUE),
        ((THEIRS,), 0.5, Verdict.IGNORE),
        ((THEIRS,), 0.0, Verdict.QUEUE),
        ((), 1.0, Verdict.QUEUE),
    ],
)
def test_unread_text_is_ignored_only_where_one_detector_alone_hardly_believes_in_it(
    located: tuple[Evidence, ...], limit: float, verdict: Verdict
) -> None:
    draft = region(*located, kind=EntityType.UNREAD, score=0.4)
    assert verdict_of(draft, policy(unread_score=limit)) is verdict


def test_unread_text_that_the_only_detector_sees_is_asked_about() -> None:
    draft = region(THEIRS, kind=EntityType.UNREAD, score=0.4)
    assert verdict_of(draft, policy("ppocr-det")) is Verdict.QUEUE
    assert judged(draft, policy()) == (
        Verdict.IGNORE,
        "a rule; only ppocr-det suspects text here, and nobody can read it",
    )


def test_the_limit_is_for_unread_text_alone() -> None:
    assert verdict_of(region(THEIRS, score=0.3), policy()) is Verdict.QUEUE
    assert verdict_of(region(ours(0.01), score=0.3), policy()) is Verdict.QUEUE


def test_what_must_be_asked_about_is_asked_about() -> None:
    mark = region(ours(0.01), kind=EntityType.UNREAD, score=0.01, asked=True)
    assert verdict_of(mark, policy()) is Verdict.QUEUE
    off = Policy(detect=DetectSection(types_off=(EntityType.UNREAD,)))
    assert verdict_of(mark, off) is Verdict.IGNORE


def test_the_finding_tells_why_a_curator_is_asked_and_ignored_text_keeps_its_evidence(key: ProjectKey) -> None:
    asset = Asset("a", "/in/a", "", "", 1, AssetKind.DICOM)
    noise = region(ours(0.3), kind=EntityType.UNREAD, score=0.3)
    asked, ignored = findings_of(asset, [region(ours()), noise], policy(), key, Surrogates(key), 0)
    assert (asked.verdict, asked.reason) == (Verdict.QUEUE, ONE)
    assert (ignored.verdict, ignored.action, ignored.type) == (Verdict.IGNORE, Action.KEEP, None)
    assert ignored.reason == "a rule; only deidra-det suspects text here, with probability 0.30"
    assert ignored.evidence == noise.evidence


@pytest.mark.parametrize(
    ("located", "thresholds"), [((), {}), ((THEIRS,), {}), ((ours(0.0, 1.0),), {"doubt": "paper"})]
)
def test_doubt_about_the_place_does_not_make_what_was_read_less_clear(
    located: tuple[Evidence, ...], thresholds: dict[str, Any]
) -> None:
    assert is_clear(region(*located), policy(**thresholds))
    assert is_clear(region(*located, certain=True, score=0.0), policy(**thresholds))
    for weak in ({"score": 0.87}, {"variance": 0.06}, {"type": None}):
        assert not is_clear(region(*located, **weak), policy(**thresholds))


def test_what_does_not_count_is_not_clear() -> None:
    off = Policy(detect=DetectSection(types_off=(EntityType.PATIENT,)))
    assert not is_clear(region(ours(), THEIRS), off)
    assert not is_clear(region(ours(), THEIRS, certain=True), off)

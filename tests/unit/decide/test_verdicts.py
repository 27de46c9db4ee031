from __future__ import annotations

from dataclasses import replace

import pytest

from deidra.app.decide.policy import DetectSection, Policy, ThresholdSection
from deidra.app.decide.surrogates import Surrogates
from deidra.app.decide.verdict import findings_of, verdict_of
from deidra.app.detect.agents import AGENTS
from deidra.app.detect.drafts import Draft
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, Asset, AssetKind, Evidence, Finding, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.keys import ProjectKey

TESSERACT = Evidence("tesseract", "x", None, 0.9, 0.0)
SEEN_BY_BOTH = tuple(Evidence(agent, None, None, 0.95, 0.001) for agent in AGENTS)
REGION = Draft(
    frame=0,
    polygon=box_polygon(0, 0, 10, 10),
    tag=None,
    text="Okonkwo",
    type=EntityType.PATIENT,
    score=0.9,
    variance=0.0,
    action=Action.REDACT,
    evidence=(*SEEN_BY_BOTH, TESSERACT),
    reason="why",
)
FIELD = replace(REGION, frame=None, polygon=None, tag="(0008,103E)", evidence=(), action=Action.CLEAN, proposal="CT")
ASSET = Asset("a", "/in/a", "", "", 1, AssetKind.DICOM)


@pytest.mark.parametrize("draft", [REGION, FIELD])
@pytest.mark.parametrize(
    ("score", "variance", "verdict"),
    [
        (0.88, 0.05, Verdict.AUTO),
        (0.87, 0.0, Verdict.QUEUE),
        (0.88, 0.051, Verdict.QUEUE),
        (1.0, 0.25, Verdict.QUEUE),
        (0.25, 0.0, Verdict.QUEUE),
        (0.249, 0.0, Verdict.IGNORE),
        (0.0, 0.25, Verdict.IGNORE),
    ],
)
def test_the_thresholds_decide_who_acts(draft: Draft, score: float, variance: float, verdict: Verdict) -> None:
    assert verdict_of(replace(draft, score=score, variance=variance), Policy()) is verdict


def test_other_thresholds_decide_otherwise() -> None:
    strict = Policy(thresholds=ThresholdSection(auto_score=0.95, auto_variance=0.0, queue_score=0.0))
    assert verdict_of(REGION, strict) is Verdict.QUEUE
    assert verdict_of(replace(REGION, score=0.01), strict) is Verdict.QUEUE
    assert verdict_of(replace(REGION, score=0.95), strict) is Verdict.AUTO


def test_a_region_that_one_reader_has_read_is_never_applied_by_a_rule_alone() -> None:
    assert verdict_of(replace(REGION, evidence=SEEN_BY_BOTH), Policy()) is Verdict.QUEUE
    assert verdict_of(replace(REGION, evidence=(), certain=True), Policy()) is Verdict.AUTO


def test_what_a_header_vouches_for_is_applied_whatever_the_score() -> None:
    assert verdict_of(replace(FIELD, score=0.1, variance=0.2, certain=True), Policy()) is Verdict.AUTO


@pytest.mark.parametrize("certain", [True, False])
def test_types_that_are_off_and_harmless_text_are_ignored(certain: bool) -> None:
    off = Policy(detect=DetectSection(types_off=(EntityType.PATIENT,)))
    assert verdict_of(replace(REGION, certain=certain), off) is Verdict.IGNORE
    assert verdict_of(replace(REGION, certain=certain, type=None), Policy()) is Verdict.IGNORE


def found(key: ProjectKey, *drafts: Draft, asset: Asset = ASSET, policy: Policy | None = None) -> list[Finding]:
    return findings_of(asset, drafts, policy or Policy(), key, Surrogates(key), -10)


def test_a_region_gets_a_risk_and_a_surrogate(key: ProjectKey) -> None:
    (finding,) = found(key, REGION)
    assert finding.risk == 85.5
    assert finding.verdict is Verdict.AUTO
    assert finding.proposal
    assert finding.proposal != "Okonkwo"
    assert (finding.frame, finding.page) == (0, None)


def test_a_field_keeps_its_own_proposal(key: ProjectKey) -> None:
    (finding,) = found(key, FIELD)
    assert (finding.proposal, finding.action, finding.tag) == ("CT", Action.CLEAN, "(0008,103E)")


def test_an_ignored_draft_has_no_type_no_risk_and_keeps(key: ProjectKey) -> None:
    (finding,) = found(key, replace(REGION, score=0.1))
    assert (finding.type, finding.risk, finding.action, finding.proposal) == (None, 0.0, Action.KEEP, None)


def test_pages_of_documents_are_pages(key: ProjectKey) -> None:
    (finding,) = found(key, replace(REGION, frame=3), asset=replace(ASSET, kind=AssetKind.PDF))
    assert (finding.frame, finding.page) == (None, 3)


def test_ids_depend_on_the_place_and_the_key_but_not_on_text_or_score(key: ProjectKey) -> None:
    first = [f.id for f in found(key, REGION, FIELD)]
    assert first == [f.id for f in found(key, replace(REGION, text="other", score=0.3), replace(FIELD, score=0.5))]
    assert first == [f.id for f in found(key, REGION, FIELD, policy=Policy(name="other"))]
    moved = replace(REGION, polygon=box_polygon(0, 0, 11, 10))
    others = [
        *found(key, moved),
        *found(ProjectKey(bytes(32)), REGION),
        *found(key, REGION, asset=replace(ASSET, id="b")),
    ]
    assert first[0] not in [f.id for f in others]


def test_two_findings_in_one_place_have_two_ids(key: ProjectKey) -> None:
    assert len({f.id for f in found(key, REGION, REGION, REGION)}) == 3

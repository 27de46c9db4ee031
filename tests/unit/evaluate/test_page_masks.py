"""Masks of three levels on pages whose values are known: areas, risks before and after, seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidra.app.decide.policy import load_policy
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, DecisionKind, Finding, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.evaluate.page_masks import Plan, found_levels, levels, measure_masks, spread, summary, true_levels
from deidra.app.evaluate.pixels_product import Done
from deidra.app.evaluate.replacement_pages import Row
from deidra.app.risk.masks import Level
from deidra.app.risk.scores import published, risk_of_type, scaled

SCORES = scaled(published())
SIZE = (1000, 500)
SSN = Row("123-45-6789", box_polygon(100, 100, 200, 120), EntityType.ID_SSN)
SEX = Row("Male", box_polygon(100, 200, 150, 220), EntityType.DEMOG)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return Plan(tmp_path, load_policy("documents"), SCORES, threshold=90)


def found(row: Row, verdict: Verdict = Verdict.AUTO, decision: DecisionKind | None = None) -> Finding:
    return Finding(
        row.text, "a", None, 0, row.polygon, None, row.text, row.type, 0.9, 0, 50, verdict, Action.REDACT,
        decision=decision,
    )  # fmt: skip


def test_the_scores_tell_the_two_values_of_these_tests_apart() -> None:
    assert risk_of_type(EntityType.ID_SSN, SCORES) >= 90 > risk_of_type(EntityType.DEMOG, SCORES) > 0


def test_on_true_places_the_high_risk_mask_covers_less_and_leaves_the_low_risk(plan: Plan) -> None:
    told = true_levels([SSN, SEX], SIZE, plan).levels
    low = risk_of_type(EntityType.DEMOG, SCORES)
    assert told[Level.FULL] == (0, pytest.approx(low + risk_of_type(EntityType.ID_SSN, SCORES)))
    assert told[Level.OBJECT] == (1, 0)
    assert told[Level.FINE] == (pytest.approx(3000 / 500_000, rel=0.1), 0)
    assert told[Level.HIGH] == (pytest.approx(2000 / 500_000, rel=0.1), pytest.approx(low))


def test_the_risk_of_found_masks_is_that_of_true_values_that_stay(plan: Plan) -> None:
    low, high = risk_of_type(EntityType.DEMOG, SCORES), risk_of_type(EntityType.ID_SSN, SCORES)
    half = Row("Male", box_polygon(100, 200, 120, 220), EntityType.DEMOG)
    told = found_levels([SSN, SEX], Done(findings=(found(SSN), found(half))), SIZE, plan).levels
    assert told[Level.FINE][1] == pytest.approx(low)
    told = found_levels([SSN, SEX], Done(findings=(found(SSN, Verdict.QUEUE), found(SEX))), SIZE, plan).levels
    assert told[Level.FINE][1] == 0
    assert told[Level.HIGH][1] == pytest.approx(low)
    told = found_levels([SSN, SEX], Done(findings=(found(SSN, Verdict.IGNORE),)), SIZE, plan).levels
    assert [told[level][1] for level in Level] == pytest.approx([low + high] * 4)
    kept = found(SSN, Verdict.QUEUE, DecisionKind.KEEP)
    assert found_levels([SSN], Done(findings=(kept,)), SIZE, plan).levels[Level.FINE] == (0, pytest.approx(high))


def test_means_are_over_pages_and_risk_is_told_as_a_share_of_the_risk_before(plan: Plan) -> None:
    told = levels([true_levels([SSN, SEX], SIZE, plan), true_levels([], SIZE, plan)])
    assert told["pages"] == 2
    rows = told["levels"]
    assert rows["object mask"]["covered"] == 0.5
    assert rows["full image"]["risk_share"] == 1
    assert rows["full image"]["pages_without_risk"] == 1
    assert rows["high-risk mask"]["risk_share"] == pytest.approx(
        rows["high-risk mask"]["risk"] / rows["full image"]["risk"]
    )


def test_seconds_are_told_as_the_paper_tells_them() -> None:
    assert spread([1.0, 3.0]) == {"pages": 2, "mean": 2.0, "least": 1.0, "most": 3.0, "spread": 1.0}
    assert spread([]) == {}


def test_the_command_searches_some_pages_and_counts_all(tmp_path: Path) -> None:
    plan = Plan(tmp_path, load_policy("documents"), SCORES, pages=3, searched=1, noise=0)
    result = measure_masks(plan)
    assert (result["true"]["pages"], result["found"]["pages"]) == (3, 1)
    full, fine = (result["found"]["levels"][level.value] for level in (Level.FULL, Level.FINE))
    assert fine["risk"] < full["risk"]
    assert 0 < fine["covered"] < 0.3
    assert result["seconds"]["mean"] > 0
    assert (tmp_path / "masks.json").is_file()
    assert any("77.51" in line for line in summary(result))

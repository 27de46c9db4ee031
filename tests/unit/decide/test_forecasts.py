from __future__ import annotations

from dataclasses import replace

import pytest

from deidra.app.decide.editing import (
    changed,
    device_rule,
    differences,
    types_of,
    with_definition,
    with_device,
    with_preset,
    with_type,
    without_definition,
    without_device,
)
from deidra.app.decide.forecast import Forecast, draft_of, forecast
from deidra.app.decide.policy import load_policy, read_policy
from deidra.app.decide.policy_file import policy_toml, write_policy_text
from deidra.app.decide.verdict import judged
from deidra.app.detect.definitions.definition import Definition
from deidra.app.detect.drafts import Draft
from deidra.app.domain.errors import PolicyError
from deidra.app.domain.model import Action, DecisionKind, Evidence, Finding, Grounds, Verdict
from deidra.app.domain.taxonomy import EntityType

BASIC = load_policy("basic")


def field(name: str, score: float, variance: float, kind: EntityType | None, **grounds: bool) -> Finding:
    said = Evidence("rule", "x", kind, score, variance, "")
    told = Grounds(kind, grounds.get("certain", False), grounds.get("asked", False))
    draft = Draft(None, None, "(0008,1030)", "x", kind, score, variance, Action.CLEAN, (said,), "", told.certain)
    draft = replace(draft, asked=told.asked)
    verdict = judged(draft, BASIC)[0]
    return Finding(
        name,
        "a",
        None,
        None,
        None,
        "(0008,1030)",
        "x",
        kind if verdict is not Verdict.IGNORE else None,
        score,
        variance,
        1.0,
        verdict,
        Action.CLEAN,
        evidence=(said,),
        grounds=told,
    )


FINDINGS = [
    field("sure", 0.95, 0.0, EntityType.PATIENT),
    field("fair", 0.80, 0.0, EntityType.PATIENT),
    field("spread", 0.95, 0.10, EntityType.STAFF),
    field("faint", 0.10, 0.0, EntityType.STAFF),
    field("header", 0.10, 0.0, EntityType.PATIENT, certain=True),
    field("barcode", 0.10, 0.0, EntityType.ID_OTHER, asked=True),
    field("harmless", 0.0, 0.0, None),
]


def test_under_the_policy_in_force_the_forecast_is_what_was_decided():
    assert forecast(FINDINGS, BASIC) == Forecast(alone=2, asked=3, left=2, waiting=3)
    for finding in FINDINGS:
        assert judged(draft_of(finding), BASIC)[0] is finding.verdict


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("auto_score", 0.75, Forecast(3, 2, 2, 2)),
        ("auto_score", 1.0, Forecast(1, 4, 2, 4)),
        ("auto_variance", 0.2, Forecast(3, 2, 2, 2)),
        ("queue_score", 0.9, Forecast(2, 2, 3, 2)),
        ("queue_score", 0.05, Forecast(2, 4, 1, 4)),
    ],
)
def test_other_thresholds_move_findings_between_the_three(key, value, expected):
    assert forecast(FINDINGS, changed(BASIC, "thresholds", **{key: value})) == expected


def test_what_is_decided_is_asked_about_but_does_not_wait():
    decided = [replace(one, decision=DecisionKind.KEEP) if one.id == "fair" else one for one in FINDINGS]
    assert forecast(decided, BASIC) == Forecast(2, 3, 2, waiting=2)


def test_findings_of_an_older_version_are_counted_as_unknown():
    assert forecast([replace(FINDINGS[0], grounds=None)], BASIC) == Forecast(unknown=1)


def test_a_policy_comes_back_from_its_file_as_it_was(tmp_path):
    policy = with_type(changed(load_policy("tcia"), "redact", fill="inpaint"), EntityType.STAFF, False)
    policy = with_definition(policy, Definition("passport numbers", "a letter and eight digits", ("A12345678",)))
    policy = with_device(policy, device_rule({"name": "banner", "model": "echo", "boxes": [[0, 0, 8, 6]]}))
    path = tmp_path / "own.toml"
    write_policy_text(path, policy_toml(policy))
    assert read_policy(path.read_text("utf-8"), path) == policy
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["basic", "tcia", "safe-harbor", "limited", "gdpr"])
def test_every_preset_comes_back_from_its_file_as_it_was(name, tmp_path):
    policy = load_policy(name)
    assert read_policy(policy_toml(policy), tmp_path / "x.toml") == policy


def test_types_are_switched_off_and_on_again():
    off = with_type(BASIC, EntityType.HOSPITAL, False)
    told = {kind: on for kind, _, on in types_of(off)}
    assert (told[EntityType.HOSPITAL], told[EntityType.PATIENT], told[EntityType.HEALTH]) == (False, True, False)
    assert EntityType.UNREAD not in told
    assert off.name == "basic (changed)"
    assert with_type(off, EntityType.HOSPITAL, True) == BASIC
    assert with_type(BASIC, EntityType.HEALTH, True).reads_health
    with pytest.raises(PolicyError):
        with_type(changed(BASIC, "detect", only="names"), EntityType.HOSPITAL, False)


def test_a_preset_takes_over_own_types_and_device_rules():
    own = with_definition(BASIC, Definition("passport numbers", "a letter and eight digits"))
    own = with_device(own, device_rule({"name": "b", "rows": 10, "boxes": [[0, 0, 8, 6]]}))
    made = with_preset(own, "gdpr")
    assert (made.name, made.definitions, made.devices) == ("gdpr (changed)", own.definitions, own.devices)
    assert differences(BASIC, own) == ["device rules", "own types"]
    assert without_device(without_definition(own, "passport numbers"), 0) == BASIC


def test_a_definition_is_changed_in_its_place_and_named_by_the_sentence():
    start = changed(BASIC, "detect", only="names")
    first = with_definition(start, Definition("passport numbers", "a letter and eight digits"))
    assert first.detect.only == "names, passport numbers"
    second = with_definition(first, Definition("travel papers", "two letters and seven digits"), "passport numbers")
    assert [entry.name for entry in second.definitions] == ["travel papers"]
    assert second.detect.only == "names, travel papers"
    assert without_definition(second, "travel papers").detect.only == "names"
    alone = changed(second, "detect", only="travel papers")
    with pytest.raises(PolicyError, match="alone"):
        without_definition(alone, "travel papers")


@pytest.mark.parametrize(
    "values",
    [
        {"name": "b", "boxes": [[0, 0, 8, 6]]},
        {"name": "b", "model": "echo", "boxes": []},
        {"name": "", "model": "echo", "boxes": [[0, 0, 8, 6]]},
        {"name": "b", "model": "echo", "boxes": [[0, 0, 0, 6]]},
    ],
)
def test_a_device_rule_that_lacks_something_is_refused(values):
    with pytest.raises(PolicyError, match="device rule"):
        device_rule(values)


def test_a_threshold_out_of_range_is_refused_and_named():
    with pytest.raises(PolicyError, match=r"thresholds\.auto_score"):
        changed(BASIC, "thresholds", auto_score=1.5)

"""Another policy on a finished project: what was forecast is what comes, and what a run from the start would give."""

from __future__ import annotations

from collections import Counter

import pytest

from deidra.app.decide.editing import changed, with_type
from deidra.app.decide.forecast import forecast
from deidra.app.domain.model import DecisionKind, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.workflow import Project

OTHERS = (
    {"auto_score": 1.0},
    {"auto_variance": 0.0, "queue_score": 0.0},
    {"queue_score": 0.9, "unread_score": 0.9},
    {"unread_score": 0.0, "both_agents": False, "doubt": "paper"},
)


def counted(project: Project) -> tuple[int, int, int]:
    found = Counter(finding.verdict for finding in project.judged_findings())
    return found[Verdict.AUTO], found[Verdict.QUEUE], found[Verdict.IGNORE]


def test_every_count_that_was_forecast_is_what_applying_gives(finished, copy_of):
    project = copy_of(finished)
    findings, start = project.judged_findings(), project.policy
    told = [forecast(findings, changed(start, "thresholds", **limits)) for limits in OTHERS]
    came = []
    for limits in OTHERS:
        project.apply_policy(changed(start, "thresholds", **limits))
        came.append(counted(project))
    assert [(one.alone, one.asked, one.left) for one in told] == came
    assert len(set(came)) > 1


def test_a_policy_and_back_leaves_the_project_as_it_was_with_its_decisions(finished, copy_of):
    project = copy_of(finished)
    start, before = project.policy, project.judged_findings()
    chosen = next(finding for finding in before if finding.type is EntityType.STAFF)
    project.desk.decide([chosen.id], DecisionKind.KEEP)
    project.apply_policy(with_type(start, EntityType.STAFF, False))
    assert EntityType.STAFF not in {finding.type for finding in project.judged_findings()}
    assert project.is_current()
    project.apply_policy(start)
    after = {finding.id: finding for finding in project.judged_findings()}
    assert after[chosen.id].decision is DecisionKind.KEEP
    assert [after[one.id].verdict for one in before] == [one.verdict for one in before]


@pytest.mark.parametrize("key", ["fill", "documents"])
def test_what_is_written_can_be_changed_without_another_verdict(finished, copy_of, key):
    project = copy_of(finished)
    before = counted(project)
    project.apply_policy(changed(project.policy, "redact", **{key: {"fill": "white", "documents": "pdf"}[key]}))
    assert counted(project) == before

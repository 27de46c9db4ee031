from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Callable

import pytest

from deidra.app.domain.model import (
    Action,
    Asset,
    AssetStatus,
    DecisionKind,
    Evidence,
    Finding,
    Grounds,
    Remark,
    Verdict,
)
from deidra.app.domain.taxonomy import EntityType
from deidra.storage import ProjectStore
from deidra.storage.decisions import Choice
from deidra.storage.findings import SORTS, FindingFilter

MakeAsset = Callable[..., Asset]
MakeFinding = Callable[..., Finding]


@pytest.fixture
def project(store: ProjectStore, asset: MakeAsset) -> ProjectStore:
    store.assets.add([asset("a"), asset("b"), asset("c", status=AssetStatus.QUARANTINED)])
    return store


def ids(findings: list[Finding]) -> list[str]:
    return [finding.id for finding in findings]


def test_a_finding_comes_back_as_it_was_stored(project: ProjectStore, finding: MakeFinding) -> None:
    field = finding(
        "g",
        frame=None,
        polygon=None,
        tag="(0010,0010)",
        type=None,
        verdict=Verdict.IGNORE,
        action=Action.KEEP,
        reason="r",
        proposal="p",
        evidence=(Evidence("a", None, None, 0.1, 0.2), Evidence("b", "t", EntityType.AGE, 1.0, 0.0, "d")),
    )
    project.findings.replace("a", [finding("f"), field])
    assert project.findings.get("f") == finding("f")
    assert project.findings.get("g") == field
    assert project.findings.select() == [finding("f"), field]
    assert project.findings.select(with_evidence=False) == [
        dataclasses.replace(item, evidence=()) for item in (finding("f"), field)
    ]


def test_the_grounds_of_a_verdict_come_back_as_they_were_stored(project: ProjectStore, finding: MakeFinding) -> None:
    known = [Grounds(EntityType.STAFF, True, False), Grounds(None, False, True), None]
    project.findings.replace("a", [finding(f"f{n}", grounds=one) for n, one in enumerate(known)])
    assert [one.grounds for one in project.findings.select()] == known


def test_waiting_findings_are_counted_and_found_by_their_reason(project: ProjectStore, finding: MakeFinding) -> None:
    reasons = ("a name", "a date", "a date", "a code")
    rows = [finding(f"f{n}", reason=reason) for n, reason in enumerate(reasons)]
    project.findings.replace("a", [*rows[:3], dataclasses.replace(rows[3], verdict=Verdict.AUTO)])
    assert project.findings.pending_by_reason() == [("a date", 2), ("a name", 1)]
    assert ids(project.findings.select(FindingFilter(pending=True, reason="a date"))) == ["f1", "f2"]
    project.decisions.apply("decide", [Choice("f1", DecisionKind.KEEP)], "ann")
    assert project.findings.pending_by_reason() == [("a date", 1), ("a name", 1)]


def test_an_unknown_finding_is_a_key_error(project: ProjectStore) -> None:
    with pytest.raises(KeyError, match="nothing"):
        project.findings.get("nothing")


def test_storing_findings_sets_the_status_of_their_asset(project: ProjectStore, finding: MakeFinding) -> None:
    project.findings.replace("a", [finding("f")])
    assert project.assets.get("a").status is AssetStatus.DECIDED
    assert project.assets.get("b").status is AssetStatus.REGISTERED


def test_storing_the_same_findings_again_changes_nothing(project: ProjectStore, finding: MakeFinding) -> None:
    several = [finding("f"), finding("g", score=0.9), finding("h")]
    project.findings.replace("a", several)
    project.decisions.apply("decide", [Choice("g", DecisionKind.KEEP)], "c")
    before = project.findings.select()
    project.findings.replace("a", several)
    assert project.findings.select() == before


def test_decisions_stay_when_findings_are_found_again(
    project: ProjectStore, finding: MakeFinding, raw: sqlite3.Connection
) -> None:
    project.findings.replace("a", [finding("f"), finding("g")])
    project.decisions.apply("decide", [Choice("g", DecisionKind.REPLACE, "Doe")], "c")
    project.findings.replace("a", [finding("g", score=0.7, evidence=()), finding("n")])
    kept = project.findings.get("g")
    assert (kept.decision, kept.decision_text, kept.score, kept.evidence) == (DecisionKind.REPLACE, "Doe", 0.7, ())
    assert ids(project.findings.select()) == ["g", "n"]
    assert raw.execute("SELECT count(*) FROM decisions").fetchone() == (1,)


def test_a_decided_finding_that_is_no_longer_found_is_kept_as_ignored(
    project: ProjectStore, finding: MakeFinding
) -> None:
    project.findings.replace("a", [finding("f"), finding("g")])
    project.decisions.apply("decide", [Choice("f", DecisionKind.BLANK)], "c")
    project.findings.replace("a", [finding("g")])
    gone = project.findings.get("f")
    assert (gone.verdict, gone.reason, gone.decision) == (Verdict.IGNORE, "no longer found", DecisionKind.BLANK)


def test_a_finding_whose_decision_was_undone_keeps_its_record(project: ProjectStore, finding: MakeFinding) -> None:
    project.findings.replace("a", [finding("f")])
    project.decisions.apply("decide", [Choice("f", DecisionKind.BLANK)], "c")
    project.decisions.apply("undo", [Choice("f", None)], "c", target=1)
    project.findings.replace("a", [])
    assert project.findings.get("f").verdict is Verdict.IGNORE
    project.findings.replace("a", [finding("f")])
    assert project.findings.get("f").pending


def test_findings_of_other_assets_are_left_alone(project: ProjectStore, finding: MakeFinding) -> None:
    project.findings.replace("a", [finding("f")])
    project.findings.replace("b", [finding("g", "b")])
    project.findings.replace("a", [])
    assert ids(project.findings.select()) == ["g"]


def test_more_findings_than_a_statement_has_variables_are_handled(project: ProjectStore, finding: MakeFinding) -> None:
    many = [finding(f"f{n:04}") for n in range(1200)]
    project.findings.replace("a", many)
    project.decisions.apply("decide", [Choice(f.id, DecisionKind.ACCEPT) for f in many[:600]], "c")
    project.findings.replace("a", many[:10])
    found = project.findings.select()
    assert len(found) == 600
    assert sum(f.verdict is Verdict.IGNORE for f in found) == 590
    assert all(f.evidence for f in found[:10])


@pytest.mark.parametrize("sort", SORTS)
def test_pages_never_overlap_and_miss_nothing(project: ProjectStore, finding: MakeFinding, sort: str) -> None:
    # Many equal keys: only the tie break keeps pages apart.
    project.findings.replace("b", [finding(f"b{n:02}", "b", risk=n % 2, variance=0.01 * (n % 3)) for n in range(23)])
    project.findings.replace("a", [finding(f"a{n:02}", risk=n % 2, variance=0.01 * (n % 3)) for n in range(24)])
    pages = [ids(project.findings.select(sort=sort, offset=start, limit=7)) for start in range(0, 56, 7)]
    flat = [name for page in pages for name in page]
    assert len(flat) == 47
    assert len(set(flat)) == 47
    assert flat == ids(project.findings.select(sort=sort))


def test_the_leak_order_is_risk_times_uncertainty(project: ProjectStore, finding: MakeFinding) -> None:
    low = finding("low", risk=10, variance=0.25)
    high = finding("high", risk=90, variance=0.0)
    both = finding("both", risk=60, variance=0.1)
    project.findings.replace("a", [low, high, both])
    assert ids(project.findings.select(sort="leak")) == ["both", "high", "low"]
    assert ids(project.findings.select(sort="risk")) == ["high", "both", "low"]
    assert ids(project.findings.select(sort="uncertain")) == ["low", "both", "high"]
    assert ids(project.findings.select(sort="file")) == ["low", "high", "both"]


@pytest.fixture
def mixed(project: ProjectStore, finding: MakeFinding) -> ProjectStore:
    project.findings.replace(
        "a",
        [
            finding("queued", text="SMITH^JOHN"),
            finding("auto", verdict=Verdict.AUTO, type=EntityType.AGE, text="100%"),
            finding("field", polygon=None, tag="(0008,103E)", text="under_score"),
            finding("ignored", verdict=Verdict.IGNORE, type=None, text="AXIAL"),
        ],
    )
    project.findings.replace("b", [finding("done", "b")])
    project.findings.replace("c", [finding("held", "c")], status=AssetStatus.QUARANTINED)
    project.decisions.apply("decide", [Choice("done", DecisionKind.ACCEPT)], "c")
    return project


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (FindingFilter(), ["queued", "auto", "field", "ignored", "done", "held"]),
        (FindingFilter(pending=True), ["queued", "field"]),
        (FindingFilter(pending=False), ["auto", "ignored", "done"]),
        (FindingFilter(verdict=Verdict.AUTO), ["auto"]),
        (FindingFilter(asset_id="b"), ["done"]),
        (FindingFilter(type=EntityType.AGE), ["auto"]),
        (FindingFilter(text="smith"), ["queued"]),
        (FindingFilter(text="(0008"), ["field"]),
        (FindingFilter(text="%"), ["auto"]),
        (FindingFilter(text="_"), ["field"]),
        (FindingFilter(regions=False), ["field"]),
        (FindingFilter(regions=True, asset_id="a"), ["queued", "auto", "ignored"]),
        (FindingFilter(decided=True), ["done"]),
        (FindingFilter(decided=False, pending=True, regions=True), ["queued"]),
    ],
)
def test_filters_combine_and_count_what_they_select(
    mixed: ProjectStore, wanted: FindingFilter, expected: list[str]
) -> None:
    assert ids(mixed.findings.select(wanted)) == expected
    assert mixed.findings.count(wanted) == len(expected)


def test_what_waits_is_counted_by_asset_and_quarantined_assets_do_not_count(mixed: ProjectStore) -> None:
    assert mixed.findings.pending_by_asset() == {"a": 2}


def test_an_unknown_finding_in_an_operation_stores_nothing(project: ProjectStore, finding: MakeFinding) -> None:
    project.findings.replace("a", [finding("f")])
    with pytest.raises(KeyError):
        project.decisions.apply("decide", [Choice("f", DecisionKind.KEEP), Choice("no", DecisionKind.KEEP)], "c")
    assert project.findings.get("f").decision is None
    assert project.decisions.operations() == []
    assert list(project.audit_rows()) == []


def test_an_operation_remembers_what_was_before_and_after(project: ProjectStore, finding: MakeFinding) -> None:
    project.findings.replace("a", [finding("f")])
    project.decisions.apply("decide", [Choice("f", DecisionKind.REPLACE, "Doe")], "c")
    second = project.decisions.apply("decide", [Choice("f", DecisionKind.KEEP)], "d")
    assert project.decisions.effects(second) == [
        (Choice("f", DecisionKind.REPLACE, "Doe", Remark()), Choice("f", DecisionKind.KEEP, None, Remark()))
    ]
    assert [(o.kind, o.actor, o.target) for o in project.decisions.operations()] == [
        ("decide", "c", None),
        ("decide", "d", None),
    ]


def test_the_log_of_a_decision_holds_counts_and_no_text(project: ProjectStore, finding: MakeFinding) -> None:
    project.findings.replace("a", [finding("f"), finding("g")])
    project.decisions.apply(
        "decide", [Choice("f", DecisionKind.REPLACE, "Okonkwo"), Choice("g", DecisionKind.KEEP)], "c"
    )
    (row,) = project.audit_rows()
    assert row.data == {"operation": 1, "target": None, "counts": {"replace": 1, "keep": 1}}

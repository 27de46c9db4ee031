from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest
from curator_process import work_through

from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import Asset, DecisionKind, Finding
from deidra.storage import ProjectStore
from deidra.storage.decisions import Choice
from deidra.storage.findings import FindingFilter

_ITEMS = 40
KEEP = DecisionKind.KEEP


@pytest.fixture
def filled(store: ProjectStore, asset: Callable[..., Asset], finding: Callable[..., Finding]) -> ProjectStore:
    store.assets.add([asset()])
    store.findings.replace("a", [finding(f"f{n:02}", risk=90.0 - n) for n in range(_ITEMS)])
    return store


def test_what_one_curator_has_no_other_gets(filled: ProjectStore) -> None:
    item = filled.findings.get("f00")
    assert filled.leases.take(item, "ann")
    assert not filled.leases.take(item, "bob")
    assert filled.leases.take(item, "ann")
    assert filled.leases.held() == {"f00": "ann"}


def test_the_next_item_is_the_first_that_nobody_else_has(filled: ProjectStore) -> None:
    assert [filled.leases.next(name) for name in ("ann", "bob", "ann", "cleo")] == ["f00", "f01", "f00", "f02"]


def test_lists_leave_out_what_others_have(filled: ProjectStore) -> None:
    filled.leases.next("ann")
    free = FindingFilter(pending=True, free_for="bob")
    assert filled.findings.count(free) == _ITEMS - 1
    assert "f00" not in [found.id for found in filled.findings.select(free)]
    assert filled.findings.count(FindingFilter(pending=True, free_for="ann")) == _ITEMS


def test_a_lease_that_has_run_out_counts_for_nothing(filled: ProjectStore) -> None:
    item = filled.findings.get("f00")
    assert filled.leases.take(item, "ann", minutes=-0.001)
    assert filled.leases.held() == {}
    assert filled.leases.take(item, "bob")


def test_a_decision_gives_the_item_back(filled: ProjectStore) -> None:
    filled.leases.next("ann")
    filled.decisions.apply("decide", [Choice("f00", KEEP)], "ann")
    assert filled.leases.held() == {}


def test_a_decision_on_what_another_has_is_refused_and_nothing_of_it_is_stored(filled: ProjectStore) -> None:
    filled.leases.next("ann")
    with pytest.raises(KnownError, match="ann is at work on this item"):
        filled.decisions.apply("decide", [Choice("f05", KEEP), Choice("f00", KEEP)], "bob")
    assert filled.decisions.operations() == []
    assert filled.findings.get("f05").decision is None


def test_leaving_gives_back_what_one_has_and_nothing_of_others(filled: ProjectStore) -> None:
    filled.leases.next("ann")
    filled.leases.next("bob")
    filled.leases.release("ann")
    assert filled.leases.held() == {"f01": "bob"}


def test_an_item_that_was_decided_meanwhile_is_not_leased(filled: ProjectStore) -> None:
    seen = filled.findings.get("f00")
    filled.decisions.apply("decide", [Choice("f00", KEEP)], "ann")
    assert not filled.leases.take(seen, "bob")


def test_a_decision_on_what_was_decided_since_it_was_seen_is_refused(filled: ProjectStore) -> None:
    filled.decisions.apply("decide", [Choice("f00", KEEP)], "ann")
    with pytest.raises(KnownError, match="Another curator has decided"):
        filled.decisions.apply("decide", [Choice("f00", DecisionKind.BLANK)], "bob", seen={"f00": None})
    assert filled.findings.get("f00").decision is KEEP


def test_findings_that_are_found_no_more_take_their_leases_along(
    filled: ProjectStore, finding: Callable[..., Finding]
) -> None:
    filled.leases.next("ann")
    filled.findings.replace("a", [finding("f01")])
    assert filled.leases.held() == {}


def test_two_processes_on_one_project_never_get_the_same_item(filled: ProjectStore, db_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    start, results = context.Barrier(2), context.Queue()
    workers = [context.Process(target=work_through, args=(db_path, name, start, results)) for name in ("ann", "bob")]
    for worker in workers:
        worker.start()
    found = dict(results.get(timeout=240) for _ in workers)
    for worker in workers:
        worker.join(timeout=240)
        assert worker.exitcode == 0
    taken = [item for done in found.values() for item, _ in done]
    assert sorted(taken) == [f"f{n:02}" for n in range(_ITEMS)]
    assert all(holder == name for name, done in found.items() for _, holder in done)
    assert all(found.values()), "both had something to do"
    assert filled.findings.count(FindingFilter(pending=True)) == 0
    assert filled.broken_audit_row() is None

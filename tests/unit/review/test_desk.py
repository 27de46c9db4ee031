from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from deidra.app.domain.errors import KnownError
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, Asset, AssetKind, DecisionKind, Finding, Verdict
from deidra.app.review import Change, Progress, ReviewDesk
from deidra.storage import ProjectStore
from deidra.storage.findings import FindingFilter

ACCEPT, REPLACE, BLANK, KEEP = DecisionKind.ACCEPT, DecisionKind.REPLACE, DecisionKind.BLANK, DecisionKind.KEEP


def state(desk: ReviewDesk) -> dict[str, tuple[DecisionKind | None, str | None]]:
    return {name: (f.decision, f.decision_text) for name in ("f1", "f2", "f3") for f in [desk.finding(name)]}


def test_the_queue_holds_what_waits_with_the_likeliest_leak_first(desk: ReviewDesk) -> None:
    assert [f.id for f in desk.queue()] == ["f2", "f3", "f1"]
    assert [f.id for f in desk.queue(offset=1, limit=1)] == ["f3"]
    assert desk.count() == 3
    assert desk.progress() == Progress(3, 3)


def test_a_decision_leaves_the_queue_and_is_stored(desk: ReviewDesk) -> None:
    assert desk.decide(["f1", "f2", "f1"], KEEP, by="ann") == Change("decide", ("f1", "f2"))
    assert [f.id for f in desk.queue()] == ["f3"]
    assert desk.progress() == Progress(3, 1)
    assert desk.progress().decided == 2


def test_another_filter_shows_what_was_decided(desk: ReviewDesk) -> None:
    desk.decide(["f1"], KEEP)
    assert [f.id for f in desk.queue(FindingFilter(decided=True))] == ["f1"]


def test_deciding_on_nothing_does_nothing(desk: ReviewDesk, store: ProjectStore) -> None:
    assert desk.decide([], KEEP) == Change("decide", ())
    assert store.decisions.operations() == []
    assert not desk.can_undo()


def test_a_replacement_without_text_takes_the_proposal(desk: ReviewDesk) -> None:
    desk.decide(["f1"], REPLACE)
    assert state(desk)["f1"] == (REPLACE, "Doe")


def test_a_replacement_with_text_takes_the_text(desk: ReviewDesk) -> None:
    desk.decide(["f1", "f2"], REPLACE, "Moe")
    assert state(desk)["f1"] == state(desk)["f2"] == (REPLACE, "Moe")


def test_a_replacement_without_text_and_proposal_is_refused_and_nothing_is_stored(
    desk: ReviewDesk, store: ProjectStore
) -> None:
    with pytest.raises(KnownError, match="no surrogate"):
        desk.decide(["f1", "f2"], REPLACE)
    assert state(desk)["f1"] == (None, None)
    assert store.decisions.operations() == []


@pytest.mark.parametrize("kind", DecisionKind)
def test_an_unknown_finding_is_refused_and_nothing_is_stored(
    desk: ReviewDesk, store: ProjectStore, kind: DecisionKind
) -> None:
    with pytest.raises(KnownError, match="no finding nothing"):
        desk.decide(["f1", "nothing"], kind)
    assert state(desk)["f1"] == (None, None)
    assert store.decisions.operations() == []
    assert list(store.audit_rows()) == []


def test_an_unknown_finding_cannot_be_looked_at(desk: ReviewDesk) -> None:
    with pytest.raises(KeyError):
        desk.finding("nothing")


def test_undo_takes_back_the_newest_operation_as_a_whole(desk: ReviewDesk) -> None:
    desk.decide(["f1"], KEEP)
    desk.decide(["f1", "f2"], BLANK)
    assert desk.undo() == Change("undo", ("f1", "f2"))
    assert state(desk) == {"f1": (KEEP, None), "f2": (None, None), "f3": (None, None)}
    assert desk.undo() == Change("undo", ("f1",))
    assert desk.undo() is None
    assert not desk.can_undo()


def test_redo_applies_undone_operations_in_their_order_with_their_text(desk: ReviewDesk) -> None:
    desk.decide(["f1"], REPLACE, "Moe")
    desk.decide(["f1"], BLANK)
    desk.undo()
    desk.undo()
    assert desk.redo() == Change("redo", ("f1",))
    assert state(desk)["f1"] == (REPLACE, "Moe")
    desk.redo()
    assert state(desk)["f1"] == (BLANK, None)
    assert desk.redo() is None


def test_a_new_decision_clears_what_could_be_redone(desk: ReviewDesk) -> None:
    desk.decide(["f1"], KEEP)
    desk.undo()
    assert desk.can_redo()
    desk.decide(["f2"], BLANK)
    assert not desk.can_redo()
    assert desk.redo() is None
    assert state(desk)["f1"] == (None, None)


def test_undo_and_redo_survive_a_restart(desk: ReviewDesk, open_store: Callable[[], ProjectStore]) -> None:
    desk.decide(["f1"], KEEP)
    desk.decide(["f2"], BLANK)
    desk.undo()
    again = ReviewDesk(open_store())
    assert again.can_undo()
    assert again.can_redo()
    again.redo()
    assert state(again)["f2"] == (BLANK, None)
    again.undo()
    again.undo()
    assert state(ReviewDesk(open_store())) == {"f1": (None, None), "f2": (None, None), "f3": (None, None)}


def test_every_step_stays_in_the_record(desk: ReviewDesk, store: ProjectStore) -> None:
    desk.decide(["f1"], KEEP, by="ann")
    desk.undo(by="ann")
    desk.redo(by="ann")
    assert [(o.kind, o.actor, o.target) for o in store.decisions.operations()] == [
        ("decide", "ann", None),
        ("undo", "ann", 1),
        ("redo", "ann", 1),
    ]
    assert [row.event for row in store.audit_rows()] == ["decide", "undo", "redo"]
    assert store.broken_audit_row() is None


def test_curators_undo_and_redo_their_own_steps_alone(desk: ReviewDesk) -> None:
    desk.decide(["f1"], KEEP, by="ann")
    desk.decide(["f2"], BLANK, by="bob")
    assert desk.undo(by="cleo") is None
    assert not desk.can_undo("cleo")
    assert desk.undo(by="ann") == Change("undo", ("f1",))
    assert not desk.can_redo("bob")
    assert state(desk) == {"f1": (None, None), "f2": (BLANK, None), "f3": (None, None)}


def test_what_another_has_decided_since_is_not_undone(desk: ReviewDesk) -> None:
    desk.decide(["f1"], KEEP, by="ann")
    desk.decide(["f1"], BLANK, by="bob")
    with pytest.raises(KnownError, match="Another curator has decided"):
        desk.undo(by="ann")
    assert state(desk)["f1"] == (BLANK, None)


def test_the_next_item_is_leased_until_its_curator_leaves(desk: ReviewDesk) -> None:
    first = desk.next("ann")
    assert first is not None
    assert first.id == "f2"
    assert not desk.take(first, "bob")
    desk.leave("ann")
    assert desk.take(first, "bob")


def test_what_others_do_is_noticed_and_what_one_does_oneself_is_not(desk: ReviewDesk) -> None:
    desk.decide(["f1"], KEEP, by="ann")
    assert desk.newest_by_others("ann") == 0
    assert desk.newest_by_others("bob") == 1
    desk.undo(by="ann")
    assert desk.newest_by_others("bob") == 2


def test_decisions_from_several_threads_are_all_stored(desk: ReviewDesk, store: ProjectStore) -> None:
    threads = [threading.Thread(target=desk.decide, args=([name], KEEP)) for name in ("f1", "f2", "f3")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert desk.count() == 0
    assert len(store.decisions.operations()) == 3
    assert store.broken_audit_row() is None


class UndoAgainstAModel(RuleBasedStateMachine):
    """Undo and redo behave as two stacks of snapshots."""

    def __init__(self) -> None:
        super().__init__()
        self.store = ProjectStore("sqlite://")
        self.store.assets.add([Asset("a", "/in/a", "", "", 1, AssetKind.DICOM)])
        finding = Finding(
            "f1", "a", 0, None, box_polygon(0, 0, 9, 9), None, "", None, 0.5, 0, 9, Verdict.QUEUE, Action.REDACT
        )
        self.store.findings.replace("a", [finding])
        self.desk = ReviewDesk(self.store)
        self.now: DecisionKind | None = None
        self.done: list[DecisionKind | None] = []
        self.undone: list[DecisionKind | None] = []

    @rule(kind=st.sampled_from([ACCEPT, BLANK, KEEP]))
    def decide(self, kind: DecisionKind) -> None:
        self.desk.decide(["f1"], kind)
        self.done.append(self.now)
        self.undone.clear()
        self.now = kind

    @rule()
    def undo(self) -> None:
        assert (self.desk.undo() is not None) == bool(self.done)
        if self.done:
            self.undone.append(self.now)
            self.now = self.done.pop()

    @rule()
    def redo(self) -> None:
        assert (self.desk.redo() is not None) == bool(self.undone)
        if self.undone:
            self.done.append(self.now)
            self.now = self.undone.pop()

    @invariant()
    def the_decision_is_the_models(self) -> None:
        assert self.desk.finding("f1").decision is self.now
        assert self.desk.can_undo() == bool(self.done)
        assert self.desk.can_redo() == bool(self.undone)

    def teardown(self) -> None:
        self.store.close()


TestUndoAgainstAModel = UndoAgainstAModel.TestCase
TestUndoAgainstAModel.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)

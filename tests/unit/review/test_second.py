from __future__ import annotations

from dataclasses import replace

import pytest

from deidra.app.decide.second import ReviewSection
from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import NO_REMARK, DecisionKind, Finding, ReasonCode, Remark
from deidra.app.domain.taxonomy import EntityType
from deidra.app.review import ReviewDesk
from deidra.app.review.second import SecondDesk, SecondState, choose
from deidra.storage import ProjectStore

ACCEPT, REPLACE, BLANK, KEEP = DecisionKind.ACCEPT, DecisionKind.REPLACE, DecisionKind.BLANK, DecisionKind.KEEP
NAMES = ReviewSection(second_reader="types", types=("PATIENT",))


@pytest.fixture
def read_once(desk: ReviewDesk) -> ReviewDesk:
    """Ann has decided on all that waited, with a remark."""
    desk.decide(["f1", "f2"], ACCEPT, by="ann")
    desk.decide(["f3"], KEEP, by="ann")
    desk.remark(["f1"], Remark(note="it is her name"), by="ann")
    return desk


@pytest.fixture
def second(store: ProjectStore, read_once: ReviewDesk) -> SecondDesk:
    return SecondDesk(store, NAMES)


def many(store: ProjectStore) -> list[Finding]:
    plain = store.findings.get("f1")
    kinds = (EntityType.PATIENT, EntityType.DATE_OTHER, EntityType.PHONE_HOME)
    return [
        replace(plain, id=f"x{n}", type=kinds[n % 3 if n < 60 else 0], risk=[10.0, 50.0, 90.0][n % 3])
        for n in range(90)
    ]


def test_nobody_reads_a_second_time_where_the_policy_does_not_ask(store: ProjectStore, read_once: ReviewDesk) -> None:
    off = SecondDesk(store, ReviewSection())
    assert off.to_read("bob") == []
    assert off.state() == SecondState(0, 0)


def test_the_second_reader_sees_neither_decision_nor_remark(second: SecondDesk) -> None:
    found = second.to_read("bob")
    assert [(f.id, f.decision, f.decision_text, f.remark) for f in found] == [
        (name, None, None, NO_REMARK) for name in ("f1", "f2", "f3")
    ]


def test_nobody_is_the_second_reader_of_own_decisions(second: SecondDesk) -> None:
    assert second.to_read("ann") == []
    with pytest.raises(KnownError, match="first decision on this item is yours"):
        second.decide("f1", KEEP, "ann")


def test_nobody_reads_an_item_twice(second: SecondDesk) -> None:
    second.decide("f1", ACCEPT, "bob")
    with pytest.raises(KnownError, match="read this item already"):
        second.decide("f1", KEEP, "bob")


def test_what_another_curator_has_is_not_read(second: SecondDesk, desk: ReviewDesk) -> None:
    assert desk.take(desk.finding("f1"), "cleo")
    assert [f.id for f in second.to_read("bob")] == ["f2", "f3"]
    with pytest.raises(KnownError, match="cleo is at work"):
        second.decide("f1", KEEP, "bob")


def test_an_item_without_a_first_decision_is_not_read(store: ProjectStore, desk: ReviewDesk) -> None:
    second = SecondDesk(store, NAMES)
    assert second.to_read("bob") == []
    with pytest.raises(KnownError, match="no first decision"):
        second.decide("f1", KEEP, "bob")


def test_the_first_decision_counts_until_a_difference_is_settled(second: SecondDesk, desk: ReviewDesk) -> None:
    second.decide("f1", KEEP, "bob")
    assert desk.finding("f1").decision is ACCEPT
    (found,) = second.differences()
    assert (found.finding.id, found.first_by, found.seconds) == ("f1", "ann", (("bob", KEEP),))
    second.settle("f1", REPLACE, "cleo")
    assert (desk.finding("f1").decision, desk.finding("f1").decision_text) == (REPLACE, "Doe")
    assert second.differences() == []


def test_a_settled_difference_opens_again_when_that_is_undone(second: SecondDesk, desk: ReviewDesk) -> None:
    second.decide("f1", KEEP, "bob")
    second.settle("f1", KEEP, "cleo")
    desk.undo(by="cleo")
    assert desk.finding("f1").decision is ACCEPT
    assert [item.finding.id for item in second.differences()] == ["f1"]


def test_a_flag_on_an_item_settles_nothing(second: SecondDesk, desk: ReviewDesk) -> None:
    second.decide("f1", KEEP, "bob")
    desk.remark(["f1"], Remark(flagged=True), by="ann")
    assert [item.finding.id for item in second.differences()] == ["f1"]


def test_what_is_no_difference_is_not_settled(second: SecondDesk) -> None:
    second.decide("f1", ACCEPT, "bob")
    with pytest.raises(KnownError, match="no difference about f1"):
        second.settle("f1", KEEP, "cleo")


def test_the_state_tells_what_is_unread_and_what_is_not_settled(second: SecondDesk) -> None:
    assert second.state() == SecondState(3, 0)
    second.decide("f1", KEEP, "bob")
    second.decide("f2", ACCEPT, "bob")
    assert second.state() == SecondState(1, 1)
    second.decide("f3", KEEP, "cleo")
    second.settle("f1", ACCEPT, "cleo")
    assert second.state() == SecondState(0, 0)


def test_with_three_readers_an_item_waits_for_the_third(store: ProjectStore, read_once: ReviewDesk) -> None:
    second = SecondDesk(store, ReviewSection(second_reader="types", types=("PATIENT",), readers=3))
    second.decide("f1", ACCEPT, "bob")
    assert [f.id for f in second.to_read("bob")] == ["f2", "f3"]
    assert [f.id for f in second.to_read("cleo")] == ["f1", "f2", "f3"]
    second.decide("f1", KEEP, "cleo")
    second.decide("f3", KEEP, "bob")
    second.decide("f3", KEEP, "cleo")
    # Agreement: 1/3 and 1. By chance: 2 of 6 accept, 4 keep: 1/9 + 4/9 = 5/9. (2/3 - 5/9) / (4/9) = 1/4.
    assert second.fleiss() == {3: pytest.approx(0.25)}


def test_agreement_is_told_of_all_and_by_type_and_the_final_decision_counts_nowhere(second: SecondDesk) -> None:
    for name, kind in (("f1", BLANK), ("f2", ACCEPT), ("f3", KEEP)):
        second.decide(name, kind, "bob")
    second.settle("f1", ACCEPT, "cleo")
    found = second.agreement()
    assert set(found) == {"", "PATIENT"}
    assert found[""] == found["PATIENT"]
    assert found[""].readings == 3
    assert found[""].share.value == pytest.approx(2 / 3)
    # By chance: accept 2/3 * 1/3, keep 1/3 * 1/3: 1/3. (2/3 - 1/3) / (2/3) = 1/2.
    assert found[""].kappa.value == pytest.approx(0.5)
    assert found[""].private.value == pytest.approx(1)


def test_a_sample_takes_its_share_of_each_type(store: ProjectStore) -> None:
    items = many(store)
    chosen = choose(items, ReviewSection(second_reader="sample", share=0.1))
    kinds = [finding.type for finding in chosen]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        EntityType.PATIENT: 5,
        EntityType.DATE_OTHER: 2,
        EntityType.PHONE_HOME: 2,
    }


def test_a_sample_takes_its_share_of_each_third_of_the_risk_or_of_all(store: ProjectStore) -> None:
    items = many(store)
    by_risk = choose(items, ReviewSection(second_reader="sample", share=0.1, strata="risk"))
    assert sorted(finding.risk for finding in by_risk) == [10.0] * 3 + [50.0] * 3 + [90.0] * 3
    assert len(choose(items, ReviewSection(second_reader="sample", share=0.1, strata="none"))) == 9


def test_a_seed_draws_the_same_items_in_any_order_and_another_seed_others(store: ProjectStore) -> None:
    items = many(store)

    def drawn(found: list[Finding], seed: int) -> set[str]:
        return {f.id for f in choose(found, ReviewSection(second_reader="sample", share=0.2, seed=seed))}

    assert drawn(items, 1) == drawn(items[::-1], 1)
    assert drawn(items, 1) != drawn(items, 2)


def test_the_record_of_second_decisions_is_in_the_audit_log_and_intact(second: SecondDesk, store: ProjectStore) -> None:
    second.decide("f1", KEEP, "bob")
    second.settle("f1", KEEP, "cleo")
    assert [row.event for row in store.audit_rows()][-3:] == ["second-reading", "decide", "settled"]
    assert store.broken_audit_row() is None


def test_a_second_decision_can_be_taken_back_and_the_item_is_read_again(
    second: SecondDesk, desk: ReviewDesk, store: ProjectStore
) -> None:
    second.decide("f1", KEEP, "bob")
    second.decide("f2", ACCEPT, "bob")
    assert second.undo("bob") == "f2"
    assert [f.id for f in second.to_read("bob")] == ["f2", "f3"]
    assert second.undo("bob") == "f1"
    assert second.differences() == []
    assert second.agreement()[""].readings == 0
    assert second.undo("bob") is None
    assert not second.can_undo("bob")
    second.decide("f1", ACCEPT, "bob")
    assert second.own_readings("bob")["f1"].kind is ACCEPT
    assert desk.finding("f1").decision is ACCEPT
    assert store.broken_audit_row() is None


def test_nobody_takes_back_the_second_decision_of_another_or_one_that_was_settled(second: SecondDesk) -> None:
    second.decide("f1", KEEP, "bob")
    assert second.undo("cleo") is None
    second.settle("f1", KEEP, "cleo")
    assert second.can_undo("bob")
    with pytest.raises(KnownError, match="settled since"):
        second.undo("bob")


def test_a_settlement_can_be_taken_back_and_the_difference_is_open_again(second: SecondDesk, desk: ReviewDesk) -> None:
    second.decide("f1", KEEP, "bob")
    second.settle("f1", REPLACE, "cleo", "Poe")
    assert second.undo("cleo", final=True) == "f1"
    assert (desk.finding("f1").decision, desk.finding("f1").decision_text) == (ACCEPT, None)
    assert [item.finding.id for item in second.differences()] == ["f1"]
    assert not desk.can_undo("cleo")
    assert desk.can_redo("cleo")
    assert second.undo("cleo", final=True) is None


def test_a_settlement_that_somebody_decided_upon_since_is_not_taken_back(second: SecondDesk, desk: ReviewDesk) -> None:
    second.decide("f1", KEEP, "bob")
    second.settle("f1", KEEP, "cleo")
    desk.decide(["f1"], BLANK, by="ann")
    with pytest.raises(KnownError, match="since you settled it"):
        second.undo("cleo", final=True)
    assert desk.finding("f1").decision is BLANK


def test_a_difference_tells_texts_and_remarks_of_second_decisions(second: SecondDesk) -> None:
    said = Remark(note="only a street", code=ReasonCode.NOT_PRIVATE)
    second.decide("f1", REPLACE, "bob", "Poe", said)
    (found,) = second.differences()
    assert [(r.curator, r.text, r.remark) for r in found.readings] == [("bob", "Poe", said)]


def test_what_waits_for_a_curator_is_to_be_read_or_to_be_settled(second: SecondDesk, store: ProjectStore) -> None:
    assert (second.waiting("ann"), second.waiting("bob")) == (0, 3)
    second.decide("f1", KEEP, "bob")
    assert (second.waiting("ann"), second.waiting("bob")) == (1, 3)
    assert SecondDesk(store, ReviewSection()).waiting("bob") == 0

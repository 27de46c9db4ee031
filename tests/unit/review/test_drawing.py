"""Boxes that curators draw: one operation each, undone and redone, kept when the project is decided again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deidra.app.domain.errors import KnownError
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import DecisionKind, ReasonCode, Remark
from deidra.app.domain.taxonomy import EntityType
from deidra.app.redact.plan import Mark, marks
from deidra.app.review import ReviewDesk
from deidra.storage import ProjectStore
from deidra.storage.findings import FindingFilter

BOX = box_polygon(10, 20, 110, 40)
OTHER = box_polygon(30, 50, 90, 70)


def covered(store: ProjectStore) -> list[Mark]:
    """What a release covers by curators' decisions alone."""
    return marks([f for f in store.findings.select() if f.decision is not None])


def test_a_drawn_box_is_covered_at_once_and_tells_who_drew_it(desk: ReviewDesk, store: ProjectStore) -> None:
    (new,) = desk.draw("a", 3, BOX, EntityType.ID_MRN, by="ann").findings
    finding = desk.finding(new)
    assert (finding.frame, finding.page, finding.polygon, finding.type) == (3, None, BOX, EntityType.ID_MRN)
    assert finding.decision is DecisionKind.ACCEPT
    assert finding.risk == 90
    assert [(e.agent, e.detail) for e in finding.evidence] == [("curator", "drawn by ann")]
    assert covered(store) == [Mark(BOX, 3, drawn=True)]
    assert desk.progress().waiting == 3


def test_undo_takes_a_drawn_box_away_and_redo_brings_it_back(
    desk: ReviewDesk, store: ProjectStore, open_store: Callable[[], ProjectStore]
) -> None:
    (new,) = desk.draw("a", None, BOX, EntityType.OTHERPHI).findings
    desk.undo()
    assert covered(store) == []
    assert new not in [finding.id for finding in store.findings.select()]
    assert marks([desk.finding(new)], accept_pending=True) == []
    again = ReviewDesk(open_store())
    again.redo()
    assert covered(store) == [Mark(BOX, None, drawn=True)]
    assert store.broken_audit_row() is None


def test_a_redrawn_box_takes_the_place_of_the_one_before(desk: ReviewDesk, store: ProjectStore) -> None:
    (first,) = desk.draw("a", 3, BOX, EntityType.ID_MRN).findings
    second, before = desk.redraw(first, OTHER).findings
    assert before == first
    assert covered(store) == [Mark(OTHER, 3, drawn=True)]
    assert desk.finding(second).type is EntityType.ID_MRN
    desk.undo()
    assert covered(store) == [Mark(BOX, 3, drawn=True)]
    desk.redo()
    assert covered(store) == [Mark(OTHER, 3, drawn=True)]


def test_redrawing_what_was_found_keeps_it_and_covers_the_new_box(desk: ReviewDesk, store: ProjectStore) -> None:
    new, old = desk.redraw("f1", OTHER).findings
    assert old == "f1"
    assert desk.finding("f1").decision is DecisionKind.KEEP
    assert (desk.finding(new).text, desk.finding(new).type) == ("f1", EntityType.PATIENT)
    assert covered(store) == [Mark(OTHER, 0, was="f1", drawn=True)]
    desk.undo()
    assert desk.finding("f1").pending
    assert covered(store) == []


def test_only_drawn_boxes_can_be_erased(desk: ReviewDesk, store: ProjectStore) -> None:
    (new,) = desk.draw("a", 0, BOX, EntityType.OTHERPHI).findings
    with pytest.raises(KnownError, match="found, not drawn"):
        desk.erase("f1")
    desk.erase(new)
    assert covered(store) == []
    desk.undo()
    assert covered(store) == [Mark(BOX, 0, drawn=True)]


def test_keeping_a_drawn_box_takes_it_away(desk: ReviewDesk, store: ProjectStore) -> None:
    (new,) = desk.draw("a", 0, BOX, EntityType.OTHERPHI).findings
    desk.decide([new, "f1"], DecisionKind.KEEP)
    assert desk.finding(new).withdrawn
    assert desk.finding("f1").decision is DecisionKind.KEEP
    assert covered(store) == []


def test_drawn_boxes_stay_when_the_file_is_decided_again(desk: ReviewDesk, store: ProjectStore) -> None:
    (new,) = desk.draw("a", 0, BOX, EntityType.OTHERPHI, by="ann").findings
    (gone,) = desk.draw("a", 1, OTHER, EntityType.OTHERPHI).findings
    desk.erase(gone)
    before = desk.finding(new)
    store.findings.replace("a", [])
    store.findings.replace("a", [])
    assert desk.finding(new) == before
    assert covered(store) == [Mark(BOX, 0, drawn=True)]


def test_a_box_on_an_unknown_file_or_of_an_unknown_item_is_refused(desk: ReviewDesk, store: ProjectStore) -> None:
    with pytest.raises(KnownError, match="no such file"):
        desk.draw("no", 0, BOX, EntityType.OTHERPHI)
    with pytest.raises(KnownError, match="no finding"):
        desk.redraw("no", BOX)
    assert store.decisions.operations() == []


def test_a_remark_leaves_the_decision_and_is_undone_alone(desk: ReviewDesk, store: ProjectStore) -> None:
    desk.decide(["f1"], DecisionKind.BLANK)
    remark = Remark(True, "ask the clinic", ReasonCode.CAUTION)
    desk.remark(["f1"], remark)
    assert (desk.finding("f1").decision, desk.finding("f1").remark) == (DecisionKind.BLANK, remark)
    assert [finding.id for finding in desk.queue(FindingFilter(flagged=True))] == ["f1"]
    desk.decide(["f1"], DecisionKind.KEEP)
    assert desk.finding("f1").remark == remark
    desk.undo()
    desk.undo()
    assert (desk.finding("f1").decision, desk.finding("f1").remark) == (DecisionKind.BLANK, Remark())
    desk.redo()
    assert desk.finding("f1").remark == remark


def test_a_flagged_item_still_waits(desk: ReviewDesk) -> None:
    desk.remark(["f1"], Remark(flagged=True))
    assert desk.finding("f1").pending
    assert desk.progress().waiting == 3


def test_notes_do_not_enter_the_audit_log(desk: ReviewDesk, store: ProjectStore) -> None:
    desk.remark(["f1"], Remark(True, "John Smith of Springfield"))
    assert not any("Smith" in str(row) for row in store.audit_rows())

"""A curator chooses what one box is filled with: stored like a remark, undone, and carried out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deidra.app.decide.redaction import Fill
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import NO_REMARK, Action, Asset, AssetKind, AssetStatus, DecisionKind, Finding, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.redact.plan import marks
from deidra.app.review import ReviewDesk
from deidra.storage import ProjectStore

BOX = box_polygon(5, 5, 50, 20)
ITEM = Finding("f", "a", 0, None, BOX, None, "Okonkwo", EntityType.PATIENT, 0.6, 0.0, 50, Verdict.QUEUE, Action.REDACT)


@pytest.fixture
def desk(store: ProjectStore) -> ReviewDesk:
    store.assets.add([Asset("a", "/a", "", "0" * 64, 1, AssetKind.DICOM, AssetStatus.DETECTED)])
    store.findings.replace("a", [ITEM])
    return ReviewDesk(store)


def fills(desk: ReviewDesk) -> list[Fill | None]:
    return [mark.fill for mark in marks([desk.finding("f")])]


def test_the_fill_of_an_item_is_stored_undone_and_done_again(desk: ReviewDesk) -> None:
    desk.decide(["f"], DecisionKind.BLANK)
    assert fills(desk) == [None]
    desk.remark(["f"], replace(NO_REMARK, fill="white"))
    assert fills(desk) == [Fill.WHITE]
    assert desk.finding("f").decision is DecisionKind.BLANK
    desk.undo()
    assert fills(desk) == [None]
    desk.redo()
    assert fills(desk) == [Fill.WHITE]


def test_a_later_decision_leaves_the_fill(desk: ReviewDesk) -> None:
    desk.remark(["f"], replace(NO_REMARK, fill="inpaint"))
    assert fills(desk) == []
    desk.decide(["f"], DecisionKind.ACCEPT)
    assert fills(desk) == [Fill.INPAINT]


def test_deciding_again_by_another_policy_leaves_the_fill(desk: ReviewDesk, store: ProjectStore) -> None:
    desk.remark(["f"], replace(NO_REMARK, fill="corner", note="why"))
    store.findings.replace("a", [replace(ITEM, score=0.7)])
    assert desk.finding("f").remark == replace(NO_REMARK, fill="corner", note="why")

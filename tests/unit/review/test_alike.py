"""Which items are alike, so that they can be decided together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, Asset, AssetKind, AssetStatus, DecisionKind, Finding, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.review import ReviewDesk
from deidra.app.review.alike import SAME_LAYOUT, SAME_PLACE, SAME_TEXT
from deidra.storage import ProjectStore
from deidra.storage.database import sqlite_url

SONIC = {"device": {"manufacturer": "Sonic", "model": "Echo 9", "rows": 480, "columns": 640}}
CORNER, ELSEWHERE = box_polygon(10, 10, 110, 30), box_polygon(300, 200, 400, 220)


def asset(name: str, series: str, info: dict[str, object] | None = None) -> Asset:
    return Asset(
        name, f"/in/{name}", "", name, 1, AssetKind.DICOM, AssetStatus.DECIDED, series_uid=series, info=info or {}
    )


def region(name: str, asset_id: str, text: str, box=CORNER, frame: int | None = 0, kind=EntityType.PATIENT) -> Finding:
    place = {"frame": frame, "page": None, "polygon": box, "tag": None}
    return Finding(
        id=name,
        asset_id=asset_id,
        text=text,
        type=kind,
        score=0.5,
        variance=0.0,
        risk=50,
        verdict=Verdict.QUEUE,
        action=Action.REDACT,
        **place,
    )


@pytest.fixture
def desk(tmp_path: Path):
    store = ProjectStore(sqlite_url(tmp_path / "project.db"))
    store.assets.add(
        [
            asset("a", "1.1", SONIC),
            asset("b", "1.1", SONIC),
            asset("c", "1.9", SONIC),
            asset("d", "1.8", {"device": {**SONIC["device"], "model": "Echo 7"}}),
        ]
    )
    header = replace(region("tag", "a", "John Smith"), polygon=None, frame=None, tag="(0010,0010)")
    store.findings.replace(
        "a",
        [
            region("first", "a", "John Smith"),
            region("frame2", "a", "J0hn Smlth", frame=2),
            region("other type", "a", "MRN 4711", kind=EntityType.ID_MRN, frame=3),
            header,
        ],
    )
    store.findings.replace(
        "b",
        [
            region("series", "b", "Ann Lee"),
            region("same text", "b", "JOHN SMITH", ELSEWHERE),
            region("far", "b", "Eve", ELSEWHERE),
            replace(header, id="tag2", asset_id="b"),
            replace(header, id="tag3", asset_id="b", tag="(0010,1001)"),
        ],
    )
    store.findings.replace("c", [region("machine", "c", "Bob Ray")])
    store.findings.replace("d", [region("other machine", "d", "Tim Fox"), region("text", "d", "john smith", ELSEWHERE)])
    yield ReviewDesk(store)
    store.close()


def reasons(desk: ReviewDesk, finding: str) -> dict[str, str]:
    return {item.finding.id: item.why for item in desk.alike(finding)}


def test_alike_are_the_same_text_and_the_same_place_in_series_and_on_machines(desk: ReviewDesk) -> None:
    assert reasons(desk, "first") == {
        "first": "",
        "same text": SAME_TEXT,
        "text": SAME_TEXT,
        "frame2": SAME_PLACE,
        "series": SAME_PLACE,
        "machine": SAME_LAYOUT,
    }
    assert next(iter(reasons(desk, "first"))) == "first"


def test_header_values_are_alike_in_the_same_element_only(desk: ReviewDesk) -> None:
    assert reasons(desk, "tag") == {"tag": "", "tag2": SAME_TEXT}


def test_what_is_decided_is_alike_to_nothing(desk: ReviewDesk) -> None:
    desk.decide(["series", "same text"], DecisionKind.KEEP)
    assert reasons(desk, "first").keys() == {"first", "text", "frame2", "machine"}


def test_a_text_that_could_not_be_read_is_alike_by_its_place_alone(desk: ReviewDesk) -> None:
    unread = [region("u1", "a", "", kind=EntityType.UNREAD), region("u2", "d", "", ELSEWHERE, kind=EntityType.UNREAD)]
    desk._store.findings.replace("a", unread[:1])
    desk._store.findings.replace("d", unread[1:])
    assert reasons(desk, "u1") == {"u1": ""}


def test_a_group_is_decided_and_undone_as_one(desk: ReviewDesk) -> None:
    ids = list(reasons(desk, "first"))
    desk.decide(ids, DecisionKind.ACCEPT)
    assert {desk.finding(name).decision for name in ids} == {DecisionKind.ACCEPT}
    assert desk.undo().findings == tuple(ids)
    assert {desk.finding(name).decision for name in ids} == {None}

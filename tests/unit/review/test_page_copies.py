"""What waits at the same place of another copy of a page is alike, though the copy lies and reads otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from deidra.app.domain.geometry import Polygon, as_polygon, bounding_box, box_polygon, iou
from deidra.app.domain.model import (
    Action,
    Asset,
    AssetKind,
    DecisionKind,
    Finding,
    FrameText,
    LocatedText,
    TextLine,
    Verdict,
)
from deidra.app.domain.taxonomy import EntityType
from deidra.app.review import ReviewDesk
from deidra.app.review import page_copies as module
from deidra.app.review.alike import SAME_PAGE, SAME_PLACE, SAME_TEXT
from deidra.app.review.page_copies import carried, carrying
from deidra.storage import ProjectStore

_FORM = (
    ("Patient registration form of the clinic", (100, 80, 700, 110)),
    ("Name:", (100, 160, 180, 190)),
    ("Adaeze Okonkwo", (200, 160, 420, 190)),
    ("Date of birth:", (100, 230, 280, 260)),
    ("12/10/1985", (300, 230, 450, 260)),
    ("Home phone: 555-123-4567", (100, 300, 480, 330)),
    ("Please write clearly and with black ink", (100, 900, 700, 930)),
)
NAME, BIRTH = _FORM[2][1], _FORM[4][1]
SIZE = (850, 1100)


def turned(angle: float = 0.0, factor: float = 1.0, right: float = 0.0, down: float = 0.0) -> np.ndarray:
    a, b = factor * math.cos(math.radians(angle)), factor * math.sin(math.radians(angle))
    return np.array([[a, -b, right], [b, a, down]])


def frame(
    how: np.ndarray, index: int = 0, size: tuple[int, int] = SIZE, other: Sequence[tuple[int, str]] = ()
) -> FrameText:
    """The form, lying as ``how`` says, with some of its lines read otherwise."""
    texts = dict(other)
    lines = tuple(
        TextLine(carried(box_polygon(*box), how), texts.get(n, text), (), ()) for n, (text, box) in enumerate(_FORM)
    )
    return FrameText(index, *size, lines)


def item(
    name: str, asset: str, text: str, place: Polygon, page: int = 0, kind: EntityType = EntityType.PATIENT
) -> Finding:
    return Finding(name, asset, None, page, place, None, text, kind, 0.5, 0.0, 50, Verdict.QUEUE, Action.REDACT)


@pytest.fixture
def store(open_store: Callable[[], ProjectStore]) -> ProjectStore:
    return open_store()


@pytest.fixture
def add(store: ProjectStore) -> Callable[..., None]:
    def put(asset: str, frames: Sequence[FrameText], *items: Finding) -> None:
        store.assets.add([Asset(asset, f"/in/{asset}", "", asset, 1, AssetKind.IMAGE)])
        store.assets.save_texts({asset: LocatedText(tuple(frames), len(frames))}, {})
        store.findings.replace(asset, items)

    return put


def reasons(store: ProjectStore, finding: str) -> dict[str, str]:
    return {one.finding.id: one.why for one in ReviewDesk(store).alike(finding)}


SCAN = turned(1.5, 1.33, 25, -18)
"""Scanned again at another resolution, askew and shifted."""
WIDE = (1131, 1463)


def test_a_text_that_was_read_otherwise_on_a_copy_of_the_page_is_alike(
    store: ProjectStore, add: Callable[..., None]
) -> None:
    add("a", [frame(turned())], item("a1", "a", "Adaeze Okonkwo", box_polygon(*NAME)))
    misread = frame(SCAN, size=WIDE, other=[(2, "Adaeze 0konkwo")])
    add("b", [misread], item("b1", "b", "Adaeze 0konkwo", carried(box_polygon(*NAME), SCAN)))
    assert reasons(store, "a1") == {"a1": "", "b1": SAME_PAGE}
    assert reasons(store, "b1") == {"b1": "", "a1": SAME_PAGE}


def test_equal_text_stays_alike_by_its_text_and_unread_text_is_alike_by_its_place(
    store: ProjectStore, add: Callable[..., None]
) -> None:
    place = carried(box_polygon(*NAME), SCAN)
    add("a", [frame(turned())], item("a1", "a", "Adaeze Okonkwo", box_polygon(*NAME)))
    add("b", [frame(SCAN, size=WIDE)], item("b1", "b", "Adaeze Okonkwo", place))
    add("c", [frame(SCAN, size=WIDE)], item("c1", "c", "", place, kind=EntityType.UNREAD))
    assert reasons(store, "a1") == {"a1": "", "b1": SAME_TEXT, "c1": SAME_PAGE}
    assert reasons(store, "c1") == {"c1": "", "a1": SAME_PAGE, "b1": SAME_PAGE}


@pytest.mark.parametrize(
    ("text", "place", "line"),
    [
        ("Adaeze 0konkwo", BIRTH, (0, "")),
        ("Bob Quux", NAME, (0, "")),
        ("Adaeze 0konkwo", NAME, (5, "Home phone: 555-123-4568")),
    ],
    ids=["another place", "another text", "another form with another number"],
)
def test_what_differs_in_place_or_text_or_stands_on_another_form_is_not_alike(
    store: ProjectStore,
    add: Callable[..., None],
    text: str,
    place: tuple[int, int, int, int],
    line: tuple[int, str],
) -> None:
    add("a", [frame(turned())], item("a1", "a", "Adaeze Okonkwo", box_polygon(*NAME)))
    other = [line] if line[1] else []
    add("b", [frame(turned(), other=other)], item("b1", "b", text, box_polygon(*place)))
    assert reasons(store, "a1") == {"a1": ""}


def test_a_place_that_was_typed_otherwise_on_a_copy_because_it_was_read_otherwise_is_alike(
    store: ProjectStore, add: Callable[..., None]
) -> None:
    add("a", [frame(turned())], item("a1", "a", "Adaeze Okonkwo", box_polygon(*NAME)))
    misread = frame(SCAN, size=WIDE, other=[(2, "Adaeze 0konkwo")])
    there = carried(box_polygon(*NAME), SCAN)
    add("b", [misread], item("b1", "b", "Adaeze 0konkwo", there, kind=EntityType.STAFF))
    assert reasons(store, "a1") == {"a1": "", "b1": SAME_PAGE}


def test_a_page_that_is_filed_twice_in_one_document_is_a_copy_too(
    store: ProjectStore, add: Callable[..., None]
) -> None:
    pages = [frame(turned()), frame(turned(), 1), frame(SCAN, 2, WIDE, [(2, "Adaeze 0konkwo")])]
    own = item("a1", "a", "Adaeze Okonkwo", box_polygon(*NAME))
    same = item("a2", "a", "Adaeze Ok0nkwo", box_polygon(*NAME), 1)
    far = item("a3", "a", "Adaeze 0konkwo", carried(box_polygon(*NAME), SCAN), 2)
    add("a", pages, own, same, far)
    assert reasons(store, "a1") == {"a1": "", "a2": SAME_PLACE, "a3": SAME_PAGE}


def test_one_decision_serves_all_copies_and_is_undone_as_one(store: ProjectStore, add: Callable[..., None]) -> None:
    add("a", [frame(turned())], item("a1", "a", "Adaeze Okonkwo", box_polygon(*NAME)))
    for number in range(5):
        how = turned(0.4 * number, 1.0 + 0.05 * number, 6 * number, -4 * number)
        size = (round(SIZE[0] * (1 + 0.05 * number)), round(SIZE[1] * (1 + 0.05 * number)))
        text = f"Adaeze Okonkw{'aeuc0'[number]}"
        copy = frame(how, size=size, other=[(2, text)])
        add(f"copy{number}", [copy], item(f"c{number}", f"copy{number}", text, carried(box_polygon(*NAME), how)))
    desk = ReviewDesk(store)
    ids = [one.finding.id for one in desk.alike("a1")]
    assert len(ids) == 6
    desk.decide(ids, DecisionKind.BLANK)
    assert {desk.finding(i).decision for i in ids} == {DecisionKind.BLANK}
    assert desk.undo().findings == tuple(ids)
    assert reasons(store, "a1").keys() == set(ids)


def test_what_is_decided_is_no_longer_listed(store: ProjectStore, add: Callable[..., None]) -> None:
    add("a", [frame(turned())], item("a1", "a", "Adaeze Okonkwo", box_polygon(*NAME)))
    add("b", [frame(turned(), other=[(2, "Adaeze 0konkwo")])], item("b1", "b", "Adaeze 0konkwo", box_polygon(*NAME)))
    ReviewDesk(store).decide(["b1"], DecisionKind.ACCEPT)
    assert reasons(store, "a1") == {"a1": ""}


def test_no_more_pages_are_compared_than_the_limit_says(
    store: ProjectStore, add: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_PAGES", 2)
    add("a", [frame(turned())], item("a1", "a", "Adaeze Okonkwo", box_polygon(*NAME)))
    for n in range(4):
        add(f"b{n}", [frame(turned())], item(f"i{n}", f"b{n}", "Adaeze 0konkwo", box_polygon(*NAME)))
    assert reasons(store, "a1").keys() == {"a1", "i0", "i1"}


def test_a_copy_that_comes_later_is_found_though_the_copies_of_the_page_are_remembered(
    store: ProjectStore, add: Callable[..., None]
) -> None:
    desk = ReviewDesk(store)
    add("a", [frame(turned())], item("a1", "a", "Adaeze Okonkwo", box_polygon(*NAME)))
    add("b", [frame(turned())], item("b1", "b", "Adaeze 0konkwo", box_polygon(*NAME)))
    assert len(desk.alike("a1")) == 2
    add("c", [frame(turned())], item("c1", "c", "Adaeze Ok0nkwo", box_polygon(*NAME)))
    assert len(desk.alike("a1")) == 3


def test_copies_are_looked_for_by_lines_with_long_numbers_else_by_the_longest_lines() -> None:
    assert module.marks_of(frame(turned())) == (["Home phone: 555-123-4567", "12/10/1985"], 1)
    plain = frame(turned(), other=[(4, "yesterday"), (5, "Home phone: none")])
    marks, least = module.marks_of(plain)
    assert marks[:2] == ["Patient registration form of the clinic", "Please write clearly and with black ink"]
    assert least == 2
    assert module.marks_of(FrameText(0, 10, 10, ())) == ([], 0)


def test_lines_with_quotes_percent_signs_and_letters_of_any_script_are_found_again(
    store: ProjectStore, add: Callable[..., None]
) -> None:
    odd = [(0, 'Formular "Ä_1" 50 % ünïcode 日本 2024'), (6, "back\\slash 1234 and more words than before")]
    add("a", [frame(turned(), other=odd)], item("a1", "a", "Adaeze Okonkwo", box_polygon(*NAME)))
    add("b", [frame(turned(), other=odd)], item("b1", "b", "Adaeze 0konkwo", box_polygon(*NAME)))
    assert store.findings.waiting_pages_showing([odd[0][1], odd[1][1]], 2) == [("a", 0), ("b", 0)]
    assert store.findings.waiting_pages_showing([odd[0][1].replace("_", "x")], 1) == []
    assert reasons(store, "a1").keys() == {"a1", "b1"}


@pytest.mark.parametrize("angle", [-3.0, 0.0, 2.0, 180.0])
def test_places_are_carried_over_by_the_lines_that_both_pages_show(angle: float) -> None:
    how = turned(angle, 0.8, 300, 400)
    found = carrying(frame(turned()), frame(how, other=[(0, "misread"), (3, "D0B")]))
    np.testing.assert_allclose(found, how, atol=0.05)


def test_without_lines_in_common_the_sizes_of_the_pages_tell() -> None:
    empty = FrameText(0, 1700, 550, ())
    place = carried(as_polygon([(10, 10), (20, 10), (20, 20), (10, 20)]), carrying(frame(turned()), empty))
    assert bounding_box(place) == (20, 5, 40, 10)
    assert iou(bounding_box(place), (20, 5, 40, 10)) == 1

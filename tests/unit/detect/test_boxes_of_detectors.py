from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from deidra.app.detect.boxes import Located, Sighting, together
from deidra.app.domain.geometry import Polygon, as_polygon, box_polygon
from deidra.models.text_detector import DetectedBox

OURS, THEIRS = "deidra-det", "ppocr-det"
Edges = tuple[float, float, float, float]


def seen(agent: str, *edges: float, score: float = 0.9, kind: str = "", picture: int = 0) -> Sighting:
    return Sighting(agent, picture, DetectedBox(box_polygon(*edges), score, 0.01, kind))


def edges(polygon: Polygon) -> Edges:
    (left, top), _, (right, bottom), _ = polygon
    return left, top, right, bottom


def places(*sightings: Sighting) -> dict[Edges, Located]:
    return {edges(line.polygon): line for line in together(sightings)}


def test_the_same_line_of_two_detectors_is_one_line_with_the_evidence_of_both() -> None:
    (line,) = together([seen(OURS, 10, 10, 110, 22), seen(THEIRS, 8, 9, 112, 23)])
    assert edges(line.polygon) == (8, 9, 112, 23)
    assert set(line.sightings) == {OURS, THEIRS}


def test_a_line_grows_over_what_sticks_out_of_the_wider_box() -> None:
    (line,) = together([seen(OURS, 10, 10, 110, 22), seen(THEIRS, 12, 8, 100, 20)])
    assert edges(line.polygon) == (10, 8, 110, 22)


def test_one_long_box_and_several_short_ones_are_the_long_line() -> None:
    words = [seen(THEIRS, left, 10, left + 30, 22) for left in (10, 50, 90)]
    (line,) = together([seen(OURS, 10, 10, 120, 22), *words])
    assert edges(line.polygon) == (10, 10, 120, 22)
    assert set(line.sightings) == {OURS, THEIRS}


def test_the_surest_box_of_each_detector_speaks_for_it() -> None:
    boxes = [seen(OURS, 10, 10, 110, 22, score=0.4), seen(OURS, 12, 10, 100, 22, score=0.8, picture=1)]
    (line,) = together(boxes)
    assert line.sightings[OURS].score == 0.8
    assert line.picture == 0


def test_of_equally_long_boxes_the_surest_says_which_picture_is_read() -> None:
    (line,) = together([seen(OURS, 10, 10, 110, 22, score=0.4), seen(OURS, 10, 10, 110, 22, score=0.8, picture=1)])
    assert line.picture == 1


def test_a_line_seen_on_two_renderings_is_one_line_and_the_wider_box_stays() -> None:
    boxes = [seen(THEIRS, 10, 10, 60, 22), seen(THEIRS, 8, 9, 120, 23), seen(THEIRS, 200, 10, 240, 22)]
    assert set(places(*boxes)) == {(8, 9, 120, 23), (200, 10, 240, 22)}


def test_a_box_around_several_lines_does_not_swallow_them() -> None:
    boxes = [seen(THEIRS, 0, 0, 200, 100), seen(THEIRS, 10, 10, 60, 22), seen(THEIRS, 10, 40, 60, 52)]
    assert len(together(boxes)) == 3


def test_boxes_of_one_row_that_overlap_in_part_are_one_line() -> None:
    (line,) = together([seen(OURS, 10, 10, 80, 22), seen(THEIRS, 65, 11, 95, 23)])
    assert edges(line.polygon) == (10, 10, 95, 23)


@pytest.mark.parametrize(
    "other",
    [(65, 16, 95, 28), (65, 10, 95, 40), (78, 10, 110, 22), (90, 10, 110, 22)],
    ids=["half a line lower", "much taller", "hardly overlapping", "beside it"],
)
def test_boxes_that_are_not_obviously_one_line_stay_two(other: Edges) -> None:
    assert set(places(seen(OURS, 10, 10, 80, 22), seen(THEIRS, *other))) == {(10, 10, 80, 22), other}


def test_neighbouring_rows_stay_apart_however_many_boxes_there_are() -> None:
    rows = [(10, top, 110, top + 12) for top in range(10, 80, 11)]
    boxes = [seen(agent, *row, picture=n) for row in rows for agent in (OURS, THEIRS) for n in (0, 1)]
    assert set(places(*boxes)) == set(rows)


def test_lines_of_a_slope_are_put_together_along_it() -> None:
    def sloping(agent: str, start: float, length: float, down: float, lean: float = 30) -> Sighting:
        cos, sin = math.cos(math.radians(lean)), math.sin(math.radians(lean))
        corners = [(start, down), (start + length, down), (start + length, down + 12), (start, down + 12)]
        place = as_polygon([(50 + u * cos - v * sin, 50 + u * sin + v * cos) for u, v in corners])
        return Sighting(agent, 0, DetectedBox(place, 0.9, 0.0))

    # Upright bounds of the two rows overlap by far more than half.
    lines = together([sloping(OURS, 0, 100, 0), sloping(THEIRS, 5, 100, 1), sloping(OURS, 0, 90, 14)])
    assert sorted(len(line.sightings) for line in lines) == [1, 2]
    both = max(lines, key=lambda line: len(line.sightings))
    (x, y), (right, down), _, (left, low) = both.polygon
    assert math.hypot(right - x, down - y) == pytest.approx(105, abs=0.2)
    assert math.hypot(left - x, low - y) == pytest.approx(13, abs=0.2)


def test_boxes_that_cross_are_two_lines() -> None:
    assert len(together([seen(OURS, 10, 50, 110, 62), seen(THEIRS, 50, 10, 62, 110)])) == 2


def test_upright_lines_are_put_together_along_the_column() -> None:
    (line,) = together([seen(OURS, 10, 10, 22, 110), seen(THEIRS, 10, 90, 22, 140)])
    assert edges(line.polygon) == (10, 10, 22, 140)


@pytest.mark.parametrize("kind", ["handwriting", "barcode"])
def test_what_is_of_another_kind_is_a_line_of_its_own(kind: str) -> None:
    label = seen(OURS, 10, 10, 80, 22, kind="printed")
    mark = seen(OURS, 90, 10, 150, 22, kind=kind)
    lines = places(label, mark, seen(THEIRS, 10, 10, 152, 22))
    assert sorted(line.kind for line in lines.values()) == sorted(["printed", kind])
    assert lines[10, 10, 152, 22].kind == "printed"
    # The other detector's box reaches over the mark, so both see text there.
    assert set(lines[90, 10, 150, 22].around) == {THEIRS}


@pytest.mark.parametrize("kinds", [("printed", "handwriting"), ("handwriting", "printed"), ("barcode", "printed")])
def test_one_box_that_looks_different_on_two_renderings_does_not_pass_for_print(kinds: tuple[str, str]) -> None:
    sure = seen(OURS, 10, 10, 110, 22, kind=kinds[0], score=0.9)
    unsure = seen(OURS, 12, 10, 100, 22, kind=kinds[1], score=0.3, picture=1)
    (line,) = together([sure, unsure])
    assert line.kind == next(kind for kind in kinds if kind != "printed")


def test_a_kind_is_taken_over_from_the_detector_that_knows_it() -> None:
    (line,) = together([seen(THEIRS, 8, 9, 112, 23), seen(OURS, 10, 10, 110, 22, kind="handwriting")])
    assert line.kind == "handwriting"


def test_a_box_around_a_few_lines_tells_that_its_detector_sees_them() -> None:
    lines = places(
        seen(OURS, 10, 10, 110, 34), seen(THEIRS, 10, 10, 110, 21), seen(THEIRS, 10, 23, 90, 34), seen(OURS, 0, 0, 9, 9)
    )
    assert set(lines[10, 10, 110, 21].around) == set(lines[10, 23, 90, 34].around) == {OURS}
    assert [set(lines[box].sightings) for box in ((10, 10, 110, 34), (10, 10, 110, 21))] == [{OURS}, {THEIRS}]
    assert lines[10, 10, 110, 34].around == {}


def test_a_box_around_half_the_picture_tells_nothing_of_the_lines_in_it() -> None:
    lines = places(seen(OURS, 0, 0, 200, 200), seen(THEIRS, 10, 10, 110, 21))
    assert lines[10, 10, 110, 21].around == {}


def test_no_boxes_make_no_lines() -> None:
    assert together([]) == []


def test_a_box_without_extent_does_no_harm() -> None:
    assert len(together([seen(OURS, 10, 10, 10, 10), seen(THEIRS, 10, 10, 110, 22)])) >= 1


BOXES = st.builds(
    lambda agent, left, top, width, height, score, kind, picture: seen(
        agent, left, top, left + width, top + height, score=score, kind=kind if agent == OURS else "", picture=picture
    ),
    st.sampled_from([OURS, THEIRS]),
    st.integers(0, 120),
    st.integers(0, 60),
    st.integers(3, 120),
    st.integers(3, 40),
    st.floats(0, 1),
    st.sampled_from(["printed", "printed", "handwriting", "barcode"]),
    st.integers(0, 2),
)


def painted(polygons: list[Polygon]) -> NDArray[np.bool_]:
    mask = np.zeros((200, 400), bool)
    for polygon in polygons:
        left, top, right, bottom = (round(value) for value in edges(polygon))
        mask[top:bottom, left:right] = True
    return mask


def short_side(polygon: Polygon) -> float:
    left, top, right, bottom = edges(polygon)
    return min(right - left, bottom - top)


@settings(max_examples=300, deadline=None)
@given(st.lists(BOXES, max_size=25))
def test_every_box_of_every_detector_is_covered_by_the_lines(sightings: list[Sighting]) -> None:
    lines = together(sightings)
    covered = painted([line.polygon for line in lines])
    for sighting in sightings:
        own = painted([sighting.box.polygon])
        assert (covered & own).sum() >= 0.95 * own.sum()
    assert len(lines) <= len(sightings)
    assert sum(len(line.sightings) for line in lines) <= len(sightings)
    # Only boxes of like height make a line: it is never much higher than the lowest of them.
    for line in lines:
        lowest = min(short_side(box.polygon) for box in line.sightings.values())
        assert short_side(line.polygon) <= 2.6 * lowest + 1e-6


def test_a_box_drawn_wide_of_the_letters_is_the_same_line() -> None:
    tight = Sighting("deidra-det", 0, DetectedBox(box_polygon(22, 49, 260, 73), 0.99, 0.0001, "printed"))
    loose = Sighting("ppocr-det", 0, DetectedBox(box_polygon(13, 38, 269, 81), 0.84, 0.09))
    (line,) = together([tight, loose])
    assert line.polygon == box_polygon(13, 38, 269, 81)
    assert set(line.sightings) == {"deidra-det", "ppocr-det"}


def test_a_box_drawn_wide_of_small_letters_is_the_same_line() -> None:
    tight = Sighting("deidra-det", 0, DetectedBox(box_polygon(512, 475, 640, 497), 0.99, 0.0001, "printed"))
    loose = Sighting("ppocr-det", 0, DetectedBox(box_polygon(500, 461, 652, 510), 0.84, 0.09))
    assert [line.polygon for line in together([tight, loose])] == [loose.box.polygon]


def test_a_block_of_two_lines_is_not_either_of_them() -> None:
    lines = [Sighting("deidra-det", 0, DetectedBox(box_polygon(20, y, 260, y + 20), 0.99, 0.0001)) for y in (50, 72)]
    block = Sighting("ppocr-det", 0, DetectedBox(box_polygon(20, 50, 260, 92), 0.84, 0.09))
    assert len(together([*lines, block])) == 3


def test_a_block_of_three_lines_is_none_of_them() -> None:
    lines = [
        Sighting("deidra-det", 0, DetectedBox(box_polygon(20, y, 260, y + 20), 0.99, 0.0001)) for y in (50, 72, 94)
    ]
    block = Sighting("ppocr-det", 0, DetectedBox(box_polygon(20, 50, 260, 114), 0.84, 0.09))
    assert len(together([*lines, block])) == 4


@settings(max_examples=100, deadline=None)
@given(st.lists(BOXES, max_size=12))
def test_every_agent_that_saw_something_is_heard(sightings: list[Sighting]) -> None:
    lines = together(sightings)
    assert {agent for line in lines for agent in line.sightings} == {s.agent for s in sightings}

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.domain.geometry import (
    Box,
    area,
    as_polygon,
    bounding_box,
    box_polygon,
    intersection_area,
    iou,
    padded_box,
    slice_along,
)

NUMBERS = st.integers(-500, 500)
BOXES = st.tuples(NUMBERS, NUMBERS, st.integers(1, 300), st.integers(1, 300)).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)
POINTS = st.tuples(st.floats(-1000, 1000), st.floats(-1000, 1000))


@given(st.lists(POINTS, min_size=1, max_size=8))
def test_the_bounding_box_holds_every_point(points: list[tuple[float, float]]) -> None:
    polygon = as_polygon(points)
    left, top, right, bottom = bounding_box(polygon)
    assert all(left <= x <= right and top <= y <= bottom for x, y in polygon)
    assert all(isinstance(edge, int) for edge in (left, top, right, bottom))


@given(BOXES)
def test_a_box_of_whole_pixels_is_its_own_bounding_box(box: Box) -> None:
    assert bounding_box(box_polygon(*box)) == box


@given(BOXES, st.integers(1, 400), st.integers(1, 400), st.floats(0, 1), st.integers(0, 50))
def test_a_padded_box_stays_in_the_frame_and_covers_what_is_in_it(
    box: Box, width: int, height: int, share: float, least: int
) -> None:
    left, top, right, bottom = padded_box(box_polygon(*box), width, height, share, least)
    assert left >= 0
    assert top >= 0
    assert right <= width
    assert bottom <= height
    inside = (max(0, box[0]), max(0, box[1]), min(width, box[2]), min(height, box[3]))
    if area(inside):
        assert intersection_area((left, top, right, bottom), inside) == area(inside)


def test_a_box_is_padded_by_a_share_of_its_smaller_side_and_at_least_some_pixels() -> None:
    assert padded_box(box_polygon(100, 100, 200, 140), 500, 500, 0.15, 2) == (94, 94, 206, 146)
    assert padded_box(box_polygon(100, 100, 140, 200), 500, 500, 0.15, 2) == (94, 94, 146, 206)
    assert padded_box(box_polygon(100, 100, 200, 104), 500, 500, 0.15, 2) == (98, 98, 202, 106)
    assert padded_box(box_polygon(0, 0, 10, 10), 500, 500, 0.0, 0) == (0, 0, 10, 10)


@given(BOXES, BOXES)
def test_overlap_is_symmetric_and_between_nothing_and_all(a: Box, b: Box) -> None:
    assert iou(a, b) == iou(b, a)
    assert 0 <= iou(a, b) <= 1
    assert intersection_area(a, b) <= min(area(a), area(b))
    assert iou(a, a) == 1


def test_boxes_that_only_touch_share_nothing() -> None:
    assert intersection_area((0, 0, 10, 10), (10, 0, 20, 10)) == 0
    assert iou((0, 0, 10, 10), (5, 0, 15, 10)) == pytest.approx(1 / 3)
    assert iou((3, 3, 3, 3), (3, 3, 3, 3)) == 0
    assert area((5, 5, 1, 9)) == 0


FRACTIONS = st.floats(0, 1)


@given(FRACTIONS, FRACTIONS)
def test_a_slice_of_an_upright_line_is_cut_along_x(start: float, end: float) -> None:
    left, top, right, bottom = 10, 20, 110, 40
    cut = slice_along(box_polygon(left, top, right, bottom), start, end)
    assert [y for _, y in cut] == [top, top, bottom, bottom]
    assert cut[0][0] == pytest.approx(left + start * 100, abs=0.06)
    assert cut[1][0] == pytest.approx(left + end * 100, abs=0.06)


def test_the_whole_slice_is_the_polygon_itself() -> None:
    polygon = as_polygon([(0, 10), (60, 0), (62, 20), (2, 30)])
    assert slice_along(polygon, 0, 1) == polygon


def test_a_slice_follows_rotated_text() -> None:
    # Text that is read upwards: its top left corner is at the bottom left of the frame.
    upwards = as_polygon([(0, 100), (0, 0), (20, 0), (20, 100)])
    assert slice_along(upwards, 0.25, 0.5) == ((0, 75), (0, 50), (20, 50), (20, 75))


def test_coordinates_are_rounded_to_a_tenth_of_a_pixel() -> None:
    assert as_polygon([[1.26, 2.04]]) == ((1.3, 2.0),)

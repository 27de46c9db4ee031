"""Which candidate boxes tell of the same text, and rectangles from bounds and slope."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.domain.geometry import bounding_box
from deidra.models.candidates import distinct, overlaps, quadrilateral


def boxes(*rows: tuple[float, float, float, float]) -> np.ndarray:
    return np.array(rows, np.float32).reshape(-1, 4)


def scores(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_overlap_of_a_box_with_its_half() -> None:
    union, held = overlaps(boxes((0, 0, 10, 10))[0], boxes((0, 0, 5, 10), (20, 20, 30, 30)))
    assert union.tolist() == [0.5, 0.0]
    assert held.tolist() == [1.0, 0.0]


def test_of_two_boxes_on_one_text_the_better_stays() -> None:
    found = distinct(boxes((0, 0, 100, 20), (4, 1, 104, 21)), scores(0.6, 0.9))
    assert found.tolist() == [1]


def test_a_piece_of_a_line_goes_with_the_line() -> None:
    assert distinct(boxes((0, 0, 200, 20), (150, 1, 198, 19)), scores(0.9, 0.8)).tolist() == [0]


def test_small_text_inside_a_large_letter_stays() -> None:
    assert distinct(boxes((0, 0, 200, 100), (50, 40, 100, 52)), scores(0.9, 0.8)).tolist() == [0, 1]


def test_neighbours_stay() -> None:
    assert distinct(boxes((0, 0, 100, 20), (0, 22, 100, 42)), scores(0.5, 0.9)).tolist() == [1, 0]


def test_nothing_gives_nothing() -> None:
    assert distinct(boxes(), scores()).tolist() == []


@given(st.floats(20, 400), st.floats(6, 60), st.floats(-44, 44).filter(lambda d: abs(d) > 2), st.floats(-50, 800))
def test_a_sloping_rectangle_is_found_again_from_its_bounds(
    along: float, across: float, degrees: float, x: float
) -> None:
    slope = math.radians(degrees)
    lean = abs(slope)
    width = along * math.cos(lean) + across * math.sin(lean)
    height = along * math.sin(lean) + across * math.cos(lean)
    corners = quadrilateral(np.array([x, 10, x + width, 10 + height], np.float32), slope, min(along, across))
    (x0, y0), (x1, y1), (x2, y2), _ = corners
    assert math.dist((x0, y0), (x1, y1)) == pytest.approx(along, abs=0.5)
    assert math.dist((x1, y1), (x2, y2)) == pytest.approx(across, abs=0.5)
    assert math.degrees(math.atan2(y1 - y0, x1 - x0)) == pytest.approx(degrees, abs=1)


@pytest.mark.parametrize("degrees", [0, 1, -1.4])
def test_without_a_clear_slope_the_bounds_are_the_answer(degrees: float) -> None:
    corners = quadrilateral(np.array([3, 4, 50, 30], np.float32), math.radians(degrees), 20)
    assert corners == ((3, 4), (50, 4), (50, 30), (3, 30))
    assert bounding_box(corners) == (3, 4, 50, 30)

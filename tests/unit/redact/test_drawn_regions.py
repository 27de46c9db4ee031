"""What a curator has drawn is covered as it was drawn, of whatever shape."""

import math

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.decide.policy import RedactSection, Shape
from deidra.app.domain.geometry import box_polygon, is_upright
from deidra.app.redact.paint import Region, regions_of
from deidra.app.redact.plan import Mark

WIDTH, HEIGHT = 120, 90


def covered(polygon, settings=None) -> np.ndarray:
    """Which pixels of a frame are covered, as bool ``(HEIGHT, WIDTH)``."""
    mask = np.zeros((HEIGHT, WIDTH), bool)
    marks = [Mark(polygon, 0, drawn=True)]
    for region, _ in regions_of(marks, 0, WIDTH, HEIGHT, settings or RedactSection()):
        mask[region.rows, region.columns] |= region.mask
    return mask


def star(x: float, y: float, radii: list[float]):
    """A polygon around (x, y) that does not cross itself, a corner for each radius."""
    turn = 2 * math.pi / len(radii)
    return tuple((x + r * math.cos(n * turn), y + r * math.sin(n * turn)) for n, r in enumerate(radii))


@given(
    st.floats(-10, WIDTH + 10),
    st.floats(-10, HEIGHT + 10),
    st.lists(st.floats(6, 60), min_size=3, max_size=9),
)
def test_a_drawn_polygon_covers_what_is_in_it_and_ends_two_pixels_behind_its_edge(x, y, radii):
    polygon = star(x, y, radii)
    mask = covered(polygon)
    contour = np.array(polygon, np.float32)
    for row, column in np.ndindex(HEIGHT, WIDTH):
        if (row + column) % 3:
            continue
        distance = cv2.pointPolygonTest(contour, (column + 0.5, row + 0.5), True)
        if distance > -0.4:
            assert mask[row, column]
        elif distance < -2.6:
            assert not mask[row, column]


def test_an_edge_that_crosses_itself_leaves_no_hole():
    points = [(60 + 40 * math.sin(n * 0.8 * math.pi), 45 - 40 * math.cos(n * 0.8 * math.pi)) for n in range(5)]
    mask = covered(tuple(points))
    assert mask[45, 60]
    assert not mask[45, 60 - 38]


@pytest.mark.parametrize("shape", list(Shape))
def test_a_drawn_box_is_covered_to_the_pixel_and_without_padding(shape):
    mask = covered(box_polygon(20, 10, 60, 70), RedactSection(shape=shape))
    assert mask.sum() == 40 * 60
    assert mask[10:70, 20:60].all()


def test_a_box_between_pixels_covers_each_pixel_that_it_touches():
    assert covered(box_polygon(20.4, 10.6, 59.2, 69.1)).nonzero()[0].tolist()[0] == 10
    assert covered(box_polygon(20.4, 10.6, 59.2, 69.1)).sum() == 40 * 60


def test_what_is_drawn_outside_the_frame_covers_nothing():
    assert not covered(((200.0, 10.0), (220.0, 12.0), (210.0, 40.0))).any()


@pytest.mark.parametrize(
    ("polygon", "upright"),
    [
        (box_polygon(1, 2, 3, 4), True),
        (((3, 2), (1, 2), (1, 4), (3, 4)), True),
        (((1, 2), (3, 2), (3, 4)), False),
        (((1, 2), (3, 2.5), (3, 4), (1, 4)), False),
        (((1, 2), (3, 2), (3, 4), (3, 4)), False),
    ],
)
def test_only_rectangles_along_the_axes_are_upright(polygon, upright):
    assert is_upright(polygon) is upright


def test_a_region_that_was_found_keeps_its_padding():
    found = Region.of(box_polygon(20, 10, 60, 70), WIDTH, HEIGHT, RedactSection())
    assert found.box == (14, 4, 66, 76)

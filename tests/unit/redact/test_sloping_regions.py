"""Text that runs at a slope is covered by a rectangle that slopes with it."""

import math

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.decide.policy import Fill, RedactSection, Shape
from deidra.app.domain.geometry import as_polygon, box_polygon, padded_box, padded_polygon
from deidra.app.redact.paint import Palette, Region, cover

BLACK = Palette((0,), (255,))
SECTION = RedactSection()


def rectangle(x: float, y: float, width: float, height: float, degrees: float):
    """Corners of a rectangle around (x, y), clockwise from the top left as its text is read."""
    u = (math.cos(math.radians(degrees)), math.sin(math.radians(degrees)))
    v = (-u[1], u[0])
    halves = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return as_polygon(
        [
            (x + s * width / 2 * u[0] + t * height / 2 * v[0], y + s * width / 2 * u[1] + t * height / 2 * v[1])
            for s, t in halves
        ]
    )


def mask_of(region: Region, height: int, width: int):
    mask = np.zeros((height, width), bool)
    left, top, right, bottom = region.box
    mask[top:bottom, left:right] = True if region.inside is None else region.inside
    return mask


@given(
    st.floats(-50, 350), st.floats(-50, 250), st.floats(8, 300), st.floats(6, 60),
    st.floats(-88, 88).filter(lambda a: abs(a) > 2),
)  # fmt: skip
def test_a_sloping_region_holds_every_pixel_that_its_padded_rectangle_touches(x, y, width, height, degrees):
    polygon = rectangle(x, y, width, height, degrees)
    painted = mask_of(Region.of(polygon, 300, 200, SECTION), 200, 300)
    wanted = np.zeros((200, 300), np.uint8)
    pad = max(2, 0.15 * min(width, height)) - 0.2
    grown = np.array(rectangle(x, y, width + 2 * pad, height + 2 * pad, degrees))
    cv2.fillConvexPoly(wanted, np.round((grown - 0.5) * 16).astype(np.int32), 1, shift=4)
    assert painted[wanted > 0].all()


@given(st.floats(60, 240), st.floats(60, 140), st.floats(40, 110), st.floats(6, 20), st.floats(10, 80))
def test_a_sloping_region_ends_a_pixel_behind_its_padding(x, y, width, height, degrees):
    polygon = rectangle(x, y, width, height, degrees)
    painted = mask_of(Region.of(polygon, 300, 200, SECTION), 200, 300)
    pad = max(2, 0.15 * min(width, height)) + 1.6
    rows, columns = np.nonzero(painted)
    u = (math.cos(math.radians(degrees)), math.sin(math.radians(degrees)))
    along = (columns + 0.5 - x) * u[0] + (rows + 0.5 - y) * u[1]
    across = -(columns + 0.5 - x) * u[1] + (rows + 0.5 - y) * u[0]
    assert np.abs(along).max(initial=0) <= width / 2 + pad
    assert np.abs(across).max(initial=0) <= height / 2 + pad


@pytest.mark.parametrize(
    "polygon",
    [
        box_polygon(20, 30, 120, 50),
        rectangle(80, 60, 100, 20, 1),
        rectangle(80, 60, 100, 20, 90),
        ((10.0, 10.0), (90.0, 20.0), (70.0, 60.0)),
        ((10.0, 10.0), (90.0, 20.0), (140.0, 60.0), (5.0, 70.0)),
        ((10.0, 10.0), (90.0, 20.0), (90.0, 20.0), (10.0, 10.0)),
    ],
)
def test_what_is_upright_or_no_rectangle_is_covered_as_its_bounding_box(polygon):
    region = Region.of(polygon, 200, 100, SECTION)
    assert region.inside is None
    assert region.box == padded_box(polygon, 200, 100, SECTION.padding_share, SECTION.padding_least)
    assert padded_polygon(polygon) is None


def test_the_policy_can_ask_for_upright_boxes():
    polygon = rectangle(100, 60, 120, 20, 25)
    assert Region.of(polygon, 200, 150, RedactSection(shape=Shape.BOX)) == Region(padded_box(polygon, 200, 150))


@pytest.mark.parametrize("fill", list(Fill))
@pytest.mark.parametrize("samples", [1, 3])
def test_pixels_outside_a_sloping_region_keep_their_values(fill, samples):
    before = np.random.default_rng(3).integers(0, 255, (120, 160, samples)).astype(np.uint8)
    region = Region.of(rectangle(80, 60, 100, 20, 30), 160, 120, SECTION)
    after = before.copy()
    cover(after, region, fill, Palette((0,) * samples, (255,) * samples))
    mask = mask_of(region, 120, 160)
    assert np.array_equal(after[~mask], before[~mask])
    if fill not in (Fill.INPAINT, Fill.BLUR):
        assert len(np.unique(after[mask], axis=0)) == 1
    assert mask.sum() < 0.75 * (region.box[2] - region.box[0]) * (region.box[3] - region.box[1])


def test_a_region_outside_the_frame_covers_nothing():
    region = Region.of(rectangle(-300, -300, 100, 20, 30), 160, 120, SECTION)
    plane = np.ones((120, 160), np.uint8)
    cover(plane, region, Fill.BLACK, BLACK)
    assert plane.all()

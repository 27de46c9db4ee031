from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deidra.app.detect.orientation import upright_lines
from deidra.app.domain.geometry import Polygon, box_polygon
from deidra.app.domain.model import Evidence, TextLine
from deidra.app.load.turning import Turning
from deidra.models.text_detector import DetectedBox

Image = np.ndarray


def share(a: Polygon, b: Polygon) -> float:
    """Intersection over union of two convex polygons."""
    first, second = np.array(a, np.float32), np.array(b, np.float32)
    shared, _ = cv2.intersectConvexConvex(first, second)
    return float(shared / (cv2.contourArea(first) + cv2.contourArea(second) - shared))


@settings(deadline=None)
@given(
    degrees=st.one_of(st.integers(0, 359), st.floats(0, 360)),
    width=st.integers(80, 900),
    height=st.integers(80, 900),
    scale=st.sampled_from([0.25, 1.0]),
)
def test_ink_on_a_turned_page_is_brought_back_to_its_place(
    degrees: float, width: int, height: int, scale: float
) -> None:
    width, height = max(40, int(width * scale)), max(40, int(height * scale))
    place = box_polygon(width // 8, height // 4, width // 8 + 25, height // 4 + 12)
    page = np.full((height, width, 3), 255, np.uint8)
    page[height // 4 : height // 4 + 12, width // 8 : width // 8 + 25] = 0
    turning = Turning(width, height, degrees)
    turned = turning.picture(page)
    assert turned.shape[1::-1] == turning.size
    ys, xs = np.nonzero(turned[:, :, 0] < 128)
    seen = turning.there(place)
    # All ink lies where it is said to be, and nothing was cut off.
    inside = [
        cv2.pointPolygonTest(np.array(seen, np.float32), (x + 0.5, y + 0.5), True) for x, y in zip(xs, ys, strict=True)
    ]
    assert min(inside) > -1
    assert len(xs) == pytest.approx(300, rel=0.15)
    assert share(turning.back(seen), place) > 0.98


@settings(deadline=None)
@given(degrees=st.floats(-720, 720), x=st.floats(0, 500), y=st.floats(0, 300))
def test_there_and_back_is_no_change(degrees: float, x: float, y: float) -> None:
    turning = Turning(500, 300, degrees)
    place = ((x, y), (x + 40, y), (x + 40, y + 20), (x, y + 20))
    np.testing.assert_allclose(turning.back(turning.there(place)), place, atol=0.15)


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_quarter_turns_move_pixels_and_change_none(degrees: int) -> None:
    page = np.random.default_rng(1).integers(0, 255, (30, 50, 3)).astype(np.uint8)
    turned = Turning(50, 30, degrees).picture(page)
    np.testing.assert_array_equal(np.rot90(turned, degrees // 90), page)


def page_of_lines() -> Image:
    """Rows of marks of random widths and gaps, as words are."""
    page = np.full((800, 600, 3), 255, np.uint8)
    rng = np.random.default_rng(5)
    for top in range(60, 740, 34):
        left = 60
        while left < 540:
            width = int(rng.integers(6, 60))
            page[top : top + 18, left : min(540, left + width)] = 30
            left += width + int(rng.integers(5, 14))
    # What tells the upper end.
    page[60:78, 60:540] = 255
    page[60:78, 60:160] = (200, 0, 0)
    return page


class Reader:
    """Reads a line where rows of dark marks are level and the red mark stands above, and nothing anywhere else."""

    def __init__(self) -> None:
        self.searched = 0
        self.looked = 0
        self.upright = True

    def _red(self, picture: Image) -> tuple[float, float, float, float] | None:
        rgb = picture.astype(int)
        ys, xs = np.nonzero((rgb[:, :, 0] > 150) & (rgb[:, :, 1] < 60))
        return (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1) if len(xs) else None

    @staticmethod
    def _stands(picture: Image, box: tuple[float, float, float, float]) -> bool:
        return box[1] < picture.shape[0] / 2 and box[0] < picture.shape[1] / 2

    def page_lines(self, picture: Image) -> list[TextLine]:
        self.searched += 1
        box = self._red(picture)
        if box is None:
            return []
        level = (box[2] - box[0]) > 4 * (box[3] - box[1])
        score = 0.99 if level and self._stands(picture, box) else 0.3
        text = "a line that can be read"
        return [TextLine(box_polygon(*box), text, (), (Evidence("ppocr-rec", text, None, score, 0.0),))]

    def suspects(self, picture: Image) -> list[DetectedBox]:
        self.looked += 1
        box = self._red(picture)
        self.upright = box is not None and self._stands(picture, box)
        return [DetectedBox(box_polygon(*box), 1.0, 0.0, "")] if box else []

    def confidences(self, crops: Sequence[Image]) -> list[float]:
        # The one that was cut from the page first, unless the page is upside down.
        return [0.9, 0.2] if self.upright else [0.2, 0.9]


@pytest.mark.parametrize("degrees", [0, 90, 180, 270, 12, 17, 45, 133, 211, 305.5])
def test_a_page_is_read_whichever_way_it_lies_and_places_are_those_of_the_page(degrees: float) -> None:
    upright = page_of_lines()
    turning = Turning(600, 800, degrees)
    reader = Reader()
    (line,) = upright_lines(turning.picture(upright), reader)
    truth = turning.there(box_polygon(60, 60, 160, 78))
    assert share(line.polygon, truth) >= 0.85
    # Its corners are in reading order, so that words can be cut out.
    np.testing.assert_allclose(line.polygon[0], truth[0], atol=3)


def test_an_upright_page_is_searched_once_and_nothing_else_is_looked_at() -> None:
    reader = Reader()
    upright_lines(page_of_lines(), reader)
    assert (reader.searched, reader.looked) == (1, 0)


def test_an_empty_page_is_searched_once() -> None:
    reader = Reader()
    assert upright_lines(np.full((300, 200, 3), 255, np.uint8), reader) == []
    assert (reader.searched, reader.looked) == (1, 0)


def test_a_page_on_which_turning_helps_nothing_stays_as_it_was_read() -> None:
    noise = np.random.default_rng(3).integers(0, 255, (300, 200, 3)).astype(np.uint8)
    noise[:, :, 0] = noise[:, :, 1]
    reader = Reader()
    assert upright_lines(noise, reader) == []

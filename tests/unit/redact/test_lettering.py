"""Replacements look like what they replace: font, size, slope, colour, wear; nothing else of the page changes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from deidra.app.decide.redaction import Fill, RedactSection
from deidra.app.domain.geometry import Polygon, bounding_box, box_polygon
from deidra.app.redact.documents import redact_page
from deidra.app.redact.fonts import Face, faces
from deidra.app.redact.ink import low_ink_lines, mottled
from deidra.app.redact.lettering import style_of, write_like
from deidra.app.redact.plan import Mark

WAS, NEW = "Okonkwo, Adaeze", "Lindqvist, Marta"
PAPER = (244, 240, 228)


def page(face: Face, size: int = 28, ink: tuple[int, int, int] = (20, 20, 20), paper: tuple[int, int, int] = PAPER):
    """A sheet with a name on it, and the box of the name."""
    image = Image.new("RGB", (640, 120), paper)
    draw = ImageDraw.Draw(image)
    draw.text((150, 70), WAS, fill=ink, font=face.at(size), anchor="ls")
    left, top, right, bottom = draw.textbbox((150, 70), WAS, font=face.at(size), anchor="ls")
    return np.asarray(image).copy(), (int(left) - 3, int(top) - 3, int(right) + 3, int(bottom) + 3)


def replaced(sheet: np.ndarray, place: Polygon) -> tuple[np.ndarray, Polygon]:
    after = sheet.copy()
    cv2.fillPoly(after, [np.int32(place)], tuple(int(v) for v in np.median(sheet.reshape(-1, 3), axis=0)))
    written = write_like(sheet, after, place, WAS, NEW)
    assert written is not None
    return after, written


@pytest.mark.parametrize("face", faces()[:12], ids=lambda face: face.file or "Pillow's own")
@pytest.mark.parametrize("size", [16, 30])
def test_size_base_line_and_width_are_those_of_the_original(face: Face, size: int) -> None:
    sheet, box = page(face, size)
    style = style_of(sheet[box[1] : box[3], box[0] : box[2]], WAS)
    assert style is not None
    own = face.at(size)
    assert style.face.at(style.size).getlength(WAS) * style.stretch == pytest.approx(own.getlength(WAS), rel=0.06)
    assert style.origin[1] + box[1] == pytest.approx(70, abs=1.5)
    assert style.mottling == 0


def test_the_font_is_the_one_that_was_used_where_it_is_there() -> None:
    right = 0
    for face in faces():
        sheet, box = page(face, 32)
        style = style_of(sheet[box[1] : box[3], box[0] : box[2]], WAS)
        right += style is not None and style.face == face
    # Families exist under several names; Pillow's own is always there.
    assert right >= max(1, len(faces()) - 3)


@pytest.mark.parametrize("ink", [(20, 20, 20), (10, 30, 120), (150, 20, 20)])
def test_the_colour_is_that_of_the_original(ink: tuple[int, int, int]) -> None:
    sheet, box = page(Face(), 32, ink)
    after, _ = replaced(sheet, box_polygon(*box))
    darkest = after[box[1] : box[3], box[0] : box[2]].reshape(-1, 3)
    darkest = darkest[darkest.sum(1).argsort()[:40]].mean(0)
    assert np.abs(darkest - ink).max() < 25


def test_light_ink_on_a_dark_ground_stays_light() -> None:
    sheet, box = page(Face(), 30, (250, 250, 250), (20, 40, 80))
    after, _ = replaced(sheet, box_polygon(*box))
    inside = after[box[1] : box[3], box[0] : box[2]]
    assert inside.max() > 230
    assert np.median(inside.reshape(-1, 3), axis=0) == pytest.approx((20, 40, 80))


@pytest.mark.parametrize("degrees", [-8, 5, 30])
def test_a_sloping_text_is_replaced_along_its_slope(degrees: float) -> None:
    sheet, box = page(Face(), 28)
    sheet = cv2.copyMakeBorder(sheet, 200, 200, 0, 0, cv2.BORDER_REPLICATE)
    matrix = cv2.getRotationMatrix2D((320, 260), degrees, 1)
    turned = cv2.warpAffine(sheet, matrix, (640, 520), borderMode=cv2.BORDER_REPLICATE)
    corners = np.array(box_polygon(box[0], box[1] + 200, box[2], box[3] + 200), float)
    place = tuple((float(x), float(y)) for x, y in np.column_stack([corners, np.ones(4)]) @ matrix.T)
    _, written = replaced(turned, place)
    (ax, ay), (bx, by) = written[0], written[1]
    assert np.degrees(np.arctan2(by - ay, bx - ax)) == pytest.approx(-degrees, abs=0.5)


def test_a_blurred_noisy_page_gets_blurred_letters() -> None:
    sheet, box = page(Face(), 30)
    noise = np.random.default_rng(1).normal(0, 4, sheet.shape)
    blurred = np.clip(cv2.GaussianBlur(sheet, (0, 0), 1.2) + noise, 0, 255).astype(np.uint8)
    sharp, _ = replaced(sheet, box_polygon(*box))
    soft, _ = replaced(blurred, box_polygon(*box))

    def steepest(picture: np.ndarray) -> float:
        part = picture[box[1] : box[3], box[0] : box[2]].mean(2)
        return float(np.percentile(np.abs(np.diff(part, axis=1)), 98))

    assert steepest(soft) < 0.75 * steepest(sharp)


def test_worn_print_is_replaced_by_worn_print() -> None:
    sheet, box = page(Face(), 40)
    ink = 1 - sheet[..., :1].astype(np.float32) / 244
    worn = mottled(ink[..., 0], 0.35, np.random.default_rng(3))
    sheet = (np.array(PAPER) * (1 - worn[..., None]) + 20 * worn[..., None]).astype(np.uint8)
    style = style_of(sheet[box[1] : box[3], box[0] : box[2]], WAS)
    assert style is not None
    assert style.mottling > 0.1


def test_a_black_and_white_page_stays_black_and_white() -> None:
    sheet, box = page(Face(), 30, (0, 0, 0), (255, 255, 255))
    sheet = np.where(sheet > 127, 255, 0).astype(np.uint8)
    after, _ = replaced(sheet, box_polygon(*box))
    assert set(np.unique(after)) == {0, 255}


def test_a_longer_replacement_stays_in_its_place() -> None:
    sheet, box = page(Face(), 28)
    after = sheet.copy()
    cv2.rectangle(after, box[:2], (box[2] - 1, box[3] - 1), PAPER, -1)
    written = write_like(sheet, after, box_polygon(*box), WAS, "Featherstonehaugh-Cholmondeley, Bartholomew")
    assert written is not None
    assert bounding_box(written)[2] <= box[2] + 1
    assert np.array_equal(after[:, box[2] + 2 :], sheet[:, box[2] + 2 :])


@pytest.mark.parametrize("was", ["", "  "])
def test_what_was_not_read_is_not_imitated(was: str) -> None:
    sheet, box = page(Face(), 28)
    assert write_like(sheet, sheet.copy(), box_polygon(*box), was, NEW) is None


def test_an_empty_place_is_not_imitated() -> None:
    sheet = np.full((60, 200, 3), 255, np.uint8)
    assert write_like(sheet, sheet.copy(), box_polygon(10, 10, 150, 40), WAS, NEW) is None


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.floats(-50, 250), st.floats(-50, 150)), min_size=4, max_size=4),
    st.text(min_size=1, max_size=20),
    st.text(min_size=1, max_size=30),
)
def test_any_place_and_text_leaves_the_rest_of_the_page(corners: list[tuple[float, float]], was: str, new: str) -> None:
    sheet = np.random.default_rng(5).integers(0, 256, (100, 200, 3), np.uint8)
    after = sheet.copy()
    write_like(sheet, after, tuple(corners), was, new)
    assert after.shape == sheet.shape


@pytest.mark.parametrize("fill", [Fill.WHITE, Fill.BACKGROUND, Fill.INPAINT, Fill.CORNER, Fill.BLACK])
def test_a_page_changes_where_it_is_covered_and_nowhere_else(fill: Fill) -> None:
    sheet, box = page(Face(), 28)
    mark = Mark(box_polygon(*box), 0, NEW, WAS)
    after = redact_page(sheet, 0, [mark], RedactSection(fill=fill))
    changed = (after != sheet).any(2)
    ys, xs = np.nonzero(changed)
    assert (xs.min() >= box[0] - 8, ys.min() >= box[1] - 8) == (True, True)
    assert (xs.max() < box[2] + 8, ys.max() < box[3] + 8) == (True, True)
    paper = (0, 0, 0) if fill is Fill.BLACK else (255, 255, 255) if fill is Fill.WHITE else PAPER
    inside = after[box[1] : box[3], box[0] : box[2]].reshape(-1, 3)
    assert (np.abs(inside.astype(int) - paper).max(1) > 100).sum() > 200
    assert np.median(inside, axis=0) == pytest.approx(paper, abs=3)


def test_spots_and_lines_take_ink_away_only() -> None:
    ink = np.ones((40, 200), np.float32)
    rng = np.random.default_rng(0)
    assert mottled(ink, 0, rng) is ink
    assert low_ink_lines(ink, 0, rng) is ink
    spots = mottled(ink, 0.2, rng)
    assert spots.max() <= 1
    assert 0.1 < spots.std() < 0.3
    lines = low_ink_lines(ink, 0.8, rng, share=0.2)
    assert lines.max() <= 1
    assert 0 < (lines < 1).any(1).sum() <= 8

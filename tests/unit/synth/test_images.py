from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth import images
from deidra.app.synth.images import Line, burn, corner, draw_lines
from deidra.app.synth.people import Phi


@pytest.mark.parametrize(
    "maker",
    [
        images.ct_slice,
        images.mr_head,
        images.ultrasound,
        images.chest,
        images.mammogram,
        images.angiogram,
        images.pet_slice,
        images.worksheet,
    ],
)
def test_backgrounds_have_the_shape_asked_for_and_stay_between_black_and_white(maker) -> None:
    plane = maker(np.random.default_rng(1), (120, 160))
    assert plane.shape[:2] == (120, 160)
    assert plane.min() >= 0
    assert plane.max() <= 1
    assert plane.std() > 0.01


def test_a_line_with_a_private_part_reports_only_that_part() -> None:
    _, drawn = draw_lines((60, 400), [Line(("ID: ", Phi("12345678", EntityType.ID_MRN)), 10, 10)])
    assert [(item.text, item.type, item.phi) for item in drawn] == [("12345678", EntityType.ID_MRN, True)]
    assert drawn[0].box[0] > 25


def test_a_harmless_line_is_reported_as_harmless() -> None:
    _, drawn = draw_lines((60, 400), [Line(("AXIAL T2",), 10, 10)])
    assert [(item.text, item.type, item.phi) for item in drawn] == [("AXIAL T2", None, False)]


def test_the_box_is_tight_around_the_ink() -> None:
    ink, drawn = draw_lines((60, 400), [Line(("SUPINE",), 10, 10)])
    rows, columns = np.nonzero(ink > 40 / 255)
    assert drawn[0].box == (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)


def test_text_that_leaves_the_image_is_not_reported() -> None:
    assert draw_lines((60, 100), [Line(("LOST",), 300, 10)])[1] == ()


@pytest.mark.parametrize("where", ["tl", "tr", "bl", "br"])
def test_corners_stack_inside_the_image(where: str) -> None:
    _, drawn = draw_lines((200, 300), corner((200, 300), where, ["ONE", "TWO", "THREE"]))
    assert len(drawn) == 3
    assert all(first.box[3] <= second.box[1] for first, second in pairwise(drawn))
    middle = sum(drawn[0].box[::2]) / 2
    assert (middle < 150) == (where[1] == "l")


def test_burning_reaches_the_level_and_leaves_the_rest_alone() -> None:
    ink, drawn = draw_lines((60, 200), [Line(("L",), 10, 10, 32, "bold")])
    plane = np.full((60, 200, 3), 0.25)
    burned = burn(plane, ink, (1.0, 0.5, 0.0))
    left, top, right, bottom = drawn[0].box
    assert burned[top:bottom, left:right, 0].max() == pytest.approx(1)
    assert (burned[:, right + 3 :] == 0.25).all()
    assert (plane == 0.25).all()

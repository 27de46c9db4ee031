from __future__ import annotations

import numpy as np
import pytest

from deidra.app.domain.geometry import box_polygon
from deidra.app.evaluate.detector_paint import Painted, allowed_mask, painted, painted_mask, redaction


def test_boxes_are_painted_with_the_padding_of_the_product() -> None:
    mask = painted_mask([box_polygon(10, 10, 50, 20), box_polygon(60, 30, 99, 70)], 100, 100)
    rows, columns = np.nonzero(mask[:24])
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (8, 21, 8, 51)  # two pixels
    assert mask[24, 70]  # 15 % of 39 are six pixels
    assert not mask[23, 70]
    assert mask[76 - 1, 99]


def test_ink_that_is_covered_counts_for_its_text() -> None:
    ink = np.zeros((20, 40), np.uint16)
    ink[5, 5:15], ink[5, 20:30] = 1, 2
    done = painted([box_polygon(0, 3, 8, 13)], ink, 3, allowed_mask([box_polygon(5, 4, 15, 7)], 20, 40))
    assert done.share.tolist() == [0.5, 0, 0]
    # Of 10 columns and 14 rows that are covered 7 columns and 7 rows lie within two pixels of the text.
    assert done.false_share == pytest.approx((10 * 14 - 7 * 7) / 800)
    assert done.stray_share == 0


def test_what_boxes_on_no_text_cover_is_told_apart_from_edges_drawn_too_wide() -> None:
    ink = np.zeros((40, 100), np.uint16)
    polygons = [box_polygon(0, 3, 8, 13), box_polygon(50, 10, 76, 20), box_polygon(52, 10, 76, 20)]
    done = painted(polygons, ink, 0, allowed_mask([box_polygon(5, 4, 15, 7)], 40, 100))
    assert done.stray_share == pytest.approx(30 * 14 / 4000)  # where two overlap, pixels count once
    assert done.false_share == pytest.approx((30 * 14 + 10 * 14 - 7 * 7) / 4000)


def test_covering_a_text_with_its_padding_is_no_fault() -> None:
    corners = box_polygon(20, 20, 60, 30)
    done = painted([corners], np.zeros((60, 80), np.uint16), 0, allowed_mask([corners], 60, 80))
    assert done.false_share == 0


def test_beside_a_sloping_text_its_upright_bounds_are_covered_in_vain() -> None:
    corners = ((30.0, 10.0), (70.0, 50.0), (63.0, 57.0), (23.0, 17.0))
    allowed = allowed_mask([corners], 80, 100)
    assert allowed[30, 45]
    assert not allowed[12, 60]
    # A rectangle of 40 by 7 root twos, 2 pixels more on each side, and what its edge touches.
    touched = 4 + 2**0.5
    assert allowed.sum() == pytest.approx((40 * 2**0.5 + touched) * (7 * 2**0.5 + touched), rel=0.05)
    assert painted_mask([box_polygon(23, 10, 70, 57)], 80, 100)[12, 60]
    assert not (painted_mask([corners], 80, 100) & ~allowed).any()


def test_lines_and_ink_are_counted_over_all_images() -> None:
    done = [Painted(np.array([1.0, 0.05]), 0.1, 0.02), Painted(np.array([0.5]), 0.0, 0.0)]
    ink = [np.array([100, 300]), np.array([100])]
    phi = [np.array([True, True]), np.array([False])]
    figures = redaction(done, ink, phi)
    assert (figures.images, figures.lines, figures.phi_lines) == (2, 3, 2)
    assert figures.phi_ink == pytest.approx((100 + 15) / 400)
    assert figures.covered == pytest.approx(1 / 3)
    assert figures.phi_covered == pytest.approx(1 / 2)
    assert figures.missed == pytest.approx(1 / 3)
    assert figures.phi_missed == pytest.approx(1 / 2)
    assert figures.false_area == pytest.approx(0.05)
    assert figures.stray_area == pytest.approx(0.01)


def test_no_images_give_no_figures() -> None:
    assert redaction([], [], []).phi_ink == 0

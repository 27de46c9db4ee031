from __future__ import annotations

import numpy as np
import pytest

from deidra.app.evaluate.detector_cases import Case, Found, Plain, Truth
from deidra.app.evaluate.detector_doubt import doubt_figures, edge_intervals, routing, separation
from deidra.app.evaluate.detector_figures import groups, suite_figures, text_free
from deidra.app.evaluate.detector_paint import Painted
from deidra.app.evaluate.detector_papers import paper_figures
from deidra.app.evaluate.detector_pool import group_result, pool, reaches
from deidra.models.calibration import Calibration

Box = tuple[float, float, float, float]
TUNED = Calibration(0.0, 0.1, 0.5, (0.0, 1.0), (0.0, 1.0), 0.5, 0.01, 0.9, 0.002)


def case(
    texts: list[tuple[Box, str]], found: list[tuple[Box, float, float]], other: list[Box] | None = None, seed: int = 0
) -> Case:
    """An image with texts (box and layout) and candidates (box, score, variance)."""
    count, many = len(texts), len(found)
    boxes = np.array([t[0] for t in texts], np.float32).reshape(-1, 4)
    truth = Truth(
        boxes,
        np.zeros(count, np.int64),
        [t[1] for t in texts],
        ["plain"] * count,
        ["PATIENT"] * count,
        np.ones(count, bool),
        boxes[:, 3] - boxes[:, 1],
        np.full(count, 50),
    )
    score = np.array([f[1] for f in found], np.float32)
    candidates = Found(
        np.array([f[0] for f in found], np.float32).reshape(-1, 4),
        np.zeros(many, np.int64),
        score,
        score,
        np.array([f[2] for f in found], np.float32),
        np.full((many, 4), 4.0, np.float32),
    )
    plain = None
    if other is not None:
        plain = Plain(np.array(other, np.float32).reshape(-1, 4), np.ones(len(other), np.float32))
    marks = {name: Painted(np.ones(count), 0.0, 0.0) for name in ("detector", "ppocr", "union")}
    return Case("papers", seed, 200, 100, "ct", truth, candidates, marks, plain)


A: Box = (10, 10, 50, 20)
B: Box = (10, 40, 50, 50)
C: Box = (100, 70, 140, 80)


def test_a_case_is_the_same_after_it_was_written() -> None:
    one = case([(A, "corner")], [(A, 0.9, 0.0123456789)], [B])
    again = Case.from_json(one.to_json())
    assert again.truth.layout == ["corner"]
    assert again.found.boxes.tolist() == one.found.boxes.tolist()
    assert again.found.doubt[0] == pytest.approx(0.0123456789, rel=1e-5)
    assert again.other is not None
    assert again.other.boxes.tolist() == [list(B)]
    assert again.painted["union"].share.tolist() == [1.0]
    assert again.truth.phi.dtype == bool
    assert Case.from_json(case([], []).to_json()).found.boxes.shape == (0, 4)


def test_a_line_that_is_not_whole_is_refused() -> None:
    with pytest.raises(ValueError):
        Case.from_json(case([(A, "corner")], []).to_json()[:-5])


def test_columns_name_the_text_that_each_candidate_finds() -> None:
    all_ = pool([case([(A, "x")], [(A, 0.9, 0)]), case([(A, "x"), (B, "y")], [(C, 0.6, 0), (B, 0.8, 0)])], 0.7)
    assert all_.image.tolist() == [0, 1, 1]
    assert all_.score == pytest.approx([0.9, 0.8, 0.6])
    assert all_.match.tolist() == [0, 2, -1]
    assert all_.right.tolist() == [True, True, False]
    assert all_.best == pytest.approx([1, 0, 1])
    assert all_.reach == pytest.approx([0.9, 0, 0.8])


def test_a_text_is_found_by_pieces_that_hold_it_together() -> None:
    pieces = np.array([(0, 0, 45, 10), (45, 0, 100, 10)], np.float32)
    text = np.array([(0, 0, 200, 10), (0, 0, 100, 10)], np.float32)
    assert reaches(pieces, np.array([0.9, 0.4]), text)[1] == pytest.approx(0.9)  # .45 overlap alone
    small = np.array([(0, 0, 25, 10), (25, 0, 50, 10), (50, 0, 75, 10), (75, 0, 82, 10)], np.float32)
    assert reaches(small, np.array([0.9, 0.8, 0.7, 0.6]), text)[1] == pytest.approx(0.6)
    assert reaches(small, np.array([0.9, 0.8, 0.7, 0.6]), text)[0] == 0


def test_a_box_around_much_more_holds_the_text() -> None:
    found = reaches(np.array([(0, 0, 200, 90)], np.float32), np.array([0.3]), np.array([A], np.float32))
    assert found.tolist() == [0.3]


def test_groups_do_not_suffer_from_boxes_on_other_groups_or_other_images() -> None:
    images = [
        case([(A, "x"), (B, "y")], [(A, 0.9, 0), (B, 0.8, 0)]),
        case([(A, "y")], [(C, 0.95, 0), (A, 0.7, 0)]),
    ]
    all_ = pool(images, 0.75)
    x, y = (group_result(all_, np.array([w == g for c in images for w in c.truth.layout]), 0.75) for g in "xy")
    assert (x.texts, x.recall, x.ap50) == (1, 1, pytest.approx(1))
    # Wrong, right, right: monotone precision is 2/3 at every recall.
    assert (y.texts, y.recall, y.ap50) == (2, 0.5, pytest.approx(2 / 3))


def test_heights_fall_into_bins_and_wrong_boxes_count_in_their_own() -> None:
    images = [case([(A, "x"), ((10, 40, 90, 75), "x")], [(A, 0.9, 0), ((10, 40, 90, 75), 0.8, 0), (C, 0.95, 0)])]
    heights = groups(images, pool(images, 0.5), 0.5)["height"]
    assert heights["10-14"] == {"texts": 1, "recall": 1, "ap50": pytest.approx(0.5)}
    assert heights["32-64"] == {"texts": 1, "recall": 1, "ap50": pytest.approx(1)}
    assert heights["<8"]["texts"] == 0


def test_false_boxes_are_counted_on_images_without_text() -> None:
    images = [case([], [(A, 0.9, 0), (B, 0.2, 0)]), case([], []), case([(A, "x")], [(B, 0.9, 0)])]
    assert text_free(images, 0.5) == {"images": 2, "boxes_per_image": 0.5, "images_with_boxes": 0.5}


def test_edges_within_one_and_two_deviations() -> None:
    moved = (11, 13, 55, 20)  # off by 1, 3, 5 and 0 pixels; the deviation is 2
    intervals = edge_intervals(pool([case([(A, "x")], [(moved, 0.9, 0)])], 0.5), np.array([True]))
    assert intervals["edges"] == 4
    assert intervals["within"] == pytest.approx([0.5, 0.75])
    assert intervals["by_edge"]["right"] == [0, 0]
    assert intervals["mean_error_px"] == pytest.approx(9 / 4)


def test_wrong_boxes_that_are_always_more_doubted_are_told_apart() -> None:
    assert separation(np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, False, True, True])) == 1
    assert separation(np.array([1.0, 1.0]), np.array([False, True])) == 0.5


def test_what_would_be_queued_and_why() -> None:
    images = [
        case([(A, "x"), (B, "x")], [(A, 0.95, 0.01), (C, 0.93, 0.08)], other=[A, B]),
        case([(A, "x")], [(A, 0.8, 0.01), (C, 0.99, 0.0)]),
    ]
    answer = routing(images, pool(images, TUNED.least_score), TUNED)
    assert answer["wrong"]["boxes"] == 2
    assert answer["wrong"]["doubted"] == 0.5
    assert answer["wrong"]["doubted_or_unsure"] == 0.5
    assert answer["wrong"]["where_ppocr_looked"] == {"boxes": 1, "alone": 1, "any": 1}
    assert answer["right"]["unsure"] == 0.5
    assert answer["right"]["where_ppocr_looked"] == {"boxes": 1, "alone": 0, "any": 0}
    assert answer["missed"]["texts"] == 1
    assert answer["missed"]["where_ppocr_looked"] == {"texts": 1, "found_by_ppocr": 1}


def test_all_figures_of_a_suite_come_out() -> None:
    images = [case([(A, "paper000")], [(A, 0.9, 0.01)], other=[A]), case([], [])]
    all_ = pool(images, 0.5)
    figures = suite_figures(images, all_, 0.5)
    assert figures["precision"]["text"] == {"map50": 1, "map75": 1, "map": pytest.approx(1)}
    assert list(figures["precision"]["classes"]) == ["printed"]
    assert figures["beside_ppocr"]["images"] == 1
    assert figures["redaction"]["detector"]["phi_covered"] == 1
    assert doubt_figures(images, all_, TUNED)["wrong"] == 0


def test_papers_are_put_beside_our_figures_by_type() -> None:
    figures = paper_figures([case([(A, "paper000"), (B, "paper000")], [((10, 10, 50, 18), 0.9, 0)])], 0.5)
    name = figures["paper_000"]["ours"]["Name"]
    assert name["iou"] == pytest.approx(0.4)  # .8 of one, nothing of the other
    assert name["ap50"] == pytest.approx(51 / 101)
    assert figures["paper_000"]["ours"]["SSN"]["texts"] == 0
    assert figures["paper_003"]["published"]["map50"] == 0.997
    for table in (*figures["paper_000"]["published"]["iou"], *figures["paper_000"]["published"]["map"]):
        assert len(table["values"]) == 8

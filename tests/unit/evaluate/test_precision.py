from __future__ import annotations

import numpy as np
import pytest

from deidra.app.evaluate.precision import (
    Found,
    Wanted,
    average_precision,
    matched,
    mean_average_precision,
    overlap_matrix,
)


def boxes(*rows: tuple[float, float, float, float]) -> np.ndarray:
    return np.array(rows, np.float32).reshape(-1, 4)


def found(rows: np.ndarray, scores: list[float], labels: list[int]) -> Found:
    return Found(rows, np.array(scores, np.float32), np.array(labels, np.int64))


def test_overlap_is_shared_area_over_that_of_both() -> None:
    overlap = overlap_matrix(boxes((0, 0, 10, 10)), boxes((5, 0, 15, 10), (20, 20, 30, 30), (0, 0, 10, 10)))
    assert overlap[0] == pytest.approx([50 / 150, 0, 1])


def test_a_right_box_between_two_wrong_ones() -> None:
    # Precision is 0, 1/2, 1/3; recall reaches 1 at the second: the area is 1/2.
    area = average_precision(np.array([0.9, 0.8, 0.7]), np.array([False, True, False]), 1)
    assert area == pytest.approx(0.5)


def test_one_of_two_texts_found_first_gives_51_of_101_recalls() -> None:
    assert average_precision(np.array([0.9, 0.8]), np.array([True, False]), 2) == pytest.approx(51 / 101)


def test_each_text_is_found_once_and_by_the_surer_box() -> None:
    truth = boxes((0, 0, 10, 10))
    overlap = overlap_matrix(boxes((0, 0, 10, 9), (0, 0, 10, 10)), truth)
    assert matched(overlap, 0.5).tolist() == [0, -1]


def test_a_box_whose_best_text_is_taken_gets_the_next_best() -> None:
    assert matched(np.array([[0.9, 0.6], [0.8, 0.7]]), 0.5).tolist() == [0, 1]


def test_classes_count_alike_and_a_box_of_another_class_finds_nothing() -> None:
    truth = [Wanted(boxes((0, 0, 10, 10), (20, 0, 30, 10)), np.array([1, 2]))]
    answer = [found(boxes((0, 0, 10, 10), (20, 0, 30, 10)), [0.9, 0.8], [1, 1])]
    by_overlap = mean_average_precision(answer, truth, (0.5,))
    assert by_overlap == {0.5: pytest.approx(0.5)}


def test_stricter_overlaps_lose_a_loose_box() -> None:
    truth = [Wanted(boxes((0, 0, 10, 10)), np.array([1]))]
    answer = [found(boxes((0, 0, 10, 8)), [0.9], [1])]
    by_overlap = mean_average_precision(answer, truth)
    assert sum(by_overlap.values()) / 10 == pytest.approx(0.7)  # .50 to .80 of ten
    assert by_overlap[0.85] == 0


def test_no_truth_and_no_boxes_give_nothing() -> None:
    empty = [Wanted(boxes(), np.zeros(0, np.int64))]
    assert mean_average_precision([found(boxes(), [], [])], empty, (0.5,)) == {0.5: 0.0}
    one = [Wanted(boxes((0, 0, 9, 9)), np.array([1]))]
    assert mean_average_precision([found(boxes(), [], [])], one, (0.5,)) == {0.5: 0.0}

from __future__ import annotations

import numpy as np
import pytest

from deidra.app.evaluate.uncertainty import (
    Quadrants,
    Reported,
    quadrants,
    reliability,
    response,
    salt_and_pepper,
    zero_error_threshold,
)


def test_the_threshold_is_the_smallest_normalised_variance_of_a_wrong_box() -> None:
    report = Reported(np.ones(5), np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([0.9, 0.8, 0.2, 0.7, 0.1]))
    edge = zero_error_threshold([report])
    assert (edge.lowest, edge.highest, edge.threshold) == (1, 5, 0.5)
    assert edge.missed_share == pytest.approx(1 / 5)  # the right box with variance 4


def test_without_wrong_boxes_nothing_is_doubted() -> None:
    edge = zero_error_threshold([Reported(np.ones(2), np.array([0.1, 0.2]), np.array([0.9, 0.9]))])
    assert (edge.threshold, edge.missed_share) == (1.0, 0.0)


def test_boxes_fall_into_four_quadrants() -> None:
    doubt, overlap = np.array([0.1, 0.5, 0.9, 0.2, 0.1]), np.array([0.9, 0.5, 0.3, 0.49, 1.0])
    counts = quadrants(doubt, overlap, 0.5)
    assert counts == Quadrants(right_sure=2, right_doubted=1, wrong_doubted=1, wrong_sure=1)
    assert counts.missed_share == pytest.approx(0.2)


def test_the_slope_is_negative_where_doubt_rises_with_noise() -> None:
    levels = (100, 50, 0)
    variances = [[np.array([0.0, 0.2])], [np.array([0.3])], [np.array([0.5]), np.zeros(0)]]
    answer = response(variances, 0, 1, levels)
    assert answer.mean == pytest.approx((0.1, 0.3, 0.5))
    assert answer.slope == pytest.approx(-0.4)  # a hundred decibels
    assert answer.clean_variance == pytest.approx((0.01 + 0) / 2)


def test_the_mean_is_that_of_images_and_not_of_boxes() -> None:
    answer = response([[np.array([0.0]), np.array([1.0, 1.0, 1.0])], [np.zeros(0)]], 0, 1, (40, 2))
    assert answer.mean[0] == pytest.approx(0.5)


@pytest.mark.parametrize("snr", [4, 8, 16])
def test_noise_has_the_asked_ratio(snr: int) -> None:
    image = np.full((400, 400, 3), 100, np.uint8)
    noisy = salt_and_pepper(image, snr, np.random.default_rng(1)).astype(float)
    power = ((noisy - 100.0) ** 2).mean()
    assert 10 * np.log10(100.0**2 / power) == pytest.approx(snr, abs=0.2)


def test_calibration_error_is_the_mean_gap_of_probability_and_share() -> None:
    probability = np.array([0.9, 0.9, 0.9, 0.9, 0.1, 0.1])
    right = np.array([True, True, True, False, False, False])
    answer = reliability(probability, right, bins=10)
    assert answer.count == (2, 4)
    assert answer.right == pytest.approx((0, 0.75))
    assert answer.error == pytest.approx((2 * 0.1 + 4 * 0.15) / 6)


def test_a_probability_of_one_lies_in_the_last_bin() -> None:
    assert reliability(np.array([1.0]), np.array([True])).error == 0

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from deidra.app.evaluate.calibrate import (
    NEVER,
    calibrate,
    isotonic,
    knots,
    least_score,
    risk_bound,
    sure_probability,
    uncalibrated,
    write_calibration,
)
from deidra.app.evaluate.detector_cases import Case, Found, Truth
from deidra.models.calibration import FILE, Calibration


def test_neighbours_that_fall_are_pooled() -> None:
    assert isotonic(np.array([1.0, 3.0, 2.0, 4.0]), np.ones(4)).tolist() == [1, 2.5, 2.5, 4]
    assert isotonic(np.array([3.0, 1.0]), np.array([1.0, 3.0])).tolist() == [1.5, 1.5]
    assert isotonic(np.array([3.0, 2.0, 1.0]), np.ones(3)).tolist() == [2, 2, 2]


def test_knots_rise_and_are_few() -> None:
    rng = np.random.default_rng(0)
    score = rng.random(4000)
    scores, right = knots(score, rng.random(4000) < score**2)
    assert len(scores) <= 20
    assert list(right) == sorted(right)
    assert np.interp(0.5, scores, right) == pytest.approx(0.25, abs=0.06)


def test_equal_scores_make_one_knot() -> None:
    assert knots(np.full(40, 0.5), np.arange(40) < 20)[0] == (0.5,)


def test_the_bound_is_the_mean_with_one_more_image_that_is_lost() -> None:
    assert risk_bound(np.array([0.0, 0.5, 0.0])) == pytest.approx(1.5 / 4)


def test_the_highest_threshold_that_keeps_the_promise_is_taken() -> None:
    # Nine images with one text each, found up to .1, .2 ... .9: at .3 two are lost, (2 + 1) / 10.
    reach, image = np.arange(1, 10) / 10, np.arange(9)
    promise = least_score(reach, image, 0.3, 0.05)
    assert promise.kept
    assert promise.threshold == pytest.approx(0.3)
    assert promise.bound == pytest.approx(0.3)
    assert least_score(reach, image, 0.29, 0.05).threshold == pytest.approx(0.2)


def test_texts_of_one_image_share_its_loss() -> None:
    # The image with four texts loses a quarter at .5; (0.25 + 1) / 4.
    reach, image = np.array([0.4, 0.8, 0.8, 0.8, 0.9, 0.9]), np.array([0, 0, 0, 0, 1, 2])
    promise = least_score(reach, image, 0.32, 0.05)
    assert promise.threshold == pytest.approx(0.8)
    assert promise.bound == pytest.approx(1.25 / 4)


def test_a_promise_that_cannot_be_kept_is_said() -> None:
    promise = least_score(np.array([0.9, 0.0]), np.array([0, 1]), 0.5, 0.05)
    assert (promise.threshold, promise.kept) == (0.05, False)
    assert promise.bound == pytest.approx(2 / 3)


def test_sure_is_the_lowest_probability_with_few_enough_wrong_boxes() -> None:
    probability = np.array([0.99, 0.95, 0.9, 0.8, 0.7])
    wrong = np.array([False, False, True, False, True])
    image = np.array([0, 1, 1, 2, 3])
    # Down to .95 nothing is wrong: 1 / 11. The box at .9 is half of image 1: 1.5 / 11.
    assert sure_probability(probability, wrong, image, 10, 0.1).threshold == pytest.approx(0.95, abs=1e-5)
    assert sure_probability(probability, wrong, image, 10, 0.14).threshold == pytest.approx(0.8, abs=1e-5)
    assert sure_probability(probability, wrong, image, 10, 0.05).threshold == NEVER


def test_boxes_of_one_probability_pass_together() -> None:
    promise = sure_probability(np.array([0.9, 0.9]), np.array([False, True]), np.array([0, 1]), 9, 0.15)
    assert (promise.threshold, promise.kept) == (NEVER, False)


def one_text(seed: int, score: float, doubt: float, shift: float = 0.0) -> Case:
    box = np.array([[10, 10, 50, 20]], np.float32)
    truth = Truth(box, np.array([0]), ["x"], ["plain"], ["PATIENT"], np.array([True]), np.array([10.0]), np.array([99]))
    values = np.array([score], np.float32)
    found = Found(
        box + np.float32(shift), np.array([0]), values, values, np.array([doubt], np.float32), np.ones((1, 4))
    )
    return Case("papers", seed, 100, 100, "ct", truth, found, {}, None)


def test_a_calibration_is_made_written_and_read_again(tmp_path: Path) -> None:
    cases = [one_text(n, 0.5 + n / 200, 0.01) for n in range(98)]
    cases += [one_text(98, 0.2, 0.2, shift=7), one_text(99, 0.99, 0.02)]
    made = calibrate(cases, missed=0.05, wrong=0.05)
    tuned = made.tuned
    assert made.missed.kept
    # Four of a hundred texts may be lost: the one never found, and those with .5, .505 and .51.
    assert tuned.least_score == pytest.approx(0.515, abs=1e-5)
    assert (tuned.lowest, tuned.highest) == (pytest.approx(0.01), pytest.approx(0.02))
    assert tuned.paper_threshold == 1  # no box that is told of is wrong
    path = write_calibration(made, {"split": "calibrate"}, tmp_path)
    values = json.loads(path.read_text("utf-8"))
    assert path.name == FILE
    assert values.pop("about")["promises"]["missed"]["kept"]
    again = Calibration(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})
    assert again == tuned


def test_no_calibration_changes_nothing() -> None:
    plain = uncalibrated()
    assert plain.probability(0.3) == pytest.approx(0.3)
    assert plain.normalised(0.2) == pytest.approx(0.2)

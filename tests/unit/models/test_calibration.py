"""The calibration of the text detector."""

import numpy as np
import pytest

from deidra.models.calibration import Calibration


@pytest.fixture
def tuned() -> Calibration:
    return Calibration(0.0, 0.2, 0.1, (0.0, 0.5, 1.0), (0.0, 0.4, 1.0), 0.2, 0.01, 0.9, 0.002)


@pytest.mark.parametrize(("variance", "share"), [(0.0, 0.0), (0.05, 0.25), (0.2, 1.0), (0.4, 1.0), (-0.1, 0.0)])
def test_a_variance_is_told_as_a_share_of_the_observed_range(tuned: Calibration, variance: float, share: float) -> None:
    assert tuned.normalised(variance) == pytest.approx(share)


def test_probabilities_follow_the_knots(tuned: Calibration) -> None:
    assert tuned.probability(0.25) == pytest.approx(0.2)
    assert np.allclose(tuned.probability(np.array([0.5, 0.75], np.float32)), [0.4, 0.7])


def test_a_range_without_width_does_not_divide_by_zero() -> None:
    assert Calibration(0.1, 0.1, 0.5, (0, 1), (0, 1), 0.1, 0.01, 0.9, 0.01).normalised(0.1) == 0.0

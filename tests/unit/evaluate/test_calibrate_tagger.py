"""The temperature of the entity tagger."""

import json
from pathlib import Path

import numpy as np
import pytest

from deidra.app.evaluate.calibrate_tagger import Told, calibrated_tagger, fitted, write_tagger_calibration
from deidra.models.entity_tagger import TaggerCalibration


@pytest.mark.parametrize("temperature", [0.7, 1.0, 2.0])
def test_the_temperature_that_spoilt_probabilities_is_found(temperature: float) -> None:
    rng = np.random.default_rng(1)
    true = rng.uniform(0.02, 0.98, 40_000)
    right = rng.random(len(true)) < true
    told = TaggerCalibration(1 / temperature).probability(true)
    assert fitted(Told(told, right)) == pytest.approx(temperature, rel=0.06)


def test_the_file_tells_what_it_was_made_from(tmp_path: Path) -> None:
    made = calibrated_tagger(40)
    told = json.loads(write_tagger_calibration(made, tmp_path).read_text("utf-8"))
    assert told["about"]["split"] == "calibrate"
    assert 0.3 < told["temperature"] < 5

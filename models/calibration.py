"""What the variances and probabilities of the text detector are worth, as measured on the calibration images."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deidra.models.registry import verified_path

FILE = "text_detector_calibration.json"


@dataclass(frozen=True, slots=True)
class Calibration:
    """Measured on the calibration split; see ``deidra evaluate calibrate``.

    ``lowest`` and ``highest`` variance normalise variances; ``paper_threshold`` is the smallest
    normalised variance of a wrong box (paper 003, equation 25). ``scores`` and ``right`` are the knots of
    the isotonic map from mean probability to the share of right boxes. ``least_score`` keeps the
    expected share of missed lines at or below ``missed``; ``sure`` is the calibrated probability from
    which wrong boxes are expected to be at most ``wrong`` of all (both by conformal risk control,
    Angelopoulos et al., 2022).
    """

    lowest: float
    highest: float
    paper_threshold: float
    scores: tuple[float, ...]
    right: tuple[float, ...]
    least_score: float
    missed: float
    sure: float
    wrong: float

    def normalised(self, variance: float) -> float:
        """A variance as a share of the range that was observed, 0 to 1."""
        return min(1.0, max(0.0, (variance - self.lowest) / max(self.highest - self.lowest, 1e-12)))

    def probability(self, score: float | NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """The share of boxes with these mean probabilities that are right; of the shape of ``score``."""
        return np.asarray(np.interp(np.asarray(score, np.float64), self.scores, self.right), np.float64)


@functools.cache
def calibration() -> Calibration:
    """The calibration of the shipped detector.

    Raises:
        ModelError: the file is missing or is not the one that was tested.
    """
    return read(verified_path("deidra-det-calibration"))


def read(path: Path) -> Calibration:
    """A calibration that ``deidra evaluate calibrate`` wrote."""
    values: dict[str, Any] = json.loads(path.read_text("utf-8"))
    values.pop("about", None)
    for name in ("scores", "right"):
        values[name] = tuple(values[name])
    return Calibration(**values)

"""What the detector's numbers are worth, measured on the calibration split: makes its calibration file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deidra.app.evaluate.detector_cases import Case
from deidra.app.evaluate.detector_pool import Pool, pool
from deidra.app.evaluate.detector_run import MODEL, Run
from deidra.app.evaluate.uncertainty import Reported, zero_error_threshold
from deidra.app.synth.scenes.scene import SUITES
from deidra.models.calibration import FILE, Calibration
from deidra.models.registry import registry
from deidra.models.variational_detector import VariationalDetector

Floats = NDArray[np.float64]
KNOTS = 20
NEVER = 1.01
"""``sure`` where no probability keeps the promise: everything is looked at."""


def uncalibrated() -> Calibration:
    """A calibration that changes nothing and tells of every candidate."""
    least = VariationalDetector.LEAST_CANDIDATE
    return Calibration(0.0, 1.0, 1.0, (0.0, 1.0), (0.0, 1.0), least, 0.0, NEVER, 0.0)


def isotonic(values: Floats, weights: Floats) -> Floats:
    """The non-decreasing sequence closest to ``values`` in weighted least squares (pool adjacent violators)."""
    blocks: list[list[float]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            last, before = blocks.pop(), blocks.pop()
            total = last[1] + before[1]
            blocks.append([(last[0] * last[1] + before[0] * before[1]) / total, total, last[2] + before[2]])
    return np.repeat([b[0] for b in blocks], [int(b[2]) for b in blocks])


def knots(score: Floats, right: NDArray[np.bool_], most: int = KNOTS) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """An isotonic map from scores ``(M,)`` to the share of right boxes, as at most ``most`` knots.

    Scores are put into bins first, in which right and wrong boxes together weigh the same, each kind as a whole as
    much as the other: most candidates are wrong, and what tells is where the right ones are. A knot is a bin's mean.
    """
    if not len(score):
        return (0.0, 1.0), (0.0, 1.0)
    order = np.argsort(score, kind="stable")
    weight = np.where(right, 1 / max(1, int(right.sum())), 1 / max(1, int((~right).sum())))[order]
    place = np.minimum(((np.cumsum(weight) - weight / 2) / weight.sum() * most).astype(np.int64), most - 1)
    bins = np.split(order, np.flatnonzero(np.diff(place)) + 1)
    middle = np.array([score[b].mean() for b in bins])
    share = isotonic(np.array([right[b].mean() for b in bins]), np.array([float(len(b)) for b in bins]))
    keep = np.flatnonzero(np.diff(middle, prepend=-1.0) > 1e-6)
    return tuple(round(float(v), 6) for v in middle[keep]), tuple(round(float(v), 6) for v in share[keep])


@dataclass(frozen=True, slots=True)
class Promise:
    """A threshold from conformal risk control; ``bound`` is the risk that it keeps, ``kept`` if that is low enough."""

    threshold: float
    bound: float
    kept: bool


def risk_bound(losses: Floats) -> float:
    """Bound on the expected loss (0 to 1) of another image of the same kind: ``n / (n + 1) R + 1 / (n + 1)``."""
    n = len(losses)
    return float((losses.sum() + 1) / (n + 1))


def least_score(reach: Floats, image: NDArray[np.int64], alpha: float, lowest: float) -> Promise:
    """The highest threshold of the score at which the expected share of missed texts of an image is at most ``alpha``.

    Args:
        reach: of each text the highest threshold at which it is found, ``(T,)``; 0 never.
        image: the image of each text, ``(T,)``.
        alpha: share of missed texts that is promised.
        lowest: the threshold where the promise cannot be kept.
    """
    _, index, count = np.unique(image, return_inverse=True, return_counts=True)
    n = len(count)
    share = 1 / np.maximum(count[index], 1)
    # Losses grow with the threshold by a step above each text's reach.
    order = np.argsort(reach, kind="stable")
    lost = np.cumsum(np.append(0.0, share[order]))
    candidates = np.unique(np.append(reach[reach >= lowest], lowest))
    bounds = (lost[np.searchsorted(reach[order], candidates, "left")] + 1) / (n + 1)
    good = np.flatnonzero(bounds <= alpha)
    at = int(good[-1]) if len(good) else 0
    return Promise(float(candidates[at]), float(bounds[at]), bool(len(good)))


def sure_probability(
    probability: Floats, wrong: NDArray[np.bool_], image: NDArray[np.int64], n: int, alpha: float
) -> Promise:
    """The lowest calibrated probability at which wrong boxes that nobody looks at are expected to be at most ``alpha``.

    The loss of an image is the share of its boxes that are wrong and at least as probable; ``n`` counts images, those
    without boxes too.

    Args:
        probability: calibrated probability of each box, ``(M,)``.
        wrong: which boxes are wrong, ``(M,)``.
        image: number of each box's image, ``(M,)``.
        n: images.
        alpha: share of wrong boxes that is promised.
    """
    count = np.bincount(image, minlength=max(1, n))
    loss = np.where(wrong, 1 / np.maximum(count[image], 1), 0.0)
    order = np.argsort(-probability, kind="stable")
    lost = np.append(0.0, np.cumsum(loss[order]))
    candidates = np.unique(probability)
    passed = np.searchsorted(-probability[order], -candidates, "right")
    bounds = (lost[passed] + 1) / (n + 1)
    good = np.flatnonzero(bounds <= alpha)
    if not len(good):
        return Promise(NEVER, float(1 / (n + 1)), False)
    # Rounded down, so that a box that decided it passes.
    return Promise(float(np.floor(candidates[good[0]] * 1e6) / 1e6), float(bounds[good[0]]), True)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A calibration, how well its promises are kept on the images it was made on, and how many these were."""

    tuned: Calibration
    missed: Promise
    sure: Promise
    images: int

    def to_dict(self, about: dict[str, Any]) -> dict[str, Any]:
        """What the file holds."""
        promises = {"missed": asdict(self.missed), "sure": asdict(self.sure)}
        return {**asdict(self.tuned), "about": {**about, "promises": promises}}


def calibrate(cases: Sequence[Case], missed: float, wrong: float) -> Calibrated:
    """The calibration that follows from examined images; ``missed`` and ``wrong`` are the shares that are promised."""
    lowest = VariationalDetector.LEAST_CANDIDATE
    all_ = pool(cases, lowest)
    promise = least_score(all_.reach, all_.text_image, missed, lowest)
    # Rounded down, so that the box that decided it is told of.
    least = max(lowest, float(np.floor(promise.threshold * 1e6) / 1e6))
    scores, right = knots(all_.score, all_.right)
    told = all_.score >= least
    edge = zero_error_threshold([_reported(all_, told)])
    calibrated = np.interp(all_.score[told], scores, right)
    sure = sure_probability(calibrated, ~all_.right[told], all_.image[told], len(cases), wrong)
    tuned = Calibration(
        lowest=edge.lowest,
        highest=edge.highest,
        paper_threshold=edge.threshold,
        scores=scores,
        right=right,
        least_score=least,
        missed=missed,
        sure=sure.threshold,
        wrong=wrong,
    )
    return Calibrated(tuned, promise, sure, len(cases))


def _reported(all_: Pool, rows: NDArray[np.bool_]) -> Reported:
    return Reported(all_.score[rows], all_.doubt[rows], all_.overlap[rows])


def run_calibration(run: Run, images: int, missed: float, wrong: float) -> tuple[Calibrated, dict[str, Any]]:
    """Examine ``images`` of each suite and calibrate; with what the file says about itself."""
    cases = [c for suite in SUITES for c in run.cases(suite, images)]
    entry = registry().get(MODEL)
    about = {
        "split": run.split,
        "suites": list(SUITES),
        "images_of_each": images,
        "seeds": [0, images - 1],
        "texts": sum(len(c.truth.boxes) for c in cases),
        "model_sha256": entry.sha256 if entry else "",
        "command": f"deidra evaluate calibrate --images {images} --missed {missed} --wrong {wrong}",
    }
    return calibrate(cases, missed, wrong), about


def write_calibration(made: Calibrated, about: dict[str, Any], out: Path) -> Path:
    """Write the file into the folder, and return its path."""
    out.mkdir(parents=True, exist_ok=True)
    (out / FILE).write_text(json.dumps(made.to_dict(about), indent=1) + "\n", "utf-8")
    return out / FILE

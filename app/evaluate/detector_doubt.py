"""Is the detector's doubt worth anything: quadrants, calibration, intervals of edges, and what would be queued."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deidra.app.evaluate.detector_cases import Case
from deidra.app.evaluate.detector_pool import FOUND, HELD, Pool, reaches
from deidra.app.evaluate.precision import overlap_matrix
from deidra.app.evaluate.uncertainty import (
    Reported,
    normalised,
    quadrants,
    reliability,
    response,
    zero_error_threshold,
)
from deidra.models.calibration import Calibration

Figures = dict[str, Any]
Flags = NDArray[np.bool_]
_MOST_POINTS = 4000
NORMAL = (0.6827, 0.9545)
"""Shares of a normal distribution within one and two standard deviations."""


def doubt_figures(cases: Sequence[Case], all_: Pool, tuned: Calibration) -> Figures:
    """Figures of the boxes that the product tells of; variances are normalised over these."""
    told = all_.score >= tuned.least_score
    doubt, overlap = all_.doubt[told], all_.overlap[told]
    edge = zero_error_threshold([Reported(all_.score[told], doubt, overlap)])
    shares = normalised(doubt, edge.lowest, edge.highest)
    own = quadrants(shares, overlap, edge.threshold)
    # The shipped threshold was set on other images, with the range observed there.
    shipped_shares = normalised(doubt, tuned.lowest, tuned.highest)
    shipped = quadrants(shipped_shares, overlap, tuned.paper_threshold)
    wrong = overlap < 0.5
    return {
        "boxes": int(told.sum()),
        "wrong": int(wrong.sum()),
        "own_threshold": {**asdict(edge), **asdict(own)},
        "shipped_threshold": {
            "threshold": tuned.paper_threshold,
            "lowest": tuned.lowest,
            "highest": tuned.highest,
            "missed_share": shipped.missed_share,
            **asdict(shipped),
        },
        "wrong_ranked_above_right": separation(doubt, wrong),
        "points": _points(shares, overlap),
        "reliability": reliabilities(all_, tuned, told),
        "edges": edge_intervals(all_, told),
        "routing": routing(cases, all_, tuned),
    }


def separation(doubt: NDArray[np.float64], wrong: Flags) -> float:
    """Chance that a wrong box has more doubt than a right one (area under the ROC curve); .5 says nothing."""
    low, high = np.sort(doubt[~wrong]), doubt[wrong]
    if not len(low) or not len(high):
        return 0.5
    below = (np.searchsorted(low, high, "left") + np.searchsorted(low, high, "right")) / 2
    return float(below.mean() / len(low))


def _points(shares: NDArray[np.float64], overlap: NDArray[np.float64]) -> list[list[float]]:
    """Evenly chosen (overlap, doubt) pairs for the plot."""
    step = max(1, -(-len(shares) // _MOST_POINTS))
    return [[round(float(o), 3), float(f"{s:.4g}")] for o, s in zip(overlap[::step], shares[::step], strict=True)]


def reliabilities(all_: Pool, tuned: Calibration, told: Flags) -> Figures:
    """Reliability of the mean probability and of the calibrated one, over all candidates and over boxes told of."""
    calibrated = np.asarray(tuned.probability(all_.score.astype(np.float32)), np.float64)
    answer = {}
    for name, rows in (("candidates", np.ones(len(told), bool)), ("told", told)):
        pairs = (("before", all_.score), ("after", calibrated))
        answer[name] = {when: asdict(reliability(p[rows], all_.right[rows])) for when, p in pairs}
    return answer


def edge_intervals(all_: Pool, told: Flags) -> Figures:
    """Share of edges of right boxes within one and two predicted standard deviations of the truth."""
    rows = told & (all_.match >= 0) & (all_.match == all_.nearest)
    off, sigma = np.abs(all_.off[rows]), np.maximum(all_.sigma[rows], 1e-6)
    names = ("left", "top", "right", "bottom")
    shares = {n: [_mean(off[:, i] <= k * sigma[:, i]) for k in (1, 2)] for i, n in enumerate(names)}
    return {
        "edges": int(off.size),
        "within": [_mean((off <= k * sigma).ravel()) for k in (1, 2)],
        "normal": list(NORMAL),
        "by_edge": shares,
        "mean_error_px": _mean(off.ravel()),
        "mean_sigma_px": _mean(sigma.ravel()),
    }


def routing(cases: Sequence[Case], all_: Pool, tuned: Calibration) -> Figures:
    """How many wrong and right boxes, and how many missed texts, a curator would have been shown, and why.

    A box is queued if its doubt reaches the threshold, or its calibrated probability is not sure; where PP-OCR looked
    too, also if PP-OCR did not find it. A missed text is queued if PP-OCR found it alone.
    """
    told = all_.score >= tuned.least_score
    calibrated = np.asarray(tuned.probability(all_.score.astype(np.float32)), np.float64)
    doubted = normalised(all_.doubt, tuned.lowest, tuned.highest) >= tuned.paper_threshold
    unsure = calibrated < tuned.sure
    looked = np.array([c.other is not None for c in cases], bool)
    alone = np.concatenate([np.zeros(0, bool), *(_alone(c) for c in cases)])
    rules = {"doubted": doubted, "unsure": unsure, "doubted_or_unsure": doubted | unsure}
    answer: Figures = {}
    for name, rows in (("wrong", told & ~all_.right), ("right", told & all_.right)):
        answer[name] = {"boxes": int(rows.sum()), **{rule: _mean(flag[rows]) for rule, flag in rules.items()}}
        seen = rows & looked[all_.image] if len(looked) else rows
        both = {"alone": alone, "any": alone | doubted | unsure}
        answer[name]["where_ppocr_looked"] = {"boxes": int(seen.sum()), **{n: _mean(f[seen]) for n, f in both.items()}}
    answer["missed"] = _missed(cases, all_, tuned, looked)
    return answer


def _missed(cases: Sequence[Case], all_: Pool, tuned: Calibration, looked: Flags) -> Figures:
    missed = all_.reach < tuned.least_score
    by_other = np.concatenate([np.zeros(0, bool), *(_found_by_other(c) for c in cases)])
    seen = missed & looked[all_.text_image] if len(looked) else missed
    return {
        "texts": int(missed.sum()),
        "with_a_weaker_candidate": _mean(all_.reach[missed] > 0),
        "where_ppocr_looked": {"texts": int(seen.sum()), "found_by_ppocr": _mean(by_other[seen])},
    }


def _alone(one: Case) -> Flags:
    """Which candidates, best first as in the pool, PP-OCR did not find."""
    boxes = one.found.boxes[np.argsort(-one.found.score, kind="stable")]
    if one.other is None:
        return np.zeros(len(boxes), bool)
    if not len(one.other.boxes):
        return np.ones(len(boxes), bool)
    overlap = overlap_matrix(boxes, one.other.boxes).max(1)
    held = np.array([_held(box, one.other.boxes) for box in boxes])
    return np.asarray((overlap < FOUND) & (held < HELD), bool)


def _held(box: NDArray[np.float32], others: NDArray[np.float32]) -> float:
    """Largest share of a box's area that lies in one of others."""
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    area = float((box[2:] - box[:2]).prod())
    return float(np.clip(high - low, 0, None).prod(1).max()) / max(area, 1e-6)


def _found_by_other(one: Case) -> Flags:
    if one.other is None:
        return np.zeros(len(one.truth.boxes), bool)
    order = np.argsort(-one.other.score, kind="stable")
    score = one.other.score[order].astype(np.float64)
    return reaches(one.other.boxes[order], np.maximum(score, 1e-6), one.truth.boxes) > 0


def noise_figures(levels: Sequence[Sequence[Reported]], tuned: Calibration) -> Figures:
    """Equations 22 to 24, and the share of right boxes beside them at each level: ``levels[level][image]``.

    Variances are normalised between the lowest and highest of all levels, as figure 5 has one scale for all;
    ``shipped_slope`` and ``shipped_clean_variance`` are those with the range of the calibration images.
    """
    every = np.concatenate([np.zeros(0), *(r.variance for level in levels for r in level)])
    lowest, highest = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    variances = [[r.variance for r in level] for level in levels]
    answer, shipped = (response(variances, *ends) for ends in ((lowest, highest), (tuned.lowest, tuned.highest)))
    overlaps = [np.concatenate([np.zeros(0), *(r.overlap for r in level)]) for level in levels]
    return {
        **asdict(answer),
        "shipped_slope": shipped.slope,
        "shipped_clean_variance": shipped.clean_variance,
        "lowest": lowest,
        "highest": highest,
        "images": len(levels[0]) if levels else 0,
        "boxes": [len(o) for o in overlaps],
        "right": [_mean(o >= 0.5) for o in overlaps],
    }


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else 0.0

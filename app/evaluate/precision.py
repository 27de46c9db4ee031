"""Mean average precision, as COCO defines it, for one class or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
THRESHOLDS = tuple(round(0.5 + 0.05 * i, 2) for i in range(10))
"""Overlaps (intersection over union) of mAP .50:.95."""
RECALLS = np.linspace(0, 1, 101)


@dataclass(frozen=True, slots=True)
class Found:
    """Detections on one image: ``boxes (M, 4)``, ``scores (M,)``, ``labels (M,)``."""

    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]
    labels: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Truth of one image: ``boxes (T, 4)`` and ``labels (T,)``."""

    boxes: NDArray[np.float32]
    labels: NDArray[np.int64]


def overlap_matrix(a: NDArray[np.float32], b: NDArray[np.float32]) -> Floats:
    """Intersection over union of boxes ``(M, 4)`` and ``(T, 4)`` as ``(M, T)``."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    shared = np.clip(high - low, 0, None).prod(-1, dtype=np.float64)
    area = [np.clip(x[:, 2:] - x[:, :2], 0, None).prod(-1, dtype=np.float64) for x in (a, b)]
    return np.asarray(shared / np.maximum(area[0][:, None] + area[1][None] - shared, 1e-9))


def mean_average_precision(
    found: Sequence[Found],
    wanted: Sequence[Wanted],
    thresholds: Sequence[float] = THRESHOLDS,
    labels: Sequence[int] | None = None,
) -> dict[float, float]:
    """Average precision at each overlap, averaged over ``labels`` (by default the classes that occur in the truth).

    Detections are matched best score first, each to the free truth that it overlaps most; precision is
    made monotone and read at 101 recalls (COCO's definition, without size classes, crowds or a largest
    number of detections).

    Returns:
        Overlap to average precision, 0 to 1; 0 for an empty truth.
    """
    labels = sorted({int(x) for w in wanted for x in w.labels}) if labels is None else labels
    by_label = [_by_threshold(found, wanted, label, thresholds) for label in labels]
    return {t: float(np.mean([a[n] for a in by_label])) if by_label else 0.0 for n, t in enumerate(thresholds)}


def _by_threshold(
    found: Sequence[Found], wanted: Sequence[Wanted], label: int, thresholds: Sequence[float]
) -> list[float]:
    """Average precision of one class at each threshold."""
    scores: list[Floats] = []
    hits: list[NDArray[np.bool_]] = []
    total = 0
    for f, w in zip(found, wanted, strict=True):
        mine, truth = f.labels == label, w.boxes[w.labels == label]
        total += len(truth)
        order = np.argsort(-f.scores[mine], kind="stable")
        scores.append(f.scores[mine][order].astype(np.float64))
        overlap = overlap_matrix(f.boxes[mine][order], truth)
        hits.append(np.stack([matched(overlap, t) >= 0 for t in thresholds]))
    if not total:
        return [0.0] * len(thresholds)
    score, hit = np.concatenate(scores), np.concatenate(hits, axis=1)
    return [average_precision(score, row, total) for row in hit]


def average_precision(score: Floats, hit: NDArray[np.bool_], total: int) -> float:
    """Area under the monotone precision of detections ``(M,)``, of which ``hit`` are right, over ``total`` truths."""
    if not total or not len(score):
        return 0.0
    right = np.cumsum(hit[np.argsort(-score, kind="stable")])
    precision = right / np.arange(1, len(right) + 1)
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    at = np.searchsorted(right / total, RECALLS, side="left")
    return float(np.where(at < len(precision), precision[np.minimum(at, len(precision) - 1)], 0).mean())


def matched(overlap: Floats, threshold: float) -> NDArray[np.int64]:
    """Which truth each detection finds, ``(M,)``, -1 for none; ``overlap (M, T)`` has the best detection first."""
    found = np.full(overlap.shape[0], -1, np.int64)
    if not overlap.size:
        return found
    free = overlap.copy()
    # Most detections that find nothing need no second look.
    for row in np.flatnonzero(overlap.max(1) >= threshold):
        best = int(free[row].argmax())
        if free[row, best] >= threshold:
            found[row] = best
            free[:, best] = -1
    return found

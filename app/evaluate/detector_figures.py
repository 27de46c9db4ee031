"""Precision, groups and redaction figures of examined images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deidra.app.evaluate.detector_cases import DETECTOR, PPOCR, UNION, Case
from deidra.app.evaluate.detector_paint import redaction
from deidra.app.evaluate.detector_pool import Pool, group_result
from deidra.app.evaluate.precision import Found, Wanted, mean_average_precision
from deidra.models.candidates import KINDS

Figures = dict[str, Any]
HEIGHTS = (0, 8, 10, 14, 20, 32, 64, 10_000)
"""Edges of the bins of text heights, pixels."""


def suite_figures(cases: Sequence[Case], all_: Pool, least_score: float) -> Figures:
    """Everything about where the boxes are, of the images of one suite."""
    both = [c for c in cases if c.other is not None]
    return {
        "images": len(cases),
        "texts": len(all_.text_image),
        "candidates": len(all_.score),
        "boxes": int((all_.score >= least_score).sum()),
        "found": _mean(all_.reach >= least_score),
        "precision": precision(cases),
        "groups": groups(cases, all_, least_score),
        "text_free": text_free(cases, least_score),
        "redaction": redactions(cases, (DETECTOR,)),
        "beside_ppocr": {"images": len(both), "text": beside(both), "redaction": redactions(both)} if both else None,
    }


def precision(cases: Sequence[Case]) -> Figures:
    """COCO's average precision of each class, of their mean, and of text whatever its class."""
    found = [Found(c.found.boxes, c.found.own, c.found.kind) for c in cases]
    wanted = [Wanted(c.truth.boxes, c.truth.kind) for c in cases]
    present = sorted({int(k) for c in cases for k in c.truth.kind})
    classes = {KINDS[k]: _summary(mean_average_precision(found, wanted, labels=[k])) for k in present}
    mean = {n: _mean(np.array([c[n] for c in classes.values()])) for n in ("map50", "map75", "map")}
    return {"classes": classes, "mean": mean, "text": text_precision(cases)}


def text_precision(cases: Sequence[Case]) -> Figures:
    """Average precision without classes; a box's score is its probability of any text."""
    return _without_classes([(c.found.boxes, c.found.score) for c in cases], cases)


def beside(cases: Sequence[Case]) -> Figures:
    """Average precision without classes of the detector and PP-OCR on the same images."""
    others = [(c.other.boxes, c.other.score) for c in cases if c.other is not None]
    return {DETECTOR: text_precision(cases), PPOCR: _without_classes(others, cases)}


def _without_classes(
    answers: Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]], cases: Sequence[Case]
) -> Figures:
    found = [Found(boxes, score, np.zeros(len(score), np.int64)) for boxes, score in answers]
    wanted = [Wanted(c.truth.boxes, np.zeros(len(c.truth.boxes), np.int64)) for c in cases]
    return _summary(mean_average_precision(found, wanted))


def _summary(by_overlap: dict[float, float]) -> Figures:
    return {"map50": by_overlap[0.5], "map75": by_overlap[0.75], "map": _mean(np.array(list(by_overlap.values())))}


def groups(cases: Sequence[Case], all_: Pool, least_score: float) -> Figures:
    """Recall and AP50 by layout, effect, height and background."""
    words = {
        "layout": np.array([w for c in cases for w in c.truth.layout], object),
        "effect": np.array([w for c in cases for w in c.truth.effect], object),
        "background": np.array([c.background for c in cases for _ in c.truth.layout], object),
    }
    answer: Figures = {}
    for name, column in words.items():
        names = sorted(set(column.tolist()))
        answer[name] = {n: asdict(group_result(all_, column == n, least_score)) for n in names}
    heights = np.array([h for c in cases for h in c.truth.height], np.float64)
    answer["height"] = {}
    for low, high in pairwise(HEIGHTS):
        member = (heights >= low) & (heights < high)
        alone = (all_.side >= low) & (all_.side < high)
        label = f"<{high}" if not low else f">={low}" if high == HEIGHTS[-1] else f"{low}-{high}"
        answer["height"][label] = asdict(group_result(all_, member, least_score, alone))
    return answer


def text_free(cases: Sequence[Case], least_score: float) -> Figures:
    """False boxes on images without any text."""
    empty = [c for c in cases if not len(c.truth.boxes)]
    boxes = np.array([(c.found.score >= least_score).sum() for c in empty])
    return {"images": len(empty), "boxes_per_image": _mean(boxes), "images_with_boxes": _mean(boxes > 0)}


def redactions(cases: Sequence[Case], agents: Sequence[str] = (DETECTOR, PPOCR, UNION)) -> Figures:
    """What would be covered if all boxes of an agent were painted as the product paints them."""
    ink, phi = [c.truth.ink for c in cases], [c.truth.phi for c in cases]
    return {a: asdict(redaction([c.painted[a] for c in cases], ink, phi)) for a in agents}


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else 0.0

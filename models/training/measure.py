"""Measuring a network in training: precision, and the objective of the coefficient search (equation 19)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from deidra.app.evaluate.precision import Found, Wanted, mean_average_precision, overlap_matrix
from deidra.app.evaluate.uncertainty import NoiseResponse, Reported, noise_response, zero_error_threshold
from deidra.app.synth.scenes.scene import scene
from deidra.models.candidates import Candidates, distinct
from deidra.models.training.data import View, view
from deidra.models.training.network import Detector, Limits

LEAST_SCORE = 0.05


@dataclass(frozen=True, slots=True)
class Objective:
    """The objective and its five terms."""

    value: float
    map50: float
    map75: float
    mean_ap: float
    noise_slope: float
    clean_variance: float
    missed_share: float
    threshold: float
    printed_map50: float
    printed_map: float


@dataclass(frozen=True, slots=True)
class Weights:
    """Greek letters of equation 19."""

    alpha: float = 1.0
    beta: float = 0.5
    gamma: float = 1.0
    delta: float = 0.5
    epsilon: float = 0.25


def validation_views(count: int, side: int, papers: float = 0.3, seed: int = 0) -> list[View]:
    """Squares of scenes of the calibration split: fonts, words and backgrounds that training does not see."""
    return [_validation_view(seed + i, side, i < papers * count) for i in range(count)]


def _validation_view(seed: int, side: int, papers: bool) -> View:
    made = scene("papers" if papers else "machines", "calibrate", seed, (side, side))
    return view(np.random.default_rng([seed, 11]), made, side, scaled=False)


def detect(model: Detector, images: Sequence[NDArray[np.uint8]], batch: int = 16) -> list[Candidates]:
    """Candidates of each image above :data:`LEAST_SCORE`, each text once, as numpy arrays; best first."""
    device = next(model.parameters()).device
    found = []
    for start in range(0, len(images), batch):
        stack = np.stack(images[start : start + batch])
        pixels = torch.from_numpy(stack).permute(0, 3, 1, 2).to(device)
        with torch.no_grad(), torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            maps = model.maps(pixels)
        with torch.no_grad():
            maps = [m.float() for m in maps]
            out = model.detect(maps, Limits())
        rows = [t.float().cpu().numpy() for t in out[:-1]]
        image = out.image.cpu().numpy()
        for index in range(len(stack)):
            found.append(_chosen([r[image == index] for r in rows], stack.shape[1]))
    return found


def _chosen(rows: list[NDArray[np.float32]], side: int) -> Candidates:
    boxes = np.clip(rows[0], 0, side)
    score = 1 - rows[Candidates.__slots__.index("probability")][:, 0]
    keep = np.flatnonzero((score > LEAST_SCORE) & ((boxes[:, 2:] - boxes[:, :2]).min(1, initial=9) > 1))
    best = keep[distinct(boxes[keep], score[keep])]
    return Candidates(boxes, *rows[1:]).take(best)


def reported(found: Candidates, truth: View) -> Reported:
    """Class, score, variance and best overlap of the detections of one image."""
    labels = 1 + found.kind
    overlap = overlap_matrix(found.boxes, truth.boxes)
    return Reported(
        found.probability[np.arange(len(labels)), labels].astype(np.float64),
        found.doubt.astype(np.float64),
        overlap.max(1) if overlap.shape[1] else np.zeros(len(labels)),
    )


def precision(
    found: Sequence[Candidates], views: Sequence[View], labels: Sequence[int] | None = None
) -> dict[float, float]:
    """Average precision by overlap threshold, over all classes or some."""
    answers = []
    for f in found:
        labels_found = 1 + f.kind
        answers.append(Found(f.boxes, f.probability[np.arange(len(f.boxes)), labels_found], labels_found))
    return mean_average_precision(answers, [Wanted(v.boxes, v.labels) for v in views], labels=labels)


def objective(
    model: Detector, views: Sequence[View], noisy: int = 24, weights: Weights | None = None
) -> tuple[Objective, NoiseResponse]:
    """Equation 19 on views; the noise terms on the first ``noisy`` of them."""
    weights = weights or Weights()
    model.eval()
    found = detect(model, [v.image for v in views])
    ap = precision(found, views)
    reports = [reported(f, v) for f, v in zip(found, views, strict=True)]
    edge = zero_error_threshold(reports)

    def answer(images: Sequence[NDArray[np.uint8]]) -> list[Reported]:
        return [reported(f, v) for f, v in zip(detect(model, images), views, strict=False)]

    with_text = [v for v in views if len(v.boxes)][:noisy]
    response = noise_response([v.image for v in with_text], answer, edge.lowest, edge.highest)
    value = (
        weights.alpha * ap[0.5]
        - weights.beta * response.slope
        - weights.gamma * response.clean_variance
        - weights.delta * edge.missed_share
        + weights.epsilon * edge.threshold
    )
    terms = (response.slope, response.clean_variance, edge.missed_share, edge.threshold)
    printed = precision(found, views, [1])
    means = [float(np.mean(list(a.values()))) for a in (ap, printed)]
    return Objective(value, ap[0.5], ap[0.75], means[0], *terms, printed[0.5], means[1]), response

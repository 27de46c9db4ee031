"""A small classifier of pages, trained where it is needed: softmax regression on standardised features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_DECAY = 1e-4
"""Weight of the squared weights in the loss; chosen on held-out pages of the split "calibrate"."""
_STEPS = 400
_MOMENTUM = 0.9


@dataclass(frozen=True, slots=True)
class PageClassifier:
    """What was learnt. ``weights`` are ``(features + 1, classes)``, the last row the bias."""

    classes: tuple[str, ...]
    mean: Floats
    spread: Floats
    weights: Floats

    def probabilities(self, features: NDArray[np.floating]) -> Floats:
        """Softmax confidence of each class, ``(n, classes)``, for features ``(n, features)``."""
        return _softmax(_biased((features - self.mean) / self.spread) @ self.weights)


def trained(features: NDArray[np.floating], classes: Sequence[str]) -> PageClassifier:
    """A classifier that was trained on features ``(n, features)`` of pages of these classes; always the same one."""
    names = tuple(sorted(set(classes)))
    given = np.asarray(features, np.float64)
    mean = given.mean(0)
    # Divided by the root of their number, so that as many features as one likes weigh as much as one.
    spread = (given.std(0) + 1e-6) * np.sqrt(given.shape[1])
    x = _biased((given - mean) / spread)
    wanted = np.eye(len(names))[[names.index(name) for name in classes]]
    weights, speed = np.zeros((x.shape[1], len(names))), np.zeros((x.shape[1], len(names)))
    # The steepest that the loss can bend.
    bend = float(np.linalg.norm(x, 2)) ** 2 / len(x) / 2 + _DECAY
    for _ in range(_STEPS):
        slope = x.T @ (_softmax(x @ weights) - wanted) / len(x) + _DECAY * weights
        speed = _MOMENTUM * speed - slope / bend
        weights = weights + speed
    return PageClassifier(names, mean, spread, weights)


def _biased(features: Floats) -> Floats:
    return np.concatenate([features, np.ones((len(features), 1))], axis=1)


def _softmax(scores: Floats) -> Floats:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))

"""Variational density propagation: layers that pass on a mean and a variance.

Weights and biases are independent normal variables; activations are described by their mean and the
diagonal of their covariance. Source: paper "uncertainty-aware de-identification" (IBIS), equations 6 to 18;
the product term of two variances, which equation 9 leaves out, is kept (it is in the exact variance
of a product of independent variables, and in equation 8 as the trace).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

VARIANCE_FLOOR = 1e-3
"""Added to predicted variances inside the losses: a probability of 1.0 leaves no variance to divide by."""


@dataclass(frozen=True, slots=True)
class Coefficients:
    """The coefficients of equation 18, and two of our own.

    ``error`` weighs the squared error over the variance, ``log_det`` the logarithm of the variance,
    ``regression`` the box regression; ``kl_trace``, ``kl_mean`` and ``kl_log_det`` are lambda 1 to 3 of
    equation 17. Own additions: ``cross_entropy`` of the mean, which steadies the first steps, and
    ``box_likelihood``, the weight of the variational likelihood of the box edges. The defaults are the point that the
    search chose (``coefficient_search.json``).
    """

    error: float = 0.108
    log_det: float = 0.0248
    regression: float = 1.24
    kl_trace: float = 3.96e-7
    kl_mean: float = 4.91e-6
    kl_log_det: float = 6.68e-7
    cross_entropy: float = 1.0
    box_likelihood: float = 0.0738


class VariationalLinear(nn.Module):
    """A linear layer with normal weights and biases (equations 6 and 9).

    Args:
        inputs: length of the input vector.
        outputs: length of the output vector.
        spread: initial standard deviation of the weights, as a share of that of their means.
    """

    def __init__(self, inputs: int, outputs: int, spread: float = 0.1) -> None:
        super().__init__()
        deviation = math.sqrt(2 / inputs)
        self.mean = nn.Parameter(torch.randn(outputs, inputs) * deviation)
        self.bias = nn.Parameter(torch.zeros(outputs))
        start = 2 * math.log(spread * deviation)
        self.log_variance = nn.Parameter(torch.full((outputs, inputs), start))
        self.bias_log_variance = nn.Parameter(torch.full((outputs,), start))

    def forward(self, mean: Tensor, variance: Tensor | None) -> tuple[Tensor, Tensor]:
        """Mean and variance of the output, ``(N, outputs)``; ``variance`` None means a certain input."""
        spread = self.log_variance.exp()
        squares = mean.square() if variance is None else mean.square() + variance
        out = functional.linear(squares, spread, self.bias_log_variance.exp())
        if variance is not None:
            out = out + functional.linear(variance, self.mean.square())
        return functional.linear(mean, self.mean, self.bias), out

    def divergence(self, coefficients: Coefficients) -> Tensor:
        """The layer's term of equation 17: distance of its weights from a standard normal prior."""
        terms = (
            coefficients.kl_trace * self.log_variance.exp()
            + coefficients.kl_mean * self.mean.square()
            - coefficients.kl_log_det * self.log_variance
        )
        return terms.sum() / self.mean.shape[0]


def relu(mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor]:
    """ReLU by a first-order Taylor series (equations 10 to 13)."""
    return mean.relu(), variance * (mean > 0).to(variance.dtype)


def softmax(mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor]:
    """Softmax over the last axis by a first-order Taylor series (equations 11 to 13).

    The Jacobian is ``p_i (delta_ij - p_j)``, so the variance of class i is
    ``p_i^2 (v_i (1 - 2 p_i) + sum_j p_j^2 v_j)``. It is held to what a quantity between 0 and 1 with mean p can have
    at most, ``p (1 - p)`` (inequality of Bhatia and Davis): far from its mean the series promises too much.
    """
    p = mean.softmax(-1)
    shared = (p.square() * variance).sum(-1, keepdim=True)
    spread = p.square() * (variance * (1 - 2 * p) + shared).clamp_min(0)
    return p, torch.minimum(spread, p * (1 - p))


def class_loss(probability: Tensor, variance: Tensor, labels: Tensor, coefficients: Coefficients) -> Tensor:
    """The classification terms of equation 18 for each row, ``(N,)``.

    Args:
        probability: mean class probabilities, ``(N, classes)``.
        variance: their variances, ``(N, classes)``.
        labels: right classes, ``(N,)`` integers.
        coefficients: weights of the terms.
    """
    truth = functional.one_hot(labels, probability.shape[-1]).to(probability.dtype)
    spread = variance + VARIANCE_FLOOR
    likelihood = coefficients.error * (truth - probability).square() / spread + coefficients.log_det * spread.log()
    surprise = -probability.gather(-1, labels[:, None])[:, 0].clamp_min(1e-7).log()
    return likelihood.sum(-1) + coefficients.cross_entropy * surprise


def edge_loss(
    mean: Tensor, variance: Tensor, target: Tensor, coefficients: Coefficients, weight: Tensor | None = None
) -> Tensor:
    """Regression loss of rows of coordinates, ``(N,)``: smooth L1, and equation 15 on the variances.

    ``weight`` of each coordinate, as ``mean``; else all count the same.
    """
    distance = functional.smooth_l1_loss(mean, target, beta=0.05, reduction="none")
    spread = variance + VARIANCE_FLOOR
    likelihood = 0.5 * ((mean.detach() - target).square() / spread + spread.log())
    each = distance + coefficients.box_likelihood * likelihood
    return coefficients.regression * (each if weight is None else each * weight).sum(-1)

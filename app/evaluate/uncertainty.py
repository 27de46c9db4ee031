"""Is the doubt of a detector worth anything? The figures of paper 003, and calibration.

Uncertainty of a detection is the variance of the probability of its class, normalised between the
lowest and the highest observed on the same images. A detection is right if it overlaps a text by
at least half (intersection over union).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
SNR_LEVELS = (124, 90, 64, 45, 32, 23, 16, 14, 12, 8, 6, 4, 2)
"""Equation 21, in decibels; 124 is as good as no noise."""
CLEAN = 30
"""Levels above this count as clean (equation 24)."""
RIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Reported:
    """Detections of one image: probability of the class, its variance, and the best overlap with a text; ``(M,)``."""

    score: Floats
    variance: Floats
    overlap: Floats


@dataclass(frozen=True, slots=True)
class ZeroErrorThreshold:
    """Equations 25 and 26.

    ``threshold`` is the smallest normalised variance of a wrong detection (1 if there is none): below
    it no detection was wrong. ``missed_share`` is the share of all detections that are right but lie
    at or above it; ``lowest`` and ``highest`` normalise variances.
    """

    threshold: float
    missed_share: float
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class NoiseResponse:
    """Uncertainty at each noise level (equations 21 to 24).

    ``mean`` and ``spread`` (variance) have one value for each of ``levels``. ``slope`` is that of the mean
    over the SNR in hundreds of decibels, fitted by least squares: negative if doubt rises with noise.
    (Over 1/SNR, as equation 23 is printed, the sign would be the opposite; the paper's words and its
    figure 5 speak of the SNR.)
    """

    levels: tuple[int, ...]
    mean: tuple[float, ...]
    spread: tuple[float, ...]
    slope: float
    clean_variance: float


def normalised(variance: Floats, lowest: float, highest: float) -> Floats:
    """Variances as shares of the observed range, 0 to 1."""
    return np.clip((variance - lowest) / max(highest - lowest, 1e-12), 0, 1)


def zero_error_threshold(reports: Sequence[Reported]) -> ZeroErrorThreshold:
    """The paper's threshold on detections whose truth is known."""
    variance = np.concatenate([r.variance for r in reports]) if reports else np.zeros(0)
    overlap = np.concatenate([r.overlap for r in reports]) if reports else np.zeros(0)
    if not len(variance):
        return ZeroErrorThreshold(0.0, 0.0, 0.0, 1.0)
    lowest, highest = float(variance.min()), float(variance.max())
    doubt = normalised(variance, lowest, highest)
    wrong = overlap < RIGHT
    threshold = float(doubt[wrong].min()) if wrong.any() else 1.0
    missed = (~wrong & (doubt >= threshold)).mean() if wrong.any() else 0.0
    return ZeroErrorThreshold(threshold, float(missed), lowest, highest)


def salt_and_pepper(image: Image, snr: float, rng: np.random.Generator) -> Image:
    """Black and white pixels at a signal-to-noise ratio in decibels.

    Signal power is the mean square of the image, noise power that of the difference to it; the share of
    pixels that are hit follows from both. A level that even a full replacement does not reach gives that.
    """
    values = image.astype(np.float64)
    signal = float((values**2).mean())
    both = float(((values**2 + (255 - values) ** 2) / 2).mean())
    share = min(1.0, signal / (10 ** (snr / 10)) / max(both, 1e-9))
    hit = rng.random(image.shape[:2]) < share
    noisy = image.copy()
    noisy[hit] = np.where(rng.random(int(hit.sum())) < 0.5, 0, 255)[:, None]
    return noisy


def noise_response(
    images: Sequence[Image],
    detect: Callable[[Sequence[Image]], list[Reported]],
    lowest: float,
    highest: float,
    levels: Sequence[int] = SNR_LEVELS,
) -> NoiseResponse:
    """How uncertainty answers to salt-and-pepper noise.

    Args:
        images: ``(H, W, 3)`` pictures of one size.
        detect: the detector; one answer an image.
        lowest: variance that counts as 0.
        highest: variance that counts as 1.
        levels: signal-to-noise ratios in decibels.
    """
    variances = []
    for level in levels:
        rng = np.random.default_rng([level, 5])
        answers = detect([salt_and_pepper(image, level, rng) for image in images])
        variances.append([a.variance for a in answers])
    return response(variances, lowest, highest, levels)


def response(
    variances: Sequence[Sequence[Floats]], lowest: float, highest: float, levels: Sequence[int] = SNR_LEVELS
) -> NoiseResponse:
    """Equations 22 to 24 of the variances ``(M,)`` of each image at each level: ``variances[level][image]``."""
    mean, spread = [], []
    for level in variances:
        own = [normalised(v, lowest, highest) for v in level if len(v)]
        mean.append(float(np.mean([o.mean() for o in own])) if own else 0.0)
        spread.append(float(np.concatenate(own).var()) if own else 0.0)
    clean = [s for s, level in zip(spread, levels, strict=True) if level > CLEAN]
    slope = float(np.polyfit(np.array(levels, np.float64) / 100, mean, 1)[0])
    return NoiseResponse(tuple(levels), tuple(mean), tuple(spread), slope, float(np.mean(clean)) if clean else 0.0)


@dataclass(frozen=True, slots=True)
class Quadrants:
    """Figure 6: detections that overlap a text by half or not, below the threshold of doubt or not.

    ``right_sure`` the paper calls true positives, ``right_doubted`` false negatives, ``wrong_doubted`` true
    negatives and ``wrong_sure`` false positives.
    """

    right_sure: int
    right_doubted: int
    wrong_doubted: int
    wrong_sure: int

    @property
    def missed_share(self) -> float:
        """Equation 26: right but doubted, of all."""
        total = self.right_sure + self.right_doubted + self.wrong_doubted + self.wrong_sure
        return self.right_doubted / total if total else 0.0


def quadrants(doubt: Floats, overlap: Floats, threshold: float) -> Quadrants:
    """Counts of detections with normalised variance ``doubt (M,)``, doubted from a threshold on, and best overlap."""
    right, doubted = overlap >= RIGHT, doubt >= threshold
    counts = (right & ~doubted, right & doubted, ~right & doubted, ~right & ~doubted)
    return Quadrants(*(int(c.sum()) for c in counts))


@dataclass(frozen=True, slots=True)
class Reliability:
    """How probabilities and shares of right boxes agree, in bins of equal width that are not empty.

    ``probability`` and ``right`` are means, ``count`` boxes; ``error`` is the expected calibration error: the mean
    difference of the two over all boxes.
    """

    probability: tuple[float, ...]
    right: tuple[float, ...]
    count: tuple[int, ...]
    error: float


def reliability(probability: Floats, right: NDArray[np.bool_], bins: int = 15) -> Reliability:
    """Reliability of probabilities ``(M,)`` of boxes that are ``right`` or not."""
    place = np.clip((probability * bins).astype(np.int64), 0, bins - 1)
    count = np.bincount(place, minlength=bins)
    used = np.flatnonzero(count)
    mean = np.bincount(place, probability, bins)[used] / count[used]
    share = np.bincount(place, right.astype(np.float64), bins)[used] / count[used]
    error = float((np.abs(mean - share) * count[used]).sum() / max(1, count.sum()))
    return Reliability(tuple(mean.tolist()), tuple(share.tolist()), tuple(count[used].tolist()), error)

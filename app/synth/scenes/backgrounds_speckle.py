"""Speckle, and what is made of it: the spectral strips and the motion strips of an ultrasound console."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.synth.scenes.backgrounds_tables import MAPS
from deidra.app.synth.scenes.backgrounds_textures import (
    Family,
    Grey,
    blurred,
    chance,
    choose,
    coloured,
    grain,
    noise,
    paint,
    resized,
)

Size = tuple[int, int]


def speckle(rng: np.random.Generator, size: Size, family: Family, wide: float, high: float) -> Grey:
    """The magnitude of two fields (H, W), mean about 1; the grains are ``wide`` by ``high`` pixels."""
    small = (max(4, round(size[0] / wide)), max(4, round(size[1] / high)))
    parts = [resized(grain(rng, small, family), size, cv2.INTER_CUBIC) for _ in range(2)]
    return np.asarray(cv2.magnitude(*parts), np.float32)


def _pulse(rng: np.random.Generator, w: int) -> NDArray[np.float64]:
    """The envelope (w,) of the velocity over several beats: arterial, with two peaks, venous, or irregular."""
    time = np.linspace(0, float(rng.uniform(1.5, 10)), w)
    if chance(rng, 0.25):
        # Beats that come too early or too late.
        time = time + np.interp(time, np.linspace(0, time[-1], 7), rng.normal(0, 0.25, 7))
    beat = np.mod(time + rng.uniform(0, 1), 1)
    how = rng.random()
    if how < 0.15:
        return np.asarray(rng.uniform(0.3, 0.6) + 0.15 * np.sin(time * rng.uniform(0.5, 3)), np.float64)
    if how < 0.4:
        first, second = rng.uniform(0.15, 0.35), rng.uniform(0.5, 0.8)
        wide = rng.uniform(0.04, 0.12)
        peaks = np.exp(-(((beat - first) / wide) ** 2))
        return np.asarray(peaks + rng.uniform(0.3, 1.1) * np.exp(-(((beat - second) / wide) ** 2)), np.float64)
    sharp, decay, rest = rng.uniform(0.03, 0.15), rng.uniform(0.1, 0.6), rng.uniform(0.05, 0.8)
    pulse = np.exp(-(((beat - 0.15) / sharp) ** 2)) + rest * np.exp(-np.maximum(beat - 0.15, 0) / decay) * (beat > 0.1)
    if chance(rng, 0.5):
        pulse -= rng.uniform(0.1, 0.7) * np.exp(-(((beat - rng.uniform(0.3, 0.7)) / 0.1) ** 2))
    return np.asarray(pulse, np.float64)


def spectrum(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """A spectral strip (H, W, 3): pulses filled with speckle above and below a base line.

    At times too fast, so that the peaks wrap around to the other edge; with clicks of valves, clutter at the base line,
    lines left out, and an envelope drawn around it.
    """
    w, h = size
    base = h * rng.uniform(0.3, 0.95)
    reach = _pulse(rng, w) * h * rng.uniform(0.3, 0.9) * rng.choice([-1, 1], p=[0.3, 0.7])
    reach = reach + rng.normal(0, rng.uniform(0.003, 0.04) * h, w)
    rows = np.arange(h, dtype=np.float32)[:, None]
    share = ((base - rows) / np.where(np.abs(reach) < 1, 1, reach)[None]).astype(np.float32)
    filled = ((share > 0) & (share < 1)).astype(np.float32)
    hollow = rng.uniform(0, 1)
    level = filled * (1 - hollow + hollow * np.clip(share, 0, 1) ** 2) * np.float32(rng.uniform(80, 220))
    level = blurred(level, float(rng.uniform(0.4, 2))) + np.float32(rng.gamma(1.5, 4))
    if chance(rng, 0.35):
        level += np.float32(rng.uniform(0.1, 0.5)) * np.roll(level[::-1], int(2 * base - h), 0)
    if chance(rng, 0.35):
        level += np.float32(rng.uniform(60, 160)) * np.exp(-(((rows - np.float32(base)) / np.float32(4)) ** 2))
    if chance(rng, 0.3):
        level[:, rng.integers(0, w, int(rng.integers(2, 14)))] += np.float32(rng.uniform(30, 150))
    level *= speckle(rng, size, family, float(rng.uniform(1, 5)), float(rng.uniform(1, 6)))
    if chance(rng, 0.25):
        level[:, :: int(rng.integers(2, 7))] *= 0.6
    wraps = chance(rng, 0.2)
    if wraps:
        level = np.roll(level, int(rng.uniform(0.1, 0.6) * h), 0)
    tints = ("grey", "grey", "sepia", "blue tint", family.of("hot iron", "violet", "violet"))
    strip = coloured(level, MAPS[choose(rng, tints)]).astype(np.float32)
    if not wraps and chance(rng, 0.3):
        tone = choose(rng, ((0, 255, 255), (255, 255, 0), (255, 255, 255), (255, 80, 80)))
        paint(strip, np.stack([np.arange(w), base - blurred(reach[None].astype(np.float32), 3)[0]], 1), tone, width=1)
    strip_marks(rng, strip, base)
    return strip


def motion(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """Motion mode (H, W, 3): one line of echoes over time, its walls moving with the heart."""
    w, h = size
    profile = np.full((h, 1), rng.uniform(2, 40), np.float32)
    profile += np.float32(rng.uniform(10, 120)) * noise(rng, (8, h), float(rng.uniform(2, 30)), family)[:, :1]
    for _ in range(int(rng.integers(2, 10))):
        row, thick = int(rng.uniform(0, h)), int(rng.uniform(1, 0.1 * h) + 1)
        profile[row : row + thick] = rng.choice([0, 60, 160, 240])
    time = np.arange(w) / w * rng.uniform(2, 12) * 2 * np.pi
    shift = (np.sin(time) + 0.4 * np.sin(2 * time + rng.uniform(0, 3))) * h * rng.uniform(0.005, 0.08)
    if chance(rng, 0.3):
        shift = np.abs(shift) * 2
    share = np.sin(np.linspace(0, rng.uniform(2, 9), h))[:, None]
    depth = np.arange(h, dtype=np.float32)[:, None] + shift.astype(np.float32)[None] * share
    picture = cv2.remap(profile, np.zeros((h, w), np.float32), depth.astype(np.float32), cv2.INTER_LINEAR)
    grains = speckle(rng, size, family, float(rng.uniform(1, 7)), float(rng.uniform(1, 3)))
    tint = choose(rng, ("grey", "grey", "grey", family.of("sepia", "blue tint", "sepia")))
    strip = coloured(np.asarray(picture, np.float32) * grains, MAPS[tint]).astype(np.float32)
    strip_marks(rng, strip, h - 1.0)
    return strip


def strip_marks(rng: np.random.Generator, strip: Grey, base: float) -> None:
    """The base line, ticks of velocity and time, and at times the heart's trace, on a strip (H, W, 3)."""
    h, w = strip.shape[:2]
    tone = choose(rng, ((255, 255, 255), (120, 220, 120), (255, 255, 0), (110, 110, 110)))
    paint(strip, np.array([(0, base), (w, base)]), tone, width=1)
    step = rng.uniform(0.06, 0.2) * h
    for row in np.arange(base % step, h, step):
        paint(strip, np.array([(w - rng.choice([5, 9]), row), (w, row)]), tone, width=1)
        if step > 30:
            paint(strip, np.array([(0, row), (w, row)]), tone, 0.15, width=1)
    minor, long = rng.uniform(4, 90), float(rng.uniform(3, 10))
    for k, x in enumerate(np.arange(rng.uniform(0, 40), w, minor)):
        paint(strip, np.array([(x, h - long * (1 if k % 5 else 2)), (x, h)]), tone, width=1)
    if chance(rng, 0.4):
        time = np.linspace(0, w, 2 * w)
        beat = np.mod(time / w * rng.uniform(3, 14), 1)
        trace = 0.12 * np.exp(-(((beat - 0.3) / 0.02) ** 2)) + 0.03 * np.exp(-(((beat - 0.6) / 0.07) ** 2))
        ink = choose(rng, ((90, 255, 90), (255, 255, 255), (255, 255, 80)))
        paint(strip, np.stack([time, h * (rng.uniform(0.2, 0.95) - trace)], 1), ink, width=1)

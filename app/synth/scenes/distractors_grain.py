"""Speckle, counts and sparks over a picture or a part of it, and strips of spectra: grain that forms characters."""

from __future__ import annotations

import cv2
import numpy as np

from deidra.app.synth.scenes.backgrounds_speckle import motion, speckle, spectrum
from deidra.app.synth.scenes.backgrounds_tables import MAPS
from deidra.app.synth.scenes.backgrounds_textures import Colour, Family, chance, choose, coloured, grain, resized, rgb
from deidra.app.synth.scenes.distractors_objects import Painter, draw, spot


def _window(
    rng: np.random.Generator, image: Colour, low: float, high: float
) -> tuple[Colour, tuple[int, int], tuple[int, int]]:
    """A part of the picture whose sides are ``low`` to ``high`` of its own, its size and its corner."""
    h, w = image.shape[:2]
    wide, high_ = (max(8, int(v)) for v in rng.uniform(low, high, 2) * (w, h))
    x, y = int(rng.uniform(0, max(1, w - wide))), int(rng.uniform(0, max(1, h - high_)))
    part = image[y : y + high_, x : x + wide]
    return part, (part.shape[1], part.shape[0]), (x, y)


def veil(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Speckle over the whole picture, of any size of grain, weak or strong."""
    size = (image.shape[1], image.shape[0])
    wide = float(rng.uniform(1, 7))
    grains = speckle(rng, size, family, wide, wide * float(rng.uniform(0.3, 1)))
    share = np.float32(rng.uniform(0.15, 0.8))
    factor = 1 - share + share * grains
    lift = np.float32(rng.uniform(0, 25))
    spread = cv2.merge([factor] * 3)
    np.copyto(image, rgb(np.asarray(cv2.multiply(image, spread, dtype=cv2.CV_32F), np.float32) + lift))


def field(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A window or an ellipse full of speckle, grey or through a table, that covers what was there."""
    part, size, _ = _window(rng, image, 0.1, 0.6)
    wide = float(rng.uniform(1, 8))
    level = speckle(rng, size, family, wide, wide * float(rng.uniform(0.3, 1)))
    level = level ** np.float32(rng.uniform(0.7, 2)) * np.float32(rng.uniform(15, 140))
    table = choose(rng, ("grey", "grey", "grey", "sepia", family.of("rainbow", "inverse grey", "spectrum")))
    mask = np.ones((size[1], size[0]), np.uint8)
    if chance(rng, 0.5):
        mask[:] = 0
        middle = (size[0] // 2, size[1] // 2)
        cv2.ellipse(mask, middle, middle, 0, 0, 360, (1,), -1)
    np.copyto(part, coloured(level, MAPS[table]), where=mask[..., None].astype(bool))


def counts(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A window of few counts in coarse cells, light on dark or dark on light, as of a gamma camera."""
    part, size, _ = _window(rng, image, 0.1, 0.6)
    cell = float(rng.uniform(1.5, 6))
    small = (max(4, round(size[0] / cell)), max(4, round(size[1] / cell)))
    rate = np.float32(rng.uniform(0.05, 2)) + np.float32(1.5) * np.maximum(grain(rng, small, family, 6), 0)
    many = np.sqrt(np.maximum(rate + np.sqrt(rate) * grain(rng, small, family), 0)) * np.float32(rng.uniform(40, 110))
    how = cv2.INTER_NEAREST if chance(rng, family.of(0.5, 0.2, 0.5)) else cv2.INTER_LINEAR
    table = MAPS[choose(rng, ("grey", "inverse grey", family.of("hot iron", "sepia", "violet")))]
    part[:] = coloured(resized(many, size, how), table)


def sparks(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Single bright dots: dead pixels, hits of quanta, crystals; all over, in a cloud or along a line."""
    h, w = image.shape[:2]
    count = int(np.exp(rng.uniform(2.5, 6)))
    how = rng.random()
    if how < 0.4:
        places = rng.uniform(0, 1, (count, 2)) * (w, h)
    elif how < 0.75:
        places = np.array(spot(rng, image)) + rng.normal(0, rng.uniform(8, 60), (count, 2))
    else:
        a, b = np.array(spot(rng, image)), np.array(spot(rng, image))
        places = a + (b - a) * rng.random((count, 1)) + rng.normal(0, 3, (count, 2))
    level = int(choose(rng, (255, 255, 220, 0)))
    most = family.of(3, 2, 4)
    for x, y in places[:400].astype(int).tolist():
        tone = (max(0, level - int(rng.integers(0, 60))),) * 3
        cv2.circle(image, (x, y), int(rng.integers(0, most)), tone, -1, cv2.LINE_AA)


def strip(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A strip of a Doppler spectrum or of motion mode, over the whole width or in a window of its own."""
    h, w = image.shape[:2]
    high = max(16, int(rng.uniform(0.12, 0.5) * h))
    wide = w if chance(rng, 0.5) else max(24, int(rng.uniform(0.25, 0.9) * w))
    x = int(rng.uniform(0, w - wide + 1)) if wide < w else 0
    y = int(choose(rng, (0, max(0, h - high), int(rng.uniform(0, max(1, h - high))))))
    part = image[y : y + high, x : x + wide]
    size = (part.shape[1], part.shape[0])
    part[:] = rgb(spectrum(rng, size, family) if chance(rng, 0.65) else motion(rng, size, family))
    if chance(rng, 0.4):
        frame = np.array([(x, y), (x + wide - 1, y), (x + wide - 1, y + high - 1), (x, y + high - 1)], np.float64)
        draw(image, frame, (150, 150, 150), closed=True)


GRAINS: tuple[Painter, ...] = (veil, field, field, counts, sparks, strip, strip)
"""All kinds of grain; what is common stands there twice."""

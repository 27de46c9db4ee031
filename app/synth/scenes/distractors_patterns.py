"""Pieces of test patterns in a picture: blocks and rows of line pairs, checks, rings, stars, steps, squares.

The patterns and their split rule are those of :mod:`.backgrounds_patterns`.
"""

from __future__ import annotations

import cv2
import numpy as np

from deidra.app.synth.scenes.backgrounds_patterns import (
    Pattern,
    checks,
    few_bars,
    hatch,
    pairs,
    rings,
    squares,
    star,
    steps,
)
from deidra.app.synth.scenes.backgrounds_textures import Colour, Family, Grey, chance, choose
from deidra.app.synth.scenes.distractors_objects import Painter, spot


def _lay(
    rng: np.random.Generator,
    image: Colour,
    share: Grey,
    corner: tuple[float, float],
    contrast: float,
) -> None:
    """The pattern ``share`` with its left top ``corner``, on a ground of its own or on the picture itself."""
    left, top = int(corner[0]), int(corner[1])
    right, bottom = left + share.shape[1], top + share.shape[0]
    top_cut, left_cut = max(0, -top), max(0, -left)
    window = image[max(0, top) : max(0, bottom), max(0, left) : max(0, right)]
    share = share[top_cut : top_cut + window.shape[0], left_cut : left_cut + window.shape[1], None]
    window = window[: share.shape[0], : share.shape[1]]
    if not window.size:
        return
    if chance(rng, 0.4):
        # Half transparent: lead strips on a film, a grid in front of the patient.
        mixed = window + (share - np.float32(0.5)) * np.float32(contrast)
    else:
        ground = np.float32(choose(rng, (0, 0, 255, float(rng.uniform(0, 255)))))
        mixed = ground + share * np.float32(contrast if ground < 128 else -contrast)
        mixed = np.broadcast_to(mixed, window.shape)
    window[:] = np.clip(mixed, 0, 255).astype(np.uint8)


def _blocks(rng: np.random.Generator, image: Colour, family: Family, maker: Pattern) -> None:
    """One block of a pattern, or a row, column or table of blocks that grow smaller or fainter."""
    x, y = spot(rng, image, 0)
    wide, high = rng.uniform(10, 0.22 * min(image.shape[:2]) + 14, 2)
    if chance(rng, 0.4):
        high = wide
    contrast, fade = float(rng.uniform(25, 255)), float(choose(rng, (1.0, 1.0, 0.85, 0.7)))
    columns = int(choose(rng, (1, 1, 3, 5, 8)))
    lines = int(choose(rng, (1, 1, 1, 2, 4)))
    gap, shrink = float(rng.uniform(1, 1.6)), float(choose(rng, (1.0, 1.0, 0.8)))
    framed, alike = chance(rng, 0.2), chance(rng, 0.6)
    first = maker(rng, (int(wide), int(high)), family)
    for row in range(lines):
        across, size = x, shrink**row
        for _ in range(columns):
            area = (max(3, int(wide * size)), max(3, int(high * size)))
            # The same block again and smaller has finer bars; others start anew.
            share = cv2.resize(first, area, interpolation=cv2.INTER_AREA) if alike else maker(rng, area, family)
            _lay(rng, image, np.asarray(share, np.float32), (across, y), contrast)
            if framed:
                left, top, right, bottom = int(across), int(y), int(across) + area[0], int(y) + area[1]
                cv2.rectangle(image, (left - 1, top - 1), (right, bottom), (200, 200, 200), 1)
            across, size, contrast = across + wide * size * gap, size * shrink, contrast * fade
        y += high * shrink**row * gap


def line_pairs(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Blocks of line pairs."""
    _blocks(rng, image, family, pairs)


def resolution_bars(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Groups of few bars, ever smaller."""
    _blocks(rng, image, family, few_bars)


def boards(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Chess boards."""
    _blocks(rng, image, family, checks)


def targets(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Rings about one point, and stars of wedges."""
    _blocks(rng, image, family, rings if chance(rng, 0.5) else star)


def wedges(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Grey steps, as of a step wedge of aluminium."""
    _blocks(rng, image, family, steps)


def meshes(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Crossing thin lines and fields of dots."""
    _blocks(rng, image, family, hatch)


def tiles(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Rows of small squares that differ little."""
    _blocks(rng, image, family, squares)


PATTERN_PIECES: tuple[Painter, ...] = (
    line_pairs, line_pairs, line_pairs, resolution_bars, boards, targets, wedges, meshes, tiles,
)  # fmt: skip
"""Pieces of test patterns; what is common stands there twice."""

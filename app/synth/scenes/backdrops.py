"""Training scenes on pictures that a caller brings: real anatomy with ordinary texts on it, or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deidra.app.synth.scenes import layouts_console as screen
from deidra.app.synth.scenes import marks
from deidra.app.synth.scenes.canvas import Canvas
from deidra.app.synth.scenes.distractors import add_distractors
from deidra.app.synth.scenes.layouts import between, chance
from deidra.app.synth.scenes.machines import Recipe, enlarged, lay_out

Draw = Callable[[np.random.Generator, tuple[int, int]], NDArray[np.uint8]]
"""Gives a picture (H, W, 3), RGB, of at most size (width, height)."""

KIND = "anatomy"
"""What such scenes say of their background."""
_LARGEST = (1100, 1100)
_COARSE_SIDES = (192, 420)
_COARSE = 0.4
"""Share of the scenes that are composed as small as scanners make their matrices, and then enlarged."""
_GRAPHICS = 0.3
"""Share of the scenes with graphics that look like text and are none."""


@dataclass(frozen=True, slots=True)
class Backdrop:
    """Pictures that a caller brings.

    They must be free of text: what stands in them is taken for anatomy. ``empty`` is the share of scenes that stay so.
    """

    draw: Draw
    empty: float = 0.3


def _few(c: Canvas) -> None:
    screen.over(c, 3)


def _corners(c: Canvas) -> None:
    screen.corners(c, most=between(c.rng, 1, 6))


_RECIPE = Recipe(
    1.0, (KIND,), (256, 1100), (1.0,), (9, 22),
    (
        (_few, 0.5), (_corners, 0.35), (screen.edge_letters, 0.1), (screen.scale, 0.08), (marks.lead, 0.06),
        (screen.name_line, 0.06), (screen.measurements, 0.05), (screen.tokens, 0.05),
    ),
    screen=True, singles=0.03,
)  # fmt: skip
"""Few texts, lone letters hardly ever: what is to be learnt here is what is none."""


def compose_on(rng: np.random.Generator, split: str, view: tuple[int, int] | None, backdrop: Backdrop) -> Canvas:
    """An image on one of the pictures of ``backdrop``, before damage, of at most size ``view`` (width, height)."""
    width, height = view or _LARGEST
    coarse = chance(rng, _COARSE)
    if coarse:
        most = between(rng, *_COARSE_SIDES)
        width, height = min(width, most), min(height, most)
    unit = between(rng, 9, 15) if coarse else between(rng, *_RECIPE.units)
    canvas = Canvas(backdrop.draw(rng, (width, height)), split, rng, unit, KIND, coarse)
    if chance(rng, _GRAPHICS):
        add_distractors(rng, canvas.image, KIND, split)
    if not chance(rng, backdrop.empty):
        lay_out(canvas, _RECIPE)
    return enlarged(rng, canvas, view) if coarse else canvas

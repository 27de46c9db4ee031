"""Scenes as the machines of hospitals make them: which layouts go on which background, at which sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.synth.scenes import layouts_console as screen
from deidra.app.synth.scenes import layouts_film as film
from deidra.app.synth.scenes import marks
from deidra.app.synth.scenes.backgrounds import background
from deidra.app.synth.scenes.canvas import Canvas
from deidra.app.synth.scenes.distractors import add_distractors
from deidra.app.synth.scenes.layouts import between, chance
from deidra.app.synth.scenes.layouts_singles import singles

Layout = Callable[[Canvas], None]
TEXT_FREE = 0.12
"""Share of images without any text, on most machines."""
_SINGLES_ALONE = 0.4
"""Share of the scenes with lone characters that have nothing else."""
_LOW_RESOLUTIONS = ((320, 240), (352, 288), (384, 288), (400, 300), (512, 384), (512, 512), (576, 432), (640, 480))


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a kind of machine makes.

    ``weight`` is how often, ``kinds`` the backgrounds, ``sizes`` the range of the longer side in pixels, ``ratios`` of
    the shorter to it, ``units`` the range of letter sizes in pixels, ``layouts`` what may be put on and how likely.
    ``screen`` scenes may be composed at a low resolution and enlarged. ``empty`` is the share without any text.
    ``singles`` is the share of training scenes with lone characters besides, which are what is found worst.
    """

    weight: float
    kinds: tuple[str, ...]
    sizes: tuple[int, int]
    ratios: tuple[float, ...]
    units: tuple[int, int]
    layouts: tuple[tuple[Layout, float], ...]
    screen: bool = False
    empty: float = TEXT_FREE
    singles: float = 0.25


def _hand_on_film(c: Canvas) -> None:
    marks.handwriting(c, light=True)


def _few(c: Canvas) -> None:
    screen.over(c, 2)


def _screen_corners(c: Canvas) -> None:
    screen.corners(c, "screen")


RECIPES = (
    Recipe(
        0.22, ("ct", "mr", "petct", "bone_scan", "dexa", "rendered", "oct"), (256, 1100), (1.0, 1.0, 0.9, 0.75),
        (11, 22),
        (
            (screen.corners, 0.8), (screen.edge_letters, 0.6), (screen.scale, 0.25), (screen.over, 0.25),
            (screen.table, 0.12), (screen.tokens, 0.25), (screen.bar, 0.1), (screen.measurements, 0.12),
            (screen.big, 0.1),
        ), screen=True,
    ),
    Recipe(
        0.22, ("ultrasound", "doppler"), (600, 1300), (0.75, 0.75, 0.7, 0.8), (11, 24),
        (
            (screen.bar, 0.3), (screen.menu, 0.4), (screen.name_line, 0.45), (screen.scale, 0.5), (screen.table, 0.3),
            (_screen_corners, 0.4), (screen.measurements, 0.45), (screen.tokens, 0.5), (screen.over, 0.2),
        ), screen=True,
    ),
    Recipe(
        0.2, ("xray", "mammogram", "angiography", "dental"), (700, 3000), (0.8, 0.83, 1.0, 0.75), (11, 48),
        (
            (marks.lead, 0.6), (film.film_label, 0.4), (screen.corners, 0.4), (screen.over, 0.25),
            (_hand_on_film, 0.3), (screen.tokens, 0.15), (marks.barcode, 0.25), (film.sticker, 0.12),
            (screen.big, 0.12), (screen.scale, 0.08),
        ),
    ),
    Recipe(
        0.05, ("film_sheet", "ct", "mr"), (700, 2600), (0.8, 1.0, 0.85), (10, 18),
        ((screen.tiles, 0.9), (screen.bar, 0.2), (film.film_label, 0.3), (marks.lead, 0.1), (_hand_on_film, 0.15)),
    ),
    Recipe(
        0.1, ("endoscopy", "fundus", "skin", "photograph", "pathology"), (480, 1920), (0.75, 0.8, 0.5625), (11, 30),
        (
            (screen.dot_matrix, 0.4), (_screen_corners, 0.45), (screen.tokens, 0.35), (screen.over, 0.2),
            (film.caption, 0.25), (screen.bar, 0.12), (film.sticker, 0.12), (screen.scale, 0.1),
            (screen.name_line, 0.12),
        ), screen=True,
    ),
    Recipe(
        0.13, ("paper", "paper", "plain"), (900, 2400), (0.707, 0.77, 1.41), (12, 34),
        ((film.page_layout, 0.95), (marks.stamp, 0.4), (marks.handwriting, 0.6), (marks.barcode, 0.5)), singles=0.08,
    ),
    Recipe(
        0.03, ("ecg",), (900, 2200), (0.7, 0.77), (11, 26),
        ((film.ecg_text, 0.95), (marks.stamp, 0.2), (marks.handwriting, 0.5), (marks.barcode, 0.3)), singles=0.15,
    ),
    Recipe(
        0.05, ("screenshot", "plain", "bars"), (640, 1600), (0.75, 0.6, 0.5625), (11, 24),
        (
            (screen.menu, 0.5), (screen.table, 0.6), (screen.bar, 0.4), (screen.tokens, 0.4), (screen.over, 0.4),
            (_screen_corners, 0.3), (screen.measurements, 0.1), (marks.barcode, 0.3),
            (screen.big, 0.1),
        ), screen=True,
    ),
    Recipe(
        0.03, ("pattern",), (400, 1600), (1.0, 0.8, 0.75), (11, 22),
        ((_few, 0.5), (screen.edge_letters, 0.1), (_screen_corners, 0.12), (marks.lead, 0.08), (screen.scale, 0.08)),
        screen=True, empty=0.4,
    ),
)  # fmt: skip
"""The machines; see :class:`Recipe`."""


def _sizes(rng: np.random.Generator, recipe: Recipe) -> tuple[tuple[int, int], int]:
    """Width and height of a whole image, and the usual letter size on it."""
    longer = float(np.exp(rng.uniform(*np.log(recipe.sizes))))
    shorter = longer * float(rng.choice(recipe.ratios))
    width, height = (longer, shorter) if recipe.screen or chance(rng, 0.35) else (shorter, longer)
    place = (longer - recipe.sizes[0]) / (recipe.sizes[1] - recipe.sizes[0])
    low, high = recipe.units
    # Large images have small text as often as large text; small images have no place for large text.
    most = low + (high - low) * (0.35 + 0.65 * place)
    return (round(width), round(height)), between(rng, low, most)


def _window(
    rng: np.random.Generator, kind: str, whole: tuple[int, int], split: str, view: tuple[int, int] | None
) -> NDArray[np.uint8]:
    """A background of size ``whole``, or what a window of size ``view`` shows of it."""
    if view is None or (whole[0] <= view[0] and whole[1] <= view[1]):
        return background(rng, kind, whole, split)
    size = (min(whole[0], view[0]), min(whole[1], view[1]))
    picture = background(rng, kind, size, split)
    closer = min(3.0, max(whole[0] / size[0], whole[1] / size[1]))
    if kind in ("paper", "plain", "screenshot", "bars", "ecg", "film_sheet", "pattern") or chance(rng, 0.3):
        return picture
    wide, high = round(size[0] / closer), round(size[1] / closer)
    x, y = between(rng, 0, size[0] - wide), between(rng, 0, size[1] - high)
    nearer = cv2.resize(picture[y : y + high, x : x + wide], size, interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(nearer, np.uint8)


def enlarged(rng: np.random.Generator, canvas: Canvas, view: tuple[int, int] | None) -> Canvas:
    """``canvas`` at a higher resolution, as a frame grabber or a viewer shows it."""
    most = min(view[0] / canvas.width, view[1] / canvas.height) if view else 3.0
    factor = float(rng.uniform(1.2, 3.0))
    if most < 1.1:
        return canvas
    factor = min(factor, most)
    size = (round(canvas.width * factor), round(canvas.height * factor))
    how = int(rng.choice([cv2.INTER_LINEAR, cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_NEAREST]))
    larger = Canvas(
        np.ascontiguousarray(cv2.resize(canvas.image, size, interpolation=how), np.uint8),
        canvas.split, rng, canvas.unit, canvas.background,
    )  # fmt: skip
    larger.ink = np.ascontiguousarray(cv2.resize(canvas.ink, size, interpolation=cv2.INTER_NEAREST_EXACT), np.uint16)
    larger.drafts = canvas.drafts
    return larger


def compose_machine(rng: np.random.Generator, split: str, view: tuple[int, int] | None) -> Canvas:
    """An image of a machine before damage, of at most size ``view`` (width, height) if that is given."""
    weights = np.array([recipe.weight for recipe in RECIPES])
    recipe = RECIPES[int(rng.choice(len(RECIPES), p=weights / weights.sum()))]
    kind = str(rng.choice(recipe.kinds))
    whole, unit = _sizes(rng, recipe)
    low = recipe.screen and chance(rng, 1 / 3)
    if low:
        whole = _LOW_RESOLUTIONS[int(rng.integers(len(_LOW_RESOLUTIONS)))]
        unit = between(rng, 9, 15)
        if view:
            whole = (min(whole[0], view[0]), min(whole[1], view[1]))
    canvas = Canvas(_window(rng, kind, whole, split, view), split, rng, unit, kind, low)
    empty = chance(rng, recipe.empty)
    if empty or chance(rng, 0.55):
        add_distractors(rng, canvas.image, kind, split)
    if not empty:
        lay_out(canvas, recipe)
    return enlarged(rng, canvas, view) if low else canvas


def lay_out(canvas: Canvas, recipe: Recipe) -> None:
    """Puts on layouts of ``recipe``, each as likely as it says; at least one text."""
    rng = canvas.rng
    lone = canvas.split == "train" and chance(rng, recipe.singles)
    if lone and chance(rng, _SINGLES_ALONE):
        singles(canvas)
        if canvas.drafts:
            return
    for layout, share in recipe.layouts:
        if chance(rng, share):
            layout(canvas)
    if lone:
        singles(canvas)
    for layout, _ in recipe.layouts:
        if canvas.drafts:
            return
        layout(canvas)
    if not canvas.drafts:
        screen.tokens(canvas)

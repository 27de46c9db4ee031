"""Whole scenes: a background, texts laid out on it, the damage of machines, and the key to what stands where.

Pictures are ``[row, column, RGB]``, 0 to 255; coordinates are ``(x, y)`` in pixels, pixel i covering i to i + 1.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.scenes.backdrops import Backdrop, compose_on
from deidra.app.synth.scenes.canvas import Canvas, Draft
from deidra.app.synth.scenes.damage import Warped, machine_damage, paper_augment
from deidra.app.synth.scenes.glyphs import quad
from deidra.app.synth.scenes.machines import compose_machine
from deidra.app.synth.scenes.papers import Draw as TextDraw
from deidra.app.synth.scenes.papers import compose_paper, compose_paper_000

Point = tuple[float, float]
SUITES = ("papers", "machines")
"""The kinds of scene: after two papers, or as machines of hospitals make them."""
SPLITS = ("train", "calibrate", "test")
"""The splits; they share neither words nor, in the suite of machines, families of fonts."""
LEAST_CONTRAST = 10.0
"""Grey levels between ink and its surroundings below which a text is not expected to be found."""

_LEAST_OVER_GRAIN = 0.5
"""Contrast of visible text, in standard deviations of what is around it."""


@dataclass(frozen=True, slots=True)
class SceneText:
    """One text of a scene, as a reader sees a line; wider gaps than 1.3 times its height start another.

    ``polygon`` are the corners top left, top right, bottom right and bottom left in reading direction, tight around the
    visible ink: of mirrored text as if it were not mirrored, and of sloping text that the edge cuts they can lie a
    little outside. ``kind`` is ``printed``, ``handwriting`` or ``barcode``; ``type`` is None for harmless text (``phi``
    False). ``height`` is that of the ink in pixels, across the reading direction. ``text`` is empty for signatures and
    scribbles.
    """

    text: str
    polygon: tuple[Point, Point, Point, Point]
    kind: str
    type: EntityType | None
    phi: bool
    style: str
    height: float

    @property
    def box(self) -> tuple[float, float, float, float]:
        """``(left, top, right, bottom)`` of the polygon."""
        xs, ys = zip(*self.polygon, strict=True)
        return min(xs), min(ys), max(xs), max(ys)


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture ``image`` ``[row, column, RGB]`` with ``ink`` ``[row, column]``: 0 none, n that of ``texts[n - 1]``.

    ``faint`` is the number of texts besides that are too faint to be expected; more contrast can bring them out.
    """

    image: NDArray[np.uint8]
    ink: NDArray[np.uint16]
    texts: tuple[SceneText, ...]
    suite: str
    background: str
    seed: int
    faint: int = 0


def scene(
    suite: str, split: str, seed: int, view: tuple[int, int] | None = None, backdrop: Backdrop | None = None
) -> Scene:
    """The scene of a suite and split with number ``seed``; always the same for the same arguments and fonts.

    ``view`` (width, height) makes a scene of at most about that size: of a larger image a window with the image's own
    letter sizes. None makes whole images, of 256 to 3000 pixels. ``backdrop`` brings the pictures behind the texts of a
    training scene of the suite of machines; without it a scene needs no files but fonts.
    """
    if suite not in SUITES or split not in SPLITS:
        raise ValueError(f"no scene of suite {suite!r} and split {split!r}")
    if backdrop and (suite, split) != ("machines", "train"):
        raise ValueError("other pictures are for training scenes of machines only")
    rng = np.random.default_rng([zlib.crc32(suite.encode()), zlib.crc32(split.encode()), seed])
    if suite == "papers":
        canvas, augmented = compose_paper(rng, split, seed, view)
        warped = paper_augment(rng, canvas.image, canvas.ink) if augmented else None
    else:
        canvas = compose_on(rng, split, view, backdrop) if backdrop else compose_machine(rng, split, view)
        warped = machine_damage(rng, canvas.image, canvas.ink, split, _finest(canvas))
    warped = warped or Warped(canvas.image, canvas.ink, np.eye(3))
    if view:
        warped = _within(rng, warped, view)
    ink, texts, faint = _key(canvas, warped)
    return Scene(warped.image, ink, texts, suite, canvas.background, seed, faint)


def paper_scene(split: str, seed: int, draw: TextDraw) -> Scene:
    """The image of paper 000 with number ``seed``, without damage, with texts that ``draw`` makes."""
    if split not in SPLITS:
        raise ValueError(f"no split {split!r}")
    rng = np.random.default_rng([zlib.crc32(b"paper 000"), zlib.crc32(split.encode()), seed])
    canvas = compose_paper_000(rng, split, seed, draw)
    ink, texts, faint = _key(canvas, Warped(canvas.image, canvas.ink, np.eye(3)))
    return Scene(canvas.image, ink, texts, "papers", canvas.background, seed, faint)


def _finest(canvas: Canvas) -> float:
    """The height in pixels that a fifth of the texts stays below."""
    sides = [min(np.ptp(x), np.ptp(y)) + 1.0 for x, y in _pixels(canvas.ink, len(canvas.drafts)) if len(x)]
    return float(np.quantile(sides, 0.2)) if sides else 0.0


def _within(rng: np.random.Generator, warped: Warped, view: tuple[int, int]) -> Warped:
    """What a window of size ``view`` (width, height) shows of a picture that damage has enlarged."""
    rows, columns = warped.ink.shape
    width, height = min(columns, view[0]), min(rows, view[1])
    if (width, height) == (columns, rows):
        return warped
    x, y = int(rng.integers(columns - width + 1)), int(rng.integers(rows - height + 1))
    inked = np.flatnonzero(warped.ink)
    if len(inked) and rng.random() < 0.85:
        row, column = divmod(int(inked[rng.integers(len(inked))]), columns)
        x = int(np.clip(column - rng.integers(width), 0, columns - width))
        y = int(np.clip(row - rng.integers(height), 0, rows - height))
    shift = np.array([[1.0, 0, -x], [0, 1.0, -y], [0, 0, 1.0]])
    cut = (slice(y, y + height), slice(x, x + width))
    return Warped(np.ascontiguousarray(warped.image[cut]), np.ascontiguousarray(warped.ink[cut]), shift @ warped.matrix)


def _pixels(ink: NDArray[np.uint16], count: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Columns and rows of the pixels of each number from 1 to ``count``."""
    flat = np.flatnonzero(ink)
    numbers = ink.ravel()[flat]
    order = np.argsort(numbers, kind="stable")
    flat, edges = flat[order], np.searchsorted(numbers[order], np.arange(1, count + 2))
    rows, columns = np.divmod(flat, ink.shape[1])
    return [(columns[a:b], rows[a:b]) for a, b in pairwise(edges)]


def _moved(corners: NDArray[np.float64], matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """``corners`` ``[corner, (x, y)]`` after ``matrix``, clockwise from the top left."""
    # A matrix speaks of the middles of pixels, corners of their edges.
    points = np.column_stack([corners - 0.5, np.ones(len(corners))]) @ matrix.T
    moved: NDArray[np.float64] = points[:, :2] / points[:, 2:] + 0.5
    along, down = moved[1] - moved[0], moved[3] - moved[0]
    return moved if along[0] * down[1] - along[1] * down[0] >= 0 else moved[[1, 0, 3, 2]]


def contrast(image: NDArray[np.uint8], ink: NDArray[np.uint16], number: int, corners: NDArray[np.float64]) -> float:
    """Largest difference in a channel between the mean of the ink and that of what is around it.

    What does not stand out from the grain around it counts as no contrast.
    """
    left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 2, 0)
    right, bottom = np.ceil(corners.max(axis=0)).astype(int) + 2
    own = ink[top:bottom, left:right] == number
    part = image[top:bottom, left:right]
    if not own.any() or own.all():
        return 0.0
    around = part[~own]
    step = np.abs(part[own].mean(axis=0) - around.mean(axis=0))
    return float(np.where(step >= _LEAST_OVER_GRAIN * around.std(axis=0), step, 0).max())


def _key(canvas: Canvas, warped: Warped) -> tuple[NDArray[np.uint16], tuple[SceneText, ...], int]:
    """The ink after damage with new numbers, the texts that can still be seen, and how many are too faint."""
    matrix = np.asarray(warped.matrix, np.float64)
    before = _pixels(canvas.ink, len(canvas.drafts))
    after = _pixels(warped.ink, len(canvas.drafts))
    size = np.array([warped.ink.shape[1], warped.ink.shape[0]])
    renumbered = np.zeros(len(canvas.drafts) + 1, np.uint16)
    texts: list[SceneText] = []
    faint = 0
    for number, draft in enumerate(canvas.drafts, start=1):
        if len(before[number - 1][0]) == 0 or len(after[number - 1][0]) == 0:
            continue
        corners = _moved(quad(*before[number - 1], draft.angle), matrix)
        if (corners < -0.5).any() or (corners > size + 0.5).any():
            along = corners[1] - corners[0]
            corners = quad(*after[number - 1], float(np.degrees(np.arctan2(along[1], along[0]))))
            if min(np.linalg.norm(corners[1] - corners[0]), np.linalg.norm(corners[3] - corners[0])) < 2:
                continue
        if contrast(warped.image, warped.ink, number, corners) < LEAST_CONTRAST:
            faint += 1
            continue
        if np.abs(corners[1] - corners[0]).min() < 0.5:
            corners = np.clip(corners, 0, size)
        texts.append(_text(draft, corners))
        renumbered[number] = len(texts)
    return renumbered[warped.ink], tuple(texts), faint


def _text(draft: Draft, corners: NDArray[np.float64]) -> SceneText:
    along, down = corners[1] - corners[0], corners[3] - corners[0]
    height = abs(along[0] * down[1] - along[1] * down[0]) / max(1e-6, float(np.hypot(*along)))
    a, b, d, e = ((round(float(x), 2), round(float(y), 2)) for x, y in corners)
    word = draft.word
    return SceneText(word.text, (a, b, d, e), draft.kind, word.type, word.phi, draft.style, round(float(height), 2))

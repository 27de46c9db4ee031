"""Training images: scenes cut to one size, with their truth as arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import IterableDataset, get_worker_info

from deidra.app.synth.scenes.backdrops import Backdrop
from deidra.app.synth.scenes.scene import Scene, scene
from deidra.models.training.anatomy import Anatomy
from deidra.models.training.network import CLASSES
from deidra.models.training.renderings import as_rendered
from deidra.models.training.targets import Truth

LABELS = {name: index for index, name in enumerate(CLASSES)}
LEAST_SIDE = 3.0
"""Text of which fewer pixels than this remain in a view is not asked for."""
_LEAST_VISIBLE = 0.12
_SMALLEST_TEXT = 6.0


@dataclass(frozen=True, slots=True)
class View:
    """One training image: ``image (S, S, 3)`` uint8 RGB; its texts as in :func:`truth_arrays`, rows of ``T``."""

    image: NDArray[np.uint8]
    boxes: NDArray[np.float32]
    slope: NDArray[np.float32]
    short_side: NDArray[np.float32]
    labels: NDArray[np.int64]


class _Texts(NamedTuple):
    boxes: NDArray[np.float32]
    slope: NDArray[np.float32]
    short_side: NDArray[np.float32]
    labels: NDArray[np.int64]


def truth_arrays(made: Scene) -> _Texts:
    """Of each text of a scene, rows of ``T``: its box, slope (radians within +-pi/4), shorter side and label."""
    return _Texts(
        np.array([t.box for t in made.texts], np.float32).reshape(-1, 4),
        np.array([_slope(t.polygon) for t in made.texts], np.float32).reshape(-1),
        np.array([_short_side(t.polygon) for t in made.texts], np.float32).reshape(-1),
        np.array([LABELS[t.kind] for t in made.texts], np.int64),
    )


def _short_side(polygon: tuple[tuple[float, float], ...]) -> float:
    return min(math.dist(polygon[0], polygon[1]), math.dist(polygon[1], polygon[2]))


def _slope(polygon: tuple[tuple[float, float], ...]) -> float:
    (x0, y0), (x1, y1) = polygon[:2]
    angle = math.atan2(y1 - y0, x1 - x0)
    # A quarter turn leaves an upright box upright.
    return (angle + math.pi / 4) % (math.pi / 2) - math.pi / 4


def view(rng: np.random.Generator, made: Scene, side: int, scaled: bool = True, rendered: float = 0.0) -> View:
    """A square of a scene, moved and padded by chance; ``scaled``: also enlarged, shrunk and recoloured.

    ``rendered`` is how likely it is first stretched as the product stretches grey pictures.
    """
    texts = truth_arrays(made)
    image = as_rendered(rng, made) if rendered and rng.random() < rendered else made.image
    if scaled and rng.random() < 0.4:
        least = min((t.height for t in made.texts), default=12.0)
        factor = float(np.clip(rng.uniform(0.6, 1.7), min(1.0, _SMALLEST_TEXT / max(least, 1.0)), None))
        how = [cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_AREA][int(rng.integers(3))]
        size = [max(32, round(n * factor)) for n in image.shape[1::-1]]
        stretch = np.array(size, np.float32) / np.array(image.shape[1::-1], np.float32)
        texts = texts._replace(boxes=texts.boxes * np.tile(stretch, 2), short_side=texts.short_side * stretch.mean())
        image = np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)
    if scaled:
        image = _recoloured(rng, image)
    return _cut(rng, image, texts, side)


def _recoloured(rng: np.random.Generator, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if rng.random() < 0.12:
        image = np.asarray(255 - image, np.uint8)
    if rng.random() < 0.2:
        image = np.ascontiguousarray(image[:, :, rng.permutation(3)])
    if rng.random() < 0.25:
        image = np.asarray(cv2.convertScaleAbs(image, alpha=rng.uniform(0.6, 1.25), beta=rng.uniform(-25, 25)))
    return image


def _cut(rng: np.random.Generator, image: NDArray[np.uint8], texts: _Texts, side: int) -> View:
    height, width = image.shape[:2]
    canvas = np.full((side, side, 3), _fill(rng), np.uint8)
    # Where the image is larger than the square a part of it is taken, else it is put somewhere into it.
    x, y = (int(rng.integers(min(0, side - n), max(0, side - n) + 1)) for n in (width, height))
    left, top = max(0, x), max(0, y)
    right, bottom = min(side, x + width), min(side, y + height)
    canvas[top:bottom, left:right] = image[top - y : bottom - y, left - x : right - x]
    moved = texts.boxes + np.array([x, y, x, y], np.float32)
    seen = np.clip(moved, 0, side)
    sides = seen[:, 2:] - seen[:, :2]
    area = np.maximum((moved[:, 2:] - moved[:, :2]).prod(1), 1e-6)
    keep = (sides.min(1) >= LEAST_SIDE) & (sides.prod(1) / area >= _LEAST_VISIBLE)
    return View(canvas, *(column[keep] for column in texts._replace(boxes=seen)))


def _fill(rng: np.random.Generator) -> int:
    return 0 if rng.random() < 0.7 else int(rng.integers(256))


@dataclass(frozen=True, slots=True)
class Mix:
    """What the views show, in shares.

    ``papers`` is that of scenes as the papers tell, ``anatomy`` that of scenes on real anatomy, where there is some,
    ``empty`` that of these without any text, and ``rendered`` that of views that are to be stretched as the product
    does; four of ten of them stay as they are, since they would lose text.
    """

    papers: float = 0.2
    anatomy: float = 0.25
    empty: float = 0.3
    rendered: float = 0.4


MIX = Mix()


class Views(IterableDataset[View]):
    """Endless views; every worker of every process draws its own scenes.

    Args:
        side: pixels of a side of the square.
        seed: first scene; scenes of other seeds are other scenes.
        rank: number of this process among ``world``.
        world: processes that train together.
        echo: views taken from each scene.
        mix: what the views show.
        anatomy: folder of pictures without text that stand behind some scenes.

    Raises:
        InputError: there is no such folder, or no picture in it.
    """

    def __init__(
        self,
        side: int,
        seed: int,
        rank: int = 0,
        world: int = 1,
        echo: int = 2,
        mix: Mix = MIX,
        anatomy: Path | None = None,
    ) -> None:
        self._side, self._seed, self._rank, self._world = side, seed, rank, world
        self._echo, self._mix = echo, mix
        # Read here: workers share what their parent has read.
        self.anatomy = Anatomy(anatomy) if anatomy else None

    def __iter__(self) -> Iterator[View]:
        cv2.setNumThreads(0)
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        step = self._world * workers
        index = self._seed + self._rank * workers + number
        while True:
            rng = np.random.default_rng([index, 7])
            made = self._scene(rng, index)
            for _ in range(self._echo):
                yield view(rng, made, self._side, rendered=self._mix.rendered)
            index += step

    def _scene(self, rng: np.random.Generator, index: int) -> Scene:
        if self.anatomy and rng.random() < self._mix.anatomy:
            backdrop = Backdrop(self.anatomy.draw, self._mix.empty)
            return scene("machines", "train", index, self._limits(rng), backdrop)
        suite = "papers" if rng.random() < self._mix.papers else "machines"
        return scene(suite, "train", index, self._limits(rng))

    def _limits(self, rng: np.random.Generator) -> tuple[int, int]:
        # Wider than the square at times, so that text is cut by its edges.
        side = int(self._side * (1.0 if rng.random() < 0.6 else rng.uniform(1.0, 1.3)))
        return side, side


def collate(views: list[View]) -> tuple[torch.Tensor, list[Truth]]:
    """A batch ``(N, 3, S, S)`` uint8, and the truth of each image."""
    images = torch.from_numpy(np.stack([v.image for v in views])).permute(0, 3, 1, 2).contiguous()
    truths = [
        Truth(*(torch.from_numpy(column) for column in (v.boxes, v.slope, v.short_side, v.labels))) for v in views
    ]
    return images, truths

"""Real anatomy as the background of training scenes: cuts of the pictures of a folder, which are free of text."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.errors import InputError
from deidra.models.training.renderings import DEPTH, grained, stretched, way_of

_ADVICE = "Name a folder of grey PNG files of 8 or 16 bits without any text in them."
_LEAST_SIDE = 16
_MOST_PIXELS = 40_000_000
_ZOOM = (0.7, 4.0)
_HOW = (cv2.INTER_LINEAR, cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_LANCZOS4)
"""How viewers and scanners enlarge."""
_WHOLE = 0.4
"""Share of the cuts that are the whole picture."""
_PLAIN = 0.45
"""Share of the cuts with the whole range of grey levels, as most pictures are seen; the others are stretched."""
_NOISE = (0.0005, 0.025)
"""Standard deviations of the noise that is added, as shares of the range: templates are means and have none."""


class Anatomy:
    """The pictures of a folder and of the folders in it; every folder is a source.

    ``unreadable`` is how many PNG files are left out since they are no pictures, or too small or large ones.

    Raises:
        InputError: there is no such folder, or no picture in it that can be read.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise InputError("The folder with anatomy does not exist.", _ADVICE)
        paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".png")
        read = {path: _read(path) for path in paths}
        self._pictures = [picture for picture in read.values() if picture is not None]
        self.unreadable = len(paths) - len(self._pictures)
        if not self._pictures:
            left = f" {self.unreadable} files cannot be read." if self.unreadable else ""
            raise InputError(f"The folder with anatomy holds no picture.{left}", _ADVICE)
        sources = [path.parent for path, picture in read.items() if picture is not None]
        # A volume of many slices is seen more often than a single picture, but not as many times more often.
        weights = np.array([sources.count(source) ** -0.5 for source in sources])
        self._shares = weights / weights.sum()

    def __len__(self) -> int:
        """How many pictures there are."""
        return len(self._pictures)

    def draw(self, rng: np.random.Generator, most: tuple[int, int]) -> NDArray[np.uint8]:
        """A cut of one of the pictures, (H, W, 3) RGB, of at most size ``most`` (width, height)."""
        whole = self._pictures[int(rng.choice(len(self._pictures), p=self._shares))]
        whole = np.rot90(whole, int(rng.integers(4)))
        if rng.random() < 0.5:
            whole = whole[:, ::-1]
        zoom, piece = _cut(rng, whole, most)
        low, high = int(whole.min()), int(whole.max())
        grey = (piece.astype(np.float32) - low) * np.float32(DEPTH / max(1, high - low))
        if rng.random() < 0.6:
            grey = grained(rng, grey, _NOISE[0] * DEPTH, _NOISE[1] * DEPTH)
        way = "full" if rng.random() < _PLAIN else way_of(rng)
        # What is stretched before it is enlarged is what a viewer shows; the other way round is a secondary capture.
        if rng.random() < 0.6:
            shown = _zoomed(rng, stretched(rng, _deep(grey), way).astype(np.float32), zoom, most)
            picture = np.clip(shown + 0.5, 0, 255).astype(np.uint8)
        else:
            picture = stretched(rng, _deep(_zoomed(rng, grey, zoom, most)), way)
        return np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2RGB), np.uint8)


def _read(path: Path) -> NDArray[np.uint16] | None:
    """Grey levels of a picture; None where there is none that can be used."""
    try:
        data = np.fromfile(path, np.uint8)
        picture = cv2.imdecode(data, cv2.IMREAD_GRAYSCALE | cv2.IMREAD_ANYDEPTH) if len(data) else None
    except (OSError, cv2.error):
        return None
    if picture is None or picture.dtype not in (np.uint8, np.uint16):
        return None
    if min(picture.shape) < _LEAST_SIDE or picture.size > _MOST_PIXELS or picture.min() == picture.max():
        return None
    return np.asarray(picture, np.uint16)


def _cut(
    rng: np.random.Generator, whole: NDArray[np.uint16], most: tuple[int, int]
) -> tuple[float, NDArray[np.uint16]]:
    """How much a part of ``whole`` is to be enlarged to have at most size ``most``, and that part."""
    rows, columns = whole.shape
    fits = min(most[0] / columns, most[1] / rows)
    # Small matrices are enlarged, here as in the product: else a view would be a stamp in an empty square.
    low = min(_ZOOM[1], max(_ZOOM[0], 0.5 * fits))
    if rng.random() < _WHOLE:
        return min(fits, low * float(rng.uniform(1, 2))), whole
    zoom = float(np.exp(rng.uniform(np.log(low), np.log(_ZOOM[1]))))
    wide = max(_LEAST_SIDE, min(columns, int(most[0] / zoom)))
    high = max(_LEAST_SIDE, min(rows, int(most[1] / zoom)))
    x, y = int(rng.integers(columns - wide + 1)), int(rng.integers(rows - high + 1))
    return zoom, whole[y : y + high, x : x + wide]


def _zoomed(
    rng: np.random.Generator, values: NDArray[np.float32], zoom: float, most: tuple[int, int]
) -> NDArray[np.float32]:
    size = [
        max(_LEAST_SIDE, min(limit, round(side * zoom))) for limit, side in zip(most, values.shape[::-1], strict=True)
    ]
    how = _HOW[int(rng.integers(len(_HOW)))] if zoom >= 1 else cv2.INTER_AREA
    return np.asarray(cv2.resize(values, size, interpolation=how), np.float32)


def _deep(grey: NDArray[np.float32]) -> NDArray[np.uint16]:
    return np.clip(grey + 0.5, 0, DEPTH).astype(np.uint16)

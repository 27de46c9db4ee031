"""Anatomy-like backgrounds and text drawn over them, with a box for each text.

Planes are float arrays indexed ``[row, column]`` (colour: ``[row, column, channel]``) with
brightness as displayed, 0 black to 1 white. Boxes are ``(left, top, right, bottom)`` in pixels with
exclusive right and bottom, drawn tightly around the ink.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from deidra.app.domain.geometry import Box
from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.people import Phi

Plane = NDArray[np.float64]
Part = str | Phi
"""A piece of a line: harmless text, or a private text."""

FONTS = {
    "sans": "DejaVuSans.ttf",
    "bold": "DejaVuSans-Bold.ttf",
    "mono": "DejaVuSansMono.ttf",
    "condensed": "DejaVuSansCondensed.ttf",
    "serif": "DejaVuSerif.ttf",
    "italic": "DejaVuSerif-Italic.ttf",
}


@dataclass(frozen=True, slots=True)
class DrawnText:
    """A text in an image. ``type`` is None for harmless text, which must survive redaction (``phi`` False)."""

    text: str
    box: Box
    type: EntityType | None
    phi: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text to draw.

    ``x`` and ``y`` place the top left corner of the line in pixels; ``right`` makes ``x`` its right
    edge. ``strength`` is the contrast, 0 to 1; ``blur`` a Gaussian radius in pixels.
    """

    parts: tuple[Part, ...]
    x: int
    y: int
    size: int = 18
    font: str = "sans"
    right: bool = False
    strength: float = 1.0
    blur: float = 0.0


@lru_cache(maxsize=64)
def font(name: str, size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font of :data:`FONTS` called ``name`` at ``size`` pixels, else Pillow's built-in font."""
    try:
        return ImageFont.truetype(FONTS[name], size, layout_engine=ImageFont.Layout.BASIC)
    except OSError:
        return ImageFont.load_default(size)


def corner(
    shape: tuple[int, int],
    where: str,
    lines: Sequence[Part | tuple[Part, ...]],
    size: int = 18,
    face: str = "sans",
    margin: int = 10,
) -> list[Line]:
    """Lines stacked in a corner of an image of ``shape`` (rows, columns).

    ``where`` is ``"tl"``, ``"tr"``, ``"bl"`` or ``"br"``. An entry of ``lines`` is one part, or a
    tuple of parts that stand on one line.
    """
    rows, columns = shape
    step = round(size * 1.35)
    top = margin if where[0] == "t" else rows - margin - step * len(lines)
    right = where[1] == "r"
    x = columns - margin if right else margin
    stacked = (entry if isinstance(entry, tuple) else (entry,) for entry in lines)
    return [Line(parts, x, top + i * step, size, face, right) for i, parts in enumerate(stacked)]


def draw_lines(shape: tuple[int, int], lines: Iterable[Line]) -> tuple[Plane, tuple[DrawnText, ...]]:
    """Ink of ``lines`` on an empty plane of ``shape`` (0 none, 1 full), and what was drawn where.

    A line with a private part yields only its private parts: the words around them are labels that
    a redaction may touch. A line without one yields a single harmless text.
    """
    rows, columns = shape
    ink = np.zeros(shape)
    drawn: list[DrawnText] = []
    for line in lines:
        face = font(line.font, line.size)
        texts = [part if isinstance(part, str) else part.text for part in line.parts]
        x = float(line.x - face.getlength("".join(texts)) if line.right else line.x)
        private = any(isinstance(part, Phi) for part in line.parts)
        for part, text in zip(line.parts, texts, strict=True):
            layer = Image.new("L", (columns, rows))
            ImageDraw.Draw(layer).text((round(x), line.y), text, fill=255, font=face)
            x += face.getlength(text)
            if line.blur:
                layer = layer.filter(ImageFilter.GaussianBlur(line.blur))
            box = layer.point(lambda value: 255 if value > 40 else 0).getbbox()
            if box is None:
                continue
            ink = np.maximum(ink, np.asarray(layer, dtype=np.float64) / 255 * line.strength)
            if isinstance(part, Phi):
                drawn.append(DrawnText(text.strip(), box, part.type, True))
            elif not private:
                drawn.append(DrawnText(text.strip(), box, None, False))
    return ink, tuple(drawn)


def burn(plane: Plane, ink: Plane, level: float | tuple[float, float, float] = 1.0, halo: bool = False) -> Plane:
    """``plane`` with ``ink`` of brightness (or RGB) ``level`` over it; ``halo`` darkens a rim of one pixel."""
    result = plane.copy()
    if halo:
        rim = Image.fromarray((ink * 255).astype(np.uint8)).filter(ImageFilter.MaxFilter(3))
        result *= _like(1 - np.asarray(rim, dtype=np.float64) / 255, plane)
    alpha = _like(ink, plane)
    blended: Plane = result * (1 - alpha) + np.asarray(level) * alpha
    return blended


def _like(mask: Plane, plane: Plane) -> Plane:
    return mask[..., np.newaxis] if plane.ndim == 3 else mask


def _grid(shape: tuple[int, int]) -> tuple[Plane, Plane]:
    """Coordinates from -1 to 1, ``(y, x)``."""
    y, x = np.mgrid[-1 : 1 : shape[0] * 1j, -1 : 1 : shape[1] * 1j]
    return y, x


def _texture(rng: np.random.Generator, shape: tuple[int, int], cells: int) -> Plane:
    """Smooth random field, 0 to 1, with about ``cells`` bumps along the shorter side."""
    short = min(shape)
    grid = rng.integers(0, 256, (max(2, cells * shape[0] // short), max(2, cells * shape[1] // short)), dtype=np.uint8)
    image = Image.fromarray(grid).resize((shape[1], shape[0]), Image.Resampling.BICUBIC)
    return np.asarray(image, dtype=np.float64) / 255


def _ellipse(grid: tuple[Plane, Plane], cy: float, cx: float, ry: float, rx: float, soft: float = 0.03) -> Plane:
    """Filled ellipse with a soft rim, 0 to 1."""
    y, x = grid
    distance = np.hypot((y - cy) / ry, (x - cx) / rx)
    filled: Plane = np.clip((1 - distance) / soft, 0, 1)
    return filled


def ct_slice(rng: np.random.Generator, shape: tuple[int, int]) -> Plane:
    """Axial body: skin, fat, liver, kidneys, spine, table; 0.5 is about water."""
    grid = _grid(shape)
    y, x = grid
    plane = 0.46 * _ellipse(grid, 0, 0, 0.62, 0.84)
    plane += 0.06 * _ellipse(grid, 0.02, 0, 0.54, 0.75) + 0.03 * _ellipse(grid, -0.08, -0.32, 0.33, 0.34)
    plane -= 0.3 * _ellipse(grid, -0.22, 0.22, 0.12, 0.2) * _texture(rng, shape, 14)
    for side in (-1, 1):
        plane += 0.05 * _ellipse(grid, 0.22, side * 0.36, 0.14, 0.1)
    plane += 0.28 * _ellipse(grid, 0.3, 0, 0.12, 0.12) + 0.18 * _ellipse(grid, 0.45, 0, 0.1, 0.05)
    plane += 0.1 * _ellipse(grid, 0.12, 0.04, 0.06, 0.06)
    plane += 0.22 * ((np.abs(y - 0.72 - 0.08 * (1 - x**2)) < 0.008) & (np.abs(x) < 0.8))
    return np.clip(plane + (_texture(rng, shape, 60) - 0.5) * 0.03 * (plane > 0.05) + rng.normal(0, 0.008, shape), 0, 1)


def mr_head(rng: np.random.Generator, shape: tuple[int, int]) -> Plane:
    """Axial head: scalp, skull, folded cortex, ventricles."""
    grid = _grid(shape)
    brain = _ellipse(grid, 0, 0, 0.68, 0.55)
    folds = np.abs(np.sin(14 * _texture(rng, shape, 9)))
    plane = 0.75 * (_ellipse(grid, 0, 0, 0.8, 0.67) - _ellipse(grid, 0, 0, 0.76, 0.63))
    plane += brain * (0.32 + 0.22 * folds * (1 - _ellipse(grid, 0, 0, 0.5, 0.38, 0.4)))
    for side in (-1, 1):
        plane += 0.4 * _ellipse(grid, -0.05, side * 0.1, 0.24, 0.06)
    noisy: Plane = np.clip(plane + np.abs(rng.normal(0, 0.02, shape)), 0, 1)
    return noisy


def ultrasound(rng: np.random.Generator, shape: tuple[int, int], phase: float = 0.0) -> Plane:
    """Sector with speckle, two cysts and a depth scale; ``phase`` (radians) moves the organ."""
    rows, columns = shape
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float64)
    depth = np.hypot(y - rows * 0.02, x - columns / 2) / (rows * 0.9)
    angle = np.arctan2(x - columns / 2, y - rows * 0.02)
    sector = (np.abs(angle) < 0.66) & (depth > 0.12) & (depth < 1)
    speckle = rng.rayleigh(0.22, shape) * (0.4 + _texture(rng, shape, 12))
    grid = _grid(shape)
    for cy, cx, size in ((0.05 + 0.05 * np.sin(phase), -0.12, 0.2), (0.35, 0.16 + 0.04 * np.cos(phase), 0.12)):
        speckle *= 1 - 0.92 * _ellipse(grid, cy, cx, size, size * 0.8, 0.15)
    plane = np.where(sector, speckle * (1.2 - 0.7 * depth), 0.0)
    for i in range(11):
        row = round(rows * (0.12 + 0.07 * i))
        plane[row : row + 2, columns - 22 - (8 if i % 5 == 0 else 4) : columns - 22] = 0.7
    return np.clip(plane, 0, 1)


def chest(rng: np.random.Generator, shape: tuple[int, int]) -> Plane:
    """Frontal chest radiograph: bright mediastinum and diaphragm, dark lungs, ribs."""
    grid = _grid(shape)
    y, x = grid
    plane = 0.62 * _ellipse(grid, 0.25, 0, 1.15, 0.92, 0.2) + 0.04
    lungs = np.zeros(shape)
    for side in (-1, 1):
        lungs = np.maximum(lungs, _ellipse(grid, -0.05, side * 0.4, 0.62, 0.31, 0.2))
    plane -= 0.38 * lungs
    ribs = np.clip(np.sin(22 * (y + 0.35 * np.abs(x) ** 1.5)) * 2 - 0.9, 0, 1)
    plane += 0.09 * ribs * lungs + 0.14 * _ellipse(grid, 0, 0, 1.2, 0.09, 0.5)
    plane += 0.2 * _ellipse(grid, 0.22, 0.14, 0.3, 0.26, 0.3) + 0.06 * (_texture(rng, shape, 20) - 0.5)
    return np.clip(plane + rng.normal(0, 0.012, shape), 0, 1)


def mammogram(rng: np.random.Generator, shape: tuple[int, int]) -> Plane:
    """Breast at the left edge with glandular texture on a dark ground."""
    grid = _grid(shape)
    breast = _ellipse(grid, 0.05, -1, 0.72, 1.25, 0.12)
    gland = _texture(rng, shape, 7) * 0.5 + _texture(rng, shape, 26) * 0.5
    plane = breast * (0.3 + 0.45 * gland * _ellipse(grid, 0.05, -0.75, 0.5, 0.8, 0.5)) + 0.02
    return np.clip(plane + rng.normal(0, 0.008, shape), 0, 1)


def angiogram(rng: np.random.Generator, shape: tuple[int, int], filling: float = 1.0) -> Plane:
    """Bright ground with branching dark vessels; ``filling`` is how far the contrast has come, 0 to 1."""
    rows, columns = shape
    mask = Image.new("L", (columns, rows))
    pen = ImageDraw.Draw(mask)

    def branch(x: float, y: float, direction: float, width: float, left: int) -> None:
        if left == 0 or y > rows * (0.15 + 0.85 * filling):
            return
        for _ in range(9):
            direction += rng.normal(0, 0.12)
            x2, y2 = x + np.sin(direction) * rows * 0.022, y + np.cos(direction) * rows * 0.022
            pen.line((x, y, x2, y2), fill=255, width=max(1, round(width)))
            x, y = x2, y2
        for turn in (-0.5, 0.45):
            branch(x, y, direction + turn, width * 0.68, left - 1)

    branch(columns * 0.48, rows * 0.1, 0.0, columns * 0.022, 5)
    vessels = np.asarray(mask.filter(ImageFilter.GaussianBlur(1.2)), dtype=np.float64) / 255
    ground = 0.62 + 0.2 * (_texture(rng, shape, 4) - 0.5)
    return np.clip(ground - 0.38 * vessels + rng.normal(0, 0.015, shape), 0, 1)


def pet_slice(rng: np.random.Generator, shape: tuple[int, int]) -> Plane:
    """Blurred uptake: faint body, bright heart and kidneys."""
    grid = _grid(shape)
    plane = 0.14 * _ellipse(grid, 0, 0, 0.6, 0.8, 0.3) * (0.5 + _texture(rng, shape, 8))
    for cy, cx, size, level in ((-0.1, 0.2, 0.2, 0.6), (0.25, -0.34, 0.12, 0.8), (0.25, 0.36, 0.12, 0.75)):
        plane += level * _ellipse(grid, cy, cx, size, size, 0.9)
    return np.clip(plane + rng.normal(0, 0.01, shape), 0, 1)


def worksheet(rng: np.random.Generator, shape: tuple[int, int]) -> Plane:
    """A viewer's screen in colour: grey panel, image area, a plotted curve. Axes ``[row, column, RGB]``."""
    rows, columns = shape
    plane = np.full((rows, columns, 3), (0.12, 0.14, 0.18))
    area = ct_slice(rng, (rows * 2 // 3, columns // 2))
    plane[rows // 6 : rows // 6 + area.shape[0], columns // 2 - 20 : columns // 2 - 20 + area.shape[1]] = area[
        ..., None
    ]
    for column in range(40, columns // 2 - 60):
        row = round(rows * (0.72 - 0.18 * np.exp(-(((column - 150) / 45) ** 2))))
        plane[row : row + 2, column] = (0.95, 0.75, 0.2)
    plane[round(rows * 0.73), 40 : columns // 2 - 60] = 0.5
    return plane

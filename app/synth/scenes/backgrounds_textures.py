"""What all backgrounds are made of: outlines, noise, grain, soft polygons and curves.

Each split draws these from a family of its own, so that a test picture is no reshuffled training picture:

========== ============================ ============================ =========================
split      outlines of organs and bones smooth noise                 grain of one pixel
========== ============================ ============================ =========================
train      ellipse with harmonics       octaves on cubic grids       normal
calibrate  spline through random knots  folded octaves, linear grids Laplace
test       superformula                 power law in frequency space skewed (Gumbel)
========== ============================ ============================ =========================

Points are ``(x, y)`` in pixels, sizes ``(width, height)``, pictures ``(row, column[, RGB])``, grey levels 0 to 255.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, TypeVar

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Grey = NDArray[np.float32]
Colour = NDArray[np.uint8]
Points = NDArray[np.float64]
Choice = TypeVar("Choice")

_LEVELS = (np.arange(256) + 0.5) / 256
_NORMAL = np.array([NormalDist().inv_cdf(level) for level in _LEVELS], np.float32)
_LAPLACE = (np.sign(_LEVELS - 0.5) * -np.log(1 - 2 * np.abs(_LEVELS - 0.5)) / np.sqrt(2)).astype(np.float32)
_GUMBEL = ((-np.log(-np.log(_LEVELS)) - 0.5772) / 1.2825).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Family:
    """The generators of one split; ``quantiles`` (256,) is the grain's distribution, variance 1."""

    split: str
    outlines: Literal["harmonics", "spline", "superformula"]
    noise: Literal["octaves", "folded", "spectral"]
    quantiles: Grey

    def of(self, train: Choice, calibrate: Choice, test: Choice) -> Choice:
        """The one of three values that belongs to this split."""
        return {"train": train, "calibrate": calibrate, "test": test}[self.split]


FAMILIES = {
    "train": Family("train", "harmonics", "octaves", _NORMAL),
    "calibrate": Family("calibrate", "spline", "folded", _LAPLACE),
    "test": Family("test", "superformula", "spectral", _GUMBEL),
}
"""The family of each split."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Anatomy's coordinates: ``(0, 0)`` is the middle, 1 is ``radius`` pixels; x to the right, y down."""

    x: float
    y: float
    radius: float

    def __call__(self, points: ArrayLike) -> Points:
        """Points (N, 2) of the anatomy in pixels."""
        return np.asarray(points, np.float64) * self.radius + (self.x, self.y)


def choose(rng: np.random.Generator, options: Sequence[Choice]) -> Choice:
    """One of ``options``, all alike."""
    return options[int(rng.integers(len(options)))]


def chance(rng: np.random.Generator, probability: float) -> bool:
    """True with this probability."""
    return bool(rng.random() < probability)


def frame_in(rng: np.random.Generator, size: tuple[int, int], fill: tuple[float, float] = (0.75, 1.05)) -> Frame:
    """A frame near the middle whose radius is ``fill`` of half the shorter side."""
    radius = min(size) / 2 * rng.uniform(*fill)
    return Frame(
        size[0] / 2 + rng.normal(0, 0.03) * size[0], size[1] / 2 + rng.normal(0, 0.03) * size[1], float(radius)
    )


def resized(image: NDArray[np.float32], size: tuple[int, int], how: int = cv2.INTER_LINEAR) -> Grey:
    """A float picture at another size."""
    return np.asarray(cv2.resize(image, size, interpolation=how), np.float32)


def blurred(image: Grey, sigma: float) -> Grey:
    """A float picture blurred by ``sigma`` pixels; a wide blur is two box filters, which are quicker."""
    if sigma < 0.3:
        return image
    if sigma < 2:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.float32)
    width = 2 * round(sigma * 1.22) + 1
    return np.asarray(cv2.blur(cv2.blur(image, (width, width)), (width, width)), np.float32)


def noise(
    rng: np.random.Generator,
    size: tuple[int, int],
    cells: float,
    family: Family,
    octaves: int = 3,
    stretch: float = 1.0,
) -> Grey:
    """Smooth noise (H, W) between 0 and 1 with about ``cells`` lumps along the shorter side.

    ``stretch`` above 1 makes the lumps longer along the rows.
    """
    if family.noise == "spectral":
        return _spectral(rng, size, cells, octaves, stretch)
    step = min(size) / cells
    total = np.zeros((1, 1), np.float32)
    weight, place = 1.0, np.zeros((1, 1), np.float32)
    how = cv2.INTER_CUBIC if family.noise == "octaves" else cv2.INTER_LINEAR
    for octave in range(octaves):
        scale = step / 2**octave
        shape = (max(2, round(size[1] / scale) + 1), max(2, round(size[0] / scale / stretch) + 1))
        place = rng.random(shape, np.float32) - np.float32(0.5)
        if family.noise == "folded":
            place = np.abs(place) * 2 - np.float32(0.5)
        # An octave needs no more than 4 pixels for a lump; the last step brings all to full size.
        wanted = (min(size[0], 4 * shape[1]), min(size[1], 4 * shape[0]))
        total = resized(total, wanted) + weight * resized(place, wanted, how)
        weight *= 0.5
        if scale < 3:
            break
    return _unit(resized(total, size, cv2.INTER_LINEAR))


def _spectral(rng: np.random.Generator, size: tuple[int, int], cells: float, octaves: int, stretch: float) -> Grey:
    high = 96 if cells < 12 else 192 if cells < 40 else 320
    wide = min(480, max(16, round(high * size[0] / size[1] / max(stretch, 1) / 2) * 2))
    fy, fx = np.fft.fftfreq(high)[:, None] * high, np.fft.rfftfreq(wide)[None] * wide * size[1] / size[0]
    power = 1 / (1 + (np.hypot(fx, fy) / (0.6 * cells * size[1] / min(size))) ** (3.2 - 0.3 * octaves))
    phase = np.exp(2j * np.pi * rng.random(power.shape, np.float32))
    return _unit(resized(np.fft.irfft2(power * phase, s=(high, wide)).astype(np.float32), size, cv2.INTER_CUBIC))


def _unit(image: Grey) -> Grey:
    low, high, _, _ = cv2.minMaxLoc(image)
    image -= np.float32(low)
    image *= np.float32(1 / max(high - low, 1e-6))
    return np.clip(image, 0, 1, out=image)


def grain(rng: np.random.Generator, size: tuple[int, int], family: Family, lump: float = 1.0) -> Grey:
    """Noise (H, W) of mean 0 and standard deviation about 1; ``lump`` is its grain in pixels."""
    small = (max(2, round(size[0] / lump)), max(2, round(size[1] / lump)))
    levels = rng.integers(0, 256, (small[1], small[0]), np.uint8)
    image = np.asarray(cv2.LUT(levels, family.quantiles), np.float32)
    return image if small == size else resized(image, size)


def outline(
    rng: np.random.Generator,
    family: Family,
    centre: tuple[float, float],
    radii: tuple[float, float],
    angle: float = 0.0,
    rough: float = 0.1,
) -> Points:
    """A closed outline (64, 2) around ``centre``; ``angle`` in degrees, ``rough`` how far it leaves the ellipse."""
    turn = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    if family.outlines == "harmonics":
        order = np.arange(2, 6)
        waves = rng.normal(0, 1, (4, 1)) / order[:, None] * np.cos(np.outer(order, turn) + rng.uniform(0, 7, (4, 1)))
        radius = 1 + rough * waves.sum(0)
    elif family.outlines == "spline":
        knots = int(rng.integers(7, 12))
        steps = np.fft.rfft(rng.normal(0, 1, knots))
        radius = 1 + rough * np.fft.irfft(steps[: (knots + 1) // 2], 64) * 64 / knots
    else:
        lobes, flat = int(rng.integers(2, 7)), rng.uniform(2.2, 2.2 + 14 * rough)
        wave = lobes * turn / 4 + rng.uniform(0, 7)
        radius = (np.abs(np.cos(wave)) ** flat + np.abs(np.sin(wave)) ** flat) ** (-1 / flat)
        radius = radius / radius.mean()
    x, y = radius * np.cos(turn) * radii[0], radius * np.sin(turn) * radii[1]
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    return np.stack([centre[0] + c * x - s * y, centre[1] + s * x + c * y], 1)


def arc(
    centre: tuple[float, float], radii: tuple[float, float], start: float, stop: float, angle: float = 0.0
) -> Points:
    """Points (24, 2) on an ellipse between two angles in degrees; the whole is turned by ``angle`` degrees."""
    turn = np.radians(np.linspace(start, stop, 24))
    x, y = np.cos(turn) * radii[0], np.sin(turn) * radii[1]
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    return np.stack([centre[0] + c * x - s * y, centre[1] + s * x + c * y], 1)


def box(left: float, top: float, right: float, bottom: float) -> Points:
    """The corners (4, 2) of an upright box."""
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float64)


def paint(
    image: Grey,
    points: NDArray[np.floating] | Sequence[NDArray[np.floating]],
    value: ArrayLike,
    alpha: float = 1.0,
    soft: float = 0.0,
    *,
    add: bool = False,
    width: float | Sequence[float] | None = None,
    texture: tuple[Grey, float] | None = None,
    shade: Grey | None = None,
) -> None:
    """Lay ``value`` over polygons, or along lines of ``width`` pixels, of a float picture (H, W) or (H, W, 3).

    ``points`` is one polygon (N, 2) or several. ``value`` is a grey level, a colour or a picture of the same size;
    ``soft`` blurs the edge by so many pixels; ``add`` adds the value, as tissue adds to the shadow of tissue, instead
    of covering what is there. ``texture`` is a picture (H, W) around 0.5 and how many grey levels its range adds to
    the value; ``shade`` (H, W) is a picture that the value is multiplied with.
    """
    shapes = [points] if isinstance(points, np.ndarray) else list(points)
    if not shapes:
        return
    widths = [width] * len(shapes) if width is None or isinstance(width, int | float) else list(width)
    reach = int(3 * soft + max((w or 0) for w in widths) / 2) + 2
    low = np.floor(np.min([shape.min(0) for shape in shapes], 0)).astype(int) - reach
    high = np.ceil(np.max([shape.max(0) for shape in shapes], 0)).astype(int) + reach + 1
    low, high = np.maximum(low, 0), np.minimum(high, image.shape[1::-1])
    if (high <= low).any():
        return
    share = _coverage(shapes, widths, low, high, soft) * np.float32(alpha / 255)
    window = (slice(low[1], high[1]), slice(low[0], high[0]))
    part = image[window]
    ink = np.asarray(value, np.float32)
    if ink.ndim > 1:
        ink = ink[window]
    if texture is not None:
        ink = ink + (texture[0][window] - np.float32(0.5)) * np.float32(texture[1])
    if image.ndim == 3:
        share = share[..., None]
        if ink.ndim == 2:
            ink = ink[..., None]
        if shade is not None:
            ink = ink * shade[window][..., None]
    part += share * (ink if add else ink - part)


def _coverage(
    shapes: Sequence[NDArray[np.floating]],
    widths: Sequence[float | None],
    low: NDArray[np.int_],
    high: NDArray[np.int_],
    soft: float,
) -> Grey:
    """How much of each pixel between two corners is covered, 0 to 255."""
    mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
    for shape, width in zip(shapes, widths, strict=True):
        place = [np.round((shape - low) * 16).clip(-(2**20), 2**20).astype(np.int32)]
        if width is None:
            cv2.fillPoly(mask, place, (255,), cv2.LINE_AA, 4)
        else:
            cv2.polylines(mask, place, False, (255,), max(1, round(width)), cv2.LINE_AA, 4)
    if soft < 2:
        return blurred(mask.astype(np.float32), soft)
    # Wide blurs in 8 bits are four times as quick, and their steps are too small to be seen.
    side = 2 * round(soft * 1.22) + 1
    return np.asarray(cv2.blur(cv2.blur(mask, (side, side)), (side, side)), np.float32)


def branches(
    rng: np.random.Generator, start: tuple[float, float], heading: float, length: float, width: float, depth: int
) -> list[tuple[Points, float]]:
    """A vessel tree: lines (N, 2) with their widths in pixels; ``heading`` in radians."""
    steps, most = 12, 1 if depth == 0 else 90
    bends = np.cumsum(rng.normal(0, 0.13, (most, steps)), 1) + rng.normal(0, 0.04, (most, 1)) * np.arange(steps)
    dice = rng.random((most, 3, 4))
    found: list[tuple[Points, float]] = []
    todo = [(start, heading, length, width, depth)]
    while todo and len(found) < most:
        (x, y), heading, length, width, depth = todo.pop(0)
        course = heading + bends[len(found)]
        line = np.zeros((steps + 1, 2))
        np.cumsum(np.cos(course), out=line[1:, 0])
        np.cumsum(np.sin(course), out=line[1:, 1])
        line = line * (length / steps) + np.array([x, y])
        rolls = dice[len(found)]
        found.append((line, width))
        if depth > 0:
            for turn, at, long, wide in rolls[: 2 if rolls[2, 0] < 0.75 else 3].tolist():
                place = steps // 2 + int(at * (steps // 2 + 1))
                bend = 0.2 + 0.7 * abs(2 * turn - 1)
                heads = float(course[place - 1]) + (bend if turn > 0.5 else -bend)
                end = (float(line[place, 0]), float(line[place, 1]))
                todo.append((end, heads, length * (0.6 + 0.25 * long), width * (0.55 + 0.25 * wide), depth - 1))
    return found


def paint_tree(
    image: Grey,
    tree: Sequence[tuple[Points, float]],
    value: ArrayLike,
    alpha: float = 1.0,
    soft: float = 0.0,
    *,
    add: bool = False,
) -> None:
    """:func:`paint` for all lines of :func:`branches` at once, so that crossings get no darker."""
    paint(image, [line for line, _ in tree], value, alpha, soft, add=add, width=[width for _, width in tree])


def coloured(image: Grey, table: NDArray[np.uint8]) -> Colour:
    """A grey picture (H, W) through a table (256, 3)."""
    levels = np.asarray(cv2.convertScaleAbs(np.maximum(image, 0)), np.uint8)
    return np.asarray(cv2.LUT(cv2.merge([levels, levels, levels]), table[None]), np.uint8)


def rgb(image: Grey) -> Colour:
    """A float picture, grey (H, W) or coloured (H, W, 3), as RGB of 8 bits, clipped."""
    levels = np.asarray(cv2.convertScaleAbs(np.maximum(image, 0)), np.uint8)
    return levels if levels.ndim == 3 else np.asarray(cv2.merge([levels, levels, levels]), np.uint8)


def disc(size: tuple[int, int], x: float, y: float, radius: float, soft: float = 1.0) -> Grey:
    """A mask (H, W) that is 1 inside a circle and 0 outside."""
    rows, columns = np.ogrid[: size[1], : size[0]]
    distance = np.sqrt((columns - np.float32(x)) ** 2 + (rows - np.float32(y)) ** 2, dtype=np.float32)
    return np.asarray(np.clip((radius - distance) / max(soft, 0.5) + 0.5, 0, 1), np.float32)


def slope(rng: np.random.Generator, size: tuple[int, int], low: float, high: float) -> Grey:
    """A linear gradient (H, W) between two values in a random direction."""
    turn = rng.uniform(0, 2 * np.pi)
    rows, columns = np.ogrid[-1 : 1 : size[1] * 1j, -1 : 1 : size[0] * 1j]
    share = (np.cos(turn) * columns + np.sin(turn) * rows) / (abs(np.cos(turn)) + abs(np.sin(turn))) / 2 + 0.5
    return np.asarray(low + (high - low) * share, np.float32)

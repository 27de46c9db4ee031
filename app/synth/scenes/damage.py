"""What happens to a screen on its way into a file: geometry, and the faults of machines, links, scanners and codecs.

A picture and its ink travel together. The ink (H, W) holds the number of the text that each pixel belongs to, 0 for
none. Positions are ``(x, y)`` of pixel centres, the first of which is ``(0, 0)``; sizes are ``(width, height)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from deidra.app.synth.scenes.damage_geometry import Image, Ink, Journey, Warped, resize, warp
from deidra.app.synth.scenes.damage_pixels import (
    Stretch,
    chroma_bleed,
    gaussian,
    interlace,
    inverted,
    jpeg,
    salt_and_pepper,
    sharpened,
    softened,
    speckle,
    tinted,
    toned,
    windowed,
)

__all__ = ["PaperChances", "Warped", "machine_damage", "paper_augment", "resize", "warp"]


@dataclass(frozen=True, slots=True)
class PaperChances:
    """How likely each step of :func:`paper_augment` is, and how far it may go.

    ``padding`` is the most that one side gets, relative to that side; ``turn`` in degrees either way; ``pepper`` the
    most pixels that turn black or white, as a share; ``sigma`` in grey levels; ``scales`` the range of resizing.
    """

    invert: float = 0.3
    pad: float = 0.3
    flip_across: float = 0.15
    flip_down: float = 0.15
    rotate: float = 0.4
    salt: float = 0.2
    gauss: float = 0.3
    rescale: float = 0.4
    padding: float = 0.25
    turn: float = 30.0
    pepper: float = 0.05
    sigma: float = 25.0
    scales: tuple[float, float] = (0.5, 1.5)


_CHANCES = PaperChances()


def _fill(rng: np.random.Generator, image: Image) -> tuple[int, int, int]:
    """A colour for what comes from outside: black, white or that of a corner."""
    corner = image[0, 0]
    options = ((0, 0, 0), (0, 0, 0), (255, 255, 255), (int(corner[0]), int(corner[1]), int(corner[2])))
    return options[int(rng.integers(4))]


def paper_augment(rng: np.random.Generator, image: Image, ink: Ink, chances: PaperChances = _CHANCES) -> Warped:
    """The augmentation that papers on burned-in text use, each step with its own probability.

    Pixel inversion, padding, flips, rotation by up to 30 degrees, salt and pepper, Gaussian noise, resizing.
    """
    trip = Journey(image, ink)
    if rng.random() < chances.invert:
        trip.image = inverted(trip.image)
    if rng.random() < chances.pad:
        w, h = trip.size
        left, right = (int(v * w) for v in rng.uniform(0, chances.padding, 2))
        top, bottom = (int(v * h) for v in rng.uniform(0, chances.padding, 2))
        trip.pad(left, top, right, bottom, _fill(rng, trip.image))
    if rng.random() < chances.flip_across:
        trip.mirror(across=True)
    if rng.random() < chances.flip_down:
        trip.mirror(across=False)
    if rng.random() < chances.rotate:
        trip.turn(float(rng.uniform(-chances.turn, chances.turn)), _fill(rng, trip.image))
    if rng.random() < chances.rescale:
        scale = float(rng.uniform(*chances.scales))
        trip.rescale(scale, scale, cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    if rng.random() < chances.salt:
        trip.image = salt_and_pepper(trip.image, float(rng.uniform(0.001, chances.pepper)), rng)
    if rng.random() < chances.gauss:
        trip.image = gaussian(trip.image, float(rng.uniform(1, chances.sigma)), rng)
    return trip.done()


@dataclass(frozen=True, slots=True)
class _Limits:
    """How the splits differ in damage: ranges of scales, interpolations, and the qualities of JPEG."""

    grow: tuple[float, float]
    shrink: tuple[float, float]
    grown_by: tuple[int, ...]
    qualities: tuple[int, int]
    sampling: tuple[int, ...]


_NEAR, _LINE, _CUBE, _AREA, _LANCZOS = (
    cv2.INTER_NEAREST, cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_AREA, cv2.INTER_LANCZOS4,
)  # fmt: skip
_LIMITS = {
    "train": _Limits((1.1, 2.5), (0.5, 0.95), (_LINE, _LINE, _CUBE, _NEAR), (30, 95), (420, 444)),
    "calibrate": _Limits((1.15, 2.3), (0.55, 0.9), (_LINE, _CUBE), (35, 92), (420, 422)),
    "test": _Limits((1.2, 2.2), (0.52, 0.93), (_LINE, _LANCZOS, _NEAR), (32, 94), (420, 422, 444)),
}
SMALLEST_TEXT = 6.5
"""Ink of letters lower than this many pixels is hardly legible: machines do not shrink their screens so far."""
_LONGEST = 1600
"""No picture is enlarged to a longer side than this many pixels: what comes after would take too long."""


def _screen(rng: np.random.Generator, trip: Journey, limits: _Limits) -> None:
    """A screen of low resolution enlarged, a large one shrunk, or there and back again."""
    how = int(rng.integers(4))
    small = float(rng.uniform(*limits.shrink))
    if how == 0:
        grow = min(float(rng.uniform(*limits.grow)), _LONGEST / max(trip.size))
        # Pixels that are not square: 640 by 480 on a screen of another shape.
        uneven = float(rng.uniform(0.88, 1.12)) if rng.random() < 0.25 else 1.0
        if grow > 1.02:
            trip.rescale(grow, grow * uneven, int(rng.choice(limits.grown_by)))
    elif how == 1:
        trip.rescale(small, small, _AREA)
    elif how == 2:
        # Decimation that drops pixels; below this, strokes of one pixel would be gone altogether.
        small = max(small, 0.7)
        trip.rescale(small, small, int(rng.choice((_NEAR, _LINE))))
    else:
        size = trip.size
        trip.rescale(small, small, int(rng.choice((_AREA, _LINE))))
        trip.take(resize(trip.image, trip.ink, size, int(rng.choice(limits.grown_by))))


def _jpeg(rng: np.random.Generator, trip: Journey, limits: _Limits) -> None:
    for _ in range(1 if rng.random() < 0.7 else 2):
        # Squared: high qualities are more common.
        share = 1 - float(rng.random()) ** 2
        quality = round(limits.qualities[0] + share * (limits.qualities[1] - limits.qualities[0]))
        trip.image = jpeg(trip.image, quality, int(rng.choice(limits.sampling)))


def _window(rng: np.random.Generator, trip: Journey, _: _Limits) -> None:
    low = float(rng.choice((0, 0, rng.uniform(0, 40), rng.uniform(-120, 0))))
    high = float(rng.choice((255, 255, rng.uniform(150, 255), rng.uniform(255, 420))))
    stretch = Stretch(
        low, high, float(rng.choice((1, 1, rng.uniform(0.6, 1.6)))), int(rng.choice((4, 6, 8, 8, 12, 16)))
    )
    trip.image = windowed(trip.image, stretch)


def _tone(rng: np.random.Generator, trip: Journey, _: _Limits) -> None:
    trip.image = toned(trip.image, float(rng.uniform(0.6, 1.3)), float(rng.normal(0, 18)))


def _tint(rng: np.random.Generator, trip: Journey, _: _Limits) -> None:
    trip.image = tinted(trip.image, rng.uniform(0.8, 1.08, 3))


def _invert(rng: np.random.Generator, trip: Journey, _: _Limits) -> None:
    trip.image = inverted(trip.image)


def _video(rng: np.random.Generator, trip: Journey, _: _Limits) -> None:
    if rng.random() < 0.6:
        trip.image = chroma_bleed(trip.image, float(rng.uniform(1.5, 6)), int(rng.integers(-2, 4)))
    if rng.random() < 0.5:
        trip.image = interlace(trip.image, int(rng.integers(1, 3)), float(rng.uniform(0.8, 1)))


def _noise(rng: np.random.Generator, trip: Journey, _: _Limits) -> None:
    how = int(rng.integers(4))
    if how < 2:
        trip.image = gaussian(trip.image, float(rng.gamma(2, 4)), rng)
    elif how == 2:
        trip.image = speckle(trip.image, float(rng.uniform(0.03, 0.2)), rng)
    else:
        trip.image = salt_and_pepper(trip.image, float(rng.uniform(0.0005, 0.015)), rng)


def _blur(rng: np.random.Generator, trip: Journey, _: _Limits) -> None:
    trip.image = softened(trip.image, float(rng.uniform(0.35, 0.95)), float(rng.uniform(0.35, 0.95)))


def _sharpen(rng: np.random.Generator, trip: Journey, _: _Limits) -> None:
    trip.image = sharpened(trip.image, float(rng.uniform(0.8, 2)), float(rng.uniform(0.4, 1.8)))


def _skew(rng: np.random.Generator, trip: Journey, _: _Limits) -> None:
    trip.turn(float(rng.uniform(-3, 3)), _fill(rng, trip.image))


def _keystone(rng: np.random.Generator, trip: Journey, _: _Limits) -> None:
    """A screen photographed or a film scanned from a little aside."""
    w, h = trip.size
    corners = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32)
    moved = corners + rng.uniform(-0.03, 0.03, (4, 2)).astype(np.float32) * (w, h)
    matrix = cv2.getPerspectiveTransform(corners, moved.astype(np.float32))
    trip.warp(np.asarray(matrix, np.float64), (w, h), _fill(rng, trip.image))


def _turn(rng: np.random.Generator, trip: Journey, _: _Limits) -> None:
    trip.turn_right_angles(int(rng.integers(1, 4)))


def _mirror(rng: np.random.Generator, trip: Journey, _: _Limits) -> None:
    trip.mirror(across=bool(rng.random() < 0.8))


_STEPS: tuple[tuple[Callable[[np.random.Generator, Journey, _Limits], None], float], ...] = (
    (_window, 0.12),
    (_tone, 0.08),
    (_invert, 0.05),
    (_screen, 0.2),
    (_tint, 0.03),
    (_video, 0.05),
    (_blur, 0.06),
    (_noise, 0.1),
    (_sharpen, 0.06),
    (_skew, 0.04),
    (_keystone, 0.02),
    (_turn, 0.03),
    (_mirror, 0.02),
    (_jpeg, 0.14),
)
"""What can happen, in the order in which it does, with its weight: rendering, scaling, capture, geometry, storage."""

_COUNTS = (0.35, 0.3, 0.22, 0.13)
"""How likely it is that none, one, two or three of these happen."""


def machine_damage(
    rng: np.random.Generator, image: Image, ink: Ink, split: str, finest: float = SMALLEST_TEXT
) -> Warped:
    """What machines and exports do to a screen; about a third of the pictures stays as it is.

    The result may have another size, but text of ``finest`` pixels height shrinks to :data:`SMALLEST_TEXT` at most.
    Test and calibration use other ranges and interpolations than training.
    """
    trip = Journey(image, ink)
    least = min(1.0, SMALLEST_TEXT / max(finest, 1.0))
    low, high = _LIMITS[split].shrink
    limits = replace(_LIMITS[split], shrink=(max(low, least), max(high, least)))
    count = int(rng.choice(len(_COUNTS), p=_COUNTS))
    weights = np.array([weight for _, weight in _STEPS])
    for place in sorted(rng.choice(len(_STEPS), count, replace=False, p=weights / weights.sum())):
        _STEPS[place][0](rng, trip, limits)
    return trip.done()

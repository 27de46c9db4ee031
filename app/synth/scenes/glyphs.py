"""One line of text as a patch of ink.

A patch is an array ``[row, column]`` of opacity, 0 to 255, cropped to what was drawn. Its ``x`` and ``y`` say where
its top left corner lies, in pixels from the pen at the start of the baseline (y is negative above it).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from deidra.app.synth.scenes.fonts import Face, load

Mask = NDArray[np.uint8]
SOLID = 0.4
"""Share of the strongest opacity of a patch from which on a pixel counts as ink."""


@dataclass(frozen=True, slots=True)
class Look:
    """How letters are drawn.

    ``size`` is the font size in pixels, ``spacing`` the extra space between letters as a share of it, ``stretch`` the
    factor on widths, ``smooth`` False draws without grey rims, ``times`` repeats each pixel (for bitmap fonts) and
    ``dots`` draws each pixel as a round dot with that pitch in pixels.
    """

    face: Face
    size: int
    spacing: float = 0.0
    stretch: float = 1.0
    smooth: bool = True
    times: int = 1
    dots: float = 0.0

    @property
    def height(self) -> float:
        """Size in pixels after all enlargement."""
        return self.size * (self.dots or self.times)


@dataclass(frozen=True, slots=True)
class Patch:
    """Opacity ``alpha`` ``[row, column]`` with its place relative to the pen; ``angle`` turns the reading direction.

    ``angle`` is in degrees, clockwise as seen, 0 for text that reads to the right.
    """

    alpha: Mask
    x: int
    y: int
    angle: float = 0.0

    @property
    def solid(self) -> NDArray[np.bool_]:
        """Pixels of ink, same shape as ``alpha``."""
        return self.alpha >= max(1, round(SOLID * int(self.alpha.max(initial=0))))


def _crop(alpha: Mask, x: int, y: int) -> Patch | None:
    """The drawn part of ``alpha`` whose corner lies at ``(x, y)``; None if nothing was drawn."""
    left, top, width, height = cv2.boundingRect(alpha)
    if not width:
        return None
    return Patch(np.ascontiguousarray(alpha[top : top + height, left : left + width]), x + left, y + top)


def _draw(text: str, look: Look) -> tuple[Mask, int, int]:
    """Letters on a canvas of their own, with the place of its corner relative to the pen."""
    font = load(look.face, look.size)
    left, top, right, bottom = (math.floor(edge) for edge in font.getbbox(text, anchor="ls"))
    gap = look.spacing * look.size
    margin = 2
    width = right - left + 2 * margin + 1 + math.ceil(gap * len(text))
    image = Image.new("L", (max(1, width), max(1, bottom - top + 2 * margin + 1)))
    pen = ImageDraw.Draw(image)
    pen.fontmode = "L" if look.smooth and not look.face.bitmap else "1"
    at = (margin - left, margin - top)
    if not gap:
        pen.text(at, text, fill=255, font=font, anchor="ls")
    else:
        x = float(at[0])
        for letter in text:
            pen.text((round(x), at[1]), letter, fill=255, font=font, anchor="ls")
            x += font.getlength(letter) + gap
    return np.asarray(image), -at[0], -at[1]


@lru_cache(maxsize=64)
def _dot(pitch: int, round_share: int) -> Mask:
    """A smooth round dot in a square of ``pitch`` pixels whose diameter is ``round_share`` percent of it."""
    fine = 8
    middle = (pitch * fine - 1) / 2
    y, x = np.mgrid[0 : pitch * fine, 0 : pitch * fine]
    disc = (np.hypot(y - middle, x - middle) <= pitch * fine * round_share / 200).astype(np.float32)
    dot: Mask = (cv2.resize(disc, (pitch, pitch), interpolation=cv2.INTER_AREA) * 255).astype(np.uint8)
    return dot


def line(text: str, look: Look) -> Patch | None:
    """``text`` drawn in one line; None if the font draws nothing."""
    alpha, x, y = _draw(text, look)
    if look.dots:
        pitch = max(2, round(look.dots))
        share = 85 if pitch > 2 else 100
        on = (alpha > 127).astype(np.uint8)
        alpha, x, y = np.kron(on, _dot(pitch, share)), x * pitch, y * pitch
    elif look.times > 1:
        alpha = np.repeat(np.repeat(alpha, look.times, axis=0), look.times, axis=1)
        x, y = x * look.times, y * look.times
    if look.stretch != 1.0:
        method = cv2.INTER_AREA if look.stretch < 1 else cv2.INTER_LINEAR
        size = (max(1, round(alpha.shape[1] * look.stretch)), alpha.shape[0])
        alpha, x = cv2.resize(alpha, size, interpolation=method).astype(np.uint8), round(x * look.stretch)
    return _crop(alpha, x, y)


def turned(patch: Patch, angle: float) -> Patch:
    """``patch`` turned clockwise by ``angle`` degrees about its middle; right angles are exact.

    Its place is that of a corner at the pen: turned text is placed by its box.
    """
    quarter = round(angle / 90)
    if abs(angle - 90 * quarter) < 1e-6:
        return Patch(np.ascontiguousarray(np.rot90(patch.alpha, -quarter)), 0, 0, angle)
    rows, columns = patch.alpha.shape
    radians = math.radians(angle)
    cosine, sine = math.cos(radians), math.sin(radians)
    width = math.ceil(columns * abs(cosine) + rows * abs(sine)) + 2
    height = math.ceil(columns * abs(sine) + rows * abs(cosine)) + 2
    centre_x, centre_y = (columns - 1) / 2, (rows - 1) / 2
    matrix = np.array(
        [
            [cosine, -sine, (width - 1) / 2 - cosine * centre_x + sine * centre_y],
            [sine, cosine, (height - 1) / 2 - sine * centre_x - cosine * centre_y],
        ]
    )
    result = _crop(cv2.warpAffine(patch.alpha, matrix, (width, height)).astype(np.uint8), 0, 0)
    return replace(result, x=0, y=0, angle=angle) if result is not None else patch


def mirrored(patch: Patch) -> Patch:
    """``patch`` as seen from behind; what leaned to one side leans to the other."""
    return replace(patch, alpha=np.ascontiguousarray(patch.alpha[:, ::-1]), angle=-patch.angle)


def blurred(patch: Patch, sigma: float) -> Patch:
    """``patch`` with soft edges: a Gaussian of ``sigma`` pixels."""
    rim = math.ceil(2 * sigma)
    alpha = cv2.copyMakeBorder(patch.alpha, rim, rim, rim, rim, cv2.BORDER_CONSTANT, value=0)
    soft = cv2.GaussianBlur(alpha, (0, 0), sigma).astype(np.uint8)
    return replace(patch, alpha=soft, x=patch.x - rim, y=patch.y - rim)


def quad(xs: NDArray[np.intp], ys: NDArray[np.intp], angle: float) -> NDArray[np.float64]:
    """The tight rectangle around pixels ``(xs, ys)`` for text read at ``angle`` degrees (clockwise).

    Corners ``[corner, (x, y)]`` from the top left in reading direction; pixel i covers i to i + 1.
    """
    radians = math.radians(angle)
    along = np.array([math.cos(radians), math.sin(radians)])
    down = np.array([-along[1], along[0]])
    centres = np.stack([xs, ys], axis=1) + 0.5
    u, v = centres @ along, centres @ down
    left, right, top, bottom = u.min() - 0.5, u.max() + 0.5, v.min() - 0.5, v.max() + 0.5
    return np.array([a * along + b * down for a, b in ((left, top), (right, top), (right, bottom), (left, bottom))])

"""Damage that moves no pixel: windows, codecs, video, noise, blur and tone. Pictures are (H, W, 3), RGB."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

_SAMPLING = {
    420: cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420,
    422: cv2.IMWRITE_JPEG_SAMPLING_FACTOR_422,
    444: cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444,
}


@dataclass(frozen=True, slots=True)
class Stretch:
    """How stored values become grey levels: those from ``low`` to ``high`` (of 255) fill the range, the rest clips.

    ``gamma`` bends the tone curve; ``bits`` is the depth at which the values were stored before.
    """

    low: float
    high: float
    gamma: float = 1.0
    bits: int = 12


def _curve(image: Image, levels: NDArray[np.floating]) -> Image:
    """A picture through a table (256,) or (256, 3) of new levels."""
    table = np.clip(np.round(levels), 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(image, table if table.ndim == 1 else table[None]), np.uint8)


def is_grey(image: Image) -> bool:
    """Whether no pixel has a colour; noise on such a picture is grey too."""
    return bool(np.array_equal(image[..., 0], image[..., 1]) and np.array_equal(image[..., 1], image[..., 2]))


def windowed(image: Image, stretch: Stretch) -> Image:
    """Quantise to ``bits``, then show through a window and a tone curve."""
    steps = 2**stretch.bits - 1
    stored = np.round(np.arange(256) / 255 * steps) / steps * 255
    share = np.clip((stored - stretch.low) / max(stretch.high - stretch.low, 1), 0, 1)
    return _curve(image, 255 * share**stretch.gamma)


def toned(image: Image, contrast: float, brightness: float) -> Image:
    """Contrast around the middle grey, then brightness in grey levels."""
    return _curve(image, (np.arange(256) - 127.5) * contrast + 127.5 + brightness)


def tinted(image: Image, gains: NDArray[np.float64]) -> Image:
    """A colour cast: a factor (3,) for each of red, green and blue."""
    return _curve(image, np.arange(256)[:, None] * gains[None])


def inverted(image: Image) -> Image:
    """Black for white, as in MONOCHROME1 read wrongly."""
    return np.asarray(cv2.bitwise_not(image), np.uint8)


def jpeg(image: Image, quality: int, sampling: int) -> Image:
    """Through JPEG and back; ``sampling`` of the colours is 420, 422 or 444. A grey picture is stored grey."""
    options = [cv2.IMWRITE_JPEG_QUALITY, quality]
    if is_grey(image):
        done, data = cv2.imencode(".jpg", np.ascontiguousarray(image[..., 0]), options)
        read = cv2.imdecode(data, cv2.IMREAD_GRAYSCALE) if done else None
        return image if read is None else np.asarray(cv2.merge([read, read, read]), np.uint8)
    options += [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, _SAMPLING[sampling]]
    done, data = cv2.imencode(".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), options)
    read = cv2.imdecode(data, cv2.IMREAD_COLOR) if done else None
    return image if read is None else np.asarray(cv2.cvtColor(read, cv2.COLOR_BGR2RGB), np.uint8)


def chroma_bleed(image: Image, sigma: float, shift: int) -> Image:
    """Composite video: colours smeared along the rows by ``sigma`` pixels and late by ``shift`` pixels."""
    luma = cv2.cvtColor(image, cv2.COLOR_RGB2YCrCb)
    width = 2 * round(sigma * 1.5) + 1
    colours = cv2.blur(np.ascontiguousarray(luma[..., 1:]), (width, 1))
    luma[..., 1:] = np.roll(colours, shift, 1)
    luma[..., 0] = cv2.blur(np.ascontiguousarray(luma[..., 0]), (2, 1))
    return np.asarray(cv2.cvtColor(luma, cv2.COLOR_YCrCb2RGB), np.uint8)


def interlace(image: Image, shift: int, dim: float) -> Image:
    """Two fields taken at different times: every other row moved by ``shift`` pixels and darkened by ``dim``."""
    image = image.copy()
    late = np.roll(image[1::2], shift, 1)
    image[1::2] = cv2.convertScaleAbs(late, alpha=dim) if dim < 1 else late
    return image


def _normal(rng: np.random.Generator, image: Image) -> NDArray[np.float32]:
    """Normal noise of variance 1 for each pixel (H, W, 1) of a grey picture, or each channel (H, W, 3)."""
    return rng.standard_normal((*image.shape[:2], 1 if is_grey(image) else 3), np.float32)


def _sum(image: Image, noise: NDArray[np.float32]) -> Image:
    if noise.shape[2] == 1:
        grey = image[..., 0] + noise[..., 0]
        level = np.clip(np.round(grey), 0, 255).astype(np.uint8)
        return np.asarray(cv2.merge([level, level, level]), np.uint8)
    return np.clip(np.round(image + noise), 0, 255).astype(np.uint8)


def gaussian(image: Image, sigma: float, rng: np.random.Generator) -> Image:
    """Normal noise with a standard deviation in grey levels."""
    return _sum(image, _normal(rng, image) * np.float32(sigma))


def speckle(image: Image, share: float, rng: np.random.Generator) -> Image:
    """Noise in proportion to the brightness: ``share`` is its standard deviation at brightness 1."""
    noise = _normal(rng, image)
    return _sum(image, noise * image[..., : noise.shape[2]] * np.float32(share))


def salt_and_pepper(image: Image, share: float, rng: np.random.Generator) -> Image:
    """A ``share`` of the pixels turns white or black."""
    image = image.copy()
    count = int(share * image.shape[0] * image.shape[1])
    rows, columns = rng.integers(0, image.shape[0], count), rng.integers(0, image.shape[1], count)
    image[rows, columns] = (rng.integers(0, 2, count) * 255).astype(np.uint8)[:, None]
    return image


def softened(image: Image, across: float, down: float) -> Image:
    """A blur with standard deviations in pixels."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), across, sigmaY=down), np.uint8)


def sharpened(image: Image, sigma: float, amount: float) -> Image:
    """Unsharp masking, which leaves bright and dark halos around strokes."""
    blurred = cv2.GaussianBlur(image, (0, 0), sigma)
    return np.asarray(cv2.addWeighted(image, 1 + amount, blurred, -amount, 0), np.uint8)

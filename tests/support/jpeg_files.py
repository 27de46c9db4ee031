"""JPEG streams made for tests, and their DCT coefficients."""

from __future__ import annotations

import io

import imagecodecs
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from deidra.app.redact.jpeg_blocks import is_available, transform

needs_turbojpeg = pytest.mark.skipif(
    not is_available(), reason="libturbojpeg is not installed (Debian: apt-get install libturbojpeg0)"
)


def smooth(shape: tuple[int, ...], seed: int = 1) -> NDArray[np.uint8]:
    """A picture with edges and gradients, which JPEG does not turn to mush."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    base = 128 + 90 * np.sin(columns / 9.0) * np.cos(rows / 7.0)
    values = base if len(shape) == 2 else np.stack([base, np.roll(base, 5, 0), 255 - base], -1)
    return np.clip(values + rng.normal(0, 12, shape), 0, 255).astype(np.uint8)


def jpeg(values: NDArray[np.uint8], **options: object) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(values).save(stream, "JPEG", **{"quality": 85, **options})
    return stream.getvalue()


def rgb_jpeg(values: NDArray[np.uint8]) -> bytes:
    """A stream whose components are red, green and blue, as its Adobe marker and its identifiers say."""
    return bytes(imagecodecs.jpeg8_encode(values, 85, colorspace="RGB", outcolorspace="RGB", subsampling="444"))


def coefficients(stream: bytes) -> list[NDArray[np.int16]]:
    """Quantised coefficients of each component, ``(rows, columns, 64)``, as the stream has them."""
    found: dict[int, dict[int, NDArray[np.int16]]] = {}
    transform(stream, lambda component, row, blocks: found.setdefault(component, {}).update({row: blocks.copy()}))
    return [np.stack([rows[row] for row in sorted(rows)]) for _, rows in sorted(found.items())]

"""Barcodes that can be decoded, drawn by zxing-cpp's own writer."""

from __future__ import annotations

import numpy as np
import zxingcpp
from numpy.typing import NDArray

Values = NDArray[np.uint8]
GROUND = 90


def symbol(content: str | bytes, symbology: str, scale: int = 2, quiet: bool = True) -> Values:
    """A barcode ``(H, W)``, 0 where it is dark, 255 where it is light; ``quiet``: with its empty zone around it."""
    made = zxingcpp.create_barcode(content, zxingcpp.barcode_format_from_str(symbology))
    return np.array(zxingcpp.write_barcode_to_image(made, scale=scale, add_quiet_zones=quiet), np.uint8)


def on_ground(code: Values, left: int = 40, top: int = 30, margin: int = 40, ground: int = GROUND) -> Values:
    """A grey picture ``(H, W)`` with a barcode at a place."""
    picture = np.full((top + code.shape[0] + margin, left + code.shape[1] + margin), ground, np.uint8)
    picture[top : top + code.shape[0], left : left + code.shape[1]] = code
    return picture


def rgb(grey: Values) -> Values:
    """A grey picture as ``(H, W, 3)``."""
    return np.repeat(grey[:, :, None], 3, axis=2)


def dark_box(picture: Values) -> tuple[int, int, int, int]:
    """The bounds (left, top, right, bottom) of what is black on a grey picture."""
    rows, columns = np.nonzero(picture < 20)
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1

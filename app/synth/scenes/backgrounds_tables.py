"""Colour tables (256, 3), RGB, as consoles and viewers offer them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def colour_map(stops: Sequence[tuple[float, float, float]]) -> NDArray[np.uint8]:
    """A table (256, 3) of RGB that passes through ``stops`` at equal distances."""
    table = np.asarray(stops, np.float64)
    at = np.linspace(0, 1, len(table))
    return np.stack([np.interp(np.linspace(0, 1, 256), at, table[:, c]) for c in range(3)], 1).astype(np.uint8)


MAPS: dict[str, NDArray[np.uint8]] = {
    "hot iron": colour_map([(0, 0, 0), (128, 0, 0), (255, 60, 0), (255, 170, 30), (255, 255, 255)]),
    "rainbow": colour_map(
        [(0, 0, 0), (60, 0, 130), (0, 60, 255), (0, 220, 120), (255, 255, 0), (255, 40, 0), (255, 255, 255)]
    ),
    "hot metal blue": colour_map(
        [(0, 0, 0), (0, 0, 110), (130, 0, 110), (255, 90, 0), (255, 230, 60), (255, 255, 255)]
    ),
    "spectrum": colour_map([(0, 0, 0), (0, 0, 200), (0, 200, 200), (0, 220, 0), (230, 230, 0), (230, 0, 0)]),
    "violet": colour_map([(0, 0, 0), (70, 0, 90), (170, 50, 170), (240, 150, 130), (255, 255, 220)]),
    "grey": colour_map([(0, 0, 0), (255, 255, 255)]),
    "inverse grey": colour_map([(255, 255, 255), (0, 0, 0)]),
    "sepia": colour_map([(0, 0, 0), (120, 85, 45), (225, 190, 130), (255, 250, 225)]),
    "blue tint": colour_map([(0, 0, 0), (50, 75, 110), (150, 185, 215), (245, 250, 255)]),
}
"""Colour tables (256, 3) as consoles offer them."""

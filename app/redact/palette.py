"""Which stored values look black and white in an image, whatever its colour space."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pydicom
from pydicom.pixels.processing import apply_color_lut

from deidra.app.domain.errors import InputError
from deidra.app.load.dicom import whole_number
from deidra.app.redact.paint import Palette

Extent = tuple[float, float]


def palette_of(
    dataset: pydicom.Dataset, interpretation: str, dtype: np.dtype[np.generic], extent: Callable[[], Extent]
) -> Palette:
    """Black and white of an image (PS3.3 C.7.6.3.1.2).

    Args:
        dataset: the image's description.
        interpretation: what the samples mean that are painted on; a decoder may have turned YBR_RCT into RGB.
        dtype: type of the samples.
        extent: gives the smallest and the largest value of all frames; called for grey images only.

    Raises:
        InputError: the colour table is damaged.
    """
    top = float(2 ** whole_number(dataset, "BitsStored", 8) - 1)
    if interpretation == "RGB":
        return Palette((0, 0, 0), (top, top, top))
    if interpretation.startswith("YBR"):
        middle = (top + 1) / 2
        return Palette((0, middle, middle), (top, middle, middle))
    if interpretation == "PALETTE COLOR":
        return _lut_palette(dataset, dtype)
    # The image's own range: a value outside it would change how viewers window the whole image.
    low, high = extent()
    return Palette((high,), (low,)) if interpretation == "MONOCHROME1" else Palette((low,), (high,))


def _lut_palette(dataset: pydicom.Dataset, dtype: np.dtype[np.generic]) -> Palette:
    """Of the indices that the image uses and the table covers, the darkest and the brightest."""
    try:
        entries, first, _ = (int(v) for v in dataset.RedPaletteColorLookupTableDescriptor)
        indices = np.arange(first, first + (entries or 65536)).astype(dtype)
        colours = apply_color_lut(indices.reshape(1, -1), dataset).astype(np.float64).sum(-1)[0]
    except (AttributeError, KeyError, ValueError, IndexError, TypeError) as error:
        raise InputError("The image's colour table is damaged.", "Export it again.") from error
    return Palette((float(indices[colours.argmin()]),), (float(indices[colours.argmax()]),), indexed=True)

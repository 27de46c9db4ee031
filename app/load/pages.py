"""Pages of scans: PNG, JPEG, multi-page TIFF and PDF as RGB pictures."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from deidra.app.domain.errors import InputError
from deidra.app.domain.model import AssetKind
from deidra.app.load.pdf import PDF_DPI, Passwords, PdfPages

MOST_PIXELS = 120_000_000
"""Larger pages are refused: 120 million pixels are an A2 sheet at 600 dpi."""


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page to write: ``(H, W, 3)`` RGB, its dots per inch, and its width and height in points (1/72 inch).

    ``is_bilevel`` is True for a page of a PDF that was rendered from one picture of black and white alone.
    """

    values: NDArray[np.uint8]
    dpi: float
    size: tuple[float, float]
    is_bilevel: bool = False


class Pages:
    """Pages of one scan or PDF, one at a time, upright as their EXIF orientation says.

    Args:
        data: the file.
        kind: what it is.
        passwords: tried where a PDF is encrypted.

    Raises:
        InputError: the file is damaged, encrypted or implausibly large.
    """

    def __init__(self, data: bytes, kind: AssetKind, passwords: Passwords = Passwords()) -> None:  # noqa: B008 (frozen)
        self._data = data
        self.pdf = PdfPages(data, passwords, MOST_PIXELS) if kind is AssetKind.PDF else None
        """The PDF; None for pictures."""
        self.count = self.pdf.count if self.pdf else self._image_count()

    def _image_count(self) -> int:
        with self._open_image() as image:
            return int(getattr(image, "n_frames", 1))

    def _open_image(self) -> Image.Image:
        try:
            with warnings.catch_warnings():
                # Pillow warns of large pictures; the limit here is checked below and refuses them.
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)
                image = Image.open(io.BytesIO(self._data))
        except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise InputError("The image is damaged and cannot be opened.", "Scan or export it again.") from error
        _check_size(image)
        return image

    def page(self, index: int) -> NDArray[np.uint8]:
        """Page ``index`` (from 0) as ``(H, W, 3)`` RGB, as it is searched."""
        return self.pdf.picture(index) if self.pdf else self._image_page(index)

    def dpi(self, index: int) -> float:
        """Resolution of :meth:`page` in dots per inch (200 where the file does not say)."""
        if self.pdf:
            return float(PDF_DPI)
        with self._open_image() as image:
            try:
                image.seek(index)
            except (OSError, ValueError, SyntaxError, EOFError) as error:
                raise _undecodable() from error
            value = float(image.info.get("dpi", (0, 0))[0] or 0)
        return value if 50 <= value <= 2400 else 200.0

    def output(self, index: int) -> PagePicture:
        """Page ``index`` (from 0) as it is written: a PDF page that is a scan as finely as it was scanned.

        Raises:
            InputError: the page cannot be rendered.
        """
        if self.pdf:
            scan = self.pdf.scan(index)
            dpi = scan.dpi if scan else PDF_DPI
            is_bilevel = scan is not None and scan.is_bilevel
            return PagePicture(self.pdf.picture(index, dpi), dpi, self.pdf.size(index), is_bilevel)
        picture, dpi = self._image_page(index), self.dpi(index)
        return PagePicture(picture, dpi, (picture.shape[1] * 72 / dpi, picture.shape[0] * 72 / dpi))

    def _image_page(self, index: int) -> NDArray[np.uint8]:
        with self._open_image() as image:
            try:
                image.seek(index)
                _check_size(image)
                return _to_rgb(ImageOps.exif_transpose(image))
            except (OSError, ValueError, SyntaxError, EOFError) as error:
                raise _undecodable() from error


def _check_size(image: Image.Image) -> None:
    if image.width * image.height > MOST_PIXELS:
        raise InputError("The image is implausibly large.", "Scan it at 600 dpi or less.")


def _undecodable() -> InputError:
    return InputError("The image is damaged and cannot be decoded.", "Scan or export it again.")


def _to_rgb(image: Image.Image) -> NDArray[np.uint8]:
    if image.mode.startswith(("I;16", "I", "F")) and image.mode != "RGB":
        values = np.asarray(image, dtype=np.float32)
        span = max(float(values.max() - values.min()), 1.0)
        grey = ((values - values.min()) / span * 255).astype(np.uint8)
        return np.repeat(grey[:, :, None], 3, axis=2)
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        # Transparent areas are paper: text in them would vanish on black.
        rgba = image.convert("RGBA")
        paper = Image.new("RGBA", rgba.size, "white")
        return np.array(Image.alpha_composite(paper, rgba).convert("RGB"))
    return np.array(image.convert("RGB"))

"""Pages of scans: PNG, JPEG, multi-page TIFF and PDF as RGB pictures."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pypdfium2
from numpy.typing import NDArray
from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from deidra.app.domain.errors import InputError
from deidra.app.domain.model import AssetKind

PDF_DPI = 200
"""PDF pages are rendered at this resolution; polygons on them are in these pixels."""
MOST_PIXELS = 120_000_000
"""Larger pages are refused: 120 million pixels are an A2 sheet at 600 dpi."""


class Pages:
    """Pages of one scan or PDF, one at a time, upright as their EXIF orientation says.

    Raises:
        InputError: the file is damaged, encrypted or implausibly large.
    """

    def __init__(self, data: bytes, kind: AssetKind) -> None:
        self._data = data
        self._kind = kind
        self.count = self._pdf_count() if kind is AssetKind.PDF else self._image_count()

    def _open_pdf(self) -> pypdfium2.PdfDocument:
        try:
            return pypdfium2.PdfDocument(self._data)
        except pypdfium2.PdfiumError as error:
            if "password" in str(error).lower():
                raise InputError("The PDF is encrypted.", "Save a copy without a password and import that.") from error
            raise InputError("The PDF is damaged and cannot be opened.", "Print it to a new PDF.") from error

    def _pdf_count(self) -> int:
        document = self._open_pdf()
        count = len(document)
        document.close()
        if not count:
            raise InputError("The PDF has no pages.")
        return count

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
        if image.width * image.height > MOST_PIXELS:
            raise InputError("The image is implausibly large.", "Scan it at 600 dpi or less.")
        return image

    def page(self, index: int) -> NDArray[np.uint8]:
        """Page ``index`` (from 0) as ``(H, W, 3)`` RGB."""
        return self._pdf_page(index) if self._kind is AssetKind.PDF else self._image_page(index)

    def dpi(self, index: int) -> float:
        """Resolution of a page in dots per inch (200 where the file does not say)."""
        if self._kind is AssetKind.PDF:
            return float(PDF_DPI)
        with self._open_image() as image:
            image.seek(index)
            value = float(image.info.get("dpi", (0, 0))[0] or 0)
        return value if 50 <= value <= 2400 else 200.0

    def _pdf_page(self, index: int) -> NDArray[np.uint8]:
        document = self._open_pdf()
        try:
            page = document[index]
            width, height = page.get_size()
            if width * height * (PDF_DPI / 72) ** 2 > MOST_PIXELS or min(width, height) < 1:
                raise InputError("A PDF page has an implausible size.", "Print it to a new PDF.")
            # Forms and annotations are drawn: what a reader sees must be searched, too.
            document.init_forms()
            bitmap = document[index].render(scale=PDF_DPI / 72, may_draw_forms=True)
            picture = bitmap.to_pil().convert("RGB")
        except pypdfium2.PdfiumError as error:
            raise InputError("A PDF page cannot be rendered.", "Print it to a new PDF.") from error
        finally:
            document.close()
        return np.array(picture)

    def _image_page(self, index: int) -> NDArray[np.uint8]:
        with self._open_image() as image:
            try:
                picture = next(frame for n, frame in enumerate(ImageSequence.Iterator(image)) if n == index)
                upright = ImageOps.exif_transpose(picture)
                return _to_rgb(upright)
            except (OSError, ValueError, SyntaxError, EOFError, StopIteration) as error:
                raise InputError("The image is damaged and cannot be decoded.", "Scan or export it again.") from error


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

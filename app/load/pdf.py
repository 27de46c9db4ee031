"""Pages of PDF files, rendered by PDFium: what a viewer shows, forms and annotations included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from deidra.app.domain.errors import InputError

PDF_DPI = 200
"""PDF pages are searched at this resolution; polygons on them are in these pixels."""
_LEAST_DPI, _MOST_DPI = 72.0, 600.0
_WHOLE = 0.85
"""A picture that takes this share of a page is the page."""
INVISIBLE = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)
ENCRYPTED = "The PDF is encrypted"
"""How the reason begins for which an encrypted file is held back."""
_ENCRYPTED = "Give its password (on the Project page, or with --password-file), or import a copy without a password."


@dataclass(frozen=True, slots=True)
class Passwords:
    """Passwords that are tried on encrypted documents. They are never shown, logged or stored."""

    words: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Scan:
    """A page that is one picture: its resolution in dots per inch, and whether it is of black and white alone."""

    dpi: float
    is_bilevel: bool


class PdfPages:
    """The pages of one PDF, one at a time.

    Args:
        data: the file.
        passwords: tried in turn where the file is encrypted.
        most_pixels: larger pages are refused.

    Raises:
        InputError: the file is damaged, has no pages, or none of the passwords opens it.
    """

    def __init__(self, data: bytes, passwords: Passwords, most_pixels: int) -> None:
        self._document, self.password = _opened(data, passwords)
        self.data = data
        self._most_pixels = most_pixels
        self.count = len(self._document)
        if not self.count:
            self._document.close()
            raise InputError("The PDF has no pages.")
        # Forms and annotations are drawn: what a reader sees must be searched, too.
        self._document.init_forms()

    def load(self, index: int) -> pypdfium2.PdfPage:
        """Page ``index`` (from 0) as PDFium knows it.

        Raises:
            InputError: it is damaged or has an implausible size.
        """
        try:
            page = self._document[index]
        except pypdfium2.PdfiumError as error:
            raise _unreadable() from error
        width, height = page.get_size()
        if width * height * (PDF_DPI / 72) ** 2 > self._most_pixels or min(width, height) < 1:
            raise InputError("A PDF page has an implausible size.", "Print it to a new PDF.")
        return page

    def picture(self, index: int, dpi: float = PDF_DPI) -> NDArray[np.uint8]:
        """Page ``index`` (from 0) as ``(H, W, 3)`` RGB.

        Raises:
            InputError: it cannot be rendered.
        """
        page = self.load(index)
        try:
            return rendered(page, dpi)
        finally:
            page.close()

    def size(self, index: int) -> tuple[float, float]:
        """Width and height of page ``index`` in points, as it is shown."""
        page = self.load(index)
        try:
            width, height = page.get_size()
        finally:
            page.close()
        return float(width), float(height)

    def scan(self, index: int) -> Scan | None:
        """How page ``index`` was scanned; None where it is more or less than one picture."""
        page = self.load(index)
        try:
            found = _scan(page)
            width, height = page.get_size()
        finally:
            page.close()
        if found is None:
            return None
        most = 72 * (self._most_pixels / (width * height)) ** 0.5
        return replace(found, dpi=min(max(found.dpi, _LEAST_DPI), _MOST_DPI, most))


def scale_of(dpi: float) -> float:
    """Pixels in a point."""
    # A hair less: sizes are rounded up, and a scan in a picture of one pixel more would not be what was scanned.
    return dpi / 72 * (1 - 1e-5)


def rendered(page: pypdfium2.PdfPage, dpi: float) -> NDArray[np.uint8]:
    """A page as ``(H, W, 3)`` RGB on white paper.

    Raises:
        InputError: it cannot be rendered.
    """
    try:
        # Four bytes a pixel: PDFium draws some things wrongly into three.
        bitmap = page.render(scale=scale_of(dpi), may_draw_forms=True, prefer_bgrx=True, rev_byteorder=True)
        picture = np.ascontiguousarray(bitmap.to_numpy()[:, :, :3])
        bitmap.close()
    except pypdfium2.PdfiumError as error:
        raise _unreadable() from error
    return picture


def _unreadable() -> InputError:
    return InputError("A PDF page cannot be rendered.", "Print it to a new PDF.")


def _opened(data: bytes, passwords: Passwords) -> tuple[pypdfium2.PdfDocument, str]:
    """The document and the password that opened it."""
    for word in ("", *passwords.words):
        try:
            return pypdfium2.PdfDocument(data, password=word or None), word
        except pypdfium2.PdfiumError as error:
            if "password" not in str(error).lower():
                raise InputError("The PDF is damaged and cannot be opened.", "Print it to a new PDF.") from error
    if passwords.words:
        raise InputError(f"{ENCRYPTED}, and no password that was given opens it.", _ENCRYPTED)
    raise InputError(f"{ENCRYPTED}.", _ENCRYPTED)


def _scan(page: pypdfium2.PdfPage) -> Scan | None:
    """What is known of the one picture that a page shows; None for any other page."""
    if pdfium.FPDFPage_GetAnnotCount(page):
        return None
    shown = [item for item in page.get_objects() if not _is_invisible(item)]
    if len(shown) != 1 or not isinstance(shown[0], pypdfium2.PdfImage):
        return None
    left, bottom, right, top = shown[0].get_bounds()
    crop = page.get_bbox()
    if (right - left) * (top - bottom) < _WHOLE * (crop[2] - crop[0]) * (crop[3] - crop[1]):
        return None
    a, b, _, _, _, _ = shown[0].get_matrix().get()
    known, length = shown[0].get_metadata(), float(np.hypot(a, b))
    if not length or not known.width:
        return None
    return Scan(known.width * 72 / length, known.bits_per_pixel == 1)


def _is_invisible(item: pypdfium2.PdfObject) -> bool:
    if item.type == pdfium.FPDF_PAGEOBJ_FORM:
        return True  # its own objects are listed after it
    return item.type == pdfium.FPDF_PAGEOBJ_TEXT and pdfium.FPDFTextObj_GetTextRenderMode(item) in INVISIBLE


def objects(page: pypdfium2.PdfPage, kinds: Sequence[int] = ()) -> list[pypdfium2.PdfObject]:
    """The objects of a page in the order in which they are drawn, those inside of forms included."""
    return list(page.get_objects(filter=list(kinds) or None))

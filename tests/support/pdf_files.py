"""PDF files for tests, with text that is hidden in every way that is known, and text that is not."""

from __future__ import annotations

import io
from collections.abc import Callable

import pikepdf
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

SIZE = (288, 144)


def made(draw: Callable[[Canvas], None], pages: int = 1, size: tuple[float, float] = SIZE) -> bytes:
    """A PDF of pages of which each is drawn by a function."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=size, invariant=1)
    for _ in range(pages):
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def written(canvas: Canvas, text: str, x: float = 20, y: float = 100, size: float = 20) -> None:
    """Black text."""
    canvas.setFillGray(0)
    canvas.setFont("Helvetica", size)
    canvas.drawString(x, y, text)


def _invisible(canvas: Canvas, text: str) -> None:
    item = canvas.beginText(20, 40)
    item.setFont("Helvetica", 20)
    item.setTextRenderMode(3)
    item.textOut(text)
    canvas.drawText(item)


def _white(canvas: Canvas, text: str) -> None:
    canvas.setFont("Helvetica", 20)
    canvas.setFillGray(1)
    canvas.drawString(20, 40, text)


def _transparent(canvas: Canvas, text: str) -> None:
    canvas.saveState()
    canvas.setFillAlpha(0)
    canvas.setFont("Helvetica", 20)
    canvas.drawString(20, 40, text)
    canvas.restoreState()


def _under_a_box(canvas: Canvas, text: str) -> None:
    written(canvas, text, 20, 40)
    canvas.rect(10, 30, 250, 30, stroke=0, fill=1)


def _under_a_picture(canvas: Canvas, text: str) -> None:
    written(canvas, text, 20, 40)
    canvas.drawImage(ImageReader(Image.new("L", (50, 10), 180)), 10, 30, 250, 30)


def _outside(canvas: Canvas, text: str) -> None:
    written(canvas, text, 20, -60)


def _clipped(canvas: Canvas, text: str) -> None:
    canvas.saveState()
    path = canvas.beginPath()
    path.rect(0, 0, 10, 10)
    canvas.clipPath(path, stroke=0, fill=0)
    written(canvas, text, 20, 40)
    canvas.restoreState()


HIDDEN: dict[str, Callable[[Canvas, str], None]] = {
    "invisible": _invisible,
    "white": _white,
    "transparent": _transparent,
    "under a box": _under_a_box,
    "under a picture": _under_a_picture,
    "outside": _outside,
    "clipped": _clipped,
}


def encrypted(data: bytes, user: str, owner: str = "owner") -> bytes:
    """The same PDF behind a password."""
    stream = io.BytesIO()
    pikepdf.open(io.BytesIO(data)).save(stream, encryption=pikepdf.Encryption(owner=owner, user=user))
    return stream.getvalue()


def turned(data: bytes, degrees: int) -> bytes:
    """The same PDF with its pages shown turned."""
    document = pikepdf.open(io.BytesIO(data))
    for page in document.pages:
        page.rotate(degrees, relative=False)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()

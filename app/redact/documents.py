"""Covering regions on scans, and writing them as new files that hold nothing of the source's structure."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from deidra.app.decide.policy import RedactSection
from deidra.app.domain.model import AssetKind
from deidra.app.load.pages import Pages
from deidra.app.redact.paint import Palette, cover_all, regions_of
from deidra.app.redact.plan import Mark

_RGB = Palette((0, 0, 0), (255, 255, 255))
_FLAT_COLOURS = 4096
"""Pages with fewer colours than this are text and lines: stored without loss they are also smaller."""
_JPEG_QUALITY = 90


def redact_page(
    picture: NDArray[np.uint8], index: int, marks: Sequence[Mark], settings: RedactSection
) -> NDArray[np.uint8]:
    """A copy of page ``index`` (``(H, W, 3)`` RGB) with its marks covered."""
    page = picture.copy()
    height, width = page.shape[:2]
    cover_all(page, regions_of(marks, index, width, height, settings), settings.fill, _RGB)
    return page


def write_document(pages: Pages, kind: AssetKind, marks: Sequence[Mark], settings: RedactSection) -> tuple[bytes, str]:
    """A sanitised copy, and its file suffix: PDF stays PDF, multi-page images become TIFF, others PNG.

    Nothing but the redacted pictures is taken over: no metadata, text layer, forms, attachments,
    annotations, outlines or scripts (PDF), no EXIF, thumbnails or comments (images).

    Raises:
        InputError: a page cannot be rendered.
    """
    if kind is AssetKind.PDF:
        return _pdf(pages, marks, settings), ".pdf"
    stream = io.BytesIO()
    pictures = [Image.fromarray(_simplest(redact_page(pages.page(i), i, marks, settings))) for i in range(pages.count)]
    dpi = (pages.dpi(0), pages.dpi(0))
    if len(pictures) > 1:
        pictures[0].save(
            stream, "TIFF", save_all=True, append_images=pictures[1:], compression="tiff_adobe_deflate", dpi=dpi
        )
        return stream.getvalue(), ".tiff"
    pictures[0].save(stream, "PNG", dpi=dpi)
    return stream.getvalue(), ".png"


def _simplest(page: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """One channel where all three are equal."""
    grey = np.array_equal(page[:, :, 0], page[:, :, 1]) and np.array_equal(page[:, :, 1], page[:, :, 2])
    return page[:, :, 0] if grey else page


def _pdf(pages: Pages, marks: Sequence[Mark], settings: RedactSection) -> bytes:
    stream = io.BytesIO()
    # Invariant: no time of creation and no random identifier in the file.
    canvas = Canvas(stream, invariant=True)
    canvas.setAuthor("")
    canvas.setTitle("")
    canvas.setSubject("")
    canvas.setCreator("Deidra")
    canvas.setProducer("Deidra")
    for index in range(pages.count):
        page = redact_page(pages.page(index), index, marks, settings)
        height, width = page.shape[:2]
        points = width * 72 / pages.dpi(index), height * 72 / pages.dpi(index)
        canvas.setPageSize(points)
        canvas.drawImage(ImageReader(_encoded(page)), 0, 0, *points)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def _encoded(page: NDArray[np.uint8]) -> io.BytesIO:
    image = Image.fromarray(_simplest(page))
    stream = io.BytesIO()
    if image.getcolors(_FLAT_COLOURS) is not None:
        image.save(stream, "PNG")
    else:
        image.save(stream, "JPEG", quality=_JPEG_QUALITY)
    stream.seek(0)
    return stream

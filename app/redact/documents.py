"""Covering regions on scans, and writing them as new files that hold nothing of the source's structure."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PIL import TiffImagePlugin

from deidra.app.decide.redaction import DocumentFormat, Fill, RedactSection
from deidra.app.domain.model import AssetKind, FrameText, TextLine
from deidra.app.load.pages import Pages
from deidra.app.load.pdf import PDF_DPI
from deidra.app.redact.lettering import write_like
from deidra.app.redact.page_images import sharpened, simplest
from deidra.app.redact.paint import Palette, Region, cover_all, marked_frames, regions_of
from deidra.app.redact.pdf_writer import PdfWriter
from deidra.app.redact.plan import Mark
from deidra.app.redact.text_layer import Word, scaled, words_left
from deidra.app.redact.vector import VectorPages

_RGB = Palette((0, 0, 0), (255, 255, 255))


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    """A sanitised copy.

    Args:
        data: the file.
        kind: what it is now.
        suffix: the end of its name.
        scales: by page, what lengths in pixels of the original page are multiplied with when the copy is searched.
    """

    data: bytes
    kind: AssetKind
    suffix: str
    scales: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Page:
    values: NDArray[np.uint8]
    dpi: float
    size: tuple[float, float]
    words: list[Word]


def redact_page(
    picture: NDArray[np.uint8], index: int, marks: Sequence[Mark], settings: RedactSection
) -> NDArray[np.uint8]:
    """A copy of page ``index`` (``(H, W, 3)`` RGB) with its marks covered."""
    page = picture.copy()
    _cover(page, [mark for mark in marks if mark.frame in (None, index)], settings)
    return page


def _cover(
    page: NDArray[np.uint8], marks: Sequence[Mark], settings: RedactSection
) -> tuple[list[tuple[Region, str | None]], list[Word]]:
    """Cover the marks of one page in place, and write what replaces them as the originals were written.

    Returns:
        The regions with what was written plainly into them, and the words that were written like the originals.
    """
    height, width = page.shape[:2]
    before = page.copy()
    marks = [replace(mark, frame=None) for mark in marks]
    texts = [_without_text(mark, settings) if _is_like(mark, settings) else mark for mark in marks]
    regions = regions_of(texts, 0, width, height, settings)
    cover_all(page, regions, settings.fill, _RGB)
    words: list[Word] = []
    plain: list[Mark] = []
    for mark in marks:
        if not mark.text or not _is_like(mark, settings):
            continue
        place = write_like(before, page, mark.polygon, mark.was, mark.text)
        if place is not None:
            words.append(Word(mark.text, place))
        else:
            plain.append(mark)
    more = regions_of(plain, 0, width, height, settings)
    cover_all(page, more, settings.fill, _RGB)
    return [*regions, *more], words


def _without_text(mark: Mark, settings: RedactSection) -> Mark:
    """The place of a replacement that is written later: on paper, not on the blur of what it replaces."""
    blurred = (mark.fill or settings.fill) is Fill.BLUR
    return replace(mark, text=None, fill=Fill.INPAINT if blurred else mark.fill)


def _is_like(mark: Mark, settings: RedactSection) -> bool:
    """Whether a replacement is written as the original was: on black nothing of it would be seen."""
    return bool(mark.text and mark.was) and (mark.fill or settings.fill) is not Fill.BLACK


def write_document(
    pages: Pages, marks: Sequence[Mark], settings: RedactSection, texts: Sequence[FrameText] = ()
) -> WrittenDocument:
    """A sanitised copy in the format that the policy names; one page is in memory at a time.

    Nothing is taken over but the pictures with their marks covered and, in a PDF, those of the located words that can
    still be read: no metadata, text layer, forms, attachments, annotations, outlines or scripts (PDF), no EXIF,
    thumbnails or comments (images). If the policy says so, pages of a PDF on which nothing is covered stay vectors.

    Args:
        pages: the original.
        marks: what is covered, in pixels of :meth:`Pages.page`.
        settings: fill, padding and format.
        texts: the text that was located on the pages, in the same pixels.

    Raises:
        InputError: a page cannot be rendered.
    """
    lines = {text.index: text.lines for text in texts if text.index is not None}
    clean = _clean_pages(pages, marks, settings, lines)
    wanted = settings.documents
    if wanted is DocumentFormat.PDF or (wanted is DocumentFormat.SAME and pages.pdf):
        marked = set(marked_frames(marks, pages.count))
        free = [n for n in range(pages.count) if n not in marked] if settings.vector else []
        return _pdf(pages, clean, free, lines)
    if wanted is DocumentFormat.TIFF or pages.count > 1:
        return _tiff(pages, clean)
    return _png(pages, clean)


def _clean_pages(
    pages: Pages, marks: Sequence[Mark], settings: RedactSection, lines: Mapping[int, Sequence[TextLine]]
) -> Iterator[_Page]:
    for index in range(pages.count):
        picture = pages.output(index)
        factor = picture.dpi / pages.dpi(index)
        own = [replace(m, polygon=scaled(m.polygon, factor)) for m in marks if m.frame is None or m.frame == index]
        located = [replace(line, polygon=scaled(line.polygon, factor)) for line in lines.get(index, ())]
        values = (sharpened(picture.values) if picture.is_bilevel else picture.values).copy()
        height, width = values.shape[:2]
        regions, words = _cover(values, own, settings)
        left = words_left(located, regions, width, height)
        yield _Page(values, picture.dpi, picture.size, [*left, *words])


def _pdf(
    pages: Pages, clean: Iterable[_Page], free: Sequence[int], lines: Mapping[int, Sequence[TextLine]]
) -> WrittenDocument:
    """A PDF; pages that are ``free`` of marks stay text where everything in them can be seen."""
    writer = PdfWriter()
    vector = VectorPages(pages.pdf) if pages.pdf and free else None
    scales = []
    for index, page in enumerate(clean):
        scales.append(PDF_DPI / pages.dpi(index))
        if vector and index in free and writer.add_copy(partial(vector.copy, index, lines.get(index, ()))):
            continue
        writer.add_page(page.values, page.size, page.words)
    return WrittenDocument(writer.data(), AssetKind.PDF, ".pdf", tuple(scales))


def _tiff(pages: Pages, clean: Iterator[_Page]) -> WrittenDocument:
    stream = io.BytesIO()
    scales = []
    # Page by page: Pillow's own way of writing several pages keeps all of them in memory.
    with TiffImagePlugin.AppendingTiffWriter(stream, new=True) as writer:
        for index, page in enumerate(clean):
            picture = simplest(page.values)
            packed = "group4" if picture.mode == "1" else "tiff_adobe_deflate"
            picture.save(writer, "TIFF", compression=packed, dpi=(page.dpi, page.dpi))
            writer.newFrame()
            scales.append(page.dpi / pages.dpi(index))
    return WrittenDocument(stream.getvalue(), AssetKind.IMAGE, ".tiff", tuple(scales))


def _png(pages: Pages, clean: Iterator[_Page]) -> WrittenDocument:
    stream = io.BytesIO()
    (page,) = clean
    simplest(page.values).save(stream, "PNG", dpi=(page.dpi, page.dpi))
    return WrittenDocument(stream.getvalue(), AssetKind.IMAGE, ".png", (page.dpi / pages.dpi(0),))

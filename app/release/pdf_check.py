"""What a released PDF is made of: nothing but pages, their pictures, fonts and words."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

import cv2
import numpy as np
import pikepdf

from deidra.app.detect.written import written_text
from deidra.app.domain.errors import InputError
from deidra.app.domain.model import AssetKind, FrameText
from deidra.app.load.pages import Pages
from deidra.app.load.pdf import PDF_DPI
from deidra.app.load.pdf_text import glyphs
from deidra.app.redact.plan import Mark
from deidra.app.redact.vector import FORBIDDEN

_ROOT = {"/Type", "/Pages", "/Version"}
_PAGE = {"/Type", "/Parent", "/MediaBox", "/CropBox", "/Rotate", "/Resources", "/Contents"}
_INFORMATION = {"/Producer"}
_FONT_PROGRAMS = ("/Type1C", "/CIDFontType0C", "/OpenType")


def stray_key(data: bytes) -> str:
    """The first key in a PDF that has no place in a released one; empty where there is none.

    Raises:
        InputError: the file cannot be read back.
    """
    with _opened(data) as document:
        allowed = [(document.Root, _ROOT), (document.docinfo, _INFORMATION)]
        allowed += [(page.obj, _PAGE) for page in document.pages]
        for holder, keys in allowed:
            stray = sorted(set(holder.keys()) - keys)
            if stray:
                return stray[0]
        for item in document.objects:
            stray = [key for key, _ in _parts(item) if key in FORBIDDEN]
            if stray:
                return stray[0]
    return ""


def contents(data: bytes) -> Iterator[bytes]:
    """Everything in a PDF that is neither a picture nor a font program: its strings, and its other streams unpacked.

    Raises:
        InputError: the file cannot be read back.
    """
    with _opened(data) as document:
        for item in document.objects:
            if isinstance(item, pikepdf.Stream) and not _is_binary(item):
                try:
                    yield item.read_bytes()
                except pikepdf.PdfError as error:
                    raise InputError("The written PDF cannot be read back.") from error
            yield b"\n".join(bytes(part) for _, part in _parts(item) if isinstance(part, pikepdf.String))


def beneath(data: bytes, marks: Sequence[Mark]) -> int | None:
    """The first page with a character that stands in a mark without a text; None where there is none.

    Args:
        data: a PDF.
        marks: covered places, in pixels of its pages as they are searched; their text is what may stand there.

    Raises:
        InputError: the file cannot be read back.
    """
    pdf = Pages(data, AssetKind.PDF).pdf
    for index in range(pdf.count if pdf else 0):
        here = [mark for mark in marks if mark.frame in (None, index)]
        if pdf is None or all(mark.text for mark in here):
            continue
        page = pdf.load(index)
        for glyph in glyphs(page, PDF_DPI):
            left, top, right, bottom = glyph.box
            around = [mark for mark in here if _holds(mark, ((left + right) / 2, (top + bottom) / 2))]
            if around and not any(mark.text for mark in around):
                return index
        page.close()
    return None


def text_layer(data: bytes) -> Iterator[FrameText]:
    """All text that a PDF holds as text, seen or not, page by page.

    Raises:
        InputError: the file cannot be read back.
    """
    pdf = Pages(data, AssetKind.PDF).pdf
    for index in range(pdf.count if pdf else 0):
        if pdf is not None:
            yield written_text(pdf, index)


def _is_binary(item: pikepdf.Stream) -> bool:
    return "/Length1" in item or str(item.get("/Subtype", "")) in ("/Image", *_FONT_PROGRAMS)


def _opened(data: bytes) -> pikepdf.Pdf:
    try:
        return pikepdf.open(io.BytesIO(data))
    except (pikepdf.PdfError, pikepdf.PasswordError) as error:
        raise InputError("The written PDF cannot be read back.") from error


def _parts(item: object) -> Iterator[tuple[str, object]]:
    """An object and the direct objects in it, each with its key in a dictionary, else with an empty one."""
    yield "", item
    if isinstance(item, (pikepdf.Dictionary, pikepdf.Stream)):
        inside = list(item.items())
    elif isinstance(item, pikepdf.Array):
        inside = [("", value) for value in item]
    else:
        return
    for key, value in inside:
        yield key, value
        if not (isinstance(value, pikepdf.Object) and value.is_indirect):
            yield from _parts(value)


def _holds(mark: Mark, point: tuple[float, float]) -> bool:
    return cv2.pointPolygonTest(np.array(mark.polygon, np.float32), point, measureDist=False) >= 0

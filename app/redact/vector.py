"""Pages of a PDF that may stay what they are: text and lines of which everything can be seen.

A page is taken over only if it holds nothing but text and paths, each character can be seen, nothing lies beneath a
filled area, and what is taken over looks like the page. Of its content the painting operators go along, of its
resources what these name. Everything else stays behind.
"""

from __future__ import annotations

import ctypes
import io
from collections.abc import Iterator, Sequence

import numpy as np
import pikepdf
import pypdfium2
import pypdfium2.raw as pdfium
from numpy.typing import NDArray
from pikepdf import Array, Dictionary, Name

from deidra.app.detect.written import is_believed
from deidra.app.domain.model import TextLine
from deidra.app.load.pdf import PDF_DPI, PdfPages, objects, rendered
from deidra.app.load.pdf_text import glyphs, seen, to_pixels

FORBIDDEN = frozenset(
    {
        *("/A", "/AA", "/AF", "/AcroForm", "/Alternates", "/Annots", "/Collection", "/Dests", "/EF", "/EmbeddedFiles"),
        *("/JS", "/JavaScript", "/LastModified", "/MarkInfo", "/Metadata", "/Names", "/OC", "/OCProperties", "/OPI"),
        *("/OpenAction", "/Outlines", "/PieceInfo", "/StructParent", "/StructParents", "/StructTreeRoot", "/Thumb"),
        *("/Threads", "/URI"),
    }
)
"""Keys of everything that can hold something private and cannot be seen on a page (ISO 32000-1, 7.7 and 14)."""
_SHOWING = {"Tj", "TJ", "'", '"'}
_PAINTING = {
    *("b", "B", "b*", "B*", "c", "f", "F", "f*", "h", "l", "m", "n", "re", "s", "S", "v", "y", "W", "W*"),
    *("cm", "d", "gs", "i", "j", "J", "M", "q", "Q", "ri", "w"),
    *("cs", "CS", "g", "G", "k", "K", "rg", "RG", "sc", "SC", "scn", "SCN"),
    *("BT", "ET", "T*", "Tc", "Td", "TD", "Tf", "TL", "Tm", "Tr", "Ts", "Tw", "Tz"),
}
_MARKING = {"BMC", "BDC", "EMC", "MP", "DP", "BX", "EX"}
_KINDS = {"Tf": "/Font", "gs": "/ExtGState", "cs": "/ColorSpace", "CS": "/ColorSpace"}
_DEVICE = {"/DeviceGray", "/DeviceRGB", "/DeviceCMYK", "/Pattern"}
_COVER = 4.0
"""Points; a filled area whose shorter side is larger may hide something."""
_MOST_COVERS = 60
_COARSE_DPI = 72
_PLAIN_SEGMENTS = 6
"""Paths of fewer segments draw lines and boxes; longer ones may be letters."""
_LEAST_INK = 24
_MOST_OTHER = 1e-4
"""Share of pixels in which a copy may differ from the page."""


class VectorPages:
    """Takes pages over from one PDF.

    Args:
        pdf: the original.
    """

    def __init__(self, pdf: PdfPages) -> None:
        self._pages = pdf
        self._source = pikepdf.open(io.BytesIO(pdf.data), password=pdf.password)

    def copy(self, index: int, lines: Sequence[TextLine], target: pikepdf.Pdf) -> pikepdf.Dictionary | None:
        """Page ``index`` (from 0) as an object of another PDF; None where it cannot be taken over.

        Args:
            index: the page.
            lines: the text that was located on it.
            target: the PDF to copy into.
        """
        try:
            if not all(is_believed(line) for line in lines) or not self._is_plain(index):
                return None
            made = _copied(self._source, index, target)
            return made if made is not None and self._looks_alike(index) else None
        except (pikepdf.PdfError, pikepdf.ForeignObjectError, pypdfium2.PdfiumError):
            return None

    def _is_plain(self, index: int) -> bool:
        page = self._pages.load(index)
        try:
            kinds = {item.type for item in objects(page)}
            if not kinds <= {pdfium.FPDF_PAGEOBJ_TEXT, pdfium.FPDF_PAGEOBJ_PATH}:
                return False
            picture = rendered(page, PDF_DPI)
            if not all(seen(page, glyphs(page, PDF_DPI), picture, PDF_DPI)):
                return False
            return _shows_letters(page, picture) and _covers_nothing(page)
        finally:
            page.close()

    def _looks_alike(self, index: int) -> bool:
        alone = pikepdf.new()
        made = _copied(self._source, index, alone)
        if made is None:
            return False
        alone.pages.append(pikepdf.Page(alone.make_indirect(made)))
        stream = io.BytesIO()
        alone.save(stream)
        document = pypdfium2.PdfDocument(stream.getvalue())
        try:
            copy, page = rendered(document[0], PDF_DPI), self._pages.picture(index)
        finally:
            document.close()
        if copy.shape != page.shape:
            return False
        other = np.abs(copy.astype(np.int16) - page).max(axis=2) > _LEAST_INK
        return float(other.mean()) <= _MOST_OTHER


def _copied(source: pikepdf.Pdf, index: int, target: pikepdf.Pdf) -> pikepdf.Dictionary | None:
    page = source.pages[index]
    if "/UserUnit" in page.obj:
        return None
    kept: list[pikepdf.ContentStreamInstruction] = []
    names: dict[str, set[str]] = {}
    for found in pikepdf.parse_content_stream(page):
        operator = str(found.operator)
        if operator in _MARKING:
            continue
        if not isinstance(found, pikepdf.ContentStreamInstruction) or not _is_painting(operator, list(found.operands)):
            return None
        kept.append(found)
        kind = _KINDS.get(operator)
        if kind and str(found.operands[0]) not in _DEVICE:
            names.setdefault(kind, set()).add(str(found.operands[0]))
    resources = _resources(source, page, names, target)
    if resources is None:
        return None
    copy = Dictionary(
        Type=Name.Page,
        MediaBox=Array([float(value) for value in page.cropbox]),
        Resources=resources,
        Contents=target.make_stream(pikepdf.unparse_content_stream(kept)),
    )
    turn = int(page.rotation) % 360
    if turn:
        copy.Rotate = turn
    return copy


def _is_painting(operator: str, operands: Sequence[object]) -> bool:
    """Whether an operator paints text or paths, and its operands say nothing else."""
    if operator in _SHOWING:
        return True
    has_text = any(isinstance(value, (pikepdf.String, pikepdf.Dictionary)) for value in operands)
    patterned = operator in ("scn", "SCN") and any(isinstance(value, pikepdf.Name) for value in operands)
    return operator in _PAINTING and not has_text and not patterned


def _resources(
    source: pikepdf.Pdf, page: pikepdf.Page, names: dict[str, set[str]], target: pikepdf.Pdf
) -> pikepdf.Dictionary | None:
    """The resources that are named; None where one is missing or may hide something."""
    made = Dictionary()
    for kind in sorted(names):
        held = page.resources.get(kind, Dictionary())
        copies = Dictionary()
        for name in sorted(names[kind]):
            if name not in held or not _is_harmless(held[name]):
                return None
            copy = target.copy_foreign(source.make_indirect(held[name]))
            for part in _reachable(copy):
                for key in FORBIDDEN & set(part.keys()):
                    del part[key]
            copies[name] = copy
        made[kind] = copies
    return made


def _is_harmless(item: pikepdf.Object) -> bool:
    """Whether a resource draws nothing by itself."""
    if not isinstance(item, pikepdf.Dictionary):
        return True
    soft = item.get("/SMask")
    return item.get("/Subtype") != Name.Type3 and "/Font" not in item and (soft is None or soft == Name("/None"))


def _reachable(item: pikepdf.Object) -> Iterator[pikepdf.Dictionary | pikepdf.Stream]:
    """All dictionaries and streams that an object leads to, each once."""
    done: set[tuple[int, int]] = set()
    waiting: list[object] = [item]
    while waiting:
        part = waiting.pop()
        if isinstance(part, pikepdf.Object) and part.is_indirect:
            if part.objgen in done:
                continue
            done.add(part.objgen)
        if isinstance(part, pikepdf.Array):
            waiting += list(part)
        elif isinstance(part, (pikepdf.Dictionary, pikepdf.Stream)):
            yield part
            waiting += [value for _, value in part.items()]


def _shows_letters(page: pypdfium2.PdfPage, picture: NDArray[np.uint8]) -> bool:
    """Whether every path that may be a letter leaves ink on the page."""
    for item in objects(page, [pdfium.FPDF_PAGEOBJ_PATH]):
        if pdfium.FPDFPath_CountSegments(item) < _PLAIN_SEGMENTS:
            continue
        part = _part(page, item, picture, PDF_DPI)
        if not part.size or int(np.ptp(part.reshape(-1, 3), axis=0).max()) < _LEAST_INK:
            return False
    return True


def _covers_nothing(page: pypdfium2.PdfPage) -> bool:
    """Whether the paper beneath every filled area is empty."""
    drawn = objects(page)
    covers = [number for number, item in enumerate(drawn) if number and _is_cover(item)]
    if len(covers) > _MOST_COVERS:
        return False
    try:
        for number in covers:
            for place, item in enumerate(drawn):
                pdfium.FPDFPageObj_SetIsActive(item, place < number)
            beneath = _part(page, drawn[number], rendered(page, _COARSE_DPI), _COARSE_DPI)
            if beneath.size and int(np.ptp(beneath.reshape(-1, 3), axis=0).max()) >= _LEAST_INK:
                return False
    finally:
        for item in drawn:
            pdfium.FPDFPageObj_SetIsActive(item, True)
    return True


def _is_cover(item: pypdfium2.PdfObject) -> bool:
    if item.type != pdfium.FPDF_PAGEOBJ_PATH:
        return False
    left, bottom, right, top = item.get_bounds()
    return min(right - left, top - bottom) > _COVER and _is_filled(item)


def _is_filled(item: pypdfium2.PdfObject) -> bool:
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    return bool(pdfium.FPDFPath_GetDrawMode(item, mode, stroke)) and mode.value != pdfium.FPDF_FILLMODE_NONE


def _part(
    page: pypdfium2.PdfPage, item: pypdfium2.PdfObject, picture: NDArray[np.uint8], dpi: float
) -> NDArray[np.uint8]:
    """The pixels of a picture inside of an object's bounds; one less on each side, where edges are blurred."""
    left, bottom, right, top = item.get_bounds()
    matrix = to_pixels(page, dpi)
    corners = matrix[:, :2] @ np.array([(left, bottom), (right, top)]).T + matrix[:, 2:]
    (x0, x1), (y0, y1) = (sorted(int(value) for value in axis) for axis in corners)
    return picture[max(0, y0 + 1) : max(0, y1), max(0, x0 + 1) : max(0, x1)]

"""The characters of a PDF page with their places, in lines, and which of them can be seen.

What can be seen is told by rendering: a page is rendered with its text and without. A character whose place looks the
same both times is hidden, for whatever reason: invisible or without opacity, of the colour of its paper, beneath a
picture or an area, clipped, or outside of the page.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from deidra.app.domain.geometry import Polygon, as_polygon
from deidra.app.load.pdf import INVISIBLE, objects, rendered, scale_of

_LEAST_CHANGE = 40
"""Of 255: a smaller change of colour shows no letter."""
_FAR = 3.0
"""Characters that are farther apart than this many heights stand in different lines."""
_OFF = 0.6
"""Characters whose middles differ by more than this share of their height stand in different lines."""
_BLANK = 0.5
"""Characters that are farther apart than this share of their height have a blank between them."""
_ASCENT, _DESCENT = 0.75, 0.22
"""Of a letter's size, where its box cannot be told."""
_SAME_ANGLE = math.radians(3)
_FINE = 1000


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character and its place in pixels of the rendered page.

    ``angle`` is the direction in which it is read, in radians clockwise from the x axis. Seen in that direction, it
    reaches from ``start`` to ``end`` and from ``top`` to ``bottom``: both axes turned by the angle about the origin.
    """

    text: str
    angle: float
    start: float
    end: float
    top: float
    bottom: float
    paint: tuple[int, int, int] | None
    """Its colour, RGB; None where it is drawn invisibly."""
    spaced: bool = False
    """Whether a blank or line end stands before it."""

    @property
    def box(self) -> tuple[int, int, int, int]:
        """The upright box around it, in whole pixels."""
        corners = _corners(self.angle, self.start, self.top, self.end, self.bottom)
        x, y = corners[:, 0], corners[:, 1]
        return math.floor(x.min()), math.floor(y.min()), math.ceil(x.max()), math.ceil(y.max())


@dataclass(frozen=True, slots=True)
class WrittenLine:
    """Characters of one line: its four corners as it is read, and each character's share of its length."""

    text: str
    polygon: Polygon
    char_spans: tuple[tuple[float, float], ...]


def glyphs(page: pypdfium2.PdfPage, dpi: float) -> list[Glyph]:
    """The characters of a page in the order of the file, blanks and line ends left out."""
    textpage = page.get_textpage()
    try:
        matrix = to_pixels(page, dpi)
        found, spaced = list[Glyph](), False
        for number in range(textpage.count_chars()):
            text = _character(textpage.raw, number)
            if text:
                found.append(_glyph(textpage.raw, number, text, matrix, spaced))
            spaced = not text
        return found
    finally:
        textpage.close()


def seen(page: pypdfium2.PdfPage, found: Sequence[Glyph], picture: NDArray[np.uint8], dpi: float) -> list[bool]:
    """Which characters of a page can be seen.

    Args:
        page: the page.
        found: its characters.
        picture: the page as it looks, ``(H, W, 3)`` RGB.
        dpi: the picture's resolution.

    Raises:
        InputError: the page cannot be rendered.
    """
    texts = objects(page, [pdfium.FPDF_PAGEOBJ_TEXT])
    for item in texts:
        pdfium.FPDFPageObj_SetIsActive(item, False)
    try:
        bare = rendered(page, dpi)
    finally:
        for item in texts:
            pdfium.FPDFPageObj_SetIsActive(item, True)
    return [_is_seen(glyph, picture, bare) for glyph in found]


def _is_seen(glyph: Glyph, picture: NDArray[np.uint8], bare: NDArray[np.uint8]) -> bool:
    if glyph.paint is None:
        return False
    left, top, right, bottom = glyph.box
    rows, columns = slice(max(0, top), max(0, bottom)), slice(max(0, left), max(0, right))
    before, after = bare[rows, columns].astype(np.int16), picture[rows, columns].astype(np.int16)
    if not after.size:
        return False
    change = np.abs(after - before).max(axis=2)
    if change.max() < _LEAST_CHANGE:
        return False
    # Another text may stand in the same place: the colour must have moved towards that of this one.
    y, x = np.unravel_index(int(change.argmax()), change.shape)
    paint = np.asarray(glyph.paint)
    return bool(np.abs(paint - after[y, x]).sum() < np.abs(paint - before[y, x]).sum())


def lines(found: Iterable[Glyph]) -> list[WrittenLine]:
    """Characters put together to lines: what follows each other in the file, in one direction and at one height."""
    return [_line(run) for run in _runs(found)]


def _runs(found: Iterable[Glyph]) -> Iterator[list[Glyph]]:
    run: list[Glyph] = []
    for glyph in found:
        if run and not _follows(run[-1], glyph):
            yield run
            run = []
        run.append(glyph)
    if run:
        yield run


def _follows(last: Glyph, glyph: Glyph) -> bool:
    height = max(last.bottom - last.top, glyph.bottom - glyph.top, 1.0)
    off = abs((last.top + last.bottom) - (glyph.top + glyph.bottom)) / 2
    gap = glyph.start - last.end
    return abs(last.angle - glyph.angle) < _SAME_ANGLE and off <= _OFF * height and -height <= gap <= _FAR * height


def joined(found: Iterable[Glyph]) -> WrittenLine | None:
    """Characters of one row as one line, however far apart; None where they are read in several directions."""
    run = sorted(found, key=lambda glyph: glyph.start)
    return None if any(abs(g.angle - run[0].angle) >= _SAME_ANGLE for g in run) else _line(run)


def _line(run: Sequence[Glyph]) -> WrittenLine:
    angle = run[0].angle
    start, end = min(g.start for g in run), max(g.end for g in run)
    top, bottom = min(g.top for g in run), max(g.bottom for g in run)
    length, height = max(end - start, 1e-6), bottom - top
    text, spans = "", list[tuple[float, float]]()
    for number, glyph in enumerate(run):
        after = run[number + 1] if number + 1 < len(run) else None
        blank = after is not None and (after.spaced or after.start - glyph.end > _BLANK * height)
        # A word has no gaps; boxes are drawn around ink.
        reach = max(glyph.end, min(after.start, glyph.end + height)) if after and not blank else glyph.end
        first, last = (min(1.0, max(0.0, (place - start) / length)) for place in (glyph.start, reach))
        # Ligatures are several letters in one place.
        step = (last - first) / len(glyph.text)
        spans += [(first + n * step, first + (n + 1) * step) for n in range(len(glyph.text))]
        text += glyph.text
        if after is not None and blank:
            spans.append((last, max(last, min(1.0, (after.start - start) / length))))
            text += " "
    polygon = as_polygon(_corners(angle, start, top, end, bottom))
    return WrittenLine(text, polygon, tuple((round(a, 4), round(b, 4)) for a, b in spans))


def _corners(angle: float, start: float, top: float, end: float, bottom: float) -> NDArray[np.float64]:
    """Four corners ``(4, 2)`` of a box in turned axes, in pixels."""
    u, v = (math.cos(angle), math.sin(angle)), (-math.sin(angle), math.cos(angle))
    pairs = ((start, top), (end, top), (end, bottom), (start, bottom))
    return np.array([(s * u[0] + t * v[0], s * u[1] + t * v[1]) for s, t in pairs])


def to_pixels(page: pypdfium2.PdfPage, dpi: float) -> NDArray[np.float64]:
    """The matrix ``(2, 3)`` from points of the page's own axes to pixels of its picture."""
    width, height = page.get_size()
    wide, high = math.ceil(width * scale_of(dpi)), math.ceil(height * scale_of(dpi))
    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for point in ((0, 0), (1000, 0), (0, 1000)):
        pdfium.FPDF_PageToDevice(page, 0, 0, wide * _FINE // 10, high * _FINE // 10, 0, *point, x, y)
        corners.append(np.array([x.value, y.value]) * 10 / _FINE)
    origin, right, up = corners
    return np.stack([(right - origin) / 1000, (up - origin) / 1000, origin], axis=1)


def _character(textpage: pdfium.FPDF_TEXTPAGE, index: int) -> str:
    """A character; empty for blanks, line ends and what cannot be written."""
    code = pdfium.FPDFText_GetUnicode(textpage, index)
    if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        return ""
    text = chr(code)
    return "" if text.isspace() or not text.isprintable() else text


def _glyph(textpage: pdfium.FPDF_TEXTPAGE, index: int, text: str, matrix: NDArray[np.float64], spaced: bool) -> Glyph:
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(textpage, index, x, y)
    own = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(textpage, index, own)
    along = matrix[:, :2] @ (own.a, own.b)
    angle = math.atan2(along[1], along[0]) if along.any() else 0.0
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    start, end, top, bottom = _extent(textpage, index, matrix, turn, (x.value, y.value), own)
    return Glyph(text, angle, start, end, top, bottom, _paint(textpage, index), spaced)


def _extent(
    textpage: pdfium.FPDF_TEXTPAGE,
    index: int,
    matrix: NDArray[np.float64],
    turn: NDArray[np.float64],
    origin: tuple[float, float],
    own: pdfium.FS_MATRIX,
) -> tuple[float, float, float, float]:
    """Start, end, top and bottom of a character along its own axes, in pixels."""
    box = [ctypes.c_double() for _ in range(4)]
    pdfium.FPDFText_GetCharBox(textpage, index, *box)
    left, right, low, high = (value.value for value in box)
    place = turn @ (matrix[:, :2] @ origin + matrix[:, 2])
    size = pdfium.FPDFText_GetFontSize(textpage, index) * math.hypot(own.c, own.d)
    size *= float(np.hypot(*matrix[:, 1]))
    level = min(abs(turn[0, 0]), abs(turn[0, 1])) < math.sin(_SAME_ANGLE)
    corners = np.array([(left, low), (right, low), (right, high), (left, high)])
    turned = turn @ (matrix[:, :2] @ corners.T + matrix[:, 2:])
    if level and right > left and high > low:
        return float(turned[0].min()), float(turned[0].max()), float(turned[1].min()), float(turned[1].max())
    # The box is upright, so it says little about a letter that slopes: its origin and size do.
    width = max(0.3 * size, min(size, float(np.ptp(turned[0])) - abs(turn[0, 0] * turn[0, 1]) * size))
    start, base = (float(value) for value in place)
    return start, start + width, base - _ASCENT * size, base + _DESCENT * size


def _paint(textpage: pdfium.FPDF_TEXTPAGE, index: int) -> tuple[int, int, int] | None:
    item = pdfium.FPDFText_GetTextObject(textpage, index)
    mode = pdfium.FPDFTextObj_GetTextRenderMode(item) if item else pdfium.FPDF_TEXTRENDERMODE_FILL
    if mode in INVISIBLE:
        return None
    values = [ctypes.c_uint() for _ in range(4)]
    strokes = mode in (pdfium.FPDF_TEXTRENDERMODE_STROKE, pdfium.FPDF_TEXTRENDERMODE_STROKE_CLIP)
    ask = pdfium.FPDFText_GetStrokeColor if strokes else pdfium.FPDFText_GetFillColor
    if not ask(textpage, index, *values) or not values[3].value:
        return None
    return values[0].value, values[1].value, values[2].value

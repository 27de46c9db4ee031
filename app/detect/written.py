"""Text that a PDF holds as characters: it reads the lines of which it is visible, and is more exact than any reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from deidra.app.detect.agents import WRITTEN
from deidra.app.domain.geometry import Polygon, as_polygon, bounding_box
from deidra.app.domain.model import Evidence, FrameText, TextLine
from deidra.app.load.pdf import PDF_DPI, PdfPages
from deidra.app.load.pdf_text import Glyph, WrittenLine, glyphs, joined, lines, seen

_ALIKE = 50.0
"""Of 100: characters that are less like what both readers read are not what is seen."""
_LONGER = 1.5
"""A line that reaches farther than its characters by this many of their heights holds more than they say."""
_DETAIL, _UNLIKE = "written in the file", "written in the file, unlike what is seen"
_JUDGED = 3
"""Shorter texts are read too badly to judge characters by them."""


def written_text(pdf: PdfPages, index: int) -> FrameText:
    """All characters of page ``index`` (from 0), seen or not, as lines in pixels of the page as it is searched.

    Raises:
        InputError: the page cannot be read.
    """
    page = pdf.load(index)
    try:
        found = [_as_line(line) for line in lines(glyphs(page, PDF_DPI))]
        width, height = (round(points * PDF_DPI / 72) for points in page.get_size())
    finally:
        page.close()
    return FrameText(index, width, height, tuple(found))


def visible_glyphs(pdf: PdfPages, index: int, picture: NDArray[np.uint8]) -> list[Glyph]:
    """The characters of page ``index`` (from 0) that can be seen on its picture ``(H, W, 3)``.

    Raises:
        InputError: the page cannot be read.
    """
    page = pdf.load(index)
    try:
        found = glyphs(page, PDF_DPI)
        shown = seen(page, found, picture, PDF_DPI) if found else []
    finally:
        page.close()
    return [glyph for glyph, is_seen in zip(found, shown, strict=True) if is_seen]


def with_written(located: Sequence[TextLine], found: Sequence[Glyph]) -> list[TextLine]:
    """Located lines that read as the characters that stand in them, and lines of characters that nobody located.

    Where characters are unlike what the readers read, both stay, each as a line of its own.

    Args:
        located: lines as detectors and readers tell them.
        found: the visible characters of the page, in the order of the file.
    """
    boxes = [bounding_box(line.polygon) for line in located]
    own: list[list[Glyph]] = [[] for _ in located]
    rest = []
    for glyph in found:
        left, top, right, bottom = glyph.box
        x, y = (left + right) / 2, (top + bottom) / 2
        inside = [n for n, b in enumerate(boxes) if b[0] <= x < b[2] and b[1] <= y < b[3]]
        for number in inside:
            own[number].append(glyph)
        if not inside:
            rest.append(glyph)
    read = [line for pair in zip(located, own, strict=True) for line in _as_read(*pair)]
    return [*read, *(_as_line(line) for line in lines(rest))]


def _as_read(line: TextLine, own: Sequence[Glyph]) -> list[TextLine]:
    """A located line read by its characters; itself beside them where they are not all of it, or something else."""
    if not own:
        return [line]
    part = joined(own)
    if part is None or not _is_like(part.text, line):
        return [line, *(_as_line(found, _UNLIKE) for found in lines(own))]
    polygon = _grown(part.polygon, line.polygon)
    if polygon is None:
        return [line, _as_line(part)]
    located = [e for e in line.evidence if e.text is None]
    readings = [e for e in line.evidence if e.text is not None]
    # The reading that counts stands first.
    evidence = (*located, _evidence(part), *readings)
    return [replace(line, polygon=polygon, text=part.text, char_spans=part.char_spans, evidence=evidence)]


def _grown(polygon: Polygon, located: Polygon) -> Polygon | None:
    """Where characters stand, as high as a detector saw them; None where the detector saw a longer line than theirs."""
    corners, other = np.asarray(polygon), np.asarray(located)
    along, down = corners[1] - corners[0], corners[3] - corners[0]
    length, height = float(np.hypot(*along)), float(np.hypot(*down))
    if not length or not height:
        return None
    u, v = along / length, down / height
    s, t = (other - corners[0]) @ u, (other - corners[0]) @ v
    if s.min() < -_LONGER * height or s.max() > length + _LONGER * height:
        return None
    top, bottom = max(min(0.0, t.min()), -height), min(max(height, t.max()), 2 * height)
    points = ((0.0, top), (length, top), (length, bottom), (0.0, bottom))
    return as_polygon([corners[0] + x * u + y * v for x, y in points])


def _is_like(text: str, line: TextLine) -> bool:
    readings = [_plain(e.text) for e in line.evidence if e.text]
    own = _plain(text)
    if len(own) < _JUDGED or not readings:
        return True
    return max(fuzz.ratio(own, reading) for reading in readings) >= _ALIKE


def _plain(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _as_line(line: WrittenLine, detail: str = _DETAIL) -> TextLine:
    return TextLine(line.polygon, line.text, line.char_spans, (_evidence(line, detail),))


def _evidence(line: WrittenLine, detail: str = _DETAIL) -> Evidence:
    return Evidence(WRITTEN, line.text, None, 1.0 if detail == _DETAIL else 0.5, 0.0, detail)


def is_believed(line: TextLine) -> bool:
    """False for characters that are not what is seen in their place."""
    return all(e.score == 1.0 for e in line.evidence if e.agent == WRITTEN)


def is_exact(line: TextLine) -> bool:
    """True for a line that reads as its characters, which are what is seen."""
    return is_believed(line) and any(e.agent == WRITTEN for e in line.evidence)

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_files import HIDDEN, encrypted, made, turned, written
from reportlab.pdfgen.canvas import Canvas

from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import bounding_box
from deidra.app.domain.model import AssetKind
from deidra.app.load.pages import Pages
from deidra.app.load.pdf import PDF_DPI, Passwords, PdfPages
from deidra.app.load.pdf_text import Glyph, WrittenLine, glyphs, joined, lines, seen

SECRET = "Okonkwo4711"


def opened(data: bytes) -> PdfPages:
    pdf = Pages(data, AssetKind.PDF).pdf
    assert pdf is not None
    return pdf


def read(data: bytes) -> tuple[list[WrittenLine], list[WrittenLine]]:
    """The lines that can be seen on the first page, and those that cannot."""
    pdf = opened(data)
    page = pdf.load(0)
    found = glyphs(page, PDF_DPI)
    shown = seen(page, found, pdf.picture(0), PDF_DPI)
    return tuple(lines(g for g, s in zip(found, shown, strict=True) if s is wanted) for wanted in (True, False))


@pytest.mark.parametrize("way", sorted(HIDDEN))
def test_hidden_text_is_told_from_what_can_be_seen(way: str) -> None:
    def draw(canvas: Canvas) -> None:
        written(canvas, "Chest two views")
        HIDDEN[way](canvas, SECRET)

    visible, hidden = read(made(draw))
    assert [line.text for line in visible] == ["Chest two views"]
    # PDFium itself leaves out what stands outside of the page.
    assert [line.text for line in hidden] == ([] if way == "outside" and not hidden else [SECRET])


@pytest.mark.parametrize("way", ["invisible", "white", "transparent"])
def test_hidden_text_in_the_place_of_other_text_is_hidden(way: str) -> None:
    def draw(canvas: Canvas) -> None:
        written(canvas, "Chest views", 20, 40)
        HIDDEN[way](canvas, SECRET)

    visible, hidden = read(made(draw))
    assert "Chest views" in [line.text for line in visible]
    assert "Okonkwo" in "".join(line.text for line in hidden)


def test_white_text_on_a_dark_area_can_be_seen() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFillGray(0.1)
        canvas.rect(0, 0, 288, 144, stroke=0, fill=1)
        HIDDEN["white"](canvas, SECRET)

    visible, hidden = read(made(draw))
    assert ([line.text for line in visible], hidden) == ([SECRET], [])


def test_the_covered_part_of_a_word_is_hidden() -> None:
    def draw(canvas: Canvas) -> None:
        written(canvas, "mmmmmmmmmm", 20, 40)
        canvas.rect(20, 30, 5 * 0.833 * 20, 30, stroke=0, fill=1)

    visible, hidden = read(made(draw))
    assert "".join(line.text for line in visible) == "mmmmm"
    assert "".join(line.text for line in hidden) == "mmmmm"


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_lines_stand_where_they_are_seen_on_turned_pages(degrees: int) -> None:
    pdf = opened(turned(made(lambda canvas: written(canvas, SECRET)), degrees))
    (line,) = lines(glyphs(pdf.load(0), PDF_DPI))
    dark = (pdf.picture(0) < 128).all(axis=2)
    rows, columns = dark.any(axis=1).nonzero()[0], dark.any(axis=0).nonzero()[0]
    ink = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
    assert bounding_box(line.polygon) == pytest.approx(ink, abs=2)
    (ax, ay), (bx, by), _, _ = line.polygon
    assert math.degrees(math.atan2(by - ay, bx - ax)) % 360 == pytest.approx(degrees, abs=1)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 359))
def test_sloping_lines_cover_their_ink(degrees: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.translate(144, 144)
        canvas.rotate(degrees)
        written(canvas, "Okonkwo", -40, 0)

    pdf = opened(made(draw, size=(288, 288)))
    (line,) = lines(glyphs(pdf.load(0), PDF_DPI))
    assert line.text == "Okonkwo"
    dark = (pdf.picture(0) < 128).all(axis=2)
    ys, xs = dark.nonzero()
    left, top, right, bottom = bounding_box(line.polygon)
    inside = (xs >= left - 3) & (xs < right + 3) & (ys >= top - 3) & (ys < bottom + 3)
    assert inside.mean() > 0.97
    (ax, ay), (bx, by), _, _ = line.polygon
    # Pages count upwards, pictures downwards.
    assert abs((math.degrees(math.atan2(ay - by, bx - ax)) - degrees + 180) % 360 - 180) < 2


def test_cells_of_a_table_are_lines_of_their_own_and_words_are_parted() -> None:
    def draw(canvas: Canvas) -> None:
        written(canvas, "Born 1 March", 10, 100, 10)
        written(canvas, "SSN", 150, 100, 10)

    assert [line.text for line in lines(glyphs(opened(made(draw)).load(0), PDF_DPI))] == ["Born 1 March", "SSN"]


def glyph(text: str, start: float, angle: float = 0.0) -> Glyph:
    return Glyph(text, angle, start, start + 8, 10, 20, (0, 0, 0))


def test_characters_have_their_share_of_the_line() -> None:
    (line,) = lines([glyph("a", 0), glyph("b", 10), glyph("c", 32)])
    assert line.text == "ab c"
    assert line.char_spans == ((0.0, 0.25), (0.25, 0.45), (0.45, 0.8), (0.8, 1.0))


def test_a_ligature_is_shared_by_its_letters() -> None:
    (line,) = lines([glyph("fi", 0), glyph("x", 8)])
    assert (line.text, line.char_spans) == ("fix", ((0.0, 0.25), (0.25, 0.5), (0.5, 1.0)))


def test_a_row_is_joined_across_gaps_but_not_across_directions() -> None:
    row = joined([glyph("b", 300), glyph("a", 0)])
    assert row is not None
    assert row.text == "a b"
    assert joined([glyph("a", 0), glyph("b", 10, math.pi / 2)]) is None


def test_a_password_opens_an_encrypted_pdf() -> None:
    data = encrypted(made(lambda canvas: written(canvas, SECRET)), "häslich")
    for words in (("häslich",), ("other", "häslich"), ("owner",)):
        pages = Pages(data, AssetKind.PDF, Passwords(words))
        assert pages.page(0).min() < 50


def test_a_wrong_password_is_an_input_error_that_does_not_name_it() -> None:
    data = encrypted(made(lambda canvas: written(canvas, SECRET)), "right")
    with pytest.raises(InputError, match="no password that was given") as caught:
        Pages(data, AssetKind.PDF, Passwords(("hunter2",)))
    assert "hunter2" not in str(caught.value) + caught.value.advice
    assert "hunter2" not in repr(Passwords(("hunter2",)))

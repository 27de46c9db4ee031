from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pikepdf
import pypdfium2
import pytest
from pdf_files import HIDDEN, encrypted, made, turned, written
from pikepdf import Dictionary, Name
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from deidra.app.decide.redaction import RedactSection
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import AssetKind, Evidence, FrameText, TextLine
from deidra.app.load.pages import Pages
from deidra.app.load.pdf import Passwords
from deidra.app.redact.documents import write_document
from deidra.app.redact.plan import Mark
from deidra.app.release.pdf_check import stray_key

VECTOR = RedactSection(vector=True)


def plain(canvas: Canvas) -> None:
    written(canvas, "Chest two views")
    canvas.line(20, 60, 200, 60)


def released(data: bytes, *marks: Mark, texts: tuple[FrameText, ...] = (), settings: RedactSection = VECTOR) -> bytes:
    return write_document(Pages(data, AssetKind.PDF, Passwords(("user",))), marks, settings, texts).data


def kinds(data: bytes) -> list[str]:
    """What each page of a PDF is: a picture, or vectors."""
    return ["picture" if "/XObject" in page.Resources else "vectors" for page in pikepdf.open(io.BytesIO(data)).pages]


def changed(data: bytes, change: Callable[[pikepdf.Pdf], None]) -> bytes:
    document = pikepdf.open(io.BytesIO(data))
    change(document)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize("degrees", [0, 90, 270])
def test_a_page_of_text_and_lines_stays_one_and_looks_the_same(degrees: int) -> None:
    source = turned(made(plain), degrees)
    data = released(source)
    assert kinds(data) == ["vectors"]
    np.testing.assert_array_equal(Pages(data, AssetKind.PDF).page(0), Pages(source, AssetKind.PDF).page(0))
    assert pypdfium2.PdfDocument(data)[0].get_textpage().get_text_range() == "Chest two views"
    assert stray_key(data) == ""


def test_pages_become_pictures_unless_the_policy_says_otherwise() -> None:
    assert kinds(released(made(plain), settings=RedactSection())) == ["picture"]


def test_a_page_with_a_mark_becomes_a_picture_and_others_do_not() -> None:
    source = made(plain, pages=3)
    assert kinds(released(source, Mark(box_polygon(50, 50, 90, 90), 1))) == ["vectors", "picture", "vectors"]
    assert kinds(released(source, Mark(box_polygon(50, 50, 90, 90), None))) == ["picture"] * 3


@pytest.mark.parametrize("way", sorted(set(HIDDEN) - {"outside"}))
def test_a_page_with_hidden_text_becomes_a_picture_without_it(way: str) -> None:
    def draw(canvas: Canvas) -> None:
        plain(canvas)
        HIDDEN[way](canvas, "Okonkwo")

    data = released(made(draw))
    assert kinds(data) == ["picture"]
    assert "Okonkwo" not in pypdfium2.PdfDocument(data)[0].get_textpage().get_text_range()


def _letters(canvas: Canvas, grey: float) -> None:
    """A zigzag, as letters are that were turned into paths."""
    canvas.setFillGray(grey)
    path = canvas.beginPath()
    path.moveTo(30, 20)
    for n in range(12):
        path.lineTo(40 + 10 * n, 20 + 20 * (n % 2))
    path.close()
    canvas.drawPath(path, stroke=0, fill=1)


def _drawn_letters_under_a_box(canvas: Canvas) -> None:
    _letters(canvas, 0)
    canvas.setFillGray(0.5)
    canvas.rect(20, 10, 200, 40, stroke=0, fill=1)


def _picture(canvas: Canvas) -> None:
    canvas.drawImage(ImageReader(Image.new("L", (50, 10), 180)), 10, 30, 250, 30)


@pytest.mark.parametrize("draw", [lambda c: _letters(c, 1), _drawn_letters_under_a_box, _picture])
def test_a_page_that_may_hide_something_becomes_a_picture(draw: Callable[[Canvas], None]) -> None:
    def both(canvas: Canvas) -> None:
        plain(canvas)
        draw(canvas)

    assert kinds(released(made(both))) == ["picture"]


def test_seen_letters_and_empty_areas_do_not_hide_anything() -> None:
    def draw(canvas: Canvas) -> None:
        plain(canvas)
        canvas.setFillGray(0.9)
        canvas.rect(10, 10, 250, 50, stroke=0, fill=1)
        _letters(canvas, 0)

    assert kinds(released(made(draw))) == ["vectors"]


def test_a_page_whose_characters_are_not_what_is_read_becomes_a_picture() -> None:
    line = TextLine(box_polygon(0, 0, 9, 9), "zzz", (), (Evidence("pdf", "zzz", None, 0.5, 0.0),))
    assert kinds(released(made(plain), texts=(FrameText(0, 800, 400, (line,)),))) == ["picture"]


def _mark_content(document: pikepdf.Pdf) -> None:
    page = document.pages[0]
    start = document.make_stream(b"/Span <</ActualText (Okonkwo) /E (Okonkwo)>> BDC /Okonkwo MP")
    page.contents_add(start, prepend=True)
    page.contents_add(document.make_stream(b"EMC"))


def _comment(document: pikepdf.Pdf) -> None:
    document.pages[0].contents_add(document.make_stream(b"% Okonkwo"))


def _unused(document: pikepdf.Pdf) -> None:
    document.pages[0].Resources.XObject = Dictionary(Okonkwo=document.make_stream(b"Okonkwo"))
    document.pages[0].Resources.Font[Name("/Okonkwo")] = Dictionary(Type=Name.Font, Note="Okonkwo")


def _describe_font(document: pikepdf.Pdf) -> None:
    for font in document.pages[0].Resources.Font.values():
        font.Metadata = document.make_stream(b"Okonkwo")


def _link(document: pikepdf.Pdf) -> None:
    action = Dictionary(S=Name.URI, URI="https://example.org/Okonkwo")
    link = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=[0, 0, 50, 50], Border=[0, 0, 0], A=action)
    document.pages[0].Annots = document.make_indirect([document.make_indirect(link)])


def _attach(document: pikepdf.Pdf) -> None:
    document.attachments["a.txt"] = b"Okonkwo"


@pytest.mark.parametrize("change", [_mark_content, _comment, _unused, _describe_font, _link, _attach])
def test_what_is_not_seen_stays_behind(change: Callable[[pikepdf.Pdf], None]) -> None:
    data = released(changed(made(plain), change))
    assert kinds(data) == ["vectors"]
    assert stray_key(data) == ""
    document = pikepdf.open(io.BytesIO(data))
    for item in document.objects:
        assert b"Okonkwo" not in (item.read_bytes() if isinstance(item, pikepdf.Stream) else item.unparse())


def test_a_seen_annotation_makes_the_page_a_picture() -> None:
    def stamp(document: pikepdf.Pdf) -> None:
        look = document.make_stream(b"0 0 1 rg 0 0 36 36 re f")
        look.Type, look.Subtype, look.BBox = Name.XObject, Name.Form, [0, 0, 36, 36]
        item = Dictionary(Type=Name.Annot, Subtype=Name.Stamp, Rect=[108, 0, 144, 36], F=4, AP=Dictionary(N=look))
        document.pages[0].Annots = document.make_indirect([document.make_indirect(item)])

    assert kinds(released(changed(made(plain), stamp))) == ["picture"]


def test_an_encrypted_pdf_is_written_without_a_password() -> None:
    data = released(encrypted(made(plain), "user"))
    assert kinds(data) == ["vectors"]
    assert not pikepdf.open(io.BytesIO(data)).is_encrypted


def test_two_copies_are_equal_byte_for_byte() -> None:
    source = made(plain, pages=2)
    assert released(source) == released(source)

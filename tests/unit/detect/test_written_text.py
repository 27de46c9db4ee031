from __future__ import annotations

import math

import pytest
from locators import Blind
from pdf_files import HIDDEN, made, written
from reportlab.pdfgen.canvas import Canvas

from deidra.app.detect.images import page_text
from deidra.app.detect.written import with_written
from deidra.app.domain.geometry import bounding_box, box_polygon
from deidra.app.domain.model import AssetKind, Evidence, TextLine
from deidra.app.load.pages import Pages
from deidra.app.load.pdf_text import Glyph


def row(text: str, left: float = 100, top: float = 50, angle: float = 0.0) -> list[Glyph]:
    """Characters of 10 by 20 pixels."""
    return [
        Glyph(char, angle, left + 10 * n, left + 10 * n + 10, top, top + 20, (0, 0, 0), n > 0 and text[n - 1] == " ")
        for n, char in enumerate(text)
        if char != " "
    ]


def located(
    read: str, second: str, left: float = 97, right: float = 250, top: float = 46, bottom: float = 74
) -> TextLine:
    evidence = (
        Evidence("deidra-det", None, None, 0.9, 0.0),
        Evidence("ppocr-rec", read, None, 0.9, 0.0),
        Evidence("tesseract", second, None, 0.9, 0.0),
    )
    return TextLine(box_polygon(left, top, right, bottom), read, (), evidence)


def test_a_misread_line_reads_as_its_characters() -> None:
    (line,) = with_written([located("Patlent 0konkwo", "Patient Okonkvo")], row("Patient Okonkwo"))
    assert line.text == "Patient Okonkwo"
    assert [e.agent for e in line.evidence] == ["deidra-det", "pdf", "ppocr-rec", "tesseract"]
    # As wide as the characters, as high as the detector saw them.
    assert bounding_box(line.polygon) == (100, 46, 250, 74)
    assert len(line.char_spans) == len(line.text)
    assert line.char_spans[8][0] == pytest.approx(8 / 15, abs=0.001)


def test_characters_that_nobody_located_are_lines_of_their_own() -> None:
    first, second = with_written(
        [located("Patient", "Patient", right=172)], [*row("Patient"), *row("Okonkwo", top=300)]
    )
    assert (first.text, second.text) == ("Patient", "Okonkwo")
    assert bounding_box(second.polygon) == (100, 300, 170, 320)
    assert [(e.agent, e.score) for e in second.evidence] == [("pdf", 1.0)]


def test_where_the_characters_are_unlike_what_is_read_both_stay() -> None:
    # A font may call its letters as it likes.
    seen = located("Patient Okonkwo", "Patient Okonkwo")
    first, second = with_written([seen], row("zzzzzzz zzzzzzz"))
    assert first == seen
    assert (second.text, second.evidence[0].score) == ("zzzzzzz zzzzzzz", 0.5)


def test_a_line_that_holds_more_than_its_characters_keeps_its_reading() -> None:
    seen = located("Name: Okonkwo", "Name: Okonkwo", right=400)
    first, second = with_written([seen], row("Name: "))
    assert first == seen
    assert second.text == "Name:"


def test_one_line_over_several_cells_reads_as_all_of_them() -> None:
    seen = located("Born SSN", "Born SSN", right=440)
    (line,) = with_written([seen], [*row("Born"), *row("SSN", left=400)])
    assert line.text == "Born SSN"
    assert bounding_box(line.polygon)[0::2] == (100, 430)


def test_lines_that_run_upwards_are_read_by_their_characters() -> None:
    up = row("Okonkwo", left=-300, top=100, angle=-math.pi / 2)
    seen = TextLine(
        ((98, 302), (98, 228), (122, 228), (122, 302)), "0konkwo", (), (Evidence("ppocr-rec", "0konkwo", None, 0.9, 0),)
    )
    (line,) = with_written([seen], up)
    assert line.text == "Okonkwo"
    assert line.polygon[0] == pytest.approx((98, 300), abs=0.1)


@pytest.mark.parametrize("way", sorted(HIDDEN))
def test_hidden_characters_are_not_read(way: str) -> None:
    def draw(canvas: Canvas) -> None:
        written(canvas, "Chest two views")
        HIDDEN[way](canvas, "Okonkwo")

    (frame,) = page_text(Pages(made(draw), AssetKind.PDF), Blind()).frames
    assert [line.text for line in frame.lines] == ["Chest two views"]

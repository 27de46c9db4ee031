from __future__ import annotations

import io
import math
import unicodedata
from dataclasses import replace

import numpy as np
import pikepdf
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_files import made, written
from PIL import Image

from deidra.app.decide.redaction import DocumentFormat, RedactSection
from deidra.app.domain.geometry import box_polygon, slice_along
from deidra.app.domain.model import AssetKind, Evidence, FrameText, TextLine
from deidra.app.load.pages import Pages
from deidra.app.load.pdf_text import glyphs, lines
from deidra.app.redact.documents import WrittenDocument, write_document
from deidra.app.redact.paint import Region
from deidra.app.redact.pdf_writer import PdfWriter
from deidra.app.redact.plan import Mark
from deidra.app.redact.text_layer import Word, words_left

EXACT = RedactSection(padding_share=0, padding_least=0)


def line(text: str, polygon: object = None, known: bool = True) -> TextLine:
    """A line whose characters are equally wide, 10 pixels each where no polygon is given."""
    spans = tuple((n / len(text), (n + 1) / len(text)) for n in range(len(text))) if known else ()
    return TextLine(polygon or box_polygon(100, 50, 100 + 10 * len(text), 70), text, spans, ())


def region(left: int, top: int, right: int, bottom: int, text: str | None = None) -> tuple[Region, str | None]:
    return Region((left, top, right, bottom)), text


def left_of(located: TextLine, *regions: tuple[Region, str | None]) -> list[str]:
    return [word.text for word in words_left([located], regions, 600, 200)]


def test_words_that_nothing_covers_stay_with_their_places() -> None:
    words = words_left([line("Chest two views")], [], 600, 200)
    assert [word.text for word in words] == ["Chest", "two", "views"]
    assert words[1].polygon == box_polygon(160, 50, 190, 70)
    assert [word.last for word in words] == [False, False, True]


def test_a_covered_word_is_cut_out_and_its_neighbours_stay() -> None:
    assert left_of(line("Name Okonkwo kV"), region(150, 50, 220, 70)) == ["Name", "kV"]


def test_a_line_is_cut_at_characters() -> None:
    assert left_of(line("A4711-kV"), region(100, 40, 150, 80)) == ["-kV"]


def test_a_character_goes_when_a_fifth_of_it_is_covered_and_stays_when_the_padding_only_grazes_it() -> None:
    assert left_of(line("ab"), region(90, 50, 109, 70)) == ["b"]
    assert left_of(line("ab"), region(90, 50, 111, 70)) == ["b"]
    assert left_of(line("ab"), region(90, 50, 114, 70)) == []


def test_a_line_whose_characters_have_no_places_goes_as_a_whole() -> None:
    assert left_of(line("Name Okonkwo kV", known=False), region(220, 50, 240, 70)) == []
    assert left_of(line("Name Okonkwo kV", known=False), region(0, 100, 240, 120)) == ["Name", "Okonkwo", "kV"]


def test_what_is_written_into_a_box_can_be_read_where_it_was_drawn() -> None:
    words = words_left([line("Okonkwo")], [region(95, 45, 300, 75, "Meyer")], 600, 200)
    assert [word.text for word in words] == ["Meyer"]
    (left, top), (right, _), (_, bottom), _ = words[0].polygon
    assert (left, top, bottom) == (95, 45, 75)
    # The text is drawn from the left and fills a part of the box.
    assert 130 < right < 250


def test_a_second_line_in_a_covered_place_goes_as_well() -> None:
    words = words_left(
        [line("Okonkwo"), line("0konkwo", box_polygon(98, 52, 172, 71))], [region(98, 48, 172, 72)], 600, 200
    )
    assert words == []


def test_words_of_a_reader_in_the_place_of_characters_are_not_said_twice() -> None:
    exact = replace(line("amended"), evidence=(Evidence("pdf", "amended", None, 1.0, 0.0),))
    longer = line("An amendad filing", box_polygon(70, 48, 240, 72))
    assert [word.text for word in words_left([longer, exact], [], 600, 200)] == ["An", "filing", "amended"]


def test_what_a_barcode_holds_is_no_text_of_the_page() -> None:
    code = TextLine(box_polygon(0, 0, 50, 20), "A4711", (), (), "barcode")
    assert words_left([code], [], 600, 200) == []


def test_characters_that_are_unlike_what_is_seen_are_no_text_of_the_page() -> None:
    located = TextLine(box_polygon(0, 0, 50, 20), "Okonkwo", (), (Evidence("pdf", "Okonkwo", None, 0.5, 0.0),))
    assert words_left([located], [], 600, 200) == []


@settings(max_examples=60, deadline=None)
@given(angle=st.floats(0, 2 * math.pi), first=st.integers(0, 9), count=st.integers(1, 5))
def test_a_sloping_word_is_cut_out_wherever_it_stands(angle: float, first: int, count: int) -> None:
    text = "abcdefghijklmno"
    u, v = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
    centre = np.array([300.0, 300.0])
    corners = [centre + s * u + t * v for s, t in ((-225, -15), (225, -15), (225, 15), (-225, 15))]
    located = line(text, tuple((float(x), float(y)) for x, y in corners))
    span = located.char_spans[first][0], located.char_spans[first + count - 1][1]
    covered = Region.of(slice_along(located.polygon, *span), 600, 600, EXACT)
    left = "".join(word.text for word in words_left([located], [(covered, None)], 600, 600))
    assert not set(text[first : first + count]) & set(left)


def read_back(data: bytes) -> list[tuple[str, tuple[float, ...]]]:
    pdf = Pages(data, AssetKind.PDF).pdf
    assert pdf is not None
    return [(item.text, item.polygon) for item in lines(glyphs(pdf.load(0), 200))]


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(codec="utf-16", exclude_categories=("C", "Z", "M")), min_size=1, max_size=12))
def test_any_script_can_be_read_in_what_was_written(text: str) -> None:
    writer = PdfWriter()
    writer.add_page(np.full((200, 400, 3), 255, np.uint8), (144, 72), [Word(text, box_polygon(20, 40, 380, 80))])
    data = writer.data()
    found = pypdfium2.PdfDocument(data)[0].get_textpage().get_text_range()
    # PDFium swaps the order of scripts that run from right to left, and takes composed letters apart.
    assert sorted(unicodedata.normalize("NFKD", found)) == sorted(unicodedata.normalize("NFKD", text))


def test_more_characters_than_a_font_has_codes_are_written_with_several() -> None:
    text = "".join(chr(0x4E00 + n) for n in range(600))
    writer = PdfWriter()
    words = [Word(text[n : n + 30], box_polygon(20, 20 + n, 380, 40 + n)) for n in range(0, 600, 30)]
    writer.add_page(np.full((700, 400, 3), 255, np.uint8), (144, 252), words)
    assert "".join(item for item, _ in read_back(writer.data())) == text


@pytest.mark.parametrize("degrees", [0, 90, 180, 270, 17])
def test_words_stand_where_they_were_read(degrees: int) -> None:
    a = math.radians(degrees)
    turn = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
    corners = np.array([(-80, -12), (80, -12), (80, 12), (-80, 12)]) @ turn.T + 200
    writer = PdfWriter()
    writer.add_page(np.full((400, 400, 3), 255, np.uint8), (144, 144), [Word("Okonkwo", tuple(map(tuple, corners)))])
    ((text, polygon),) = read_back(writer.data())
    assert text == "Okonkwo"
    np.testing.assert_allclose(polygon, corners, atol=0.5 if degrees % 90 == 0 else 14)


def png(picture: np.ndarray, kind: str = "PNG", **options: object) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(picture).save(stream, kind, **options)
    return stream.getvalue()


def fax_page() -> np.ndarray:
    page = np.full((2200, 1700), 255, np.uint8)
    rng = np.random.default_rng(1)
    for top in range(100, 2000, 40):
        for left in range(100, 1500, 16):
            page[top : top + 20, left : left + int(rng.integers(2, 12))] = 0
    return page


def released(page: np.ndarray, wanted: str, marks: list[Mark], *texts: TextLine) -> WrittenDocument:
    section = EXACT.model_copy(update={"documents": DocumentFormat(wanted)})
    frame = FrameText(0, page.shape[1], page.shape[0], texts)
    return write_document(Pages(png(page, dpi=(100, 100)), AssetKind.IMAGE), marks, section, [frame])


def test_a_picture_becomes_a_pdf_of_its_size_with_what_can_still_be_read() -> None:
    page = np.random.default_rng(2).integers(0, 255, (220, 170, 3)).astype(np.uint8)
    document = released(
        page, "pdf", [Mark(box_polygon(10, 10, 80, 30), 0)], line("Okonkwo kV", box_polygon(10, 10, 110, 30))
    )
    assert (document.kind, document.suffix) == (AssetKind.PDF, ".pdf")
    assert document.scales == (pytest.approx(2, abs=0.01),)
    pdf = pypdfium2.PdfDocument(document.data)
    assert pdf[0].get_size() == pytest.approx((122.4, 158.4), abs=0.1)
    assert pdf[0].get_textpage().get_text_range() == "kV"


@pytest.mark.parametrize(
    ("wanted", "suffix", "mode"), [("tiff", ".tiff", "1"), ("png", ".png", "1"), ("same", ".png", "1")]
)
def test_a_black_and_white_page_stays_one_and_small(wanted: str, suffix: str, mode: str) -> None:
    page = fax_page()
    document = released(page, wanted, [Mark(box_polygon(100, 90, 400, 130), 0)])
    picture = Image.open(io.BytesIO(document.data))
    assert (document.suffix, picture.mode) == (suffix, mode)
    assert picture.info.get("compression", "group4") == "group4"
    page[90:130, 100:400] = 0
    np.testing.assert_array_equal(np.asarray(picture.convert("L")), page)
    assert len(document.data) < page.size / 20


def test_a_scan_of_two_values_in_a_pdf_is_written_as_it_was_scanned() -> None:
    page = fax_page()
    writer = PdfWriter()
    # 300 dots per inch: finer than pages are searched.
    writer.add_page(np.repeat(page[:, :, None], 3, axis=2), (1700 * 0.24, 2200 * 0.24), [])
    source = writer.data()
    document = write_document(Pages(source, AssetKind.PDF), [], EXACT)
    assert document.scales == (1.0,)
    pdf = pikepdf.open(io.BytesIO(document.data))
    (found,) = pdf.pages[0].get_images().values()
    assert (found.Width, found.Height, str(found.Filter)) == (1700, 2200, "/CCITTFaxDecode")
    assert np.count_nonzero(np.asarray(pikepdf.PdfImage(found).as_pil_image().convert("L")) != page) == 0
    assert len(document.data) <= 1.1 * len(source)
    again = Pages(document.data, AssetKind.PDF).output(0)
    assert (again.is_bilevel, again.dpi) == (True, pytest.approx(300, abs=0.01))
    np.testing.assert_array_equal(again.values[:, :, 0], page)


def test_a_drawn_page_keeps_its_smooth_edges() -> None:
    source = made(lambda canvas: written(canvas, "Chest two views"))
    document = write_document(Pages(source, AssetKind.PDF), [], EXACT)
    before, after = (Pages(data, AssetKind.PDF).page(0) for data in (source, document.data))
    assert len(np.unique(before)) > 50
    np.testing.assert_array_equal(after, before)


def test_a_grey_page_stays_grey_in_a_pdf() -> None:
    grey = np.random.default_rng(2).integers(0, 255, (100, 100)).astype(np.uint8) // 8 * 8
    document = released(grey, "pdf", [])
    pdf = pikepdf.open(io.BytesIO(document.data))
    (found,) = pdf.pages[0].get_images().values()
    assert str(found.ColorSpace) == "/DeviceGray"
    np.testing.assert_array_equal(np.asarray(pikepdf.PdfImage(found).as_pil_image()), grey)


def test_a_pdf_can_become_a_tiff_and_keeps_its_resolution() -> None:
    writer = PdfWriter()
    for shade in (80, 120):
        writer.add_page(np.full((300, 300, 3), shade, np.uint8), (72, 72), [])
    section = EXACT.model_copy(update={"documents": DocumentFormat.PNG})
    document = write_document(Pages(writer.data(), AssetKind.PDF), [Mark(box_polygon(0, 0, 100, 50), 1)], section)
    picture = Image.open(io.BytesIO(document.data))
    assert (document.suffix, picture.n_frames, document.scales) == (".tiff", 2, (1.5, 1.5))
    picture.seek(1)
    values = np.asarray(picture.convert("L"))
    assert values.shape == (300, 300)
    assert (values[:75, :150] == 0).all()
    assert (values[75:] == 120).all()

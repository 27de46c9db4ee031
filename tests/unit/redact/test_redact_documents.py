from __future__ import annotations

import io

import numpy as np
import pikepdf
import pypdfium2
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from deidra.app.decide.redaction import Fill, RedactSection
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import AssetKind
from deidra.app.load.pages import Pages
from deidra.app.load.pdf import PDF_DPI
from deidra.app.redact.documents import redact_page, write_document
from deidra.app.redact.plan import Mark

SECRET = "Okonkwo4711"
EXACT = RedactSection(padding_share=0, padding_least=0)


@pytest.fixture(scope="module")
def rich_pdf() -> bytes:
    """Two pages with everything that can hold a name beside the picture."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(288, 144))
    canvas.setAuthor(SECRET)
    canvas.setTitle(SECRET)
    for number in range(2):
        canvas.setFont("Helvetica", 20)
        canvas.drawString(20, 100, f"{SECRET} page {number}")
        canvas.bookmarkPage(f"{SECRET}{number}")
        canvas.addOutlineEntry(SECRET, f"{SECRET}{number}")
        canvas.textAnnotation(SECRET, Rect=[200, 20, 220, 40])
        canvas.acroForm.textfield(name=SECRET, value=SECRET, x=20, y=20, width=90, height=20)
        canvas.showPage()
    canvas.save()
    document = pikepdf.open(io.BytesIO(stream.getvalue()))
    with document.open_metadata() as xmp:
        xmp["dc:creator"] = [SECRET]
    document.attachments["list.txt"] = SECRET.encode()
    document.Root.OpenAction = pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS=f"app.alert('{SECRET}')")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def written(pages: Pages, marks: list[Mark], settings: RedactSection = EXACT) -> tuple[bytes, str]:
    document = write_document(pages, marks, settings)
    return document.data, document.suffix


def test_a_pdf_keeps_nothing_but_pictures_of_its_pages(rich_pdf: bytes) -> None:
    data, suffix = written(Pages(rich_pdf, AssetKind.PDF), [])
    assert suffix == ".pdf"
    clean = pikepdf.open(io.BytesIO(data))
    assert len(clean.pages) == 2
    assert len(clean.attachments) == 0
    assert "/Metadata" not in clean.Root
    assert "/OpenAction" not in clean.Root
    assert "/AcroForm" not in clean.Root
    assert "/Names" not in clean.Root
    with clean.open_outline() as outline:
        assert len(outline.root) == 0
    for page in clean.pages:
        assert "/Annots" not in page
        assert SECRET.encode() not in page.Contents.read_bytes()
    assert {str(key): str(value) for key, value in clean.docinfo.items() if str(value).strip()}.keys() <= {
        "/Creator",
        "/Producer",
        "/CreationDate",
        "/ModDate",
        "/Trapped",
        "/Keywords",
    }
    for item in clean.objects:
        if isinstance(item, pikepdf.Stream) and item.get("/Subtype") != "/Image":
            assert SECRET.encode() not in item.read_bytes()
    assert SECRET.encode() not in data
    assert SECRET.encode("utf-16-be") not in data


def test_a_pdf_has_no_text_layer_any_more(rich_pdf: bytes) -> None:
    assert SECRET in pypdfium2.PdfDocument(rich_pdf)[0].get_textpage().get_text_range()
    data, _ = written(Pages(rich_pdf, AssetKind.PDF), [])
    for page in pypdfium2.PdfDocument(data):
        assert page.get_textpage().get_text_range().strip() == ""


def test_a_pdf_page_keeps_its_size_and_its_look_outside_the_box(rich_pdf: bytes) -> None:
    pages = Pages(rich_pdf, AssetKind.PDF)
    mark = Mark(box_polygon(40, 60, 500, 130), 1)
    data, _ = written(pages, [mark])
    again = Pages(data, AssetKind.PDF)
    assert pypdfium2.PdfDocument(data)[0].get_size() == (288, 144)
    for index in range(2):
        before, after = pages.page(index).astype(int), again.page(index).astype(int)
        assert after.shape == before.shape
        expected = before.copy()
        if index == 1:
            expected[60:130, 40:500] = 0
            assert after[65:125, 45:495].max() < 10
        # Rendering a picture at its own size moves edges by less than a pixel.
        assert np.abs(after - expected).mean() < 2
    assert before.shape == (PDF_DPI * 2, PDF_DPI * 4, 3)


def test_two_copies_of_one_document_are_equal_byte_for_byte(rich_pdf: bytes) -> None:
    first, second = (written(Pages(rich_pdf, AssetKind.PDF), [])[0] for _ in range(2))
    assert first == second


def noisy(mode: str = "RGB") -> Image.Image:
    shape = (50, 60, 3) if mode == "RGB" else (50, 60)
    return Image.fromarray(np.random.default_rng(4).integers(0, 256, shape).astype(np.uint8))


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def test_a_photograph_loses_its_exif_thumbnail_and_comment() -> None:
    exif = Image.Exif()
    exif[0x010E] = SECRET
    exif[0x013B] = SECRET
    exif.get_ifd(0x8825)[1] = "N"
    source = encoded(noisy(), "JPEG", exif=exif, comment=SECRET.encode(), quality=95)
    assert source.count(SECRET.encode()) == 3
    pages = Pages(source, AssetKind.IMAGE)
    data, suffix = written(pages, [])
    assert suffix == ".png"
    clean = Image.open(io.BytesIO(data))
    assert len(clean.getexif()) == 0
    assert set(clean.info) <= {"dpi"}
    assert SECRET.encode() not in data
    np.testing.assert_array_equal(np.asarray(clean), pages.page(0))


def test_a_turned_photograph_is_written_upright_and_covered_where_it_was_seen() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    source = encoded(noisy(), "PNG", exif=exif)
    pages = Pages(source, AssetKind.IMAGE)
    data, _ = written(pages, [Mark(box_polygon(0, 0, 10, 5), 0)])
    clean = np.asarray(Image.open(io.BytesIO(data)))
    assert clean.shape == (60, 50, 3)
    expected = pages.page(0)
    expected[:5, :10] = 0
    np.testing.assert_array_equal(clean, expected)


def test_a_png_loses_its_text_chunks_and_keeps_its_resolution() -> None:
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_text("Author", SECRET)
    info.add_itxt("Comment", SECRET)
    pages = Pages(encoded(noisy("L"), "PNG", pnginfo=info, dpi=(300, 300)), AssetKind.IMAGE)
    data, _ = written(pages, [])
    clean = Image.open(io.BytesIO(data))
    assert SECRET.encode() not in data
    assert clean.mode == "L"
    assert clean.info["dpi"][0] == pytest.approx(300, abs=0.1)


def test_a_multi_page_tiff_stays_one_and_is_covered_on_the_right_page() -> None:
    frames = [noisy("L"), noisy("L"), noisy("RGB")]
    source = encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:], description=SECRET)
    pages = Pages(source, AssetKind.IMAGE)
    data, suffix = written(pages, [Mark(box_polygon(2, 3, 9, 8), 1)])
    assert suffix == ".tiff"
    assert SECRET.encode() not in data
    again = Pages(data, AssetKind.IMAGE)
    assert again.count == 3
    for index in range(3):
        expected = pages.page(index)
        if index == 1:
            expected[3:8, 2:9] = 0
        np.testing.assert_array_equal(again.page(index), expected)


def test_a_page_is_copied_before_it_is_covered() -> None:
    page = np.full((20, 20, 3), 200, np.uint8)
    covered = redact_page(page, 0, [Mark(box_polygon(0, 0, 5, 5), None)], EXACT)
    assert page.min() == 200
    assert covered[0, 0].tolist() == [0, 0, 0]
    assert redact_page(page, 0, [Mark(box_polygon(0, 0, 5, 5), 1)], EXACT).min() == 200


def test_the_box_of_a_page_grows_by_its_padding_and_takes_its_fill() -> None:
    page = np.full((40, 40, 3), 100, np.uint8)
    section = RedactSection(fill=Fill.WHITE, padding_share=0, padding_least=3)
    covered = redact_page(page, 0, [Mark(box_polygon(10, 10, 20, 20), 0)], section)
    assert (covered[7:23, 7:23] == 255).all()
    assert (covered == 255).sum() == 16 * 16 * 3

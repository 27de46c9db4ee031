from __future__ import annotations

import io

import numpy as np
import pikepdf
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from deidra.app.domain.errors import InputError
from deidra.app.domain.model import AssetKind
from deidra.app.load import pages as module
from deidra.app.load.pages import Pages
from deidra.app.load.pdf import PDF_DPI

SECRET = "Okonkwo4711"


@pytest.fixture
def corner_marked() -> np.ndarray:
    """An upright picture in which every corner has a colour of its own."""
    picture = np.full((24, 40, 3), 255, np.uint8)
    picture[:8, :8] = (255, 0, 0)
    picture[:8, -8:] = (0, 255, 0)
    picture[-8:, :8] = (0, 0, 255)
    return picture


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


# How an upright picture is turned before it is stored under each EXIF orientation.
_STORED = {
    1: lambda p: p,
    2: lambda p: p[:, ::-1],
    3: lambda p: p[::-1, ::-1],
    4: lambda p: p[::-1],
    5: lambda p: p.transpose(1, 0, 2),
    6: lambda p: np.rot90(p, 1),
    7: lambda p: p[::-1, ::-1].transpose(1, 0, 2),
    8: lambda p: np.rot90(p, -1),
}


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_every_exif_orientation_gives_the_upright_picture(
    corner_marked: np.ndarray, orientation: int, kind: str
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = Image.fromarray(np.ascontiguousarray(_STORED[orientation](corner_marked)))
    data = encoded(stored, kind, exif=exif)
    np.testing.assert_array_equal(Pages(data, AssetKind.IMAGE).page(0), corner_marked)


@pytest.mark.parametrize("orientation", [3, 6])
def test_a_turned_jpeg_is_upright(corner_marked: np.ndarray, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = Image.fromarray(np.ascontiguousarray(_STORED[orientation](corner_marked)))
    page = Pages(encoded(stored, "JPEG", exif=exif, quality=95, subsampling=0), AssetKind.IMAGE).page(0)
    assert page.shape == corner_marked.shape
    assert np.abs(page.astype(int) - corner_marked).mean() < 6


def test_a_multi_page_tiff_gives_its_pages_in_order() -> None:
    frames = [Image.new("L", (20 + n, 10), 10 * n) for n in range(4)]
    pages = Pages(encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:]), AssetKind.IMAGE)
    assert pages.count == 4
    for n in (3, 0, 2):
        page = pages.page(n)
        assert page.shape == (10, 20 + n, 3)
        assert np.unique(page).tolist() == [10 * n]


def test_a_fax_page_keeps_black_on_white() -> None:
    page = Image.new("1", (64, 32), 1)
    page.paste(0, (4, 4, 20, 20))
    picture = Pages(encoded(page, "TIFF", compression="group4"), AssetKind.IMAGE).page(0)
    assert picture[10, 10].tolist() == [0, 0, 0]
    assert picture[30, 60].tolist() == [255, 255, 255]


def test_sixteen_bits_are_scaled_to_eight_without_wrapping() -> None:
    values = np.linspace(1000, 60000, 64, dtype=np.uint16).reshape(8, 8)
    page = Pages(encoded(Image.fromarray(values)), AssetKind.IMAGE).page(0)
    assert page.dtype == np.uint8
    assert page[0, 0].tolist() == [0, 0, 0]
    assert page[7, 7].tolist() == [255, 255, 255]
    assert (np.diff(page[:, :, 0].reshape(-1).astype(int)) >= 0).all()


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_transparent_areas_are_white_paper(mode: str) -> None:
    image = Image.new("RGBA", (10, 10), (0, 0, 0, 0))
    image.paste((0, 0, 0, 255), (2, 2, 5, 5))
    data = encoded(image.convert(mode)) if mode != "P" else encoded(image.quantize(4))
    page = Pages(data, AssetKind.IMAGE).page(0)
    assert page[0, 0].tolist() == [255, 255, 255]
    assert page[3, 3].tolist() == [0, 0, 0]


@pytest.mark.parametrize("mode", ["CMYK", "L", "1", "YCbCr"])
def test_every_other_colour_mode_becomes_rgb(mode: str) -> None:
    kind = "PNG" if mode in ("L", "1") else "TIFF"
    page = Pages(encoded(Image.new("RGB", (9, 9), "white").convert(mode), kind), AssetKind.IMAGE).page(0)
    assert page.shape == (9, 9, 3)
    assert page.min() >= 250


def test_the_resolution_is_the_files_or_200() -> None:
    image = Image.new("L", (10, 10))
    assert Pages(encoded(image, dpi=(300, 300)), AssetKind.IMAGE).dpi(0) == pytest.approx(300, abs=0.1)
    assert Pages(encoded(image), AssetKind.IMAGE).dpi(0) == 200
    assert Pages(encoded(image, "TIFF", dpi=(1, 1)), AssetKind.IMAGE).dpi(0) == 200


@pytest.mark.parametrize("keep", [12, 40, 200])
def test_a_damaged_png_is_an_input_error(keep: int) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (40, 40, 3), np.uint8)
    data = encoded(Image.fromarray(noise))
    with pytest.raises(InputError, match="damaged"):
        Pages(data[:keep], AssetKind.IMAGE).page(0)


def test_an_implausibly_large_picture_is_refused_before_it_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PIXELS", 99)
    with pytest.raises(InputError, match="implausibly large"):
        Pages(encoded(Image.new("L", (10, 10))), AssetKind.IMAGE)


def pdf(pages: int = 1, size: tuple[float, float] = (144, 72)) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=size)
    for _ in range(pages):
        canvas.setFillColorRGB(1, 0, 0)
        canvas.rect(0, size[1] - 36, 36, 36, stroke=0, fill=1)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def test_pdf_pages_are_rendered_upright_at_their_resolution() -> None:
    pages = Pages(pdf(3), AssetKind.PDF)
    assert pages.count == 3
    page = pages.page(2)
    assert page.shape == (PDF_DPI, 2 * PDF_DPI, 3)
    assert page[20, 20].tolist() == [255, 0, 0]
    assert page[-20, -20].tolist() == [255, 255, 255]
    assert pages.dpi(0) == PDF_DPI


def test_annotations_and_form_fields_are_drawn() -> None:
    document = pikepdf.open(io.BytesIO(pdf()))
    appearance = document.make_stream(b"0 0 1 rg 0 0 36 36 re f")
    appearance.Type, appearance.Subtype, appearance.BBox = pikepdf.Name.XObject, pikepdf.Name.Form, [0, 0, 36, 36]
    annotation = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot,
        Subtype=pikepdf.Name.Stamp,
        Rect=[108, 0, 144, 36],
        F=4,
        AP=pikepdf.Dictionary(N=appearance),
    )
    document.pages[0].Annots = document.make_indirect([document.make_indirect(annotation)])
    stream = io.BytesIO()
    document.save(stream)
    assert Pages(stream.getvalue(), AssetKind.PDF).page(0)[-20, -20].tolist() == [0, 0, 255]


def test_a_pdf_with_a_password_asks_for_a_copy_without() -> None:
    stream = io.BytesIO()
    pikepdf.open(io.BytesIO(pdf())).save(stream, encryption=pikepdf.Encryption(owner="o", user="u"))
    with pytest.raises(InputError, match="encrypted") as caught:
        Pages(stream.getvalue(), AssetKind.PDF)
    assert "without a password" in caught.value.advice


@pytest.mark.parametrize("data", [b"%PDF-1.7\n" + SECRET.encode(), pdf()[:60], b"%PDF-"])
def test_a_damaged_pdf_is_an_input_error_without_its_content(data: bytes) -> None:
    with pytest.raises(InputError, match="damaged") as caught:
        Pages(data, AssetKind.PDF)
    assert SECRET not in str(caught.value)


def test_a_pdf_page_of_implausible_size_is_refused() -> None:
    with pytest.raises(InputError, match="implausible size"):
        Pages(pdf(size=(14000, 14000)), AssetKind.PDF).page(0)

from __future__ import annotations

import cv2
import numpy as np
import pytest
import zxingcpp
from barcode_pictures import dark_box, on_ground, rgb, symbol
from hypothesis import given, settings
from hypothesis import strategies as st
from pydicom.dataset import Dataset

from deidra.app.domain.geometry import area, bounding_box, box_polygon, intersection_area
from deidra.app.load.pictures import renderings
from deidra.models import barcode_reader
from deidra.models.barcode_reader import BarcodeReader

CONTENT = "OKONKWO ADAEZE 4711"
SYMBOLOGIES = {
    "Code128": "Code 128",
    "Code39": "Code 39",
    "QRCode": "QR Code",
    "DataMatrix": "Data Matrix",
    "PDF417": "PDF417",
}


def is_placed(polygon: tuple[tuple[float, float], ...], ink: tuple[int, int, int, int]) -> bool:
    """Whether a place holds the ink, and little else."""
    box = bounding_box(polygon)
    return intersection_area(box, ink) >= 0.99 * area(ink) and area(box) <= 1.25 * area(ink)


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
@pytest.mark.parametrize("symbology", SYMBOLOGIES)
def test_a_barcode_is_found_in_any_direction_with_its_place_its_content_and_its_symbology(
    symbology: str, quarters: int
) -> None:
    picture = on_ground(np.rot90(symbol(CONTENT, symbology), quarters))
    (code,) = BarcodeReader().find(rgb(picture))
    assert (code.content, code.symbology) == (CONTENT, SYMBOLOGIES[symbology])
    assert is_placed(code.polygon, dark_box(picture))


@pytest.mark.parametrize("symbology", SYMBOLOGIES)
def test_a_barcode_of_coloured_ink_is_found(symbology: str) -> None:
    picture = rgb(on_ground(symbol(CONTENT, symbology)))
    picture[picture[:, :, 0] < 20] = (120, 10, 20)
    (code,) = BarcodeReader().find(picture)
    assert code.content == CONTENT


@pytest.mark.parametrize("symbology", SYMBOLOGIES)
@pytest.mark.parametrize("high", [300, 4095])
def test_a_barcode_in_an_image_of_twelve_bits_is_found_on_a_rendering(symbology: str, high: int) -> None:
    code = symbol(CONTENT, symbology)
    values = np.random.default_rng(1).integers(0, 200, (code.shape[0] + 60, code.shape[1] + 60)).astype(np.uint16)
    values[0, 0] = 4095
    values[30:-30, 30:-30] = np.where(code > 127, high, 40)
    found = [found.content for picture in renderings(Dataset(), values) for found in BarcodeReader().find(picture)]
    assert set(found) == {CONTENT}


@pytest.mark.parametrize("symbology", SYMBOLOGIES)
def test_a_light_barcode_on_dark_ground_is_found(symbology: str) -> None:
    picture = 255 - on_ground(symbol(CONTENT, symbology), ground=255)
    assert [code.content for code in BarcodeReader().find(rgb(picture))] == [CONTENT]


def test_all_barcodes_of_a_picture_are_found() -> None:
    first, second = symbol("A4711", "QRCode", 3), symbol("B4712", "Code128")
    picture = np.full((300, 400), 255, np.uint8)
    picture[20 : 20 + first.shape[0], 20 : 20 + first.shape[1]] = first
    picture[180 : 180 + second.shape[0], 120 : 120 + second.shape[1]] = second
    assert {code.content for code in BarcodeReader().find(rgb(picture))} == {"A4711", "B4712"}


def test_a_picture_without_a_barcode_has_none() -> None:
    noise = np.random.default_rng(3).integers(0, 255, (200, 300, 3)).astype(np.uint8)
    assert BarcodeReader().find(noise) == []
    assert BarcodeReader().find(np.zeros((3, 2, 3), np.uint8)) == []


@pytest.mark.parametrize("angle", [0, 12, 90, 150, 271])
def test_bars_that_can_be_decoded_in_a_few_rows_only_are_placed_in_their_whole_length(angle: float) -> None:
    code = symbol("A4711", "Code128", 3)
    spoilt = code.copy()
    # A blot changes the widths of some bars in all rows but a few, which leaves the others as they are.
    spoilt[:, 150:156] = 255
    spoilt[66:74] = code[66:74]
    picture = on_ground(spoilt, left=150, top=150, margin=150, ground=255)
    middle = (picture.shape[1] / 2, picture.shape[0] / 2)
    turn = cv2.getRotationMatrix2D(middle, angle, 1.0)
    turned = cv2.warpAffine(picture, turn, picture.shape[::-1], borderValue=255)
    found = BarcodeReader().find(rgb(np.asarray(turned, np.uint8)))
    assert [place.content for place in found] == ["A4711"]
    held = cv2.fillPoly(np.zeros_like(picture), [np.round(found[0].polygon).astype(np.int32)], 1)
    ink = turned < 60
    assert held[ink].sum() >= 0.97 * ink.sum()
    assert held.sum() <= 1.3 * code[:, 20:-20].size


def test_bars_do_not_go_on_into_other_bars_beside_them() -> None:
    first, second = symbol("A4711", "Code128", 2, quiet=False), symbol("B9382", "Code128", 2, quiet=False)
    picture = np.full((300, 260), 255, np.uint8)
    picture[20 : 20 + first.shape[0], 40 : 40 + first.shape[1]] = first
    picture[130 : 130 + second.shape[0], 40 : 40 + second.shape[1]] = second
    boxes = {code.content: bounding_box(code.polygon) for code in BarcodeReader().find(rgb(picture))}
    assert boxes["A4711"][3] <= 20 + first.shape[0] + 4
    assert boxes["B9382"][1] >= 130 - 4


@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("symbology", ["Code128", "Code39"])
def test_a_barcode_without_an_empty_zone_is_decoded_where_a_detector_sees_it(symbology: str, inverted: bool) -> None:
    # Of one pixel a bar, and with black touching its outer bars.
    code = symbol("A4711", symbology, 1, quiet=False)
    code = code[5:25]
    picture = on_ground(code, ground=0)
    place = box_polygon(40, 30, 40 + code.shape[1], 30 + code.shape[0])
    picture = rgb(255 - picture if inverted else picture)
    assert BarcodeReader().find(picture) == []
    (found,) = BarcodeReader().read(picture, place)
    assert (found.content, found.symbology, found.polygon) == ("A4711", SYMBOLOGIES[symbology], place)


@pytest.mark.parametrize("corners", [0, 1, 2, 3])
def test_a_place_is_read_whatever_corner_comes_first(corners: int) -> None:
    code = symbol("A4711", "Code128", 2, quiet=False)
    picture = on_ground(code, ground=0)
    place = box_polygon(40, 30, 40 + code.shape[1], 30 + code.shape[0])
    turned = place[corners:] + place[:corners]
    assert [found.content for found in BarcodeReader().read(rgb(picture), turned)] == ["A4711"]


def test_a_place_without_a_barcode_holds_nothing() -> None:
    noise = np.random.default_rng(3).integers(0, 255, (90, 200, 3)).astype(np.uint8)
    assert BarcodeReader().read(noise, box_polygon(20, 20, 180, 70)) == []
    assert BarcodeReader().read(noise, box_polygon(20, 20, 21, 21)) == []


def test_large_pictures_and_crops_are_shrunk_and_places_are_those_of_the_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[int] = []
    read = zxingcpp.read_barcodes

    def watched(grey: np.ndarray, formats: zxingcpp.BarcodeFormats) -> list[zxingcpp.Barcode]:
        seen.append(grey.size)
        return list(read(grey, formats))

    monkeypatch.setattr(barcode_reader, "MOST_PIXELS", 120_000)
    monkeypatch.setattr(zxingcpp, "read_barcodes", watched)
    picture = on_ground(symbol(CONTENT, "QRCode", 12), left=300, top=200)
    (code,) = BarcodeReader().find(rgb(picture))
    assert code.content == CONTENT
    assert is_placed(code.polygon, dark_box(picture))
    BarcodeReader().read(rgb(picture), box_polygon(10, 10, 250, 190))
    BarcodeReader().read(rgb(picture), box_polygon(0, 0, picture.shape[1], picture.shape[0]))
    assert max(seen) <= 1.01 * 120_000 < picture.size


@pytest.mark.parametrize(
    ("held", "shown"),
    [
        ("N:Okonkwo;Adaeze\nTEL:+1", "N:Okonkwo;Adaeze TEL:+1"),
        (b"MRN\x1d4711\x1e\x04", "MRN 4711"),
        ("<OKONKWO>", "<OKONKWO>"),
        ("Müller^Jörg", "Müller^Jörg"),
    ],
)
def test_a_content_is_one_line_without_control_characters(held: str | bytes, shown: str) -> None:
    (code,) = BarcodeReader().find(rgb(symbol(held, "QRCode", 4)))
    assert code.content == shown


@settings(max_examples=40, deadline=None)
@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=60),
    st.sampled_from(["QRCode", "DataMatrix", "Code128"]),
    st.integers(0, 3),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_any_content_is_found_wherever_it_stands(
    content: str, symbology: str, quarters: int, left: int, top: int
) -> None:
    picture = on_ground(np.rot90(symbol(content, symbology, 3), quarters), left, top)
    (code,) = BarcodeReader().find(rgb(picture))
    assert is_placed(code.polygon, dark_box(picture))
    # What the writer takes for a control character is left out.
    assert code.content == content or "<" in content

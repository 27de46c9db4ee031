from __future__ import annotations

import shutil
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from deidra.app.domain.geometry import as_polygon, bounding_box, box_polygon
from deidra.models import text_reader
from deidra.models.text_detector import PPOCRDetector, _in_reading_order, _pixel_statistics
from deidra.models.text_reader import PPOCRReader, TesseractReader, crop


def printed(text: str, size: int = 28) -> np.ndarray:
    picture = Image.new("RGB", (40 + 20 * len(text), 60), "white")
    ImageDraw.Draw(picture).text((20, 14), text, fill="black", font=ImageFont.load_default(size))
    return np.array(picture)


@given(
    st.tuples(st.floats(0, 300), st.floats(0, 300)),
    st.tuples(st.floats(20, 200), st.floats(5, 19)),
    st.floats(-0.5, 0.5),
    st.permutations(range(4)),
)
def test_corners_come_in_reading_order(
    centre: tuple[float, float], sides: tuple[float, float], angle: float, order: list[int]
) -> None:
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(sides) / 2
    corners = (half @ turn.T + centre).astype(np.float32)
    np.testing.assert_allclose(_in_reading_order(corners[order]), corners)


def test_the_score_is_the_mean_over_the_box_and_the_variance_its_spread() -> None:
    probability = np.zeros((20, 40), np.float32)
    probability[5:10, 10:20] = 0.8
    probability[5:10, 20:30] = 0.6
    corners = np.array([[10, 5], [29, 5], [29, 9], [10, 9]], np.float32)
    score, variance = _pixel_statistics(probability, corners)
    assert score == pytest.approx(0.7, abs=0.01)
    assert variance == pytest.approx(0.01, abs=0.001)


def test_a_box_is_grown_back_to_the_size_of_its_text_and_scaled_to_the_picture() -> None:
    probability = np.zeros((96, 192), np.float32)
    probability[40:50, 60:120] = 0.9
    (box,) = PPOCRDetector()._boxes(probability, 2.0, 2.0, 384, 192)
    left, top, right, bottom = bounding_box(box.polygon)
    # The shrunk area of about 61 x 11 grows by its area times 1.6 over its perimeter: 7 to 8 pixels.
    assert left == pytest.approx(2 * (60 - 7.5), abs=4)
    assert right == pytest.approx(2 * (120 + 7.5), abs=4)
    assert top == pytest.approx(2 * (40 - 7.5), abs=4)
    assert bottom == pytest.approx(2 * (50 + 7.5), abs=4)
    assert box.score > 0.7


def test_weak_and_tiny_places_are_no_text() -> None:
    probability = np.zeros((96, 192), np.float32)
    probability[10:20, 10:60] = 0.4
    probability[60, 60] = 1.0
    assert PPOCRDetector()._boxes(probability, 1.0, 1.0, 192, 96) == []


def test_boxes_stay_inside_the_picture() -> None:
    probability = np.full((96, 96), 0.9, np.float32)
    (box,) = PPOCRDetector()._boxes(probability, 1.0, 1.0, 96, 96)
    left, top, right, bottom = bounding_box(box.polygon)
    assert (left, top) == (0, 0)
    assert (right, bottom) == (96, 96)


def test_a_crop_is_the_upright_picture_of_its_quadrilateral() -> None:
    picture = np.random.default_rng(1).integers(0, 255, (40, 80, 3)).astype(np.uint8)
    np.testing.assert_array_equal(crop(picture, box_polygon(10, 5, 50, 20)), picture[5:20, 10:50])


def test_a_crop_follows_rotated_text() -> None:
    picture = np.random.default_rng(1).integers(0, 255, (80, 40, 3)).astype(np.uint8)
    upwards = as_polygon([(10, 60), (10, 20), (20, 20), (20, 60)])
    cut = crop(picture, upwards)
    assert cut.shape == (10, 40, 3)


def test_tall_crops_are_turned_to_lie() -> None:
    picture = np.zeros((100, 40, 3), np.uint8)
    assert crop(picture, box_polygon(10, 10, 20, 90)).shape == (10, 80, 3)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> PPOCRReader:
    reader = PPOCRReader()
    monkeypatch.setattr(PPOCRReader, "_alphabet", ["", "A", "B", " "])
    return reader


def probabilities(*symbols: int, score: float = 0.9) -> np.ndarray:
    table = np.full((len(symbols), 4), (1 - score) / 3, np.float32)
    table[np.arange(len(symbols)), symbols] = score
    return table


@pytest.mark.parametrize(
    ("symbols", "text"),
    [
        ((0, 1, 1, 0, 2, 0), "AB"),
        ((1, 1, 0, 1), "AA"),
        ((1, 2, 1), "ABA"),
        ((0, 3, 1, 3, 2, 3), "A B"),
        ((0, 0, 0), ""),
        ((3, 3), ""),
    ],
)
def test_repeats_are_collapsed_and_blanks_at_the_ends_dropped(
    reader: PPOCRReader, symbols: tuple[int, ...], text: str
) -> None:
    reading = reader._decode(probabilities(*symbols), 1.0)
    assert reading.text == text
    assert len(reading.char_spans) == len(text)


def test_the_confidence_is_the_mean_over_the_characters(reader: PPOCRReader) -> None:
    table = np.vstack([probabilities(1, score=0.9), probabilities(0, score=1.0), probabilities(2, score=0.7)])
    reading = reader._decode(table, 1.0)
    assert reading.confidence == pytest.approx(0.8, abs=1e-6)
    assert reading.variance == pytest.approx(0.01, abs=1e-6)
    assert reader._decode(probabilities(0, 0), 1.0) == text_reader.Reading("", 0.0, 0.0)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.floats(1, 3))
def test_the_spans_of_the_characters_follow_each_other(symbols: list[int], stretch: float) -> None:
    reader = PPOCRReader()
    reader.__dict__["_alphabet"] = ["", "A", "B", " "]
    spans = reader._decode(probabilities(*symbols), stretch).char_spans
    assert all(0 <= start <= end <= 1 for start, end in spans)
    assert all(a[1] == b[0] for a, b in pairwise(spans))


def test_the_reader_answers_in_the_order_of_its_crops() -> None:
    texts = ["MRN 47110815", "AXIAL", "OKONKWO ADAEZE 12/11/1950", "R"]
    readings = PPOCRReader().read([printed(text) for text in texts])
    assert [r.text.replace(" ", "") for r in readings[:3]] == [t.replace(" ", "") for t in texts[:3]]
    assert all(r.confidence > 0.8 for r in readings[:3])


def test_what_a_crop_says_does_not_depend_on_what_else_is_read() -> None:
    reader = PPOCRReader()
    crops = [
        printed(text) for text in ("03/21/2024 14:35", "MI 0.9", "OKONKWO, ADA", "EXAMINATION OF THE ABDOMEN 120 kV")
    ]
    alone = [reader.read([crop])[0] for crop in crops]
    for others in ([3, 0], [1, 0], [0, 2, 1, 3], [2, 2, 0]):
        found = reader.read([crops[n] for n in others])
        assert [r.text for r in found] == [alone[n].text for n in others]
        assert [r.confidence for r in found] == pytest.approx([alone[n].confidence for n in others], abs=1e-4)


def test_reading_nothing_gives_nothing() -> None:
    assert PPOCRReader().read([]) == []
    assert TesseractReader().read([]) in ([], None)


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_the_second_reader_answers_in_the_order_of_its_crops() -> None:
    light = printed("OKONKWO ADAEZE")
    readings = TesseractReader().read([light, 255 - printed("AXIAL VIEW")])
    assert readings is not None
    assert [r.text for r in readings] == ["OKONKWO ADAEZE", "AXIAL VIEW"]
    assert all(r.confidence > 0.5 for r in readings)


def test_a_missing_second_reader_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_reader.shutil, "which", lambda _: None)
    assert TesseractReader().read([printed("A")]) is None


def test_a_failing_second_reader_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_reader.shutil, "which", lambda _: "/somewhere/tesseract")
    monkeypatch.setattr(text_reader.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=1, stdout=b""))
    assert TesseractReader().read([printed("A")]) is None


HEAD = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"


def row(page: int, confidence: float, text: str, level: int = 5) -> str:
    return f"{level}\t{page}\t1\t1\t1\t1\t0\t0\t9\t9\t{confidence}\t{text}"


def test_words_are_put_together_page_by_page() -> None:
    table = "\n".join([HEAD, row(1, -1, "", 1), row(1, 90, "JO"), row(1, 70, "DOE"), row(3, 50, "x"), row(9, 50, "y")])
    readings = TesseractReader._parse(table, 3)
    assert [r.text for r in readings] == ["JO DOE", "", "x"]
    assert readings[0].confidence == pytest.approx(0.8)
    assert readings[0].variance == pytest.approx(0.01)


@given(st.text(max_size=200))
def test_any_output_of_the_second_reader_is_taken(text: str) -> None:
    assert len(TesseractReader._parse(text, 2)) == 2

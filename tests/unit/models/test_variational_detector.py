"""The variational detector on scales and tiles; the network is replaced by one that sees white blocks."""

from __future__ import annotations

import itertools

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from deidra.app.domain.geometry import bounding_box, iou
from deidra.models import variational_detector as module
from deidra.models.calibration import Calibration
from deidra.models.variational_detector import GRID, VariationalDetector, _spans

TUNED = Calibration(0.0, 0.2, 0.1, (0.0, 1.0), (0.0, 1.0), 0.3, 0.01, 0.9, 0.002)


class Blocks:
    """Takes every white block for text; its probability is its grey level."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []

    def run(self, _: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        images = inputs["images"]
        self.shapes.append(images.shape)
        assert images.dtype == np.uint8
        answers = [self._one(image.max(0)) for image in images]
        numbers = np.repeat(np.arange(len(images)), [len(a[0]) for a in answers])
        return [*(np.concatenate(part) for part in zip(*answers, strict=True)), numbers]

    @staticmethod
    def _one(grey: np.ndarray) -> list[np.ndarray]:
        count, _, stats, _ = cv2.connectedComponentsWithStats((grey > 20).astype(np.uint8))
        boxes = np.array([(x, y, x + w, y + h) for x, y, w, h, _ in stats[1:count]], np.float32).reshape(-1, 4)
        score = np.array([grey[y : y + h, x : x + w].max() / 255 for x, y, w, h, _ in stats[1:count]], np.float32)
        score = np.minimum(score, 0.99)
        n = len(boxes)
        probability = np.zeros((n, 4), np.float32)
        probability[:, 0], probability[:, 1] = 1 - score, score
        variance = np.full((n, 4), 0.01, np.float32)
        short = (boxes[:, 2:] - boxes[:, :2]).min(1, initial=np.inf)
        return [boxes, np.zeros(n, np.float32), short, probability, variance, np.ones((n, 4), np.float32)]


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Blocks:
    made = Blocks()
    monkeypatch.setattr(module, "session", lambda name: made)
    return made


def picture(width: int, height: int, *boxes: tuple[int, int, int, int], grey: int = 255) -> np.ndarray:
    image = np.zeros((height, width, 3), np.uint8)
    for left, top, right, bottom in boxes:
        image[top:bottom, left:right] = grey
    return image


@pytest.mark.parametrize(
    ("length", "spans"),
    [
        (100, [(0, 100)]),
        (1376, [(0, 1376)]),
        (1377, [(0, 800), (577, 1377)]),
        (2500, [(0, 1376), (1124, 2500)]),
        (3000, [(0, 1152), (924, 2076), (1848, 3000)]),
    ],
)
def test_a_side_is_cut_into_few_short_parts(length: int, spans: list[tuple[int, int]]) -> None:
    assert _spans(length, 1376, 192) == spans


@given(st.integers(1, 20_000), st.integers(10, 50).map(lambda n: n * GRID), st.integers(0, 250))
def test_parts_cover_a_side_share_a_margin_and_are_no_more_than_needed(length: int, tile: int, shared: int) -> None:
    found = _spans(length, tile, shared)
    assert found[0][0] == 0
    assert found[-1][1] == length
    assert all(end - start <= tile for start, end in found)
    assert all(a[1] - b[0] >= shared for a, b in itertools.pairwise(found))
    assert len(found) == 1 or (len(found) - 1) * (tile - shared) < length - shared
    assert len({end - start for start, end in found}) == 1


def test_sides_are_padded_to_what_the_network_takes(network: Blocks) -> None:
    VariationalDetector(tuned=TUNED).candidates([picture(701, 450, (5, 5, 50, 20))])[0]
    assert network.shapes == [(1, 3, 480, 704)]


def test_a_small_picture_is_enlarged_and_told_of_in_its_own_pixels(network: Blocks) -> None:
    found = VariationalDetector(tuned=TUNED).candidates([picture(300, 200, (10, 20, 90, 40))])[0]
    assert network.shapes == [(1, 3, 416, 608)]
    assert np.allclose(found.boxes, [[10, 20, 90, 40]], atol=1)
    assert np.allclose(found.edge_variance, 0.25, atol=0.01)


def test_a_line_over_three_tiles_is_one(network: Blocks) -> None:
    found = VariationalDetector(tuned=TUNED).candidates([picture(3000, 500, (100, 200, 2900, 230))])[0]
    assert np.allclose(found.boxes, [[100, 200, 2900, 230]], atol=2)


def test_text_in_the_shared_margin_is_told_of_once(network: Blocks) -> None:
    found = VariationalDetector(tuned=TUNED).candidates([picture(2300, 500, (1100, 200, 1180, 220), (40, 40, 90, 60))])[
        0
    ]
    assert len(found.boxes) == 2


def test_a_text_higher_than_the_margin_is_found_on_the_smaller_picture(network: Blocks) -> None:
    found = VariationalDetector(tuned=TUNED).candidates([picture(2600, 2600, (300, 1000, 2300, 1500))])[0]
    assert np.allclose(found.boxes, [[300, 1000, 2300, 1500]], atol=8)


def test_on_a_card_tiles_of_one_shape_go_together(network: Blocks, monkeypatch: pytest.MonkeyPatch) -> None:
    images = [
        picture(640, 640, (10, 10, 90, 30)),
        picture(2000, 700, (5, 600, 1900, 640)),
        picture(640, 640),
        picture(640, 640, (300, 300, 390, 330), (20, 20, 40, 40)),
    ]
    alone = VariationalDetector(tuned=TUNED).candidates(images)
    network.shapes.clear()
    monkeypatch.setattr(module, "on_cuda", lambda: True)
    together = VariationalDetector(tuned=TUNED).candidates(images)
    assert network.shapes == [(3, 3, 640, 640), (2, 3, 704, 1120), (1, 3, 384, 1024)]
    for a, b in zip(alone, together, strict=True):
        assert np.array_equal(a.boxes, b.boxes)
        assert np.array_equal(a.probability, b.probability)
    assert [len(c.boxes) for c in together] == [1, 1, 0, 2]


def test_the_shipped_network_says_the_same_of_an_image_in_any_company() -> None:
    images = []
    for text in ("MILLER JOHN", "22-MAY-1999"):
        image = Image.new("RGB", (480, 480), (30, 30, 30))
        ImageDraw.Draw(image).text((60, 200), text, fill="white", font=ImageFont.load_default(22))
        images.append(np.array(image))
    batch = np.stack([i.transpose(2, 0, 1) for i in images])
    run = module.session("deidra-det").run
    *_, number = both = run(None, {"images": batch})
    for row in range(2):
        alone = run(None, {"images": batch[row : row + 1]})
        assert np.allclose(both[0][number == row], alone[0], atol=0.02)
        assert np.allclose(both[2][number == row], alone[2], atol=1e-4)


def test_candidates_hold_what_detections_leave_out(network: Blocks) -> None:
    detector = VariationalDetector(tuned=TUNED)
    faint = picture(640, 640, (100, 100, 200, 120), grey=51)  # probability .2, below .3
    assert detector.detect(faint) == []
    assert detector.candidates([faint])[0].score == pytest.approx([0.2], abs=0.001)


def test_a_detection_tells_kind_score_and_variance(network: Blocks) -> None:
    (box,) = VariationalDetector(tuned=TUNED).detect(picture(640, 640, (100, 100, 200, 120)))
    assert box.polygon == ((100, 100), (200, 100), (200, 120), (100, 120))
    assert (box.kind, box.score, box.variance) == ("printed", pytest.approx(0.99), pytest.approx(0.01))


def test_the_shipped_network_finds_a_printed_line() -> None:
    image = Image.new("RGB", (640, 480), (20, 20, 24))
    ImageDraw.Draw(image).text((60, 200), "KOWALSKI^ANNA 12.03.1961", fill="white", font=ImageFont.load_default(24))
    ink = Image.eval(image.convert("L"), lambda v: 255 * (v > 128)).getbbox()
    (box,) = [b for b in VariationalDetector().detect(np.array(image)) if b.score > 0.5]
    assert iou(bounding_box(box.polygon), ink) > 0.75
    assert box.kind == "printed"


def test_the_shipped_network_sees_nothing_on_a_plain_picture() -> None:
    assert VariationalDetector().detect(np.full((512, 512, 3), 90, np.uint8)) == []

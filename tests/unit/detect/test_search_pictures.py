from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian, SecondaryCaptureImageStorage

from deidra.app.detect.images import MOST_FRAMES_SEARCHED, dicom_text
from deidra.app.detect.locate import TextLocator, _without_repeats
from deidra.app.domain.geometry import bounding_box, box_polygon, intersection_area
from deidra.app.domain.model import TextLine
from deidra.models.text_detector import DetectedBox


def sequence(values: NDArray[np.uint8]) -> FileDataset:
    """A grey DICOM file with frames of shape ``(frames, rows, columns)``."""
    dataset = FileDataset("", {}, bytes(128), FileMetaDataset(), False, True)
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.SOPClassUID = SecondaryCaptureImageStorage
    dataset.Modality = "OT"
    dataset.NumberOfFrames, dataset.Rows, dataset.Columns = values.shape
    dataset.SamplesPerPixel = 1
    dataset.PhotometricInterpretation = "MONOCHROME2"
    dataset.BitsAllocated = dataset.BitsStored = 8
    dataset.HighBit, dataset.PixelRepresentation = 7, 0
    dataset.add_new(0x7FE00010, "OB", values.tobytes())
    return dataset


class BrightSpots:
    """A locator that calls every bright pixel a line of text; it remembers how often it was asked."""

    def __init__(self, line: Callable[..., TextLine]) -> None:
        self._line = line
        self.calls = 0

    def lines(self, pictures: Sequence[NDArray[np.uint8]]) -> list[TextLine]:
        self.calls += 1
        rows, columns = np.nonzero(pictures[0][:, :, 0] > 250)
        return [self._line("TEXT", x, y) for y, x in zip(rows.tolist(), columns.tolist(), strict=True)]


@pytest.fixture
def locator(line: Callable[..., TextLine]) -> BrightSpots:
    return BrightSpots(line)


def test_a_single_frame_is_frame_zero(locator: BrightSpots) -> None:
    values = np.zeros((1, 64, 64), np.uint8)
    values[0, 5, 7] = 255
    (found,) = dicom_text(sequence(values), locator)
    assert (found.index, found.width, found.height, len(found.lines)) == (0, 64, 64, 1)


def test_equal_frames_are_searched_once(locator: BrightSpots) -> None:
    values = np.zeros((5, 64, 64), np.uint8)
    values[:, 5, 7] = 255
    (found,) = dicom_text(sequence(values), locator)
    assert locator.calls == 1
    assert found.index is None


def test_every_frame_of_a_short_sequence_is_searched(locator: BrightSpots) -> None:
    values = np.zeros((MOST_FRAMES_SEARCHED, 64, 64), np.uint8)
    for number in range(MOST_FRAMES_SEARCHED):
        values[number, 5 * number, 7] = 255
    found = dicom_text(sequence(values), locator)
    assert [f.index for f in found] == list(range(MOST_FRAMES_SEARCHED))


def test_text_that_flashes_up_on_one_frame_of_a_long_sequence_is_found(locator: BrightSpots) -> None:
    values = np.random.default_rng(1).integers(0, 200, (60, 64, 64)).astype(np.uint8)
    values[31, 20, 30] = 255
    found = dicom_text(sequence(values), locator)
    assert locator.calls == MOST_FRAMES_SEARCHED + 2
    assert [f.index for f in found] == [None]
    assert len(found[0].lines) == 1


def test_masks_and_files_without_pixels_are_not_searched(locator: BrightSpots) -> None:
    mask = sequence(np.full((1, 64, 64), 255, np.uint8))
    mask.Modality = "SEG"
    bits = sequence(np.full((1, 64, 64), 255, np.uint8))
    bits.BitsAllocated = bits.BitsStored = 1
    empty = sequence(np.full((1, 64, 64), 255, np.uint8))
    del empty.PixelData
    assert [dicom_text(dataset, locator) for dataset in (mask, bits, empty)] == [[], [], []]
    assert locator.calls == 0


def box(*edges: float, score: float = 0.9) -> tuple[DetectedBox, NDArray[np.uint8]]:
    return DetectedBox(box_polygon(*edges), score, 0.0), np.zeros((1, 1, 3), np.uint8)


def test_a_line_seen_on_two_renderings_is_one_line_and_the_wider_box_stays() -> None:
    kept = _without_repeats([box(10, 10, 60, 22), box(8, 9, 120, 23), box(200, 10, 240, 22)])
    assert sorted(bounding_box(b.polygon) for b, _ in kept) == [(8, 9, 120, 23), (200, 10, 240, 22)]


def test_a_box_around_several_lines_does_not_swallow_them() -> None:
    kept = _without_repeats([box(0, 0, 200, 100), box(10, 10, 60, 22), box(10, 40, 60, 52)])
    assert len(kept) == 3


def test_printed_text_is_located_and_read() -> None:
    picture = Image.new("RGB", (420, 120), "black")
    ImageDraw.Draw(picture).text((20, 40), "OKONKWO 4711", fill="white", font=ImageFont.load_default(32))
    ink = picture.getbbox()
    (line,) = TextLocator(second_reader=False).lines([np.array(picture)])
    assert line.text.replace(" ", "") == "OKONKWO4711"
    place = bounding_box(line.polygon)
    assert intersection_area(place, ink) >= 0.95 * (ink[2] - ink[0]) * (ink[3] - ink[1])
    assert len(line.char_spans) == len(line.text)
    assert [e.agent for e in line.evidence] == ["ppocr-det", "ppocr-rec"]
    assert line.evidence[0].score > 0.5


def test_a_picture_without_text_has_no_lines() -> None:
    assert TextLocator(second_reader=False).lines([np.zeros((120, 160, 3), np.uint8)]) == []

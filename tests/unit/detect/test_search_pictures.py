from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from pydicom import Dataset
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import (
    ExplicitVRLittleEndian,
    SecondaryCaptureImageStorage,
    SegmentationStorage,
)

from deidra.app.detect import locate
from deidra.app.detect.agents import AGENTS, Agent
from deidra.app.detect.images import dicom_text
from deidra.app.detect.locate import TextLocator
from deidra.app.domain.errors import ModelError
from deidra.app.domain.geometry import Box, area, bounding_box, box_polygon, intersection_area, iou
from deidra.app.domain.model import LocatedText, TextLine
from deidra.models.registry import registry
from deidra.models.text_detector import DetectedBox, Look, PPOCRDetector, ScreeningDetector
from deidra.models.variational_detector import VariationalDetector

LABEL_MAP = "1.2.840.10008.5.1.4.1.1.66.7"
"""Label Map Segmentation Storage, which older versions of pydicom do not know."""


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
    """A locator that calls every bright block a line of text; it remembers how often it was asked."""

    def __init__(self, line: Callable[..., TextLine]) -> None:
        self._line = line
        self.calls = 0
        self.pictures: list[NDArray[np.uint8]] = []

    def lines(self, pictures: Sequence[NDArray[np.uint8]]) -> list[TextLine]:
        self.calls += 1
        self.pictures += pictures
        return [self._line("TEXT", box.polygon[0][0], box.polygon[0][1]) for box in self.suspects(pictures[0])]

    def suspects(self, picture: NDArray[np.uint8]) -> list[DetectedBox]:
        count, _, stats, _ = cv2.connectedComponentsWithStats((picture[:, :, 0] > 250).astype(np.uint8))
        return [DetectedBox(box_polygon(x, y, x + w, y + h), 0.9, 0.0) for x, y, w, h, _ in stats[1:count].tolist()]

    def glance(self, line: TextLine, picture: NDArray[np.uint8]) -> tuple[str, float]:
        return ("TEXT", 0.9) if self.is_text(line, picture) else ("", 0.0)

    def reread(self, lines: Sequence[TextLine], picture: NDArray[np.uint8]) -> list[TextLine]:
        return list(lines)

    def is_text(self, line: TextLine, picture: NDArray[np.uint8]) -> bool:
        left, top, _, _ = bounding_box(line.polygon)
        return bool(picture[top, left, 0] > 250)


def block(values: NDArray[np.uint8], frame: int, left: int, top: int) -> None:
    """Puts what :class:`BrightSpots` takes for a line on a frame."""
    values[frame, top : top + 10, left : left + 24] = 255


@pytest.fixture
def locator(line: Callable[..., TextLine]) -> BrightSpots:
    return BrightSpots(line)


def test_a_single_frame_is_frame_zero(locator: BrightSpots) -> None:
    values = np.zeros((1, 64, 64), np.uint8)
    block(values, 0, 7, 5)
    (found,) = dicom_text(sequence(values), locator).frames
    assert (found.index, found.width, found.height, len(found.lines)) == (0, 64, 64, 1)


def test_equal_frames_are_searched_once(locator: BrightSpots) -> None:
    values = np.zeros((5, 64, 64), np.uint8)
    for frame in range(5):
        block(values, frame, 7, 5)
    (found,) = dicom_text(sequence(values), locator).frames
    assert locator.calls == 1
    assert found.index is None


def test_text_of_frames_that_come_back_is_covered_wherever_they_do(locator: BrightSpots) -> None:
    values = np.zeros((6, 64, 64), np.uint8)
    block(values, 1, 7, 5)
    values[4] = values[1]
    assert [(f.index, len(f.lines)) for f in dicom_text(sequence(values), locator).frames] == [(None, 1)]


def noise(seed: int, count: int) -> NDArray[np.uint8]:
    """Frames of faint noise; a bright pixel keeps them from being stretched."""
    values = np.random.default_rng(seed).integers(20, 60, (count, 96, 160)).astype(np.uint8)
    values[:, 0, 0] = 200
    return values


@pytest.mark.parametrize("count", [2, 3, 4, 9, 60])
def test_text_that_flashes_up_on_one_frame_is_found_there_and_nowhere_else(locator: BrightSpots, count: int) -> None:
    for place in {0, 1, count // 2, count - 2, count - 1}:
        values = noise(place, count)
        block(values, place, 40, 33)
        found = dicom_text(sequence(values), locator).frames
        assert [(f.index, [bounding_box(t.polygon)[:2] for t in f.lines]) for f in found] == [(place, [(40, 33)])]


def test_frames_that_show_nothing_new_are_not_searched(locator: BrightSpots) -> None:
    values = noise(3, 60)
    for frame in range(60):
        block(values, frame, 8, 8)
    block(values, 37, 100, 60)
    found = dicom_text(sequence(values), locator).frames
    assert locator.calls == 2
    assert [(f.index, len(f.lines)) for f in found] == [(None, 1), (37, 1)]


def test_all_frames_of_a_short_sequence_are_searched(locator: BrightSpots) -> None:
    values = noise(3, 3)
    dicom_text(sequence(values), locator)
    assert locator.calls == 3


def test_indices_of_a_palette_are_searched_as_well_as_colours(locator: BrightSpots) -> None:
    values = np.zeros((1, 64, 64), np.uint8)
    values[0, 20, 30] = 1
    dataset = sequence(values)
    dataset.PhotometricInterpretation = "PALETTE COLOR"
    for name in ("Red", "Green", "Blue"):
        # Both indices have the same colour: the text is in the indices alone.
        setattr(dataset, f"{name}PaletteColorLookupTableDescriptor", [2, 0, 8])
        setattr(dataset, f"{name}PaletteColorLookupTableData", bytes([90, 90]))
    dicom_text(dataset, locator)
    assert len(np.unique(locator.pictures[0])) == 1
    shown = [picture for picture in locator.pictures if len(np.unique(picture)) > 1]
    assert shown
    assert all(len(np.unique(picture[20, 30])) == 1 for picture in shown)
    assert any(picture[20, 30, 0] != picture[0, 0, 0] for picture in shown)


def test_masks_and_files_without_pixels_are_not_searched(locator: BrightSpots) -> None:
    mask = sequence(np.full((1, 64, 64), 255, np.uint8))
    mask.SOPClassUID = SegmentationStorage
    labels = sequence(np.full((1, 64, 64), 255, np.uint8))
    labels.SOPClassUID = LABEL_MAP
    mask.SegmentSequence = labels.SegmentSequence = [Dataset()]
    empty = sequence(np.full((1, 64, 64), 255, np.uint8))
    del empty.PixelData
    assert [dicom_text(dataset, locator) for dataset in (mask, labels, empty)] == [LocatedText((), 0)] * 3
    assert locator.calls == 0


def test_a_modality_or_single_bits_make_no_mask(locator: BrightSpots) -> None:
    values = np.zeros((1, 64, 64), np.uint8)
    values[0, 5:15, 7:31] = 1
    named = sequence(values * 255)
    named.Modality = "SEG"
    bits = sequence(np.packbits(values, axis=2, bitorder="little"))
    bits.Columns = 64
    bits.BitsAllocated = bits.BitsStored = 1
    bits.HighBit = 0
    for dataset in (named, bits):
        (found,) = dicom_text(dataset, locator).frames
        assert [bounding_box(text.polygon)[:2] for text in found.lines] == [(7, 5)]


class Sees:
    """A detector that sees the same boxes on every picture."""

    def __init__(self, name: str, *boxes: DetectedBox) -> None:
        self.name = name
        self.boxes = list(boxes)
        self.pictures = 0

    def detect(self, image: NDArray[np.uint8]) -> list[DetectedBox]:
        self.pictures += 1
        return self.boxes


def printed(text: str) -> Image.Image:
    picture = Image.new("RGB", (420, 120), "black")
    ImageDraw.Draw(picture).text((20, 40), text, fill="white", font=ImageFont.load_default(32))
    return picture


def test_every_rendering_is_searched_by_every_detector_and_read_where_both_saw_it() -> None:
    picture = printed("OKONKWO 4711")
    left, top, right, bottom = picture.getbbox() or (0, 0, 0, 0)
    ours = Sees("deidra-det", DetectedBox(box_polygon(left, top - 4, right + 4, bottom), 0.75, 0.0006, "printed"))
    theirs = Sees("ppocr-det", DetectedBox(box_polygon(left - 4, top, right, bottom + 4), 0.9, 0.0123456, ""))
    renderings = [np.array(picture), 255 - np.array(picture)]
    (line,) = TextLocator(second_reader=False, detectors=[ours, theirs]).lines(renderings)
    assert (ours.pictures, theirs.pictures) == (2, 2)
    assert bounding_box(line.polygon) == (left - 4, top - 4, right + 4, bottom + 4)
    assert line.text.replace(" ", "") == "OKONKWO4711"
    assert line.kind == "printed"
    assert [(e.agent, e.text, e.score, e.variance) for e in line.evidence[:2]] == [
        # The score is calibrated: half way between .4 and 1. The variance is .03 of .02.
        ("deidra-det", None, 0.7, 0.0006),
        ("ppocr-det", None, 0.9, 0.0123456),
    ]
    assert [e.detail for e in line.evidence] == [
        "text located here; doubt 0.03 of the observed range",
        "text located here",
        "read",
    ]


def test_a_detector_that_sees_nothing_in_a_line_says_nothing_of_it() -> None:
    ours = Sees("deidra-det", DetectedBox(box_polygon(20, 40, 80, 60), 0.75, 0.02, "handwriting"))
    (line,) = TextLocator(second_reader=False, detectors=[ours, Sees("ppocr-det")]).lines([np.array(printed("A"))])
    assert [e.agent for e in line.evidence] == ["deidra-det", "ppocr-rec"]
    assert line.kind == "handwriting"
    assert line.evidence[0].detail == "handwriting or a signature located here; doubt 1.00 of the observed range"


class SeesHeight(Sees):
    """A detector that sees one line of a height, in pixels of the picture it is shown, and remembers the pictures."""

    def __init__(self, height: float) -> None:
        super().__init__("ppocr-det", DetectedBox(box_polygon(100, 200, 300, 200 + height), 0.9, 0.01))
        self.sizes: list[tuple[int, ...]] = []

    def detect(self, image: NDArray[np.uint8]) -> list[DetectedBox]:
        self.sizes.append(image.shape[:2])
        return super().detect(image)


@pytest.mark.parametrize(
    ("height", "sizes", "place"),
    [(16, [(1024, 768)], (200, 400, 600, 432)), (4, [(1024, 768), (2048, 1536)], (100, 200, 300, 204))],
)
def test_a_page_is_searched_on_a_smaller_picture_unless_its_print_is_small(
    height: float, sizes: list[tuple[int, int]], place: tuple[int, int, int, int]
) -> None:
    detector = SeesHeight(height)
    page = np.full((2048, 1536, 3), 255, np.uint8)
    (line,) = TextLocator(second_reader=False, detectors=[detector]).page_lines(page)
    assert (detector.sizes, bounding_box(line.polygon)) == (sizes, place)


def test_a_small_page_is_searched_as_it_is() -> None:
    detector = SeesHeight(16)
    TextLocator(second_reader=False, detectors=[detector]).page_lines(np.full((900, 700, 3), 255, np.uint8))
    assert detector.sizes == [(900, 700)]


class Screens(Sees):
    """Sees fixed boxes, and signs of text as they are given for pictures of each brightness."""

    def __init__(self, name: str, *boxes: DetectedBox, signs: dict[int, list[tuple[Box, float]]]) -> None:
        super().__init__(name, *boxes)
        self.signs = signs

    def look(self, image: NDArray[np.uint8]) -> Look:
        return Look(self.detect(image), tuple(self.signs.get(int(image[0, 0, 0]), ())))


PLACE, ELSEWHERE = (20, 20, 60, 32), (20, 40, 60, 52)


@pytest.mark.parametrize(("screen", "looks"), [(0.02, 2), (0.0, 3), (0.95, 0)])
def test_only_pictures_that_may_show_text_are_shown_to_the_other_detectors(screen: float, looks: int) -> None:
    pictures = [np.full((60, 80, 3), grey, np.uint8) for grey in (0, 128, 255)]
    signs = {0: [(PLACE, 0.019)], 128: [(PLACE, 0.001), (ELSEWHERE, 0.02)], 255: [(PLACE, 0.9)]}
    ours, theirs = Screens("deidra-det", signs=signs), Sees("ppocr-det")
    TextLocator(second_reader=False, screen=screen, detectors=[ours, theirs]).lines(pictures)
    assert (ours.pictures, theirs.pictures) == (3, looks)


@pytest.mark.parametrize(
    ("told", "sign", "looks"),
    [
        (PLACE, PLACE, 1),
        (PLACE, ELSEWHERE, 2),
        # What lies in a box to seven tenths has been told of.
        (PLACE, (32, 20, 72, 32), 1),
        (PLACE, (33, 20, 73, 32), 2),
    ],
)
def test_the_others_look_again_only_where_something_new_appears(told: Box, sign: Box, looks: int) -> None:
    pictures = [np.full((60, 80, 3), grey, np.uint8) for grey in (0, 128)]
    ours = Screens("deidra-det", signs={0: [(told, 0.9)], 128: [(told, 0.9), (sign, 0.02)]})
    theirs = Sees("ppocr-det", DetectedBox(box_polygon(*told), 0.9, 0.01))
    TextLocator(second_reader=False, screen=0.02, detectors=[ours, theirs]).lines(pictures)
    assert theirs.pictures == looks


def test_the_others_look_again_where_they_have_not_seen_what_the_first_sees() -> None:
    pictures = [np.full((60, 80, 3), grey, np.uint8) for grey in (0, 128)]
    ours = Screens("deidra-det", signs={0: [(PLACE, 0.9)], 128: [(PLACE, 0.9)]})
    theirs = Sees("ppocr-det")
    TextLocator(second_reader=False, screen=0.02, detectors=[ours, theirs]).lines(pictures)
    assert theirs.pictures == 2


@pytest.mark.parametrize(
    ("place", "kept"),
    [
        ((0, 0, 80, 60), True),  # a sign stands in it
        ((0, 0, 80, 19), False),  # none does
        ((0, 0, 80, 11), True),  # too low to count as large
    ],
)
def test_a_large_box_in_which_the_first_detector_sees_no_sign_is_none(place: Box, kept: bool) -> None:
    ours = Screens("deidra-det", signs={0: [(ELSEWHERE, 0.02)]})
    theirs = Sees("ppocr-det", DetectedBox(box_polygon(*place), 0.9, 0.01))
    locator = TextLocator(second_reader=False, screen=0.02, detectors=[ours, theirs])
    assert [s.agent for s in locator.sightings([np.zeros((60, 80, 3), np.uint8)])] == ["ppocr-det"] * kept


class SeesParts(Sees):
    """Sees one box in the middle of whatever it is shown, and remembers what it was shown."""

    def __init__(self) -> None:
        super().__init__("ppocr-det")
        self.shown: list[tuple[tuple[int, int], tuple[int, int]]] = []

    def detect(self, image: NDArray[np.uint8]) -> list[DetectedBox]:
        return self.detect_part(image, (image.shape[0], image.shape[1]))

    def detect_part(self, image: NDArray[np.uint8], whole: tuple[int, int]) -> list[DetectedBox]:
        height, width = image.shape[:2]
        self.shown.append(((height, width), whole))
        x, y = width // 2, height // 2
        return [DetectedBox(box_polygon(x - 9, y - 3, x + 9, y + 3), 0.9, 0.01)]


@pytest.mark.parametrize(
    ("signs", "shown", "middles"),
    [
        # A slight sign: 64 pixels around it are looked at, and what is seen lies where it lies in the whole.
        ([((300, 200, 340, 210), 0.89)], [(138, 168)], [(320, 205)]),
        # Where it is high, four of its heights around it, as far as the picture goes.
        ([((300, 0, 340, 30), 0.1)], [(150, 280)], [(320, 75)]),
        # Two whose surroundings meet are looked at together, two that are far apart one by one.
        ([((300, 200, 340, 210), 0.1), ((360, 200, 380, 210), 0.02)], [(138, 208)], [(340, 205)]),
        ([((100, 100, 110, 110), 0.1), ((400, 300, 410, 310), 0.1)], [(138, 138)] * 2, [(105, 105), (405, 305)]),
        # Text that surely stands there may be in company; many parts cost as much as the whole.
        ([((300, 200, 340, 210), 0.9)], [(400, 600)], [(300, 200)]),
        ([((300, 200, 340, 210), 0.1), ((20, 20, 40, 26), 0.9)], [(400, 600)], [(300, 200)]),
        ([((0, 100, 560, 110), 0.1)], [(138, 600)], [(300, 105)]),
        ([((0, 100, 560, 140), 0.1)], [(400, 600)], [(300, 200)]),
    ],
)
def test_around_slight_signs_the_others_see_a_part_of_the_picture(
    signs: list[tuple[Box, float]], shown: list[tuple[int, int]], middles: list[tuple[int, int]]
) -> None:
    theirs = SeesParts()
    locator = TextLocator(second_reader=False, screen=0.02, detectors=[Screens("deidra-det", signs={0: signs}), theirs])
    seen = locator.sightings([np.zeros((400, 600, 3), np.uint8)])
    assert theirs.shown == [(size, (400, 600)) for size in shown]
    bounds = [bounding_box(s.box.polygon) for s in seen]
    assert [((left + right) // 2, (top + bottom) // 2) for left, top, right, bottom in bounds] == middles


@pytest.mark.parametrize(("side", "shown"), [(110, (550, 550)), (790, (1024, 768))])
def test_of_a_page_that_is_mostly_empty_the_others_see_what_is_around_the_signs(
    side: int, shown: tuple[int, int]
) -> None:
    theirs = SeesParts()
    signs = {255: [((200, 300, 330, 300 + side // 2), 0.95), ((200, 300 + side // 2, 300, 300 + side), 0.2)]}
    ours = Screens("deidra-det", signs=signs)
    page = np.full((2048, 1536, 3), 255, np.uint8)
    TextLocator(second_reader=False, screen=0.02, detectors=[ours, theirs]).page_lines(page)
    assert theirs.shown[0][1] == (1024, 768)
    assert theirs.shown[0][0] == shown


def test_the_whole_of_a_frame_is_shown_once_and_then_only_where_something_new_is_seen() -> None:
    theirs = SeesParts()
    signs = {0: [((300, 200, 340, 210), 0.95)], 9: [((50, 50, 60, 60), 0.95)], 18: [((0, 100, 590, 140), 0.95)]}
    ours = Screens("deidra-det", signs=signs)
    pictures = [np.full((400, 600, 3), grey, np.uint8) for grey in signs]
    TextLocator(second_reader=False, screen=0.02, detectors=[ours, theirs]).sightings(pictures)
    assert [size for size, _ in theirs.shown] == [(400, 600), (124, 124), (400, 600)]


@pytest.mark.parametrize("size", [(480, 900), (1400, 1100)])
def test_ppocr_sees_the_text_of_a_part_at_the_scale_of_the_whole(size: tuple[int, int]) -> None:
    text = printed("OKONKWO")
    picture = np.zeros((*size, 3), np.uint8)
    picture[200:320, 300:720] = np.array(text)
    (box,) = PPOCRDetector().detect_part(picture[136:384, 236:784], size)
    left, top, right, bottom = text.getbbox() or (0, 0, 0, 0)
    ink = (left + 64, top + 64, right + 64, bottom + 64)
    assert intersection_area(ink, bounding_box(box.polygon)) > 0.97 * area(ink)
    assert iou(ink, bounding_box(box.polygon)) > 0.4


def test_a_detector_that_cannot_screen_keeps_no_picture_from_the_others() -> None:
    first, second = Sees("ppocr-det"), Screens("deidra-det", signs={})
    blank = np.zeros((60, 80, 3), np.uint8)
    TextLocator(second_reader=False, screen=1.0, detectors=[first, second]).lines([blank])
    assert (first.pictures, second.pictures) == (1, 1)


def test_what_a_screening_detector_tells_of_an_empty_picture_counts_all_the_same() -> None:
    box = DetectedBox(box_polygon(20, 40, 60, 55), 0.6, 0.02, "printed")
    ours = Screens("deidra-det", box, signs={})
    locator = TextLocator(second_reader=False, screen=0.02, detectors=[ours, Sees("ppocr-det")])
    assert len(locator.lines([np.zeros((120, 160, 3), np.uint8)])) == 1


def test_the_variational_detector_screens() -> None:
    detector = VariationalDetector()
    assert isinstance(detector, ScreeningDetector)
    assert not isinstance(PPOCRDetector(), ScreeningDetector)
    empty, text = (detector.look(np.array(picture)) for picture in (Image.new("RGB", (420, 120)), printed("OKONKWO")))
    assert empty.boxes == []
    assert max((p for _, p in empty.signs), default=0) < 0.02 < 0.9 < max(p for _, p in text.signs)
    assert text.boxes == detector.detect(np.array(printed("OKONKWO")))
    assert all(any(iou(bounding_box(box.polygon), sign) > 0.9 for sign, _ in text.signs) for box in text.boxes)


def test_detectors_are_made_when_the_first_picture_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def make(name: str) -> Sees:
        made.append(name)
        return Sees(name)

    monkeypatch.setattr(locate, "detector", make)
    locator = TextLocator(["ppocr-det", "deidra-det"])
    assert made == []
    blank = np.zeros((40, 40, 3), np.uint8)
    assert locator.lines([blank]) == locator.lines([blank]) == []
    assert made == ["ppocr-det", "deidra-det"]


@pytest.mark.parametrize("name", AGENTS)
def test_a_missing_model_is_told_before_its_detector_is_made(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def missing(model: str) -> None:
        raise ModelError(f"{model} is missing")

    monkeypatch.setattr(locate, "verified_path", missing)
    with pytest.raises(ModelError, match=f"{name} is missing"):
        TextLocator([name]).lines([np.zeros((40, 40, 3), np.uint8)])


def test_the_agents_are_the_detectors_of_these_names() -> None:
    assert {name: maker.name for name, maker in locate._MAKERS.items()} == {name: name for name in AGENTS}
    assert set(AGENTS) <= set(registry())


@pytest.mark.parametrize("agents", [AGENTS, *((name,) for name in AGENTS)])
def test_printed_text_is_located_and_read(agents: tuple[Agent, ...]) -> None:
    picture = printed("OKONKWO 4711")
    ink = picture.getbbox()
    (line,) = TextLocator(agents, second_reader=False).lines([np.array(picture)])
    assert line.text.replace(" ", "") == "OKONKWO4711"
    place = bounding_box(line.polygon)
    assert intersection_area(place, ink) >= 0.95 * (ink[2] - ink[0]) * (ink[3] - ink[1])
    assert len(line.char_spans) == len(line.text)
    assert [e.agent for e in line.evidence] == [*agents, "ppocr-rec"]
    assert line.evidence[0].score > 0.5


@pytest.mark.parametrize("agents", [AGENTS, *((name,) for name in AGENTS)])
def test_a_picture_without_text_has_no_lines(agents: tuple[Agent, ...]) -> None:
    assert TextLocator(agents, second_reader=False).lines([np.zeros((120, 160, 3), np.uint8)]) == []

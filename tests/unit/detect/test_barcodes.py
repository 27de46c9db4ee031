"""Barcodes: decoded where they stand, typed by what they hold, and never passed over in silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from barcode_pictures import dark_box, on_ground, rgb, symbol
from numpy.typing import NDArray
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian, SecondaryCaptureImageStorage

from deidra.app.decide.policy import Policy
from deidra.app.decide.verdict import is_clear, verdict_of
from deidra.app.detect.drafts import Draft, region_drafts
from deidra.app.detect.images import dicom_text
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.locate import TextLocator
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.geometry import area, bounding_box, box_polygon, intersection_area
from deidra.app.domain.model import Action, Evidence, FrameText, TextLine, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.models.text_detector import DetectedBox

Line = Callable[..., TextLine]
Frame = Callable[..., FrameText]
Known = Callable[..., KnownIdentifiers]
READER = "zxing-cpp"


class Sees:
    """A detector that sees the same boxes on every picture."""

    def __init__(self, name: str, *boxes: DetectedBox) -> None:
        self.name = name
        self.boxes = list(boxes)

    def detect(self, image: NDArray[np.uint8]) -> list[DetectedBox]:
        return self.boxes


def locator(*boxes: DetectedBox) -> TextLocator:
    return TextLocator(second_reader=False, detectors=[Sees("deidra-det", *boxes), Sees("ppocr-det")])


def agents(line: TextLine) -> list[tuple[str, str | None, str]]:
    return [(e.agent, e.text, e.detail) for e in line.evidence if e.agent != "ppocr-rec"]


def test_a_barcode_that_no_detector_sees_is_a_line_all_the_same() -> None:
    picture = on_ground(symbol("MRN A4711", "QRCode", 4))
    (line,) = locator().lines([rgb(picture)])
    assert (line.text, line.kind, line.char_spans) == ("MRN A4711", "barcode", ())
    assert agents(line) == [(READER, None, "a barcode located here"), (READER, "MRN A4711", "QR Code, decoded")]
    ink = dark_box(picture)
    assert intersection_area(bounding_box(line.polygon), ink) >= 0.99 * area(ink)


def test_a_barcode_that_a_detector_sees_as_well_has_the_evidence_of_both_and_covers_both_places() -> None:
    picture = on_ground(symbol("A4711", "Code128", 2))
    left, top, right, bottom = dark_box(picture)
    box = DetectedBox(box_polygon(left - 6, top - 5, right + 3, bottom + 7), 0.75, 0.0006, "barcode")
    (line,) = locator(box).lines([rgb(picture)])
    assert agents(line) == [
        ("deidra-det", None, "a barcode located here; doubt 0.03 of the observed range"),
        (READER, None, "a barcode located here"),
        (READER, "A4711", "Code 128, decoded"),
    ]
    assert bounding_box(line.polygon) == bounding_box(box.polygon)


def test_a_barcode_that_can_only_be_decoded_in_its_place_is_decoded_where_a_detector_sees_it() -> None:
    code = symbol("A4711", "Code128", 1, quiet=False)
    place = box_polygon(40, 30, 40 + code.shape[1], 30 + code.shape[0])
    (line,) = locator(DetectedBox(place, 0.9, 0.001, "barcode")).lines([rgb(on_ground(code, ground=0))])
    assert (line.text, line.kind) == ("A4711", "barcode")
    assert [agent for agent, _, _ in agents(line)] == ["deidra-det", READER]
    (printed,) = locator(DetectedBox(place, 0.9, 0.001, "printed")).lines([rgb(on_ground(code, ground=0))])
    assert [agent for agent, _, _ in agents(printed)] == ["deidra-det"]


def test_a_barcode_that_cannot_be_decoded_is_read_as_before() -> None:
    place = DetectedBox(box_polygon(20, 20, 180, 70), 0.9, 0.001, "barcode")
    noise = np.random.default_rng(1).integers(0, 255, (100, 220, 3)).astype(np.uint8)
    (line,) = locator(place).lines([noise])
    assert line.kind == "barcode"
    assert [e.agent for e in line.evidence] == ["deidra-det", "ppocr-rec"]


@pytest.mark.parametrize(
    ("kind", "share", "lines"),
    [("", 0.3, 1), ("barcode", 0.3, 1), ("printed", 0.3, 2), ("handwriting", 0.3, 2), ("", 1.0, 1)],
)
def test_what_a_detector_sees_inside_a_decoded_barcode_is_part_of_it_unless_it_calls_it_text(
    kind: str, share: float, lines: int
) -> None:
    picture = on_ground(symbol("A4711", "QRCode", 4), margin=300)
    left, top, right, bottom = dark_box(picture)
    place = box_polygon(left + 2, top + 2, right - 2, top + 2 + share * (bottom - top - 4))
    found = locator(DetectedBox(place, 0.9, 0.001, kind)).lines([rgb(picture)])
    assert len(found) == lines
    assert sum(line.text == "A4711" for line in found) == 1


def test_every_rendering_is_looked_at_and_a_barcode_on_several_is_one_line() -> None:
    code = rgb(on_ground(symbol("A4711", "QRCode", 4)))
    for pictures in ([code, np.zeros_like(code)], [np.zeros_like(code), code], [code, code, 255 - code]):
        assert [line.text for line in locator().lines(pictures)] == ["A4711"]


def test_two_barcodes_in_one_place_are_one_line_with_both_contents() -> None:
    first, second = symbol("A4711", "QRCode", 3), symbol("B9382", "QRCode", 3)
    picture = on_ground(np.hstack([first, second]))
    left, top, right, bottom = dark_box(picture)
    place = DetectedBox(box_polygon(left, top, right, bottom), 0.9, 0.001, "barcode")
    (line,) = locator(place).lines([rgb(picture)])
    assert sorted(line.text.split()) == ["A4711", "B9382"]
    assert sorted(text for _, text, _ in agents(line) if text) == ["A4711", "B9382"]


def sequence(frames: list[NDArray[np.uint8]]) -> FileDataset:
    """A grey DICOM file of some frames ``(rows, columns)``."""
    dataset = FileDataset("", {}, bytes(128), FileMetaDataset(), False, True)
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.SOPClassUID = SecondaryCaptureImageStorage
    dataset.NumberOfFrames = len(frames)
    dataset.Rows, dataset.Columns = frames[0].shape
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
    dataset.BitsAllocated = dataset.BitsStored = 8
    dataset.HighBit, dataset.PixelRepresentation = 7, 0
    dataset.add_new(0x7FE00010, "OB", np.stack(frames).tobytes())
    return dataset


@pytest.mark.parametrize("place", [0, 5, 11])
def test_a_barcode_on_one_frame_of_many_is_found_there(place: int) -> None:
    code = on_ground(symbol("A4711", "QRCode", 4))
    frames = [np.full_like(code, 90)] * 12
    frames[place] = code
    found = dicom_text(sequence(frames), locator()).frames
    assert [(f.index, [line.text for line in f.lines]) for f in found if f.lines] == [(place, ["A4711"])]


def test_another_barcode_in_the_same_place_is_decoded_as_well() -> None:
    frames = [on_ground(symbol(text, "QRCode", 4)) for text in ("OKONKWO", *["MRN A4711"] * 7)]
    frames = [frame[: min(f.shape[0] for f in frames), : min(f.shape[1] for f in frames)] for frame in frames]
    found = dicom_text(sequence(frames), locator()).frames
    assert {line.text for f in found for line in f.lines} == {"OKONKWO", "MRN A4711"}


@pytest.fixture
def coded(line: Line) -> Callable[..., TextLine]:
    """A barcode that the detectors see and that holds some text; ``read`` is what the readers make of it."""

    def make(content: str, *, read: str = "IIl|", seen: bool = True, symbology: str = "QR Code") -> TextLine:
        place = line(read, second=None, confidence=0.4, kind="barcode", agents=["deidra-det"] if seen else [])
        evidence = (*place.evidence, Evidence(READER, content, None, 1.0, 0.0, f"{symbology}, decoded"))
        return replace(place, text=content, char_spans=(), evidence=evidence)

    return make


def draft_of(line: TextLine, tagger: EntityTagger) -> Draft:
    (draft,) = region_drafts(FrameText(0, 640, 480, (line,)), tagger, unknown_words=True)
    return draft


def test_what_a_header_value_vouches_for_is_covered_without_asking_whoever_sees_it(
    coded: Callable[..., TextLine], known: Known
) -> None:
    tagger = EntityTagger(known((EntityType.PATIENT, "Okonkwo^Adaeze"), (EntityType.ID_MRN, "X4711")))
    for content, kind in (("X4711|2", EntityType.ID_MRN), ("OKONKWO^ADAEZE", EntityType.PATIENT)):
        for seen in (True, False):
            code = coded(content, seen=seen)
            draft = draft_of(code, tagger)
            assert (draft.text, draft.type, draft.certain, draft.polygon) == (content, kind, True, code.polygon)
            assert draft.reason.endswith("in a barcode (QR Code, decoded)")
            assert verdict_of(draft, Policy()) is Verdict.AUTO


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("MRN: A4711", EntityType.ID_MRN),
        ("DOB 12/11/1950", EntityType.DATE_BIRTH),
        ("SSN 219-09-9999", EntityType.ID_SSN),
    ],
)
def test_what_a_rule_is_sure_of_is_covered_without_asking_since_contents_are_checked(
    coded: Callable[..., TextLine], tagger: EntityTagger, content: str, kind: EntityType
) -> None:
    for seen in (True, False):
        draft = draft_of(coded(content, seen=seen), tagger)
        assert (draft.text, draft.type, draft.action) == (content, kind, Action.REDACT)
        assert any(e.agent == "rules" and e.type is kind for e in draft.evidence)
        assert verdict_of(draft, Policy()) is Verdict.AUTO
        assert is_clear(draft, Policy())


@pytest.mark.parametrize(
    "content", ["A4711", "4711", "(01)09501101530003", "QXZV", "JOHN", "AXIAL 4711", "1-2-3 B52", "??"]
)
def test_any_content_that_is_not_plainly_harmless_is_asked_about_whatever_the_limits(
    coded: Callable[..., TextLine], tagger: EntityTagger, content: str
) -> None:
    draft = draft_of(coded(content), tagger)
    assert (draft.text, draft.asked) == (content, True)
    assert draft.type is not None
    strict = Policy.model_validate({"thresholds": {"queue_score": 0.99, "auto_score": 0.99}})
    assert [verdict_of(draft, policy) for policy in (Policy(), strict)] == [Verdict.QUEUE] * 2


@pytest.mark.parametrize("content", ["A4711", "QXZV", "0950", "1-2-3 B52"])
def test_a_content_of_no_known_kind_is_an_identifier(
    coded: Callable[..., TextLine], tagger: EntityTagger, content: str
) -> None:
    draft = draft_of(coded(content, symbology="Code 39"), tagger)
    assert (draft.type, draft.asked) == (EntityType.ID_OTHER, True)
    assert draft.reason == "a barcode (Code 39, decoded)"
    assert not is_clear(draft, Policy())


@pytest.mark.parametrize("content", ["AXIAL", "L", "AXIAL 12", "HEAD 3 of 30", "kV 120"])
def test_words_and_short_numbers_are_harmless(
    coded: Callable[..., TextLine], tagger: EntityTagger, content: str
) -> None:
    draft = draft_of(coded(content), tagger)
    assert (draft.type, draft.action, draft.text) == (None, Action.KEEP, content)
    assert verdict_of(draft, Policy()) is Verdict.IGNORE


def test_a_name_that_is_read_at_a_harmless_barcode_covers_it(coded: Callable[..., TextLine], known: Known) -> None:
    tagger = EntityTagger(known((EntityType.PATIENT, "Okonkwo^Adaeze")))
    draft = draft_of(coded("AXIAL", read="OKONKWO ADAEZE"), tagger)
    assert (draft.type, draft.certain) == (EntityType.PATIENT, True)


def test_a_type_that_the_policy_does_not_count_makes_a_barcode_no_less_an_identifier(
    coded: Callable[..., TextLine], known: Known
) -> None:
    tagger = EntityTagger(known(), [EntityType.DATE_BIRTH, EntityType.DATE_OTHER])
    draft = draft_of(coded("DOB 12/11/1950"), tagger)
    assert (draft.type, draft.asked) == (EntityType.ID_OTHER, True)

"""Slices of a series are searched together: which assets form a stack, and what each slice gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, generate_uid

from deidra.app.decide.policy import Policy
from deidra.app.domain.geometry import bounding_box, box_polygon
from deidra.app.domain.model import Asset, AssetKind, AssetStatus, Evidence, TextLine
from deidra.app.metadata.keys import ProjectKey
from deidra.app.stages import MOST_STACKED, StageWorker, stacks
from deidra.models.text_detector import DetectedBox

SIZE = 128


def asset(number: int, stack: Sequence[str]) -> Asset:
    return Asset(str(number), f"/{number}", "", "", 1, AssetKind.DICOM, AssetStatus.LOADED, info={"stack": list(stack)})


@given(st.lists(st.sampled_from(["", "a", "b"]), max_size=300))
def test_stacks_hold_every_asset_once_in_order_and_no_strangers(series: list[str]) -> None:
    assets = [asset(n, [s] if s else []) for n, s in enumerate(series)]
    made = stacks(assets)
    assert sorted((a for stack in made for a in stack), key=lambda a: int(a.id)) == assets
    for stack in made:
        assert [int(a.id) for a in stack] == sorted(int(a.id) for a in stack)
        assert len({tuple(a.info["stack"]) for a in stack}) == 1
        assert len(stack) == 1 or stack[0].info["stack"]
        assert len(stack) <= MOST_STACKED
    for name in ("a", "b"):
        own = [len(stack) for stack in made if stack[0].info["stack"] == [name]]
        assert all(n == MOST_STACKED for n in own[:-1])


def test_assets_that_were_loaded_before_stacks_were_known_are_searched_alone() -> None:
    old = replace(asset(1, []), info={"frames": 1})
    assert stacks([old, asset(2, ["a"])]) == [[old], [asset(2, ["a"])]]


class BrightLetters:
    """Stands for the locator: text is what is written with :func:`write`."""

    def __init__(self) -> None:
        self.searches = 0

    def suspects(self, picture: np.ndarray) -> list[DetectedBox]:
        ink = cv2.dilate((picture[:, :, 0] > 250).astype(np.uint8), np.ones((3, 9), np.uint8))
        count, _, stats, _ = cv2.connectedComponentsWithStats(ink)
        boxes = [(x, y, x + w, y + h) for x, y, w, h, _ in stats[1:count].tolist() if w > 20]
        return [DetectedBox(box_polygon(*box), 0.9, 0.0) for box in boxes]

    def lines(self, pictures: Sequence[np.ndarray]) -> list[TextLine]:
        self.searches += 1
        read = Evidence("ppocr-rec", "OKONKWO", None, 0.9, 0.0)
        spans = tuple((n / 7, (n + 1) / 7) for n in range(7))
        return [TextLine(b.polygon, "OKONKWO", spans, (read,), "printed") for b in self.suspects(pictures[0])]

    def glance(self, line: TextLine, picture: np.ndarray) -> tuple[str, float]:
        return ("OKONKWO", 0.9) if self.is_text(line, picture) else ("", 0.0)

    def reread(self, lines: Sequence[TextLine], _picture: np.ndarray) -> list[TextLine]:
        return list(lines)

    def is_text(self, line: TextLine, picture: np.ndarray) -> bool:
        left, top, right, bottom = bounding_box(line.polygon)
        return bool((picture[top:bottom, left:right] > 250).any())


def write(values: np.ndarray) -> np.ndarray:
    ink = np.zeros(values.shape, np.uint8)
    cv2.putText(ink, "OKONKWO", (20, 60), cv2.FONT_HERSHEY_PLAIN, 1, 255, 1)
    return np.where(ink > 100, 4000, values)


def slices(folder: Path, texts: Sequence[bool]) -> list[Asset]:
    """CT slices of a ball that shrinks; ``texts`` tells which have a name on them."""
    series, made = generate_uid(), []
    for number, text in enumerate(texts):
        values = np.random.default_rng(number).normal(100, 5, (SIZE, SIZE))
        cv2.circle(values, (64, 100), 28 - number, 1100.0, -1)
        data = FileDataset("", {}, bytes(128), FileMetaDataset(), False, True)
        data.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
        data.file_meta.MediaStorageSOPClassUID = data.SOPClassUID = CTImageStorage
        data.file_meta.MediaStorageSOPInstanceUID = data.SOPInstanceUID = generate_uid()
        data.SeriesInstanceUID, data.StudyInstanceUID = series, generate_uid()
        data.Modality, data.Rows, data.Columns = "CT", SIZE, SIZE
        data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
        data.BitsAllocated, data.BitsStored, data.HighBit, data.PixelRepresentation = 16, 12, 11, 0
        values[0, 0] = 4000  # one grey scale for all
        data.PixelData = (write(values) if text else values).astype(np.uint16).tobytes()
        stream = BytesIO()
        data.save_as(stream, enforce_file_format=True)
        path = folder / f"{number}.dcm"
        path.write_bytes(stream.getvalue())
        made.append(Asset(str(number), str(path), "", sha256(stream.getvalue()).hexdigest(), 1, AssetKind.DICOM))
    return made


@pytest.fixture
def worker() -> StageWorker:
    made = StageWorker(ProjectKey(bytes(32)), Policy())
    made._locator = BrightLetters()
    return made


@pytest.mark.parametrize("texts", [{0}, {5}, {11}, {4, 5, 6}, set(), set(range(12)), {0, 9}])
def test_each_slice_gets_the_text_that_stands_on_it(worker: StageWorker, tmp_path: Path, texts: set[int]) -> None:
    loaded = [worker.load(a).asset for a in slices(tmp_path, [n in texts for n in range(12)])]
    assert len(stacks(loaded)) == 1
    found = worker.detect_stack(loaded)
    assert [reason for _, reason in found] == [""] * 12
    assert {n for n, (text, _) in enumerate(found) if text and text.frames[0].lines} == texts
    assert all((f.index, f.width, f.height) == (0, SIZE, SIZE) for text, _ in found if text for f in text.frames)
    assert worker._locator.searches <= 1 + len(texts)
    assert sum(text.searched for text, _ in found if text) == worker._locator.searches


def test_a_slice_that_cannot_be_decoded_holds_no_other_back(worker: StageWorker, tmp_path: Path) -> None:
    made = slices(tmp_path, [True] * 4)
    Path(made[2].path).write_bytes(b"other content")
    found = worker.detect_stack(made)
    assert [bool(reason) for _, reason in found] == [False, False, True, False]
    assert [len(text.frames[0].lines) for text, _ in found if text] == [1, 1, 1]

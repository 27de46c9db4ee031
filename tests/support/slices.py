"""Slices of a series with a name written on some of them, and a locator that sees it."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, generate_uid

from deidra.app.domain.geometry import bounding_box, box_polygon
from deidra.app.domain.model import Asset, AssetKind, Evidence, TextLine
from deidra.models.text_detector import DetectedBox

SIZE = 128


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

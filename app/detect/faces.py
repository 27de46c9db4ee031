"""Faces on pages and photographs, as places that a curator is asked about (45 CFR 164.514(b)(2)(i)(Q))."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydicom import Dataset

from deidra.app.detect.agents import FACE
from deidra.app.domain.geometry import Polygon, bounding_box, box_polygon
from deidra.app.domain.model import Evidence, TextLine
from deidra.app.load.turning import Turning
from deidra.models.face_detector import NAME, FaceDetector

Image = NDArray[np.uint8]
_AROUND = 0.6
"""Share of a face's sides that hair, ears and chin stand out of the detector's box."""
PHOTOGRAPHED = 0.85
"""Probability that a face in a DICOM image has at least: colour maps and screens of machines look like faces sooner."""
_QUARTERS = (0, 90, 180, 270)
"""Degrees by which a picture is turned until a face is seen: portraits on pages that lie on their side."""
_NO_PHOTOGRAPHS = frozenset(
    (
        "CT",
        "MR",
        "PT",
        "NM",
        "US",
        "IVUS",
        "CR",
        "DX",
        "MG",
        "XA",
        "RF",
        "OCT",
        "OPT",
        "IVOCT",
        "SM",
        "ECG",
        "EPS",
        "SEG",
    )
)
"""Modalities (PS3.3 C.7.3.1.1.1) whose pictures in colour are no photographs of somebody."""


def is_photograph(dataset: Dataset) -> bool:
    """Whether an image may be a photograph: it is in colour and not of a modality that makes none."""
    grey = str(dataset.get("PhotometricInterpretation") or "").startswith("MONOCHROME")
    return not grey and str(dataset.get("Modality") or "") not in _NO_PHOTOGRAPHS


def face_lines(picture: Image, least: float = 0.0) -> list[TextLine]:
    """Faces on a picture ``(H, W, 3)``, RGB, whichever side is up: lines of the kind :data:`FACE` without text.

    Args:
        picture: the page or photograph.
        least: those less sure than this are left out.

    Raises:
        ModelError: the model is missing or damaged.
    """
    height, width = picture.shape[:2]
    for degrees in _QUARTERS:
        turning = Turning(width, height, degrees)
        turned = picture if not degrees else turning.picture(picture)
        faces = [f for f in FaceDetector().faces(np.ascontiguousarray(turned)) if f.score >= least]
        if faces:
            return [_line(turning.back(box_polygon(*face.box)), face.score, width, height) for face in faces]
    return []


def _line(place: Polygon, score: float, width: int, height: int) -> TextLine:
    left, top, right, bottom = bounding_box(place)
    x, y = round(_AROUND * (right - left)), round(_AROUND * (bottom - top))
    whole = box_polygon(max(0, left - x), max(0, top - y), min(width, right + x), min(height, bottom + y))
    seen = Evidence(NAME, None, None, round(score, 4), round(score * (1 - score), 4), "a face")
    return TextLine(whole, "", (), (seen,), FACE)

"""Faces on pages and photographs become places that a curator is asked about."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_faces import drawn_face
from pydicom import Dataset

from deidra.app.decide.policy import Policy
from deidra.app.decide.verdict import verdict_of
from deidra.app.detect.agents import FACE
from deidra.app.detect.documents import page_drafts
from deidra.app.detect.drafts import region_drafts
from deidra.app.detect.faces import face_lines, is_photograph
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.page import PageRules
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.geometry import bounding_box
from deidra.app.domain.model import FrameText, Verdict
from deidra.app.domain.taxonomy import EntityType


def sheet(quarters: int = 0) -> np.ndarray:
    page = np.full((700, 500, 3), 255, np.uint8)
    page[60:260, 250:450] = drawn_face(200)
    return np.ascontiguousarray(np.rot90(page, quarters))


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_a_face_is_found_whichever_side_is_up_and_covered_with_hair_and_chin(quarters: int) -> None:
    mask = np.zeros((700, 500), np.uint8)
    mask[78:245, 300:400] = 1  # from the hair to the chin
    ys, xs = np.nonzero(np.rot90(mask, quarters))
    (line,) = face_lines(sheet(quarters))
    left, top, right, bottom = bounding_box(line.polygon)
    assert (line.kind, line.text) == (FACE, "")
    assert left <= xs.min() + 12
    assert right >= xs.max() - 12
    assert top <= ys.min() + 12
    assert bottom >= ys.max() - 12


def test_a_curator_is_asked_about_a_face() -> None:
    frame = FrameText(0, 500, 700, tuple(face_lines(sheet())))
    (draft,) = region_drafts(frame, EntityTagger(KnownIdentifiers([])), True)
    assert (draft.type, draft.reason, draft.text) == (EntityType.OTHERPHI, "a face", "")
    assert verdict_of(draft, Policy()) is Verdict.QUEUE


@pytest.mark.parametrize("portraits", [True, False])
def test_a_policy_says_whether_faces_on_pages_are_private(portraits: bool) -> None:
    frame = FrameText(0, 500, 700, tuple(face_lines(sheet())))
    drafts = page_drafts(frame, EntityTagger(KnownIdentifiers([])), PageRules(portraits=portraits))
    assert [draft.reason for draft in drafts] == ["a face"] * portraits


@pytest.mark.parametrize(
    ("photometric", "modality", "expected"),
    [
        ("RGB", "XC", True),
        ("YBR_FULL_422", "OT", True),
        ("PALETTE COLOR", "", True),
        ("MONOCHROME2", "XC", False),
        ("RGB", "US", False),
        ("PALETTE COLOR", "NM", False),
    ],
)
def test_photographs_are_colour_images_of_modalities_that_take_them(
    photometric: str, modality: str, expected: bool
) -> None:
    dataset = Dataset()
    dataset.PhotometricInterpretation, dataset.Modality = photometric, modality
    assert is_photograph(dataset) is expected

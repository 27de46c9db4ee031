from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from dicom_files import redact_in_place, to_bytes
from pydicom import Dataset
from pydicom.dataset import FileDataset
from pydicom.uid import RLELossless, SegmentationStorage

from deidra.app.decide.policy import Policy
from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, DecisionKind, Finding, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.metadata.engine import HeaderEngine, Override, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.redact.plan import Mark, applies, kept, marks, overrides

BOX = box_polygon(5, 5, 15, 12)
REGION = Finding(
    "f",
    "a",
    0,
    None,
    BOX,
    None,
    "Okonkwo",
    EntityType.PATIENT,
    0.9,
    0.0,
    80,
    Verdict.AUTO,
    Action.REDACT,
    proposal="Doe",
)
FIELD = replace(REGION, frame=None, polygon=None, tag="(0008,103E)", action=Action.CLEAN, proposal="CT")


@pytest.mark.parametrize("accept", [True, False])
@pytest.mark.parametrize(
    ("verdict", "decision", "expected"),
    [
        (Verdict.AUTO, None, True),
        (Verdict.QUEUE, None, None),
        (Verdict.IGNORE, None, False),
        (Verdict.AUTO, DecisionKind.KEEP, False),
        (Verdict.QUEUE, DecisionKind.KEEP, False),
        (Verdict.QUEUE, DecisionKind.ACCEPT, True),
        (Verdict.QUEUE, DecisionKind.BLANK, True),
        (Verdict.IGNORE, DecisionKind.BLANK, True),
        (Verdict.IGNORE, DecisionKind.REPLACE, True),
    ],
)
def test_a_decision_counts_more_than_the_verdict(
    verdict: Verdict, decision: DecisionKind | None, expected: bool | None, accept: bool
) -> None:
    finding = replace(REGION, verdict=verdict, decision=decision)
    # None: what waits is carried out only when that was asked for.
    assert applies(finding, accept) is (accept if expected is None else expected)


def test_marks_cover_what_applies_and_write_only_what_a_curator_chose() -> None:
    chosen = replace(REGION, decision=DecisionKind.REPLACE, decision_text="Roe")
    page = replace(REGION, frame=None, page=2)
    everywhere = replace(REGION, frame=None)
    left = [replace(REGION, decision=DecisionKind.KEEP), replace(REGION, verdict=Verdict.QUEUE), FIELD]
    assert marks([REGION, chosen, page, everywhere, *left]) == [
        Mark(BOX, 0, was="Okonkwo"),
        Mark(BOX, 0, "Roe", "Okonkwo"),
        Mark(BOX, 2, was="Okonkwo"),
        Mark(BOX, None, was="Okonkwo"),
    ]
    assert len(marks(left, accept_pending=True)) == 1


@pytest.mark.parametrize(
    ("decision", "chosen", "written"),
    [
        (None, None, "Doe"),
        (DecisionKind.ACCEPT, None, "Doe"),
        (DecisionKind.REPLACE, "Roe", "Roe"),
        (DecisionKind.BLANK, None, None),
    ],
)
def test_surrogates_are_written_where_the_policy_wants_them(
    decision: DecisionKind | None, chosen: str | None, written: str | None
) -> None:
    finding = replace(REGION, decision=decision, decision_text=chosen)
    assert marks([finding], surrogates=True) == [Mark(BOX, 0, written, "Okonkwo")]
    assert marks([replace(finding, decision=DecisionKind.KEEP)], surrogates=True) == []
    assert marks([replace(REGION, proposal=None)], surrogates=True) == [Mark(BOX, 0, was="Okonkwo")]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Override(DecisionKind.REPLACE, "CT", "private text cut out", cut=True)),
        ({"proposal": None}, Override(DecisionKind.REPLACE, "", "private text cut out", cut=True)),
        ({"decision": DecisionKind.ACCEPT}, Override(DecisionKind.REPLACE, "CT", "private text cut out", cut=True)),
        ({"decision": DecisionKind.REPLACE, "decision_text": "MR"}, Override(DecisionKind.REPLACE, "MR")),
        ({"decision": DecisionKind.KEEP}, Override(DecisionKind.KEEP)),
        ({"decision": DecisionKind.BLANK}, Override(DecisionKind.BLANK)),
        ({"verdict": Verdict.QUEUE}, None),
        ({"action": Action.REMOVE}, None),
        ({"tag": None}, None),
    ],
)
def test_fields_become_overrides_where_they_differ_from_the_profile(
    changes: dict[str, object], expected: Override | None
) -> None:
    found = overrides([replace(FIELD, **changes)])
    assert found == ({} if expected is None else {"(0008,103E)": expected})


def test_pending_cleaning_is_carried_out_when_asked_for() -> None:
    assert overrides([replace(FIELD, verdict=Verdict.QUEUE)], accept_pending=True) != {}


def test_kept_findings_are_those_a_curator_kept() -> None:
    keep = replace(REGION, decision=DecisionKind.KEEP)
    assert kept([REGION, keep, replace(REGION, verdict=Verdict.IGNORE)]) == [keep]


@pytest.fixture
def engine() -> HeaderEngine:
    return HeaderEngine(Policy().profile, ProjectKey(bytes(32)))


SUBJECT = Subject("P0123", -50)


def test_a_file_is_redacted_wholly(make: Callable[..., FileDataset], engine: HeaderEngine) -> None:
    dataset = make(np.full((1, 20, 30), 9, np.uint16), bits_stored=12)
    dataset.SeriesDescription = "CT Okonkwo"
    dataset.BurnedInAnnotation = "YES"
    result = redact_in_place(dataset, [REGION, FIELD], engine, SUBJECT, Policy())
    again = read_dataset(result.data)
    assert result.pixels == "native"
    assert again.PatientName == "P0123"
    assert again.SeriesDescription == "CT"
    assert again.BurnedInAnnotation == "NO"
    assert again.PatientIdentityRemoved == "YES"
    assert "113101" in [item.CodeValue for item in again.DeidentificationMethodCodeSequence]
    assert b"Okonkwo" not in to_bytes(dataset)


def replaced(dataset: FileDataset, engine: HeaderEngine, keyword: str, text: str) -> bytes:
    """The file with a curator's new value in one element."""
    tag = dataset[keyword].tag
    chosen = replace(
        FIELD,
        tag=f"({tag.group:04X},{tag.element:04X})",
        decision=DecisionKind.REPLACE,
        decision_text=text,
    )
    redact_in_place(dataset, [chosen], engine, SUBJECT, Policy())
    return to_bytes(dataset)


@pytest.fixture
def typed(make: Callable[..., FileDataset]) -> FileDataset:
    """An image with one element of every kind of value."""
    dataset = make(np.zeros((1, 9, 9), np.uint8))
    dataset.SliceThickness = "1"
    dataset.SeriesNumber = "1"
    dataset.StudyDate = "20200101"
    dataset.PatientAge = "001Y"
    dataset.ReferencedImageSequence = [Dataset()]
    return dataset


@pytest.mark.parametrize(
    ("keyword", "text"),
    [("SliceThickness", "about 5"), ("SeriesNumber", "one"), ("Rows", "wide"), ("ReferencedImageSequence", "none")],
)
def test_a_replacement_that_does_not_fit_its_element_is_refused_without_its_text(
    typed: FileDataset, engine: HeaderEngine, keyword: str, text: str
) -> None:
    with pytest.raises(InputError) as caught:
        replaced(typed, engine, keyword, text)
    assert text not in f"{caught.value} {caught.value.advice}"


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("SeriesNumber", "1.5"),
        ("StudyDate", "soon"),
        ("PatientAge", "old"),
        ("Modality", "lower"),
        ("StudyTime", "noon"),
    ],
)
def test_a_replacement_that_the_standard_does_not_allow_is_refused_with_advice(
    typed: FileDataset, engine: HeaderEngine, keyword: str, text: str
) -> None:
    typed.StudyTime = "1200"
    with pytest.raises(InputError, match="does not fit its type") as caught:
        replaced(typed, engine, keyword, text)
    assert text not in f"{caught.value} {caught.value.advice}"
    assert caught.value.advice


def test_a_replacement_with_too_many_name_components_raises_nothing_but_an_input_error(
    typed: FileDataset, engine: HeaderEngine
) -> None:
    with contextlib.suppress(InputError):
        replaced(typed, engine, "PatientName", "Doe=a=b=c=d")


def test_text_that_is_cleaned_to_nothing_becomes_a_word(make: Callable[..., FileDataset], engine: HeaderEngine) -> None:
    dataset = make(np.zeros((1, 9, 9), np.uint8))
    dataset.SeriesDescription = "Okonkwo"
    redact_in_place(dataset, [replace(FIELD, proposal="")], engine, SUBJECT, Policy())
    assert dataset.SeriesDescription == "REMOVED"


def test_pixels_without_marks_stay_byte_for_byte(make: Callable[..., FileDataset], engine: HeaderEngine) -> None:
    dataset = make(np.arange(35 * 37, dtype=np.uint16).reshape(1, 35, 37))
    dataset.compress(RLELossless, generate_instance_uid=False)
    before = dataset.PixelData
    result = redact_in_place(dataset, [], engine, SUBJECT, Policy())
    assert result.pixels == "unchanged"
    assert read_dataset(to_bytes(dataset)).PixelData == before


def test_dirt_in_high_bits_is_removed_even_without_marks(
    make: Callable[..., FileDataset], engine: HeaderEngine
) -> None:
    dataset = make(np.full((1, 9, 9), 0x2005, np.uint16), bits_stored=12)
    assert redact_in_place(dataset, [], engine, SUBJECT, Policy()).pixels == "cleaned"
    assert Frames(dataset).frame(0).values.max() == 5


def test_bytes_behind_the_last_frame_are_removed_even_without_marks(
    make: Callable[..., FileDataset], engine: HeaderEngine
) -> None:
    dataset = make(np.zeros((1, 9, 9), np.uint8))
    dataset.PixelData = bytes(81) + b"Okonkwo"
    assert redact_in_place(dataset, [], engine, SUBJECT, Policy()).pixels == "cleaned"
    assert read_dataset(to_bytes(dataset)).PixelData == bytes(82)


def test_an_object_without_searchable_pixels_does_not_claim_clean_ones(
    make: Callable[..., FileDataset], engine: HeaderEngine
) -> None:
    dataset = make(np.zeros((1, 9, 9), np.uint8))
    dataset.SOPClassUID = SegmentationStorage
    dataset.SegmentSequence = [Dataset()]
    redact_in_place(dataset, [], engine, SUBJECT, Policy())
    assert "BurnedInAnnotation" not in dataset
    assert "113101" not in [item.CodeValue for item in dataset.DeidentificationMethodCodeSequence]

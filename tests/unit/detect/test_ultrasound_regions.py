"""Ultrasound regions: text in the margins counts for more, and what nobody can read on tissue waits longer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydicom.dataset import Dataset

from deidra.app.decide.policy import Policy
from deidra.app.decide.surrogates import Surrogates
from deidra.app.decide.verdict import findings_of, judged
from deidra.app.detect.drafts import Draft, region_drafts
from deidra.app.detect.tagger import EntityTagger
from deidra.app.detect.ultrasound import UltrasoundRegion, ultrasound_regions, weighed
from deidra.app.domain.model import Action, Asset, AssetKind, FrameText, TextLine, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.keys import ProjectKey

Line = Callable[..., TextLine]
TISSUE = UltrasoundRegion(0, 60, 640, 400, True)
CURVE = UltrasoundRegion(0, 400, 640, 470, False)
UNREAD = {"text": "xqwz 1", "confidence": 0.3, "second": "|-~ k", "second_confidence": 0.2}


def header(*regions: tuple[int, int, int, int, int], rows: int = 480, columns: int = 640) -> Dataset:
    dataset = Dataset()
    dataset.Rows, dataset.Columns = rows, columns
    items = []
    for left, top, right, bottom, spatial_format in regions:
        item = Dataset()
        item.RegionLocationMinX0, item.RegionLocationMinY0 = left, top
        item.RegionLocationMaxX1, item.RegionLocationMaxY1 = right, bottom
        item.RegionSpatialFormat = spatial_format
        items.append(item)
    dataset.SequenceOfUltrasoundRegions = items
    return dataset


def test_regions_are_read_with_the_last_row_and_column_and_whether_they_show_a_plane() -> None:
    found = ultrasound_regions(header((0, 60, 639, 399, 1), (0, 400, 639, 469, 3)))
    assert found == [TISSUE, CURVE]
    assert [UltrasoundRegion(*region.facts) for region in found] == found


@pytest.mark.parametrize(
    "bad", [(0, 60, 640, 399, 1), (0, 60, 639, 480, 1), (10, 60, 10, 399, 1), (30, 60, 20, 399, 1), (0, 90, 639, 80, 1)]
)
def test_regions_of_another_image_are_not_believed(bad: tuple[int, int, int, int, int]) -> None:
    assert ultrasound_regions(header((0, 60, 639, 399, 1), bad)) == []


def test_images_that_tell_of_no_regions_have_none() -> None:
    empty, faulty = header(), header((0, 60, 639, 399, 1))
    del faulty.SequenceOfUltrasoundRegions[0].RegionLocationMaxX1
    assert [ultrasound_regions(dataset) for dataset in (Dataset(), empty, faulty)] == [[], [], []]


def drafts(line: TextLine, tagger: EntityTagger, *regions: UltrasoundRegion) -> list[Draft]:
    return list(weighed(region_drafts(FrameText(0, 640, 480, (line,)), tagger, unknown_words=False), regions))


def test_private_text_outside_of_all_regions_is_more_surely_private(line: Line, tagger: EntityTagger) -> None:
    text = line("Katherine", top=20)
    (before,), (after,) = drafts(text, tagger), drafts(text, tagger, TISSUE, CURVE)
    assert after.score == pytest.approx(1 - 0.75 * (1 - before.score), abs=1e-4)
    assert (after.evidence[-1].agent, after.evidence[-1].detail) == ("ultrasound regions", "outside of all image areas")


@pytest.mark.parametrize("top", [55, 100, 420])
def test_private_text_that_reaches_into_a_region_stays_as_it_is(line: Line, tagger: EntityTagger, top: float) -> None:
    text = line("Katherine", top=top)
    assert drafts(text, tagger, TISSUE, CURVE) == drafts(text, tagger)


def test_what_nobody_can_read_within_tissue_comes_later_in_the_queue_and_waits_all_the_same(
    line: Line, tagger: EntityTagger
) -> None:
    text = line(**UNREAD, top=100)
    (before,), (after,) = drafts(text, tagger), drafts(text, tagger, TISSUE)
    assert replace(after, weight=1.0, evidence=before.evidence) == before
    assert after.evidence[-1].detail == "within an image of tissue"
    assert judged(after, Policy()) == judged(before, Policy())
    key = ProjectKey(bytes(32))
    asset = Asset("a", "/a", "", "", 1, AssetKind.DICOM)
    first, second = findings_of(asset, [before, after], Policy(), key, Surrogates(key), 0)
    assert (first.verdict, second.verdict) == (Verdict.QUEUE, Verdict.QUEUE)
    assert second.risk == pytest.approx(first.risk / 2, abs=0.1)


@pytest.mark.parametrize(("kind", "top"), [("handwriting", 100), ("barcode", 100), ("", 395), ("", 420)])
def test_handwriting_barcodes_and_what_is_not_fully_within_tissue_keep_their_place_in_the_queue(
    line: Line, tagger: EntityTagger, kind: str, top: float
) -> None:
    text = line(**UNREAD, top=top, kind=kind)
    assert drafts(text, tagger, TISSUE, CURVE) == drafts(text, tagger)


def test_harmless_text_stays_harmless_everywhere(line: Line, tagger: EntityTagger) -> None:
    for top in (20, 100):
        assert drafts(line("AXIAL T2", top=top), tagger, TISSUE) == drafts(line("AXIAL T2", top=top), tagger)


BOXES = st.tuples(st.integers(0, 600), st.integers(0, 440), st.integers(1, 40), st.integers(1, 40))


@given(BOXES, st.lists(st.tuples(BOXES, st.booleans()), max_size=4), st.floats(0, 1), st.sampled_from(EntityType))
def test_no_verdict_is_ever_lowered(
    place: tuple[int, int, int, int],
    regions: list[tuple[tuple[int, int, int, int], bool]],
    score: float,
    kind: EntityType,
) -> None:
    x, y, width, height = place
    polygon = tuple((float(a), float(b)) for a, b in ((x, y), (x + width, y), (x + width, y + height), (x, y + height)))
    draft = Draft(0, polygon, None, "", kind, round(score, 4), 0.0, Action.REDACT, (), "why")
    order = (Verdict.IGNORE, Verdict.QUEUE, Verdict.AUTO)
    found = [UltrasoundRegion(a, b, a + c, b + d, plane) for (a, b, c, d), plane in regions]
    (after,) = weighed([draft], found)
    assert after.score >= draft.score
    assert 0 < after.weight <= 1
    assert order.index(judged(after, Policy())[0]) >= order.index(judged(draft, Policy())[0])

"""What covered pixels look like: each fill of the policy, on every kind of sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydicom.dataset import FileDataset

from deidra.app.decide.policy import Fill, Policy, RedactSection
from deidra.app.domain.geometry import Box, as_polygon, box_polygon
from deidra.app.redact.documents import redact_page
from deidra.app.redact.paint import Palette, Region, cover, cover_all, marked_frames
from deidra.app.redact.pixels import redact_pixels
from deidra.app.redact.plan import Mark

Make = Callable[..., FileDataset]
GREY, COLOUR = Palette((0,), (255,)), Palette((0, 0, 0), (255, 255, 255))
RIPPLE = 5
"""Telea's method makes even areas uneven by this many grey levels."""
INPAINT = RedactSection(fill=Fill.INPAINT, padding_share=0, padding_least=0)


def mask_of(shape: tuple[int, int], *regions: Region) -> np.ndarray:
    mask = np.zeros(shape, bool)
    for region in regions:
        mask[region.rows, region.columns] |= region.mask
    return mask


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    left, top = draw(st.integers(0, 38)), draw(st.integers(0, 30))
    return left, top, min(40, left + draw(st.integers(1, 30))), min(32, top + draw(st.integers(1, 20)))


@settings(deadline=None)
@given(
    boxes(),
    st.sampled_from(["u1", "u2", "i2", "u4", "i4"]),
    st.sampled_from([0, 1, 3]),
    st.booleans(),
    st.integers(0, 9),
)
def test_inpainting_changes_nothing_outside_and_does_not_look_inside(
    box: Box, dtype: str, samples: int, indexed: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    before = rng.integers(0, 100, (32, 40, samples) if samples else (32, 40)).astype(dtype)
    other = before.copy()
    region = Region(box)
    mask = mask_of((32, 40), region)
    other[mask] = np.asarray(77, dtype)
    palette = Palette((0,) * max(1, samples), (99,) * max(1, samples), indexed)
    first, second = before.copy(), other.copy()
    cover(first, region, Fill.INPAINT, palette)
    cover(second, region, Fill.INPAINT, palette)
    np.testing.assert_array_equal(first[~mask], before[~mask])
    if mask.all():
        return
    # What was in the region has no influence on what comes into it.
    np.testing.assert_array_equal(first[mask], second[mask])


@settings(deadline=None)
@given(boxes(), st.sampled_from(["u2", "i2", "u4"]), st.integers(0, 9))
def test_deep_values_are_never_outside_the_range_of_the_rim(box: Box, dtype: str, seed: int) -> None:
    before = np.random.default_rng(seed).integers(0, 30000, (32, 40)).astype(dtype)
    after = before.copy()
    cover(after, Region(box), Fill.INPAINT, GREY)
    left, top, right, bottom = box
    ring = np.zeros((32, 40), bool)
    ring[max(0, top - 1) : bottom + 1, max(0, left - 1) : right + 1] = True
    ring[top:bottom, left:right] = False
    if ring.any():
        assert set(after[top:bottom, left:right].ravel().tolist()) <= set(before[ring].ravel().tolist())


def test_inpainting_draws_8_bit_gradients_on() -> None:
    before = np.tile(np.arange(80, dtype=np.uint8) * 3, (60, 1))
    after = before.copy()
    after[20:40, 30:50] = 255
    cover(after, Region((30, 20, 50, 40)), Fill.INPAINT, GREY)
    assert np.abs(after.astype(int) - before).max() < 30


def test_inpainting_colour_leaves_no_trace_of_the_text() -> None:
    page = np.full((60, 120, 3), (30, 90, 160), np.uint8)
    page[20:40, 30:90] = 255
    after = redact_page(page, 0, [Mark(box_polygon(29, 19, 91, 41), 0)], INPAINT)
    assert np.abs(after.astype(int) - (30, 90, 160)).max() <= RIPPLE


def test_palette_indices_are_never_mixed(make: Make) -> None:
    values = np.where(np.arange(40) < 20, 10, 200)[None, None].repeat(30, 1).astype(np.uint8)
    dataset = make(values, "PALETTE COLOR")
    for name in ("Red", "Green", "Blue"):
        setattr(dataset, f"{name}PaletteColorLookupTableDescriptor", [256, 0, 8])
        setattr(dataset, f"{name}PaletteColorLookupTableData", bytes(range(256)))
    redact_pixels(dataset, [Mark(box_polygon(10, 10, 30, 20), 0)], INPAINT)
    assert set(dataset.PixelData) == {10, 200}


def test_a_region_is_not_filled_from_another_one_that_is_covered_too() -> None:
    plane = np.full((40, 80), 50, np.uint8)
    plane[10:30, 20:60] = 250
    cover_all(plane, [(Region((20, 10, 40, 30)), None), (Region((40, 10, 60, 30)), None)], Fill.INPAINT, GREY)
    assert plane.max() <= 50 + RIPPLE


def test_where_nothing_is_around_inpainting_falls_back_on_the_rim() -> None:
    plane = np.full((10, 12), 50, np.uint8)
    plane[4:6, 4:6] = 250
    cover(plane, Region((0, 0, 12, 10)), Fill.INPAINT, GREY)
    assert set(plane.ravel().tolist()) == {50}


@pytest.mark.parametrize("samples", [0, 1, 3])
def test_the_corner_fill_takes_the_top_left_pixel_of_the_box(samples: int) -> None:
    plane = np.random.default_rng(1).integers(0, 255, (30, 40, samples) if samples else (30, 40)).astype(np.uint8)
    before = plane.copy()
    cover(plane, Region((5, 6, 20, 16)), Fill.CORNER, COLOUR if samples == 3 else GREY)
    assert (plane[6:16, 5:20] == before[6, 5]).all()
    np.testing.assert_array_equal(
        plane[~mask_of((30, 40), Region((5, 6, 20, 16)))], before[~mask_of((30, 40), Region((5, 6, 20, 16)))]
    )


@pytest.mark.parametrize("fill", list(Fill))
def test_every_fill_works_on_subsampled_colour(make: Make, fill: Fill) -> None:
    pairs = np.full((24, 20, 4), (90, 90, 100, 150), np.uint8)
    pairs[10:14, 8:12, :2] = 255
    dataset = make(np.zeros((1, 24, 40, 3), np.uint8), "YBR_FULL_422")
    dataset.PixelData = pairs.tobytes()
    redact_pixels(dataset, [Mark(box_polygon(14, 9, 26, 15), 0)], INPAINT.model_copy(update={"fill": fill}))
    after = np.frombuffer(dataset.PixelData, np.uint8).reshape(pairs.shape)
    outside = np.ones((24, 20), bool)
    outside[9:15, 7:13] = False
    np.testing.assert_array_equal(after[outside], pairs[outside])
    expected = {Fill.BLACK: (0, 0, 128, 128), Fill.WHITE: (255, 255, 128, 128)}.get(fill, (90, 90, 100, 150))
    inside = after[9:15, 7:13].astype(int)
    if fill is Fill.BLUR:
        # The box is as bright in the mean as it was, to a sixteenth of the way from black to white.
        assert abs(inside[..., :2].mean() - pairs[9:15, 7:13, :2].mean()) <= 255 / 16
        inside[..., :2] = 90
    assert np.abs(inside - expected).max() <= RIPPLE


@pytest.mark.parametrize("fill", list(Fill))
def test_every_fill_keeps_to_sloping_regions(fill: Fill) -> None:
    before = np.random.default_rng(3).integers(0, 255, (120, 160)).astype(np.uint8)
    region = Region.of(as_polygon([(30, 20), (130, 70), (121, 88), (21, 38)]), 160, 120, RedactSection())
    assert region.inside is not None
    after = before.copy()
    cover(after, region, fill, GREY)
    mask = mask_of((120, 160), region)
    np.testing.assert_array_equal(after[~mask], before[~mask])
    assert (after[mask] != before[mask]).mean() > 0.9


def test_a_surrogate_is_written_on_an_inpainted_box() -> None:
    plane = np.full((60, 160), 20, np.uint8)
    cover(plane, Region((20, 15, 140, 45)), Fill.INPAINT, GREY, "DOE")
    assert ((plane == 255) | (np.abs(plane.astype(int) - 20) <= RIPPLE)).all()
    assert 0.03 < (plane == 255)[15:45, 20:140].mean() < 0.6


@pytest.mark.parametrize("name", ["black", "white", "background", "corner", "inpaint", "blur"])
def test_a_policy_names_its_fill(name: str) -> None:
    assert Policy.model_validate({"redact": {"fill": name}}).redact.fill.value == name


def test_marked_frames_are_those_that_a_mark_is_on() -> None:
    polygon = box_polygon(0, 0, 2, 2)
    assert marked_frames([Mark(polygon, 3), Mark(polygon, 1), Mark(polygon, 3), Mark(polygon, 9)], 5) == [1, 3]
    assert marked_frames([Mark(polygon, 3), Mark(polygon, None)], 3) == [0, 1, 2]
    assert marked_frames([], 3) == []


@pytest.mark.parametrize("own", list(Fill))
@pytest.mark.parametrize("usual", list(Fill))
def test_a_box_with_a_fill_of_its_own_is_filled_with_it_and_the_others_are_not(own: Fill, usual: Fill) -> None:
    page = np.random.default_rng(4).integers(90, 110, (80, 200, 3), np.uint8)
    page[20:30, 20:60] = page[20:30, 120:160] = 0
    first, second = Mark(box_polygon(20, 20, 60, 30), 0, fill=own), Mark(box_polygon(120, 20, 160, 30), 0)
    both = redact_page(page, 0, [first, second], RedactSection(fill=usual))
    alone = redact_page(page, 0, [replace(first, fill=None)], RedactSection(fill=own))
    other = redact_page(page, 0, [second], RedactSection(fill=usual))
    assert np.array_equal(both[:, :100], alone[:, :100])
    assert np.array_equal(both[:, 100:], other[:, 100:])

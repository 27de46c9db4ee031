"""A blurred box looks out of focus, and nothing of its text is in it: no reader and no comparison can tell it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from pydicom.dataset import FileDataset
from rapidfuzz.fuzz import partial_ratio

from deidra.app.decide.redaction import Fill, RedactSection
from deidra.app.domain.geometry import as_polygon, box_polygon
from deidra.app.evaluate.reading import box_reader
from deidra.app.redact.blur import cloud
from deidra.app.redact.documents import redact_page
from deidra.app.redact.fonts import Face, faces
from deidra.app.redact.paint import Palette, Region, cover
from deidra.app.redact.pixels import redact_pixels
from deidra.app.redact.plan import Mark

GREY, COLOUR = Palette((0,), (255,)), Palette((0, 0, 0), (255, 255, 255))
BLUR = RedactSection(fill=Fill.BLUR)
TEXT = "Okonkwo 123-45-6789"
_GUESSED = 45
"""Likeness (0 to 100) that what is read in noise may have to the text by chance."""


def page(face: Face, size: int, text: str = TEXT) -> tuple[np.ndarray, Mark]:
    """A grey-white sheet with a text on it, and the mark of the text."""
    font = face.at(size)
    left, top, right, bottom = (int(v) for v in ImageDraw.Draw(Image.new("L", (1, 1))).textbbox((0, 0), text, font))
    room = 2 * size
    sheet = Image.new("RGB", (right - left + 2 * room, bottom - top + 2 * room), (240, 238, 232))
    ImageDraw.Draw(sheet).text((room - left, room - top), text, fill=(20, 20, 30), font=font)
    box = box_polygon(room, room, room + right - left, room + bottom - top)
    return np.asarray(sheet).copy(), Mark(box, 0)


@pytest.fixture(scope="module")
def read() -> Callable[[np.ndarray], str]:
    return box_reader()


@pytest.mark.parametrize("size", [10, 24, 90])
@pytest.mark.parametrize(
    "face", [faces()[n] for n in sorted({0, len(faces()) // 2, len(faces()) - 1})], ids=lambda f: f.file or "Pillow"
)
def test_no_reader_reads_a_blurred_text_again(face: Face, size: int, read: Callable[[np.ndarray], str]) -> None:
    sheet, mark = page(face, size)
    if size > 10:
        assert partial_ratio(TEXT, read(sheet)) > 80
    again = read(redact_page(sheet, 0, [mark], BLUR))
    assert partial_ratio(TEXT, again) <= _GUESSED if len(again) >= 3 else again not in TEXT.split(), again


def test_of_two_texts_with_as_much_ink_nobody_can_tell_which_one_stood_there() -> None:
    sheet, mark = page(faces()[0], 28)
    left, top, right, bottom = 56, 56, int(mark.polygon[1][0]), int(mark.polygon[2][1])
    other = sheet.copy()
    # The same ink in another order is another text: a comparison with all texts finds them both.
    other[top:bottom, left:right] = sheet[top:bottom, left:right][:, ::-1]
    assert not np.array_equal(sheet, other)
    np.testing.assert_array_equal(redact_page(sheet, 0, [mark], BLUR), redact_page(other, 0, [mark], BLUR))


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(["u1", "u2", "i2", "u4"]), st.sampled_from([0, 1, 3]), st.integers(0, 99))
def test_only_the_mean_of_what_stood_there_counts_and_nothing_outside_changes(
    dtype: str, samples: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    plane = rng.integers(150, 200, (60, 90, samples) if samples else (60, 90)).astype(dtype)
    box = (20, 15, 20 + int(rng.integers(1, 60)), 15 + int(rng.integers(1, 40)))
    region = Region(box)
    plane[region.rows, region.columns] = rng.integers(0, 60, plane[region.rows, region.columns].shape)
    other = plane.copy()
    part = other[region.rows, region.columns]
    flat = part.reshape(-1, max(1, samples))
    part[...] = flat[rng.permutation(len(flat))].reshape(part.shape)
    palette = Palette((0,) * max(1, samples), (255,) * max(1, samples))
    first, second = plane.copy(), other.copy()
    cover(first, region, Fill.BLUR, palette)
    cover(second, region, Fill.BLUR, palette)
    np.testing.assert_array_equal(first, second)
    outside = np.ones((60, 90), bool)
    outside[region.rows, region.columns] = False
    np.testing.assert_array_equal(first[outside], plane[outside])


def test_a_blurred_box_is_darker_than_its_paper_and_even_at_its_rim() -> None:
    sheet, mark = page(faces()[0], 40)
    after = redact_page(sheet, 0, [mark], BLUR).astype(int)
    region = Region.of(mark.polygon, sheet.shape[1], sheet.shape[0], BLUR)
    inside = after[region.rows, region.columns]
    assert inside.mean() < 232
    assert np.abs(inside[0] - (240, 238, 232)).max() <= 12
    # Strokes are gone: nowhere do neighbours differ as ink and paper do.
    assert np.abs(np.diff(inside, axis=1)).max() <= 12


def test_the_cloud_of_a_place_is_always_the_same_and_elsewhere_another() -> None:
    own = np.ones((20, 90), bool)
    first, again, other = cloud((5, 5, 95, 25), own), cloud((5, 5, 95, 25), own), cloud((5, 30, 95, 50), own)
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)
    assert first.mean() == pytest.approx(1)


def test_a_replacement_is_written_on_paper_and_not_on_a_blur() -> None:
    sheet, mark = page(faces()[0], 28, "Okonkwo, Adaeze")
    named = replace(mark, text="Lindqvist, Marta", was="Okonkwo, Adaeze")
    ours = redact_page(sheet, 0, [named], BLUR)
    np.testing.assert_array_equal(ours, redact_page(sheet, 0, [named], RedactSection(fill=Fill.INPAINT)))
    plain = replace(named, was="")
    np.testing.assert_array_equal(
        redact_page(sheet, 0, [plain], BLUR), redact_page(sheet, 0, [plain], RedactSection(fill=Fill.INPAINT))
    )


def test_colour_tables_have_nothing_between_two_entries_so_the_box_is_drawn_on() -> None:
    plane = np.full((40, 60), 7, np.uint8)
    plane[10:20, 10:50:2] = 200
    cover(plane, Region((10, 10, 50, 20)), Fill.BLUR, Palette((0,), (255,), indexed=True))
    assert set(plane.ravel().tolist()) == {7}


@pytest.mark.parametrize("interpretation", ["RGB", "YBR_FULL", "MONOCHROME2", "MONOCHROME1"])
def test_a_blurred_dicom_image_changes_in_the_box_alone(
    make: Callable[..., FileDataset], native_values: Callable[[FileDataset], np.ndarray], interpretation: str
) -> None:
    colour = not interpretation.startswith("MONO")
    values = np.full((1, 60, 90, 3) if colour else (1, 60, 90), 120, np.uint8)
    values[0, 20:32, 20:60:3] = 230
    dataset = make(values, interpretation)
    mark = Mark(as_polygon([(18, 18), (62, 18), (62, 34), (18, 34)]), 0)
    redact_pixels(dataset, [mark], RedactSection(fill=Fill.BLUR, padding_share=0, padding_least=0))
    after = native_values(dataset)
    outside = np.ones((60, 90), bool)
    outside[18:34, 18:62] = False
    np.testing.assert_array_equal(after[0][outside], values[0][outside])
    inside = after[0][18:34, 18:62].astype(int)
    assert inside.min() >= 110
    assert 120 < inside.max() < 200

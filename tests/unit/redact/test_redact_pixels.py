from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from dicom_files import to_bytes
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pydicom.dataset import FileDataset
from pydicom.uid import (
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
    JPEG2000Lossless,
    JPEGLSLossless,
    RLELossless,
)

from deidra.app.decide.policy import Fill, RedactSection
from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import Box, box_polygon, padded_box
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.redact.native import clear_high_bits, drop_surplus
from deidra.app.redact.paint import Palette, Region, cover, cover_all
from deidra.app.redact.pixels import redact_pixels
from deidra.app.redact.plan import Mark

Make = Callable[..., FileDataset]
Native = Callable[[FileDataset], NDArray[np.generic]]
EXACT = RedactSection(padding_share=0, padding_least=0)
FORMS = [
    *((p, d, b) for p in ("MONOCHROME1", "MONOCHROME2") for d, b in (("u1", 8), ("u2", 12), ("u2", 16), ("i2", 16))),
    *(("RGB", "u1", 8), ("YBR_FULL", "u1", 8), ("MONOCHROME2", "i1", 8), ("MONOCHROME2", "u4", 32)),
]


def noise(form: tuple[str, str, int], shape: tuple[int, int, int], seed: int) -> NDArray[np.generic]:
    photometric, dtype, bits = form
    signed = dtype[0] == "i"
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if signed else (0, 2**bits)
    full = (*shape, 3) if photometric in ("RGB", "YBR_FULL") else shape
    return np.random.default_rng(seed).integers(low, high, full).astype(dtype)


def filled(form: tuple[str, str, int], values: NDArray[np.generic], fill: Fill) -> NDArray[np.generic]:
    """What black and white look like in stored values."""
    if form[0] == "RGB":
        pair = [(0, 0, 0), (255, 255, 255)]
    elif form[0] == "YBR_FULL":
        pair = [(0, 128, 128), (255, 128, 128)]
    else:
        pair = [values.min(), values.max()]
        if form[0] == "MONOCHROME1":
            pair.reverse()
    return np.asarray(pair[fill is Fill.WHITE])


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    left, top = draw(st.integers(-5, 38)), draw(st.integers(-5, 34))
    return left, top, left + draw(st.integers(1, 30)), top + draw(st.integers(1, 20))


def check(
    before: NDArray[np.generic],
    after: NDArray[np.generic],
    marks: list[Mark],
    section: RedactSection,
    value: NDArray[np.generic],
) -> None:
    """Outside of the padded boxes nothing changed, inside everything has the fill's value."""
    frames, rows, columns = before.shape[:3]
    covered = np.zeros((frames, rows, columns), bool)
    for mark in marks:
        left, top, right, bottom = padded_box(mark.polygon, columns, rows, section.padding_share, section.padding_least)
        if left < right and top < bottom:
            covered[slice(None) if mark.frame is None else mark.frame, top:bottom, left:right] = True
    assert after.dtype.newbyteorder("=") == before.dtype.newbyteorder("=")
    np.testing.assert_array_equal(after[~covered], before[~covered])
    np.testing.assert_array_equal(after[covered], np.broadcast_to(value, after[covered].shape))


@settings(deadline=None, max_examples=150)
@given(
    form=st.sampled_from(FORMS),
    syntax=st.sampled_from([ExplicitVRLittleEndian, ImplicitVRLittleEndian, ExplicitVRBigEndian]),
    planar=st.sampled_from([0, 1]),
    frames=st.integers(1, 3),
    places=st.lists(st.tuples(boxes(), st.sampled_from([None, 0])), min_size=1, max_size=3),
    fill=st.sampled_from([Fill.BLACK, Fill.WHITE]),
    least=st.integers(0, 4),
    seed=st.integers(0, 99),
)
def test_native_pixels_change_inside_the_boxes_and_nowhere_else(
    make: Make,
    native_values: Native,
    form: tuple[str, str, int],
    syntax: str,
    planar: int,
    frames: int,
    places: list[tuple[Box, int | None]],
    fill: Fill,
    least: int,
    seed: int,
) -> None:
    # 35 times 37 is odd: pixel data of one byte a sample gets a padding byte.
    values = noise(form, (frames, 35, 37), seed)
    dataset = read_dataset(to_bytes(make(values, form[0], syntax, form[2], planar)))
    length = len(dataset.PixelData)
    marks = [Mark(box_polygon(*box), frame) for box, frame in places]
    section = RedactSection(fill=fill, padding_least=least)
    assert redact_pixels(dataset, marks, section).way == "native"
    again = read_dataset(to_bytes(dataset))
    assert again.file_meta.TransferSyntaxUID == syntax
    assert len(again.PixelData) == length
    check(values, native_values(again), marks, section, filled(form, values, fill))


@settings(deadline=None, max_examples=60)
@given(
    form=st.sampled_from(
        [("MONOCHROME1", "u2", 16), *((("MONOCHROME2", d, b)) for d, b in (("u1", 8), ("u2", 12), ("i2", 16)))]
    ),
    syntax=st.sampled_from([RLELossless, JPEG2000Lossless, JPEGLSLossless]),
    frames=st.integers(1, 3),
    box=boxes(),
    seed=st.integers(0, 99),
)
def test_losslessly_compressed_grey_is_encoded_again_without_loss(
    make: Make, form: tuple[str, str, int], syntax: str, frames: int, box: Box, seed: int
) -> None:
    values = noise(form, (frames, 35, 37), seed)
    dataset = make(values, form[0], bits_stored=form[2])
    dataset.compress(syntax, generate_instance_uid=False)
    dataset = read_dataset(to_bytes(dataset))
    marks = [Mark(box_polygon(*box), frames - 1)]
    left, top, right, bottom = padded_box(box_polygon(*box), 37, 35, 0, 0)
    inside = left < right and top < bottom
    assert redact_pixels(dataset, marks, EXACT).way == ("re-encoded" if inside else "unchanged")
    again = read_dataset(to_bytes(dataset))
    assert again.file_meta.TransferSyntaxUID == syntax
    assert again.SOPInstanceUID == "1.2.3.4"
    after = np.stack([frame.values for frame in Frames(again)])
    check(values, after, marks, EXACT, filled(form, values, Fill.BLACK))


@pytest.mark.parametrize("syntax", [RLELossless, JPEG2000Lossless, JPEGLSLossless])
@pytest.mark.parametrize("frames", [1, 2])
def test_losslessly_compressed_colour_is_encoded_again_without_loss(make: Make, syntax: str, frames: int) -> None:
    values = noise(("RGB", "u1", 8), (frames, 35, 37), 1)
    dataset = make(values, "RGB")
    dataset.compress(syntax, generate_instance_uid=False)
    dataset = read_dataset(to_bytes(dataset))
    marks = [Mark(box_polygon(3, 4, 20, 12), None)]
    assert redact_pixels(dataset, marks, EXACT).way == "re-encoded"
    again = read_dataset(to_bytes(dataset))
    after = np.stack([frame.values for frame in Frames(again)])
    check(values, after, marks, EXACT, np.asarray((0, 0, 0)))


@pytest.mark.parametrize(("left", "right"), [(4, 10), (5, 10), (4, 11), (5, 9), (0, 1)])
def test_subsampled_colour_is_covered_by_whole_pairs(make: Make, left: int, right: int) -> None:
    pairs = np.random.default_rng(1).integers(0, 256, (2, 12, 8, 4)).astype(np.uint8)
    dataset = make(np.zeros((2, 12, 16, 3), np.uint8), "YBR_FULL_422")
    dataset.PixelData = pairs.tobytes()
    marks = [Mark(box_polygon(left, 2, right, 6), 1)]
    assert redact_pixels(dataset, marks, EXACT).way == "native"
    after = np.frombuffer(dataset.PixelData, np.uint8).reshape(pairs.shape)
    expected = pairs.copy()
    expected[1, 2:6, left // 2 : (right + 1) // 2] = (0, 0, 128, 128)
    np.testing.assert_array_equal(after, expected)


def test_subsampled_colour_takes_the_fill_of_the_policy(make: Make) -> None:
    dataset = make(np.zeros((1, 12, 16, 3), np.uint8), "YBR_FULL_422")
    dataset.PixelData = np.full((12, 8, 4), 90, np.uint8).tobytes()
    section = RedactSection(fill=Fill.WHITE, padding_share=0, padding_least=0)
    redact_pixels(dataset, [Mark(box_polygon(4, 2, 10, 6), 0)], section)
    after = np.frombuffer(dataset.PixelData, np.uint8).reshape(12, 8, 4)
    assert after[3, 3].tolist() == [255, 255, 128, 128]


def test_a_surrogate_is_drawn_into_subsampled_colour(make: Make) -> None:
    dataset = make(np.zeros((1, 60, 120, 3), np.uint8), "YBR_FULL_422")
    dataset.PixelData = np.full((60, 60, 4), 90, np.uint8).tobytes()
    redact_pixels(dataset, [Mark(box_polygon(10, 10, 110, 40), 0, "DOE")], EXACT)
    inside = np.frombuffer(dataset.PixelData, np.uint8).reshape(60, 60, 4)[10:40, 5:55]
    assert set(np.unique(inside[:, :, :2])) == {0, 255}
    assert set(np.unique(inside[:, :, 2:])) == {128}


@pytest.mark.parametrize("first", [0, 40])
@pytest.mark.parametrize("fill", [Fill.BLACK, Fill.WHITE])
def test_a_palette_image_is_covered_with_its_darkest_or_brightest_index(
    make: Make, native_values: Native, fill: Fill, first: int
) -> None:
    table = np.array([90, 30, 255, 0, 120, 200], np.uint8)
    values = (np.random.default_rng(1).integers(0, 6, (1, 35, 37)) + first).astype(np.uint8)
    dataset = make(values, "PALETTE COLOR")
    for name in ("Red", "Green", "Blue"):
        setattr(dataset, f"{name}PaletteColorLookupTableDescriptor", [6, first, 8])
        setattr(dataset, f"{name}PaletteColorLookupTableData", table.tobytes())
    marks = [Mark(box_polygon(3, 4, 20, 12), None)]
    section = RedactSection(fill=fill, padding_share=0, padding_least=0)
    assert redact_pixels(dataset, marks, section).way == "native"
    check(values, native_values(dataset), marks, section, np.asarray(first + (3 if fill is Fill.BLACK else 2)))


@pytest.mark.parametrize(("photometric", "value"), [("MONOCHROME1", 900), ("MONOCHROME2", 100)])
def test_the_fill_stays_in_the_images_own_range(make: Make, photometric: str, value: int) -> None:
    values = np.full((1, 20, 20), 500, np.uint16)
    values[0, 0, :2] = (100, 900)
    dataset = make(values, photometric)
    redact_pixels(dataset, [Mark(box_polygon(5, 5, 10, 10), 0)], EXACT)
    assert np.frombuffer(dataset.PixelData, "<u2").reshape(20, 20)[7, 7] == value


def test_the_background_fill_takes_the_most_frequent_value_of_the_rim(make: Make) -> None:
    values = np.full((1, 20, 20), 77, np.uint8)
    values[0, 8:12, 8:12] = 200
    dataset = make(values)
    settings_ = RedactSection(fill=Fill.BACKGROUND, padding_share=0, padding_least=0)
    redact_pixels(dataset, [Mark(box_polygon(6, 6, 14, 14), 0)], settings_)
    assert set(dataset.PixelData) == {77}


def test_text_stays_whole_where_the_box_below_overlaps_its_own() -> None:
    plane = np.full((60, 200), 90, np.uint8)
    palette = Palette((0.0,), (255.0,))
    upper, lower = Region((10, 5, 190, 30)), Region((10, 26, 190, 50))
    cover_all(plane, [(upper, "Hippolyta Gray"), (lower, None)], Fill.BLACK, palette)
    alone = np.full((60, 200), 90, np.uint8)
    cover(alone, upper, Fill.BLACK, palette, "Hippolyta Gray")
    assert np.array_equal(plane == 255, alone == 255)
    assert (alone[26:30] == 255).any()
    assert (plane[26:50, 10:190][alone[26:50, 10:190] != 255] == 0).all()


@pytest.mark.parametrize("photometric", ["MONOCHROME1", "MONOCHROME2", "RGB"])
@pytest.mark.parametrize("fill", [Fill.BLACK, Fill.WHITE])
def test_a_surrogate_is_drawn_into_the_box_only(
    make: Make, native_values: Native, photometric: str, fill: Fill
) -> None:
    values = noise((photometric, "u1", 8), (1, 60, 120), 5)
    dataset = make(values, photometric)
    section = RedactSection(fill=fill, padding_share=0, padding_least=0)
    redact_pixels(dataset, [Mark(box_polygon(10, 10, 110, 40), 0, "DOE^JANE")], section)
    after = native_values(dataset)
    inside = after[0, 10:40, 10:110].reshape(-1, after.shape[3] if after.ndim == 4 else 1)
    assert len(np.unique(inside, axis=0)) == 2
    ink = (inside != inside[-1]).any(1).mean()
    assert 0.03 < ink < 0.6
    after = after.copy()
    after[0, 10:40, 10:110] = values[0, 10:40, 10:110]
    np.testing.assert_array_equal(after, values)


def test_without_marks_nothing_is_touched(make: Make) -> None:
    dataset = make(noise(("MONOCHROME2", "u1", 8), (1, 5, 5), 1))
    before = dataset.PixelData
    assert redact_pixels(dataset, [], EXACT).way == "unchanged"
    assert dataset.PixelData is before


def test_a_file_without_pixels_is_unchanged(make: Make) -> None:
    dataset = make(np.zeros((1, 5, 5), np.uint8))
    del dataset.PixelData
    assert redact_pixels(dataset, [Mark(box_polygon(0, 0, 2, 2), None)], EXACT).way == "unchanged"


@pytest.mark.parametrize("rest", [1, 3])
def test_bytes_behind_the_pixels_are_cut_off(make: Make, rest: int) -> None:
    dataset = make(np.full((1, 5, 5), 9, np.uint8))
    dataset.PixelData = b"\t" * 25 + b"\7" * rest
    assert drop_surplus(dataset) is True
    assert dataset.PixelData == b"\t" * 25 + b"\0"
    assert drop_surplus(dataset) is False


@pytest.mark.parametrize("rest", [1, 3])
def test_bytes_behind_covered_pixels_are_cut_off(make: Make, rest: int) -> None:
    dataset = make(np.zeros((1, 5, 5), np.uint8))
    dataset.PixelData = bytes(25) + b"\7" * rest
    redact_pixels(dataset, [Mark(box_polygon(0, 0, 2, 2), 0)], EXACT)
    assert dataset.PixelData == bytes(26)


@pytest.mark.parametrize("rest", [0, 1, 3, 24])
def test_padding_with_zeros_is_not_touched(make: Make, rest: int) -> None:
    dataset = make(np.zeros((1, 5, 5), np.uint8))
    before = dataset.PixelData = b"\t" * 25 + bytes(rest)
    assert drop_surplus(dataset) is False
    assert dataset.PixelData is before


@pytest.mark.parametrize("frames", [1, 3])
@pytest.mark.parametrize("value", [0, 7])
def test_another_frame_behind_the_declared_ones_is_refused(make: Make, frames: int, value: int) -> None:
    dataset = make(np.zeros((frames, 6, 6), np.uint8))
    dataset.PixelData = bytes(36 * frames) + bytes([value]) * 35
    assert Frames(dataset).count == frames
    dataset.PixelData += bytes([value])
    with pytest.raises(InputError, match="more frames"):
        Frames(dataset)


def test_compressed_pixels_have_no_surplus(make: Make) -> None:
    dataset = make(np.zeros((1, 35, 37), np.uint16))
    dataset.compress(RLELossless, generate_instance_uid=False)
    assert drop_surplus(dataset) is False


def test_single_bits_cannot_be_covered_and_say_so(make: Make) -> None:
    dataset = make(np.zeros((1, 8, 8), np.uint8))
    dataset.BitsAllocated = dataset.BitsStored = 1
    dataset.PixelData = bytes(8)
    with pytest.raises(InputError, match="1 bits"):
        redact_pixels(dataset, [Mark(box_polygon(0, 0, 2, 2), 0)], EXACT)


@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, ExplicitVRBigEndian])
@pytest.mark.parametrize("stored", [12, 8])
@pytest.mark.parametrize("dtype", ["u2", "i2"])
def test_bits_above_the_stored_ones_are_cleared_and_values_keep_their_sign(
    make: Make, native_values: Native, syntax: str, stored: int, dtype: str
) -> None:
    low, high = (-(2 ** (stored - 1)), 2 ** (stored - 1)) if dtype == "i2" else (0, 2**stored)
    values = np.random.default_rng(1).integers(low, high, (1, 9, 9)).astype(dtype)
    dirty = (values.view("u2") ^ (np.arange(81, dtype=np.uint16).reshape(1, 9, 9) % 2 << 13)).view(dtype)
    dataset = read_dataset(to_bytes(make(dirty, syntax=syntax, bits_stored=stored)))
    assert clear_high_bits(dataset) is True
    np.testing.assert_array_equal(native_values(dataset), values)
    assert clear_high_bits(dataset) is False


@pytest.mark.parametrize("stored", [7, 4, 1])
def test_the_high_bits_of_bytes_are_cleared(make: Make, stored: int) -> None:
    values = np.arange(256, dtype=np.uint8).reshape(1, 16, 16)
    dataset = make(values, bits_stored=stored)
    assert clear_high_bits(dataset) is True
    assert dataset.PixelData == (values & (2**stored - 1)).tobytes()


@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, ExplicitVRBigEndian])
def test_bits_below_the_lowest_are_cleared_where_values_sit_high(make: Make, syntax: str) -> None:
    values = np.arange(0xFF00, 0x10000, dtype=np.uint16).reshape(1, 16, 16)
    dataset = make(values, syntax=syntax, bits_stored=12)
    dataset.HighBit = 15
    dataset = read_dataset(to_bytes(dataset))
    assert clear_high_bits(dataset) is True
    order = ">u2" if syntax == ExplicitVRBigEndian else "<u2"
    np.testing.assert_array_equal(np.frombuffer(dataset.PixelData, order), values.ravel() & 0xFFF0)


def test_bits_around_values_in_the_middle_are_cleared(make: Make) -> None:
    dataset = make(np.full((1, 4, 4), 0xFFFF, np.uint16), bits_stored=8)
    dataset.HighBit = 11
    assert clear_high_bits(dataset) is True
    assert set(np.frombuffer(dataset.PixelData, "<u2").tolist()) == {0x0FF0}


def test_clean_full_and_compressed_samples_are_not_touched(make: Make) -> None:
    assert clear_high_bits(make(np.full((1, 9, 9), 0xFFFF, np.uint16))) is False
    assert clear_high_bits(make(np.full((1, 9, 9), 0xFFF, np.uint16), bits_stored=12)) is False
    assert clear_high_bits(make(np.full((1, 9, 9), 0xFF, np.uint8))) is False
    compressed = make(np.zeros((1, 35, 37), np.uint16), bits_stored=12)
    compressed.compress(RLELossless, generate_instance_uid=False)
    assert clear_high_bits(compressed) is False


def test_samples_that_do_not_sit_in_the_low_bits_are_not_touched(make: Make) -> None:
    dataset = make(np.full((1, 9, 9), 0xFFF0, np.uint16), bits_stored=12)
    dataset.HighBit = 15
    assert clear_high_bits(dataset) is False

"""The header follows the pixels: what it says of them is true after they were covered."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from dicom_files import to_bytes
from jpeg_files import jpeg, needs_turbojpeg, smooth
from pydicom.dataset import Dataset, FileDataset
from pydicom.encaps import encapsulate
from pydicom.sequence import Sequence
from pydicom.uid import ExplicitVRBigEndian, JPEG2000Lossless, JPEGBaseline8Bit, RLELossless

from deidra.app.decide.policy import Fill, RedactSection, load_policy
from deidra.app.domain.geometry import box_polygon
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.redact.header import clean_pixels
from deidra.app.redact.pixels import redact_pixels
from deidra.app.redact.plan import Mark
from deidra.app.redact.written import Way, Written

Make = Callable[..., FileDataset]
EXACT = RedactSection(padding_share=0, padding_least=0)
MARK = Mark(box_polygon(4, 4, 16, 12), 0)


def grey(make: Make, signed: bool = False) -> FileDataset:
    values = np.random.default_rng(1).integers(100, 900, (1, 40, 40)).astype(np.int16 if signed else np.uint16)
    values[0, 5, 5], values[0, 6, 6] = 3, 950
    if signed:
        values -= 500
    return make(values, bits_stored=16)


@pytest.mark.parametrize("syntax", ["native", RLELossless, JPEG2000Lossless])
@pytest.mark.parametrize("signed", [False, True])
def test_smallest_and_largest_value_are_those_of_the_covered_image(make: Make, syntax: str, signed: bool) -> None:
    dataset = grey(make, signed)
    kind = "SS" if signed else "US"
    dataset.add_new(0x00280106, kind, 3 - 500 * signed)
    dataset.add_new(0x00280107, kind, 950 - 500 * signed)
    if syntax != "native":
        dataset.compress(syntax, generate_instance_uid=False)
    redact_pixels(dataset, [MARK], RedactSection(fill=Fill.CORNER, padding_share=0, padding_least=0))
    again = read_dataset(to_bytes(dataset))
    values = Frames(again).stored(0)
    assert values.min() > 3 - 500 * signed
    assert (again.SmallestImagePixelValue, again.LargestImagePixelValue) == (values.min(), values.max())
    assert kind == again["SmallestImagePixelValue"].VR


def test_extremes_that_do_not_fit_their_element_go(make: Make) -> None:
    dataset = make(np.full((1, 20, 20), 70000, np.uint32))
    dataset.add_new(0x00280106, "US", 0)
    redact_pixels(dataset, [MARK], EXACT)
    assert "SmallestImagePixelValue" not in dataset
    assert "LargestImagePixelValue" not in dataset


def test_extremes_are_not_added_where_there_were_none(make: Make) -> None:
    dataset = grey(make)
    redact_pixels(dataset, [MARK], EXACT)
    assert "SmallestImagePixelValue" not in dataset


def test_the_icon_of_the_uncovered_picture_goes(make: Make) -> None:
    dataset = grey(make)
    icon = Dataset()
    icon.Rows = icon.Columns = 8
    icon.PixelData = bytes(64)
    dataset.IconImageSequence = Sequence([icon])
    redact_pixels(dataset, [MARK], EXACT)
    assert "IconImageSequence" not in dataset


def test_padding_values_stay_in_grey_images_and_go_in_colour(make: Make) -> None:
    dataset = grey(make)
    dataset.add_new(0x00280120, "US", 0)
    redact_pixels(dataset, [MARK], EXACT)
    assert dataset.PixelPaddingValue == 0
    dataset = make(np.zeros((1, 20, 20, 3), np.uint8), "RGB")
    dataset.add_new(0x00280120, "US", 0)
    redact_pixels(dataset, [MARK], EXACT)
    assert "PixelPaddingValue" not in dataset


@needs_turbojpeg
def test_lossy_jpeg_that_was_not_said_to_be_lossy_is_said_to_be(make: Make) -> None:
    values = smooth((48, 64, 3))
    stream = jpeg(values)
    dataset = make(values[None], "YBR_FULL_422", JPEGBaseline8Bit)
    dataset.LossyImageCompression = "00"
    dataset.PixelData = encapsulate([stream])
    dataset["PixelData"].is_undefined_length = True
    assert redact_pixels(dataset, [MARK], EXACT).way is Way.BLOCKS
    assert dataset.LossyImageCompression == "01"
    assert dataset.LossyImageCompressionMethod == "ISO_10918_1"
    assert float(dataset.LossyImageCompressionRatio) == pytest.approx(48 * 64 * 3 / len(stream), abs=0.05)
    assert (dataset.PhotometricInterpretation, dataset.PlanarConfiguration) == ("YBR_FULL_422", 0)


@pytest.mark.parametrize("columns", [20, 21])
@pytest.mark.parametrize("frames", [1, 3])
def test_bytes_in_big_endian_words_are_covered_where_they_are_seen(make: Make, columns: int, frames: int) -> None:
    values = np.random.default_rng(1).integers(0, 256, (frames, 15, columns)).astype(np.uint8)
    dataset = make(values, syntax=ExplicitVRBigEndian)
    data = bytearray(dataset.PixelData)
    data[0::2], data[1::2] = data[1::2], data[0::2]
    dataset.add_new(0x7FE00010, "OW", bytes(data))
    dataset = read_dataset(to_bytes(dataset))
    np.testing.assert_array_equal(np.stack([f.values for f in Frames(dataset)]), values)
    length = len(dataset.PixelData)
    redact_pixels(dataset, [Mark(box_polygon(3, 4, 12, 9), frames - 1)], EXACT)
    again = read_dataset(to_bytes(dataset))
    assert len(again.PixelData) == length
    expected = values.copy()
    expected[-1, 4:9, 3:12] = values.min()
    np.testing.assert_array_equal(np.stack([f.values for f in Frames(again)]), expected)


def test_how_pixels_were_written_is_one_line() -> None:
    assert str(Written(Way.NATIVE)) == "native"
    assert str(Written(Way.CONVERTED, "decoded", "missing")) == "converted: decoded; warning: missing"
    assert str(Written(Way.BLOCKS, warning="odd")) == "jpeg-blocks: warning: odd"


def test_what_is_cleaned_but_not_covered_says_so(make: Make) -> None:
    dataset = make(np.full((1, 9, 9), 0xFFFF, np.uint16), bits_stored=12)
    assert clean_pixels(dataset, [], load_policy("basic"), accept_pending=False) == Written(Way.CLEANED)
    assert clean_pixels(grey(make), [], load_policy("basic"), accept_pending=False) == Written(Way.UNCHANGED)

"""What stands in the bits around the samples is told from these, shown by itself, and hides nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from dicom_files import to_bytes
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from pydicom import Dataset
from pydicom.dataset import FileDataset
from pydicom.uid import JPEGLSLossless, RLELossless

from deidra.app.load.bits import SampleBits, bit_planes
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.load.pictures import renderings

Make = Callable[..., FileDataset]


def ink(text: str, x: int = 5, y: int = 20) -> NDArray[np.bool_]:
    image = Image.new("L", (120, 64))
    ImageDraw.Draw(image).text((x, y), text, fill=255)
    return np.asarray(image) > 128


def anatomy(dtype: str = "u2") -> NDArray[np.generic]:
    values = np.random.default_rng(3).integers(0, 1200, (64, 120))
    return values.astype(dtype)


def described(stored: int, dtype: str = "u2", high: int | None = None) -> Dataset:
    dataset = Dataset()
    dataset.BitsAllocated, dataset.BitsStored = np.dtype(dtype).itemsize * 8, stored
    dataset.HighBit = stored - 1 if high is None else high
    dataset.PixelRepresentation = int(dtype[0] == "i")
    return dataset


def shows(picture: NDArray[np.uint8], where: NDArray[np.bool_]) -> bool:
    """Whether what is written stands out from all around it, as a threshold finds it."""
    grey = picture[:, :, 0]
    return bool(grey[where].min() > np.percentile(grey[~where], 99))


@pytest.mark.parametrize("bit", [12, 13, 15])
def test_text_in_a_bit_above_the_samples_and_text_in_the_samples_both_show(bit: int) -> None:
    above, within = ink("OKONKWO"), ink("MRN 4711882", y=45)
    values = anatomy()
    values[within] = 4095
    values[above] |= 1 << bit
    pictures = renderings(described(12), values)
    assert any(shows(p, above) for p in pictures)
    assert any(shows(p, within) for p in pictures)
    assert shows(pictures[0], within)
    assert all(p.dtype == np.uint8 and p.shape == (64, 120, 3) for p in pictures)


def test_texts_in_two_bits_each_have_a_picture_of_their_own() -> None:
    one, other = ink("OKONKWO"), ink("ADAEZE", x=8, y=22)
    values = anatomy()
    values[one] |= 1 << 12
    values[other] |= 1 << 15
    planes = [p[:, :, 0] == 255 for p in renderings(described(12), values)[-2:]]
    assert np.array_equal(planes[0], other)
    assert np.array_equal(planes[1], one)


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4"])
@pytest.mark.parametrize("less", [0, 1, 3])
def test_without_bits_around_the_samples_the_pictures_are_those_of_full_words(dtype: str, less: int) -> None:
    stored = np.dtype(dtype).itemsize * 8 - less
    low, high = (-(2 ** (stored - 1)), 2 ** (stored - 1)) if dtype[0] == "i" else (0, 2**stored)
    values = np.random.default_rng(1).integers(low, high, (64, 120)).astype(dtype)
    with_room, without = renderings(described(stored, dtype), values), renderings(Dataset(), values)
    assert [p.tobytes() for p in with_room] == [p.tobytes() for p in without]


def test_colour_is_shown_as_it_is() -> None:
    values = np.full((8, 8, 3), 0xF0, np.uint8)
    assert len(renderings(described(4, "u1"), values)) == 1


def test_the_sign_of_a_sample_is_not_hidden_and_what_stands_in_its_place_is() -> None:
    bits = SampleBits(0, 12)
    clean = np.array([[-2048, -1, 0, 2047]], np.int16)
    assert not bits.hidden(clean).any()
    dirty = clean ^ np.array([[1 << 13, 0, 0, 1 << 13]], np.int16)
    assert bits.hidden(dirty).tolist() == [[1 << 13, 0, 0, 1 << 13]]
    assert np.array_equal(bits.own(dirty), clean)


def test_signed_samples_that_are_written_without_their_sign_hide_nothing() -> None:
    assert not SampleBits(0, 12).hidden(np.array([[0x0FFF, 0x0800, 5]], np.int16)).any()


def test_bits_below_and_above_samples_that_sit_higher_are_hidden() -> None:
    bits = SampleBits.of(described(8, high=11))
    assert bits == SampleBits(4, 8)
    values = np.array([[0x0FF0, 0x1FF0, 0x0FF1]], np.uint16)
    assert bits.hidden(values).tolist() == [[0, 0x1000, 1]]
    assert bits.own(values).tolist() == [[0x0FF0, 0x0FF0, 0x0FF0]]


@pytest.mark.parametrize(
    ("allocated", "stored", "high"),
    [(16, 16, 15), (8, 8, 7), (16, 17, 16), (12, 10, 9), (16, 0, 0), (16, 12, 9), (16, 12, 16), (1, 1, 0)],
)
def test_full_words_and_contradictions_have_no_room(allocated: int, stored: int, high: int) -> None:
    dataset = Dataset()
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = allocated, stored, high
    assert SampleBits.of(dataset) in (None, SampleBits(0, 8))
    assert SampleBits.of(dataset) is None or stored == 0


def test_words_in_any_byte_order_are_told_apart() -> None:
    bits, values = SampleBits(0, 12), np.array([[0x2005, -7]], ">i2")
    assert bits.hidden(values).tolist() == [[0x2000, 0]]
    assert bits.own(values).tolist() == [[5, -7]]


def test_samples_longer_than_the_decoded_words_have_no_room() -> None:
    values = np.array([[255]], np.uint8)
    assert not SampleBits(0, 12).hidden(values).any()
    assert SampleBits(0, 12).own(values) is values


def test_equal_planes_and_planes_without_content_are_shown_once_or_not_at_all() -> None:
    hidden = np.zeros((4, 4), np.uint16)
    hidden[1] = 0b0110 << 12
    hidden |= np.uint16(1 << 15)
    assert len(bit_planes(hidden)) == 1


def test_many_planes_are_few_pictures() -> None:
    hidden = np.random.default_rng(0).integers(0, 2**16, (32, 32)).astype(np.uint16)
    assert len(bit_planes(hidden)) == 8


@pytest.mark.parametrize("syntax", [None, RLELossless])
def test_samples_in_the_upper_bits_of_their_words_are_decoded_whole(make: Make, syntax: str | None) -> None:
    values = np.full((64, 120), 0x0100, np.uint16)
    within = ink("OKONKWO")
    values[within] = 0xF100
    dataset = make(values)
    if syntax:
        dataset.compress(syntax, generate_instance_uid=False)
    dataset.BitsStored, dataset.HighBit = 12, 15
    dataset = read_dataset(to_bytes(dataset))
    decoded = Frames(dataset).frame(0).values
    assert np.array_equal(decoded, values)
    assert shows(renderings(dataset, decoded)[0], within)


def test_text_in_the_samples_shows_beside_an_overlay_in_a_compressed_file(make: Make) -> None:
    above, within = ink("OKONKWO"), ink("MRN 4711882", y=45)
    values = anatomy()
    values[within] = 4095
    values[above] |= 1 << 14
    dataset = make(values)
    dataset.compress(JPEGLSLossless, generate_instance_uid=False)
    dataset.BitsStored, dataset.HighBit = 12, 11
    dataset = read_dataset(to_bytes(dataset))
    pictures = renderings(dataset, Frames(dataset).frame(0).values)
    assert shows(pictures[0], within)
    assert any(shows(p, above) for p in pictures)

from __future__ import annotations

import io
from collections.abc import Callable

import imagecodecs
import numpy as np
import pytest
from PIL import Image
from pydicom.dataset import FileDataset
from pydicom.encaps import encapsulate
from pydicom.pixels.processing import convert_color_space
from pydicom.uid import (
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
    JPEG2000Lossless,
    JPEGBaseline8Bit,
    JPEGLosslessSV1,
    JPEGLSLossless,
    RLELossless,
)

from deidra.app.domain.errors import InputError
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.load.pictures import display_picture, renderings

Make = Callable[..., FileDataset]
Write = Callable[[FileDataset], bytes]
LOSSLESS = (RLELossless, JPEG2000Lossless, JPEGLSLossless)


def grey(dtype: str, bits: int | None = None, shape: tuple[int, ...] = (35, 41)) -> np.ndarray:
    """Reproducible noise over the whole range of ``bits`` bits."""
    kind = np.dtype(dtype)
    bits = bits or kind.itemsize * 8
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if kind.kind == "i" else (0, 2**bits)
    return np.random.default_rng(7).integers(low, high, shape).astype(kind)


def colour(shape: tuple[int, ...] = (34, 36, 3)) -> np.ndarray:
    return np.random.default_rng(8).integers(0, 256, shape).astype(np.uint8)


@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, ImplicitVRLittleEndian, ExplicitVRBigEndian])
@pytest.mark.parametrize("photometric", ["MONOCHROME1", "MONOCHROME2"])
@pytest.mark.parametrize(("dtype", "bits"), [("u1", 8), ("i1", 8), ("u2", 12), ("u2", 16), ("i2", 12), ("i2", 16)])
def test_native_grey_comes_as_it_is_stored(
    make: Make, written: Write, syntax: str, photometric: str, dtype: str, bits: int
) -> None:
    values = grey(dtype, bits)
    frames = Frames(read_dataset(written(make(values, photometric, syntax, bits_stored=bits))))
    assert frames.count == 1
    np.testing.assert_array_equal(frames.frame(0).values, values)
    np.testing.assert_array_equal(frames.stored(0), values)


@pytest.mark.parametrize("planar", [0, 1])
@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, ExplicitVRBigEndian])
def test_native_rgb_comes_as_rgb(make: Make, written: Write, planar: int, syntax: str) -> None:
    values = colour()
    frames = Frames(read_dataset(written(make(values, "RGB", syntax, planar=planar))))
    np.testing.assert_array_equal(frames.frame(0).values, values)


@pytest.mark.parametrize("planar", [0, 1])
def test_native_ybr_is_converted_to_rgb_once(make: Make, written: Write, planar: int) -> None:
    rgb = np.zeros((12, 16, 3), np.uint8)
    rgb[:6], rgb[6:] = (200, 30, 60), (20, 90, 220)
    ybr = convert_color_space(rgb, "RGB", "YBR_FULL")
    got = Frames(read_dataset(written(make(ybr, "YBR_FULL", planar=planar)))).frame(0).values
    assert np.abs(got.astype(int) - rgb).max() <= 2


def test_native_subsampled_ybr_is_converted_to_rgb(make: Make, written: Write) -> None:
    rgb = np.zeros((12, 16, 3), np.uint8)
    rgb[:, :8], rgb[:, 8:] = (200, 30, 60), (20, 90, 220)
    ybr = convert_color_space(rgb, "RGB", "YBR_FULL")
    dataset = make(ybr, "YBR_FULL_422")
    pairs = np.stack([ybr[:, 0::2, 0], ybr[:, 1::2, 0], ybr[:, 0::2, 1], ybr[:, 0::2, 2]], axis=-1)
    dataset.PixelData = pairs.tobytes()
    got = Frames(read_dataset(written(dataset))).frame(0).values
    assert got.shape == rgb.shape
    assert np.abs(got.astype(int) - rgb).max() <= 2


def palette(dataset: FileDataset, first: int = 0) -> np.ndarray:
    table = np.random.default_rng(3).integers(0, 256, (3, 16)).astype(np.uint8)
    for name, entries in zip(("Red", "Green", "Blue"), table, strict=True):
        setattr(dataset, f"{name}PaletteColorLookupTableDescriptor", [16, first, 8])
        setattr(dataset, f"{name}PaletteColorLookupTableData", entries.tobytes())
    return table.T


@pytest.mark.parametrize("first", [0, 5])
def test_a_palette_image_is_coloured_for_showing_and_keeps_its_indices_as_stored(
    make: Make, written: Write, first: int
) -> None:
    indices = (grey("u1") % 16 + first).astype(np.uint8)
    dataset = make(indices, "PALETTE COLOR")
    table = palette(dataset, first)
    frames = Frames(read_dataset(written(dataset)))
    np.testing.assert_array_equal(frames.stored(0), indices)
    np.testing.assert_array_equal(frames.frame(0).values, table[indices - first])


def test_a_damaged_colour_table_is_an_input_error(make: Make) -> None:
    dataset = make(grey("u1") % 16, "PALETTE COLOR")
    with pytest.raises(InputError, match="colour table"):
        Frames(dataset).frame(0)


@pytest.mark.parametrize("syntax", LOSSLESS)
@pytest.mark.parametrize(("dtype", "bits"), [("u1", 8), ("u2", 12), ("u2", 16), ("i2", 16)])
def test_losslessly_compressed_grey_comes_as_it_was(
    make: Make, written: Write, syntax: str, dtype: str, bits: int
) -> None:
    values = grey(dtype, bits)
    dataset = make(values, bits_stored=bits)
    dataset.compress(syntax, generate_instance_uid=False)
    np.testing.assert_array_equal(Frames(read_dataset(written(dataset))).frame(0).values, values)


@pytest.mark.parametrize("syntax", LOSSLESS)
def test_losslessly_compressed_rgb_comes_as_it_was(make: Make, written: Write, syntax: str) -> None:
    values = colour()
    dataset = make(values, "RGB")
    dataset.compress(syntax, generate_instance_uid=False)
    np.testing.assert_array_equal(Frames(read_dataset(written(dataset))).frame(0).values, values)


@pytest.mark.parametrize(("dtype", "bits"), [("u1", 8), ("u2", 12), ("u2", 16), ("i2", 12), ("i2", 16)])
def test_lossless_jpeg_comes_as_it_was_with_its_sign(make: Make, written: Write, dtype: str, bits: int) -> None:
    values = grey(dtype, bits)
    dataset = make(values, syntax=JPEGLosslessSV1, bits_stored=bits)
    raw = values.view(f"u{values.dtype.itemsize}") & (2**bits - 1)
    stream = imagecodecs.jpeg8_encode(raw, lossless=True, predictor=1, bitspersample=bits)
    dataset.PixelData = encapsulate([stream])
    np.testing.assert_array_equal(Frames(read_dataset(written(dataset))).frame(0).values, values)


@pytest.mark.parametrize("photometric", ["YBR_FULL_422", "YBR_FULL", "RGB"])
def test_jpeg_with_an_adobe_marker_is_converted_to_rgb_once(make: Make, written: Write, photometric: str) -> None:
    picture = np.zeros((32, 48, 3), np.uint8)
    picture[:, :24], picture[:, 24:] = (200, 40, 30), (10, 90, 220)
    stream = io.BytesIO()
    Image.fromarray(picture).save(stream, "JPEG", quality=95, subsampling=0)
    jfif = stream.getvalue()
    # In place of the JFIF marker, which is always 18 bytes long.
    adobe = jfif[:2] + b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\1" + jfif[20:]
    dataset = make(picture, photometric, JPEGBaseline8Bit)
    dataset.PixelData = encapsulate([adobe])
    got = Frames(read_dataset(written(dataset))).frame(0).values
    assert np.abs(got.astype(int) - picture).mean() < 2


def test_jpeg_baseline_comes_as_rgb(make: Make, written: Write) -> None:
    values = np.zeros((16, 16, 3), np.uint8)
    values[:8], values[8:] = (200, 30, 60), (20, 90, 220)
    stream = io.BytesIO()
    Image.fromarray(values).save(stream, "JPEG", quality=95, subsampling=0)
    dataset = make(values, "YBR_FULL_422", JPEGBaseline8Bit)
    dataset.PixelData = encapsulate([stream.getvalue()])
    got = Frames(read_dataset(written(dataset))).frame(0).values
    assert np.abs(got.astype(int) - values).mean() < 4


@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, RLELossless, JPEGLSLossless])
def test_frames_are_counted_from_zero(make: Make, written: Write, syntax: str) -> None:
    values = grey("u2", shape=(5, 13, 17))
    dataset = make(values, frames=5)
    if syntax != ExplicitVRLittleEndian:
        dataset.compress(syntax, generate_instance_uid=False)
    frames = Frames(read_dataset(written(dataset)))
    assert frames.count == 5
    for index in (4, 0, 2):
        np.testing.assert_array_equal(frames.frame(index).values, values[index])
    assert [frame.index for frame in frames] == list(range(5))


def test_a_single_frame_image_that_says_so_has_two_dimensions(make: Make) -> None:
    assert Frames(make(grey("u1", shape=(1, 6, 7)), frames=1)).frame(0).values.shape == (6, 7)


@pytest.mark.parametrize("missing", [1, 50, 200])
def test_pixel_data_that_is_too_short_is_refused(make: Make, missing: int) -> None:
    dataset = make(grey("u1", shape=(16, 16)))
    dataset.PixelData = dataset.PixelData[:-missing]
    with pytest.raises(InputError, match="shorter than"):
        Frames(dataset)


def test_an_image_without_bits_is_refused(make: Make) -> None:
    dataset = make(grey("u1"))
    del dataset.BitsAllocated
    with pytest.raises(InputError, match="incomplete"):
        Frames(dataset)


def test_an_image_without_the_newer_elements_is_one_grey_sample(make: Make) -> None:
    dataset = make(grey("u1"))
    del dataset.SamplesPerPixel, dataset.PhotometricInterpretation, dataset.PixelRepresentation
    np.testing.assert_array_equal(Frames(dataset).frame(0).values, grey("u1"))


@pytest.mark.parametrize("syntax", [*LOSSLESS, JPEGLosslessSV1, JPEGBaseline8Bit, "1.2.840.10008.1.2.4.110"])
@pytest.mark.parametrize("stream", [b"\0\0", b"OKONKWO4711 ", b"\xff\xd8\xff\xd9"])
def test_damaged_compressed_pixels_are_an_input_error_without_their_content(
    make: Make, syntax: str, stream: bytes
) -> None:
    dataset = make(grey("u1"))
    dataset.file_meta.TransferSyntaxUID = syntax
    dataset.PixelData = encapsulate([stream])
    with pytest.raises(InputError) as caught:
        Frames(dataset).frame(0)
    assert "OKONKWO" not in f"{caught.value}{caught.value.advice}"


def test_a_picture_of_another_size_than_the_header_says_is_refused(make: Make) -> None:
    dataset = make(grey("u1"), syntax=JPEGLosslessSV1)
    dataset.PixelData = encapsulate([imagecodecs.jpeg8_encode(grey("u1", shape=(9, 9)), lossless=True)])
    with pytest.raises(InputError, match="another size"):
        Frames(dataset).frame(0)


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4"])
def test_renderings_are_rgb_bytes_of_the_same_size(make: Make, dtype: str) -> None:
    values = (grey(dtype, 8) % 100).astype(dtype)
    for picture in renderings(make(values), values):
        assert picture.dtype == np.uint8
        assert picture.shape == (*values.shape, 3)


def test_faint_structure_shows_on_one_of_the_renderings(make: Make) -> None:
    values = np.zeros((64, 64), np.uint16)
    values[20:40, 20:40] = 60
    values[0, 0] = 65535
    dataset = make(values)
    assert any(int(p[30, 30, 0]) - int(p[50, 50, 0]) > 60 for p in renderings(dataset, values))


def test_the_shown_picture_is_turned_for_monochrome1(make: Make) -> None:
    values = np.tile(np.arange(64, dtype=np.uint8) * 4, (8, 1))
    light = display_picture(make(values, "MONOCHROME1"), values)
    dark = display_picture(make(values, "MONOCHROME2"), values)
    assert light[0, 0, 0] == 255
    assert dark[0, 0, 0] == 0
    np.testing.assert_array_equal(light, 255 - dark)


def test_sixteen_bit_colour_is_scaled_to_bytes(make: Make) -> None:
    values = np.zeros((4, 4, 3), np.uint16)
    values[0, 0] = (65535, 32768, 0)
    (picture,) = renderings(make(values, "RGB"), values)
    assert picture[0, 0].tolist() == [255, 127, 0]

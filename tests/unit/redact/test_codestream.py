"""Compressed streams lose their comments and what hangs behind them, and not one pixel."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable

import imagecodecs
import jpeg_ls
import numpy as np
import pytest
from dicom_files import to_bytes
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image
from pydicom.dataset import FileDataset
from pydicom.encaps import encapsulate, generate_frames
from pydicom.uid import JPEG2000Lossless, JPEGBaseline8Bit, JPEGLSLossless

from deidra.app.domain.errors import InputError
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.redact.codestream import clean_stream, strip_comments

Make = Callable[..., FileDataset]
SECRET = b"OKONKWO^ADAEZE"


def picture(mode: str = "RGB") -> Image.Image:
    values = np.random.default_rng(3).integers(0, 255, (40, 48, 3)).astype(np.uint8)
    return Image.fromarray(values).convert(mode)


def jpeg(mode: str = "RGB", **options: object) -> bytes:
    stream = io.BytesIO()
    picture(mode).save(stream, "JPEG", quality=80, **options)
    return stream.getvalue()


def segment(marker: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def with_segment(stream: bytes, marker: int, content: bytes) -> bytes:
    """The stream with a segment behind its start marker."""
    return stream[:2] + segment(marker, content) + stream[2:]


def pixels(stream: bytes) -> NDArray[np.uint8]:
    with Image.open(io.BytesIO(stream)) as opened:
        return np.asarray(opened)


def exif() -> bytes:
    data = Image.Exif()
    data[0x010E] = SECRET.decode()
    return data.tobytes()


THUMBNAIL = b"JFIF\0\1\2\0\0\1\0\1\4\1" + SECRET[:12]


@pytest.mark.parametrize("mode", ["L", "RGB"])
@pytest.mark.parametrize("form", [{}, {"progressive": True}, {"optimize": True}, {"restart_marker_blocks": 2}])
@pytest.mark.parametrize(
    "dirty",
    [
        lambda s: with_segment(s, 0xFE, SECRET),
        lambda s: with_segment(s, 0xE1, b"Exif\0\0" + SECRET),
        lambda s: with_segment(s, 0xE1, b"http://ns.adobe.com/xap/1.0/\0" + SECRET),
        lambda s: with_segment(s, 0xED, b"Photoshop 3.0\0" + SECRET),
        lambda s: with_segment(s, 0xE0, THUMBNAIL),
        lambda s: with_segment(s, 0xE0, b"JFXX\0\x10" + SECRET),
        lambda s: with_segment(s, 0xE2, b"ICC_PROFILE\0\1\1" + SECRET),
        lambda s: with_segment(s, 0xE8, SECRET),
        lambda s: with_segment(s, 0xEF, SECRET),
        lambda s: s + SECRET,
        lambda s: s + jpeg() + SECRET,
        lambda s: with_segment(with_segment(s, 0xFE, b"x"), 0xFE, SECRET) + b"\0" + SECRET,
    ],
)
def test_what_is_no_picture_in_a_jpeg_goes_and_the_picture_stays(
    mode: str, form: dict[str, object], dirty: Callable[[bytes], bytes]
) -> None:
    before = jpeg(mode, **form)
    clean = clean_stream(dirty(before))
    assert SECRET[:7] not in clean
    np.testing.assert_array_equal(pixels(clean), pixels(before))
    assert clean == clean_stream(before)


def test_exif_as_cameras_write_it_goes() -> None:
    dirty = jpeg(exif=exif(), comment=SECRET)
    assert SECRET in dirty
    clean = clean_stream(dirty)
    assert SECRET not in clean
    np.testing.assert_array_equal(pixels(clean), pixels(dirty))


@pytest.mark.parametrize("form", [{}, {"progressive": True}, {"restart_marker_blocks": 2}])
@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
def test_a_clean_jpeg_stays_byte_for_byte(mode: str, form: dict[str, object]) -> None:
    stream = jpeg(mode, **form)
    assert clean_stream(stream) == stream


def test_a_comment_between_the_scans_goes() -> None:
    stream = jpeg(progressive=True)
    scan = stream.rfind(b"\xff\xda")
    clean = clean_stream(stream[:scan] + segment(0xFE, SECRET) + stream[scan:])
    assert clean == stream


@pytest.mark.parametrize("bits", [8, 12, 16])
def test_jpeg_ls_stays_bit_for_bit(bits: int) -> None:
    values = np.random.default_rng(3).integers(0, 2**bits, (35, 37)).astype(np.uint8 if bits == 8 else np.uint16)
    stream = bytes(jpeg_ls.encode_array(values))
    assert clean_stream(stream) == stream
    clean = clean_stream(with_segment(stream, 0xFE, SECRET) + SECRET)
    assert clean == stream
    np.testing.assert_array_equal(imagecodecs.jpegls_decode(clean), values)


@pytest.mark.parametrize("bits", [8, 12, 16])
def test_lossless_jpeg_stays_bit_for_bit(bits: int) -> None:
    values = np.random.default_rng(3).integers(0, 2**bits, (35, 37)).astype(np.uint8 if bits == 8 else np.uint16)
    stream = imagecodecs.ljpeg_encode(values, bitspersample=bits)
    base = clean_stream(stream)
    clean = clean_stream(with_segment(stream, 0xFE, SECRET) + SECRET)
    assert SECRET not in clean
    assert clean == base
    np.testing.assert_array_equal(imagecodecs.ljpeg_decode(clean), values)


def j2k() -> tuple[bytes, NDArray[np.uint16]]:
    values = np.random.default_rng(3).integers(0, 4096, (64, 64)).astype(np.uint16)
    stream = imagecodecs.jpeg2k_encode(values, level=0, codecformat="j2k", reversible=True, bitspersample=12)
    return stream, values


def with_j2k_comment(stream: bytes, content: bytes) -> bytes:
    """The codestream with a comment behind its size segment."""
    (size,) = struct.unpack_from(">H", stream, 4)
    at = 4 + size
    return stream[:at] + struct.pack(">HHH", 0xFF64, len(content) + 4, 1) + content + stream[at:]


@pytest.mark.parametrize("trailing", [b"", SECRET, b"\0" + SECRET + b"\xff\xd9"])
def test_jpeg_2000_loses_comments_and_what_follows_its_end(trailing: bytes) -> None:
    stream, values = j2k()
    clean = clean_stream(with_j2k_comment(stream, SECRET) + trailing)
    assert SECRET not in clean
    assert clean == with_j2k_comment(stream, b" " * len(SECRET))
    np.testing.assert_array_equal(imagecodecs.jpeg2k_decode(clean), values)


def test_a_clean_jpeg_2000_stays_byte_for_byte_and_so_does_its_encoders_name() -> None:
    stream, _ = j2k()
    assert b"OpenJPEG" in stream
    assert clean_stream(stream) == stream


@given(st.binary(max_size=400), st.sampled_from([b"", b"\xff\xd8", b"\xff\xd8\xff\xfe", b"\xff\x4f\xff\x51\0\4\0\0"]))
@example(b"", b"\xff\xd8\xff")
@example(b"", b"\xff\xd8\xff\xda\0\2")
def test_random_bytes_never_raise_and_cleaning_twice_is_cleaning_once(data: bytes, head: bytes) -> None:
    once = clean_stream(head + data)
    assert len(once) <= len(head + data)
    assert clean_stream(once) == once


@given(st.integers(2, 3000), st.integers(0, 255), st.integers(4, 3000))
def test_a_damaged_jpeg_never_raises_and_cleaning_twice_is_cleaning_once(at: int, byte: int, keep: int) -> None:
    stream = bytearray(with_segment(BASE, 0xFE, SECRET))
    stream[at % len(stream)] = byte
    once = clean_stream(bytes(stream[:keep]))
    assert clean_stream(once) == once


BASE = jpeg()


def compressed(
    make: Make, streams: list[bytes], syntax: str, values: NDArray[np.generic], photometric: str
) -> FileDataset:
    dataset = make(values, photometric, syntax)
    dataset.PixelData = encapsulate(streams)
    dataset["PixelData"].is_undefined_length = True
    return read_dataset(to_bytes(dataset))


def test_comments_of_every_frame_go_from_a_file(make: Make) -> None:
    values = np.zeros((3, 40, 48, 3), np.uint8)
    streams = [jpeg(), with_segment(jpeg(), 0xFE, SECRET), jpeg() + SECRET]
    dataset = compressed(make, streams, JPEGBaseline8Bit, values, "YBR_FULL_422")
    before = [frame.values.copy() for frame in Frames(dataset)]
    assert strip_comments(dataset) is True
    again = read_dataset(to_bytes(dataset))
    assert SECRET not in to_bytes(again)
    for frame in Frames(again):
        np.testing.assert_array_equal(frame.values, before[frame.index])
    assert strip_comments(again) is False


def test_offset_tables_that_no_longer_fit_go(make: Make) -> None:
    values = np.zeros((2, 40, 48, 3), np.uint8)
    dataset = compressed(make, [with_segment(BASE, 0xFE, SECRET)] * 2, JPEGBaseline8Bit, values, "YBR_FULL_422")
    dataset.ExtendedOffsetTable = bytes(16)
    dataset.ExtendedOffsetTableLengths = bytes(16)
    assert strip_comments(dataset) is True
    assert "ExtendedOffsetTable" not in dataset
    assert "ExtendedOffsetTableLengths" not in dataset
    assert len(list(generate_frames(dataset.PixelData, number_of_frames=2))) == 2


@pytest.mark.parametrize("syntax", [JPEG2000Lossless, JPEGLSLossless])
def test_streams_with_only_an_encoders_name_are_not_touched(make: Make, syntax: str) -> None:
    dataset = make(np.random.default_rng(1).integers(0, 4096, (2, 40, 48)).astype(np.uint16), bits_stored=12)
    dataset.compress(syntax, generate_instance_uid=False)
    before = dataset.PixelData
    assert strip_comments(dataset) is False
    assert dataset.PixelData is before


def test_native_and_missing_pixels_have_no_comments(make: Make) -> None:
    dataset = make(np.zeros((1, 9, 9), np.uint8))
    assert strip_comments(dataset) is False
    del dataset.PixelData
    assert strip_comments(dataset) is False


def test_more_compressed_frames_than_declared_are_refused(make: Make) -> None:
    values = np.zeros((1, 40, 48, 3), np.uint8)
    dataset = compressed(make, [BASE, BASE], JPEGBaseline8Bit, values, "YBR_FULL_422")
    with pytest.raises(InputError, match="more frames"):
        Frames(dataset)


def test_a_frame_in_several_fragments_is_one_frame(make: Make) -> None:
    values = np.zeros((1, 40, 48, 3), np.uint8)
    dataset = make(values, "YBR_FULL_422", JPEGBaseline8Bit)
    dataset.PixelData = encapsulate([BASE], fragments_per_frame=3)
    dataset = read_dataset(to_bytes(dataset))
    assert Frames(dataset).frame(0).values.shape == (40, 48, 3)

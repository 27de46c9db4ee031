"""Compressed files lose what stands in the bits around their samples, redacted or not, frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import imagecodecs
import numpy as np
import pytest
from dicom_files import to_bytes
from numpy.typing import NDArray
from pydicom import Dataset
from pydicom.dataset import FileDataset
from pydicom.encaps import encapsulate, generate_frames
from pydicom.uid import (
    HTJ2K,
    JPEG2000,
    HTJ2KLossless,
    HTJ2KLosslessRPCL,
    JPEG2000Lossless,
    JPEGBaseline8Bit,
    JPEGLossless,
    JPEGLosslessSV1,
    JPEGLSLossless,
    RLELossless,
)

from deidra.app.decide.policy import RedactSection, load_policy
from deidra.app.domain.geometry import box_polygon
from deidra.app.load.bits import SampleBits
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.redact.codec import LOSSLESS, CannotEncode, Codec
from deidra.app.redact.header import clean_pixels
from deidra.app.redact.pixels import redact_pixels
from deidra.app.redact.plan import Mark
from deidra.app.redact.precision import stream_precision
from deidra.app.redact.written import Way, Written

Make = Callable[..., FileDataset]
Values = NDArray[np.generic]
EXACT = RedactSection(padding_share=0, padding_least=0)
OVERLAY = 1 << 13


def samples(dtype: str, frames: int = 3) -> Values:
    low, high = (-2048, 2048) if dtype[0] == "i" else (0, 4096)
    return np.random.default_rng(7).integers(low, high, (frames, 35, 37)).astype(dtype)


def with_overlay(values: Values, *frames: int) -> Values:
    dirty = values.copy()
    for frame in frames:
        dirty[frame, 20:25, 3:30] ^= OVERLAY
    return dirty


def compressed(make: Make, values: Values, syntax: str, stored: int = 12, high: int | None = None) -> FileDataset:
    """A file whose streams hold words of 16 bits, whatever the header says of the samples."""
    unsigned = make(values.view("u2"))
    codec = Codec(unsigned, syntax)
    dataset = make(values, bits_stored=stored)
    dataset.HighBit = stored - 1 if high is None else high
    dataset.PixelData = encapsulate([codec.encode(frame, syntax, "MONOCHROME2") for frame in values.view("u2")])
    dataset["PixelData"].VR = "OB"
    dataset["PixelData"].is_undefined_length = True
    dataset.file_meta.TransferSyntaxUID = syntax
    return read_dataset(to_bytes(dataset))


def streams(dataset: FileDataset) -> list[bytes]:
    return list(generate_frames(dataset.PixelData, number_of_frames=int(dataset.NumberOfFrames)))


def words(dataset: FileDataset) -> Iterator[Values]:
    """All bits of each frame's words, signed where samples are."""
    codec = Codec(dataset, str(dataset.file_meta.TransferSyntaxUID))
    return (codec.words(stream) for stream in streams(dataset))


def released(dataset: FileDataset) -> tuple[Written, FileDataset]:
    written = clean_pixels(dataset, [], load_policy("basic"), accept_pending=False)
    return written, read_dataset(to_bytes(dataset))


@pytest.mark.parametrize("dtype", ["u2", "i2"])
@pytest.mark.parametrize("syntax", LOSSLESS)
def test_a_file_without_marks_loses_the_bits_in_the_frames_that_hold_some(make: Make, syntax: str, dtype: str) -> None:
    values = samples(dtype)
    dataset = compressed(make, with_overlay(values, 1), syntax)
    before = streams(dataset)
    assert any(SampleBits(0, 12).hidden(frame).any() for frame in words(dataset))
    written, after = released(dataset)
    assert str(written) == "cleaned: bits around the samples cleared in 1 of 3 frames"
    assert after.file_meta.TransferSyntaxUID == syntax
    for found, frame in zip(words(after), values, strict=True):
        assert np.array_equal(found, frame)
    assert [a == b for a, b in zip(before, streams(after), strict=True)] == [True, False, True]
    assert released(after)[0].way is Way.UNCHANGED


@pytest.mark.parametrize("dtype", ["u2", "i2"])
@pytest.mark.parametrize("syntax", LOSSLESS)
def test_samples_with_nothing_around_them_keep_every_byte(make: Make, syntax: str, dtype: str) -> None:
    dataset = compressed(make, samples(dtype), syntax)
    before = bytes(dataset.PixelData)
    written, after = released(dataset)
    assert written == Written(Way.UNCHANGED)
    assert after.PixelData == before


@pytest.mark.parametrize("syntax", LOSSLESS)
def test_frames_beside_a_marked_one_lose_the_bits_too(make: Make, syntax: str) -> None:
    values = samples("u2")
    dataset = compressed(make, with_overlay(values, 0, 2), syntax)
    before = streams(dataset)
    written = redact_pixels(dataset, [Mark(box_polygon(2, 2, 12, 9), 0)], EXACT)
    assert str(written) == "re-encoded: bits around the samples cleared in 2 of 3 frames"
    wanted = values.copy()
    wanted[0, 2:9, 2:12] = values.min()
    for found, frame in zip(words(dataset), wanted, strict=True):
        assert np.array_equal(found, frame)
    assert streams(dataset)[1] == before[1]


@pytest.mark.parametrize("syntax", [RLELossless, JPEGLSLossless, JPEG2000Lossless])
def test_bits_below_samples_that_sit_high_are_cleared(make: Make, syntax: str) -> None:
    values = samples("u2") << np.uint16(4)
    dirty = values.copy()
    dirty[0, 3:9] |= 1
    dataset = compressed(make, dirty, syntax, high=15)
    written, after = released(dataset)
    assert written.way is Way.CLEANED
    for found, frame in zip(words(after), values, strict=True):
        assert np.array_equal(found, frame)


@pytest.mark.parametrize("syntax", [RLELossless, JPEGLSLossless, JPEG2000Lossless])
def test_bits_around_the_samples_of_colours_are_cleared(make: Make, syntax: str) -> None:
    values = np.random.default_rng(2).integers(0, 64, (2, 35, 37, 3)).astype("u1")
    dirty = values.copy()
    dirty[1, 3:9, 4:20, 2] |= 0x80
    dataset = make(dirty, "RGB")
    codec = Codec(dataset, syntax)
    dataset.PixelData = encapsulate([codec.encode(frame, syntax, "RGB") for frame in dirty])
    dataset["PixelData"].is_undefined_length = True
    dataset.file_meta.TransferSyntaxUID = syntax
    dataset.BitsStored, dataset.HighBit = 6, 5
    written, after = released(read_dataset(to_bytes(dataset)))
    assert written.way is Way.CLEANED
    for found, frame in zip(words(after), values, strict=True):
        assert np.array_equal(found, frame)


@pytest.mark.parametrize("syntax", LOSSLESS)
@pytest.mark.parametrize(("stored", "precise"), [(16, False), (12, True)])
def test_streams_without_room_are_never_decoded(
    make: Make, monkeypatch: pytest.MonkeyPatch, syntax: str, stored: int, precise: bool
) -> None:
    values = samples("u2")
    dataset = compressed(make, values, syntax, stored)
    if precise:
        if syntax == RLELossless:
            pytest.skip("run lengths are of whole words")
        head = make(values, bits_stored=12)
        codec = Codec(head, syntax)
        dataset.PixelData = encapsulate([codec.encode(frame, syntax, "MONOCHROME2") for frame in values])
    monkeypatch.setattr(Codec, "words", lambda *_: pytest.fail("decoded"))
    monkeypatch.setattr(Codec, "raw", lambda *_: pytest.fail("decoded"))
    assert released(dataset)[0].way is Way.UNCHANGED


@pytest.mark.parametrize("syntax", [JPEGLSLossless, JPEG2000Lossless])
def test_what_cannot_be_encoded_again_is_cleared_in_another_syntax(
    make: Make, monkeypatch: pytest.MonkeyPatch, syntax: str
) -> None:
    values = samples("u2")
    dataset = compressed(make, with_overlay(values, 2), syntax)
    encode = Codec.encode

    def refuse(self: Codec, frame: Values, target: str, *rest: str, **more: bytes) -> bytes:
        if target == syntax:
            raise CannotEncode
        return encode(self, frame, target, *rest, **more)

    monkeypatch.setattr(Codec, "encode", refuse)
    written, after = released(dataset)
    assert written.way is Way.CONVERTED
    assert "cleared in 1 of 3 frames" in written.note
    assert written.warning
    for found, frame in zip(words(after), values, strict=True):
        assert np.array_equal(found, frame)


@pytest.mark.parametrize("syntax", [JPEG2000, HTJ2K, JPEGBaseline8Bit])
def test_lossy_streams_without_marks_keep_every_byte(make: Make, syntax: str) -> None:
    dataset = make(samples("u2"), bits_stored=12)
    dataset.PixelData = encapsulate([b"\xff\x4f\xff\x51" + bytes(60)] * 3)
    dataset["PixelData"].is_undefined_length = True
    dataset.file_meta.TransferSyntaxUID = syntax
    assert redact_pixels(dataset, [], EXACT) == Written(Way.UNCHANGED)


def test_the_extreme_values_follow_and_the_icon_goes(make: Make) -> None:
    values = samples("u2", 1)
    dataset = compressed(make, with_overlay(values, 0), JPEGLSLossless)
    dataset.add_new("SmallestImagePixelValue", "US", 0)
    dataset.add_new("LargestImagePixelValue", "US", 12000)
    dataset.IconImageSequence = [Dataset()]
    _, after = released(read_dataset(to_bytes(dataset)))
    assert "IconImageSequence" not in after
    assert (after.SmallestImagePixelValue, after.LargestImagePixelValue) == (values.min(), values.max())


@pytest.mark.parametrize("bits", [9, 12, 16])
@pytest.mark.parametrize("syntax", LOSSLESS)
def test_the_precision_is_that_of_the_stream(make: Make, syntax: str, bits: int) -> None:
    values = np.random.default_rng(1).integers(0, 2**bits, (35, 37)).astype("u2")
    codec = Codec(make(values[None], bits_stored=bits), syntax)
    stream = codec.encode(values, syntax, "MONOCHROME2")
    assert stream_precision(stream, syntax) == (None if syntax == RLELossless else bits)


def test_a_codestream_in_its_file_format_tells_its_precision() -> None:
    stream = imagecodecs.jpeg2k_encode(np.zeros((9, 9), "u2"), codecformat="jp2", reversible=True, bitspersample=11)
    assert stream_precision(stream, JPEG2000Lossless) == 11


@pytest.mark.parametrize("stream", [b"", b"\xff\xd8", b"\xff\x4f\xff\x51\0", b"\xff\xd8\xff\xc3\0", b"nonsense"])
def test_damaged_streams_tell_no_precision(stream: bytes) -> None:
    assert stream_precision(stream, JPEGLossless) is None


def test_the_pictures_of_the_samples_are_the_same_after_clearing(make: Make) -> None:
    values = samples("u2", 1)
    for syntax in (HTJ2KLossless, HTJ2KLosslessRPCL, JPEGLosslessSV1):
        _, after = released(compressed(make, with_overlay(values, 0), syntax))
        assert np.array_equal(Frames(after).frame(0).values, values[0])

"""Compressed pixel data keeps its syntax, its values outside the boxes, and the bytes of frames without marks."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

import imagecodecs
import jpeg_ls
import numpy as np
import pytest
from dicom_files import to_bytes
from hypothesis import given, settings
from hypothesis import strategies as st
from jpeg_files import jpeg, needs_turbojpeg, smooth
from numpy.typing import NDArray
from pydicom.dataset import FileDataset
from pydicom.encaps import encapsulate, encapsulate_extended, generate_fragments, generate_frames, parse_basic_offsets
from pydicom.uid import (
    HTJ2K,
    JPEG2000,
    ExplicitVRLittleEndian,
    HTJ2KLossless,
    HTJ2KLosslessRPCL,
    JPEG2000Lossless,
    JPEGBaseline8Bit,
    JPEGExtended12Bit,
    JPEGLossless,
    JPEGLosslessSV1,
    JPEGLSLossless,
    JPEGLSNearLossless,
    RLELossless,
)

from deidra.app.decide.policy import Fill, RedactSection
from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import Box, box_polygon
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.redact import codec, encapsulated
from deidra.app.redact.codec import LOSSLESS, Codec
from deidra.app.redact.jpeg_header import JpegHeader
from deidra.app.redact.pixels import redact_pixels
from deidra.app.redact.plan import Mark
from deidra.app.redact.streams import frames_of, store_frames
from deidra.app.redact.written import Way, Written

Make = Callable[..., FileDataset]
Native = Callable[[FileDataset], NDArray[np.generic]]
EXACT = RedactSection(padding_share=0, padding_least=0)
FORMS = {
    "u8": ("MONOCHROME2", "u1", 8),
    "u7": ("MONOCHROME2", "u1", 7),
    "u12": ("MONOCHROME1", "u2", 12),
    "u16": ("MONOCHROME2", "u2", 16),
    "s12": ("MONOCHROME2", "i2", 12),
    "s16": ("MONOCHROME2", "i2", 16),
    "rgb": ("RGB", "u1", 8),
    "rgb16": ("RGB", "u2", 16),
    "ybr": ("YBR_FULL", "u1", 8),
    "rct": ("YBR_RCT", "u1", 8),
}
IMPOSSIBLE = {
    # Colours that only JPEG 2000 has; samples that a lossless JPEG encoder is not made for.
    *(("rct", s) for s in LOSSLESS if s not in codec.JPEG2000_FAMILY),
}


def noise(form: str, shape: tuple[int, int, int], seed: int) -> NDArray[np.generic]:
    photometric, dtype, bits = FORMS[form]
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if dtype[0] == "i" else (0, 2**bits)
    full = (*shape, 3) if not photometric.startswith("MONO") else shape
    return np.random.default_rng(seed).integers(low, high, full).astype(dtype)


def with_streams(dataset: FileDataset, streams: list[bytes], syntax: str, extended: bool = False) -> FileDataset:
    if extended:
        dataset.PixelData, dataset.ExtendedOffsetTable, dataset.ExtendedOffsetTableLengths = encapsulate_extended(
            streams
        )
    else:
        dataset.PixelData = encapsulate(streams)
    dataset["PixelData"].VR = "OB"
    dataset["PixelData"].is_undefined_length = True
    dataset.file_meta.TransferSyntaxUID = syntax
    return read_dataset(to_bytes(dataset))


def compressed(make: Make, form: str, values: NDArray[np.generic], syntax: str, extended: bool = False) -> FileDataset:
    photometric, _, bits = FORMS[form]
    dataset = make(values, photometric, bits_stored=bits)
    single = Codec(dataset, syntax)
    streams = [single.encode(frame, syntax, photometric) for frame in values]
    return with_streams(dataset, streams, syntax, extended)


def streams_of(dataset: FileDataset) -> list[bytes]:
    return list(generate_frames(dataset.PixelData, number_of_frames=int(dataset.NumberOfFrames)))


def raws(dataset: FileDataset) -> Iterator[NDArray[np.generic]]:
    frames = Frames(dataset)
    return (frames.raw(index) for index in range(frames.count))


def second_decoder(stream: bytes, syntax: str, like: NDArray[np.generic]) -> NDArray[np.generic]:
    """A decoder that neither the product's decoding nor its encoding uses, where there is one."""
    if syntax == JPEGLSLossless:
        values = imagecodecs.jpegls_decode(stream)
    elif syntax in (JPEGLossless, JPEGLosslessSV1):
        values = imagecodecs.jpegsof3_decode(stream)
    elif syntax in (HTJ2KLossless, HTJ2KLosslessRPCL):
        values = imagecodecs.htj2k_decode(stream)
        if values.shape != like.shape:
            values = np.moveaxis(values, 0, -1)
    else:
        return like  # both decoders of JPEG 2000 here are OpenJPEG
    if values.dtype.kind == "u" and like.dtype.kind == "i":
        bits = 8 * like.dtype.itemsize
        stored = JpegHeader.of(stream).precision if syntax in (JPEGLossless, JPEGLosslessSV1) else _jls_bits(stream)
        values = (values.astype(like.dtype) << (bits - stored)) >> (bits - stored)
    return values


def _jls_bits(stream: bytes) -> int:
    return stream[stream.index(b"\xff\xf7") + 4]


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    left, top = draw(st.integers(-5, 34)), draw(st.integers(-5, 32))
    return left, top, max(1, left + draw(st.integers(1, 30))), max(1, top + draw(st.integers(1, 20)))


@settings(deadline=None, max_examples=120)
@given(
    form=st.sampled_from(sorted(FORMS)),
    syntax=st.sampled_from(LOSSLESS),
    frames=st.integers(1, 3),
    box=boxes(),
    everywhere=st.booleans(),
    seed=st.integers(0, 99),
)
def test_lossless_syntaxes_stay_and_values_outside_the_box_are_the_same(
    make: Make, form: str, syntax: str, frames: int, box: Box, everywhere: bool, seed: int
) -> None:
    if (form, syntax) in IMPOSSIBLE:
        return
    values = noise(form, (frames, 35, 37), seed)
    dataset = compressed(make, form, values, syntax)
    before = streams_of(dataset)
    mark = Mark(box_polygon(*box), None if everywhere else frames - 1)
    assert redact_pixels(dataset, [mark], EXACT) == Written(Way.REENCODED)
    again = read_dataset(to_bytes(dataset))
    assert again.file_meta.TransferSyntaxUID == syntax
    assert again.PhotometricInterpretation == FORMS[form][0]
    assert again.BitsStored == FORMS[form][2]
    hidden = np.zeros((frames, 35, 37), bool)
    hidden[
        slice(None) if everywhere else frames - 1, max(0, box[1]) : max(0, box[3]), max(0, box[0]) : max(0, box[2])
    ] = True
    for index, after in enumerate(raws(again)):
        assert after.dtype == values.dtype
        np.testing.assert_array_equal(after[~hidden[index]], values[index][~hidden[index]])
        inside = after[hidden[index]]
        assert len(inside) == 0 or len(np.unique(inside.reshape(len(inside), -1), axis=0)) == 1
        np.testing.assert_array_equal(second_decoder(streams_of(again)[index], syntax, after), after)
        if not hidden[index].any():
            assert streams_of(again)[index] == before[index]


@pytest.mark.parametrize("syntax", [JPEGLossless, JPEGLosslessSV1])
def test_lossless_jpeg_is_written_with_first_order_prediction(make: Make, syntax: str) -> None:
    dataset = compressed(make, "u12", noise("u12", (1, 35, 37), 1), syntax)
    redact_pixels(dataset, [Mark(box_polygon(3, 4, 20, 12), 0)], EXACT)
    (stream,) = streams_of(dataset)
    header = JpegHeader.of(stream)
    assert (header.process, header.precision) == (3, 12)
    assert stream[stream.index(b"\xff\xda") + 7] == 1


def test_lossless_jpeg_keeps_the_precision_of_its_stream(make: Make) -> None:
    values = noise("u12", (1, 35, 37), 1)
    dataset = make(values, bits_stored=12)
    stream = bytes(imagecodecs.jpeg8_encode(values[0], lossless=True, predictor=1, bitspersample=16))
    dataset = with_streams(dataset, [stream], JPEGLosslessSV1)
    assert redact_pixels(dataset, [Mark(box_polygon(3, 4, 20, 12), 0)], EXACT).way is Way.REENCODED
    assert JpegHeader.of(streams_of(dataset)[0]).precision == 16


@pytest.mark.parametrize("form", ["u8", "u7", "u12", "u16", "s12", "s16", "rgb", "rct"])
@pytest.mark.parametrize("syntax", [HTJ2KLossless, HTJ2KLosslessRPCL])
def test_high_throughput_streams_have_the_precision_the_order_and_the_colours_of_the_header(
    make: Make, form: str, syntax: str
) -> None:
    dataset = compressed(make, form, noise(form, (1, 35, 37), 1), syntax)
    redact_pixels(dataset, [Mark(box_polygon(3, 4, 20, 12), 0)], EXACT)
    (stream,) = streams_of(dataset)
    size, coding = stream.index(b"\xff\x51"), stream.index(b"\xff\x52")
    assert stream[size + 40] & 127 == FORMS[form][2] - 1
    assert bool(stream[size + 40] & 128) == form.startswith("s")
    assert stream[coding + 5] == 2  # RPCL
    assert stream[coding + 8] == (form == "rct")
    assert stream[coding + 13] == 1  # the reversible wavelet


@pytest.mark.parametrize("syntax", LOSSLESS)
def test_ranges_are_told_of_all_frames_and_black_is_taken_from_them(make: Make, syntax: str) -> None:
    values = np.full((3, 20, 20), 500, np.uint16)
    values[0, 0, :2] = (100, 900)
    values[2, 5:8, 5:8] = 40
    dataset = compressed(make, "u12", values, syntax)
    dataset.PhotometricInterpretation = "MONOCHROME2"
    dataset.add_new(0x00280106, "US", 40)
    dataset.add_new(0x00280107, "US", 900)
    redact_pixels(dataset, [Mark(box_polygon(4, 4, 10, 10), 2)], RedactSection(fill=Fill.WHITE, padding_least=0))
    assert (dataset.SmallestImagePixelValue, dataset.LargestImagePixelValue) == (100, 900)
    assert Frames(dataset).raw(2)[5, 5] == 900


@pytest.mark.parametrize("extended", [False, True])
def test_offset_tables_are_made_anew(make: Make, extended: bool) -> None:
    values = noise("u8", (4, 35, 37), 1)
    dataset = compressed(make, "u8", values, RLELossless, extended)
    redact_pixels(dataset, [Mark(box_polygon(0, 0, 30, 30), 1)], EXACT)
    again = read_dataset(to_bytes(dataset))
    starts, at = [], 0
    items = list(generate_fragments(again.PixelData))[-4:]
    for item in items:
        starts.append(at)
        at += 8 + len(item)
    if extended:
        assert list(struct.unpack("<4Q", again.ExtendedOffsetTable)) == starts
        assert list(struct.unpack("<4Q", again.ExtendedOffsetTableLengths)) == [len(item) for item in items]
        assert again.PixelData[4:8] == bytes(4)
    else:
        assert "ExtendedOffsetTable" not in again
        assert parse_basic_offsets(again.PixelData) == starts


def test_frames_in_several_fragments_are_joined_and_keep_their_bytes(make: Make) -> None:
    values = noise("u8", (3, 60, 60), 1)
    dataset = compressed(make, "u8", values, JPEGLSLossless)
    before = streams_of(dataset)
    dataset.PixelData = encapsulate(before, fragments_per_frame=3)
    redact_pixels(dataset, [Mark(box_polygon(0, 0, 30, 30), 1)], EXACT)
    after = streams_of(read_dataset(to_bytes(dataset)))
    assert [after[0].rstrip(b"\0"), after[2].rstrip(b"\0")] == [before[0].rstrip(b"\0"), before[2].rstrip(b"\0")]


def test_an_extended_table_comes_where_the_basic_one_cannot_reach(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = compressed(make, "u8", noise("u8", (2, 35, 37), 1), RLELossless)
    monkeypatch.setattr("deidra.app.redact.streams._MOST_OFFSET", 1000)
    store_frames(dataset, frames_of(dataset))
    assert struct.unpack("<2Q", dataset.ExtendedOffsetTable)[1] > 1000
    assert Frames(read_dataset(to_bytes(dataset))).count == 2


def test_only_frames_with_marks_of_colour_loops_are_decoded(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = compressed(make, "rgb", noise("rgb", (9, 35, 37), 1), RLELossless)
    seen: list[bytes] = []
    decode = Codec.raw
    monkeypatch.setattr(Codec, "raw", lambda self, stream: seen.append(stream) or decode(self, stream))
    redact_pixels(dataset, [Mark(box_polygon(0, 0, 30, 30), 4)], EXACT)
    assert len(seen) == 1


LOSSY = {
    "near": (JPEGLSNearLossless, JPEGLSLossless),
    "j2k": (JPEG2000, JPEG2000Lossless),
    "htj2k": (HTJ2K, JPEG2000Lossless),
    "jpeg12": (JPEGExtended12Bit, JPEGLSLossless),
}
METHODS = {"near": "ISO_14495_1", "j2k": "ISO_15444_1", "htj2k": "ISO_15444_15", "jpeg12": "ISO_10918_1"}


def lossy_stream(kind: str, frame: NDArray[np.generic]) -> bytes:
    if kind == "near":
        return bytes(jpeg_ls.encode_array(frame, lossy_error=3))
    if kind == "j2k":
        return bytes(imagecodecs.jpeg2k_encode(frame, level=40, codecformat="j2k", reversible=False, bitspersample=12))
    if kind == "htj2k":
        return bytes(imagecodecs.htj2k_encode(frame, level=0.01, reversible=False))
    return bytes(imagecodecs.jpeg8_encode(frame, 90, bitspersample=12))


def lossy(make: Make, kind: str, frames: int) -> FileDataset:
    values = (smooth((frames * 48, 56)).reshape(frames, 48, 56).astype(np.uint16)) * 10
    dataset = make(values, bits_stored=16 if kind == "htj2k" else 12)
    streams = [lossy_stream(kind, frame) for frame in values]
    return with_streams(dataset, streams, LOSSY[kind][0])


@pytest.mark.parametrize("kind", LOSSY)
@pytest.mark.parametrize("frames", [1, 3])
def test_lossy_streams_are_decoded_once_and_stored_without_loss(make: Make, kind: str, frames: int) -> None:
    dataset = lossy(make, kind, frames)
    before = [f.values.copy() for f in Frames(dataset)]
    length = sum(map(len, streams_of(dataset)))
    written = redact_pixels(dataset, [Mark(box_polygon(3, 4, 20, 12), frames - 1)], EXACT)
    assert written.way is Way.CONVERTED
    assert "decoded once" in written.note
    assert not written.warning
    again = read_dataset(to_bytes(dataset))
    assert again.file_meta.TransferSyntaxUID == LOSSY[kind][1]
    for index, frame in enumerate(Frames(again)):
        after = frame.values.copy()
        if index == frames - 1:
            assert len(np.unique(after[4:12, 3:20])) == 1
            after[4:12, 3:20] = before[index][4:12, 3:20]
        np.testing.assert_array_equal(after, before[index])
    assert again.LossyImageCompression == "01"
    assert again.LossyImageCompressionMethod == METHODS[kind]
    assert float(again.LossyImageCompressionRatio) == pytest.approx(frames * 48 * 56 * 2 / length, abs=0.02)


def test_lossy_flags_of_the_file_are_kept_as_they_are(make: Make) -> None:
    dataset = lossy(make, "j2k", 1)
    dataset.LossyImageCompression = "01"
    dataset.LossyImageCompressionMethod = ["ISO_10918_1", "ISO_15444_1"]
    dataset.LossyImageCompressionRatio = [3, 7.5]
    redact_pixels(dataset, [Mark(box_polygon(3, 4, 20, 12), 0)], EXACT)
    assert list(dataset.LossyImageCompressionMethod) == ["ISO_10918_1", "ISO_15444_1"]
    assert [float(v) for v in dataset.LossyImageCompressionRatio] == [3, 7.5]


@pytest.mark.parametrize("kind", ["near", "j2k"])
def test_streams_without_loss_in_syntaxes_for_lossy_ones_are_not_called_lossy(make: Make, kind: str) -> None:
    values = noise("u12", (1, 35, 37), 1)
    stream = (
        bytes(jpeg_ls.encode_array(values[0]))
        if kind == "near"
        else bytes(imagecodecs.jpeg2k_encode(values[0], level=0, codecformat="j2k", reversible=True, bitspersample=12))
    )
    dataset = with_streams(make(values, bits_stored=12), [stream], LOSSY[kind][0])
    dataset.LossyImageCompression = "00"
    redact_pixels(dataset, [Mark(box_polygon(3, 4, 20, 12), 0)], EXACT)
    assert dataset.LossyImageCompression == "00"
    assert "LossyImageCompressionMethod" not in dataset


def test_lossy_colour_of_jpeg_2000_becomes_its_reversible_form(make: Make) -> None:
    values = smooth((48, 56, 3))[None]
    stream = bytes(imagecodecs.jpeg2k_encode(values[0], level=40, codecformat="j2k", reversible=False, mct=True))
    dataset = with_streams(make(values, "YBR_ICT"), [stream], JPEG2000)
    before = Frames(dataset).stored(0)
    redact_pixels(dataset, [Mark(box_polygon(0, 0, 20, 12), 0)], EXACT)
    assert dataset.PhotometricInterpretation == "YBR_RCT"
    (after,) = streams_of(dataset)
    assert after[after.index(b"\xff\x52") + 8] == 1  # the stream transforms its colours, as the header says
    np.testing.assert_array_equal(Frames(dataset).stored(0)[12:], before[12:])


def test_values_beyond_the_declared_bits_get_the_bits_that_they_need(make: Make) -> None:
    values = np.full((1, 48, 56), 1023, np.uint16)
    values[0, ::3] = 900
    stream = bytes(imagecodecs.jpeg8_encode(values[0] + np.uint16(200), 99, bitspersample=12))
    dataset = with_streams(make(values, bits_stored=10), [stream], JPEGExtended12Bit)
    before = Frames(dataset).stored(0)
    redact_pixels(dataset, [Mark(box_polygon(0, 0, 20, 12), 0)], EXACT)
    assert (dataset.BitsStored, dataset.HighBit) == (16, 15)
    np.testing.assert_array_equal(Frames(dataset).stored(0)[12:], before[12:])


def lossy_jpeg(make: Make) -> FileDataset:
    values = smooth((48, 64, 3))
    return with_streams(make(values[None], "YBR_FULL_422"), [jpeg(values)], JPEGBaseline8Bit)


def check_fallback(dataset: FileDataset, warning: str) -> None:
    before = Frames(dataset).stored(0)
    written = redact_pixels(dataset, [Mark(box_polygon(3, 4, 20, 12), None)], EXACT)
    assert written.way is Way.CONVERTED
    assert warning in written.warning
    assert str(written).startswith("converted: ")
    assert "; warning: " in str(written)
    again = read_dataset(to_bytes(dataset))
    assert again.file_meta.TransferSyntaxUID == JPEGLSLossless
    assert again.PhotometricInterpretation == "RGB"
    assert again.LossyImageCompression == "01"
    after = Frames(again).stored(0)
    assert not after[4:12, 3:20].any()
    after[4:12, 3:20] = before[4:12, 3:20]
    np.testing.assert_array_equal(after, before)


def test_without_libturbojpeg_jpeg_is_stored_without_loss_and_the_result_warns(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encapsulated, "is_available", lambda: False)
    check_fallback(lossy_jpeg(make), "libturbojpeg")


@needs_turbojpeg
def test_a_jpeg_that_the_library_refuses_is_stored_without_loss_and_the_result_warns(make: Make) -> None:
    dataset = lossy_jpeg(make)
    (stream,) = streams_of(dataset)
    # Decoders fill in what is missing at the end of the scan; the library would have to invent it.
    cut = stream.rstrip(b"\0")[:-60] + b"\xff\xd9"
    dataset.PixelData = encapsulate([cut])
    dataset["PixelData"].is_undefined_length = True
    check_fallback(dataset, "blocks")


@pytest.mark.parametrize("syntax", LOSSLESS)
def test_what_does_not_come_back_as_it_was_is_stored_in_another_syntax(
    make: Make, monkeypatch: pytest.MonkeyPatch, syntax: str
) -> None:
    values = noise("u12", (2, 35, 37), 1)
    dataset = compressed(make, "u12", values, syntax)
    encode = Codec._encoded

    def damaging(self: Codec, frame: NDArray[np.generic], target: str, *rest: object) -> bytes:
        wrong = frame.copy()
        wrong[-1, -1] ^= 1
        return encode(self, wrong if target == syntax else frame, target, *rest)

    monkeypatch.setattr(Codec, "_encoded", damaging)
    written = redact_pixels(dataset, [Mark(box_polygon(3, 4, 20, 12), 0)], EXACT)
    assert written.way is Way.CONVERTED
    assert "without loss" in written.warning
    again = read_dataset(to_bytes(dataset))
    assert again.file_meta.TransferSyntaxUID != syntax
    np.testing.assert_array_equal(np.stack(list(raws(again)))[:, 12:], values[:, 12:])


def test_where_no_encoder_works_pixels_are_stored_native(
    make: Make, native_values: Native, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = noise("u12", (2, 35, 37), 1)
    dataset = compressed(make, "u12", values, JPEGLosslessSV1)

    def broken(*_: object) -> bytes:
        raise RuntimeError

    monkeypatch.setattr(Codec, "_encoded", broken)
    written = redact_pixels(dataset, [Mark(box_polygon(3, 4, 20, 12), 0)], EXACT)
    assert written.way is Way.DECOMPRESSED
    again = read_dataset(to_bytes(dataset))
    assert again.file_meta.TransferSyntaxUID == ExplicitVRLittleEndian
    np.testing.assert_array_equal(native_values(again)[:, 12:], values[:, 12:])
    np.testing.assert_array_equal(native_values(again)[1], values[1])


def test_a_mark_outside_the_frame_changes_nothing(make: Make) -> None:
    dataset = compressed(make, "u8", noise("u8", (1, 35, 37), 1), RLELossless)
    before = dataset.PixelData
    assert redact_pixels(dataset, [Mark(box_polygon(90, 90, 99, 99), 0)], EXACT) == Written(Way.UNCHANGED)
    assert dataset.PixelData is before


def test_damaged_frames_are_refused_with_a_reason(make: Make) -> None:
    dataset = compressed(make, "u8", noise("u8", (1, 35, 37), 1), JPEGLSLossless)
    dataset.PixelData = encapsulate([b"\xff\xd8 no picture"])
    dataset["PixelData"].is_undefined_length = True
    with pytest.raises(InputError, match="cannot be decoded"):
        redact_pixels(dataset, [Mark(box_polygon(3, 4, 20, 12), 0)], EXACT)


@pytest.mark.parametrize("syntax", LOSSLESS)
def test_overlays_in_the_bits_above_the_samples_leave_every_frame_of_a_redacted_file(make: Make, syntax: str) -> None:
    values = noise("u12", (2, 35, 37), 5)
    hiding = values.copy()
    hiding[:, 20:25, 3:30] |= 1 << 13
    dataset = compressed(make, "u16", hiding, syntax)
    dataset.BitsStored, dataset.HighBit = 12, 11
    written = redact_pixels(dataset, [Mark(box_polygon(2, 2, 12, 9), 0)], EXACT)
    assert (written.way, dataset.file_meta.TransferSyntaxUID) == (Way.REENCODED, syntax)
    wanted = values.copy()
    wanted[0, 2:9, 2:12] = values.min()
    for found, frame in zip(raws(read_dataset(to_bytes(dataset))), wanted, strict=True):
        assert np.array_equal(found, frame)

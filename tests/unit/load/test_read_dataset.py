from __future__ import annotations

import contextlib
import io
import struct
import time
import warnings
from collections.abc import Callable

import numpy as np
import pydicom
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydicom import Dataset
from pydicom.dataset import FileDataset
from pydicom.uid import (
    DeflatedExplicitVRLittleEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
    RLELossless,
    SegmentationStorage,
)

from deidra.app.domain.errors import InputError
from deidra.app.load.dicom import (
    MOST_DEPTH,
    ensure_meta,
    frame_count,
    is_encapsulated,
    is_mask,
    is_video,
    read_dataset,
    transfer_syntax,
    whole_number,
)
from deidra.app.load.frames import Frames

Make = Callable[..., FileDataset]
Write = Callable[[FileDataset], bytes]
SECRET = b"OKONKWO4711"
UNDEFINED = 0xFFFFFFFF

LABEL_MAP = "1.2.840.10008.5.1.4.1.1.66.7"
"""Label Map Segmentation Storage, which older versions of pydicom do not know."""


def _head(syntax: str = ExplicitVRLittleEndian) -> bytes:
    meta = struct.pack("<HH2sH", 2, 0x10, b"UI", len(syntax) + len(syntax) % 2) + syntax.encode()
    meta += b"\0" * (len(syntax) % 2)
    return bytes(128) + b"DICM" + struct.pack("<HH2sHI", 2, 0, b"UL", 4, len(meta)) + meta


def nested(depth: int, explicit_length: bool) -> bytes:
    """A file with sequences (0040,A730) nested ``depth`` levels deep."""
    if not explicit_length:
        opening = struct.pack("<HH2sHI", 0x40, 0xA730, b"SQ", 0, UNDEFINED) + struct.pack(
            "<HHI", 0xFFFE, 0xE000, UNDEFINED
        )
        closing = struct.pack("<HHI", 0xFFFE, 0xE00D, 0) + struct.pack("<HHI", 0xFFFE, 0xE0DD, 0)
        return _head() + opening * depth + closing * depth
    content = b""
    for _ in range(depth):
        item = struct.pack("<HHI", 0xFFFE, 0xE000, len(content)) + content
        content = struct.pack("<HH2sHI", 0x40, 0xA730, b"SQ", 0, len(item)) + item
    return _head() + content


@pytest.mark.parametrize("explicit_length", [True, False])
@pytest.mark.parametrize("depth", [MOST_DEPTH + 2, 2000])
def test_implausibly_deep_nesting_is_refused_in_bounded_time(depth: int, explicit_length: bool) -> None:
    started = time.monotonic()
    with pytest.raises(InputError, match="implausibly deep"):
        read_dataset(nested(depth, explicit_length))
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("explicit_length", [True, False])
def test_plausible_nesting_is_read(explicit_length: bool) -> None:
    dataset: Dataset = read_dataset(nested(10, explicit_length))
    for _ in range(10):
        dataset = dataset.ContentSequence[0]
    assert len(dataset) == 0


def test_everything_that_was_written_is_read(make: Make, written: Write) -> None:
    dataset = make(np.arange(12, dtype=np.int16).reshape(3, 4))
    item = Dataset()
    item.CodeMeaning = "T2"
    dataset.ProcedureCodeSequence = [item, item]
    again = read_dataset(written(dataset))
    assert again == dataset
    assert again.PixelData == dataset.PixelData


def test_a_deflated_file_is_read(make: Make, written: Write) -> None:
    dataset = read_dataset(written(make(np.zeros((4, 4), np.uint8), syntax=DeflatedExplicitVRLittleEndian)))
    assert dataset.PatientID == "MRN4711"
    assert len(dataset.PixelData) == 16


@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, ImplicitVRLittleEndian])
def test_a_file_that_is_cut_off_is_refused_wherever_it_is_cut(make: Make, written: Write, syntax: str) -> None:
    whole = written(make(np.ones((64, 64), np.uint16), syntax=syntax))
    assert Frames(read_dataset(whole)).count == 1
    silent = []
    for keep in range(140, len(whole), 37):
        try:
            dataset = read_dataset(whole[:keep])
            Frames(dataset)
        except InputError:
            continue
        if frame_count(dataset):
            silent.append(keep)
    assert silent == []


def test_no_cut_raises_anything_but_an_input_error(secret_file: bytes) -> None:
    # Every single byte: pydicom fails in another way inside a number than between two elements.
    for keep in range(len(secret_file)):
        with contextlib.suppress(InputError):
            read_dataset(secret_file[:keep])


def test_a_sequence_that_is_cut_off_is_refused() -> None:
    with pytest.raises(InputError):
        read_dataset(nested(3, explicit_length=False)[:-20])


@pytest.mark.parametrize("missing", [8, 12, 40])
def test_compressed_pixels_without_their_end_are_told_to_be_cut_off(make: Make, written: Write, missing: int) -> None:
    dataset = make(np.ones((40, 40), np.uint16))
    dataset.compress(RLELossless, generate_instance_uid=False)
    with pytest.raises(InputError, match="cut off") as caught:
        read_dataset(written(dataset)[:-missing])
    assert "again" in caught.value.advice


@pytest.mark.parametrize("data", [b"", _head(), bytes(128) + b"DICM"])
def test_a_file_without_elements_is_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        read_dataset(data)


def test_trailing_zeros_are_padding_and_other_trailing_bytes_are_not(make: Make, written: Write) -> None:
    whole = written(make(np.ones((4, 4), np.uint16)))
    assert read_dataset(whole + bytes(2000)).Rows == 4
    with pytest.raises(InputError):
        read_dataset(whole + SECRET * 200)


@pytest.fixture(scope="session")
def secret_file(make: Make, written: Write) -> bytes:
    """A small image with a secret in several elements."""
    secret = SECRET.decode()
    names = {"PatientName": secret, "PatientID": secret, "StudyDescription": secret}
    return written(make(np.zeros((8, 8), np.uint16), **names))


@settings(deadline=None, max_examples=300)
@given(data=st.data())
def test_damage_anywhere_is_told_without_a_value_of_the_file(secret_file: bytes, data: st.DataObject) -> None:
    content = bytearray(secret_file)
    for position in data.draw(st.lists(st.integers(132, len(content) - 1), min_size=1, max_size=6)):
        content[position] = data.draw(st.integers(0, 255))
    keep = data.draw(st.integers(len(content) // 2, len(content)))
    told = ""
    try:
        frames = Frames(read_dataset(bytes(content[:keep])))
        if frames.count:
            frames.frame(0)
    except InputError as error:
        told = f"{error} {error.advice}"
    assert SECRET.decode() not in told.upper()


@given(st.binary(max_size=300), st.sampled_from([b"", bytes(128) + b"DICM", _head(), b"\x08\0\5\0CS\2\0ab"]))
def test_random_bytes_read_as_dicom_give_a_dataset_or_an_input_error(data: bytes, head: bytes) -> None:
    advice, elements = "", 0
    try:
        elements = len(read_dataset(head + data))
    except InputError as error:
        advice = error.advice
    assert advice or elements


def _quiet_error(data: bytes) -> InputError | None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            Frames(read_dataset(data))
        except InputError as error:
            return error
    assert not [w for w in caught if SECRET.decode() in str(w.message)]
    return None


@pytest.mark.parametrize(
    ("tag", "vr", "value"),
    [
        (0x00280010, b"DS", SECRET),
        (0x00280008, b"IS", SECRET),
        (0x00200013, b"IS", SECRET),
        (0x00280010, b"US", SECRET[:3]),
        (0x00080018, b"UI", SECRET),
        (0x00100010, b"ZZ", SECRET),
    ],
)
def test_a_malformed_element_is_told_without_its_value(tag: int, vr: bytes, value: bytes) -> None:
    padded = value + b" " * (len(value) % 2)
    element = struct.pack("<HH2sH", tag >> 16, tag & 0xFFFF, vr, len(padded)) + padded
    filler = struct.pack("<HH2sH", 0x0008, 0x0060, b"CS", 2) + b"CT"
    error = _quiet_error(_head() + filler + element)
    if error is not None:
        assert SECRET.decode() not in f"{error} {error.advice}"
        assert SECRET.decode()[:3] not in f"{error}"


def test_missing_meta_information_is_made_up_from_how_the_file_was_parsed(make: Make, written: Write) -> None:
    whole = written(make(np.ones((4, 4), np.uint16), syntax=ImplicitVRLittleEndian))
    (length,) = struct.unpack_from("<I", whole, 140)
    dataset = read_dataset(whole[144 + length :])
    ensure_meta(dataset)
    assert dataset.file_meta.TransferSyntaxUID == ImplicitVRLittleEndian
    stream = io.BytesIO()
    dataset.save_as(stream)
    assert pydicom.dcmread(io.BytesIO(stream.getvalue()), force=True).PatientID == "MRN4711"


@pytest.mark.parametrize(("value", "expected"), [("3", 3), (3, 3), (None, 1), ("", 1), ([3, 4], 1), (0, 1)])
def test_a_whole_number_never_raises(value: object, expected: int) -> None:
    dataset = Dataset()
    if value is not None:
        dataset.add_new(0x00280008, "IS", value)
    assert whole_number(dataset, "NumberOfFrames", 1) == expected


def test_masks_are_no_pictures(make: Make) -> None:
    plain = make(np.zeros((8, 8), np.uint8))
    assert not is_mask(plain)
    for storage in (SegmentationStorage, LABEL_MAP):
        plain.SOPClassUID = storage
        # A class alone may be wrong; segmentations also say what their labels mean.
        assert not is_mask(plain)
        plain.SegmentSequence = [Dataset()]
        assert is_mask(plain)
        del plain.SegmentSequence


def test_neither_a_modality_nor_single_bits_make_a_mask(make: Make) -> None:
    # People type modalities in, and burned-in text fits into one bit.
    for modality in ("SEG", "RTSTRUCT"):
        assert not is_mask(make(np.zeros((8, 8), np.uint8), Modality=modality))
    bits = make(np.zeros((8, 8), np.uint8))
    bits.BitsAllocated = bits.BitsStored = 1
    assert not is_mask(bits)


def test_an_object_without_an_image_has_no_frames(make: Make) -> None:
    dataset = make(np.zeros((8, 8), np.uint8))
    assert frame_count(dataset) == 1
    dataset.NumberOfFrames = 5
    assert frame_count(dataset) == 5
    dataset.Rows = 0
    assert frame_count(dataset) == 0
    del dataset.PixelData
    assert frame_count(dataset) == 0


def test_compression_is_told_by_the_syntax_and_for_unknown_ones_by_the_form(make: Make) -> None:
    dataset = make(np.zeros((8, 8), np.uint8))
    assert not is_encapsulated(dataset)
    dataset.file_meta.TransferSyntaxUID = "1.2.840.10008.1.2.5"
    assert is_encapsulated(dataset)
    dataset.file_meta.TransferSyntaxUID = "1.2.3.4.5"
    assert transfer_syntax(dataset) == "1.2.3.4.5"
    assert not is_encapsulated(dataset)
    dataset["PixelData"].is_undefined_length = True
    assert is_encapsulated(dataset)


def test_video_is_refused(make: Make) -> None:
    dataset = make(np.zeros((8, 8), np.uint8))
    dataset.file_meta.TransferSyntaxUID = "1.2.840.10008.1.2.4.102"
    assert is_video(dataset)
    with pytest.raises(InputError, match="video"):
        Frames(dataset)

"""Lengths that lie, sequences without an end, absurd values: refused at once and without memory for what they claim."""

from __future__ import annotations

import contextlib
import struct
import time
import tracemalloc
from collections.abc import Callable

import pydicom
import pytest
from pydicom import Dataset
from pydicom.dataset import FileDataset
from pydicom.uid import (
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
    JPEG2000Lossless,
    JPEGLSLossless,
)
from raw_dicom import (
    ELEMENTS,
    IMAGE,
    ITEM,
    ITEM_END,
    MOMENT_S,
    OPEN,
    PIXELS,
    SEQUENCE_END,
    fragments,
    head,
    header,
    part10,
    put,
    refused,
    sequence,
)

from deidra.app.domain.errors import InputError
from deidra.app.load import grammar
from deidra.app.load.dicom import read_dataset, refuse_unsupported
from deidra.app.load.encoded import EncodedFile, Splitter
from deidra.app.load.frames import Frames

HUGE = 3 << 30
INNER = put(0x00081155, b"UI", b"1.2.3.4.77")
IMPLICIT = put(0x00081155, b"", b"1.2.3.4.77")


@pytest.mark.parametrize("length", [HUGE, OPEN - 1, 40 << 20])
@pytest.mark.parametrize(
    ("make", "syntax"),
    [
        (lambda n: header() + head(0x7FE00010, b"OW", n) + PIXELS, ExplicitVRLittleEndian),
        (lambda n: header(True) + head(0x7FE00010, b"", n) + PIXELS, ImplicitVRLittleEndian),
        (lambda n: header(order=">") + head(0x7FE00010, b"OW", n, ">") + PIXELS, ExplicitVRBigEndian),
        (lambda n: header() + fragments(end=False) + head(ITEM, b"", n) + PIXELS, JPEGLSLossless),
        (lambda n: header(more=head(0x00080008, b"UN", n), at=0x00080016), ExplicitVRLittleEndian),
        (lambda n: header(True, more=head(0x00080008, b"", n), at=0x00080016), ImplicitVRLittleEndian),
        (lambda n: header(more=head(0x00091001, b"OB", n), at=0x00100010), ExplicitVRLittleEndian),
        (lambda n: header(more=head(0x00081140, b"SQ", n), at=0x00100010), ExplicitVRLittleEndian),
        (
            lambda n: header(more=put(0x00081140, b"SQ", head(ITEM, b"", n) + INNER), at=0x00100010),
            ExplicitVRLittleEndian,
        ),
        (
            lambda n: header(more=head(0x00081140, b"SQ", OPEN) + head(ITEM, b"", n) + INNER, at=0x00100010),
            ExplicitVRLittleEndian,
        ),
        (
            lambda n: header(True, more=put(0x00081140, b"", head(ITEM, b"", n) + IMPLICIT), at=0x00100010),
            ImplicitVRLittleEndian,
        ),
        (
            lambda n: header(
                more=sequence(0x00081140, b"SQ", [INNER + head(0x00091001, b"OB", n)], False), at=0x00100010
            ),
            ExplicitVRLittleEndian,
        ),
        (
            lambda n: header(
                True, more=sequence(0x00081140, b"", [IMPLICIT + head(0x00204000, b"", n)], False), at=0x00100010
            ),
            ImplicitVRLittleEndian,
        ),
        (
            lambda n: header(
                more=sequence(0x00081140, b"UN", [IMPLICIT + head(0x00204000, b"", n)], False), at=0x00100010
            ),
            ExplicitVRLittleEndian,
        ),
    ],
)
def test_a_length_that_leads_out_of_the_file_is_refused_at_once(
    make: Callable[[int], bytes], syntax: str, length: int
) -> None:
    refused(part10(make(length), syntax), "cut off|damaged|malformed|would be lost")


def test_a_length_that_leads_out_of_its_item_is_refused() -> None:
    # One byte too many takes the next element's head for a value.
    item = INNER + head(0x00204000, b"LT", 6) + b"half"
    refused(part10(header(more=sequence(0x00081140, b"SQ", [item], False), at=0x00100010)), "cut off")


@pytest.mark.parametrize("size", [2, 7, 8, 100])
def test_bytes_behind_the_last_element_are_refused(size: int) -> None:
    refused(part10(header(image=False) + b"OKONKWO^" * size), "would be lost|cut off|malformed|damaged")
    refused(part10(header(image=False) + b"OKONKWO^"[:size]), "would be lost|cut off|malformed|damaged")


def test_pixels_without_their_delimiter_are_refused() -> None:
    refused(part10(header() + fragments(PIXELS, PIXELS, end=False), JPEG2000Lossless), "cut off|would be lost")


@pytest.mark.parametrize("implicit", [True, False])
@pytest.mark.parametrize("missing", [8, 16, 20])
def test_a_sequence_without_its_delimiter_is_refused(implicit: bool, missing: int) -> None:
    item = IMPLICIT if implicit else INNER
    last = sequence(0x00400275, b"" if implicit else b"SQ", [item])
    data = part10(
        header(implicit, more=last)[:-missing], ImplicitVRLittleEndian if implicit else ExplicitVRLittleEndian
    )
    refused(data, "cut off|damaged|would be lost|malformed")


def _nested(depth: int, open_: bool, implicit: bool) -> bytes:
    vr = b"" if implicit else b"SQ"
    if open_:
        start = head(0x0040A730, vr, OPEN) + head(ITEM, b"", OPEN)
        return start * depth + (head(ITEM_END, b"", 0) + head(SEQUENCE_END, b"", 0)) * depth
    parts, size = [], 0
    for _ in range(depth):
        parts.append(head(0x0040A730, vr, size + 8) + head(ITEM, b"", size))
        size += 8 + len(head(0x0040A730, vr, 0))
    return b"".join(reversed(parts))


@pytest.mark.parametrize("depth", [grammar.MOST_DEPTH + 66, 10_000])
@pytest.mark.parametrize("open_", [True, False], ids=["undefined", "defined"])
@pytest.mark.parametrize("implicit", [True, False], ids=["implicit", "explicit"])
def test_ten_thousand_levels_are_refused_in_a_moment(depth: int, open_: bool, implicit: bool) -> None:
    syntax = ImplicitVRLittleEndian if implicit else ExplicitVRLittleEndian
    refused(part10(header(implicit, more=_nested(depth, open_, implicit)), syntax), "implausibly deep")


@pytest.mark.parametrize("open_", [True, False], ids=["undefined", "defined"])
@pytest.mark.parametrize("tag", [0x0040A730, 0x00091001])
def test_ten_thousand_levels_of_unknown_type_are_refused_in_a_moment(open_: bool, tag: int) -> None:
    inner = _nested(10_000, open_, implicit=True)
    wrapped = sequence(tag, b"UN", [inner], open_)
    data = part10(header(image=False, more=wrapped, at=0x00100010 if tag < 0x00100000 else OPEN))
    begin = time.process_time()
    for read in (read_dataset, lambda d: Splitter().split(d)):
        if tag >> 16 & 1 and not open_:
            read(data)  # bytes of an unknown private type: nobody enters them
        else:
            with pytest.raises(InputError):
                read(data)
    assert time.process_time() - begin < MOMENT_S


@pytest.mark.parametrize("open_", [True, False])
@pytest.mark.parametrize("implicit", [True, False])
def test_a_few_levels_are_read(open_: bool, implicit: bool) -> None:
    syntax = ImplicitVRLittleEndian if implicit else ExplicitVRLittleEndian
    data = part10(header(implicit, image=False, more=_nested(12, open_, implicit)), syntax)
    dataset: Dataset = read_dataset(data)
    assert [e.tag for e in Splitter().split(data).elements][-1] == 0x0040A730
    for _ in range(11):
        (dataset,) = dataset.ContentSequence


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("NumberOfFrames", b"99999999999 "),
        ("NumberOfFrames", b"-5"),
        ("NumberOfFrames", b"2\\3 "),
        ("Rows", b"\xff\xff"),
        ("BitsAllocated", b"\xff\xff"),
        ("SamplesPerPixel", b"\xff\xff"),
        ("BitsAllocated", b"\0\0"),
    ],
)
def test_absurd_descriptions_of_an_image_are_refused_or_read_at_once(keyword: str, text: bytes) -> None:
    tag = pydicom.datadict.tag_for_keyword(keyword)
    assert tag is not None
    body = b"".join(
        put(t, vr, v if t != tag else text)
        for t, vr, v in sorted(
            [*ELEMENTS, (0x00280008, b"IS", b"1 "), (0x00280004, b"CS", b"MONOCHROME2 ")]
            + [(t, vr, struct.pack("<H", v)) for t, vr, v in IMAGE]
        )
    )
    data = part10(body + put(0x7FE00010, b"OW", PIXELS))
    begin = time.process_time()
    with contextlib.suppress(InputError):
        dataset = read_dataset(data)
        refuse_unsupported(dataset)
        frames = Frames(dataset)
        frames.frame(0)
        assert frames.count == 1
    assert time.process_time() - begin < MOMENT_S


@pytest.mark.parametrize("frames", [40])
def test_a_big_file_is_not_copied_many_times(frames: int) -> None:
    pixels = bytes(frames << 20)
    data = part10(header(image=False) + put(0x7FE00010, b"OW", pixels))
    for read, most_copies in ((lambda d: Splitter().split(d), 0.1), (read_dataset, 1.2)):
        tracemalloc.start()
        kept: EncodedFile | FileDataset = read(data)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert kept is not None
        assert most < most_copies * len(data)

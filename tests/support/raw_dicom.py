"""DICOM files byte by byte, for tests of files that no writer would make."""

from __future__ import annotations

import struct
import time
import tracemalloc

import pytest
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian

from deidra.app.domain.errors import InputError
from deidra.app.load.dicom import read_dataset
from deidra.app.load.encoded import Splitter

LONG = {b"OB", b"OD", b"OF", b"OL", b"OV", b"OW", b"SQ", b"SV", b"UC", b"UN", b"UR", b"UT", b"UV"}
OPEN = 0xFFFFFFFF
ITEM, ITEM_END, SEQUENCE_END = 0xFFFEE000, 0xFFFEE00D, 0xFFFEE0DD
PIXELS = bytes(range(64)) * 2

Element = tuple[int, bytes, bytes]
ELEMENTS: list[Element] = [
    (0x00080016, b"UI", CTImageStorage.encode() + b"\0"),
    (0x00080018, b"UI", b"1.2.3.4.5\0"),
    (0x00080020, b"DA", b"20240229"),
    (0x00080060, b"CS", b"CT"),
    (0x0008103E, b"LO", b"AXIAL T2"),
    (0x00100010, b"PN", b"Okonkwo^Adaeze"),
    (0x00100020, b"LO", b"MRN4711 "),
    (0x0020000D, b"UI", b"1.2.3.4\0"),
    (0x0020000E, b"UI", b"1.2.3.4.1\0"),
]
IMAGE: list[tuple[int, bytes, int]] = [
    (0x00280002, b"US", 1),
    (0x00280010, b"US", 8),
    (0x00280011, b"US", 8),
    (0x00280100, b"US", 16),
    (0x00280101, b"US", 16),
    (0x00280102, b"US", 15),
    (0x00280103, b"US", 0),
]


def head(tag: int, vr: bytes, length: int, order: str = "<") -> bytes:
    """The head of an element; without a VR in implicit encoding."""
    group, number = tag >> 16, tag & 0xFFFF
    if not vr or group == 0xFFFE:
        return struct.pack(f"{order}HHL", group, number, length)
    if vr in LONG:
        return struct.pack(f"{order}HH2sHL", group, number, vr, 0, length)
    return struct.pack(f"{order}HH2sH", group, number, vr, length)


def put(tag: int, vr: bytes, value: bytes, order: str = "<") -> bytes:
    return head(tag, vr, len(value), order) + value


def header(implicit: bool = False, order: str = "<", image: bool = True, more: bytes = b"", at: int = OPEN) -> bytes:
    """The elements of a small CT image without its pixels; ``more`` stands before the element ``at``."""
    elements = list(ELEMENTS)
    if image:
        elements += [(tag, vr, struct.pack(f"{order}H", value)) for tag, vr, value in IMAGE]
        elements.append((0x00280004, b"CS", b"MONOCHROME2 "))
    body = b""
    for tag, vr, value in sorted(elements):
        if tag >= at:
            body, more = body + more, b""
        body += put(tag, b"" if implicit else vr, value, order)
    return body + more


def part10(body: bytes, syntax: str = ExplicitVRLittleEndian) -> bytes:
    return bytes(128) + b"DICM" + meta(syntax) + body


def meta(syntax: str, implicit: bool = False) -> bytes:
    values = [(2, CTImageStorage), (3, "1.2.3.4.5"), (0x10, syntax), (0x12, "1.2.3")]
    group = b"".join(
        put(0x00020000 | n, b"" if implicit else b"UI", v.encode() + b"\0" * (len(v) % 2)) for n, v in values
    )
    return put(0x00020000, b"" if implicit else b"UL", struct.pack("<L", len(group))) + group


def sequence(tag: int, vr: bytes, items: list[bytes], open_: bool = True, order: str = "<") -> bytes:
    parts = b""
    for item in items:
        end = head(ITEM_END, b"", 0, order) if open_ else b""
        parts += head(ITEM, b"", OPEN if open_ else len(item), order) + item + end
    if open_:
        return head(tag, vr, OPEN, order) + parts + head(SEQUENCE_END, b"", 0, order)
    return put(tag, vr, parts, order)


def fragments(*values: bytes, end: bool = True) -> bytes:
    parts = b"".join(put(ITEM, b"", value) for value in (b"", *values))
    return head(0x7FE00010, b"OB", OPEN) + parts + (head(SEQUENCE_END, b"", 0) if end else b"")


MOMENT_S = 10.0
"""CPU seconds that a quick refusal may take beside a full memory; what is copied level by level takes minutes."""


def refused(data: bytes, match: str) -> None:
    """Both ways into a file refuse it, in a moment and without memory for what it says to be."""
    for read in (read_dataset, lambda d: Splitter().split(d)):
        tracemalloc.start()
        begin = time.process_time()
        with pytest.raises(InputError, match=match) as caught:
            read(data)
        seconds, (_, most) = time.process_time() - begin, tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert seconds < MOMENT_S
        assert most < 20 * len(data) + (8 << 20)
        assert caught.value.advice

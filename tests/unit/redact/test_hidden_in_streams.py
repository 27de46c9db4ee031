"""Leaks left in compressed and in undescribed pixel data."""

from __future__ import annotations

import io
import struct

import imagecodecs
import numpy as np
import pytest
from dicom_files import redact_in_place, to_bytes
from PIL import Image
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.encaps import encapsulate, generate_frames
from pydicom.uid import UID, ExplicitVRLittleEndian, JPEGBaseline8Bit, RLELossless, SecondaryCaptureImageStorage

from deidra.app.decide.policy import load_policy
from deidra.app.domain.errors import InputError
from deidra.app.load.dicom import frame_count, read_dataset
from deidra.app.load.frames import Frames
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.redact.codestream import clean_stream

S = b"NWOSU^SECRET"
VALUES = np.random.default_rng(0).integers(0, 255, (64, 64)).astype(np.uint8)


def jpeg():
    stream = io.BytesIO()
    Image.fromarray(VALUES).save(stream, "JPEG")
    return stream.getvalue()


def seg(marker, content):
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


J = jpeg()
K = imagecodecs.jpeg2k_encode(VALUES, level=0, codecformat="j2k", reversible=True)


def j2k_comment(stream, content):
    (size,) = struct.unpack_from(">H", stream, 4)
    at = 4 + size
    return stream[:at] + struct.pack(">HHH", 0xFF64, len(content) + 4, 1) + content + stream[at:]


def tile_comment(stream):
    at = stream.find(b"\xff\x90")
    sod = stream.find(b"\xff\x93", at)
    comment = struct.pack(">HHH", 0xFF64, len(S) + 4, 1) + S
    out = bytearray(stream)
    (psot,) = struct.unpack_from(">I", stream, at + 6)
    if psot:
        struct.pack_into(">I", out, at + 6, psot + len(comment))
    return bytes(out[:sod] + comment + out[sod:])


def boxed():
    stream = imagecodecs.jpeg2k_encode(VALUES, level=0, codecformat="jp2", reversible=True)
    at = stream.find(b"jp2c") - 4
    return stream[:at] + struct.pack(">I", 8 + len(S)) + b"xml " + S + stream[at:]


def open_ended():
    out = bytearray(K)
    struct.pack_into(">I", out, K.find(b"\xff\x90") + 6, 0)
    return bytes(out) + S + b"\xff\xd9"


SCAN = J.rfind(b"\xff\xda")


@pytest.mark.parametrize(
    "stream",
    [
        J[:2] + seg(0xFE, b"Intel " + S) + J[2:],
        J[:2] + seg(0xFE, b"Creator: " + S) + J[2:],
        J[:2] + seg(0xEE, b"Adobe\0\x64\0\0\0\0\0" + S) + J[2:],
        J[:2] + seg(0xE8, b"SPIF\0" + S) + J[2:],
        J[:SCAN] + S + J[SCAN:],
        J[:2] + seg(0xFE, S) + J[2:SCAN] + b"\0" + J[SCAN:],
        j2k_comment(K, b"Creator " + S),
        tile_comment(K),
        boxed(),
        open_ended(),
    ],
    ids=[
        "com-intel",
        "com-creator",
        "adobe-tail",
        "spif-tail",
        "garbage",
        "com-behind-garbage",
        "j2k-creator",
        "j2k-tile",
        "jp2-xml",
        "j2k-psot0",
    ],
)
def test_nothing_private_is_left_in_a_stream_that_can_be_decoded(stream):
    assert S not in clean_stream(stream)


def image(**k):
    d = FileDataset("", {}, bytes(128), FileMetaDataset(), False, True)
    d.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    d.SOPClassUID, d.SOPInstanceUID = SecondaryCaptureImageStorage, "1.2.3.4"
    d.StudyInstanceUID, d.SeriesInstanceUID, d.PatientName, d.PatientID = "1.2.3", "1.2.3.1", "A^B", "1"
    d.Rows = d.Columns = 64
    d.SamplesPerPixel, d.PhotometricInterpretation = 1, "MONOCHROME2"
    d.BitsAllocated = d.BitsStored = 8
    d.HighBit, d.PixelRepresentation = 7, 0
    d.add_new(0x7FE00010, "OB", VALUES.tobytes())
    return d


def released(d):
    engine = HeaderEngine(load_policy("safe-harbor").profile, ProjectKey(bytes(32)))
    d = read_dataset(to_bytes(d))
    redact_in_place(d, [], engine, Subject("P", -5), load_policy("safe-harbor"))
    return to_bytes(d)


@pytest.mark.parametrize("missing", ["Rows", "Columns", "both"])
@pytest.mark.parametrize("zero", [True, False])
@pytest.mark.parametrize("compressed", [True, False])
def test_pixels_that_nobody_searched_are_not_released(missing, zero, compressed):
    d = image()
    if compressed:
        d.file_meta.TransferSyntaxUID = JPEGBaseline8Bit
        d.PixelData = encapsulate([J])
        d["PixelData"].is_undefined_length = True
    for name in ("Rows", "Columns") if missing == "both" else (missing,):
        if zero:
            setattr(d, name, 0)
        else:
            delattr(d, name)
    assert frame_count(d) == 0
    try:
        Frames(d)
        out = read_dataset(released(d))
    except InputError:
        return
    left = bytes(out.get("PixelData") or b"")
    assert len(left) < 1000, len(left)


def rle(change):
    d = image()
    d.compress(RLELossless, generate_instance_uid=False)
    frame = change(next(generate_frames(d.PixelData, number_of_frames=1)))
    d.PixelData = encapsulate([frame + b"\0" * (len(frame) % 2)])
    d["PixelData"].is_undefined_length = True
    return d


@pytest.mark.parametrize(
    "change", [lambda f: f + S, lambda f: f[:8] + S + f[8 + len(S) :]], ids=["tail", "spare offsets"]
)
def test_nothing_private_is_left_in_run_length_data(change):
    assert S not in released(rle(change))


def test_the_offset_table_is_made_anew():
    d = image()
    d.file_meta.TransferSyntaxUID = UID(JPEGBaseline8Bit)
    body = encapsulate([J], has_bot=False)
    d.PixelData = struct.pack("<HHI", 0xFFFE, 0xE000, len(S)) + S + body[8:]
    d["PixelData"].is_undefined_length = True
    assert S not in released(d)

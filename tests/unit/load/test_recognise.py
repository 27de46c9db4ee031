from __future__ import annotations

import io
import os
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image
from pydicom.dataset import FileDataset
from pydicom.uid import ExplicitVRBigEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian

from deidra.app.domain.errors import InputError, KnownError
from deidra.app.domain.model import AssetKind
from deidra.app.load.dicom import read_dataset, transfer_syntax
from deidra.app.load.pages import Pages
from deidra.app.load.sources import Source, discover, recognise, walk

MAIN = (ExplicitVRLittleEndian, ImplicitVRLittleEndian, ExplicitVRBigEndian)


def picture(kind: str) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (20, 10), "white").save(stream, kind)
    return stream.getvalue()


def bare(data: bytes) -> bytes:
    """A file without its preamble and meta group, as files from before PS3.10 are."""
    (length,) = struct.unpack_from("<I", data, 140)
    return data[144 + length :]


def zipped(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize("syntax", MAIN)
def test_dicom_is_recognised_with_and_without_preamble(
    make: Callable[..., FileDataset], written: Callable[[FileDataset], bytes], syntax: str
) -> None:
    whole = written(make(np.zeros((4, 4), np.uint16), syntax=syntax))
    assert recognise(whole) == (AssetKind.DICOM, "")
    assert recognise(whole[132:]) == (AssetKind.DICOM, "")
    assert recognise(bare(whole)) == (AssetKind.DICOM, "")


@pytest.mark.parametrize("syntax", MAIN)
def test_dicom_without_preamble_is_read_with_the_right_syntax(
    make: Callable[..., FileDataset], written: Callable[[FileDataset], bytes], syntax: str
) -> None:
    dataset = read_dataset(bare(written(make(np.arange(16, dtype=np.uint16).reshape(4, 4), syntax=syntax))))
    assert transfer_syntax(dataset) == syntax
    assert dataset.PatientName == "Okonkwo^Adaeze"
    assert dataset.Rows == 4


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF"])
def test_pictures_are_recognised(kind: str) -> None:
    assert recognise(picture(kind)) == (AssetKind.IMAGE, "")


def test_big_endian_and_big_tiff_are_recognised() -> None:
    assert recognise(b"MM\0*" + bytes(20))[0] is AssetKind.IMAGE
    assert recognise(b"II+\0" + bytes(20))[0] is AssetKind.IMAGE


@pytest.mark.parametrize("junk", [b"", b"junk before the header\n" * 20])
def test_a_pdf_is_recognised_even_behind_some_junk(junk: bytes) -> None:
    assert recognise(junk + b"%PDF-1.7\n...") == (AssetKind.PDF, "")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"Dear Dr House, the patient ...", "not a DICOM file"),
        (b"GIF89a" + bytes(50), "not a DICOM file"),
        (bytes(500), "not a DICOM file"),
        (b"\x08\0", "not a DICOM file"),
        (zipped(a=b"x"), "archive inside an archive"),
    ],
)
def test_anything_else_has_a_reason(data: bytes, reason: str) -> None:
    kind, text = recognise(data)
    assert kind is AssetKind.UNKNOWN
    assert reason in text


@given(st.binary(max_size=600))
@example(b"\x08\0\5\0CS\2\0ab")
@example(b"\x00\x08\x00\x05CS\x00\x02ab")
def test_random_bytes_never_raise(data: bytes) -> None:
    kind, reason = recognise(data)
    assert (kind is AssetKind.UNKNOWN) == bool(reason)


@given(
    st.binary(max_size=300),
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"II*\0", b"%PDF-1.4\n"]),
    st.sampled_from([AssetKind.IMAGE, AssetKind.PDF]),
)
def test_random_bytes_read_as_pages_give_pages_or_an_input_error(data: bytes, head: bytes, kind: AssetKind) -> None:
    try:
        pages = Pages(head + data, kind)
        pages.page(0)
    except InputError:
        return
    assert pages.count >= 1


def test_the_members_of_an_archive_are_described_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "in.zip"
    path.write_bytes(zipped(**{"b/x.png": picture("PNG"), "a.txt": b"text", "in.zip": zipped(a=b"x"), "empty": b""}))
    found = {item.source.member: item for item in discover(path)}
    assert list(found) == ["a.txt", "b/x.png", "empty", "in.zip"]
    assert found["b/x.png"].kind is AssetKind.IMAGE
    assert found["b/x.png"].reason == ""
    assert found["b/x.png"].source.read() == picture("PNG")
    assert found["a.txt"].kind is AssetKind.UNKNOWN
    assert "inside an archive" in found["in.zip"].reason
    assert "empty" in found["empty"].reason


def test_the_extension_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "image.dcm"
    path.write_bytes(picture("JPEG"))
    (found,) = discover(path)
    assert (found.kind, found.size, len(found.sha256)) == (AssetKind.IMAGE, len(picture("JPEG")), 64)


def _with_encryption_flag(data: bytes) -> bytes:
    """Sets bit 0 of the general purpose flags in both headers of the only member."""
    patched = bytearray(data)
    patched[6] |= 1
    patched[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(patched)


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "in.zip"
    path.write_bytes(_with_encryption_flag(zipped(a=b"secret")))
    (found,) = discover(path)
    assert (found.kind, found.reason) == (AssetKind.UNKNOWN, "The archive is encrypted.")
    with pytest.raises(InputError, match="encrypted"):
        Source(path, "a").read()


def test_a_member_that_grows_implausibly_is_refused_without_unpacking(tmp_path: Path) -> None:
    path = tmp_path / "in.zip"
    good = picture("PNG")
    path.write_bytes(zipped(bomb=bytes(20 << 20), good=good))
    found = {item.source.member: item for item in discover(path)}
    assert "implausibly large" in found["bomb"].reason
    assert found["bomb"].sha256 == ""
    assert found["good"].kind is AssetKind.IMAGE


def test_a_member_that_says_it_is_huge_is_refused(tmp_path: Path) -> None:
    data = bytearray(zipped(a=b"x" * 100))
    central = data.index(b"PK\x01\x02")
    struct.pack_into("<I", data, central + 24, 0xFFFFFFF0)
    path = tmp_path / "in.zip"
    path.write_bytes(bytes(data))
    assert [bool(item.reason) for item in discover(path)] == [True]


@pytest.mark.parametrize("keep", [10, 40, 200])
def test_a_damaged_archive_is_one_unusable_file(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "in.zip"
    path.write_bytes(zipped(a=os.urandom(400), b=b"x")[:keep])
    (found,) = discover(path)
    assert (found.kind, found.reason) == (AssetKind.UNKNOWN, "The archive is damaged.")


@pytest.mark.parametrize("change", ["gone", "member"])
def test_a_source_that_vanished_is_an_input_error(tmp_path: Path, change: str) -> None:
    path = tmp_path / "in.zip"
    if change == "member":
        path.write_bytes(zipped(other=b"x"))
    with pytest.raises(InputError):
        Source(path, "a").read()


def test_walk_lists_every_file_once_and_in_order(tmp_path: Path) -> None:
    for name in ("b/2", "b/1", "a", "c/d/3"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    names = [p.relative_to(tmp_path).as_posix() for p in walk([tmp_path / "b", tmp_path, tmp_path / "a"])]
    assert names == ["b/1", "b/2", "a", "c/d/3"]


def test_an_input_that_does_not_exist_is_told_by_its_position_and_not_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="position 2") as caught:
        list(walk([tmp_path, tmp_path / "okonkwo_scan"]))
    assert "okonkwo" not in str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems know names of files as text only")
def test_a_file_whose_name_is_no_text_is_told_to_be_renamed(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/M\xfcller.dcm"
    Path(os.fsdecode(raw)).write_bytes(picture("PNG"))
    (path,) = walk([tmp_path])
    (found,) = discover(path)
    assert found.kind is AssetKind.UNKNOWN
    assert "rename" in found.reason
    str(found.source.path).encode("utf-8")
    assert "ller" not in found.reason

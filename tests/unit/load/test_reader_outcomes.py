"""Files that break readers, one small twin for each kind: read whole, or refused with a reason; never a silent loss.

| kind of file | right outcome |
|---|---|
| a fragment holds the bytes of a sequence delimiter | read; the fragment stays whole |
| explicit by its label, implicit in its bytes | read; written as the label says |
| an element without a VR, with or without a length | read; the dictionary's VR is written |
| a sequence of unknown type without a length | read; nothing is lost |
| the same with the most significant byte first | read; written in the file's byte order |
| says compressed, is native | read; written as native |
| says native, is compressed; compressed data of no form | refused |
| a compressed icon inside an item | read |
| private data with the patient's ID | read; the private data goes |
| UIDs in related series | read; they become the same new UIDs as elsewhere |
| no preamble, no meta group, a meta group without VRs | read; written as a proper file |
| deflated with a checksum behind it | read |
"""

from __future__ import annotations

import io
import struct
import zlib

import pydicom
import pytest
from pydicom import Dataset
from pydicom.uid import (
    CTImageStorage,
    DeflatedExplicitVRLittleEndian,
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
    JPEG2000Lossless,
    JPEGLSLossless,
)
from raw_dicom import OPEN, PIXELS, SEQUENCE_END, fragments, head, header, meta, part10, put, refused, sequence

from deidra.app.decide.policy import load_policy
from deidra.app.domain.errors import InputError
from deidra.app.load import grammar
from deidra.app.load.dicom import read_dataset
from deidra.app.load.encoded import Splitter
from deidra.app.load.frames import Frames
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.redact.header import RedactedFile, redact_dicom

KEY = ProjectKey(bytes(range(32)))
SUBJECT = Subject("PABCDEFGH", -100)


def redacted(data: bytes, preset: str = "tcia") -> tuple[RedactedFile, Dataset]:
    policy = load_policy(preset)
    result = redact_dicom(data, [], HeaderEngine(policy.profile, KEY), SUBJECT, policy)
    assert result.data[128:132] == b"DICM"
    read_dataset(result.data)
    return result, pydicom.dcmread(io.BytesIO(result.data))


def test_a_fragment_that_holds_the_bytes_of_a_delimiter_stays_whole() -> None:
    codestream = b"\xff\x4f\xff\x51" + head(SEQUENCE_END, b"", 0) + b"\x08\0\x10\0LO\4\0EVIL\xff\xd9"
    body = header() + fragments(codestream) + put(0xFFFCFFFC, b"OB", b"\0\0")
    data = part10(body, JPEG2000Lossless)
    whole = fragments(codestream)[12:]
    assert Splitter().split(data).value(0x7FE00010) == whole
    dataset = read_dataset(data)
    assert dataset.PixelData == whole.removesuffix(head(SEQUENCE_END, b"", 0))
    assert "RecognitionCode" not in dataset
    file = Splitter().split(redacted(data)[0].data)
    assert file.value(0x7FE00010) == whole


def test_implicit_bytes_under_an_explicit_label_are_written_as_the_label_says() -> None:
    data = part10(header(implicit=True) + put(0x7FE00010, b"", PIXELS))
    assert read_dataset(data).SeriesDescription == "AXIAL T2"
    _, new = redacted(data)
    assert new.file_meta.TransferSyntaxUID == ExplicitVRLittleEndian
    assert (new.PatientName, new.SeriesDescription, new.PixelData) == (SUBJECT.pseudonym, "AXIAL T2", PIXELS)


def test_explicit_bytes_under_an_implicit_label_are_written_as_the_label_says() -> None:
    data = part10(header() + put(0x7FE00010, b"OW", PIXELS), ImplicitVRLittleEndian)
    _, new = redacted(data)
    assert new.file_meta.TransferSyntaxUID == ImplicitVRLittleEndian
    assert (new.PatientName, new.SeriesDescription, new.PixelData) == (SUBJECT.pseudonym, "AXIAL T2", PIXELS)


@pytest.mark.parametrize("label", [ExplicitVRLittleEndian, ImplicitVRLittleEndian, ExplicitVRBigEndian])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("implicit", [False, True])
def test_no_wrong_label_loses_or_changes_an_element(label: str, order: str, implicit: bool) -> None:
    pixels = put(0x7FE00010, b"" if implicit else b"OW", PIXELS, order)
    data = part10(header(implicit, order) + pixels, label)
    try:
        dataset = read_dataset(data)
    except InputError:
        return
    assert dataset.SeriesDescription == "AXIAL T2"
    assert (dataset.Rows, dataset.BitsStored) == (8, 16)
    assert dataset.PixelData == PIXELS
    split = Splitter().split(data)
    assert [e.tag for e in split.elements] == sorted(int(t) for t in dict(dataset._dict))


@pytest.mark.parametrize("blank", [b"  ", b"??", b"\0\0"])
@pytest.mark.parametrize(("tag", "raw"), [(0x00280120, b"\0\0"), (0x00185100, b"HFS "), (0x00181030, b"HEAD")])
def test_an_element_without_a_vr_takes_nothing_of_what_follows(blank: bytes, tag: int, raw: bytes) -> None:
    bare = struct.pack("<HH2sH", tag >> 16, tag & 0xFFFF, blank, len(raw)) + raw
    data = part10(header(more=bare, at=tag) + put(0x7FE00010, b"OW", PIXELS))
    dataset = read_dataset(data)
    assert dataset.PixelData == PIXELS
    assert (dataset.SeriesDescription, dataset.StudyInstanceUID) == ("AXIAL T2", "1.2.3.4")
    assert Splitter().split(data).value(tag) == raw
    _, new = redacted(data)
    expected = {0x00280120: "US", 0x00185100: "CS", 0x00181030: "LO"}
    assert str(new[tag].VR) == expected[tag]
    assert new.PixelData == PIXELS


def test_a_private_element_without_a_vr_takes_nothing_of_what_follows_and_goes() -> None:
    bare = put(0x00190010, b"LO", b"ACME") + struct.pack("<HH2sH", 0x19, 0x1001, b"  ", 8) + b"OKONKWO "
    data = part10(header(more=bare, at=0x0020000D))
    assert read_dataset(data).StudyInstanceUID == "1.2.3.4"
    result, new = redacted(data)
    assert b"OKONKWO" not in result.data
    assert "StudyInstanceUID" in new


def test_an_element_of_a_tag_alone_is_left_out() -> None:
    bare = struct.pack("<HH2sH", 0x28, 0x0120, b"  ", 2) + b"\0\0" + struct.pack("<HH2s", 0x28, 0x0120, b"  ")
    more = put(0x00281050, b"DS", b"-2") + put(0x00281051, b"DS", b"1 ") + put(0x0040A124, b"UI", b"1.2.3.4\0")
    dataset = read_dataset(part10(header(more=bare + more)))
    assert (dataset.WindowCenter, dataset.WindowWidth, dataset.UID) == (-2, 1, "1.2.3.4")


@pytest.mark.parametrize("open_", [True, False])
@pytest.mark.parametrize("tag", [0x00081140, 0x00091010])
def test_a_sequence_of_unknown_type_loses_nothing(open_: bool, tag: int) -> None:
    item = put(0x00081150, b"", CTImageStorage.encode() + b"\0") + put(0x00081155, b"", b"1.2.3.4.77")
    creator = put(0x00090010, b"LO", b"ACME") if tag >> 16 == 9 else b""
    data = part10(header(more=creator + sequence(tag, b"UN", [item, item], open_), at=0x00100010))
    dataset = read_dataset(data)
    assert (dataset.PatientID, dataset.StudyInstanceUID) == ("MRN4711", "1.2.3.4")
    result, new = redacted(data)
    assert b"1.2.3.4.77" not in result.data
    if tag >> 16 == 8:
        assert [i.ReferencedSOPInstanceUID for i in new.ReferencedImageSequence] == [KEY.uid("1.2.3.4.77")] * 2
    else:
        assert tag not in new


@pytest.mark.parametrize("tag", [0x00082112, 0x00091010])
def test_a_little_endian_sequence_in_a_big_endian_file_is_written_in_the_order_of_the_file(tag: int) -> None:
    item = put(0x00081150, b"", CTImageStorage.encode() + b"\0") + put(0x00081155, b"", b"1.2.3.4.77")
    creator = put(0x00090010, b"LO", b"ACME", ">") if tag >> 16 == 9 else b""
    unknown = struct.pack(">HH2sHL", tag >> 16, tag & 0xFFFF, b"UN", 0, OPEN) + sequence(tag, b"", [item])[8:]
    body = header(order=">", more=creator + unknown, at=0x00100010) + put(0x7FE00010, b"OW", PIXELS, ">")
    data = part10(body, ExplicitVRBigEndian)
    dataset = read_dataset(data)
    assert (dataset.Rows, dataset.PixelData) == (8, PIXELS)
    result, new = redacted(data)
    assert new.file_meta.TransferSyntaxUID == ExplicitVRBigEndian
    assert (new.Rows, new.PixelData) == (8, PIXELS)
    assert b"1.2.3.4.77" not in result.data
    if tag >> 16 == 8:
        assert new.SourceImageSequence[0].ReferencedSOPInstanceUID == KEY.uid("1.2.3.4.77")


def test_native_pixels_under_a_compressed_label_are_written_as_native() -> None:
    data = part10(header() + put(0x7FE00010, b"OW", PIXELS), JPEGLSLossless)
    assert Splitter().split(data).transfer_syntax == ExplicitVRLittleEndian
    assert Frames(read_dataset(data)).frame(0).values.tobytes() == PIXELS
    result, new = redacted(data)
    assert result.pixels == "unchanged"
    assert new.file_meta.TransferSyntaxUID == ExplicitVRLittleEndian
    assert new.pixel_array.tobytes() == PIXELS


def test_pixels_of_the_wrong_length_under_a_compressed_label_are_refused() -> None:
    refused(part10(header() + put(0x7FE00010, b"OW", b"\xff\xd8\xff\xd9" * 3), JPEGLSLossless), "not compressed")


@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, ImplicitVRLittleEndian])
def test_compressed_pixels_under_a_native_label_are_refused(syntax: str) -> None:
    implicit = syntax == ImplicitVRLittleEndian
    pixels = fragments(b"\xff\xd8\xff\xd9")
    pixels = head(0x7FE00010, b"", OPEN) + pixels[12:] if implicit else pixels
    refused(part10(header(implicit) + pixels, syntax), "does not say how")


def test_empty_pixel_data_is_no_contradiction() -> None:
    assert read_dataset(part10(header() + put(0x7FE00010, b"OW", b""), JPEGLSLossless)).Rows == 8


def test_a_compressed_icon_inside_an_item_is_split_and_removed() -> None:
    icon = sequence(0x00880200, b"SQ", [put(0x00280010, b"US", b"\1\0") + fragments(b"\xff\xd8OKONKWO\xff\xd9\0")])
    data = part10(header(more=icon) + fragments(b"\xff\xd8\xff\xd9"), JPEGLSLossless)
    assert [e.tag for e in Splitter().split(data).elements][-2:] == [0x00880200, 0x7FE00010]
    assert b"OKONKWO" not in redacted(data)[0].data


@pytest.mark.parametrize("implicit", [True, False])
def test_private_data_with_an_id_of_the_patient_goes(implicit: bool) -> None:
    vr = (lambda v: b"") if implicit else (lambda v: v)
    more = put(0x00310010, vr(b"LO"), b"MITRA LINKED ATTRIBUTES 1.0 ")
    more += put(0x00311020, vr(b"LO"), b"MRN4711GLOBAL ")
    data = part10(header(implicit, more=more), ImplicitVRLittleEndian if implicit else ExplicitVRLittleEndian)
    result, new = redacted(data)
    assert b"MRN4711" not in result.data
    assert b"MITRA" not in result.data
    assert new.Rows == 8


@pytest.mark.parametrize("preset", ["basic", "tcia"])
def test_related_series_get_the_same_new_uids_as_elsewhere(preset: str) -> None:
    item = put(0x0020000D, b"UI", b"1.2.3.4\0") + put(0x0020000E, b"UI", b"1.2.3.4.9\0")
    result, new = redacted(part10(header(more=sequence(0x00081250, b"SQ", [item]), at=0x00100010)), preset)
    assert b"1.2.3.4" not in result.data
    if "RelatedSeriesSequence" in new:
        (related,) = new.RelatedSeriesSequence
        assert related.StudyInstanceUID == new.StudyInstanceUID == KEY.uid("1.2.3.4")
        assert related.SeriesInstanceUID == KEY.uid("1.2.3.4.9")


@pytest.mark.parametrize(
    ("start", "implicit", "order", "syntax"),
    [
        (b"", True, "<", ImplicitVRLittleEndian),
        (b"", False, "<", ExplicitVRLittleEndian),
        (b"", False, ">", ExplicitVRBigEndian),
        (meta(ExplicitVRLittleEndian), False, "<", ExplicitVRLittleEndian),
        (meta(ImplicitVRLittleEndian), True, "<", ImplicitVRLittleEndian),
        (meta(ImplicitVRLittleEndian, implicit=True), True, "<", ImplicitVRLittleEndian),
        (bytes(128) + b"DICM", True, "<", ImplicitVRLittleEndian),
        (bytes(128) + b"DICM", False, "<", ExplicitVRLittleEndian),
        (bytes(128) + b"DICM" + meta(ImplicitVRLittleEndian, implicit=True), True, "<", ImplicitVRLittleEndian),
    ],
)
def test_a_file_without_preamble_or_meta_group_becomes_a_proper_file(
    start: bytes, implicit: bool, order: str, syntax: str
) -> None:
    data = start + header(implicit, order) + put(0x7FE00010, b"" if implicit else b"OW", PIXELS, order)
    assert read_dataset(data).PatientID == "MRN4711"
    result, new = redacted(data)
    assert new.file_meta.TransferSyntaxUID == syntax
    assert new.file_meta.MediaStorageSOPInstanceUID == new.SOPInstanceUID == KEY.uid("1.2.3.4.5")
    assert (new.PatientName, new.Rows, new.PixelData) == (SUBJECT.pseudonym, 8, PIXELS)
    assert b"Okonkwo" not in result.data


def _deflated(body: bytes, behind: bytes = b"") -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return part10(packer.compress(body) + packer.flush() + behind, DeflatedExplicitVRLittleEndian)


def test_a_deflated_file_with_checksum_and_size_behind_it_is_read() -> None:
    body = header() + put(0x7FE00010, b"OW", PIXELS)
    data = _deflated(body, struct.pack("<LL", zlib.crc32(body), len(body)))
    assert Splitter().split(data).body == body
    assert redacted(data)[1].PixelData == PIXELS


def test_bytes_behind_a_deflated_file_are_refused() -> None:
    refused(_deflated(header(), b"OKONKWO^ADAEZE"), "would be lost")


def test_a_deflated_file_that_is_cut_off_is_refused() -> None:
    data = _deflated(header() + put(0x7FE00010, b"OW", PIXELS))
    for missing in (1, 5, 40):
        refused(data[:-missing], "cut off|damaged")


def test_a_deflated_file_that_fills_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "MOST_INFLATED", 1 << 20)
    refused(_deflated(header() + put(0x7FE00010, b"OW", bytes(64 << 20))), "implausibly many")


@pytest.mark.parametrize("implicit", [True, False])
@pytest.mark.parametrize(
    ("charset", "raw"),
    [
        (b"ISO_IR 13 ", b"\xb1\xfe\xff\x80 "),
        (b"\\ISO 2022 IR 87 ", b"\x1b$B;3ED\x1b(B^\xff"),
        (b"ISO_IR 192", b"Sch\xe4del "),
        (b"GB18030 ", b"\x81\xff\xfe\x80"),
        (b"KLINGON ", b"Sch\xe4del "),
        (b"ISO_IR 100", b"T2      "),
        (b"ISO_IR 6", b"odd"),
    ],
)
def test_text_that_its_character_set_does_not_know_is_split_as_it_stands(
    implicit: bool, charset: bytes, raw: bytes
) -> None:
    vr = (lambda v: b"") if implicit else (lambda v: v)
    step = put(0x00400007, vr(b"LO"), raw + b" " * (len(raw) % 2))
    more = put(0x00204000, vr(b"LT"), raw) + sequence(0x00400275, vr(b"SQ"), [step])
    data = put(0x00080005, vr(b"CS"), charset) + header(implicit, image=False, more=more)
    split = Splitter().split(data)
    assert split.value(0x00204000) == raw + b" " * (len(raw) % 2)
    assert raw in split.value(0x00400275)

"""Places that de-identification tools forget: meta group, preamble, private and unknown elements, overlays."""

from __future__ import annotations

import numpy as np
import pytest
import raw_dicom
from hard_headers import (
    ACCESSION,
    BIRTH,
    DAY,
    IDENTITY,
    KEY,
    NAME,
    NEW_DAY,
    PRESETS,
    SUBJECT,
    SURNAME,
    UIDS,
    clean,
    header,
    item,
    put,
    to_file,
)
from pydicom.uid import (
    DeflatedExplicitVRLittleEndian,
    EncapsulatedCDAStorage,
    EncapsulatedPDFStorage,
    EncapsulatedSTLStorage,
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
    MediaStorageDirectoryStorage,
)

from deidra.app.decide.policy import load_policy
from deidra.app.domain.errors import InputError
from deidra.app.load.dicom import read_dataset, refuse_unsupported
from deidra.app.metadata.engine import HeaderEngine
from deidra.app.redact.header import redact_dicom

presets = pytest.mark.parametrize("preset", PRESETS)
SYNTAXES = (ExplicitVRLittleEndian, ImplicitVRLittleEndian, ExplicitVRBigEndian, DeflatedExplicitVRLittleEndian)
SECRETS = (SURNAME, "adaeze", IDENTITY, ACCESSION, BIRTH, DAY, *UIDS.values())


@presets
@pytest.mark.parametrize("syntax", SYNTAXES)
def test_every_encoding_gives_the_same_header(preset: str, syntax: str) -> None:
    values = {
        **{"SeriesDescription": f"AXIAL T2 {NAME}", "OperatorsName": NAME, "PatientAge": "091Y", "Rows": 300},
        **{"AcquisitionDateTime": "20240229101112+0100", "SliceThickness": "1.5", "ImageType": ["ORIGINAL", "PRIMARY"]},
        "SourceImageSequence": [item(ReferencedSOPInstanceUID=UIDS["series"] + ".2")],
    }
    result = clean(header(syntax, **values), preset)
    plain = clean(header(**values), preset)
    assert result.dataset.file_meta.TransferSyntaxUID == syntax
    assert {e.tag: str(e.value) for e in result.dataset} == {e.tag: str(e.value) for e in plain.dataset}
    assert plain.holds(*SECRETS) == []
    if syntax != DeflatedExplicitVRLittleEndian:
        assert result.holds(*SECRETS) == []
    else:
        assert [s for s in SECRETS if s.lower() in str(result.dataset).lower()] == []


@presets
def test_application_entities_and_private_information_of_the_meta_group_go(preset: str) -> None:
    dataset = header()
    dataset.preamble = f"PATIENT {NAME} {IDENTITY}".encode().ljust(128, b"\1")
    meta = dataset.file_meta
    meta.SourceApplicationEntityTitle = "OKONKWO_WS"
    meta.SendingApplicationEntityTitle = "OKONKWO_TX"
    meta.ReceivingApplicationEntityTitle = "OKONKWO_RX"
    meta.PrivateInformationCreatorUID = UIDS["study"]
    meta.PrivateInformation = NAME.encode()
    meta.ImplementationVersionName = "OKONKWO_1"
    result = clean(dataset, preset)
    assert result.holds(*SECRETS) == []
    assert result.data[:128] == bytes(128)
    assert {e.tag.element for e in result.dataset.file_meta} == {0, 1, 2, 3, 0x10, 0x12, 0x13}
    assert result.dataset.file_meta.MediaStorageSOPInstanceUID == result.dataset.SOPInstanceUID


@presets
@pytest.mark.parametrize("vr", ["LO", "UN", "OB", "UT", "SH", "PN", "UI", "DA"])
def test_private_values_of_every_type_go(preset: str, vr: str) -> None:
    value = {"UN": NAME.encode(), "OB": NAME.encode(), "UI": UIDS["study"], "DA": DAY}.get(vr, NAME)
    dataset = header()
    dataset.private_block(0x0009, "ACME OKONKWO DEVICE", create=True).add_new(1, vr, value)
    inner = item(ReferencedSOPInstanceUID=UIDS["instance"])
    inner.private_block(0x0011, "ACME", create=True).add_new(2, vr, value)
    dataset.SourceImageSequence = [inner]
    result = clean(dataset, preset)
    assert result.holds(*SECRETS, "ACME") == []
    assert [e.tag for e in result.dataset.iterall() if e.tag.is_private] == []


@presets
def test_private_sequences_and_creators_without_data_go(preset: str) -> None:
    dataset = header()
    block = dataset.private_block(0x0019, "ACME SEQ", create=True)
    block.add_new(1, "SQ", [item(PatientName=NAME, SeriesInstanceUID=UIDS["series"])])
    for creator in ("OKONKWO EMPTY", "SIEMENS MR HEADER"):
        dataset.private_block(0x0021, creator, create=True)
    put(dataset, 0x00270077, "LO", NAME.encode())
    put(dataset, 0x00290001, "LO", NAME.encode())
    put(dataset, 0x00311001, "UN", NAME.encode())
    result = clean(dataset, preset)
    assert result.holds(*SECRETS, "ACME SEQ", "SIEMENS") == []
    assert [e.tag for e in result.dataset if e.tag.is_private] == []


def test_safe_private_values_stay_where_the_policy_keeps_them() -> None:
    dataset = header()
    block = dataset.private_block(0x0019, "SIEMENS MR HEADER", create=True)
    block.add_new(0x0C, "IS", "1000")
    block.add_new(0x0E, "FD", [0.1, 0.2, 0.3])
    block.add_new(0x77, "LO", NAME)
    second = dataset.private_block(0x2001, "Philips Imaging DD 001", create=True)
    second.add_new(0x03, "FL", 500.0)
    kept = clean(dataset, "tcia").dataset
    assert kept[0x0019, 0x100C].value == 1000
    assert list(kept[0x0019, 0x100E].value) == [0.1, 0.2, 0.3]
    assert kept[0x0019, 0x0010].value == "SIEMENS MR HEADER"
    assert kept[0x2001, 0x1003].value == 500.0
    assert (0x0019, 0x1077) not in kept
    assert [e.tag for e in clean(dataset, "basic").dataset if e.tag.is_private] == []


@pytest.mark.parametrize("slot", [0x10, 0x11, 0xE1])
def test_safe_private_values_are_told_by_their_creator_and_not_by_their_place(slot: int) -> None:
    dataset = header()
    put(dataset, 0x00190000 | slot, "LO", b"SIEMENS MR HEADER")
    put(dataset, 0x0019000C | slot << 8, "IS", b"1000")
    put(dataset, 0x00210010, "LO", b"ACME")
    put(dataset, 0x0021100C, "IS", b"4711")
    new = clean(dataset, "tcia").dataset
    assert new[0x0019000C | slot << 8].value == 1000
    assert 0x0021100C not in new


@presets
@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, ImplicitVRLittleEndian])
@pytest.mark.parametrize("tag", [0x00080099, 0x00100099, 0x0018FFFE, 0x00400FFE, 0x0088FFFE, 0x33340002, 0x7FE20010])
def test_elements_that_no_edition_knows_go(preset: str, syntax: str, tag: int) -> None:
    implicit = syntax == ImplicitVRLittleEndian
    more = raw_dicom.put(tag, b"" if implicit else b"LO", b"Okonkwo^Adaeze")
    data = raw_dicom.part10(raw_dicom.header(implicit, image=False, more=more, at=tag), syntax)
    result = clean(data, preset)
    assert result.holds(SURNAME) == []
    assert tag not in result.dataset


@presets
@pytest.mark.parametrize("group", [0x5000, 0x5002, 0x501E])
def test_curves_go(preset: str, group: int) -> None:
    dataset = header()
    put(dataset, group << 16 | 0x0005, "US", 2)
    put(dataset, group << 16 | 0x0022, "LO", NAME.encode())
    put(dataset, group << 16 | 0x2500, "LO", NAME.encode())
    put(dataset, group << 16 | 0x3000, "OW", NAME.encode())
    result = clean(dataset, preset)
    assert result.holds(SURNAME) == []
    assert [e.tag for e in result.dataset if e.tag.group == group] == []


@presets
@pytest.mark.parametrize("group", [0x6000, 0x6002, 0x601E, 0x60FE])
def test_overlays_and_what_describes_them_go(preset: str, group: int) -> None:
    dataset = header()
    for element, vr, value in (
        (0x0010, "US", 8),
        (0x0022, "LO", NAME.encode()),
        (0x0040, "CS", b"G"),
        (0x0100, "US", 1),
        (0x1500, "LO", NAME.encode()),
        (0x3000, "OW", b"OKONKWO "),
        (0x4000, "LT", NAME.encode()),
    ):
        put(dataset, group << 16 | element, vr, value)
    result = clean(dataset, preset)
    assert result.holds(SURNAME) == []
    assert [e.tag for e in result.dataset if e.tag.group == group] == []


@presets
def test_overlays_in_high_bits_of_the_pixels_go(preset: str) -> None:
    dataset = header(
        **{"Rows": 8, "Columns": 8, "SamplesPerPixel": 1, "PhotometricInterpretation": "MONOCHROME2"},
        **{"BitsAllocated": 16, "BitsStored": 12, "HighBit": 11, "PixelRepresentation": 0},
    )
    put(dataset, 0x60000100, "US", 16)
    put(dataset, 0x60000102, "US", 13)
    values = np.arange(64, dtype="<u2") | 0x2000
    put(dataset, 0x7FE00010, "OW", values.tobytes())
    policy = load_policy(preset)
    result = redact_dicom(to_file(dataset), [], HeaderEngine(policy.profile, KEY), SUBJECT, policy)
    new = read_dataset(result.data)
    assert result.pixels == "cleaned"
    assert np.frombuffer(new.PixelData, "<u2").tolist() == list(range(64))
    assert (0x6000, 0x0100) not in new


@presets
@pytest.mark.parametrize(
    ("sop_class", "document"),
    [
        (EncapsulatedPDFStorage, b"no PDF at all "),
        (EncapsulatedCDAStorage, b"<ClinicalDocument/> "),
        (EncapsulatedSTLStorage, b"solid"),
    ],
)
def test_encapsulated_documents_are_refused(preset: str, sop_class: str, document: bytes) -> None:
    dataset = header(SOPClassUID=sop_class, EncapsulatedDocument=document, DocumentTitle=NAME)
    with pytest.raises(InputError, match="encapsulated"):
        clean(dataset, preset)


@presets
def test_directories_are_refused(preset: str) -> None:
    record = item(DirectoryRecordType="PATIENT", PatientName=NAME, PatientID=IDENTITY)
    dataset = header(SOPClassUID=MediaStorageDirectoryStorage, DirectoryRecordSequence=[record])
    with pytest.raises(InputError, match="DICOMDIR"):
        clean(dataset, preset)
    dataset.SOPClassUID = "1.2.840.10008.5.1.4.1.1.2"
    with pytest.raises(InputError, match="DICOMDIR"):
        refuse_unsupported(read_dataset(to_file(dataset)))


@presets
def test_trailing_padding_goes(preset: str) -> None:
    dataset = header()
    put(dataset, 0xFFFCFFFC, "OB", NAME.encode())
    result = clean(dataset, preset)
    assert result.holds(SURNAME) == []
    assert 0xFFFCFFFC not in result.dataset


@presets
def test_group_lengths_go(preset: str) -> None:
    more = raw_dicom.put(0x00100000, b"UL", b"\x20\0\0\0")
    result = clean(raw_dicom.part10(raw_dicom.header(more=more, at=0x00100010)), preset)
    assert 0x00100000 not in result.dataset
    assert result.dataset.PatientID == SUBJECT.pseudonym


@presets
@pytest.mark.parametrize("implicit", [True, False])
def test_a_header_without_preamble_or_meta_group_is_cleaned(preset: str, implicit: bool) -> None:
    result = clean(raw_dicom.header(implicit), preset)
    assert result.data[128:132] == b"DICM"
    assert result.dataset.PatientName == SUBJECT.pseudonym
    assert result.dataset.StudyDate == NEW_DAY
    assert result.holds(SURNAME, "MRN4711") == []


@presets
def test_marks_of_an_earlier_tool_do_not_stay(preset: str) -> None:
    dataset = header(
        **{"PatientIdentityRemoved": "NO", "DeidentificationMethod": f"by {NAME}"},
        DeidentificationMethodCodeSequence=[item(CodeValue="1", CodingSchemeDesignator="L", CodeMeaning=NAME)],
    )
    result = clean(dataset, preset)
    assert result.dataset.PatientIdentityRemoved == "YES"
    assert result.holds(SURNAME) == []


@presets
def test_what_the_changes_tell_is_what_the_file_holds(preset: str) -> None:
    dataset = header(SeriesDescription=f"T2 {NAME}", OperatorsName=NAME, Rows=5, SliceThickness="1.5", PatientSex="F")
    result = clean(dataset, preset)
    for change in result.changes:
        tag = int(change.path[1:5] + change.path[6:10], 16)
        if change.after is None:
            assert tag not in result.dataset, change.path
        elif change.vr != "SQ":
            assert str(result.dataset[tag].value or "") == change.after, change.path
    told = {int(c.path[1:5] + c.path[6:10], 16) for c in result.changes}
    assert {int(e.tag) for e in dataset} - told == set()

from __future__ import annotations

import io
from collections.abc import Callable

import pydicom
import pytest
from pydicom import Dataset, config
from pydicom.datadict import dictionary_has_tag, dictionary_VR, keyword_for_tag
from pydicom.dataelem import DataElement
from pydicom.dataset import FileDataset
from pydicom.tag import Tag
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian

from deidra.app.domain.model import Action, DecisionKind
from deidra.app.metadata.engine import HeaderEngine, HeaderResult, Override, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import Code, Option, Profile, _table

MakeEngine = Callable[..., HeaderEngine]
SAMPLES: dict[str, object] = {
    **{"AE": "STATION", "AS": "045Y", "CS": "CODE", "DA": "20240229", "DS": "1.5", "DT": "20240229101112"},
    **{"FD": 1.5, "FL": 1.5, "IS": "7", "LO": "long text", "LT": "text", "OB": b"\1\2", "OW": b"\1\2", "PN": "Doe^Jo"},
    **{
        "SH": "short",
        "SL": 1,
        "SS": 1,
        "ST": "text",
        "TM": "101112",
        "UC": "text",
        "UI": "1.2.3",
        "UL": 1,
        "UN": b"ab",
    },
    **{"UR": "http://x", "US": 1, "UT": "text", "AT": 0x00100010, "OF": b"\0\0\0\0", "OD": bytes(8), "SV": 1, "UV": 1},
}


def rows(result: HeaderResult) -> dict[str, tuple[Action, str, str | None]]:
    return {change.path: (change.action, change.before, change.after) for change in result.changes}


def test_name_and_id_become_the_pseudonym(header: FileDataset, engine: MakeEngine, subject: Subject) -> None:
    result = engine().process(header, subject)
    assert header.PatientName == "PABCDEFGH"
    assert header.PatientID == "PABCDEFGH"
    assert rows(result)["(0010,0010)"] == (Action.REPLACE, "Okonkwo^Adaeze", "PABCDEFGH")


def test_the_basic_profile_empties_dates_and_removes_descriptions(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    result = engine().process(header, subject)
    assert header.StudyDate == ""
    assert header.PatientBirthDate == ""
    assert "SeriesDescription" not in header
    assert rows(result)["(0008,103E)"] == (Action.REMOVE, "AXIAL T2", None)
    assert rows(result)["(0008,0020)"] == (Action.EMPTY, "20240229", "")
    assert header.Modality == "CT"


def test_dates_move_and_times_stay_under_modified_dates(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    header.AcquisitionDateTime = "20240229235959.1+0100"
    header.SeriesDate = ["20240101", "20240301"]
    result = engine(Option.MODIFIED_DATES).process(header, subject)
    assert header.StudyDate == "20231121"
    assert header.StudyTime == "101112.500"
    assert header.AcquisitionDateTime == "20231121235959.1+0100"
    assert list(header.SeriesDate) == ["20230923", "20231122"]
    assert rows(result)["(0008,0020)"] == (Action.SHIFT, "20240229", "20231121")


@pytest.mark.parametrize("value", ["UNKNOWN", "0", "1990/01/", "20241399"])
def test_a_date_that_cannot_be_parsed_is_emptied(
    header: FileDataset, engine: MakeEngine, subject: Subject, value: str
) -> None:
    with pydicom.config.disable_value_validation():
        header.StudyDate = value
        result = engine(Option.MODIFIED_DATES).process(header, subject)
    assert header.StudyDate == ""
    assert rows(result)["(0008,0020)"] == (Action.EMPTY, value, "")


def test_full_dates_stay(header: FileDataset, engine: MakeEngine, subject: Subject) -> None:
    engine(Option.FULL_DATES).process(header, subject)
    assert (header.StudyDate, header.StudyTime) == ("20240229", "101112.500")


def test_dates_outside_the_table_move_as_well(header: FileDataset, engine: MakeEngine, subject: Subject) -> None:
    outside = next(
        tag
        for tag, entry in pydicom.datadict.DicomDictionary.items()
        if entry[0] == "DA" and Profile(frozenset()).code(Tag(tag)) is Code.ABSENT
    )
    header.add_new(outside, "DA", "20240229")
    engine(Option.MODIFIED_DATES).process(header, subject)
    assert header[outside].value == "20231121"


def test_names_and_unknown_attributes_outside_the_table_do_not_stay(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    header.add_new(0x00089999, "LO", "OKONKWO")
    header.add_new(0x00140035, "UN", b"OKONKWO ")
    names = [
        tag
        for tag, entry in pydicom.datadict.DicomDictionary.items()
        if entry[0] == "PN" and Profile(frozenset()).code(Tag(tag)) is Code.ABSENT
    ]
    for tag in names:
        header.add_new(tag, "PN", "Okonkwo^A")
    engine().process(header, subject)
    assert 0x00089999 not in header
    assert 0x00140035 not in header
    assert [header[tag].value for tag in names] == [""] * len(names)


def test_every_attribute_of_the_table_gets_its_action(engine: MakeEngine, subject: Subject) -> None:
    dataset = FileDataset("", {}, file_meta=pydicom.dataset.FileMetaDataset())
    expected: dict[int, Code] = {}
    for name, rule in _table().items():
        if "x" in name or name == "PRIVATE" or name.startswith(("0000", "0002", "FFF")):
            continue
        tag = int(name, 16)
        if dictionary_has_tag(tag) and keyword_for_tag(tag) not in ("PatientID", "PatientName"):
            vr = dictionary_VR(tag).split(" or ")[0]
            value = [Dataset()] if vr == "SQ" else SAMPLES[vr]
            dataset.add_new(tag, vr, value)
            expected[tag] = engine().profile.code(Tag(tag)) if rule else Code.ABSENT
    assert len(expected) > 600
    engine().process(dataset, subject)
    for tag, code in expected.items():
        name = f"{Tag(tag)} {keyword_for_tag(tag)} {code}"
        assert (tag in dataset) == (code is not Code.REMOVE), name
        if tag not in dataset or dataset[tag].VR == "SQ":
            continue
        if keyword_for_tag(tag) in ("PatientIdentityRemoved", "DeidentificationMethod"):
            continue
        value = dataset[tag].value
        if code is Code.EMPTY:
            assert value in ("", None, b"", []), name
        else:
            assert value != SAMPLES[dataset[tag].VR], name


def test_every_dummy_is_valid_for_its_value_representation(
    header: FileDataset, engine: MakeEngine, subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config.settings, "writing_validation_mode", config.RAISE)
    monkeypatch.setattr(config.settings, "reading_validation_mode", config.RAISE)
    dummies = []
    for name in _table():
        if "x" in name or name == "PRIVATE" or not dictionary_has_tag(int(name, 16)):
            continue
        tag = Tag(int(name, 16))
        vr = dictionary_VR(tag).split(" or ")[0]
        if vr != "SQ" and engine().profile.code(tag, "1") is Code.DUMMY and tag.group > 2:
            header.add_new(tag, vr, SAMPLES[vr])
            dummies.append(tag)
    assert len(dummies) > 60
    header.SOPClassUID = "1.2.3"  # of no known object, so that no attribute may be missing
    engine().process(header, subject)
    stream = io.BytesIO()
    header.save_as(stream, enforce_file_format=True)
    again = pydicom.dcmread(io.BytesIO(stream.getvalue()))
    for tag in dummies:
        assert again[tag].value not in ("", None), tag


@pytest.mark.parametrize("keyword", ["SelectorOBValue", "SelectorUNValue", "EncapsulatedDocument"])
def test_the_dummy_of_a_binary_value_is_made_of_bytes(
    header: FileDataset, engine: MakeEngine, subject: Subject, keyword: str
) -> None:
    setattr(header, keyword, b"\1\2")
    engine().process(header, subject)
    assert set(header[keyword].value) == {0}


def test_a_private_sop_class_stays(header: FileDataset, engine: MakeEngine, subject: Subject) -> None:
    # It says what the file is, not which one: replaced, no reader would know the kind of object any more.
    header.SOPClassUID = "1.3.12.2.1107.5.9.1"
    engine().process(header, subject)
    assert header.SOPClassUID == "1.3.12.2.1107.5.9.1"


def test_uids_are_replaced_alike_everywhere(
    header: FileDataset, engine: MakeEngine, subject: Subject, key: ProjectKey
) -> None:
    reference = Dataset()
    reference.ReferencedSOPClassUID = CTImageStorage
    reference.ReferencedSOPInstanceUID = "1.2.3.4.5"
    header.SourceImageSequence = [reference]
    header.FrameOfReferenceUID = "1.2.3.4.9"
    result = engine().process(header, subject)
    new = key.uid("1.2.3.4.5")
    assert header.SOPInstanceUID == new
    assert header.file_meta.MediaStorageSOPInstanceUID == new
    assert header.SourceImageSequence[0].ReferencedSOPInstanceUID == new
    assert header.SourceImageSequence[0].ReferencedSOPClassUID == CTImageStorage
    assert header.SOPClassUID == CTImageStorage
    assert result.uids == {old: key.uid(old) for old in ("1.2.3.4.5", "1.2.3.4", "1.2.3.4.1", "1.2.3.4.9")}


def test_several_uids_in_one_value_are_all_replaced(
    header: FileDataset, engine: MakeEngine, subject: Subject, key: ProjectKey
) -> None:
    header.FailedSOPInstanceUIDList = [CTImageStorage, "1.2.3"]
    engine().process(header, subject)
    assert list(header.FailedSOPInstanceUIDList) == [CTImageStorage, key.uid("1.2.3")]


def test_uids_stay_under_their_option(header: FileDataset, engine: MakeEngine, subject: Subject) -> None:
    result = engine(Option.UIDS).process(header, subject)
    assert header.SOPInstanceUID == "1.2.3.4.5"
    assert header.file_meta.MediaStorageSOPInstanceUID == "1.2.3.4.5"
    assert result.uids == {}


def test_the_file_meta_group_and_the_preamble_are_new(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    engine().process(header, subject)
    assert {element.keyword for element in header.file_meta} == {
        "FileMetaInformationGroupLength",
        "FileMetaInformationVersion",
        "MediaStorageSOPClassUID",
        "MediaStorageSOPInstanceUID",
        "TransferSyntaxUID",
        "ImplementationClassUID",
        "ImplementationVersionName",
    }
    assert header.file_meta.FileMetaInformationVersion == b"\0\1"
    assert header.file_meta.TransferSyntaxUID == ExplicitVRLittleEndian
    assert header.preamble == bytes(128)
    stream = io.BytesIO()
    header.save_as(stream, enforce_file_format=True)
    assert b"OKONKWO" not in stream.getvalue().upper()


def test_items_of_sequences_are_reached_at_any_depth_and_named_from_zero(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    def node(kind: str, **values: object) -> Dataset:
        item = Dataset()
        item.ValueType = kind
        for name, value in values.items():
            setattr(item, name, value)
        return item

    deep = node("PNAME", PersonName="Okonkwo^A")
    items = [node("CONTAINER"), node("CONTAINER"), node("DATE", Date="20240229")]
    header.ContentSequence = [*items, node("TEXT", TextValue="T2", ContentSequence=[deep])]
    result = engine(Option.STRUCTURED_CONTENT, Option.MODIFIED_DATES, Option.DESCRIPTORS).process(header, subject)
    found = rows(result)
    assert "(0040,A730)[3]/(0040,A160)" in found
    assert "(0040,A730)[3]/(0040,A730)[0]/(0040,A123)" in found
    assert found["(0040,A730)"] == (Action.KEEP, "4 items", "4 items")
    assert header.ContentSequence[3].ContentSequence[0].PersonName != "Okonkwo^A"
    assert header.ContentSequence[2].Date == "20231121"


def test_a_sequence_that_the_profile_removes_goes_with_all_its_items(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    item = Dataset()
    item.PatientName = "Okonkwo^A"
    header.OriginalAttributesSequence = [item]
    header.IconImageSequence = [item]
    header.ReferencedPatientSequence = [item]
    result = engine().process(header, subject)
    assert "OriginalAttributesSequence" not in header
    assert "IconImageSequence" not in header
    assert not any("/(0010,0010)" in path for path in rows(result) if path.startswith("(0400,0561)"))


@pytest.fixture
def private(header: FileDataset) -> FileDataset:
    safe = header.private_block(0x0019, "SIEMENS MR HEADER", create=True)
    safe.add_new(0x0C, "IS", "1000")
    safe.add_new(0x08, "LO", "OKONKWO")
    unknown = header.private_block(0x0019, "ACME", create=True)
    unknown.add_new(0x0C, "LO", "OKONKWO")
    item = Dataset()
    inner = item.private_block(0x0029, "ACME", create=True)
    inner.add_new(0x01, "LO", "OKONKWO")
    item.Modality = "CT"
    header.SourceImageSequence = [item]
    return header


def test_every_private_attribute_goes_in_the_basic_profile(
    private: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    result = engine().process(private, subject)
    assert not [element.tag for element in private.iterall() if element.tag.is_private]
    assert rows(result)["(0019,100C)"] == (Action.REMOVE, "1000", None)
    assert rows(result)["(0008,2112)[0]/(0029,1001)"] == (Action.REMOVE, "OKONKWO", None)


def test_safe_private_attributes_stay_with_their_creator_and_no_others(
    private: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    engine(Option.PRIVATE).process(private, subject)
    assert [(int(e.tag), str(e.value)) for e in private.iterall() if e.tag.is_private] == [
        (0x00190010, "SIEMENS MR HEADER"),
        (0x0019100C, "1000"),
    ]


def test_a_private_creator_without_attributes_goes(header: FileDataset, engine: MakeEngine, subject: Subject) -> None:
    header.add_new(0x00190010, "LO", "SIEMENS MR HEADER")
    engine(Option.PRIVATE).process(header, subject)
    assert 0x00190010 not in header


def test_a_private_attribute_without_a_creator_goes(header: FileDataset, engine: MakeEngine, subject: Subject) -> None:
    header.add_new(0x0019100C, "IS", "1000")
    engine(Option.PRIVATE).process(header, subject)
    assert 0x0019100C not in header


def test_overlays_and_curves_go_wholly(header: FileDataset, engine: MakeEngine, subject: Subject) -> None:
    for group in (0x6000, 0x6002, 0x601E):
        header.add_new((group, 0x0010), "US", 1)
        header.add_new((group, 0x0011), "US", 1)
        header.add_new((group, 0x0022), "LO", "OKONKWO")
        header.add_new((group, 0x3000), "OW", b"\1\0")
        header.add_new((group, 0x4000), "LT", "OKONKWO")
    header.add_new((0x5000, 0x0005), "US", 1)
    header.add_new((0x5002, 0x2500), "LO", "OKONKWO")
    header.add_new((0x5002, 0x3000), "OW", b"\1\0")
    engine(Option.DESCRIPTORS, Option.MODIFIED_DATES).process(header, subject)
    assert [e.tag for e in header if 0x5000 <= e.tag.group <= 0x60FF] == []


def test_group_lengths_and_padding_go(header: FileDataset, engine: MakeEngine, subject: Subject) -> None:
    header.add_new(0x00080000, "UL", 100)
    header.add_new(0xFFFCFFFC, "OB", b"OKONKWO\0")
    result = engine().process(header, subject)
    assert 0x00080000 not in header
    assert 0xFFFCFFFC not in header
    assert "(0008,0000)" not in rows(result)


def test_pixel_data_is_not_touched(header: FileDataset, engine: MakeEngine, subject: Subject) -> None:
    header.add_new(0x7FE00010, "OW", b"\1\2\3\4")
    engine().process(header, subject)
    assert header.PixelData == b"\1\2\3\4"


def test_decisions_of_a_curator_win_over_the_profile(
    private: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    private.StudyDescription = "brain"
    private.ProtocolName = "protocol"
    private.InstitutionName = "General"
    decisions = {
        "(0008,1030)": Override(DecisionKind.KEEP),
        "(0018,1030)": Override(DecisionKind.REPLACE, "other"),
        "(0008,0060)": Override(DecisionKind.BLANK),
        "(0010,0010)": Override(DecisionKind.REPLACE, "Doe^Jane"),
        "(0008,0080)": Override(DecisionKind.ACCEPT),
        "(0008,2112)": Override(DecisionKind.BLANK),
        "(0019,110C)": Override(DecisionKind.KEEP),
        "(0019,1008)": Override(DecisionKind.REPLACE, "safe"),
        "(0019,100C)": Override(DecisionKind.BLANK),
    }
    found = rows(engine().process(private, subject, decisions))
    assert private.StudyDescription == "brain"
    assert private.ProtocolName == "other"
    assert private.Modality == ""
    assert private.PatientName == "Doe^Jane"
    assert "InstitutionName" not in private
    assert len(private.SourceImageSequence) == 0
    assert private[0x0019, 0x110C].value == "OKONKWO"
    assert private[0x0019, 0x1008].value == "safe"
    assert (0x0019, 0x100C) not in private
    assert private[0x0019, 0x0011].value == "ACME"
    assert found["(0018,1030)"] == (Action.REPLACE, "protocol", "other")
    assert found["(0008,1030)"] == (Action.KEEP, "brain", "brain")


def test_a_decision_reaches_an_element_inside_a_sequence_and_only_that(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    items = [Dataset(), Dataset()]
    for item in items:
        item.Manufacturer = "ACME"
    header.SourceImageSequence = items
    decisions = {"(0008,2112)[1]/(0008,0070)": Override(DecisionKind.REPLACE, "other")}
    engine().process(header, subject, decisions)
    assert [item.Manufacturer for item in header.SourceImageSequence] == ["ACME", "other"]


@pytest.mark.parametrize(
    ("options", "dates", "codes"),
    [
        ([], "REMOVED", ["113100"]),
        ([Option.MODIFIED_DATES], "MODIFIED", ["113100", "113107"]),
        ([Option.FULL_DATES, Option.PATIENT], "UNMODIFIED", ["113100", "113106", "113108"]),
    ],
)
def test_the_header_says_what_was_done(
    header: FileDataset, engine: MakeEngine, subject: Subject, options: list[Option], dates: str, codes: list[str]
) -> None:
    engine(*options).process(header, subject)
    assert header.PatientIdentityRemoved == "YES"
    assert list(header.DeidentificationMethod) == ["Deidra", "PS3.15 2026d Annex E"]
    items = header.DeidentificationMethodCodeSequence
    assert [item.CodeValue for item in items] == codes
    assert {item.CodingSchemeDesignator for item in items} == {"DCM"}
    assert all(0 < len(item.CodeMeaning) <= 64 for item in items)
    assert header.LongitudinalTemporalInformationModified == dates


def test_earlier_marks_of_another_tool_do_not_survive_the_new_ones(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    header.DeidentificationMethod = "OKONKWO'S TOOL"
    engine().process(header, subject)
    assert "OKONKWO" not in str(header)


def test_long_and_binary_values_are_shown_by_their_size(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    header.add(DataElement(0x00420011, "OB", b"\0\1" * 500))
    header.add_new(0x00081140, "SQ", [])
    header.add_new(0x00142012, "OB", b"plain text")
    found = rows(engine().process(header, subject))
    assert found["(0042,0011)"][1] == "1000 bytes"
    assert found["(0008,1140)"][1] == "0 items"

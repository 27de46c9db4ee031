"""Elements that try to pass by the rules: wrong types, pixels and marks in items, dummies, dates, ages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from dicom_files import InPlace
from pydicom import Dataset
from pydicom.datadict import DicomDictionary
from pydicom.dataelem import DataElement
from pydicom.dataset import FileDataset
from pydicom.tag import Tag
from pydicom.uid import CTImageStorage

from deidra.app.decide.policy import load_policy
from deidra.app.domain.errors import InputError
from deidra.app.domain.model import Action, DecisionKind
from deidra.app.metadata.engine import HeaderEngine, Override, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import Code, Option, Profile
from deidra.app.metadata.values import fits_dictionary

MakeEngine = Callable[..., HeaderEngine]
SECRET = "OKONKWO"
ALL_KEEPING = (Option.DEVICE, Option.PATIENT, Option.INSTITUTION, Option.FULL_DATES, Option.UIDS, Option.PRIVATE)


def item(**values: object) -> Dataset:
    dataset = Dataset()
    for name, value in values.items():
        setattr(dataset, name, value)
    return dataset


def code(value: str, meaning: str) -> Dataset:
    return item(CodeValue=value, CodingSchemeDesignator="99LOCAL", CodeMeaning=meaning)


def put(dataset: Dataset, tag: int, vr: str, value: object) -> None:
    """An element of any VR, whatever the dictionary says."""
    dataset[Tag(tag)] = DataElement(Tag(tag), vr, value)


@pytest.fixture
def preset(key: ProjectKey) -> Callable[[str], HeaderEngine]:
    return lambda name: InPlace(HeaderEngine(load_policy(name).profile, key))


@pytest.mark.parametrize("options", [(), ALL_KEEPING], ids=["basic", "keeping"])
@pytest.mark.parametrize(
    ("tag", "vr", "value"),
    [
        (0x00080020, "OB", b"20240229"),
        (0x00100030, "LO", "1950-02-28"),
        (0x00080018, "SQ", [item(PatientComments=SECRET)]),
        (0x00080060, "SQ", [item(PatientComments=SECRET)]),
        (0x00080070, "SQ", [item(PatientComments=SECRET)]),
        (0x00080070, "OB", SECRET.encode()),
        (0x00080070, "PN", SECRET),
        (0x00280010, "LO", SECRET),
        (0x00081140, "LT", SECRET),
        (0x00101010, "OB", SECRET.encode()),
        (0x00180050, "UI", "1.2.3"),
    ],
)
def test_an_element_whose_type_contradicts_the_dictionary_is_removed(
    header: FileDataset,
    engine: MakeEngine,
    subject: Subject,
    options: tuple[Option, ...],
    tag: int,
    vr: str,
    value: object,
) -> None:
    put(header, tag, vr, value)
    result = engine(*options).process(header, subject)
    path = f"({tag >> 16:04X},{tag & 0xFFFF:04X})"
    (change,) = [c for c in result.changes if c.path == path]
    assert (change.action, change.after) == (Action.REMOVE, None)
    assert tag not in header or tag == 0x00080018
    assert SECRET not in str(header)


def test_an_element_of_the_wrong_type_inside_an_item_is_removed(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    inner = item()
    put(inner, 0x00080021, "OB", b"20240229")
    put(inner, 0x00080070, "SQ", [item(Manufacturer=SECRET)])
    header.SourceImageSequence = [inner]
    engine(*ALL_KEEPING).process(header, subject)
    assert list(header.SourceImageSequence[0]) == []


@pytest.mark.parametrize("kind", [DecisionKind.KEEP, DecisionKind.REPLACE, DecisionKind.BLANK])
def test_no_decision_keeps_an_element_of_the_wrong_type(
    header: FileDataset, engine: MakeEngine, subject: Subject, kind: DecisionKind
) -> None:
    put(header, 0x00080070, "OB", SECRET.encode())
    engine().process(header, subject, {"(0008,0070)": Override(kind, "x")})
    assert "Manufacturer" not in header


@pytest.mark.parametrize("keyword", ["PatientID", "PatientName"])
@pytest.mark.parametrize(
    ("vr", "value"), [("SQ", [item(PatientComments=SECRET)]), ("OB", b"OKONKWO "), ("LT", SECRET), ("UI", "1.2.3")]
)
def test_name_and_id_of_any_type_become_the_pseudonym(
    header: FileDataset, engine: MakeEngine, subject: Subject, keyword: str, vr: str, value: object
) -> None:
    tag = header[keyword].tag
    put(header, tag, vr, value)
    engine().process(header, subject)
    assert ("LO" if keyword == "PatientID" else "PN") == header[keyword].VR
    assert str(header[keyword].value) == subject.pseudonym


@pytest.mark.parametrize(
    ("tag", "vr", "fits"),
    [
        (0x00280106, "US", True),
        (0x00280106, "SS", True),
        (0x7FE00010, "OB", True),
        (0x7FE00010, "OW", True),
        (0x00283006, "US", True),
        (0x00283006, "OW", True),
        (0x00080070, "SH", True),
        (0x00200013, "US", True),
        (0x00080020, "TM", False),
        (0x00080020, "DT", False),
        (0x00100010, "LO", False),
        (0x00091001, "UN", True),
    ],
)
def test_only_kinds_that_real_files_mix_up_fit_one_another(tag: int, vr: str, fits: bool) -> None:
    assert fits_dictionary(DataElement(Tag(tag), vr, None)) is fits


@pytest.mark.parametrize("keyword", ["OperatorIdentificationSequence", "InstitutionCodeSequence"])
@pytest.mark.parametrize("name", ["basic", "tcia", "limited", "safe-harbor"])
def test_a_sequence_with_the_dummy_action_holds_dummies_only(
    header: FileDataset, preset: Callable[[str], HeaderEngine], subject: Subject, keyword: str, name: str
) -> None:
    person = item(
        PersonIdentificationCodeSequence=[code("4711", SECRET)],
        InstitutionName=SECRET,
        InstitutionCodeSequence=[code("H1", SECRET)],
        PersonAddress=SECRET,
    )
    person.update(code("4711", SECRET))
    person.CodeValue = "4711"
    person.SeriesDate = "20240229"
    setattr(header, keyword, [person])
    preset(name).process(header, subject)
    text = str(header)
    for secret in (SECRET, "4711", "99LOCAL", "H1"):
        assert secret not in text
    if keyword in header:
        assert header[keyword].value[0].CodeValue == "REMOVED"


def test_dummies_reach_every_depth_and_classes_stay(
    header: FileDataset, engine: MakeEngine, subject: Subject, key: ProjectKey
) -> None:
    deep = item(ReferencedSOPClassUID=CTImageStorage, ReferencedSOPInstanceUID="1.2.3.4.77", Manufacturer=SECRET)
    deep.ProcedureCodeSequence = [code("4711", SECRET)]
    header.PersonIdentificationCodeSequence = [
        item(ReferencedImageSequence=[deep], Rows=5, SliceThickness="47.11", PatientComments=SECRET)
    ]
    engine(*ALL_KEEPING[:3]).process(header, subject)
    (top,) = header.PersonIdentificationCodeSequence
    # Counts keep the item valid; numbers written as text could be anything.
    assert (top.Rows, top.SliceThickness) == (5, 0)
    (below,) = top.ReferencedImageSequence
    assert below.ReferencedSOPClassUID == CTImageStorage
    assert below.ReferencedSOPInstanceUID == key.uid("1.2.3.4.77")
    assert below.Manufacturer == "REMOVED"
    assert below.ProcedureCodeSequence[0].CodeMeaning == "REMOVED"
    assert SECRET not in str(header)


def test_what_stands_beside_a_dummy_sequence_is_no_dummy(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    header.PersonIdentificationCodeSequence = [code("1", SECRET)]
    header.ProcedureCodeSequence = [code("CT", "CT head")]
    header.Rows = 5
    engine(Option.DESCRIPTORS).process(header, subject)
    assert header.Rows == 5
    assert header.ProcedureCodeSequence[0].CodeMeaning == "CT head"


def test_bytes_that_would_have_to_be_read_get_the_basic_action(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    header.CertifiedTimestamp = b"20240229 OKONKWO"
    result = engine(Option.MODIFIED_DATES).process(header, subject)
    assert "CertifiedTimestamp" not in header
    assert [c.action for c in result.changes if c.path == "(0400,0310)"] == [Action.REMOVE]


def test_dates_that_another_option_keeps_move_with_the_others(
    header: FileDataset, preset: Callable[[str], HeaderEngine], subject: Subject
) -> None:
    header.DateOfLastCalibration = ["20240229", "20240101"]
    header.TimeOfLastCalibration = "101112"
    preset("tcia").process(header, subject)
    assert list(header.DateOfLastCalibration) == ["20231121", "20230923"]
    assert header.StudyDate == "20231121"


def test_no_date_of_the_table_stays_under_modified_dates(engine: MakeEngine, subject: Subject, key: ProjectKey) -> None:
    for tag, entry in DicomDictionary.items():
        if entry[0] in ("DA", "DT"):
            dataset = FileDataset("", {}, file_meta=Dataset())
            put(dataset, tag, entry[0], "20240229")
            dataset.file_meta.TransferSyntaxUID = "1.2.840.10008.1.2.1"
            engine(*(set(ALL_KEEPING) - {Option.FULL_DATES}), Option.MODIFIED_DATES).process(dataset, subject)
            kept = [str(e.value) for e in dataset if e.VR in ("DA", "DT") and "20240229" in str(e.value)]
            assert kept == [] or "Version" in entry[4], entry[4]


def test_dates_outside_the_table_are_emptied_when_dates_are_removed(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    policy = Profile(frozenset())
    outside = [
        (tag, entry[0])
        for tag, entry in DicomDictionary.items()
        if entry[0] in ("DA", "DT") and policy.code(Tag(tag)) is Code.ABSENT and "Version" not in entry[4]
    ]
    assert outside
    for tag, vr in outside:
        put(header, tag, vr, "20240229")
    engine().process(header, subject)
    assert [str(header[tag].value or "") for tag, _ in outside] == [""] * len(outside)


@pytest.mark.parametrize("name", ["tcia", "limited"])
@pytest.mark.parametrize(
    ("age", "expected"),
    [("089Y", "089Y"), ("090Y", "090Y"), ("091Y", "090Y"), ("107Y", "090Y"), ("012M", "012M"), ("99Y ", "090Y")],
)
def test_ages_over_89_are_one_group(
    header: FileDataset, preset: Callable[[str], HeaderEngine], subject: Subject, name: str, age: str, expected: str
) -> None:
    put(header, 0x00101010, "AS", age)
    header.SourceImageSequence = [item(PatientAge=age)]
    preset(name).process(header, subject)
    assert header.PatientAge == expected
    assert header.SourceImageSequence[0].PatientAge == expected


def test_marks_of_a_tool_inside_an_item_are_handled_like_any_text(
    header: FileDataset, engine: MakeEngine, subject: Subject
) -> None:
    header.SourceImageSequence = [
        item(
            DeidentificationMethod=SECRET,
            DeidentificationMethodCodeSequence=[item(CodeMeaning="x", PatientName=SECRET)],
        )
    ]
    result = engine().process(header, subject)
    seen = {change.path for change in result.changes}
    assert "(0008,2112)[0]/(0012,0063)" in seen
    assert header.SourceImageSequence[0].DeidentificationMethodCodeSequence[0].PatientName == subject.pseudonym


@pytest.mark.parametrize("keyword", ["PixelData", "FloatPixelData", "DoubleFloatPixelData"])
@pytest.mark.parametrize("kind", [None, DecisionKind.KEEP])
def test_pixels_inside_an_item_go(
    header: FileDataset, engine: MakeEngine, subject: Subject, keyword: str, kind: DecisionKind | None
) -> None:
    inner = item()
    put(
        inner,
        {"PixelData": 0x7FE00010, "FloatPixelData": 0x7FE00008, "DoubleFloatPixelData": 0x7FE00009}[keyword],
        {"PixelData": "OW", "FloatPixelData": "OF", "DoubleFloatPixelData": "OD"}[keyword],
        b"OKONKWO!",
    )
    header.SourceImageSequence = [inner]
    tag = next(iter(inner)).tag
    path = f"(0008,2112)[0]/({tag.group:04X},{tag.element:04X})"
    engine(*ALL_KEEPING).process(header, subject, {path: Override(kind)} if kind else None)
    assert list(header.SourceImageSequence[0]) == []


@pytest.mark.parametrize(
    ("vr", "value"), [("OB", b"OKONKWO "), ("SQ", [item(PatientName=SECRET)]), ("UN", b"OKONKWO "), ("LT", SECRET)]
)
def test_a_safe_private_tag_of_another_kind_goes(
    header: FileDataset, engine: MakeEngine, subject: Subject, vr: str, value: object
) -> None:
    header.private_block(0x0019, "SIEMENS MR HEADER", create=True).add_new(0x0C, vr, value)
    engine(Option.PRIVATE).process(header, subject)
    assert [element.tag for element in header if element.tag.is_private] == []


@pytest.mark.parametrize("options", [(), ALL_KEEPING], ids=["basic", "keeping"])
def test_order_numbers_of_old_standards_and_encrypted_attributes_go(
    header: FileDataset, engine: MakeEngine, subject: Subject, options: tuple[Option, ...]
) -> None:
    tags = (0x00401006, 0x00401007, 0x00402006, 0x00402007, 0x00100033, 0x00100034, 0x00100035, 0x21000160)
    for tag in tags:
        put(header, tag, {0x00100035: "CS"}.get(tag, "LO" if tag >> 16 in (0x10,) else "SH"), SECRET)
    header.EncryptedAttributesSequence = [item(EncryptedContent=b"OKONKWO ")]
    header.SourceImageSequence = [item(EncryptedAttributesSequence=[item(EncryptedContent=b"OKONKWO ")])]
    engine(*options).process(header, subject)
    assert [tag for tag in tags if tag in header] == []
    assert "EncryptedAttributesSequence" not in header
    assert list(header.SourceImageSequence[0]) == []


@pytest.mark.parametrize(
    ("keyword", "value", "text"),
    [
        ("AcquisitionDate", "20240229", "soon"),
        ("InstanceNumber", "1", "1.5"),
        ("PatientAge", "045Y", "old"),
        ("SliceThickness", "1.5", "thin"),
        ("Modality", "CT", "lower case"),
        ("AcquisitionTime", "1200", "noon"),
        ("ProcedureCodeSequence", [item()], "text"),
    ],
)
def test_a_new_value_that_does_not_fit_its_type_is_refused_without_quoting_it(
    header: FileDataset, engine: MakeEngine, subject: Subject, keyword: str, value: object, text: str
) -> None:
    setattr(header, keyword, value)
    tag = header[keyword].tag
    path = f"({tag.group:04X},{tag.element:04X})"
    with pytest.raises(InputError, match="does not fit") as caught:
        engine().process(header, subject, {path: Override(DecisionKind.REPLACE, text)})
    assert text not in f"{caught.value} {caught.value.advice}"


@pytest.mark.parametrize("keyword", ["SeriesDescription", "Manufacturer", "StudyID", "ImageComments"])
def test_text_that_is_cleaned_to_nothing_becomes_a_word(
    header: FileDataset, engine: MakeEngine, subject: Subject, keyword: str
) -> None:
    setattr(header, keyword, SECRET)
    tag = header[keyword].tag
    path = f"({tag.group:04X},{tag.element:04X})"
    engine(Option.DESCRIPTORS).process(header, subject, {path: Override(DecisionKind.REPLACE, "")})
    assert header[keyword].value == "REMOVED"


def test_the_basic_code_ignores_the_options() -> None:
    profile = Profile(frozenset({Option.DEVICE, Option.MODIFIED_DATES}))
    assert (profile.code(Tag(0x00181200)), profile.basic_code(Tag(0x00181200))) == (Code.CLEAN, Code.REMOVE)

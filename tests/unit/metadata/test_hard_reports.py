"""Objects made of text that de-identification tools fail on: structured reports, presentation states, waveforms."""

from __future__ import annotations

import pytest
from hard_headers import (
    ACCESSION,
    DAY,
    IDENTITY,
    KEY,
    NAME,
    NEW_DAY,
    PRESETS,
    SURNAME,
    UIDS,
    clean,
    code,
    header,
    item,
    text,
)
from pydicom import Dataset
from pydicom.uid import (
    BasicTextSRStorage,
    CTImageStorage,
    GrayscaleSoftcopyPresentationStateStorage,
    ImplicitVRLittleEndian,
)

presets = pytest.mark.parametrize("preset", PRESETS)
DOCTOR = "Mbekiwa^Thabo"
SECRETS = (SURNAME, "adaeze", IDENTITY, ACCESSION, "mbekiwa", *UIDS.values())


def content(kind: str, concept: Dataset, **values: object) -> Dataset:
    """A content item of a structured report."""
    return item(RelationshipType="CONTAINS", ValueType=kind, ConceptNameCodeSequence=[concept], **values)


def report() -> list[Dataset]:
    """Content items of every type, some of them identifying, in containers three levels deep."""
    image = item(ReferencedSOPClassUID=CTImageStorage, ReferencedSOPInstanceUID=UIDS["instance"])
    inner = [
        content("PNAME", code("121008", "Person Observer Name"), PersonName=DOCTOR),
        content("PNAME", code("121029", "Subject Name"), PersonName=NAME),
        content("TEXT", code("121030", "Subject ID"), TextValue=IDENTITY),
        content("TEXT", code("121071", "Finding"), TextValue=f"Nodule of 4 mm. Seen with Mr Okonkwo on {DAY}."),
        content("DATE", code("121031", "Subject Birth Date"), Date="19500228"),
        content("DATE", code("111060", "Study Date"), Date=DAY),
        content("DATETIME", code("111526", "DateTime Started"), DateTime="20240229101112"),
        content("TIME", code("111061", "Study Time"), Time="101112"),
        content("UIDREF", code("112040", "Tracking Unique Identifier"), UID=UIDS["series"]),
        content("CODE", code("121058", "Procedure"), ConceptCodeSequence=[code("P5-08000", "CT of chest", "SRT")]),
        content(
            "NUM",
            code("121206", "Distance"),
            MeasuredValueSequence=[
                item(NumericValue="4.5", MeasurementUnitsCodeSequence=[code("mm", "millimeter", "UCUM")])
            ],
        ),
        content("IMAGE", code("121112", "Source"), ReferencedSOPSequence=[image]),
        content("TEXT", code("121005", "Observer Type"), TextValue="no findings"),
    ]
    for _ in range(2):
        inner = [
            content("CONTAINER", code("121070", "Findings"), ContinuityOfContent="SEPARATE", ContentSequence=inner)
        ]
    return inner


@presets
@pytest.mark.parametrize("syntax", [None, ImplicitVRLittleEndian])
def test_reports_lose_people_and_keep_findings(preset: str, syntax: str | None) -> None:
    dataset = header(
        **({"syntax": syntax} if syntax else {}),
        SOPClassUID=BasicTextSRStorage,
        ValueType="CONTAINER",
        ConceptNameCodeSequence=[code("11528-7", "Radiology Report", "LN")],
        ContentSequence=report(),
        VerifyingObserverSequence=[
            item(VerifyingObserverName=DOCTOR, VerifyingOrganization="Okonkwo Clinic", VerificationDateTime=DAY)
        ],
        CompletionFlag="COMPLETE",
        VerificationFlag="VERIFIED",
    )
    result = clean(dataset, preset)
    assert result.holds(*SECRETS, DAY, "19500228") == []
    leaves = result.get("ContentSequence[0]/ContentSequence[0]/ContentSequence")
    by_concept = {leaf.ConceptNameCodeSequence[0].CodeMeaning: leaf for leaf in leaves}  # type: ignore[attr-defined]
    assert ("Nodule of 4 mm" in by_concept["Finding"].TextValue) is (preset == "tcia")
    assert by_concept["Finding"].TextValue
    assert by_concept["Procedure"].ConceptCodeSequence[0].CodeMeaning == "CT of chest"
    assert by_concept["Distance"].MeasuredValueSequence[0].NumericValue == 4.5
    assert KEY.uid(UIDS["series"]) == by_concept["Tracking Unique Identifier"].UID
    assert by_concept["Source"].ReferencedSOPSequence[0].ReferencedSOPInstanceUID == KEY.uid(UIDS["instance"])
    assert text(by_concept["Study Date"].Date) == NEW_DAY
    assert text(by_concept["DateTime Started"].DateTime) == f"{NEW_DAY}101112"
    assert text(by_concept["Study Time"].Time) == "101112"


@presets
def test_text_of_presentation_states_goes_and_their_geometry_stays(preset: str) -> None:
    note = item(UnformattedTextValue=f"see {NAME}", AnchorPoint=[10.0, 20.0], AnchorPointVisibility="Y")
    line = item(GraphicAnnotationUnits="PIXEL", GraphicDimensions=2, NumberOfGraphicPoints=1, GraphicData=[5.0, 6.0])
    line.GraphicType = "POINT"
    compound = item(CompoundGraphicType="RULER", UnformattedTextValue=NAME, GraphicData=[1.0, 2.0])
    annotation = item(
        GraphicLayer="LAYER1",
        TextObjectSequence=[note],
        GraphicObjectSequence=[line],
        CompoundGraphicSequence=[compound],
    )
    dataset = header(
        SOPClassUID=GrayscaleSoftcopyPresentationStateStorage,
        ContentLabel="OKONKWO",
        ContentDescription=f"key image {NAME}",
        ContentCreatorName=DOCTOR,
        PresentationCreationDate=DAY,
        GraphicAnnotationSequence=[annotation],
        GraphicLayerSequence=[item(GraphicLayer="LAYER1", GraphicLayerOrder=1, GraphicLayerDescription=NAME)],
    )
    result = clean(dataset, preset)
    assert result.holds(*SECRETS, DAY) == []
    points = "GraphicAnnotationSequence[0]/GraphicObjectSequence[0]/GraphicData"
    if "GraphicAnnotationSequence" in result.dataset:
        assert list(result.get(points)) == [5.0, 6.0]  # type: ignore[call-overload]
    assert result.get("PresentationCreationDate") == NEW_DAY


@presets
def test_waveform_annotations_and_acquisition_text_go(preset: str) -> None:
    annotation = item(
        UnformattedTextValue=f"ECG of {NAME}",
        AnnotationGroupNumber=1,
        ReferencedWaveformChannels=[1, 1],
        ReferencedDateTime="20240229101112",
        ConceptNameCodeSequence=[code("5.10.3-1", "PP Interval", "SCPECG")],
        NumericValue="600",
    )
    channel = item(ChannelLabel=NAME, ChannelSourceSequence=[code("2:1", "Lead I", "MDC")], WaveformBitsStored=16)
    group = item(MultiplexGroupLabel=f"RHYTHM {NAME}", NumberOfWaveformChannels=1, ChannelDefinitionSequence=[channel])
    result = clean(header(WaveformAnnotationSequence=[annotation], WaveformSequence=[group]), preset)
    assert result.holds(SURNAME, "adaeze", DAY) == []

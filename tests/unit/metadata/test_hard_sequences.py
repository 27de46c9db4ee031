"""Sequences that de-identification tools fail on: deep nesting, dates in frames, references, reports, annotations."""

from __future__ import annotations

from datetime import datetime

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
from hypothesis import given, settings
from hypothesis import strategies as st
from pydicom import Dataset
from pydicom.uid import (
    CTImageStorage,
    DigitalXRayImageStorageForPresentation,
    EnhancedCTImageStorage,
    ImplicitVRLittleEndian,
    PositronEmissionTomographyImageStorage,
)

presets = pytest.mark.parametrize("preset", PRESETS)
DOCTOR = "Mbekiwa^Thabo"
SECRETS = (SURNAME, "adaeze", IDENTITY, ACCESSION, "mbekiwa", *UIDS.values())
NESTING = (
    *("SourceImageSequence", "PurposeOfReferenceCodeSequence", "ReferencedImageSequence", "ReferencedSeriesSequence"),
    *("ContentSequence", "DerivationImageSequence", "SharedFunctionalGroupsSequence", "RequestAttributesSequence"),
    *(
        "RTReferencedStudySequence",
        "ReferencedFrameOfReferenceSequence",
        "AnatomicRegionSequence",
        "ProcedureCodeSequence",
    ),
)


def identifying() -> Dataset:
    """An item with values that identify, of every kind."""
    return item(
        **{"PatientName": NAME, "PatientID": IDENTITY, "OperatorsName": DOCTOR, "AccessionNumber": ACCESSION},
        **{"StudyInstanceUID": UIDS["study"], "ReferencedSOPInstanceUID": UIDS["instance"], "StudyDate": DAY},
        **{"PersonName": NAME, "ContentCreatorName": DOCTOR, "PatientComments": NAME, "AcquisitionDateTime": DAY},
        **{"PatientBirthDate": "19500228", "OtherPatientIDs": IDENTITY, "SeriesDescription": f"T2 {NAME}"},
    )


@settings(deadline=None, max_examples=80)
@given(
    path=st.lists(st.sampled_from(NESTING), min_size=3, max_size=9),
    preset=st.sampled_from(PRESETS),
    implicit=st.booleans(),
)
def test_no_depth_hides_anything(path: list[str], preset: str, implicit: bool) -> None:
    inner = identifying()
    for keyword in reversed(path):
        inner = item(**{keyword: [item(Rows=1), inner]})
    dataset = header(**({"syntax": ImplicitVRLittleEndian} if implicit else {}))
    dataset.update(inner)
    result = clean(dataset, preset)
    assert result.holds(*SECRETS, DAY, "19500228") == []


@presets
@pytest.mark.parametrize("frames", [1, 3])
def test_dates_in_functional_groups_move_with_the_study(preset: str, frames: int) -> None:
    groups = [
        item(
            FrameContentSequence=[
                item(
                    FrameAcquisitionDateTime=f"20240229101{n}12.5",
                    FrameReferenceDateTime=f"20240301101{n}12.25+0100",
                    FrameAcquisitionDuration=12.5,
                    FrameComments=f"frame {n} {NAME}",
                )
            ],
            DerivationImageSequence=[item(SourceImageSequence=[item(ReferencedSOPInstanceUID=UIDS["instance"])])],
        )
        for n in range(frames)
    ]
    shared = [item(IrradiationEventIdentificationSequence=[item(IrradiationEventUID=UIDS["study"] + ".9")])]
    dataset = header(
        SOPClassUID=EnhancedCTImageStorage,
        PerFrameFunctionalGroupsSequence=groups,
        SharedFunctionalGroupsSequence=shared,
    )
    result = clean(dataset, preset)
    assert result.holds(*SECRETS) == []
    for n in range(frames):
        content = f"PerFrameFunctionalGroupsSequence[{n}]/FrameContentSequence[0]"
        assert result.get(f"{content}/FrameAcquisitionDateTime") == f"{NEW_DAY}101{n}12.5"
        assert result.get(f"{content}/FrameReferenceDateTime") == f"20231122101{n}12.25+0100"
        assert result.get(f"{content}/FrameAcquisitionDuration") == 12.5
        source = f"PerFrameFunctionalGroupsSequence[{n}]/DerivationImageSequence[0]/SourceImageSequence[0]"
        assert result.get(f"{source}/ReferencedSOPInstanceUID") == KEY.uid(UIDS["instance"])
    event = "SharedFunctionalGroupsSequence[0]/IrradiationEventIdentificationSequence[0]/IrradiationEventUID"
    assert result.get(event) == KEY.uid(UIDS["study"] + ".9")


@presets
@pytest.mark.parametrize("start", ["20240229093000", "20240228233000.5", "20240229093000+0100"])
def test_a_tracers_start_keeps_its_distance_to_the_series(preset: str, start: str) -> None:
    tracer = item(
        RadiopharmaceuticalStartDateTime=start,
        RadiopharmaceuticalStartTime=start[8:14],
        RadiopharmaceuticalStopTime="093100",
        RadionuclideTotalDose="370000000",
        RadionuclideHalfLife="6586.2",
        RadionuclideCodeSequence=[code("C-111A1", "^18^Fluorine", "SRT")],
    )
    result = clean(
        header(
            SOPClassUID=PositronEmissionTomographyImageStorage,
            SeriesDate=DAY,
            SeriesTime="101500",
            AcquisitionDate=DAY,
            AcquisitionTime="101500",
            DecayCorrection="START",
            RadiopharmaceuticalInformationSequence=[tracer],
        ),
        preset,
    )
    path = "RadiopharmaceuticalInformationSequence[0]"
    new = text(result.get(f"{path}/RadiopharmaceuticalStartDateTime"))
    series = datetime.strptime(f"{result.get('SeriesDate')}{result.get('SeriesTime')}", "%Y%m%d%H%M%S")
    before = datetime.strptime("20240229101500", "%Y%m%d%H%M%S") - datetime.strptime(start[:14], "%Y%m%d%H%M%S")
    assert series - datetime.strptime(new[:14], "%Y%m%d%H%M%S") == before
    assert new[14:] == start[14:]
    assert result.get(f"{path}/RadiopharmaceuticalStartTime") == start[8:14]
    assert result.get(f"{path}/RadionuclideTotalDose") == 370000000
    assert result.get(f"{path}/RadionuclideCodeSequence[0]/CodeMeaning") == "^18^Fluorine"


@presets
def test_nuclear_medicine_times_in_sequences_stay(preset: str) -> None:
    rotation = item(StartAngle="0", AngularStep="3", ActualFrameDuration="20000", ScanArc="360")
    phase = item(PhaseDelay="0", ActualFrameDuration="1000", PauseBetweenFrames="0", NumberOfFramesInPhase=5)
    tracer = item(RadiopharmaceuticalStartTime="081500", RadiopharmaceuticalStopTime="081600")
    result = clean(
        header(
            RotationInformationSequence=[rotation],
            PhaseInformationSequence=[phase],
            RadiopharmaceuticalInformationSequence=[tracer],
            SeriesDate=DAY,
            SeriesTime="101500",
        ),
        preset,
    )
    assert result.get("RotationInformationSequence[0]/ActualFrameDuration") == 20000
    assert result.get("PhaseInformationSequence[0]/NumberOfFramesInPhase") == 5
    assert result.get("RadiopharmaceuticalInformationSequence[0]/RadiopharmaceuticalStartTime") == "081500"
    assert result.get("SeriesTime") == "101500"


@presets
def test_references_between_instances_of_a_set_hold(preset: str) -> None:
    uids = [f"{UIDS['series']}.{n}" for n in range(4)]
    first = clean(header(SOPInstanceUID=uids[0]), preset).dataset
    second = clean(
        header(
            SOPInstanceUID=uids[1],
            SourceImageSequence=[item(ReferencedSOPClassUID=CTImageStorage, ReferencedSOPInstanceUID=uids[0])],
            ReferencedImageSequence=[
                item(ReferencedSOPClassUID=CTImageStorage, ReferencedSOPInstanceUID=uid) for uid in uids
            ],
            ReferencedSeriesSequence=[
                item(
                    SeriesInstanceUID=UIDS["series"],
                    ReferencedInstanceSequence=[
                        item(ReferencedSOPClassUID=CTImageStorage, ReferencedSOPInstanceUID=uids[0])
                    ],
                )
            ],
        ),
        preset,
    )
    assert second.get("SourceImageSequence[0]/ReferencedSOPInstanceUID") == first.SOPInstanceUID
    assert [i.ReferencedSOPInstanceUID for i in second.dataset.ReferencedImageSequence] == [KEY.uid(u) for u in uids]
    assert second.get("ReferencedSeriesSequence[0]/SeriesInstanceUID") == first.SeriesInstanceUID
    inner = "ReferencedSeriesSequence[0]/ReferencedInstanceSequence[0]"
    assert second.get(f"{inner}/ReferencedSOPInstanceUID") == first.SOPInstanceUID
    assert second.get(f"{inner}/ReferencedSOPClassUID") == CTImageStorage


@presets
def test_related_series_are_replaced(preset: str) -> None:
    related = item(StudyInstanceUID=UIDS["study"], SeriesInstanceUID=UIDS["series"] + ".77")
    related.PurposeOfReferenceCodeSequence = [code("122401", "Same Anatomy")]
    result = clean(header(RelatedSeriesSequence=[related]), preset)
    assert result.holds(*UIDS.values()) == []
    assert result.get("RelatedSeriesSequence[0]/StudyInstanceUID") == KEY.uid(UIDS["study"])
    assert result.get("RelatedSeriesSequence[0]/SeriesInstanceUID") == KEY.uid(UIDS["series"] + ".77")
    meaning = "RelatedSeriesSequence[0]/PurposeOfReferenceCodeSequence[0]/CodeMeaning"
    assert result.get(meaning) == "Same Anatomy"


@presets
def test_what_others_modified_goes(preset: str) -> None:
    original = item(
        SourceOfPreviousValues=DOCTOR,
        AttributeModificationDateTime="20240229101112",
        ModifyingSystem="OKONKWO PACS",
        ReasonForTheAttributeModification="CORRECT",
        ModifiedAttributesSequence=[identifying()],
    )
    contributing = item(InstitutionName="Okonkwo Clinic", OperatorsName=DOCTOR, ContributionDateTime="20240229101112")
    result = clean(header(OriginalAttributesSequence=[original], ContributingEquipmentSequence=[contributing]), preset)
    assert result.holds(*SECRETS, DAY) == []


@presets
def test_digital_signatures_go_at_every_depth(preset: str) -> None:
    signature = item(
        MACIDNumber=1,
        DigitalSignatureUID=UIDS["study"] + ".6",
        DigitalSignatureDateTime="20240229101112",
        CertificateType="X509_1993_SIG",
        CertificateOfSigner=b"CN=Okonkwo",
        Signature=b"OKONKWO ",
    )
    parameters = item(MACIDNumber=1, MACAlgorithm="SHA256", DataElementsSigned=[0x00100010])
    inner = item(DigitalSignaturesSequence=[signature], MACParametersSequence=[parameters])
    dataset = header(
        DigitalSignaturesSequence=[signature], MACParametersSequence=[parameters], SourceImageSequence=[inner]
    )
    result = clean(dataset, preset)
    assert result.holds(SURNAME, DAY) == []
    keywords = [element.keyword for element in result.dataset.iterall()]
    assert "DigitalSignaturesSequence" not in keywords


@presets
def test_icons_go(preset: str) -> None:
    icon = item(Rows=8, Columns=8, PhotometricInterpretation="MONOCHROME2", PixelData=b"OKONKWO " * 8)
    icon["PixelData"].VR = "OB"
    inner = item(IconImageSequence=[icon], ReferencedSOPInstanceUID=UIDS["instance"])
    result = clean(header(IconImageSequence=[icon], ReferencedImageSequence=[inner]), preset)
    assert result.holds(SURNAME) == []
    assert "IconImageSequence" not in result.dataset


@presets
def test_request_and_protocol_sequences_lose_their_order_numbers(preset: str) -> None:
    request = item(
        RequestedProcedureID=IDENTITY,
        ScheduledProcedureStepID=f"SPS {ACCESSION}",
        RequestedProcedureDescription=f"CT {NAME}",
        ReferencedStudySequence=[item(ReferencedSOPInstanceUID=UIDS["study"])],
        ScheduledProtocolCodeSequence=[
            item(
                **{"CodeValue": "1", "CodingSchemeDesignator": "L", "CodeMeaning": f"Protocol {NAME}"},
                ProtocolContextSequence=[item(PersonName=NAME, ValueType="PNAME", TextValue=IDENTITY)],
            )
        ],
        RequestingPhysician=DOCTOR,
        AccessionNumber=ACCESSION,
    )
    dataset = header(
        SOPClassUID=DigitalXRayImageStorageForPresentation,
        RequestAttributesSequence=[request],
        ReferencedRequestSequence=[request],
        ReferencedPatientPhotoSequence=[item(ReferencedSOPInstanceUID=UIDS["instance"])],
    )
    assert clean(dataset, preset).holds(*SECRETS) == []


@presets
def test_empty_sequences_and_items_stay_valid(preset: str) -> None:
    dataset = header(
        SourceImageSequence=[],
        ReferencedImageSequence=[item()],
        DerivationImageSequence=[item(SourceImageSequence=[], DerivationCodeSequence=[item()])],
    )
    new = clean(dataset, preset).dataset
    assert len(new.DerivationImageSequence) == 1
    assert len(new.DerivationImageSequence[0].SourceImageSequence) == 0
    assert len(new.get("ReferencedImageSequence", [0])) == 1


@presets
def test_original_reasons_and_coded_text_of_people_go(preset: str) -> None:
    person = item(
        PersonIdentificationCodeSequence=[code(IDENTITY, NAME, "99LOCAL")],
        InstitutionName="Okonkwo Clinic",
        PersonAddress="1 Okonkwo Street",
        PersonTelephoneNumbers="+1 555 0100",
    )
    dataset = header(
        **{"OperatorIdentificationSequence": [person], "ReferringPhysicianIdentificationSequence": [person]},
        **{"PhysiciansOfRecordIdentificationSequence": [person], "PerformingPhysicianIdentificationSequence": [person]},
        OtherPatientIDsSequence=[item(PatientID=IDENTITY, TypeOfPatientID="TEXT", IssuerOfPatientID="Okonkwo")],
        IssuerOfPatientIDQualifiersSequence=[item(UniversalEntityID="OKONKWO")],
    )
    assert clean(dataset, preset).holds(*SECRETS, "555 0100") == []

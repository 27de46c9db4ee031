"""Which elements an information object needs: Type 1 with a value, Type 2 at least present (PS3.3).

A plain keyword counts wherever it stands, ``CT:KVP`` in a data set of that modality only and not
in its sequences. Elements that the de-identification profile may remove are not listed.
"""

from __future__ import annotations

_PIXEL_MODULE = (
    "SamplesPerPixel PhotometricInterpretation Rows Columns BitsAllocated BitsStored HighBit PixelRepresentation "
    "PixelData"
)
_REFERENCES = "ReferencedSOPClassUID ReferencedSOPInstanceUID"
_CODES = "CodeValue CodingSchemeDesignator CodeMeaning"

_ANYWHERE = (
    f"MediaStorageSOPClassUID MediaStorageSOPInstanceUID TransferSyntaxUID {_PIXEL_MODULE} {_REFERENCES} {_CODES} "
    "SOPClassUID SOPInstanceUID StudyInstanceUID SeriesInstanceUID Modality FrameOfReferenceUID ReferencedSOPSequence "
    "ReferencedSeriesSequence ConceptNameCodeSequence ConceptCodeSequence ValueType RelationshipType TextValue "
    "MeasurementUnitsCodeSequence NumericValue ContinuityOfContent RadionuclideCodeSequence RegionSpatialFormat "
    "RegionDataType RegionFlags RegionLocationMinX0 RegionLocationMinY0 RegionLocationMaxX1 RegionLocationMaxY1 "
    "PhysicalUnitsXDirection PhysicalUnitsYDirection PhysicalDeltaX PhysicalDeltaY DimensionIndexPointer "
    "DimensionIndexValues StackID InStackPositionNumber TemporalPositionIndex FrameType PixelPresentation "
    "VolumetricProperties VolumeBasedCalculationTechnique ComplexImageComponent AcquisitionContrast "
    "PixelMeasuresSequence PlaneOrientationSequence PlanePositionSequence FrameAnatomySequence FrameLaterality "
    "FrameContentSequence FrameAcquisitionNumber SharedFunctionalGroupsSequence PerFrameFunctionalGroupsSequence "
    "DimensionIndexSequence DimensionOrganizationSequence MRImageFrameTypeSequence FrameAcquisitionDuration "
    "RescaleIntercept RescaleSlope EffectiveEchoTime"
)

_BY_MODALITY = {
    "CT": "ImageType ImagePositionPatient ImageOrientationPatient PixelSpacing PatientPosition RescaleType "
    "WindowCenter WindowWidth",
    "PT": "ImageType ImagePositionPatient ImageOrientationPatient PixelSpacing Units CountsSource SeriesType "
    "DecayCorrection NumberOfSlices FrameReferenceTime ImageIndex DecayFactor AttenuationCorrectionMethod SeriesTime "
    "ScatterCorrectionMethod RandomsCorrectionMethod",
    "MR": "ImageType ScanningSequence SequenceVariant MRAcquisitionType ImagePositionPatient ImageOrientationPatient "
    "PixelSpacing InstanceNumber AcquisitionDuration PulseSequenceName MagneticFieldStrength ResonantNucleus "
    "KSpaceFiltering NumberOfFrames ContentQualification ApplicableSafetyStandardAgency",
    "CR": "ImageType",
    "DX": "ImageType PresentationIntentType PixelIntensityRelationship PixelIntensityRelationshipSign RescaleType "
    "PresentationLUTShape LossyImageCompression BurnedInAnnotation DetectorType ImagerPixelSpacing ImageLaterality "
    "AnatomicRegionSequence WindowCenter WindowWidth PatientOrientation InstanceNumber",
    "MG": "ImageType PresentationIntentType PixelIntensityRelationship PixelIntensityRelationshipSign RescaleType "
    "PresentationLUTShape LossyImageCompression BurnedInAnnotation DetectorType ImagerPixelSpacing ImageLaterality "
    "AnatomicRegionSequence WindowCenter WindowWidth ViewCodeSequence OrganExposed PositionerType PatientOrientation "
    "InstanceNumber",
    "US": "ImageType SequenceOfUltrasoundRegions NumberOfFrames FrameTime FrameIncrementPointer",
    "SR": "InstanceNumber SeriesNumber CompletionFlag VerificationFlag ContentTime ContentSequence "
    "CurrentRequestedProcedureEvidenceSequence",
}

_PRESENT_ANYWHERE = (
    "PatientName PatientID PatientBirthDate PatientSex StudyDate StudyTime ReferringPhysicianName StudyID "
    "AccessionNumber"
)

_PRESENT = {
    "CT": "Manufacturer SeriesNumber InstanceNumber KVP AcquisitionNumber PositionReferenceIndicator SliceThickness",
    "PT": "Manufacturer SeriesNumber InstanceNumber CorrectedImage CollimatorType PositionReferenceIndicator "
    "SliceThickness RadiopharmaceuticalInformationSequence PatientOrientationCodeSequence",
    "MR": "Manufacturer SeriesNumber ScanOptions RepetitionTime EchoTime EchoTrainLength PositionReferenceIndicator "
    "SliceThickness",
    "CR": "Manufacturer SeriesNumber InstanceNumber BodyPartExamined ViewPosition PatientOrientation Laterality",
    "DX": "Manufacturer SeriesNumber PositionerType",
    "MG": "Manufacturer SeriesNumber",
    "US": "Manufacturer SeriesNumber InstanceNumber PatientOrientation",
    "SR": "Manufacturer ReferencedPerformedProcedureStepSequence PerformedProcedureCodeSequence",
}


def _all(anywhere: str, by_modality: dict[str, str]) -> frozenset[str]:
    named = (f"{modality}:{word}" for modality, words in by_modality.items() for word in words.split())
    return frozenset([*anywhere.split(), *named])


TYPE_1 = _all(_ANYWHERE, _BY_MODALITY)
TYPE_2 = _all(_PRESENT_ANYWHERE, _PRESENT)

KEPT_SEQUENCES = frozenset(
    [
        "AnatomicRegionSequence",
        "ViewCodeSequence",
        "ViewModifierCodeSequence",
        "RadiopharmaceuticalInformationSequence",
        "RadionuclideCodeSequence",
        "PatientOrientationCodeSequence",
        "PatientGantryRelationshipCodeSequence",
        "SharedFunctionalGroupsSequence",
        "PerFrameFunctionalGroupsSequence",
        "PixelMeasuresSequence",
        "PlaneOrientationSequence",
        "PlanePositionSequence",
        "FrameAnatomySequence",
        "FrameContentSequence",
        "MRImageFrameTypeSequence",
        "MREchoSequence",
        "MRTimingAndRelatedParametersSequence",
        "MRAveragesSequence",
        "MRModifierSequence",
        "MRImagingModifierSequence",
        "MRReceiveCoilSequence",
        "MRTransmitCoilSequence",
        "MRFOVGeometrySequence",
        "PixelValueTransformationSequence",
        "FrameVOILUTSequence",
        "DimensionIndexSequence",
        "DimensionOrganizationSequence",
        "SequenceOfUltrasoundRegions",
        "ContentSequence",
        "ConceptNameCodeSequence",
        "ConceptCodeSequence",
        "MeasuredValueSequence",
        "MeasurementUnitsCodeSequence",
        "CurrentRequestedProcedureEvidenceSequence",
        "ReferencedSeriesSequence",
        "ReferencedSOPSequence",
        "ProcedureCodeSequence",
        "PerformedProcedureCodeSequence",
    ]
)
"""Sequences that stay, so that what they need can be asked for."""

"""Enhanced MR: one instance of many frames whose attributes stand in functional groups."""

from __future__ import annotations

from typing import Any

from pydicom import uid as uids
from pydicom.dataset import Dataset
from pydicom.sequence import Sequence as Items

from deidra.app.synth import images
from deidra.app.synth.midi.common import add_acquisition, code, start
from deidra.app.synth.midi.draft import Draft, Gap
from deidra.app.synth.midi.exam import Series, make_uid
from deidra.app.synth.midi.pictures import add_images, painter

_FRAMES = 6


def make_enhanced_mr(series: Series, number: int) -> Draft:
    """Enhanced MR Image Storage."""
    rng = series.choices(number)
    draft = start(series, number, uids.EnhancedMRImageStorage)
    data, exam = draft.dataset, series.exam
    add_acquisition(draft, series, number, rng)
    if "AcquisitionDateTime" not in data:
        draft.date(data, AcquisitionDateTime=f"{exam.date}{series.time}")
    draft.uid(data, known=False, FrameOfReferenceUID=make_uid(exam.uid, "frame of reference"))
    data.PositionReferenceIndicator = ""
    draft.keep(
        data,
        ImageType=["ORIGINAL", "PRIMARY", "VOLUME", "NONE"],
        AcquisitionNumber="1",
        AcquisitionDuration=180.5,
        PulseSequenceName="tfl3d1",
        MRAcquisitionType="3D",
        EchoPulseSequence="GRADIENT",
        MultiPlanarExcitation="NO",
        PhaseContrast="NO",
        TimeOfFlightContrast="NO",
        SteadyStatePulseSequence="NONE",
        EchoPlanarPulseSequence="NO",
        SaturationRecovery="NO",
        SpectrallySelectedSuppression="NONE",
        OversamplingPhase="2D",
        GeometryOfKSpaceTraversal="RECTILINEAR",
        SegmentedKSpaceTraversal="PARTIAL",
        RectilinearPhaseEncodeReordering="LINEAR",
        CoverageOfKSpace="FULL",
        NumberOfKSpaceTrajectories=1,
        KSpaceFiltering="NONE",
        MagneticFieldStrength="3",
        ResonantNucleus="1H",
        ApplicableSafetyStandardAgency="IEC",
        ContentQualification="PRODUCT",
        PixelPresentation="MONOCHROME",
        VolumetricProperties="VOLUME",
        VolumeBasedCalculationTechnique="NONE",
        ComplexImageComponent="MAGNITUDE",
        AcquisitionContrast="T1",
        LossyImageCompression="00",
        PresentationLUTShape="IDENTITY",
        NumberOfFrames=str(_FRAMES),
        PatientPosition="HFS",
    )
    data.BurnedInAnnotation = "NO"
    data.AcquisitionContextSequence = Items([])
    _dimensions(draft, series)
    draft.items(data, "SharedFunctionalGroupsSequence", _shared(draft))
    draft.items(data, "PerFrameFunctionalGroupsSequence", *(_frame(draft, series, index) for index in range(_FRAMES)))
    generator = painter(series, number)
    planes = [images.mr_head(generator, (192, 192)) * 0.85 for _ in range(_FRAMES)]
    add_images(draft, series, planes, 12, rng, chance=0.1)
    return draft


def _dimensions(draft: Draft, series: Series) -> None:
    organization, uid = Dataset(), make_uid(series.uid, "dimensions")
    draft.uid(organization, known=False, DimensionOrganizationUID=uid)
    draft.items(draft.dataset, "DimensionOrganizationSequence", organization)
    children = []
    for pointer in (0x00209056, 0x00209057):
        item = Dataset()
        draft.uid(item, known=False, DimensionOrganizationUID=uid)
        draft.plain(item, DimensionIndexPointer=pointer, FunctionalGroupPointer=0x00209111)
        children.append(item)
    draft.items(draft.dataset, "DimensionIndexSequence", *children)


def _group(draft: Draft, parent: Dataset, keyword: str, **values: Any) -> Dataset:
    item = Dataset()
    draft.keep(item, **values)
    draft.items(parent, keyword, item)
    return item


def _shared(draft: Draft) -> Dataset:
    shared = Dataset()
    _group(
        draft,
        shared,
        "PixelMeasuresSequence",
        PixelSpacing=["0.9375", "0.9375"],
        SliceThickness="1",
        SpacingBetweenSlices="1",
    )
    _group(draft, shared, "PlaneOrientationSequence", ImageOrientationPatient=["1", "0", "0", "0", "1", "0"])
    anatomy = _group(draft, shared, "FrameAnatomySequence", FrameLaterality="U")
    draft.items(anatomy, "AnatomicRegionSequence", code("12738006", "SCT", "Brain"))
    timing = _group(
        draft,
        shared,
        "MRTimingAndRelatedParametersSequence",
        RepetitionTime="2300",
        FlipAngle="9",
        EchoTrainLength="1",
        RFEchoTrainLength=0,
        GradientEchoTrainLength=1,
    )
    absorbed, mode = Dataset(), Dataset()
    draft.keep(absorbed, SpecificAbsorptionRateDefinition="IEC_HEAD", SpecificAbsorptionRateValue=0.25)
    draft.items(timing, "SpecificAbsorptionRateSequence", absorbed)
    draft.keep(mode, OperatingModeType="STATIC FIELD", OperatingMode="IEC_NORMAL")
    draft.items(timing, "OperatingModeSequence", mode)
    _group(
        draft,
        shared,
        "MRFOVGeometrySequence",
        InPlanePhaseEncodingDirection="ROW",
        MRAcquisitionFrequencyEncodingSteps=192,
        MRAcquisitionPhaseEncodingStepsInPlane=192,
        MRAcquisitionPhaseEncodingStepsOutOfPlane=64,
        PercentSampling="100",
        PercentPhaseFieldOfView="100",
    )
    _group(draft, shared, "MREchoSequence", EffectiveEchoTime=2.5)
    _group(
        draft,
        shared,
        "MRModifierSequence",
        InversionRecovery="NO",
        FlowCompensation="NONE",
        Spoiling="NONE",
        T2Preparation="NO",
        SpectrallySelectedExcitation="NONE",
        SpatialPresaturation="NONE",
        PartialFourier="NO",
        ParallelAcquisition="NO",
    )
    _group(
        draft,
        shared,
        "MRImagingModifierSequence",
        MagnetizationTransfer="NONE",
        BloodSignalNulling="NO",
        Tagging="NONE",
        TransmitterFrequency=123.25,
        PixelBandwidth="200",
    )
    received = _group(
        draft,
        shared,
        "MRReceiveCoilSequence",
        ReceiveCoilName="HeadNeck_64",
        ReceiveCoilType="HEAD",
        QuadratureReceiveCoil="NO",
    )
    received.ReceiveCoilManufacturerName = ""
    sent = _group(draft, shared, "MRTransmitCoilSequence", TransmitCoilName="Body", TransmitCoilType="BODY")
    sent.TransmitCoilManufacturerName = ""
    _group(draft, shared, "MRAveragesSequence", NumberOfAverages="1")
    _group(draft, shared, "PixelValueTransformationSequence", RescaleIntercept="0", RescaleSlope="1", RescaleType="US")
    _group(draft, shared, "FrameVOILUTSequence", WindowCenter="600", WindowWidth="1400")
    return shared


def _frame(draft: Draft, series: Series, index: int) -> Dataset:
    frame, exam = Dataset(), series.exam
    _group(
        draft,
        frame,
        "MRImageFrameTypeSequence",
        FrameType=["ORIGINAL", "PRIMARY", "VOLUME", "NONE"],
        PixelPresentation="MONOCHROME",
        VolumetricProperties="VOLUME",
        VolumeBasedCalculationTechnique="NONE",
        ComplexImageComponent="MAGNITUDE",
        AcquisitionContrast="T1",
    )
    content = _group(
        draft,
        frame,
        "FrameContentSequence",
        FrameAcquisitionNumber=1,
        StackID="1",
        InStackPositionNumber=index + 1,
        DimensionIndexValues=[1, index + 1],
        FrameAcquisitionDuration=180500.0,
        TemporalPositionIndex=1,
    )
    moment = f"{exam.date}{series.time}.{index:02d}"
    draft.date(content, FrameAcquisitionDateTime=moment, FrameReferenceDateTime=moment)
    if index == 2:
        draft.text(content, "FrameComments", ["Respiratory motion", Gap(" "), exam.patient.caret])
    _group(draft, frame, "PlanePositionSequence", ImagePositionPatient=["-90.5", "-88.25", f"{index}.0"])
    return frame

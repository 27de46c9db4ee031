"""Axial slices of CT, PET and MR."""

from __future__ import annotations

from pydicom import uid as uids
from pydicom.dataset import Dataset

from deidra.app.synth import images
from deidra.app.synth.midi.common import add_acquisition, add_plane, code, start
from deidra.app.synth.midi.draft import Draft, Gap
from deidra.app.synth.midi.exam import Series
from deidra.app.synth.midi.pictures import add_images, painter


def make_ct(series: Series, number: int) -> Draft:
    """CT Image Storage."""
    rng = series.choices(number)
    draft = start(series, number, uids.CTImageStorage)
    data, exam = draft.dataset, series.exam
    add_acquisition(draft, series, number, rng)
    add_plane(draft, series, number, 0.78125)
    draft.keep(
        data,
        ImageType=["ORIGINAL", "PRIMARY", "AXIAL"],
        KVP="120",
        AcquisitionNumber="1",
        PatientPosition="HFS",
        RescaleIntercept="-1024",
        RescaleSlope="1",
        RescaleType="HU",
        WindowCenter="40",
        WindowWidth="400",
        ScanOptions="HELICAL MODE",
        DataCollectionDiameter="500",
        ReconstructionDiameter="400",
        DistanceSourceToDetector="1040",
        DistanceSourceToPatient="570",
        GantryDetectorTilt="0",
        TableHeight=f"{rng.randint(120, 180)}",
        RotationDirection="CW",
        ExposureTime="500",
        XRayTubeCurrent=f"{rng.randint(120, 420)}",
        Exposure=f"{rng.randint(60, 210)}",
        FilterType="BODY FILTER",
        GeneratorPower="41",
        FocalSpots="1.2",
        ConvolutionKernel=rng.choice(("B30f", "STANDARD", "FC18")),
        SingleCollimationWidth=0.625,
        TotalCollimationWidth=40.0,
        TableSpeed=55.0,
        TableFeedPerRotation=39.375,
        SpiralPitchFactor=0.984375,
        ExposureModulationType="XYZ_EC",
        CTDIvol=12.25,
        ContrastBolusRoute="IV",
        ContrastBolusVolume="80",
    )
    draft.text(data, "ContrastBolusAgent", ["Iohexol 350"])
    draft.uid(data, known=False, IrradiationEventUID=f"{series.uid}.77")
    if rng.random() < 0.4:
        draft.text(data, "CommentsOnRadiationDose", ["DLP 512 mGycm", Gap(" for "), exam.patient.full])
    add_images(draft, series, [images.ct_slice(painter(series, number), (256, 256))], 12, rng, chance=0.08)
    return draft


def make_pt(series: Series, number: int) -> Draft:
    """Positron Emission Tomography Image Storage."""
    rng = series.choices(number)
    draft = start(series, number, uids.PositronEmissionTomographyImageStorage)
    data = draft.dataset
    add_acquisition(draft, series, number, rng)
    add_plane(draft, series, number, 4.0625)
    draft.keep(
        data,
        ImageType=["ORIGINAL", "PRIMARY"],
        Units="BQML",
        CountsSource="EMISSION",
        SeriesType=["WHOLE BODY", "IMAGE"],
        NumberOfSlices=5,
        DecayCorrection="START",
        CorrectedImage=["DECY", "ATTN", "SCAT", "DTIM", "RAN", "NORM"],
        CollimatorType="NONE",
        RandomsCorrectionMethod="DLYD",
        AttenuationCorrectionMethod="CT-derived mu map",
        ScatterCorrectionMethod="Model-based",
        ReconstructionMethod="OSEM3D 2i21s",
        ConvolutionKernel="XYZ Gauss 5.00",
        ImageIndex=number,
        FrameReferenceTime=f"{number * 1000}",
        ActualFrameDuration="120000",
        DecayFactor="1.0244",
        DoseCalibrationFactor="1",
        SliceSensitivityFactor="1",
        DeadTimeFactor="1.0125",
        PrimaryPromptsCountsAccumulated=f"{rng.randrange(10**6, 10**7)}",
        RescaleIntercept="0",
        RescaleSlope="1.625",
        AcquisitionStartCondition="MANU",
        AxialAcceptance="38",
    )
    _radiopharmaceutical(draft, series)
    draft.items(data, "PatientOrientationCodeSequence", code("F-10450", "SRT", "recumbent"))
    draft.items(data, "PatientGantryRelationshipCodeSequence", code("F-10470", "SRT", "headfirst"))
    add_images(draft, series, [images.pet_slice(painter(series, number), (128, 128)) * 0.6], 16, rng)
    return draft


def _radiopharmaceutical(draft: Draft, series: Series) -> None:
    item, exam = Dataset(), series.exam
    draft.keep(
        item,
        Radiopharmaceutical="Fluorodeoxyglucose",
        RadionuclideTotalDose="370500000",
        RadionuclideHalfLife="6586.2",
        RadionuclidePositronFraction="0.9673",
        RadiopharmaceuticalRoute="IV",
    )
    draft.date(item, RadiopharmaceuticalStartDateTime=f"{exam.date}{exam.time}.00")
    draft.plain(item, RadiopharmaceuticalStartTime=f"{exam.time}.00")
    draft.items(item, "RadionuclideCodeSequence", code("C-111A1", "SRT", "^18^Fluorine"))
    draft.items(draft.dataset, "RadiopharmaceuticalInformationSequence", item)


def make_mr(series: Series, number: int) -> Draft:
    """MR Image Storage."""
    rng = series.choices(number)
    draft = start(series, number, uids.MRImageStorage)
    data = draft.dataset
    add_acquisition(draft, series, number, rng)
    add_plane(draft, series, number, 0.9375)
    draft.keep(
        data,
        ImageType=["ORIGINAL", "PRIMARY", "M", "ND"],
        ScanningSequence="SE",
        SequenceVariant=["SK", "SP"],
        ScanOptions="PFP",
        MRAcquisitionType="2D",
        SequenceName="*tse2d1_9",
        AngioFlag="N",
        RepetitionTime=f"{rng.randint(400, 9000)}",
        EchoTime=f"{rng.randint(8, 120)}",
        EchoTrainLength="9",
        NumberOfAverages="1",
        ImagingFrequency="123.257",
        ImagedNucleus="1H",
        EchoNumbers="1",
        MagneticFieldStrength="3",
        SpacingBetweenSlices="5.5",
        NumberOfPhaseEncodingSteps="256",
        PercentSampling="100",
        PercentPhaseFieldOfView="81.25",
        PixelBandwidth="220",
        TransmitCoilName="Body",
        ReceiveCoilName="HE1-4",
        AcquisitionMatrix=[0, 256, 208, 0],
        InPlanePhaseEncodingDirection="ROW",
        FlipAngle="150",
        VariableFlipAngleFlag="N",
        SAR="0.2375",
        dBdt="0",
        PatientPosition="HFS",
        AcquisitionNumber="1",
        WindowCenter="600",
        WindowWidth="1400",
    )
    add_images(draft, series, [images.mr_head(painter(series, number), (256, 256)) * 0.85], 12, rng, chance=0.08)
    return draft

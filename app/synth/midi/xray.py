"""Radiographs and mammograms."""

from __future__ import annotations

from random import Random

from pydicom import uid as uids
from pydicom.sequence import Sequence as Items

from deidra.app.synth import images
from deidra.app.synth.midi.common import add_acquisition, code, start
from deidra.app.synth.midi.draft import Draft
from deidra.app.synth.midi.exam import Series
from deidra.app.synth.midi.key import Row
from deidra.app.synth.midi.pictures import add_images, painter

_VIEWS = ("PA", "LL", "AP", "LLO")


def make_cr(series: Series, number: int) -> Draft:
    """Computed Radiography Image Storage."""
    rng = series.choices(number)
    draft = start(series, number, uids.ComputedRadiographyImageStorage)
    data = draft.dataset
    add_acquisition(draft, series, number, rng)
    draft.keep(
        data,
        ImageType=["ORIGINAL", "PRIMARY"],
        ViewPosition=_VIEWS[number % 4],
        PatientOrientation=["L", "F"],
        KVP="102",
        DistanceSourceToDetector="1800",
        ExposureTime="11",
        XRayTubeCurrent="320",
        Exposure="4",
        ImagerPixelSpacing=["0.2", "0.2"],
        Grid="FOCUSED",
        FocalSpots="1.2",
        PlateType="IP code 3",
        PhosphorType="ST-VI",
        Sensitivity=f"{rng.randint(90, 420)}",
        CassetteOrientation="PORTRAIT",
        CassetteSize="35CMX43CM",
        WindowCenter="512",
        WindowWidth="1024",
        PixelIntensityRelationship="LOG",
        RelativeXRayExposure=f"{rng.randint(200, 900)}",
    )
    draft.text(data, "AcquisitionDeviceProcessingDescription", ["MUSICA 2.1, edge enhanced"])
    draft.keep(data, Row.DEVICE_KEEP, PlateID=f"{rng.randrange(10**5, 10**6)}", CassetteID=f"C{rng.randrange(10**4)}")
    plane = images.chest(painter(series, number), (320, 288))
    add_images(draft, series, [plane], 10, rng, chance=0.18, marker=rng.choice(("", "L", "R", "AP")))
    return draft


def make_dx(series: Series, number: int) -> Draft:
    """Digital X-Ray Image Storage - For Presentation."""
    rng = series.choices(number)
    draft = start(series, number, uids.DigitalXRayImageStorageForPresentation)
    data = draft.dataset
    add_acquisition(draft, series, number, rng)
    inverse = rng.random() < 0.5
    draft.keep(
        data,
        ImageType=["ORIGINAL", "PRIMARY", ""],
        ViewPosition=_VIEWS[number % 4],
        ImageLaterality="U",
        PresentationLUTShape="INVERSE" if inverse else "IDENTITY",
    )
    _detector(draft, rng, 14, "0.2")
    draft.items(data, "AnatomicRegionSequence", code("51185008", "SCT", "Chest"))
    draft.items(data, "ViewCodeSequence", code("399348003", "SCT", "antero-posterior"))
    data.PositionerType = ""
    plane = images.chest(painter(series, number), (352, 320))
    photometric = "MONOCHROME1" if inverse else "MONOCHROME2"
    add_images(draft, series, [plane], 14, rng, photometric, 0.18, rng.choice(("", "L", "R")))
    return draft


def make_mg(series: Series, number: int) -> Draft:
    """Digital Mammography X-Ray Image Storage - For Presentation; images 1 to 4 are the four views."""
    rng = series.choices(number)
    draft = start(series, number, uids.DigitalMammographyXRayImageStorageForPresentation)
    data = draft.dataset
    add_acquisition(draft, series, number, rng)
    side, view = "LR"[number % 2], ("CC", "MLO")[number % 4 > 1]
    draft.keep(
        data,
        ImageType=["ORIGINAL", "PRIMARY", ""],
        ViewPosition=view,
        ImageLaterality=side,
        PresentationLUTShape="IDENTITY",
        OrganExposed="BREAST",
        PositionerType="MAMMOGRAPHIC",
        BreastImplantPresent="NO",
        PartialView="NO",
        CompressionForce="98",
        BodyPartThickness="54",
        AnodeTargetMaterial="TUNGSTEN",
        FilterMaterial="RHODIUM",
        OrganDose="0.0125",
        EntranceDoseInmGy="5.5",
        HalfValueLayer="0.525",
        EstimatedRadiographicMagnificationFactor="1",
    )
    data.PatientOrientation = ["P" if side == "L" else "A", "F"]
    _detector(draft, rng, 12, "0.1")
    draft.items(data, "AnatomicRegionSequence", code("76752008", "SCT", "Breast"))
    views = {"CC": code("399162004", "SCT", "cranio-caudal"), "MLO": code("399368009", "SCT", "medio-lateral oblique")}
    views[view].ViewModifierCodeSequence = Items([])
    draft.items(data, "ViewCodeSequence", views[view])
    plane = images.mammogram(painter(series, number), (384, 288))
    plane = plane if side == "L" else plane[:, ::-1]
    add_images(draft, series, [plane], 12, rng, chance=0.15, marker=f"{side} {view}" if rng.random() < 0.4 else "")
    return draft


def _detector(draft: Draft, rng: Random, bits: int, spacing_mm: str) -> None:
    """What a digital detector's image for presentation needs (PS3.3 C.8.11)."""
    data = draft.dataset
    draft.keep(
        data,
        PresentationIntentType="FOR PRESENTATION",
        PixelIntensityRelationship="LOG",
        PixelIntensityRelationshipSign=1,
        RescaleIntercept="0",
        RescaleSlope="1",
        RescaleType="US",
        WindowCenter=str(2 ** (bits - 1)),
        WindowWidth=str(2**bits),
        LossyImageCompression="00",
        DetectorType="DIRECT",
        DetectorConfiguration="AREA",
        ImagerPixelSpacing=[spacing_mm, spacing_mm],
        KVP="70",
        ExposureTime="12",
        XRayTubeCurrent=f"{rng.randint(100, 400)}",
        Exposure="5",
        DistanceSourceToDetector="1100",
        Grid=["MOVING", "FOCUSED"],
        ExposureControlMode="AUTOMATIC",
        DetectorTemperature="24.5",
        DetectorActiveShape="RECTANGLE",
        FieldOfViewShape="RECTANGLE",
        FieldOfViewOrigin=["0", "0"],
        FieldOfViewRotation="0",
        FieldOfViewHorizontalFlip="NO",
    )
    if "PatientOrientation" not in data:
        draft.keep(data, PatientOrientation=["L", "F"])
    draft.keep(
        data, Row.DEVICE_KEEP, DetectorID=f"DR{rng.randrange(10**5, 10**6)}", GantryID=f"G{rng.randrange(10**4)}"
    )
    draft.date(data, DateOfLastDetectorCalibration=f"{data.StudyDate[:6]}01")
    data.AcquisitionContextSequence = Items([])
    data.BurnedInAnnotation = rng.choice(("YES", "NO"))

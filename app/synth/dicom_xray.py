"""Projection images: radiographs, a mammogram and an angiogram."""

from __future__ import annotations

import numpy as np
from pydicom import uid as uids
from pydicom.dataset import Dataset
from pydicom.sequence import Sequence as Items

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth import headers, images
from deidra.app.synth.answers import Planted
from deidra.app.synth.encode import add_pixels, encode, to_levels
from deidra.app.synth.exams import Exams, MadeFile, finish, identity, visit
from deidra.app.synth.headers import Series
from deidra.app.synth.images import Line, burn, corner, draw_lines
from deidra.app.synth.people import Phi, us_date


def make_dx(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """MONOCHROME1, 14 bits, with a faint second label that is hard to read."""
    study, shape = exams.xray, (1100, 960)
    series = Series(study, 1, "DX", "CHEST PA", "CHEST", ("Roentgen Co", "Flat 43"))
    person = study.person
    lines = corner(shape, "tl", [Phi(person.comma, EntityType.PATIENT), *identity(study)[1:]], 26)
    lines += [*corner(shape, "br", ["ERECT PA"], 26), Line(("L",), 890, 90, 56, "bold")]
    faint = Phi(f"{person.family.upper()} {us_date(study.day)}", EntityType.PATIENT)
    lines += [Line((faint,), 60, 1030, 22, "italic", strength=0.35, blur=1.6)]
    ink, drawn = draw_lines(shape, lines)
    dataset = headers.base_dataset(series, 1, uids.DigitalXRayImageStorageForPresentation, "ISO_IR 192")
    dataset.ImageType = ["ORIGINAL", "PRIMARY", ""]
    dataset.PixelIntensityRelationship, dataset.PixelIntensityRelationshipSign = "LOG", 1
    dataset.PresentationIntentType, dataset.PresentationLUTShape = "FOR PRESENTATION", "INVERSE"
    dataset.ViewPosition, dataset.PatientOrientation, dataset.ImageLaterality = "PA", ["L", "F"], "U"
    dataset.ImagerPixelSpacing = [0.3, 0.3]
    _presentation(dataset, 14)
    dataset.AnatomicRegionSequence, dataset.PositionerType = headers.code("51185008", "SCT", "Chest"), ""
    pixels = to_levels(1 - burn(images.chest(rng, shape), ink), 14)
    add_pixels(dataset, pixels, "MONOCHROME1", 14)
    encode(dataset, pixels, uids.JPEG2000Lossless)
    made = finish("dicom/dx_jpeg_2000.dcm", dataset, study)
    made.answers.add_drawn(drawn, frame=0)
    return made


def _presentation(dataset: Dataset, bits: int) -> None:
    """Attributes that PS3.3 C.8.11.3 wants of an image for presentation."""
    dataset.RescaleIntercept, dataset.RescaleSlope, dataset.RescaleType = "0", "1", "US"
    dataset.WindowCenter, dataset.WindowWidth = str(2 ** (bits - 1)), str(2**bits)
    dataset.LossyImageCompression = "00"
    dataset.AcquisitionContextSequence = Items([])
    dataset.DetectorType, dataset.BurnedInAnnotation = "DIRECT", "YES"


def make_cr(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """No preamble and no file meta; only harmless text in the pixels. Named after the patient's number."""
    study, shape = exams.xray, (900, 760)
    series = Series(study, 2, "CR", "CHEST LAT", "CHEST", ("Roentgen Co", "Plate 35"))
    lines = [Line(("R",), 40, 60, 44, "bold"), *corner(shape, "br", ["SUPINE", "AP PORTABLE"], 22)]
    ink, drawn = draw_lines(shape, lines)
    dataset = headers.base_dataset(series, 1, uids.ComputedRadiographyImageStorage, "ISO_IR 192")
    dataset.ImageType = ["ORIGINAL", "PRIMARY"]
    dataset.ViewPosition, dataset.PatientOrientation = "AP", ["L", "F"]
    pixels = to_levels(burn(images.chest(rng, shape), ink, halo=True), 10)
    add_pixels(dataset, pixels, "MONOCHROME2", 10)
    made = finish(f"dicom/{study.person.mrn}_cr_no_preamble", dataset, study, bare=True)
    made.answers.add_drawn(drawn, frame=0)
    return made


def make_mg(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """Mammogram, JPEG lossless first-order prediction."""
    study, shape = exams.breast, (1280, 960)
    series = Series(study, 1, "MG", "L MLO", "BREAST", ("Roentgen Co", "Mammo 7"))
    lines = corner(shape, "tr", [*identity(study), *visit(study)[:2]], 24)
    lines += corner(shape, "br", ["28 kV 63 mAs", "L MLO"], 24)
    ink, drawn = draw_lines(shape, lines)
    dataset = headers.base_dataset(series, 1, uids.DigitalMammographyXRayImageStorageForPresentation)
    dataset.ImageType = ["ORIGINAL", "PRIMARY", ""]
    dataset.PixelIntensityRelationship, dataset.PixelIntensityRelationshipSign = "LOG", 1
    dataset.PresentationIntentType, dataset.PresentationLUTShape = "FOR PRESENTATION", "IDENTITY"
    dataset.ViewPosition, dataset.PatientOrientation, dataset.ImageLaterality = "MLO", ["A", "FR"], "L"
    dataset.ImagerPixelSpacing = [0.1, 0.1]
    _presentation(dataset, 12)
    dataset.AnatomicRegionSequence = headers.code("76752008", "SCT", "Breast")
    dataset.ViewCodeSequence = headers.code("399368009", "SCT", "medio-lateral oblique")
    dataset.ViewCodeSequence[0].ViewModifierCodeSequence = Items([])
    dataset.OrganExposed, dataset.PositionerType, dataset.BreastImplantPresent = "BREAST", "MAMMOGRAPHIC", "NO"
    pixels = to_levels(burn(images.mammogram(rng, shape), ink), 12)
    add_pixels(dataset, pixels, "MONOCHROME2", 12)
    encode(dataset, pixels, uids.JPEGLosslessSV1)
    made = finish("dicom/mg_jpeg_lossless.dcm", dataset, study)
    made.answers.add_drawn(drawn, frame=0)
    return made


def make_xa(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """Four frames; the patient is printed on the last three only, and stands in an overlay as well."""
    study, shape, count = exams.angio, (512, 512), 4
    series = Series(study, 1, "XA", "LCA RAO 30 CRAN 20", "HEART", ("Angio Systems", "Biplane 2"))
    state = rng.integers(1 << 30)
    frames, drawn = [], []
    for index in range(count):
        lines = corner(shape, "br", ["LAO 12 CAU 5", f"FR {index + 1}"], 16)
        if index:
            lines += corner(shape, "tl", identity(study), 17)
        ink, texts = draw_lines(shape, lines)
        plane = images.angiogram(np.random.default_rng(state), shape, (index + 1) / count)
        frames.append(to_levels(burn(plane, ink, halo=True), 8))
        drawn.append(texts)
    dataset = headers.base_dataset(series, 1, uids.XRayAngiographicImageStorage, "ISO_IR 100")
    dataset.ImageType = ["ORIGINAL", "PRIMARY", "SINGLE PLANE"]
    dataset.PixelIntensityRelationship = "LIN"
    dataset.KVP, dataset.RadiationSetting = "78", "GR"
    dataset.XRayTubeCurrent, dataset.ExposureTime, dataset.PositionerMotion = 320, 7, "STATIC"
    dataset.PositionerPrimaryAngle, dataset.PositionerSecondaryAngle = "-12", "-5"
    dataset.PatientOrientation = ""
    dataset.FrameTime, dataset.FrameIncrementPointer = "66.7", 0x00181063
    person = study.person
    dataset.PatientComments = f"Lives alone at {person.address}; speaks to {study.referring.full}"
    overlay = Line((f"{person.full} {study.site.name}",), 20, 470, 18)
    headers.add_overlay(dataset, draw_lines(shape, [overlay])[0])
    pixels = np.stack(frames)
    add_pixels(dataset, pixels, "MONOCHROME2", 8, count)
    encode(dataset, pixels, uids.RLELossless)
    made = finish("dicom/xa_rle.dcm", dataset, study)
    made.answers.phi.append(Planted(person.full, EntityType.PATIENT, "header", "(6000,3000)"))
    for index, texts in enumerate(drawn):
        made.answers.add_drawn(texts, frame=index)
    return made

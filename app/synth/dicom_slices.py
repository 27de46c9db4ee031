"""Slices of CT, MR and PET."""

from __future__ import annotations

from collections.abc import Callable

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
from deidra.app.synth.people import Phi


def make_ct(number: int) -> Callable[[Exams, np.random.Generator], MadeFile]:
    """Slice ``number``: 1 and 2 have printed corners, 3 has no text at all."""
    syntax = (uids.ImplicitVRLittleEndian, uids.ExplicitVRLittleEndian, uids.DeflatedExplicitVRLittleEndian)[number - 1]
    name = ("implicit", "explicit", "deflated_clean")[number - 1]

    def make(exams: Exams, rng: np.random.Generator) -> MadeFile:
        study, shape = exams.ct, (512, 512)
        series = Series(study, 2, "CT", "AXIAL 5.0 PORTAL VENOUS", "ABDOMEN", ("Acme Medical", "Tomograph 64"))
        lines: list[Line] = []
        if number < 3:
            lines += corner(shape, "tl", identity(study), 16)
            lines += corner(shape, "tr", visit(study), 14, "condensed")
            lines += corner(shape, "bl", ["120 kV", f"SL {number}", "W 400 L 40"], 16)
            lines += [*corner(shape, "br", ["SUPINE"], 16), Line(("R",), 12, 246, 22, "bold")]
        ink, drawn = draw_lines(shape, lines)
        dataset = headers.base_dataset(series, number, uids.CTImageStorage)
        headers.add_geometry(dataset, series, number, 0.78)
        dataset.KVP, dataset.AcquisitionNumber = "120", 1
        dataset.RescaleIntercept, dataset.RescaleSlope, dataset.RescaleType = "-1024", "1", "HU"
        dataset.WindowCenter, dataset.WindowWidth = "40", "400"
        harmless: tuple[str, ...] = ()
        if number < 3:
            harmless = headers.add_private_block(dataset, study, nested=number == 2)
        if number == 1:
            harmless += headers.add_comments(dataset, study)
        if number == 3:
            dataset.BurnedInAnnotation = "NO"
        if number == 2:
            dataset.ReferencedImageSequence = Items([_reference(series, 1, uids.CTImageStorage)])
            dataset.preamble = f"Exported for {study.person.full}".encode().ljust(128, b"\0")
        pixels = to_levels(burn(images.ct_slice(rng, shape) * 0.5, ink), 12)
        add_pixels(dataset, pixels, "MONOCHROME2", 12)
        encode(dataset, pixels, syntax)
        made = finish(f"dicom/ct_{number}_{name}.dcm", dataset, study, harmless)
        made.answers.add_drawn(drawn, frame=0)
        if number == 2:
            made.answers.phi.append(Planted(study.person.full, EntityType.PATIENT, "metadata"))
        return made

    return make


def _reference(series: Series, number: int, sop_class: str) -> Dataset:
    return headers.item(
        ReferencedSOPClassUID=sop_class,
        ReferencedSOPInstanceUID=series.instance_uid(number),
    )


def make_mr(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """Brain slice with a record merge in Original Attributes Sequence; JPEG-LS."""
    study, shape = exams.mr, (448, 448)
    series = Series(study, 3, "MR", "AX T2 FLAIR", "HEAD", ("Acme Medical", "Magnet 3T"))
    lines = corner(shape, "tl", identity(study), 15) + corner(shape, "bl", ["AXIAL T2", "FLAIR"], 16)
    lines += corner(shape, "br", [Phi(study.site.name, EntityType.HOSPITAL), "TR 9000 TE 120"], 14)
    lines += [Line(("A",), 217, 6, 18, "bold"), Line(("L",), 424, 212, 18, "bold")]
    ink, drawn = draw_lines(shape, lines)
    dataset = headers.base_dataset(series, 1, uids.MRImageStorage)
    headers.add_geometry(dataset, series, 1, 0.52)
    dataset.ScanningSequence, dataset.SequenceVariant, dataset.ScanOptions = "IR", "SK", ""
    dataset.MRAcquisitionType, dataset.EchoTrainLength = "2D", 16
    dataset.RepetitionTime, dataset.EchoTime, dataset.InversionTime = "9000", "120", "2500"
    headers.add_history(dataset, study)
    dataset.ReferencedStudySequence = Items(
        [headers.item(ReferencedSOPClassUID=uids.UID("1.2.840.10008.3.1.2.3.1"), ReferencedSOPInstanceUID=exams.ct.uid)]
    )
    pixels = to_levels(burn(images.mr_head(rng, shape) * 0.85, ink), 12)
    add_pixels(dataset, pixels, "MONOCHROME2", 12)
    encode(dataset, pixels, uids.JPEGLSLossless)
    made = finish("dicom/mr_jpeg_ls.dcm", dataset, study)
    made.answers.add_drawn(drawn, frame=0)
    return made


def make_pt(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """No text at all; big endian."""
    study, shape = exams.ct, (256, 256)
    series = Series(study, 5, "PT", "PET AC WHOLE BODY", "ABDOMEN", ("Acme Medical", "Tomograph 64"))
    dataset = headers.base_dataset(series, 1, uids.PositronEmissionTomographyImageStorage)
    headers.add_geometry(dataset, series, 1, 2.7)
    dataset.BurnedInAnnotation = "NO"
    del dataset.PatientPosition  # the orientation codes below stand for it (PS3.3 C.7.3.1.1.2)
    dataset.Units, dataset.DecayCorrection = "BQML", "START"
    dataset.CountsSource, dataset.SeriesType, dataset.NumberOfSlices = "EMISSION", ["STATIC", "IMAGE"], 1
    dataset.CorrectedImage, dataset.CollimatorType = ["DECY", "ATTN"], "NONE"
    dataset.ImageIndex, dataset.FrameReferenceTime, dataset.ActualFrameDuration = 1, "0", "120000"
    dataset.DecayFactor, dataset.AttenuationCorrectionMethod = "1.02", "CT"
    dataset.RadiopharmaceuticalInformationSequence = Items(
        [headers.item(RadionuclideCodeSequence=headers.code("C-111A1", "SRT", "^18^Fluorine"))]
    )
    dataset.PatientOrientationCodeSequence = headers.code("F-10450", "SRT", "recumbent")
    dataset.PatientGantryRelationshipCodeSequence = headers.code("F-10470", "SRT", "headfirst")
    dataset.RescaleIntercept, dataset.RescaleSlope = "0", "1.6"
    pixels = to_levels(images.pet_slice(rng, shape) * 0.6, 16)
    add_pixels(dataset, pixels, "MONOCHROME2", 16)
    encode(dataset, pixels, uids.ExplicitVRBigEndian)
    return finish("dicom/pt_big_endian_clean.dcm", dataset, study)


def make_zipped(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """A second slice of the MR series, to be put into an archive."""
    study, shape = exams.mr, (320, 320)
    series = Series(study, 4, "MR", "SAG T1", "HEAD", ("Acme Medical", "Magnet 3T"))
    lines = corner(shape, "tl", identity(study)[:2], 15) + corner(shape, "br", ["SAG T1"], 15)
    ink, drawn = draw_lines(shape, lines)
    dataset = headers.base_dataset(series, 1, uids.MRImageStorage)
    headers.add_geometry(dataset, series, 1, 0.72)
    dataset.ScanningSequence, dataset.SequenceVariant, dataset.ScanOptions = "SE", "NONE", ""
    dataset.MRAcquisitionType, dataset.EchoTrainLength = "2D", 1
    dataset.RepetitionTime, dataset.EchoTime = "500", "12"
    pixels = to_levels(burn(images.mr_head(rng, shape) * 0.85, ink), 12)
    add_pixels(dataset, pixels, "MONOCHROME2", 12)
    encode(dataset, pixels, uids.ExplicitVRLittleEndian)
    made = finish("dicom/archive.zip!DICOM/IM000001", dataset, study)
    made.answers.add_drawn(drawn, frame=0)
    return made

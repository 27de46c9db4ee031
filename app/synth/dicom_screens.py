"""Ultrasound and screen captures: colour, palettes and clips."""

from __future__ import annotations

import numpy as np
from pydicom import uid as uids

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth import headers, images
from deidra.app.synth.encode import add_palette, add_pixels, encode, rgb_to_ybr, to_levels
from deidra.app.synth.exams import Exams, MadeFile, finish, identity, visit
from deidra.app.synth.headers import Series, Study
from deidra.app.synth.images import Line, Plane, burn, corner, draw_lines
from deidra.app.synth.people import Phi, us_date


def _us_series(study: Study, number: int) -> Series:
    return Series(study, number, "US", "LIVER LONG AXIS", "ABDOMEN", ("Sonic Works", "Echo 9"))


def _us_lines(study: Study, shape: tuple[int, int], face: str = "mono") -> list[Line]:
    """The frame of an ultrasound screen: patient left, site right, settings below."""
    person = study.person
    lines = corner(shape, "tl", [Phi(person.caret, EntityType.PATIENT), Phi(person.mrn, EntityType.ID_MRN)], 17, face)
    date_time = (Phi(us_date(study.day), EntityType.DATE_OTHER), " 14:35")
    lines += corner(shape, "tr", [Phi(study.site.name, EntityType.HOSPITAL), date_time], 16, face)
    return lines + corner(shape, "bl", ["MI 1.2", "TIS 0.4", "10 cm", "Gn 52"], 16, face)


def _colour_us(rng: np.random.Generator, shape: tuple[int, int], flow: bool, phase: float = 0.0) -> Plane:
    """A sector in colour: grey speckle, a colour bar, and with ``flow`` a Doppler patch."""
    plane = np.repeat(images.ultrasound(rng, shape, phase)[..., None], 3, axis=2)
    bar = np.linspace(1, -1, 140)[:, None, None]
    plane[150:290, 20:34] = np.clip(np.concatenate([bar, abs(bar) - 0.6, -bar], axis=2), 0, 1)
    if flow:
        patch = plane[260:340, 300:400]
        y, x = np.mgrid[-1:1:80j, -1:1:100j]
        flowing = (np.hypot(x, y) + 0.15 * rng.random(x.shape) < 0.9)[..., None]
        patch[...] = np.where(flowing, patch * 0.3 + np.array((0.7, 0.15, 0.05)), patch)
    return plane


def make_us_rgb(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """Colour Doppler still, native RGB."""
    study, shape = exams.us, (480, 640)
    lines = _us_lines(study, shape)
    lines += corner(shape, "br", [Phi(study.performing.full, EntityType.STAFF), "LIVER LONG"], 15)
    ink, drawn = draw_lines(shape, lines)
    dataset = headers.base_dataset(_us_series(study, 1), 1, uids.UltrasoundImageStorage)
    dataset.ImageType, dataset.PatientOrientation = ["ORIGINAL", "PRIMARY"], ""
    pixels = to_levels(burn(_colour_us(rng, shape, True), ink, (0.95, 0.95, 0.6)), 8)
    add_pixels(dataset, pixels, "RGB", 8)
    encode(dataset, pixels, uids.ExplicitVRLittleEndian)
    made = finish("dicom/us_rgb.dcm", dataset, study)
    made.answers.add_drawn(drawn, frame=0)
    return made


def make_us_ybr(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """Grey still in native YBR_FULL."""
    study, shape = exams.us, (480, 640)
    ink, drawn = draw_lines(shape, _us_lines(study, shape, "condensed"))
    dataset = headers.base_dataset(_us_series(study, 1), 2, uids.UltrasoundImageStorage)
    dataset.ImageType, dataset.PatientOrientation = ["ORIGINAL", "PRIMARY"], ""
    pixels = rgb_to_ybr(to_levels(burn(_colour_us(rng, shape, False), ink, (0.6, 0.95, 0.95)), 8))
    add_pixels(dataset, pixels, "YBR_FULL", 8)
    encode(dataset, pixels, uids.ExplicitVRLittleEndian)
    made = finish("dicom/us_ybr_full.dcm", dataset, study)
    made.answers.add_drawn(drawn, frame=0)
    return made


def make_us_cine(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """Five frames of baseline JPEG; the patient stands on all, the frame counter changes."""
    study, shape, count = exams.us, (480, 640), 5
    frames, drawn = [], []
    state = rng.integers(1 << 30)
    for index in range(count):
        lines = _us_lines(study, shape) + corner(shape, "br", [f"{index + 1}/{count}"], 18, "mono")
        ink, texts = draw_lines(shape, lines)
        plane = _colour_us(np.random.default_rng(state), shape, False, index * 1.2)
        frames.append(to_levels(burn(plane, ink), 8))
        drawn.append(texts)
    dataset = headers.base_dataset(_us_series(study, 2), 1, uids.UltrasoundMultiFrameImageStorage)
    dataset.ImageType, dataset.PatientOrientation = ["ORIGINAL", "PRIMARY"], ""
    dataset.FrameTime = "40"
    dataset.FrameIncrementPointer = 0x00181063
    pixels = np.stack(frames)
    add_pixels(dataset, pixels, "RGB", 8, count)
    encode(dataset, pixels, uids.JPEGBaseline8Bit)
    made = finish("dicom/us_cine_jpeg.dcm", dataset, study)
    for index, texts in enumerate(drawn):
        made.answers.add_drawn(texts, frame=index)
    return made


def make_sc(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """A viewer's screen with a name that stands in no header, and a doctor's name in the description."""
    study, shape = exams.us, (600, 800)
    series = Series(study, 9, "OT", "SCREEN SAVE", "ABDOMEN", ("Viewer House", "Desk 4"))
    dataset = headers.base_dataset(series, 1, uids.SecondaryCaptureImageStorage)
    dataset.ConversionType, dataset.ImageType = "WSD", ["DERIVED", "SECONDARY"]
    dataset.PatientOrientation = ""
    dataset.SeriesDescription = f"KEY IMAGES FOR {study.performing.full}"
    lines = corner(shape, "tl", ["PERFUSION CURVE"], 22, "bold")
    lines += [Line((Phi(exams.stranger, EntityType.PATIENT),), 40, 520, 24, "italic")]
    lines += corner(shape, "tr", [("Printed ", Phi(us_date(study.day), EntityType.DATE_OTHER))], 16)
    lines += corner(shape, "br", ["T 32 s", "ml/100 g"], 16)
    ink, drawn = draw_lines(shape, lines)
    pixels = to_levels(burn(images.worksheet(rng, shape), ink), 8)
    add_pixels(dataset, pixels, "RGB", 8)
    encode(dataset, pixels, uids.ExplicitVRLittleEndian)
    made = finish("dicom/sc_screen.dcm", dataset, study)
    made.answers.add_drawn(drawn, frame=0)
    return made


def make_ot(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """Palette colour: a false-colour slice with printed lines in the last palette entry."""
    study, shape = exams.angio, (512, 512)
    series = Series(study, 4, "OT", "FUSED COLOR MAP", "HEART", ("Viewer House", "Desk 4"))
    lines = corner(shape, "tl", identity(study)[:2], 18) + corner(shape, "bl", ["0 - 100 %", "STRESS"], 18)
    lines += corner(shape, "tr", visit(study)[1:2], 18)
    ink, drawn = draw_lines(shape, lines)
    level = np.arange(256) / 255
    palette = to_levels(np.stack([level**0.8, level**1.6, np.clip(np.sin(level * np.pi), 0, 1) * 0.8], axis=1), 8)
    palette[255] = 255
    pixels = to_levels(burn(images.pet_slice(rng, shape) * 0.9, ink), 8)
    dataset = headers.base_dataset(series, 1, uids.SecondaryCaptureImageStorage, "ISO_IR 100")
    dataset.ConversionType, dataset.ImageType = "WSD", ["DERIVED", "SECONDARY"]
    dataset.PatientOrientation = ""
    dataset.BurnedInAnnotation = "NO"  # a false claim, as found in practice
    add_pixels(dataset, pixels, "PALETTE COLOR", 8)
    add_palette(dataset, palette)
    encode(dataset, pixels, uids.ExplicitVRLittleEndian)
    made = finish("dicom/ot_palette.dcm", dataset, study)
    made.answers.add_drawn(drawn, frame=0)
    return made

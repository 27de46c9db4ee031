"""Documents about the same patients: a form, a letter, a lab report and two PDFs."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence

import numpy as np
from PIL import ExifTags, Image, ImageDraw, ImageFilter, PngImagePlugin
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from deidra.app.domain.geometry import Box
from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.answers import FileAnswers, Kept, Planted
from deidra.app.synth.exams import Exams, MadeFile, make_exams
from deidra.app.synth.headers import Study
from deidra.app.synth.images import DrawnText, Line, Part, draw_lines
from deidra.app.synth.people import Cast, Phi, us_date

_PAGE = (1650, 1275)
"""Rows and columns of a letter-size page at 150 dpi."""

_LETTER = (2200, 1700)
"""Rows and columns of a letter-size page at 200 dpi."""

_POINT = 200 / 72
"""Pixels of a page at 200 dpi in one PDF point."""

_WHEN = time.struct_time((2024, 6, 3, 9, 30, 0, 0, 155, 0))


def make_documents(cast: Cast, seed: int) -> list[MadeFile]:
    """The five documents. Paths start with ``scans/``."""
    exams = make_exams(cast)
    return [
        _intake_form(exams),
        _letter(exams),
        _lab_report(exams, np.random.default_rng([seed, 101])),
        _digital_pdf(exams),
        _scanned_pdf(exams, np.random.default_rng([seed, 102])),
    ]


def _paragraph(lines: Sequence[Part | tuple[Part, ...]], x: int, y: int, size: int, face: str = "serif") -> list[Line]:
    """Lines below each other from (``x``, ``y``); an empty string leaves a gap."""
    step = round(size * 1.5)
    parts = [entry if isinstance(entry, tuple) else (entry,) for entry in lines]
    return [Line(entry, x, y + i * step, size, face) for i, entry in enumerate(parts) if entry != ("",)]


def _paper(shape: tuple[int, int], lines: Sequence[Line]) -> tuple[Image.Image, tuple[DrawnText, ...]]:
    """Black text on white paper."""
    ink, drawn = draw_lines(shape, lines)
    return Image.fromarray(np.round(255 - 235 * ink).astype(np.uint8)), drawn


def _intake_form(exams: Exams) -> MadeFile:
    """A filled form in cells, the label above the value; PNG with a text chunk that names the patient."""
    person = exams.us.person
    cells: list[tuple[str, Part]] = [
        ("Patient name", Phi(person.full, EntityType.PATIENT)),
        ("Date of birth", Phi(us_date(person.birth), EntityType.DATE_BIRTH)),
        ("Social security number", Phi(person.ssn, EntityType.ID_SSN)),
        ("Sex", Phi("Male" if person.sex == "M" else "Female", EntityType.DEMOG)),
        ("Home address", Phi(person.address, EntityType.LOCATION_HOME_ADDRESS)),
        ("Home phone", Phi(person.phone, EntityType.PHONE_HOME)),
        ("E-mail", Phi(person.email, EntityType.EMAIL)),
        ("Medical record number", Phi(person.mrn, EntityType.ID_MRN)),
        ("Reason for visit", "Ultrasound of the abdomen"),
        ("Fasting since midnight", "Yes"),
    ]
    lines = [Line(("PATIENT INTAKE FORM",), 90, 80, 40, "bold")]
    lines += [Line(("Please print clearly and hand this page to the front desk.",), 90, 150, 22)]
    frames: list[Box] = []
    for index, (label, value) in enumerate(cells):
        top = 220 + 112 * index
        frames.append((80, top, 1195, top + 100))
        lines += [Line((label,), 96, top + 8, 18, "condensed"), Line((value,), 110, top + 42, 30, "mono")]
        if isinstance(value, Phi) and len(value.text) > 50:
            lines[-1] = Line((value,), 110, top + 44, 24, "mono")
    lines += [Line(("Form 114-B, revision 3",), 90, 1560, 18, "condensed")]
    image, drawn = _paper(_PAGE, lines)
    pen = ImageDraw.Draw(image)
    for frame in frames:
        pen.rectangle(frame, outline=70, width=2)
    note = PngImagePlugin.PngInfo()
    note.add_text("Title", f"Intake form of {person.full}")
    buffer = io.BytesIO()
    image.save(buffer, "PNG", pnginfo=note, dpi=(150, 150))
    answers = FileAnswers("scans/intake_form.png", "image")
    answers.add_drawn(drawn, page=0)
    answers.phi.append(Planted(person.full, EntityType.PATIENT, "metadata"))
    return MadeFile(answers, buffer.getvalue())


def _head(study: Study) -> list[Part | tuple[Part, ...]]:
    return [
        Phi(study.site.name, EntityType.HOSPITAL),
        Phi(study.site.address, EntityType.LOCATION_ADDRESS),
        ("Phone ", Phi(study.site.phone, EntityType.PHONE_OTHER)),
    ]


def _letter(exams: Exams) -> MadeFile:
    """Two pages of prose, TIFF with LZW."""
    study = exams.ct
    person = study.person
    name, day = Phi(person.full, EntityType.PATIENT), Phi(us_date(study.day), EntityType.DATE_OTHER)
    first = _paragraph(_head(study), 110, 90, 26) + _paragraph(
        [
            ("Dear ", Phi(study.referring.full, EntityType.STAFF), ","),
            "",
            ("thank you for sending ", name, ", born"),
            (Phi(us_date(person.birth), EntityType.DATE_BIRTH), ", whom we examined on ", day, "."),
            ("The record number is ", Phi(person.mrn, EntityType.ID_MRN), "."),
            "",
            "The liver is of normal size and shows no focal lesion.",
            "Two simple cysts of the right kidney are unchanged.",
            "There is no free fluid and no enlarged lymph node.",
        ],
        110,
        330,
        30,
    )
    second = _paragraph(
        [
            ("Page 2, re: ", Phi(person.comma, EntityType.PATIENT)),
            "",
            "We suggest a control in twelve months.",
            ("The patient can be reached at ", Phi(person.phone, EntityType.PHONE_HOME)),
            ("or at ", Phi(person.email, EntityType.EMAIL), "."),
            "",
            "With kind regards,",
            Phi(study.performing.full, EntityType.STAFF),
        ],
        110,
        120,
        30,
    )
    answers = FileAnswers("scans/letter.tiff", "image")
    pages = []
    for number, lines in enumerate((first, second)):
        image, drawn = _paper(_PAGE, lines)
        answers.add_drawn(drawn, page=number)
        pages.append(image)
    buffer = io.BytesIO()
    pages[0].save(buffer, "TIFF", compression="tiff_lzw", save_all=True, append_images=pages[1:], dpi=(150, 150))
    return MadeFile(answers, buffer.getvalue())


def _lab_report(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """A table photographed with the camera turned: JPEG with EXIF orientation 6 and a name in EXIF."""
    study = exams.xray
    person = study.person
    lines = _paragraph(_head(study), 90, 70, 24, "sans")
    lines += _paragraph(
        [
            "LABORATORY REPORT",
            ("Patient: ", Phi(person.full, EntityType.PATIENT)),
            ("MRN: ", Phi(person.mrn, EntityType.ID_MRN)),
            ("Collected: ", Phi(us_date(study.day), EntityType.DATE_OTHER)),
        ],
        90,
        240,
        28,
        "sans",
    )
    rows = (
        "Hemoglobin    13.9  g/dL",
        "Platelets     244   K/uL",
        "Creatinine    0.9   mg/dL",
        "Sodium        141   mmol/L",
    )
    lines += _paragraph(list(rows), 90, 500, 28, "mono")
    lines += _paragraph([("Validated by ", Phi(study.performing.full, EntityType.STAFF))], 90, 760, 26, "sans")
    image, drawn = _paper((960, 1280), lines)
    shade = np.linspace(0.82, 1.0, 1280)[None, :] * np.asarray(image, dtype=np.float64)
    photo = Image.fromarray(np.clip(shade + rng.normal(0, 3, shade.shape), 0, 255).astype(np.uint8)).convert("RGB")
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    exif[ExifTags.Base.ImageDescription] = f"Lab {person.full}"
    buffer = io.BytesIO()
    # Orientation 6: a viewer turns the stored picture 90 degrees clockwise.
    photo.transpose(Image.Transpose.ROTATE_90).save(buffer, "JPEG", quality=88, exif=exif)
    answers = FileAnswers("scans/lab_report.jpg", "image")
    answers.add_drawn(drawn, page=0)
    answers.phi.append(Planted(person.full, EntityType.PATIENT, "metadata"))
    return MadeFile(answers, buffer.getvalue())


def _digital_pdf(exams: Exams) -> MadeFile:
    """Two pages with a text layer, document information, an outline entry and an annotation."""
    study = exams.mr
    person = study.person
    name = Phi(person.full, EntityType.PATIENT)
    pages: tuple[list[tuple[Part, ...]], ...] = (
        [
            ("DISCHARGE SUMMARY",),
            (Phi(study.site.name, EntityType.HOSPITAL),),
            ("Patient: ", name),
            ("Born: ", Phi(us_date(person.birth), EntityType.DATE_BIRTH)),
            ("SSN: ", Phi(person.ssn, EntityType.ID_SSN)),
            ("Address: ", Phi(person.address, EntityType.LOCATION_HOME_ADDRESS)),
            ("Admitted: ", Phi(us_date(study.day), EntityType.DATE_OTHER)),
            ("The brain is of normal signal on all sequences.",),
        ],
        [
            ("MEDICATION",),
            ("Ibuprofen 400 mg as needed",),
            ("Next visit with ", Phi(study.referring.full, EntityType.STAFF)),
            ("Record ", Phi(person.mrn, EntityType.ID_MRN)),
            ("Drink at least two liters a day.",),
        ],
    )
    answers = FileAnswers("scans/summary_digital.pdf", "pdf")
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(612, 792), invariant=1)
    canvas.setAuthor(study.referring.full)
    canvas.setTitle(f"Discharge summary {person.full}")
    for number, lines in enumerate(pages):
        for row, parts in enumerate(lines):
            _write(canvas, answers, parts, 720 - 30 * row, number)
        if number == 0:
            canvas.bookmarkPage("first")
            canvas.addOutlineEntry(f"Summary of {person.comma}", "first")
            canvas.textAnnotation(f"Call {person.full} at {person.phone}", Rect=(500, 700, 540, 730))
        canvas.showPage()
    canvas.save()
    hidden = (
        Phi(study.referring.full, EntityType.STAFF),
        name,
        Phi(person.comma, EntityType.PATIENT),
        Phi(person.phone, EntityType.PHONE_HOME),
    )
    answers.phi += [Planted(phi.text, phi.type, "metadata") for phi in hidden]
    return MadeFile(answers, buffer.getvalue())


def _write(canvas: Canvas, answers: FileAnswers, parts: tuple[Part, ...], baseline: float, page: int) -> None:
    """One line of a PDF page at ``baseline`` (points from the bottom), with its answers."""
    face, size, x = "Helvetica", 13, 72.0
    canvas.setFont(face, size)
    private = any(isinstance(part, Phi) for part in parts)
    for part in parts:
        text = part if isinstance(part, str) else part.text
        canvas.drawString(x, baseline, text)
        width = stringWidth(text, face, size)
        top, bottom = 792 - baseline - 0.76 * size, 792 - baseline + 0.24 * size
        box = (round(x * _POINT), round(top * _POINT), round((x + width) * _POINT), round(bottom * _POINT))
        x += width
        if isinstance(part, Phi):
            answers.phi.append(Planted(text, part.type, "text", None, None, page, box))
        elif not private:
            answers.keep.append(Kept(text, "text", None, None, page, box))


def _scanned_pdf(exams: Exams, rng: np.random.Generator) -> MadeFile:
    """One page that is only a picture: slightly blurred, with scanner noise."""
    study = exams.angio
    person = study.person
    lines = _paragraph(_head(study), 150, 130, 34)
    lines += _paragraph(
        [
            "REFERRAL FOR CARDIAC CATHETERIZATION",
            "",
            ("Patient: ", Phi(person.full, EntityType.PATIENT)),
            ("Date of birth: ", Phi(us_date(person.birth), EntityType.DATE_BIRTH)),
            ("Age: ", Phi(f"{person.age_on(study.day)} years", EntityType.AGE)),
            ("Address: ", Phi(person.street, EntityType.LOCATION_HOME_ADDRESS)),
            ("Home phone: ", Phi(person.phone, EntityType.PHONE_HOME)),
            "",
            "Indication: chest pain on exertion, positive stress test.",
            "Allergies: none known.",
            "",
            ("Signed ", Phi(study.referring.full, EntityType.STAFF)),
            ("on ", Phi(us_date(study.day), EntityType.DATE_OTHER)),
        ],
        150,
        360,
        36,
    )
    image, drawn = _paper(_LETTER, lines)
    soft = np.asarray(image.filter(ImageFilter.GaussianBlur(0.8)), dtype=np.float64) - 8
    scan = Image.fromarray(np.clip(soft + rng.normal(0, 5, soft.shape), 0, 255).astype(np.uint8))
    buffer = io.BytesIO()
    scan.save(buffer, "PDF", resolution=200, quality=80, title="Scan 0001", creationDate=_WHEN, modDate=_WHEN)
    answers = FileAnswers("scans/referral_scanned.pdf", "pdf")
    answers.add_drawn(drawn, page=0)
    return MadeFile(answers, buffer.getvalue())

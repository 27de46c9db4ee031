"""Free texts as technologists type them: private pieces between words that must stay."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from deidra.app.synth.midi.draft import Gap, Part, Phi
from deidra.app.synth.midi.exam import Exam, make_uid
from deidra.app.synth.midi.key import Row

_FINDINGS = (
    "s/p left hemicolectomy",
    "rule out pulmonary embolism",
    "follow-up of hepatic lesion",
    "known meningioma",
    "severe claustrophobia",
    "allergic to iodinated contrast",
    "right hip pain after fall",
    "elevated PSA",
    "Crohn disease with fistula",
    "Barrett esophagus",
    "Arnold-Chiari type I",
    "Hodgkin lymphoma, restaging",
    "Paget disease of bone",
    "pre-op planning",
    "BI-RADS 3, short interval control",
    "pacemaker MR conditional",
    "creatinine 0.9 mg/dl",
)
_SERIES_TITLES = {
    "CT": "Thorax 5.0 B40f|Lung 1.0 B70f|AXIAL 5.0 B30f|BONE PLUS|CAP W ORAL|PORTAL VENOUS|Recon 3: 3 Plane Sag|"
    "Topogram|CTA 1.0 CE Bv40|Body-Low Dose|Scout|Delay 10 MIN|Stealth 1 MM|Average 5mm",
    "PT": "PET AC WB|WB 3D MAC|PET NAC|CTAC 3.75 Thick|2D FDG Wholebody|Gated Lung Q.Static",
    "MR": "t2_tse_tra_p2|ep2d_diff_3scan_trace_p2_ADC|AX 3D SPGR|Ax FLAIR Propeller|Sag STIR|DIXON FAT|T1 VIBE fs tra|"
    "HASTE cor mbh|Ax LAVA Flex +C|FIESTA-C|SWI Images|Blade T2 dark fluid|AAHead Scout|Twist Dyn Carm Recon",
    "CR": "CHEST PA|AP PORTABLE UPRIGHT|Knee Sunrise|Abdomen Supine|Y View|Swimmers",
    "DX": "CHEST LAT|Frog leg|Wrist Scaphoid|W033 Chest p.a.|Standing AP",
    "MG": "SCREENING 4 VIEWS|Tomo Synth 2D|Mag View|Spot Compression",
    "US": "ABDOMEN|Carotid Bilat|Aorta Sag|Cine Sweep|Doppler PW",
    "SR": "Report|Measurements|Key findings",
}

_NOTES = (
    "motion artifact in last slices",
    "breath hold poor",
    "contrast 80 ml at 2.5 ml/s",
    "repeat exposure, grid cut-off",
    "implant displaced view",
    "table height changed",
    "coil element 4 off",
    "gain raised",
    "reconstructed with MBIR",
    "arms down",
)

_WORD_SHARE = 0.6
"""How often a patient whose name is a word has that word in a description."""


def written(day: date, rng: Random) -> Phi:
    """A date as people type it, in one word."""
    form = rng.choice(("%Y%m%d", "%m/%d/%Y", "%Y-%m-%d", "%d.%m.%Y", "%d-%b-%Y", "%d%b%Y"))
    text = day.strftime(form)
    return Phi(text.upper() if form == "%d%b%Y" else text, Row.DATE)


def history(exam: Exam, rng: Random) -> list[Part]:
    """Additional Patient History."""
    patient, finding = exam.patient, rng.choice(_FINDINGS)
    earlier = written(exam.day - timedelta(days=rng.randint(20, 900)), rng)
    forms: tuple[list[Part], ...] = (
        [finding, Gap(", prior exam "), earlier, Gap(" by Dr. "), exam.referring.prose],
        [Gap("Pt "), patient.full, Gap(" MRN "), patient.number, Gap(": "), finding],
        [finding, Gap(". Surgery "), earlier, Gap(" at "), exam.site.title],
        [finding, Gap("; SSN "), patient.social, Gap("; call "), patient.telephone],
        [Gap("DOB "), written(patient.birth, rng), Gap(", "), finding, Gap(", lives at "), patient.home],
    )
    age = patient.age_on(exam.day)
    if age > 89:
        elderly: list[Part] = [Phi(f"{age}-year-old", Row.DATE), Gap(" patient, "), finding]
        return elderly
    return rng.choice(forms)


def patient_comment(exam: Exam, rng: Random) -> list[Part]:
    """Patient Comments."""
    patient = exam.patient
    forms: tuple[list[Part], ...] = (
        ["Hearing aid left ear", Gap(", ask for "), patient.full, Gap(", tel "), patient.telephone],
        ["Needs wheelchair", Gap(". Contact: "), Phi(patient.email, Row.OTHER_ID), Gap(" or "), patient.telephone],
        ["Interpreter needed", Gap("; address "), patient.home],
        ["Fasting since midnight", Gap(". SSN "), patient.social, Gap(", mobile "), Phi(patient.mobile, Row.PHONE)],
        [Gap("née "), Phi(patient.maiden, Row.NAME), Gap(", "), "needs sedation", Gap(", SSN "), patient.social]
        if patient.charset != "\\ISO 2022 IR 87"
        else [Gap("born as "), Phi(patient.maiden, Row.NAME), Gap(", "), "needs sedation"],
        ["Ambulatory", Gap("; chart "), patient.number, Gap("; insured SSN "), patient.social],
    )
    return rng.choice(forms)


def image_comment(exam: Exam, rng: Random) -> list[Part]:
    """Image Comments."""
    note, phrase = rng.choice(_NOTES), exam.phrase
    if exam.has_word and rng.random() < _WORD_SHARE:
        return [phrase, Gap(", "), note, Gap(" ("), exam.patient.comma, Gap(")")]
    forms: tuple[list[Part], ...] = (
        [note, Gap(" - "), exam.patient.caret, Gap(" "), written(exam.day, rng)],
        [note, Gap(", told Dr. "), exam.performing.prose],
        [note, Gap(" UID "), Phi(make_uid(exam.uid, "seen in text"), Row.OTHER_ID)],
        [note, Gap(", acc "), Phi(exam.accession, Row.OTHER_ID)],
        [note],
    )
    return rng.choice(forms)


def derivation(exam: Exam, rng: Random) -> list[Part]:
    """Derivation Description."""
    forms: tuple[list[Part], ...] = (
        ["MIP 10 mm from ", Phi(exam.uid, Row.OTHER_ID)],
        ["Coronal MPR", Gap(" by "), exam.operator.prose, Gap(" "), written(exam.day, rng)],
        ["Lossless, mask subtracted"],
    )
    return rng.choice(forms)


def study_text(exam: Exam, rng: Random) -> list[Part]:
    """Study Description."""
    if exam.has_word and rng.random() < _WORD_SHARE:
        return [exam.phrase, Gap(" "), exam.patient.caret]
    forms: tuple[list[Part], ...] = (
        [exam.title],
        [exam.title, Gap(" "), written(exam.day, rng)],
        [exam.title, Gap(" - "), exam.patient.comma],
        [exam.title, Gap(" / "), exam.site.title],
        [f"p{rng.randint(1, 9)}", Gap(" "), Phi(exam.day.strftime("%Y%m%d"), Row.DATE)],
        [exam.title, Gap(" "), exam.patient.number],
        [exam.title, Gap(" "), exam.patient.caret],
    )
    return rng.choice(forms)


def series_text(exam: Exam, rng: Random, title: str) -> list[Part]:
    """Series Description."""
    if exam.has_word and rng.random() < _WORD_SHARE:
        return [exam.phrase, Gap(" for "), exam.patient.full] if rng.random() < 0.6 else [exam.phrase]
    part = rng.randint(1, 9)
    forms: tuple[list[Part], ...] = (
        [title],
        [title],
        [title, Gap(" "), Phi(exam.day.strftime("%Y%m%d"), Row.DATE)],
        [f"P{part}^P10{part}^S10{part}^I0, Gated, 0.0%", Gap(" "), Phi(exam.day.strftime("%Y%m%d"), Row.DATE)],
        [title, Gap(" "), exam.patient.comma],
        [title, Gap(" for "), exam.patient.full],
        [title, Gap(", Dr. "), exam.performing.prose],
    )
    return rng.choice(forms)


def series_title(modality: str, rng: Random) -> str:
    """A harmless name of a series."""
    return rng.choice(_SERIES_TITLES[modality].split("|"))


def protocol_text(exam: Exam, rng: Random, title: str) -> list[Part]:
    """Protocol Name."""
    forms: tuple[list[Part], ...] = (
        [title],
        [title, Gap(" "), Phi(exam.performing.family.upper(), Row.NAME)],
        [title, Gap(" "), Phi(exam.site.short, Row.PLACE)],
    )
    return rng.choice(forms)


def step_comment(exam: Exam, rng: Random) -> list[Part]:
    """Comments on the Performed Procedure Step."""
    forms: tuple[list[Part], ...] = (
        [rng.choice(_NOTES), Gap("; called ward "), Phi(exam.site.phone, Row.PHONE)],
        [rng.choice(_NOTES), Gap("; tech "), exam.operator.prose],
        [rng.choice(_NOTES), Gap("; wife's phone "), exam.patient.telephone],
        ["Dose as protocol", Gap("; id checked "), exam.patient.social],
    )
    return rng.choice(forms)


def request_comment(exam: Exam, rng: Random) -> list[Part]:
    """Requested Procedure Comments."""
    forms: tuple[list[Part], ...] = (
        ["Portable if unstable", Gap("; page Dr. "), exam.referring.prose, Gap(" "), Phi(exam.site.phone, Row.PHONE)],
        ["Compare with outside films", Gap(" of "), written(exam.day - timedelta(days=rng.randint(30, 700)), rng)],
        ["IV access difficult", Gap(", chart "), exam.patient.number, Gap(", "), exam.patient.full],
    )
    return rng.choice(forms)


def finding(rng: Random) -> str:
    """A harmless clinical remark."""
    return rng.choice(_FINDINGS)

"""Examinations and their series: who, where, when, on which machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random

from pydicom.uid import generate_uid

from deidra.app.synth.midi.people import Cast, Doctor, Patient, Site

_ROOTS = {
    "SIEMENS": "1.3.12.2.1107.5.2.32.35",
    "GE MEDICAL SYSTEMS": "1.2.840.113619.2.55.3",
    "Philips": "1.3.46.670589.11.20",
    "HOLOGIC, Inc.": "1.2.840.113681.2229",
}

_OTHER_ROOT = "1.2.840.114350.2.412.2"


@dataclass(frozen=True, slots=True)
class Machine:
    """A device. ``serial`` and ``station`` name it without naming the hospital."""

    maker: str
    model: str
    software: str
    serial: str
    station: str


@dataclass(frozen=True, slots=True)
class Exam:
    """One study. ``kind`` is CT, PT, MR, XR, MG or US; ``time`` is HHMMSS."""

    patient: Patient
    site: Site
    referring: Doctor
    performing: Doctor
    operator: Doctor
    reader: Doctor
    kind: str
    title: str
    day: date
    time: str
    accession: str
    study_id: str
    uid: str
    prior_uid: str
    in_trial: bool

    @property
    def date(self) -> str:
        """Study date as a DA value."""
        return self.day.strftime("%Y%m%d")

    @property
    def phrase(self) -> str:
        """Harmless words for a description; with the patient's name in another meaning, where it has one."""
        return self.patient.words.get(self.kind, self.title)

    @property
    def has_word(self) -> bool:
        """Whether the patient's name means something else in this kind of examination."""
        return self.kind in self.patient.words

    @property
    def age(self) -> str:
        """Patient's Age as an AS value."""
        return f"{self.patient.age_on(self.day):03d}Y"


@dataclass(frozen=True, slots=True)
class Series:
    """One series of ``exam``; ``started`` are minutes after the study began."""

    exam: Exam
    number: int
    modality: str
    title: str
    body_part: str
    machine: Machine
    started: int = 0
    references: list[tuple[str, str]] = field(default_factory=list)
    """SOP class and instance of images in an earlier series of the same study."""
    source_uid: str = ""
    """Series Instance UID of that series."""

    @property
    def uid(self) -> str:
        """Series Instance UID."""
        return make_uid(self.exam.uid, f"series {self.number}", self.machine.maker)

    @property
    def time(self) -> str:
        """Series time as a TM value."""
        clock = int(self.exam.time[:2]) * 60 + int(self.exam.time[2:4]) + self.started
        return f"{clock // 60 % 24:02d}{clock % 60:02d}{self.exam.time[4:]}"

    def choices(self, *parts: object) -> Random:
        """Dice that fall the same way for the same series and ``parts``."""
        return Random(f"{self.uid} {parts}")  # noqa: S311

    def instance_uid(self, number: int) -> str:
        """SOP Instance UID of instance ``number``."""
        return make_uid(self.uid, f"instance {number}", self.machine.maker)


def make_uid(*parts: str) -> str:
    """A UID that is the same for the same ``parts``; below the maker's root if the last part is a maker."""
    whole = str(generate_uid(entropy_srcs=list(parts)))
    root = _ROOTS.get(parts[-1], _OTHER_ROOT)
    return f"{root}.{whole[-24:].lstrip('0.').replace('.', '')}"


_TITLES = {
    "CT": ("CT ABDOMEN PELVIS W CONTRAST", "Thorax^1ThoraxRoutine (Adult)", "CT HEAD WO", "CTA CHEST PE PROTOCOL"),
    "PT": ("PET CT SKULL BASE TO MID THIGH", "PET/CT FDG WHOLE BODY", "PET CT RESTAGING"),
    "MR": (
        "MRI BRAIN W WO CONTRAST",
        "MR Prostate mpMRI 3T",
        "MRI Mamma dynamisch",
        "MRI KNEE LEFT",
        "MR LIVER DYNAMIC",
    ),
    "XR": ("XR CHEST 2 VIEWS", "XR SHOULDER RIGHT", "CHEST PA AND LAT", "XR HIP BILATERAL"),
    "MG": ("MAMMO SCREENING BILATERAL", "MG DIAGNOSTIC LEFT"),
    "US": ("US ABDOMEN COMPLETE", "US CAROTID DUPLEX", "US THYROID"),
}


def make_exam(patient: Patient, cast: Cast, kind: str, number: int, rng: Random) -> Exam:
    """Study ``number`` (from 0) of ``patient``."""
    day = date(2018, 3, 1) + timedelta(days=rng.randint(0, 120) + number * rng.randint(90, 400))
    referring, performing, operator, reader = rng.sample(cast.doctors, 4)
    accession = f"{kind[0]}{day:%y}-{rng.randrange(10**6, 10**7)}"
    return Exam(
        patient=patient,
        site=rng.choice(cast.sites),
        referring=referring,
        performing=performing,
        operator=operator,
        reader=reader,
        kind=kind,
        title=rng.choice(_TITLES[kind]),
        day=day,
        time=f"{rng.randint(7, 17):02d}{rng.randint(0, 59):02d}{rng.randint(0, 59):02d}",
        accession=accession,
        study_id=f"{rng.randrange(10**5, 10**6)}",
        uid=make_uid("study", patient.mrn, accession),
        prior_uid=make_uid("prior study", patient.mrn, accession),
        in_trial=rng.random() < 0.3,
    )

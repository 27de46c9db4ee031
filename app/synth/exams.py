"""The examinations of the sample set, and what all makers of its DICOM instances share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from pydicom.dataset import FileDataset

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.answers import FileAnswers, header_answers
from deidra.app.synth.encode import write, write_bare
from deidra.app.synth.headers import Study
from deidra.app.synth.images import Part
from deidra.app.synth.people import Cast, Phi, us_date

Entry = Part | tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class MadeFile:
    """A file of the sample set before it is written: its answers (which hold the path) and its bytes."""

    answers: FileAnswers
    data: bytes


@dataclass(frozen=True, slots=True)
class Exams:
    """The examinations of the sample set; the first patient has three."""

    ct: Study
    mr: Study
    breast: Study
    us: Study
    xray: Study
    angio: Study
    stranger: str


def make_exams(cast: Cast) -> Exams:
    """Examinations of the four patients at the two sites."""
    first, second, third, fourth = cast.patients
    here, there = cast.sites
    a, b, c, d = cast.doctors[:4]
    return Exams(
        ct=Study(first, here, date(2023, 9, 14), "101530", "A23-118273", "CT ABDOMEN W CONTRAST", a, b),
        mr=Study(first, here, date(2024, 2, 5), "084210", "A24-020417", "MR BRAIN WO CONTRAST", a, c),
        breast=Study(first, here, date(2024, 2, 6), "074500", "A24-020733", "MG SCREENING BILATERAL", d, c),
        us=Study(second, there, date(2024, 3, 21), "143355", "U24-337801", "US ABDOMEN COMPLETE", d, b),
        xray=Study(third, here, date(2024, 5, 2), "112704", "X24-560129", "XR CHEST 2 VIEWS", c, a),
        angio=Study(fourth, there, date(2023, 11, 30), "090012", "C23-774650", "CORONARY ANGIOGRAPHY", b, d),
        stranger=cast.stranger,
    )


def finish(
    path: str,
    dataset: FileDataset,
    study: Study,
    harmless: Iterable[str] = (),
    bare: bool = False,
    private: Iterable[Phi] = (),
) -> MadeFile:
    """Write ``dataset`` and list its header answers.

    ``harmless`` and ``private`` are texts inside values that the study does not know of; ``bare``
    leaves out preamble and file meta.
    """
    data = write_bare(dataset) if bare else write(dataset)
    answers = FileAnswers(path, "dicom")
    if bare:
        del dataset.file_meta
    header_answers(answers, dataset, [*study.known(), *private], harmless)
    return MadeFile(answers, data)


def identity(study: Study) -> list[Entry]:
    """The lines that a scanner prints of a patient: name, number with sex, birth date."""
    person = study.person
    return [
        Phi(person.caret, EntityType.PATIENT),
        ("ID: ", Phi(person.mrn, EntityType.ID_MRN)),
        ("DOB: ", Phi(us_date(person.birth), EntityType.DATE_BIRTH)),
    ]


def visit(study: Study) -> list[Entry]:
    """The lines that a scanner prints of an examination: site, date, accession number, physician."""
    return [
        Phi(study.site.name, EntityType.HOSPITAL),
        Phi(us_date(study.day), EntityType.DATE_OTHER),
        ("Acc: ", Phi(study.accession, EntityType.ID_OTHER)),
        ("Ref: ", Phi(study.referring.full, EntityType.STAFF)),
    ]

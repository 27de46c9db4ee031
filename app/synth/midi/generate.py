"""Make the whole benchmark: files below ``dicom/`` and the key in ``answers.csv``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from deidra.app.synth.encode import write
from deidra.app.synth.midi import texts
from deidra.app.synth.midi.draft import Draft
from deidra.app.synth.midi.enhanced import make_enhanced_mr
from deidra.app.synth.midi.exam import Exam, Series, make_exam
from deidra.app.synth.midi.key import Check, write_key
from deidra.app.synth.midi.machines import make_machine
from deidra.app.synth.midi.people import make_cast, make_patients
from deidra.app.synth.midi.report import make_sr
from deidra.app.synth.midi.slices import make_ct, make_mr, make_pt
from deidra.app.synth.midi.ultrasound import make_us
from deidra.app.synth.midi.xray import make_cr, make_dx, make_mg

DEFAULT_PATIENTS = 24
"""Gives about 500 instances."""

_Maker = Callable[[Series, int], Draft]


@dataclass(frozen=True, slots=True)
class MidiSet:
    """A benchmark on disk. ``folder`` holds the DICOM files, ``key`` is the CSV file with the answers."""

    folder: Path
    key: Path
    patients: int
    instances: int
    checks: int


@dataclass(frozen=True, slots=True)
class _Plan:
    """A series to make: how many ``images``, and whether it refers to the series before it."""

    modality: str
    body_part: str
    images: int
    make: _Maker
    refers: bool = False


_STUDIES: dict[str, tuple[_Plan, ...]] = {
    "CT": (
        _Plan("CT", "ABDOMEN", 5, make_ct),
        _Plan("CT", "ABDOMEN", 3, make_ct, True),
        _Plan("SR", "ABDOMEN", 1, make_sr, True),
    ),
    "MR": (
        _Plan("MR", "BRAIN", 4, make_mr),
        _Plan("MR", "BRAIN", 3, make_mr, True),
        _Plan("MR", "BRAIN", 1, make_enhanced_mr, True),
        _Plan("SR", "BRAIN", 1, make_sr, True),
    ),
    "XR": (
        _Plan("CR", "CHEST", 3, make_cr),
        _Plan("DX", "CHEST", 3, make_dx, True),
    ),
    "PT": (
        _Plan("CT", "WHOLEBODY", 4, make_ct),
        _Plan("PT", "WHOLEBODY", 5, make_pt, True),
    ),
    "MG": (
        _Plan("MG", "BREAST", 4, make_mg),
        _Plan("SR", "BREAST", 1, make_sr, True),
    ),
    "US": (
        _Plan("US", "ABDOMEN", 5, make_us),
        _Plan("SR", "ABDOMEN", 1, make_sr, True),
    ),
}
_STUDIES_PER_PATIENT = 3


def make_midi(out: Path, patients: int = DEFAULT_PATIENTS, seed: int = 0) -> MidiSet:
    """Write the benchmark to ``out``; the same ``patients`` and ``seed`` give the same bytes.

    A patient has three studies of about 20 instances together.
    """
    folder, key = out / "dicom", out / "answers.csv"
    folder.mkdir(parents=True, exist_ok=True)
    instances = 0

    def checks() -> Iterator[Check]:
        nonlocal instances
        for path, draft in _drafts(patients, seed):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(write(draft.dataset))
            instances += 1
            yield from draft.checks(path)

    count = write_key(key, checks())
    return MidiSet(folder, key, patients, instances, count)


def _drafts(patients: int, seed: int) -> Iterator[tuple[str, Draft]]:
    cast = make_cast(seed)
    kinds = list(_STUDIES)
    for number, patient in enumerate(make_patients(patients, seed)):
        rng = Random(seed * 15485863 + number)  # noqa: S311
        for study in range(_STUDIES_PER_PATIENT):
            kind = kinds[(number + 2 * study) % len(kinds)]
            exam = make_exam(patient, cast, kind, study, rng)
            yield from _study(exam, f"P{number:03d}/{kind}{study}", rng)


def _study(exam: Exam, prefix: str, rng: Random) -> Iterator[tuple[str, Draft]]:
    earlier: list[tuple[str, str]] = []
    source = ""
    machine = None
    for number, plan in enumerate(_STUDIES[exam.kind], 1):
        if machine is None or plan.modality in ("CR", "DX", "PT"):
            machine = make_machine(plan.modality, rng)
        series = Series(
            exam, number, plan.modality, texts.series_title(plan.modality, rng), plan.body_part, machine, 4 * number
        )
        if plan.refers:
            series = replace(series, references=earlier, source_uid=source)
        made = []
        for index in range(1, plan.images + 1):
            draft = plan.make(series, index)
            made.append((str(draft.dataset.SOPClassUID), str(draft.dataset.SOPInstanceUID)))
            yield f"{prefix}/S{number}/{plan.modality}{index:03d}.dcm", draft
        earlier, source = made, series.uid

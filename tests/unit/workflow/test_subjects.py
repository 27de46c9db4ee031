"""Pseudonyms and date shifts of patients: generated, imported, and kept over batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from pydicom import Dataset

from deidra.app.decide.policy import DatesSection, Policy
from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import Asset, AssetKind
from deidra.app.metadata.dates import DateMode
from deidra.app.metadata.keys import ProjectKey
from deidra.app.subjects import Subjects
from deidra.storage import ProjectStore
from deidra.storage.database import sqlite_url

KEY = ProjectKey(bytes(range(32)))
Make = Callable[..., Subjects]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectStore]:
    store = ProjectStore(sqlite_url(tmp_path / "project.db"))
    yield store
    store.close()


@pytest.fixture
def subjects(store: ProjectStore) -> Make:
    def make(mode: DateMode = DateMode.SHIFT, key: ProjectKey = KEY, **dates: object) -> Subjects:
        return Subjects(store, key, Policy(dates=DatesSection(mode=mode, **dates)))

    return make


def header(identity: str, **values: str) -> Dataset:
    dataset = Dataset()
    dataset.PatientID = identity
    for keyword, value in values.items():
        setattr(dataset, keyword, value)
    return dataset


def know(store: ProjectStore, patient: str, *events: tuple[str, str]) -> None:
    for event, value in events:
        number = len(store.assets.all())
        asset = Asset(f"a{number}", f"/in/{number}", "", "0", 1, AssetKind.DICOM, patient_key=patient)
        store.assets.add([asset])
        store.assets.save_loaded(replace(asset, info={"dates": {event: value}}), [])


def test_a_generated_shift_lies_in_its_range_and_differs_between_patients(subjects: Make) -> None:
    made = subjects(least_days=40, most_days=90)
    days = {made.of_patient(f"p{number}").shift_days for number in range(200)}
    assert min(days) >= -90
    assert max(days) <= -40
    assert len(days) > 30


def test_the_same_key_gives_the_same_subjects_on_another_machine(store: ProjectStore, tmp_path: Path) -> None:
    other = ProjectStore(sqlite_url(tmp_path / "other.db"))
    here, there = Subjects(store, KEY, Policy()), Subjects(other, KEY, Policy())
    dataset = header("MR1")
    assert here.of_patient(here.patient(dataset)) == there.of_patient(there.patient(dataset))
    stranger = Subjects(other, ProjectKey(bytes(32)), Policy())
    assert stranger.of_patient(stranger.patient(dataset)) != here.of_patient(here.patient(dataset))
    other.close()


def test_a_fixed_shift_is_the_same_for_all(subjects: Make) -> None:
    made = subjects(DateMode.FIXED, fixed_days=-1000)
    assert {made.of_patient(name).shift_days for name in "abc"} == {-1000}


def test_the_first_study_becomes_day_zero_and_stays_it_when_an_earlier_one_comes(
    subjects: Make, store: ProjectStore
) -> None:
    know(store, "p", ("StudyDate", "20140321"), ("StudyDate", "20140101"), ("PatientBirthDate", "19500101"))
    made = subjects(DateMode.BASELINE, day_zero=date(2000, 1, 1))
    made.find_baselines()
    assert made.of_patient("p").shift_days == (date(2000, 1, 1) - date(2014, 1, 1)).days
    know(store, "p", ("StudyDate", "20101231"))
    again = subjects(DateMode.BASELINE, day_zero=date(2000, 1, 1))
    again.find_baselines()
    assert again.of_patient("p") == made.of_patient("p")


def test_an_imported_table_decides_on_pseudonym_days_and_baseline(
    subjects: Make, store: ProjectStore, tmp_path: Path
) -> None:
    table = tmp_path / "patients.csv"
    table.write_text("patient_id,pseudonym,days,baseline\nMR1,TRIAL-001,-400,\nMR2,,,2014-03-21\nMR3,X 3,,\n", "utf-8")
    made = subjects(DateMode.BASELINE, day_zero=date(2000, 1, 1))
    assert made.read_table(table) == 3
    first, second, third = (made.of_patient(made.patient(header(name))) for name in ("MR1", "MR2", "MR3"))
    assert (first.pseudonym, first.shift_days) == ("TRIAL-001", -400)
    assert second.shift_days == (date(2000, 1, 1) - date(2014, 3, 21)).days
    assert third.pseudonym == "X 3"
    table.write_text("days,patient_id\n-5,MR1\n", "utf-8")
    made.read_table(table)
    assert subjects().of_patient(made.patient(header("MR1"))).shift_days == -5
    assert subjects().of_patient(made.patient(header("MR1"))).pseudonym == "TRIAL-001"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("id,days\nMR1,-5\n", "does not name its columns"),
        ("patient_id,shoe\nMR1,42\n", "does not name its columns"),
        ("", "does not name its columns"),
        ("patient_id,days\nMR1,-5\n,-5\n", "Line 3 .*patient_id is missing"),
        ("patient_id,days\nSECRET,soon\n", "Line 2 .*days is no whole number"),
        ("patient_id,days\nSECRET,0\n", "Line 2 .*days must not be zero"),
        ("patient_id,days\nSECRET,-999999\n", "Line 2 .*calendar"),
        ("patient_id,baseline\nMR1,\nSECRET,2014-02-30\n", "Line 3 .*baseline is no date"),
        ("patient_id,pseudonym\nSECRET,A\\B\n", "Line 2 .*pseudonym"),
        ("patient_id,pseudonym\nMR1,A\nMR2,A\n", "two patients the same pseudonym"),
        ("patient_id,pseudonym\nMR1,A\nMR2,a\n", "two patients the same pseudonym"),
        ("patient_id,days\nMR1,-5\nMR1,-6\n", "two lines for one patient"),
        ("patient_id,pseudonym\nSECRET,.\n", "Line 2 .*pseudonym"),
        ("patient_id,pseudonym\nSECRET,..\n", "Line 2 .*pseudonym"),
        ("patient_id,pseudonym\nSECRET,A.\n", "Line 2 .*pseudonym"),
        ("patient_id,pseudonym\nSECRET,secret\n", "Line 2 .*patient ID itself"),
        ("patient_id,days,days\nMR1,-5,-6\n", "does not name its columns"),
        ("patient_id,days\nMR1,-5,SECRET\n", "Line 2 .*too many cells"),
        ('patient_id,days\n"SECRET,-5\n', "no valid CSV"),
    ],
)
def test_a_faulty_table_is_refused_by_line_without_a_value_and_nothing_is_taken(
    subjects: Make, tmp_path: Path, text: str, fault: str
) -> None:
    table = tmp_path / "patients.csv"
    table.write_text(text, "utf-8")
    made = subjects()
    before = made.fingerprint
    with pytest.raises(KnownError, match=fault) as caught:
        made.read_table(table)
    assert "SECRET" not in f"{caught.value} {caught.value.advice}"
    assert subjects().fingerprint == before


def test_a_missing_table_is_named_as_such(subjects: Make, tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="cannot be read"):
        subjects().read_table(tmp_path / "Kowalczyk.csv")


def test_every_date_of_a_patient_is_listed_before_and_after(subjects: Make, store: ProjectStore) -> None:
    know(store, "p", ("StudyDate", "20140321"), ("PatientBirthDate", "19500101"), ("SeriesDate", "2014.03.22"))
    made = subjects(DateMode.FIXED, fixed_days=-10)
    listed = [(event.event, event.before, event.after) for event in made.dated_events()]
    assert listed == [
        ("PatientBirthDate", "19500101", "19491222"),
        ("StudyDate", "20140321", "20140311"),
        ("SeriesDate", "2014.03.22", "20140312"),
    ]
    removed = subjects(DateMode.REMOVE)
    assert {event.after for event in removed.dated_events()} == {""}


def test_one_id_with_and_without_issuer_is_one_patient_over_batches(subjects: Make) -> None:
    made = subjects()
    plain = made.patient(header("1"))
    first = made.patient(header("1", IssuerOfPatientID="A", PatientName="Hill^B"))
    assert first == plain
    later = subjects()
    assert later.patient(header("1", IssuerOfPatientID="B", PatientName="Young^C")) != plain
    assert later.patient(header("1", IssuerOfPatientID="B", PatientName="HILL^B^^Dr")) == plain
    assert later.patient(header("1", IssuerOfPatientID="A")) == plain

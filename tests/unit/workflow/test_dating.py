"""Dates before and after, and those that cannot be right."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from pydicom import Dataset

from deidra.app.dating import BIRTH, Dating, conflicts, write_events
from deidra.app.decide.editing import changed
from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import Asset, AssetKind
from deidra.app.metadata.dates import DateMode
from deidra.app.metadata.identity import issued_id
from deidra.app.subjects import DatedEvent, PatientRow, Subjects
from deidra.app.workflow import Project

TODAY = date(2026, 1, 1)
SOUND = [
    DatedEvent("p", "P1", BIRTH, "19510312", "19501122"),
    DatedEvent("p", "P1", "StudyDate", "20190304", "20181122"),
    DatedEvent("q", "P2", "StudyDate", "19400101", "19390101"),
]


def what(*events: DatedEvent, mode: DateMode = DateMode.SHIFT) -> list[str]:
    return [conflict.what for conflict in conflicts(events, mode, TODAY)]


def test_sound_dates_have_no_conflict_also_beside_other_patients():
    assert what(*SOUND) == []


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (DatedEvent("p", "P1", "StudyDate", "UNKNOWN", ""), "cannot be read as a date, so it is removed"),
        (DatedEvent("p", "P1", "StudyDate", "00010101", ""), "would leave the calendar"),
        (DatedEvent("p", "P1", "StudyDate", "20270101", "20250101"), "lies in the future"),
        (DatedEvent("p", "P1", "StudyDate", "20250101", "20280101"), "would lie in the future"),
        (
            DatedEvent("p", "P1", "StudyDate", "19500101", "19490101"),
            "lies before the birth: the age would be negative",
        ),
    ],
)
def test_a_date_that_cannot_be_right_is_told_with_the_reason(event, expected):
    assert expected in what(SOUND[0], event)


def test_two_birth_dates_of_one_patient_are_told():
    other = replace(SOUND[0], before="19600101")
    assert what(SOUND[0], other) == ["files of this patient tell different birth dates"] * 2


def test_where_dates_are_removed_a_missing_one_is_no_conflict():
    assert what(replace(SOUND[1], after=""), mode=DateMode.REMOVE) == []


def test_the_table_of_dates_is_for_its_owner_alone(tmp_path: Path):
    path = tmp_path / "dates.csv"
    dating = Dating(tuple(SOUND), (), {}, {"p": PatientRow("4711", "-30", "")})
    write_events(path, dating)
    rows = list(csv.reader(path.open(encoding="utf-8")))
    assert rows[0] == ["patient_id", "pseudonym", "days", "baseline", "event", "before", "after"]
    assert rows[2] == ["4711", "P1", "-30", "", "StudyDate", "20190304", "20181122"]
    assert rows[3] == ["", "P2", "", "", "StudyDate", "19400101", "19390101"]
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(KnownError):
        write_events(tmp_path / "nowhere" / "dates.csv", dating)


def test_a_policy_that_is_only_tried_stores_no_baseline(tmp_path: Path):
    project = Project.open(tmp_path / "p")
    asset = Asset("a", "/in/a", "", "0" * 64, 1, AssetKind.DICOM, patient_key="p")
    project.store.assets.add([asset])
    project.store.assets.save_loaded(replace(asset, info={"dates": {"StudyDate": "20190304"}}), [])
    policy = changed(project.policy, "dates", mode="baseline", day_zero=date(2010, 1, 1))
    dating = project.dating(policy)
    assert [event.after for event in dating.events] == ["20100101"]
    assert dating.baselines == {"p": "2019-03-04"}
    assert project.store.crosswalk("baseline") == {}
    project.set_baseline("p", date(2019, 3, 1))
    assert [event.after for event in project.dating(policy).events] == ["20100104"]
    assert [row.event for row in project.store.audit_rows()][-1] == "baseline-set"
    project.close()


@pytest.fixture
def two_patients(tmp_path: Path):
    """A project whose patients 4711 and 4712 have a study each, and a document's date without a patient ID."""
    project = Project.open(tmp_path / "p")
    subjects = Subjects(project.store, project._key, project.policy)
    for name, day in (("4711", "20190304"), ("4712", "20180101")):
        key = subjects.patient_of(issued_id(dataset_of(name), project._key))
        asset = Asset(name, f"/in/{name}", "", "0" * 64, 1, AssetKind.DICOM, patient_key=key)
        project.store.assets.add([asset])
        project.store.assets.save_loaded(replace(asset, info={"dates": {"StudyDate": day}}), [])
        project.store.assign("patient", {name: subjects.of_patient(key).pseudonym})
    nobody = Asset("n", "/in/n", "", "1" * 64, 1, AssetKind.DICOM, patient_key="nobody")
    project.store.assets.add([nobody])
    project.store.assets.save_loaded(replace(nobody, info={"dates": {"StudyDate": "20170101"}}), [])
    yield project
    project.close()


def dataset_of(patient: str) -> Dataset:
    dataset = Dataset()
    dataset.PatientID = patient
    return dataset


def exported(project: Project, path: Path) -> list[list[str]]:
    write_events(path, project.dating(project.policy))
    return list(csv.reader(path.open(encoding="utf-8")))


def test_the_exported_dates_can_be_imported_again_and_change_nothing(two_patients: Project, tmp_path: Path):
    path = tmp_path / "dates.csv"
    rows = exported(two_patients, path)
    assert sorted(row[0] for row in rows[1:]) == ["", "4711", "4712"]
    before = Subjects(two_patients.store, two_patients._key, two_patients.policy).fingerprint
    assert two_patients.import_patients(path) == 2
    assert Subjects(two_patients.store, two_patients._key, two_patients.policy).fingerprint == before
    assert exported(two_patients, path) == rows


def test_what_was_changed_in_the_exported_dates_is_taken_and_only_that(two_patients: Project, tmp_path: Path):
    path = tmp_path / "dates.csv"
    rows = exported(two_patients, path)
    kept = {row[0]: row for row in rows}["4712"]
    for row in rows:
        if row[0] == "4711":
            row[1:3] = ["TRIAL-001", "-10"]
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    two_patients.import_patients(path)
    again = {row[0]: row for row in exported(two_patients, path)}
    assert again["4711"] == ["4711", "TRIAL-001", "-10", again["4711"][3], "StudyDate", "20190304", "20190222"]
    assert again["4712"] == kept


def test_lines_of_one_patient_that_differ_are_refused(two_patients: Project, tmp_path: Path):
    path = tmp_path / "dates.csv"
    path.write_text("patient_id,days,event\n4711,-5,StudyDate\n4711,-6,SeriesDate\n", "utf-8")
    with pytest.raises(KnownError, match="different pseudonyms, days or baselines"):
        two_patients.import_patients(path)

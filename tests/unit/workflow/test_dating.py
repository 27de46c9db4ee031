"""Dates before and after, and those that cannot be right."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from deidra.app.dating import BIRTH, conflicts, write_events
from deidra.app.decide.editing import changed
from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import Asset, AssetKind
from deidra.app.metadata.dates import DateMode
from deidra.app.subjects import DatedEvent
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
    write_events(path, SOUND)
    rows = list(csv.reader(path.open(encoding="utf-8")))
    assert rows[0] == ["patient", "event", "before", "after"]
    assert rows[2] == ["P1", "StudyDate", "20190304", "20181122"]
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(KnownError):
        write_events(tmp_path / "nowhere" / "dates.csv", SOUND)


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

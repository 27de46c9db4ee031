from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from deidra.app.domain.model import Asset, AssetKind
from deidra.app.metadata.dates import DateMode
from deidra.app.workflow import Project
from deidra.ui import theme
from deidra.ui.timeline import Timeline

from .test_pages import cells
from .test_policy_page import click
from .trial import plain_policy, trial

FILES = {
    "a": {"PatientBirthDate": "19510312", "StudyDate": "20190304"},
    "b": {"StudyDate": "20190310"},
    "c": {"StudyDate": "19400101"},
}


@pytest.fixture
def dated(tmp_path) -> Project:
    project = trial(tmp_path / "trial")
    for name, dates in FILES.items():
        asset = Asset(name, f"/in/{name}", "", "0" * 64, 1, AssetKind.DICOM, patient_key="key1")
        project.store.assets.add([asset])
        project.store.assets.save_loaded(replace(asset, info={"dates": dates}), [])
        # Only what the headers tell is looked at; the files themselves are not there.
        project.store.assets.set_status(name, asset.status, "")
    project.apply_policy(plain_policy())
    return project


@pytest.fixture
def shown(driver, dated):
    window = driver.open(dated)
    window.pages.go("dates_page")
    driver.settle(window)
    return window, window.pages.state_pages["dates_page"]


def choose(driver, window, page, mode: DateMode) -> None:
    page.mode.setCurrentIndex(page.mode.findData(mode.value))
    page.mode.activated.emit(page.mode.currentIndex())
    driver.settle(window)


def test_another_mode_shows_the_dates_as_they_would_be_and_stores_nothing(driver, shown, dated):
    window, page = shown
    choose(driver, window, page, DateMode.YEAR)
    assert [row[2:] for row in cells(page.table)] == [
        ("1940-01-01", "1940-01-01"),
        ("1951-03-12", "1951-01-01"),
        ("2019-03-04", "2019-01-01"),
        ("2019-03-10", "2019-01-01"),
    ]
    assert page.changes.text.text() == "Not applied yet: dates."
    assert dated.policy.dates.mode is DateMode.SHIFT
    click(driver, window, page.changes.apply)
    assert dated.policy.dates.mode is DateMode.YEAR
    assert not page.changes.apply.isEnabled()


def test_only_the_fields_of_the_chosen_mode_are_shown(driver, shown):
    window, page = shown
    assert (page.least.isVisible(), page.fixed.isVisible(), page.zero.isVisible()) == (True, False, False)
    choose(driver, window, page, DateMode.FIXED)
    assert (page.least.isVisible(), page.fixed.isVisible(), page.baseline_row.isVisible()) == (False, True, False)
    choose(driver, window, page, DateMode.BASELINE)
    assert (page.fixed.isVisible(), page.zero.isVisible(), page.baseline_row.isVisible()) == (False, True, True)


def test_days_are_typed_and_the_dates_follow(driver, shown):
    window, page = shown
    choose(driver, window, page, DateMode.FIXED)
    page.fixed.setFocus()
    page.fixed.selectAll()
    driver.qtbot.keyClicks(page.fixed, "-10")
    driver.qtbot.keyClick(page.fixed, Qt.Key.Key_Return)
    driver.settle(window)
    assert cells(page.table)[2][2:] == ("2019-03-04", "2019-02-22")


def test_a_range_that_is_upside_down_is_refused_and_the_old_one_shown(driver, shown):
    window, page = shown
    for typed in ("10", "many", "-5"):
        page.most.selectAll()
        driver.qtbot.keyClicks(page.most, typed)
        driver.qtbot.keyClick(page.most, Qt.Key.Key_Return)
        driver.settle(window)
        assert page.most.text() == "3650"
    assert not page.draft.is_edited


def test_conflicts_are_listed_and_lead_to_their_date(driver, shown):
    window, page = shown
    assert [(row[2], row[3]) for row in cells(page.conflicts)] == [
        ("1940-01-01", "lies before the birth: the age would be negative")
    ]
    assert page.conflicts_title.text() == "1 date cannot be right:"
    page.table.selectRow(3)
    window.activateWindow()
    page.conflicts.selectRow(0)
    driver.qtbot.keyClick(page.conflicts, Qt.Key.Key_Return)
    assert page.table.currentIndex().row() == 0


def test_the_baseline_of_a_patient_is_set_and_applied(driver, shown, dated):
    window, page = shown
    choose(driver, window, page, DateMode.BASELINE)
    page.table.selectRow(2)
    assert page.baseline.text() == "1940-01-01"
    page.baseline.setText("2019-13-01")
    page.baseline.editingFinished.emit()
    assert page.baseline.text() == "1940-01-01"
    page.baseline.setText("2019-03-01")
    click(driver, window, page.set_baseline)
    assert cells(page.table)[2][2:] == ("2019-03-04", "2000-01-04")
    assert dated.store.crosswalk("baseline") == {"key1": "2019-03-01"}
    click(driver, window, page.changes.apply)
    assert dated.is_current()


def test_an_imported_table_is_applied_after_it_was_told(driver, shown, dated, tmp_path):
    window, page = shown
    table = tmp_path / "patients.csv"
    table.write_text("patient_id,days\nX1,-100\n", encoding="utf-8")
    page.import_from(table)
    driver.settle(window)
    assert window.status.message.text() == "Patients imported: 1. Apply to move the dates."
    assert page.changes.apply.isEnabled()
    assert page.changes.text.text() == "Something has changed since the project was decided. Apply to decide again."
    click(driver, window, page.changes.apply)
    assert dated.is_current()
    assert not page.changes.apply.isEnabled()


def test_the_dates_are_exported_as_they_are_shown(driver, shown, tmp_path):
    window, page = shown
    choose(driver, window, page, DateMode.YEAR)
    page.export_to(tmp_path / "dates.csv")
    driver.settle(window)
    lines = (tmp_path / "dates.csv").read_text("utf-8").split()
    assert len(lines) == 5
    assert lines[1].endswith(",StudyDate,19400101,19400101")


def test_the_timeline_puts_earlier_days_to_the_left_and_draws_both_rows(qtbot):
    line = Timeline()
    qtbot.addWidget(line)
    line.resize(600, line.minimumHeight())
    pairs = [(date(1951, 3, 12), date(1950, 11, 22)), (date(2019, 3, 4), date(2018, 11, 22)), (date(2020, 1, 1), None)]
    line.show_pairs(pairs)
    assert line.span == (date(1950, 11, 22), date(2020, 1, 1))
    places = [line.place(day) for day in (date(1950, 11, 22), date(1951, 3, 12), date(2019, 3, 4), date(2020, 1, 1))]
    assert places == sorted(places)
    assert 0 < places[0] < places[-1] < 600
    image = line.grab().toImage()
    colour = QColor(theme.colours().accent)
    after = [x for x in range(600) for y in range(image.height()) if image.pixelColor(x, y) == colour]
    assert min(after) == pytest.approx(line.place(date(1950, 11, 22)), abs=8)
    assert max(after) == pytest.approx(line.place(date(2018, 11, 22)), abs=8)
    assert "1951-03-12 to 1950-11-22" in line.accessibleDescription()

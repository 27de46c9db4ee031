from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from deidra.app.domain.errors import InputError, KnownError, StoreError
from deidra.app.progress import ProgressEvent
from deidra.ui import application, settings, start
from deidra.ui.dialogs import ReleaseDialog
from deidra.ui.job_strip import progress_text

from .conftest import FakeProject, ids, standard_findings


def test_without_a_project_the_window_says_how_to_begin(driver):
    window = driver.open(None)
    assert window.page is None
    assert window.windowTitle() == "Deidra"
    assert not window.actions_by_id["accept"].isEnabled()
    assert not window.actions_by_id["release"].isEnabled()
    assert window.actions_by_id["open"].isEnabled()
    driver.press(window, Qt.Key.Key_A)


def test_opening_a_folder_shows_its_project_and_remembers_it(driver, project):
    window = driver.open(None, opener=lambda folder, create: project if folder == project.folder and create else None)
    window.open_project(project.folder)
    driver.settle(window)
    assert len(ids(window)) == 5
    assert settings.recent_projects() == [project.folder]
    assert window.status.policy.text() == "policy: standard"
    assert window.status.audit.text() == "audit: intact"


def test_a_folder_that_cannot_be_opened_is_explained_and_the_old_project_stays(driver, project):
    def refuse(_folder, _create):
        raise StoreError("The project database is damaged.", "Restore the project folder from a backup.")

    window = driver.open(project, opener=refuse)
    window.open_project(Path("/nowhere"))
    driver.settle(window)
    box = window.findChild(QMessageBox)
    assert (box.text(), box.informativeText()) == (
        "The project database is damaged.",
        "Restore the project folder from a backup.",
    )
    assert window.project is project
    assert not project.closed


def test_opening_another_project_closes_the_first(driver, project, tmp_path):
    other = FakeProject(tmp_path / "other")
    window = driver.open(project, opener=lambda _folder, _create: other)
    window.open_project(other.folder)
    driver.settle(window)
    assert project.closed
    assert window.windowTitle() == "Deidra – other"
    assert window.page.queue.count.text() == "0 waiting"


def test_closing_the_project_brings_the_first_page_back(driver, project):
    window = driver.open(project)
    window.actions_by_id["close"].trigger()
    driver.settle(window)
    assert window.page is None
    assert project.closed
    assert window.pages.front == ""
    assert not window.pages.rail.isVisible()


def test_a_run_shows_progress_and_its_findings(driver, tmp_path):
    project = FakeProject(tmp_path / "new", steps=20, step_seconds=0.02)
    project.after_run = lambda: project.fill(standard_findings())
    window = driver.open(project)
    window.import_paths([tmp_path])
    assert window.strip.stop.isVisible()
    assert not window.actions_by_id["import_folder"].isEnabled()
    assert not window.actions_by_id["release"].isEnabled()
    driver.qtbot.waitUntil(lambda: window.strip.bar.value() > 5, timeout=60_000)
    assert window.strip.bar.maximum() == 20
    assert window.strip.stage.text() == "finding text"
    assert "/ 20 · " in window.strip.numbers.text()
    driver.settle(window)
    assert project.run_calls == [[tmp_path]]
    assert not window.strip.stop.isVisible()
    assert len(ids(window)) == 5
    assert window.page.current.id == "name"
    assert window.status.message.text() == "3 files processed in 2 s: 4 findings, 2 wait for you."
    assert window.actions_by_id["release"].isEnabled()


def test_pause_holds_a_run_and_resume_lets_it_finish(driver, project):
    project.steps, project.step_seconds = 30, 0.02
    window = driver.open(project)
    window.import_paths([Path("/in")])
    driver.qtbot.waitUntil(lambda: window.strip.bar.value() > 2, timeout=60_000)
    driver.qtbot.mouseClick(window.strip.pause, Qt.MouseButton.LeftButton)
    assert window.strip.pause.text() == "Resume"
    driver.qtbot.wait(150)
    held = window.strip.bar.value()
    driver.qtbot.wait(250)
    assert window.strip.bar.value() == held < 30
    driver.qtbot.mouseClick(window.strip.pause, Qt.MouseButton.LeftButton)
    assert window.strip.pause.text() == "Pause"
    driver.settle(window)
    assert window.status.message.text().startswith("3 files processed")


def test_stop_ends_a_run_early_and_keeps_what_is_finished(driver, project):
    project.steps, project.step_seconds = 2000, 0.02
    window = driver.open(project)
    window.import_paths([Path("/in")])
    driver.qtbot.waitUntil(lambda: window.strip.bar.value() > 2, timeout=60_000)
    driver.qtbot.mouseClick(window.strip.pause, Qt.MouseButton.LeftButton)
    driver.qtbot.mouseClick(window.strip.stop, Qt.MouseButton.LeftButton)
    driver.settle(window)
    assert window.status.message.text() == "Stopped. What was finished is kept."
    assert len(ids(window)) == 5


def test_decisions_can_be_made_during_a_run(driver, project):
    project.steps, project.step_seconds = 2000, 0.01
    window = driver.open(project)
    window.import_paths([Path("/in")])
    driver.qtbot.keyClick(window.focusWidget(), Qt.Key.Key_A)
    driver.qtbot.waitUntil(lambda: window.page.current.id == "desc", timeout=60_000)
    assert project.desk.progress().decided == 1
    window.job.control.cancel()
    driver.settle(window)


def test_closing_the_window_during_a_run_stops_it_first(driver, project):
    project.steps, project.step_seconds = 2000, 0.01
    window = driver.open(project)
    window.import_paths([Path("/in")])
    assert not window.close()
    driver.qtbot.waitUntil(lambda: not window.isVisible(), timeout=60_000)
    assert project.closed


def test_a_run_that_fails_says_what_to_do(driver, project):
    project.run_error = InputError("There is nothing to read in that folder.", "Choose another folder.")
    window = driver.open(project)
    window.import_paths([Path("/in")])
    driver.settle(window)
    box = window.findChild(QMessageBox)
    assert (box.text(), box.informativeText()) == ("There is nothing to read in that folder.", "Choose another folder.")
    assert box.isVisible()
    assert window.job is None


def test_files_in_quarantine_are_listed_after_a_run(driver, project):
    project.quarantined = (("/in/x.dcm", "The pixel data is damaged."),)
    window = driver.open(project)
    window.import_paths([Path("/in")])
    driver.settle(window)
    box = window.findChild(QMessageBox)
    assert "/in/x.dcm: The pixel data is damaged." in box.detailedText()


def drop(window, paths):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    event = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    window.dropEvent(event)


def test_dropping_files_imports_them(driver, project, tmp_path):
    window = driver.open(project)
    assert window.acceptDrops()
    drop(window, [tmp_path / "a.dcm", tmp_path / "folder"])
    driver.settle(window)
    assert project.run_calls == [[tmp_path / "a.dcm", tmp_path / "folder"]]


def test_dropping_a_folder_without_a_project_asks_for_one_and_then_imports(driver, project, tmp_path):
    window = driver.open(None, opener=lambda _folder, _create: project)
    drop(window, [tmp_path])
    dialog = window.findChild(QFileDialog)
    assert dialog.isVisible()
    dialog.fileSelected.emit(str(project.folder))
    driver.settle(window)
    assert project.run_calls == [[tmp_path]]
    assert window.project is project


def test_releasing_asks_what_becomes_of_waiting_items(driver, project, tmp_path):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    dialog = window.findChild(ReleaseDialog)
    assert dialog.waiting.text() == "5 items wait for a decision."
    assert dialog.choices["refuse"].isChecked()
    assert dialog.folder.text() == str(project.folder.parent / "MRI trauma 2019-release")
    dialog.choices["quarantine"].setChecked(True)
    dialog.folder.setText(str(tmp_path / "out"))
    dialog.start.click()
    driver.settle(window)
    assert project.release_calls == [(tmp_path / "out", "quarantine")]
    assert window.findChild(QMessageBox).text() == f"2 files released in 1 s to {tmp_path / 'out'}."


def test_progress_in_words():
    assert progress_text(ProgressEvent("x", 1204, 3980, 41.4, 67.0)) == "1,204 / 3,980 · 41/s · 1 min left"
    assert progress_text(ProgressEvent("x", 0, 10, 0.0, None)) == "0 / 10"
    assert progress_text(ProgressEvent("x", 10, 10, 0.5, 0.0)) == "10 / 10 · 0.5/s"


def test_a_changed_audit_log_is_told(driver, project, monkeypatch):
    monkeypatch.setattr(project.store, "broken_audit_row", lambda: 7)
    assert driver.open(project).status.audit.text() == "audit: changed at row 7"


def test_a_picture_of_the_window_is_written(qapp, project, tmp_path, monkeypatch):
    monkeypatch.setattr(start, "open_project", lambda _folder, _create: project)
    out = tmp_path / "window.png"
    start.save_picture(project.folder, out, (1000, 700))
    image = QImage(str(out))
    assert (image.width(), image.height()) == (1000, 700)
    assert project.closed
    again = FakeProject(project.folder)
    monkeypatch.setattr(start, "open_project", lambda _folder, _create: again)
    with pytest.raises(KnownError, match="cannot be written"):
        start.save_picture(project.folder, tmp_path / "no" / "window.png")


def test_dropping_a_project_folder_opens_that_project(driver, project):
    window = driver.open(None, opener=lambda _folder, _create: project)
    drop(window, [project.folder])
    driver.settle(window)
    assert window.project is project
    assert project.run_calls == []


def test_a_bug_is_told_and_logged_without_its_message(qtbot, caplog, capsys):
    try:
        raise ValueError("John Smith")
    except ValueError as error:
        application.report_bug(type(error), error, error.__traceback__)
    box = next(widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QMessageBox))
    assert box.text() == "Deidra met an error that it did not expect."
    written = capsys.readouterr().out + caplog.text
    assert "ValueError" in written
    assert "John" not in written + box.text() + box.informativeText()
    box.close()

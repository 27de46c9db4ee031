from __future__ import annotations

import pytest
from pdf_files import encrypted, made, written
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QLineEdit

from deidra.app.decide.editing import changed
from deidra.app.decide.policy import load_policy
from deidra.app.domain.model import AssetStatus
from deidra.app.workflow import Project
from deidra.ui import settings
from deidra.ui.main_window import MainWindow

from .test_pages import cells, go
from .test_policy_page import click

SECRET = "well-Kept7"


@pytest.fixture
def locked(tmp_path) -> Project:
    path = tmp_path / "a.pdf"
    path.write_bytes(encrypted(made(lambda canvas: written(canvas, "The liver is normal.", 15, 50, 14)), SECRET))
    project = Project.open(tmp_path / "trial")
    project.apply_policy(changed(load_policy("basic"), "detect", network=False))
    project.run([path])
    return project


def type_password(driver, window, page, word: str) -> None:
    click(driver, window, page.password)
    dialog = window.findChild(QInputDialog)
    field = dialog.findChild(QLineEdit)
    assert field.echoMode() is QLineEdit.EchoMode.Password
    driver.qtbot.keyClicks(field, word)
    driver.qtbot.keyClick(field, Qt.Key.Key_Return)
    driver.qtbot.waitUntil(lambda: window.operations.is_idle and window.job is None, timeout=60_000)
    driver.settle(window)


def test_a_password_typed_in_the_window_opens_a_held_file_and_is_stored_nowhere(driver, locked):
    (asset,) = locked.store.assets.all()
    assert asset.status is AssetStatus.QUARANTINED
    window = driver.open(locked)
    go(driver, window, 1)
    page = window.pages.state_pages["project_page"]
    assert page.locked.text() == "1 file encrypted."
    type_password(driver, window, page, "wrong")
    assert "no password that was given opens it" in cells(page.held)[0][1]
    type_password(driver, window, page, SECRET)
    (asset,) = locked.store.assets.all()
    assert asset.status is AssetStatus.DECIDED
    assert cells(page.held) == []
    assert page.locked.text() == ""
    kept = b"".join(path.read_bytes() for path in locked.folder.iterdir())
    assert SECRET.encode() not in kept


def test_where_nothing_is_held_back_a_sentence_stands_in_place_of_an_empty_table(driver, project):
    window = driver.open(project)
    go(driver, window, 1)
    page = window.pages.state_pages["project_page"]
    assert not page.held.isVisible()
    assert page.held_title.text() == "No file is held back: every file that was found could be read."


def test_the_page_in_front_is_in_front_after_a_restart(driver, project):
    first = driver.open(None, opener=lambda _folder, _create: project)
    first.remember_state()
    first.open_project(project.folder)
    driver.settle(first)
    go(driver, first, 3)
    first.close()
    assert settings.front_page() == "dates_page"

    again = type(project)(project.folder)
    second = MainWindow(None, opener=lambda _folder, _create: again)
    driver.qtbot.addWidget(second)
    second.remember_state()
    second.show()
    second.open_project(project.folder)
    driver.settle(second)
    assert second.pages.front == "dates_page"


def test_a_page_that_does_not_exist_any_more_is_not_shown(driver, project):
    settings.keep_front_page("gone_page")
    window = driver.open(None, opener=lambda _folder, _create: project)
    window.remember_state()
    window.open_project(project.folder)
    driver.settle(window)
    assert window.pages.front == "review_page"

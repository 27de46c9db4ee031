"""Edits of a policy are never lost without a question, and other small faults of the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox, QSpinBox

from deidra.app.decide.editing import changed
from deidra.app.domain.errors import StoreError
from deidra.app.workflow import Project
from deidra.ui.dialogs import ReleaseDialog
from deidra.ui.theme import DARK, LIGHT, style_sheet

from .trial import trial


@pytest.fixture
def edited(driver, tmp_path: Path):
    """A window on a real project whose policy was changed and not applied."""
    window = driver.open(trial(tmp_path / "trial"))
    draft = window.pages.draft
    driver.qtbot.waitUntil(lambda: window.operations.is_idle, timeout=60_000)
    window.pages.go("policy")
    driver.settle(window)
    assert draft.edit(lambda policy: changed(policy, "dates", mode="remove"))
    yield window
    if window.project is not None:
        draft.discard()
        window.close()


def answer(driver, window, text: str) -> None:
    box = next(box for box in window.findChildren(QMessageBox) if box.isVisible())
    assert box.text() == "The policy was changed, but the changes are not applied yet."
    next(button for button in box.buttons() if button.text() == text).click()
    driver.qtbot.wait(20)
    driver.settle(window)


def test_closing_asks_and_staying_keeps_project_and_edits(driver, edited):
    edited.actions_by_id["close"].trigger()
    answer(driver, edited, "Stay")
    assert edited.project is not None
    assert edited.pages.draft.is_edited


def test_discarding_closes_the_project(driver, edited):
    project = edited.project
    edited.actions_by_id["close"].trigger()
    answer(driver, edited, "Discard")
    assert edited.project is None
    assert edited.windowTitle() == "Deidra"
    assert project.folder.exists()


def test_applying_stores_the_policy_and_closes_the_project_then(driver, edited, tmp_path: Path):
    edited.actions_by_id["close"].trigger()
    answer(driver, edited, "Apply")
    assert edited.project is None
    again = trial_again(tmp_path)
    assert again.policy.dates.mode.value == "remove"
    again.close()


def trial_again(tmp_path: Path):
    return Project.open(tmp_path / "trial", create=False)


def test_the_window_asks_before_it_closes(driver, edited):
    edited.close()
    assert edited.isVisible()
    answer(driver, edited, "Stay")
    assert edited.isVisible()
    edited.close()
    answer(driver, edited, "Discard")
    assert not edited.isVisible()
    assert edited.project is None


def test_a_release_asks_first_and_goes_on_with_what_was_applied(driver, edited):
    edited.actions_by_id["release"].trigger()
    assert edited.findChild(ReleaseDialog) is None
    answer(driver, edited, "Apply")
    assert edited.findChild(ReleaseDialog) is not None
    assert edited.project.policy.dates.mode.value == "remove"
    assert not edited.pages.draft.is_edited


def test_without_edits_nothing_is_asked(driver, project):
    window = driver.open(project)
    window.actions_by_id["close"].trigger()
    driver.settle(window)
    assert window.project is None
    assert window.findChildren(QMessageBox) == []


def test_a_failed_read_is_not_said_to_be_unsaved(driver, project, monkeypatch):
    window = driver.open(project)
    before = window.status.message.text()

    def fail(*_args):
        raise StoreError("The project database is damaged.", "Restore it.")

    monkeypatch.setattr(project.desk, "queue", fail)
    window.page.queue.reload()
    driver.settle(window)
    assert window.findChild(QMessageBox).text() == "The project database is damaged."
    assert window.status.message.text() == before


def test_the_password_is_asked_for_only_where_a_file_is_encrypted(driver, project, monkeypatch):
    window = driver.open(project)
    window.pages.go("project_page")
    driver.settle(window)
    page = window.pages.state_pages["project_page"]
    assert page.password.isHidden()
    monkeypatch.setattr(project, "encrypted_files", lambda: [Path("/in/a.pdf")])
    window.pages.go("project_page")
    driver.settle(window)
    assert page.password.isVisible()


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_a_number_in_a_spin_box_can_be_read(qtbot, scheme):
    box = QSpinBox()
    qtbot.addWidget(box)
    box.setStyleSheet(style_sheet(scheme))
    box.setMaximum(99_999)
    box.resize(box.sizeHint())

    def picture(number):
        box.setValue(number)
        box.lineEdit().deselect()
        return box.grab().toImage()

    assert picture(11_111) != picture(88_888)
    # Both themes write dark on light or light on dark: the ink stands out from the panel.
    image = picture(88_888)
    shades = [image.pixelColor(x, box.height() // 2).lightness() for x in range(8, 40)]
    assert max(shades) - min(shades) > 100

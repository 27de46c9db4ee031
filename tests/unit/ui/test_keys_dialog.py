"""Keys can be changed, are remembered, and never get two meanings."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from deidra.app.domain.model import DecisionKind
from deidra.ui import settings
from deidra.ui.actions import BINDINGS, FIXED, conflict, keys_of
from deidra.ui.keys_dialog import KeysDialog

SHIFT = Qt.KeyboardModifier.ShiftModifier
COMMANDS = {binding.id: binding for binding in BINDINGS}


def change(driver, window, command, key, modifier=Qt.KeyboardModifier.NoModifier):
    """Give a command a key as a person does; returns the dialog."""
    driver.press(window, Qt.Key.Key_F1)
    dialog = window.findChildren(KeysDialog)[-1]
    dialog.select(command)
    dialog.change.click()
    assert dialog.field.hasFocus()
    driver.qtbot.keyClick(dialog.field, key, modifier)
    return dialog


def close(driver, window, dialog):
    dialog.accept()
    window.activateWindow()
    driver.settle(window)


def meanings(window):
    return Counter(key.toString() for action in window.actions_by_id.values() for key in action.shortcuts())


def test_a_changed_key_decides_and_the_old_one_does_not(driver, project):
    window = driver.open(project)
    dialog = change(driver, window, "accept", Qt.Key.Key_X)
    assert dialog.note.text() == "“Accept” has the key X now."
    close(driver, window, dialog)
    assert window.page.bar.buttons["accept"].accessibleName() == "Accept, key X"
    driver.press(window, Qt.Key.Key_A)
    assert project.desk.finding("name").decision is None
    driver.press(window, Qt.Key.Key_X)
    assert project.desk.finding("name").decision is DecisionKind.ACCEPT


def test_changed_keys_are_remembered(driver, project):
    window = driver.open(project)
    close(driver, window, change(driver, window, "keep", Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier))
    assert settings.own_keys() == {"keep": ("Ctrl+K",)}
    again = driver.open(None)
    assert again.actions_by_id["keep"].shortcut().toString() == "Ctrl+K"


@pytest.mark.parametrize(
    ("key", "modifier", "says"),
    [
        (Qt.Key.Key_K, Qt.KeyboardModifier.NoModifier, "K already means “Keep”."),
        (Qt.Key.Key_A, SHIFT, "Shift+A already means “Accept all alike”."),
        (Qt.Key.Key_Question, SHIFT, "? already means “Keys”."),
        (Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, "Space already means “Next undecided”."),
        (Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "Return moves through lists"),
        (Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier, "Down moves through lists"),
    ],
)
def test_a_key_with_another_meaning_is_refused_and_nothing_changes(driver, project, key, modifier, says):
    window = driver.open(project)
    before = meanings(window)
    dialog = change(driver, window, "accept", key, modifier)
    assert dialog.note.text().startswith(says)
    assert dialog.note.objectName() == "warning"
    assert meanings(window) == before
    assert settings.own_keys() == {}


def test_esc_while_a_key_is_asked_for_changes_nothing(driver, project):
    window = driver.open(project)
    dialog = change(driver, window, "accept", Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert dialog.field.isHidden()
    assert settings.own_keys() == {}


def test_a_key_that_was_freed_can_be_given_to_another_command(driver, project):
    window = driver.open(project)
    close(driver, window, change(driver, window, "keep", Qt.Key.Key_X))
    close(driver, window, change(driver, window, "accept", Qt.Key.Key_K))
    driver.press(window, Qt.Key.Key_K)
    assert project.desk.finding("name").decision is DecisionKind.ACCEPT
    dialog = change(driver, window, "flag", Qt.Key.Key_Escape)
    dialog.select("keep")
    dialog.reset.click()
    assert dialog.note.text().startswith("K already means “Accept”.")
    dialog.reset_all.click()
    assert settings.own_keys() == {}
    assert meanings(window) == Counter(QKeySequence(key).toString() for b in BINDINGS for key in b.keys)


def test_letting_go_a_changed_key_ends_the_look_at_the_original(driver, project):
    window = driver.open(project)
    window.resize(1600, 900)
    close(driver, window, change(driver, window, "peek", Qt.Key.Key_Y))
    driver.qtbot.keyPress(window.focusWidget(), Qt.Key.Key_Y)
    assert not window.page.canvas.boxes_shown
    driver.qtbot.keyRelease(window.focusWidget(), Qt.Key.Key_Y)
    assert window.page.canvas.boxes_shown
    assert "Y: original" in window.page.bar.hint.text()


def test_settings_written_by_hand_give_no_key_two_meanings(driver, project):
    settings.keep_own_keys("flag", ("A",))
    settings.keep_own_keys("note", ("A",))
    window = driver.open(project)
    assert window.actions_by_id["flag"].shortcut().toString() == "A"
    assert [key for key, count in meanings(window).items() if key and count > 1] == []


def test_the_keys_of_the_review_are_those_that_the_buttons_and_the_handbook_name():
    wanted = {
        **dict(zip("ARBK", DecisionKind, strict=True)),
        **{f"Shift+{key}": f"{name}_alike" for key, name in zip("ARBK", DecisionKind, strict=True)},
        "Space": "next",
        "Backspace": "previous",
        "F": "flag",
        "V": "peek",
        "W": "wipe",
        "[": "frame_back",
        "]": "frame_on",
        "P": "play",
        "Z": "fit",
        **{str(n): b.id for n, b in enumerate((b for b in BINDINGS if b.group == "Contrast"), 1)},
    }
    assert {key: b.id for b in BINDINGS for key in keys_of(b) if key in wanted} == wanted


def test_no_standard_key_is_one_that_moves_through_lists():
    assert [b.id for b in BINDINGS for key in b.keys if key in FIXED or conflict(b, key)] == []

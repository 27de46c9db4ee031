from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from deidra.ui.actions import BINDINGS, LOCAL_KEYS
from deidra.ui.keys_dialog import KeysDialog


def test_no_key_has_two_meanings_in_the_table():
    keys = Counter(QKeySequence(key).toString() for binding in BINDINGS for key in binding.keys)
    assert "" not in keys
    assert [key for key, count in keys.items() if count > 1] == []


def test_no_key_has_two_meanings_in_the_window(driver, project):
    window = driver.open(project)
    keys = Counter(
        sequence.toString()
        for action in set(window.findChildren(QAction))
        # Stand-ins of a page belong to no widget, so that their keys do nothing.
        if action.associatedObjects()
        for sequence in action.shortcuts()
    )
    assert keys["A"] == 1
    assert [key for key, count in keys.items() if count > 1] == []


def test_no_two_entries_of_a_menu_share_their_underlined_letter(driver, project):
    window = driver.open(project)
    menus = [menu for menu in window.findChildren(QMenu) if menu.actions()]
    assert len(menus) >= 5
    for menu in [*menus, window.menuBar()]:
        letters = [QKeySequence.mnemonic(action.text()).toString() for action in menu.actions() if "&" in action.text()]
        assert len(letters) == len(set(letters)), menu.title()


def test_a_held_key_never_decides(driver, project):
    window = driver.open(project)
    assert [name for name in ("accept", "replace", "blank", "keep") if window.actions_by_id[name].autoRepeat()] == []


@pytest.mark.parametrize("key", [Qt.Key.Key_F1, Qt.Key.Key_Question])
def test_the_cheat_sheet_shows_every_command_with_a_key(driver, project, key):
    window = driver.open(project)
    driver.press(window, key)
    table = window.findChild(KeysDialog).table
    shown = {table.item(row, 2).text() for row in range(table.rowCount()) if table.item(row, 2)}
    assert {binding.tip for binding in BINDINGS if binding.keys} <= shown
    assert {tip for _key, _text, tip in LOCAL_KEYS} <= shown

"""The menu bar, filled from the table of commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QMenuBar

from deidra.ui import settings
from deidra.ui.actions import BINDINGS
from deidra.ui.theme import Theme

_TITLES = {"Release": "Re&lease"}
"""Menus whose first letter is another menu's."""
_THEMES = ((Theme.SYSTEM, "As the &system"), (Theme.LIGHT, "&Light"), (Theme.DARK, "&Dark"))


def fill_menu_bar(bar: QMenuBar, actions: Mapping[str, QAction], set_theme: Callable[[Theme], None]) -> QMenu:
    """Make one menu a group; returns the submenu of recent projects."""
    menus: dict[str, QMenu] = {}
    for binding in BINDINGS:
        if binding.group not in menus:
            menus[binding.group] = bar.addMenu(_TITLES.get(binding.group, f"&{binding.group}"))
        menu = menus[binding.group]
        if binding.after_rule:
            menu.addSeparator()
        menu.addAction(actions[binding.id])
    recent = QMenu("Open &recent", bar)
    project = menus["Project"]
    project.insertMenu(actions["import_files"], recent)
    _add_themes(menus["View"], set_theme)
    return recent


def _add_themes(view: QMenu, set_theme: Callable[[Theme], None]) -> None:
    view.addSeparator()
    menu = view.addMenu("The&me")
    group = QActionGroup(menu)
    chosen = settings.theme()
    for choice, text in _THEMES:
        action = menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(choice is chosen)
        action.triggered.connect(lambda _checked=False, choice=choice: set_theme(choice))
        group.addAction(action)


def fill_recent(menu: QMenu, open_project: Callable[[Path], None]) -> None:
    """List the recent projects anew."""
    menu.clear()
    folders = settings.recent_projects()
    for folder in folders:
        action = menu.addAction(folder.name)
        action.setStatusTip(str(folder))
        action.triggered.connect(lambda _checked=False, folder=folder: open_project(folder))
    if not folders:
        menu.addAction("No recent projects").setEnabled(False)

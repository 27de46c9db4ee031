"""The menu bar, filled from the table of commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QMenuBar

from deidra.ui import settings
from deidra.ui.actions import BINDINGS
from deidra.ui.theme import Theme
from deidra.ui.translation import NAMES, Language, later, tr

_T = TypeVar("_T")
_TITLES = {
    "Project": later("&Project"),
    "Go": later("&Go"),
    "Review": later("&Review"),
    "View": later("&View"),
    "Contrast": later("&Contrast"),
    "Release": later("Re&lease"),
    "Help": later("&Help"),
}
_THEMES = ((Theme.SYSTEM, later("As the &system")), (Theme.LIGHT, later("&Light")), (Theme.DARK, later("&Dark")))


def fill_menu_bar(
    bar: QMenuBar,
    actions: Mapping[str, QAction],
    set_theme: Callable[[Theme], None],
    set_language: Callable[[Language], None],
) -> QMenu:
    """Make one menu a group; returns the submenu of recent projects."""
    menus: dict[str, QMenu] = {}
    for binding in BINDINGS:
        if binding.group not in menus:
            menus[binding.group] = bar.addMenu(tr(_TITLES[binding.group]))
        menu = menus[binding.group]
        if binding.after_rule:
            menu.addSeparator()
        menu.addAction(actions[binding.id])
    recent = QMenu(tr("Open &recent"), bar)
    project = menus["Project"]
    project.insertMenu(actions["import_files"], recent)
    view = menus["View"]
    view.addSeparator()
    themes = [(choice, tr(text)) for choice, text in _THEMES]
    _add_choice(view.addMenu(tr("The&me")), themes, settings.theme(), set_theme)
    languages = [(Language.SYSTEM, tr("As the &system")), *NAMES.items()]
    _add_choice(view.addMenu(tr("&Language")), languages, settings.language(), set_language)
    return recent


def _add_choice(menu: QMenu, entries: Sequence[tuple[_T, str]], chosen: _T, take: Callable[[_T], None]) -> None:
    group = QActionGroup(menu)
    for choice, text in entries:
        action = menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(choice is chosen)
        action.triggered.connect(lambda _checked=False, choice=choice: take(choice))
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
        menu.addAction(tr("No recent projects")).setEnabled(False)

"""Commands of a review as one page has them: several pages share keys and menus, each with states of its own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from deidra.ui.actions import ON_ITEM

_STATES = (*ON_ITEM, "draw", "play", "preview", "wipe", "header")
"""Commands that a page switches on and off, or ticks."""


class PageActions(QObject):
    """Stand-ins for the window's commands. Only those of the page in front reach the window.

    Args:
        shared: the commands of the window.
        parent: as in Qt.
        without: commands that this page does not have.
    """

    def __init__(self, shared: Mapping[str, QAction], parent: QObject, without: frozenset[str] = frozenset()) -> None:
        super().__init__(parent)
        self._shared, self._without, self._front = shared, without, False
        self.by_id = dict(shared)
        """By id: the stand-in where a page changes a command, else the command itself."""
        for name in _STATES:
            # Without a widget a command has keys to show, and none that act.
            own = QAction(shared[name].text(), self)
            own.setCheckable(shared[name].isCheckable())
            own.triggered.connect(shared[name].trigger)
            self.by_id[name] = own
            self._take_keys(name)
            # A method of this object: the window's commands outlive it, and must not call what is gone.
            shared[name].changed.connect(self._follow)
            own.changed.connect(partial(self._push, name))

    def set_front(self, on: bool) -> None:
        """Say whether the page is in front."""
        self._front = on
        for name in _STATES:
            self._push(name)

    def _follow(self) -> None:
        self._take_keys(self.sender().objectName())

    def _take_keys(self, name: str) -> None:
        own, shared = self.by_id[name], self._shared[name]
        own.setShortcuts(shared.shortcuts())
        own.setToolTip(shared.toolTip())

    def _push(self, name: str) -> None:
        if not self._front:
            return
        own, shared = self.by_id[name], self._shared[name]
        shared.setEnabled(own.isEnabled() and name not in self._without)
        if shared.isCheckable():
            shared.setChecked(own.isChecked())

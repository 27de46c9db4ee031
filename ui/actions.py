"""Every command of the window and its keys, in one table; menus, buttons and the cheat sheet read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QComboBox, QWidget


@dataclass(frozen=True, slots=True)
class Binding:
    """One command.

    ``keys`` are portable key names. ``group`` is its menu and its heading in the cheat sheet.
    ``repeat`` allows a held key to go on; decisions never do that, since nobody would have seen
    the item that the repetition decides on.
    """

    id: str
    group: str
    text: str
    tip: str
    keys: tuple[str, ...] = ()
    repeat: bool = False
    checkable: bool = False
    after_rule: bool = False


BINDINGS = (
    Binding("new", "Project", "&New project…", "Choose a folder for a new project", ("Ctrl+N",)),
    Binding("open", "Project", "&Open project…", "Open a project folder", ("Ctrl+O",)),
    Binding(
        "import_files", "Project", "Import &files…", "Add DICOM files, PDFs or scans", ("Ctrl+I",), after_rule=True
    ),
    Binding("import_folder", "Project", "&Import folder…", "Add everything in a folder", ("Ctrl+Shift+I",)),
    Binding(
        "close", "Project", "&Close project", "Close the project; everything is stored", ("Ctrl+W",), after_rule=True
    ),
    Binding("quit", "Project", "&Quit", "Close Deidra; everything is stored", ("Ctrl+Q",), after_rule=True),
    Binding("project_page", "Go", "&Project", "The files and how far they are", ("Ctrl+1",), checkable=True),
    Binding(
        "policy", "Go", "P&olicy", "What is removed, kept, moved and asked about", ("Ctrl+2", "F2"), checkable=True
    ),
    Binding("dates_page", "Go", "&Dates", "Every date before and after", ("Ctrl+3",), checkable=True),
    Binding("review_page", "Go", "&Review", "Decide on what waits", ("Ctrl+4",), checkable=True),
    Binding("release_page", "Go", "Re&lease", "What is in the way of a release", ("Ctrl+5",), checkable=True),
    Binding("accept", "Review", "&Accept", "Do what is proposed", ("A",)),
    Binding("replace", "Review", "&Replace…", "Write a surrogate instead", ("R",)),
    Binding("blank", "Review", "&Blank", "Remove it and leave nothing", ("B",)),
    Binding("keep", "Review", "&Keep", "It is not private: leave it as it is", ("K",)),
    Binding("undo", "Review", "&Undo", "Take back the last decision", ("Ctrl+Z",), repeat=True, after_rule=True),
    Binding("redo", "Review", "Re&do", "Decide again what was taken back", ("Ctrl+Shift+Z",), repeat=True),
    Binding("next", "Review", "&Next undecided", "Go to the next item that waits", ("Space",), True, after_rule=True),
    Binding("previous", "Review", "&Previous item", "Go to the item before in the list", ("Backspace",), repeat=True),
    Binding("filter", "Review", "&Find in the list", "Type part of a text or tag", ("Ctrl+F",)),
    Binding("zoom_in", "View", "Zoom &in", "Larger (also the mouse wheel)", ("+", "="), repeat=True),
    Binding("zoom_out", "View", "Zoom &out", "Smaller (also the mouse wheel)", ("-",), repeat=True),
    Binding("fit", "View", "&Fit", "Show the whole image", ("0",)),
    Binding("actual_size", "View", "&Actual size", "One image pixel on one screen pixel", ("1",)),
    Binding("frame_back", "View", "Frame &before", "Go one frame or page back", ("[",), repeat=True, after_rule=True),
    Binding("frame_on", "View", "Frame af&ter", "Go one frame or page on", ("]",), repeat=True),
    Binding("peek", "View", "Original &without boxes (hold)", "Hide the boxes while the key is held", ("V",)),
    Binding("preview", "View", "As it will be &released", "Switch between before and after", ("W",), checkable=True),
    Binding("header", "View", "&Header", "Switch between image and header", ("H",), checkable=True),
    Binding("release", "Release", "&Release…", "Write the de-identified files to a new folder", ("Ctrl+E",)),
    Binding("keys", "Help", "&Keys", "Show all keys", ("F1", "?")),
    Binding("about", "Help", "&About Deidra", "Version and licence"),
)

LOCAL_KEYS = (
    ("Enter", "Confirm", "Store the text of a replacement"),
    ("Esc", "Cancel", "Leave a replacement without deciding; empty the filter"),
)
"""Keys that work inside an editor only; they have no command of their own."""


def build(parent: QWidget, handlers: Mapping[str, Callable[[], object]]) -> dict[str, QAction]:
    """Make an action of each row of the table, with its keys live in ``parent``'s window.

    Raises:
        KeyError: a row has no handler.
    """
    actions = {}
    for binding in BINDINGS:
        action = QAction(binding.text, parent)
        action.setObjectName(binding.id)
        action.setShortcuts([QKeySequence(key) for key in binding.keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setAutoRepeat(binding.repeat)
        action.setCheckable(binding.checkable)
        action.setStatusTip(binding.tip)
        action.setToolTip(f"{binding.tip} ({', '.join(binding.keys)})" if binding.keys else binding.tip)
        action.triggered.connect(lambda _checked=False, call=handlers[binding.id]: call())
        parent.addAction(action)
        actions[binding.id] = action
    return actions


class OwnKeys(QObject):
    """Leaves Space to buttons and lists of choices that have the focus, which it presses or opens.

    Without this the window's Space ("next undecided") would be taken first, and a keyboard user
    could not press a button.
    """

    def guard(self, *widgets: QWidget) -> None:
        """Apply to every button and combo box under ``widgets``."""
        for widget in widgets:
            for kind in (QAbstractButton, QComboBox):
                for child in widget.findChildren(kind):
                    child.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Claim Space before the window's shortcuts see it."""
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Space
        ):
            event.accept()
            return True
        return super().eventFilter(watched, event)

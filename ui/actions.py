"""Every command of the window and its keys, in one table; menus, buttons and the cheat sheet read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QComboBox, QWidget

from deidra.ui import settings
from deidra.ui.translation import later, tr


@dataclass(frozen=True, slots=True)
class Binding:
    """One command.

    ``keys`` are portable key names. ``group`` is its menu and its heading in the cheat sheet. Group, text and tip
    are English, as :func:`~deidra.ui.translation.later` marks them; ``name`` and what the action shows are not.
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

    @property
    def name(self) -> str:
        """The command in plain words of the language in use, without the marks of menus."""
        return tr(self.text).replace("&", "").rstrip("…")

    @property
    def needs_project(self) -> bool:
        """Whether the command is off while no project is open."""
        return self.group in (*REVIEW_GROUPS, "Release") or self.id in ("import_files", "import_folder", "close")

    @property
    def needs_item(self) -> bool:
        """Whether the command is off while nothing is under review."""
        return self.id in ON_ITEM


REVIEW_GROUPS = ("Review", "View", "Contrast")
"""Commands of these groups act on the review, and are off while another page is in front."""
DECISIONS = ("accept", "replace", "blank", "keep")
ON_ITEM = (*DECISIONS, *(f"{name}_alike" for name in DECISIONS), "flag", "note", "erase")
"""Commands that need a finding under review."""


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
    Binding("curator", "Project", "&Your name…", "The name that is stored with your decisions", after_rule=True),
    Binding("quit", "Project", "&Quit", "Close Deidra; everything is stored", ("Ctrl+Q",), after_rule=True),
    Binding("project_page", "Go", "&Project", "The files and how far they are", ("Ctrl+1",), checkable=True),
    Binding(
        "policy", "Go", "P&olicy", "What is removed, kept, moved and asked about", ("Ctrl+2", "F2"), checkable=True
    ),
    Binding("dates_page", "Go", "&Dates", "Every date before and after", ("Ctrl+3",), checkable=True),
    Binding("review_page", "Go", "&Review", "Decide on what waits", ("Ctrl+4",), checkable=True),
    Binding(
        "second_page",
        "Go",
        "&Second reader",
        "Read again without sight of the first decision",
        ("Ctrl+5",),
        checkable=True,
    ),
    Binding("release_page", "Go", "Re&lease", "What is in the way of a release", ("Ctrl+6",), checkable=True),
    Binding("accept", "Review", "&Accept", "Do what is proposed", ("A",)),
    Binding("replace", "Review", "&Replace…", "Write a surrogate instead", ("R",)),
    Binding("blank", "Review", "&Blank", "Remove it and leave nothing", ("B",)),
    Binding("keep", "Review", "&Keep", "It is not private: leave it as it is", ("K",)),
    Binding("accept_alike", "Review", "Accept all alike…", "The same for all alike", ("Shift+A",), after_rule=True),
    Binding("replace_alike", "Review", "Replace all alike…", "The same for all alike", ("Shift+R",)),
    Binding("blank_alike", "Review", "Blank all alike…", "The same for all alike", ("Shift+B",)),
    Binding("keep_alike", "Review", "Keep all alike…", "The same for all alike", ("Shift+K",)),
    Binding(
        "draw", "Review", "Dra&w boxes", "Drag a box over what is private", ("D",), checkable=True, after_rule=True
    ),
    Binding("erase", "Review", "Delete drawn bo&x", "Take away a box that was drawn", ("Delete",)),
    Binding("flag", "Review", "Fla&g", "Mark it for a second look, or take the mark back", ("F",)),
    Binding("note", "Review", "No&te…", "Write down why", ("E",)),
    Binding("undo", "Review", "&Undo", "Take back the last decision", ("Ctrl+Z",), repeat=True, after_rule=True),
    Binding("redo", "Review", "Re&do", "Decide again what was taken back", ("Ctrl+Shift+Z",), repeat=True),
    Binding("next", "Review", "&Next undecided", "Go to the next item that waits", ("Space",), True, after_rule=True),
    Binding("previous", "Review", "&Previous item", "Go to the item before in the list", ("Backspace",), repeat=True),
    Binding("filter", "Review", "&Find in the list", "Type part of a text or tag", ("Ctrl+F",)),
    Binding("zoom_in", "View", "Zoom &in", "Larger (also Ctrl and the mouse wheel)", ("+", "="), repeat=True),
    Binding("zoom_out", "View", "Zoom &out", "Smaller (also Ctrl and the mouse wheel)", ("-",), repeat=True),
    Binding("fit", "View", "&Fit", "Show the whole image", ("Z", "0")),
    Binding("actual_size", "View", "&Actual size", "One image pixel on one screen pixel", ("Shift+Z",)),
    Binding("frame_back", "View", "Frame &before", "Go one frame or page back", ("[",), repeat=True, after_rule=True),
    Binding("frame_on", "View", "Frame af&ter", "Go one frame or page on (also the wheel)", ("]",), repeat=True),
    Binding("play", "View", "&Play", "Let the frames follow by themselves", ("P",), checkable=True),
    Binding("peek", "View", "Original &without boxes (hold)", "Hide the boxes while the key is held", ("V",)),
    Binding("wipe", "View", "Before and after", "Original and release beside a divider", ("W",), checkable=True),
    Binding("preview", "View", "As it will be &released", "Show the whole release", ("Shift+W",), checkable=True),
    Binding("header", "View", "&Header", "Switch between image and header", ("H",), checkable=True),
    Binding(
        "contrast_file",
        "Contrast",
        "As the &file says",
        "Or drag with the right button",
        ("1",),
    ),
    Binding("contrast_full", "Contrast", "All &values", "From the least to the greatest value", ("2",)),
    Binding("contrast_usual", "Contrast", "&Nearly all values", "Without the few extreme values", ("3",)),
    Binding("contrast_brain", "Contrast", "CT &brain", "W 80 L 40", ("4",), after_rule=True),
    Binding("contrast_lung", "Contrast", "CT &lung", "W 1500 L -600", ("5",)),
    Binding("contrast_bone", "Contrast", "CT b&one", "W 1800 L 400", ("6",)),
    Binding("contrast_soft", "Contrast", "CT &soft tissue", "W 400 L 40", ("7",)),
    Binding("contrast_file2", "Contrast", "S&econd window of the file", "Where it has one", ("8",), after_rule=True),
    Binding("contrast_file3", "Contrast", "&Third window of the file", "Where it has one", ("9",)),
    Binding("release", "Release", "&Release…", "Write the de-identified files to a new folder", ("Ctrl+E",)),
    Binding("guide", "Help", "&User guide", "Task by task, with pictures", ("Shift+F1",)),
    Binding("keys", "Help", "&Keys…", "Show and change all keys", ("F1", "?")),
    Binding("about", "Help", "&About Deidra", "Version and licence"),
)

LOCAL_KEYS = (
    (later("Enter"), later("Confirm"), later("Store the text of a replacement")),
    (
        later("Ctrl+arrows"),
        later("Move a drawn box"),
        later("While the image has the focus; with Shift too its right and lower edge"),
    ),
    (later("Enter"), later("Draw in the middle"), later("While drawing is on and the image has the focus")),
    (
        later("Esc"),
        later("Cancel"),
        later("Leave a replacement without deciding; empty the filter; end drawing"),
    ),
)
"""Keys that work inside an editor only; they have no command of their own."""

FIXED = ("Return", "Enter", "Esc", "Tab", "Shift+Tab", "Up", "Down", "Left", "Right", "PgUp", "PgDown", "Home", "End")
"""Keys that move through lists and leave editors; no command can have them."""


def keys_of(binding: Binding) -> tuple[str, ...]:
    """The keys of a command: those that the curator set, else those of the table that no other command was given."""
    own, taken = settings.own_keys(), set[str]()
    # Settings may have been written by hand, or by a version with other commands: the first one keeps a key.
    for first in (True, False):
        for other in BINDINGS:
            if (other.id in own) is first:
                wanted = own[other.id] if first else other.keys
                free = tuple(key for key in wanted if QKeySequence(key).toString() not in taken)
                if other.id == binding.id:
                    return free
                taken.update(QKeySequence(key).toString() for key in free)
    return ()


def conflict(binding: Binding, key: str) -> str:
    """Why a command cannot have a key, in words; empty where it can."""
    wanted = QKeySequence(key).toString()
    if not wanted:
        return tr("This is no key.")
    if wanted in FIXED:
        return tr("{key} moves through lists and leaves editors. Choose another key.", key=key_words(wanted))
    for other in BINDINGS:
        if other.id != binding.id and wanted in [QKeySequence(text).toString() for text in keys_of(other)]:
            return tr(
                "{key} already means “{command}”. Change that first, or choose another key.",
                key=key_words(wanted),
                command=other.name,
            )
    return ""


def key_words(key: str) -> str:
    """A key by its portable name as the keyboards of this system and language call it."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)


def set_keys(actions: Mapping[str, QAction], binding: Binding, keys: tuple[str, ...] | None) -> None:
    """Give a command other keys, at once and for good; None goes back to those of the table."""
    settings.keep_own_keys(binding.id, None if keys == binding.keys else keys)
    _give_keys(actions[binding.id], binding)


def _give_keys(action: QAction, binding: Binding) -> None:
    keys = keys_of(binding)
    action.setShortcuts([QKeySequence(key) for key in keys])
    tip = tr(binding.tip)
    action.setToolTip(f"{tip} ({', '.join(map(key_words, keys))})" if keys else tip)


def is_key_of(action: QAction, event: QKeyEvent) -> bool:
    """Whether a key event is of one of an action's keys, whatever modifiers are still down."""
    name = QKeySequence(event.key()).toString()
    return any(keys.toString().rsplit("+", 1)[-1] == name for keys in action.shortcuts())


def build(parent: QWidget, handlers: Mapping[str, Callable[[], object]]) -> dict[str, QAction]:
    """Make an action of each row of the table, with its keys live in ``parent``'s window.

    Raises:
        KeyError: a row has no handler.
    """
    actions = {}
    for binding in BINDINGS:
        action = QAction(tr(binding.text), parent)
        action.setObjectName(binding.id)
        _give_keys(action, binding)
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setAutoRepeat(binding.repeat)
        action.setCheckable(binding.checkable)
        action.setStatusTip(tr(binding.tip))
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

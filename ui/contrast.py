"""Window and level of deep grey images: chosen by key or by dragging, and remembered while the project is open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from deidra.ui.operations import Operations
from deidra.ui.pictures import Picture, to_qimage
from deidra.ui.translation import tr

if TYPE_CHECKING:
    from deidra.app.load.contrast import GreyFrame, Window

_DRAG_PX = 250
"""So many pixels of dragging change width or centre by the present width."""
_LEAST_WIDTH = 1.0
PRESETS = ("file", "full", "usual", "brain", "lung", "bone", "soft", "file2", "file3")
"""Names of the presets, in the order of their keys 1 to 9; each has the command ``contrast_NAME``."""


class Contrast(QObject):
    """The chosen window of each series, and images through it, made off the GUI thread.

    Nothing is stored, and decisions, detection and release never see it.
    """

    rendered = Signal(object, object)
    """The key that was given, and a list of QImage in the order asked for."""

    def __init__(self, operations: Operations, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._operations = operations
        self._chosen: dict[str, Window] = {}
        self._running = False
        self._next: tuple[object, Sequence[Picture], Window] | None = None

    def window_of(self, series: str) -> Window | None:
        """The window chosen for a series; None while it is shown as its files say."""
        return self._chosen.get(series)

    def choose(self, series: str, frame: GreyFrame, name: str, modality: str) -> str:
        """Take a preset for a series; returns why not, or an empty string."""
        # Heavy libraries come with the loading package; the empty window does not wait for them.
        from deidra.app.load.contrast import CT_WINDOWS, spanning

        number = {"file2": 1, "file3": 2}.get(name)
        if name == "file":
            self._chosen.pop(series, None)
        elif name == "full":
            self._chosen[series] = spanning(frame.low, frame.high)
        elif name == "usual":
            self._chosen[series] = spanning(*frame.usual)
        elif number is not None:
            if len(frame.windows) <= number:
                return tr("The file has no window number {number}.", number=number + 1)
            self._chosen[series] = frame.windows[number]
        elif modality != "CT":
            return tr("This window is for CT images only.")
        else:
            self._chosen[series] = CT_WINDOWS[name]
        return ""

    def drag(self, series: str, frame: GreyFrame, right: int, down: int) -> Window:
        """Change the window by a drag on the screen: to the right wider, down darker. Returns the new one."""
        from deidra.app.load.contrast import Window, start_window

        before = self._chosen.get(series) or start_window(frame)
        unit = max(before.width, _LEAST_WIDTH) / _DRAG_PX
        # A window wider than twice the values, or beyond their ends, shows nothing and is hard to come back from.
        most = max(2 * (frame.high - frame.low), _LEAST_WIDTH)
        width = min(max(before.width + right * unit, _LEAST_WIDTH), most)
        centre = min(max(before.centre + down * unit, frame.low), frame.high)
        self._chosen[series] = Window(width, centre)
        return self._chosen[series]

    def render(self, key: object, pictures: Sequence[Picture], window: Window) -> None:
        """Make the pictures through a window; :attr:`rendered` brings them. Of quick wishes the last one counts."""
        self._next = (key, pictures, window)
        if not self._running:
            self._start()

    def _start(self) -> None:
        wish, self._next = self._next, None
        if wish is None:
            return
        self._running = True
        key, pictures, window = wish

        def done(images: list[QImage]) -> None:
            self._running = False
            self.rendered.emit(key, images)
            self._start()

        self._operations.picture(None, lambda: _images(pictures, window), done)


def _images(pictures: Sequence[Picture], window: Window) -> list[QImage]:
    from deidra.app.load.contrast import through

    return [to_qimage(through(picture.grey, window)) if picture.grey else picture.image for picture in pictures]

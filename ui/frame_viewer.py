"""What the canvas shows: which frame, as it is or as it will be released, through which window."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAction, QImage

from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import Asset
from deidra.ui.canvas import ImageCanvas
from deidra.ui.contrast import PRESETS, Contrast
from deidra.ui.decision_bar import DecisionBar
from deidra.ui.faults import error_words
from deidra.ui.operations import Operations
from deidra.ui.pictures import Picture, Pictures
from deidra.ui.translation import later, tr

if TYPE_CHECKING:
    from deidra.app.workflow import Project

_PLAY_MS = 66
"""Between two frames while playing: fifteen a second, where decoding keeps up."""
_PLAY_AHEAD = 3


class Mode(Enum):
    """The original with boxes, the released image, or both beside a divider."""

    ORIGINAL = ""
    RELEASED = later("as it will be released")
    WIPE = later("left: original, right: as it will be released")


class FrameViewer(QObject):
    """Fetches the frame that is wanted and shows it on the canvas. It knows no findings."""

    moved = Signal()
    """Another frame is in view, or was asked for."""
    shown = Signal(int, object)
    """The index of a frame whose original is on the canvas now, and its QImage."""
    message = Signal(str)
    peeked = Signal(bool)
    """A look at the original without boxes begins or ends."""

    def __init__(
        self,
        project: Project,
        operations: Operations,
        canvas: ImageCanvas,
        bar: DecisionBar,
        actions: Mapping[str, QAction],
    ) -> None:
        super().__init__(canvas)
        self._canvas, self._bar, self._actions = canvas, bar, actions
        self.pictures = Pictures(project, operations, self)
        self.contrast = Contrast(operations, self)
        self._asset: Asset | None = None
        self._asset_id = ""
        self.frame = 0
        self.count: int | None = None
        self._mode = Mode.ORIGINAL
        self._peeking = False
        self._original: Picture | None = None
        self._released: Picture | None = None
        self._on_canvas = ""
        self._waiting = False
        self._timer = QTimer(self)
        self._timer.setInterval(_PLAY_MS)
        self._timer.timeout.connect(self._next_of_play)
        self.pictures.ready.connect(self._ready)
        self.pictures.failed.connect(self.fail)
        self.contrast.rendered.connect(self._rendered)
        canvas.contrast_dragged.connect(self._drag_contrast)
        canvas.frames_wheeled.connect(self.step)

    # Which frame

    def open(self, asset_id: str, asset: Asset | None) -> None:
        """Go to the first frame of another file; :meth:`set_count` tells how many it has."""
        self.stop()
        self._canvas.give_up()
        self._asset_id, self._asset = asset_id, asset
        self.frame, self.count = 0, None
        self._original = self._released = None

    def close(self) -> None:
        """Show no file."""
        self.open("", None)
        self._on_canvas = ""
        self.set_mode(Mode.ORIGINAL)
        self._canvas.set_preview(False)
        self._canvas.clear(tr("No item is selected."))
        self._bar.show_frame(0, 0)
        self._bar.show_contrast("")

    def set_count(self, count: int) -> None:
        """Say how many frames or pages the file has."""
        self.count = count
        self._canvas.has_frames = count > 1
        self._show_number()

    def is_showing(self, asset_id: str) -> bool:
        """Whether the frame in view is of this file, and on the screen."""
        return self._asset_id == asset_id == self._on_canvas and not self._waiting

    def go(self, index: int) -> None:
        """Make a frame the one in view; :meth:`show` fetches it."""
        if index != self.frame:
            self.stop()
            self._canvas.give_up()
            self.frame = index
            self._original = self._released = None

    def show(self) -> None:
        """Fetch and show the frame in view."""
        self._show_number()
        if self.count == 0:
            self._canvas.clear(tr("This file has no image."))
        elif self.count is not None:
            mode = self._shown_mode
            self._waiting = True
            if mode is not Mode.RELEASED:
                self.pictures.want(self._asset_id, self.frame, False)
            if mode is not Mode.ORIGINAL:
                self.pictures.want(self._asset_id, self.frame, True)

    def refresh(self) -> None:
        """Fetch the released image again, after a decision."""
        self._released = None
        if self._mode is not Mode.ORIGINAL:
            self.show()

    def step(self, step: int) -> None:
        """Go frames or pages on (positive) or back (negative)."""
        self.stop()
        self._step(step)

    def _step(self, step: int) -> None:
        target = self.frame + step
        if 0 <= target < (self.count or 0):
            self._canvas.give_up()
            self.frame = target
            self._original = self._released = None
            self.moved.emit()
            self.show()

    def _show_number(self) -> None:
        has_pages = self._asset is not None and self._asset.has_pages
        self._bar.show_frame(self.frame, self.count or 0, has_pages)

    # Playing

    @property
    def is_playing(self) -> bool:
        """True while the frames follow by themselves."""
        return self._timer.isActive()

    def play(self) -> None:
        """Start or stop going through the frames."""
        if self.is_playing or (self.count or 0) < 2:
            self.stop()
        else:
            self._timer.start()
            self._show_playing()

    def stop(self) -> None:
        """Stay at the frame in view."""
        self._timer.stop()
        self._show_playing()

    def _show_playing(self) -> None:
        self._actions["play"].setChecked(self.is_playing)
        self._bar.show_playing(self.is_playing)

    def _next_of_play(self) -> None:
        # A frame that is not on the screen yet is waited for, so that none is skipped.
        if self._waiting or not self.count:
            return
        count = self.count
        ahead = [(self._asset_id, (self.frame + n) % count) for n in range(2, 2 + _PLAY_AHEAD)]
        self._step(1 if self.frame + 1 < count else -self.frame)
        if self._mode is Mode.ORIGINAL:
            self.pictures.ahead(ahead)

    # As it is, as it will be released

    @property
    def mode(self) -> Mode:
        """What was asked for, apart from a look at the original."""
        return self._mode

    @property
    def _shown_mode(self) -> Mode:
        return Mode.ORIGINAL if self._peeking else self._mode

    @property
    def is_peeking(self) -> bool:
        """True while the original is shown without boxes."""
        return self._peeking

    def set_mode(self, mode: Mode) -> None:
        """Show the original, the release or both; :meth:`show` follows."""
        self._mode = mode
        self._actions["preview"].setChecked(mode is Mode.RELEASED)
        self._actions["wipe"].setChecked(mode is Mode.WIPE)

    def toggle(self, mode: Mode) -> None:
        """Switch between the original and a mode."""
        self.set_mode(Mode.ORIGINAL if self._mode is mode else mode)
        self.show()

    def set_peek(self, on: bool) -> None:
        """Show the original without boxes while a key is held."""
        self._peeking = on
        self._canvas.set_peek(on)
        self.peeked.emit(on)
        self._show_mode()
        if self._mode is not Mode.ORIGINAL:
            self.show()

    def set_drawing(self, on: bool) -> None:
        """Let drags on the canvas draw boxes, and say so."""
        self._canvas.set_drawing(on)
        if on and self._mode is not Mode.ORIGINAL:
            self.toggle(self._mode)
        self._show_mode()

    def _show_mode(self) -> None:
        mode = self._mode
        drawing = tr("drawing") if self._canvas.drawing and mode is Mode.ORIGINAL else tr(mode.value)
        self._bar.show_mode(tr("original") if self._peeking else drawing)

    # Arrivals

    def _ready(self, asset_id: str, index: int, preview: bool, picture: Picture) -> None:
        if (asset_id, index) != (self._asset_id, self.frame):
            return
        if preview:
            self._released = picture
        else:
            self._original = picture
        self._display()

    def _wanted(self) -> list[Picture] | None:
        """The pictures of the mode, base first; None while one is missing."""
        parts = {
            Mode.ORIGINAL: (self._original,),
            Mode.RELEASED: (self._released,),
            Mode.WIPE: (self._original, self._released),
        }[self._shown_mode]
        found = [part for part in parts if part is not None]
        return found if len(found) == len(parts) else None

    def _key(self) -> object:
        return self._asset_id, self.frame, self._shown_mode

    def _display(self) -> None:
        pictures = self._wanted()
        if pictures is None:
            return
        window = self.contrast.window_of(self._series)
        if window is None or pictures[0].grey is None:
            self._put([picture.image for picture in pictures])
        else:
            self.contrast.render(self._key(), pictures, window)

    def _rendered(self, key: object, images: list[QImage]) -> None:
        # A preset that was taken back in the meantime wins.
        if key == self._key() and self.contrast.window_of(self._series) is not None:
            self._put(images)

    def _put(self, images: list[QImage]) -> None:
        self._waiting = False
        mode = self._shown_mode
        self._canvas.set_preview(mode is not Mode.ORIGINAL)
        self._show_mode()
        self._canvas.show_image(images[0], keep_view=self._on_canvas == self._asset_id)
        self._canvas.show_after(images[1] if len(images) > 1 else None)
        self._on_canvas = self._asset_id
        self._show_contrast()
        if mode is not Mode.RELEASED:
            self.shown.emit(self.frame, images[0])

    def fail(self, asset_id: str, error: KnownError) -> None:
        """Say why the file's image cannot be shown."""
        if asset_id == self._asset_id:
            self.stop()
            self._on_canvas = ""
            self._waiting = False
            self._canvas.clear("\n\n".join(error_words(error)).strip())

    # Window and level

    @property
    def _series(self) -> str:
        return (self._asset.series_uid if self._asset else "") or self._asset_id

    def _grey_picture(self) -> Picture | None:
        pictures = self._wanted()
        return pictures[0] if pictures and pictures[0].grey is not None else None

    def choose_contrast(self, name: str) -> None:
        """Take a preset of :data:`~deidra.ui.contrast.PRESETS`."""
        picture = self._grey_picture()
        if picture is None or picture.grey is None:
            self.message.emit(tr("This image has no more contrast than it shows: it is in colour, or has 8 bits."))
            return
        refused = self.contrast.choose(self._series, picture.grey, name, self._asset.modality if self._asset else "")
        if refused:
            self.message.emit(refused)
        else:
            self._display()

    def _drag_contrast(self, right: int, down: int) -> None:
        picture = self._grey_picture()
        if picture is not None and picture.grey is not None:
            self.contrast.drag(self._series, picture.grey, right, down)
            self._display()

    def _show_contrast(self) -> None:
        picture = self._grey_picture()
        if picture is None or picture.grey is None:
            self._bar.show_contrast("")
            return
        from deidra.app.load.contrast import start_window

        chosen = self.contrast.window_of(self._series)
        self._bar.show_contrast(str(chosen or start_window(picture.grey)))


def preset_commands() -> list[tuple[str, str]]:
    """Ids of the preset commands, each with the name of its preset."""
    return [(f"contrast_{name}", name) for name in PRESETS]

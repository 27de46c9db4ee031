"""How long the window takes: a project with many findings on large images is opened and worked through, unseen.

Each figure is the time from the command until what it asks for is drawn. Between commands the window comes to rest, as
it does while a person reads; what it prepares meanwhile (the next images) is part of how it works.
"""

from __future__ import annotations

import gc
import math
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEventLoop, QSettings, Qt
from PySide6.QtWidgets import QApplication, QComboBox

from deidra.app.domain.errors import KnownError
from deidra.app.evaluate.bench_window import EACH, fill
from deidra.ui.application import application, settle
from deidra.ui.main_window import MainWindow, open_project
from deidra.ui.review_page import ReviewPage

_PATIENCE_S = 60.0
_SIZE = (1440, 900)


@dataclass(frozen=True, slots=True)
class Speed:
    """One thing that a curator does: how often it was done, median and 95th percentile in milliseconds.

    ``stall_ms`` is the longest time in which the window could answer nothing else.
    """

    what: str
    times: int
    median_ms: float
    p95_ms: float
    stall_ms: float


def measure(findings: int, rounds: int, boxes: int = EACH) -> list[Speed]:
    """Make the project in a folder that is removed again, and do everything ``rounds`` times (opening: three times).

    ``boxes`` findings are on each image.

    Raises:
        KnownError: the project cannot be made, or the window did not answer within a minute.
    """
    with tempfile.TemporaryDirectory(prefix="deidra-bench-") as name:
        folder = Path(name)
        # The user's own settings are neither used nor changed.
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(folder / "settings"))
        images = folder / "images"
        images.mkdir()
        project = open_project(folder / "project", True)
        fill(project.store, images, findings, boxes)
        project.close()
        application()
        speeds = [_opening(folder / "project", min(3, rounds))]
        window, _ = _open(folder / "project")
        try:
            speeds += _worked_through(window, rounds)
        finally:
            settle(window.operations)
            window.close()
        return speeds


def _worked_through(window: MainWindow, rounds: int) -> list[Speed]:
    page = window.page
    if page is None:
        raise KnownError("The project could not be opened.", "Run: deidra doctor")
    actions = window.actions_by_id

    def next_item() -> Callable[[], bool]:
        before = page.current
        actions["next"].trigger()
        return lambda: page.current is not before and _is_shown(page)

    def decide() -> Callable[[], bool]:
        before = page.current
        waiting = page.queue.model.total
        actions["accept"].trigger()
        return lambda: page.current is not before and page.queue.model.total < waiting and _is_shown(page)

    def zoom() -> Callable[[], bool]:
        actions["zoom_in" if page.canvas.zoom < 1 else "fit"].trigger()
        return lambda: True

    presets = ["contrast_usual", "contrast_full"]

    def contrast() -> Callable[[], bool]:
        drawn: list[object] = []
        presets.reverse()
        page.viewer.shown.connect(lambda *_: drawn.append(1), Qt.ConnectionType.SingleShotConnection)
        actions[presets[0]].trigger()
        return lambda: bool(drawn)

    return [
        _timed("next item", window, next_item, rounds),
        _timed("decide, next item shown", window, decide, rounds),
        _timed("zoom", window, zoom, rounds),
        _timed("window and level", window, contrast, rounds),
        _timed("sort", window, lambda: _chosen(page, page.queue.sort), rounds),
        _timed("filter by type", window, lambda: _chosen(page, page.queue.type), rounds),
        _timed("find a text", window, lambda: _found(page), rounds),
    ]


def _chosen(page: ReviewPage, combo: QComboBox) -> Callable[[], bool]:
    arrived = _arrival(page)
    combo.setCurrentIndex((combo.currentIndex() + 1) % combo.count())
    return arrived


def _found(page: ReviewPage) -> Callable[[], bool]:
    arrived = _arrival(page)
    page.queue.text.setText("" if page.queue.text.text() else "Name7")
    # Without the rest after the last key.
    page.queue.apply_filter()
    page.queue.stop()
    return arrived


def _arrival(page: ReviewPage) -> Callable[[], bool]:
    come: list[int] = []
    page.queue.model.loaded.connect(lambda: come.append(1), Qt.ConnectionType.SingleShotConnection)
    return lambda: bool(come)


def _opening(folder: Path, rounds: int) -> Speed:
    took, stalls = [], []
    for _ in range(rounds):
        start = time.perf_counter()
        window, stall = _open(folder)
        took.append(_ms(start))
        stalls.append(stall)
        settle(window.operations)
        window.close()
    return _speed("open the project", took, stalls)


def _open(folder: Path) -> tuple[MainWindow, float]:
    """The window with the project, and how long it held everything up meanwhile, in milliseconds."""
    window = MainWindow(open_project(folder, False))
    window.resize(*_SIZE)
    window.show()
    stall = _until(lambda: window.page is not None and _is_shown(window.page))
    return window, max(stall, _draw(window))


def _timed(what: str, window: MainWindow, do: Callable[[], Callable[[], bool]], rounds: int) -> Speed:
    took, stalls = [], []
    gc.collect()
    for _ in range(rounds):
        settle(window.operations)
        start = time.perf_counter()
        is_so = do()
        stalls.append(_ms(start))
        stalls += [_until(is_so), _draw(window)]
        took.append(_ms(start))
    return _speed(what, took, stalls)


def _is_shown(page: ReviewPage) -> bool:
    """Whether the image of the finding under review is there, with its box on it."""
    finding = page.current
    return finding is not None and page.viewer.is_showing(finding.asset_id) and page.canvas.selected_box is not None


def _until(is_so: Callable[[], bool]) -> float:
    """Handle events until it is so; the longest time that a turn of the loop took, in milliseconds."""
    end, longest = time.monotonic() + _PATIENCE_S, 0.0
    while not is_so():
        if time.monotonic() > end:
            raise KnownError("The window did not answer within a minute.", "Close other programs and try again.")
        start = time.perf_counter()
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)
        longest = max(longest, _ms(start))
        time.sleep(0.0005)
    return longest


def _draw(window: MainWindow) -> float:
    """Draw everything that is due, the image at once; how long that took, in milliseconds."""
    start = time.perf_counter()
    QApplication.processEvents()
    if window.page is not None:
        window.page.canvas.viewport().repaint()
    return _ms(start)


def _ms(start: float) -> float:
    return (time.perf_counter() - start) * 1000


def _speed(what: str, took: list[float], stalls: list[float]) -> Speed:
    ordered = sorted(took)
    return Speed(what, len(took), statistics.median(took), ordered[math.ceil(0.95 * len(ordered)) - 1], max(stalls))

"""The Qt application around the window: its style, the reporting of bugs, waiting for it to settle."""

from __future__ import annotations

import os
import sys
import time
import traceback
from types import TracebackType

import structlog
from PySide6.QtWidgets import QApplication, QMessageBox

from deidra.ui import settings, theme
from deidra.ui.operations import Operations
from deidra.ui.translation import Language, tr, use

log = structlog.get_logger("deidra")


def application(language: Language | None = None) -> QApplication:
    """The application, made and dressed when there is none yet, in a language or else in the remembered one.

    Without a display it draws into memory, so that pictures can be made on servers.
    """
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        has_display = sys.platform in ("win32", "darwin") or any(
            os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
        )
        if not has_display and not os.environ.get("QT_QPA_PLATFORM"):
            os.environ["QT_QPA_PLATFORM"] = "offscreen"
        app = QApplication([sys.argv[0]])
    app.setApplicationName("Deidra")
    use(settings.language() if language is None else language)
    theme.apply(app, settings.theme())
    return app


def report_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Log where an unexpected error came from, without its message, which may quote a file; then tell."""
    places = [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(trace)]
    log.error("bug", error=kind.__name__, trace=places)
    box = QMessageBox(QMessageBox.Icon.Critical, "Deidra", tr("Deidra met an error that it did not expect."))
    box.setInformativeText(
        tr(
            "Every decision shown as saved is stored. Close the window and open the project again; "
            "if it happens again, report it with the file deidra.log of the project folder."
        )
    )
    _boxes.append(box)
    box.finished.connect(lambda _result: _boxes.remove(box))
    box.open()


_boxes: list[QMessageBox] = []
"""Keeps boxes without a parent alive while they are shown."""


def settle(operations: Operations, seconds: float = 30.0) -> None:
    """Handle events until nothing more is due, at most ``seconds``."""
    end = time.monotonic() + seconds
    quiet = 0
    while quiet < 3 and time.monotonic() < end:
        QApplication.processEvents()
        quiet = quiet + 1 if operations.is_idle else 0
        time.sleep(0.01)

"""Starting the window, and pictures of it."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QTimer

from deidra.app.domain.errors import KnownError
from deidra.ui import settings, theme
from deidra.ui.application import application, report_bug, settle
from deidra.ui.main_window import MainWindow, open_project
from deidra.ui.theme import Theme
from deidra.ui.translation import Language


def open_window(project_folder: Path | None, language: Language | None = None) -> int:
    """Show the window until it is closed, in a language other than the remembered one; returns the exit status."""
    app = application(language)
    sys.excepthook = report_bug
    app.styleHints().colorSchemeChanged.connect(lambda _scheme: theme.apply(app, settings.theme()))
    window = MainWindow(None)
    window.remember_state()
    window.show()
    if not settings.curator():
        window.ask_curator()
    if project_folder is not None:
        QTimer.singleShot(0, lambda: window.open_project(project_folder))
    return app.exec()


def save_picture(
    project_folder: Path,
    out: Path,
    size: tuple[int, int] = (1440, 900),
    appearance: Theme | None = None,
    language: Language | None = None,
) -> None:
    """Write a picture of the window with the project's queue, for documents and checks.

    Args:
        project_folder: the project to show.
        out: the PNG file.
        size: width and height in pixels.
        appearance: a theme other than the remembered one.
        language: a language other than the remembered one.

    Raises:
        KnownError: there is no such project, or the file cannot be written.
    """
    app = application(language)
    if appearance is not None:
        theme.apply(app, appearance)
    window = MainWindow(open_project(project_folder, False))
    window.resize(*size)
    window.show()
    settle(window.operations)
    saved = window.grab().save(str(out), "PNG")
    window.close()
    if not saved:
        raise KnownError(f"The picture {out.name} cannot be written.", "Check that its folder exists and is writable.")

"""Pictures of every page in light and dark, for the user guide and for looking at each with a picky eye."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication, QTabWidget, QWidget

from deidra.app.domain.errors import KnownError
from deidra.ui import theme
from deidra.ui.application import application, settle
from deidra.ui.keys_dialog import KeysDialog
from deidra.ui.main_window import MainWindow, open_project
from deidra.ui.policy_tables import DefinitionTable
from deidra.ui.theme import Theme
from deidra.ui.translation import Language, later, tr

SIZE = (1280, 800)
"""Width and height of the window in pixels."""
_COLOURS = 96
"""Colours of a picture; the greys of an image and the few of the window keep their looks with these."""
_REST_S = 0.6
"""How long a window rests before it is taken."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: its name, how to get there, and whether it is made in dark, too."""

    name: str
    show: Callable[[MainWindow], object]
    """Brings the window there; returns the widget that is taken if that is not the window itself."""
    both: bool = False


def _trigger(*commands: str) -> Callable[[MainWindow], None]:
    def show(window: MainWindow) -> None:
        for name in commands:
            window.actions_by_id[name].trigger()
            settle(window.operations)

    return show


def _tab(page: str, words: str) -> Callable[[MainWindow], None]:
    def show(window: MainWindow) -> None:
        _trigger(page)(window)
        tabs = window.pages.state_pages[page].findChild(QTabWidget)
        if tabs is not None:
            tabs.setCurrentIndex([tabs.tabText(number) for number in range(tabs.count())].index(tr(words)))
            tabs.tabBar().setFocus()

    return show


def _image(window: MainWindow) -> None:
    """A waiting item that was read on an image, so that the picture shows what most items are like."""
    _trigger("review_page")(window)
    if window.page is None:
        return
    model = window.page.queue.model
    for row in range(model.rowCount()):
        finding = model.finding(row)
        asset = model.asset(finding.asset_id) if finding else None
        if finding is not None and finding.polygon and finding.text and asset is not None and not asset.has_pages:
            window.page.queue.select_finding(finding.id)
            return


def _wipe(window: MainWindow) -> None:
    _image(window)
    settle(window.operations)
    _trigger("wipe")(window)


def _header(window: MainWindow) -> None:
    _trigger("wipe", "header")(window)


def _define(window: MainWindow) -> QWidget | None:
    _tab("policy", later("Own types"))(window)
    table = window.pages.state_pages["policy"].findChild(DefinitionTable)
    if table is None:
        return None
    table.add_wanted.emit()
    dialog = table.dialog
    if dialog is not None:
        # Deidra understands definitions in English, whatever the window speaks.
        dialog.name.setText("order numbers")
        dialog.description.setText("a letter, two digits, a hyphen and six digits")
        dialog.examples.setPlainText("A24-012345")
    return dialog


def _keys(window: MainWindow) -> QWidget:
    dialog = KeysDialog(window, window.actions_by_id)
    dialog.show()
    return dialog


SHOTS = (
    Shot("project", _trigger("project_page"), True),
    Shot("policy", _trigger("policy"), True),
    Shot("policy-own-types", _tab("policy", later("Own types"))),
    Shot("define", _define),
    Shot("policy-devices", _tab("policy", later("Devices"))),
    Shot("policy-words", _tab("policy", later("In words"))),
    Shot("dates", _trigger("dates_page"), True),
    Shot("release", _tab("release_page", later("Before the release")), True),
    Shot("release-last", _tab("release_page", later("Last release"))),
    Shot("release-audit", _tab("release_page", later("Audit log"))),
    Shot("review", _image, True),
    Shot("review-wipe", _wipe),
    Shot("review-header", _header),
    Shot("keys", _keys),
)


def save_pictures(project_folder: Path, out: Path, language: Language | None = None) -> list[Path]:
    """Write pictures (PNG) of all pages into a folder: ``NAME.png``, in dark ``NAME-dark.png``.

    Args:
        project_folder: the project to show; its texts are in the pictures, so it should be a synthetic one.
        out: the folder, made where it is missing; pictures of the same names are replaced.
        language: a language other than the remembered one.

    Raises:
        KnownError: there is no such project, or a picture cannot be written.
    """
    app = application(language)
    written = []
    for appearance, ending in ((Theme.LIGHT, ""), (Theme.DARK, "-dark")):
        theme.apply(app, appearance)
        shots = [shot for shot in SHOTS if shot.both or not ending]
        welcome = MainWindow(None)
        written.append(_take(welcome, welcome, out / f"welcome{ending}.png"))
        welcome.close()
        window = MainWindow(open_project(project_folder, False))
        window.resize(*SIZE)
        window.show()
        for shot in shots:
            shown = shot.show(window)
            target = shown if isinstance(shown, QWidget) else window
            written.append(_take(window, target, out / f"{shot.name}{ending}.png"))
            if target is not window:
                target.close()
        window.close()
    return written


def _take(window: MainWindow, target: QWidget, path: Path) -> Path:
    if target is window:
        window.resize(*SIZE)
        window.show()
    # Texts are looked for a moment after the last key.
    end = time.monotonic() + _REST_S
    while time.monotonic() < end:
        QApplication.processEvents()
        time.sleep(0.01)
    settle(window.operations)
    _write(target.grab(), path)
    return path


def _write(picture: QPixmap, path: Path) -> None:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")
    small: Image.Image = Image.open(io.BytesIO(bytes(buffer.data().data())))
    small = small.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        small.save(path, optimize=True)
    except OSError as error:
        raise KnownError(
            f"The picture {path.name} cannot be written.", "Check that its folder exists and is writable."
        ) from error

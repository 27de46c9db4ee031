"""What each command of the window does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from deidra.app.domain.model import DecisionKind
from deidra.ui.dialogs import about_box, ask_files, ask_folder
from deidra.ui.frame_viewer import Mode, preset_commands
from deidra.ui.guide_window import show_guide
from deidra.ui.keys_dialog import KeysDialog
from deidra.ui.page_stack import PAGES
from deidra.ui.review_page import ReviewPage
from deidra.ui.translation import tr

if TYPE_CHECKING:
    from deidra.ui.main_window import MainWindow


def handlers(window: MainWindow) -> dict[str, Callable[[], object]]:
    """A call for each row of :data:`deidra.ui.actions.BINDINGS`."""

    def on_page(act: Callable[[ReviewPage], object]) -> Callable[[], object]:
        def call() -> object:
            page = window.pages.working
            return act(page) if page is not None else None

        return call

    return {
        "new": lambda: ask_folder(window, tr("New project: choose or create its folder"), window.open_project),
        "open": lambda: ask_folder(
            window, tr("Open project"), lambda folder: window.open_project(folder, create=False)
        ),
        "import_files": lambda: ask_files(window, window.import_paths),
        "import_folder": lambda: ask_folder(window, tr("Import folder"), lambda folder: window.import_paths([folder])),
        "close": window.close_project,
        "curator": window.ask_curator,
        "quit": window.close,
        **{kind.value: on_page(partial(ReviewPage.decide, kind=kind)) for kind in DecisionKind},
        **{f"{kind.value}_alike": on_page(partial(ReviewPage.decide_alike, kind=kind)) for kind in DecisionKind},
        "flag": on_page(ReviewPage.flag),
        "note": on_page(lambda page: page.evidence.focus_note()),
        "draw": on_page(lambda page: page.draw(not page.canvas.drawing)),
        "erase": on_page(ReviewPage.erase),
        "undo": on_page(lambda page: page.deciding.undo()),
        "redo": on_page(lambda page: page.deciding.redo()),
        "next": on_page(ReviewPage.next_undecided),
        "previous": on_page(ReviewPage.previous),
        "filter": on_page(ReviewPage.focus_filter),
        "zoom_in": on_page(lambda page: page.canvas.zoom_in()),
        "zoom_out": on_page(lambda page: page.canvas.zoom_out()),
        "fit": on_page(lambda page: page.canvas.fit()),
        "actual_size": on_page(lambda page: page.canvas.actual_size()),
        "frame_back": on_page(lambda page: page.step_frame(-1)),
        "frame_on": on_page(lambda page: page.step_frame(1)),
        "play": on_page(lambda page: page.viewer.play()),
        "peek": on_page(lambda page: page.viewer.set_peek(not page.viewer.is_peeking)),
        "wipe": on_page(lambda page: page.show_as(Mode.WIPE)),
        "preview": on_page(lambda page: page.show_as(Mode.RELEASED)),
        "header": on_page(ReviewPage.toggle_header),
        **{command: on_page(partial(_contrast, name=name)) for command, name in preset_commands()},
        "release": window.ask_release,
        "guide": lambda: show_guide(window, window.pages.front),
        "keys": lambda: window.open_dialog(KeysDialog(window, window.actions_by_id)),
        "about": lambda: window.open_dialog(about_box(window)),
        **{name: partial(_go, window, name) for name in PAGES},
    }


def _contrast(page: ReviewPage, name: str) -> None:
    page.viewer.choose_contrast(name)


def _go(window: MainWindow, name: str) -> None:
    window.pages.go(name)

"""Who sits at the window: a name that the curator gave, else that of the system's user."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QWidget

from deidra.ui import settings
from deidra.ui.translation import tr


def curator() -> str:
    """The name that is stored with every decision."""
    # Loaded already where a project is open; at the top it would hold up the first window.
    from deidra.app.workflow import current_user

    return settings.curator() or current_user()


def ask_curator(parent: QWidget, then: Callable[[], object]) -> QInputDialog:
    """Ask for the curator's name and remember it; ``then`` is called where a name was given."""
    dialog = QInputDialog(parent)
    dialog.setWindowTitle(tr("Your name"))
    dialog.setLabelText(
        tr("Your name is stored with each of your decisions.\nCurators of one project need different names.")
    )
    dialog.setTextValue(curator())
    dialog.setOkButtonText(tr("Use this name"))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def keep(name: str) -> None:
        if name.strip():
            settings.set_curator(" ".join(name.split()))
            then()

    dialog.textValueSelected.connect(keep)
    return dialog

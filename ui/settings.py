"""What the window remembers: theme, language, curator, recent projects, size, place, page, keys. No content."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from deidra.ui.theme import Theme
from deidra.ui.translation import Language

_RECENT_LIMIT = 8


def _store() -> QSettings:
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "Deidra", "Deidra")


def theme() -> Theme:
    """The chosen theme; the system's while nothing valid was chosen."""
    value = str(_store().value("theme", Theme.SYSTEM.value))
    return Theme(value) if value in set(Theme) else Theme.SYSTEM


def set_theme(choice: Theme) -> None:
    """Remember the theme."""
    _store().setValue("theme", choice.value)


def language() -> Language:
    """The chosen language; the system's while nothing valid was chosen."""
    value = str(_store().value("language", Language.SYSTEM.value))
    return Language(value) if value in set(Language) else Language.SYSTEM


def set_language(choice: Language) -> None:
    """Remember the language."""
    _store().setValue("language", choice.value)


def curator() -> str:
    """The name that the curator gave; empty where none was given."""
    return str(_store().value("curator", ""))


def set_curator(name: str) -> None:
    """Remember the curator's name."""
    _store().setValue("curator", name)


def recent_projects() -> list[Path]:
    """Project folders, the last used first; folders that are gone are left out."""
    value = _store().value("recent", [])
    # QSettings gives a list of one back as a plain string.
    names = [value] if isinstance(value, str) else list(value or [])  # type: ignore[call-overload]
    return [path for path in map(Path, names) if path.is_dir()]


def remember_project(folder: Path) -> None:
    """Put a project folder first among the recent ones."""
    names = [str(folder), *(str(path) for path in recent_projects() if path != folder)]
    _store().setValue("recent", names[:_RECENT_LIMIT])


def window_part(name: str) -> QByteArray:
    """What :func:`keep_window_part` kept of the window; empty when there is nothing."""
    value = _store().value(f"window/{name}")
    return value if isinstance(value, QByteArray) else QByteArray()


def keep_window_part(name: str, state: QByteArray) -> None:
    """Remember a size or place as Qt packs it: ``geometry`` of the window, ``splitter`` of the review."""
    _store().setValue(f"window/{name}", state)


def front_page() -> str:
    """The id of the page that was in front; empty when there was none."""
    return str(_store().value("window/page", ""))


def keep_front_page(name: str) -> None:
    """Remember the page in front."""
    _store().setValue("window/page", name)


def own_keys() -> dict[str, tuple[str, ...]]:
    """Keys that the curator set, by the id of the command, as portable names."""
    store = _store()
    store.beginGroup("keys")
    return {name: tuple(str(store.value(name)).split()) for name in store.childKeys()}


def keep_own_keys(command: str, keys: tuple[str, ...] | None) -> None:
    """Remember the keys of a command; None forgets them."""
    if keys is None:
        _store().remove(f"keys/{command}")
    else:
        _store().setValue(f"keys/{command}", " ".join(keys))

"""The window's language: fixed texts by catalogue (gettext), numbers by locale.

Texts stand in the source in English. ``tr`` and its kin look them up when they are shown, so that what a module
keeps in a table is marked with ``later`` and looked up where it reaches the screen. Values go into named fields,
never beside a translated half of a sentence, since languages order their words differently.
"""

from __future__ import annotations

import gettext
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

LOCALE = Path(__file__).parent / "locale"
DOMAIN = "deidra"


class Language(StrEnum):
    """The languages that the window speaks, and the wish for that of the system."""

    SYSTEM = "system"
    ENGLISH = "en"
    GERMAN = "de"


NAMES = {Language.ENGLISH: "English", Language.GERMAN: "Deutsch"}
"""Each language by its own name, which is the same in every language."""


class _State:
    """What is in use; English until :func:`use` is called."""

    language: Language = Language.ENGLISH
    catalogue: gettext.NullTranslations = gettext.NullTranslations()
    locale: QLocale = QLocale(QLocale.Language.English, QLocale.Country.UnitedStates)
    qt: QTranslator | None = None


def spoken(choice: Language) -> Language:
    """The language that a choice means: the system's where the window speaks it, else English."""
    if choice is not Language.SYSTEM:
        return choice
    german = QLocale.system().language() is QLocale.Language.German
    return Language.GERMAN if german else Language.ENGLISH


def use(choice: Language) -> None:
    """Speak a language from now on; what is on the screen already stays as it is.

    Qt's own dialogs and buttons follow where the application exists.
    """
    language = _State.language = spoken(choice)
    # English is in the source: a catalogue of it would say the same again.
    _State.catalogue = (
        gettext.NullTranslations()
        if language is Language.ENGLISH
        else gettext.translation(DOMAIN, LOCALE, [language.value])
    )
    _State.locale = _locale_of(language)
    QLocale.setDefault(_State.locale)
    _translate_qt(language)


def _locale_of(language: Language) -> QLocale:
    """The system's locale where it is of this language (Austria writes numbers otherwise), else a usual one."""
    system = QLocale.system()
    # Programs started without a locale get that of C, which calls itself English and groups no digits.
    if system.name() != "C" and system.name().split("_")[0] == language.value:
        return system
    return QLocale(language.value) if language is not Language.ENGLISH else QLocale("en_US")


def _translate_qt(language: Language) -> None:
    app = QCoreApplication.instance()
    if app is None:
        return
    if _State.qt is not None:
        app.removeTranslator(_State.qt)
        _State.qt = None
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    translator = QTranslator(app)
    if language is not Language.ENGLISH and translator.load(f"qtbase_{language.value}", folder):
        app.installTranslator(translator)
        _State.qt = translator


def language() -> Language:
    """The language in use; never that of the system as such."""
    return _State.language


def locale() -> QLocale:
    """The locale of the language in use, for times and numbers."""
    return _State.locale


def tr(text: str, /, **fields: object) -> str:
    """A text in the language in use, with its ``{fields}`` filled; itself where the catalogue lacks it.

    Without fields nothing is filled, so that a text from elsewhere may hold braces.
    """
    # The catalogue keeps its own description under the empty text.
    shown = _State.catalogue.gettext(text) if text else ""
    return shown.format(**fields) if fields else shown


def trn(one: str, many: str, count: int, /, **fields: object) -> str:
    """The form of a text that goes with a count; ``{count}`` is filled with the count, its digits grouped."""
    return _State.catalogue.ngettext(one, many, count).format(count=number(count), **fields)


def trc(context: str, text: str, /, **fields: object) -> str:
    """A text that one language has one word for and another has several; ``context`` tells which is meant."""
    shown = _State.catalogue.pgettext(context, text)
    return shown.format(**fields) if fields else shown


def later(text: str) -> str:
    """Mark a text for the catalogue that is looked up when it is shown; returns it unchanged."""
    return text


def number(value: int) -> str:
    """A whole number with its digits grouped: ``1,204`` in English, ``1.204`` in German."""
    return _State.locale.toString(value)


def decimal(value: float, digits: int) -> str:
    """A number with so many digits behind the point, or the comma."""
    return _State.locale.toString(float(value), "f", digits)


def share(value: float) -> str:
    """A share from 0 to 1 in whole percents: ``7 %``."""
    return f"{decimal(value * 100, 0)} %"

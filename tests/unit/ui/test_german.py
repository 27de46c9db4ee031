"""The window in German: no English on any page, nothing cut off, keys and letters as in English."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from click.testing import CliRunner
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QAction, QFont, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QSizePolicy,
    QTabBar,
    QTabWidget,
    QWidget,
)

from deidra.app.cli_window import review
from deidra.app.decide.editing import changed
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import DecisionKind
from deidra.app.review.alike import Alike
from deidra.app.subjects import DatedEvent
from deidra.ui import settings, start, theme
from deidra.ui.actions import BINDINGS
from deidra.ui.alike_dialog import AlikeDialog
from deidra.ui.box_popup import BoxPopup
from deidra.ui.device_dialog import DeviceDialog
from deidra.ui.dialogs import ReleaseDialog, about_box, edits_box, summary_box
from deidra.ui.header_panel import HeaderPanel
from deidra.ui.keys_dialog import KeysDialog
from deidra.ui.main_window import MainWindow
from deidra.ui.page_stack import PAGES
from deidra.ui.text_table import TextTable
from deidra.ui.theme import Theme
from deidra.ui.translation import Language, spoken, tr, use

from .conftest import Driver, FakeProject, standard_findings
from .test_catalogue import MESSAGES, forms

_IN_ENGLISH = ("Protokoll",)
"""Names of what says the same in every language: the audit log is a record."""


def _patterns() -> tuple[frozenset[str], tuple[re.Pattern[str], ...]]:
    """English texts that are others in German: those without fields, and those with."""
    plain, filled = set(), []
    for message in MESSAGES:
        for here, there in zip(forms(message.id), forms(message.string), strict=True):
            static = re.sub(r"\{\w+\}", "", here)
            if here == there or not re.search(r"[A-Za-z]{2}", static):
                continue
            if "{" in here:
                filled.append(re.compile(re.sub(r"\\\{\w+\\\}", ".+", re.escape(here)), re.DOTALL))
            else:
                plain.add(here.replace("&", ""))
    return frozenset(plain), tuple(filled)


PLAIN, FILLED = _patterns()
GERMAN_TOO = {form.replace("&", "") for message in MESSAGES for form in forms(message.string)}
"""Texts that are German for something, such as "Name", whatever they are English for."""


def is_english(text: str) -> bool:
    bare = text.replace("&", "").strip("✓! ")
    if bare in GERMAN_TOO:
        return False
    return bare in PLAIN or any(pattern.fullmatch(bare) for pattern in FILLED)


def texts_of(widget: QWidget) -> Iterator[str]:
    """Everything that a widget says, shown or read aloud."""
    yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.windowTitle())
    if isinstance(widget, QLabel | QAbstractButton):
        yield "" if widget.accessibleName() in _IN_ENGLISH else widget.text()
    elif isinstance(widget, QLineEdit):
        yield widget.placeholderText()
    elif isinstance(widget, QGroupBox | QMenu):
        yield widget.title()
    elif isinstance(widget, QComboBox):
        yield from (widget.itemText(row) for row in range(widget.count()))
    elif isinstance(widget, QListWidget):
        yield from (widget.item(row).text() for row in range(widget.count()))
    elif isinstance(widget, QTabBar):
        yield from (widget.tabText(tab) for tab in range(widget.count()))
    elif isinstance(widget, TextTable):
        model = widget.model()
        for column in range(model.columnCount()):
            yield model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole)
            if widget.accessibleName() not in _IN_ENGLISH:
                yield from (model.index(row, column).data() for row in range(model.rowCount()))
    elif isinstance(widget, HeaderPanel):
        model = widget.model
        yield from (
            model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole)
            for column in range(model.columnCount())
        )
    for action in widget.actions():
        yield from (action.text(), action.iconText(), action.toolTip(), action.statusTip())


def english_in(top: QWidget) -> list[str]:
    lines = {
        line
        for widget in (top, *top.findChildren(QWidget))
        for text in texts_of(widget)
        for line in (text, *text.split("\n"), *text.split(" · "))
    }
    return sorted(line for line in lines if line and is_english(line))


def cut_off(top: QWidget) -> list[str]:
    """Texts of buttons, labels and titles on the screen that have less room than they need."""
    found = []
    for widget in top.findChildren(QWidget):
        if not widget.isVisible() or not widget.visibleRegion().boundingRect().isValid():
            continue
        if isinstance(widget, QLabel) and widget.text() and widget.pixmap().isNull():
            found += _label_cut(widget)
        elif isinstance(widget, QAbstractButton) and widget.text() and widget.width() < widget.sizeHint().width():
            found.append(widget.text())
        elif isinstance(widget, QComboBox) and widget.sizePolicy().horizontalPolicy() is not QSizePolicy.Policy.Ignored:
            # Room for the arrow and the frame of the style.
            if widget.fontMetrics().horizontalAdvance(widget.currentText()) > widget.width() - 36:
                found.append(widget.currentText())
        elif isinstance(widget, QTabBar):
            needed = sum(widget.tabSizeHint(tab).width() for tab in range(widget.count()))
            found += ["tabs"] if needed > widget.parentWidget().width() else []
        elif isinstance(widget, TextTable):
            header, model = widget.horizontalHeader(), widget.model()
            found += [
                model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole)
                for column in range(model.columnCount())
                if header.sectionSizeHint(column) > header.sectionSize(column)
            ]
    return found


def _label_cut(label: QLabel) -> list[str]:
    if label.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Ignored:
        return []
    if label.wordWrap():
        return [label.text()] if label.height() < label.heightForWidth(label.width()) else []
    return [label.text()] if label.width() < label.sizeHint().width() else []


@pytest.fixture
def german(english: None) -> Iterator[None]:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    before = app.font()
    # Rooms are what they are in the style that people see, and in the font that the set-up brings.
    app.setFont(QFont("DejaVu Sans", before.pointSize()))
    theme.apply(app, Theme.LIGHT)
    use(Language.GERMAN)
    yield
    app.setFont(before)


@pytest.fixture
def window(german: None, driver: Driver, project: FakeProject) -> MainWindow:
    project.dates = (
        DatedEvent("key1", "P1", "StudyDate", "20190304", "20181122"),
        DatedEvent("key1", "P1", "PatientBirthDate", "19510312", ""),
        DatedEvent("key2", "P2", "StudyDate", "20990101", "20981231"),
    )
    project.policy = changed(project.policy, "review", second_reader="sample", share=1.0, decoys=0.1)
    opened = driver.open(project)
    opened.resize(1440, 900)
    driver.settle(opened)
    return opened


def shown_tabs(driver: Driver, window: MainWindow, page: QWidget) -> Iterator[None]:
    """The page once, and once with each of its tabs in front."""
    yield
    for tabs in page.findChildren(QTabWidget):
        for tab in range(tabs.count()):
            if tabs.isVisible():
                tabs.setCurrentIndex(tab)
                driver.settle(window)
                yield


def test_the_test_knows_english_from_german() -> None:
    assert len(PLAIN) > 700
    assert is_english("Everything is saved")
    assert is_english("&Keep")
    assert is_english("1,204 items wait for a decision")
    assert is_english("✓ Every item is decided")
    assert not is_english("Alles ist gespeichert")
    assert not is_english("Name")
    assert not is_english("John Smith")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_no_english_and_cuts_nothing_off(driver: Driver, window: MainWindow, name: str) -> None:
    window.pages.go(name)
    driver.settle(window)
    page = window.pages.stack.currentWidget()
    assert page is not None
    for _ in shown_tabs(driver, window, page):
        assert english_in(window) == []
        assert cut_off(window) == []


def test_the_welcome_shows_no_english_and_cuts_nothing_off(german: None, driver: Driver) -> None:
    window = driver.open(None)
    assert english_in(window) == []
    assert cut_off(window) == []


def test_every_decision_is_told_in_german(driver: Driver, window: MainWindow) -> None:
    for key in ("A", "B", "K"):
        driver.press(window, getattr(Qt.Key, f"Key_{key}"))
        assert english_in(window) == []
    driver.press(window, Qt.Key.Key_R)
    assert english_in(window) == []
    driver.press(window, Qt.Key.Key_Escape)
    for which in ("decided", "all", "flagged"):
        combo = window.page.queue.show_which
        combo.setCurrentIndex(combo.findData(which))
        driver.settle(window)
        assert english_in(window) == []
        assert cut_off(window) == []


@pytest.mark.parametrize("kind", list(DecisionKind))
def test_deciding_together_is_asked_in_german(german: None, qtbot, kind: DecisionKind) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    items = [Alike(finding, "same text") for finding in standard_findings()["us"]]
    dialog = AlikeDialog(parent, kind, items, lambda _: None)
    assert english_in(dialog) == []
    assert "gleicher Text" in [dialog.table.item(row, 3).text() for row in range(len(items))]


def test_the_dialogs_show_no_english_and_cut_nothing_off(german: None, qtbot, tmp_path) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    rect = box_polygon(1, 1, 9, 9)
    assert rect
    dialogs = [
        ReleaseDialog(parent, 3, tmp_path),
        DeviceDialog(parent, None),
        edits_box(parent, ["thresholds", "own types"], lambda: None, lambda: None),
        summary_box(parent, "", [("a", "The PDF has no pages.")]),
        about_box(parent),
    ]
    for dialog in dialogs:
        dialog.show()
        assert english_in(dialog) == []
        assert cut_off(dialog) == []
        dialog.close()


def test_a_box_is_asked_about_in_german_and_types_are_in_the_order_of_their_german_names(german: None, qtbot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    popup = BoxPopup(parent, parent.rect().toRectF(), 1200, False)
    assert english_in(popup) == []
    assert popup.everywhere.text() == "Auf allen 1.200 Einzelbildern"
    names = [popup.kind.itemText(row) for row in range(popup.kind.count())]
    assert names == sorted(names)


def test_the_cheat_sheet_shows_no_english(driver: Driver, window: MainWindow) -> None:
    driver.press(window, Qt.Key.Key_F1)
    table = window.findChild(KeysDialog).table
    shown = [table.item(row, column).text() for row in range(table.rowCount()) for column in (0, 1, 2)]
    assert [text for text in shown if text and is_english(text)] == []
    assert "Strg+Umschalt+I" in shown


def test_a_command_has_the_same_keys_in_every_language(driver: Driver, window: MainWindow) -> None:
    for binding in BINDINGS:
        shortcuts = window.actions_by_id[binding.id].shortcuts()
        assert shortcuts == [QKeySequence(key) for key in binding.keys]


def test_no_two_entries_of_a_german_menu_share_their_underlined_letter(driver: Driver, window: MainWindow) -> None:
    menus = [menu for menu in window.findChildren(QMenu) if menu.actions()]
    assert len(menus) >= 8
    for menu in [*menus, window.menuBar()]:
        letters = [QKeySequence.mnemonic(action.text()).toString() for action in menu.actions() if "&" in action.text()]
        assert len(letters) == len(set(letters)), menu.title()


def test_buttons_of_qt_speak_german(german: None, qtbot) -> None:
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(box)
    assert box.button(QDialogButtonBox.StandardButton.Cancel).text() == "Abbrechen"
    use(Language.ENGLISH)
    again = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(again)
    assert again.button(QDialogButtonBox.StandardButton.Cancel).text() == "Cancel"


def language_action(window: MainWindow, text: str) -> QAction:
    menu = next(menu for menu in window.findChildren(QMenu) if menu.title() == "&Language")
    return next(action for action in menu.actions() if action.text() == text)


def test_a_language_chosen_in_the_view_menu_is_remembered(driver: Driver, project: FakeProject) -> None:
    window = driver.open(project)
    assert settings.language() is Language.SYSTEM
    assert language_action(window, "As the &system").isChecked()
    language_action(window, "Deutsch").trigger()
    assert settings.language() is Language.GERMAN
    assert window.status.message.text() == "The language changes when Deidra is started again."
    use(settings.language())
    again = driver.open(None)
    assert again.status.message.text() == "Kein Projekt ist geöffnet"


def test_an_unknown_remembered_language_is_the_system_s() -> None:
    settings._store().setValue("language", "tlh")
    assert settings.language() is Language.SYSTEM


@pytest.mark.parametrize(
    ("system", "expected"),
    [("de_AT", Language.GERMAN), ("de_DE", Language.GERMAN), ("en_GB", Language.ENGLISH), ("fr_FR", Language.ENGLISH)],
)
def test_the_system_s_language_counts_where_the_window_speaks_it(monkeypatch, system: str, expected: Language) -> None:
    monkeypatch.setattr(QLocale, "system", staticmethod(lambda: QLocale(system)))
    assert spoken(Language.SYSTEM) is expected
    assert spoken(Language.GERMAN) is Language.GERMAN


@pytest.mark.parametrize(("options", "wanted"), [((), None), (("--language", "de"), Language.GERMAN)])
def test_the_command_opens_the_window_in_the_language_that_it_names(monkeypatch, options, wanted) -> None:
    asked = []
    monkeypatch.setattr("deidra.ui.start.open_window", lambda folder, language: asked.append((folder, language)) or 0)
    assert CliRunner().invoke(review, options).exit_code == 0
    assert asked == [(None, wanted)]


def test_the_language_can_stand_in_the_environment(monkeypatch) -> None:
    asked = []
    monkeypatch.setattr("deidra.ui.start.open_window", lambda _folder, language: asked.append(language) or 0)
    assert CliRunner(env={"DEIDRA_LANGUAGE": "de"}).invoke(review).exit_code == 0
    assert asked == [Language.GERMAN]


def test_a_language_that_the_window_does_not_speak_is_refused() -> None:
    assert CliRunner().invoke(review, ("--language", "tlh")).exit_code == 2


def test_a_picture_is_drawn_in_the_language_that_is_asked_for(
    monkeypatch, german: None, project: FakeProject, tmp_path
) -> None:
    # The language asked for counts, not the one in use or the one remembered.
    settings.set_language(Language.GERMAN)
    monkeypatch.setattr(start, "open_project", lambda _folder, _create: project)
    titles = []
    monkeypatch.setattr(start, "settle", lambda _operations: titles.append(tr("Everything is saved")))
    start.save_picture(project.folder, tmp_path / "window.png", language=Language.ENGLISH)
    assert titles == ["Everything is saved"]

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from deidra.app.decide.explain import explained
from deidra.app.domain.model import AssetKind, AssetStatus, DecisionKind
from deidra.app.pipeline import RunSummary
from deidra.app.review.second import SecondState
from deidra.app.subjects import DatedEvent
from deidra.storage.assets import Inventory
from deidra.ui.page_stack import PAGES
from deidra.ui.words import project_lines, release_lines

from .conftest import PDF, US, ids

CONTROL = Qt.KeyboardModifier.ControlModifier
ORDER = ("project_page", "policy", "dates_page", "review_page", "second_page", "release_page")


def cells(table) -> list[tuple[str, ...]]:
    model = table.model()
    return [
        tuple(model.index(row, column).data() for column in range(model.columnCount()))
        for row in range(model.rowCount())
    ]


def go(driver, window, number: int) -> None:
    driver.press(window, Qt.Key(Qt.Key.Key_0 + number), CONTROL)


@pytest.mark.parametrize(("number", "name"), list(enumerate(ORDER, 1)))
def test_ctrl_and_a_number_shows_the_page_of_that_place_in_the_rail(driver, project, number, name):
    window = driver.open(project)
    assert PAGES == ORDER
    go(driver, window, 4 if number == 1 else 1)
    go(driver, window, number)
    assert window.pages.front == name
    assert [key for key, button in window.pages.rail.buttons.items() if button.isChecked()] == [name]
    shown = window.pages.stack.currentWidget()
    assert shown.isAncestorOf(window.focusWidget())


def test_a_click_on_the_rail_shows_the_page(driver, project):
    window = driver.open(project)
    driver.qtbot.mouseClick(window.pages.rail.buttons["dates_page"], Qt.MouseButton.LeftButton)
    driver.settle(window)
    assert window.pages.front == "dates_page"


def test_every_button_of_the_rail_has_an_icon_a_word_and_a_name(driver, project):
    window = driver.open(project)
    buttons = window.pages.rail.findChildren(QToolButton)
    assert [button.text().split("\n")[0] for button in buttons] == [
        "Project",
        "Policy",
        "Dates",
        "Review",
        "Second",
        "Release",
    ]
    assert all(button.accessibleName() for button in buttons)
    assert all(not button.icon().pixmap(22, 22).isNull() for button in buttons)
    drawn = [button.icon().pixmap(22, 22).toImage() for button in buttons]
    assert all(image != drawn[0] for image in drawn[1:])


def test_the_rail_counts_what_waits_and_follows_each_decision(driver, project):
    window = driver.open(project)
    button = window.pages.rail.buttons["review_page"]
    assert button.text() == "Review\n5"
    driver.press(window, Qt.Key.Key_A)
    assert button.text() == "Review\n4"
    assert button.accessibleName() == "Review, 4 items wait for a decision"
    go(driver, window, 1)
    go(driver, window, 4)
    assert button.text() == "Review\n4"
    driver.press(window, Qt.Key.Key_Z, CONTROL)
    assert button.text() == "Review\n5"


@pytest.mark.parametrize("number", [1, 2, 3, 5, 6])
def test_keys_of_the_review_do_nothing_while_another_page_is_in_front(driver, project, number):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_A)
    before = [(finding.id, finding.decision) for finding in project.store.findings.select()]
    go(driver, window, number)
    for key in (Qt.Key.Key_A, Qt.Key.Key_B, Qt.Key.Key_K, Qt.Key.Key_R, Qt.Key.Key_W, Qt.Key.Key_H):
        driver.press(window, key)
    driver.press(window, Qt.Key.Key_Z, CONTROL)
    assert [(finding.id, finding.decision) for finding in project.store.findings.select()] == before
    assert not window.actions_by_id["accept"].isEnabled()
    assert not window.actions_by_id["undo"].isEnabled()


def test_back_on_the_review_the_same_item_is_decided(driver, project):
    window = driver.open(project)
    item = window.page.current.id
    go(driver, window, 1)
    go(driver, window, 4)
    assert window.page.current.id == item
    driver.press(window, Qt.Key.Key_B)
    assert project.desk.finding(item).decision is DecisionKind.BLANK


def test_without_a_project_no_page_can_be_shown(driver):
    window = driver.open(None)
    go(driver, window, 1)
    assert window.pages.front == ""
    assert not any(window.actions_by_id[name].isEnabled() for name in PAGES)


def test_closing_the_project_leaves_the_page_in_front_for_the_welcome(driver, project):
    window = driver.open(project)
    project.dates = (DatedEvent("key1", "P1", "study", "20190304", "20181122"),)
    go(driver, window, 3)
    driver.press(window, Qt.Key.Key_W, CONTROL)
    assert window.pages.front == ""
    assert not window.pages.rail.isVisible()
    assert window.pages.stack.count() == 1


def test_another_project_shows_nothing_of_the_one_before(driver, project, tmp_path):
    project.dates = (DatedEvent("key1", "P1", "study", "20190304", "20181122"),)
    other = type(project)(tmp_path / "other")
    window = driver.open(project, opener=lambda _folder, _create: other)
    go(driver, window, 3)
    window.open_project(other.folder)
    driver.settle(window)
    assert window.pages.front == "review_page"
    table = window.pages.state_pages["dates_page"].table
    assert cells(table) == []
    go(driver, window, 3)
    assert cells(table) == []


def test_the_policy_page_speaks_in_the_words_of_the_command_line(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_F2)
    page = window.pages.state_pages["policy"]
    assert window.pages.front == "policy"
    title, *lines = explained(project.policy)
    assert page.title.text() == title
    assert page.text.text().split("\n\n") == [line for line in lines if line]


def test_the_dates_page_shows_each_date_before_and_after_under_the_pseudonym(driver, project):
    project.dates = (
        DatedEvent("key1", "P1", "study", "20190304", "20181122"),
        DatedEvent("key1", "P1", "birth", "19510312", ""),
        DatedEvent("key2", "P2", "study", "20200101", "20191231"),
    )
    window = driver.open(project)
    go(driver, window, 3)
    page = window.pages.state_pages["dates_page"]
    assert cells(page.table) == [
        ("P1", "study", "2019-03-04", "2018-11-22"),
        ("P1", "birth", "1951-03-12", "(removed)"),
        ("P2", "study", "2020-01-01", "2019-12-31"),
    ]
    assert page.note.text() == "3 dates of 2 patients."


def test_the_project_page_lists_held_files_with_their_reasons(driver, project):
    held = replace(PDF, id="held", path="/in/c.pdf", status=AssetStatus.QUARANTINED, reason="it is encrypted")
    assert (held.kind, US.status) == (AssetKind.PDF, AssetStatus.DECIDED)
    project.store.assets.add([held])
    window = driver.open(project)
    go(driver, window, 1)
    page = window.pages.state_pages["project_page"]
    assert cells(page.held) == [("/in/c.pdf", "it is encrypted")]
    assert page.counts.text().split("\n") == [
        "3 files, 0 of them ready for release",
        "6 findings; 5 items wait for a decision",
        "1 file held back",
    ]


def test_the_release_page_is_read_anew_when_it_is_shown_again(driver, project):
    window = driver.open(project)
    checks = window.pages.state_pages["release_page"].checks
    go(driver, window, 6)
    assert checks.text().split("\n")[1].startswith("! 5 items wait for a decision.")
    go(driver, window, 4)
    for _ in range(5):
        driver.press(window, Qt.Key.Key_A)
    go(driver, window, 6)
    assert checks.text().split("\n") == [
        "✓ 2 files in the project",
        "✓ Every item is decided",
        "✓ Everything was decided under the policy in force",
        "✓ Nothing is left for a second reader",
        "✓ No file is held back",
        "✓ The audit log is intact",
    ]


def test_a_page_in_front_is_read_anew_when_a_run_ends(driver, project, tmp_path):
    window = driver.open(project)
    go(driver, window, 3)
    project.dates = (DatedEvent("key1", "P1", "study", "20190304", "20181122"),)
    window.import_paths([tmp_path])
    driver.settle(window)
    assert cells(window.pages.state_pages["dates_page"].table) == [("P1", "study", "2019-03-04", "2018-11-22")]


def test_words_for_a_release_with_everything_in_the_way():
    state = RunSummary(Inventory(0, 0, 0, 0, 0, 0), 0, 0, 1, 1, [("/in/a", "no"), ("/in/b", "no")])
    assert [line[0] for line in release_lines(state, 7, False, SecondState(1, 0))] == ["!"] * 6
    assert "1 item waits for a decision" in release_lines(state, 7)[1]
    assert "row 7" in release_lines(state, 7)[5]
    assert project_lines(state) == ["There are no files yet. Drop a folder here, or press Ctrl+Shift+I."]


def test_size_and_panels_are_as_they_were_left(driver, project, tmp_path):
    first = driver.open(None, opener=lambda _folder, _create: project)
    first.remember_state()
    first.open_project(project.folder)
    driver.settle(first)
    first.resize(760, 620)
    total = sum(first.page.splitter.sizes())
    first.page.splitter.setSizes([total // 2, total // 4, total // 4])
    size, sizes = first.size(), first.page.splitter.sizes()
    first.close()

    again = type(project)(project.folder)
    second = type(first)(None, opener=lambda _folder, _create: again)
    driver.qtbot.addWidget(second)
    second.remember_state()
    second.show()
    second.open_project(project.folder)
    driver.settle(second)
    assert second.size() == size
    assert second.page.splitter.sizes() == sizes
    assert ids(second)


def test_a_window_that_was_not_told_to_remember_keeps_nothing(driver, project):
    window = driver.open(project)
    window.resize(700, 600)
    window.close()
    other = driver.open(None)
    size = other.size()
    other.remember_state()
    assert other.size() == size

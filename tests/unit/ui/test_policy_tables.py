from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from deidra.app.detect.devices import known_rules
from deidra.app.workflow import Project

from .conftest import US, standard_findings
from .test_pages import cells
from .test_policy_page import click, settle
from .trial import trial


@pytest.fixture
def scan(tmp_path: Path) -> Project:
    return trial(tmp_path / "trial")


@pytest.fixture
def shown(driver, scan):
    window = driver.open(scan)
    window.pages.go("policy")
    driver.settle(window)
    return window, window.pages.state_pages["policy"]


def rest(driver, window) -> None:
    driver.qtbot.wait(350)
    driver.settle(window)


def define(driver, window, page):
    click(driver, window, page.definitions.add)
    dialog = page.definitions.dialog
    driver.qtbot.keyClicks(dialog.name, "passport numbers")
    driver.qtbot.keyClicks(dialog.description, "a letter and eight digits")
    rest(driver, window)
    return dialog


def test_a_definition_shows_what_it_would_match_while_it_is_typed(driver, shown, scan):
    window, page = shown
    page.tabs.setCurrentWidget(page.definitions)
    dialog = define(driver, window, page)
    texts = [row[0] for row in cells(dialog.table)]
    assert set(texts) == {"A12345678", "B87654321", "C11111111"}
    # Beside the word that the name tells, a match is surer.
    assert texts[-1] == "C11111111"
    assert "3 different texts" in dialog.state.text()
    assert scan.policy.definitions == ()


def test_answers_become_examples_and_counter_examples(driver, tmp_path):
    window = driver.open(trial(tmp_path / "codes", ("Ref C11", "Bed D22", "The liver is normal")))
    window.pages.go("policy")
    driver.settle(window)
    page = window.pages.state_pages["policy"]
    page.tabs.setCurrentWidget(page.definitions)
    click(driver, window, page.definitions.add)
    dialog = page.definitions.dialog
    dialog.name.setText("places")
    dialog.description.setText("a letter and two digits")
    rest(driver, window)
    assert {row[0] for row in cells(dialog.table)} == {"C11", "D22"}
    first = dialog.question.text().split()[-1]
    other = {"C11": "D22", "D22": "C11"}[first]
    click(driver, window, dialog.no)
    rest(driver, window)
    assert dialog.definition.counter_examples == (first,)
    assert [row[0] for row in cells(dialog.table)] == [other]
    assert dialog.question.text().endswith(other)
    click(driver, window, dialog.yes)
    rest(driver, window)
    assert dialog.definition.examples == (other,)
    assert dialog.question.text() == ""
    assert not dialog.yes.isEnabled()


def test_a_definition_that_is_added_and_applied_makes_findings(driver, shown, scan):
    window, page = shown
    page.tabs.setCurrentWidget(page.definitions)
    dialog = define(driver, window, page)
    click(driver, window, dialog.store)
    assert [row[:2] for row in cells(page.definitions.table)] == [("passport numbers", "a letter and eight digits")]
    assert page.changes.text.text() == "Not applied yet: own types."
    click(driver, window, page.changes.apply)
    assert [entry.name for entry in scan.policy.definitions] == ["passport numbers"]
    said = {e.agent for finding in scan.store.findings.select() for e in finding.evidence}
    assert "definition" in said


def test_a_definition_is_edited_by_enter_and_removed_by_delete(driver, shown):
    window, page = shown
    page.tabs.setCurrentWidget(page.definitions)
    click(driver, window, define(driver, window, page).store)
    table = page.definitions.table
    window.activateWindow()
    table.setFocus()
    driver.qtbot.keyClick(table, Qt.Key.Key_Return)
    rest(driver, window)
    dialog = page.definitions.dialog
    assert dialog.description.text() == "a letter and eight digits"
    dialog.name.setText("travel documents")
    rest(driver, window)
    click(driver, window, dialog.store)
    assert [row[0] for row in cells(table)] == ["travel documents"]
    window.activateWindow()
    table.setFocus()
    driver.qtbot.keyClick(table, Qt.Key.Key_Delete)
    settle(driver, window)
    assert cells(table) == []
    assert page.definitions.stack.currentWidget() is page.definitions.empty


def test_a_definition_that_says_nothing_cannot_be_stored(driver, shown):
    window, page = shown
    page.tabs.setCurrentWidget(page.definitions)
    click(driver, window, page.definitions.add)
    dialog = page.definitions.dialog
    assert not dialog.store.isEnabled()
    driver.qtbot.keyClicks(dialog.name, "frobnicators")
    rest(driver, window)
    assert not dialog.store.isEnabled()
    assert "example" in dialog.state.text()
    dialog.reject()
    assert not page.draft.is_edited


def test_built_in_device_rules_can_be_read_and_not_changed(driver, shown):
    window, page = shown
    page.tabs.setCurrentWidget(page.devices)
    settle(driver, window)
    rows = cells(page.devices.table)
    assert [row[0] for row in rows] == [rule.name for rule in known_rules()]
    assert not page.devices.edit.isEnabled()
    assert not page.devices.remove.isEnabled()


def test_a_device_rule_is_added_from_the_box_that_is_selected_in_the_review(driver, project):
    project.store.assets.save_loaded(device_asset(), [])
    project.store.findings.replace("us", standard_findings()["us"])
    window = driver.open(project)
    marked = window.page.current
    assert marked.id == "name"
    window.pages.go("policy")
    driver.settle(window)
    page = window.pages.state_pages["policy"]
    page.tabs.setCurrentWidget(page.devices)
    click(driver, window, page.devices.add)
    dialog = page.devices.dialog
    driver.qtbot.keyClicks(dialog.name, "name of Echo 9")
    click(driver, window, dialog.take)
    assert dialog.boxes.toPlainText() == "24, 20, 166, 24"
    assert (dialog.fields["manufacturer"].text(), dialog.fields["rows"].text()) == ("Sonic", "480")
    click(driver, window, dialog.store)
    own = cells(page.devices.table)[0]
    assert own == (
        "name of Echo 9",
        "manufacturer Sonic, model Echo 9, modality US, rows 480, columns 640",
        "cover",
        "1",
        "1",
        "you",
    )
    assert page.devices.edit.isEnabled()
    click(driver, window, page.devices.remove)
    assert page.draft.policy.devices == ()


def test_a_device_rule_without_a_box_says_what_is_missing(driver, shown):
    window, page = shown
    page.tabs.setCurrentWidget(page.devices)
    click(driver, window, page.devices.add)
    dialog = page.devices.dialog
    assert not dialog.take.isEnabled()
    dialog.name.setText("x")
    dialog.fields["rows"].setText("many")
    click(driver, window, dialog.store)
    assert "rows" in dialog.fault.text()
    assert "boxes" in dialog.fault.text()
    assert page.draft.policy.devices == ()
    dialog.fields["rows"].setText("480")
    dialog.boxes.setPlainText("0, 0, 640, 30\n0 450 640 30")
    click(driver, window, dialog.store)
    (rule,) = page.draft.policy.devices
    assert rule.boxes == ((0, 0, 640, 30), (0, 450, 640, 30))
    assert rule.rows == 480


def device_asset():

    facts = {"manufacturer": "Sonic", "model": "Echo 9", "modality": "US", "sop_class": "", "rows": 480, "columns": 640}
    return replace(US, info={"frames": 3, "device": facts})

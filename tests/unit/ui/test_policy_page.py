from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from deidra.app.decide.policy import PRESETS, load_policy
from deidra.app.domain.model import DecisionKind, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.workflow import Project
from deidra.ui.policy_settings import PRESET_WORDS

from .trial import plain_policy, trial


@pytest.fixture
def scan(tmp_path: Path) -> Project:
    return trial(tmp_path / "trial")


@pytest.fixture
def shown(driver, scan):
    """The window on its policy page."""
    window = driver.open(scan)
    window.pages.go("policy")
    driver.settle(window)
    return window, window.pages.state_pages["policy"]


def settle(driver, window) -> None:
    # Counts follow when a slider has rested.
    driver.qtbot.wait(250)
    driver.settle(window)


def verdicts(project: Project) -> list[Verdict]:
    return [finding.verdict for finding in project.store.findings.select()]


def click(driver, window, button) -> None:
    driver.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(driver, window)


def counts(page) -> dict[str, str]:
    return {name: label.text() for name, label in page.settings.thresholds.counts.items()}


def test_the_counts_are_those_of_the_stored_findings(driver, shown, scan):
    _, page = shown
    found = verdicts(scan)
    assert counts(page) == {
        "alone": str(found.count(Verdict.AUTO)),
        "asked": str(found.count(Verdict.QUEUE)),
        "waiting": str(scan.desk.progress().waiting),
        "left": str(found.count(Verdict.IGNORE)),
    }
    assert found.count(Verdict.AUTO) >= 1


def test_a_slider_moved_by_key_shows_what_would_change_and_stores_nothing(driver, shown, scan):
    window, page = shown
    alone = verdicts(scan).count(Verdict.AUTO)
    slider = page.settings.thresholds.sliders["auto_score"]
    slider.setFocus()
    driver.qtbot.keyClick(slider, Qt.Key.Key_End)
    settle(driver, window)
    assert page.settings.thresholds.values["auto_score"].text() == "1"
    assert counts(page)["alone"] == f"0   ({-alone:+,})"
    assert page.changes.text.text() == "Not applied yet: thresholds."
    assert page.changes.apply.isEnabled()
    assert scan.policy == plain_policy()
    assert verdicts(scan).count(Verdict.AUTO) == alone


def test_apply_decides_again_as_was_forecast_and_keeps_decisions(driver, shown, scan):
    window, page = shown
    first = scan.store.findings.select()[0]
    scan.desk.decide([first.id], DecisionKind.KEEP)
    slider = page.settings.thresholds.sliders["auto_score"]
    driver.qtbot.keyClick(slider, Qt.Key.Key_End)
    settle(driver, window)
    told = counts(page)
    click(driver, window, page.changes.apply)
    found = verdicts(scan)
    assert scan.policy.thresholds.auto_score == 1.0
    assert told["alone"].split()[0] == str(found.count(Verdict.AUTO)) == "0"
    assert told["asked"].split()[0] == str(found.count(Verdict.QUEUE))
    assert counts(page)["asked"] == str(found.count(Verdict.QUEUE))
    assert scan.desk.finding(first.id).decision is DecisionKind.KEEP
    assert page.changes.text.text() == "The project was decided with these settings."
    assert window.status.policy.text() == "policy: basic (changed)"
    assert [row.event for row in scan.store.audit_rows()][-2:] == ["policy-started", "policy-done"]


def test_discard_goes_back_to_what_is_in_force(driver, shown):
    window, page = shown
    driver.qtbot.keyClick(page.settings.thresholds.sliders["queue_score"], Qt.Key.Key_Home)
    page.settings.vector.click()
    settle(driver, window)
    assert page.changes.text.text() == "Not applied yet: thresholds, what is written."
    click(driver, window, page.changes.discard)
    assert page.draft.policy == plain_policy()
    assert not page.settings.vector.isChecked()
    assert not page.changes.apply.isEnabled()


def test_edits_stay_while_another_page_is_looked_at(driver, shown):
    window, page = shown
    page.settings.surrogates.click()
    window.pages.go("dates_page")
    driver.settle(window)
    window.pages.go("policy")
    driver.settle(window)
    assert page.settings.surrogates.isChecked()
    assert page.draft.differences == ["what is written"]


def test_a_type_is_switched_off_with_the_space_bar(driver, shown, scan):
    window, page = shown
    types = page.settings.types
    row = next(n for n in range(types.count()) if types.item(n).text().startswith("birth date"))
    types.setFocus()
    types.setCurrentRow(row)
    driver.qtbot.keyClick(types, Qt.Key.Key_Space)
    settle(driver, window)
    assert page.draft.policy.detect.types_off == (EntityType.DATE_BIRTH,)
    assert page.settings.thresholds.note.text().endswith("Not counted before Apply: what is private.")
    click(driver, window, page.changes.apply)
    assert EntityType.DATE_BIRTH not in [finding.type for finding in scan.store.findings.select()]


def test_a_sentence_that_names_something_unknown_is_refused_with_words(driver, shown):
    window, page = shown
    only = page.settings.only
    only.setText("names and frobnicators")
    driver.qtbot.keyClick(only, Qt.Key.Key_Return)
    driver.settle(window)
    assert only.text() == ""
    assert not page.draft.is_edited
    only.setText("names")
    driver.qtbot.keyClick(only, Qt.Key.Key_Return)
    assert page.draft.policy.detect.only == "names"
    assert not page.settings.types.item(0).flags() & Qt.ItemFlag.ItemIsEnabled


def test_a_preset_is_chosen_by_key(driver, shown):
    window, page = shown
    page.settings.preset.setFocus()
    driver.qtbot.keyClick(page.settings.preset, Qt.Key.Key_End)
    page.settings.preset.activated.emit(page.settings.preset.currentIndex())
    settle(driver, window)
    assert page.draft.policy == load_policy(PRESETS[-1])
    assert page.title.text().startswith(f"{PRESETS[-1]}: ")


def test_every_preset_has_words(shown):
    assert PRESET_WORDS.keys() == set(PRESETS)


def test_an_exported_policy_is_the_edited_one(driver, shown, tmp_path):
    window, page = shown
    page.settings.vector.click()
    page.export_to(tmp_path / "own.toml")
    driver.settle(window)
    assert load_policy(str(tmp_path / "own.toml")) == page.draft.policy
    assert page.draft.policy.redact.vector
    assert window.status.message.text() == "The policy is written to own.toml."


def test_everything_on_the_page_has_a_name_and_can_be_reached_by_tab(driver, shown):
    window, page = shown
    reached = set()
    window.pages.rail.buttons["policy"].setFocus()
    for _ in range(40):
        driver.qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        reached.add(window.focusWidget())
    wanted = [
        page.tabs.tabBar(),
        page.settings.preset,
        page.settings.only,
        page.settings.types,
        *page.settings.thresholds.sliders.values(),
        page.settings.fill,
        page.settings.documents,
        page.settings.vector,
        page.export,
    ]
    assert [widget.accessibleName() or widget for widget in wanted if widget not in reached] == []
    assert all(widget.accessibleName() or widget is page.settings.vector for widget in wanted[1:])


def test_findings_of_an_older_version_are_decided_again_by_apply(driver, tmp_path, monkeypatch):
    project = trial(tmp_path / "old")
    rows = project.store.findings.select()
    from dataclasses import replace

    project.store.findings.replace("scan", [replace(row, grounds=None) for row in rows])
    project.store.set_value("decided_with", "as an older one did")
    window = driver.open(project)
    window.pages.go("policy")
    settle(driver, window)
    page = window.pages.state_pages["policy"]
    assert page.settings.thresholds.note.text() == f"{len(rows)} findings of an older Deidra are counted after Apply."
    click(driver, window, page.changes.apply)
    assert all(finding.grounds is not None for finding in project.store.findings.select())
    assert not page.changes.apply.isEnabled()

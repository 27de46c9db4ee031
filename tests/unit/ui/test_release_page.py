from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from deidra.app.decide.second import ReviewSection
from deidra.app.domain.model import AssetStatus, DecisionKind
from deidra.app.release.job import Pending
from deidra.app.release.plan import last_release, plans, remember_release
from deidra.app.review.second import SecondState
from deidra.storage.assets import Output
from deidra.ui import release_page
from deidra.ui.curator import curator

from .conftest import PDF, ids
from .test_pages import cells, go
from .test_policy_page import click

WHY = "The readers agree, but the detector is not sure, and the risk is high."


@pytest.fixture
def shown(driver, project):
    window = driver.open(project)
    go(driver, window, 6)
    return window, window.pages.state_pages["release_page"]


def test_what_waits_is_counted_by_its_reason(shown):
    _, page = shown
    assert cells(page.reasons) == [("4", WHY), ("1", "Free text that names a person.")]


def test_enter_on_a_reason_shows_its_items_in_the_review(driver, shown):
    window, page = shown
    window.activateWindow()
    page.reasons.selectRow(1)
    driver.qtbot.keyClick(page.reasons, Qt.Key.Key_Return)
    driver.settle(window)
    assert window.pages.front == "review_page"
    assert ids(window) == ["desc"]
    assert window.page.queue.reason.isVisible()
    click(driver, window, window.page.queue.reason)
    assert len(ids(window)) == 5
    assert not window.page.queue.reason.isVisible()


def test_the_dry_run_counts_files_for_each_way_of_treating_what_waits(driver, shown, project):
    window, page = shown
    project.store.assets.add([replace(PDF, id="held", path="/in/c.pdf")])
    project.store.assets.set_status("held", AssetStatus.QUARANTINED, "it is encrypted")
    go(driver, window, 1)
    go(driver, window, 6)
    assert [row[1:] for row in cells(page.plans)] == [
        ("nothing", "1", "1 × it is encrypted"),
        ("2", "1", "1 × it is encrypted"),
        ("0", "3", "2 × findings wait for a curator; 1 × it is encrypted"),
    ]


def test_nothing_would_be_written_of_an_empty_project_or_one_whose_run_is_unfinished(project):
    project.store.assets.add([replace(PDF, id="new", path="/in/d.pdf", status=AssetStatus.LOADED)])
    assert [(plan.pending, plan.written, plan.blocked) for plan in plans(project.store, SecondState(0, 0))] == [
        (pending, 0, True) for pending in Pending
    ]


def test_what_is_left_for_a_second_reader_is_in_the_way_of_a_release(driver, shown, project):
    window, page = shown
    assert "✓ Nothing is left for a second reader" in page.checks.text()
    wanted = ReviewSection(second_reader="types", types=("PATIENT",))
    project.policy = project.policy.model_copy(update={"review": wanted})
    project.desk.leave(curator())
    for finding in project.desk.queue():
        project.desk.decide([finding.id], DecisionKind.KEEP, by="Ann")
    names = project.second.to_read("Bob")
    assert len(names) > 1
    project.second.decide(names[0].id, DecisionKind.ACCEPT, "Bob")
    go(driver, window, 1)
    go(driver, window, 6)
    left = f"A second curator has {len(names) - 1} items to read, and 1 differences are not settled."
    assert left in page.checks.text()
    assert {row[1] for row in cells(page.plans)} == {"nothing"}


def test_the_last_release_tells_first_what_its_own_search_has_found(driver, shown, project, tmp_path, monkeypatch):
    window, page = shown
    assert page.last_words.text().startswith("Nothing was released yet.")
    assert not page.open_folder.isEnabled()
    out = tmp_path / "out"
    out.mkdir()
    project.store.assets.save_outputs(
        [Output("us", "", "quarantined", "re-scan: name found in pixels"), Output("zpdf", "d/x.pdf", "released", "")]
    )
    remember_release(project.store, out)
    go(driver, window, 1)
    go(driver, window, 6)
    page.tabs.setCurrentIndex(1)
    assert cells(page.held) == [("/in/a.dcm", "re-scan: name found in pixels")]
    assert "1 file in" in page.last_words.text()
    assert "held 1 file back because something private was found" in page.last_words.text()
    opened = []
    monkeypatch.setattr(release_page, "show_path", opened.append)
    click(driver, window, page.open_folder)
    click(driver, window, page.open_report)
    assert opened == [out, out / "report.html"]
    assert last_release(project.store).written == 1


def test_verifying_a_release_that_was_changed_says_so(driver, shown, project, tmp_path):
    window, page = shown
    out = tmp_path / "out"
    out.mkdir()
    remember_release(project.store, out)
    go(driver, window, 1)
    go(driver, window, 6)
    page.tabs.setCurrentIndex(1)
    click(driver, window, page.verify)
    box = window.findChild(QMessageBox)
    assert box is not None
    assert "verified" not in window.status.message.text()


def test_the_audit_log_is_filtered_as_is_typed(driver, shown, project):
    window, page = shown
    project.store.log("ann", "patients-imported", {"patients": 3})
    project.store.log("bob", "crosswalk-exported", {"uids": 40})
    page.tabs.setCurrentWidget(page.audit)
    click(driver, window, page.audit.check)
    assert [row[2:] for row in cells(page.audit.table)][:2] == [
        ("bob", "crosswalk exported", "uids 40"),
        ("ann", "patients imported", "patients 3"),
    ]
    driver.qtbot.keyClicks(page.audit.filter, "ANN import")
    assert [row[2] for row in cells(page.audit.table)] == ["ann"]


def test_a_changed_row_of_the_audit_log_is_told(driver, shown, project):
    window, page = shown
    project.store.log("ann", "patients-imported", {"patients": 3})
    page.tabs.setCurrentWidget(page.audit)
    click(driver, window, page.audit.check)
    assert page.audit.state.text().startswith("✓ The log is intact: ")
    with sqlite3.connect(project.folder / "project.db") as connection:
        connection.execute("DROP TRIGGER audit_no_update")
        connection.execute("UPDATE audit SET actor = 'eve' WHERE actor = 'ann'")
    connection.close()
    click(driver, window, page.audit.check)
    assert page.audit.state.text().startswith("! Row ")
    assert page.audit.state.objectName() == "warning"


@pytest.mark.parametrize(
    ("number", "name", "wanted"),
    [
        (1, "project_page", ("counts", "password")),
        (3, "dates_page", ("mode", "least", "most", "times", "table", "import_button", "export_button")),
        (5, "second_page", ("choose",)),
        (6, "release_page", ("reasons", "jump", "plans")),
    ],
)
def test_every_part_of_a_page_is_reached_with_the_tab_key(driver, project, number, name, wanted, monkeypatch):
    monkeypatch.setattr(project, "encrypted_files", lambda: [Path("/in/locked.pdf")])
    window = driver.open(project)
    go(driver, window, number)
    page = window.pages.state_pages[name]
    reached = set()
    for _ in range(30):
        driver.qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        reached.add(window.focusWidget())
    assert [part for part in wanted if getattr(page, part) not in reached] == []

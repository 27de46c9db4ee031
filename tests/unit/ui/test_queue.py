from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt

from deidra.app.domain.model import DecisionKind, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.storage.findings import FindingFilter
from deidra.ui.operations import Operations
from deidra.ui.queue_model import PAGE, QueueModel
from deidra.ui.words import duration_text, masked, measures, place, score_text

from .conftest import PDF, US, FakeProject, ids, many_findings, region, standard_findings


@pytest.fixture
def large(tmp_path):
    project = FakeProject(tmp_path / "large")
    project.fill({"us": many_findings(5000)})
    return project


def choose(driver, window, combo, value):
    combo.setCurrentIndex(combo.findData(value))
    driver.settle(window)


def test_rows_show_masked_text_place_and_numbers_with_their_meaning(driver, project):
    window = driver.open(project)
    model = window.page.queue.model
    assert model.data(model.index(0)) == "J*** S***"
    spoken = model.data(model.index(0), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "J*** S***, patient name, US · all frames, risk 95 · uncertain 0.31, waits for a decision"
    assert "John" not in window.windowTitle() + spoken


def test_words_for_findings():
    findings = {finding.id: finding for rows in standard_findings().values() for finding in rows}
    assert masked("12.03.1951") == "1***"
    assert masked("Smith^John^Q^Dr^MD") == "S*** J*** Q*** D*** …"
    assert masked("  ") == "(no text)"
    assert place(findings["birth"], US) == "US · frame 1"
    assert place(findings["stamp"], PDF) == "PDF · page 2"
    assert place(findings["desc"], US) == "US · (0008,1030)"
    assert measures(findings["mrn"]) == "risk 90 · uncertain 0.05"
    assert score_text(0.91, 0.0324) == "0.91 ± 0.18"
    assert score_text(1.0, 0.0) == "1.00"
    assert [duration_text(s) for s in (0.2, 59, 61, 3600, 7800)] == ["1 s", "59 s", "1 min", "1 h 0 min", "2 h 10 min"]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("leak", ["name", "desc", "birth", "mrn", "stamp"]),
        ("risk", ["name", "desc", "mrn", "birth", "stamp"]),
        ("uncertain", ["name", "desc", "birth", "mrn", "stamp"]),
        ("file", ["name", "birth", "mrn", "desc", "stamp"]),
    ],
)
def test_the_order_can_be_chosen(driver, project, sort, expected):
    window = driver.open(project)
    choose(driver, window, window.page.queue.sort, sort)
    assert ids(window) == expected


def test_the_list_can_be_narrowed_to_one_type(driver, project):
    window = driver.open(project)
    choose(driver, window, window.page.queue.type, EntityType.PATIENT.value)
    assert ids(window) == ["name", "desc"]
    assert window.page.queue.count.text() == "2 waiting"


def test_the_filter_finds_texts_and_tags_and_escape_empties_it(driver, project):
    window = driver.open(project)
    field = window.page.queue.text
    field.setFocus()
    for typed, expected in (("smi", ["name"]), ("0008,1030", ["desc"])):
        field.selectAll()
        driver.qtbot.keyClicks(field, typed)
        driver.qtbot.waitUntil(lambda expected=expected: ids(window) == expected, timeout=60_000)
        assert window.page.current.id == expected[0]
    driver.qtbot.keyClick(field, Qt.Key.Key_Escape)
    driver.qtbot.waitUntil(lambda: len(ids(window)) == 5, timeout=60_000)
    assert window.page.queue.list.hasFocus()


def test_a_filter_without_matches_says_how_to_leave_it(driver, project):
    window = driver.open(project)
    window.page.queue.text.setText("zzz")
    driver.qtbot.waitUntil(lambda: window.page.queue.model.total == 0, timeout=60_000)
    assert "Empty the filter" in window.page.queue.empty_text.text()
    assert window.page.current is None


def test_decided_and_all_items_can_be_shown(driver, project):
    project.desk.decide(["mrn"], DecisionKind.KEEP)
    window = driver.open(project)
    choose(driver, window, window.page.queue.show_which, "decided")
    assert ids(window) == ["mrn"]
    assert window.page.queue.count.text() == "1 decided"
    driver.press(window, Qt.Key.Key_B)
    assert project.store.findings.get("mrn").decision is DecisionKind.BLANK
    assert ids(window) == ["mrn"]
    choose(driver, window, window.page.queue.show_which, "all")
    assert window.page.queue.count.text() == "6 found"
    assert "site" in ids(window)


def test_five_thousand_findings_are_read_a_page_at_a_time(driver, large):
    window = driver.open(large)
    panel = window.page.queue
    assert panel.count.text() == "5,000 waiting"
    assert panel.model.rowCount() == PAGE == 200
    panel.list.scrollToBottom()
    driver.qtbot.waitUntil(lambda: panel.model.rowCount() == 2 * PAGE, timeout=60_000)
    assert len(set(ids(window))) == 2 * PAGE


def test_no_finding_is_skipped_when_items_are_decided_between_pages(driver, large):
    window = driver.open(large)
    model = window.page.queue.model
    expected = [finding.id for finding in large.desk.queue(limit=450)]
    for _ in range(5):
        driver.press(window, Qt.Key.Key_A)
    while model.rowCount() < 440:
        model.fetchMore(QModelIndex())
        driver.settle(window)
    assert ids(window)[:440] == expected[5:445]
    assert model.total == 4995


def test_space_reads_on_to_the_next_undecided_item_beyond_the_loaded_page(driver, large):
    order = [finding.id for finding in large.desk.queue(limit=500)]
    large.desk.decide(order[1:300], DecisionKind.ACCEPT)
    window = driver.open(large)
    choose(driver, window, window.page.queue.show_which, "all")
    window.page.queue.list.setFocus()
    assert window.page.current.id == order[0]
    driver.press(window, Qt.Key.Key_Space)
    assert window.page.current.id == order[300]


def test_a_page_under_way_is_asked_for_again_when_rows_leave(qtbot, large):
    operations = Operations()
    model = QueueModel(large, operations)
    model.set_query(FindingFilter(pending=True), "leak")
    qtbot.waitUntil(lambda: operations.is_idle, timeout=60_000)
    first = model.finding(0)
    model.fetchMore(QModelIndex())
    change = large.desk.decide([first.id], DecisionKind.ACCEPT)
    assert model.update_findings([large.desk.finding(change.findings[0])])
    qtbot.waitUntil(lambda: operations.is_idle and model.rowCount() == 399, timeout=60_000)
    loaded = [model.finding(row).id for row in range(399)]
    assert loaded == [finding.id for finding in large.desk.queue(limit=399)]
    operations.shutdown()


def test_automatic_items_are_not_in_the_list_but_can_be_decided_from_the_image(driver, project):
    window = driver.open(project)
    window.page.select("site")
    driver.settle(window)
    assert window.page.current.id == "site"
    assert window.page.queue.current_row() == -1
    driver.press(window, Qt.Key.Key_K)
    assert project.store.findings.get("site").decision is DecisionKind.KEEP
    assert window.page.current.id == "name"


def test_quarantined_and_ignored_items_do_not_wait(driver, tmp_path):
    project = FakeProject(tmp_path / "p")
    project.fill({"us": [region("x", "Left", EntityType.HEALTH, (1, 1, 9, 9), verdict=Verdict.IGNORE)]})
    window = driver.open(project)
    assert window.page.queue.count.text() == "0 waiting"
    assert window.page.queue.release.isVisible()


def test_closing_the_window_while_a_filter_is_typed_reads_nothing_more(driver, project):
    window = driver.open(project)
    driver.qtbot.keyClicks(window.page.queue.text, "smi")
    window.close()
    driver.qtbot.wait(300)
    assert project.closed

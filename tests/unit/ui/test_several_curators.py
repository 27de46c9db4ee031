from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QLineEdit

from deidra.app.domain.model import DecisionKind
from deidra.storage.findings import FindingFilter
from deidra.ui import settings
from deidra.ui.curator import curator

from .conftest import Driver, FakeProject, ids


def test_the_item_under_review_is_leased_to_the_curator_at_the_window(driver: Driver, project: FakeProject) -> None:
    settings.set_curator("Ann")
    window = driver.open(project)
    assert project.store.leases.held() == {window.page.current.id: "Ann"}


def test_an_item_that_another_curator_has_is_not_in_the_list(driver: Driver, project: FakeProject) -> None:
    settings.set_curator("Ann")
    taken = project.desk.next("Bob")
    window = driver.open(project)
    assert taken.id not in ids(window)
    assert window.page.current.id != taken.id


def test_an_item_that_another_curator_has_taken_since_the_list_was_read_is_passed_over(
    driver: Driver, project: FakeProject
) -> None:
    settings.set_curator("Ann")
    window = driver.open(project)
    second = window.page.queue.model.finding(1)
    assert project.desk.take(second, "Bob")
    driver.press(window, Qt.Key.Key_Down)
    assert window.page.current.id != second.id
    assert second.id not in ids(window)
    assert "Another curator has that item" in window.status.message.text()


def test_what_another_curator_decided_leaves_the_list_and_what_is_under_review_stays(
    driver: Driver, project: FakeProject
) -> None:
    settings.set_curator("Ann")
    window = driver.open(project)
    page = window.page
    page.leasing.look()
    driver.settle(window)
    current, other = page.current.id, page.queue.model.finding(1).id
    waiting = project.desk.progress().waiting
    project.desk.decide([other], DecisionKind.KEEP, by="Bob")
    page.leasing.look()
    driver.settle(window)
    assert other not in ids(window)
    assert page.current.id == current
    assert f"{waiting - 1:,} waiting" in window.status.progress.text()


def test_a_replacement_that_is_being_typed_stays_when_another_curator_decides(
    driver: Driver, project: FakeProject
) -> None:
    window = driver.open(project)
    page = window.page
    page.leasing.look()
    driver.settle(window)
    other = page.queue.model.finding(1).id
    driver.press(window, Qt.Key.Key_R)
    driver.qtbot.keyClicks(page.bar.field, "Doe")
    typed = page.bar.field.text()
    project.desk.decide([other], DecisionKind.KEEP, by="Bob")
    page.leasing.look()
    driver.settle(window)
    assert page.bar.field.text() == typed
    assert page.bar.is_editing
    driver.press(window, Qt.Key.Key_Escape)
    page.leasing.look()
    driver.settle(window)
    assert other not in ids(window)


def test_closing_the_window_gives_the_item_back(driver: Driver, project: FakeProject) -> None:
    settings.set_curator("Ann")
    window = driver.open(project)
    project.close = lambda: None
    window.close()
    assert project.store.leases.held() == {}
    project.store.close()


def test_a_name_that_was_given_is_stored_with_the_decisions(driver: Driver, project: FakeProject) -> None:
    window = driver.open(project)
    window.actions_by_id["curator"].trigger()
    dialog = window.findChild(QInputDialog)
    field = dialog.findChild(QLineEdit)
    field.selectAll()
    driver.qtbot.keyClicks(field, "Cleo  Adams ")
    driver.qtbot.keyClick(field, Qt.Key.Key_Return)
    driver.settle(window)
    assert curator() == "Cleo Adams"
    assert window.status.curator.text() == "curator: Cleo Adams"
    window.activateWindow()
    driver.settle(window)
    driver.press(window, Qt.Key.Key_K)
    assert [step.actor for step in project.store.decisions.operations()] == ["Cleo Adams"]
    assert project.desk.count(FindingFilter(decided=True)) == 1


def test_in_a_list_of_all_items_one_that_another_has_is_shown_but_not_decided(
    driver: Driver, project: FakeProject
) -> None:
    settings.set_curator("Ann")
    taken = project.desk.next("Bob")
    window = driver.open(project)
    page = window.page
    page.queue.show_which.setCurrentIndex(page.queue.show_which.findData("all"))
    driver.settle(window)
    page.select(taken.id)
    driver.settle(window)
    assert page.current.id == taken.id
    assert "Another curator has this item" in window.status.message.text()
    driver.press(window, Qt.Key.Key_K)
    assert project.desk.finding(taken.id).decision is None

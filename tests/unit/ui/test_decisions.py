from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMessageBox

from deidra.app.domain.errors import KnownError, StoreError
from deidra.app.domain.model import DecisionKind
from deidra.ui.operations import Operations

from .conftest import FakeProject, ids

ORDER = ["name", "desc", "birth", "mrn", "stamp"]


def decision(project, finding_id: str):
    finding = project.store.findings.get(finding_id)
    return finding.decision, finding.decision_text


def test_the_window_starts_at_the_item_with_the_highest_expected_leak(driver, project):
    window = driver.open(project)
    assert ids(window) == ORDER
    assert window.page.current.id == "name"
    assert window.page.queue.count.text() == "5 waiting"
    assert window.status.progress.text() == "0 decided · 5 waiting"
    assert window.windowTitle() == "Deidra – MRI trauma 2019"


@pytest.mark.parametrize(
    ("key", "kind"),
    [(Qt.Key.Key_A, DecisionKind.ACCEPT), (Qt.Key.Key_B, DecisionKind.BLANK), (Qt.Key.Key_K, DecisionKind.KEEP)],
)
def test_pressing_a_b_or_k_decides_the_item_and_moves_on(driver, project, key, kind):
    window = driver.open(project)
    driver.press(window, key)
    assert decision(project, "name") == (kind, None)
    assert ids(window) == ORDER[1:]
    assert window.page.current.id == "desc"
    assert window.status.progress.text() == "1 decided · 4 waiting"
    assert window.page.queue.count.text() == "4 waiting"
    assert window.status.message.text().startswith("Saved at ")


def test_pressing_r_offers_the_proposal_and_enter_stores_it(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_R)
    assert window.page.bar.is_editing
    assert window.page.bar.field.text() == "Mary Gray"
    assert decision(project, "name") == (None, None)
    driver.press(window, Qt.Key.Key_Return)
    assert decision(project, "name") == (DecisionKind.REPLACE, "Mary Gray")
    assert not window.page.bar.is_editing
    assert window.page.current.id == "desc"


def test_letters_typed_into_the_editor_are_text_and_decide_nothing(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_R)
    driver.qtbot.keyClicks(window.focusWidget(), "bark vw 0")
    driver.settle(window)
    assert window.page.bar.field.text() == "bark vw 0"
    assert project.desk.progress().decided == 0
    driver.press(window, Qt.Key.Key_Return)
    assert decision(project, "name") == (DecisionKind.REPLACE, "bark vw 0")


def test_escape_leaves_the_editor_without_deciding(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_R)
    driver.press(window, Qt.Key.Key_Escape)
    assert not window.page.bar.is_editing
    assert project.desk.progress().decided == 0
    assert window.page.current.id == "name"
    driver.press(window, Qt.Key.Key_A)
    assert decision(project, "name") == (DecisionKind.ACCEPT, None)


def test_an_empty_replacement_is_not_stored(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_R)
    driver.press(window, Qt.Key.Key_Delete)
    driver.press(window, Qt.Key.Key_Return)
    assert window.page.bar.is_editing
    assert window.page.bar.editor_hint.text() == "Type the text to write, or press Esc"
    assert project.desk.progress().decided == 0


def test_letters_typed_into_the_filter_decide_nothing(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert window.page.queue.text.hasFocus()
    driver.qtbot.keyClicks(window.focusWidget(), "bark ")
    driver.settle(window)
    assert window.page.queue.text.text() == "bark "
    assert project.desk.progress().decided == 0
    assert not window.page.bar.is_editing


def test_the_decision_buttons_do_what_their_keys_do_and_never_take_the_focus_by_mouse(driver, project):
    window = driver.open(project)
    driver.qtbot.mouseClick(window.page.bar.buttons["keep"], Qt.MouseButton.LeftButton)
    driver.settle(window)
    assert decision(project, "name") == (DecisionKind.KEEP, None)
    assert window.page.queue.list.hasFocus()


def test_the_decision_buttons_stay_where_they_are(driver, project):
    window = driver.open(project)

    def positions():
        return [button.mapTo(window, QPoint(0, 0)) for button in window.page.bar.buttons.values()]

    before = positions()
    driver.press(window, Qt.Key.Key_R)
    assert positions() == before
    driver.press(window, Qt.Key.Key_Escape)
    window.page.select("desc")
    driver.settle(window)
    assert positions() == before


def test_space_goes_to_the_next_undecided_item_and_round_again(driver, project):
    window = driver.open(project)
    seen = []
    for _ in ORDER:
        driver.press(window, Qt.Key.Key_Space)
        seen.append(window.page.current.id)
    assert seen == [*ORDER[1:], ORDER[0]]


def test_space_skips_decided_items_when_all_are_shown(driver, project):
    project.desk.decide(["desc", "birth"], DecisionKind.ACCEPT)
    window = driver.open(project)
    window.page.queue.show_which.setCurrentIndex(2)
    driver.settle(window)
    window.page.queue.list.setFocus()
    assert ids(window) == ["name", "desc", "birth", "mrn", "stamp", "site"]
    driver.press(window, Qt.Key.Key_Space)
    assert window.page.current.id == "mrn"
    driver.press(window, Qt.Key.Key_A)
    assert ids(window) == ["name", "desc", "birth", "mrn", "stamp", "site"]
    assert window.page.current.id == "stamp"


def test_space_presses_a_button_that_has_the_focus(driver, project):
    window = driver.open(project)
    window.page.bar.buttons["blank"].setFocus(Qt.FocusReason.TabFocusReason)
    driver.press(window, Qt.Key.Key_Space)
    assert decision(project, "name") == (DecisionKind.BLANK, None)


def test_backspace_goes_back_in_the_list(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_Space)
    driver.press(window, Qt.Key.Key_Space)
    driver.press(window, Qt.Key.Key_Backspace)
    assert window.page.current.id == "desc"


def test_undo_and_redo_follow_the_history(driver, project):
    window = driver.open(project)
    assert not window.actions_by_id["undo"].isEnabled()
    driver.press(window, Qt.Key.Key_A)
    driver.press(window, Qt.Key.Key_B)
    driver.press(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert decision(project, "desc") == (None, None)
    assert window.page.current.id == "desc"
    assert ids(window) == ORDER[1:]
    driver.press(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.page.current.id == "name"
    assert ids(window) == ORDER
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    driver.press(window, Qt.Key.Key_Z, both)
    assert decision(project, "name") == (DecisionKind.ACCEPT, None)
    assert window.page.current.id == "desc"
    driver.press(window, Qt.Key.Key_Z, both)
    assert decision(project, "desc") == (DecisionKind.BLANK, None)
    assert ids(window) == ORDER[2:]
    assert not window.actions_by_id["redo"].isEnabled()


def test_undo_and_redo_survive_closing_the_window(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_A)
    driver.press(window, Qt.Key.Key_K)
    driver.press(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    window.close()
    assert project.closed

    again = FakeProject(project.folder)
    window = driver.open(again)
    assert ids(window) == ORDER[1:]
    assert window.actions_by_id["redo"].isEnabled()
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    driver.press(window, Qt.Key.Key_Z, both)
    assert decision(again, "desc") == (DecisionKind.KEEP, None)
    driver.press(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    driver.press(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert decision(again, "name") == (None, None)
    assert ids(window) == ORDER
    assert window.page.current.id == "name"


def test_the_last_decision_leaves_a_page_that_says_what_to_do_next(driver, project):
    project.desk.decide(ORDER[1:], DecisionKind.ACCEPT)
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_A)
    assert window.page.queue.count.text() == "0 waiting"
    assert "Nothing is waiting" in window.page.queue.empty_text.text()
    assert window.page.queue.release.isVisible()
    assert window.page.current is None
    assert not window.actions_by_id["accept"].isEnabled()
    driver.press(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.page.current.id == "name"
    assert window.actions_by_id["accept"].isEnabled()


def test_a_decision_that_cannot_be_stored_is_not_shown_as_made(driver, project, monkeypatch):
    window = driver.open(project)

    def refuse(*_args, **_options):
        raise StoreError("The disk that holds the project is full.", "Free some space.")

    monkeypatch.setattr(project.desk, "decide", refuse)
    driver.press(window, Qt.Key.Key_A)
    box = window.findChild(QMessageBox)
    assert box.text() == "The disk that holds the project is full."
    assert box.informativeText() == "Free some space."
    assert window.page.current.id == "name"
    assert ids(window) == ORDER
    assert window.status.message.text() == "Not saved."


def test_a_second_key_while_a_decision_is_being_stored_decides_nothing(driver, project, monkeypatch):
    window = driver.open(project)
    monkeypatch.setattr(Operations, "is_changing", property(lambda _self: True))
    driver.press(window, Qt.Key.Key_A)
    assert project.desk.progress().decided == 0
    assert "press the key again" in window.status.message.text()


def test_an_error_of_an_operation_reaches_its_own_handler_and_bugs_are_raised(qtbot):
    operations = Operations()
    errors = []

    def fail():
        raise KnownError("no", "do this")

    operations.change(fail, lambda _: None, errors.append)
    qtbot.waitUntil(lambda: bool(errors), timeout=60_000)
    with qtbot.captureExceptions() as bugs:
        operations.change(lambda: 1 // 0, lambda _: None)
        qtbot.waitUntil(lambda: bool(bugs), timeout=60_000)
    assert bugs[0][0] is ZeroDivisionError
    assert operations.is_idle
    operations.shutdown()

"""Before and after beside a divider, playing frames, flags and remarks, groups."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QWidget

from deidra.app.domain.model import DecisionKind, Identifier, ReasonCode, Remark
from deidra.app.domain.taxonomy import EntityType
from deidra.app.review.alike import SAME_PAGE, Alike
from deidra.ui.alike_dialog import AlikeDialog

from .conftest import ids, region, standard_findings

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def lightness(window, x, y, reach=2):
    """The greatest lightness around an image pixel, as drawn on the screen."""
    canvas = window.page.canvas
    image = canvas.viewport().grab().toImage()
    middle = canvas.mapFromScene(QPointF(x, y))
    spots = [middle + QPoint(a, b) for a in range(-reach, reach + 1) for b in range(-reach, reach + 1)]
    return max(image.pixelColor(spot).lightness() for spot in spots)


def test_w_shows_the_original_left_and_the_release_right_of_a_divider(driver, project):
    window = driver.open(project)
    canvas = window.page.canvas
    driver.press(window, Qt.Key.Key_W)
    assert canvas.after.isVisible()
    assert not canvas.boxes_shown
    assert window.page.bar.mode_label.text() == "left: original, right: as it will be released"
    # John Smith stands at the left, St. Mary Hospital at the right.
    assert lightness(window, 60, 33, 12) > 150
    assert lightness(window, 420, 33, 8) == 0
    driver.press(window, Qt.Key.Key_W)
    assert not canvas.after.isVisible()
    assert canvas.boxes_shown


def test_the_divider_follows_the_mouse_and_stays_for_other_frames(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_W)
    canvas = window.page.canvas
    view = canvas.viewport()
    start, end = (canvas.mapFromScene(QPointF(x, 240)) for x in (320, 10))
    driver.qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    driver.qtbot.mouseMove(view, (start + end) / 2)
    driver.qtbot.mouseMove(view, end)
    driver.qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)
    assert canvas.after.divider == pytest.approx(10, abs=2)
    assert lightness(window, 60, 33, 8) == 0
    driver.press(window, Qt.Key.Key_BracketRight)
    assert canvas.after.isVisible()
    assert canvas.after.divider == pytest.approx(10, abs=2)


def test_v_shows_the_original_whole_while_the_divider_is_on(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_W)
    driver.qtbot.keyPress(window.focusWidget(), Qt.Key.Key_V)
    driver.settle(window)
    assert not window.page.canvas.after.isVisible()
    driver.qtbot.keyRelease(window.focusWidget(), Qt.Key.Key_V)
    driver.settle(window)
    assert window.page.canvas.after.isVisible()


def test_a_decision_renews_the_released_side(driver, project):
    window = driver.open(project)
    window.page.select("site")
    driver.settle(window)
    driver.press(window, Qt.Key.Key_W)
    assert lightness(window, 420, 33, 8) == 0
    project.desk.decide(["site"], DecisionKind.KEEP)
    window.page.viewer.refresh()
    driver.settle(window)
    assert lightness(window, 420, 33, 12) > 150


def test_p_plays_the_frames_round_and_round_until_it_is_pressed_again(driver, project):
    window = driver.open(project)
    seen = []
    window.page.viewer.shown.connect(lambda index, _image: seen.append(index))
    driver.qtbot.keyClick(window.focusWidget(), Qt.Key.Key_P)
    assert window.page.bar.play.text() == "Pause"
    driver.qtbot.waitUntil(lambda: len(seen) >= 5, timeout=60_000)
    driver.qtbot.keyClick(window.focusWidget(), Qt.Key.Key_P)
    assert not window.page.viewer.is_playing
    steps = {(after - before) % 3 for before, after in pairwise(seen)}
    assert steps <= {0, 1}
    assert set(seen) == {0, 1, 2}
    assert set(window.page.canvas.boxes) >= {"name", "site"}


def test_playing_ends_when_another_item_is_selected(driver, project):
    window = driver.open(project)
    driver.qtbot.keyClick(window.focusWidget(), Qt.Key.Key_P)
    assert window.page.viewer.is_playing
    window.page.select("mrn")
    driver.settle(window)
    assert not window.page.viewer.is_playing
    assert window.page.viewer.frame == 1


def test_f_flags_an_item_which_waits_on_and_is_listed(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_F)
    assert project.desk.finding("name").remark.flagged
    assert window.page.current.id == "name"
    assert window.page.evidence.state.text() == "waits for a decision · flagged"
    which = window.page.queue.show_which
    which.setCurrentIndex(which.findData("flagged"))
    driver.settle(window)
    assert ids(window) == ["name"]
    assert window.page.queue.count.text() == "1 flagged"
    driver.press(window, Qt.Key.Key_F)
    assert not project.desk.finding("name").remark.flagged
    driver.press(window, Qt.Key.Key_Z, CONTROL)
    assert project.desk.finding("name").remark.flagged


def test_e_writes_a_note_and_a_reason_is_chosen(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_E)
    fields = window.page.evidence.remark
    assert fields.note.hasFocus()
    driver.qtbot.keyClicks(fields.note, "ask Ann kab")
    driver.qtbot.keyClick(fields.note, Qt.Key.Key_Return)
    driver.settle(window)
    assert project.desk.finding("name").remark == Remark(note="ask Ann kab")
    assert project.desk.finding("name").decision is None
    code = fields.code
    code.setCurrentIndex(code.findData(ReasonCode.NEEDED))
    code.activated.emit(code.currentIndex())
    driver.settle(window)
    assert project.desk.finding("name").remark == Remark(note="ask Ann kab", code=ReasonCode.NEEDED)
    assert window.page.current.id == "name"
    window.page.select("birth")
    driver.settle(window)
    assert (fields.note.text(), fields.code.currentData()) == ("", ReasonCode.NONE)


def test_the_evidence_tells_the_header_value_that_was_matched(driver, project, monkeypatch):
    known = [Identifier("p", EntityType.PATIENT, "Smith^John", "PatientName")]
    monkeypatch.setattr(project.store.assets, "identifiers_of", lambda _asset: known)
    window = driver.open(project)
    says = [child.text() for child in window.page.evidence.agents.children() if hasattr(child, "text")]
    assert "“John Smith” · patient name · equals PatientName · PatientName is “Smith^John”" in says


@pytest.fixture
def similar(project):
    found = standard_findings()
    found["us"] += [
        region("again", "JOHN SMITH", EntityType.PATIENT, (300, 300, 460, 330), frame=2, proposal="Eve Blue"),
        region("misread", "Jo hn Srnith", EntityType.PATIENT, (24, 22, 184, 44), frame=2),
    ]
    project.store.findings.replace("us", found["us"])
    return project


def rows(dialog):
    return [[dialog.table.item(row, column).text() for column in (0, 3, 4)] for row in range(dialog.table.rowCount())]


def test_the_evidence_counts_what_is_alike(driver, similar):
    window = driver.open(similar)
    assert window.page.evidence.alike.text().startswith("2 more alike.")
    window.page.select("birth")
    driver.settle(window)
    assert window.page.evidence.alike.isHidden()


def test_shift_a_lists_what_is_alike_and_decides_all_after_enter_as_one_step(driver, similar):
    window = driver.open(similar)
    driver.press(window, Qt.Key.Key_A, SHIFT)
    dialog = window.findChild(AlikeDialog)
    assert rows(dialog) == [
        ["John Smith", "this item", "cover the pixels. A replacement would be: Mary Gray"],
        ["JOHN SMITH", "same text", "cover the pixels. A replacement would be: Eve Blue"],
        ["Jo hn Srnith", "same place in the series", "cover the pixels"],
    ]
    assert dialog.decide.text() == "Accept 3 items"
    assert similar.desk.finding("name").decision is None
    driver.qtbot.keyClick(dialog.table, Qt.Key.Key_Return)
    # The platform of the tests does not give the focus back to a dialog's parent, as desktops do.
    window.activateWindow()
    driver.settle(window)
    group = ("name", "again", "misread")
    assert [similar.desk.finding(name).decision for name in group] == [DecisionKind.ACCEPT] * 3
    assert similar.desk.finding("birth").decision is None
    assert window.page.current.id == "desc"
    driver.press(window, Qt.Key.Key_Z, CONTROL)
    assert [similar.desk.finding(name).decision for name in group] == [None] * 3


def test_keeping_all_alike_leaves_other_texts_out_unless_they_are_ticked(driver, similar):
    window = driver.open(similar)
    driver.press(window, Qt.Key.Key_K, SHIFT)
    dialog = window.findChild(AlikeDialog)
    assert dialog.ids == ["name", "again"]
    assert dialog.decide.text() == "Keep 2 items"
    dialog.table.item(2, 0).setCheckState(Qt.CheckState.Checked)
    assert dialog.decide.text() == "Keep 3 items"
    dialog.table.item(1, 0).setCheckState(Qt.CheckState.Unchecked)
    dialog.decide.click()
    driver.settle(window)
    decided = {name: similar.desk.finding(name).decision for name in ("name", "again", "misread")}
    assert decided == {"name": DecisionKind.KEEP, "again": None, "misread": DecisionKind.KEEP}


def test_replacing_all_alike_takes_each_surrogate_and_leaves_out_what_has_none(driver, similar):
    window = driver.open(similar)
    driver.press(window, Qt.Key.Key_R, SHIFT)
    dialog = window.findChild(AlikeDialog)
    assert rows(dialog)[2][2] == "nothing: there is no surrogate"
    dialog.decide.click()
    driver.settle(window)
    texts = {name: similar.desk.finding(name).decision_text for name in ("name", "again", "misread")}
    assert texts == {"name": "Mary Gray", "again": "Eve Blue", "misread": None}


def test_esc_decides_nothing_on_the_group(driver, similar):
    window = driver.open(similar)
    driver.press(window, Qt.Key.Key_B, SHIFT)
    driver.qtbot.keyClick(window.findChild(AlikeDialog).table, Qt.Key.Key_Escape)
    driver.settle(window)
    assert similar.desk.progress().decided == 0


def test_an_item_without_likes_says_so(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_A, SHIFT)
    assert window.findChild(AlikeDialog) is None
    assert window.status.message.text() == "Nothing else that waits is like this item."


def test_a_replacement_is_seen_on_the_image_while_it_is_typed(driver, project):
    window = driver.open(project)
    box = window.page.canvas.boxes["name"]
    assert box.surrogate == ""
    driver.press(window, Qt.Key.Key_R)
    assert box.surrogate == "Mary Gray"
    driver.qtbot.keyClicks(window.focusWidget(), "Eve")
    assert box.surrogate == "Eve"
    driver.press(window, Qt.Key.Key_Escape)
    assert box.surrogate == ""
    assert project.desk.finding("name").decision is None


def test_what_stands_on_a_copy_of_the_page_says_so_and_is_kept_only_where_it_is_ticked(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    own, copied = (
        region(name, text, EntityType.PATIENT, (9, 9, 90, 30)) for name, text in (("a", "Ada"), ("b", "Adn"))
    )
    for kind, ticked in (
        (DecisionKind.ACCEPT, ["a", "b"]),
        (DecisionKind.BLANK, ["a", "b"]),
        (DecisionKind.KEEP, ["a"]),
    ):
        dialog = AlikeDialog(parent, kind, [Alike(own, ""), Alike(copied, SAME_PAGE)], lambda _: None)
        assert [row[1] for row in rows(dialog)] == ["this item", "copy of the same page"]
        assert dialog.ids == ticked

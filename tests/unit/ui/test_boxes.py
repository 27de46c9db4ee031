"""Boxes that are drawn, moved, resized and deleted on the image."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from deidra.app.domain.errors import StoreError
from deidra.app.domain.geometry import bounding_box
from deidra.app.domain.model import DecisionKind
from deidra.app.domain.taxonomy import EntityType
from deidra.ui.box_popup import BoxPopup
from deidra.ui.words import BoxState, state_of

from .conftest import region

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton


def drag(driver, window, start, end, modifier=Qt.KeyboardModifier.NoModifier):
    """Drag from one image pixel to another."""
    canvas = window.page.canvas
    first, last = (canvas.mapFromScene(QPointF(*place)) for place in (start, end))
    driver.qtbot.mousePress(canvas.viewport(), LEFT, modifier, first)
    driver.qtbot.mouseMove(canvas.viewport(), (first + last) / 2)
    driver.qtbot.mouseMove(canvas.viewport(), last)
    driver.qtbot.mouseRelease(canvas.viewport(), LEFT, modifier, last)
    driver.settle(window)


def drawn(project):
    return [finding for finding in project.store.findings.select() if finding.drawn]


def draw(driver, window, start=(300, 300), end=(420, 340), kind=None, everywhere=False):
    if not window.page.canvas.drawing:
        driver.press(window, Qt.Key.Key_D)
    drag(driver, window, start, end)
    popup = window.findChildren(BoxPopup)[-1]
    if kind is not None:
        popup.kind.setCurrentIndex(popup.kind.findData(kind))
    popup.everywhere.setChecked(everywhere)
    driver.qtbot.keyClick(popup.kind, Qt.Key.Key_Return)
    # The platform of the tests does not give the focus back to a dialog's parent, as desktops do.
    window.activateWindow()
    driver.settle(window)


def near(box, expected):
    return all(abs(a - b) <= 2 for a, b in zip(box, expected, strict=True))


def test_a_drawn_box_is_covered_with_the_usual_type_and_selected(driver, project):
    window = driver.open(project)
    draw(driver, window)
    (finding,) = drawn(project)
    assert near(bounding_box(finding.polygon), (300, 300, 420, 340))
    assert (finding.type, finding.decision, finding.frame) == (EntityType.OTHERPHI, DecisionKind.ACCEPT, 0)
    assert window.page.current.id == finding.id
    assert window.page.canvas.boxes[finding.id].state is BoxState.REDACT
    assert window.page.canvas.selection.isVisible()
    assert window.status.message.text().startswith("Saved at ")


def test_the_popup_sets_the_type_and_all_frames(driver, project):
    window = driver.open(project)
    draw(driver, window, kind=EntityType.PATIENT, everywhere=True)
    (finding,) = drawn(project)
    assert (finding.type, finding.frame, finding.page) == (EntityType.PATIENT, None, None)
    driver.press(window, Qt.Key.Key_BracketRight)
    assert finding.id in window.page.canvas.boxes


def test_esc_in_the_popup_draws_nothing(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_D)
    drag(driver, window, (300, 300), (420, 340))
    driver.qtbot.keyClick(window.findChild(BoxPopup).kind, Qt.Key.Key_Escape)
    driver.settle(window)
    assert drawn(project) == []
    assert window.page.canvas.selection.rect == window.page.canvas.boxes["name"].bounds


def test_a_box_on_a_page_belongs_to_that_page(driver, project):
    window = driver.open(project)
    window.page.select("stamp")
    window.page.queue.select_finding("stamp")
    driver.settle(window)
    draw(driver, window)
    (finding,) = drawn(project)
    assert (finding.asset_id, finding.page, finding.frame) == ("zpdf", 1, None)


def test_shift_draws_without_the_mode_and_a_plain_drag_does_not(driver, project):
    window = driver.open(project)
    drag(driver, window, (300, 300), (420, 340))
    assert window.findChild(BoxPopup) is None
    drag(driver, window, (300, 300), (420, 340), SHIFT)
    assert window.findChild(BoxPopup) is not None


def test_esc_ends_drawing(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_D)
    assert window.page.bar.mode_label.text() == "drawing"
    window.page.canvas.setFocus()
    driver.press(window, Qt.Key.Key_Escape)
    assert not window.page.canvas.drawing
    assert not window.actions_by_id["draw"].isChecked()
    assert window.page.bar.mode_label.isHidden()


def test_undo_takes_a_drawn_box_away_and_redo_brings_it_back(driver, project):
    window = driver.open(project)
    draw(driver, window)
    (finding,) = drawn(project)
    driver.press(window, Qt.Key.Key_Z, CONTROL)
    assert drawn(project) == []
    assert finding.id not in window.page.canvas.boxes
    assert window.page.current.id != finding.id
    driver.press(window, Qt.Key.Key_Z, CONTROL | SHIFT)
    assert [item.id for item in drawn(project)] == [finding.id]
    assert window.page.canvas.boxes[finding.id].state is BoxState.REDACT


def test_after_drawing_space_goes_on_with_the_item_before(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_Space)
    driver.press(window, Qt.Key.Key_Space)
    assert window.page.current.id == "birth"
    draw(driver, window)
    draw(driver, window, (300, 200), (420, 240))
    window.page.queue.list.setFocus()
    driver.press(window, Qt.Key.Key_Space)
    assert window.page.current.id == "birth"


def test_a_drawn_box_is_moved_by_its_inside(driver, project):
    window = driver.open(project)
    draw(driver, window)
    driver.press(window, Qt.Key.Key_D)
    drag(driver, window, (360, 320), (410, 370))
    (finding,) = drawn(project)
    assert near(bounding_box(finding.polygon), (350, 350, 470, 390))
    driver.press(window, Qt.Key.Key_Z, CONTROL)
    (finding,) = drawn(project)
    assert near(bounding_box(finding.polygon), (300, 300, 420, 340))


def test_a_drawn_box_is_resized_by_its_corner(driver, project):
    window = driver.open(project)
    draw(driver, window)
    driver.press(window, Qt.Key.Key_D)
    canvas = window.page.canvas
    gap = 5 / canvas.zoom
    drag(driver, window, (420 + gap, 340 + gap), (500 + gap, 400 + gap))
    (finding,) = drawn(project)
    assert near(bounding_box(finding.polygon), (300, 300, 500, 400))


def test_a_found_box_that_is_resized_is_kept_and_the_new_one_covered(driver, project):
    window = driver.open(project)
    gap = 5 / window.page.canvas.zoom
    drag(driver, window, (190 + gap, 44 + gap), (240 + gap, 54 + gap))
    (finding,) = drawn(project)
    assert near(bounding_box(finding.polygon), (24, 20, 240, 54))
    assert (finding.text, finding.type) == ("John Smith", EntityType.PATIENT)
    assert state_of(project.desk.finding("name")) is BoxState.KEEP
    driver.press(window, Qt.Key.Key_Z, CONTROL)
    assert project.desk.finding("name").pending
    assert window.page.current.id == "name"


def test_a_box_cannot_leave_the_image(driver, project):
    window = driver.open(project)
    draw(driver, window)
    driver.press(window, Qt.Key.Key_D)
    drag(driver, window, (360, 320), (900, 470))
    (finding,) = drawn(project)
    left, top, right, bottom = bounding_box(finding.polygon)
    assert right <= 640
    assert bottom <= 480
    assert near((right - left, bottom - top), (120, 40))


def test_delete_takes_away_drawn_boxes_only(driver, project):
    window = driver.open(project)
    assert not window.actions_by_id["erase"].isEnabled()
    draw(driver, window)
    assert window.actions_by_id["erase"].isEnabled()
    driver.press(window, Qt.Key.Key_Delete)
    assert drawn(project) == []
    assert project.desk.finding("name").decision is None
    assert not window.actions_by_id["erase"].isEnabled()


@pytest.mark.parametrize("end", [(302, 302), (300, 300)])
def test_a_slip_of_the_mouse_draws_nothing(driver, project, end):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_D)
    drag(driver, window, (300, 300), end)
    assert window.findChild(BoxPopup) is None


def test_a_small_box_in_a_large_one_lies_above_it_and_can_be_clicked(driver, project):
    large = region("large", "page", EntityType.OTHERPHI, (10, 120, 600, 460), frame=0, risk=99, variance=0.9)
    small = region("small", "word", EntityType.OTHERPHI, (100, 200, 160, 220), frame=0, risk=10)
    project.store.findings.replace("us", [small, large])
    window = driver.open(project)
    assert window.page.current.id == "large"
    canvas = window.page.canvas
    place = canvas.mapFromScene(QPointF(130, 210))
    driver.qtbot.mouseClick(canvas.viewport(), LEFT, pos=place)
    driver.settle(window)
    assert window.page.current.id == "small"
    assert canvas.box_at(place + QPoint(0, 0)).finding.id == "small"


def test_a_box_is_drawn_moved_and_resized_by_keyboard_alone(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_D)
    window.page.canvas.setFocus()
    driver.press(window, Qt.Key.Key_Return)
    popup = window.findChild(BoxPopup)
    driver.qtbot.keyClick(popup.kind, Qt.Key.Key_Return)
    window.activateWindow()
    driver.settle(window)
    (first,) = drawn(project)
    left, top, right, bottom = bounding_box(first.polygon)
    assert near(((left + right) // 2, (top + bottom) // 2), (320, 240))
    assert window.page.canvas.hasFocus()
    step = round(4 / window.page.canvas.zoom)
    driver.press(window, Qt.Key.Key_Right, CONTROL)
    (moved,) = drawn(project)
    assert near(bounding_box(moved.polygon), (left + step, top, right + step, bottom))
    driver.press(window, Qt.Key.Key_Down, CONTROL | SHIFT)
    (grown,) = drawn(project)
    assert near(bounding_box(grown.polygon), (left + step, top, right + step, bottom + step))
    driver.press(window, Qt.Key.Key_Z, CONTROL)
    driver.press(window, Qt.Key.Key_Z, CONTROL)
    assert [finding.id for finding in drawn(project)] == [first.id]


def test_a_held_arrow_key_is_one_step_of_undo(driver, project):
    window = driver.open(project)
    draw(driver, window)
    (first,) = drawn(project)
    canvas = window.page.canvas
    canvas.setFocus()
    for _ in range(5):
        driver.qtbot.keyPress(canvas, Qt.Key.Key_Left, CONTROL)
    driver.qtbot.keyRelease(canvas, Qt.Key.Key_Left, CONTROL)
    driver.settle(window)
    step = round(4 / canvas.zoom)
    (moved,) = drawn(project)
    assert near((bounding_box(first.polygon)[0] - 5 * step,), (bounding_box(moved.polygon)[0],))
    assert len(project.store.decisions.operations()) == 2


def test_arrow_keys_leave_found_boxes_alone(driver, project):
    window = driver.open(project)
    window.page.canvas.setFocus()
    driver.press(window, Qt.Key.Key_Right, CONTROL)
    assert drawn(project) == []
    assert project.store.decisions.operations() == []


def test_a_box_that_cannot_be_stored_goes_back_to_its_place(driver, project, monkeypatch):
    window = driver.open(project)
    draw(driver, window)
    driver.press(window, Qt.Key.Key_D)
    (first,) = drawn(project)

    def fail(*_args, **_options):
        raise StoreError("The disk that holds the project is full.")

    monkeypatch.setattr(project.store.decisions, "apply", fail)
    drag(driver, window, (360, 320), (410, 370))
    assert drawn(project) == [first]
    assert window.page.canvas.selection.rect == window.page.canvas.boxes[first.id].bounds
    assert window.status.message.text() == "Not saved."

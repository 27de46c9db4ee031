"""Polygons that are drawn corner by corner and changed by their corners."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, Qt

from deidra.app.domain.model import DecisionKind
from deidra.ui.box_popup import BoxPopup

from .conftest import EntityType, region
from .test_boxes import CONTROL, LEFT, drag, drawn

TRIANGLE = ((300, 300), (420, 320), (340, 400))


def click(driver, window, place):
    canvas = window.page.canvas
    driver.qtbot.mouseClick(canvas.viewport(), LEFT, pos=canvas.mapFromScene(QPointF(*place)))
    driver.settle(window)


def begin(driver, window, corners=TRIANGLE):
    driver.press(window, Qt.Key.Key_D)
    for corner in corners:
        click(driver, window, corner)
    window.page.canvas.setFocus()


def cover(driver, window):
    popup = window.findChildren(BoxPopup)[-1]
    driver.qtbot.keyClick(popup.kind, Qt.Key.Key_Return)
    window.activateWindow()
    driver.settle(window)


def close_to(polygon, corners, off=2):
    same = len(polygon) == len(corners)
    return same and all(
        abs(a - b) <= off for p, q in zip(polygon, corners, strict=True) for a, b in zip(p, q, strict=True)
    )


@pytest.mark.parametrize("end", ["enter", "double click", "first corner"])
def test_clicked_corners_become_a_polygon_that_is_covered(driver, project, end):
    window = driver.open(project)
    if end == "enter":
        begin(driver, window)
        driver.press(window, Qt.Key.Key_Return)
    elif end == "double click":
        begin(driver, window)
        canvas = window.page.canvas
        driver.qtbot.mouseDClick(canvas.viewport(), LEFT, pos=canvas.mapFromScene(QPointF(*TRIANGLE[-1])))
    else:
        begin(driver, window, [*TRIANGLE, TRIANGLE[0]])
    cover(driver, window)
    (finding,) = drawn(project)
    assert close_to(finding.polygon, TRIANGLE)
    assert (finding.decision, finding.frame) == (DecisionKind.ACCEPT, 0)
    assert window.page.canvas.selection.by_corners
    assert close_to([point.toTuple() for point in window.page.canvas.selection.corners.toList()], TRIANGLE)


def test_backspace_takes_the_last_corner_and_goes_back_in_the_list_only_without_corners(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_Space)
    before = window.page.current.id
    begin(driver, window, [*TRIANGLE, (500, 500)])
    driver.press(window, Qt.Key.Key_Backspace)
    assert window.page.current.id == before
    driver.press(window, Qt.Key.Key_Return)
    cover(driver, window)
    assert close_to(drawn(project)[0].polygon, TRIANGLE)
    window.page.canvas.setFocus()
    shown = window.page.current.id
    driver.press(window, Qt.Key.Key_Backspace)
    assert window.page.current.id != shown


def test_esc_forgets_the_corners_first_and_then_ends_drawing(driver, project):
    window = driver.open(project)
    begin(driver, window)
    driver.press(window, Qt.Key.Key_Escape)
    assert window.page.canvas.drawing
    assert window.page.canvas.selection.rect == window.page.canvas.boxes["name"].bounds
    driver.press(window, Qt.Key.Key_Escape)
    assert not window.page.canvas.drawing
    assert drawn(project) == []


@pytest.mark.parametrize("corners", [TRIANGLE[:2], ((300, 300), (340, 300), (420, 300))])
def test_two_corners_or_a_line_draw_nothing(driver, project, corners):
    window = driver.open(project)
    begin(driver, window, corners)
    driver.press(window, Qt.Key.Key_Return)
    assert window.findChild(BoxPopup) is None
    assert window.page.canvas.selection.rect == window.page.canvas.boxes["name"].bounds


def test_corners_outside_the_image_lie_on_its_edge(driver, project):
    window = driver.open(project)
    begin(driver, window, [(-40, 200), (100, 220), (60, 300)])
    driver.press(window, Qt.Key.Key_Return)
    cover(driver, window)
    assert close_to(drawn(project)[0].polygon, [(0, 200), (100, 220), (60, 300)])


def test_corners_do_not_follow_to_another_frame(driver, project):
    window = driver.open(project)
    begin(driver, window)
    driver.press(window, Qt.Key.Key_BracketRight)
    window.page.canvas.setFocus()
    click(driver, window, (500, 400))
    driver.press(window, Qt.Key.Key_Return)
    assert window.findChild(BoxPopup) is None


def test_a_corner_is_moved_and_undo_moves_it_back(driver, project):
    window = driver.open(project)
    begin(driver, window)
    driver.press(window, Qt.Key.Key_Return)
    cover(driver, window)
    driver.press(window, Qt.Key.Key_Escape)
    (first,) = drawn(project)
    window.page.select(first.id)
    driver.settle(window)
    drag(driver, window, TRIANGLE[1], (480, 340))
    (moved,) = (item for item in drawn(project) if item.decision is not None)
    assert close_to(moved.polygon, (TRIANGLE[0], (480, 340), TRIANGLE[2]))
    driver.press(window, Qt.Key.Key_Z, CONTROL)
    (back,) = (item for item in drawn(project) if item.decision is not None)
    assert close_to(back.polygon, TRIANGLE)


def test_a_drawn_polygon_is_moved_by_dragging_and_by_keys(driver, project):
    window = driver.open(project)
    begin(driver, window)
    driver.press(window, Qt.Key.Key_Return)
    cover(driver, window)
    window.page.canvas.setFocus()
    driver.press(window, Qt.Key.Key_Escape)
    drag(driver, window, (350, 340), (370, 350))
    shifted = tuple((x + 20, y + 10) for x, y in TRIANGLE)
    (moved,) = (item for item in drawn(project) if item.decision is not None)
    assert close_to(moved.polygon, shifted, 3)
    window.page.canvas.setFocus()
    driver.press(window, Qt.Key.Key_Down, CONTROL)
    (lower,) = (item for item in drawn(project) if item.decision is not None)
    step = lower.polygon[0][1] - moved.polygon[0][1]
    assert step >= 1
    assert all(
        new[1] - old[1] == pytest.approx(step, abs=0.2) for new, old in zip(lower.polygon, moved.polygon, strict=True)
    )


def test_a_found_sloping_box_is_changed_by_its_corners_and_stays_where_it_is(driver, project):
    slope = ((100.0, 100.0), (200.0, 140.0), (192.0, 160.0), (92.0, 120.0))
    found = replace(
        region("slope", "text", EntityType.PATIENT, (92, 100, 200, 160), frame=0, risk=99, variance=0.9), polygon=slope
    )
    project.store.findings.replace("us", [found])
    window = driver.open(project)
    selection = window.page.canvas.selection
    assert selection.by_corners
    drag(driver, window, (146, 130), (300, 300))
    assert close_to([point.toTuple() for point in selection.corners.toList()], slope)
    drag(driver, window, slope[1], (260, 150))
    (new,) = drawn(project)
    assert close_to(new.polygon, (slope[0], (260, 150), *slope[2:]))
    assert project.desk.finding("slope").decision is DecisionKind.KEEP

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent

from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, DecisionKind, Verdict
from deidra.ui.boxes import Box, inside, outline
from deidra.ui.pictures import to_qimage
from deidra.ui.theme import BOX_COLOURS
from deidra.ui.words import BoxState, state_of, surrogate_of

from .conftest import HEIGHT, WIDTH, EntityType, region


def click(driver, window, finding_id):
    canvas = window.page.canvas
    centre = canvas.mapFromScene(canvas.boxes[finding_id].bounds.center())
    driver.qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    driver.settle(window)


def box(**changes) -> Box:
    finding = region("x", "John", EntityType.PATIENT, (10, 10, 60, 30), proposal="Mary")
    finding = type(finding)(**{**{name: getattr(finding, name) for name in finding.__slots__}, **changes})
    return Box(finding, finding.polygon)


def test_pixels_keep_their_colours_and_places():
    pixels = np.zeros((3, 5, 3), np.uint8)
    pixels[2, 1] = (10, 20, 30)
    image = to_qimage(pixels[:, ::1])
    assert (image.width(), image.height()) == (5, 3)
    assert image.pixelColor(1, 2).getRgb()[:3] == (10, 20, 30)


def test_every_state_has_its_own_colour_or_shape():
    boxes = {
        BoxState.UNDECIDED: box(),
        BoxState.AUTO: box(verdict=Verdict.AUTO),
        BoxState.REDACT: box(decision=DecisionKind.ACCEPT),
        BoxState.REPLACE: box(decision=DecisionKind.REPLACE, decision_text="Eve"),
        BoxState.BLANK: box(decision=DecisionKind.BLANK),
        BoxState.KEEP: box(decision=DecisionKind.KEEP),
    }
    looks = set()
    for state, item in boxes.items():
        assert item.state is state
        assert len(item.badges) == (1 if state in (BoxState.UNDECIDED, BoxState.AUTO) else 0)
        pen, fill = outline(state), inside(state)
        # The look without its colour: what somebody who sees no colours can tell apart.
        badge = item.badges[0].text if item.badges else ""
        looks.add((pen.style(), pen.brush().style(), pen.widthF(), fill.style(), badge, bool(item.surrogate)))
    assert len(looks) == len(boxes)
    assert inside(BoxState.REDACT).style() is Qt.BrushStyle.BDiagPattern
    assert outline(BoxState.AUTO).brush().style() is Qt.BrushStyle.TexturePattern
    assert surrogate_of(boxes[BoxState.REPLACE].finding) == "Eve"


def test_accepting_a_proposal_to_replace_or_keep_shows_what_will_happen():
    replaced = box(action=Action.REPLACE, decision=DecisionKind.ACCEPT)
    assert replaced.state is BoxState.REPLACE
    assert surrogate_of(replaced.finding) == "Mary"
    assert state_of(box(action=Action.KEEP, decision=DecisionKind.ACCEPT).finding) is BoxState.KEEP


@pytest.mark.parametrize("matrix", ["protan", "deutan", "tritan"])
def test_box_colours_differ_for_colour_blind_eyes(matrix):
    # Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
    machado = {
        "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    }
    states = [BoxState.UNDECIDED, BoxState.AUTO, BoxState.REDACT, BoxState.REPLACE, BoxState.KEEP]
    seen = {}
    for state in states:
        rgb = np.array(QColor(BOX_COLOURS[state]).getRgbF()[:3]) ** 2.2
        seen[state] = np.clip(np.array(machado[matrix]) @ rgb, 0, 1) ** (1 / 2.2)
    for first in states:
        for second in states:
            if first is not second:
                assert np.linalg.norm(seen[first] - seen[second]) > 0.12, (first, second)


def test_only_boxes_of_the_frame_are_shown_and_the_selected_one_is_framed(driver, project):
    window = driver.open(project)
    assert set(window.page.canvas.boxes) == {"name", "birth", "site"}
    boxes = window.page.canvas.boxes
    assert window.page.canvas.selected_box is boxes["name"]
    selection = window.page.canvas.selection
    assert selection.isVisible()
    assert selection.rect == boxes["name"].bounds
    assert selection.zValue() > window.page.canvas.layer.zValue()
    assert boxes["name"].bounds.getRect() == (24, 20, 166, 24)


def test_a_small_box_is_drawn_over_a_large_one_that_is_blanked(driver, project):
    large = box(id="large", polygon=box_polygon(10, 120, 600, 460), decision=DecisionKind.BLANK)
    small = box(id="small", polygon=box_polygon(200, 200, 400, 300))
    canvas = driver.open(project).page.canvas
    for findings in ([large, small], [small, large]):
        canvas.show_boxes([each.finding for each in findings], None)
        picture = canvas.grab().toImage()
        seen = {}
        for part, place in (("edge", QPointF(400, 250)), ("within", QPointF(300, 150))):
            colour = picture.pixelColor(canvas.viewport().mapTo(canvas, canvas.mapFromScene(place)))
            seen[part] = np.array(colour.getRgb()[:3])
        line = np.array(QColor(BOX_COLOURS[BoxState.UNDECIDED]).getRgb()[:3])
        assert np.abs(seen["edge"] - line).max() < 40
        assert np.abs(seen["within"] - line).max() > 100


def test_clicking_a_box_selects_its_finding(driver, project):
    window = driver.open(project)
    click(driver, window, "birth")
    assert window.page.current.id == "birth"
    assert window.page.queue.list.currentIndex().row() == 2
    assert window.page.canvas.selected_box.finding.id == "birth"
    click(driver, window, "site")
    assert window.page.current.id == "site"
    assert window.page.evidence.state.text() == "applied by the policy"


def test_dragging_over_a_box_pans_and_selects_nothing(driver, project):
    window = driver.open(project)
    canvas = window.page.canvas
    canvas.zoom_by(4)
    start = canvas.mapFromScene(canvas.boxes["name"].bounds.center())
    view = canvas.viewport()
    before = canvas.horizontalScrollBar().value()
    driver.qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    driver.qtbot.mouseMove(view, start - QPoint(60, 0))
    driver.qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start - QPoint(60, 0))
    assert canvas.horizontalScrollBar().value() != before
    assert window.page.current.id == "name"


def test_brackets_go_through_the_frames(driver, project):
    window = driver.open(project)
    assert window.page.bar.frame_label.text() == "frame 1 / 3"
    driver.press(window, Qt.Key.Key_BracketRight)
    assert window.page.viewer.frame == 1
    assert set(window.page.canvas.boxes) == {"name", "mrn", "site"}
    assert window.page.bar.frame_label.text() == "frame 2 / 3"
    driver.press(window, Qt.Key.Key_BracketRight)
    driver.press(window, Qt.Key.Key_BracketRight)
    assert window.page.viewer.frame == 2
    driver.press(window, Qt.Key.Key_BracketLeft)
    assert window.page.viewer.frame == 1


def test_selecting_an_item_shows_its_frame_or_page(driver, project):
    window = driver.open(project)
    window.page.select("mrn")
    driver.settle(window)
    assert window.page.viewer.frame == 1
    window.page.select("stamp")
    driver.settle(window)
    assert window.page.bar.frame_label.text() == "page 2 / 2"
    assert set(window.page.canvas.boxes) == {"stamp"}


def test_zoom_keys_fit_and_actual_size(driver, project):
    window = driver.open(project)
    canvas = window.page.canvas
    fitted = canvas.zoom
    assert fitted == pytest.approx(
        min(canvas.viewport().width() / WIDTH, canvas.viewport().height() / HEIGHT), rel=0.02
    )
    driver.press(window, Qt.Key.Key_Plus)
    assert canvas.zoom == pytest.approx(fitted * 1.25)
    driver.press(window, Qt.Key.Key_Minus)
    assert canvas.zoom == pytest.approx(fitted)
    for key in (Qt.Key.Key_0, Qt.Key.Key_Z):
        driver.press(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ShiftModifier)
        assert canvas.zoom == 1.0
        assert window.page.bar.zoom_label.text() == "zoom 100 %"
        driver.press(window, key)
        assert canvas.zoom == pytest.approx(fitted)


def turn_wheel(canvas, turned, modifier=Qt.KeyboardModifier.NoModifier):
    where = QPointF(canvas.viewport().rect().center())
    event = QWheelEvent(
        where,
        canvas.viewport().mapToGlobal(where),
        QPoint(),
        QPoint(0, turned),
        Qt.MouseButton.NoButton,
        modifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    canvas.wheelEvent(event)


def test_the_wheel_goes_through_frames_and_zooms_with_control(driver, project):
    window = driver.open(project)
    canvas = window.page.canvas
    before = canvas.zoom
    turn_wheel(canvas, -120)
    driver.settle(window)
    assert window.page.viewer.frame == 1
    turn_wheel(canvas, -60)
    turn_wheel(canvas, -60)
    driver.settle(window)
    assert window.page.viewer.frame == 2
    turn_wheel(canvas, 120)
    driver.settle(window)
    assert window.page.viewer.frame == 1
    assert canvas.zoom == before
    turn_wheel(canvas, 120, Qt.KeyboardModifier.ControlModifier)
    assert canvas.zoom == pytest.approx(before * 1.25)
    assert window.page.viewer.frame == 1


def test_the_wheel_zooms_where_there_is_one_frame(driver, project, monkeypatch):
    monkeypatch.setattr(project, "frame_count", lambda _asset: 1)
    canvas = driver.open(project).page.canvas
    before = canvas.zoom
    turn_wheel(canvas, 120)
    assert canvas.zoom == pytest.approx(before * 1.25)


def test_holding_v_shows_the_original_without_boxes(driver, project):
    window = driver.open(project)
    canvas = window.page.canvas
    driver.qtbot.keyPress(window.focusWidget(), Qt.Key.Key_V)
    assert not canvas.boxes_shown
    assert window.page.bar.mode_label.text() == "original"
    assert not canvas.layer.isVisible()
    driver.qtbot.keyRelease(window.focusWidget(), Qt.Key.Key_V)
    assert canvas.boxes_shown
    assert canvas.layer.isVisible()


def test_shift_w_switches_between_before_and_after(driver, project):
    window = driver.open(project)
    canvas = window.page.canvas

    def pixel():
        return canvas.grab().toImage().pixelColor(canvas.mapFromScene(QPointF(30, 30)) + QPoint(2, 2)).lightness()

    driver.press(window, Qt.Key.Key_W, Qt.KeyboardModifier.ShiftModifier)
    assert window.actions_by_id["preview"].isChecked()
    assert not canvas.boxes_shown
    assert window.page.bar.mode_label.text() == "as it will be released"
    assert pixel() == 0
    driver.qtbot.keyPress(window.focusWidget(), Qt.Key.Key_V)
    driver.settle(window)
    assert pixel() > 0
    driver.qtbot.keyRelease(window.focusWidget(), Qt.Key.Key_V)
    driver.settle(window)
    assert pixel() == 0
    driver.press(window, Qt.Key.Key_W, Qt.KeyboardModifier.ShiftModifier)
    assert canvas.boxes_shown
    assert not window.page.bar.mode_label.isVisible()
    assert not window.actions_by_id["preview"].isChecked()


def test_the_preview_ends_when_another_item_is_selected(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_W)
    assert window.actions_by_id["wipe"].isChecked()
    window.page.select("birth")
    driver.settle(window)
    assert window.page.canvas.boxes_shown
    assert not window.actions_by_id["wipe"].isChecked()
    assert not window.page.canvas.after.isVisible()


def test_an_image_that_cannot_be_read_says_why(driver, project, monkeypatch):
    def fail(_asset, _index):
        raise InputError("The pixel data is damaged.", "The file stays in quarantine.")

    monkeypatch.setattr(project, "frame_view", fail)
    canvas = driver.open(project).page.canvas
    assert not canvas.has_image
    assert canvas.message == "The pixel data is damaged.\n\nThe file stays in quarantine."


def test_a_decision_changes_the_box(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_A)
    window.page.select("birth")
    driver.settle(window)
    assert window.page.canvas.boxes["name"].state is BoxState.REDACT

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QMessageBox, QWidget

from deidra.app.decide.editing import changed
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, DecisionKind, ReasonCode, Remark
from deidra.app.domain.taxonomy import EntityType
from deidra.app.review.agreement import Estimate
from deidra.app.review.second import Agreement
from deidra.ui import settings
from deidra.ui.agreement_panel import agreement_sentence
from deidra.ui.main_window import MainWindow
from deidra.ui.second_page import SecondPage

from .conftest import Driver, FakeProject, header_field
from .test_pages import cells, go
from .test_policy_page import click

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ACCEPT, REPLACE, BLANK, KEEP = DecisionKind.ACCEPT, DecisionKind.REPLACE, DecisionKind.BLANK, DecisionKind.KEEP


@pytest.fixture
def read_once(project: FakeProject) -> FakeProject:
    """Zaphod has decided on all that waited and drawn a box; the policy asks for a second reader of everything."""
    project.policy = changed(project.policy, "review", second_reader="sample", share=1.0)
    project.desk.decide(["birth", "mrn", "desc", "stamp"], ACCEPT, by="Zaphod")
    project.desk.decide(["name"], REPLACE, "ZEBEDEE QUUX", by="Zaphod")
    project.desk.remark(["name"], Remark(flagged=True, note="her maiden name", code=ReasonCode.CAUTION), by="Zaphod")
    project.desk.draw("us", 0, box_polygon(300, 300, 400, 330), EntityType.PATIENT, by="Zaphod")
    settings.set_curator("Bob")
    return project


@pytest.fixture
def shown(driver: Driver, read_once: FakeProject) -> tuple[MainWindow, SecondPage]:
    window = driver.open(read_once)
    go(driver, window, 5)
    return window, window.pages.state_pages["second_page"]


def listed(window: MainWindow) -> list[str]:
    model = window.pages.working.queue.model
    return [model.finding(row).id for row in range(model.rowCount())]


def texts_on(window: MainWindow) -> str:
    """Everything that can be read on the page, tooltips and accessible names among it."""
    return texts_of(window, window.pages.state_pages["second_page"])


def texts_of(window: MainWindow, page: QWidget | None = None) -> str:
    """The same of a page or of the review in front."""
    page = page or window.pages.working
    parts = [window.status.message.text()]
    for label in page.findChildren(QLabel):
        parts += [label.text(), label.toolTip(), label.accessibleName()]
    for field in page.findChildren(QLineEdit):
        parts.append(field.text())
    review = window.pages.working
    model = review.queue.model
    for row in range(model.rowCount()):
        index = model.index(row)
        parts += [str(model.data(index, Qt.ItemDataRole.ToolTipRole)), str(model.data(index))]
    parts += [str(cell) for row in cells(review.header.table) for cell in row]
    return "\n".join(parts)


def test_without_a_second_reader_the_page_says_what_it_is_for_and_leads_to_the_policy(
    driver: Driver, project: FakeProject
) -> None:
    window = driver.open(project)
    go(driver, window, 5)
    page = window.pages.state_pages["second_page"]
    assert page.choose.isVisible()
    assert not page.tabs.isVisible()
    assert window.pages.working is None
    driver.press(window, Qt.Key.Key_K)
    assert project.desk.progress().decided == 0
    click(driver, window, page.choose)
    assert window.pages.front == "policy"
    form = window.pages.state_pages["policy"].settings.second
    assert form.mode.hasFocus()
    assert not form.share.isVisible()


def test_a_second_reader_is_asked_for_in_the_form_of_the_policy(driver: Driver, project: FakeProject) -> None:
    window = driver.open(project)
    go(driver, window, 5)
    click(driver, window, window.pages.state_pages["second_page"].choose)
    policy = window.pages.state_pages["policy"]
    form = policy.settings.second
    driver.press(window, Qt.Key.Key_Down)
    form.mode.activated.emit(form.mode.currentIndex())
    assert form.share.isVisible()
    form.share.setFocus()
    form.share.selectAll()
    driver.qtbot.keyClicks(form.share, "25")
    driver.qtbot.keyClick(form.share, Qt.Key.Key_Return)
    driver.settle(window)
    review = window.pages.draft.policy.review
    assert (review.second_reader, review.share) == ("sample", 0.25)
    assert "how curators work" in policy.changes.text.text()
    assert "25% of them of each type" in policy.text.text()
    form.mode.setCurrentIndex(2)
    form.mode.activated.emit(2)
    item = form.types.item(0)
    item.setCheckState(Qt.CheckState.Checked)
    assert window.pages.draft.policy.review.types == (EntityType(item.data(Qt.ItemDataRole.UserRole)),)
    assert not form.share.isVisible()


def test_another_preset_keeps_the_second_reader(driver: Driver, project: FakeProject) -> None:
    project.policy = changed(project.policy, "review", second_reader="sample", share=0.5)
    window = driver.open(project)
    go(driver, window, 2)
    preset = window.pages.state_pages["policy"].settings.preset
    preset.setCurrentIndex(preset.findData("tcia"))
    preset.activated.emit(preset.currentIndex())
    assert window.pages.draft.policy.review.share == 0.5


def test_the_badge_counts_what_waits_for_the_curator_at_the_window(driver: Driver, read_once: FakeProject) -> None:
    window = driver.open(read_once)
    button = window.pages.rail.buttons["second_page"]
    assert button.text() == "Second\n5"
    assert button.accessibleName() == "Second reader, 5 items wait for you"
    settings.set_curator("Zaphod")
    window._refresh_counts()
    driver.settle(window)
    assert button.text() == "Second"


def test_nothing_of_the_first_decision_is_seen_on_the_page(driver: Driver, shown) -> None:
    window, page = shown
    assert page.tabs.tabText(0) == "To read (5)"
    assert set(listed(window)) == {"name", "birth", "mrn", "desc", "stamp"}
    review = window.pages.working
    for _ in range(5):
        found = texts_on(window)
        for told in ("ZEBEDEE", "maiden", "safe side", "flagged", "Zaphod", "replaced", "accepted"):
            assert told not in found, told
        driver.press(window, Qt.Key.Key_H)
        assert "ZEBEDEE" not in texts_on(window)
        driver.press(window, Qt.Key.Key_H)
        assert not any(box.finding.drawn or box.finding.decision for box in review.canvas.boxes.values())
        driver.press(window, Qt.Key.Key_Down)


def test_the_header_shows_no_surrogate_of_the_first_curator(driver: Driver, read_once: FakeProject) -> None:
    read_once.desk.decide(["desc"], REPLACE, "MRI for XYZZY", by="Zaphod")
    window = driver.open(read_once)
    go(driver, window, 5)
    window.pages.working.select("desc")
    driver.settle(window)
    review = window.pages.working
    assert review.shows_header
    after = [row for row in cells(review.header.table) if "MRI for Ann Lee" in row]
    assert after
    assert "XYZZY" not in texts_on(window)


def test_the_preview_of_the_blind_page_shows_proposals_and_not_decisions(
    driver: Driver, read_once: FakeProject
) -> None:
    read_once.desk.decide(["name"], KEEP, by="Zaphod")
    window = driver.open(read_once)
    go(driver, window, 5)
    review = window.pages.working
    review.select("name")
    driver.settle(window)
    driver.press(window, Qt.Key.Key_W, SHIFT)
    image = review.canvas.image
    assert image.pixelColor(100, 32).lightness() == 0
    inside = [image.pixelColor(x, y).lightness() for x in range(26, 188) for y in range(22, 42)]
    assert max(inside) == 0


def test_the_four_keys_decide_a_second_time_and_the_first_decision_counts_on(
    driver: Driver, shown, read_once: FakeProject
) -> None:
    window, page = shown
    assert window.pages.working.current.id == "name"
    driver.press(window, Qt.Key.Key_K)
    assert read_once.store.findings.get("name").decision is REPLACE
    (reading,) = read_once.store.readings.all()
    assert (reading.finding_id, reading.curator, reading.kind) == ("name", "Bob", KEEP)
    assert "name" not in listed(window)
    assert page.tabs.tabText(0) == "To read (4)"
    assert page.tabs.tabText(1) == "Differences (1)"
    assert window.pages.rail.buttons["second_page"].text() == "Second\n5"
    assert window.pages.working.current.id != "name"


def test_a_replacement_starts_from_the_proposal_and_not_from_the_first_text(
    driver: Driver, shown, read_once: FakeProject
) -> None:
    window, _ = shown
    driver.press(window, Qt.Key.Key_R)
    field = window.pages.working.bar.field
    assert field.text() == "Mary Gray"
    field.selectAll()
    driver.qtbot.keyClicks(field, "Eve Poe")
    driver.press(window, Qt.Key.Key_Return)
    (reading,) = read_once.store.readings.all()
    assert (reading.kind, reading.text) == (REPLACE, "Eve Poe")


def test_a_remark_is_stored_with_the_second_decision_and_shown_with_the_difference(
    driver: Driver, shown, read_once: FakeProject
) -> None:
    window, page = shown
    driver.press(window, Qt.Key.Key_E)
    driver.qtbot.keyClicks(window.pages.working.evidence.remark.note, "a street")
    driver.press(window, Qt.Key.Key_Return)
    assert read_once.store.findings.get("name").remark.note == "her maiden name"
    window.pages.working.queue.list.setFocus()
    driver.press(window, Qt.Key.Key_K)
    assert read_once.store.readings.all()[0].remark.note == "a street"
    page.tabs.setCurrentIndex(1)
    driver.settle(window)
    said = window.pages.working.evidence.history.text()
    assert said == (
        "Zaphod: replaced with “ZEBEDEE QUUX” (covered to be on the safe side; her maiden name)\nBob: kept (a street)"
    )
    model = window.pages.working.queue.model
    assert model.row_words(model.finding(0)) == "Zaphod: replaced · Bob: kept"


def test_undo_brings_a_second_decision_back_and_touches_no_first_one(
    driver: Driver, shown, read_once: FakeProject
) -> None:
    window, page = shown
    undo = window.actions_by_id["undo"]
    assert not undo.isEnabled()
    driver.press(window, Qt.Key.Key_K)
    assert undo.isEnabled()
    assert not window.actions_by_id["redo"].isEnabled()
    driver.press(window, Qt.Key.Key_Z, CONTROL)
    assert read_once.store.readings.all() == []
    assert window.pages.working.current.id == "name"
    assert page.tabs.tabText(0) == "To read (5)"
    assert read_once.store.findings.get("name").decision is REPLACE
    assert not undo.isEnabled()


def test_a_difference_is_settled_by_the_same_keys_and_undo_opens_it_again(
    driver: Driver, shown, read_once: FakeProject
) -> None:
    window, page = shown
    driver.press(window, Qt.Key.Key_K)
    page.tabs.setCurrentIndex(1)
    driver.settle(window)
    assert listed(window) == ["name"]
    assert window.pages.working.canvas.boxes["name"].finding.pending
    driver.press(window, Qt.Key.Key_B)
    assert read_once.store.findings.get("name").decision is BLANK
    assert listed(window) == []
    assert page.tabs.tabText(1) == "Differences"
    assert "settled last" in window.pages.working.queue.empty_text.text()
    driver.press(window, Qt.Key.Key_Z, CONTROL)
    assert read_once.store.findings.get("name").decision is REPLACE
    assert listed(window) == ["name"]


def test_the_review_shows_what_was_settled_on_the_other_page(driver: Driver, shown, read_once: FakeProject) -> None:
    window, page = shown
    driver.press(window, Qt.Key.Key_K)
    page.tabs.setCurrentIndex(1)
    driver.settle(window)
    driver.press(window, Qt.Key.Key_B)
    go(driver, window, 4)
    show = window.page.queue.show_which
    show.setCurrentIndex(show.findData("decided"))
    driver.settle(window)
    window.page.select("name")
    driver.settle(window)
    assert window.page.current.decision is BLANK


def test_what_is_not_among_the_items_to_read_is_not_decided(
    driver: Driver, shown, read_once: FakeProject, monkeypatch
) -> None:
    window, _ = shown
    said = []
    monkeypatch.setattr(window, "open_dialog", said.append)
    window.pages.working.select("site")
    driver.settle(window)
    driver.press(window, Qt.Key.Key_K)
    assert "none of those that you read" in said[0].text()
    assert isinstance(said[0], QMessageBox)
    assert read_once.store.findings.get("site").decision is None


def test_commands_of_the_first_review_alone_are_off_and_on_again_there(driver: Driver, shown) -> None:
    window, page = shown
    only_first = ("draw", "flag", "accept_alike", "keep_alike")
    assert not any(window.actions_by_id[name].isEnabled() for name in only_first)
    assert window.actions_by_id["keep"].isEnabled()
    page.tabs.setCurrentIndex(2)
    driver.settle(window)
    assert not window.actions_by_id["keep"].isEnabled()
    go(driver, window, 4)
    assert window.actions_by_id["draw"].isEnabled()
    show = window.page.queue.show_which
    show.setCurrentIndex(show.findData("all"))
    driver.settle(window)
    assert window.actions_by_id["flag"].isEnabled()


def test_a_drag_with_shift_draws_no_box_here(driver: Driver, shown, read_once: FakeProject) -> None:
    window, _ = shown
    canvas = window.pages.working.canvas
    before = len(read_once.store.findings.select())
    view = canvas.viewport()
    start = canvas.mapFromScene(200, 300)
    driver.qtbot.mousePress(view, Qt.MouseButton.LeftButton, SHIFT, start)
    driver.qtbot.mouseMove(view, start + QPoint(60, 40))
    driver.qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, SHIFT, start + QPoint(60, 40))
    driver.settle(window)
    assert len(read_once.store.findings.select()) == before
    assert "drawn and changed in the review" in window.status.message.text()


def test_the_item_on_the_page_is_leased_and_one_of_others_is_not_listed(driver: Driver, read_once: FakeProject) -> None:
    assert read_once.desk.take(read_once.desk.finding("desc"), "Cleo")
    window = driver.open(read_once)
    go(driver, window, 5)
    assert "desc" not in listed(window)
    held = read_once.store.leases.held()
    assert held[window.pages.working.current.id] == "Bob"


def test_what_another_reads_meanwhile_leaves_the_list(driver: Driver, shown, read_once: FakeProject) -> None:
    window, page = shown
    review = window.pages.working
    review.leasing.look()
    driver.settle(window)
    read_once.second.decide("stamp", ACCEPT, "Cleo")
    review.leasing.look()
    driver.settle(window)
    assert "stamp" not in listed(window)
    assert page.tabs.tabText(0) == "To read (4)"


def test_a_page_that_was_left_takes_no_lease_and_reads_anew_when_it_comes_back(
    driver: Driver, shown, read_once: FakeProject
) -> None:
    window, page = shown
    review = window.pages.working
    go(driver, window, 1)
    assert not review.leasing.timer.isActive()
    read_once.second.decide("stamp", ACCEPT, "Cleo")
    go(driver, window, 5)
    assert review.leasing.timer.isActive()
    assert "stamp" not in listed(window)
    assert page.tabs.tabText(0) == "To read (4)"


def test_another_curator_at_the_window_has_a_list_of_their_own(driver: Driver, shown, read_once: FakeProject) -> None:
    window, page = shown
    read_once.second.decide("stamp", ACCEPT, "Cleo")
    settings.set_curator("Cleo")
    window._curator_named("Bob")
    driver.settle(window)
    assert page.tabs.tabText(0) == "To read (4)"
    assert "stamp" not in listed(window)
    driver.press(window, Qt.Key.Key_A)
    assert [reading.curator for reading in read_once.store.readings.all()] == ["Cleo", "Cleo"]


def test_agreement_is_told_in_a_sentence_and_by_type(driver: Driver, shown, read_once: FakeProject) -> None:
    window, page = shown
    for name, kind in (("name", REPLACE), ("birth", ACCEPT), ("mrn", ACCEPT), ("stamp", KEEP)):
        read_once.second.decide(name, kind, "Bob")
    go(driver, window, 1)
    go(driver, window, 5)
    page.tabs.setCurrentIndex(2)
    driver.settle(window)
    assert page.agreement.sentence.text() == (
        "In 4 second readings the decision was the same in 75 % (30 to 95). Beyond chance the agreement is moderate "
        "(kappa 0.56). So few readings say little yet."
    )
    assert [row[:2] for row in cells(page.agreement.table)] == [
        ("all", "4"),
        ("birth date", "1"),
        ("medical record number", "1"),
        ("patient name", "1"),
        ("staff name", "1"),
    ]


@pytest.mark.parametrize(
    ("kappa", "words"),
    [
        (Estimate(0.9, 0.8, 1.0), "is almost perfect (kappa 0.90)"),
        (Estimate(0.61, 0.5, 0.7), "is substantial (kappa 0.61)"),
        (Estimate(0.0, -0.1, 0.1), "no more than chance would give"),
        (None, "one and the same decision"),
    ],
)
def test_kappa_is_said_in_words(kappa: Estimate | None, words: str) -> None:
    told = agreement_sentence(Agreement(100, Estimate(0.95, 0.9, 0.98), kappa, kappa))
    assert words in told
    assert "95 % (90 to 98)" in told
    assert "say little" not in told


@pytest.fixture
def with_decoy(project: FakeProject) -> FakeProject:
    """The standard items and a decoy that comes first in the list."""
    decoy = header_field("decoy", "(0010,4000)", "call Eve Stone", EntityType.PATIENT, "call", 97, 0.4)
    project.store.decoys.plant([replace(decoy, action=Action.CLEAN)], "Ann")
    settings.set_curator("Bob")
    return project


def test_a_decoy_is_reviewed_as_any_item_and_told_apart_after_its_decision(
    driver: Driver, with_decoy: FakeProject
) -> None:
    window = driver.open(with_decoy)
    assert listed(window)[0] == "decoy"
    assert window.page.queue.count.text() == "6 waiting"
    assert window.pages.rail.buttons["review_page"].text() == "Review\n6"
    assert "decoy" not in texts_of(window).lower()
    assert window.page.shows_header
    row = next(row for row in cells(window.page.header.table) if row[0] == "(0010,4000)")
    assert row[1:5] == ("PatientComments", "LT", "call Eve Stone", "call")
    driver.press(window, Qt.Key.Key_A)
    assert window.status.message.text() == "That was a decoy, a made-up private value, and you noticed it."
    assert "decoy" not in listed(window)
    assert window.pages.rail.buttons["review_page"].text() == "Review\n5"
    assert window.page.current.id == "name"
    assert with_decoy.store.decisions.operations() == []
    assert not window.actions_by_id["undo"].isEnabled()


def test_who_keeps_a_decoy_is_told_so_and_the_second_page_counts_it(driver: Driver, with_decoy: FakeProject) -> None:
    window = driver.open(with_decoy)
    driver.press(window, Qt.Key.Key_K)
    assert "you kept it" in window.status.message.text()
    go(driver, window, 5)
    page = window.pages.state_pages["second_page"]
    page.tabs.setCurrentIndex(2)
    driver.settle(window)
    assert "Of 1 decoy 0 were noticed" in page.agreement.noticed.text()
    assert cells(page.agreement.curators) == [("Bob", "1", "0", "0 % (0 to 79)")]
    assert not page.agreement.table.isVisible()


def test_when_nothing_else_waits_decoys_leave_the_list(driver: Driver, with_decoy: FakeProject) -> None:
    window = driver.open(with_decoy)
    driver.press(window, Qt.Key.Key_Down)
    for _ in range(5):
        driver.press(window, Qt.Key.Key_K)
    assert with_decoy.desk.progress().waiting == 0
    assert listed(window) == []
    assert window.pages.rail.buttons["review_page"].text() == "Review"


def test_a_note_on_a_decoy_is_taken_as_on_any_item(driver: Driver, with_decoy: FakeProject) -> None:
    window = driver.open(with_decoy)
    driver.press(window, Qt.Key.Key_F)
    assert window.page.current.id == "decoy"
    assert window.page.current.remark.flagged
    assert "decoy" not in window.status.message.text().lower()


def test_decoys_are_asked_for_in_the_form_of_the_policy(driver: Driver, project: FakeProject) -> None:
    window = driver.open(project)
    go(driver, window, 2)
    form = window.pages.state_pages["policy"].settings.second
    assert not form.seed.isVisible()
    form.decoys.setFocus()
    form.decoys.selectAll()
    driver.qtbot.keyClicks(form.decoys, "5")
    driver.qtbot.keyClick(form.decoys, Qt.Key.Key_Return)
    assert window.pages.draft.policy.review.decoys == 0.05
    assert form.seed.isVisible()

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QProgressBar,
)

from deidra.app.domain.model import Remark
from deidra.ui.evidence_panel import EvidencePanel
from deidra.ui.header_panel import HeaderModel
from deidra.ui.remark_fields import RemarkFields
from deidra.ui.theme import DARK, LIGHT, Theme, apply, colours, palette_of


def cell(model: HeaderModel, row: int, column: int, role=Qt.ItemDataRole.DisplayRole):
    return model.data(model.index(row, column), role)


def test_a_field_item_shows_the_header_at_its_row(driver, project):
    window = driver.open(project)
    assert not window.page.shows_header
    window.page.select("desc")
    driver.settle(window)
    assert window.page.shows_header
    model = window.page.header.model
    assert model.rowCount() == 84
    row = [cell(model, 2, column) for column in range(7)]
    assert row == [
        "(0008,1030)",
        "StudyDescription",
        "LO",
        "MRI for Ann Lee",
        "MRI for Eve Ray",
        "clean",
        "names a person",
    ]
    assert cell(model, 2, 0, Qt.ItemDataRole.BackgroundRole) is not None
    assert cell(model, 3, 0, Qt.ItemDataRole.BackgroundRole) is None
    assert cell(model, 4, 4) == "(removed)"
    view = window.page.header.table
    assert view.viewport().rect().contains(view.visualRect(model.index(2, 0)).center())


def test_the_header_scrolls_to_a_row_far_down(driver, project):
    window = driver.open(project)
    window.page.select("desc")
    driver.settle(window)
    view, model = window.page.header.table, window.page.header.model
    view.scrollToBottom()
    assert not view.viewport().rect().contains(view.visualRect(model.index(2, 0)).center())
    window.page.header.mark(window.page.current)
    assert view.viewport().rect().contains(view.visualRect(model.index(2, 0)).center())


def test_h_shows_the_header_of_a_region_item_and_back(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_H)
    assert window.page.shows_header
    assert window.page.header.model.rowCount() == 84
    assert window.actions_by_id["header"].isChecked()
    driver.press(window, Qt.Key.Key_H)
    assert not window.page.shows_header


def test_choosing_a_header_row_selects_its_finding(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_H)
    window.page.header.table.clicked.emit(window.page.header.model.index(2, 0))
    driver.settle(window)
    assert window.page.current.id == "desc"


def test_a_file_without_header_says_so(driver, project):
    window = driver.open(project)
    window.page.select("stamp")
    driver.settle(window)
    driver.press(window, Qt.Key.Key_H)
    assert window.page.header.message.text() == "This file has no header."


def test_decisions_on_fields_work_like_those_on_regions(driver, project):
    window = driver.open(project)
    window.page.select("desc")
    driver.settle(window)
    driver.press(window, Qt.Key.Key_R)
    assert window.page.bar.field.text() == "MRI for Eve Ray"
    driver.press(window, Qt.Key.Key_Return)
    assert project.store.findings.get("desc").decision_text == "MRI for Eve Ray"
    assert window.page.current.id == "birth"
    assert not window.page.shows_header


def test_the_evidence_says_why_who_and_how_sure(driver, project):
    panel = driver.open(project).page.evidence
    assert panel.text.text() == "John Smith"
    assert panel.facts.text() == "patient name · US · all frames"
    assert panel.reason.text() == "The readers agree, but the detector is not sure, and the risk is high."
    assert panel.risk.text() == "95 of 100"
    assert panel.variance.text().startswith("0.31")
    assert "variance of the agents' scores" in panel.variance.toolTip()
    agents = [label.text() for label in panel.agents.findChildren(QLabel) if label.isVisibleTo(panel.agents)]
    assert agents[:3] == ["text detector", "0.91 ± 0.17", "two passes of three agree"]
    assert "“John Smith” · patient name · equals PatientName" in agents
    assert panel.proposal.text() == "Cover the pixels. A replacement would be: Mary Gray"
    assert panel.history.text() == "Not decided yet."
    assert panel.crop.isVisible()
    assert not panel.crop.pixmap().isNull()


def test_the_history_tells_the_present_decision(driver, project):
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_R)
    driver.press(window, Qt.Key.Key_Return)
    window.page.select("name")
    driver.settle(window)
    assert window.page.evidence.history.text() == "Curator: replaced with “Mary Gray”."
    assert window.page.evidence.state.text() == "will be replaced"


def test_a_field_has_no_crop(driver, project):
    window = driver.open(project)
    window.page.select("desc")
    driver.settle(window)
    assert not window.page.evidence.crop.isVisible()


def contrast(first: str, second: str) -> float:
    def luminance(name: str) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in QColor(name).getRgbF()[:3]]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_texts_have_enough_contrast_in_both_themes():
    # WCAG 2.2, 1.4.3: at least 4.5 to 1 for text of this size.
    for scheme in (LIGHT, DARK):
        for ground in (scheme.window, scheme.panel, scheme.raised, scheme.selection):
            assert contrast(scheme.text, ground) >= 4.5
            assert contrast(scheme.muted, ground) >= 4.5, (scheme.muted, ground)
        assert contrast(scheme.on_accent, scheme.accent) >= 4.5
        assert contrast(scheme.warning, scheme.panel) >= 4.5


def test_the_theme_is_applied_and_remembered(driver, project):
    window = driver.open(project)
    window.set_theme(Theme.DARK)
    assert colours() is DARK
    assert QApplication.palette().color(QPalette.ColorRole.Base).name() == DARK.panel
    window.set_theme(Theme.LIGHT)
    assert QApplication.palette().color(QPalette.ColorRole.Window) == palette_of(LIGHT).color(QPalette.ColorRole.Window)
    apply(QApplication.instance(), Theme.LIGHT)


def test_everything_that_can_be_operated_has_an_accessible_name(driver, project):
    window = driver.open(project)
    nameless = []
    for kind in (QAbstractButton, QComboBox, QLineEdit, QAbstractItemView, QProgressBar):
        for widget in window.findChildren(kind):
            inside = widget.parent()
            private = (
                widget.objectName().startswith("qt_")
                or isinstance(inside, QLineEdit | QAbstractItemView)
                or (inside is not None and isinstance(inside.parent(), QComboBox | QAbstractItemView))
            )
            text = widget.text() if isinstance(widget, QAbstractButton) else ""
            if not private and not isinstance(inside, QComboBox) and not (widget.accessibleName() or text):
                nameless.append((type(widget).__name__, widget.objectName(), type(inside).__name__))
    assert nameless == []


def test_models_are_named_in_plain_words_and_their_own_names_are_in_the_tooltip(qtbot, project) -> None:
    finding = project.desk.finding("name")
    agents = ("deidra-det", "tesseract", "rules")
    said = tuple(replace(item, agent=name) for item, name in zip(finding.evidence, agents, strict=True))
    panel = EvidencePanel()
    qtbot.addWidget(panel)
    panel.show_finding(replace(finding, evidence=said), None)
    names = [label for label in panel.agents.findChildren(QLabel) if label.accessibleName() == "Agent"]
    assert [(label.text(), label.toolTip()) for label in names] == [
        ("first text detector", "deidra-det"),
        ("second reader", "tesseract"),
        ("rules", "rules"),
    ]


def test_what_one_box_is_filled_with_is_chosen_beside_the_note(qtbot):
    fields = RemarkFields()
    qtbot.addWidget(fields)
    fields.show()
    fields.show_remark("f", Remark(note="why"))
    assert fields.fill.currentText() == "Fill: as the policy says"
    told = []
    fields.changed.connect(told.append)
    for fill in ("black", "white"):
        qtbot.keyClick(fields.fill, Qt.Key.Key_Down)
        assert told[-1] == Remark(note="why", fill=fill)
    fields.show_remark("g", Remark(fill="inpaint"))
    assert "drawn on" in fields.fill.currentText()
    fields.show_remark("g", Remark(fill="blur"))
    assert "blur" in fields.fill.currentText()
    fields.show_remark("h", Remark(), has_box=False)
    assert not fields.fill.isVisible()

"""A curator's whole way through the window, on the real pipeline."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pydicom
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QMessageBox

from deidra.app.domain.model import DecisionKind, Verdict
from deidra.app.release.manifest import verify
from deidra.app.synth.sample import make_sample
from deidra.app.workflow import Project
from deidra.ui import settings, start
from deidra.ui.main_window import MainWindow
from deidra.ui.translation import Language

QUEUE_EVERYTHING = """
extends = "basic"
[thresholds]
auto_score = 1.0
auto_variance = 0.0
"""


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path) -> None:
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "settings"))
    # The texts that are looked for are English, whatever the machine speaks.
    settings.set_language(Language.ENGLISH)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> list[Path]:
    sample = make_sample(tmp_path_factory.mktemp("sample"))
    images = [path for path in sample.dicom if path.stem in ("us_rgb", "xa_rle")]
    scan = next(path for path in sample.scans if path.suffix == ".png")
    assert len(images) == 2
    return [*images, scan]


def settle(qtbot, window: MainWindow, timeout: int = 120_000) -> None:
    for _ in range(3):
        qtbot.waitUntil(lambda: window.operations.is_idle and window.job is None, timeout=timeout)
        qtbot.wait(10)


def press(qtbot, window: MainWindow, key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    qtbot.keyClick(window.focusWidget() or window, key, modifier)
    settle(qtbot, window)


def test_files_are_imported_reviewed_and_released_without_leaving_the_keyboard(qtbot, inputs, tmp_path):
    folder = tmp_path / "trial"
    prepared = Project.open(folder)
    policy = tmp_path / "queue.toml"
    policy.write_text(QUEUE_EVERYTHING, encoding="utf-8")
    prepared.run([], policy=str(policy))
    prepared.close()
    before = [path.read_bytes() for path in inputs]

    window = MainWindow(None)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    window.open_project(folder, create=False)
    settle(qtbot, window)
    assert window.page.queue.count.text() == "0 waiting"
    window.import_paths(inputs)
    settle(qtbot, window)
    project = window.project
    queue = window.page.queue
    waiting = project.desk.progress().waiting
    assert queue.count.text() == f"{waiting:,} waiting"

    # Which items wait depends on the models; among all items there are always some on images.
    queue.show_which.setCurrentIndex(queue.show_which.findData("all"))
    settle(qtbot, window)
    loaded = [queue.model.finding(row) for row in range(queue.model.rowCount())]
    first, second = [finding.id for finding in loaded if finding.tag is None][:2]
    assert queue.select_finding(first)
    settle(qtbot, window)
    press(qtbot, window, Qt.Key.Key_R)
    window.page.bar.field.setText("Nobody")
    press(qtbot, window, Qt.Key.Key_Return)
    assert project.desk.finding(first).decision_text == "Nobody"
    assert queue.select_finding(second)
    settle(qtbot, window)
    press(qtbot, window, Qt.Key.Key_B)
    assert project.desk.finding(second).decision is DecisionKind.BLANK
    press(qtbot, window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.page.current.id == second
    assert project.desk.finding(second).decision is None
    press(qtbot, window, Qt.Key.Key_A)
    assert project.desk.finding(second).decision is DecisionKind.ACCEPT

    queue.show_which.setCurrentIndex(queue.show_which.findData("waiting"))
    settle(qtbot, window)
    end = time.monotonic() + 120
    while window.page.current is not None and time.monotonic() < end:
        press(qtbot, window, Qt.Key.Key_A)
    assert queue.count.text() == "0 waiting"
    assert project.desk.progress().waiting == 0

    out = tmp_path / "out"
    window.release_to(out, "refuse")
    settle(qtbot, window)
    box = window.findChild(QMessageBox)
    assert box is not None
    assert "files released" in box.text(), (box.text(), box.informativeText())
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert manifest
    assert [path.read_bytes() for path in inputs] == before
    window.close()

    again = MainWindow(Project.open(folder))
    qtbot.addWidget(again)
    again.show()
    settle(qtbot, again)
    assert again.actions_by_id["undo"].isEnabled()
    decided = again.project.desk.progress().decided
    again.actions_by_id["undo"].trigger()
    settle(qtbot, again)
    assert again.project.desk.progress().decided == decided - 1
    again.close()


def test_releasing_while_items_wait_is_refused_with_an_advice(qtbot, inputs, tmp_path):
    project = Project.open(tmp_path / "trial")
    project.run(inputs[-1:])
    findings = project.store.findings.select()
    waiting = [replace(findings[0], verdict=Verdict.QUEUE), *findings[1:]]
    project.store.findings.replace(findings[0].asset_id, waiting)
    window = MainWindow(project)
    qtbot.addWidget(window)
    window.show()
    settle(qtbot, window)
    window.release_to(tmp_path / "out", "refuse")
    settle(qtbot, window)
    box = window.findChild(QMessageBox)
    assert box is not None
    assert box.informativeText()
    assert not list((tmp_path / "out").glob("**/*.png"))
    window.close()


def test_every_item_shows_its_image_or_header(qtbot, inputs, tmp_path):
    project = Project.open(tmp_path / "trial")
    project.run(inputs)
    window = MainWindow(project)
    qtbot.addWidget(window)
    window.show()
    window.page.queue.show_which.setCurrentIndex(2)
    settle(qtbot, window)
    shown = set()
    for row in range(window.page.queue.model.rowCount()):
        window.page.queue.select_row(row)
        settle(qtbot, window)
        finding = window.page.current
        if finding.tag is None:
            assert window.page.canvas.has_image, window.page.canvas.message
            assert window.page.canvas.selected_box.finding.id == finding.id
            shown.add("image")
        else:
            assert window.page.shows_header
            marked = window.page.header.model.mark(finding)
            assert window.page.header.model.row(marked).finding_id == finding.id
            shown.add("header")
    assert shown == {"image", "header"}
    window.close()


def test_the_picture_of_a_project_is_written_by_the_command(qtbot, inputs, tmp_path):
    project = Project.open(tmp_path / "trial")
    project.run(inputs[:1])
    project.close()
    start.save_picture(tmp_path / "trial", tmp_path / "window.png")
    image = QImage(str(tmp_path / "window.png"))
    assert (image.width(), image.height()) == (1440, 900)


def test_two_curators_review_settle_release_and_verify(qtbot, inputs, tmp_path):
    """Import, run, review by keyboard, second reading, a difference, release with moved dates, verification."""
    policy = tmp_path / "two.toml"
    policy.write_text(
        QUEUE_EVERYTHING
        + '\n[review]\nsecond_reader = "sample"\nshare = 1.0\n\n[dates]\nmode = "fixed"\nfixed_days = -7\n',
        encoding="utf-8",
    )
    folder, out = tmp_path / "two", tmp_path / "out"
    prepared = Project.open(folder)
    prepared.run(inputs[:1], policy=str(policy))
    # Which items wait depends on the models; here all on the image that are covered do.
    findings = prepared.store.findings.select()
    waiting = [
        replace(f, verdict=Verdict.QUEUE) if f.tag is None and f.verdict is Verdict.AUTO else f for f in findings
    ]
    prepared.store.findings.replace(findings[0].asset_id, waiting)
    prepared.close()

    settings.set_curator("Ada")
    window = MainWindow(Project.open(folder))
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    settle(qtbot, window)
    project = window.project
    end = time.monotonic() + 120
    while window.page.current is not None and time.monotonic() < end:
        press(qtbot, window, Qt.Key.Key_A)
    decided = project.desk.progress().decided
    assert decided > 1
    window.release_to(out, "refuse")
    settle(qtbot, window)
    assert not list(out.glob("**/*.dcm")), "the second reading is not done"
    window.close()

    settings.set_curator("Bob")
    window = MainWindow(Project.open(folder))
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    settle(qtbot, window)
    project = window.project
    window.actions_by_id["second_page"].trigger()
    settle(qtbot, window)
    page = window.pages.working
    assert page is not window.page
    press(qtbot, window, Qt.Key.Key_K)
    while page.current is not None and time.monotonic() < end + 120:
        press(qtbot, window, Qt.Key.Key_A)
    state = project.second.state()
    assert (state.unread, state.differences) == (0, 1)
    found = project.second.agreement()[""]
    assert found.readings == decided
    assert found.share.value == pytest.approx((decided - 1) / decided)
    (difference,) = project.second.differences()
    project.second.settle(difference.finding.id, DecisionKind.ACCEPT, "Cleo")

    window.release_to(out, "refuse")
    settle(qtbot, window)
    (released,) = out.glob("**/*.dcm")
    assert verify(out) == 3
    old, new = (pydicom.dcmread(path, stop_before_pixels=True) for path in (inputs[0], released))
    days = [datetime.strptime(d.StudyDate, "%Y%m%d") for d in (old, new)]
    assert days[1] - days[0] == timedelta(days=-7)
    assert str(old.PatientName) not in str(new)
    window.close()

"""Every kind of item, decided by keyboard, undone and redone: the release shows the decision."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pydicom
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings, Qt
from pytestqt.qtbot import QtBot
from sample_project import Finished

from deidra.app.domain.geometry import bounding_box
from deidra.app.domain.model import Asset, AssetKind, DecisionKind, Finding, Verdict
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.load.pages import Pages
from deidra.app.workflow import Project
from deidra.ui.main_window import MainWindow

CONTROL = Qt.KeyboardModifier.ControlModifier
CONTROL_SHIFT = CONTROL | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path) -> None:
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "settings"))


def _settle(qtbot: QtBot, window: MainWindow) -> None:
    for _ in range(3):
        qtbot.waitUntil(lambda: window.operations.is_idle and window.job is None, timeout=60_000)
        qtbot.wait(10)


def _press(qtbot: QtBot, window: MainWindow, key: Qt.Key, modifier: Qt.KeyboardModifier | None = None) -> None:
    qtbot.keyClick(window.focusWidget() or window, key, modifier or Qt.KeyboardModifier.NoModifier)
    _settle(qtbot, window)


def _decide(qtbot: QtBot, window: MainWindow, finding: Finding, key: Qt.Key, kind: DecisionKind) -> None:
    """Decide by key, take it back, and apply it again."""
    assert window.page.queue.select_finding(finding.id)
    _settle(qtbot, window)
    _press(qtbot, window, key)
    if kind is DecisionKind.REPLACE:
        window.page.bar.field.setText("Replaced text")
        _press(qtbot, window, Qt.Key.Key_Return)
    desk = window.project.desk
    assert desk.finding(finding.id).decision is kind
    _press(qtbot, window, Qt.Key.Key_Z, CONTROL)
    assert desk.finding(finding.id).decision is None
    _press(qtbot, window, Qt.Key.Key_Z, CONTROL_SHIFT)
    assert desk.finding(finding.id).decision is kind


def test_decisions_on_regions_pages_and_fields_reach_the_release(
    qtbot: QtBot, finished: Finished, copy_of: Callable[[Finished], Project], tmp_path: Path
) -> None:
    project = copy_of(finished)
    project.desk.decide([f.id for f in project.desk.queue()], DecisionKind.ACCEPT)
    assets = {Path(a.path).name: a for a in project.store.assets.all()}
    findings = project.store.findings.select()

    def certain(name: str, tag: str | None, text: str = "") -> Finding:
        return next(
            f
            for f in findings
            if f.asset_id == assets[name].id and f.tag == tag and f.verdict is Verdict.AUTO and text in f.text
        )

    kept = certain("us_rgb.dcm", None)
    blanked = next(
        f for f in findings if f.asset_id == assets["us_rgb.dcm"].id and f.tag is None and f.text.startswith("MI")
    )
    on_page = certain("intake_form.png", None)
    name = certain("ct_1_implicit.dcm", "(0010,0010)")
    birth = certain("ct_1_implicit.dcm", "(0010,0030)")

    window = MainWindow(project)
    qtbot.addWidget(window)
    window.show()
    queue = window.page.queue
    queue.show_which.setCurrentIndex(queue.show_which.findData("all"))
    _settle(qtbot, window)
    while queue.model.canFetchMore(queue.model.index(-1, -1)):
        queue.model.fetchMore(queue.model.index(-1, -1))
        _settle(qtbot, window)
    _decide(qtbot, window, kept, Qt.Key.Key_K, DecisionKind.KEEP)
    _decide(qtbot, window, blanked, Qt.Key.Key_B, DecisionKind.BLANK)
    _decide(qtbot, window, on_page, Qt.Key.Key_R, DecisionKind.REPLACE)
    _decide(qtbot, window, name, Qt.Key.Key_R, DecisionKind.REPLACE)
    _decide(qtbot, window, birth, Qt.Key.Key_K, DecisionKind.KEEP)

    out = tmp_path / "out"
    summary = project.release(out)
    assert summary.quarantined == []
    outputs = project.store.assets.outputs()

    def files(file: str) -> tuple[bytes, bytes]:
        return Path(assets[file].path).read_bytes(), (out / outputs[assets[file].id].output).read_bytes()

    before, after = (Frames(read_dataset(data)).frame(0).values for data in files("us_rgb.dcm"))
    assert np.array_equal(*(_inside(picture, kept) for picture in (before, after)))
    assert not np.array_equal(*(_inside(picture, blanked) for picture in (before, after)))
    assert (_inside(after, blanked) == 0).all()

    before, after = (Pages(data, AssetKind.IMAGE).page(0) for data in files("intake_form.png"))
    colours = {tuple(colour) for colour in _inside(after, on_page).reshape(-1, 3).tolist()}
    assert colours == {(0, 0, 0), (255, 255, 255)}
    assert not np.array_equal(*(_inside(picture, on_page) for picture in (before, after)))

    original, released = (pydicom.dcmread(_file(data, tmp_path)) for data in files("ct_1_implicit.dcm"))
    assert released.PatientName == "Replaced text"
    assert released.PatientBirthDate == original.PatientBirthDate
    window.close()


def _inside(picture: np.ndarray, finding: Finding) -> np.ndarray:
    assert finding.polygon is not None
    left, top, right, bottom = bounding_box(finding.polygon)
    return picture[max(0, top) : bottom, max(0, left) : right]


def _file(data: bytes, folder: Path) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.dcm"
    path.write_bytes(data)
    return path


def test_a_decision_on_one_file_leaves_the_others_alone(
    finished: Finished, copy_of: Callable[[Finished], Project], tmp_path: Path
) -> None:
    plain = copy_of(finished)
    plain.release(tmp_path / "plain", pending="accept")
    first = {f.asset_id: f.output for f in plain.store.assets.outputs().values()}
    changed: Asset = next(a for a in plain.store.assets.all() if a.path.endswith("mr_jpeg_ls.dcm"))
    region = next(f for f in plain.store.findings.select() if f.asset_id == changed.id and f.polygon)
    plain.desk.decide([region.id], DecisionKind.BLANK if region.verdict is Verdict.IGNORE else DecisionKind.KEEP)
    plain.release(tmp_path / "changed", pending="accept")
    second = {f.asset_id: f.output for f in plain.store.assets.outputs().values()}
    assert first == second
    for asset_id, output in first.items():
        same = (tmp_path / "plain" / output).read_bytes() == (tmp_path / "changed" / output).read_bytes()
        assert same == (asset_id != changed.id)

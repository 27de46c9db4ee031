"""The measurement of the window does what a curator does, on a project of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings

from deidra.app.evaluate.bench_window import SHAPE, fill
from deidra.app.load.dicom import read_dataset
from deidra.app.workflow import Project
from deidra.storage.findings import FindingFilter
from deidra.ui import bench


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path) -> None:
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "settings"))


@pytest.mark.parametrize(("each", "count"), [(100, 3), (250, 1)])
def test_the_project_that_is_measured_holds_as_many_waiting_findings_as_were_asked_for(
    tmp_path: Path, each: int, count: int
) -> None:
    images = tmp_path / "images"
    images.mkdir()
    project = Project.open(tmp_path / "project", create=True)
    try:
        fill(project.store, images, 250, each)
        assert project.store.findings.count(FindingFilter(pending=True)) == 250
        files = project.store.assets.all()
        assert len(files) == count
        for file in files:
            dataset = read_dataset(Path(file.path).read_bytes())
            assert (dataset.Rows, dataset.Columns) == SHAPE
        boxes = [finding.polygon for finding in project.store.findings.select()]
        assert all(0 <= x <= SHAPE[1] and 0 <= y <= SHAPE[0] for polygon in boxes if polygon for x, y in polygon)
    finally:
        project.close()


def test_everything_that_a_curator_does_is_measured(qtbot, tmp_path: Path) -> None:
    speeds = bench.measure(findings=120, rounds=2)
    assert [speed.what for speed in speeds] == [
        *("open the project", "next item", "decide, next item shown", "zoom", "window and level", "sort"),
        *("filter by type", "find a text"),
    ]
    assert [speed.times for speed in speeds] == [2] * 8
    assert all(0 < speed.median_ms <= speed.p95_ms for speed in speeds)
    assert all(speed.stall_ms > 0 for speed in speeds)

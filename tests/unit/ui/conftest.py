"""A small project behind the window: a real store and desk, synthetic findings, drawn images."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import cv2
import numpy as np
import pytest
from pydicom import Dataset
from PySide6.QtCore import QSettings

from deidra.app.dating import Dating, conflicts
from deidra.app.decide.policy import Policy, load_policy
from deidra.app.domain.errors import KnownError
from deidra.app.domain.geometry import bounding_box, box_polygon
from deidra.app.domain.model import Action, Asset, AssetKind, AssetStatus, DecisionKind, Evidence, Finding, Verdict
from deidra.app.domain.taxonomy import TYPES, EntityType
from deidra.app.load.contrast import FrameView
from deidra.app.load.pictures import frame_view
from deidra.app.pipeline import RunSummary, summary
from deidra.app.progress import Control, Meter, ProgressSink
from deidra.app.review import ReviewDesk
from deidra.app.review.second import SecondDesk, blinded
from deidra.app.subjects import DatedEvent
from deidra.storage import ProjectStore
from deidra.storage.database import sqlite_url
from deidra.ui import settings
from deidra.ui.main_window import MainWindow
from deidra.ui.translation import Language, use

US = Asset("us", "/in/a.dcm", "", "0" * 64, 9, AssetKind.DICOM, AssetStatus.DECIDED, modality="US")
PDF = Asset("zpdf", "/in/b.pdf", "", "1" * 64, 9, AssetKind.PDF, AssetStatus.DECIDED)

WIDTH, HEIGHT = 640, 480


def evidence(text: str, kind: EntityType, score: float = 0.91, variance: float = 0.03) -> tuple[Evidence, ...]:
    return (
        Evidence("text detector", None, None, score, variance, "two passes of three agree"),
        Evidence("reader", text, kind, 0.97, 0.0, ""),
        Evidence("header match", text, kind, 1.0, 0.0, "equals PatientName"),
    )


def region(
    name: str,
    text: str,
    kind: EntityType,
    box: tuple[float, float, float, float],
    *,
    asset: str = "us",
    frame: int | None = None,
    page: int | None = None,
    risk: float = 50,
    variance: float = 0.1,
    verdict: Verdict = Verdict.QUEUE,
    action: Action = Action.REDACT,
    proposal: str | None = None,
) -> Finding:
    return Finding(
        id=name,
        asset_id=asset,
        frame=frame,
        page=page,
        polygon=box_polygon(*box),
        tag=None,
        text=text,
        type=kind,
        score=0.9,
        variance=variance,
        risk=risk,
        verdict=verdict,
        action=action,
        reason="The readers agree, but the detector is not sure, and the risk is high.",
        proposal=proposal,
        evidence=evidence(text, kind),
    )


def header_field(
    name: str, tag: str, text: str, kind: EntityType, proposal: str, risk: float, variance: float
) -> Finding:
    base = region(name, text, kind, (0, 0, 1, 1), risk=risk, variance=variance, action=Action.REPLACE)
    return replace(base, polygon=None, tag=tag, proposal=proposal, reason="Free text that names a person.")


def standard_findings() -> dict[str, list[Finding]]:
    """Expected leak falls from ``name`` (risk 95, variance .31) over ``desc`` to ``stamp``."""
    return {
        "us": [
            region(
                "name",
                "John Smith",
                EntityType.PATIENT,
                (24, 20, 190, 44),
                risk=95,
                variance=0.31,
                proposal="Mary Gray",
            ),
            region("birth", "12.03.1951", EntityType.DATE_BIRTH, (24, 56, 150, 78), frame=0, risk=80, variance=0.15),
            region("mrn", "MRN 4711", EntityType.ID_MRN, (24, 90, 150, 112), frame=1, risk=90, variance=0.05),
            region(
                "site",
                "St. Mary Hospital",
                EntityType.HOSPITAL,
                (380, 20, 610, 44),
                risk=50,
                variance=0.01,
                verdict=Verdict.AUTO,
            ),
            header_field("desc", "(0008,1030)", "MRI for Ann Lee", EntityType.PATIENT, "MRI for Eve Ray", 95, 0.2),
        ],
        "zpdf": [
            region(
                "stamp",
                "Dr. House",
                EntityType.STAFF,
                (60, 80, 190, 110),
                asset="zpdf",
                page=1,
                risk=55,
                variance=0.02,
            ),
        ],
    }


@dataclass(frozen=True)
class Row:
    tag: str
    keyword: str
    vr: str
    before: str
    after: str | None
    action: str
    reason: str
    finding_id: str | None = None


@dataclass(frozen=True)
class Summary:
    assets: int = 3
    released_automatically: int = 1
    queued: int = 2
    findings: int = 4
    quarantined: tuple[tuple[str, str], ...] = ()
    seconds: float = 2.0


@dataclass(frozen=True)
class Released:
    folder: Path
    released: int = 2
    quarantined: tuple[tuple[str, str], ...] = ()
    seconds: float = 1.0


@dataclass
class FakeProject:
    """The part of a project that the window uses, without any pipeline."""

    folder: Path
    policy_name: str = "standard"
    policy: Policy = field(default_factory=lambda: load_policy("basic"))
    steps: int = 3
    step_seconds: float = 0.0
    run_error: KnownError | None = None
    run_calls: list[list[Path]] = field(default_factory=list)
    release_calls: list[tuple[Path, str]] = field(default_factory=list)
    quarantined: tuple[tuple[str, str], ...] = ()
    dates: tuple[DatedEvent, ...] = ()
    baselines: dict[str, str] = field(default_factory=dict)
    deep: dict[str, Dataset] = field(default_factory=dict)
    """Files with more than 8 bits, by asset id, in place of the drawn pictures."""
    closed: bool = False
    after_run: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.store = ProjectStore(sqlite_url(self.folder / "project.db"))
        self.desk = ReviewDesk(self.store)

    def fill(self, findings: dict[str, list[Finding]]) -> None:
        self.store.assets.add([US, PDF])
        for asset_id, rows in findings.items():
            self.store.findings.replace(asset_id, rows)

    def run(self, inputs: list[Path], progress: ProgressSink | None = None, control: Control | None = None) -> Summary:
        self.run_calls.append(list(inputs))
        if self.run_error is not None:
            raise self.run_error
        self._work("finding text", progress, control)
        self.after_run()
        return Summary(quarantined=self.quarantined)

    def release(
        self, out: Path, pending: str = "refuse", progress: ProgressSink | None = None, control: Control | None = None
    ) -> Released:
        self.release_calls.append((out, pending))
        self._work("writing", progress, control)
        return Released(out)

    def _work(self, stage: str, progress: ProgressSink | None, control: Control | None) -> None:
        meter = Meter(stage, self.steps, progress, control)
        for _ in range(self.steps):
            meter.checkpoint()
            time.sleep(self.step_seconds)
            meter.step()

    def summary(self) -> RunSummary:
        return summary(self.store, 0.0)

    @property
    def second(self) -> SecondDesk:
        return SecondDesk(self.store, self.policy.review)

    def judged_findings(self) -> list[Finding]:
        return self.store.findings.select()

    def encrypted_files(self) -> list[Path]:
        return []

    def is_current(self) -> bool:
        return True

    def dating(self, policy: Policy) -> Dating:
        return Dating(self.dates, tuple(conflicts(self.dates, policy.dates.mode, date(2026, 1, 1))), self.baselines)

    def dated_events(self) -> list[DatedEvent]:
        return list(self.dates)

    def frame_count(self, asset_id: str) -> int:
        return {"us": 3, "zpdf": 2}[asset_id]

    def frame_view(self, asset_id: str, index: int) -> FrameView:
        if asset_id in self.deep:
            return frame_view(self.deep[asset_id], self.deep[asset_id].pixel_array[index])
        return FrameView(self._picture(asset_id, index))

    def _picture(self, asset_id: str, index: int) -> np.ndarray:
        paper = asset_id == "zpdf"
        image = np.full((HEIGHT, WIDTH, 3), 245 if paper else 12, np.uint8)
        if not paper:
            for radius in range(40, 180, 20):
                cv2.ellipse(image, (320, 160), (radius * 2, radius), 0, 20, 160, (40 + radius // 2,) * 3, 8)
        for finding in self._regions(asset_id, index):
            left, _top, _right, bottom = bounding_box(finding.polygon or ())
            ink = (20, 20, 20) if paper else (235, 235, 235)
            cv2.putText(image, finding.text, (left + 3, bottom - 6), cv2.FONT_HERSHEY_SIMPLEX, 0.6, ink, 1, cv2.LINE_AA)
        return image

    def preview_view(self, asset_id: str, index: int, blind: bool = False) -> FrameView:
        image = self._picture(asset_id, index)
        found = self._regions(asset_id, index)
        for finding in blinded(found) if blind else found:
            if finding.decision is not DecisionKind.KEEP:
                left, top, right, bottom = bounding_box(finding.polygon or ())
                image[top:bottom, left:right] = 0
        return FrameView(image)

    def _regions(self, asset_id: str, index: int) -> list[Finding]:
        return [
            finding
            for finding in self.store.findings.select(with_evidence=False)
            if finding.asset_id == asset_id
            and finding.polygon
            and finding.frame in (None, index)
            and finding.page in (None, index)
        ]

    def header(self, asset_id: str, blind: bool = False) -> list[Row]:
        if asset_id != "us":
            return []
        decided = None if blind else self.store.findings.get("desc").decision_text
        rows = [
            Row("(0008,0020)", "StudyDate", "DA", "20190304", "20181122", "shift", "all dates move by one offset"),
            Row("(0008,0060)", "Modality", "CS", "US", "US", "keep", "not private"),
            Row(
                "(0008,1030)",
                "StudyDescription",
                "LO",
                "MRI for Ann Lee",
                decided or "MRI for Eve Ray",
                "clean",
                "names a person",
                "desc",
            ),
            Row("(0010,0010)", "PatientName", "PN", "Smith^John", "Gray^Mary", "replace", "standard profile"),
            Row("(0010,1040)", "PatientAddress", "LO", "1 Main Street", None, "remove", "standard profile"),
        ]
        return rows + [
            Row(f"(0028,{i:04X})", f"Filler{i}", "US", str(i), str(i), "keep", "not private") for i in range(1, 80)
        ]

    def close(self) -> None:
        self.closed = True
        self.store.close()


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path) -> None:
    """Settings of the tests never touch the user's."""
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "settings"))
    assert settings.recent_projects() == []


@pytest.fixture(autouse=True)
def english(own_settings: None) -> Iterator[None]:
    """The window speaks English, whatever the language of the machine, and does so again after a test in German."""
    use(Language.ENGLISH)
    yield
    use(Language.ENGLISH)


@pytest.fixture
def project(tmp_path: Path) -> FakeProject:
    fake = FakeProject(tmp_path / "MRI trauma 2019")
    fake.fill(standard_findings())
    return fake


class Driver:
    """Opens windows and waits for what happens off the GUI thread."""

    def __init__(self, qtbot) -> None:
        self.qtbot = qtbot

    def open(self, project: FakeProject | None, **options) -> MainWindow:
        window = MainWindow(project, **options)
        self.qtbot.addWidget(window)
        window.resize(1280, 800)
        window.show()
        self.qtbot.waitExposed(window)
        window.activateWindow()
        self.settle(window)
        return window

    def settle(self, window: MainWindow) -> None:
        self.qtbot.wait(5)
        self.qtbot.waitUntil(lambda: window.operations.is_idle and window.job is None, timeout=60_000)
        self.qtbot.wait(5)
        self.qtbot.waitUntil(lambda: window.operations.is_idle, timeout=60_000)

    def press(self, window: MainWindow, key, modifier=None) -> None:
        """Press a key where the focus is, as a person does, and wait for the result."""
        target = window.focusWidget() or window
        if modifier is None:
            self.qtbot.keyClick(target, key)
        else:
            self.qtbot.keyClick(target, key, modifier)
        self.settle(window)


@pytest.fixture
def driver(qtbot) -> Driver:
    return Driver(qtbot)


def ids(window: MainWindow) -> list[str]:
    """Ids of the loaded rows, in order."""
    model = window.page.queue.model
    return [model.finding(row).id for row in range(model.rowCount())]


def many_findings(count: int) -> list[Finding]:
    kinds = list(TYPES)
    return [
        region(
            f"f{i:05}",
            f"Word{i} Name{i}",
            kinds[i % len(kinds)],
            (10, 10, 60, 30),
            frame=i % 50,
            risk=50,
            variance=i / count / 4,
        )
        for i in range(count)
    ]

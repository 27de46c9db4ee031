"""Sliders for the thresholds, and what they would make of the project's findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QVBoxLayout, QWidget

from deidra.app.decide.editing import changed
from deidra.ui.operations import Operations
from deidra.ui.policy_draft import PolicyDraft
from deidra.ui.theme import GRID
from deidra.ui.translation import later, locale, number, tr, trn

if TYPE_CHECKING:
    from deidra.app.decide.forecast import Forecast
    from deidra.app.decide.policy import Policy
    from deidra.app.domain.model import Finding
    from deidra.app.workflow import Project

_REST_MS = 150
"""How long a slider must rest before findings are counted again."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One threshold: its key in the policy, its words, and its value at one step of the slider."""

    key: str
    words: str
    tip: str
    step: float
    most: int


LIMITS = (
    Limit(
        "auto_score",
        later("Act alone from a probability of"),
        later("Text that is at least this surely private is covered or cut out without asking."),
        0.01,
        100,
    ),
    Limit(
        "auto_variance",
        later("… and an uncertainty of at most"),
        later("Where the readers and rules differ more than this, somebody is asked."),
        0.005,
        50,
    ),
    Limit(
        "queue_score",
        later("Ask from a probability of"),
        later("Text that is less likely private stays as it is."),
        0.01,
        100,
    ),
    Limit(
        "unread_score",
        later("Ask about text nobody can read from"),
        later("How surely the text detector must see text where no reader can read it."),
        0.01,
        100,
    ),
)


class Forecaster:
    """Counts what a policy makes of the project's findings; they are read once. For one thread at a time."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._findings: list[Finding] | None = None

    def counts(self, policies: tuple[Policy, ...]) -> list[Forecast]:
        """One forecast a policy."""
        from deidra.app.decide.forecast import forecast

        if self._findings is None:
            self._findings = self._project.judged_findings()
        return [forecast(self._findings, policy) for policy in policies]


class Thresholds(QWidget):
    """The sliders and the counts below them."""

    def __init__(self, draft: PolicyDraft, operations: Operations) -> None:
        super().__init__()
        self._draft = draft
        self._operations = operations
        self._forecaster: Forecaster | None = None
        self.sliders: dict[str, QSlider] = {}
        self.values: dict[str, QLabel] = {}
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GRID)
        grid.setVerticalSpacing(GRID)
        for row, limit in enumerate(LIMITS):
            self._add(grid, row, limit)
        grid.setColumnStretch(1, 1)
        self.counts = {name: QLabel("–") for name in ("alone", "asked", "left", "waiting")}
        self.note = QLabel()
        self.note.setObjectName("muted")
        self.note.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(grid)
        layout.addLayout(self._count_grid())
        layout.addWidget(self.note)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._count)
        draft.changed.connect(self.refresh)

    def _add(self, grid: QGridLayout, row: int, limit: Limit) -> None:
        slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(0, limit.most)
        slider.setPageStep(5)
        slider.setMinimumWidth(120)
        slider.setAccessibleName(tr(limit.words))
        slider.setToolTip(tr(limit.tip))
        words = QLabel(tr(limit.words))
        words.setToolTip(tr(limit.tip))
        words.setBuddy(slider)
        value = QLabel()
        value.setMinimumWidth(6 * self.fontMetrics().averageCharWidth())
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(words, row, 0)
        grid.addWidget(slider, row, 1)
        grid.addWidget(value, row, 2)
        self.sliders[limit.key], self.values[limit.key] = slider, value
        slider.valueChanged.connect(lambda position: self._moved(limit, position))

    def _count_grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(GRID // 2)
        rows = (
            ("alone", tr("Done without asking")),
            ("asked", tr("Asked about")),
            ("waiting", tr("  of them still undecided")),
            ("left", tr("Left as they are")),
        )
        for row, (name, words) in enumerate(rows):
            label = self.counts[name]
            label.setAccessibleName(words.strip())
            grid.addWidget(QLabel(words), row, 0)
            grid.addWidget(label, row, 1)
        grid.setColumnStretch(1, 1)
        return grid

    def adopt(self, project: Project) -> None:
        """Count the findings of a project, read anew."""
        self._forecaster = Forecaster(project)
        self._count()

    def _moved(self, limit: Limit, position: int) -> None:
        self._draft.edit(lambda policy: changed(policy, "thresholds", **{limit.key: round(position * limit.step, 4)}))

    def refresh(self) -> None:
        """Show the edited policy's thresholds; the counts follow soon."""
        limits = self._draft.policy.thresholds
        for limit in LIMITS:
            value = float(getattr(limits, limit.key))
            slider = self.sliders[limit.key]
            slider.blockSignals(True)
            slider.setValue(round(value / limit.step))
            slider.blockSignals(False)
            self.values[limit.key].setText(locale().toString(value, "g", 3))
        self._rest.start()

    def stop(self) -> None:
        """Count nothing any more."""
        self._rest.stop()
        self._forecaster = None

    def _count(self) -> None:
        forecaster = self._forecaster
        if forecaster is None:
            return
        applied, limits = self._draft.applied, self._draft.policy.thresholds
        policies = (applied, changed(applied, "thresholds", **limits.model_dump()))
        self.note.setText(tr("Counting…"))
        self._operations.search("forecast", lambda: forecaster.counts(policies), self._show)

    def _show(self, forecasts: list[Forecast]) -> None:
        now, then = forecasts
        for name, label in self.counts.items():
            before, after = getattr(now, name), getattr(then, name)
            sign = "+" if after > before else ""
            more = "" if before == after else f"   ({sign}{number(after - before)})"
            label.setText(f"{number(after)}{more}")
        if now.unknown:
            words = trn(
                "{count} finding of an older Deidra is counted after Apply.",
                "{count} findings of an older Deidra are counted after Apply.",
                now.unknown,
            )
            self.note.setText(words)
        else:
            others = [tr(words) for words in self._draft.differences if words != "thresholds"]
            sentences = [tr("So many findings, with these thresholds.")]
            sentences += [tr("Not counted before Apply: {names}.", names=", ".join(others))] if others else []
            self.note.setText(" ".join(sentences))

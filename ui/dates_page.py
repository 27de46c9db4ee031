"""Dates of patients: what happens to them, each before and after, and what about them cannot be right."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QWidget,
)

from deidra.app.dating import Dating, write_events
from deidra.app.decide.editing import changed
from deidra.app.decide.policy import Policy
from deidra.app.metadata.dates import DateMode, parse_da
from deidra.ui.fields import DayField, NumberField
from deidra.ui.operations import Operations
from deidra.ui.policy_draft import ChangesBar, PolicyDraft
from deidra.ui.state_pages import StatePage
from deidra.ui.text_table import TextTable
from deidra.ui.theme import GRID
from deidra.ui.timeline import Timeline
from deidra.ui.translation import later, number, tr, trn

if TYPE_CHECKING:
    from deidra.app.workflow import Project

_MODES = {
    DateMode.SHIFT: later("moved into the past, each patient by a secret number of days"),
    DateMode.FIXED: later("moved by the same number of days for all patients"),
    DateMode.BASELINE: later("moved so that each patient's baseline is on one day"),
    DateMode.YEAR: later("cut to the year"),
    DateMode.REMOVE: later("removed"),
    DateMode.KEEP: later("kept as they are"),
}

_EVENTS = (
    later("Acquisition date"),
    later("Acquisition date time"),
    later("Admitting date"),
    later("Content date"),
    later("Instance creation date"),
    later("Patient birth date"),
    later("Performed procedure step start date"),
    later("Series date"),
    later("Study date"),
)
"""The usual dates of headers, which the catalogue has to know."""
_MOST_DAYS = 100_000
_NOTHING = Dating((), (), {})


@dataclass(frozen=True, slots=True)
class DatesState:
    """The project, its policy, and whether it was decided otherwise than it would be now."""

    project: Project
    policy: Policy
    is_stale: bool


class DatesPage(StatePage):
    """Mode and range of the edited policy, the dates as it would have them, conflicts, and a patient's timeline."""

    message = Signal(str)

    def __init__(self, draft: PolicyDraft, operations: Operations) -> None:
        super().__init__(tr("Dates"))
        self.draft = draft
        self._operations = operations
        self._project: Project | None = None
        self._dating = _NOTHING
        self._build_settings()
        self.table = TextTable(
            tr("Dates before and after"), (tr("Patient in the release"), tr("Event"), tr("Before"), tr("After")), 220
        )
        wide = 26 * self.fontMetrics().averageCharWidth()
        for column in range(3):
            self.table.setColumnWidth(column, wide)
        self.table.selectionModel().currentChanged.connect(lambda _new, _old: self._show_patient())
        self.timeline = Timeline()
        self.conflicts_title = QLabel()
        self.conflicts_title.setAccessibleName(tr("Conflicts in numbers"))
        self.conflicts = TextTable(
            tr("Dates that cannot be right"), (tr("Patient in the release"), tr("Event"), tr("Date"), tr("Why")), 220
        )
        for column in range(3):
            self.conflicts.setColumnWidth(column, wide)
        self.conflicts.setMaximumHeight(6 * (self.fontMetrics().height() + 12))
        self.conflicts.activated.connect(lambda index: self._go_to(index.row()))
        self.changes = ChangesBar(draft)
        for widget, stretch in (
            (self.head, 0),
            (self.settings, 0),
            (self.table, 1),
            (self.baseline_row, 0),
            (self.timeline, 0),
            (self.conflicts_title, 0),
            (self.conflicts, 0),
            (self.changes, 0),
        ):
            self.body.addWidget(widget, stretch)
        # The first in the order of the Tab key: what stands before a proxy would never be reached. No choice, since
        # arrow keys pressed on arriving would change it.
        self.setFocusProxy(self.import_button)
        first = (self.import_button, self.export_button, self.mode, self.least, self.most, self.fixed, self.zero)
        order = (*first, self.times, self.table, self.baseline, self.set_baseline, self.conflicts)
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)
        draft.changed.connect(self._refresh)
        self._refresh()

    def _build_settings(self) -> None:
        self.mode = QComboBox()
        self.mode.setAccessibleName(tr("What happens to dates"))
        self.mode.setMinimumContentsLength(24)
        self.mode.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for mode, words in _MODES.items():
            self.mode.addItem(tr(words), mode.value)
        self.mode.activated.connect(lambda _row: self._edit(mode=self.mode.currentData()))
        self.least = NumberField(tr("At least this many days"), 1, _MOST_DAYS)
        self.most = NumberField(tr("At most this many days"), 1, _MOST_DAYS)
        self.fixed = NumberField(tr("Days by which dates move, below zero into the past"), -_MOST_DAYS, _MOST_DAYS)
        self.zero = DayField(tr("The day that the baseline becomes"))
        self.times = QCheckBox(tr("Keep times of day"))
        self.times.clicked.connect(lambda on: self._edit(times=on))
        self.least.chosen.connect(lambda days: self._edit(least_days=days))
        self.most.chosen.connect(lambda days: self._edit(most_days=days))
        self.fixed.chosen.connect(lambda days: self._edit(fixed_days=days))
        self.zero.chosen.connect(lambda day: self._edit(day_zero=day))
        self._parts = {
            DateMode.SHIFT: (QLabel(tr("by")), self.least, QLabel(tr("to")), self.most, QLabel(tr("days"))),
            DateMode.FIXED: (QLabel(tr("by")), self.fixed, QLabel(tr("days"))),
            DateMode.BASELINE: (QLabel(tr("day")), self.zero),
        }
        self.settings = QWidget()
        row = _row(self.settings, QLabel(tr("Dates are")), self.mode)
        for parts in self._parts.values():
            for part in parts:
                row.addWidget(part)
        row.addWidget(self.times)
        row.addStretch(1)
        row.setStretchFactor(self.mode, 2)
        self.note = QLabel()
        self.note.setAccessibleName(tr("Dates in numbers"))
        self.import_button = QPushButton(tr("Import patients…"))
        self.import_button.setToolTip(tr("A CSV file: patient_id, and any of issuer, pseudonym, days and baseline"))
        self.import_button.clicked.connect(self._ask_import)
        self.export_button = QPushButton(tr("Export dates…"))
        self.export_button.setToolTip(
            tr("A CSV file with every date before and after, which can be changed and imported again: keep it secret")
        )
        self.export_button.clicked.connect(self._ask_export)
        self.head = QWidget()
        head = _row(self.head, self.note, self.import_button, self.export_button)
        head.setStretchFactor(self.note, 1)
        self.baseline = DayField(tr("Baseline of the selected patient"))
        self.set_baseline = QPushButton(tr("Set baseline"))
        self.set_baseline.clicked.connect(self._set_baseline)
        self.baseline_words = QLabel()
        self.baseline_row = QWidget()
        _row(self.baseline_row, self.baseline_words, self.baseline, self.set_baseline).addStretch(1)

    def reader(self, project: Project) -> Callable[[], DatesState]:
        """What the page shows."""
        return lambda: DatesState(project, project.policy, not project.is_current())

    def show_state(self, state: DatesState) -> None:
        """Take the policy in force; edits that wait stay."""
        self._project = state.project
        self.draft.adopt(state.policy)
        self.draft.set_stale(state.is_stale)

    def stop(self) -> None:
        """Read no dates any more."""
        self._project = None

    def _edit(self, **values: object) -> None:
        self.draft.edit(lambda policy: changed(policy, "dates", **values))

    def _refresh(self) -> None:
        """Show the edited policy, and soon the dates as it would have them."""
        dates, project = self.draft.policy.dates, self._project
        self.mode.setCurrentIndex(self.mode.findData(dates.mode.value))
        self.least.show_number(dates.least_days)
        self.most.show_number(dates.most_days)
        self.fixed.show_number(dates.fixed_days)
        self.zero.show_day(dates.day_zero)
        self.times.setChecked(dates.times)
        for mode, parts in self._parts.items():
            for part in parts:
                part.setVisible(mode is dates.mode)
        self.baseline_row.setVisible(dates.mode is DateMode.BASELINE)
        if project is not None:
            policy = self.draft.policy
            self._operations.read("dates", lambda: project.dating(policy), self._show_dating)

    def _show_dating(self, dating: Dating) -> None:
        row = max(self.table.currentIndex().row(), 0)
        self._dating = dating
        self.table.rows.show(
            [
                (e.pseudonym, event_words(e.event), date_words(e.before), date_words(e.after or tr("(removed)")))
                for e in dating.events
            ]
        )
        patients = len({event.patient for event in dating.events})
        self.note.setText(
            trn(
                "{count} date of {patients}.",
                "{count} dates of {patients}.",
                len(dating.events),
                patients=trn("{count} patient", "{count} patients", patients),
            )
            if dating.events
            else tr("No header of a patient tells a date yet.")
        )
        count = len(dating.conflicts)
        self.conflicts_title.setText(
            trn("{count} date cannot be right:", "{count} dates cannot be right:", count)
            if count
            else tr("No date contradicts another.")
        )
        self.conflicts.rows.show(
            [
                (c.event.pseudonym, event_words(c.event.event), date_words(c.event.before), tr(c.what))
                for c in dating.conflicts
            ]
        )
        self.conflicts.setVisible(bool(count))
        if dating.events:
            self.table.selectRow(min(row, len(dating.events) - 1))
        self._show_patient()

    def _show_patient(self) -> None:
        """Show the timeline and the baseline of the selected row's patient."""
        row = self.table.currentIndex().row()
        known = 0 <= row < len(self._dating.events)
        self.set_baseline.setEnabled(known)
        self.baseline.setEnabled(known)
        if not known:
            self.timeline.show_pairs([])
            self.baseline_words.setText(tr("Select a patient to set the baseline."))
            return
        patient = self._dating.events[row].patient
        mine = [event for event in self._dating.events if event.patient == patient]
        pairs = [(day, parse_da(event.after)) for event in mine if (day := parse_da(event.before)) is not None]
        self.timeline.show_pairs(pairs)
        self.baseline_words.setText(tr("Baseline of {patient}", patient=mine[0].pseudonym))
        baseline = self._dating.baselines.get(patient)
        if baseline:
            self.baseline.show_day(date.fromisoformat(baseline))

    def _set_baseline(self) -> None:
        project, row = self._project, self.table.currentIndex().row()
        if project is None or not 0 <= row < len(self._dating.events):
            return
        patient, day = self._dating.events[row].patient, self.baseline.day

        def work() -> bool:
            project.set_baseline(patient, day)
            return project.is_current()

        self._operations.change(work, lambda current: self._stored(tr("The baseline is stored."), current))

    def _stored(self, words: str, current: bool) -> None:
        self.message.emit(words if current else f"{words} {tr('Apply to move the dates.')}")
        self.draft.set_stale(not current)
        self._refresh()

    def _go_to(self, row: int) -> None:
        """Select the date of a conflict."""
        self.table.selectRow(self._dating.events.index(self._dating.conflicts[row].event))

    def _ask_import(self) -> None:
        dialog = QFileDialog(self.window(), tr("Import patients"), "", tr("Tables (*.csv)"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.import_from(Path(name)))
        dialog.open()

    def import_from(self, path: Path) -> None:
        """Take pseudonyms, shifts and baselines of patients from a CSV file."""
        project = self._project
        if project is None:
            return

        def work() -> tuple[int, bool]:
            return project.import_patients(path), project.is_current()

        self._operations.change(
            work, lambda done: self._stored(tr("Patients imported: {count}.", count=number(done[0])), done[1])
        )

    def _ask_export(self) -> None:
        dialog = QFileDialog(self.window(), tr("Export dates"), "", tr("Tables (*.csv)"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("csv")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.export_to(Path(name)))
        dialog.open()

    def export_to(self, path: Path) -> None:
        """Write the dates that are shown into a CSV file."""
        dating = self._dating

        def done(_result: None) -> None:
            told = trn(
                "{count} date is written to {file}. Keep it as safe as the project.",
                "{count} dates are written to {file}. Keep it as safe as the project.",
                len(dating.events),
                file=path.name,
            )
            self.message.emit(told)

        self._operations.change(lambda: write_events(path, dating), done)


def date_words(value: str) -> str:
    """A date as ``YYYY-MM-DD``, with what follows it; what is no date as it is."""
    day = parse_da(value[:8])
    return f"{day.isoformat()} {value[8:]}".strip() if day else value


def event_words(keyword: str) -> str:
    """A keyword of the standard as words: ``PatientBirthDate`` as ``Patient birth date``; rare ones in English."""
    first, *rest = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", keyword).split(" ")
    return tr(" ".join([first, *(word if word.isupper() else word.lower() for word in rest)]))


def _row(widget: QWidget, *parts: QWidget) -> QHBoxLayout:
    row = QHBoxLayout(widget)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(GRID)
    for part in parts:
        row.addWidget(part)
    return row

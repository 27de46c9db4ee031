"""Dates of patients before and after, and what about them cannot be right."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from deidra.app.domain.errors import KnownError
from deidra.app.metadata.dates import DateMode, parse_da
from deidra.app.subjects import EVENT_COLUMNS, DatedEvent, PatientRow

BIRTH = "PatientBirthDate"
_COLUMNS = ("patient_id", "pseudonym", "days", "baseline", *EVENT_COLUMNS)
_PRIVATE_FILE = 0o600
"""The dates before are the patients'."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A date that cannot be right before or after, and why, in words."""

    event: DatedEvent
    what: str


@dataclass(frozen=True, slots=True)
class Dating:
    """All dates under a policy; ``baselines`` has by patient key the day (ISO) that becomes day zero.

    ``patients`` tells, by patient key, what a table of patients would.
    """

    events: tuple[DatedEvent, ...]
    conflicts: tuple[Conflict, ...]
    baselines: Mapping[str, str]
    patients: Mapping[str, PatientRow] = field(default_factory=dict)


def conflicts(events: Sequence[DatedEvent], mode: DateMode, today: date) -> list[Conflict]:
    """What about dates cannot be right, in the order of the events.

    Args:
        events: dates before and after, of any number of patients.
        mode: what happens to dates.
        today: the last day that does not lie in the future.
    """
    births = {
        (event.patient, day) for event in events if event.event == BIRTH and (day := parse_da(event.before)) is not None
    }
    first_birth = {patient: min(day for other, day in births if other == patient) for patient, _ in births}
    many = {patient for patient in first_birth if len({day for other, day in births if other == patient}) > 1}
    return [
        Conflict(event, what)
        for event in events
        for what in _faults(event, mode, today, first_birth.get(event.patient), event.patient in many)
    ]


def _faults(event: DatedEvent, mode: DateMode, today: date, birth: date | None, many: bool) -> Iterable[str]:
    before, after = parse_da(event.before), parse_da(event.after)
    if not event.after and mode is not DateMode.REMOVE:
        yield "cannot be read as a date, so it is removed" if before is None else "would leave the calendar"
    if before is not None and before > today:
        yield "lies in the future"
    if after is not None and after > today and (before is None or before <= today):
        yield "would lie in the future"
    if event.event == BIRTH:
        if many:
            yield "files of this patient tell different birth dates"
    elif before is not None and birth is not None and before < birth:
        yield "lies before the birth: the age would be negative"


def write_events(path: Path, dating: Dating) -> None:
    """Write dates before and after into a CSV file for the owner alone: it holds patients and dates as they were.

    The file can be imported again as a table of patients, with other pseudonyms, days or baselines.

    Raises:
        KnownError: the file cannot be written.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE_FILE)
        with open(descriptor, "w", newline="", encoding="utf-8") as stream:  # noqa: PTH123
            writer = csv.writer(stream)
            writer.writerow(_COLUMNS)
            for event in dating.events:
                row = dating.patients.get(event.patient) or PatientRow("", "", "")
                told = (row.patient_id, event.pseudonym, row.days, row.baseline)
                writer.writerow((*told, event.event, event.before, event.after))
    except OSError as error:
        raise KnownError(
            "The table of dates cannot be written.", "Choose another folder or free some space."
        ) from error

"""What patients become: pseudonym and date shift, from the project's key or from a table that was imported."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pydicom import Dataset

from deidra.app.decide.policy import Policy
from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import Asset
from deidra.app.metadata.changes import Subject
from deidra.app.metadata.dates import DateMode, change_value, parse_da
from deidra.app.metadata.identity import IssuedId, issued_id, patient_key
from deidra.app.metadata.keys import ProjectKey
from deidra.storage import ProjectStore

PATIENT = "patient"
"""Kind of the crosswalk: patient IDs to pseudonyms."""
PSEUDONYM, DAYS, BASELINE, ISSUER = "pseudonym", "days", "baseline", "issuer"
"""Kinds of the crosswalk: by patient key, what was imported, the baseline and the issuer that were first met."""
COLUMNS = ("patient_id", "issuer", "pseudonym", "days", "baseline")
EVENT_COLUMNS = ("event", "before", "after")
"""Of a table of dates, which has a line an event: they are read over when it comes back."""
_PSEUDONYM_FORM = re.compile(r"[A-Za-z0-9](?:[\w .\-]{0,62}[A-Za-z0-9])?", re.ASCII)
_MOST_DAYS = 200_000


@dataclass(frozen=True, slots=True)
class DatedEvent:
    """A date of a patient before and after: ``after`` is empty when nothing stays."""

    patient: str
    pseudonym: str
    event: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PatientRow:
    """What a table of patients tells of one: the ID as it is, and what was imported or set, as text or empty."""

    patient_id: str
    days: str
    baseline: str


class Subjects:
    """Pseudonyms and date shifts of a project's patients.

    Args:
        store: the project's store, with what was imported.
        key: the project's key.
        policy: the policy in force.
    """

    def __init__(self, store: ProjectStore, key: ProjectKey, policy: Policy) -> None:
        self._store = store
        self._key = key
        self._policy = policy
        self.refresh()

    def refresh(self) -> None:
        """Read the imported tables and baselines again."""
        self._pseudonyms = self._store.crosswalk(PSEUDONYM)
        self._days = self._store.crosswalk(DAYS)
        self._baselines = self._store.crosswalk(BASELINE)
        self._issuers: dict[str, list[IssuedId]] = {}
        for issued, text in sorted(self._store.crosswalk(ISSUER).items(), key=lambda pair: pair[1]):
            _, alone, person = text.split(" ", 2)
            self._issuers.setdefault(alone, []).append(IssuedId(alone, issued, person))

    @property
    def fingerprint(self) -> list[dict[str, str]]:
        """Changes whenever some patient's subject may have changed."""
        return [self._pseudonyms, self._days, self._baselines]

    def patient(self, dataset: Dataset) -> str:
        """The patient key of a dataset; the first issuer of its patient ID is remembered."""
        identity = issued_id(dataset, self._key)
        return self.patient_of(identity) if identity else patient_key(dataset, self._key)

    def patient_of(self, identity: IssuedId) -> str:
        """The patient key of a patient ID; its issuers are remembered in the order in which they are met."""
        met = self._issuers.setdefault(identity.alone, [])
        if identity.issued and all(identity.issued != other.issued for other in met):
            met.append(identity)
            text = f"{len(met):06d} {identity.alone} {identity.person}"
            self._store.remember(ISSUER, {identity.issued: text})
        return identity.patient(met)

    def of(self, asset: Asset) -> Subject:
        """The subject of an asset's patient; scans belong to no known patient."""
        return self.of_patient(asset.patient_key or f"document {asset.id}")

    def of_patient(self, patient: str) -> Subject:
        """The subject of a patient key."""
        generated = subject_of(patient, self._key, self._policy)
        days = generated.shift_days
        if self._policy.dates.mode is DateMode.BASELINE and patient in self._baselines:
            days = (self._policy.dates.day_zero - date.fromisoformat(self._baselines[patient])).days
        if patient in self._days:
            days = int(self._days[patient])
        return Subject(self._pseudonyms.get(patient, generated.pseudonym), days)

    def find_baselines(self) -> None:
        """Remember each patient's first study date, where no baseline is known: later batches keep day zero."""
        if self._policy.dates.mode is DateMode.BASELINE:
            self._store.remember(BASELINE, self._first_studies())
            self.refresh()

    def suppose_baselines(self) -> dict[str, str]:
        """The baselines (ISO) by patient as :meth:`find_baselines` would remember them, taken but not stored."""
        self._baselines = {**self._first_studies(), **self._baselines}
        return dict(self._baselines)

    def set_baseline(self, patient: str, day: date) -> None:
        """Make a day the baseline of a patient key."""
        self._store.assign(BASELINE, {patient: day.isoformat()})
        self.refresh()

    def _first_studies(self) -> dict[str, str]:
        first: dict[str, date] = {}
        for asset in self._store.assets.all():
            day = parse_da(str(asset.info.get("dates", {}).get("StudyDate", "")))
            if day is not None and asset.patient_key:
                first[asset.patient_key] = min(day, first.get(asset.patient_key, day))
        return {patient: day.isoformat() for patient, day in first.items()}

    def read_table(self, path: Path) -> int:
        """Take pseudonyms, shifts and baselines from a CSV file; returns the number of patients.

        The first line names the columns: ``patient_id``, and any of ``issuer``, ``pseudonym``, ``days``
        (whole days, below zero into the past) and ``baseline`` (YYYY-MM-DD or YYYYMMDD). An exported table of dates is
        taken back as well: its lines are of events, so a patient has several, which must agree; lines without an ID
        are left out, and what is as before is not taken, so that a table that nobody changed changes nothing.

        Raises:
            KnownError: the file cannot be read, or a line of it is not valid; nothing is taken then.
        """
        try:
            text = path.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise KnownError("The patient table cannot be read.", "Give a CSV file in UTF-8.") from error
        rows = list(_rows(text))
        of_dates = any(row.keys() & set(EVENT_COLUMNS) for row in rows)
        if of_dates:
            rows = _once_a_patient(rows)
        names = [row["pseudonym"].casefold() for row in rows if row.get("pseudonym")]
        if len(set(names)) < len(names):
            raise KnownError("The patient table gives two patients the same pseudonym.", "Make them differ.")
        if len({(row["patient_id"], row.get("issuer", "")) for row in rows}) < len(rows):
            raise KnownError("The patient table has two lines for one patient.", "Leave one of them.")
        tables: dict[str, dict[str, str]] = {PSEUDONYM: {}, DAYS: {}, BASELINE: {}}
        present = self._present() if of_dates else {}
        for row in rows:
            patient = self.patient(_header(row))
            for kind, column in ((PSEUDONYM, "pseudonym"), (DAYS, "days"), (BASELINE, "baseline")):
                if row.get(column) and row[column] != present.get((kind, patient)):
                    tables[kind][patient] = row[column]
        for kind, pairs in tables.items():
            self._store.assign(kind, pairs)
        self.refresh()
        return len(rows)

    def _present(self) -> dict[tuple[str, str], str]:
        """Pseudonyms, shifts and baselines as a table of dates tells them, by kind and patient."""
        baselines = {**self._first_studies(), **self._baselines}
        return {
            **{(DAYS, patient): days for patient, days in self._days.items()},
            **{(BASELINE, patient): day for patient, day in baselines.items()},
            **{(PSEUDONYM, patient): self.of_patient(patient).pseudonym for patient in self.patient_rows()},
        }

    def patient_rows(self) -> dict[str, PatientRow]:
        """By patient key what a table of patients tells of those that can be told by their ID."""
        found: dict[str, PatientRow] = {}
        for identity in self._store.crosswalk(PATIENT):
            if identity:
                key = self.patient(_header({"patient_id": identity}))
                found.setdefault(key, PatientRow(identity, self._days.get(key, ""), self._baselines.get(key, "")))
        return found

    def dated_events(self) -> Iterator[DatedEvent]:
        """Every date of a header that names an event of a patient, before and after, by patient and date."""
        found = {
            (asset.patient_key, parse_da(str(value)) or date.max, str(value), event)
            for asset in self._store.assets.all()
            for event, value in asset.info.get("dates", {}).items()
            if asset.patient_key
        }
        for patient, _, value, event in sorted(found):
            subject = self.of_patient(patient)
            after = change_value("DA", value, self._policy.dates.mode, subject.shift_days)
            yield DatedEvent(patient, subject.pseudonym, event, value, after or "")


def subject_of(patient: str, key: ProjectKey, policy: Policy) -> Subject:
    """Generated pseudonym and date shift for a patient key."""
    days = policy.dates.fixed_days
    if policy.dates.mode is not DateMode.FIXED:
        days = key.shift_days(patient, policy.dates.least_days, policy.dates.most_days)
    return Subject(f"P{key.token('pseudonym', patient, 12)}", days)


def _header(row: dict[str, str]) -> Dataset:
    dataset = Dataset()
    dataset.PatientID, dataset.IssuerOfPatientID = row["patient_id"], row.get("issuer", "")
    return dataset


def _once_a_patient(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The lines of a table of dates, one a patient."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        told = {name: row.get(name, "") for name in COLUMNS}
        first = found.setdefault((told["patient_id"], told["issuer"]), told)
        if first != told:
            raise KnownError(
                "The table of dates tells different pseudonyms, days or baselines of one patient.",
                "Change all lines of the patient alike.",
            )
    return list(found.values())


def _rows(text: str) -> Iterator[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(text), strict=True)
    columns = [name.strip().lower() for name in reader.fieldnames or ()]
    unknown = [name for name in columns if name not in (*COLUMNS, *EVENT_COLUMNS)]
    if "patient_id" not in columns or unknown or len(set(columns)) < len(columns):
        raise KnownError(
            "The first line of the patient table does not name its columns.",
            f"It must hold patient_id, and may hold {', '.join(COLUMNS[1:])}.",
        )
    try:
        for row in reader:
            if None in row:
                raise KnownError(f"Line {reader.line_num} of the patient table has too many cells.", "Correct it.")
            told = dict(zip(columns, (str(v or "").strip() for v in row.values()), strict=False))
            # Documents and files without a patient ID have dates too; they belong to no line of a table of patients.
            if told.get("patient_id") or "event" not in told:
                yield _checked(told, reader.line_num)
    except csv.Error as error:
        raise KnownError(f"Line {reader.line_num} of the patient table is no valid CSV.", "Correct it.") from error


def _checked(row: dict[str, str], line: int) -> dict[str, str]:
    """A row with its values in their final form. Messages name the line, never a value."""
    fault = ""
    if not row.get("patient_id"):
        fault = "patient_id is missing"
    elif row.get("pseudonym") and not _PSEUDONYM_FORM.fullmatch(row["pseudonym"]):
        fault = "pseudonym holds letters, digits, and between them blanks, '.', '-' and '_', at most 64"
    elif row.get("pseudonym", "").casefold() == row["patient_id"].casefold():
        fault = "pseudonym is the patient ID itself"
    elif row.get("days") and not re.fullmatch(r"[+-]?\d{1,6}", row["days"]):
        fault = "days is no whole number"
    elif row.get("days") and not 0 < abs(int(row["days"])) <= _MOST_DAYS:
        fault = "days must not be zero, nor leave the calendar"
    elif row.get("baseline"):
        day = parse_da(row["baseline"])
        fault = "" if day else "baseline is no date"
        row["baseline"] = day.isoformat() if day else ""
    if fault:
        raise KnownError(f"Line {line} of the patient table is not valid: {fault}.", "Correct it and import again.")
    return row

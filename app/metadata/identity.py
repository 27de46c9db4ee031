"""Who a header is about: the patient's key, and every value that identifies someone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydicom import Dataset
from pydicom.dataelem import DataElement

from deidra.app.domain.model import Identifier
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.dates import parse_da
from deidra.app.metadata.keys import ProjectKey

_PLACEHOLDERS = {
    *("anonymous", "anonymized", "anonymised", "anon", "unknown", "none", "test", "patient", "name", "null", "na"),
    *("removed", "redacted", "deidentified", "anonymize", "no name", "not given", "nil", "xxx", "x", "last", "first"),
    *("other", "self", "doctor", "physician", "operator", "admin", "user", "technologist", "hospital", "radiology"),
}
"""Values that stand where an identifier would be and identify nobody."""

_BY_KEYWORD: dict[str, EntityType] = {
    "PatientID": EntityType.ID_MRN,
    "OtherPatientIDs": EntityType.ID_MRN,
    "MedicalRecordLocator": EntityType.ID_MRN,
    "AccessionNumber": EntityType.ID_OTHER,
    "AdmissionID": EntityType.ID_OTHER,
    "PlacerOrderNumberImagingServiceRequest": EntityType.ID_OTHER,
    "FillerOrderNumberImagingServiceRequest": EntityType.ID_OTHER,
    "PatientInsurancePlanCodeSequence": EntityType.ID_OTHER,
    "MilitaryRank": EntityType.DEMOG,
    "PatientBirthDate": EntityType.DATE_BIRTH,
    "PatientAddress": EntityType.LOCATION_HOME_ADDRESS,
    "PatientTelephoneNumbers": EntityType.PHONE_HOME,
    "ReferringPhysicianAddress": EntityType.LOCATION_ADDRESS,
    "ReferringPhysicianTelephoneNumbers": EntityType.PHONE_OTHER,
    "PersonTelephoneNumbers": EntityType.PHONE_OTHER,
    "PersonAddress": EntityType.LOCATION_ADDRESS,
    "InstitutionName": EntityType.HOSPITAL,
    "InstitutionAddress": EntityType.LOCATION_ADDRESS,
    "StationName": EntityType.OTHERPHI,
    **dict.fromkeys(
        (
            *("RetrieveAETitle", "StationAETitle", "ScheduledStationAETitle", "PerformedStationAETitle"),
            *("InstitutionalDepartmentName", "ScheduledStationName", "PerformedStationName"),
        ),
        EntityType.HOSPITAL,
    ),
    "DeviceSerialNumber": EntityType.OTHERPHI,
}
_PATIENT_NAMES = {"PatientName", "OtherPatientNames", "PatientBirthName", "PatientMotherBirthName"}
_DATES = {"StudyDate", "SeriesDate", "AcquisitionDate", "ContentDate", "AdmittingDate", "DischargeDate"}


def person_name(value: object) -> str:
    """A person name without empty trailing components: ``A^B^`` and ``A^B`` are one person."""
    return re.sub(r"\s*([\^=])\s*", r"\1", str(value or "")).rstrip("^= ").strip()


@dataclass(frozen=True, slots=True, order=True)
class IssuedId:
    """A patient ID as a header has it, in keyed form.

    Args:
        alone: the patient key of the ID alone.
        issued: the patient key of the ID with its issuer; empty where there is no issuer.
        person: a token of the patient's name; empty where there is none.
    """

    alone: str
    issued: str
    person: str

    def patient(self, met: Sequence[IssuedId]) -> str:
        """The patient key.

        Files of one patient often lack the issuer that others have. So the ID alone stands for the issuer of it
        that was met first. The same ID from another issuer is another patient, unless the name is the same; a file
        without issuer belongs to the issuer whose patient has its name.

        Args:
            met: the issued IDs that were met for this ID, the first one first.
        """
        if not met:
            return self.alone
        first = met[0]
        mine = self
        if not self.issued:
            mine = next((other for other in met if self.person and other.person == self.person), first)
        same = first.issued == mine.issued or (mine.person and first.person == mine.person)
        return self.alone if same else mine.issued


def issued_id(dataset: Dataset, key: ProjectKey) -> IssuedId | None:
    """The patient ID of a dataset; None where it has none."""
    identity = str(dataset.get("PatientID") or "").strip()
    if not identity:
        return None
    issuer = str(dataset.get("IssuerOfPatientID") or "").strip()
    alone = key.token("patient", f"id\0\0{identity}")
    issued = key.token("patient", f"id\0{issuer}\0{identity}") if issuer else ""
    name = "^".join(person_name(dataset.get("PatientName")).casefold().split("^")[:2])
    return IssuedId(alone, issued, key.token("person", name) if name else "")


def patient_key(dataset: Dataset, key: ProjectKey, met: Sequence[IssuedId] = ()) -> str:
    """A stable pseudonym of the patient a dataset is about: by ID and issuer, else name, else study.

    Args:
        dataset: the header.
        key: the project's key.
        met: the issued IDs that were met for the dataset's ID, the first one first.
    """
    identity = issued_id(dataset, key)
    if identity is not None:
        return identity.patient(met)
    name = person_name(dataset.get("PatientName"))
    if name:
        birth = str(dataset.get("PatientBirthDate") or "")
        return key.token("patient", f"name\0{name.casefold()}\0{birth}")
    study = str(dataset.get("StudyInstanceUID") or dataset.get("SOPInstanceUID") or "")
    return key.token("patient", f"study\0{study}")


def identifiers(dataset: Dataset, patient: str) -> list[Identifier]:
    """Every value in a header, sequences included, that identifies a patient, staff, place or event."""
    found: dict[tuple[EntityType, str], Identifier] = {}
    for kind, text, keyword in identifying_values(dataset):
        found.setdefault((kind, text), Identifier(patient, kind, text, keyword))
    return list(found.values())


def identifying_values(dataset: Dataset) -> Iterator[tuple[EntityType, str, str]]:
    """Type, value and keyword of every element, sequences included, that identifies somebody."""
    for element in _elements(dataset):
        for kind, value in _values(element):
            text = value.strip(" \0^=")
            if _tells_something(kind, text):
                yield kind, text[:512], element.keyword


def event_dates(dataset: Dataset) -> dict[str, str]:
    """The dates of a header that name events of the patient, by keyword; the first where one has several."""
    found = {}
    for keyword in sorted({*_DATES, "PatientBirthDate"}):
        if keyword not in dataset:
            continue
        element = dataset[keyword]
        if element.value:
            found[keyword] = str(element.value[0] if element.VM > 1 else element.value)[:64]
    return found


def _elements(dataset: Dataset) -> Iterator[DataElement]:
    for element in dataset:
        if element.VR == "SQ":
            for item in element.value:
                yield from _elements(item)
        else:
            yield element


def _values(element: DataElement) -> Iterator[tuple[EntityType, str]]:
    raw = element.value
    if raw is None or isinstance(raw, bytes):
        return
    values = [str(v) for v in raw] if element.VM > 1 else [str(raw)]
    if element.VR == "PN":
        kind = EntityType.PATIENT if element.keyword in _PATIENT_NAMES else EntityType.STAFF
        for value in values:
            # Alphabetic, ideographic and phonetic groups are names of their own (PS3.5 6.2).
            yield from ((kind, person_name(group)) for group in value.split("="))
    elif element.keyword in _BY_KEYWORD:
        yield from ((_BY_KEYWORD[element.keyword], value) for value in values)
    elif element.keyword in _DATES:
        yield from ((EntityType.DATE_OTHER, value) for value in values)


def _tells_something(kind: EntityType, text: str) -> bool:
    if kind in (EntityType.DATE_BIRTH, EntityType.DATE_OTHER):
        return parse_da(text) is not None
    if len(text) < 2 or text.casefold() in _PLACEHOLDERS:
        return False
    return bool(re.search(r"\w", text)) and len(set(text.casefold()) - set("^ .-_")) > 1

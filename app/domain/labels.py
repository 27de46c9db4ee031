"""What the types are called in the label sets of the four papers that Deidra implements.

The sets: 000, custom definitions of private text (eight types); 001, risk-scored fine-grained masking (names of its PII
graph); 002, eleven PII types of scanned documents; 003, the tagger's labels for headers and clinical notes.
"""

from __future__ import annotations

from dataclasses import dataclass

from deidra.app.domain.taxonomy import EntityType


@dataclass(frozen=True, slots=True)
class PaperLabels:
    """Labels of one type in each paper; empty where a paper has none."""

    custom: str = ""
    risk: str = ""
    scans: str = ""
    tagger: str = ""


PAPER_LABELS: dict[EntityType, PaperLabels] = {
    EntityType.PATIENT: PaperLabels("Name", "name, signature", "", "PATIENT"),
    EntityType.STAFF: PaperLabels("Name", "name, signature", "", "STAFF"),
    EntityType.DATE_BIRTH: PaperLabels("DOB", "date of birth", "birth date", "DATE"),
    EntityType.DATE_OTHER: PaperLabels("", "bank card expiration date", "", "DATE"),
    EntityType.AGE: PaperLabels("", "", "age", "AGE"),
    EntityType.ID_SSN: PaperLabels("SSN", "social security number", "US SSN", "ID"),
    EntityType.ID_MRN: PaperLabels("Medical Numbers", "medical record number", "", "ID"),
    EntityType.ID_OTHER: PaperLabels("", "personal identification number, driver license number", "", "ID"),
    EntityType.PHONE_HOME: PaperLabels("Phone", "phone number", "home phone number", "PHONE"),
    EntityType.PHONE_OTHER: PaperLabels("Phone", "phone number", "", "PHONE"),
    EntityType.EMAIL: PaperLabels("Email", "email address", "", "EMAIL"),
    EntityType.LOCATION_HOME_ADDRESS: PaperLabels("Address", "address", "home address", "LOCATION"),
    EntityType.LOCATION_ADDRESS: PaperLabels("Address", "address", "", "LOCATION"),
    EntityType.LOCATION_BIRTHPLACE: PaperLabels("", "", "birth place", "LOCATION"),
    EntityType.LOCATION_OTHER: PaperLabels("", "", "", "LOCATION"),
    EntityType.HOSPITAL: PaperLabels("", "", "", "HOSPITAL"),
    EntityType.PATORG: PaperLabels("", "employer name, position, school attended", "", "PATORG"),
    EntityType.DEMOG: PaperLabels(
        "",
        "gender",
        "marital/parental/spousal status, religious affiliation, citizenship/nationality, sex/gender",
        "",
    ),
    EntityType.HEALTH: PaperLabels("Disease Name", "diagnosis, medication prescribed", "health status", ""),
    EntityType.FINANCE: PaperLabels("", "account number, credit card number, cvv code, bank account balance", "", ""),
    EntityType.OTHERPHI: PaperLabels("", "biometric data, username, photo", "other", "OTHERPHI"),
    EntityType.UNREAD: PaperLabels(),
}

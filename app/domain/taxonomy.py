"""Entity types, their risk, and the HIPAA identifiers they belong to.

The types are the union of the label sets of the four papers that Deidra implements; sub-types are
written after a dot. HIPAA letters refer to 45 CFR 164.514(b)(2)(i).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class EntityType(StrEnum):
    """What kind of private data a text is."""

    PATIENT = "PATIENT"
    STAFF = "STAFF"
    DATE_BIRTH = "DATE.birth"
    DATE_OTHER = "DATE.other"
    AGE = "AGE"
    ID_SSN = "ID.ssn"
    ID_MRN = "ID.mrn"
    ID_OTHER = "ID.other"
    PHONE_HOME = "PHONE.home"
    PHONE_OTHER = "PHONE.other"
    EMAIL = "EMAIL"
    LOCATION_HOME_ADDRESS = "LOCATION.home_address"
    LOCATION_ADDRESS = "LOCATION.address"
    LOCATION_BIRTHPLACE = "LOCATION.birthplace"
    LOCATION_OTHER = "LOCATION.other"
    HOSPITAL = "HOSPITAL"
    PATORG = "PATORG"
    DEMOG = "DEMOG"
    HEALTH = "HEALTH"
    FINANCE = "FINANCE"
    OTHERPHI = "OTHERPHI"
    UNREAD = "UNREAD"
    """Text that was located but could not be read reliably: nobody knows what it is."""


@dataclass(frozen=True, slots=True)
class TypeInfo:
    """Facts about one entity type. ``risk`` is 0 to 100: how much one leak discloses."""

    label: str
    risk: int
    hipaa: str


TYPES: dict[EntityType, TypeInfo] = {
    EntityType.PATIENT: TypeInfo("patient name", 95, "A"),
    EntityType.STAFF: TypeInfo("staff name", 55, "A"),
    EntityType.DATE_BIRTH: TypeInfo("birth date", 80, "C"),
    EntityType.DATE_OTHER: TypeInfo("date", 45, "C"),
    EntityType.AGE: TypeInfo("age", 25, "C"),
    EntityType.ID_SSN: TypeInfo("social security number", 100, "G"),
    EntityType.ID_MRN: TypeInfo("medical record number", 90, "H"),
    EntityType.ID_OTHER: TypeInfo("identifier", 75, "R"),
    EntityType.PHONE_HOME: TypeInfo("home phone", 75, "D"),
    EntityType.PHONE_OTHER: TypeInfo("phone", 60, "D"),
    EntityType.EMAIL: TypeInfo("e-mail address", 80, "F"),
    EntityType.LOCATION_HOME_ADDRESS: TypeInfo("home address", 85, "B"),
    EntityType.LOCATION_ADDRESS: TypeInfo("address", 60, "B"),
    EntityType.LOCATION_BIRTHPLACE: TypeInfo("birth place", 55, "B"),
    EntityType.LOCATION_OTHER: TypeInfo("place", 45, "B"),
    EntityType.HOSPITAL: TypeInfo("institution", 50, "R"),
    EntityType.PATORG: TypeInfo("employer or school", 50, "R"),
    EntityType.DEMOG: TypeInfo("demographic detail", 35, ""),
    EntityType.HEALTH: TypeInfo("health detail", 40, ""),
    EntityType.FINANCE: TypeInfo("financial detail", 85, "J"),
    EntityType.OTHERPHI: TypeInfo("other private detail", 60, "R"),
    EntityType.UNREAD: TypeInfo("text that could not be read", 60, ""),
}
"""Risk figures are Deidra's own defaults, ordered by the cost of a single leak; a policy overrides them."""

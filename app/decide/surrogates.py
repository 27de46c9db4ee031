"""Realistic fake values: the same original gives the same surrogate through the whole project."""

from __future__ import annotations

import re

from faker import Faker

from deidra.app.detect.dates import moved_date
from deidra.app.detect.gazetteer import plain
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.keys import ProjectKey

_ID_TYPES = {EntityType.ID_MRN, EntityType.ID_OTHER, EntityType.ID_SSN, EntityType.FINANCE, EntityType.OTHERPHI}
_PHONE_TYPES = {EntityType.PHONE_HOME, EntityType.PHONE_OTHER}
_DATE_TYPES = {EntityType.DATE_BIRTH, EntityType.DATE_OTHER}


class Surrogates:
    """Makes surrogates under the project key; nothing needs to be stored for them to be consistent."""

    def __init__(self, key: ProjectKey) -> None:
        self._key = key
        self._faker = Faker("en_US")

    def of(self, kind: EntityType, text: str, shift_days: int) -> str | None:
        """A surrogate in the original's form, or None for types that have none.

        Args:
            kind: the entity type.
            text: the original as it is written.
            shift_days: by how many days dates of this patient move.
        """
        if kind in _DATE_TYPES:
            return moved_date(text, shift_days)
        self._faker.seed_instance(
            int.from_bytes(self._key.digest(f"surrogate {kind}", _canonical(kind, text))[:8], "big")
        )
        if kind in (EntityType.PATIENT, EntityType.STAFF):
            return self._name(text)
        if kind in _ID_TYPES or kind in _PHONE_TYPES:
            return self._code(text)
        return self._other(kind)

    def _name(self, text: str) -> str:
        first, last = self._faker.first_name(), self._faker.last_name()
        if "^" in text:
            name = f"{last}^{first}"
        elif "," in text:
            name = f"{last}, {first}"
        else:
            name = f"{first} {last}" if len(text.split()) > 1 else last
        return name.upper() if text.isupper() else name

    def _code(self, text: str) -> str:
        """The same form with other letters and digits."""
        new = []
        for char in text:
            if char.isdigit():
                new.append(str(self._faker.random_digit()))
            elif char.isalpha() and char.isascii():
                letter = self._faker.random_uppercase_letter()
                new.append(letter if char.isupper() else letter.lower())
            else:
                new.append(char)
        return "".join(new)

    def _other(self, kind: EntityType) -> str | None:
        makers = {
            EntityType.EMAIL: self._faker.safe_email,
            EntityType.LOCATION_HOME_ADDRESS: self._faker.street_address,
            EntityType.LOCATION_ADDRESS: self._faker.street_address,
            EntityType.LOCATION_BIRTHPLACE: self._faker.city,
            EntityType.LOCATION_OTHER: self._faker.city,
            EntityType.HOSPITAL: lambda: f"{self._faker.last_name()} Hospital",
            EntityType.PATORG: self._faker.company,
        }
        maker = makers.get(kind)
        return str(maker()) if maker else None


def _canonical(kind: EntityType, text: str) -> str:
    """One form for all ways to write the same value, so that they share a surrogate."""
    if kind in (EntityType.PATIENT, EntityType.STAFF):
        return " ".join(sorted(re.findall(r"[^\W\d_]+", plain(text))))
    return re.sub(r"\W+", "", plain(text))

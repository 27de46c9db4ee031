"""Invented patients, sites and staff, made from a seed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING
from unicodedata import normalize

from faker import Faker

from deidra.app.domain.taxonomy import EntityType

if TYPE_CHECKING:
    from collections.abc import Iterator

_WESTERN = ("Vanterpool", "Okonjo-Whitlock", "Brzezicki", "Quackenbush", "Delacroix-Obi", "Thistlewood", "Szymborska")
_LATIN_1 = (("Großkreutz", "Jürgen"), ("Sjöstrand", "Åke"), ("Béranger", "René"), ("Muñoz-Ibáñez", "Íñigo"))
_IDEOGRAPHIC = (
    ("Shirakawa", "Haruto", "M", "白川^陽翔", "しらかわ^はると"),
    ("Kurosaki", "Mei", "F", "黒崎^芽衣", "くろさき^めい"),
    ("Tachibana", "Ren", "M", "橘^蓮", "たちばな^れん"),
)
_STRANGERS = ("Featherstonehaugh", "Papadimitriou", "Vosselmeer", "Njoroge-Hale")
_DOCTORS = ("Abernathy-Cole", "Rasmussen", "Ferreira-Lund", "Mbeki-Stone", "Castellanos", "Drummond")
_SITES = ("St. Brendan", "Larkspur Valley", "Northgate Memorial", "Willow Harbor")


@dataclass(frozen=True, slots=True)
class Phi:
    """A private text and what kind of private data it is."""

    text: str
    type: EntityType


@dataclass(frozen=True, slots=True)
class Person:
    """A patient. ``dicom_name`` is a PN value; ``ideographic`` and ``phonetic`` are its other two groups."""

    family: str
    given: str
    sex: str
    birth: date
    mrn: str
    ssn: str
    street: str
    city: str
    phone: str
    email: str
    ideographic: str = ""
    phonetic: str = ""

    @property
    def caret(self) -> str:
        """Name as ultrasound machines print it: ``FAMILY^GIVEN``, first group only."""
        return f"{self.family}^{self.given}"

    @property
    def dicom_name(self) -> str:
        """Value for PatientName, with all groups that the person has (PS3.5 6.2)."""
        groups = (self.caret, self.ideographic, self.phonetic)
        return "=".join(groups).rstrip("=")

    @property
    def full(self) -> str:
        """Name as written in prose: given name first."""
        return f"{self.given} {self.family}"

    @property
    def comma(self) -> str:
        """Name as printed on films: ``FAMILY, GIVEN`` in capitals."""
        return f"{self.family}, {self.given}".upper()

    @property
    def address(self) -> str:
        """Home address on one line."""
        return f"{self.street}, {self.city}"

    def known(self) -> Iterator[Phi]:
        """Every written form in which the person's data may stand in free text."""
        names = (self.full, self.caret, self.comma, f"{self.family}, {self.given}", self.full.upper())
        for name in (*names, self.caret.upper(), f"{self.given[0]}. {self.family}", self.family, self.family.upper()):
            yield Phi(name, EntityType.PATIENT)
        for text in (self.ideographic, self.phonetic):
            if text:
                yield Phi(text, EntityType.PATIENT)
        for text in date_forms(self.birth):
            yield Phi(text, EntityType.DATE_BIRTH)
        yield Phi(self.mrn, EntityType.ID_MRN)
        yield Phi(self.ssn, EntityType.ID_SSN)
        yield Phi(self.address, EntityType.LOCATION_HOME_ADDRESS)
        yield Phi(self.street, EntityType.LOCATION_HOME_ADDRESS)
        yield Phi(self.city, EntityType.LOCATION_HOME_ADDRESS)
        yield Phi(self.phone, EntityType.PHONE_HOME)
        yield Phi(self.email, EntityType.EMAIL)

    def age_on(self, day: date) -> int:
        """Completed years on ``day``."""
        return day.year - self.birth.year - ((day.month, day.day) < (self.birth.month, self.birth.day))


@dataclass(frozen=True, slots=True)
class Doctor:
    """A member of staff."""

    family: str
    given: str

    @property
    def caret(self) -> str:
        """PN value with the title as prefix."""
        return f"{self.family}^{self.given}^^Dr."

    @property
    def full(self) -> str:
        """Name in prose, with the title."""
        return f"Dr. {self.given} {self.family}"

    def known(self) -> Iterator[Phi]:
        """Every written form in which the name may stand in free text."""
        for name in (self.caret, f"{self.family}^{self.given}", f"{self.given} {self.family}", self.family):
            yield Phi(name, EntityType.STAFF)


@dataclass(frozen=True, slots=True)
class Site:
    """A hospital. ``ae_title`` (at most 16 characters) and ``station`` carry its name into headers."""

    name: str
    address: str
    phone: str
    ae_title: str
    station: str

    def known(self) -> Iterator[Phi]:
        """Every written form in which the site may stand in free text."""
        yield Phi(self.name, EntityType.HOSPITAL)
        yield Phi(self.name.upper(), EntityType.HOSPITAL)
        yield Phi(self.ae_title, EntityType.HOSPITAL)
        yield Phi(self.station, EntityType.ID_OTHER)
        yield Phi(self.address, EntityType.LOCATION_ADDRESS)
        yield Phi(self.phone, EntityType.PHONE_OTHER)


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody in one sample set.

    ``patients`` are four: two with plain names, one with an ideographic name, one with a Latin-1
    name who is over 89 years old. ``stranger`` is a name that stands in no header.
    """

    patients: tuple[Person, Person, Person, Person]
    doctors: tuple[Doctor, ...]
    sites: tuple[Site, Site]
    stranger: str


def date_forms(day: date) -> tuple[str, ...]:
    """The ways in which headers, machines and letters write ``day``."""
    month = day.strftime("%b")
    return (
        day.strftime("%Y%m%d"),
        day.strftime("%m/%d/%Y"),
        day.isoformat(),
        f"{day.day:02d}-{month}-{day.year}",
        f"{day.strftime('%B')} {day.day}, {day.year}",
    )


def us_date(day: date) -> str:
    """``day`` as ``MM/DD/YYYY``."""
    return day.strftime("%m/%d/%Y")


def make_cast(seed: int) -> Cast:
    """The people of the sample set for ``seed``; the same seed gives the same people."""
    fake = Faker("en_US")
    fake.seed_instance(seed)

    def person(family: str, given: str, sex: str, years: int, ideographic: str = "", phonetic: str = "") -> Person:
        birth = date(2023, 6, 1) - timedelta(days=years * 365 + fake.random_int(20, 200))
        local = fake.numerify("(%##) 555-01##")
        mail = normalize("NFKD", f"{given}.{family}").encode("ascii", "ignore").decode().lower()
        return Person(
            family=family,
            given=given,
            sex=sex,
            birth=birth,
            mrn=fake.numerify("%#######"),
            ssn=fake.ssn(),
            street=f"{fake.building_number()} {fake.street_name()}",
            city=f"{fake.city()}, {fake.state_abbr(include_territories=False)} {fake.postcode()}",
            phone=local,
            email=f"{mail}@example.org",
            ideographic=ideographic,
            phonetic=phonetic,
        )

    first, second = fake.random_sample(_WESTERN, 2)
    family, given, sex, ideographic, phonetic = fake.random_element(_IDEOGRAPHIC)
    latin = fake.random_element(_LATIN_1)
    doctors = tuple(Doctor(name, fake.first_name()) for name in fake.random_sample(_DOCTORS, 4))
    names = fake.random_sample(_SITES, 2)
    return Cast(
        patients=(
            person(first, fake.first_name_female(), "F", 57),
            person(second, fake.first_name_male(), "M", 34),
            person(family, given, sex, 46, ideographic, phonetic),
            person(*latin, "M", 92),
        ),
        doctors=doctors,
        sites=(_site(fake, names[0], "Regional Hospital"), _site(fake, names[1], "Medical Center")),
        stranger=f"{fake.first_name_female()} {fake.random_element(_STRANGERS)}",
    )


def _site(fake: Faker, name: str, kind: str) -> Site:
    short = "".join(letter for letter in name.upper() if letter.isalpha())[:9]
    return Site(
        name=f"{name} {kind}",
        address=f"{fake.building_number()} {fake.street_name()}, {fake.city()}, {fake.state_abbr()} {fake.postcode()}",
        phone=fake.numerify("(%##) 555-01##"),
        ae_title=f"{short}_PACS",
        station=f"{short[:6]}RAD{fake.random_int(1, 9)}",
    )

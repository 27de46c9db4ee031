"""Patients, staff and sites of the benchmark: names of many languages, some of which are harmless words as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from unicodedata import normalize

from faker import Faker

from deidra.app.synth.midi.draft import Phi
from deidra.app.synth.midi.key import Row

_LOCALES = {
    "en_US": "ISO_IR 100",
    "de_DE": "ISO_IR 100",
    "en_GB": "ISO_IR 192",
    "fr_FR": "ISO_IR 100",
    "es_ES": "ISO_IR 192",
    "pl_PL": "ISO_IR 192",
    "sv_SE": "ISO_IR 100",
    "it_IT": "ISO_IR 100",
    "tr_TR": "ISO_IR 192",
    "pt_BR": "ISO_IR 100",
}
_JAPANESE = "\\ISO 2022 IR 87"

WORD_NAMES: dict[str, dict[str, str]] = {
    "Hill": {"XR": "Hill-Sachs view", "CT": "Hill-Sachs lesion protocol", "MR": "Hill-Sachs defect"},
    "Baker": {"MR": "Baker cyst", "US": "Baker cyst, popliteal", "XR": "Baker cyst suspected"},
    "Towne": {"XR": "Towne view", "CT": "Towne projection scout"},
    "Waters": {"XR": "Waters view", "CT": "Waters plane reformat"},
    "Law": {"XR": "Law view of mastoid", "CT": "Law projection MPR"},
    "Judet": {"XR": "Judet view", "CT": "Judet oblique MPR"},
    "Long": {"XR": "Long leg film", "CT": "Long axis reformat", "MR": "Long axis cine", "US": "Long axis view"},
    "Short": {"MR": "Short axis cine", "CT": "Short axis reformat", "US": "Short axis view", "XR": "Short cone"},
    "Gray": {"CT": "Gray-white differentiation", "MR": "Gray matter nulled", "US": "Gray scale cine"},
    "White": {"MR": "White matter nulled", "CT": "White blood cell study", "US": "White noise filter off"},
    "Park": {"MR": "Parkes Weber syndrome", "US": "Parkes Weber syndrome", "CT": "Parkes Weber angiogram"},
    "Big": {"CT": "Big Bore protocol", "PT": "Big Bore protocol", "XR": "Big cassette"},
    "May": {"CT": "May-Thurner venogram", "US": "May-Thurner study", "MR": "May-Thurner MRV"},
    "French": {"XR": "French catheter 8F check", "CT": "French catheter 8F in situ", "US": "French catheter 5F"},
    "Young": {"CT": "Young-Burgess APC II", "XR": "Young-Burgess type LC"},
    "Bennett": {"XR": "Bennett fracture view", "CT": "Bennett fracture 3D"},
    "Morton": {"MR": "Morton neuroma", "US": "Morton neuroma"},
    "Cooper": {"MG": "Cooper ligaments seen", "US": "Cooper ligaments seen", "MR": "Cooper ligaments"},
    "Head": {"CT": "HEAD 5.0 H31s", "MR": "HEAD 12ch coil", "XR": "Femoral head view"},
    "Stone": {"CT": "Stone protocol low dose", "US": "Stone search kidneys", "XR": "Stone search KUB"},
    "Field": {"MR": "Field map", "CT": "Field of view 350", "US": "Field of view wide"},
    "Cross": {"CT": "Cross section 5 mm", "MR": "Cross table localizer", "XR": "Cross-table lateral"},
    "Lauenstein": {"XR": "Lauenstein view"},
    "Merchant": {"XR": "Merchant view"},
    "Bird": {"CT": "Bird beak sign", "XR": "Bird beak sign"},
    "Pole": {"US": "Upper pole cyst", "CT": "Lower pole stone", "MR": "Upper pole mass"},
    "Black": {"MR": "Black blood T2", "CT": "Black bone reformat"},
    "Marker": {"MG": "Marker clip placed", "XR": "Marker at site of pain", "US": "Marker at nodule"},
    "Grid": {"XR": "Grid in", "MG": "Grid out"},
    "Rest": {"PT": "Rest perfusion", "CT": "Rest perfusion", "US": "Rest images"},
}
"""Family names with what the same word means in a description, by kind of examination."""


@dataclass(frozen=True, slots=True)
class Patient:
    """An invented patient. ``charset`` is Specific Character Set; ``words`` are harmless phrases with the name."""

    family: str
    given: str
    middle: str
    maiden: str
    sex: str
    birth: date
    mrn: str
    ssn: str
    street: str
    city: str
    phone: str
    mobile: str
    email: str
    charset: str
    words: dict[str, str]
    other_groups: str = ""

    @property
    def dicom_name(self) -> str:
        """Value for PatientName with all groups."""
        alphabetic = "^".join(filter(None, (self.family, self.given, self.middle)))
        return f"{alphabetic}={self.other_groups}" if self.other_groups else alphabetic

    @property
    def full(self) -> Phi:
        """Name in prose, given name first."""
        return Phi(f"{self.given} {self.family}", Row.NAME)

    @property
    def comma(self) -> Phi:
        """Name as on film: ``FAMILY, GIVEN``."""
        return Phi(f"{self.family}, {self.given}".upper(), Row.NAME)

    @property
    def caret(self) -> Phi:
        """Name as in the header, in capitals."""
        return Phi(f"{self.family}^{self.given}".upper(), Row.NAME)

    @property
    def number(self) -> Phi:
        """The medical record number."""
        return Phi(self.mrn, Row.RECORD)

    @property
    def social(self) -> Phi:
        """The social security number."""
        return Phi(self.ssn, Row.SSN)

    @property
    def home(self) -> Phi:
        """The address on one line."""
        return Phi(f"{self.street}, {self.city}", Row.PLACE)

    @property
    def telephone(self) -> Phi:
        """The telephone number at home."""
        return Phi(self.phone, Row.PHONE)

    def age_on(self, day: date) -> int:
        """Completed years."""
        return day.year - self.birth.year - ((day.month, day.day) < (self.birth.month, self.birth.day))


@dataclass(frozen=True, slots=True)
class Doctor:
    """A member of staff with an ASCII name."""

    family: str
    given: str

    @property
    def caret(self) -> str:
        """PN value with a title."""
        return f"{self.family}^{self.given}^^Dr."

    @property
    def prose(self) -> Phi:
        """Name in a sentence; the title stands outside."""
        return Phi(f"{self.given} {self.family}", Row.NAME)


@dataclass(frozen=True, slots=True)
class Site:
    """A hospital. ``short`` is the word that its system names are made of, at most 8 capitals."""

    name: str
    street: str
    city: str
    phone: str
    short: str

    @property
    def title(self) -> Phi:
        """The name of the hospital."""
        return Phi(self.name, Row.PLACE)

    @property
    def address(self) -> str:
        """The address on one line."""
        return f"{self.street}, {self.city}"


@dataclass(frozen=True, slots=True)
class Cast:
    """The sites and their staff."""

    sites: tuple[Site, ...]
    doctors: tuple[Doctor, ...]


def make_cast(seed: int) -> Cast:
    """Sites and staff for ``seed``."""
    fake = Faker("en_US")
    fake.seed_instance(seed * 7919 + 1)
    names = ("Larkspur Valley", "Thornbury", "Quillhaven", "Ashgrove Mercy", "Bellweather", "Ostrander")
    kinds = ("Regional Hospital", "Medical Center", "University Hospital", "Clinic")
    sites = tuple(
        Site(
            name=f"{name} {kinds[number % 4]}",
            street=f"{fake.building_number()} {fake.last_name()} Avenue",
            city=f"{fake.city()}, {fake.state_abbr(include_territories=False)} {fake.postcode()}",
            phone=fake.numerify("(%##) 555-01##"),
            short="".join(name.upper().split())[:8],
        )
        for number, name in enumerate(names)
    )
    doctors = tuple(Doctor(_ascii(fake.unique.last_name()), _ascii(fake.first_name())) for _ in range(24))
    return Cast(sites, doctors)


def make_patients(count: int, seed: int) -> Iterator[Patient]:
    """``count`` patients: every second with a name that is a word, one in ten Japanese, one in eight over 90.

    Nobody is 90: that is also the name of the group of all older ages.
    """
    words = list(WORD_NAMES)
    Random(seed).shuffle(words)  # noqa: S311
    used: set[str] = set()
    for number in range(count):
        yield _patient(number, seed, words[number // 2 % len(words)] if number % 2 else "", used)


def _patient(number: int, seed: int, word: str, used: set[str]) -> Patient:
    rng = Random(seed * 104729 + number)  # noqa: S311
    japanese = not word and number % 10 == 4
    english_word = ("en_US", "en_GB")[number // 2 % 2]
    locale = "ja_JP" if japanese else english_word if word else list(_LOCALES)[number // 2 % len(_LOCALES)]
    fake = Faker(locale)
    fake.seed_instance(rng.randrange(1 << 30))
    english = Faker("en_US")
    english.seed_instance(rng.randrange(1 << 30))
    sex = "FM"[number % 2] if number % 3 else "F"
    groups = ""
    if japanese:
        family, given, groups = _japanese_name(fake, sex)
        street, city = _ascii_address(english)
    else:
        family = word or _fresh(fake.last_name, used)
        given = fake.first_name_female() if sex == "F" else fake.first_name_male()
        street, city = fake.street_address().replace("\n", " "), f"{fake.city()} {fake.postcode()}"
    years = rng.randint(92, 97) if number % 8 == 3 else rng.randint(24, 84)
    mail = normalize("NFKD", f"{given}.{family}").encode("ascii", "ignore").decode().lower().replace(" ", "")
    return Patient(
        family=family,
        given=given,
        middle=rng.choice("ABCDEFGHJKLMRSTW") if locale.startswith("en") else "",
        maiden=_ascii(_fresh(english.last_name, used)),
        sex=sex,
        birth=date(2018, 1, 1) - timedelta(days=round(years * 365.25) + rng.randint(1, 300)),
        mrn=rng.choice(("", "M", "MR")) + f"{rng.randrange(10**7, 10**8)}",
        ssn=english.ssn(),
        street=street,
        city=city,
        phone=english.numerify("(%##) 555-01##"),
        mobile=english.numerify("+1-%##-555-01##"),
        email=f"{mail}@example.org",
        charset=_JAPANESE if japanese else _charset(locale, f"{family}{given}{street}{city}"),
        words=WORD_NAMES.get(family, {}),
        other_groups=groups,
    )


def _charset(locale: str, text: str) -> str:
    wanted = _LOCALES[locale]
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return "ISO_IR 192"
    return wanted


def _fresh(make: Callable[[], str], used: set[str]) -> str:
    """A name of at least five letters that was not used before, so that no two patients are mixed up."""
    while True:
        name = make()
        if len(name) > 4 and name not in used and name not in WORD_NAMES:
            used.add(name)
            return name


def _japanese_name(fake: Faker, sex: str) -> tuple[str, str, str]:
    """Romanised family and given name, and the ideographic and phonetic groups."""
    family = fake.last_name_pair()
    given = fake.first_name_female_pair() if sex == "F" else fake.first_name_male_pair()
    return family[2], given[2], f"{family[0]}^{given[0]}={family[1]}^{given[1]}"


def _ascii_address(fake: Faker) -> tuple[str, str]:
    return fake.street_address(), f"{fake.city()} {fake.postcode()}"


def _ascii(text: str) -> str:
    return normalize("NFKD", text).encode("ascii", "ignore").decode()

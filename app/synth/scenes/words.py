"""What is written in a scene: private texts with their type, and what machines and forms say besides.

Names, places and phrases belong to one split each, decided by a hash of the word: what a detector is tested on was not
read in training. Only single letters, units, numbers and the shortest machine words are common to all.
"""

from __future__ import annotations

import hashlib
import tomllib
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path

import numpy as np
from faker import Faker

from deidra.app.domain.taxonomy import EntityType

_LOCALES = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "pl_PL", "pt_BR", "sv_SE", "cs_CZ", "nl_NL", "tr_TR")
_FOREIGN = ("ru_RU", "el_GR", "uk_UA", "ja_JP", "zh_CN")
_DRAWS = 160
_STREETS = ("Street", "Road", "Ave", "Lane", "Str.", "Drive", "Blvd", "Weg", "Way", "Court")
_MAILS = ("example.org", "example.com", "example.net", "mail.example.org")
_SEPARATORS = ("-", "/", ".", " ")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Word:
    """A text with what kind of private data it is: ``type`` is None for harmless text (``phi`` False)."""

    text: str
    type: EntityType | None = None

    @property
    def phi(self) -> bool:
        """Whether the text is private."""
        return self.type is not None


def split_of(word: str) -> str:
    """The split that ``word`` belongs to, whatever its case: 70 % train, 10 % calibrate, 20 % test."""
    place = hashlib.sha256(word.casefold().encode()).digest()[0] % 10
    return "train" if place < 7 else "calibrate" if place == 7 else "test"


@dataclass(frozen=True, slots=True)
class Pool:
    """What the texts of one split are made of. ``foreign`` are whole names in other scripts than Latin."""

    given: tuple[str, ...]
    family: tuple[str, ...]
    city: tuple[str, ...]
    street: tuple[str, ...]
    foreign: tuple[str, ...]
    phrases: dict[str, tuple[str, ...]]


def _draws(make: Callable[[], str], split: str) -> set[str]:
    return {word for word in (make() for _ in range(_DRAWS)) if split_of(word) == split and len(word) < 22}


def _cities(fake: Faker) -> Callable[[], str]:
    """What makes a city. Faker keeps those of some countries in the order of a set, which differs between processes."""
    known = [getattr(provider, "cities", None) for provider in fake.get_providers()]
    ordered = sorted(city for cities in known if cities for city in cities)
    return (lambda: str(fake.random_element(ordered))) if ordered else fake.city


def share(entries: Sequence[str], split: str) -> tuple[str, ...]:
    """The part of a short list that belongs to ``split``: dealt out by rank, so that no split goes empty."""
    ranked = sorted(entries, key=lambda entry: hashlib.sha256(entry.casefold().encode()).digest())
    first, second = round(0.62 * len(ranked)), round(0.75 * len(ranked))
    return tuple({"train": ranked[:first], "calibrate": ranked[first:second], "test": ranked[second:]}[split])


@lru_cache(maxsize=4)
def phrases(split: str) -> dict[str, tuple[str, ...]]:
    """What words.toml has for ``split``, by kind, with its placeholders."""
    vocabulary = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
    found = {name: tuple(entries) for name, entries in vocabulary["shared"].items()}
    for name, entries in vocabulary["parted"].items():
        found[name] = share(entries, split)
    return found


@lru_cache(maxsize=4)
def pool(split: str) -> Pool:
    """The pool of ``split``; always the same."""
    given: set[str] = set()
    family: set[str] = set()
    city: set[str] = set()
    for locale in _LOCALES:
        fake = Faker(locale)
        fake.seed_instance(7)
        given |= _draws(fake.first_name, split)
        family |= _draws(fake.last_name, split)
        city |= _draws(_cities(fake), split)
    foreign: set[str] = set()
    for locale in _FOREIGN:
        fake = Faker(locale)
        fake.seed_instance(7)
        foreign |= _draws(fake.last_name, split)
    surnames = tuple(sorted(family))
    words = phrases(split)
    return Pool(tuple(sorted(given)), surnames, tuple(sorted(city)), surnames[::3], tuple(sorted(foreign)), words)


def choose(rng: np.random.Generator, entries: Sequence[str]) -> str:
    """One of ``entries``."""
    return entries[int(rng.integers(len(entries)))]


def latin(text: str) -> str:
    """``text`` without accents, for machines and fonts that have none."""
    return unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("²", "2")).encode("ascii", "ignore").decode()


def fill(rng: np.random.Generator, template: str) -> str:
    """``template`` with its placeholders filled (see words.toml)."""
    for name, make in (("{date}", dated), ("{time}", timed), ("{number}", lambda r: str(r.integers(1, 9999)))):
        if name in template:
            template = template.replace(name, make(rng))
    letters = []
    for letter in template:
        if letter in "#~":
            letters.append(str(rng.integers(letter == "~", 10)))
        elif letter == "@":
            letters.append(chr(65 + int(rng.integers(26))))
        else:
            letters.append(letter)
    return "".join(letters)


def phrase(rng: np.random.Generator, split: str, kind: str) -> str:
    """A harmless phrase of one of the kinds of words.toml, filled."""
    return fill(rng, choose(rng, pool(split).phrases[kind]))


def dated(rng: np.random.Generator) -> str:
    """A date in one of the many ways in which machines write it."""
    day = date(1925, 1, 1) + timedelta(days=int(rng.integers(0, 37_000)))
    month = _MONTHS[day.month - 1]
    mark = choose(rng, _SEPARATORS)
    forms = (
        day.strftime("%Y%m%d"),
        day.isoformat(),
        day.strftime(f"%m{mark}%d{mark}%Y"),
        day.strftime(f"%d{mark}%m{mark}%Y"),
        day.strftime("%m/%d/%y"),
        f"{day.day:02d}-{month}-{day.year}",
        f"{day.day:02d} {month.upper()} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{day.year}{mark}{day.month:02d}{mark}{day.day:02d}",
        f"{day.day}.{day.month}.{day.year}",
    )
    return choose(rng, forms)


def timed(rng: np.random.Generator) -> str:
    """A time of day."""
    hour, minute, second = int(rng.integers(24)), int(rng.integers(60)), int(rng.integers(60))
    half = f"{hour % 12 or 12}:{minute:02d}"
    forms = (
        f"{hour:02d}:{minute:02d}",
        f"{hour:02d}:{minute:02d}:{second:02d}",
        f"{half} {'AM' if hour < 12 else 'PM'}",
        f"{half}:{second:02d}{'am' if hour < 12 else 'pm'}",
        f"{hour:02d}:{minute:02d}:{second:02d}.{rng.integers(100):02d}",
    )
    return choose(rng, forms)


def name(rng: np.random.Generator, split: str) -> str:
    """A person's name as machines, films and letters write it; a few per cent in another script."""
    if rng.random() < 0.02:
        return choose(rng, pool(split).foreign)
    given, family = choose(rng, pool(split).given), choose(rng, pool(split).family)
    forms = (
        f"{family}^{given}".upper(),
        f"{family}^{given}^{given[0]}".upper(),
        f"{family}, {given}".upper(),
        f"{family}, {given}",
        f"{given} {family}",
        f"{given} {family}".upper(),
        f"{family} {given[0]}.",
        f"{family.upper()} {given}",
        family.upper(),
        f"{family},{given}".upper(),
    )
    return choose(rng, forms)


def street(rng: np.random.Generator, split: str) -> str:
    """A street with a house number."""
    return f"{rng.integers(1, 9999)} {choose(rng, pool(split).street)} {choose(rng, _STREETS)}"


def address(rng: np.random.Generator, split: str) -> str:
    """A postal address on one line."""
    return (
        f"{street(rng, split)}, {choose(rng, pool(split).city)} {fill(rng, choose(rng, ('#####', '@@ #####', '####')))}"
    )


def hospital(rng: np.random.Generator, split: str) -> str:
    """The name of an institution."""
    words = pool(split)
    stem = choose(rng, words.city if rng.random() < 0.6 else words.family)
    text = f"{choose(rng, ('', '', 'St. '))}{stem} {choose(rng, words.phrases['hospitals'])}"
    return text.upper() if rng.random() < 0.35 else text


def phone(rng: np.random.Generator) -> str:
    """A telephone number."""
    forms = ("(~##) ###-####", "~##-###-####", "+~# ~## ### ####", "0~## / ######", "~## ### ####", "+1 ~## ###-####")
    return fill(rng, choose(rng, forms))


def email(rng: np.random.Generator, split: str) -> str:
    """An e-mail address."""
    given, family = (latin(choose(rng, names)).lower() for names in (pool(split).given, pool(split).family))
    local = choose(rng, (f"{given}.{family}", f"{given[:1]}{family}", f"{family}{rng.integers(1, 99)}"))
    return f"{local.replace(' ', '')}@{choose(rng, _MAILS)}"


def _labelled(rng: np.random.Generator, labels: Sequence[str], value: str) -> str:
    label = choose(rng, labels)
    return f"{label} {value}" if label else value


def private(rng: np.random.Generator, split: str, kind: EntityType) -> Word:
    """A private text of ``kind``, at times with its label."""
    makers: dict[EntityType, Callable[[], str]] = {
        EntityType.PATIENT: lambda: _labelled(rng, ("", "", "", "Name:", "Patient:", "Pt:", "NAME"), name(rng, split)),
        EntityType.STAFF: lambda: _labelled(rng, ("Dr.", "Ref:", "Op:", "Tech:", "MD", "Physician:"), name(rng, split)),
        EntityType.DATE_BIRTH: lambda: _labelled(rng, ("DOB:", "*", "Born", "", "DoB", "D.O.B."), dated(rng)),
        EntityType.DATE_OTHER: lambda: _labelled(rng, ("", "", "", "Date:", "Study:"), dated(rng)),
        EntityType.AGE: lambda: fill(
            rng, choose(rng, ("0##Y", "~#Y M", "~#Y F", "~# yrs", "Age: ~#", "F/~#", "~#y, M"))
        ),
        EntityType.ID_MRN: lambda: fill(
            rng,
            choose(
                rng, ("MRN~#######", "ID: ~######", "~#######", "MRN: ~#####", "#@##~###", "PID ~####-#", "Id:~###")
            ),
        ),
        EntityType.ID_SSN: lambda: fill(rng, choose(rng, ("###-##-####", "SSN: ###-##-####", "SSN ###-##-####"))),
        EntityType.ID_OTHER: lambda: fill(
            rng,
            choose(rng, ("Acc: ~#######", "ACC#~######", "A~########", "Ex: ~####", "@@##~####", "1.2.840.####.~#.##")),
        ),
        EntityType.PHONE_HOME: lambda: _labelled(rng, ("", "", "Tel:", "Phone:"), phone(rng)),
        EntityType.EMAIL: lambda: email(rng, split),
        EntityType.LOCATION_HOME_ADDRESS: lambda: address(rng, split),
        EntityType.LOCATION_ADDRESS: lambda: choose(rng, pool(split).city),
        EntityType.HOSPITAL: lambda: hospital(rng, split),
        EntityType.DEMOG: lambda: choose(rng, ("M", "F", "Sex: M", "Sex: F", "Female", "Male", "FEMALE", "MALE")),
        EntityType.HEALTH: lambda: choose(rng, pool(split).phrases["diseases"]),
    }
    return Word(makers[kind](), kind)


_HEADER = (
    EntityType.PATIENT, EntityType.PATIENT, EntityType.DATE_BIRTH, EntityType.ID_MRN, EntityType.HOSPITAL,
    EntityType.STAFF, EntityType.DATE_OTHER, EntityType.DATE_OTHER, EntityType.AGE, EntityType.ID_OTHER,
    EntityType.DEMOG,
)  # fmt: skip


def header(rng: np.random.Generator, split: str) -> Word:
    """A private text as it stands in the corners of images."""
    return private(rng, split, _HEADER[int(rng.integers(len(_HEADER)))])


def machine(rng: np.random.Generator, split: str) -> Word:
    """A harmless text as it stands in the corners of images."""
    kinds = ("values", "values", "values", "protocols", "device", "tokens")
    return Word(phrase(rng, split, choose(rng, kinds)))


def token(rng: np.random.Generator, split: str) -> Word:
    """One to six characters."""
    return Word(phrase(rng, split, choose(rng, ("tokens", "tokens", "letters", "scale"))))


def mixed(rng: np.random.Generator, split: str, share: float = 0.45) -> Word:
    """A private text with probability ``share``, else a harmless one; at times in small letters or capitals."""
    word = header(rng, split) if rng.random() < share else machine(rng, split)
    turn = rng.random()
    if turn < 0.06:
        return Word(word.text.lower(), word.type)
    return Word(word.text.upper(), word.type) if turn < 0.14 else word

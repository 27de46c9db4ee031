"""Names, places and words of one split: which split a word belongs to is decided by its hash."""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import islice
from typing import Any

from deidra.app.detect.wordlist import WordList
from deidra.app.synth.scenes.words import latin, phrases, share, split_of

_LISTED = {"first_names": 4, "surnames": 5}
"""Of the long lists every n-th name is used."""
_FOREIGN = ("ru_RU", "el_GR", "uk_UA", "ja_JP", "zh_CN", "ko_KR", "he_IL", "ar_SA", "bg_BG", "th_TH")
_FAMILY_FIRST = ("ja_JP", "zh_CN", "ko_KR")
_ROMANIZED = {"ja_romanized": "ja_JP", "zh_romanized": "zh_TW"}
_MOST_CITIES = 900


@dataclass(frozen=True, slots=True)
class Locale:
    """How one locale writes (formats.toml)."""

    name: str
    weight: int
    address: tuple[str, ...]
    zip: tuple[str, ...]
    phone: tuple[str, ...]
    language: str
    streets: str


@dataclass(frozen=True, slots=True)
class Names:
    """Given names and family names of one locale."""

    female: tuple[str, ...]
    male: tuple[str, ...]
    family: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """What the texts of one split are made of; ``foreign`` are whole names in other scripts than Latin."""

    split: str
    locales: tuple[Locale, ...]
    names: dict[str, Names]
    cities: dict[str, tuple[str, ...]]
    rare_given: tuple[str, ...]
    rare_family: tuple[str, ...]
    word_families: tuple[str, ...]
    foreign: tuple[tuple[str, str, bool], ...]
    values: dict[str, tuple[str, ...]]
    words: dict[str, tuple[str, ...]]


def read_toml(name: str) -> dict[str, Any]:
    """A data file of this package."""
    return tomllib.loads((resources.files(__package__) / f"{name}.toml").read_text(encoding="utf-8"))


def split_of_value(value: str) -> str:
    """The split of a name, place or word; spellings with and without accents or capitals are in the same."""
    return split_of(latin(value).strip() or value)


def _own(values: Iterable[str], split: str) -> tuple[str, ...]:
    return tuple(sorted({value for value in values if split_of_value(value) == split}))


def _provider(kind: str, locale: str) -> Any:
    return importlib.import_module(f"faker.providers.{kind}.{locale}").Provider


def _given(locale: str, sex: str) -> list[str]:
    names = _provider("person", locale)
    return list(getattr(names, f"first_names_{sex}", ()) or getattr(names, "first_names", ()))


def _family(locale: str) -> list[str]:
    names = _provider("person", locale)
    found = list(getattr(names, "last_names", ())) + list(getattr(names, "last_names_male", ()))
    return [name for name in found if len(name) > 1]


def _names(locale: str, split: str) -> Names:
    if locale in _ROMANIZED:
        names = _provider("person", _ROMANIZED[locale])
        given = [name.title() for name in names.first_romanized_names]
        return Names(
            _own(given, split), _own(given, split), _own((n.title() for n in names.last_romanized_names), split)
        )
    return Names(
        _own(_given(locale, "female"), split), _own(_given(locale, "male"), split), _own(_family(locale), split)
    )


def _whole_foreign(split: str) -> tuple[tuple[str, str, bool], ...]:
    """Family name, given name, and whether the family name comes first."""
    pairs = []
    for locale in _FOREIGN:
        family = _own(_family(locale), split)
        given = _own(_given(locale, "female") + _given(locale, "male"), split)
        if family and given:
            pairs += [(family[n % len(family)], given[n * 7 % len(given)], locale in _FAMILY_FIRST) for n in range(60)]
    return tuple(pairs)


def _jobs(split: str) -> tuple[str, ...]:
    """Names of jobs, each with its field before it ("civil engineer")."""
    jobs = [job.split(" (")[0].lower().split(", ") for job in _provider("job", "en_US").jobs]
    return _own((" ".join(reversed(parts)) for parts in jobs if "/" not in parts[-1]), split)


def _cities(places: str, listed: dict[str, list[str]], split: str) -> tuple[str, ...]:
    found: list[str] = []
    for place in places.split():
        cities = listed.get(f"cities_{place}") or list(_provider("address", place).cities)
        found += sorted(set(cities))[:: max(1, len(cities) // _MOST_CITIES)]  # Faker keeps some as sets
    return _own(found, split)


def _rare(name: str, split: str) -> tuple[str, ...]:
    words = WordList((resources.files("deidra.app.detect") / "data" / f"{name}.words").read_bytes())
    step = _LISTED[name]
    return _own((word.title() for word in islice(words, 0, None, step) if 3 < len(word) < 14), split)


def _eponyms(split: str) -> tuple[str, ...]:
    """The eponyms that the rules know."""
    text = (resources.files("deidra.app.detect") / "data" / "eponyms.txt").read_text(encoding="utf-8")
    entries = [entry for line in text.splitlines() if line and line[0] != "#" for entry in line.split("|")]
    return tuple(sorted({entry for entry in entries if split_of_value(entry.split()[0]) == split}))


def _words(split: str) -> dict[str, tuple[str, ...]]:
    data = read_toml("words")
    words = {kind: share(entries, split) for kind, entries in data["whole"].items()}
    for kind, entries in data["by_first_word"].items():
        words[kind] = tuple(entry for entry in entries if split_of_value(entry.split()[0]) == split)
    words["eponyms"] = tuple(dict.fromkeys(words["eponyms"] + _eponyms(split)))
    drawn = phrases(split)
    for kind in ("values", "menu", "tables", "tokens", "units"):
        words[kind] = tuple(entry for entry in drawn[kind] if "{date}" not in entry)
    return words


@lru_cache(maxsize=3)
def pool(split: str) -> Pool:
    """The pool of ``split``; always the same."""
    formats, data = read_toml("formats"), read_toml("values")
    listed = {kind: entries for kind, entries in data["parted"].items() if kind.startswith("cities_")}
    values = {kind: share(entries, split) for kind, entries in data["parted"].items() if kind not in listed}
    values.pop("word_families")
    word_families = _own(data["parted"]["word_families"], split)
    if split == "train":
        others = {*data["parted"]["jobs"]} - {*values["jobs"]}
        values["jobs"] = tuple(sorted({*values["jobs"], *_jobs(split)} - others))
    values |= {kind: tuple(entries) for kind, entries in data["shared"].items()}
    locales, names, cities = [], {}, {}
    for name, form in formats.items():
        own = [_names(locale, split) for locale in form["names"]]
        names[name] = Names(*(tuple(sorted({n for part in own for n in getattr(part, kind)})) for kind in _KINDS))
        cities[name] = _cities(form["cities"], listed, split)
        address, codes, phone = (tuple(form[key]) for key in ("address", "zip", "phone"))
        locales.append(Locale(name, form["weight"], address, codes, phone, form["language"], form["streets"]))
    return Pool(
        split, tuple(locales), names, cities, _rare("first_names", split), _rare("surnames", split),
        word_families, _whole_foreign(split), values, _words(split),
    )  # fmt: skip


_KINDS = ("female", "male", "family")

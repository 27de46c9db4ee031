"""The state of one sample while it is made: chance, pool, locale, and the patient whom it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from random import Random
from typing import TypeVar

from deidra.app.synth.texts.pools import Locale, Pool

T = TypeVar("T")

_TODAY = date(2027, 1, 1)
_RARE = 0.3
_IMMIGRANT = 0.2
_MIDDLE = 0.25
_DOUBLE = 0.06
_WORD_NAMES = 0.06
_SUFFIXES = ("Jr.", "Jr", "III", "II", "Sr.")


@dataclass(frozen=True, slots=True)
class Name:
    """A person's name; ``foreign`` is the name in another script, with a blank between its parts."""

    given: str
    middle: str
    family: str
    suffix: str
    female: bool
    foreign: str


@dataclass
class Draw:
    """What the makers of values draw from; ``health`` tells whether diagnoses are marked."""

    rng: Random
    pool: Pool
    health: bool = False
    locale: Locale = field(init=False)

    def __post_init__(self) -> None:
        weights = [locale.weight for locale in self.pool.locales]
        self.locale = self.rng.choices(self.pool.locales, weights)[0]

    def one(self, entries: Sequence[T]) -> T:
        """One of ``entries``."""
        return entries[int(self.rng.random() * len(entries))]

    def chance(self, share: float) -> bool:
        """True with probability ``share``."""
        return self.rng.random() < share

    def digits(self, pattern: str) -> str:
        """``pattern`` with "#" as a digit, "~" as a digit other than 0, "@" as a capital letter."""
        if not ("#" in pattern or "~" in pattern or "@" in pattern):
            return pattern
        rng = self.rng.random
        return "".join(
            str(int(rng() * 10))
            if letter == "#"
            else str(1 + int(rng() * 9))
            if letter == "~"
            else chr(65 + int(rng() * 26))
            if letter == "@"
            else letter
            for letter in pattern
        )

    def value(self, kind: str) -> str:
        """An entry of values.toml."""
        return self.digits(self.one(self.pool.values[kind]))

    def word(self, kind: str) -> str:
        """An entry of words.toml."""
        return self.digits(self.one(self.pool.words[kind]))

    def city(self) -> str:
        """A town of the locale."""
        return self.one(self.pool.cities[self.locale.name])

    def family(self, words: bool = True) -> str:
        """A family name; one that is also a word only if ``words`` is True."""
        if words and self.chance(_WORD_NAMES):
            return self.one(self.pool.word_families)
        if self.locale.language == "en" and self.chance(_RARE):
            return self.one(self.pool.rare_family)
        return self.one(self.pool.names[self._origin()].family)

    def bare_family(self) -> str:
        """A family name that can stand without anything that tells it from a word."""
        while (name := self.family(words=False)) in self.pool.word_families:
            pass
        return name

    def name(self, family: str = "") -> Name:
        """A new person's name, at times with a given ``family`` name."""
        female = self.chance(0.5)
        names = self.pool.names[self._origin()]
        rare = self.locale.language == "en" and self.chance(_RARE)
        given = self.one(self.pool.rare_given if rare else names.female if female else names.male)
        middle = self.one(names.female if female else names.male) if self.chance(_MIDDLE) else ""
        family = family or self.family()
        if self.chance(_DOUBLE):
            family = f"{family}{self.one(('-', '-', ' '))}{self.family()}"
        suffix = self.one(_SUFFIXES) if not female and self.chance(0.05) else ""
        foreign = ""
        if self.chance(0.03):
            last, first, family_first = self.one(self.pool.foreign)
            foreign = f"{last} {first}" if family_first else f"{first} {last}"
        return Name(given, middle, family, suffix, female, foreign)

    def _origin(self) -> str:
        return self.one(self.pool.locales).name if self.chance(_IMMIGRANT) else self.locale.name

    @cached_property
    def birthday(self) -> date:
        """The patient's date of birth."""
        return _TODAY - timedelta(days=int(self.rng.random() * 101 * 365) + 20)

    @cached_property
    def patient(self) -> Name:
        """The patient of this sample."""
        return self.name()

"""Known identifiers: values read from the project's headers, looked for in any other text.

What is found is certain in a way that no rule can be: the header says that this is the patient's
name. Names are compared fuzzily (Levenshtein, paper 003 section 2.1.1), but a name that is also a
harmless word ("Big", "May", "Hill") counts only together with another part of the same name, so
that a patient called Big does not change the model "Big Bore".
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from datetime import date

from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from deidra.app.detect.dates import written_dates
from deidra.app.detect.gazetteer import is_safe, plain
from deidra.app.detect.spans import Span
from deidra.app.domain.model import Identifier
from deidra.app.domain.taxonomy import EntityType

AGENT = "known-identifier"
_NAMES = (EntityType.PATIENT, EntityType.STAFF)
_DATES = (EntityType.DATE_BIRTH, EntityType.DATE_OTHER)
_IDS = (EntityType.ID_MRN, EntityType.ID_OTHER, EntityType.ID_SSN, EntityType.OTHERPHI)
_PHONES = (EntityType.PHONE_HOME, EntityType.PHONE_OTHER)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_CODE = re.compile(r"[^\W_]+(?:[-/.][^\W_]+)*")
_LOOKALIKES = str.maketrans({"o": "0", "i": "1", "l": "1", "|": "1", "s": "5", "b": "8", "z": "2", "q": "0"})
"""Characters that readers take for one another; both sides of a comparison are folded."""
_LEAST_ID = 4
_FIRST_CJK = 0x2E80
"""Scripts from here on write words without blanks between them."""
_LEAST_PHRASE = 8
_LONG_WORD = re.compile(r"[^\W_]{4,}")
_MOST_ALIKE = 200
"""A word that stands in more known phrases than this ("hospital") tells none of them from another."""


def _folded(text: str) -> str:
    return "".join(c for c in plain(text) if c.isalnum()).translate(_LOOKALIKES)


def name_parts(name: str) -> list[str]:
    """The words of a person name, comparable: ``Müller^Jo Ann`` gives ``muller``, ``jo``, ``ann``."""
    return [plain(word) for word in re.findall(r"[^\W\d_]+", name)]


class KnownIdentifiers:
    """Looks for the identifiers of a project in texts.

    Args:
        identifiers: those of all patients; texts of one patient's files match all of them, since a
            wrong name in a picture is a real person's name all the same.
    """

    def __init__(self, identifiers: Iterable[Identifier]) -> None:
        self._people: dict[str, set[tuple[EntityType, str]]] = {}
        self._days: dict[date, Identifier] = {}
        self._codes: dict[str, Identifier] = {}
        self._phones: dict[str, Identifier] = {}
        self._phrases: dict[str, Identifier] = {}
        self._phrases_with: dict[str, list[str]] = {}
        self._sources: dict[str, str] = {}
        self._joined: dict[str, tuple[EntityType, str]] = {}
        for item in identifiers:
            self._add(item)
        self._parts = sorted(part for part in self._people if len(part) >= 4)
        self._closest = functools.lru_cache(maxsize=200_000)(self._find_closest)

    def _add(self, item: Identifier) -> None:
        if item.type in _NAMES:
            self._add_name(item)
        elif item.type in _DATES:
            for found in written_dates(item.value):
                for day in found.days:
                    self._days.setdefault(day, item)
        elif item.type in _PHONES:
            digits = re.sub(r"\D", "", item.value)
            if len(digits) >= 7:
                self._phones[digits[-10:]] = item
        elif item.type in _IDS:
            folded = _folded(item.value)
            if len(folded) >= _LEAST_ID and not is_safe(item.value):
                self._codes.setdefault(folded, item)
        elif len(plain(item.value)) >= _LEAST_PHRASE:
            self._add_phrase(item)

    def _add_phrase(self, item: Identifier) -> None:
        phrase = plain(re.sub(r"[\^\s]+", " ", item.value))
        if phrase not in self._phrases:
            self._phrases[phrase] = item
            for word in set(_LONG_WORD.findall(phrase)):
                self._phrases_with.setdefault(word, []).append(phrase)

    def _add_name(self, item: Identifier) -> None:
        for part in name_parts(item.value):
            if len(part) >= 2 or not part.isascii():
                self._people.setdefault(part, set()).add((item.type, item.value))
        self._sources.setdefault(item.value, item.source)
        words = [word for word in re.findall(r"[^\W\d_]+", item.value) if ord(min(word)) >= _FIRST_CJK]
        for name in {"".join(words), *words}:
            if len(name) >= 2:
                self._joined[name] = (item.type, item.source)

    def spans(self, text: str) -> Iterator[Span]:
        """Every part of ``text`` that is a known identifier."""
        yield from self._name_spans(text)
        yield from self._joined_name_spans(text)
        yield from self._date_spans(text)
        yield from self._code_spans(text)
        yield from self._phone_spans(text)
        yield from self._phrase_spans(text)

    def _name_spans(self, text: str) -> Iterator[Span]:
        hits: list[tuple[re.Match[str], str, float]] = []
        for match in _WORD.finditer(text):
            part, likeness = self._closest(plain(match.group()))
            if part:
                hits.append((match, part, likeness))
        for match, part, likeness in hits:
            owners = self._people[part]
            company = any(
                other is not match and other_part != part and owners & self._people[other_part]
                for other, other_part, _ in hits
            )
            if not self._counts(text, match.group(), part, likeness, company):
                continue
            kind, name = min(owners)
            score = round(min(0.99, 0.9 + 0.09 * likeness if company else 0.97 * likeness), 3)
            detail = f"like a name in {self._sources[name]}" if likeness < 1 else f"a name in {self._sources[name]}"
            yield Span(match.start(), match.end(), kind, score, AGENT, detail)

    def _joined_name_spans(self, text: str) -> Iterator[Span]:
        """Names in scripts that put no blank between words: any place in the text counts."""
        if text.isascii():
            return
        for name, (kind, source) in self._joined.items():
            start = text.find(name)
            while start >= 0:
                yield Span(start, start + len(name), kind, 0.97, AGENT, f"a name in {source}")
                start = text.find(name, start + len(name))

    @staticmethod
    def _counts(text: str, word: str, part: str, likeness: float, company: bool) -> bool:
        """Whether a likeness is one: short and harmless words need another part of the same name."""
        if company:
            return True
        if is_safe(word) or (len(part) < 4 and part.isascii()):
            return False
        # A lower-case word in running text is a word, not a name, unless it is the name exactly.
        return likeness == 1 or word[:1].isupper()

    def _find_closest(self, word: str) -> tuple[str, float]:
        """The known name part that is most like ``word``, with the likeness; an empty one when none is."""
        if word in self._people:
            return word, 1.0
        if len(word) < 3 or any(c.isdigit() for c in word) or is_safe(word):
            return "", 0.0
        # One error in four to seven letters, two in more.
        cutoff = 0.74 if len(word) < 8 else 0.8
        best = process.extractOne(word, self._parts, scorer=Levenshtein.normalized_similarity, score_cutoff=cutoff)
        return (best[0], round(best[1], 3)) if best else ("", 0.0)

    def _date_spans(self, text: str) -> Iterator[Span]:
        if not self._days:
            return
        for found in written_dates(text):
            for day in sorted(found.days & self._days.keys()):
                item = self._days[day]
                yield Span(found.start, found.end, item.type, 0.98, AGENT, f"the date in {item.source}")
                break

    def _code_spans(self, text: str) -> Iterator[Span]:
        if not self._codes:
            return
        for pattern in (_CODE, _WORD):
            for match in pattern.finditer(text):
                folded = _folded(match.group())
                item = self._codes.get(folded) if len(folded) >= _LEAST_ID else None
                if item is not None and not (is_safe(match.group()) and match.group().isalpha()):
                    yield Span(match.start(), match.end(), item.type, 0.98, AGENT, f"the value of {item.source}")

    def _phone_spans(self, text: str) -> Iterator[Span]:
        if not self._phones:
            return
        for match in re.finditer(r"[+(]?\d[\d\s().\-]{5,}\d", text):
            item = self._phones.get(re.sub(r"\D", "", match.group())[-10:])
            if item is not None:
                yield Span(match.start(), match.end(), item.type, 0.98, AGENT, f"the number in {item.source}")

    def _phrase_spans(self, text: str) -> Iterator[Span]:
        flat = plain(text)
        if len(flat) < _LEAST_PHRASE or len(flat) != len(text):
            return
        # Readers lose blanks, so letters and digits are compared without them, and mapped back.
        places = [i for i, char in enumerate(flat) if char.isalnum()]
        compact = "".join(flat[i] for i in places)
        exact = set()
        for phrase, item in self._phrases.items():
            start = compact.find(letters := _compact(phrase))
            if start >= 0:
                exact.add(phrase)
                end = places[start + len(letters) - 1] + 1
                yield Span(places[start], end, item.type, 0.97, AGENT, f"the value of {item.source}")
        for phrase in sorted(self._alike(flat) - exact):
            found = fuzz.partial_ratio_alignment(phrase, flat, score_cutoff=88)
            if found and found.dest_end - found.dest_start >= 0.8 * len(phrase):
                item = self._phrases[phrase]
                score = round(0.95 * found.score / 100, 3)
                yield Span(
                    found.dest_start, found.dest_end, item.type, score, AGENT, f"like the value of {item.source}"
                )

    def _alike(self, flat: str) -> set[str]:
        """Phrases that share a telling word with the text and are not much shorter: worth a fuzzy comparison."""
        found: set[str] = set()
        for word in set(_LONG_WORD.findall(flat)):
            phrases = self._phrases_with.get(word, [])
            if len(phrases) <= _MOST_ALIKE:
                found.update(phrase for phrase in phrases if len(flat) <= 2 * len(phrase))
        return found


@functools.lru_cache(maxsize=100_000)
def _compact(phrase: str) -> str:
    return "".join(char for char in phrase if char.isalnum())

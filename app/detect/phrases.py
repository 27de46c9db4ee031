"""Addresses and institutions of the project, found in text as phrases and by their distinctive words."""

from __future__ import annotations

import re
from collections.abc import Iterator

import ahocorasick
from rapidfuzz import fuzz

from deidra.app.detect.gazetteer import is_name, is_safe, plain
from deidra.app.detect.spans import KNOWN, Span, stands_apart
from deidra.app.detect.vocabulary import is_imaging_word
from deidra.app.domain.model import Identifier
from deidra.app.domain.taxonomy import EntityType

_LEAST_PHRASE = 8
_LEAST_COMPACT = 6
_LONG_WORD = re.compile(r"[^\W_]{4,}")
_LETTERS = re.compile(r"[^\W\d_]+")
_MOST_ALIKE = 40
"""A word that stands in more known phrases than this ("hospital") tells none of them from another."""
_ADDRESSES = (EntityType.LOCATION_HOME_ADDRESS, EntityType.LOCATION_ADDRESS)
_LEAST_PLACE = 5
_LEAST_TRUNCATED = 6
_TITLE = re.compile(r"AETitle|StationName")
_ENDING = re.compile(r"(?:CT|MR|MRI|MG|US|CR|DX|DR|PT|PET|NM|XA|RF|SR|OT|AE|SCU|SCP|AW|WS|PACS|STORE)+$", re.IGNORECASE)
"""What titles of application entities end with."""
_GENERIC = frozenset(
    " ".join(
        [
            "hospital hospitals clinic clinics center centre centers centres central general saint",
            "medical medicine health healthcare imaging institute institut institution radiology",
            "radiological radiologie university college school national regional memorial community",
            "county district federal state city town department diagnostic diagnostics associates group",
            "partners foundation research cancer oncology cardiology cardiac heart childrens children",
            "women womens mothers veterans military army naval trust services service systems system",
            "network practice physicians surgical surgery orthopedic orthopaedic neurology vascular",
            "breast screening mobile outpatient inpatient emergency north south east west northern",
            "southern eastern western street avenue road house tower building campus floor unit ward main",
            "private public holy sacred mount klinik kliniken klinikum krankenhaus praxis praxen zentrum",
            "medizin medizinisches radiologische universitat universitatsklinikum universitaetsklinikum",
            "gemeinschaftspraxis abteilung stadtisches sankt hopital hopitaux hospitalier universitaire",
            "clinique cabinet imagerie medicale polyclinique fondation ospedale azienda policlinico",
            "clinica istituto centro medico medica universita universitaria ospedaliera radiologia",
            "universitario universidad sanatorio fundacion instituto santa santo salud servicio",
            "diagnostico universidade szpital kliniczny centrum medyczne zaklad uniwersytecki sjukhus",
            "sjukhuset universitetssjukhus lasarettet ziekenhuis medisch kliniek hastanesi universitesi",
            "sykehus sygehus nemocnice korhaz storescp storescu findscu findscp movescu movescp anyscp",
            "anyscu echoscu qrscp dcmqr server servers client router gateway archive archives pacsmain",
            "mainpacs pacserver workstation console modality scanner station dicom dcmtk orthanc conquest",
            "osirix horos dcm4chee clearcanvas storage import export worklist broker advanced premier",
            "modern united american international global alliance family care plus first comprehensive",
            "specialty specialist specialists integrated academic teaching vision scan scans open digital",
            "portable fluoro angio cathlab xrayroom room suite local remote backup primary secondary",
            "default anonymous",
        ]
    ).split()
)
"""Words of institutions, and of titles of application entities, that tell none of them from another."""


def flattened(text: str) -> tuple[str, list[int]]:
    """``text`` in lower case without accents, and for each character the place in ``text`` that it came from."""
    if text.isascii():
        return text.lower(), list(range(len(text)))
    flat: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for new in plain(char):
            flat.append(new)
            places.append(place)
    return "".join(flat), places


class KnownPhrases:
    """Looks for phrases: addresses and names of institutions, blanks and small errors apart."""

    def __init__(self) -> None:
        self._phrases: dict[str, Identifier] = {}
        self._with: dict[str, list[str]] = {}
        self._automaton = ahocorasick.Automaton()
        self._made = True

    def add(self, item: Identifier) -> None:
        """Make a phrase known, and the parts of an address that hold a number."""
        self._add(item.value, item, whole=True)
        if item.type in _ADDRESSES:
            parts = re.split(r"[,;^\n\r\\]+", item.value)
            for part in parts if len(parts) > 1 else ():
                if any(c.isdigit() for c in part) and any(c.isalpha() for c in part):
                    self._add(part, item, whole=False)

    def _add(self, value: str, item: Identifier, whole: bool) -> None:
        phrase = plain(re.sub(r"[\^\s]+", " ", value)).strip(" ,;")
        compact = _compact(phrase)
        if len(phrase) < _LEAST_PHRASE or len(compact) < _LEAST_COMPACT or phrase in self._phrases:
            return
        self._phrases[phrase] = item
        if compact not in self._automaton:
            self._automaton.add_word(compact, (phrase, len(compact)))
            self._made = False
        if whole:
            for word in set(_LONG_WORD.findall(phrase)):
                self._with.setdefault(word, []).append(phrase)

    def spans(self, text: str) -> Iterator[Span]:
        """Every part of ``text`` that is a known phrase, or is much like one."""
        if not self._phrases or len(text) < _LEAST_COMPACT:
            return
        flat, places = flattened(text)
        # Readers lose blanks, so letters and digits are compared without them, and mapped back.
        kept = [n for n, char in enumerate(flat) if char.isalnum()]
        compact = "".join([flat[n] for n in kept])
        if not self._made:
            self._automaton.make_automaton()
            self._made = True
        taken: list[tuple[int, int]] = []
        for last, (phrase, length) in self._automaton.iter(compact):
            start, end = kept[last - length + 1], kept[last] + 1
            if _is_whole(flat, start, end, length):
                taken.append((start, end))
                item = self._phrases[phrase]
                yield Span(places[start], places[end - 1] + 1, item.type, 0.97, KNOWN, f"the value of {item.source}")
        yield from self._alike(flat, places, taken)

    def _alike(self, flat: str, places: list[int], taken: list[tuple[int, int]]) -> Iterator[Span]:
        """Phrases that share a telling word with the text and are written a little differently."""
        seen: set[tuple[str, int]] = set()
        for match in _LONG_WORD.finditer(flat):
            phrases = self._with.get(match.group(), ())
            if len(phrases) > _MOST_ALIKE or any(a <= match.start() < b for a, b in taken):
                continue
            for phrase in phrases:
                first = max(0, match.start() - phrase.index(match.group()) - 6)
                if (phrase, first) in seen:
                    continue
                seen.add((phrase, first))
                window = flat[first : first + len(phrase) + 14]
                found = fuzz.partial_ratio_alignment(phrase, window, score_cutoff=88)
                if not found or found.dest_end - found.dest_start < 0.8 * len(phrase):
                    continue
                start, end = _word_bounds(flat, first + found.dest_start, first + found.dest_end)
                item = self._phrases[phrase]
                score = round(0.95 * found.score / 100, 3)
                yield Span(
                    places[start], places[end - 1] + 1, item.type, score, KNOWN, f"like the value of {item.source}"
                )


def _compact(phrase: str) -> str:
    return "".join([char for char in phrase if char.isalnum()])


def _is_whole(flat: str, start: int, end: int, length: int) -> bool:
    """Whether a phrase does not start or end inside a number, or a short one inside a word."""
    for inside, outside in (
        (flat[start], flat[start - 1] if start else " "),
        (flat[end - 1], flat[end : end + 1] or " "),
    ):
        if inside.isdigit() and outside.isdigit():
            return False
        if length < 12 and inside.isalpha() and outside.isalpha():
            return False
    return True


def _word_bounds(flat: str, start: int, end: int) -> tuple[int, int]:
    """A match without blanks at its ends; one that ends inside a word takes the rest of a word it has most of."""
    while start < end and not flat[start].isalnum():
        start += 1
    while end > start and not flat[end - 1].isalnum():
        end -= 1
    rest = re.match(r"\w{0,2}(?!\w)", flat[end:])
    if rest and end > start and flat[end - 1].isalnum():
        end += len(rest.group())
    lead = re.search(r"(?<!\w)\w{0,2}$", flat[:start])
    if lead and start < end and flat[start].isalnum():
        start -= len(lead.group())
    return start, end


class KnownPlaces:
    """Looks for the distinctive words of institutions and of titles of application entities, truncated as well."""

    def __init__(self) -> None:
        self._words: dict[str, tuple[Identifier, bool]] = {}
        self._truncated: dict[str, str] = {}
        self._common: dict[str, Identifier] = {}
        self._leads: dict[str, Identifier] = {}

    def add(self, item: Identifier) -> None:
        """Make the words of an institution or title known."""
        title = bool(_TITLE.search(item.source))
        words = _LETTERS.findall(item.value)
        for word in words:
            key = plain(word)
            self._add_word(key, item, title)
            if title:
                self._add_word(_ENDING.sub("", key), item, title)
        if not title:
            self._add_lead(item, words)

    def _add_word(self, key: str, item: Identifier, title: bool) -> None:
        if len(key) < _LEAST_PLACE or key in _GENERIC or is_imaging_word(key):
            return
        if is_safe(key):
            if not title:
                self._common.setdefault(key, item)
            return
        if key not in self._words or (self._words[key][1] and not title):
            self._words[key] = (item, title)
            for size in range(_LEAST_TRUNCATED, 0 if title else len(key)):
                self._truncated[key[:size]] = key

    def _add_lead(self, item: Identifier, words: list[str]) -> None:
        """The words before "Hospital" are its short name ("Cedar Grove"), if one of them can be a name."""
        lead: list[str] = []
        for word in words:
            if plain(word) in _GENERIC and lead:
                break
            lead.append(word)
        key = " ".join(plain(word) for word in lead)
        telling = any(is_name(word) and not is_imaging_word(word) for word in lead)
        if 2 <= len(lead) < len(words) and len(key) >= _LEAST_PHRASE and telling:
            self._leads.setdefault(key, item)

    def spans(self, text: str, title: bool = False) -> Iterator[Span]:
        """Every part of ``text`` that is such a word.

        Args:
            text: one line or value.
            title: the text is the title of an application entity or the name of a station, where the words stand
                glued to others, and where words of titles say nothing new.
        """
        if not self._words and not self._common:
            return
        if title:
            yield from self._glued(text)
            return
        words = list(_LETTERS.finditer(text))
        keys = [plain(match.group()) for match in words]
        for number, (match, key) in enumerate(zip(words, keys, strict=True)):
            yield from self._word(match, key)
            for size in (2, 3) if self._leads else ():
                item = self._leads.get(" ".join(keys[number : number + size]))
                if item is not None and number + size <= len(words):
                    end = words[number + size - 1].end()
                    if re.fullmatch(r"[^\W_]+(?:[\s_.\-]{1,2}[^\W_]+)*", text[match.start() : end]):
                        yield Span(match.start(), end, item.type, 0.95, KNOWN, f"words of {item.source}")

    def _word(self, match: re.Match[str], key: str) -> Iterator[Span]:
        known = self._words.get(key)
        if known is not None:
            item, title = known
            score = 0.93 if title else 0.97
            yield Span(match.start(), match.end(), EntityType.HOSPITAL, score, KNOWN, f"a word of {item.source}")
        elif key in self._common and match.group()[0].isupper() and stands_apart(match.string, *match.span()):
            item = self._common[key]
            detail = f"a word of {item.source} that stands apart"
            yield Span(match.start(), match.end(), EntityType.HOSPITAL, 0.55, KNOWN, detail)
        elif key in self._truncated and not is_safe(match.group()):
            item, title = self._words[self._truncated[key]]
            if not title:
                detail = f"the beginning of a word of {item.source}"
                yield Span(match.start(), match.end(), EntityType.HOSPITAL, 0.92, KNOWN, detail)

    def _glued(self, text: str) -> Iterator[Span]:
        for match in _LETTERS.finditer(text):
            key = plain(match.group())
            if len(key) != len(match.group()):
                continue
            start = 0
            while start < len(key):
                size, item = self._glued_at(key, start)
                if item is not None:
                    place, detail = match.start() + start, f"a word of {item.source}"
                    yield Span(place, place + size, EntityType.HOSPITAL, 0.95, KNOWN, detail)
                start += size or 1

    def _glued_at(self, key: str, start: int) -> tuple[int, Identifier | None]:
        """Letters from ``start`` that are a distinctive word of an institution, or the beginning of one."""
        for end in range(len(key), start + _LEAST_PLACE - 1, -1):
            part = key[start:end]
            known = self._words.get(self._truncated.get(part, part))
            if known is not None and not known[1]:
                return end - start, known[0]
            if start == 0 and end - start >= _LEAST_TRUNCATED and part in self._common:
                return end - start, self._common[part]
        return 0, None

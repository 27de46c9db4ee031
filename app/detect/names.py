"""Names of the project's people, found in text however they are written.

A name is found whole or in parts, in any order and case, glued (``SmithJohn``), with initials (``J. Smith``), with a
genitive, truncated, or misread. A part that is also a harmless word ("May", "Hill") is certain only beside another part
of the same name, and doubtful with a capital elsewhere; vocabulary of imaging counts only in such company, so that a
patient called Big does not change the model "Big Bore". Listed eponyms ("Cooper ligaments") are nobody's name.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from deidra.app.detect.gazetteer import is_given_name, is_name, is_safe, plain
from deidra.app.detect.spans import KNOWN, Span, stands_apart
from deidra.app.detect.variants import in_latin, initials_of, other_genders, short_forms
from deidra.app.detect.vocabulary import (
    PARTICLES,
    eponym_ranges,
    is_addressed,
    is_eponym,
    is_eponym_at,
    is_imaging_word,
    word_key,
)
from deidra.app.domain.model import Identifier
from deidra.app.domain.taxonomy import EntityType

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_NAME_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_CAMEL = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]")
_GENITIVE = re.compile(r"['’]s?$", re.IGNORECASE)
_GAP = re.compile(r"[\s,^.=_/\-]{0,3}")
_STRONG_GAP = re.compile(r"[\s]*[,^.=_][\s^]*")
_PREFIXES = frozenset({"mc", "mac", "o", "d", "l", "fitz"})
_PREFIX_GAPS = (" ", "'", "’", "' ", "’ ", ". ")
_TITLES = frozenset(
    {"dr", "prof", "mr", "mrs", "ms", "md", "phd", "jr", "sr", "ii", "iii", "iv", "msc", "frcr", "mbbs", "dipl"}
)
_LATERAL = frozenset("lraps")
"""Initials that are sides of the body as well."""
_MISREAD = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_LOOKALIKES = str.maketrans({"0": "o", "1": "i", "l": "i", "|": "i", "5": "s", "8": "b", "2": "z", "9": "g"})
_FIRST_CJK = 0x2E80
"""Scripts from here on write words without blanks between them."""
_MONTHS = frozenset(
    " ".join(["jan feb mar apr may jun jul aug sep oct nov dec april june july august sept mai mars avril"]).split()
)
_NUMBER_BESIDE = (re.compile(r"\d(?:st|nd|rd|th|\.)?[\s\-/.]?$"), re.compile(r"[\s\-/.,]{0,2}\d"))
_AUXILIARY = re.compile(r"\s+(?:be|have|not|also|need|require|cause|represent|indicate)\b")
"""What shows that "May" is the verb."""
_OF_PERSON = re.compile(r"(?<!\w)(?:dr|prof|mr|mrs|ms|miss|herr|frau|mme|patient|pt|name|tech)[.:]?\s*$", re.I)
_NEXT_WORD = re.compile(r"[\s\-/,]{0,2}([^\W\d_]+)")
SEX_AND_AGE = re.compile(
    r"[\s,]+(?:[MFO]\s?/?\s?\d{2,3}Y?|[MFO],\s?\d{2,3}Y|\d{2,3}Y?\s?/\s?[MFO]|\d{2,3}\s?Y[\s,]*[MFO])(?![\w.])"
)
"""Sex and age of a person, as they follow a name."""
WORD_SCORE = 0.5
"""Score of a known name that is an ordinary word, among other words."""
_LONE_LETTERS = 4
_LONE_LIKE_LETTERS = 6
"""A word of fewer letters is like too many names to count alone."""
_TWO_ERRORS_LETTERS = 9
_DOTTED = re.compile(r"(?<![\w.])(?:[^\W\d_a-z]\.[ -]?){1,4}[^\W\d_a-z]\.(?!\w)")
_INITIALS_SCORE, _TWO_INITIALS_SCORE = 0.6, 0.35
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Å": "Aa"})


@dataclass(frozen=True, slots=True)
class _Name:
    """A person's name: words that count, those of the family name, initials of the others; the header element."""

    kind: EntityType
    source: str
    parts: frozenset[str]
    family: frozenset[str]
    initials: frozenset[str]


@dataclass(slots=True)
class _Token:
    """A word of a text.

    ``part`` is the known part that it is or is like; with ``company`` another part of that name stands beside it.
    """

    start: int
    end: int
    word: str
    key: str
    part: str = ""
    likeness: float = 0.0
    company: bool = False
    owner: int = -1


def name_parts(name: str) -> list[str]:
    """The words of a person name, comparable: ``Müller^Jo Ann`` gives ``muller``, ``jo``, ``ann``."""
    return [plain(word) for word in re.findall(r"[^\W\d_]+", name)]


class KnownNames:
    """Looks for names of people in texts."""

    def __init__(self) -> None:
        self._names: list[_Name] = []
        self._owners: dict[str, set[int]] = {}
        self._initials: dict[str, int] = {}
        self._called: set[str] = set()
        self._indexed: set[str] = set()
        self._glued: dict[str, tuple[int, float]] = {}
        self._folded: dict[str, str] = {}
        self._ends: dict[str, list[str]] = {}
        self._joined: dict[str, dict[str, tuple[EntityType, str]]] = {}
        self._seen: set[tuple[EntityType, str]] = set()
        self._match = functools.lru_cache(maxsize=100_000)(self._find_match)
        self._shared = functools.lru_cache(maxsize=100_000)(self._find_shared)
        self._beside = functools.lru_cache(maxsize=100_000)(self._find_beside)

    def add(self, item: Identifier) -> None:
        """Make a name known."""
        if (item.type, item.value) in self._seen:
            return
        self._seen.add((item.type, item.value))
        family, given = _components(item.value)
        parts = {key for word in (*family, *given) for key in _keys_of(word)}
        latin = in_latin(family)
        written = other_genders([*map(word_key, family), *latin]) | {*latin}
        parts |= {*written, *in_latin(given)}
        parts = {part for part in parts if len(part) >= 2 or not part.isascii()}
        # What somebody is called counts beside another part of the name only: there are many Bobs.
        called = short_forms([*map(word_key, given), *in_latin(given)]) - parts
        self._called -= parts
        self._called |= called - self._owners.keys()
        if parts:
            number = len(self._names)
            families = frozenset(key for word in family for key in _keys_of(word)) | written
            initials = frozenset(key[0] for key in map(word_key, given) if key)
            self._names.append(_Name(item.type, item.source, frozenset(parts | called), families, initials))
            for form in called:
                self._owners.setdefault(form, set()).add(number)
            for part in parts:
                if part not in self._indexed:
                    self._index(part)
                self._owners.setdefault(part, set()).add(number)
            self._glue(number, family, given)
            for letters in initials_of([*map(word_key, family)], [*map(word_key, given)]):
                self._initials.setdefault(letters, number)
        words = [word for word in re.findall(r"[^\W\d_]+", item.value) if ord(min(word)) >= _FIRST_CJK]
        for name in {"".join(words), *words}:
            if len(name) >= 2:
                self._joined.setdefault(name[:2], {})[name] = (item.type, item.source)

    def _index(self, part: str) -> None:
        self._indexed.add(part)
        if len(part) >= 5:
            self._folded.setdefault(_folded(part), part)
        if len(part) >= _LONE_LIKE_LETTERS - 1:
            for end in {part[:2] + "-", "-" + part[-2:]}:
                self._ends.setdefault(end, []).append(part)

    def _glue(self, number: int, family: list[str], given: list[str]) -> None:
        last = "".join(word_key(word) for word in family)
        first = word_key(given[0]) if given else ""
        if len(family) > 1 and len(last) >= _LONE_LETTERS:
            self._glued.setdefault(last, (number, 1.0))
        if len(last) >= 3 and len(first) >= 2:
            for whole in (last + first, first + last):
                self._glued.setdefault(whole, (number, 1.0))
        if len(last) >= _LONE_LETTERS and first:
            for whole in (last + first[0], first[0] + last):
                self._glued.setdefault(whole, (number, 0.95))

    def spans(self, text: str) -> Iterator[Span]:
        """Every part of ``text`` that is a known name."""
        if self._names:
            yield from self._word_spans(text)
            yield from self._dotted_spans(text)
        if self._joined and not text.isascii():
            yield from self._joined_spans(text)

    def _dotted_spans(self, text: str) -> Iterator[Span]:
        """Initials with their dots, about which a curator is asked: many people share them."""
        for match in _DOTTED.finditer(text) if "." in text else ():
            letters = re.sub(r"[^a-z]", "", plain(match.group()))
            if (number := self._initials.get(letters)) is not None:
                name = self._names[number]
                score = _INITIALS_SCORE if len(letters) > 2 else _TWO_INITIALS_SCORE
                yield Span(match.start(), match.end(), name.kind, score, KNOWN, f"initials of a name in {name.source}")

    def _joined_spans(self, text: str) -> Iterator[Span]:
        """Names in scripts that put no blank between words: any place in the text counts."""
        for start in range(len(text) - 1):
            for name, (kind, source) in self._joined.get(text[start : start + 2], {}).items():
                if text.startswith(name, start):
                    yield Span(start, start + len(name), kind, 0.97, KNOWN, f"a name in {source}")

    def _word_spans(self, text: str) -> Iterator[Span]:
        tokens = self._united(text, list(self._tokens(text)))
        if not any(token.part or token.company for token in tokens):
            return
        self._find_company(text, tokens)
        eponyms: list[tuple[int, int]] | None = None
        for token in tokens:
            if token.company:
                yield self._span(token, min(0.99, 0.9 + 0.09 * token.likeness))
            elif token.part:
                score = self._lone_score(text, token)
                if not score:
                    continue
                eponyms = eponym_ranges(text) if eponyms is None else eponyms
                if any(a < token.end and token.start < b for a, b in eponyms):
                    continue
                if not is_eponym_at(text, token.start, token.end):
                    yield self._span(token, score)

    def _span(self, token: _Token, score: float) -> Span:
        name = self._names[token.owner if token.owner >= 0 else min(self._owners[token.part])]
        like = "a name in" if token.likeness == 1 else "like a name in"
        return Span(token.start, token.end, name.kind, round(score, 3), KNOWN, f"{like} {name.source}")

    # Words

    def _tokens(self, text: str) -> Iterator[_Token]:
        for match in _TOKEN.finditer(text):
            word = match.group()
            key, part, likeness, owner = self._match(word)
            if part or owner >= 0:
                word = _GENITIVE.sub("", word)
                yield _Token(match.start(), match.end(), word, key, part, likeness, owner >= 0, owner)
                continue
            pieces = self._pieces(word)
            if pieces:
                yield from self._piece_tokens(match.start(), pieces)
            else:
                yield _Token(match.start(), match.end(), word, key)

    def _united(self, text: str, tokens: list[_Token]) -> list[_Token]:
        """Words with ``Mc`` and ``O`` as one, where a blank parts them."""
        united: list[_Token] = []
        for token in tokens:
            before = united[-1] if united else None
            if before is not None and before.key in _PREFIXES and text[before.end : token.start] in _PREFIX_GAPS:
                key = before.key + token.key
                if key in self._owners:
                    united[-1] = _Token(before.start, token.end, before.word + token.word, key, key, 1.0)
                    continue
            united.append(token)
        return united

    def _piece_tokens(self, start: int, pieces: list[tuple[int, str]]) -> Iterator[_Token]:
        for place, piece in pieces:
            key = plain(piece)
            known = key in self._owners
            yield _Token(start + place, start + place + len(piece), piece, key, key if known else "", float(known))

    def _pieces(self, word: str) -> list[tuple[int, str]]:
        """Words glued by capitals or digits (``SmithJohn``, ``Smith01``), if one of them is a known part."""
        if word.isascii() and not (word.isalpha() and (word.islower() or word.isupper() or word.istitle())):
            pieces = [(m.start(), m.group()) for m in _CAMEL.finditer(word)]
        else:
            pieces = [(m.start(), m.group()) for m in re.finditer(r"[^\W\d_]+", word)]
        if len(pieces) == 1 and len(pieces[0][1]) == len(word):
            return []
        known = [p for _, p in pieces if plain(p) in self._indexed and len(p) >= _LONE_LETTERS and not is_safe(p)]
        return pieces if known else []

    def _find_match(self, word: str) -> tuple[str, str, float, int]:
        """Key, known part, likeness and (for glued names) the owner of a word; empty where it is none."""
        key = word_key(word)
        keys = [key] if not _GENITIVE.search(word) else [key, word_key(_GENITIVE.sub("", word))]
        for candidate in keys:
            if candidate in self._owners:
                return candidate, candidate, 1.0, -1
        for candidate in keys:
            glued = self._glued.get(candidate)
            if glued is not None and not is_safe(word) and len(candidate) >= 5:
                return candidate, "", glued[1], glued[0]
        part, likeness = self._misread(word, keys[-1])
        return (keys[-1] if part else key), part, likeness, -1

    def _misread(self, word: str, key: str) -> tuple[str, float]:
        """The part that a word is like when it stands alone."""
        if len(key) < 5 or is_safe(word):
            return "", 0.0
        digits = sum(c.isdigit() for c in key)
        if digits > 2 or digits > len(key) // 3:
            return "", 0.0
        part = self._folded.get(_folded(key))
        if part is not None and len(part) > 3 and (word[0].isupper() or digits):
            return part, 0.95
        if digits or len(key) < _LONE_LIKE_LETTERS or not word[0].isupper() or is_name(word) or _is_inflected(key):
            return "", 0.0
        # One error in six to eight letters, two in more.
        cutoff = 0.8 if len(key) < _TWO_ERRORS_LETTERS else 0.78
        near = {*self._ends.get(key[:2] + "-", ()), *self._ends.get("-" + key[-2:], ())}
        best = process.extractOne(key, near, scorer=Levenshtein.normalized_similarity, score_cutoff=cutoff)
        if best is None or is_imaging_word(best[0]):
            return "", 0.0
        return best[0], round(best[1], 3)

    # Company

    def _find_company(self, text: str, tokens: list[_Token]) -> None:
        """Mark words that stand beside another part of the same name, initials and particles between them with them."""
        for number, left in enumerate(tokens):
            for right, between in self._followers(text, tokens, number):
                owner = self._pair(text, left, right)
                if owner is None:
                    continue
                _join(owner, left, right, *(token for token in between if len(token.key) > 1))
                break
        self._take_initials(text, tokens)

    @staticmethod
    def _followers(text: str, tokens: list[_Token], number: int) -> Iterator[tuple[_Token, list[_Token]]]:
        """The next word, and the ones behind initials and particles."""
        between: list[_Token] = []
        end = tokens[number].end
        for token in tokens[number + 1 : number + 5]:
            if not _GAP.fullmatch(text[end : token.start]):
                return
            yield token, list(between)
            if len(token.key) > 1 and token.key not in PARTICLES:
                return
            between.append(token)
            end = token.end

    def _pair(self, text: str, left: _Token, right: _Token) -> int | None:
        """The number of a name to which both words belong."""
        if left.part and right.part:
            owner = self._shared(left.part, right.part)
            if owner is not None and self._is_plausible(text, left, right):
                return owner
        for anchor, other in ((left, right), (right, left)):
            if anchor.part and not other.company:
                found = self._beside(anchor.part, other.key, is_safe(anchor.word))
                least = 0.75 if anchor.likeness >= 0.95 else 0.85
                if found and found[1] >= least and other.word[0].isupper() and not is_safe(other.word):
                    other.likeness = found[1]
                    return found[0]
        return None

    @staticmethod
    def _is_plausible(text: str, left: _Token, right: _Token) -> bool:
        """Two harmless or short words are a name only with capitals, and with enough letters or a comma between."""
        words = (left.word, right.word)
        if any(not is_safe(word) and len(word) >= 3 for word in words):
            return True
        if not all(word[0].isupper() or not word.isascii() for word in words):
            return False
        gap = text[left.end : right.start]
        return len(left.key) + len(right.key) >= 6 or bool(_STRONG_GAP.fullmatch(gap)) or min(map(len, words)) < 3

    def _find_shared(self, left: str, right: str) -> int | None:
        """A name with both parts; two particles, or one part twice, are none."""
        if left == right or (left in PARTICLES and right in PARTICLES):
            return None
        both = self._owners[left] & self._owners[right]
        return min(both) if both else None

    def _find_beside(self, part: str, key: str, harmless: bool) -> tuple[int, float] | None:
        """A name with ``part`` of which another part is misread or truncated as ``key``, and the likeness."""
        if len(key) < 3 or not key.isalpha() or part in PARTICLES:
            return None
        least = 0.75 if len(key) < 8 else 0.8
        best: tuple[int, float] | None = None
        for number in self._owners[part]:
            for other in self._names[number].parts - {part} - PARTICLES:
                if len(other) < 3 or (abs(len(other) - len(key)) > 2 and not other.startswith(key)):
                    continue
                if other.startswith(key) and not harmless:
                    likeness = 0.9
                elif harmless and len(key) < 4:
                    continue
                else:
                    likeness = Levenshtein.normalized_similarity(other, key, score_cutoff=least)
                if likeness and (best is None or likeness > best[1]):
                    best = number, round(likeness, 3)
        return best

    def _take_initials(self, text: str, tokens: list[_Token]) -> None:
        """Initials and particles beside a counted part are parts of the name; a comma and an initial make company."""
        for number, token in enumerate(tokens):
            if not token.part:
                continue
            for place in range(number + 1, min(len(tokens), number + 4)):
                if not self._take(text, tokens[place - 1], tokens[place], token):
                    break
            for place in range(number - 1, max(-1, number - 4), -1):
                if not self._take(text, tokens[place + 1], tokens[place], token):
                    break

    def _take(self, text: str, beside: _Token, other: _Token, token: _Token) -> bool:
        """Whether ``other``, next to ``beside``, is an initial or particle of the name of ``token`` now."""
        first, second = (beside, other) if beside.start < other.start else (other, beside)
        gap = text[first.end : second.start]
        if other.company or not _GAP.fullmatch(gap):
            return False
        if len(other.key) == 1 and other.word.isalpha() and not other.part:
            self._take_initial(text, token, other, gap)
        elif other.part and other.key in PARTICLES:
            owner = token.owner if token.owner >= 0 else self._shared(token.part, other.part)
            if owner is None or other.key not in self._names[owner].parts:
                return False
            if token.company or (other is first and token.part in self._names[owner].family):
                _join(owner, token, other)
        return other.company

    def _take_initial(self, text: str, token: _Token, other: _Token, gap: str) -> None:
        dotted = text[other.end : other.end + 1] == "."
        if not other.word.isupper() or len(gap) > 2 or text[max(0, other.start - 1) : other.start] in ("-", "+", "/"):
            return
        if token.company:
            if (dotted or other.key not in _LATERAL) and other.key in self._names[token.owner].initials:
                _join(token.owner, other)
                other.end += dotted
            return
        strong = dotted or any(c in gap for c in ",^")
        if not strong and (is_safe(token.word) or other.key in _LATERAL or not token.word[0].isupper()):
            return
        if token.likeness < 1 or len(token.part) < 3 or not token.word[0].isupper():
            return
        owner = self._initial_owner(token.part, other.key)
        if owner is not None:
            _join(owner, token, other)
            other.end += dotted

    def _initial_owner(self, part: str, initial: str) -> int | None:
        """A name with this family name of which another part starts with the initial."""
        for number in self._owners[part]:
            name = self._names[number]
            if part in name.family and initial in name.initials:
                return number
        return None

    # Alone

    def _lone_score(self, text: str, token: _Token) -> float:
        """How sure a part of a name is that stands alone; 0 where it does not count."""
        word, part = token.word, token.part
        if part in PARTICLES or part in self._called:
            return 0.0
        if token.likeness == 1 and word[0].isupper() and self._is_surname(part):
            if SEX_AND_AGE.match(text, token.end) and not is_imaging_word(word):
                return 0.75
            if is_addressed(text, token.start) and _is_person(text, token):
                return 0.6 if is_safe(word) or len(part) < _LONE_LETTERS else 0.97
        if is_imaging_word(word) or (len(part) < 3 and part.isascii()):
            return 0.0
        harmless = is_safe(word)
        if not harmless and (len(part) >= _LONE_LETTERS or not part.isascii()):
            # A lower-case word in running text is a word, not a name, unless it is the name exactly.
            return 0.97 * token.likeness if token.likeness == 1 or not word[0].islower() else 0.0
        if token.likeness < 1 or not word[0].isupper() or not self._is_surname(part):
            return 0.0
        if stands_apart(text, token.start, token.end):
            return 0.55
        return 0.0 if is_eponym(word) or _is_month_or_verb(text, token) else WORD_SCORE

    def _is_surname(self, part: str) -> bool:
        owners = self._owners[part]
        return is_given_name(part) or any(part in self._names[number].family for number in owners)


def _is_person(text: str, token: _Token) -> bool:
    """Whether a word after "pt" or "for" is a name there: vocabulary of imaging is not before more of it."""
    if not is_imaging_word(token.word):
        return len(token.part) > 2 or not token.part.isascii() or bool(_OF_PERSON.search(text[: token.start][-40:]))
    if is_name(token.word) and _OF_PERSON.search(text[: token.start][-40:]):
        return True
    following = _NEXT_WORD.match(text, token.end)
    return following is None or not is_imaging_word(following[1])


def _is_month_or_verb(text: str, token: _Token) -> bool:
    if token.key not in _MONTHS:
        return False
    before, after = _NUMBER_BESIDE
    return bool(
        before.search(text[: token.start][-6:]) or after.match(text, token.end) or _AUXILIARY.match(text, token.end)
    )


def _join(owner: int, *tokens: _Token) -> None:
    """Make words parts of one person's name."""
    for token in tokens:
        token.company, token.owner, token.likeness = True, owner, token.likeness or 1.0


def _components(name: str) -> tuple[list[str], list[str]]:
    """Words of the family name, and of the given names. Prefixes and suffixes are left out (PS3.5 6.2.1)."""
    if "^" in name:
        family, given, middle = [*name.split("^"), "", ""][:3]
        return _words(family), _words(f"{given} {middle}")
    if "," in name:
        family, _, rest = name.partition(",")
        return _words(family), _words(rest)
    words = _words(name)
    # Without structure any of the words may be the family name.
    return (words[-1:] + words[:-1], words[:1]) if len(words) > 1 else (words, [])


def _words(text: str) -> list[str]:
    words = _NAME_WORD.findall(text)
    return [word for word in words if plain(word) not in _TITLES] or words


def _keys_of(word: str) -> set[str]:
    """How a word of a name may stand in texts: without apostrophe, behind it, with umlauts written out."""
    keys = {word_key(word), word_key(word.translate(_UMLAUTS))}
    pieces = re.split(r"['’]", word)
    if len(pieces) > 1 and len(pieces[-1]) >= 3:
        keys.add(plain(pieces[-1]))
    return keys


@functools.lru_cache(maxsize=50_000)
def _folded(key: str) -> str:
    """A word with what readers take for one another made the same."""
    for wrong, right in _MISREAD:
        key = key.replace(wrong, right)
    return key.translate(_LOOKALIKES)


def _is_inflected(key: str) -> bool:
    """A harmless word with another ending ("restaging", "repositioned") is no misread name."""
    for ending in ("s", "es", "ed", "d", "ing", "er", "ly", "al", "n", "en", "e"):
        if key.endswith(ending) and len(key) - len(ending) >= 4 and is_safe(key[: -len(ending)]):
            return True
    return False

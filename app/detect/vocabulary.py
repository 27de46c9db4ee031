"""Words and phrases of medicine that look like names: vocabulary of imaging, and eponyms."""

from __future__ import annotations

import functools
import re
import unicodedata
from importlib import resources
from itertools import pairwise

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FOREIGN = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE", "œ": "oe"})
_DOUBTFUL = "# As much names as words"
_GAP = re.compile(r"[\s\-–/]{1,2}")
_NEXT = re.compile(r"(?:['’]s?)?[\s\-–]{1,2}([^\W\d_]+)")
_HYPHENATED = re.compile(r"[-–]([^\W\d_]+)")
_BEFORE_HYPHENATED = re.compile(r"([^\W\d_]+)[-–]$")
_LEADING = re.compile(
    r"(?<!\w)(?:morbus|mb|maladie|signe|(?:syndrome|disease|sign|circle|vein|artery|foramen)\s+of)(?:\s+de)?\.?\s+$",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"(?<!\w)(?:dr|prof|mr|mrs|ms|miss|herr|frau|mme|patient|pt|name|tech|by|for)[.:]?\s*$", re.IGNORECASE
)
PARTICLES = frozenset(
    " ".join(
        [
            "van von der den de del della di da dos das do du la le el al bin ibn ben bint st san santa ter ten",
            "zu zum zur af av mac mc y e o d dela abu abd und",
        ]
    ).split()
)
"""Small words in family names."""
_NOUNS = frozenset(
    " ".join(
        [
            "disease syndrome sign sequence triad tetralogy anomaly malformation deformity dysplasia",
            "dystrophy disorder fracture dislocation injury lesion defect cyst hernia tumor tumour",
            "sarcoma carcinoma lymphoma neuroma adenoma granuloma granulomatosis abscess aneurysm",
            "diverticulum contracture palsy paralysis neuralgia chorea ataxia dementia encephalopathy",
            "encephalitis sclerosis thyroiditis esophagus oesophagus arteritis vasculitis gangrene",
            "purpura phenomenon effect reflex view projection method position maneuver manoeuvre score",
            "scale grade grading classification criteria index angle ratio ligament tendon fascia pouch",
            "canal duct gland triangle fossa fissure foramen ganglion gyrus node nodule filter kernel",
            "window transform artifact artefact procedure operation repair technique shunt stent catheter",
            "needle drain clip wire screw prosthesis brace fundoplication myotomy osteotomy formula",
            "equation number unit frequency coil algorithm plot model noise imaging reconstruction",
        ]
    ).split()
)
"""Ordinary words that make the name before them an eponym."""
_SOFT_NOUNS = frozenset(
    " ".join(
        [
            "burst groove collar splint orthosis infraction osteonecrosis osteochondrosis apophysitis",
            "tubercle tuberosity ampulla plexus sphincter valve",
            "membrane cartilage sulcus cave pad muscle bundle fibers fibres body bodies cell cells",
            "occluder device tube rod rods pin pins plate nail graft ring implant mesh retractor forceps",
            "bypass flap approach incision anastomosis nodes stain regimen trial criterion rule law stage",
            "class type tumors tumours nevus naevus deformities palsies",
        ]
    ).split()
)
"""Words that make an eponym of a name that nobody is known to bear; behind a known one they may be what is done."""


def plain(text: str) -> str:
    """Lower case, accents removed: how words are compared."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.translate(_FOREIGN))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


def word_key(word: str) -> str:
    """A word as the lists hold it: plain, without apostrophes."""
    return plain(word).replace("'", "").replace("’", "")


def _lines(name: str) -> list[str]:
    return (resources.files(__package__) / "data" / name).read_text("utf-8").splitlines()


@functools.cache
def _imaging() -> tuple[frozenset[str], frozenset[str]]:
    """Vocabulary of imaging: words that are nobody's name in it, and those that are doubtful where they stand apart."""
    sure: set[str] = set()
    doubtful: set[str] = set()
    words = sure
    for line in _lines("imaging_words.txt"):
        if line.startswith("#"):
            words = doubtful if line.startswith(_DOUBTFUL) else words
        else:
            words.update(plain(word) for word in line.split())
    return frozenset(sure), frozenset(doubtful)


@functools.cache
def _eponyms() -> tuple[frozenset[str], dict[str, list[tuple[str, ...]]], frozenset[str]]:
    """Single eponyms, longer ones by their first word, and all words that are names in either."""
    single: set[str] = set()
    longer: dict[str, list[tuple[str, ...]]] = {}
    names: set[str] = set()
    for line in _lines("eponyms.txt"):
        if line.startswith("#") or not line:
            continue
        for entry in line.split("|"):
            words = entry.replace("-", " ").split()
            keys = tuple([word_key(word) for word in words])
            if len(keys) == 1:
                single.add(keys[0])
            else:
                longer.setdefault(keys[0], []).append(keys)
                if "-" in entry.split()[0]:
                    # Double names are eponyms without their noun as well.
                    longer[keys[0]].append(keys[: entry.split()[0].count("-") + 1])
            names.update(key for key, word in zip(keys, words, strict=True) if word[0].isupper())
    return frozenset(single), longer, frozenset(names)


def _base(word: str) -> str:
    """A word as eponyms are compared: without the genitive."""
    return word_key(re.sub(r"['’]s$", "", word, flags=re.IGNORECASE))


def is_imaging_word(word: str) -> bool:
    """True for vocabulary of imaging, which is nobody's name in a description."""
    return plain(word) in _imaging()[0]


def is_eponym(word: str) -> bool:
    """True for an eponym of one word ("Gleason")."""
    return _base(word) in _eponyms()[0]


def is_doubtful_word(word: str) -> bool:
    """True for vocabulary that may be a name where it stands apart from other words."""
    key = plain(word)
    return key in _imaging()[1] or key in _eponyms()[0]


def eponym_ranges(text: str) -> list[tuple[int, int]]:
    """Where listed eponyms of several words stand ("Parkes Weber syndrome", "Hill-Sachs")."""
    longer = _eponyms()[1]
    words = list(_WORD.finditer(text))
    keys = [_base(match.group()) for match in words]
    found: list[tuple[int, int]] = []
    for first, key in enumerate(keys):
        best = 0
        for entry in longer.get(key, ()):
            size = len(entry)
            if (
                size > best
                and tuple(keys[first : first + size]) == entry
                and _joined(text, words[first : first + size])
            ):
                best = size
        if best:
            found.append((words[first].start(), words[first + best - 1].end()))
    return found


def _joined(text: str, words: list[re.Match[str]]) -> bool:
    return all(_GAP.fullmatch(text[left.end() : right.start()]) for left, right in pairwise(words))


def is_eponym_at(text: str, start: int, end: int, *, listed: bool = True) -> bool:
    """Whether the name at this place is an eponym by what stands around it.

    It is one before a word such as "disease" or "view", after "Morbus", or hyphenated with another listed eponym;
    never after a title.

    Args:
        text: the whole text.
        start: where the name starts.
        end: where it ends.
        listed: only names of the lists count: what is said of a known person must be no eponym because an ordinary
            word follows ("Okafor fracture"). False for names of which nobody is known to bear them.
    """
    before, after = text[:start][-40:], text[end:][:60]
    if _TITLE.search(before):
        return False
    name, names = _base(text[start:end]), _eponyms()[2]
    follows = is_before_noun(text, end) or (not listed and _is_before(_SOFT_NOUNS, text, end))
    if (follows or _LEADING.search(before)) and (
        not listed or name in names or is_imaging_word(name) or is_doubtful_word(name)
    ):
        return True
    if name not in names:
        return False
    mates = [_HYPHENATED.match(after), _BEFORE_HYPHENATED.search(before)]
    return any(mate is not None and _base(mate[1]) in names for mate in mates)


def is_addressed(text: str, start: int) -> bool:
    """Whether the word that starts here stands after a title or a word for a person ("Mr", "pt", "for")."""
    return bool(_TITLE.search(text[:start][-40:]))


def is_before_noun(text: str, end: int) -> bool:
    """Whether the word that ends here stands before a word such as "disease" or "view"."""
    return _is_before(_NOUNS, text, end)


def _is_before(nouns: frozenset[str], text: str, end: int) -> bool:
    following = _NEXT.match(text[end:][:60])
    if following is None:
        return False
    key = plain(following[1])
    return key in nouns or key.removesuffix("s") in nouns or key.removesuffix("es") in nouns

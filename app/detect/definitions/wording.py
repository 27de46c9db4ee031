"""What a description says of the form of a code: "a letter and eight digits", "11-digit number", "starts with MRN".

Elements are counted kinds of characters, fixed letters and separators, in the order in which they are named; "after"
and "preceded by" turn two of them round, "begins with" and "ends with" put one at an end, "or" gives alternatives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from deidra.app.detect.definitions.shapes import MOST_REPEATS, Kind, Run, Shape

_NUMBER_WORDS = {
    **{"a": 1, "an": 1, "one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7},
    **{"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15},
    **{"sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20},
}
_COUNT = rf"(?:\d{{1,2}}|{'|'.join(sorted(_NUMBER_WORDS, key=len, reverse=True))})"
_SEPARATORS = {
    **{
        "dash": "-",
        "hyphen": "-",
        "minus": "-",
        "slash": "/",
        "dot": ".",
        "period": ".",
        "full stop": ".",
        "point": ".",
    },
    **{"space": " ", "blank": " ", "underscore": "_", "colon": ":", "caret": "^"},
}
_SEPARATOR_WORDS = "|".join(re.escape(word) for word in _SEPARATORS)
_KINDS = r"letter|digit|number|numeral|figure|character|alphanumeric"
_CASES = r"capital|upper[- ]?case|big|lower[- ]?case|small|alphanumeric|alphabetic|numeric"
_ELEMENT = re.compile(
    rf"""
    (?P<groups>digits?\s+in\s+groups?\s+of\s+(?P<sizes>\d{{1,2}}(?:(?:\s*[-,/–]\s*|\s*,?\s*and\s+|\s+)\d{{1,2}})+))
    | (?<![\w-])(?:(?P<bound>between|from|at\s+least|at\s+most|up\s+to|exactly)\s+)?
      (?P<least>{_COUNT})(?:\s*(?:-|–|to|or|and)\s*(?P<most>{_COUNT}))?
      (?:\s+|-)(?:(?P<case>(?:{_CASES})(?:\s+(?:{_CASES}))*)\s+)?(?P<kind>{_KINDS})s?(?:\s+or\s+(?P<other>digit|letter|number)s?)?\b
    | (?<!\w)(?:a|one|single)\s+(?P<separator>{_SEPARATOR_WORDS})\b
    | (?:(?:starts?|starting|begins?|beginning)\s+with\s+|prefix(?:ed\s+(?:with|by))?\s+|letters?\s+|word\s+)
      (?:the\s+)?(?:letters?\s+|prefix\s+|word\s+)?(?P<fixed>"[^"]+"|'[^']+'|“[^”]+”|(?-i:[A-Z][A-Z0-9]*)\b-?)
    | (?P<quoted>"[^"]{{1,20}}"|'[^']{{1,20}}'|“[^”]{{1,20}}”)
    | (?-i:(?P<capitals>\b[A-Z]{{2,10}}-?))(?=\s+(?:followed\s+by|and|then|plus)\s+{_COUNT}\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TURNED = re.compile(r"\b(?:after|following|preceded\s+by|that\s+follows?)\b", re.IGNORECASE)
_AT_END = re.compile(r"\b(?:ends?|ending)\s+(?:with|in)\s*$", re.IGNORECASE)
_STARTS = re.compile(r"\b(?:start|begin)(?:s|n?ing)?\s+with\b", re.IGNORECASE)
_AT_START = re.compile(
    r"\b(?:starts?|starting|begins?|beginning)\s+with\s*$|^\s*(?:starts?|starting|begins?)", re.IGNORECASE
)
_OR = re.compile(r"\s*,?\s+or\s+(?:else\s+)?", re.IGNORECASE)
_BETWEEN_GROUPS = re.compile(
    rf"(?:separated|divided|parted|split)\s+by\s+(?:an?\s+)?({_SEPARATOR_WORDS})(?:e?s)?\b", re.I
)
_LEAD = re.compile(
    r"^\W*private\s+(?:information|data|text)\s+(?:only\s+)?(?:is|are|means|includes?|encompasses|covers|stands?\s+for)"
    r"\s*(?:only)?\s*:?\s*",
    re.IGNORECASE,
)
_OPEN_LENGTH = (3, 20)
"""Characters behind a fixed prefix of which nothing more is said."""
_PHONE = re.compile(r"\b(?:tele)?(?:phone|fax|mobile|pager)", re.IGNORECASE)
_LEAST_GROUPED = 7


@dataclass(frozen=True, slots=True)
class Wording:
    """What a description says: ``shapes`` of the code, empty where it says nothing of them.

    ``open`` is True where only the beginning is told, so that examples may be of any shape that begins so; ``prefix``
    are the fixed letters at the start.
    """

    shapes: tuple[Shape, ...] = ()
    prefix: str = ""
    open: bool = False


def without_lead(sentence: str) -> str:
    """A sentence without "private information is" at its beginning."""
    return _LEAD.sub("", sentence).strip().rstrip(".")


def without_form(phrase: str) -> str:
    """A phrase without what it says of the form: "11-digit phone numbers" are phone numbers."""
    return _ELEMENT.sub(" ", phrase).strip(" ,:()")


def wording_of(sentence: str) -> Wording:
    """What a sentence says of the form of a code."""
    sentence = without_lead(sentence)
    phone = bool(_PHONE.search(sentence))
    shapes = [shape for part in _alternatives(sentence) if (shape := _shape(part, phone))]
    if not shapes:
        return Wording()
    first = shapes[0].runs[0]
    prefix = first.text if first.kind is Kind.FIXED and first.text[:1].isalpha() else ""
    if len(shapes) == 1 and shapes[0].runs == (first,) and (first.kind is Kind.FIXED or _STARTS.search(sentence)):
        tail = Run(Kind.ALNUM, *_OPEN_LENGTH)
        dashed = Shape((first, Run(Kind.FIXED, text="-"), tail))
        return Wording((Shape((first, tail)), dashed), prefix, open=True)
    return Wording(tuple(dict.fromkeys(one for shape in shapes for one in _written(shape))), prefix)


def _written(shape: Shape) -> list[Shape]:
    """The ways in which a code is written: of one with grouped digits, without what parts the groups as well."""
    if not any(run.grouped for run in shape.runs):
        return [shape]
    return [Shape(tuple(replace(run, grouped=False) for run in shape.runs)), shape]


def _alternatives(sentence: str) -> list[str]:
    """The sentence cut at every "or" on both sides of which an element stands, and that is part of none."""
    places = [match.span() for match in _ELEMENT.finditer(sentence)]
    cuts, start = [], 0
    for match in _OR.finditer(sentence):
        inside = any(a < match.end() and match.start() < b for a, b in places)
        before = any(b <= match.start() and a >= start for a, b in places)
        after = any(a >= match.end() for a, b in places)
        if before and after and not inside:
            cuts.append(sentence[start : match.start()])
            start = match.end()
    return [*cuts, sentence[start:]]


def _shape(part: str, phone: bool) -> Shape | None:
    runs: list[Run] = []
    last: list[Run] = []
    end = 0
    for match in _ELEMENT.finditer(part):
        between = part[end : match.start()]
        made = _runs(match, part, phone)
        if not made:
            continue
        if _AT_END.search(between):
            last += made
        elif _goes_first(match, between, bool(runs)):
            runs[:0] = made
        else:
            runs += made
        end = match.end()
    whole = _merged([*runs, *last])
    return Shape(tuple(whole)) if whole else None


def _goes_first(match: re.Match[str], between: str, behind: bool) -> bool:
    """Whether an element stands before those named so far; ``between`` are the words since the last of them."""
    starts = _AT_START.search(between) or (match["fixed"] and _AT_START.match(match.group()))
    return bool(starts) or (behind and bool(_TURNED.search(between)))


def _merged(runs: list[Run]) -> list[Run]:
    """The same element named twice in a row is one element explained: "11-digit number (11 digits)"."""
    return [run for n, run in enumerate(runs) if not n or run != runs[n - 1] or run.kind is Kind.FIXED]


def _runs(match: re.Match[str], part: str, phone: bool) -> list[Run]:
    if match["groups"]:
        told = _BETWEEN_GROUPS.search(part)
        separator = _SEPARATORS[told[1].lower()] if told else "-"
        sizes = [int(size) for size in re.findall(r"\d+", match["sizes"])]
        made = [run for size in sizes for run in (Run(Kind.FIXED, text=separator), Run(Kind.DIGIT, size, size))]
        return made[1:]
    if match["separator"]:
        return [Run(Kind.FIXED, text=_SEPARATORS[match["separator"].lower()])]
    fixed = match["fixed"] or match["quoted"] or match["capitals"]
    if fixed:
        return [Run(Kind.FIXED, text=fixed.strip("\"'“”"))]
    return _counted(match, phone)


def _counted(match: re.Match[str], phone: bool) -> list[Run]:
    least = _number(match["least"])
    most = _number(match["most"]) if match["most"] else least
    kind = (match["kind"] or "").lower()
    case = (match["case"] or "").lower()
    if kind in ("number", "numeral", "figure") and match["least"].lower() in ("a", "an", "one", "single"):
        # "a number" is no digit but the whole code.
        return []
    bound = re.sub(r"\s+", " ", match["bound"] or "").lower()
    if bound == "at least":
        most = max(least, 2 * least)
    elif bound in ("at most", "up to"):
        least, most = 1, least
    least, most = sorted((max(1, min(least, MOST_REPEATS)), max(1, min(most, MOST_REPEATS))))
    what = _kind(kind, case, bool(match["other"]))
    return [Run(what, least, most, grouped=what is Kind.DIGIT and phone and least >= _LEAST_GROUPED)]


def _kind(kind: str, case: str, other: bool) -> Kind:
    if (
        other
        or (kind == "character" and "numeric" not in case.replace("alphanumeric", ""))
        or "alphanumeric" in case + kind
    ):
        return Kind.LETTER if "alphabetic" in case else Kind.ALNUM
    if kind == "letter":
        if re.search("capital|upper|big", case):
            return Kind.UPPER
        return Kind.LOWER if re.search("lower|small", case) else Kind.LETTER
    return Kind.DIGIT


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBER_WORDS[word.lower()]

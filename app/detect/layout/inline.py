"""Labels within one line of text, and which parts of the line are their values.

It works on text alone, so that the readings of several readers are taken apart alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from deidra.app.detect.conditions import condition_spans
from deidra.app.detect.layout.forms import LIKELY, NUMERIC, is_filled, values_in
from deidra.app.detect.layout.wordings import UNKNOWN, Meaning, label_meaning, option_meanings
from deidra.app.domain.taxonomy import EntityType

_COLON = re.compile(r"[:：](?!\d\d(?!\d))|[:：](?<=\D[:：])|_{3,}|\?(?=\s|$|[A-Za-z0-9(])")
_TOKEN = re.compile(r"[^\W_](?:(?!(?<=[a-z])[A-Z]|(?<=[A-Z]{3})[a-z]|(?<=[A-Za-z]{3})\d)[^\W_])*(?:[.'’][^\W_]+)*\.?|#")
"""A word; where the case changes within it, or digits begin, readers have dropped a gap: "HOME398-1597"."""
_REMARK = re.compile(r"\((?=[^()]*[^\W\d_]{2})(?![^()]*\d{3})[^()]{2,60}\)")
"""What stands in brackets behind a label: it tells how to fill in, or which of several is meant."""
_MOST_TOKENS = 7
_BROKEN = frozenset({"address", "phone", "date", "ssn"})
"""Forms of values that narrow cells break: the first part alone is hardly one."""
_MOST_ANSWER = 6
"""Words of a state of health behind a label without a colon."""
_LEAST_BARE = 3
"""Letters of a label that counts without a colon before its value."""
_SMALL = frozenset(
    {"to", "from", "for", "re", "no", "yes", "other", "first", "last", "home", "call", "contact", "dear"}
)
"""Words that are labels only where a colon or nothing follows."""

_OF_VALUE = re.compile(r"(?<!\w)(?:box|rural route|r\.?\s?f\.?\s?d)\.?$", re.IGNORECASE)
"""How a label ends that is rather the beginning of an address: "P.O. Box 12"."""


@dataclass(frozen=True, slots=True)
class Label:
    """Characters ``start`` to ``end`` of a line are a label, its colon included; its value ends at ``until``.

    ``has_colon`` is True where a colon says that it is a label.
    """

    start: int
    end: int
    until: int
    meaning: Meaning
    has_colon: bool


def labels_in(text: str) -> list[Label]:
    """The labels of a line, in order, not overlapping."""
    found = sorted([*_with_colon(text)], key=lambda one: one[0])
    if not found:
        whole = label_meaning(text.rstrip(" ._-"))
        if whole is not None and any(map(str.isalpha, text)) and not _is_answer(text):
            split = _answered(text, whole)
            if split:
                return [Label(0, split, len(text), whole, False)]
            return [Label(0, len(text), len(text), whole, False)]
    found += [one for one in _bare(text, found) if not any(one[0] < other[1] and other[0] < one[1] for other in found)]
    found.sort(key=lambda one: one[0])
    return [
        Label(start, end, found[number + 1][0] if number + 1 < len(found) else len(text), meaning, colon)
        for number, (start, end, meaning, colon) in enumerate(found)
    ]


def _is_answer(text: str) -> bool:
    """Whether a text without a colon is the answer to a question rather than its label ("Married")."""
    return any(meaning.type is EntityType.DEMOG for meaning in option_meanings(text))


def _answered(text: str, meaning: Meaning) -> int:
    """Where the label ends whose answer stands behind it ("Male/Female Male"); 0 where none does."""
    last = text.rstrip().rfind(" ")
    label = text[: max(last, 0)].rstrip()
    is_listed = label[-1:] in ("/", ",", "&") or label.lower().endswith((" or", " and"))
    if not label or is_listed or not any(one == meaning for one in option_meanings(text[last:])):
        return 0
    return last if label_meaning(label, True) == meaning else 0


def has_value(text: str, label: Label) -> bool:
    """Whether something stands behind a label, before the next."""
    return is_filled(text[label.end : label.until])


def _with_colon(text: str) -> list[tuple[int, int, Meaning, bool]]:
    found: list[tuple[int, int, Meaning, bool]] = []
    begin = 0
    for mark in _COLON.finditer(text):
        if mark.start() < begin:
            continue
        tokens = _tokens(text, begin, mark.start())
        if not tokens:
            continue
        label = _known_before(text, tokens, mark.start())
        if label is None and mark.group()[0] != "_":
            first = tokens[0] if not found and len(tokens) <= _MOST_TOKENS else tokens[-1]
            label = (first.start(), UNKNOWN)
        if label is not None:
            found.append((label[0], mark.end(), label[1], True))
            begin = mark.end()
    return found


def _tokens(text: str, begin: int, end: int) -> list[re.Match[str]]:
    """The words of a part of a line, without those of remarks in brackets."""
    remarks = [(remark.start(), remark.end()) for remark in _REMARK.finditer(text, begin, end)]
    words = list(_TOKEN.finditer(text, begin, end))
    return [word for word in words if not any(a <= word.start() < b for a, b in remarks)] or words


def _behind_remark(text: str, end: int) -> int:
    """Where a label ends whose words end at ``end``: behind the remark in brackets that follows them."""
    blanks = end + len(text[end:]) - len(text[end:].lstrip(" ."))
    remark = _REMARK.match(text, blanks)
    return remark.end() if remark else end


def _known_before(text: str, tokens: list[re.Match[str]], end: int) -> tuple[int, Meaning] | None:
    """The longest known label that ends at ``end``: where it starts, and what it means."""
    nearest = tokens[-_MOST_TOKENS:]
    for exact, some in ((True, nearest[:1]), (False, nearest[:1]), (True, nearest), (False, nearest)):
        for token in some:
            meaning = label_meaning(text[token.start() : end], exact)
            if meaning is not None:
                return token.start(), meaning
    return None


def _bare(text: str, taken: list[tuple[int, int, Meaning, bool]]) -> list[tuple[int, int, Meaning, bool]]:
    """Labels without a colon right before a value of their form: anywhere for numbers, else at the line's start."""
    found: list[tuple[int, int, Meaning, bool]] = []
    tokens = _tokens(text, 0, len(text))
    place = 0
    starts = [one[0] for one in taken]
    conditions = list(condition_spans(text))
    while place < len(tokens):
        step = 1
        for size in range(min(_MOST_TOKENS, len(tokens) - place - 1), 0, -1):
            start, end = tokens[place].start(), _behind_remark(text, tokens[place + size - 1].end())
            words = text[start:end]
            meaning = label_meaning(words, True) if len(words) >= _LEAST_BARE and words.lower() not in _SMALL else None
            if meaning is None or (_OF_VALUE.search(words) and text[end:].strip(" .#")[:1].isdigit()):
                continue
            if meaning.type is EntityType.HEALTH and any(one.start < end <= one.end for one in conditions):
                continue
            until = min([other for other in starts if other >= end], default=len(text))
            if _is_followed(text, meaning, end, until, place == 0, size > 1):
                found.append((start, end, meaning, False))
                step = size
                break
        place += step
    return found


def _is_followed(text: str, meaning: Meaning, end: int, until: int, first: bool, long: bool) -> bool:
    """Whether a value of its form stands behind a label of one word or several (``long``), ``first`` on its line."""
    if meaning.form not in NUMERIC and not (first and _may_follow(meaning, text[end:until], long)):
        return False
    values = values_in(meaning, text, end, until)
    is_begun = long and meaning.form in _BROKEN and any(map(str.isdigit, text[end:until]))
    if not values or (values[0].score < LIKELY and not is_begun):
        return False
    between = text[end : values[0].start]
    return not any(map(str.isalnum, between)) and (meaning.form in NUMERIC or long or values[0].score > LIKELY)


def _may_follow(meaning: Meaning, value: str, long: bool) -> bool:
    """Whether a value in words may stand behind a label without a colon: it is no sentence that goes on."""
    if meaning.form in ("name", "option", "address", "place", "email"):
        return True
    words = value.split()
    return (
        long and meaning.type is EntityType.HEALTH and len(words) <= _MOST_ANSWER and not value.rstrip().endswith(".")
    )

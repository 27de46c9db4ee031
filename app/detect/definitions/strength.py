"""How much the form of a code says by itself: eight digits are often a date, a letter before them makes it rare.

``data/forms.toml`` counts the forms of one to three neighbouring words in generated texts of the training split, those
of identifiers left out (``python -m deidra.app.evaluate.forms`` writes it). The share of texts of a pattern's forms
says how often it would match something else. By Bayes' rule, a match is of the defined type with probability
``1 / (1 + share * odds)``, where ``odds`` is how many other words come on one of the type: a guess, five hundred where
nothing is known and five where a context word stands near.
"""

from __future__ import annotations

import functools
import re
import tomllib
from importlib import resources

from deidra.app.detect.definitions.shapes import Kind, shape_of

ODDS_BARE, ODDS_NEAR = 500.0, 5.0
_LETTERS = {Kind.UPPER: "U", Kind.LOWER: "l", Kind.LETTER: "M"}


def form_of(text: str) -> str:
    """The form of a text: ``U2D8`` for two capitals and eight digits, separators as they are, ``_`` for blanks."""
    parts = []
    for run in shape_of(text).runs:
        if run.kind is Kind.FIXED:
            parts.append("_" if run.text == " " else run.text)
        else:
            parts.append(f"{'D' if run.kind is Kind.DIGIT else _LETTERS[run.kind]}{run.least}")
    return "".join(parts)


def text_of(form: str) -> str:
    """Some text of a form."""
    made = re.sub(r"([UlMD])(\d+)", lambda m: _letters(m[1], int(m[2])), form)
    return made.replace("_", " ")


def _letters(kind: str, count: int) -> str:
    # Letters that hardly stand at the beginning of a real code, so that fixed letters of a pattern are not met.
    return {"D": "8" * count, "U": "Q" * count, "l": "q" * count, "M": "Q" + "q" * (count - 1)}[kind]


@functools.cache
def _forms() -> tuple[tuple[tuple[str, int], ...], int]:
    told = tomllib.loads((resources.files(__package__) / "data" / "forms.toml").read_text("utf-8"))
    return tuple((text_of(form), count) for form, count in told["forms"].items()), int(told["words"])


@functools.lru_cache(maxsize=512)
def share_elsewhere(pattern: str) -> float:
    """The share (0 to 1) of other texts, a word each, that a regular expression would match as a whole."""
    compiled = re.compile(pattern)
    forms, words = _forms()
    met = sum(count for text, count in forms if compiled.fullmatch(text))
    return min(1.0, (met + 1) / words)


def probability(share: float, near: bool) -> float:
    """The probability that a match is of the defined type; ``near`` a context word or not."""
    return 1 / (1 + share * (ODDS_NEAR if near else ODDS_BARE))

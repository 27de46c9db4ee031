"""What stands in the slots of templates: private values, and harmless words that look like some."""

from __future__ import annotations

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.people import Phi
from deidra.app.synth.texts import names, numbers, places, times
from deidra.app.synth.texts.draw import Draw
from deidra.app.synth.texts.names import Maker
from deidra.app.synth.texts.parts import Part, filled, template

_WORDS = {
    "eponym": "eponyms", "nameword": "names", "anat": "anatomy", "proto": "protocols", "seq": "sequences", "dev":
    "devices", "vendor": "vendors", "drug": "drugs", "num": "numbers", "level": "levels", "score": "scores", "ver":
    "versions", "exam": "exams", "note": "comments", "room": "places", "code": "codes", "lab": "labs", "finding":
    "findings", "form": "titles", "val": "values", "menu": "menu", "table": "tables", "token": "tokens", "sunit":
    "units",
}  # fmt: skip
"""Slots of harmless words, and their kinds in words.toml."""
_THINGS = (
    "sign", "disease", "syndrome", "lesion", "fracture", "tumor", "cyst", "view", "projection", "classification",
    "type 2", "grade II", "score 3", "test", "procedure", "filter", "node", "hernia", "line", "angle", "catheter",
    "clip", "stage III",
)  # fmt: skip
_NUMBERS = {"d1": "~", "d2": "~#", "d3": "~##", "d4": "~###", "qty": "~", "dec": "~.#", "std": "1.2.840.10008.~.~.~"}
_HARMLESS_NAMED = {"mr", "dr", "deg", "relation", "pro", "Pro", "pos", "Pos", "tm", "time", "year", "dx"}


def _word(kind: str) -> Maker:
    return lambda draw: [draw.word(kind)]


def _number(pattern: str) -> Maker:
    return lambda draw: [draw.digits(pattern)]


def _eponym(draw: Draw) -> list[Part]:
    """An eponym, that of one word mostly with the thing that is named after it."""
    text = draw.word("eponyms")
    if " " in text or "-" in text or draw.chance(0.15):
        return [text]
    return [f"{text}{'' if draw.chance(0.75) or text[-1] == 's' else chr(39) + 's'} {draw.one(_THINGS)}"]


def _diagnosis(draw: Draw) -> list[Part]:
    text = draw.word("diagnoses")
    return [Phi(text, EntityType.HEALTH) if draw.health else text]


_SLOTS: dict[str, Maker] = {
    **names.SLOTS,
    **times.SLOTS,
    **numbers.SLOTS,
    **places.SLOTS,
    **{slot: _word(kind) for slot, kind in _WORDS.items()},
    **{slot: _number(pattern) for slot, pattern in _NUMBERS.items()},
    "dx": _diagnosis,
    "eponym": _eponym,
}


def is_private(text: str) -> bool:
    """True for a template that has a slot for a private value."""
    return any(
        slot not in _HARMLESS_NAMED and slot not in _WORDS and slot not in _NUMBERS for slot in template(text).slots
    )


def fill(draw: Draw, text: str) -> list[Part]:
    """The template ``text`` with its slots filled.

    Raises:
        KeyError: there is no such slot.
    """
    return filled(text, lambda slot: _SLOTS[slot](draw))

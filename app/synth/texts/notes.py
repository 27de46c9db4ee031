"""Clinical notes and letters: whole, a section, or one or two sentences of them."""

from __future__ import annotations

from collections.abc import Sequence

from deidra.app.synth.texts.draw import Draw
from deidra.app.synth.texts.forms import Section, composed, grammar, note_forms
from deidra.app.synth.texts.parts import Part, lowered, mapped
from deidra.app.synth.texts.slots import fill

_WHOLE = 0.2
_SECTION = 0.32
_HARMLESS = 0.5
"""How many of the sections and sentences by themselves have no private value."""
_WRAPPED = 0.15
_BREAK = 0.07
_COMPOSED = 0.4
"""How many notes are put together from sentences by chance, where the split has such."""
_MOST_COMPOSED = 5
_SIZES = {True: (2, 7), False: (2, 6)}


def note(draw: Draw) -> tuple[list[Part], str]:
    """A note or a piece of one, and what it was made from."""
    if grammar(draw.pool.split) and draw.chance(_COMPOSED):
        rule = "harmless" if draw.chance(_HARMLESS) else "sentence"
        chosen = [composed(draw, rule) for _ in range(draw.rng.randint(1, _MOST_COMPOSED))]
        return _laid_out(draw, _run(draw, chosen, draw.chance(0.25))), " ".join(chosen)
    kinds = note_forms(draw.pool.split).kinds
    kind = draw.one(sorted(kinds))
    turn = draw.rng.random()
    if turn < _WHOLE:
        parts = _joined(draw, [_section(draw, section, section.forms) for section in kinds[kind]])
        made = kind
    else:
        section = draw.one(kinds[kind])
        forms = section.harmless if draw.chance(_HARMLESS) else section.forms
        if turn < _WHOLE + _SECTION:
            parts, made = _section(draw, section, forms or section.forms), f"{kind}/{section.name}"
        else:
            chosen = draw.rng.sample(forms or section.forms, min(len(forms or section.forms), draw.rng.randint(1, 2)))
            parts, made = _run(draw, chosen, section.block), " ".join(chosen)
    return _laid_out(draw, parts), made


def _joined(draw: Draw, sections: Sequence[list[Part]]) -> list[Part]:
    gap = draw.one(("\n\n", "\n\n", "\n"))
    parts: list[Part] = []
    for section in sections:
        parts += [*section, gap]
    return parts


def _section(draw: Draw, section: Section, forms: Sequence[str]) -> list[Part]:
    least, most = _SIZES[section.block]
    chosen = draw.rng.sample(forms, min(len(forms), draw.rng.randint(least, most)))
    parts: list[Part] = []
    if section.titles:
        title = draw.one(section.titles)
        parts.append(f"{title.upper() if draw.chance(0.3) else title}{draw.one((': ', ':' + chr(10), chr(10)))}")
    return parts + _run(draw, chosen, section.block)


def _run(draw: Draw, forms: Sequence[str], block: bool) -> list[Part]:
    gap = draw.one(("\n", "\n", "\n", "   ")) if block else " "
    parts: list[Part] = []
    for form in forms:
        parts += [*fill(draw, form), gap]
    return parts


def _laid_out(draw: Draw, parts: list[Part]) -> list[Part]:
    turn = draw.rng.random()
    if turn < 0.06:
        parts = mapped(parts, str.upper)
    elif turn < 0.13:
        parts = lowered(parts)
    if draw.chance(_WRAPPED):
        parts = mapped(parts, lambda text: _wrapped(draw, text))
    return parts


def _wrapped(draw: Draw, text: str) -> str:
    """``text`` with some blanks as line breaks, as where a note is cut at a column."""
    return "".join("\n" if letter == " " and draw.chance(_BREAK) else letter for letter in text)

"""Texts in pieces, and the templates that they are made from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.people import Phi
from deidra.app.synth.texts.sample import TextSpan

Part = Phi | str
"""A private value, or the harmless text around it."""

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """``literals`` stand around ``slots``: there is one literal more than slots."""

    text: str
    literals: tuple[str, ...]
    slots: tuple[str, ...]

    @property
    def wording(self) -> str:
        """What the template says by itself: its letters outside the slots."""
        return "".join(letter for literal in self.literals for letter in literal if letter.isalpha())


@lru_cache(maxsize=20_000)
def template(text: str) -> Template:
    """The template that ``text`` describes: slots stand in braces."""
    pieces = _SLOT.split(text)
    return Template(text, tuple(pieces[::2]), tuple(pieces[1::2]))


def filled(text: str, fill: Callable[[str], Sequence[Part]]) -> list[Part]:
    """The template ``text`` with each slot replaced by what ``fill`` says of its name."""
    made = template(text)
    parts: list[Part] = [made.literals[0]]
    for slot, literal in zip(made.slots, made.literals[1:], strict=True):
        parts.extend(fill(slot))
        parts.append(literal)
    return parts


def mapped(parts: Iterable[Part], change: Callable[[str], str]) -> list[Part]:
    """``parts`` with each text changed by itself, so that every value stays where it is."""
    return [Phi(change(p.text), p.type) if isinstance(p, Phi) else change(p) for p in parts]


def lowered(parts: Iterable[Part]) -> list[Part]:
    """``parts`` in small letters but for acronyms of institutions, which nobody would know as such."""
    return [
        part if isinstance(part, Phi) and part.type is EntityType.HOSPITAL and part.text.isupper() else small
        for part, small in ((part, mapped([part], str.lower)[0]) for part in parts)
    ]


def assembled(parts: Iterable[Part]) -> tuple[str, tuple[TextSpan, ...]]:
    """The text of ``parts`` and its spans; blanks at the ends of a value and of the text do not count."""
    texts: list[str] = []
    spans: list[TextSpan] = []
    place = 0
    for part in parts:
        text = part.text if isinstance(part, Phi) else part
        if not texts:
            text = text.lstrip()
        if isinstance(part, Phi) and (value := text.strip()):
            start = place + len(text) - len(text.lstrip())
            spans.append(TextSpan(start, start + len(value), part.type, value))
        if text:
            texts.append(text)
            place += len(text)
    return "".join(texts).rstrip(), tuple(spans)

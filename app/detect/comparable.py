"""Texts as they are compared: letters composed, without characters that show nothing.

A letter and its accent may be one character or two, and a soft hyphen or a mark of no width may stand inside a word:
a name is the same name with them. What is found in the comparable text is told in places of the text as it is.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_JAMO = range(0x1160, 0x1200)
"""Vowels and final consonants of Hangul, which join the letter before them."""
_NOTHING = frozenset({0x034F, *range(0xFE00, 0xFE10)})
"""The grapheme joiner and the variation selectors."""


@dataclass(frozen=True, slots=True)
class Comparable:
    """A comparable text; ``starts`` and ``ends`` are the places of its characters in the text as it is."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The place of a part in the text as it is."""
        return self.starts[start], self.ends[end - 1]


def comparable(text: str) -> Comparable | None:
    """The comparable form of ``text``; None when it is in that form."""
    if text.isascii() or (unicodedata.is_normalized("NFC", text) and not any(map(_is_nothing, text))):
        return None
    clusters: list[tuple[str, int, int]] = []
    for place, char in enumerate(text):
        if _is_nothing(char):
            continue
        if clusters and _joins(char):
            letters, start, _ = clusters[-1]
            clusters[-1] = letters + char, start, place + 1
        else:
            clusters.append((char, place, place + 1))
    composed = [(unicodedata.normalize("NFC", letters), start, end) for letters, start, end in clusters]
    whole = "".join(letters for letters, _, _ in composed)
    if whole == text:
        return None
    return Comparable(
        whole,
        tuple([start for letters, start, _ in composed for _ in letters]),
        tuple([end for letters, _, end in composed for _ in letters]),
    )


def _joins(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Mc") or ord(char) in _JAMO


def _is_nothing(char: str) -> bool:
    return not char.isascii() and (unicodedata.category(char) == "Cf" or ord(char) in _NOTHING)

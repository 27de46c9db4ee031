"""What readers of images do to text, piece by piece, so that values stay marked."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from deidra.app.synth.texts.parts import Part, mapped

_CONFUSED = {
    "0": "OoD", "O": "0QD", "o": "0ce", "1": "lI7", "l": "1I", "I": "l1", "5": "S", "S": "5", "8": "B", "B": "8",
    "2": "Z", "Z": "2", "6": "Gb", "G": "6C", "9": "g", "g": "9q", "7": "1", "e": "c", "c": "e", "u": "v", "v": "u",
    "h": "b", "n": "h", "t": "f", "i": "l", "a": "o", "C": "G", "D": "0", "E": "F", "T": "Y", "V": "Y", "W": "VV",
    "M": "N", ":": ";.", ".": ",", ",": ".", "/": "l1", "-": "~_",
}  # fmt: skip
_PAIRS = {"rn": "m", "cl": "d", "vv": "w", "ri": "n", "li": "h"}
_WHOLE = {"m": "rn", "d": "cl", "w": "vv"}
_DROPPED = frozenset(" .,:;-'^/")


def misread(parts: Sequence[Part], rng: Random, rate: float) -> list[Part]:
    """``parts`` as a reader gets them, with ``rate`` errors a character."""
    return mapped(parts, lambda text: _misread(text, rng, rate))


def _misread(text: str, rng: Random, rate: float) -> str:
    out: list[str] = []
    place = 0
    while place < len(text):
        letter = text[place]
        pair = text[place : place + 2]
        place += 1
        if letter == "\n" or rng.random() >= rate:
            out.append(letter)
        elif pair in _PAIRS:
            out.append(_PAIRS[pair])
            place += 1
        elif letter in _DROPPED:
            out.append(_punctuation(letter, rng))
        elif letter in _CONFUSED and rng.random() < 0.85:
            wrong = _CONFUSED[letter]
            out.append("VV" if letter == "W" else wrong[int(rng.random() * len(wrong))])
        elif letter in _WHOLE:
            out.append(_WHOLE[letter])
        elif rng.random() < 0.3:
            out.append(letter.swapcase())
        elif rng.random() < 0.3:
            out.append("")
        else:
            out.append(letter)
    return "".join(out)


def _punctuation(letter: str, rng: Random) -> str:
    turn = rng.random()
    if turn < 0.5:
        return ""
    if letter == " ":
        return "  "
    wrong = _CONFUSED.get(letter, letter)
    return wrong[int(rng.random() * len(wrong))] if turn < 0.85 else f"{letter} "

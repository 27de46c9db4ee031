"""Types that are words and no codes ("names of research projects"): likeness to examples.

The network's file gives probabilities and variances, no hidden state, so the prototype of a definition is made of what
a text shows: pairs and triples of its letters, the ends of its words and their shapes, hashed into a vector and
compared by its cosine with every example and counter-example.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from deidra.app.detect.definitions.definition import folded

Vector = NDArray[np.float32]
_BITS = 10
_WORD = re.compile(r"[^\W_]+(?:['’&.-][^\W_]+)*")
_SAME = 90.0
"""Likeness (0 to 100) of letters above which a text is an example that was misread."""
_LEAST_SAME = 5
"""Letters that a text must have for that."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Characters ``start`` to ``end`` of a text; ``same`` as an example but for misread letters, or like one.

    ``score`` is the cosine with the most alike example, less what counter-examples share of it.
    """

    start: int
    end: int
    same: bool
    score: float


class Prototype:
    """Examples and counter-examples as vectors.

    Args:
        examples: texts of the type.
        counter_examples: texts that are not.
    """

    def __init__(self, examples: Iterable[str], counter_examples: Iterable[str] = ()) -> None:
        self._examples = {folded(text): vector_of(text) for text in examples}
        self._counter = [vector_of(text) for text in counter_examples]
        sizes = {len(_WORD.findall(text)) for text in self._examples}
        self._sizes = sorted(sizes - {0})

    def found(self, text: str) -> Iterator[Likeness]:
        """Every run of as many words as some example has, nothing but blanks between them, with its likeness."""
        words = list(_WORD.finditer(text))
        for size in self._sizes:
            for first in range(len(words) - size + 1):
                run = words[first : first + size]
                if all(text[a.end() : b.start()].isspace() for a, b in pairwise(run)):
                    yield self._of(text, run[0].start(), run[-1].end())

    def _of(self, text: str, start: int, end: int) -> Likeness:
        own = folded(text[start:end])
        if own in self._examples:
            return Likeness(start, end, True, 1.0)
        if len(own) >= _LEAST_SAME and any(fuzz.ratio(own, example) >= _SAME for example in self._examples):
            return Likeness(start, end, True, 0.9)
        vector = vector_of(text[start:end])
        most = max((float(vector @ example) for example in self._examples.values()), default=0.0)
        against = max((float(vector @ other) for other in self._counter), default=0.0)
        return Likeness(start, end, False, max(0.0, most - max(0.0, against - 0.5 * most)))


def vector_of(text: str) -> Vector:
    """A text as a vector of length one, ``(1024,)``."""
    made = np.zeros(1 << _BITS, np.float32)
    for feature, weight in _features(text):
        code = zlib.crc32(feature.encode())
        made[code & ((1 << _BITS) - 1)] += weight if code >> 31 else -weight
    length = float(np.linalg.norm(made))
    return made / length if length else made


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text):
        framed = f"<{word.casefold()}>"
        for size in (2, 3):
            yield from ((framed[i : i + size], 1.0) for i in range(len(framed) - size + 1))
        yield f"end:{word.casefold()[-4:]}", 1.5
        yield f"word:{word.casefold()}", 2.0
        yield f"shape:{word_shape(word)}", 1.0


def word_shape(word: str) -> str:
    """The case of a word's letters and its digits, runs made one: "Xx" for "Heron", "X" for "BRCA", "Xd" for "T4"."""
    marks = ("d" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c for c in word)
    return re.sub(r"(.)\1+", r"\1", "".join(marks))

"""From a text to what the entity tagger's network reads, and from its answer back to spans of characters.

The network reads word pieces without case, so each piece also carries a class of its shape as it stands in the
text. What is known of a text (keyword of its attribute, label beside it) goes before it and carries no entity.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from deidra.app.domain.errors import ModelError
from deidra.app.domain.taxonomy import EntityType

Integers = NDArray[np.int64]
Reals = NDArray[np.floating[Any]]

TYPES = tuple(kind for kind in EntityType if kind is not EntityType.UNREAD)
"""What a piece can be part of, in the order of the labels."""
LABELS = ("O", *(f"{side}-{kind.value}" for kind in TYPES for side in "BI"))
"""The network's classes: outside, and for each type the first piece of an entity and every further one."""
WINDOW = 128
"""Most pieces that the network reads at once, with those at both ends and before the text."""
SHARED = 32
"""Pieces that two neighbouring windows share."""
PREFIX = 32
"""Most pieces before the text."""
SPLIT = 2.0
"""What it costs to change between entities inside a word, in logarithms of probability: few words are glued."""

KINDS = ("lower", "title", "upper", "mixed", "letters", "digits", "alphanumeric", "punctuation")
"""Shapes of a piece; ``letters`` are those of scripts without case."""
PLACES = ("inside", "after a blank", "first of a line")
"""Where a piece stands."""
SHAPES = 1 + len(KINDS) * len(PLACES)
"""Number of shape classes; 0 is for what is no part of the text."""

_BEFORE, _BEHIND = " /,;:|_=-)", " /,;:|_=-("
_LEAST = 1e-9
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WORDS_OF_TAG = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Row(NamedTuple):
    """Word pieces of one input, ``(L,)`` each: numbers in the vocabulary, and shape classes."""

    ids: Integers
    shape: Integers


class Inputs(NamedTuple):
    """Inputs of the network, ``(N, L)`` each; ``mask`` is 1 where there is a piece and 0 where the row is filled up."""

    ids: Integers
    shape: Integers
    mask: Integers


@dataclass(frozen=True, slots=True)
class Pieced:
    """A text in ``P`` pieces.

    ``row`` has their numbers and shapes; piece i is the characters ``start[i]`` up to ``end[i]`` of the text and
    belongs to the word ``word[i]`` (blanks and punctuation part words). ``prefix`` is what goes before.
    """

    text: str
    row: Row
    start: Integers
    end: Integers
    word: Integers
    prefix: Row

    def __len__(self) -> int:
        return len(self.start)


class Window(NamedTuple):
    """Pieces ``first`` up to ``last`` (exclusive) of a text as one input; the first of them stands at ``offset``."""

    first: int
    last: int
    offset: int
    row: Row


class Found(NamedTuple):
    """An entity: characters ``start`` up to ``end``, its mean probability and the mean variance of that."""

    start: int
    end: int
    type: EntityType
    score: float
    variance: float


def prefix_of(tag: str = "", label: str = "") -> str:
    """What goes before a text: the words of an attribute's keyword, the label beside it, a colon."""
    parts = (_WORDS_OF_TAG.sub(" ", tag), label.strip().rstrip(":").rstrip())
    said = " ".join(part for part in parts if part)
    return f"{said}:" if said else ""


def shape_of(text: str, start: int, end: int) -> int:
    """The shape class of the characters ``start`` up to ``end`` (at least one), 1 to ``SHAPES - 1``."""
    before = text[start - 1] if start else "\n"
    place = 2 if before in "\n\r" else 1 if before.isspace() else 0
    return 1 + len(KINDS) * place + KINDS.index(_kind(text[start:end]))


def _kind(piece: str) -> str:
    if piece.isalpha():
        # A single capital is rather an initial than a word.
        if piece.isupper():
            return "upper"
        if piece.islower():
            return "lower"
        if piece.lower() == piece.upper():
            return "letters"
        return "title" if piece[1:].islower() else "mixed"
    if piece.isdigit():
        return "digits"
    # Control characters and combining marks may stand between the letters of a piece.
    plain = "".join(c for c in piece if c.isalnum())
    if not plain:
        return "punctuation"
    return _kind(plain) if plain != piece and (plain.isalpha() or plain.isdigit()) else "alphanumeric"


class Pieces:
    """Cuts texts into pieces.

    Args:
        tokenizer: an uncased WordPiece tokenizer with ``[CLS]`` and ``[SEP]``.

    Raises:
        ValueError: the tokenizer has no such marks.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        ends = [number for name in ("[CLS]", "[SEP]") if (number := tokenizer.token_to_id(name)) is not None]
        if len(ends) != 2:
            raise ValueError("The tokenizer has no marks for both ends of a text.")
        self._ends = ends

    @classmethod
    def read(cls, path: Path) -> Pieces:
        """The tokenizer of a file ``tokenizer.json``.

        Raises:
            ModelError: the file cannot be read.
        """
        try:
            content = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"The tokenizer {path.name} cannot be read.", "Run: deidra doctor") from error
        return cls(Tokenizer.from_str(content))

    @property
    def vocabulary(self) -> dict[str, int]:
        """All pieces that there are, with their numbers."""
        return self._tokenizer.get_vocab()

    def cut(self, text: str, prefix: str = "") -> Pieced:
        """The text in pieces; ``prefix`` as of :func:`prefix_of`."""
        row, places, words = self._row(text)
        before, _, _ = self._row(prefix)
        before = Row(before.ids[:PREFIX], before.shape[:PREFIX])
        return Pieced(text, row, places[:, 0], places[:, 1], words, before)

    def _row(self, text: str) -> tuple[Row, Integers, Integers]:
        # A lone surrogate is no character that could be encoded; what replaces it is as long and is left out.
        cut = self._tokenizer.encode(_SURROGATE.sub("\ufffd", text), add_special_tokens=False)
        places = np.array(cut.offsets, np.int64).reshape(-1, 2)
        shape = np.array([shape_of(text, start, end) for start, end in cut.offsets], np.int64)
        return Row(np.array(cut.ids, np.int64), shape), places, np.array(cut.word_ids, np.int64)

    def windows(self, pieced: Pieced) -> list[Window]:
        """Inputs that together hold all pieces of the text: none for a text without any, as few as can be."""
        room = WINDOW - len(self._ends) - len(pieced.prefix.ids)
        made = []
        for first, last in _stretches(len(pieced), room):
            ids = (self._ends[:1], pieced.prefix.ids, pieced.row.ids[first:last], self._ends[1:])
            shape = ([0], pieced.prefix.shape, pieced.row.shape[first:last], [0])
            row = Row(*(np.concatenate(parts).astype(np.int64) for parts in (ids, shape)))
            made.append(Window(first, last, 1 + len(pieced.prefix.ids), row))
        return made


def _stretches(count: int, room: int) -> Iterator[tuple[int, int]]:
    """Begin and end of stretches of at most ``room`` that share ``SHARED`` with the next."""
    first = 0
    while first < count:
        last = min(count, first + room)
        yield first, last
        if last == count:
            return
        first = last - SHARED


def padded(rows: Sequence[Row], multiple: int = 1) -> Inputs:
    """Rows side by side, filled up with zeros to the longest, or to the next multiple of its length."""
    longest = max(len(row.ids) for row in rows)
    out = np.zeros((3, len(rows), -(-longest // multiple) * multiple), np.int64)
    for number, row in enumerate(rows):
        out[0, number, : len(row.ids)] = row.ids
        out[1, number, : len(row.ids)] = row.shape
        out[2, number, : len(row.ids)] = 1
    return Inputs(out[0], out[1], out[2])


def whole(windows: Sequence[Window], answers: Sequence[Reals], count: int) -> Reals:
    """The answer for each of ``count`` pieces, ``(count, labels)``.

    Args:
        windows: of :meth:`Pieces.windows`.
        answers: what the network says of each window, ``(L, labels)`` at least as long as its row.
        count: pieces of the text.

    A piece of two windows is read where it stands farther from the edge: there more of the text was seen.
    """
    result = np.zeros((count, len(LABELS)), np.float32)
    if not windows:
        return result
    seams = [0, *((a.last + b.first) // 2 for a, b in pairwise(windows)), count]
    for window, answer, (begin, end) in zip(windows, answers, pairwise(seams), strict=True):
        shift = window.offset - window.first
        result[begin:end] = answer[begin + shift : end + shift]
    return result


def best_labels(probability: Reals, word: Integers) -> Integers:
    """The most likely sequence of labels, ``(P,)``, in which every entity has a first piece (Viterbi).

    Args:
        probability: ``(P, labels)``.
        word: the word of each piece, ``(P,)``; inside a word a change costs ``SPLIT``.
    """
    gain = np.log(np.maximum(np.asarray(probability, np.float64), _LEAST))
    count, labels = gain.shape
    inner = np.arange(2, labels, 2)
    came = np.zeros((count, labels), np.int64)
    if not count:
        return came[:, 0]
    total = gain[0].copy()
    total[inner] = -np.inf
    for place in range(1, count):
        cost = SPLIT if word[place] == word[place - 1] else 0.0
        came[place] = total.argmax()
        new = np.full(labels, total.max() - cost)
        if total[0] > new[0]:
            came[place, 0], new[0] = 0, total[0]
        begun = total[inner - 1] >= total[inner]
        came[place, inner] = np.where(begun, inner - 1, inner)
        new[inner] = np.maximum(total[inner - 1], total[inner])
        total = new + gain[place]
    best = np.zeros(count, np.int64)
    best[-1] = total.argmax()
    for place in range(count - 1, 0, -1):
        best[place - 1] = came[place, best[place]]
    return best


@dataclass(frozen=True, slots=True)
class Reading:
    """What the network says of a text: its entities, in order and without overlap, and of each of its ``P`` pieces.

    ``start`` and ``end`` are the characters of the pieces, ``private`` how likely each is private at all, ``(P,)``.
    """

    entities: tuple[Found, ...]
    start: Integers
    end: Integers
    private: Reals

    def likelihood(self, start: int, end: int) -> float:
        """How likely the surest piece of the characters ``start`` up to ``end`` is private; 0 where there is none."""
        return float(self.private[(self.start < end) & (self.end > start)].max(initial=0.0))


def reading_of(pieced: Pieced, probability: Reals, variance: Reals) -> Reading:
    """What the network says of a text; arguments as for :func:`found_in`."""
    entities = tuple(found_in(pieced, probability, variance))
    return Reading(entities, pieced.start, pieced.end, np.clip(1 - probability[:, 0], 0, 1))


def found_in(pieced: Pieced, probability: Reals, variance: Reals) -> list[Found]:
    """The entities of a text, in order and without overlap.

    Args:
        pieced: the text.
        probability: of each piece and label, ``(P, labels)``.
        variance: the same.

    A piece's probability of being in an entity of a type is the sum of both its labels; its variance is the sum of
    theirs (what they have in common is mostly negative and left out), at most that of a quantity between 0 and 1.
    """
    found = []
    for first, last, number in _runs(best_labels(probability, pieced.word)):
        pair = slice(1 + 2 * number, 3 + 2 * number)
        sure = np.minimum(probability[first:last, pair].sum(1), 1.0)
        spread = np.minimum(variance[first:last, pair].sum(1), sure * (1 - sure))
        begin, end = int(pieced.start[first]), _with_marks(pieced.text, int(pieced.end[last - 1]))
        if TYPES[number] is not EntityType.OTHERPHI:
            begin, end = without_separators(pieced.text, begin, end)
        if begin < end:
            found.append(Found(begin, end, TYPES[number], float(sure.mean()), float(np.maximum(spread, 0).mean())))
    return found


def without_separators(text: str, begin: int, end: int) -> tuple[int, int]:
    """The characters ``begin`` up to ``end`` without separators at their ends, which belong to what stands beside."""
    while begin < end and text[begin] in _BEFORE:
        begin += 1
    while begin < end and text[end - 1] in _BEHIND:
        end -= 1
    return begin, end


def _runs(labels: Integers) -> Iterator[tuple[int, int, int]]:
    """First piece, last piece (exclusive) and number of the type of each entity."""
    begins = [int(place) for place in np.flatnonzero(labels % 2 == 1)]
    for first in begins:
        last = first + 1
        while last < len(labels) and labels[last] == labels[first] + 1:
            last += 1
        yield first, last, (int(labels[first]) - 1) // 2


def _with_marks(text: str, end: int) -> int:
    """``end`` behind the combining marks that belong to the character before it."""
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end


def labels_of(pieced: Pieced, spans: Iterable[tuple[int, int, EntityType]]) -> Integers:
    """The label of each piece, ``(P,)``; a piece that is partly in a span belongs to it, to the first of two.

    Args:
        pieced: the text.
        spans: begin, end (exclusive) and type of each, in order and without overlap.
    """
    labels = np.zeros(len(pieced), np.int64)
    for begin, end, kind in spans:
        inside = np.flatnonzero((pieced.start < end) & (pieced.end > begin) & (labels == 0))
        if len(inside):
            labels[inside] = 2 + 2 * TYPES.index(kind)
            labels[inside[0]] -= 1
    return labels

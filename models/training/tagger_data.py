"""Training texts of the entity tagger: synthetic samples in pieces, with a label for each piece, in batches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from itertools import count
from random import Random
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from deidra.app.detect.wordlist import WordList
from deidra.app.synth.texts.generate import sample
from deidra.app.synth.texts.sample import SOURCES, Split, TextSample, TextSpan
from deidra.models.tagger_pieces import Integers, Pieces, Row, labels_of, padded, prefix_of
from deidra.models.training.tagger_network import NO_LABEL

MIX = (35, 25, 20, 20)
"""How often each source is drawn, in the order of ``SOURCES``."""
MULTIPLE = 8
"""Lengths of batches are multiples of this, which suits the cores of cards."""
_RECASED = 0.1
"""Share of texts in capitals, and as many without any."""
_BARE = 0.15
"""Share of texts without what is known of them."""
_REWORDED = 0.35
"""Share of texts in which some of the words around private values are replaced."""
_REPLACED = 0.12
"""Share of their words that are."""
_JOINED = 0.04
"""Share of blanks beside private values that become another mark."""
_MARKS = ("/", " / ", "-", " - ", "_", ", ", "; ", "|", "\n", "  ", " (", ": ")
_ILL = ("osis", "itis", "emia", "aemia", "oma", "omas", "pathy", "algia", "uria", "iasis", "plegia", "rrhea", "phobia")
_WORD = re.compile(r"[^\W\d_]{3,}")
_POOL = 16
"""Batches whose texts are drawn together and sorted by length, so that little is filled up."""


class Labelled(NamedTuple):
    """One input of the network: its pieces, and the label of each (``NO_LABEL``: none is asked for), ``(L,)``."""

    row: Row
    labels: Integers


class Batch(NamedTuple):
    """Inputs of the network and labels of their pieces, ``(N, L)`` each, int64."""

    ids: Tensor
    shape: Tensor
    mask: Tensor
    labels: Tensor


def drawn(split: Split, seed: int, number: int, mix: Sequence[float] = MIX) -> TextSample:
    """The sample with this ``number`` of a series, diagnoses marked; sources as often as ``mix`` says."""
    source = Random(f"{seed} {number} source").choices(SOURCES, mix)[0]  # noqa: S311
    return sample(split, seed, number, source, health=True)


def recased(text: str, upper: bool) -> str:
    """The text in capitals or without, as long as before: what would become longer stays as it is."""
    made = ((c.upper() if upper else c.lower()) for c in text)
    return "".join(new if len(new) == 1 else old for old, new in zip(text, made, strict=True))


@lru_cache(maxsize=1)
def harmless_words() -> tuple[str, ...]:
    """Words of the word list that are neither names nor, by their ending, diagnoses."""
    data = resources.files("deidra.app.detect") / "data"
    words, given, family = (
        WordList((data / f"{name}.words").read_bytes()) for name in ("words", "first_names", "surnames")
    )
    return tuple(
        word for word in words if len(word) > 2 and not word.endswith(_ILL) and word not in given and word not in family
    )


def reworded(made: TextSample, rng: Random) -> TextSample:
    """The sample with some of the words between private values replaced by others, and some blanks beside them.

    A few hundred templates would be learnt by heart; what stands around a value is to be understood instead.
    """
    words = harmless_words()

    def other(match: re.Match[str]) -> str:
        word = match.group()
        if rng.random() >= _REPLACED:
            return word
        new = words[int(rng.random() * len(words))]
        return new.upper() if word.isupper() else new.title() if word[0].isupper() else new

    texts: list[str] = []
    spans: list[TextSpan] = []
    place = begin = 0
    for span in (*made.spans, None):
        between = _WORD.sub(other, made.text[begin : span.start if span else None])
        if between.startswith(" ") and spans and rng.random() < _JOINED:
            between = rng.choice(_MARKS) + between[1:]
        if between.endswith(" ") and span and rng.random() < _JOINED:
            between = between[:-1] + rng.choice(_MARKS)
        texts.append(between)
        place += len(between)
        if span:
            spans.append(replace(span, start=place, end=place + len(span.text)))
            texts.append(span.text)
            place, begin = place + len(span.text), span.end
    return replace(made, text="".join(texts), spans=tuple(spans))


def labelled(pieces: Pieces, made: TextSample, rng: Random | None = None) -> list[Labelled]:
    """The windows of a sample with their labels; changed by chance if there is ``rng``."""
    if rng and rng.random() < _REWORDED:
        made = reworded(made, rng)
    text, prefix = made.text, prefix_of(made.tag, made.label)
    if rng:
        chance = rng.random()
        if chance < 2 * _RECASED:
            text = recased(text, chance < _RECASED)
        if rng.random() < _BARE:
            prefix = ""
    pieced = pieces.cut(text, prefix)
    labels = labels_of(pieced, ((span.start, span.end, span.type) for span in made.spans))
    rows = []
    for window in pieces.windows(pieced):
        own = np.full(len(window.row.ids), NO_LABEL, np.int64)
        own[window.offset : window.offset + window.last - window.first] = labels[window.first : window.last]
        rows.append(Labelled(window.row, own))
    return rows


def collated(rows: Sequence[Labelled]) -> Batch:
    """A batch of inputs, filled up to the longest."""
    inputs = padded([row.row for row in rows], MULTIPLE)
    labels = np.full(inputs.ids.shape, NO_LABEL, np.int64)
    for place, row in enumerate(rows):
        labels[place, : len(row.labels)] = row.labels
    return Batch(*(torch.from_numpy(part) for part in (*inputs, labels)))


@dataclass(frozen=True, slots=True)
class Series:
    """Which samples are drawn: those of ``seed`` from ``first`` on, in turn by the processes of a ``world``."""

    seed: int
    first: int = 0
    rank: int = 0
    world: int = 1
    mix: tuple[float, ...] = MIX


class Texts(IterableDataset[Batch]):
    """Endless batches of ``batch`` inputs; the same for the same series and number of workers.

    A worker draws the texts of some batches together, sorts them by length and hands out batches in random order.
    """

    def __init__(self, pieces: Pieces, series: Series, batch: int) -> None:
        self._pieces, self._series, self._batch = pieces, series, batch

    def __iter__(self) -> Iterator[Batch]:
        series, info = self._series, get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        own, all_of_them = series.rank * workers + worker, series.world * workers
        rng = Random(f"{series.seed} {series.first} {own}")  # noqa: S311
        pool: list[Labelled] = []
        for number in count(series.first + own, all_of_them):
            made = drawn("train", series.seed, number, series.mix)
            pool += labelled(self._pieces, made, Random(f"{series.seed} {number} form"))  # noqa: S311
            if len(pool) >= _POOL * self._batch:
                # What is over waits for the next pool; chance decides what that is.
                rng.shuffle(pool)
                taken, pool = pool[: _POOL * self._batch], pool[_POOL * self._batch :]
                yield from self._batches(taken, rng)

    def _batches(self, rows: list[Labelled], rng: Random) -> Iterator[Batch]:
        rows.sort(key=lambda row: len(row.labels))
        starts = list(range(0, len(rows), self._batch))
        rng.shuffle(starts)
        for start in starts:
            yield collated(rows[start : start + self._batch])

"""The entity tagger as it runs: a small BERT with a variational last layer, through ONNX Runtime.

It says of every entity in a text what it is, how likely, and with which variance (paper 003, equations 6 to 13).
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deidra.models.registry import registry, verified_path
from deidra.models.runtime import session
from deidra.models.tagger_pieces import Found, Pieces, found_in, padded, prefix_of, whole

NAME = "deidra-tag"
"""The tagger's name in the registry of models."""
_TOGETHER = 16
"""Windows that are read at once."""
_MOST_SEEN = 20_000
"""Texts whose entities are remembered."""


@dataclass(frozen=True, slots=True)
class TextInput:
    """A text to be tagged; ``tag`` is the keyword of its attribute and ``label`` what stands beside it, if any."""

    text: str
    tag: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class TaggerCalibration:
    """What the network's probabilities are worth, measured on the calibration split; see
    ``deidra evaluate calibrate-tagger``.

    A probability p becomes the logistic of logit(p) / ``temperature``.
    """

    temperature: float

    def probability(self, score: float | NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Calibrated probabilities, of the shape of ``score``."""
        bounded = np.clip(np.asarray(score, np.float64), 1e-6, 1 - 1e-6)
        return np.asarray(1 / (1 + np.exp(-np.log(bounded / (1 - bounded)) / self.temperature)), np.float64)


@functools.cache
def tagger_calibration() -> TaggerCalibration:
    """The calibration of the shipped tagger.

    Raises:
        ModelError: the file is missing or is not the one that was tested.
    """
    told = json.loads(verified_path(f"{NAME}-calibration").read_text("utf-8"))
    return TaggerCalibration(told["temperature"])


def is_shipped() -> bool:
    """Whether the model's files are there; whether they are the right ones is checked when they are read."""
    return all(registry()[name].path.is_file() for name in (NAME, f"{NAME}-pieces", f"{NAME}-calibration"))


@functools.cache
def _pieces() -> Pieces:
    return Pieces.read(verified_path(f"{NAME}-pieces"))


class EntityModel:
    """Reads texts with the network; the session is made at the first text and shared by the process.

    What was said of a text is remembered.
    """

    def __init__(self) -> None:
        self._seen: dict[TextInput, tuple[Found, ...]] = {}

    def found(self, asked: TextInput) -> tuple[Found, ...]:
        """The entities of one text, in order and without overlap; scores as the network gives them.

        Raises:
            ModelError: the model is missing or damaged.
        """
        return self.read([asked])[0]

    def read(self, asked: Sequence[TextInput]) -> list[tuple[Found, ...]]:
        """The entities of each text; texts that are not known yet are read together, those of like length at once.

        The file's 8-bit multiplication rounds what is read together by one scale, so scores depend a little on the
        company. Where a result must repeat, texts are read one by one (:meth:`found`).

        Raises:
            ModelError: the model is missing or damaged.
        """
        new = [one for one in dict.fromkeys(asked) if one not in self._seen]
        fresh = dict(zip(new, self._tagged(new), strict=True)) if new else {}
        answers = [fresh[one] if one in fresh else self._seen[one] for one in asked]
        if len(self._seen) + len(fresh) > _MOST_SEEN:
            self._seen.clear()
        self._seen |= dict(list(fresh.items())[:_MOST_SEEN])
        return answers

    @staticmethod
    def _tagged(asked: Sequence[TextInput]) -> list[tuple[Found, ...]]:
        pieces = _pieces()
        pieced = [pieces.cut(one.text, prefix_of(one.tag, one.label)) for one in asked]
        windows = [pieces.windows(text) for text in pieced]
        places = [(number, place) for number, own in enumerate(windows) for place in range(len(own))]
        places.sort(key=lambda at: len(windows[at[0]][at[1]].row.ids))
        said: dict[tuple[int, int], tuple[NDArray[np.float32], NDArray[np.float32]]] = {}
        for start in range(0, len(places), _TOGETHER):
            batch = places[start : start + _TOGETHER]
            inputs = padded([windows[number][place].row for number, place in batch])
            probability, variance = session(NAME).run(None, dict(zip(inputs._fields, inputs, strict=True)))
            said |= dict(zip(batch, zip(probability, variance, strict=True), strict=True))
        answers = []
        for number, (text, own) in enumerate(zip(pieced, windows, strict=True)):
            parts = [[said[number, place][kind] for place in range(len(own))] for kind in (0, 1)]
            answers.append(tuple(found_in(text, *(whole(own, part, len(text)) for part in parts))))
        return answers

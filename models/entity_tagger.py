"""The entity tagger as it runs: a small BERT with a variational last layer, through ONNX Runtime.

It says of every entity in a text what it is, how likely, and with which variance (paper 003, equations 6 to 13).
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deidra.models.registry import registry, verified_path
from deidra.models.runtime import session
from deidra.models.tagger_pieces import Found, Pieces, Reading, padded, prefix_of, reading_of, whole

NAME = "deidra-tag"
"""The tagger's name in the registry of models."""
_TOGETHER = 16
"""Windows of a text that are read at once."""
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

    What was said of a text is remembered. The file's 8-bit multiplication rounds what is read together by one scale,
    so texts are read one by one, the windows of a long one together: what is said of a text never depends on others.
    """

    def __init__(self) -> None:
        self._seen: dict[TextInput, Reading] = {}

    def found(self, asked: TextInput) -> tuple[Found, ...]:
        """The entities of a text, in order and without overlap; scores as the network gives them.

        Raises:
            ModelError: the model is missing or damaged.
        """
        return self.reading(asked).entities

    def reading(self, asked: TextInput) -> Reading:
        """All that the network says of a text.

        Raises:
            ModelError: the model is missing or damaged.
        """
        if (known := self._seen.get(asked)) is not None:
            return known
        if len(self._seen) >= _MOST_SEEN:
            self._seen.clear()
        self._seen[asked] = _read(asked)
        return self._seen[asked]


def _read(asked: TextInput) -> Reading:
    pieces = _pieces()
    text = pieces.cut(asked.text, prefix_of(asked.tag, asked.label))
    windows = pieces.windows(text)
    said: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = []
    for start in range(0, len(windows), _TOGETHER):
        inputs = padded([window.row for window in windows[start : start + _TOGETHER]])
        probability, variance = session(NAME).run(None, dict(zip(inputs._fields, inputs, strict=True)))
        said += zip(probability, variance, strict=True)
    probabilities, variances = (whole(windows, [one[kind] for one in said], len(text)) for kind in (0, 1))
    return reading_of(text, probabilities, variances)

"""What the entity tagger's probabilities are worth: one temperature, fitted on synthetic texts kept for that.

The network's mean probability p of an entity becomes the logistic of logit(p) / T (Guo et al., 2017). T is fitted to
whether the entity is private at all, on every other text; the rest tells what it is worth.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.taxonomy import EntityType
from deidra.app.evaluate.entity_figures import is_right
from deidra.app.evaluate.entity_sets import Mark
from deidra.app.evaluate.uncertainty import reliability
from deidra.app.progress import Meter, ProgressSink
from deidra.app.synth.texts.generate import samples
from deidra.models.entity_tagger import NAME, EntityModel, TaggerCalibration, TextInput
from deidra.models.registry import registry

FILE = "entity_tagger_calibration.json"
_TEMPERATURES = np.geomspace(0.4, 4.0, 121)
_BINS = 10
Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Told:
    """Found entities, ``(E,)``: ``score`` as the network gives it; ``right`` if private."""

    score: Reals
    right: NDArray[np.bool_]


def told(texts: int, seed: int = 0, progress: ProgressSink | None = None) -> tuple[Told, Told]:
    """What the network finds in even and in odd texts of the split "calibrate"; without diagnoses."""
    model, meter = EntityModel(), Meter("texts", texts, progress, None)
    rows: tuple[list[tuple[float, bool]], list[tuple[float, bool]]] = ([], [])
    for number, one in enumerate(samples("calibrate", seed, texts)):
        marks = tuple(Mark(span.start, span.end, span.type.value) for span in one.spans)
        # One by one, as the product reads.
        for entity in model.found(TextInput(one.text, one.tag, one.label)):
            if entity.type is not EntityType.HEALTH:
                mark = Mark(entity.start, entity.end, entity.type.value)
                rows[number % 2].append((entity.score, is_right(mark, marks)))
        meter.step()
    return _told(rows[0]), _told(rows[1])


def _told(rows: list[tuple[float, bool]]) -> Told:
    table = np.array(rows, np.float64).reshape(-1, 2)
    return Told(table[:, 0], table[:, 1] > 0)


def fitted(seen: Told) -> float:
    """The temperature at which the entities are likeliest: the least mean cross entropy over a grid."""
    losses = [_cross_entropy(TaggerCalibration(t).probability(seen.score), seen.right) for t in _TEMPERATURES]
    return round(float(_TEMPERATURES[int(np.argmin(losses))]), 4)


def _cross_entropy(probability: Reals, right: NDArray[np.bool_]) -> float:
    return float(-np.log(np.where(right, probability, 1 - probability)).mean())


def calibrated_tagger(texts: int, progress: ProgressSink | None = None) -> dict[str, Any]:
    """The content of the calibration file: the temperature, and what it was made from."""
    even, odd = told(texts, progress=progress)
    temperature = fitted(even)
    after = TaggerCalibration(temperature).probability(odd.score)
    return {
        "temperature": temperature,
        "about": {
            "split": "calibrate",
            "texts": texts,
            "entities": len(even.score) + len(odd.score),
            "model_sha256": registry()[NAME].sha256,
            "error_before": round(reliability(odd.score, odd.right, _BINS).error, 4),
            "error_after": round(reliability(after, odd.right, _BINS).error, 4),
            "command": f"deidra evaluate calibrate-tagger --texts {texts}",
        },
    }


def write_tagger_calibration(made: dict[str, Any], out: Path) -> Path:
    """Write the calibration into a folder; returns the file."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / FILE
    path.write_text(json.dumps(made, indent=1) + "\n", "utf-8")
    return path

"""One synthetic image after another is made, searched and forgotten; what is kept of each are numbers.

Boxes are ``(left, top, right, bottom)`` in pixels of the image.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deidra.app.evaluate.detector_paint import Painted, allowed_mask, painted
from deidra.app.evaluate.precision import overlap_matrix
from deidra.app.evaluate.uncertainty import SNR_LEVELS, salt_and_pepper
from deidra.app.synth.scenes.scene import Scene, scene
from deidra.models.calibration import Calibration
from deidra.models.candidates import KINDS, Candidates
from deidra.models.runtime import share_cores
from deidra.models.text_detector import DetectedBox, PPOCRDetector
from deidra.models.variational_detector import VariationalDetector

Floats = NDArray[np.float32]
DETECTOR, PPOCR, UNION = "detector", "ppocr", "union"
"""Who painted: the variational detector, PP-OCR, both."""
NOISE_VIEW = (640, 640)
"""Largest width and height of images that noise is put on: there are many levels."""


@dataclass(frozen=True, slots=True)
class Truth:
    """Texts of an image, rows of ``T``.

    ``boxes (T, 4)`` clipped to the image, ``kind`` as an index into the detector's kinds, ``layout``, ``effect`` and
    ``type`` as words ("" for harmless), ``height`` and ``ink`` in pixels.
    """

    boxes: Floats
    kind: NDArray[np.int64]
    layout: list[str]
    effect: list[str]
    type: list[str]
    phi: NDArray[np.bool_]
    height: Floats
    ink: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates of the detector, rows of ``M``.

    ``boxes (M, 4)``, ``kind``, ``score`` (probability of text), ``own`` (probability of the kind), ``doubt`` (its
    variance), ``edge_variance (M, 4)`` in squared pixels.
    """

    boxes: Floats
    kind: NDArray[np.int64]
    score: Floats
    own: Floats
    doubt: Floats
    edge_variance: Floats


@dataclass(frozen=True, slots=True)
class Plain:
    """Boxes of PP-OCR: ``boxes (M, 4)`` upright bounds, ``score (M,)``."""

    boxes: Floats
    score: Floats


@dataclass(frozen=True, slots=True)
class Case:
    """All that is kept of one image. ``other`` is None where PP-OCR did not look."""

    suite: str
    seed: int
    width: int
    height: int
    background: str
    truth: Truth
    found: Found
    painted: dict[str, Painted]
    other: Plain | None

    def to_json(self) -> str:
        """One line."""
        return json.dumps(_plain(self), separators=(",", ":"))

    @staticmethod
    def from_json(line: str) -> Case:
        """The case that :meth:`to_json` wrote.

        Raises:
            ValueError: the line is not whole.
        """
        row = json.loads(line)
        truth = Truth(**{n: _column(n, v) for n, v in row.pop("truth").items()})
        found = Found(**{n: _column(n, v) for n, v in row.pop("found").items()})
        marks = {n: Painted(np.array(p.pop("share"), np.float64), **p) for n, p in row.pop("painted").items()}
        other = row.pop("other")
        plain = Plain(**{n: _column(n, v) for n, v in other.items()}) if other is not None else None
        return Case(truth=truth, found=found, painted=marks, other=plain, **row)


_TYPES: dict[str, Any] = {"kind": np.int64, "ink": np.int64, "phi": np.bool_}
_WORDS = ("layout", "effect", "type")


def _column(name: str, values: list[Any]) -> Any:
    if name in _WORDS:
        return values
    column = np.array(values, _TYPES.get(name, np.float32))
    return column.reshape(-1, 4) if name in ("boxes", "edge_variance") else column


def _plain(value: Any) -> Any:
    """What JSON can hold; six digits of numbers are enough."""
    if hasattr(value, "__slots__"):
        return {name: _plain(getattr(value, name)) for name in value.__slots__}
    if isinstance(value, dict):
        return {name: _plain(v) for name, v in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


@dataclass(slots=True)
class _Agents:
    """The detectors of this process; made once, as their sessions are."""

    detector: VariationalDetector | None = None
    ppocr: PPOCRDetector | None = None
    least_score: float = 0.0


_agents = _Agents()


def prepare(tuned: Calibration, workers: int) -> None:
    """Makes this process ready to examine images: the detector with its calibration, and a share of the cores."""
    if workers > 1:
        share_cores(workers)
    _agents.detector, _agents.ppocr = VariationalDetector(tuned=tuned), PPOCRDetector()
    _agents.least_score = tuned.least_score


def _detector() -> VariationalDetector:
    if _agents.detector is None:
        raise RuntimeError("prepare was not called")
    return _agents.detector


def examine(suite: str, split: str, seed: int, with_ppocr: bool) -> str:
    """One scene as a line of JSON; see :class:`Case`."""
    made = scene(suite, split, seed)
    candidates = _detector().candidates([made.image])[0]
    boxes = {DETECTOR: detector_boxes(candidates, _agents.least_score)}
    other = None
    if with_ppocr and _agents.ppocr is not None:
        boxes[PPOCR] = _agents.ppocr.detect(made.image)
        other = plain(boxes[PPOCR])
    return case(made, candidates, boxes, other).to_json()


def case(made: Scene, candidates: Candidates, boxes: dict[str, list[DetectedBox]], other: Plain | None = None) -> Case:
    """The numbers of one image; ``boxes`` are those that each agent would paint."""
    height, width = made.ink.shape
    allowed = allowed_mask([t.polygon for t in made.texts], height, width)
    polygons = {name: [b.polygon for b in found] for name, found in boxes.items()}
    if len(polygons) > 1:
        polygons[UNION] = [polygon for found in polygons.values() for polygon in found]
    marks = {name: painted(found, made.ink, len(made.texts), allowed) for name, found in polygons.items()}
    own = 1 + candidates.kind
    found = Found(
        candidates.boxes,
        candidates.kind,
        candidates.score,
        candidates.probability[np.arange(len(own)), own],
        candidates.doubt,
        candidates.edge_variance,
    )
    return Case(made.suite, made.seed, width, height, made.background, truth_of(made), found, marks, other)


def truth_of(made: Scene) -> Truth:
    """The key of a scene as columns."""
    texts = made.texts
    height, width = made.ink.shape
    boxes = np.array([t.box for t in texts], np.float32).reshape(-1, 4)
    styles = [t.style.split("/") for t in texts]
    return Truth(
        np.clip(boxes, 0, np.array([width, height] * 2, np.float32)),
        np.array([KINDS.index(t.kind) for t in texts], np.int64),
        [s[0] for s in styles],
        [s[-1] for s in styles],
        [str(t.type or "") for t in texts],
        np.array([t.phi for t in texts], bool),
        np.array([t.height for t in texts], np.float32),
        np.bincount(made.ink.ravel(), minlength=len(texts) + 1)[1 : len(texts) + 1],
    )


def detector_boxes(candidates: Candidates, least_score: float) -> list[DetectedBox]:
    """The boxes that the detector tells of: those of at least a mean probability."""
    return candidates.take(np.flatnonzero(candidates.score >= least_score)).told()


def plain(boxes: list[DetectedBox]) -> Plain:
    """Upright bounds and scores."""
    return Plain(bounds(boxes), np.array([b.score for b in boxes], np.float32))


def bounds(boxes: list[DetectedBox]) -> Floats:
    """Upright bounds of boxes, ``(M, 4)``."""
    rows = []
    for box in boxes:
        xs, ys = zip(*box.polygon, strict=True)
        rows.append((min(xs), min(ys), max(xs), max(ys)))
    return np.array(rows, np.float32).reshape(-1, 4)


def examine_noise(suite: str, split: str, seed: int) -> str:
    """One scene at each noise level as a line of JSON: variances and best overlaps of its boxes."""
    made, detector = scene(suite, split, seed, NOISE_VIEW), _detector()
    truth = truth_of(made).boxes
    levels = []
    for level in SNR_LEVELS:
        noisy = salt_and_pepper(made.image, level, np.random.default_rng([level, seed, 5]))
        found = detector.candidates([noisy])[0]
        found = found.take(np.flatnonzero(found.score >= _agents.least_score))
        overlap = overlap_matrix(found.boxes, truth)
        best = overlap.max(1) if overlap.shape[1] else np.zeros(len(overlap))
        levels.append({"variance": _plain(found.doubt), "overlap": _plain(best)})
    return json.dumps({"seed": seed, "texts": len(truth), "levels": levels}, separators=(",", ":"))

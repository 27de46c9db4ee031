"""Locating text: the detectors find lines on a picture, two readers say what they say."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deidra.app.detect.agents import AGENTS, UNREADABLE, Agent
from deidra.app.detect.boxes import Located, Sighting, together
from deidra.app.domain.geometry import bounding_box, iou
from deidra.app.domain.model import Evidence, FrameText, TextLine
from deidra.models.registry import verified_path
from deidra.models.text_detector import PPOCRDetector, TextDetector
from deidra.models.text_reader import PPOCRReader, Reading, TesseractReader, crop
from deidra.models.variational_detector import VariationalDetector

Image = NDArray[np.uint8]
_MAKERS: dict[Agent, Callable[[], TextDetector]] = {"deidra-det": VariationalDetector, "ppocr-det": PPOCRDetector}
_SAME_PLACE = 0.6
_MOST_REMEMBERED = 2000
"""Readings that are kept; a reading is a few hundred bytes."""


def detector(name: Agent) -> TextDetector:
    """A detector by its name.

    Raises:
        ModelError: its model is missing or is not the one that was tested.
    """
    verified_path(name)
    return _MAKERS[name]()


class TextLocator:
    """Finds and reads all text on pictures.

    Args:
        agents: names of the detectors that search every picture.
        second_reader: whether Tesseract reads every line as well.
        detectors: detectors in place of those that are named.
    """

    def __init__(
        self, agents: Sequence[Agent] = AGENTS, second_reader: bool = True, detectors: Sequence[TextDetector] = ()
    ) -> None:
        self._agents = agents
        self._given = detectors
        self._reader = PPOCRReader()
        self._second = TesseractReader() if second_reader else None
        self._memo: dict[bytes, tuple[Reading, Reading | None]] = {}

    @functools.cached_property
    def _detectors(self) -> Sequence[TextDetector]:
        """Made when the first picture comes: work without pictures needs no models."""
        return self._given or [detector(name) for name in self._agents]

    def lines(self, pictures: Sequence[Image]) -> list[TextLine]:
        """All text lines on renderings of one frame, top to bottom.

        Each picture is ``(H, W, 3)`` RGB of the same size, and every detector searches each; a line that
        is found several times is read on the picture that shows most of it.

        Raises:
            ModelError: a model is missing or damaged.
        """
        found = together(
            [
                Sighting(agent.name, number, box)
                for number, picture in enumerate(pictures)
                for agent in self._detectors
                for box in agent.detect(picture)
            ]
        )
        found.sort(key=lambda place: (place.polygon[0][1], place.polygon[0][0]))
        readings = self._read([crop(pictures[place.picture], place.polygon) for place in found])
        return [self._line(place, *pair) for place, pair in zip(found, readings, strict=True)]

    def _read(self, crops: list[Image]) -> list[tuple[Reading, Reading | None]]:
        """What both readers say of each crop. Frames of a series repeat their text pixel by pixel: read it once."""
        keys = [hashlib.sha256(repr(c.shape).encode() + c.tobytes()).digest() for c in crops]
        new = {key: c for key, c in zip(keys, crops, strict=True) if key not in self._memo}
        if new:
            # Tesseract is a process of its own: both readers work at the same time.
            with ThreadPoolExecutor(1) as pool:
                answer = pool.submit(self._second.read, list(new.values())) if self._second else None
                first = self._reader.read(list(new.values()))
                second = answer.result() if answer else None
            for number, key in enumerate(new):
                self._memo[key] = (first[number], second[number] if second is not None else None)
        answers = [self._memo[key] for key in keys]
        while len(self._memo) > _MOST_REMEMBERED:
            del self._memo[next(iter(self._memo))]
        return answers

    def _line(self, place: Located, first: Reading, second: Reading | None) -> TextLine:
        evidence = place.evidence(agent.name for agent in self._detectors)
        evidence.append(_read(self._reader.name, first))
        if second is not None:
            evidence.append(_read(TesseractReader.name, second))
        return TextLine(place.polygon, first.text, first.char_spans, tuple(evidence), place.kind)


def _read(agent: str, reading: Reading) -> Evidence:
    return Evidence(agent, reading.text, None, round(reading.confidence, 4), round(reading.variance, 4), "read")


def merge_frames(frames: Iterable[FrameText], total: int) -> list[FrameText]:
    """Lines that stand in the same place on several frames become one line of all frames.

    Redacting it everywhere is right even when one frame in between hid it. The result holds at most
    one entry with index None (all frames) and one for each frame with lines of its own.
    """
    frames = list(frames)
    if len(frames) <= 1:
        return frames if total <= 1 else [FrameText(None, f.width, f.height, f.lines) for f in frames]
    groups: list[list[tuple[int | None, TextLine]]] = []
    for frame in frames:
        for line in frame.lines:
            group = next((g for g in groups if _same_place(g[0][1], line)), None)
            if group is None:
                groups.append([(frame.index, line)])
            else:
                group.append((frame.index, line))
    shared = tuple(_agreed([line for _, line in g]) for g in groups if len(g) > 1 or g[0][0] is None)
    width, height = frames[0].width, frames[0].height
    merged = [FrameText(None, width, height, shared)] if shared else []
    for frame in frames:
        own = tuple(g[0][1] for g in groups if len(g) == 1 and g[0][0] is not None and g[0][0] == frame.index)
        if own:
            merged.append(FrameText(frame.index, width, height, own))
    return merged or [FrameText(None, width, height, ())]


def _agreed(lines: list[TextLine]) -> TextLine:
    """One line from those in the same place: the best read one, with what each detector said where it was surest.

    What is handwriting or a barcode on one frame must not pass for print because another frame is read better.
    """
    best = max(lines, key=_reading_score)
    located = {e.agent: e for e in best.evidence if e.text is None}
    for evidence in (e for line in lines for e in line.evidence if e.text is None):
        if evidence.agent not in located or evidence.score > located[evidence.agent].score:
            located[evidence.agent] = evidence
    read = [e for e in best.evidence if e.text is not None]
    kind = next((line.kind for line in lines if line.kind in UNREADABLE), best.kind)
    return replace(best, evidence=(*located.values(), *read), kind=kind)


def _same_place(a: TextLine, b: TextLine) -> bool:
    return iou(bounding_box(a.polygon), bounding_box(b.polygon)) >= _SAME_PLACE


def _reading_score(line: TextLine) -> float:
    return max((e.score for e in line.evidence if e.text), default=0.0)

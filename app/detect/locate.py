"""Locating text: the detector finds lines on a picture, two readers say what they say."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.geometry import Box, area, bounding_box, intersection_area, iou
from deidra.app.domain.model import Evidence, FrameText, TextLine
from deidra.models.text_detector import DetectedBox, PPOCRDetector, TextDetector
from deidra.models.text_reader import PPOCRReader, Reading, TesseractReader, crop

Image = NDArray[np.uint8]
_SAME_BOX = 0.6
"""A box of which this share lies in another of like height is the same line, seen on another rendering."""
_SAME_LINE_HEIGHT = 1.7
_SAME_PLACE = 0.6
_MOST_REMEMBERED = 2000
"""Readings that are kept; a reading is a few hundred bytes."""


class TextLocator:
    """Finds and reads all text on pictures.

    Args:
        detector: where text is; PP-OCRv6 unless another is given.
        second_reader: whether Tesseract reads every line as well.
    """

    def __init__(self, detector: TextDetector | None = None, second_reader: bool = True) -> None:
        self._detector = detector or PPOCRDetector()
        self._reader = PPOCRReader()
        self._second = TesseractReader() if second_reader else None
        self._memo: dict[bytes, tuple[Reading, Reading | None]] = {}

    def lines(self, pictures: Sequence[Image]) -> list[TextLine]:
        """All text lines on renderings of one frame, top to bottom.

        Each picture is ``(H, W, 3)`` RGB of the same size; a line found on several is read on the
        one where the detector was surest.
        """
        found = _without_repeats([(box, picture) for picture in pictures for box in self._detector.detect(picture)])
        found.sort(key=lambda pair: (pair[0].polygon[0][1], pair[0].polygon[0][0]))
        readings = self._read([crop(picture, box.polygon) for box, picture in found])
        return [self._line(box, *pair) for (box, _), pair in zip(found, readings, strict=True)]

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

    def _line(self, box: DetectedBox, first: Reading, second: Reading | None) -> TextLine:
        evidence = [
            Evidence(self._detector.name, None, None, round(box.score, 4), round(box.variance, 4), "text located here"),
            _read(self._reader.name, first),
        ]
        if second is not None:
            evidence.append(_read(TesseractReader.name, second))
        return TextLine(box.polygon, first.text, first.char_spans, tuple(evidence))


def _without_repeats(found: list[tuple[DetectedBox, Image]]) -> list[tuple[DetectedBox, Image]]:
    """One box a line: of boxes that lie in each other, the widest stays.

    One rendering may show only half of a line that another shows whole. A box that is much taller
    than a line inside it is no line itself, so both stay.
    """
    kept: list[tuple[DetectedBox, Image]] = []
    for pair in sorted(found, key=lambda p: -_width(bounding_box(p[0].polygon))):
        here = bounding_box(pair[0].polygon)
        if not any(_repeats(here, bounding_box(other.polygon)) for other, _ in kept):
            kept.append(pair)
    return kept


def _width(box: Box) -> int:
    return box[2] - box[0]


def _repeats(here: Box, there: Box) -> bool:
    alike = (there[3] - there[1]) <= _SAME_LINE_HEIGHT * (here[3] - here[1])
    return alike and intersection_area(here, there) >= _SAME_BOX * area(here)


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
    shared = tuple(max((line for _, line in g), key=_reading_score) for g in groups if len(g) > 1 or g[0][0] is None)
    width, height = frames[0].width, frames[0].height
    merged = [FrameText(None, width, height, shared)] if shared else []
    for frame in frames:
        own = tuple(g[0][1] for g in groups if len(g) == 1 and g[0][0] is not None and g[0][0] == frame.index)
        if own:
            merged.append(FrameText(frame.index, width, height, own))
    return merged or [FrameText(None, width, height, ())]


def _same_place(a: TextLine, b: TextLine) -> bool:
    return iou(bounding_box(a.polygon), bounding_box(b.polygon)) >= _SAME_PLACE


def _reading_score(line: TextLine) -> float:
    return max((e.score for e in line.evidence if e.text), default=0.0)

"""Places of a stack where text stands, what stands there, and on which frames.

Frames that were not searched are compared with those that were: what looks the same says the same, what looks otherwise
is read again. So a place may say one thing on some frames and another on others (a counter, a name that appears once).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from deidra.app.detect.agents import UNREADABLE
from deidra.app.domain.geometry import bounding_box, iou
from deidra.app.domain.model import FrameText, TextLine

Values = NDArray[np.generic]
Image = NDArray[np.uint8]
_SAME_PLACE = 0.6
_SAME_TEXT = 75.0
"""Texts this similar (of 100) are one text read twice; digits all count as the same, since counters count."""
_CHANGED = 0.05
"""Mean change of a place's pixels, as a share of their range, from which it is read again."""
_LEAST_CONFIDENCE = 0.5
_FIRM = 0.8
_LEAST_LETTERS = 3


class Reader(Protocol):
    """Reads lines of a frame again."""

    def glance(self, line: TextLine, picture: Image) -> tuple[str, float]:
        """What the first reader reads in the line's place, and how sure it is (0 to 1)."""

    def reread(self, lines: Sequence[TextLine], picture: Image) -> list[TextLine]:
        """The lines as all readers read them on another picture."""

    def is_text(self, line: TextLine, picture: Image) -> bool:
        """Whether a detector still sees text in the line's place."""


@dataclass(slots=True)
class _Text:
    """One text of a place: the line as it was read on several frames, and all frames on which it stands."""

    lines: list[TextLine]
    frames: set[int]


@dataclass(slots=True)
class _Spot:
    """One place. ``looks`` are its pixels on the frame that was last read, which says ``texts[now]``.

    ``gone``: on a later frame it showed no text. Should text appear again, the frame is searched.
    """

    place: tuple[int, int, int, int]
    looks: Values
    texts: list[_Text]
    now: int = 0
    gone: bool = False

    @property
    def line(self) -> TextLine:
        """The line that was read there last."""
        return self.texts[self.now].lines[-1]

    def says(self, line: TextLine, frame: int, looks: Values) -> None:
        """The place was read on a frame."""
        self.looks, self.gone = looks, False
        for number, text in enumerate(self.texts):
            if any(_same_text(line.text, known.text) for known in text.lines):
                text.lines.append(line)
                text.frames.add(frame)
                self.now = number
                return
        self.texts.append(_Text([line], {frame}))
        self.now = len(self.texts) - 1


@dataclass(slots=True)
class Spots:
    """All places of a stack. Frames count from 0 and come in their order.

    Args:
        reader: reads places again.
    """

    reader: Reader
    _spots: list[_Spot] = field(default_factory=list)

    def found(self, frame: int, lines: Iterable[TextLine], values: Values) -> None:
        """A frame was searched, and these lines were found; other places are looked at as on any frame."""
        met = []
        for line in lines:
            place = bounding_box(line.polygon)
            spot = next((s for s in self._spots if iou(s.place, place) >= _SAME_PLACE), None)
            if spot is None:
                spot = _Spot(place, _part(values, place), [])
                self._spots.append(spot)
            spot.says(line, frame, _part(values, spot.place))
            met.append(spot)
        self._look(frame, values, None, [s for s in self._spots if not any(s is m for m in met)])

    def glanced(self, frame: int, values: Values, picture: Callable[[], Image]) -> None:
        """A frame was not searched: every place is compared with how it looked, and read again if it changed.

        Args:
            frame: its number.
            values: its pixels as stored, ``(H, W)`` or ``(H, W, 3)``.
            picture: gives the same as a picture ``(H, W, 3)``; asked only where something is read again.
        """
        self._look(frame, values, picture, self._spots)

    def repeated(self, frame: int, earlier: int) -> None:
        """A frame equals an earlier one."""
        for spot in self._spots:
            for text in spot.texts:
                if earlier in text.frames:
                    text.frames.add(frame)

    def _look(self, frame: int, values: Values, picture: Callable[[], Image] | None, spots: Iterable[_Spot]) -> None:
        for spot in spots:
            looks = _part(values, spot.place)
            if not _differ(spot.looks, looks):
                spot.texts[spot.now].frames.add(frame)
            elif picture is not None and not spot.gone:
                spot.gone = not (_is_firm(spot.line) and self._again(spot, frame, looks, picture()))

    def _again(self, spot: _Spot, frame: int, looks: Values, picture: Image) -> bool:
        """Read a place that looks otherwise than before; whether text stands there."""
        text = spot.texts[spot.now]
        line = spot.line
        read, confidence = self.reader.glance(line, picture)
        if _same_text(read, line.text):
            text.frames.add(frame)
            spot.looks = looks
        elif read and confidence >= _LEAST_CONFIDENCE:
            (again,) = self.reader.reread([line], picture)
            spot.says(again, frame, looks)
        elif self.reader.is_text(line, picture):
            # It cannot be read here: it may be what stood here before.
            text.frames.add(frame)
        else:
            return False
        return True

    def lines(self, frame: int) -> list[TextLine]:
        """What stands on one frame, top to bottom."""
        found = [agreed(text.lines) for spot in self._spots for text in spot.texts if frame in text.frames]
        return sorted(found, key=lambda line: (line.polygon[0][1], line.polygon[0][0]))

    def text(self, total: int, width: int, height: int) -> list[FrameText]:
        """All text of a stack of ``total`` frames.

        A text that stands on several frames is one of all frames: redacting it everywhere is right even where
        something hid it. The result holds at most one entry with index None (all frames) and one for each frame with
        lines of its own; at least one.
        """
        shared: list[TextLine] = []
        own: dict[int, list[TextLine]] = {}
        for text in (t for spot in self._spots for t in spot.texts):
            line = agreed(text.lines)
            if len(text.frames) > 1:
                shared.append(line)
            else:
                own.setdefault(min(text.frames), []).append(line)
        found = [FrameText(None, width, height, tuple(shared))] if shared else []
        found += [FrameText(index, width, height, tuple(own[index])) for index in sorted(own)]
        return found or [FrameText(None if total > 1 else 0, width, height, ())]


def agreed(lines: Sequence[TextLine]) -> TextLine:
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


def _reading_score(line: TextLine) -> float:
    return max((e.score for e in line.evidence if e.text), default=0.0)


def _is_firm(line: TextLine) -> bool:
    """Whether a line is text beyond doubt: anatomy taken for a letter need not be read again on every slice."""
    surest = max((e.score for e in line.evidence if e.text), default=0.0)
    letters = sum(char.isalnum() for char in line.text)
    return line.kind in UNREADABLE or (letters >= _LEAST_LETTERS and surest >= _FIRM)


def _part(values: Values, place: tuple[int, int, int, int]) -> Values:
    left, top, right, bottom = place
    return values[max(0, top) : bottom, max(0, left) : right].copy()


def _differ(before: Values, now: Values) -> bool:
    if before.shape != now.shape:
        return True
    a, b = before.astype(np.float32), now.astype(np.float32)
    return bool(a.size and np.abs(a - b).mean() > _CHANGED * max(float(np.ptp(a)), float(np.ptp(b)), 1.0))


def _same_text(a: str, b: str) -> bool:
    a, b = (re.sub(r"\d", "0", "".join(text.split()).casefold()) for text in (a, b))
    return a == b or fuzz.ratio(a, b) >= _SAME_TEXT

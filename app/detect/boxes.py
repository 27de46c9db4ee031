"""How boxes of several detectors on several renderings become lines.

Two detectors hardly ever cut text in the same places. What they say of one line is put together: the widest
box is the line, boxes that lie in it or continue it belong to it, and it grows until it covers them all. So
every box of every agent is covered by the lines that come out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from deidra.app.detect.agents import UNREADABLE, VARIATIONAL, probability_digits, words_of
from deidra.app.domain.geometry import Point, Polygon, as_polygon
from deidra.app.domain.model import Evidence
from deidra.models.calibration import calibration
from deidra.models.text_detector import DetectedBox

_SAME_BOX = 0.6
"""A box of which this share lies in another of like height is the same line."""
_LIKE_HEIGHT = 1.7
"""Boxes are of like height if what holds both is at most this many times as high as the lower one."""
_LOOSE_HEIGHT = 2.6
"""The same where both have the same middle: PP-OCR draws its boxes wide of small letters. A box around three lines is
higher."""
_SAME_MIDDLE = 0.12
"""Middles of boxes that are this share of the higher one apart are the same; the two lines of a block are not."""
_SAME_HEIGHT = 1.35
"""The same for boxes that only overlap along a row."""
_ROW_OVERLAP = 0.5
"""Boxes of one row that overlap by this many heights are parts of one line."""
_SAME_TILT = math.radians(10)
_LONG = 2.0
"""Boxes longer than this many heights have a direction that can be trusted."""
_BLOCK = 4.0
"""A box at most this many lines high tells of the lines in it; a higher one may be anything."""
_VARIANCE_DIGITS = 8
"""Variances are compared as shares of a narrow range, so they keep more digits."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One box of one agent on one of the pictures (counted from 0)."""

    agent: str
    picture: int
    box: DetectedBox


@dataclass(frozen=True, slots=True)
class Located:
    """One line.

    Args:
        polygon: four corners, holding the boxes of all ``sightings``.
        picture: the picture that shows most of it.
        kind: "printed", "handwriting", "barcode", or "" where no agent says.
        sightings: the surest box of each agent that located it, by agent.
        around: a taller box of each agent that did not locate this line by itself but sees text here.
    """

    polygon: Polygon
    picture: int
    kind: str
    sightings: dict[str, DetectedBox]
    around: dict[str, DetectedBox]

    def evidence(self, agents: Iterable[str]) -> list[Evidence]:
        """What each of the agents says, in their order; those that see nothing say nothing."""
        found = []
        for agent in agents:
            if agent in self.sightings:
                found.append(_evidence(agent, self.sightings[agent], "located here"))
            elif agent in self.around:
                found.append(_evidence(agent, self.around[agent], "located here, in a box around more than this line"))
        return found


def _evidence(agent: str, box: DetectedBox, where: str) -> Evidence:
    """Evidence of one box. Of the variational agent ``score`` is the calibrated probability that the box is right."""
    detail, score = f"{words_of(box.kind)} {where}", box.score
    if agent == VARIATIONAL:
        tuned = calibration()
        score = float(tuned.probability(box.score))
        detail += f"; doubt {tuned.normalised(box.variance):.2f} of the observed range"
    return Evidence(agent, None, None, probability_digits(score), round(box.variance, _VARIANCE_DIGITS), detail)


def together(sightings: Sequence[Sighting]) -> list[Located]:
    """Lines from the boxes of all agents on all renderings of one frame, in no particular order.

    A box that is much taller than a line inside it is no line itself, so both stay. So do boxes of
    different kinds unless they are the same box: a signature beside a printed label must not be taken for
    read when the label is.
    """
    lines = [_Line(s.box.polygon, s.box.kind, [s]) for s in sightings]
    while True:
        # Longest first, of equal ones the surest; a line that has grown may hold what it did not before.
        lines.sort(key=lambda line: (-line.length, -line.sightings[0].box.score))
        kept: list[_Line] = []
        for line in lines:
            hosts = [(share, n) for n, other in enumerate(kept) if (share := other.takes(line)) > 0]
            if hosts:
                kept[max(hosts, key=lambda pair: (pair[0], -pair[1]))[1]].take(line)
            else:
                kept.append(line)
        if len(kept) == len(lines):
            break
        lines = kept
    return [_located(line, lines) for line in lines]


def _located(line: _Line, lines: Iterable[_Line]) -> Located:
    best: dict[str, DetectedBox] = {}
    for sighting in line.sightings:
        if sighting.agent not in best or sighting.box.score > best[sighting.agent].score:
            best[sighting.agent] = sighting.box
    around: dict[str, DetectedBox] = {}
    for other in lines:
        missing = [s for s in other.sightings if s.agent not in best]
        if missing and other.near(line):
            for sighting in missing:
                seen = around.get(sighting.agent)
                if (seen is None or seen.score < sighting.box.score) and _tells_of(sighting, line):
                    around[sighting.agent] = sighting.box
    return Located(line.polygon, line.sightings[0].picture, line.kind, best, around)


def _tells_of(sighting: Sighting, line: _Line) -> bool:
    """Whether a box that is no part of a line holds most of it, and is not so high that this means nothing."""
    block = _Line(sighting.box.polygon, "", [sighting])
    overlap = _Overlap(line, block)
    return overlap.of_first >= _SAME_BOX and block.height <= _BLOCK * line.height


@dataclass(slots=True)
class _Line:
    """A line that is being put together; the first of its sightings is the longest.

    ``across`` and ``along`` are unit vectors, ``least`` is the height of the lowest box in it.
    """

    polygon: Polygon
    kind: str
    sightings: list[Sighting]
    least: float = 0.0
    sides: tuple[Point, Point] = field(init=False)
    along: Point = field(init=False)
    across: Point = field(init=False)
    length: float = field(init=False)
    height: float = field(init=False)
    bounds: tuple[float, float, float, float] = field(init=False)

    def __post_init__(self) -> None:
        self._measure()
        self.least = self.height

    def _measure(self) -> None:
        (x, y), (right, down) = self.polygon[:2]
        size = math.hypot(right - x, down - y)
        first = ((right - x) / size, (down - y) / size) if size > 0 else (1.0, 0.0)
        second = (-first[1], first[0])
        self.sides = first, second
        spans = [high - low for low, high in (span(self.polygon, first), span(self.polygon, second))]
        # Upright text is longer across its upper edge than along it.
        self.along, self.across = (first, second) if spans[0] >= spans[1] else (second, first)
        self.length, self.height = max(spans), min(spans)
        xs, ys = [p[0] for p in self.polygon], [p[1] for p in self.polygon]
        self.bounds = min(xs), min(ys), max(xs), max(ys)

    def near(self, other: _Line) -> bool:
        """Whether the upright bounds touch: a quick answer for most pairs."""
        a, b = self.bounds, other.bounds
        return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]

    def takes(self, other: _Line) -> float:
        """How much of a shorter line this one holds, if both are one line; else 0."""
        if not self.near(other) or _crossing(self, other):
            return 0.0
        overlap = _Overlap(self, other)
        other_kind = self.kind and other.kind and self.kind != other.kind
        if other_kind and min(overlap.of_first, overlap.of_second) < _SAME_BOX:
            return 0.0
        least = min(self.least, other.least)
        like = _LOOSE_HEIGHT if overlap.off_middle <= _SAME_MIDDLE else _LIKE_HEIGHT
        same_line = overlap.of_second >= _SAME_BOX and overlap.height <= like * least
        same_row = overlap.along >= _ROW_OVERLAP * least and overlap.height <= _SAME_HEIGHT * least
        return max(overlap.of_second, 1e-6) if same_line or same_row else 0.0

    def take(self, other: _Line) -> None:
        """Make another line a part of this one, and cover it."""
        self.polygon = united(self.polygon, other.polygon)
        # What may be handwriting or a barcode must not pass for print.
        self.kind = max(self.kind, other.kind, key=lambda kind: (kind in UNREADABLE, bool(kind)))
        self.sightings += other.sightings
        self.least = min(self.least, other.least)
        self._measure()


class _Overlap:
    """Two lines in the directions of the first.

    ``along`` pixels that they share along it, ``height`` of what holds both, ``off_middle`` the distance of their
    middles across it as a share of the higher one, ``of_first`` and ``of_second`` the shares of each that the other
    holds.
    """

    def __init__(self, first: _Line, second: _Line) -> None:
        a, b = span(first.polygon, first.along), span(second.polygon, first.along)
        c, d = span(first.polygon, first.across), span(second.polygon, first.across)
        self.along = min(a[1], b[1]) - max(a[0], b[0])
        self.height = max(c[1], d[1]) - min(c[0], d[0])
        higher = max(c[1] - c[0], d[1] - d[0], 1e-9)
        self.off_middle = abs(sum(c) - sum(d)) / 2 / higher
        shared = max(0.0, self.along) * max(0.0, min(c[1], d[1]) - max(c[0], d[0]))
        self.of_first = shared / max((a[1] - a[0]) * (c[1] - c[0]), 1e-9)
        self.of_second = shared / max((b[1] - b[0]) * (d[1] - d[0]), 1e-9)


def _crossing(a: _Line, b: _Line) -> bool:
    """Two long boxes of different directions."""
    if min(a.length / max(a.height, 1e-9), b.length / max(b.height, 1e-9)) < _LONG:
        return False
    sine = abs(a.along[0] * b.along[1] - a.along[1] * b.along[0])
    return sine > math.sin(_SAME_TILT)


def span(polygon: Polygon, axis: Point) -> tuple[float, float]:
    """The lowest and highest coordinate of a polygon in a direction, given as a unit vector."""
    values = [x * axis[0] + y * axis[1] for x, y in polygon]
    return min(values), max(values)


def united(a: Polygon, b: Polygon) -> Polygon:
    """The smaller of the two rectangles, in the direction of either, that hold both; ``a`` itself if it does."""
    return min((_holding(a, b), _holding(b, a)), key=lambda found: found[0])[1]


def _holding(a: Polygon, b: Polygon) -> tuple[float, Polygon]:
    """Area and corners of the rectangle in the directions of ``a`` that holds both."""
    line = _Line(a, "", [])
    spans = []
    inside = True
    for axis in line.sides:
        (low, high), (other_low, other_high) = span(a, axis), span(b, axis)
        inside &= low <= other_low and other_high <= high
        spans.append((min(low, other_low), max(high, other_high)))
    (left, right), (top, bottom) = spans
    (ux, uy), (vx, vy) = line.sides
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    polygon = a if inside else as_polygon([(s * ux + t * vx, s * uy + t * vy) for s, t in corners])
    return (right - left) * (bottom - top), polygon

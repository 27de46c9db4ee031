"""Writing without fonts: letters, digits, signatures and scribbles as the movements of a pen.

Letters are those of ``hands.toml``; a :class:`Hand` bends them in its own way, the same way each time, and a little
differently at each place. Training and test share no form of a letter of which there are two, and no movement;
calibration has movements of its own and writes all forms. The manners of the splits differ in range, and overlap.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path as File

import numpy as np

from deidra.app.synth.scenes.strokes import Path, bowed, smooth, wander

Range = tuple[float, float]
Strokes = tuple[tuple[bool, Path], ...]
"""Strokes of a letter: whether it is a curve, and its points, y up, tall letters 8 high."""
_TALL = 8.0


@dataclass(frozen=True, slots=True)
class Family:
    """The manners of the hands of one split, each a range.

    ``slants`` are the lean to the right per height, ``widths`` and ``lows`` (the height of small letters) factors,
    ``joined`` the share of hands that join letters, ``own`` how far their letters are from those of the table.
    """

    slants: Range
    widths: Range
    lows: Range
    joined: float
    own: Range
    loops: Range


FAMILIES = {
    "train": Family((-0.12, 0.5), (0.62, 1.15), (0.72, 1.2), 0.55, (0.1, 0.34), (0.2, 1.0)),
    "calibrate": Family((-0.3, 0.3), (0.7, 1.3), (0.6, 1.0), 0.4, (0.15, 0.3), (0.1, 0.7)),
    "test": Family((-0.35, 0.65), (0.55, 1.35), (0.65, 1.3), 0.5, (0.15, 0.36), (0.4, 1.3)),
}
"""The family of each split."""


@dataclass(slots=True)
class Hand:
    """A writer: ``slant``, ``width``, ``low`` and ``tall`` shape all letters, ``seed`` bends each in its own way.

    ``bounce`` is how far letters leave the line, ``tremor`` how unsteady the pen is and ``gap`` the space between
    letters, all in eighths of a tall letter.
    """

    split: str
    seed: int
    slant: float
    width: float
    low: float
    tall: float
    joined: bool
    own: float
    bounce: float
    tremor: float
    gap: float
    loops: float
    _known: dict[str, Strokes] = field(default_factory=dict)


def any_hand(rng: np.random.Generator, split: str) -> Hand:
    """A writer of ``split``."""
    family = FAMILIES[split]
    return Hand(
        split,
        int(rng.integers(2**31)),
        float(rng.uniform(*family.slants)),
        float(rng.uniform(*family.widths)),
        float(rng.uniform(*family.lows)),
        float(rng.uniform(0.9, 1.5) if rng.random() < 0.3 else rng.uniform(0.85, 1.1)),
        bool(rng.random() < family.joined),
        float(rng.uniform(*family.own)),
        float(rng.uniform(0.05, 0.55)),
        float(rng.uniform(0.03, 0.16)),
        float(rng.uniform(0.3, 1.5)),
        float(rng.uniform(*family.loops)),
    )


def _parsed(form: str) -> Strokes:
    strokes = []
    for part in form.split(";"):
        curve = part.strip().startswith("~")
        points = [point.split(",") for point in part.strip().removeprefix("~").split()]
        strokes.append((curve, np.array(points, np.float64)))
    return tuple(strokes)


@lru_cache(maxsize=4)
def _table(split: str) -> tuple[dict[str, tuple[Strokes, ...]], tuple[Strokes, ...]]:
    """The forms of letters and the movements that ``split`` may use."""
    read = tomllib.loads(File(__file__).with_name("hands.toml").read_text(encoding="utf-8"))
    start, step = {"train": (0, 2), "calibrate": (0, 1), "test": (1, 2)}[split]
    letters = {
        letter: tuple(_parsed(form) for form in (forms[start::step] or forms))
        for letter, forms in read["letters"].items()
    }
    return letters, tuple(_parsed(form) for form in read["units"][split])


def writable(text: str) -> bool:
    """Whether there are strokes for all of ``text``."""
    letters = _table("train")[0]
    return bool(text.strip()) and all(letter in letters or letter == " " for letter in text)


def _letter(hand: Hand, letter: str) -> Strokes:
    """``letter`` as ``hand`` always makes it."""
    if letter not in hand._known:
        own = np.random.default_rng((hand.seed, ord(letter)))
        forms = _table(hand.split)[0][letter]
        strokes = forms[int(own.integers(len(forms)))]
        hand._known[letter] = tuple(
            (curve, points + own.normal(0, hand.own, points.shape)) for curve, points in strokes
        )
    return hand._known[letter]


def _shaped(hand: Hand, points: Path) -> Path:
    """``points`` with the proportions of ``hand``: small letters lower, tall ones taller."""
    y = points[:, 1]
    low = np.clip(y, -_TALL, 4) * hand.low
    high = np.clip(y - 4, 0, None) * (8 * hand.tall - 4 * hand.low) / 4
    return np.stack([points[:, 0] * hand.width, low + high], axis=1)


class _Line:
    """A line under way: its strokes, and the one that the next letter may go on from."""

    def __init__(self, rng: np.random.Generator, hand: Hand) -> None:
        self.rng, self.hand = rng, hand
        self.x = 0.0
        self.done: list[Path] = []
        self.going: list[Path] = []

    def lift(self) -> None:
        """Ends the joined stroke."""
        if self.going:
            self.done.append(smooth(np.concatenate(self.going)))
        self.going = []

    def add(self, strokes: Strokes, small: bool) -> None:
        """Writes one letter."""
        rng, hand = self.rng, self.hand
        size = 1 + rng.normal(0, 0.06)
        turn = rng.normal(0, 0.05)
        left = min(float(points[:, 0].min()) for _, points in strokes)
        up = rng.normal(0, hand.bounce)
        right = self.x
        for i, (curve, points) in enumerate(strokes):
            points = points + rng.normal(0, 2 * hand.tremor, points.shape) - (left, 0)
            points = _shaped(hand, points) * size
            points[:, 0] += self.x - turn * points[:, 1]
            points[:, 1] += up + turn * (points[:, 0] - self.x)
            right = max(right, float(points[:, 0].max()))
            if i == 0 and curve and small and hand.joined and rng.random() < 0.93:
                self.going.append(points)
                continue
            if i == 0:
                self.lift()
            self.done.append(smooth(points if curve else bowed(rng, points, 0.02 + 0.4 * hand.tremor)))
        gap = hand.gap * rng.uniform(0.5, 1.4)
        self.x = right + (0.1 * gap - 0.3 if self.going else gap)


def _finished(rng: np.random.Generator, hand: Hand, paths: list[Path], size: float) -> list[Path]:
    """Paths in units as pixels, y down: leaning, on a line that is not quite straight."""
    if not paths:
        return []
    length = max(1.0, max(float(path[:, 0].max()) for path in paths))
    level = wander(rng, 64, 20) * rng.uniform(0, 0.7)
    bow = rng.uniform(-0.025, 0.025) * length if rng.random() < 0.3 else 0.0
    finished = []
    for path in paths:
        share = path[:, 0] / length
        y = path[:, 1] + np.interp(share, np.linspace(0, 1, 64), level) + 4 * bow * share * (1 - share)
        tremor = rng.normal(0, 0.5 * hand.tremor, path.shape)
        finished.append(np.stack([path[:, 0] + hand.slant * y, -y], axis=1) * (size / _TALL) + tremor * (size / _TALL))
    return finished


def written(rng: np.random.Generator, hand: Hand, text: str, size: float) -> list[Path]:
    """The strokes of ``text``, see :func:`writable`; tall letters are about ``size`` pixels high."""
    line = _Line(rng, hand)
    for letter in text:
        if letter == " ":
            line.lift()
            # Wider gaps would make two texts of one.
            line.x += min(3.4, hand.gap + 2.2) * hand.low**0.5
            continue
        if not letter.islower():
            line.lift()
        line.add(_letter(hand, letter), letter.islower())
    line.lift()
    return _finished(rng, hand, line.done, size)


def unread(rng: np.random.Generator, hand: Hand, length: int, size: float) -> list[Path]:
    """About ``length`` movements that look like words and say nothing."""
    line = _Line(rng, hand)
    units = _table(hand.split)[1]
    while length > 0:
        count = min(length, int(rng.integers(2, 9)))
        if rng.random() < 0.4:
            line.add(_letter(hand, chr(65 + int(rng.integers(26)))), small=False)
        # Quick hands repeat few movements.
        some = [units[int(i)] for i in rng.integers(0, len(units), 4)]
        for _ in range(count):
            points = some[int(rng.integers(len(some)))][0][1]
            flat = rng.uniform(0.45, 1.1)
            line.add(((True, points * (rng.uniform(0.7, 1.2), flat)),), small=True)
        line.lift()
        line.x += 2.6 * hand.low**0.5
        length -= count
    return _finished(rng, hand, line.done, size)


def signature(rng: np.random.Generator, hand: Hand, size: float) -> list[Path]:
    """A name nobody can read: one or two large first letters, a line that runs out, flourishes."""
    line = _Line(rng, hand)
    units = _table(hand.split)[1]
    for _ in range(int(rng.integers(1, 4))):
        letter = _letter(hand, chr(65 + int(rng.integers(26))))
        grown = rng.uniform(1.1, 2.0)
        line.add(tuple((True, points * (grown * rng.uniform(0.8, 1.4), grown)) for _, points in letter), small=True)
        tail = int(rng.integers(0, 9))
        for i in range(tail):
            wane = 1 - 0.75 * i / max(1, tail)
            points = units[int(rng.integers(len(units)))][0][1]
            line.add(((True, points * (rng.uniform(0.8, 2.0), wane * rng.uniform(0.4, 1.1))),), small=True)
        if rng.random() < 0.4:
            line.lift()
    line.lift()
    paths = _finished(rng, hand, line.done, size)
    right = max(float(path[:, 0].max()) for path in paths)
    if rng.random() < 0.3:
        paths.append(_loops(rng, hand, size) + np.array([rng.uniform(0.2, 0.8) * right, 0]))
    turn = rng.random()
    if turn < 0.3:
        paths.append(underline(rng, 0.1 * right, right, 0.3 * size, size))
    elif turn < 0.5:
        # The last stroke swings back under the name.
        last = paths[-1][-1]
        swing = [(0, 0), (0.5, 0.2), (0.3, 0.7), (-1, 0.6), (-0.6 * right / size, rng.uniform(0.2, 0.6))]
        paths.append(smooth(last + size * np.array(swing)))
    return paths


def _loops(rng: np.random.Generator, hand: Hand, size: float) -> Path:
    """A row of loops that fades out."""
    t = np.linspace(0, 1, 120)
    phase = 2 * math.pi * rng.uniform(2, 7) * (t + rng.uniform(0, 0.4) * t**2) + rng.uniform(0, 6)
    high = size * rng.uniform(0.3, 0.7) * np.interp(t, (0, 0.2, 1), (1, 0.8, rng.uniform(0.1, 0.5)))
    x = size * rng.uniform(1, 3) * t + size * 0.25 * hand.loops * np.sin(phase + rng.uniform(0.6, 2.4))
    return np.stack([x - hand.slant * high * np.cos(phase), high * np.cos(phase) - 0.3 * size], axis=1)


def underline(rng: np.random.Generator, left: float, right: float, y: float, size: float) -> Path:
    """A line drawn in one go from ``left`` to ``right`` about ``y``."""
    x = np.linspace(left, right, 5)
    return smooth(np.stack([x, y + rng.normal(0, 0.05 * size, 5) + rng.normal(0, 0.02) * (x - left)], axis=1))


def crossed_out(rng: np.random.Generator, box: tuple[float, float, float, float], size: float) -> list[Path]:
    """What hides a word in ``box`` (left, top, right, bottom): zigzags, waves or loops to and fro."""
    left, top, right, bottom = box
    count = max(4, round((right - left) / size * rng.uniform(1.5, 5)))
    paths = []
    for _ in range(int(rng.integers(1, 4))):
        x = np.linspace(left, right, count) + rng.normal(0, 0.15 * size, count)
        y = np.where(np.arange(count) % 2, top, bottom) + rng.normal(0, 0.12 * (bottom - top), count)
        paths.append(smooth(np.stack([x, y], axis=1)))
    return paths


def marks(rng: np.random.Generator, size: float) -> list[Path]:
    """A sign that is no text: a tick, a cross, an arrow, a brace, a star or an empty ring."""
    turn = int(rng.integers(6))
    shapes: tuple[tuple[tuple[float, float], ...], ...] = (
        ((0, -0.4), (0.35, 0), (1.2, -1.3)),
        ((0, 0), (1, -1)),
        ((0, 0), (1.5, -0.2), (2.8, -0.1)),
        ((0.3, -2), (0.1, -1.2), (-0.2, -1), (0.1, -0.8), (0.3, 0)),
        ((0, -0.4), (0.9, -0.5), (0.1, 0), (0.5, -1), (0.8, 0), (0, -0.4)),
        (),
    )
    if turn == 5:
        return [ring(rng, (0, 0), (size * rng.uniform(0.5, 2), size * rng.uniform(0.5, 1)))]
    points = np.array(shapes[turn], np.float64) * size + rng.normal(0, 0.07 * size, (len(shapes[turn]), 2))
    paths = [smooth(bowed(rng, points, 0.08))]
    if turn == 1:
        paths.append(smooth(bowed(rng, size * np.array([(1, 0), (0, -1)]), 0.08)))
    elif turn == 2:
        tip = points[-1]
        paths.append(smooth(bowed(rng, tip + size * np.array([(-0.5, -0.35), (0, 0), (-0.45, 0.35)]), 0.05)))
    return paths


def ring(rng: np.random.Generator, middle: tuple[float, float], radii: tuple[float, float]) -> Path:
    """A ring around something that does not quite close."""
    start = rng.uniform(0, 6.3)
    t = np.linspace(start, start + 2 * math.pi * rng.uniform(0.93, 1.2), 26)
    wide = 1 + 0.08 * wander(rng, 26, 8)
    return np.stack([middle[0] + radii[0] * wide * np.cos(t), middle[1] + radii[1] * wide * np.sin(t)], axis=1)

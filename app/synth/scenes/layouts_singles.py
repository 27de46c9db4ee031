"""Lone characters: what a detector misses most, for training only."""

from __future__ import annotations

import numpy as np

from deidra.app.synth.scenes import words
from deidra.app.synth.scenes.canvas import Canvas, Paint, Rect, typed
from deidra.app.synth.scenes.layouts import anywhere, between, chance, drawn, letters, screen_paint

_SIDES = ("L", "R", "A", "P", "H", "F", "S", "I")
_SIZES = (8.5, 22.0)
"""Font sizes in pixels, whose capitals and digits are about 6 to 16 pixels high."""


def single(rng: np.random.Generator) -> str:
    """A letter of a side, two of them, a digit, or a number of one or two digits with or without a sign."""
    how = rng.random()
    if how < 0.45:
        return words.choose(rng, _SIDES)
    if how < 0.55:
        return words.choose(rng, _SIDES) + words.choose(rng, _SIDES)
    return words.fill(rng, words.choose(rng, ("#", "~", "~#", "~#", "~0", "-~")))


def singles(c: Canvas) -> None:
    """Three to fourteen lone characters and tokens of two, small, some of them beside a tick or a scale bar."""
    rng = c.rng
    kind = words.choose(rng, ("screen", "viewer"))
    size, varied = _size(rng), chance(rng, 0.5)
    look, paint = letters(c, kind, size), screen_paint(c, 0.3)
    for _ in range(between(rng, 3, 14)):
        if varied:
            look, paint = letters(c, kind, _size(rng)), screen_paint(c, 0.3)
        word = typed(single(rng))
        rect = anywhere(c, word, look, paint, "single")
        if rect is not None and chance(rng, 0.3):
            _tick(c, rect, paint)
    if chance(rng, 0.3):
        _bar(c)


def _size(rng: np.random.Generator) -> float:
    """A font size; small ones are more frequent than large ones."""
    return float(np.exp(rng.uniform(*np.log(_SIZES))))


def _tick(c: Canvas, rect: Rect, paint: Paint) -> None:
    """A tick to the left or right of ``rect``, or above or below it, with a gap that keeps it from being read."""
    rng = c.rng
    left, top, right, bottom = rect
    gap, long = between(rng, 4, 9), between(rng, 3, 12)
    x, y = (left + right) // 2, (top + bottom) // 2
    ends = (
        (left - gap - long, y, left - gap, y),
        (right + gap, y, right + gap + long, y),
        (x, top - gap - long, x, top - gap),
        (x, bottom + gap, x, bottom + gap + long),
    )[between(rng, 0, 3)]
    around = (min(ends[0], ends[2]), min(ends[1], ends[3]), max(ends[0], ends[2]) + 1, max(ends[1], ends[3]) + 1)
    if not (c.ink[max(0, around[1]) : max(0, around[3]), max(0, around[0]) : max(0, around[2])] > 0).any():
        c.stroke(ends[:2], ends[2:], paint.colour)
        c.take(around)


def _bar(c: Canvas) -> None:
    """A scale bar with ends or ticks and its length beside it."""
    rng = c.rng
    look, paint = letters(c, "screen", _size(rng)), screen_paint(c, 0.2)
    item = drawn(c, typed(words.fill(rng, words.choose(rng, ("~", "~#", "~ cm", "~#")))), look)
    if item is None:
        return
    rows, columns = item[1].alpha.shape
    long, arm = between(rng, 15, 90), between(rng, 2, 6)
    x, y = between(rng, 4, max(5, c.width - long - 10)), between(rng, rows + 12, max(rows + 13, c.height - rows - 16))
    whole = (x - 2, y - rows - 12, x + long + 2, y + rows + 14)
    if not c.free(whole):
        return
    for k in range(between(rng, 2, 6)):
        at = x + k * long // 5
        c.stroke((at, y - arm), (at, y), paint.colour)
    c.stroke((x, y), (x + long, y), paint.colour)
    corner = (x + (long - columns) // 2, y + 6 if chance(rng, 0.5) else y - arm - rows - 5)
    c.put(item[0], item[1], corner, paint, f"single/{look.face.family}", check=False)
    c.take(whole)

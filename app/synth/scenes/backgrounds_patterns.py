"""Test patterns and phantoms without text: pairs of lines, checks, rings, stars, steps, on a monitor or in a disc.

Patterns are shares (H, W) of light, 0 to 1. Their profile belongs to the split: bars as wide as their gaps (train),
sine waves (calibrate), narrow bars with soft edges (test).
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from deidra.app.synth.scenes.backgrounds_speckle import speckle
from deidra.app.synth.scenes.backgrounds_textures import (
    Colour,
    Family,
    Grey,
    blurred,
    box,
    chance,
    choose,
    disc,
    grain,
    noise,
    outline,
    paint,
    rgb,
    slope,
)

Size = tuple[int, int]
Pattern = Callable[[np.random.Generator, Size, Family], Grey]


def _wave(phase: Grey, family: Family) -> Grey:
    """The profile of bars, 0 to 1, with period 1 in ``phase``."""
    turn = np.cos(phase * np.float32(2 * np.pi))
    steep, lift = family.of((40.0, 0.0), (0.5, 0.0), (4.0, -1.6))
    return np.asarray(np.clip(steep * turn + 0.5 + lift, 0, 1), np.float32)


def _pace(rng: np.random.Generator, finest: float = 2.0) -> float:
    """The distance of two bars in pixels; fine ones are as frequent as coarse ones."""
    return float(np.exp(rng.uniform(np.log(finest), np.log(22))))


def pairs(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """Pairs of lines, upright, lying or slanting: of one pace or ever finer ones, at times fading."""
    w, h = size
    turn = float(choose(rng, (0.0, 0.0, np.pi / 2, np.pi / 2, float(rng.uniform(0, np.pi)))))
    rows, columns = np.arange(h, dtype=np.float32)[:, None], np.arange(w, dtype=np.float32)[None]
    along = columns * np.float32(np.cos(turn)) + rows * np.float32(np.sin(turn))
    pace = _pace(rng)
    if chance(rng, 0.3):
        along = along * (1 + np.abs(along) / np.float32(max(w, h)) * np.float32(rng.uniform(0.3, 2)))
    share = _wave(np.asarray(along / pace, np.float32), family)
    if chance(rng, 0.35):
        fade = np.linspace(1, rng.uniform(0, 0.3), w if chance(rng, 0.5) else h, dtype=np.float32)
        share = 0.5 + (share - 0.5) * (fade[None] if len(fade) == w else fade[:, None])
    return share


def few_bars(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """Groups of three to five bars, upright and lying by turns, each group smaller than the one before."""
    w, h = size
    share = np.zeros((h, w), np.float32)
    count, long, shrink = family.of(3, 5, 4), float(rng.uniform(0.3, 0.7)) * min(w, h), float(rng.uniform(0.6, 0.85))
    x, y, tall, upright = 0.0, 0.0, long, chance(rng, 0.5)
    while long > 5 and y < h:
        pace = long / (count - 0.5)
        for k in range(count):
            near, far = round(k * pace), max(round(k * pace) + 1, round((k + 0.5) * pace))
            if upright:
                share[int(y) : int(y + long), int(x) + near : int(x) + far] = 1
            else:
                share[int(y) + near : int(y) + far, int(x) : int(x + long)] = 1
        x, long, upright = x + 1.3 * long, long * shrink, not upright
        if x + long > w:
            x, y, tall = 0.0, y + 1.3 * tall, long
    return share


def checks(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """A chess board, of squares or of oblongs."""
    pace = _pace(rng, 3)
    wide = pace * float(choose(rng, (1, 1, rng.uniform(0.5, 2))))
    a = _wave(np.arange(size[0], dtype=np.float32)[None] / np.float32(2 * wide), family)
    b = _wave(np.arange(size[1], dtype=np.float32)[:, None] / np.float32(2 * pace), family)
    return np.asarray(a * b + (1 - a) * (1 - b), np.float32)


def rings(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """Rings about one point, at one pace or ever finer outwards."""
    rows, columns = np.ogrid[: size[1], : size[0]]
    x, y = size[0] * float(rng.normal(0.5, 0.05)), size[1] * float(rng.normal(0.5, 0.05))
    away = np.sqrt((columns - x) ** 2 + (rows - y) ** 2).astype(np.float32)
    phase = away / np.float32(_pace(rng, 3))
    if chance(rng, 0.3):
        phase = away**2 / np.float32(min(size) * rng.uniform(2, 12))
    return _wave(phase, family) * (away < min(size) / 2)


def star(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """A Siemens star: wedges that meet in one point."""
    rows, columns = np.ogrid[: size[1], : size[0]]
    x, y = size[0] / 2, size[1] / 2
    spokes = int(rng.integers(6, 73))
    phase = np.arctan2(rows - y, columns - x).astype(np.float32) * np.float32(spokes / (2 * np.pi))
    away = (columns - x) ** 2 + (rows - y) ** 2
    return _wave(phase, family) * (away < (min(size) / 2) ** 2)


def hatch(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """Thin crossing lines, or dots where they would cross."""
    pace, width = rng.uniform(4, np.clip(min(size) / 3, 6, 40), 2), family.of(1, 2, int(rng.integers(1, 4)))
    if chance(rng, 0.6):
        pace[1] = pace[0]
    across = np.mod(np.arange(size[0]) + rng.integers(20), pace[0])[None] < width
    down = np.mod(np.arange(size[1]) + rng.integers(20), pace[1])[:, None] < width
    return np.asarray(across & down if chance(rng, 0.25) else across | down, np.float32)


def steps(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """A wedge of grey steps, rising, falling or shuffled, in one row or in two that run against each other."""
    levels = np.linspace(0, 1, int(rng.integers(3, 20)), dtype=np.float32)[:: int(choose(rng, (1, -1)))]
    if chance(rng, family.of(0.15, 0.0, 0.3)):
        levels = rng.permutation(levels)
    small = np.stack([levels, levels[::-1]]) if chance(rng, 0.25) else levels[None]
    small = small.T if size[1] > size[0] else small
    return np.asarray(cv2.resize(np.ascontiguousarray(small), size, interpolation=cv2.INTER_NEAREST), np.float32)


def squares(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """Small squares in rows on one ground, each a little lighter or darker than the last; some hold a smaller one."""
    ground = float(rng.uniform(0, 1))
    share = np.full((size[1], size[0]), ground, np.float32)
    side, gap = float(rng.uniform(6, 40)), float(rng.uniform(1.1, 2))
    step, level = float(rng.uniform(0.01, 0.15)) * choose(rng, (-1, 1)), ground
    inner = chance(rng, family.of(0.4, 0.6, 0.2))
    for y in np.arange(1, size[1], side * gap):
        for x in np.arange(1, size[0], side * gap):
            level = float(np.mod(level + step, 1))
            paint(share, box(x, y, x + side, y + side), level)
            if inner:
                paint(share, box(x + side * 0.3, y + side * 0.3, x + side * 0.7, y + side * 0.7), 1 - level, 0.4)
    return share


PATTERNS: tuple[Pattern, ...] = (pairs, pairs, pairs, few_bars, checks, rings, star, hatch, steps, squares)
"""The patterns; what is common stands there twice."""


def _lay(rng: np.random.Generator, image: Grey, maker: Pattern, place: tuple[int, int, int, int], f: Family) -> None:
    """A pattern over ``place`` (left, top, right, bottom) between two grey levels, strong or hardly to be seen."""
    left, top, right, bottom = np.clip(place, 0, [image.shape[1], image.shape[0]] * 2).astype(int).tolist()
    if right - left < 6 or bottom - top < 6:
        return
    low, high = sorted(rng.uniform(0, 255, 2)) if chance(rng, 0.4) else choose(rng, ((0.0, 255.0), (255.0, 0.0)))
    share = maker(rng, (right - left, bottom - top), f)
    image[top:bottom, left:right] = np.float32(low) + share * np.float32(high - low)


def monitor(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """A test picture of a monitor: a grid, grey squares around the middle, blocks of patterns, rings, corners."""
    w, h = size
    ground = float(choose(rng, (0, 20, 60, 128, float(rng.uniform(0, 255)))))
    ink = float(ground + rng.uniform(40, 180) * (1 if ground < 128 else -1))
    image = np.full((h, w), ground, np.float32)
    pace = min(w, h) / float(rng.integers(6, 22))
    if chance(rng, 0.6):
        for x in np.arange(w / 2 % pace, w, pace):
            paint(image, np.array([(x, 0), (x, h)]), ink, width=1)
        for y in np.arange(h / 2 % pace, h, pace):
            paint(image, np.array([(0, y), (w, y)]), ink, width=1)
    _ring_of_squares(rng, image, pace)
    side = int(max(12, pace * rng.uniform(0.8, 2)))
    maker = choose(rng, PATTERNS)
    spots = [(0.03, 0.03), (0.97, 0.03), (0.03, 0.97), (0.97, 0.97), (0.5, 0.5), (0.5, 0.03), (0.5, 0.97), (0.03, 0.5)]
    for across, down in spots:
        if chance(rng, 0.75):
            x, y = int(across * (w - side)), int(down * (h - side))
            _lay(rng, image, maker if chance(rng, 0.6) else choose(rng, PATTERNS), (x, y, x + side, y + side), family)
    for _ in range(int(rng.integers(0, 4))):
        y, tall = int(rng.uniform(0, 0.9) * h), int(pace * rng.uniform(0.3, 1.5))
        margin = int(rng.uniform(0, 0.35) * w)
        _lay(rng, image, choose(rng, (steps, pairs, squares)), (margin, y, w - margin, y + tall), family)
    for radius in rng.uniform(0.1, 0.5, int(rng.integers(0, 4))) * min(w, h):
        turn = np.linspace(0, 2 * np.pi, 121)[:, None]
        circle = np.hstack([np.cos(turn), np.sin(turn)]) * radius + (w / 2, h / 2)
        paint(image, circle, ink, width=float(rng.uniform(1, 3)))
    if chance(rng, 0.5):
        _corner_marks(rng, image, pace, ink)
    return image


def _ring_of_squares(rng: np.random.Generator, image: Grey, pace: float) -> None:
    """Grey squares from black to white around the middle of a monitor's test picture."""
    h, w = image.shape
    count = int(rng.integers(8, 19))
    radius = min(w, h) * float(rng.uniform(0.2, 0.4))
    for k in range(count):
        turn = 2 * np.pi * k / count
        # On the edge of a square about the middle, not of a circle.
        way = np.array([np.cos(turn), np.sin(turn)])
        x, y = np.array([w, h]) / 2 + way / np.abs(way).max() * radius
        r = pace * 0.45
        level = 255 * k / (count - 1)
        paint(image, box(x - r, y - r, x + r, y + r), level)
        if chance(rng, 0.5):
            paint(image, box(x - r, y - r, x - r / 2, y - r / 2), level + 12)
            paint(image, box(x + r / 2, y + r / 2, x + r, y + r), level - 12)


def _corner_marks(rng: np.random.Generator, image: Grey, pace: float, ink: float) -> None:
    """Angles in the corners and arrow heads in the middle of the sides, as they mark the edge of a picture."""
    h, w = image.shape
    away, long = float(rng.uniform(1, 12)), pace * float(rng.uniform(0.8, 2))
    width = float(rng.uniform(1, 3))
    for x, across in ((away, long), (w - away, -long)):
        for y, down in ((away, long), (h - away, -long)):
            paint(image, np.array([(x + across, y), (x, y), (x, y + down)]), ink, width=width)
        paint(image, np.array([(x, h / 2), (x + across / 2, h / 2 - 9), (x + across / 2, h / 2 + 9)]), ink)


def phantom(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """A phantom: a disc or block with holes, rods, wires in lines, wedges or quarters of bars, under grain."""
    w, h = size
    radius = min(w, h) / 2 * float(rng.uniform(0.7, 0.98))
    body, ground = float(rng.uniform(40, 190)), float(choose(rng, (0, 0, 8, 30)))
    image = np.full((h, w), ground, np.float32)
    inside = disc(size, w / 2, h / 2, radius) if chance(rng, 0.75) else np.ones((h, w), np.float32)
    image += inside * np.float32(body - ground)
    how = int(rng.integers(5))
    if how == 0:
        _holes(rng, image, radius, body, family)
    elif how == 1:
        _wires(rng, image, radius, body)
    elif how == 2:
        _quarters(rng, image, inside, family)
    elif how == 3:
        _rods(rng, image, radius, body)
    else:
        for _ in range(int(rng.integers(2, 7))):
            x, y = (w / 2 + rng.normal(0, 0.35) * radius, h / 2 + rng.normal(0, 0.35) * radius)
            wide, high = rng.uniform(0.1, 0.7) * radius, rng.uniform(0.06, 0.4) * radius
            _lay(
                rng, image, choose(rng, PATTERNS), (int(x - wide), int(y - high), int(x + wide), int(y + high)), family
            )
    if chance(rng, 0.4):
        image *= 0.5 + noise(rng, size, 3, family, 1)
    if chance(rng, 0.3):
        image *= 0.4 + 0.6 * speckle(rng, size, family, float(rng.uniform(1, 5)), float(rng.uniform(1, 3)))
    return image


def _holes(rng: np.random.Generator, image: Grey, radius: float, body: float, family: Family) -> None:
    """Round inserts on circles about the middle, each smaller or fainter than the last."""
    h, w = image.shape
    for ring in rng.uniform(0.2, 0.85, int(rng.integers(1, 4))) * radius:
        count, r = int(rng.integers(4, 17)), float(rng.uniform(0.02, 0.12)) * radius
        contrast, shrink = float(rng.uniform(15, 140)) * choose(rng, (-1, 1)), float(rng.uniform(0.8, 1))
        for turn in np.linspace(0, 2 * np.pi, count, endpoint=False):
            at = (w / 2 + ring * float(np.cos(turn)), h / 2 + ring * float(np.sin(turn)))
            paint(image, outline(rng, family, at, (r, r), 0, 0), body + contrast, soft=0.7)
            r, contrast = max(1.0, r * shrink), contrast * (0.97 if shrink < 0.9 else -1)


def _wires(rng: np.random.Generator, image: Grey, radius: float, body: float) -> None:
    """Wires seen end on: lines of bright dots, straight or slanting, close together or apart."""
    h, w = image.shape
    for _ in range(int(rng.integers(2, 7))):
        at = np.array([w, h]) / 2 + rng.normal(0, 0.35, 2) * radius
        turn, pace = float(choose(rng, (0, np.pi / 2, rng.uniform(0, 3.1)))), float(rng.uniform(4, 45))
        long = float(rng.uniform(1, 5))
        for k in range(int(rng.integers(4, 15))):
            x, y = at + np.array([np.cos(turn), np.sin(turn)]) * k * pace
            paint(image, np.array([(x - long, y), (x + long, y)]), body + 120, width=2, soft=0.8)


def _quarters(rng: np.random.Generator, image: Grey, inside: Grey, family: Family) -> None:
    """A quarter each with bars of another pace, as the bar phantom of a gamma camera."""
    h, w = image.shape
    dark = float(rng.uniform(0, 60))
    for top, bottom in ((0, h // 2), (h // 2, h)):
        for left, right in ((0, w // 2), (w // 2, w)):
            window = (slice(top, bottom), slice(left, right))
            share = pairs(rng, (right - left, bottom - top), family) * inside[window]
            image[window] += share * (np.float32(dark) - image[window])


def _rods(rng: np.random.Generator, image: Grey, radius: float, body: float) -> None:
    """Six sectors full of rods, of another size each."""
    h, w = image.shape
    level = float(np.clip(body + rng.choice([-90, 110]), 0, 255))
    for sector in range(6):
        r = float(rng.uniform(0.015, 0.06)) * radius
        for ring in range(1, int(0.9 * radius / (4 * r))):
            away = ring * 4 * r
            for k in range(ring):
                turn = np.pi / 3 * (sector + (k + 0.5) / ring)
                at = (round(w / 2 + away * np.cos(turn)), round(h / 2 + away * np.sin(turn)))
                cv2.circle(image, at, max(1, round(r)), level, -1)


def pattern(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A test picture: of a monitor, of a phantom, or one pattern that fills all of it; sharp or soft, with grain."""
    how = rng.random()
    if how < 0.5:
        image = monitor(rng, size, family)
    elif how < 0.85:
        image = phantom(rng, size, family)
    else:
        image = slope(rng, size, 0, float(rng.uniform(20, 200)))
        _lay(rng, image, choose(rng, PATTERNS), (0, 0, *size), family)
    image = blurred(image, float(choose(rng, (0, 0, 0.6, 1.2))))
    return rgb(image + grain(rng, size, family, float(rng.uniform(1, 2.5))) * np.float32(rng.gamma(1.2, 4)))

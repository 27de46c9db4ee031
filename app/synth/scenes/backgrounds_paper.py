"""Flat things without text: ECG paper, documents, forms, windows of programs, gradients and bars."""

from __future__ import annotations

import numpy as np

from deidra.app.synth.scenes.backgrounds_textures import (
    Colour,
    Family,
    Grey,
    Points,
    blurred,
    box,
    chance,
    choose,
    grain,
    noise,
    outline,
    paint,
    rgb,
    slope,
)

Size = tuple[int, int]


def ecg(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """Several leads on a grid of millimetres, on pink, green or white paper or on a dark monitor."""
    w, h = size
    sheet, grid, ink = choose(
        rng,
        (
            ((255, 240, 240), (240, 150, 150), (20, 20, 30)),
            ((255, 255, 255), (255, 190, 170), (0, 0, 0)),
            ((240, 250, 235), (150, 200, 150), (10, 30, 60)),
            ((0, 0, 0), (40, 50, 40), (60, 255, 90)),
            ((8, 10, 30), (30, 40, 80), (255, 230, 60)),
            ((255, 255, 255), (225, 225, 225), (0, 0, 160)),
        ),
    )
    image = np.empty((h, w, 3), np.float32)
    image[:] = sheet
    step = int(rng.integers(5, 12))
    fine, coarse = np.asarray(grid) * 0.4 + np.asarray(sheet) * 0.6, grid
    for pace, colour in ((step, fine), (5 * step, coarse)):
        if pace >= 5 * step or chance(rng, 0.75):
            start = int(rng.integers(pace))
            image[start::pace] = colour
            image[:, start::pace] = colour
    rows = int(rng.integers(1, 13))
    beats = float(rng.uniform(3, 16))
    for row in range(rows):
        for line in _lead(rng, (w, h * (row + 0.5) / rows, 0.7 * h / rows), beats, family):
            paint(image, line, ink, width=float(rng.choice([1, 1, 2])), soft=0.3)
    return rgb(image)


def _lead(rng: np.random.Generator, place: tuple[float, float, float], beats: float, family: Family) -> list[Points]:
    """One lead as a line of points across ``place``: width, middle row and height in pixels."""
    w, middle, height = place
    time = np.linspace(0, 1, int(w) * 2)
    pace = beats * (1 + rng.normal(0, 0.01)) * time + family.of(0.0, 0.04, 0.08) * np.sin(12 * time) + rng.uniform(0, 1)
    beat = np.mod(pace, 1)
    size = rng.normal(0, 0.6, 5) + np.array([0.15, -0.1, 0.9, -0.3, 0.3])
    trace = np.zeros_like(time)
    for at, wide, tall in zip((0.2, 0.36, 0.4, 0.44, 0.65), (0.03, 0.009, 0.013, 0.011, 0.06), size, strict=True):
        trace += tall * np.exp(-(((beat - at) / wide) ** 2))
    trace += rng.gamma(1, 0.02) * rng.normal(0, 1, time.shape) + 0.1 * np.sin(time * rng.uniform(3, 30))
    return [np.stack([time * w, middle - 0.5 * height * trace], 1)]


def paper(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A scanned sheet: tone, fibres, stains, folds, holes, shadows at the edge, ruled lines, empty tables and boxes."""
    w, h = size
    tone = choose(
        rng, ((255, 255, 255), (250, 248, 240), (240, 230, 200), (225, 215, 180), (235, 240, 245), (200, 195, 185))
    )
    light = slope(rng, size, float(rng.uniform(0.8, 1)), 1.02) + (noise(rng, size, 60, family, 2) - 0.5) * np.float32(
        rng.uniform(0, 0.08)
    )
    image = np.asarray(tone, np.float32) * light[..., None]
    for _ in range(int(rng.poisson(1))):
        centre, r = (float(rng.uniform(0, w)), float(rng.uniform(0, h))), float(rng.gamma(2, 0.05) * w)
        stain = outline(rng, family, centre, (r, r), 0, 0.15)
        paint(image, stain, (190, 160, 110), float(rng.uniform(0.05, 0.35)), 2)
        paint(image, np.vstack([stain, stain[:1]]), (150, 110, 60), 0.3, 1.5, width=3)
    if chance(rng, 0.3):
        fold = float(rng.uniform(0.2, 0.8)) * h
        paint(image, np.array([(0, fold), (w, fold + rng.normal(0, 4))]), (140, 140, 140), 0.35, 1.5, width=2)
    if chance(rng, 0.2):
        for y in np.linspace(0.15, 0.85, int(rng.integers(2, 4))):
            paint(image, outline(rng, family, (0.04 * w, y * h), (9, 9), 0, 0), (60, 60, 60), 1, 0.7)
    if chance(rng, 0.5):
        _table(rng, image)
    if chance(rng, 0.25):
        edge = float(rng.uniform(0.005, 0.05) * w)
        paint(image, box(-9, -9, edge, h + 9), (20, 20, 20), 0.9, 2)
    if chance(rng, 0.3):
        image[:] = image.mean(2, keepdims=True)
    return rgb(image + grain(rng, size, family)[..., None] * np.float32(rng.gamma(1, 1.5)))


def _table(rng: np.random.Generator, image: Grey) -> None:
    h, w = image.shape[:2]
    ink = choose(rng, ((0, 0, 0), (120, 120, 120), (40, 70, 150), (190, 190, 190)))
    left, right = float(rng.uniform(0.02, 0.2) * w), float(rng.uniform(0.7, 0.98) * w)
    rows = np.arange(rng.uniform(0.05, 0.3) * h, rng.uniform(0.6, 0.97) * h, rng.uniform(14, 60))
    for row in rows:
        if chance(rng, 0.15):
            paint(image, box(left, row, right, row + 12), rng.uniform(150, 235, 3), 0.8)
        paint(image, np.array([(left, row), (right, row)]), ink, width=1)
    if chance(rng, 0.5) and len(rows) > 1:
        for column in np.linspace(left, right, int(rng.integers(2, 8))):
            paint(image, np.array([(column, rows[0]), (column, rows[-1])]), ink, width=1)


def screenshot(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A window of a program: title bar, tool bar with icons, panels, lists, empty fields, buttons, scroll bars."""
    w, h = size
    dark = chance(rng, 0.55)
    base = np.asarray(rng.uniform(15, 70) if dark else rng.uniform(190, 245)) + rng.normal(0, 6, 3)
    image = np.empty((h, w, 3), np.float32)
    image[:] = base
    line = base + (35 if dark else -45)
    accent = choose(rng, ((0, 120, 215), (230, 120, 20), (40, 160, 90), (120, 120, 130), (170, 30, 40)))
    bar = int(rng.integers(14, 40))
    paint(image, box(0, 0, w, bar), choose(rng, (accent, tuple(base * 0.8), tuple(base * 1.1))))
    for k in range(int(rng.integers(0, 4))):
        paint(image, box(w - 20 * k - 16, 4, w - 20 * k - 5, 14), tuple(line), 1, 0.4)
    x = 4.0
    while x < w * rng.uniform(0.3, 1):
        side = float(rng.integers(14, 34))
        _button(rng, image, (x, bar + 4, x + side, bar + 4 + side), family)
        x += side + float(rng.integers(2, 9))
    left, right = float(rng.uniform(0, 0.3) * w), float(rng.uniform(0.7, 1) * w)
    top = bar + 44.0
    for panel in ((0, top, left, h), (right, top, w, h)):
        paint(image, box(*panel), tuple(base + rng.normal(0, 12)))
        y, pace = panel[1] + 6, float(rng.uniform(16, 46))
        while y < h - pace:
            if chance(rng, 0.6):
                field = (panel[0] + 5, y, panel[2] - 5, y + pace * 0.75)
                paint(image, box(*field), choose(rng, (tuple(line), accent, (255, 255, 255), tuple(base * 0.9))), 0.7)
                paint(image, box(*field)[[0, 1, 2, 3, 0]], tuple(line), width=1)
            y += pace
    columns, rows = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    for k in range(columns * rows):
        cw, ch = (right - left) / columns, (h - top) / rows
        x0, y0 = left + (k % columns) * cw, top + (k // columns) * ch
        paint(
            image,
            box(x0 + 2, y0 + 2, x0 + cw - 2, y0 + ch - 2),
            choose(rng, ((0, 0, 0), (0, 0, 0), tuple(line), (255, 255, 255))),
        )
        if chance(rng, 0.4):
            paint(image, box(x0 + 1, y0 + 1, x0 + cw - 1, y0 + ch - 1)[[0, 1, 2, 3, 0]], accent, width=2)
        if chance(rng, 0.6):
            r = 0.35 * min(cw, ch)
            paint(image, outline(rng, family, (x0 + cw / 2, y0 + ch / 2), (r, r)), rng.uniform(40, 160), 1, 1.5)
    return rgb(image)


def _button(rng: np.random.Generator, image: Grey, place: tuple[float, float, float, float], family: Family) -> None:
    """A button with a small picture that is no letter."""
    left, top, right, bottom = place
    tone, ink = rng.uniform(60, 200, 3), rng.uniform(0, 255, 3)
    middle, r = ((left + right) / 2, (top + bottom) / 2), (right - left) * 0.3
    if chance(rng, 0.7):
        paint(image, box(*place), tone, 0.7)
    shape = outline(rng, family, middle, (r, r), float(rng.uniform(0, 90)), 0.2)
    how = int(rng.integers(4))
    if how == 0:
        paint(image, shape, ink)
    elif how == 1:
        paint(image, np.vstack([shape, shape[:1]]), ink, width=1.5)
    elif how == 2:
        paint(image, shape[::21], ink)
    else:
        paint(image, np.array([(middle[0] - r, middle[1]), (middle[0] + r, middle[1])]), ink, width=2)
        paint(image, np.array([(middle[0], middle[1] - r), (middle[0], middle[1] + r)]), ink, width=2)


def plain(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """One tone, a gradient, or clouds; grey more often than coloured."""
    low, high = rng.uniform(0, 255, 3), rng.uniform(0, 255, 3)
    if chance(rng, 0.65):
        low[:], high[:] = choose(rng, (0.0, 0.0, 255.0, float(rng.uniform(0, 255)))), rng.uniform(0, 255)
    how = int(rng.integers(4))
    if how == 0:
        share: Grey = np.zeros((size[1], size[0]), np.float32)
    elif how == 1:
        share = slope(rng, size, 0, 1)
    else:
        share = noise(rng, size, float(rng.uniform(2, 12) if how == 2 else rng.uniform(20, 150)), family)
    image = low.astype(np.float32) + share[..., None] * (high - low).astype(np.float32)
    return rgb(image + grain(rng, size, family, float(rng.uniform(1, 2)))[..., None] * np.float32(rng.gamma(1, 3)))


def bars(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """Test patterns and phantoms: bars of many widths, grey steps, checks, pairs of lines, rings, rods."""
    w, h = size
    image = np.full((h, w), rng.uniform(0, 120), np.float32)
    for _ in range(int(rng.integers(2, 9))):
        x, y = rng.uniform(-0.1, 0.8) * w, rng.uniform(-0.1, 0.8) * h
        wide, high = rng.uniform(0.1, 0.6) * w, rng.uniform(0.04, 0.4) * h
        how = int(rng.integers(5))
        count = int(rng.integers(3, 30))
        tone = rng.uniform(80, 255)
        for k in range(count):
            a, b = x + wide * k / count, x + wide * (k + 0.5) / count
            if how == 0:
                paint(image, box(a, y, b, y + high), tone)
            elif how == 1:
                paint(image, box(a, y, x + wide * (k + 1) / count, y + high), 255 * k / count)
            elif how == 2:
                paint(
                    image, outline(rng, family, (a, y + high / 2), (wide / count / 3, wide / count / 3), 0, 0.02), tone
                )
            elif how == 3:
                paint(
                    image, box(a, y + high * (k % 2) / 2, x + wide * (k + 1) / count, y + high * (k % 2 + 1) / 2), tone
                )
            else:
                ring = outline(
                    rng, family, (x + wide / 2, y + high / 2), (wide * k / count / 2, wide * k / count / 2), 0, 0
                )
                paint(image, np.vstack([ring, ring[:1]]), tone, width=1.5)
    image = blurred(image, float(rng.choice([0, 0.7, 1.5])))
    return rgb(image + grain(rng, size, family) * np.float32(rng.gamma(1.5, 3)))

"""Ultrasound without text: grey sectors with speckle, colour flow, spectral strips, motion mode, OCT.

Colour flow mosaics and spectral strips are made in many ways, because they break up into marks of the size of letters.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.synth.scenes.backgrounds_speckle import motion, speckle, spectrum
from deidra.app.synth.scenes.backgrounds_tables import MAPS, colour_map
from deidra.app.synth.scenes.backgrounds_textures import (
    Colour,
    Family,
    Grey,
    blurred,
    box,
    chance,
    choose,
    coloured,
    grain,
    noise,
    outline,
    paint,
    rgb,
    slope,
)

Size = tuple[int, int]
Place = tuple[int, int, int, int]
"""left, top, right, bottom in pixels."""

_FLOWS = {
    "red blue": [(120, 255, 255), (0, 120, 255), (0, 0, 200), (0, 0, 0), (200, 0, 0), (255, 110, 0), (255, 255, 100)],
    "variance": [(90, 255, 180), (0, 90, 255), (0, 0, 150), (0, 0, 0), (160, 0, 0), (255, 120, 0), (110, 255, 60)],
    "blue red": [(255, 240, 90), (255, 80, 0), (150, 0, 0), (0, 0, 0), (0, 0, 160), (0, 130, 255), (150, 255, 255)],
    "power": [(0, 0, 0), (90, 0, 0), (170, 40, 0), (230, 120, 0), (255, 200, 60), (255, 240, 170), (255, 255, 240)],
    "tissue": [(0, 255, 120), (0, 160, 160), (30, 60, 160), (0, 0, 0), (160, 60, 30), (220, 160, 0), (255, 255, 0)],
    "magenta": [
        (160, 255, 120),
        (0, 200, 120),
        (0, 90, 120),
        (0, 0, 0),
        (130, 0, 120),
        (230, 60, 160),
        (255, 190, 220),
    ],
}


def _echoes(rng: np.random.Generator, size: Size, family: Family) -> Grey:
    """Echoes (depth, line) before they are bent into a sector, 0 to 255: layers, organs, cysts, shadows, gain."""
    w, h = size
    level = 90 * noise(rng, size, float(rng.uniform(3, 8)), family, 3, float(rng.uniform(1, 4)))
    for _ in range(int(rng.integers(1, 6))):
        centre = (float(rng.uniform(0, w)), float(rng.uniform(0.15, 0.9) * h))
        radii = (float(rng.uniform(0.05, 0.35) * w), float(rng.uniform(0.04, 0.2) * h))
        shape = outline(rng, family, centre, radii, float(rng.uniform(-30, 30)))
        paint(level, shape, choose(rng, (0, 4, 40, 75, 130)), soft=2)
        paint(level, np.vstack([shape, shape[:1]]), rng.uniform(60, 170), rng.uniform(0.2, 0.9), 1.5, width=3)
    for _ in range(int(rng.integers(2, 9))):
        row = rng.uniform(0, h) + rng.normal(0, 0.02 * h, 6).cumsum()
        line = np.stack([np.linspace(-5, w + 5, 6), row], 1)
        paint(level, line, rng.uniform(40, 150), width=float(rng.uniform(1, 6)), soft=1, add=True)
    for _ in range(int(rng.integers(0, 3))):
        x, depth, half = rng.uniform(0, w), rng.uniform(0.2, 0.7) * h, rng.uniform(0.02, 0.07) * w
        paint(level, box(x - half, depth, x + half, h), choose(rng, (0, 0, 140)), 0.75, 3)
        paint(level, outline(rng, family, (x, depth), (half, 4)), 250, soft=1)
    coarse = 2.0 if chance(rng, 0.2) else 1.0
    speck = speckle(rng, size, family, coarse * float(rng.uniform(1.8, 5)), coarse * float(rng.uniform(1.2, 2.5)))
    echo = (level + 3) * (speck * speck if chance(rng, 0.2) else speck)
    depth_gain = np.interp(np.linspace(0, 1, h), np.linspace(0, 1, 6), rng.uniform(0.5, 1.25, 6))[:, None]
    echo *= depth_gain.astype(np.float32)
    if chance(rng, family.of(0.7, 0.5, 0.6)):
        echo = 58 * np.log1p(echo / np.float32(rng.uniform(4, 14)))
    return np.asarray(np.clip(echo, 0, 255), np.float32)


def _sector(rng: np.random.Generator, place: Place) -> tuple[Grey, Grey, Grey]:
    """Where each pixel of ``place`` lies: line and depth (H, W), both 0 to 1 inside, and the mask of the inside."""
    w, h = place[2] - place[0], place[3] - place[1]
    rows, columns = np.ogrid[0:h, 0:w]
    shape = choose(rng, ("sector", "curved", "curved", "linear", "trapezoid"))
    y = (rows / max(h - 1, 1)).astype(np.float32)
    x = ((columns - w / 2) / max(h - 1, 1)).astype(np.float32)
    if shape == "linear":
        half = min(w / h / 2, rng.uniform(0.35, 0.6))
        line, depth = x / (2 * half) + 0.5 + 0 * y, y + 0 * x
    elif shape == "trapezoid":
        half, open_ = rng.uniform(0.2, 0.35), rng.uniform(0.1, 0.5)
        line, depth = x / (2 * (half + open_ * y)) + 0.5, y + 0 * x
    else:
        inner = 0.02 if shape == "sector" else rng.uniform(0.15, 0.45)
        opening = rng.uniform(0.9, 1.5)
        up = inner * np.cos(opening / 2)
        outer = 1 + up
        radius = np.sqrt(x * x + (y + up) ** 2)
        line = np.arctan2(x, y + up) / opening + 0.5
        depth = (radius - inner) / (outer - inner)
    inside = ((line > 0) & (line < 1) & (depth > 0) & (depth < 1)).astype(np.float32)
    return line.astype(np.float32), depth.astype(np.float32), inside


def _bend(echo: NDArray[np.float32], line: Grey, depth: Grey, how: int = cv2.INTER_LINEAR) -> Grey:
    h, w = echo.shape[:2]
    return np.asarray(cv2.remap(echo, line * (w - 1), depth * (h - 1), how), np.float32)


def _console(rng: np.random.Generator, size: Size) -> tuple[Grey, Place]:
    """A console's empty screen (H, W, 3) and where its picture goes: panels, bars and buttons around it."""
    w, h = size
    screen = np.zeros((h, w, 3), np.float32)
    screen[:] = choose(rng, ((0, 0, 0), (0, 0, 0), (12, 14, 18), (30, 34, 42), (45, 45, 50), (20, 30, 60)))
    left, right = (int(rng.uniform(0, 0.2) * w) if chance(rng, 0.6) else 0 for _ in range(2))
    top, bottom = (int(rng.uniform(0.02, 0.14) * h) if chance(rng, 0.7) else 0 for _ in range(2))
    place = (left, top, w - right, h - bottom)
    if chance(rng, 0.5):
        tone = np.array(choose(rng, ((40, 44, 52), (70, 80, 95), (25, 40, 80), (150, 155, 160), (60, 60, 60))))
        for panel in ((0, 0, left, h), (w - right, 0, w, h), (0, 0, w, top), (0, h - bottom, w, h)):
            if chance(rng, 0.5) and panel[2] > panel[0] and panel[3] > panel[1]:
                paint(screen, box(*panel), tuple(tone * rng.uniform(0.6, 1.2)))
                _buttons(rng, screen, panel)
        paint(screen, box(*place), (0, 0, 0))
    return screen, place


def _buttons(rng: np.random.Generator, screen: Grey, panel: Place) -> None:
    tall = panel[3] - panel[1] > panel[2] - panel[0]
    count, length = int(rng.integers(0, 9)), max(panel[3] - panel[1], panel[2] - panel[0])
    for k in range(count):
        a, b = length * (k + 0.1) / count, length * (k + 0.9) / count
        place = (
            (panel[0] + 3, panel[1] + a, panel[2] - 3, panel[1] + b)
            if tall
            else (panel[0] + a, panel[1] + 3, panel[0] + b, panel[3] - 3)
        )
        paint(screen, box(*place), rng.uniform(30, 150, 3), 0.6)


def ultrasound(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A grey picture: one or two sectors on a console's screen."""
    screen, place = _console(rng, size)
    for part in _parts(rng, place, 0.2):
        line, depth, inside = _sector(rng, part)
        echo = _echoes(rng, (int(rng.integers(160, 300)), int(rng.integers(260, 420))), family)
        _put(screen, part, coloured(_bend(echo, line, depth), MAPS[_tint(rng, family)]), inside)
    return rgb(screen)


def _tint(rng: np.random.Generator, family: Family) -> str:
    return choose(rng, ("grey", "grey", "grey", family.of("sepia", "blue tint", "sepia")))


def _parts(rng: np.random.Generator, place: Place, both: float) -> list[Place]:
    if not chance(rng, both):
        return [place]
    middle = (place[0] + place[2]) // 2
    return [(place[0], place[1], middle - 3, place[3]), (middle + 3, place[1], place[2], place[3])]


def _put(screen: Grey, place: Place, picture: NDArray[np.uint8] | Grey, mask: Grey) -> None:
    window = screen[place[1] : place[3], place[0] : place[2]]
    share = mask[..., None]
    window += share * (picture - window)


def _flow(rng: np.random.Generator, size: Size, family: Family) -> tuple[Colour, Grey]:
    """Velocity colours (depth, line, RGB) of a colour flow box and where they are shown, 0 to 1."""
    usual: tuple[str, ...] = ("red blue", "variance", "power", "blue red")
    names = family.of(usual, ("red blue", "tissue"), ("magenta", "tissue", "red blue", "blue red"))
    table = colour_map(_FLOWS[choose(rng, names)])
    cells = float(rng.uniform(2, 14))
    velocity = (noise(rng, size, cells, family) - 0.5) * np.float32(rng.uniform(1, 5)) + np.float32(rng.normal(0, 0.3))
    velocity += noise(rng, size, float(rng.uniform(20, 60)), family, 1) * np.float32(rng.gamma(1.2, 0.2))
    if chance(rng, 0.4):
        velocity += grain(rng, size, family, float(rng.uniform(1, 5))) * np.float32(rng.gamma(1.5, 0.15))
    # Above the Nyquist velocity the colours wrap around: red turns blue through the brightest tones.
    wrapped = np.mod(velocity + 0.5, 1) if chance(rng, 0.6) else np.clip(velocity + 0.5, 0, 1)
    colours = coloured(wrapped.astype(np.float32) * 255, table)
    if chance(rng, 0.25):
        green = noise(rng, size, float(rng.uniform(15, 50)), family, 1) > rng.uniform(0.55, 0.75)
        colours[green] = (30, 220, 60)
    threshold = rng.uniform(0.35, 0.68)
    shown = (noise(rng, size, float(rng.uniform(3, 18)), family) > threshold).astype(np.float32)
    return colours, shown if chance(rng, 0.7) else blurred(shown, 1.5)


def doppler(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """Colour flow over a grey sector, a spectral or motion strip below it, or a strip alone."""
    screen, place = _console(rng, size)
    how = choose(rng, ("colour", "colour", "both", "both", "spectral", "motion"))
    if how == "colour":
        pictures, strip = _parts(rng, place, 0.15), None
    elif how == "both":
        middle = int(place[1] + (place[3] - place[1]) * rng.uniform(0.4, 0.65))
        pictures, strip = [(place[0], place[1], place[2], middle - 4)], (place[0], middle, place[2], place[3])
    else:
        pictures, strip = [], place
    for part in pictures:
        line, depth, inside = _sector(rng, part)
        echo = _echoes(rng, (200, 320), family)
        _put(screen, part, coloured(_bend(echo, line, depth), MAPS["grey"]), inside)
        for _ in range(1 if chance(rng, 0.8) else 2):
            _put_flow(rng, screen, part, (line, depth), family)
    if strip is not None:
        picture = motion(rng, _size(strip), family) if how == "motion" else spectrum(rng, _size(strip), family)
        _put(screen, strip, picture, np.ones(picture.shape[:2], np.float32))
    return rgb(screen)


def _size(place: Place) -> Size:
    return max(8, place[2] - place[0]), max(8, place[3] - place[1])


def _put_flow(rng: np.random.Generator, screen: Grey, part: Place, at: tuple[Grey, Grey], family: Family) -> None:
    left, top = float(rng.uniform(0.05, 0.5)), float(rng.uniform(0.1, 0.5))
    wide, high = float(rng.uniform(0.25, 0.6)), float(rng.uniform(0.2, 0.5))
    line, depth = (at[0] - left) / wide, (at[1] - top) / high
    if chance(rng, 0.3):
        line = line + depth * np.float32(rng.uniform(-0.4, 0.4))
    inside = ((line > 0) & (line < 1) & (depth > 0) & (depth < 1) & (at[0] > 0) & (at[0] < 1)).astype(np.float32)
    small = (int(rng.integers(40, 140)), int(rng.integers(50, 160)))
    colours, shown = _flow(rng, small, family)
    how = cv2.INTER_NEAREST if chance(rng, 0.3) else cv2.INTER_LINEAR
    _put(screen, part, _bend(colours.astype(np.float32), line, depth, how), inside * _bend(shown, line, depth, how))
    if chance(rng, 0.7):
        edge = np.asarray(cv2.morphologyEx(inside, cv2.MORPH_GRADIENT, np.ones((2, 2), np.uint8)), np.float32)
        tone = np.full(
            (1, 1, 3), choose(rng, ((255, 255, 255), (255, 255, 0), (0, 255, 0), (180, 180, 180))), np.float32
        )
        _put(screen, part, tone, edge)


def oct_scan(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """Optical coherence tomography: bent layers with speckle, grey or through a table."""
    w, h = size
    depth = np.arange(h, dtype=np.float32)[:, None] / h
    x = np.linspace(-1, 1, w)
    bend = rng.uniform(0.25, 0.5) + rng.normal(0, 0.1) * x**2 + rng.uniform(0, 0.15) * np.exp(-((x / 0.15) ** 2))
    under = depth - bend[None].astype(np.float32)
    edges = np.sort(rng.uniform(0, 0.35, 9))
    levels = [8, *rng.uniform(30, 220, 9), 160, 12]
    table = np.interp(np.linspace(-0.5, 1, 256), [-0.01, *edges, 0.36, 0.8], levels).astype(np.float32)
    layers = np.asarray(cv2.LUT(np.clip((under + 0.5) * 170, 0, 255).astype(np.uint8), table), np.float32)
    speck = speckle(rng, size, family, float(rng.uniform(1, 4)), float(rng.uniform(1, 2.5)))
    image = layers * (0.6 * speck * speck if chance(rng, 0.3) else speck) + slope(rng, size, 0, 10)
    if chance(rng, 0.4):
        # The noise of the camera where nothing scatters.
        image += np.float32(rng.uniform(5, 45)) * speckle(rng, size, family, float(rng.uniform(1, 3)), 1)
    return coloured(image, MAPS[choose(rng, ("grey", "inverse grey", family.of("rainbow", "spectrum", "violet")))])

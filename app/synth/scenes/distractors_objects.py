"""Things in or in front of the patient, and faults of the picture, that look like text and are none."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.synth.scenes.backgrounds_textures import Colour, Family, arc, branches, chance, choose, outline

Painter = Callable[[np.random.Generator, Colour, Family], None]
Tone = tuple[int, int, int]


def fixed(points: NDArray[np.float64]) -> NDArray[np.int32]:
    """Points in sixteenths of a pixel, as OpenCV draws them with ``shift=4``."""
    return np.round(np.clip(points, -4000, 8000) * 16).astype(np.int32)


def draw(image: Colour, points: NDArray[np.float64], tone: Tone, width: int = 1, *, closed: bool = False) -> None:
    """A line through ``points`` (N, 2), smooth at the edge."""
    cv2.polylines(image, [fixed(points)], closed, tone, width, cv2.LINE_AA, 4)


def fill(image: Colour, points: NDArray[np.float64], tone: Tone) -> None:
    """A filled polygon, smooth at the edge."""
    cv2.fillPoly(image, [fixed(points)], tone, cv2.LINE_AA, 4)


def spot(rng: np.random.Generator, image: Colour, margin: float = 0.05) -> tuple[float, float]:
    """A point ``(x, y)`` in the picture, ``margin`` of its sides away from the edge."""
    h, w = image.shape[:2]
    return float(rng.uniform(margin, 1 - margin) * w), float(rng.uniform(margin, 1 - margin) * h)


def screen_tone(rng: np.random.Generator, family: Family) -> Tone:
    """A colour of graphics on a screen; half of them white or grey."""
    if chance(rng, 0.5):
        level = int(choose(rng, (255, 255, 200, 128, 0)))
        return (level, level, level)
    return choose(
        rng,
        family.of(
            ((255, 255, 0), (0, 255, 0), (0, 255, 255), (255, 0, 0), (255, 160, 0)),
            ((255, 255, 0), (120, 200, 255), (0, 200, 80)),
            ((255, 230, 60), (60, 255, 140), (255, 0, 255), (80, 160, 255)),
        ),
    )


def metal(rng: np.random.Generator) -> Tone:
    """A grey level of metal on a radiograph: bright, or dark on a negative."""
    level = int(choose(rng, (255, 245, 230, 20)))
    return (level, level, level)


def placed(shape: NDArray[np.float64], angle: float, scale: float, at: tuple[float, float]) -> NDArray[np.float64]:
    """A shape turned by ``angle`` (radians), scaled and moved."""
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(shape @ np.array([(c, s), (-s, c)]) * scale + at, np.float64)


def catheter(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """A tube or guide wire across the picture, with marks along it."""
    h, w = image.shape[:2]
    start = (float(rng.uniform(0, w)), float(choose(rng, (0, h))))
    line = branches(rng, start, 1.57 if start[1] == 0 else -1.57, 0.9 * h, 1, 0)[0][0]
    tone = metal(rng)
    draw(image, line, tone, int(rng.integers(1, 4)))
    if chance(rng, 0.5):
        for share in np.linspace(0.5, 1, int(rng.integers(3, 9))):
            x, y = line[int(share * (len(line) - 1))]
            cv2.circle(image, (round(x), round(y)), int(rng.integers(2, 5)), tone, -1, cv2.LINE_AA)


def clips(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Surgical clips or a row of staples: many short strokes of one size."""
    tone, size = metal(rng), float(rng.uniform(3, 12))
    x, y = spot(rng, image, 0.2)
    shapes = family.of(
        ([(-1, 0), (1, 0)], [(-1, 0.6), (-1, 0), (1, 0), (1, 0.6)]),
        ([(-1, -0.3), (0, 0.3), (1, -0.3)],),
        ([(-1, 0.3), (0, -0.3), (1, 0.3)], [(-1, 0.5), (-0.8, 0), (0.8, 0), (1, 0.5)]),
    )
    shape = np.array(choose(rng, shapes))
    row = chance(rng, 0.6)
    turn, way = float(rng.uniform(0, 3.14)), float(rng.uniform(0, 3.14))
    for k in range(int(rng.integers(3, 16))):
        step = np.array([np.cos(way), np.sin(way)]) * k if row else rng.normal(0, 4, 2)
        angle = turn + float(rng.normal(0, 0.1 if row else 2))
        at = (x + float(step[0]) * size * 2.2, y + float(step[1]) * size * 2.2)
        draw(image, placed(shape, angle, size, at), tone, int(rng.integers(1, 3)))


def screws(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Screws and a plate: threads are rows of short strokes."""
    tone, size = metal(rng), float(rng.uniform(12, 45))
    x, y = spot(rng, image, 0.2)
    turn = float(rng.uniform(0, 3.14))
    for k in range(int(rng.integers(1, 6))):
        at = (x + k * size * 0.8 * np.cos(turn), y + k * size * 0.8 * np.sin(turn))
        lean = turn + 1.57 + float(rng.normal(0, 0.15))
        fill(image, placed(np.array([(0, -0.1), (1.6, -0.08), (1.9, 0), (1.6, 0.08), (0, 0.1)]), lean, size, at), tone)
        for thread in np.arange(0.1, 1.7, family.of(0.16, 0.2, 0.12)):
            draw(image, placed(np.array([(thread, -0.17), (thread + 0.05, 0.17)]), lean, size, at), tone)
        fill(
            image, placed(np.array([(-0.15, -0.25), (0.05, -0.25), (0.05, 0.25), (-0.15, 0.25)]), lean, size, at), tone
        )


def pacemaker(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """The can of a pacemaker with its parts and a lead."""
    size, at = float(rng.uniform(0.05, 0.1)) * image.shape[1], spot(rng, image, 0.2)
    tone = metal(rng)
    shade: Tone = (170, 170, 170)
    fill(image, outline(rng, family, at, (size, size * 0.8), 0, 0.08), shade)
    for _ in range(6):
        inner = (at[0] + float(rng.normal(0, 0.3)) * size, at[1] + float(rng.normal(0, 0.25)) * size)
        w, h = rng.uniform(0.1, 0.4, 2) * size
        fill(
            image,
            np.array(
                [(inner[0], inner[1]), (inner[0] + w, inner[1]), (inner[0] + w, inner[1] + h), (inner[0], inner[1] + h)]
            ),
            tone,
        )
    draw(image, branches(rng, at, float(rng.uniform(0.5, 2.5)), size * 6, 1, 0)[0][0], tone, 2)


def wires(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Loops of wire in a column, as they close a breastbone, and coils or stents."""
    tone, size = metal(rng), float(rng.uniform(6, 18))
    x, y = spot(rng, image, 0.2)
    mesh = chance(rng, 0.4)
    for k in range(int(rng.integers(3, 9))):
        if mesh:
            zigzag = np.stack([np.linspace(-1.5, 1.5, 13), np.tile([-0.4, 0.4], 7)[:13]], 1)
            draw(image, zigzag * size + (x, y + k * size * 0.8), tone)
        else:
            at = (x + float(rng.normal(0, 2)), y + k * size * 2.6)
            draw(image, arc(at, (size, size * 0.6), 20, 340, float(rng.uniform(0, 90))), tone, 2)
            draw(image, np.array([at, (at[0] + size * 0.5, at[1] + size)]), tone, 1)


def calcifications(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Clusters of tiny bright dots and rods."""
    x, y = spot(rng, image, 0.15)
    spread = float(rng.uniform(8, 45))
    for away in rng.normal(0, spread, (int(rng.integers(6, 50)), 2)):
        px, py = x + float(away[0]), y + float(away[1])
        r = float(rng.uniform(0.6, 2.6))
        level = int(rng.integers(190, 256))
        radii = (r, r * float(rng.uniform(0.5, 2)))
        fill(image, outline(rng, family, (px, py), radii, float(rng.uniform(0, 180)), 0.2), (level, level, level))


def bubbles(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Gas in the bowel: rows and heaps of dark rings."""
    x, y = spot(rng, image, 0.15)
    for _ in range(int(rng.integers(5, 26))):
        x, y = x + float(rng.normal(0, 12)), y + float(rng.normal(0, 8))
        r = float(rng.uniform(2, 11))
        level = int(rng.integers(0, 60))
        shape = outline(rng, family, (x, y), (r, r), 0, 0.1)
        fill(image, shape, (level, level, level))
        draw(image, shape, (level + 90,) * 3, closed=True)


def dust(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Dust, hairs and scratches on a plate or scanner."""
    h, w = image.shape[:2]
    level = int(choose(rng, (0, 255, 230, 40)))
    for _ in range(int(rng.integers(3, 60))):
        x, y = spot(rng, image, 0)
        if chance(rng, 0.7):
            cv2.circle(image, (round(x), round(y)), int(rng.integers(0, 3)), (level, level, level), -1, cv2.LINE_AA)
        else:
            line = branches(rng, (x, y), float(rng.uniform(0, 6.3)), float(rng.uniform(5, 60)), 1, 0)[0][0]
            draw(image, line, (level, level, level))
    if chance(rng, 0.3):
        x = float(rng.uniform(0, w))
        draw(image, np.array([(x, 0), (x + float(rng.normal(0, 6)), h)]), (level, level, level))


def moire(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """Stripes of a grid or of a photographed screen over the whole picture."""
    h, w = image.shape[:2]
    pace = float(family.of(rng.uniform(2.2, 6), rng.uniform(4, 8), rng.uniform(2.5, 9)))
    turn = float(choose(rng, (0.0, 1.571, float(rng.uniform(0, 3.14)))))
    rows, columns = np.arange(h, dtype=np.float32)[:, None], np.arange(w, dtype=np.float32)[None]
    wave = np.sin((np.cos(turn) * columns + np.sin(turn) * rows) * np.float32(2 * np.pi / pace))
    stripes = np.clip(wave * rng.uniform(3, 16), -60, 60).astype(np.int16)
    np.copyto(image, np.clip(image + stripes[..., None], 0, 255).astype(np.uint8))


def perforation(rng: np.random.Generator, image: Colour, family: Family) -> None:
    """The edge of a film: a band with rows of holes or notches."""
    h, w = image.shape[:2]
    band, pace = int(rng.uniform(0.03, 0.07) * min(w, h)), float(rng.uniform(14, 40))
    dark, light = (0, 0, 0), (int(rng.integers(120, 256)),) * 3
    across = chance(rng, 0.5)
    length = w if across else h
    for near in (0, (h if across else w) - band) if chance(rng, 0.5) else (0,):
        corner = (0, near) if across else (near, 0)
        cv2.rectangle(image, corner, (w, near + band) if across else (near + band, h), dark, -1)
        for k in np.arange(pace / 2, length, pace):
            a, b = int(k), int(near + band * 0.25)
            size = (int(pace * 0.4), int(band * 0.5))
            place = (a, b, a + size[0], b + size[1]) if across else (b, a, b + size[1], a + size[0])
            cv2.rectangle(image, place[:2], place[2:], light, -1)


OBJECTS: tuple[Painter, ...] = (
    catheter,
    clips,
    screws,
    pacemaker,
    wires,
    calcifications,
    bubbles,
    dust,
    moire,
    perforation,
)
"""All of these."""

"""Ink that is not set type: bar codes, handwriting, signatures, stamps and lead letters."""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from reportlab.graphics.barcode import code39, code128, qrencoder

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.scenes import words
from deidra.app.synth.scenes.canvas import BLACK, WHITE, Canvas, Paint, Rect, typed
from deidra.app.synth.scenes.glyphs import Patch, blurred, mirrored, turned
from deidra.app.synth.scenes.layouts import between, chance, drawn, letters, page_paint, placed, screen_paint

_FINE = 4
"""Fractional bits of the coordinates in which strokes are drawn."""


def _bars(code: str, linear: str) -> list[tuple[bool, int]]:
    """Bars and spaces of ``code`` as ``(is a bar, width in modules)``."""
    if linear == "code128":
        symbol = code128.Code128(code)
        symbol.validate()
        symbol.encode()
        symbol.decompose()
        return [(letter.isupper(), ord(letter.upper()) - 64) for letter in symbol.decomposed]
    symbol = code39.Standard39(code, checksum=0)
    symbol.validate()
    symbol.encode()
    symbol.decompose()
    return [(letter in "bB", 3 if letter.isupper() else 1) for letter in symbol.decomposed]


@lru_cache(maxsize=64)
def _square(number: int) -> NDArray[np.uint8]:
    """The modules of a QR code of ``number``: 255 dark, 0 light."""
    symbol = qrencoder.QRCode(None, qrencoder.QRErrorCorrectLevel.L)
    symbol.addData(f"ID{number * 7919:08d}")
    symbol.make()
    count = symbol.getModuleCount()
    return np.array([[255 if symbol.isDark(r, k) else 0 for k in range(count)] for r in range(count)], np.uint8)


def barcode(c: Canvas, area: Rect | None = None) -> None:
    """A bar code or QR code on a light patch, mostly with its digits in type below."""
    rng = c.rng
    number = words.private(rng, c.split, EntityType.ID_OTHER if chance(rng, 0.5) else EntityType.ID_MRN)
    digits = "".join(letter for letter in number.text.upper() if letter.isascii() and letter.isalnum()) or "123456"
    module = max(1, round(c.unit / 9))
    if chance(rng, 0.25):
        alpha = np.kron(_square(between(rng, 0, 40)), np.ones((2 * module, 2 * module), np.uint8))
    else:
        row = np.concatenate([
            np.full(width * module, 255 if bar else 0, np.uint8)
            for bar, width in _bars(digits, "code128" if chance(rng, 0.7) else "code39")
        ])  # fmt: skip
        alpha = np.repeat(row[None], round(c.unit * rng.uniform(1.5, 4)), axis=0)
    below = drawn(c, words.Word(digits, number.type), letters(c, "film", c.unit * 0.8)) if chance(rng, 0.75) else None
    extra = below[1].alpha.shape[0] + 4 if below else 0
    pad = 2 + 2 * module
    wide, high = (
        max(alpha.shape[1], below[1].alpha.shape[1] if below else 0) + 2 * pad,
        alpha.shape[0] + extra + 2 * pad,
    )
    left, top, right, bottom = area or (0, 0, c.width, c.height)
    for _ in range(6):
        if wide > right - left or high > bottom - top:
            return
        x, y = between(rng, left, right - wide), between(rng, top, bottom - high)
        if not c.free((x, y, x + wide, y + high), pad, pad):
            continue
        c.fill((x, y, x + wide, y + high), WHITE)
        c.put(
            words.Word(digits, number.type),
            Patch(alpha, 0, 0),
            (x + pad, y + pad),
            Paint(),
            "barcode",
            "barcode",
            check=False,
        )
        if below:
            at = (x + (wide - below[1].alpha.shape[1]) // 2, y + pad + alpha.shape[0] + 3)
            c.put(below[0], below[1], at, Paint(BLACK), "barcode digits", check=False)
        c.take((x, y, x + wide, y + high))
        return


def _strokes(paths: list[NDArray[np.float64]], thickness: float) -> Patch | None:
    """Pen strokes through points ``[point, (x, y)]`` in pixels."""
    if not paths:
        return None
    points = np.concatenate(paths)
    corner = points.min(axis=0) - thickness - 1
    size = np.ceil(points.max(axis=0) - corner + thickness + 2).astype(int)
    alpha = np.zeros((size[1], size[0]), np.uint8)
    for path in paths:
        fixed = np.round((path - corner) * 2**_FINE).astype(np.int32)
        cv2.polylines(alpha, [fixed[:, None]], False, 255, max(1, round(thickness)), cv2.LINE_AA, _FINE)
    left, top, width, height = cv2.boundingRect(alpha)
    return Patch(np.ascontiguousarray(alpha[top : top + height, left : left + width]), 0, 0)


def _smooth(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """A curve through ``points`` ``[point, (x, y)]`` (Catmull-Rom, ten steps between two)."""
    ends = np.concatenate([points[:1], points, points[-1:]])
    t = np.linspace(0, 1, 10, endpoint=False)[:, None]
    parts = []
    for a, b, d, e in zip(ends, ends[1:], ends[2:], ends[3:], strict=False):
        parts.append(b + 0.5 * t * (d - a + t * (2 * a - 5 * b + 4 * d - e + t * (3 * (b - d) + e - a))))
    return np.concatenate([*parts, points[-1:]])


def _cursive(rng: np.random.Generator, height: float, turns: int, swing: float) -> NDArray[np.float64]:
    """A line that goes up and down ``turns`` times; ``swing`` 0 to 1 is how far it goes back, which makes loops."""
    points, x = [], 0.0
    slant = rng.uniform(0, 0.5)
    for i in range(2 * turns):
        up = i % 2 == 0
        tall = 1.0 if i < 2 or rng.random() < 0.12 else rng.uniform(0.15, 0.5)
        y = (
            -tall * height
            if up
            else height * (rng.uniform(0.2, 0.5) if rng.random() < 0.1 else rng.uniform(-0.05, 0.05))
        )
        points.append((x - slant * y, y))
        x += height * (rng.uniform(0.05, 0.4) if up else rng.uniform(-0.35 * swing, 0.35))
    return _smooth(np.array(points))


def _looped(rng: np.random.Generator, height: float) -> NDArray[np.float64]:
    """A row of loops that fades out."""
    turns, t = rng.uniform(3, 10), np.linspace(0, 1, 200)
    phase = 2 * math.pi * turns * (t + rng.uniform(0, 0.4) * t**2) + rng.uniform(0, 6)
    envelope = np.interp(t, np.linspace(0, 1, 8), rng.uniform(0.1, 1.0, 8)) * np.interp(t, (0, 0.1, 1), (1.3, 0.9, 0.4))
    x = height * rng.uniform(1.6, 4.5) * t + height * rng.uniform(0.1, 0.4) * np.sin(phase + rng.uniform(0.6, 2.4))
    y = height * 0.5 * envelope * np.cos(phase) - height * 0.3 * t * rng.uniform(-1, 1)
    return np.stack([x, y], axis=1)


def signature(rng: np.random.Generator, height: float) -> Patch | None:
    """A flowing line or two with loops, about ``height`` pixels high, at times underlined."""
    paths = []
    left = 0.0
    for _ in range(between(rng, 1, 2)):
        if chance(rng, 0.45):
            path = _looped(rng, 0.8 * height)
        else:
            path = _cursive(rng, 0.7 * height, between(rng, 3, 9), rng.uniform(0.2, 1.0))
        path = path * (rng.uniform(0.8, 1.8), 1.0)
        paths.append(path + np.array([left - path[:, 0].min(), 0.0]))
        left = paths[-1][:, 0].max() + 0.1 * height
    if chance(rng, 0.4):
        ends = np.array(
            [(0.1 * left, 0.25 * height), (0.5 * left, rng.uniform(0.1, 0.4) * height), (left, 0.2 * height)]
        )
        paths.append(_smooth(ends))
    return _strokes(paths, max(1.0, height / rng.uniform(16, 34)))


def _scribbled_letter(rng: np.random.Generator, height: float) -> list[NDArray[np.float64]]:
    """One made-up letter of one or two arcs in a box about ``height`` high."""
    tall = height * (1.0 if chance(rng, 0.35) else 0.6)
    paths = []
    for _ in range(between(rng, 1, 2)):
        knots = rng.uniform(0, 1, (4, 2)) * (0.55 * height, tall) + (0, -tall)
        paths.append(_smooth(knots))
    return paths


def scribble(rng: np.random.Generator, height: float, length: int) -> Patch | None:
    """About ``length`` made-up letters in words, joined or apart, like writing that nobody can read."""
    paths: list[NDArray[np.float64]] = []
    joined, x = chance(rng, 0.5), 0.0
    while length > 0:
        count = min(length, between(rng, 2, 7))
        if joined:
            path = _cursive(rng, height, count + 1, rng.uniform(0.1, 0.7))
            paths.append(path + np.array([x - path[:, 0].min(), 0.0]))
            x = paths[-1][:, 0].max()
        else:
            for _ in range(count):
                place = np.array([x, rng.uniform(-0.06, 0.06) * height])
                paths += [path + place for path in _scribbled_letter(rng, height)]
                x += height * rng.uniform(0.5, 0.7)
        x += 0.4 * height
        length -= count
    return _strokes(paths, max(1.0, height / rng.uniform(10, 22)))


def handwriting(c: Canvas, light: bool = False, area: Rect | None = None) -> None:
    """One to four notes by hand: script fonts, scribbles and signatures. ``light`` writes in white, as on films."""
    rng = c.rng
    for _ in range(between(rng, 1, 4)):
        size = c.unit * rng.uniform(1.2, 2.8)
        turn = rng.random()
        word = words.mixed(rng, c.split, 0.7)
        patch: Patch | None
        if turn < 0.25:
            word, patch = words.Word("", EntityType.PATIENT), signature(rng, size * 1.4)
        elif turn < 0.45:
            word, patch = words.Word("", EntityType.UNREAD), scribble(rng, size, between(rng, 3, 12))
        else:
            item = drawn(c, word, letters(c, "script", size))
            word, patch = item if item else (word, None)
        if patch is None:
            continue
        if chance(rng, 0.5):
            patch = turned(patch, float(rng.uniform(-12, 12)))
        paint = screen_paint(c, 0.2) if light else page_paint(c)
        if not light and chance(rng, 0.5):
            paint = Paint((between(rng, 0, 40), between(rng, 20, 60), between(rng, 100, 190)), least=50)
        placed(c, word, patch, paint, "handwriting", area, kind="handwriting")


def _uneven(rng: np.random.Generator, alpha: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """``alpha`` as a dry stamp leaves it."""
    coarse = rng.uniform(0.55, 1.25, (4, 6)).astype(np.float32)
    field = cv2.resize(coarse, (alpha.shape[1], alpha.shape[0]), interpolation=cv2.INTER_CUBIC)
    uneven: NDArray[np.uint8] = np.clip(alpha * field, 0, 255).astype(np.uint8)
    return uneven


def stamp(c: Canvas, area: Rect | None = None) -> None:
    """A rubber stamp: one to three lines in a rectangle or ring, a little turned."""
    rng = c.rng
    look = letters(c, "film", c.unit * rng.uniform(1.0, 1.8))
    makers = (
        typed(words.phrase(rng, c.split, "labels").upper()), words.private(rng, c.split, EntityType.DATE_OTHER),
        words.private(rng, c.split, EntityType.HOSPITAL), words.private(rng, c.split, EntityType.STAFF),
    )  # fmt: skip
    count = between(rng, 1, 3)
    items = [item for i in rng.permutation(4)[:count] if (item := drawn(c, makers[i], look))]
    if not items:
        return
    angle = float(rng.uniform(-15, 15))
    step = round(1.5 * look.height)
    wide, high = max(patch.alpha.shape[1] for _, patch in items), step * len(items)
    reach = math.hypot(wide, high) / 2 + look.height
    left, top, right, bottom = area or (0, 0, c.width, c.height)
    if right - left < 2 * reach or bottom - top < 2 * reach:
        return
    middle_x, middle_y = between(rng, left + reach, right - reach), between(rng, top + reach, bottom - reach)
    far = math.ceil(reach)
    if not c.free((middle_x - far, middle_y - far, middle_x + far, middle_y + far)):
        return
    ink = ((30, 40, 150), (160, 25, 35), (60, 30, 110), (30, 30, 30))[between(rng, 0, 3)]
    centre, radians = np.array([middle_x, middle_y]), math.radians(angle)
    down = np.array([-math.sin(radians), math.cos(radians)])
    for i, (word, patch) in enumerate(items):
        flat = turned(Patch(_uneven(rng, patch.alpha), 0, 0), angle)
        middle = centre + down * (i - (len(items) - 1) / 2) * step
        corner = (round(middle[0] - flat.alpha.shape[1] / 2), round(middle[1] - flat.alpha.shape[0] / 2))
        c.put(word, flat, corner, Paint(ink), f"stamp/{look.face.family}", check=False)
    if chance(rng, 0.5):
        frame = cv2.boxPoints(
            ((float(centre[0]), float(centre[1])), (wide + look.height, high + 0.6 * look.height), angle)
        )
        cv2.polylines(c.image, [frame.astype(np.int32)], True, ink, max(1, look.size // 10), cv2.LINE_AA)
    elif chance(rng, 0.6):
        cv2.circle(c.image, (int(centre[0]), int(centre[1])), round(reach), ink, max(1, look.size // 10), cv2.LINE_AA)


def lead(c: Canvas) -> None:
    """One or two lead letters on a radiograph: soft, grey to white, with a disc, a frame or a ball beside them."""
    rng = c.rng
    for _ in range(between(rng, 1, 2)):
        size = c.unit * rng.uniform(1.2, 4.5)
        text = words.choose(rng, ("R", "L", "R", "L", "AP", "PA", "RT", "LT", "L JS", "R #~", "UP", "ER")).replace(
            "#~", "12"
        )
        item = drawn(c, typed(words.fill(rng, text)), letters(c, "film", size))
        if item is None:
            continue
        word, patch = item
        turn = rng.random()
        if turn < 0.2:
            patch = turned(patch, float(rng.uniform(-40, 40)))
        elif turn < 0.28:
            patch = turned(patch, float(rng.choice([90, 180, 270])))
        if chance(rng, 0.08):
            patch = mirrored(patch)
        patch = blurred(patch, max(0.5, size / rng.uniform(25, 60)))
        level = between(rng, 150, 255)
        rect = placed(c, word, patch, Paint((level,) * 3, float(rng.uniform(0.75, 1.0)), least=35), "lead")
        if rect is None:
            continue
        grey = (between(rng, 90, 190),) * 3
        middle, pad = ((rect[0] + rect[2]) // 2, (rect[1] + rect[3]) // 2), round(0.35 * size)
        radius = math.ceil(math.hypot(rect[2] - rect[0], rect[3] - rect[1]) / 2) + pad
        if chance(rng, 0.3):
            cv2.circle(c.image, middle, radius, grey, max(1, round(size / 12)), cv2.LINE_AA)
        elif chance(rng, 0.3):
            c.frame((rect[0] - pad, rect[1] - pad, rect[2] + pad, rect[3] + pad), grey, max(1, round(size / 14)))

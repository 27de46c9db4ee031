"""Ink that is not set type: bar codes, handwriting (see notes.py), stamps and lead letters."""

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
from deidra.app.synth.scenes.layouts import between, chance, drawn, letters, placed
from deidra.app.synth.scenes.notes import handwriting

__all__ = ["barcode", "handwriting", "lead", "stamp"]


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

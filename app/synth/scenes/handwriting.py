"""Lines by hand: script fonts bent until no two letters are alike, and the writing of hands.py, as patches of ink."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.scenes import hands
from deidra.app.synth.scenes.fonts import Face, covers, families, load, pick
from deidra.app.synth.scenes.glyphs import Mask, Patch, turned
from deidra.app.synth.scenes.hands import Hand, any_hand
from deidra.app.synth.scenes.strokes import Path, Pen, any_pen, field, inked, wander, weathered
from deidra.app.synth.scenes.words import Word, latin

_EM = 64
"""Size in pixels at which letters of fonts are kept."""
_RIM = 16
_FALL = 16.0
"""Grey levels per pixel by which a letter falls off around the middle of its strokes."""
_CONNECTED = {"Dancing Script", "Kaushan Script", "Kristi"}
"""Families whose letters touch: they come apart if each goes its own way."""
_LIKE_TYPE = {"Dancing Script", "Kaushan Script", "Comic Neue"}
"""Families whose strokes look like set type: only the middles of their strokes are used."""
_TYPE = {"Z003"}
"""Families of the group that nobody takes for a hand; they write only where there is no other."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes: a ``hand`` for strokes, a ``face`` for script fonts, a ``pen``; ``by_font`` is which of both.

    ``slope`` is the usual rise of the lines in degrees, clockwise, and ``loose`` how far letters of a font go astray.
    """

    hand: Hand
    face: Face
    pen: Pen
    by_font: bool
    slope: float
    loose: float


def _face(rng: np.random.Generator, split: str) -> Face:
    """A script font of ``split``."""
    there = [faces for faces in families("script", split) if faces[0].family not in _TYPE]
    if not there:
        return pick(rng, "script", split)
    faces = there[int(rng.integers(len(there)))]
    return faces[int(rng.integers(len(faces)))]


def any_writer(rng: np.random.Generator, split: str, light: bool = False) -> Writer:
    """A writer of ``split``, on film if ``light``."""
    steep = rng.random() < 0.3
    return Writer(
        any_hand(rng, split),
        _face(rng, split),
        any_pen(rng, light),
        bool(rng.random() < 0.55),
        float(rng.uniform(-12, 12) if steep else rng.normal(0, 1.8)),
        float(rng.uniform(0.7, 1.6)),
    )


@lru_cache(maxsize=4096)
def _glyph(face: Face, letter: str, filled: bool) -> tuple[Mask, tuple[float, float], float]:
    """``letter`` at :data:`_EM` pixels, the place ``(x, y)`` of the pen in it, and how far the pen moves on.

    A letter that is not ``filled`` is the distance from the middle of its strokes: 255 there, :data:`_FALL` less with
    each pixel. So it can be drawn with any pen, and loses the thick and thin of set type.
    """
    font = load(face, _EM)
    left, top, right, bottom = (math.floor(edge) for edge in font.getbbox(letter, anchor="ls"))
    left, top, right, bottom = min(left, 0) - _RIM, min(top, 0) - _RIM, right + _RIM, max(bottom, 0) + _RIM
    image = Image.new("L", (max(1, right - left), max(1, bottom - top)))
    ImageDraw.Draw(image).text((-left, -top), letter, fill=255, font=font, anchor="ls")
    mask = np.asarray(image)
    if not filled:
        depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 5)
        ridge = cv2.Laplacian(cv2.GaussianBlur(depth, (0, 0), 0.8), cv2.CV_32F)
        # Ridges that run out into corners are no strokes.
        deep = depth > 0.55 * cv2.dilate(depth, np.ones((9, 9), np.uint8))
        off = ((ridge > -0.22) | ~deep).astype(np.uint8)
        mask = np.zeros_like(mask)
        if not off.all():
            away = cv2.distanceTransform(off, cv2.DIST_L2, 5)
            mask = np.asarray(np.clip(255 - _FALL * away, 0, 255), np.uint8)
    return mask, (float(-left), float(-top)), float(font.getlength(letter))


def _set(
    rng: np.random.Generator, text: str, face: Face, size: float, loose: float, filled: bool
) -> tuple[Mask, float]:
    """Letters of ``face``, each turned, scaled and moved a little, and the row of the baseline."""
    own = loose * (0.35 if face.family in _CONNECTED else 1.0)
    spread = rng.uniform(-0.02, 0.1) * size * own
    parts, x = [], float(size)
    level = wander(rng, len(text), 5) * 0.08 * own * size
    for i, letter in enumerate(text):
        mask, start, advance = _glyph(face, letter, filled)
        advance *= size / _EM
        if letter == " ":
            x += min(advance, 0.45 * size) * rng.uniform(0.8, 1.2)
            continue
        turn, scale = math.radians(rng.normal(0, 3.5) * own), 1 + rng.normal(0, 0.07) * own
        shear, tall = rng.normal(0, 0.06) * own, 1 + abs(rng.normal(0, 0.06)) * own
        parts.append((mask, start, x, level[i] + rng.normal(0, 0.025) * own * size, turn, scale, shear, tall))
        x += advance * scale + spread + rng.normal(0, 0.035) * own * size
    high = round(2.8 * size)
    canvas = np.zeros((high, math.ceil(x + size)), np.uint8)
    foot = 1.7 * size
    for mask, start, at, down, turn, scale, shear, tall in parts:
        grown = scale * size / _EM
        c, s = grown * math.cos(turn), grown * math.sin(turn)
        linear = np.array([(c, -s + shear * c), (s, (c + shear * s) * tall)])
        reach = linear @ np.array([(0, mask.shape[1], 0, mask.shape[1]), (0, 0, mask.shape[0], mask.shape[0])], float)
        corner = reach.min(axis=1)
        wide, tall_ = np.ceil(reach.max(axis=1) - corner).astype(int) + 1
        pen = linear @ start - corner
        left, top = round(at - pen[0]), round(foot + down - pen[1])
        left, top = max(0, left), max(0, top)
        wide, tall_ = min(int(wide), canvas.shape[1] - left), min(int(tall_), high - top)
        if wide < 1 or tall_ < 1:
            continue
        bent = cv2.warpAffine(mask, np.column_stack([linear, -corner]), (wide, tall_), flags=cv2.INTER_LINEAR)
        there = canvas[top : top + tall_, left : left + wide]
        np.maximum(there, bent, out=there)
    return canvas, foot


def _warped(rng: np.random.Generator, alpha: Mask, size: float, loose: float, slant: float, foot: float) -> Mask:
    """``alpha`` leaning by ``slant`` and pulled about like rubber; ``size`` is that of its letters."""
    rows, columns = alpha.shape
    shape = (rows, columns)
    y, x = np.arange(rows, dtype=np.float32)[:, None], np.arange(columns, dtype=np.float32)
    bow = rng.normal(0, 0.012) * columns * (4 * (x / columns) * (1 - x / columns) - 0.5)
    sideways = x + slant * (y - np.float32(foot)) + 0.07 * loose * size * field(rng, shape, 0.55 * size)
    down = y + bow + 0.065 * loose * size * field(rng, shape, 0.5 * size)
    down = down + 0.1 * loose * size * wander(rng, columns, 2.5 * size).astype(np.float32)
    return np.asarray(
        cv2.remap(alpha, sideways.astype(np.float32), down.astype(np.float32), cv2.INTER_LINEAR), np.uint8
    )


def _pressed(rng: np.random.Generator, alpha: Mask, size: float, pen: Pen, filled: bool) -> Mask:
    """Strokes of ``pen`` that swell and thin, from letters of :func:`_set`."""
    swell = pen.pressure * field(rng, (alpha.shape[0], alpha.shape[1]), 0.7 * size)
    if not filled:
        half = np.maximum(0.33 * pen.thickness * size * (1 + swell), 1.0)
        away = (255 - alpha.astype(np.float32)) * np.float32(size / _EM / _FALL)
        return np.asarray(np.clip((half - away) * 255 + 128, 0, 255) * (alpha > 0), np.uint8)
    soft = cv2.GaussianBlur(alpha, (0, 0), max(0.6, 0.025 * size)).astype(np.float32)
    # Thin letters have low peaks: a fixed level would leave nothing of them.
    peak = float(np.percentile(soft[alpha > 127], 80)) if (alpha > 127).any() else 255.0
    level = peak * ((0.36 if pen.name in ("marker", "crayon") else 0.46) + 0.25 * swell)
    return np.asarray(np.clip((soft - level) * 4 + 128, 0, 255), np.uint8)


def in_font(rng: np.random.Generator, text: str, face: Face, pen: Pen, size: float, loose: float = 1.0) -> Patch | None:
    """``text`` in letters of ``face`` about ``size`` pixels high, none like another; None if nothing is seen."""
    times = 2 if size < 36 else 1
    filled = bool(rng.random() < (0.8 if pen.name == "fountain" else 0.2)) and face.family not in _LIKE_TYPE
    alpha, foot = _set(rng, text, face, size * times, loose, filled)
    slant = float(rng.uniform(-0.15, 0.4)) if rng.random() < 0.6 else 0.0
    alpha = _warped(rng, alpha, size * times, loose, slant, foot)
    alpha = _pressed(rng, alpha, size * times, pen, filled)
    if times > 1:
        shrunk = (max(1, alpha.shape[1] // times), max(1, alpha.shape[0] // times))
        alpha = np.asarray(cv2.resize(alpha, shrunk, interpolation=cv2.INTER_AREA), np.uint8)
    alpha = weathered(rng, alpha, pen, size)
    left, top, width, height = cv2.boundingRect(alpha)
    if not width:
        return None
    cut = np.ascontiguousarray(alpha[top : top + height, left : left + width])
    return Patch(cut, round(left - size), round(top - foot / times))


def _torn(patch: Patch) -> bool:
    """Whether a reader would see two texts, so wide is a gap."""
    inked_columns = np.flatnonzero(patch.solid.any(axis=0))
    return bool(np.diff(inked_columns).max(initial=0) > 1.1 * patch.alpha.shape[0])


def note(rng: np.random.Generator, writer: Writer, word: Word, size: float) -> tuple[Word, Patch, str] | None:
    """``word`` by hand in one level line, as it can be written, with its style; None if it cannot be."""
    # Nobody writes the separators of machines.
    text = " ".join(word.text.replace("^", " ").replace("_", " ").split())
    hand = not writer.by_font
    if hand or not covers(writer.face, text):
        plain = "".join(letter for letter in latin(text) if letter == " " or hands.writable(letter))
        text = " ".join(plain.split())
        hand = hand or not covers(writer.face, text)
    if not text:
        return None
    patch: Patch | None
    if hand:
        size *= 0.8
        patch = inked(rng, hands.written(rng, writer.hand, text, size), writer.pen, size)
        if patch is not None and " " in text and _torn(patch):
            close = replace(writer.hand, gap=0.2)
            patch = inked(rng, hands.written(rng, close, text, size), replace(writer.pen, skips=0.0), size)
        style = f"handwriting/strokes {writer.pen.name}"
    else:
        patch = in_font(rng, text, writer.face, writer.pen, size, writer.loose)
        style = f"handwriting/{writer.face.family}"
    return None if patch is None else (replace(word, text=text), patch, style)


def unread(rng: np.random.Generator, writer: Writer, size: float) -> tuple[Word, Patch, str] | None:
    """A signature, initials, a scribble or a word made unreadable, without text."""
    turn = rng.random()
    word = Word("", EntityType.PATIENT)
    if turn < 0.42:
        paths, style = hands.signature(rng, writer.hand, 0.8 * size), "signature"
    elif turn < 0.5:
        letters = "".join(chr(65 + int(i)) for i in rng.integers(0, 26, int(rng.integers(1, 4))))
        paths, style = hands.written(rng, replace(writer.hand, gap=0.1), letters, 1.2 * size), "initials"
    elif turn < 0.88:
        word, style = Word("", EntityType.UNREAD), "scribble"
        paths = hands.unread(rng, writer.hand, int(rng.integers(3, 18)), 0.8 * size)
    else:
        word, style = Word("", EntityType.UNREAD), "crossed out"
        paths = hands.unread(rng, writer.hand, int(rng.integers(2, 7)), 0.8 * size)
        points = np.concatenate(paths)
        (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
        paths += hands.crossed_out(rng, (left, top, right, bottom), size)
    patch = inked(rng, paths, writer.pen, size)
    return None if patch is None else (word, patch, f"handwriting/{style}")


def struck(rng: np.random.Generator, patch: Patch, pen: Pen, size: float) -> Patch:
    """``patch`` with a line through it."""
    rows, columns = patch.alpha.shape
    middle = rng.uniform(0.45, 0.65) * rows
    line = inked(rng, [hands.underline(rng, 0, columns, middle, 0.5 * size)], replace(pen, skips=0.0), size)
    if line is None:
        return patch
    alpha = patch.alpha.copy()
    left, top = max(0, line.x), max(0, line.y)
    part = line.alpha[top - line.y : rows - line.y, left - line.x : columns - line.x]
    there = alpha[top : top + part.shape[0], left : left + part.shape[1]]
    np.maximum(there, part, out=there)
    return replace(patch, alpha=alpha)


def sloping(rng: np.random.Generator, writer: Writer, patch: Patch) -> Patch:
    """``patch`` turned as ``writer`` usually writes."""
    angle = writer.slope + float(rng.normal(0, 0.8))
    return turned(patch, angle) if abs(angle) > 0.4 else patch


def around(rng: np.random.Generator, rect: tuple[int, int, int, int], size: float) -> list[Path]:
    """A ring around ``rect``, a line or two below it, or an arrow to it: signs that are no text."""
    left, top, right, bottom = rect
    turn = rng.random()
    if turn < 0.35:
        middle = ((left + right) / 2, (top + bottom) / 2)
        return [hands.ring(rng, middle, (0.6 * (right - left) + 0.3 * size, 0.7 * (bottom - top) + 0.3 * size))]
    if turn < 0.85:
        below = bottom + 0.15 * size
        lines = [hands.underline(rng, left, right, below, size)]
        return lines if turn < 0.65 else [*lines, hands.underline(rng, left, right, below + 0.22 * size, size)]
    tip: NDArray[np.float64] = np.array([left - 0.4 * size, (top + bottom) / 2])
    start = tip - (size * rng.uniform(1, 3), size * rng.uniform(-1, 1))
    head = tip - size * np.array([(0.4, -0.3), (0, 0), (0.4, 0.3)])
    return [np.array([start, tip]), head]

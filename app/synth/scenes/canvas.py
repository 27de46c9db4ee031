"""A picture under composition: ink is put on it, and what was put where is remembered."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.scenes.fonts import Face, covers, families
from deidra.app.synth.scenes.glyphs import Look, Patch, line
from deidra.app.synth.scenes.words import Word, latin

Colour = tuple[int, int, int]
Rect = tuple[int, int, int, int]
"""``(left, top, right, bottom)`` in pixels, right and bottom exclusive."""
Effect = Literal["plain", "outline", "shadow", "box", "veil"]
WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
_LATIN_END = 0x36F
CELL = 4
"""Side in pixels of the cells in which the canvas remembers what is taken."""


@dataclass(frozen=True, slots=True)
class Paint:
    """How ink is put on: its ``colour``, its strength 0 to 1, and what is under it.

    ``under`` colours the outline, shadow, box or veil (a half transparent box). ``least`` is the contrast in grey
    levels below which another colour is taken; 0 leaves the colour as it is.
    """

    colour: Colour = WHITE
    strength: float = 1.0
    effect: Effect = "plain"
    under: Colour = BLACK
    least: float = 60.0


@dataclass(frozen=True, slots=True)
class Draft:
    """A text on the canvas; its ink has the number of its place in :attr:`Canvas.drafts`, from 1."""

    word: Word
    kind: str
    style: str
    angle: float


@dataclass(slots=True)
class Canvas:
    """``image`` ``[row, column, RGB]`` and ``ink`` ``[row, column]`` (0 none, n = the n-th of ``drafts``).

    ``split`` is the split whose words and fonts are used, ``unit`` the usual letter size in pixels; ``coarse`` is a
    screen of low resolution, which has letters of pixels.
    """

    image: NDArray[np.uint8]
    split: str
    rng: np.random.Generator
    unit: int = 16
    background: str = ""
    coarse: bool = False
    ink: NDArray[np.uint16] = field(init=False)
    drafts: list[Draft] = field(default_factory=list)
    _taken: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        """Starts with no ink."""
        rows, columns = self.image.shape[:2]
        self.ink = np.zeros((rows, columns), np.uint16)
        self._taken = np.zeros((rows // CELL + 1, columns // CELL + 1), bool)

    @property
    def width(self) -> int:
        """Columns of the picture."""
        return int(self.image.shape[1])

    @property
    def height(self) -> int:
        """Rows of the picture."""
        return int(self.image.shape[0])

    def _cells(self, rect: Rect, across: float, along: float) -> tuple[slice, slice]:
        left, top, right, bottom = rect
        return (
            slice(max(0, int((top - along) // CELL)), max(0, int((bottom + along) // CELL) + 1)),
            slice(max(0, int((left - across) // CELL)), max(0, int((right + across) // CELL) + 1)),
        )

    def free(self, rect: Rect, across: float = 0, along: float = 0) -> bool:
        """Whether nothing lies in ``rect`` grown by ``across`` pixels sideways and ``along`` up and down."""
        return not self._taken[self._cells(rect, across, along)].any()

    def take(self, rect: Rect) -> None:
        """Keeps later texts out of ``rect``."""
        self._taken[self._cells(rect, 0, 0)] = True

    def inside(self, rect: Rect) -> Rect:
        """``rect`` clipped to the picture."""
        left, top, right, bottom = rect
        return max(0, left), max(0, top), min(self.width, right), min(self.height, bottom)

    def fill(self, rect: Rect, colour: Colour, strength: float = 1.0) -> None:
        """A rectangle of ``colour``."""
        left, top, right, bottom = self.inside(rect)
        if right <= left or bottom <= top:
            return
        part = self.image[top:bottom, left:right]
        if strength >= 1:
            part[:] = colour
        else:
            part[:] = (part * (1 - strength) + np.array(colour) * strength).astype(np.uint8)

    def frame(self, rect: Rect, colour: Colour, thickness: int = 1) -> None:
        """An empty rectangle."""
        cv2.rectangle(self.image, rect[:2], (rect[2] - 1, rect[3] - 1), colour, thickness)

    def stroke(self, a: tuple[int, int], b: tuple[int, int], colour: Colour, thickness: int = 1) -> None:
        """A straight line."""
        cv2.line(self.image, a, b, colour, thickness)

    def sample(self, rect: Rect) -> NDArray[np.float32]:
        """Some of the pixels in ``rect``, ``[pixel, RGB]``."""
        left, top, right, bottom = self.inside(rect)
        part = self.image[top:bottom, left:right]
        step = max(1, min(part.shape[:2]) // 8)
        some = part[::step, ::step].reshape(-1, 3).astype(np.float32)
        return some if len(some) else np.zeros((1, 3), np.float32)

    def hidden(self, rect: Rect, colour: Colour, strength: float = 1.0, least: float = 45.0) -> float:
        """Share of ``rect`` from which ink of ``colour`` differs by less than ``least`` grey levels."""
        return _hidden(self.sample(rect), colour, strength, least)

    def text(
        self,
        word: Word,
        look: Look,
        at: tuple[float, float],
        paint: Paint = Paint(),
        anchor: str = "l",
        style: str = "",
        check: bool = True,
    ) -> Rect | None:
        """A line with its baseline at ``at``; ``anchor`` is which end of it lies there: l, r, or m for its middle.

        Returns the box of what was drawn; None if it was not: no ink, or ``check`` and something lies there already.
        """
        item = rendered(word, look, self.split)
        if item is None:
            return None
        word, patch = item
        columns = patch.alpha.shape[1]
        x = {"l": at[0] + patch.x, "r": at[0] - columns, "m": at[0] - columns / 2}[anchor]
        return self.put(
            word, patch, (round(x), round(at[1] + patch.y)), paint, f"{style}/{look.face.family}", check=check
        )

    def put(
        self,
        word: Word,
        patch: Patch,
        corner: tuple[int, int],
        paint: Paint = Paint(),
        style: str = "",
        kind: str = "printed",
        check: bool = True,
    ) -> Rect | None:
        """``patch`` with its top left corner at ``corner``; see :meth:`text` for what is returned."""
        rows, columns = patch.alpha.shape
        rect = (corner[0], corner[1], corner[0] + columns, corner[1] + rows)
        left, top, right, bottom = self.inside(rect)
        if right - left < 2 or bottom - top < 2:
            return None
        size = min(rows, columns)
        upright = round(patch.angle / 90) % 2 == 1
        gap = (0.4 * size, 1.4 * size) if upright else (1.4 * size, 0.25 * size)
        if check and not self.free(rect, *gap):
            return None
        effect = paint.effect
        paint = self.seen(rect, self.boxed(rect, paint))
        effect = effect if effect in ("box", "veil") else paint.effect
        cut = (slice(top - rect[1], bottom - rect[1]), slice(left - rect[0], right - rect[0]))
        solid = patch.solid[cut]
        if not solid.any():
            return None
        if paint.strength < 1:
            # Thin letters are grey throughout: faint ink on them would not be seen at all.
            fullness = float(patch.alpha[cut][solid].mean()) / 255
            paint = replace(paint, strength=min(1.0, paint.strength / max(0.3, fullness)))
        self._under(patch, rect, paint)
        self._blend(patch.alpha[cut], (left, top, right, bottom), paint.colour, paint.strength)
        self.drafts.append(Draft(word, kind, f"{style}/{effect}", patch.angle))
        self.ink[top:bottom, left:right][solid] = len(self.drafts)
        self.take(rect)
        return rect

    def seen(self, rect: Rect, paint: Paint) -> Paint:
        """``paint`` with a colour or an outline that is seen on what lies in ``rect``."""
        if not paint.least:
            return paint
        if paint.effect in ("box", "veil"):
            if np.abs(np.array(paint.colour) - np.array(paint.under)).max() < paint.least:
                paint = replace(paint, under=BLACK if sum(paint.colour) > 380 else WHITE)
            return paint
        sample = self.sample(rect)
        ground = sample.mean(axis=0)
        if float(np.abs(np.array(paint.colour) - ground).max()) * paint.strength < paint.least:
            ink, other = (WHITE, BLACK) if ground.mean() < 128 else (BLACK, WHITE)
            # An outline in the colour of the ink would make a blot of the letters.
            paint = replace(paint, colour=ink, strength=1.0, under=other if paint.effect == "outline" else paint.under)
        hidden = _hidden(sample, paint.colour, paint.strength, min(45.0, paint.least))
        # Some machines care as little as readers must: a few texts are hidden in part.
        if paint.effect != "outline" and (hidden > 0.4 or (hidden > 0.12 and self.rng.random() < 0.85)):
            light = sum(paint.colour) > 380
            paint = replace(paint, effect="outline", under=BLACK if light else WHITE, strength=max(0.8, paint.strength))
        return paint

    def boxed(self, rect: Rect, paint: Paint) -> Paint:
        """Draws the box or veil of ``paint`` around ``rect``, if it has one; returns what is left to put on it."""
        if paint.effect not in ("box", "veil"):
            return paint
        paint = self.seen(rect, paint)
        pad = max(2, round(0.25 * min(rect[2] - rect[0], rect[3] - rect[1])))
        grown = (rect[0] - pad, rect[1] - pad, rect[2] + pad, rect[3] + pad)
        self.fill(grown, paint.under, 1.0 if paint.effect == "box" else 0.6)
        return replace(paint, effect="plain")

    def _under(self, patch: Patch, rect: Rect, paint: Paint) -> None:
        if paint.effect not in ("outline", "shadow"):
            return
        reach = max(1, round(min(patch.alpha.shape) / 18))
        alpha = cv2.copyMakeBorder(patch.alpha, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=0)
        x, y = rect[0] - reach, rect[1] - reach
        if paint.effect == "outline":
            alpha = cv2.dilate(alpha, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8))
        else:
            x, y = x + reach, y + reach
        self._blend_at(alpha.astype(np.uint8), x, y, paint.under, paint.strength)

    def _blend_at(self, alpha: NDArray[np.uint8], x: int, y: int, colour: Colour, strength: float) -> None:
        left, top, right, bottom = self.inside((x, y, x + alpha.shape[1], y + alpha.shape[0]))
        if right > left and bottom > top:
            self._blend(alpha[top - y : bottom - y, left - x : right - x], (left, top, right, bottom), colour, strength)

    def _blend(self, alpha: NDArray[np.uint8], rect: Rect, colour: Colour, strength: float) -> None:
        part = self.image[rect[1] : rect[3], rect[0] : rect[2]]
        share = (alpha.astype(np.float32) * np.float32(strength / 255))[..., None]
        part[:] = (part + (np.array(colour, np.float32) - part) * share + 0.5).astype(np.uint8)


def _hidden(sample: NDArray[np.float32], colour: Colour, strength: float, least: float) -> float:
    """Share of ``sample`` ``[pixel, RGB]`` from which ink of ``colour`` differs by less than ``least`` grey levels."""
    difference = np.abs(sample - np.array(colour, np.float32)).max(axis=1) * strength
    return float((difference < least).mean())


def rendered(word: Word, look: Look, split: str) -> tuple[Word, Patch] | None:
    """``word`` as the font can write it, with its patch; None if there is nothing to see.

    A name in another script takes another font that has it, an accent that the font lacks is left out.
    """
    if not covers(look.face, word.text):
        if any(ord(letter) > _LATIN_END for letter in word.text):
            look = replace(look, face=_other_face(word.text, split) or look.face, dots=0.0, times=1)
        if not covers(look.face, word.text):
            plain = "".join(letter for letter in latin(word.text) if covers(look.face, letter))
            word = replace(word, text=" ".join(plain.split()))
    patch = line(word.text, look) if word.text else None
    if patch is not None and " " in word.text and (look.spacing > 0 or look.stretch > 1) and _torn(patch):
        patch = line(word.text, replace(look, spacing=0.0, stretch=1.0))
    return None if patch is None else (word, patch)


def _torn(patch: Patch) -> bool:
    """Whether a gap in the line is so wide that a reader would see two texts."""
    inked = np.flatnonzero(patch.solid.any(axis=0))
    return bool(np.diff(inked).max(initial=0) > 1.2 * patch.alpha.shape[0])


def _other_face(text: str, split: str) -> Face | None:
    """The first face of ``split`` that has all of ``text``."""
    for group in ("sans", "cjk"):
        for faces in families(group, split):
            if covers(faces[0], text):
                return faces[0]
    return None


def typed(text: str, type_: EntityType | None = None) -> Word:
    """A :class:`Word`."""
    return Word(text, type_)

"""Writing a replacement so that it looks like what stood there (paper 002, section 3.3).

What stood there is known, and so is how it looks. It is written again with every font that there is; the one that comes
nearest tells font, size, width and base line, and how far ink runs out. Colour, spots and missing lines are measured
where its strokes are. Then the replacement is written in the same way.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from deidra.app.domain.geometry import Polygon, as_polygon, box_polygon
from deidra.app.redact.fonts import Face, faces
from deidra.app.redact.ink import low_ink_lines, mottled

Floats = NDArray[np.float32]
Page = NDArray[np.uint8]
_LEAST_HEIGHT = 5
_LEAST_CONTRAST = 24.0
"""Grey levels between ink and paper; below it there is nothing to imitate."""
_ALIKE = 0.45
"""Correlation of what is there and what was written, from which a font is believed."""
_NARROWEST, _WIDEST = 0.75, 1.3
"""How far letters are squeezed or stretched to be as wide as what stood there."""
_SQUEEZED = 0.7
"""How far a replacement that is too long is squeezed before it is written smaller."""
_SPREADS = (0.0, 0.5, 0.8, 1.2, 1.8)
"""Standard deviations in pixels by which ink runs out or a lens blurs."""
_CORE = 0.8
"""Share of ink from which a pixel lies inside a stroke."""
_WORN = 0.1
"""Standard deviation of ink inside strokes above which print is worn; below it are noise and the edges of strokes."""
_LEAST_INSIDE = 40
_CLOSE = 3
_NEAR = (0.97, 0.985, 1.0, 1.015, 1.03)
_HEAVIER = 0.3
"""What a difference in the amount of ink, as a logarithm, takes from the likeness."""
_HEAVIEST = 1.6
_MOVES = 3
"""Pixels by which a font's box of ink may lie beside the letters: fonts round differently."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a text looks.

    Args:
        face: the font.
        size: its size in pixels.
        stretch: how much wider than the font is, as a factor.
        origin: where its first letter begins on the base line, in pixels of the upright crop.
        colour: of the ink, as the samples of the page.
        spread: standard deviation in pixels by which ink runs out.
        weight: how much more ink there is than a font of this size has, as a factor.
        mottling: standard deviation of ink inside strokes that lies in spots.
        lines: share of ink that lacks along some rows.
    """

    face: Face
    size: float
    stretch: float
    origin: tuple[float, float]
    colour: tuple[float, float, float]
    spread: float = 0.0
    weight: float = 1.0
    mottling: float = 0.0
    lines: float = 0.0


def write_like(before: Page, after: Page, place: Polygon, was: str, text: str) -> Polygon | None:
    """Write ``text`` on ``after`` as ``was`` stands on ``before``, and say where it ends up.

    Args:
        before: the page as it was, ``(H, W, 3)``.
        after: the page with the place covered; it is written on.
        place: the four corners of the place: top left, top right, bottom right, bottom left as it is read.
        was: what stands there.
        text: what is to stand there.

    Returns:
        The corners of what was written, or None where nothing can be told of how the text looked.
    """
    was, text = _printable(was), _printable(text)
    if len(place) != 4 or not was or not text:
        return None
    upright = _Upright.of(place)
    if upright.height < _LEAST_HEIGHT or upright.width < _LEAST_HEIGHT:
        return None
    style = style_of(upright.crop(before), was)
    if style is None:
        return None
    rng = np.random.default_rng(zlib.crc32(repr((text, place)).encode()))
    ink, end = _worn(style, text, upright.width, upright.height, rng)
    share = upright.back(ink, after.shape[1], after.shape[0])[..., None]
    mixed = after * (1 - share) + np.asarray(style.colour, np.float32) * share
    if _is_bilevel(before):
        mixed = np.where(mixed > 127, 255, 0)
    np.copyto(after, np.rint(mixed).astype(np.uint8), where=share > 0)
    return upright.place(0, 0, end, upright.height)


def _printable(text: str) -> str:
    """A text without what is no character in print, which fonts may refuse."""
    return "".join(c if c.isprintable() else " " for c in text).strip()


def style_of(crop: Page, was: str) -> Style | None:
    """How ``was`` looks on an upright crop ``(H, W, 3)``; None where that cannot be told."""
    found = _ink(crop)
    if found is None:
        return None
    ink, colour = found
    rows, columns = np.flatnonzero((ink > 0.5).any(1)), np.flatnonzero((ink > 0.5).any(0))
    if not rows.size or not columns.size:
        return None
    box = (int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)
    size = crop.shape[1], crop.shape[0]
    tried = [
        (_likeness(ink, drawn(style, was, *size)), style) for style in (_fitted(f, was, box, colour) for f in faces())
    ]
    tried.sort(key=lambda pair: -pair[0])
    # Boxes of ink are whole pixels: the few that come near are fitted more closely.
    close = [
        (_likeness(ink, drawn(style, was, *size)), style) for _, near in tried[:_CLOSE] for style in _variants(near)
    ]
    alike, style = max([*tried[:1], *close], key=lambda pair: pair[0])
    if alike < _ALIKE:
        return None
    written = drawn(style, was, *size)
    dx, dy = _shift(ink, written)
    style = replace(style, origin=(style.origin[0] + dx, style.origin[1] + dy))
    written = drawn(style, was, crop.shape[1], crop.shape[0])
    spread = max(_SPREADS, key=lambda sigma: _correlation(ink, _blurred(written, sigma)))
    weight = _weight(ink, _blurred(written, spread))
    core = cv2.erode(written, np.ones((3, 3), np.uint8)) > _CORE
    mottling, uneven = _wear(ink, core)
    return replace(style, spread=spread, weight=weight, mottling=mottling, lines=uneven)


def _likeness(ink: Floats, written: Floats) -> float:
    """How alike what is there and what was written are: 1 at best; bold letters are unlike thin ones."""
    there, here = float(ink.sum()), float(written.sum())
    heavier = abs(math.log(there / here)) if there > 0 and here > 0 else math.inf
    return float(_around(ink, written).max()) - _HEAVIER * heavier


def _variants(style: Style) -> Iterator[Style]:
    """The style a little wider, narrower, larger and smaller."""
    for size in _NEAR:
        for stretch in _NEAR:
            yield replace(style, size=style.size * size, stretch=style.stretch * stretch)


def _shift(ink: Floats, written: Floats) -> tuple[int, int]:
    """By how many pixels what was written must move to lie on what is there, right and down."""
    y, x = np.unravel_index(int(_around(ink, written).argmax()), (2 * _MOVES + 1,) * 2)
    return int(x) - _MOVES, int(y) - _MOVES


def _around(ink: Floats, written: Floats) -> Floats:
    """Correlation of what is there with what was written, moved by up to ``_MOVES`` pixels each way."""
    wide = cv2.copyMakeBorder(ink, _MOVES, _MOVES, _MOVES, _MOVES, cv2.BORDER_CONSTANT, value=0)
    return np.nan_to_num(np.asarray(cv2.matchTemplate(wide, written, cv2.TM_CCOEFF_NORMED), np.float32))


def _weight(ink: Floats, written: Floats) -> float:
    """How much more ink is there than was written: thin strokes that ran out are paler than the ink is."""
    shared = written > 0.3
    if not shared.any():
        return 1.0
    return min(_HEAVIEST, max(1.0, float(ink[shared].mean()) / float(written[shared].mean())))


def _wear(ink: Floats, core: NDArray[np.bool_]) -> tuple[float, float]:
    """Standard deviation of ink in spots inside strokes, and the share that some rows lack; zeros in good print."""
    inside = ink[core]
    if inside.size < _LEAST_INSIDE:
        return 0.0, 0.0
    rows = [row for row in range(len(ink)) if core[row].sum() >= 3]
    by_row = np.array([ink[row][core[row]].mean() for row in rows])
    within = math.sqrt(float(np.mean([ink[row][core[row]].var() for row in rows]))) if rows else 0.0
    # Of neighbouring rows one lacks ink; slow changes are the light of a photograph.
    uneven = float(np.abs(np.diff(by_row)).mean()) if len(rows) > 3 else 0.0
    return min(0.4, within) if within > _WORN else 0.0, min(0.8, 3 * uneven) if uneven > _WORN else 0.0


def drawn(style: Style, text: str, width: int, height: int) -> Floats:
    """A text in new print: share of ink on each pixel, ``(height, width)``; what goes beyond is cut off."""
    room = max(1, math.ceil(width / style.stretch))
    image = Image.new("L", (room, height))
    x, y = style.origin
    ImageDraw.Draw(image).text((x / style.stretch, y), text, fill=255, font=style.face.at(style.size), anchor="ls")
    flat = np.asarray(image, np.float32) / 255
    return np.asarray(cv2.resize(flat, (width, height), interpolation=cv2.INTER_AREA), np.float32)


def _worn(style: Style, text: str, width: int, height: int, rng: np.random.Generator) -> tuple[Floats, float]:
    """A text in the print of its page, and where it ends."""
    style = _that_fits(style, text, width)
    ink = drawn(style, text, width, height)
    used = np.flatnonzero(ink.max(0) > 0.5)
    end = float(used[-1]) + 1 if used.size else float(width)
    worn = _blurred(low_ink_lines(mottled(ink, style.mottling, rng), style.lines, rng), style.spread)
    return np.minimum(worn * np.float32(style.weight), 1), end


def _that_fits(style: Style, text: str, width: int) -> Style:
    """The style squeezed, and then made smaller, until a text is no wider than its place."""
    room = width - style.origin[0] - 1
    natural = style.face.at(style.size).getlength(text)
    if natural * style.stretch <= room or natural <= 0:
        return style
    stretch = max(_SQUEEZED * style.stretch, room / natural)
    size = style.size * min(1.0, room / (natural * stretch))
    return replace(style, size=size, stretch=stretch)


def _fitted(face: Face, was: str, box: tuple[int, int, int, int], colour: tuple[float, float, float]) -> Style:
    """A font at the size and width at which ``was`` fills a box of ink."""
    left, top, right, bottom = box
    tall = face.at(100.0).getbbox(was, anchor="ls")
    size = 100.0 * (bottom - top) / max(1.0, tall[3] - tall[1])
    own = face.at(size).getbbox(was, anchor="ls")
    stretch = min(_WIDEST, max(_NARROWEST, (right - left) / max(1.0, own[2] - own[0])))
    origin = left - own[0] * stretch, float(bottom - own[3])
    return Style(face, size, stretch, origin, colour)


def _ink(crop: Page) -> tuple[Floats, tuple[float, float, float]] | None:
    """Share of ink on each pixel, and its colour; ink is what is rarer, light or dark."""
    grey = cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY)
    _, split = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    light = split > 0
    if not light.any() or light.all():
        return None
    dark_ink = light.mean() >= 0.5
    mask = ~light if dark_ink else light
    paper = float(np.median(grey[~mask]))
    values = grey[mask]
    full = float(np.percentile(values, 20 if dark_ink else 80))
    if abs(paper - full) < _LEAST_CONTRAST:
        return None
    ink = np.clip((paper - grey.astype(np.float32)) / (paper - full), 0, 1)
    darkest = crop[mask & (ink >= _CORE)]
    colour = np.median(darkest if len(darkest) else crop[mask], axis=0)
    return np.asarray(ink, np.float32), (float(colour[0]), float(colour[1]), float(colour[2]))


def _blurred(ink: Floats, sigma: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(ink, (0, 0), sigma), np.float32) if sigma > 0 else ink


def _correlation(one: Floats, other: Floats) -> float:
    a, b = one - one.mean(), other - other.mean()
    norm = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / norm if norm > 0 else 0.0


def _is_bilevel(page: Page) -> bool:
    return bool(((page == 0) | (page == 255)).all())


@dataclass(frozen=True, slots=True)
class _Upright:
    """A place with some paper around it, cut out of its page as if it were level."""

    matrix: NDArray[np.float64]
    width: int
    height: int

    @classmethod
    def of(cls, place: Polygon) -> _Upright:
        corners = np.asarray(place, np.float64)
        along, down = corners[1] - corners[0], corners[3] - corners[0]
        width, height = max(1, round(math.hypot(*along))), max(1, round(math.hypot(*down)))
        target = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
        matrix = np.asarray(cv2.getPerspectiveTransform(corners.astype(np.float32), target), np.float64)
        return cls(matrix, width, height)

    def crop(self, page: Page) -> Page:
        size = (self.width, self.height)
        cut = cv2.warpPerspective(page, self.matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cut, np.uint8)

    def back(self, ink: Floats, width: int, height: int) -> Floats:
        inverse = np.linalg.inv(self.matrix)
        return np.asarray(cv2.warpPerspective(ink, inverse, (width, height), flags=cv2.INTER_LINEAR), np.float32)

    def place(self, left: float, top: float, right: float, bottom: float) -> Polygon:
        points = np.array([box_polygon(0, 0, 1, 1)], np.float64) * (right - left, bottom - top) + (left, top)
        return as_polygon(cv2.perspectiveTransform(points, np.linalg.inv(self.matrix))[0])

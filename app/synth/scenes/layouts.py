"""Building blocks of layouts: which letters, which colours, lines under each other, columns beside each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from deidra.app.synth.scenes.canvas import BLACK, WHITE, Canvas, Colour, Effect, Paint, Rect, rendered
from deidra.app.synth.scenes.fonts import families, pick
from deidra.app.synth.scenes.glyphs import Look, Patch
from deidra.app.synth.scenes.words import Word

LETTERS: dict[str, tuple[tuple[str, float], ...]] = {
    "screen": (("console", 0.5), ("mono", 0.2), ("sans", 0.18), ("condensed", 0.05), ("thin", 0.04), ("display", 0.03)),
    "viewer": (("sans", 0.45), ("mono", 0.16), ("console", 0.14), ("condensed", 0.1), ("thin", 0.07), ("serif", 0.08)),
    "film": (("sans", 0.4), ("mono", 0.25), ("condensed", 0.12), ("serif", 0.08), ("display", 0.15)),
    "page": (("serif", 0.42), ("sans", 0.36), ("mono", 0.14), ("condensed", 0.08)),
    "dots": (("dot", 1.0),),
    "segment": (("segment", 1.0),),
    "script": (("script", 1.0),),
}
"""Groups of fonts and their shares for each kind of scene."""
_COLOURS: tuple[Colour, ...] = (
    (255, 255, 0), (0, 255, 0), (0, 255, 255), (255, 165, 0), (255, 0, 255), (120, 200, 255), (255, 220, 140),
    (60, 90, 255), (255, 80, 80), (150, 255, 150), (200, 200, 0), (0, 160, 160),
)  # fmt: skip


def chance(rng: np.random.Generator, share: float) -> bool:
    """True with probability ``share``."""
    return bool(rng.random() < share)


def between(rng: np.random.Generator, low: float, high: float) -> int:
    """A whole number from ``low`` to ``high``, both included."""
    return int(rng.integers(round(low), max(round(low), round(high)) + 1))


def letters(c: Canvas, kind: str, size: float | None = None) -> Look:
    """Letters for a scene of ``kind`` (a key of :data:`LETTERS`) about ``size`` pixels high, else the usual size."""
    rng = c.rng
    if c.coarse and kind == "viewer":
        kind = "screen"
    size = max(7.0, (size or c.unit) * rng.uniform(0.9, 1.12))
    there = [(group, share) for group, share in LETTERS[kind] if families(group, c.split)] or list(LETTERS[kind])
    shares = np.array([share for _, share in there])
    group = there[int(rng.choice(len(there), p=shares / shares.sum()))][0]
    face = pick(rng, group, c.split)
    if group == "dot":
        native = face.sizes[0] if face.sizes else 8
        return Look(face, native, dots=max(2.0, float(round(size / native))), spacing=0.0)
    if face.bitmap:
        times = max(1, round(size / max(face.sizes)))
        wanted = size / times
        native = min(face.sizes, key=lambda there: abs(there - wanted) + rng.uniform(0, 2))
        return Look(face, native, times=max(1, round(size / native)))
    rough = kind == "screen" and group in ("mono", "sans", "condensed") and size <= 24 and chance(rng, 0.6)
    spacing = float(rng.uniform(-0.04, 0.22)) if chance(rng, 0.15) else 0.0
    stretch = float(rng.uniform(0.75, 1.3)) if chance(rng, 0.12) else 1.0
    return Look(face, round(size), spacing, stretch, smooth=not rough)


def screen_paint(c: Canvas, coloured: float = 0.4) -> Paint:
    """Light ink as on screens; ``coloured`` is the share of coloured ink. A few per cent are hard to see."""
    rng = c.rng
    colour: Colour = WHITE
    if chance(rng, coloured):
        colour = _COLOURS[int(rng.integers(len(_COLOURS)))]
    elif chance(rng, 0.45):
        level = between(rng, 110, 245)
        colour = (level, level, level)
    if chance(rng, 0.05):
        return Paint(colour, float(rng.uniform(0.13, 0.22)), least=20.0)
    effect: Effect = "plain"
    turn = rng.random()
    if turn < 0.12:
        effect = "outline"
    elif turn < 0.24:
        effect = "shadow"
    elif turn < 0.32:
        effect = "box"
    elif turn < 0.37:
        effect = "veil"
    under = BLACK
    if effect in ("box", "veil") and chance(rng, 0.5):
        under = tuple(between(rng, 0, 110) for _ in range(3))  # type: ignore[assignment]
        if chance(rng, 0.35):
            colour, under = BLACK, colour
    return Paint(colour, effect=effect, under=under, least=35.0 if chance(rng, 0.2) else 60.0)


def page_paint(c: Canvas) -> Paint:
    """Dark ink as on paper."""
    rng = c.rng
    level = between(rng, 0, 70)
    colour: Colour = (level, level, level)
    if chance(rng, 0.1):
        colour = ((20, 30, 140), (150, 20, 20), (20, 90, 40))[int(rng.integers(3))]
    if chance(rng, 0.06):
        return Paint(colour, float(rng.uniform(0.17, 0.35)), least=20.0)
    return Paint(colour)


def drawn(c: Canvas, word: Word, look: Look) -> tuple[Word, Patch] | None:
    """``word`` as the font can write it, with its patch; None if there is nothing to see."""
    return rendered(word, look, c.split)


def block(
    c: Canvas,
    words: Sequence[Word],
    look: Look,
    at: tuple[int, int],
    paint: Callable[[], Paint],
    *,
    anchor: str = "l",
    step: int | None = None,
    style: str = "block",
    check: bool = True,
) -> Rect | None:
    """Lines under each other from the top at ``at``; ``anchor`` is which side of them is at its x: l, r or m.

    Returns the box around them; None, with nothing drawn, if something lies there already.
    """
    step = step or max(1, round(look.height * 1.25))
    items = []
    for i, word in enumerate(words):
        if (item := drawn(c, word, look)) is None:
            continue
        columns = item[1].alpha.shape[1]
        x = at[0] + (item[1].x if anchor == "l" else -columns if anchor == "r" else -columns // 2)
        items.append((*item, x, round(at[1] + i * step + 0.85 * look.height + item[1].y)))
    if not items:
        return None
    rect = (
        min(x for _, _, x, _ in items),
        min(y for _, _, _, y in items),
        max(x + patch.alpha.shape[1] for _, patch, x, _ in items),
        max(y + patch.alpha.shape[0] for _, patch, _, y in items),
    )
    if check and not c.free(rect, 1.4 * look.height, 0.3 * look.height):
        return None
    paints = [paint() for _ in items]
    for i, (_, patch, x, y) in enumerate(items):
        # All boxes come first: none may hide the line above.
        paints[i] = c.boxed((x, y, x + patch.alpha.shape[1], y + patch.alpha.shape[0]), paints[i])
    for (word, patch, x, y), its in zip(items, paints, strict=True):
        c.put(word, patch, (x, y), its, f"{style}/{look.face.family}", check=False)
    return rect


def grid(
    c: Canvas,
    rows: Sequence[Sequence[Word]],
    look: Look,
    at: tuple[int, int],
    paint: Callable[[], Paint],
    *,
    step: int | None = None,
    gap: float = 2.0,
    right: bool = False,
    style: str = "grid",
    rules: Colour | None = None,
) -> Rect | None:
    """A table from the top left at ``at``; ``gap`` between columns in letter heights.

    ``right`` aligns all columns but the first to the right. ``rules`` is the colour of lines between rows and
    columns. Returns its box; None if something lies there already.
    """
    step = step or max(1, round(look.height * 1.35))
    cells = [[drawn(c, word, look) for word in row] for row in rows]
    count = max(len(row) for row in cells)
    widths = [max((cell[1].alpha.shape[1] for row in cells if (cell := _at(row, i))), default=0) for i in range(count)]
    space = max(4, round(max(1.5, gap) * look.height))
    lefts = [at[0] + sum(widths[:i]) + space * i for i in range(count)]
    rect = (at[0], at[1], lefts[-1] + widths[-1], at[1] + step * len(cells))
    if not c.free(rect, space, 0):
        return None
    for r, row in enumerate(cells):
        for i, cell in enumerate(row):
            if cell is None:
                continue
            word, patch = cell
            x = lefts[i] + (widths[i] - patch.alpha.shape[1] if right and i else 0)
            y = round(at[1] + r * step + 0.85 * look.height + patch.y)
            c.put(word, patch, (x, y), paint(), f"{style}/{look.face.family}", check=False)
        if rules is not None:
            c.stroke((at[0] - space // 2, at[1] + r * step - 2), (rect[2] + space // 2, at[1] + r * step - 2), rules)
    if rules is not None:
        for x in lefts[1:]:
            c.stroke((x - space // 2, at[1]), (x - space // 2, rect[3]), rules)
    return rect


def _at(row: Sequence[tuple[Word, Patch] | None], i: int) -> tuple[Word, Patch] | None:
    return row[i] if i < len(row) else None


def anywhere(
    c: Canvas, word: Word, look: Look, paint: Paint, style: str, area: Rect | None = None, tries: int = 6
) -> Rect | None:
    """``word`` at a random free place in ``area``; None if none was found."""
    item = drawn(c, word, look)
    return None if item is None else placed(c, item[0], item[1], paint, f"{style}/{look.face.family}", area, tries)


def placed(
    c: Canvas,
    word: Word,
    patch: Patch,
    paint: Paint,
    style: str,
    area: Rect | None = None,
    tries: int = 6,
    kind: str = "printed",
) -> Rect | None:
    """``patch`` at a random free place in ``area``; None if none was found."""
    left, top, right, bottom = area or (0, 0, c.width, c.height)
    rows, columns = patch.alpha.shape
    if columns > right - left or rows > bottom - top:
        return None
    for _ in range(tries):
        corner = (between(c.rng, left, right - columns), between(c.rng, top, bottom - rows))
        if rect := c.put(word, patch, corner, paint, style, kind):
            return rect
    return None


def steady(paint: Paint) -> Callable[[], Paint]:
    """The same ``paint`` for each line."""
    return lambda: paint


def plain(paint: Paint) -> Paint:
    """``paint`` without anything under it."""
    return replace(paint, effect="plain")

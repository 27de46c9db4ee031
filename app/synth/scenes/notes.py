"""Handwriting in a scene: notes, filled fields, stickers, margins and signs that are no text."""

from __future__ import annotations

from dataclasses import replace

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.scenes import hands, words
from deidra.app.synth.scenes.canvas import WHITE, Canvas, Colour, Paint, Rect, typed
from deidra.app.synth.scenes.glyphs import Patch, turned
from deidra.app.synth.scenes.handwriting import Writer, any_writer, around, note, sloping, struck, unread
from deidra.app.synth.scenes.layouts import between, chance, letters, page_paint
from deidra.app.synth.scenes.strokes import Path, any_pen, inked

_INKS: tuple[Colour, ...] = ((18, 32, 120), (30, 50, 150), (15, 20, 70), (20, 20, 24), (150, 25, 35), (25, 90, 60))
_CRAYONS: tuple[Colour, ...] = (WHITE, WHITE, (225, 225, 220), (250, 235, 120), (255, 190, 120), (150, 200, 250))
_STICKERS: tuple[Colour, ...] = (
    WHITE,
    (245, 240, 225),
    (250, 240, 140),
    (255, 215, 90),
    (190, 225, 245),
    (250, 190, 200),
)
_BY_HAND = (
    EntityType.DATE_OTHER, EntityType.DATE_BIRTH, EntityType.PHONE_HOME, EntityType.ID_MRN, EntityType.ID_OTHER,
    EntityType.PATIENT, EntityType.STAFF, EntityType.AGE, EntityType.LOCATION_HOME_ADDRESS,
)  # fmt: skip


def _word(c: Canvas) -> words.Word:
    """What people write by hand: names, dates and numbers mostly."""
    if chance(c.rng, 0.5):
        return words.private(c.rng, c.split, _BY_HAND[int(c.rng.integers(len(_BY_HAND)))])
    return words.mixed(c.rng, c.split, 0.7)


def hand_paint(c: Canvas, writer: Writer, light: bool) -> Paint:
    """The ink of the pen of ``writer``, light on dark ground if ``light``."""
    rng = c.rng
    if light:
        colour = _CRAYONS[int(rng.integers(len(_CRAYONS)))]
        return Paint(colour, float(rng.uniform(0.6, 1.0)), least=45.0)
    if writer.pen.name == "pencil":
        return Paint((between(rng, 40, 90),) * 3, float(rng.uniform(0.55, 0.95)), least=30.0)
    if chance(rng, 0.25):
        return page_paint(c)
    red, green, blue = _INKS[int(rng.integers(len(_INKS)))]
    shift = between(rng, -12, 30)
    colour = (max(0, red + shift), max(0, green + shift), max(0, blue + shift))
    return Paint(colour, float(rng.uniform(0.7, 1.0)), least=80.0)


def _bare(c: Canvas, rect: Rect, paint: Paint) -> Paint:
    """``paint`` as it is seen on ``rect``: people take another pen, or write on, where machines draw outlines."""
    seen = c.seen(rect, paint)
    return replace(seen, effect="plain", least=0.0) if c.hidden(rect, seen.colour, seen.strength) < 0.4 else paint


def _put(
    c: Canvas, item: tuple[words.Word, Patch, str], paint: Paint, area: Rect | None, tries: int = 6
) -> Rect | None:
    """``item`` at the free place in ``area`` where it is seen best; None if there is no free place."""
    word, patch, style = item
    left, top, right, bottom = area or (0, 0, c.width, c.height)
    rows, columns = patch.alpha.shape
    best: tuple[float, Rect] | None = None
    for _ in range(tries if columns <= right - left and rows <= bottom - top else 0):
        x, y = between(c.rng, left, right - columns), between(c.rng, top, bottom - rows)
        rect = (x, y, x + columns, y + rows)
        if c.free(rect, 0.6 * c.unit, 0.4 * c.unit):
            hidden = c.hidden(rect, paint.colour, paint.strength)
            best = min(best or (hidden, rect), (hidden, rect))
            if hidden < 0.1:
                break
    if best is None:
        return None
    rect = best[1]
    return c.put(word, patch, rect[:2], _bare(c, rect, paint), style, "handwriting", check=False)


def _draw(
    c: Canvas, paths: list[Path], writer: Writer, paint: Paint, size: float, at: tuple[int, int] = (0, 0)
) -> None:
    """A sign that is no text: it leaves no number in the ink."""
    patch = inked(c.rng, paths, replace(writer.pen, skips=0.0), size)
    if patch is None:
        return
    rows, columns = patch.alpha.shape
    x, y = at[0] + patch.x, at[1] + patch.y
    left, top, right, bottom = c.inside((x, y, x + columns, y + rows))
    if right <= left or bottom <= top:
        return
    # As stains, through a canvas of its own: the ink and the drafts of this one stay as they are.
    sheet = Canvas(c.image[top:bottom, left:right], c.split, c.rng)
    cut = Patch(patch.alpha[top - y : bottom - y, left - x : right - x], 0, 0)
    sheet.put(typed(""), cut, (0, 0), replace(paint, least=0.0), check=False)


def _item(c: Canvas, writer: Writer, size: float, share: float) -> tuple[words.Word, Patch, str] | None:
    """A line by ``writer``, unreadable with probability ``share``."""
    if chance(c.rng, share):
        return unread(c.rng, writer, size)
    item = note(c.rng, writer, _word(c), size)
    if item and chance(c.rng, 0.04):
        item = (item[0], struck(c.rng, item[1], writer.pen, size), item[2])
    return item


def _signs(c: Canvas, writer: Writer, paint: Paint, rect: Rect, patch: Patch, size: float) -> None:
    """At times a ring around what was written, or a line below it."""
    if abs(patch.angle) < 4 and chance(c.rng, 0.2):
        _draw(c, around(c.rng, rect, size), writer, paint, size)


def single(c: Canvas, writer: Writer, light: bool, area: Rect | None) -> None:
    """One line at a free place, at times up the margin."""
    rng = c.rng
    size = c.unit * rng.uniform(1.1, 3.0)
    item = _item(c, writer, size, 0.4)
    if item is None:
        return
    word, patch, style = item
    up = chance(rng, 0.07)
    patch = turned(patch, float(rng.choice([90, 270]))) if up else sloping(rng, writer, patch)
    paint = hand_paint(c, writer, light)
    if rect := _put(c, (word, patch, style), paint, area):
        _signs(c, writer, paint, rect, patch, size)


def several(c: Canvas, writer: Writer, light: bool, area: Rect | None, rows: int) -> bool:
    """Up to ``rows`` lines under each other from one hand; whether there was room."""
    rng = c.rng
    size = c.unit * rng.uniform(1.0, 1.9)
    items = [item for _ in range(rows) if (item := _item(c, writer, size, 0.15))]
    # Tall signatures would lie across the lines beside them.
    items = [item for item in items if item[1].alpha.shape[0] < 2 * size]
    if not items:
        return False
    step = round(size * rng.uniform(1.25, 1.7))
    wide = max(patch.alpha.shape[1] for _, patch, _ in items)
    high = step * (len(items) - 1) + max(patch.alpha.shape[0] for _, patch, _ in items)
    left, top, right, bottom = area or (0, 0, c.width, c.height)
    if wide >= right - left or high >= bottom - top:
        return False
    for _ in range(6):
        x, y = between(rng, left, right - wide), between(rng, top, bottom - high)
        if c.free((x, y, x + wide, y + high), size, 0.4 * size):
            break
    else:
        return False
    paint = _bare(c, (x, y, x + wide, y + high), hand_paint(c, writer, light))
    base = y - min(patch.y for _, patch, _ in items)
    for i, (word, patch, style) in enumerate(items):
        indent = between(rng, 0, min(0.5 * size, wide - patch.alpha.shape[1]))
        corner = (x + indent, round(base + i * step + patch.y + rng.normal(0, 0.04) * size))
        rect = c.put(word, patch, corner, paint, style, "handwriting", check=False)
        if rect and i == len(items) - 1:
            _signs(c, writer, paint, rect, patch, size)
    return True


def sticker(c: Canvas, writer: Writer, area: Rect | None) -> None:
    """A light patch with lines by hand in dark ink, and at times a printed label first."""
    rng = c.rng
    wide, high = between(rng, 9 * c.unit, 20 * c.unit), between(rng, 3.5 * c.unit, 9 * c.unit)
    left, top, right, bottom = area or (0, 0, c.width, c.height)
    if wide >= right - left or high >= bottom - top:
        return
    for _ in range(5):
        x, y = between(rng, left, right - wide), between(rng, top, bottom - high)
        rect = (x, y, x + wide, y + high)
        if c.free(rect):
            c.fill(rect, _STICKERS[int(rng.integers(len(_STICKERS)))], float(rng.uniform(0.85, 1)))
            if chance(rng, 0.4):
                c.frame(rect, (90, 90, 90))
            pad = round(0.4 * c.unit)
            inner = (x + pad, y + pad, rect[2] - pad, rect[3] - pad)
            if not (chance(rng, 0.6) and several(c, writer, False, inner, between(rng, 2, 3))):
                single(c, writer, False, inner)
            c.take(rect)
            return


def fields(c: Canvas, writer: Writer, area: Rect | None) -> None:
    """Printed labels with what was written beside them: on a line, in a box or on nothing."""
    rng = c.rng
    look = letters(c, "page", c.unit * rng.uniform(0.8, 1.1))
    size = c.unit * rng.uniform(1.1, 1.8)
    step, rows = round(size * rng.uniform(1.5, 2.3)), between(rng, 1, 4)
    wide, high = between(rng, 18 * c.unit, 30 * c.unit), step * rows
    left, top, right, bottom = area or (0, 0, c.width, c.height)
    if wide >= right - left or high >= bottom - top:
        return
    for _ in range(6):
        x, y = between(rng, left, right - wide), between(rng, top, bottom - high)
        if c.free((x, y, x + wide, y + high), c.unit, 0.5 * c.unit):
            break
    else:
        return
    ruled, grey = rng.random(), (between(rng, 90, 170),) * 3
    ink, paint = page_paint(c), hand_paint(c, writer, False)
    start = x + round(rng.uniform(5, 9) * c.unit)
    for i in range(rows):
        base = y + i * step + 0.75 * step
        label = typed(words.phrase(rng, c.split, "labels") + words.choose(rng, (":", "", " :")))
        there = c.text(label, look, (x, base), ink, style="field", check=False)
        begin = max(start, (there[2] if there else x) + round(1.5 * look.height))
        line = round(base + 0.2 * size)
        if ruled < 0.5:
            c.stroke((begin, line), (x + wide, line), grey)
        elif ruled < 0.75:
            c.frame((begin - 3, line - step + 4, x + wide, line + 3), grey)
        item = _item(c, writer, size, 0.2) if chance(rng, 0.85) else None
        if item and begin + item[1].alpha.shape[1] < min(x + wide + 2 * c.unit, c.width):
            lift = round(rng.normal(0, 0.06) * size)
            corner = (begin + between(rng, 0, 0.4 * size), round(base + lift + item[1].y))
            c.put(item[0], item[1], corner, paint, item[2], "handwriting", check=False)
    c.take((x, y, x + wide, y + high))


def signs(c: Canvas, writer: Writer, light: bool, area: Rect | None) -> None:
    """Ticks, crosses, arrows and rings alone, which are no text."""
    rng = c.rng
    left, top, right, bottom = area or (0, 0, c.width, c.height)
    paint = hand_paint(c, writer, light)
    for _ in range(between(rng, 1, 3)):
        size = c.unit * rng.uniform(0.8, 2.5)
        x, y = between(rng, left, right), between(rng, top, bottom)
        reach = round(3 * size)
        if c.free((x - reach, y - reach, x + reach, y + reach)):
            _draw(c, hands.marks(rng, size), writer, paint, size, (x, y))


def handwriting(c: Canvas, light: bool = False, area: Rect | None = None) -> None:
    """One to five notes by hand, mostly from one writer. ``light`` writes in light colours, as on films.

    Training has more of them: it sees too little handwriting otherwise.
    """
    rng = c.rng
    writer = any_writer(rng, c.split, light)
    for _ in range(between(rng, 2, 5) if c.split == "train" else between(rng, 1, 4)):
        if chance(rng, 0.3):
            writer = any_writer(rng, c.split, light)
        elif chance(rng, 0.3):
            writer = replace(writer, pen=any_pen(rng, light))
        turn = rng.random()
        if turn < 0.68:
            single(c, writer, light, area)
        elif turn < 0.83:
            several(c, writer, light, area, between(rng, 2, 4))
        elif turn < 0.9:
            sticker(c, replace(writer, pen=any_pen(rng)), area)
        elif not light:
            fields(c, writer, area)
    if chance(rng, 0.2):
        signs(c, writer, light, area)

"""Layouts of screens: overlays, bars, menus, tables, measurements, scales and lone letters."""

from __future__ import annotations

import cv2
import numpy as np

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.scenes import words
from deidra.app.synth.scenes.canvas import BLACK, Canvas, Colour, Paint, Rect, typed
from deidra.app.synth.scenes.glyphs import Look, mirrored, turned
from deidra.app.synth.scenes.layouts import (
    anywhere,
    between,
    block,
    chance,
    drawn,
    grid,
    letters,
    placed,
    plain,
    screen_paint,
    steady,
)

_CORNERS = ("tl", "tr", "bl", "br")


def _margin(c: Canvas, look: Look) -> int:
    """Distance of text from the edge of the image: at times none, at times the text is cut."""
    turn = c.rng.random()
    if turn < 0.14:
        return 0
    if turn < 0.2:
        return -between(c.rng, 1, look.height * 0.5)
    return between(c.rng, 1, 1.2 * look.height)


def corners(c: Canvas, kind: str = "viewer", area: Rect | None = None, most: int = 10) -> None:
    """Lines in the corners of ``area`` as viewers show them, aligned to the side."""
    rng = c.rng
    look, paint = letters(c, kind), screen_paint(c, 0.3)
    left, top, right, bottom = area or (0, 0, c.width, c.height)
    step = max(6, round(look.height * rng.uniform(1.02, 1.5)))
    margin = _margin(c, look)
    for where in _CORNERS:
        if chance(rng, 0.22):
            continue
        count = between(rng, 1, max(1, min(most, int(0.45 * (bottom - top) / step))))
        lines = [words.mixed(rng, c.split, 0.6 if where[0] == "t" else 0.25) for _ in range(count)]
        y = top + margin if where[0] == "t" else bottom - margin - step * count
        at = (left + margin, y) if where[1] == "l" else (right - margin, y)
        varied = chance(rng, 0.12)
        block(
            c, lines, look, at, (lambda: screen_paint(c)) if varied else steady(paint),
            anchor=where[1], step=step, style="corner",
        )  # fmt: skip


def edge_letters(c: Canvas, area: Rect | None = None) -> None:
    """Orientation letters in the middle of the edges."""
    rng = c.rng
    look, paint = letters(c, "viewer", c.unit * rng.uniform(0.9, 1.7)), screen_paint(c, 0.3)
    left, top, right, bottom = area or (0, 0, c.width, c.height)
    for x, y in ((0.02, 0.5), (0.98, 0.5), (0.5, 0.03), (0.5, 0.97)):
        item = drawn(c, typed(words.phrase(rng, c.split, "letters")), look)
        if chance(rng, 0.25) or item is None:
            continue
        word, patch = item
        rows, columns = patch.alpha.shape
        if chance(rng, 0.04):
            patch = mirrored(patch)
        corner = (left + round(x * (right - left - columns)), top + round(y * (bottom - top - rows)))
        c.put(word, patch, corner, paint, f"edge/{look.face.family}")


def bar(c: Canvas, kind: str = "screen") -> None:
    """A band at the top or bottom with texts that stand apart."""
    rng = c.rng
    look = letters(c, kind)
    lines = between(rng, 1, 3)
    step = round(look.height * 1.3)
    height = step * lines + between(rng, 2, 8)
    top = 0 if chance(rng, 0.6) else c.height - height
    if not c.free((0, top, c.width, top + height)):
        return
    ground: Colour = tuple(between(rng, 0, 120) for _ in range(3)) if chance(rng, 0.6) else BLACK  # type: ignore[assignment]
    if chance(rng, 0.15):
        ground = (between(rng, 180, 255),) * 3
    c.fill((0, top, c.width, top + height), ground)
    paint = plain(screen_paint(c))
    for i in range(lines):
        x = between(rng, 1, 3 * look.height)
        while x < c.width - 2 * look.height:
            rect = c.text(
                words.mixed(rng, c.split, 0.6), look, (x, top + 2 + i * step + 0.85 * look.height), paint,
                style="bar", check=False,
            )  # fmt: skip
            x = (rect[2] if rect else x) + between(rng, 2 * look.height, 8 * look.height)


def menu(c: Canvas) -> None:
    """A column of keys or entries, some of them chosen, as on ultrasound consoles."""
    rng = c.rng
    look = letters(c, "screen")
    step = round(look.height * rng.uniform(1.4, 2.4))
    count = between(rng, 3, max(3, min(16, 0.8 * c.height / step)))
    items = [item for _ in range(count) if (item := drawn(c, typed(words.phrase(rng, c.split, "menu")), look))]
    longest = max((patch.alpha.shape[1] for _, patch in items), default=0)
    wide = longest + round(look.height * rng.uniform(0.9, 4))
    x = c.width - wide - between(rng, 0, 6) if chance(rng, 0.6) else between(rng, 0, 6)
    y = between(rng, 0, max(0, c.height - step * count))
    if not c.free((x, y, x + wide, y + step * count), look.height):
        return
    ground: Colour = tuple(between(rng, 10, 110) for _ in range(3))  # type: ignore[assignment]
    keyed, paint = chance(rng, 0.6), plain(screen_paint(c))
    for i, (word, patch) in enumerate(items):
        cell = (x, y + i * step + 1, x + wide, y + (i + 1) * step - 1)
        chosen = chance(rng, 0.12)
        if keyed or chosen:
            c.fill(cell, paint.colour if chosen else ground)
        if keyed and chance(rng, 0.5):
            c.frame(cell, (150, 150, 150))
        ink = Paint(BLACK) if chosen else paint
        corner = (round(x + 0.4 * look.height), round(cell[1] + 0.5 * step + 0.3 * look.height) + patch.y)
        c.put(word, patch, corner, ink, f"menu/{look.face.family}", check=False)
        if chance(rng, 0.3):
            value = drawn(c, typed(words.phrase(rng, c.split, "scale")), look)
            if value is not None and c.free(
                (cell[2] - 3 * look.size, cell[1] + 4, cell[2] - 4, cell[3] - 4), look.height
            ):
                c.put(*value, (cell[2] - 4 - value[1].alpha.shape[1], cell[1] + 3), ink, "menu value")
    c.take((x, y, x + wide, y + step * count))


def table(c: Canvas) -> None:
    """Values of an acquisition or measurement: label, value and unit in columns."""
    rng = c.rng
    look, paint = letters(c, "screen"), screen_paint(c)
    rows = []
    for _ in range(between(rng, 3, 12)):
        label = words.phrase(rng, c.split, "tables") + (":" if chance(rng, 0.3) else "")
        row = [typed(label), typed(words.fill(rng, words.choose(rng, ("~#.#", "~##", "#.##", "~", "-~.#", "~#"))))]
        if chance(rng, 0.7):
            row.append(typed(words.phrase(rng, c.split, "units")))
        rows.append(row)
    at = (between(rng, 2, 0.6 * c.width), between(rng, 2, 0.7 * c.height))
    rules = (110, 110, 110) if chance(rng, 0.3) else None
    grid(
        c,
        rows,
        look,
        at,
        steady(plain(paint)),
        right=chance(rng, 0.5),
        gap=rng.uniform(1.6, 4),
        style="table",
        rules=rules,
    )


def measurements(c: Canvas) -> None:
    """Callipers with dotted lines, their numbers, and the results in a list."""
    rng = c.rng
    look, paint = letters(c, "screen"), plain(screen_paint(c, 0.6))
    lines = []
    for i in range(between(rng, 1, 4)):
        a = (between(rng, 0.2 * c.width, 0.8 * c.width), between(rng, 0.2 * c.height, 0.8 * c.height))
        b = (a[0] + between(rng, -0.2 * c.width, 0.2 * c.width), a[1] + between(rng, -0.2 * c.height, 0.2 * c.height))
        arm = max(3, round(look.height * 0.3))
        for x, y in (a, b):
            c.stroke((x - arm, y), (x + arm, y), paint.colour)
            c.stroke((x, y - arm), (x, y + arm), paint.colour)
            c.take((x - arm, y - arm, x + arm, y + arm))
        dots = max(2, round(float(np.hypot(b[0] - a[0], b[1] - a[1])) / 6))
        for t in np.linspace(0, 1, dots):
            cv2.circle(c.image, (round(a[0] + t * (b[0] - a[0])), round(a[1] + t * (b[1] - a[1]))), 0, paint.colour, -1)
        if chance(rng, 0.7):
            c.text(typed(str(i + 1)), look, (b[0] + 2 * arm + 2, b[1] - arm), paint, style="calliper")
        form = words.choose(rng, ("L ~.## cm", "D ~#.# mm", "Dist ~.##cm", "A ~.## cm²", "~.## mm", "= ~##.# mm"))
        lines.append(typed(f"{i + 1} {words.fill(rng, form)}"))
    at = (between(rng, 2, 0.7 * c.width), between(rng, 0.1 * c.height, 0.85 * c.height))
    block(c, lines, look, at, steady(screen_paint(c, 0.6)), style="measurement")


def scale(c: Canvas) -> None:
    """A ruler or axis with ticks and numbers, upright at a side or lying at the bottom."""
    rng = c.rng
    look, paint = letters(c, "screen", c.unit * rng.uniform(0.7, 1.0)), plain(screen_paint(c))
    upright = chance(rng, 0.65)
    length = c.height if upright else c.width
    start, end = between(rng, 0.05 * length, 0.3 * length), between(rng, 0.6 * length, 0.95 * length)
    count = between(rng, 3, max(3, min(12, (end - start) / (3 * look.height))))
    across = between(rng, 0.02, 0.98 * (c.width if upright else c.height))
    first, by = between(rng, -3, 5), words.choose(rng, ("1", "2", "5", "10", "20", "50"))
    numbered = rng.choice([1, 1, 2, 5])
    for i in range(count):
        along = start + (end - start) * i // max(1, count - 1)
        tick = max(3, round(0.4 * look.height)) * (1 if i % numbered else 2)
        a, b = ((across, along), (across + tick, along)) if upright else ((along, across), (along, across + tick))
        c.stroke(a, b, paint.colour)
        item = drawn(c, typed(str((first + i) * int(by))), look) if i % numbered == 0 else None
        if item is None:
            continue
        rows, columns = item[1].alpha.shape
        corner = (
            (across + 2 * tick + 3, along - rows // 2) if upright else (along - columns // 2, across + 2 * tick + 3)
        )
        c.put(item[0], item[1], corner, paint, "scale")


def tokens(c: Canvas) -> None:
    """Short texts here and there, single characters among them."""
    rng = c.rng
    kind = "segment" if chance(rng, 0.06) else "screen"
    for _ in range(between(rng, 2, 12)):
        look = letters(c, kind, c.unit * rng.uniform(0.7, 1.6))
        word = typed(words.phrase(rng, c.split, "scale")) if kind == "segment" else words.token(rng, c.split)
        anywhere(c, word, look, screen_paint(c), "token")


def over(c: Canvas, most: int = 6) -> None:
    """Texts anywhere, over anatomy too; at times upright or seen from behind."""
    rng = c.rng
    for _ in range(between(rng, 1, most)):
        look = letters(c, "viewer", c.unit * rng.uniform(0.7, 2.2))
        item = drawn(c, words.mixed(rng, c.split), look)
        if item is None:
            continue
        word, patch = item
        turn = rng.random()
        if turn < 0.1:
            patch = turned(patch, float(rng.choice([90, 270])))
        elif turn < 0.16:
            patch = turned(patch, float(rng.uniform(-25, 25)))
        elif turn < 0.19:
            patch = mirrored(patch)
        placed(c, word, patch, screen_paint(c), f"over/{look.face.family}")


def dot_matrix(c: Canvas) -> None:
    """Lines of an endoscope: letters of separate dots."""
    rng = c.rng
    look = letters(c, "dots", c.unit)
    paint = plain(screen_paint(c, 0.3))
    left = chance(rng, 0.7)
    lines = [words.mixed(rng, c.split, 0.6) for _ in range(between(rng, 2, 9))]
    lines = [words.Word(word.text.upper() if chance(rng, 0.5) else word.text, word.type) for word in lines]
    at = (between(rng, 0, 20) if left else c.width - between(rng, 0, 20), between(rng, 0, 0.5 * c.height))
    block(c, lines, look, at, steady(paint), anchor="l" if left else "r", step=round(look.height * 1.4), style="dots")
    for _ in range(between(rng, 0, 4)):
        anywhere(c, words.token(rng, c.split), look, paint, "dots")


def big(c: Canvas) -> None:
    """One or two very large texts."""
    rng = c.rng
    for _ in range(between(rng, 1, 2)):
        look = letters(c, "film", rng.uniform(0.1, 0.2) * min(c.width, c.height))
        word = words.token(rng, c.split) if chance(rng, 0.6) else typed(words.phrase(rng, c.split, "headings"))
        anywhere(c, word, look, screen_paint(c, 0.2), "big")


def tiles(c: Canvas) -> None:
    """A sheet of several images, each with tiny text in its corners."""
    rng = c.rng
    across, down = between(rng, 2, 4), between(rng, 2, 4)
    wide, high = c.width // across, c.height // down
    look, paint = letters(c, "viewer", max(8, min(c.unit, high / 14))), plain(screen_paint(c, 0.15))
    for i in range(across * down):
        x, y = i % across * wide, i // across * high
        c.frame((x, y, x + wide, y + high), (90, 90, 90))
        top = [
            words.machine(rng, c.split) if chance(rng, 0.7) else words.header(rng, c.split)
            for _ in range(between(rng, 1, 3))
        ]
        block(c, top, look, (x + 4, y + 3), steady(paint), style="tile")
        block(
            c,
            [typed(f"Im: {i + 1}")],
            look,
            (x + wide - 4, y + high - round(1.3 * look.height)),
            steady(paint),
            anchor="r",
            style="tile",
        )
        if chance(rng, 0.5):
            c.text(typed(words.phrase(rng, c.split, "letters")), look, (x + 5, y + high / 2), paint, style="tile")


def name_line(c: Canvas) -> None:
    """A header line of an ultrasound console: name, number, date and time, indices."""
    rng = c.rng
    look, paint = letters(c, "screen"), plain(screen_paint(c))
    kinds = (EntityType.PATIENT, EntityType.ID_MRN, EntityType.HOSPITAL, EntityType.DATE_OTHER)
    row = [words.private(rng, c.split, kind) for kind in kinds if chance(rng, 0.75)]
    row += [typed(words.timed(rng)), typed(words.fill(rng, "MI #.#")), typed(words.fill(rng, "TIs #.#"))]
    split = between(rng, 1, len(row))
    y = between(rng, 0, look.height)
    grid(
        c,
        [row[:split], row[split:]] if split < len(row) else [row],
        look,
        (between(rng, 0, 30), y),
        steady(paint),
        style="header",
    )

"""Layouts of films and pages: name labels, paragraphs, forms, lists, tables, strips of an electrocardiogram."""

from __future__ import annotations

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.scenes import words
from deidra.app.synth.scenes.canvas import BLACK, WHITE, Canvas, Colour, Paint, typed
from deidra.app.synth.scenes.glyphs import Patch
from deidra.app.synth.scenes.handwriting import any_writer, note
from deidra.app.synth.scenes.layouts import anywhere, between, block, chance, drawn, grid, letters, page_paint, steady
from deidra.app.synth.scenes.notes import hand_paint
from deidra.app.synth.scenes.words import Word

_LABEL = (
    EntityType.PATIENT, EntityType.ID_MRN, EntityType.DATE_BIRTH, EntityType.DATE_OTHER, EntityType.HOSPITAL,
    EntityType.STAFF, EntityType.AGE, EntityType.ID_OTHER,
)  # fmt: skip
_FORM = (
    *_LABEL,
    EntityType.ID_SSN,
    EntityType.PHONE_HOME,
    EntityType.EMAIL,
    EntityType.LOCATION_HOME_ADDRESS,
    EntityType.HEALTH,
)
_NAMES = {
    EntityType.PATIENT: ("Name", "Patient", "Patient name", "Last, First"),
    EntityType.ID_MRN: ("MRN", "Record no.", "Patient ID"),
    EntityType.DATE_BIRTH: ("Date of birth", "DOB", "Born"),
    EntityType.DATE_OTHER: ("Date", "Exam date", "Admitted"),
    EntityType.PHONE_HOME: ("Phone", "Tel.", "Mobile"),
    EntityType.LOCATION_HOME_ADDRESS: ("Address", "Street", "Home"),
    EntityType.EMAIL: ("E-mail", "Mail"),
}


def film_label(c: Canvas) -> None:
    """A name label in a corner: a light patch with dark type, a dark one with light type, or bare type."""
    rng = c.rng
    look = letters(c, "film", c.unit * rng.uniform(0.8, 1.5))
    kinds = [kind for kind in _LABEL if chance(rng, 0.55)] or [EntityType.PATIENT]
    lines = [words.private(rng, c.split, kind) for kind in kinds]
    if chance(rng, 0.5):
        lines.append(words.machine(rng, c.split))
    step = round(look.height * rng.uniform(1.1, 1.5))
    items = [item for line in lines if (item := drawn(c, line, look))]
    if not items:
        return
    pad = between(rng, 3, look.height)
    wide, high = max(patch.alpha.shape[1] for _, patch in items) + 2 * pad, step * len(lines) + 2 * pad
    off = between(rng, 0, 2 * look.height)
    x = off if chance(rng, 0.5) else c.width - wide - off
    y = off if chance(rng, 0.6) else c.height - high - off
    rect = (x, y, x + wide, y + high)
    if not c.free(rect, look.height, look.height):
        return
    turn = rng.random()
    level = between(rng, 170, 255)
    paint = Paint((level, level, level))
    if turn < 0.45:
        c.fill(rect, (level, level, level), float(rng.uniform(0.75, 1)))
        dark = between(rng, 0, 70)
        paint = Paint((dark, dark, dark))
    elif turn < 0.75:
        dark = between(rng, 0, 40)
        c.fill(rect, (dark, dark, dark))
    middle = chance(rng, 0.3)
    block(
        c, lines, look, (x + wide // 2 if middle else x + pad, y + pad), steady(paint),
        anchor="m" if middle else "l", step=step, style="label",
    )  # fmt: skip
    c.take(c.inside(rect))


def _paragraph(c: Canvas, letters_wide: int) -> list[Word]:
    """Lines of prose about ``letters_wide`` letters wide; a name or date stands in some."""
    rng = c.rng
    lines, current, type_ = [], "", None
    for _ in range(between(rng, 2, 7)):
        sentence = words.phrase(rng, c.split, "sentences")
        private = words.header(rng, c.split) if chance(rng, 0.15) else None
        for piece, kind in [(part, None) for part in sentence.split()] + (
            [(private.text, private.type)] if private else []
        ):
            if current and len(current) + 1 + len(piece) > letters_wide:
                lines.append(Word(current, type_))
                current, type_ = "", None
            current = f"{current} {piece}".strip()
            type_ = type_ or kind
    return [*lines, Word(current, type_)] if current else lines


def letterhead(c: Canvas, y: int) -> int:
    """The institution's name, address and telephone at the top; returns where it ends."""
    rng = c.rng
    look = letters(c, "page", c.unit * rng.uniform(1.3, 2.2))
    anchor = str(rng.choice(["l", "m", "r"]))
    x = {"l": round(0.07 * c.width), "m": c.width // 2, "r": round(0.93 * c.width)}[anchor]
    paint = steady(page_paint(c))
    rect = block(
        c, [words.private(rng, c.split, EntityType.HOSPITAL)], look, (x, y), paint, anchor=anchor, style="letterhead"
    )
    y = rect[3] + between(rng, 4, c.unit) if rect else y
    lines = [
        words.private(rng, c.split, EntityType.LOCATION_HOME_ADDRESS),
        Word(words.phone(rng), EntityType.PHONE_OTHER),
    ]
    rect = block(c, lines, letters(c, "page", c.unit * 0.9), (x, y), paint, anchor=anchor, style="letterhead")
    y = rect[3] + c.unit if rect else y
    if chance(rng, 0.4):
        c.stroke((round(0.06 * c.width), y), (round(0.94 * c.width), y), (90, 90, 90), max(1, c.unit // 12))
    return y + c.unit


def page_layout(c: Canvas) -> None:
    """A page from top to bottom: letterhead, forms, prose, lists and tables in any order."""
    rng = c.rng
    y = between(rng, 0.01 * c.height, 0.06 * c.height)
    if chance(rng, 0.6):
        y = letterhead(c, y)
    while y < c.height - 2 * c.unit:
        part = (form, prose, typed_list, results, boxes)[int(rng.choice(5, p=(0.28, 0.32, 0.16, 0.14, 0.1)))]
        end = part(c, y)
        y = max(end, y + c.unit) + between(rng, 0.6 * c.unit, 3 * c.unit)
        if chance(rng, 0.08):
            break


def form(c: Canvas, y: int) -> int:
    """Pairs of a label and its value, in one or two columns; returns where they end."""
    rng = c.rng
    look, value_look = letters(c, "page"), letters(c, "page")
    writer, size = any_writer(rng, c.split) if chance(rng, 0.25) else None, c.unit * rng.uniform(1.2, 1.7)
    step = round(max(look.height, size if writer else value_look.height) * rng.uniform(1.3, 2.2))
    columns = between(rng, 1, 2)
    paint, value_paint = page_paint(c), hand_paint(c, writer, False) if writer else page_paint(c)
    ruled = chance(rng, 0.4)
    rows = between(rng, 2, 9)
    for column in range(columns):
        left = round(c.width * (0.06 + column * 0.46))
        right = round(c.width * (0.94 if columns == 1 else 0.48 + column * 0.46))
        for i in range(rows):
            base = y + i * step + 0.85 * look.height
            if base > c.height + look.height:
                break
            type_ = _FORM[int(rng.integers(len(_FORM)))]
            value = words.private(rng, c.split, type_) if chance(rng, 0.7) else words.machine(rng, c.split)
            label = (
                words.choose(rng, _NAMES[type_])
                if value.phi and type_ in _NAMES
                else words.phrase(rng, c.split, "labels")
            )
            there = c.text(
                typed(label + words.choose(rng, (":", ":", ""))), look, (left, base), paint, style="form", check=False
            )
            x = (there[2] if there else left) + between(rng, 1.6 * look.height, 2.5 * look.height)
            kind, style = ("handwriting", "") if writer else ("printed", f"form value/{value_look.face.family}")
            item: tuple[Word, Patch] | None
            if writer is None:
                item = drawn(c, value, value_look)
            elif (by_hand := note(rng, writer, value, size)) is not None:
                item, style = by_hand[:2], by_hand[2]
            else:
                item = None
            if item and x + item[1].alpha.shape[1] < right:
                c.put(item[0], item[1], (x, round(base + item[1].y)), value_paint, style, kind, check=False)
            if ruled:
                line = round(base + 0.35 * look.height)
                c.stroke((x, line), (right, line), (130, 130, 130))
    return y + rows * step


def prose(c: Canvas, y: int) -> int:
    """A heading and a paragraph; returns where it ends."""
    rng = c.rng
    look, paint = letters(c, "page"), steady(page_paint(c))
    left = round(c.width * rng.uniform(0.04, 0.12))
    if chance(rng, 0.6):
        heading = words.phrase(rng, c.split, "labels")
        block(
            c,
            [typed(heading.upper() if chance(rng, 0.5) else heading)],
            look,
            (left, y),
            paint,
            style="heading",
            check=False,
        )
        y += round(1.6 * look.height)
    lines = _paragraph(c, max(12, round(0.84 * c.width / (0.52 * look.height))))
    step = round(look.height * rng.uniform(1.15, 1.7))
    block(c, lines, look, (left, y), paint, step=step, style="prose", check=False)
    return y + step * len(lines)


def typed_list(c: Canvas, y: int) -> int:
    """Lines of a list with names, numbers and dates in columns; returns where it ends."""
    rng = c.rng
    look = letters(c, "page", c.unit * 0.9)
    kinds = (EntityType.PATIENT, EntityType.ID_MRN, EntityType.DATE_OTHER, EntityType.HEALTH)
    chosen = [kind for kind in kinds if chance(rng, 0.7)] or [EntityType.PATIENT]
    step = round(look.height * rng.uniform(1.2, 1.8))
    count = min(between(rng, 6, 60), max(2, (c.height - y) // step))
    rows = [[typed(f"{i + 1}."), *(words.private(rng, c.split, kind) for kind in chosen)] for i in range(count)]
    grid(c, rows, look, (round(0.06 * c.width), y), steady(page_paint(c)), step=step, style="list")
    return y + step * count


def results(c: Canvas, y: int) -> int:
    """A table of results with or without rules; returns where it ends."""
    rng = c.rng
    look = letters(c, "page")
    rows = [[typed(words.phrase(rng, c.split, "labels")), typed("Value"), typed("Unit")]]
    for _ in range(between(rng, 3, 10)):
        number = words.fill(rng, words.choose(rng, ("~#.#", "~##", "#.##", "< ~", "~#")))
        rows.append(
            [typed(words.phrase(rng, c.split, "tables")), typed(number), typed(words.phrase(rng, c.split, "units"))]
        )
    step = round(look.height * rng.uniform(1.3, 1.9))
    rules = (120, 120, 120) if chance(rng, 0.5) else None
    grid(
        c,
        rows,
        look,
        (round(0.08 * c.width), y),
        steady(page_paint(c)),
        step=step,
        rules=rules,
        gap=rng.uniform(2, 6),
        style="results",
    )
    return y + step * len(rows)


def boxes(c: Canvas, y: int) -> int:
    """Ticked boxes with their texts; returns where they end."""
    rng = c.rng
    look, paint = letters(c, "page"), page_paint(c)
    step, side = round(1.8 * look.height), max(5, round(0.8 * look.height))
    count = between(rng, 2, 5)
    left = round(0.07 * c.width)
    for i in range(count):
        top = y + i * step
        c.frame((left, top, left + side, top + side), (60, 60, 60), max(1, side // 12))
        if chance(rng, 0.5):
            c.stroke((left + 2, top + 2), (left + side - 3, top + side - 3), (30, 30, 30), max(1, side // 8))
            c.stroke((left + side - 3, top + 2), (left + 2, top + side - 3), (30, 30, 30), max(1, side // 8))
        at = (left + 2.4 * side, top + 0.95 * side)
        c.text(typed(words.phrase(rng, c.split, "labels")), look, at, paint, style="tick", check=False)
    return y + step * count


def ecg_text(c: Canvas) -> None:
    """Header lines and lead names of an electrocardiogram."""
    rng = c.rng
    look, paint = letters(c, "film", c.unit * 0.9), steady(page_paint(c))
    lines = [words.private(rng, c.split, kind) for kind in _LABEL if chance(rng, 0.5)]
    block(c, lines, look, (between(rng, 5, 40), between(rng, 2, 20)), paint, style="ecg")
    values = [
        [typed(words.phrase(rng, c.split, "tables")), typed(words.fill(rng, "~##")), typed("ms")]
        for _ in range(between(rng, 2, 5))
    ]
    grid(c, values, look, (round(c.width * rng.uniform(0.35, 0.6)), between(rng, 2, 20)), paint, style="ecg")
    for i, name in enumerate(("I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6")):
        at = (0.02 * c.width + (i // 3) * c.width * 0.24, c.height * (0.3 + (i % 3) * 0.2))
        c.text(typed(name), look, at, page_paint(c), style="ecg lead")
    foot = words.fill(rng, words.choose(rng, ("25mm/s 10mm/mV", "~# Hz 25 mm/sec", "0.05-150 Hz", "50mm/s 5mm/mV")))
    c.text(typed(foot), look, (0.03 * c.width, c.height - 0.6 * look.height), page_paint(c), style="ecg")


def sticker(c: Canvas) -> None:
    """A white sticker with two to five lines in small type anywhere."""
    rng = c.rng
    look = letters(c, "film", c.unit * rng.uniform(0.7, 1.0))
    lines = [words.mixed(rng, c.split, 0.8) for _ in range(between(rng, 2, 5))]
    items = [item for line in lines if (item := drawn(c, line, look))]
    if not items:
        return
    step, pad = round(1.3 * look.height), round(0.7 * look.height)
    wide, high = max(patch.alpha.shape[1] for _, patch in items) + 2 * pad, step * len(lines) + 2 * pad
    if wide >= c.width or high >= c.height:
        return
    x, y = between(rng, 0, c.width - wide), between(rng, 0, c.height - high)
    if c.free((x, y, x + wide, y + high), pad, pad):
        level = between(rng, 200, 255)
        ground: Colour = (level, level, between(rng, 150, 255))
        c.fill((x, y, x + wide, y + high), ground)
        block(c, lines, look, (x + pad, y + pad), steady(Paint(BLACK)), step=step, style="sticker")
        c.take((x, y, x + wide, y + high))


def caption(c: Canvas) -> None:
    """One or two lines of a figure: a letter, a title or an arrow's text."""
    rng = c.rng
    paint = Paint(WHITE if chance(rng, 0.5) else BLACK)
    for _ in range(between(rng, 1, 3)):
        text = words.choose(rng, ("A", "B", "C", "a", "b", "Fig. ~", "1", "2"))
        word = typed(words.fill(rng, text)) if chance(rng, 0.5) else words.mixed(rng, c.split, 0.3)
        anywhere(c, word, letters(c, "viewer", c.unit * rng.uniform(1, 2)), paint, "caption")

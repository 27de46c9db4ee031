"""Texts on images as two papers on burned-in text made their test sets.

Paper 000 (its table 1): four to ten texts of eight types in six fonts and nine colours, three to nine per cent of the
image high. Paper 003: private and harmless texts at random places on CT, MR and X-ray images, then augmentation.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.scenes import words
from deidra.app.synth.scenes.backgrounds import background
from deidra.app.synth.scenes.canvas import Canvas, Colour, Paint
from deidra.app.synth.scenes.fonts import paper_faces
from deidra.app.synth.scenes.glyphs import Look
from deidra.app.synth.scenes.layouts import between, chance, drawn
from deidra.app.synth.scenes.words import Word

COLOURS: dict[str, Colour] = {
    "white": (255, 255, 255), "black": (0, 0, 0), "yellow": (255, 255, 0), "cyan": (0, 255, 255),
    "orange": (255, 165, 0), "pink": (255, 192, 203), "lightgreen": (144, 238, 144),
    "red": (255, 0, 0), "blue": (0, 0, 255),
}  # fmt: skip
"""The colours of paper 000."""
ITEMS = (4, 10)
"""Fewest and most texts in an image of paper 000."""
SIZES = (0.03, 0.09)
"""Smallest and largest font size of paper 000 as a share of the image's height."""
TYPES = (
    EntityType.PATIENT, EntityType.DATE_BIRTH, EntityType.ID_SSN, EntityType.PHONE_HOME,
    EntityType.LOCATION_HOME_ADDRESS, EntityType.EMAIL, EntityType.ID_MRN, EntityType.HEALTH,
)  # fmt: skip
"""The types of paper 000: name, birth date, social security number, phone, address, e-mail, medical number, disease."""
KINDS = ("ct", "mr", "xray")
"""The backgrounds of both papers."""


def value(rng: np.random.Generator, split: str, kind: EntityType) -> Word:
    """A text of one of :data:`TYPES`."""
    if kind is EntityType.ID_MRN:
        return Word(words.fill(rng, words.choose(rng, ("MRN########", "MRN~#######", "~#######"))), kind)
    if kind is EntityType.PATIENT:
        people = words.pool(split)
        return Word(f"{words.choose(rng, people.given)} {words.choose(rng, people.family)}", kind)
    return words.private(rng, split, kind)


Draw = Callable[[np.random.Generator, str], Word]
"""Makes a text of a split."""


def any_value(rng: np.random.Generator, split: str) -> Word:
    """A text of any of :data:`TYPES`."""
    return value(rng, split, TYPES[int(rng.integers(len(TYPES)))])


def paper_000(c: Canvas, draw: Draw = any_value) -> None:
    """Fills ``c`` as paper 000 does, with texts that ``draw`` makes."""
    rng = c.rng
    faces = paper_faces()
    wanted = between(rng, *ITEMS)
    for _ in range(4 * wanted):
        if len(c.drafts) >= wanted:
            return
        name, face = faces[int(rng.integers(len(faces)))]
        # Where the picture is full already, only small texts find a place.
        high = SIZES[1] if len(c.drafts) < wanted // 2 else 0.05
        size = float(rng.uniform(SIZES[0], high)) * c.height
        look = Look(face, max(6, min(round(SIZES[1] * c.height), round(size))))
        _place(c, draw(rng, c.split), look, COLOURS, f"paper000/{name}")


def _place(c: Canvas, word: Word, look: Look, colours: dict[str, Colour], style: str) -> None:
    """``word`` at a random free place, in one of ``colours`` that can be seen there."""
    item = drawn(c, word, look)
    if item is None:
        return
    rows, columns = item[1].alpha.shape
    if columns >= c.width or rows >= c.height:
        return
    for _ in range(10):
        x, y = between(c.rng, 0, c.width - columns), between(c.rng, 0, c.height - rows)
        seen = [name for name, colour in colours.items() if c.hidden((x, y, x + columns, y + rows), colour) < 0.1]
        if not seen:
            continue
        name = words.choose(c.rng, seen)
        if c.put(item[0], item[1], (x, y), Paint(colours[name], least=0), f"{style}/{name}"):
            return


def paper_003(c: Canvas) -> None:
    """Fills ``c`` as paper 003 does: about as many private as harmless texts, over objects too."""
    rng = c.rng
    faces = paper_faces()
    for _ in range(between(rng, 2, 9)):
        face = faces[int(rng.integers(len(faces)))][1]
        look = Look(face, max(7, round(float(rng.uniform(0.02, 0.07)) * c.height)))
        kind = TYPES[int(rng.integers(len(TYPES)))]
        harmless = Word(words.phrase(rng, c.split, words.choose(rng, ("protocols", "protocols", "values", "letters"))))
        word = value(rng, c.split, kind) if chance(rng, 0.5) else harmless
        colours = COLOURS if chance(rng, 0.4) else {name: COLOURS[name] for name in ("white", "black", "yellow")}
        _place(c, word, look, colours, "paper003")


def compose_paper_000(rng: np.random.Generator, split: str, seed: int, draw: Draw) -> Canvas:
    """An image of paper 000 with texts that ``draw`` makes; CT, MR and X-ray images take turns."""
    canvas = _empty(rng, split, seed, None)
    paper_000(canvas, draw)
    return canvas


def _empty(rng: np.random.Generator, split: str, seed: int, view: tuple[int, int] | None) -> Canvas:
    kind = KINDS[seed % len(KINDS)]
    side = float(np.exp(rng.uniform(np.log(320), np.log(1400))))
    most = min(view) if view else side
    side = min(side, most)
    width = side * float(rng.uniform(0.8, 1.0)) if kind == "xray" else side
    return Canvas(background(rng, kind, (round(width), round(side)), split), split, rng, 16, kind)


def compose_paper(rng: np.random.Generator, split: str, seed: int, view: tuple[int, int] | None) -> tuple[Canvas, bool]:
    """An image of paper 000 or 003 by turns, of at most size ``view`` (width, height), and whether it is augmented.

    CT, MR and X-ray images take turns too.
    """
    canvas = _empty(rng, split, seed, view)
    augmented = seed // len(KINDS) % 2 == 1
    if augmented:
        paper_003(canvas)
    else:
        paper_000(canvas)
    return canvas, augmented

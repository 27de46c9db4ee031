"""Filled pages: labels and values drawn in the layouts of one split, with the place of every text."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from deidra.app.domain.geometry import Polygon, as_polygon, box_polygon
from deidra.app.synth.filled.values import FIELDS, drawer
from deidra.app.synth.scenes.fonts import Face, families, load, pick
from deidra.app.synth.texts.draw import Draw

DPI = 170
_SIZES = ((1445, 1870), (1405, 1988))
"""Width and height of Letter and A4 at :data:`DPI`."""
_MARGIN = 110
_MOST_SENTENCES = 8
_SLOT = re.compile(r"\{(\w+)\}")
HARMLESS = "text"
"""Kind of what is no value: titles, labels, sentences."""


@dataclass(frozen=True, slots=True)
class Placed:
    """One line of text on a page.

    Args:
        text: what it says.
        polygon: corners in pixels of the page, clockwise from the upper left, around the ink.
        kind: the field whose value it is, or :data:`HARMLESS`.
        type: entity type of the value; empty for harmless text.
        private: whether it must go.
        neutral: whether either is right.
        label: the wording of its label.
        value: which value of the page it is a row or word of, from 1; 0 for harmless text.
    """

    text: str
    polygon: Polygon
    kind: str = HARMLESS
    type: str = ""
    private: bool = False
    neutral: bool = False
    label: str = ""
    value: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """A page (H, W) uint8, white paper: which ``kind`` of document it is, its ``font``, and its ``texts``."""

    image: NDArray[np.uint8]
    kind: str
    font: str
    texts: tuple[Placed, ...]


@lru_cache(maxsize=1)
def wordings() -> dict[str, Any]:
    """``wordings.toml``: the fields of each kind of document, and the words and layouts of each split."""
    return tomllib.loads(Path(__file__).with_name("wordings.toml").read_text("utf-8"))


@dataclass(slots=True)
class _Sheet:
    """A page that is being filled in; ``hand`` writes the values, ``face`` prints all else."""

    image: Image.Image
    face: Face
    hand: Face
    size: int
    texts: list[Placed] = field(default_factory=list)

    @property
    def wide(self) -> int:
        return self.image.width - 2 * _MARGIN

    def width(self, text: str, filled: bool = False, size: int = 0) -> int:
        """Pixels that ``text`` takes."""
        return round(load(self.hand if filled else self.face, size or self.size).getlength(text))

    def write(self, text: str, x: int, y: int, about: Placed | None = None, size: int = 0) -> int:
        """Write one line at (``x``, ``y``), its upper left; the x behind it."""
        font = load(self.hand if about is not None else self.face, size or self.size)
        room = self.size * 2
        alone = Image.new("L", (round(font.getlength(text)) + 2 * room, 3 * room), 0)
        ImageDraw.Draw(alone).text((room, room), text, fill=255, font=font)
        box = alone.getbbox()
        if box is not None:
            self.image.paste(20, (x - room, y - room), alone)
            left, top, right, bottom = box
            polygon = box_polygon(left + x - room, top + y - room, right + x - room, bottom + y - room)
            blank = Placed(text, polygon)
            self.texts.append(blank if about is None else replace(about, text=text, polygon=polygon))
        return x + round(font.getlength(text))

    def rows(self, text: str, room: int, printed: int = 0) -> list[str]:
        """``text`` in rows of at most ``room`` pixels, broken between words: filled in, or ``printed`` in that size."""
        rows = [""]
        for word in text.split():
            longer = f"{rows[-1]} {word}".strip()
            if rows[-1] and self.width(longer, not printed, printed) > room:
                rows.append(word)
            else:
                rows[-1] = longer
        return rows


def make_page(seed: int, number: int, split: str) -> Page:
    """Page ``number`` (from 0) of a set: kinds take turns; the same arguments always give the same page."""
    said, own = wordings()["kinds"], wordings()[split]
    kind = sorted(said)[number % len(said)]
    rng = Random(f"{seed}/{number}/{split}")  # noqa: S311
    picks = np.random.default_rng([seed, number, ("train", "calibrate", "test").index(split)])
    face = pick(picks, rng.choice(("sans", "serif")), split)
    hand = pick(picks, "script", split) if families("script", split) and rng.random() < 0.3 else face
    sheet = _Sheet(Image.new("L", rng.choice(_SIZES), 255), face, hand, rng.randint(26, 32))
    draw = drawer(rng, split)
    sheet.write(rng.choice(own["titles"][kind]), _MARGIN, 90, size=sheet.size + 16)
    y = _prose(sheet, draw, _some(rng, own["letters"])) if kind == "letter" else _fields(sheet, draw, own, said[kind])
    for sentence in rng.sample(own["sentences"], 2):
        sheet.write(sentence, _MARGIN, y, size=sheet.size - 3)
        y += 2 * sheet.size
    return Page(np.array(sheet.image), kind, face.family, tuple(sheet.texts))


def _some(rng: Random, sentences: list[str]) -> list[str]:
    """As many as fit on a page, in their order."""
    chosen = rng.sample(range(len(sentences)), min(_MOST_SENTENCES, len(sentences)))
    return [sentences[number] for number in sorted(chosen)]


def _value(draw: Draw, number: int, name: str, label: str) -> Placed:
    known = FIELDS[name]
    text = known.make(draw)
    return Placed(
        text, as_polygon([(0.0, 0.0)] * 4), name, known.type.value, known.private, known.neutral, label, number
    )


def _fields(sheet: _Sheet, draw: Draw, own: dict[str, Any], names: list[str]) -> int:
    """Labels with their values in one of the split's layouts; the y below them."""
    layout = draw.rng.choice(own["layouts"])
    columns, place = layout["columns"], layout["label"]
    cell = sheet.wide // columns
    small = sheet.size - 8 if place == "above" else sheet.size - 2
    top = 220
    for start in range(0, len(names), columns):
        bottom = top
        for column, name in enumerate(names[start : start + columns]):
            label = draw.rng.choice(own["labels"][name])
            shown = label.upper() if layout["capitals"] else label
            x, y = _MARGIN + column * cell + 12, top + 10
            right = _MARGIN + (column + 1) * cell - 12
            *upper, last = sheet.rows(shown + (":" if place == "colon" else ""), right - x, small)
            for part in upper:
                sheet.write(part, x, y, size=small)
                y += round(1.2 * small)
            sheet.write(last, x, y, size=small)
            left = x + sheet.width(last.rstrip(":") + ":", size=small) + 14
            if place == "beside" and columns == 1:
                left = max(x + cell // 3, left)
            about = _value(draw, start + column + 1, name, label)
            longest = max(sheet.width(word, filled=True) for word in about.text.split())
            if place == "above" or right - left < longest:
                # What has no room behind its label stands below it: nothing is printed over anything.
                left, y = x, y + small + 12
            for row in sheet.rows(about.text, right - left):
                sheet.write(row, left, y, about)
                y += round(1.35 * sheet.size)
            bottom = max(bottom, y + 10)
        if layout["framed"]:
            pen = ImageDraw.Draw(sheet.image)
            for column in range(len(names[start : start + columns])):
                left = _MARGIN + column * cell
                pen.rectangle((left, top, left + cell, bottom), outline=60, width=2)
        top = bottom if layout["framed"] else bottom + 14
    return top + 50


def _prose(sheet: _Sheet, draw: Draw, sentences: list[str]) -> int:
    """A letter, its values in the middle of sentences; the y below it."""
    y, values = 240, 0
    for sentence in sentences:
        x = _MARGIN
        for number, part in enumerate(_SLOT.split(sentence)):
            values += number % 2
            about = _value(draw, values, part, sentence) if number % 2 else None
            for word in (about.text if about else part).split():
                if x + sheet.width(word, about is not None) > _MARGIN + sheet.wide:
                    x, y = _MARGIN, y + round(1.5 * sheet.size)
                # A mark behind a value belongs to it without a blank.
                x -= sheet.width(" ") if word in {",", ".", ").", ":"} and x > _MARGIN else 0
                x = sheet.write(word, x, y, about) + sheet.width(" ")
        y += round(2.2 * sheet.size)
    return y + 30

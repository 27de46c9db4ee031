"""Pixels with and without burned-in text."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray
from pydicom import uid as uids

from deidra.app.synth.encode import add_pixels, encode, to_levels
from deidra.app.synth.images import Line, burn, corner, draw_lines
from deidra.app.synth.midi.draft import Draft, private_words
from deidra.app.synth.midi.exam import Series

Plane = NDArray[np.float64]
Box = tuple[int, int, int, int]

_RIM = 3
_SYNTAXES = (
    *(uids.ExplicitVRLittleEndian,) * 4,
    *(uids.ImplicitVRLittleEndian,) * 3,
    uids.RLELossless,
    uids.JPEGLSLossless,
    uids.JPEG2000Lossless,
)


def syntax_for(series: Series) -> uids.UID:
    """The transfer syntax of a series."""
    return series.choices("syntax").choice(_SYNTAXES)


def painter(series: Series, number: int) -> np.random.Generator:
    """What draws the background of instance ``number``."""
    return np.random.default_rng(series.choices("picture", number).randrange(1 << 32))


def burned_lines(series: Series, rng: Random, columns: int) -> list[str]:
    """Private lines that a console prints, none longer than fits into ``columns`` pixels at 10 a letter."""
    exam, patient = series.exam, series.exam.patient
    name = patient.comma.text if patient.comma.text.isascii() else patient.number.text
    day = exam.day.strftime(rng.choice(("%d/%m/%Y", "%Y-%m-%d", "%d-%b-%Y")))
    lines = [name, f"ID {patient.mrn}", f"DOB {patient.birth:%d.%m.%Y}", day, f"Acc {exam.accession}", exam.site.name]
    chosen = [name, *rng.sample(lines[1:], rng.randint(1, 3))]
    return [line for line in chosen if len(line) * 10 < columns]


def add_images(
    draft: Draft,
    series: Series,
    planes: Sequence[Plane],
    bits: int,
    rng: Random,
    photometric: str = "MONOCHROME2",
    chance: float = 0.0,
    marker: str = "",
) -> None:
    """Put ``planes`` into the draft as frames, brightness 0 to 1, and sometimes burn text into them.

    ``chance`` is the probability of private text, ``marker`` a harmless text such as ``L``. The key
    notes each private line of the first and the last frame.
    """
    shape = planes[0].shape[:2]
    rows, columns = int(shape[0]), int(shape[1])
    ink = np.zeros((rows, columns))
    if marker:
        harmless = [Line((marker,), columns - 8, rows * 5 // 8, max(22, columns // 14), "bold", right=True)]
        ink = np.maximum(ink, draw_lines((rows, columns), harmless)[0])
    if rng.random() < chance:
        lines = burned_lines(series, rng, columns)
        drawn, boxes = _typed(lines, rows, columns) if rng.random() < 0.6 else _stroked(lines, rows, columns)
        ink = np.maximum(ink, drawn)
        for text, box in boxes:
            answer = private_words(text, "DOB Acc ID")
            for frame in sorted({0, len(planes) - 1}):
                draft.hidden(answer, frame, box)
    burned = [burn(plane, ink, halo=True) for plane in planes]
    levels = [to_levels(1 - plane if photometric == "MONOCHROME1" else plane, bits) for plane in burned]
    frames = len(levels) if len(levels) > 1 or "NumberOfFrames" in draft.dataset else None
    pixels = np.stack(levels) if frames is not None else levels[0]
    add_pixels(draft.dataset, pixels, photometric, bits, frames)
    syntax = syntax_for(series)
    if pixels.ndim > 3 or photometric == "RGB":
        syntax = uids.ExplicitVRLittleEndian if syntax.is_encapsulated else syntax
    encode(draft.dataset, pixels, syntax)


def _typed(lines: Sequence[str], rows: int, columns: int) -> tuple[Plane, list[tuple[str, Box]]]:
    """Lines in a TrueType font at the top left."""
    ink, drawn = draw_lines((rows, columns), corner((rows, columns), "tl", lines, 17))
    return ink, [(text.text, _grown(text.box, rows, columns)) for text in drawn]


def _stroked(lines: Sequence[str], rows: int, columns: int) -> tuple[Plane, list[tuple[str, Box]]]:
    """Lines in a stroke font at the bottom left."""
    ink, boxes = np.zeros((rows, columns)), []
    for number, text in enumerate(lines):
        layer = np.zeros((rows, columns), np.uint8)
        below = rows - 10 - 26 * (len(lines) - 1 - number)
        cv2.putText(layer, text, (8, below), cv2.FONT_HERSHEY_SIMPLEX, 0.55, 255, 1, cv2.LINE_AA)
        ys, xs = np.nonzero(layer > 40)
        ink = np.maximum(ink, layer / 255)
        tight = (int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1)
        boxes.append((text, _grown(tight, rows, columns)))
    return ink, boxes


def _grown(box: Box, rows: int, columns: int) -> Box:
    left, top, right, bottom = box
    return max(0, left - _RIM), max(0, top - _RIM), min(columns, right + _RIM), min(rows, bottom + _RIM)

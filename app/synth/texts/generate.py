"""Samples of any source, the same for the same numbers, and files of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random

from deidra.app.domain.errors import KnownError
from deidra.app.progress import Meter, ProgressSink
from deidra.app.synth.texts import fields, notes
from deidra.app.synth.texts.draw import Draw
from deidra.app.synth.texts.parts import assembled
from deidra.app.synth.texts.pools import pool
from deidra.app.synth.texts.sample import SOURCES, Source, Split, TextSample

_WEIGHTS = (35, 25, 20, 20)
"""How often a source is drawn where none is asked for, in the order of ``SOURCES``."""
_ATTEMPTS = 8


def samples(
    split: Split, seed: int, count: int, source: Source | None = None, health: bool = False
) -> Iterator[TextSample]:
    """``count`` samples; the i-th depends on split, seed, i and the other arguments alone.

    Args:
        split: whose names, places, words and templates are used.
        seed: number of the series.
        count: how many.
        source: of one source; of all, mixed, if None.
        health: whether diagnoses are marked.
    """
    for number in range(count):
        yield sample(split, seed, number, source, health)


def sample(split: Split, seed: int, number: int, source: Source | None = None, health: bool = False) -> TextSample:
    """The sample with this ``number`` of the series (see :func:`samples`)."""
    rng = Random(f"{split} {seed} {number} {source or 'any'}")  # noqa: S311
    kind: Source = source or rng.choices(SOURCES, _WEIGHTS)[0]
    draw = Draw(rng, pool(split), health)
    for _ in range(_ATTEMPTS):
        made = _made(draw, kind)
        if made.text:
            break
    return made


def _made(draw: Draw, source: Source) -> TextSample:
    tag = label = ""
    if source == "note":
        parts, template = notes.note(draw)
    elif source == "field":
        parts, tag, template = fields.field(draw)
    elif source == "cell":
        parts, label, template = fields.cell(draw)
    else:
        parts, _, template = fields.line(draw)
    text, spans = assembled(parts)
    return TextSample(text, spans, source, tag, label, draw.locale.name, template)


def write_samples(
    out: Path, split: Split, seed: int, count: int, sources: Sequence[Source], progress: ProgressSink | None = None
) -> int:
    """Write ``count`` samples to ``out`` as JSON Lines, the sources in turn; returns the number of private values.

    Each line has id, text, tag (if any), label (if any), source, locale, template, and spans: start, end, type, text.

    Raises:
        KnownError: the file cannot be written.
    """
    meter = Meter("write", count, progress, None)
    values = 0
    try:
        with out.open("w", encoding="utf-8") as stream:
            for number in range(count):
                made = sample(split, seed, number, sources[number % len(sources)])
                stream.write(json.dumps(_row(made, f"{split}-{seed}-{number}"), ensure_ascii=False) + "\n")
                values += len(made.spans)
                meter.step()
    except OSError as error:
        raise KnownError("The file for the texts cannot be written.", "Choose another place with --out.") from error
    return values


def _row(made: TextSample, name: str) -> dict[str, object]:
    row = {"id": name, **asdict(made)}
    for key in ("tag", "label"):
        if not row[key]:
            del row[key]
    return row

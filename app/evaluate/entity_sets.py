"""Texts with labelled private parts: read from JSON Lines, with labels made comparable."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from deidra.app.domain.errors import KnownError
from deidra.app.domain.taxonomy import EntityType


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters ``start`` up to ``end`` (exclusive) carry ``label``; ``score`` is 1 for what is known."""

    start: int
    end: int
    label: str
    score: float = 1.0
    asked: bool = False
    variance: float | None = None

    def overlaps(self, other: Mark) -> bool:
        """True when the two share a character."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Example:
    """A text with its known private parts; ``tag`` and ``label`` as in :class:`deidra.app.decide.texts.TextJudge`."""

    text: str
    marks: tuple[Mark, ...]
    tag: str = ""
    label: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """Which labels mean the same. An empty label means that such spans are not compared.

    Args:
        about: what is to be known of the set.
        theirs: labels of the set to the labels that are compared.
        ours: entity types to the labels that are compared.
    """

    about: str
    theirs: Mapping[str, str]
    ours: Mapping[str, str]


OWN = Labels("", {kind.value: kind.value for kind in EntityType}, {kind.value: kind.value for kind in EntityType})
"""The taxonomy, compared with itself."""


def labels_of(name: str) -> Labels:
    """The labels of a set of others, by its name in ``data/entity_labels.toml``."""
    text = (resources.files(__package__) / "data" / "entity_labels.toml").read_text("utf-8")
    entry = tomllib.loads(text)[name]
    return Labels(entry["about"], entry["theirs"], entry["ours"])


def read_examples(path: Path, labels: Labels = OWN) -> list[Example]:
    """The texts of a file.

    Each line is {"id", "text", "tag"?, "label"?, "source"?, "spans"}; a span is {"start", "end", "type"} or
    [start, end, type], places in characters.

    Raises:
        KnownError: the file cannot be read, or a line is malformed or carries a label that nobody has mapped; the
            message names the line.
    """
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise KnownError(
            f"The set {path.name} cannot be read.", "Give a file in UTF-8, one JSON object a line."
        ) from error
    examples = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            examples.append(_example(json.loads(line), labels))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise KnownError(
                f"Line {number} of {path.name} is malformed ({type(error).__name__}).",
                "A line holds id, text and spans with places inside the text and labels that are known.",
            ) from error
    return examples


def _example(entry: dict[str, Any], labels: Labels) -> Example:
    text = entry["text"]
    marks = []
    for span in entry["spans"]:
        start, end, kind = (span["start"], span["end"], span["type"]) if isinstance(span, dict) else span
        if not 0 <= start < end <= len(text):
            raise ValueError
        if label := labels.theirs[kind]:
            marks.append(Mark(start, end, label))
    marks.sort(key=lambda mark: (mark.start, mark.end))
    return Example(text, tuple(marks), entry.get("tag") or "", entry.get("label") or "", entry.get("source") or "")

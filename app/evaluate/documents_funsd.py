"""Pairing of labels and values on real forms, with the true lines of FUNSD (Jaume et al. 2019, arXiv:1905.13538).

Its annotations link questions to answers. Of the answers whose question is a label of a name, a phone number or a date,
those count as found whose first line gets the meaning of the question; other text that gets such a meaning though no
such question is linked to it was claimed wrongly.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deidra.app.detect.layout.inline import labels_in
from deidra.app.detect.layout.pairs import beside
from deidra.app.detect.layout.wordings import Meaning, label_meaning
from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import TextLine

FORMS = ("name", "phone", "date")
"""Forms of values whose questions are asked for."""
_SAME_ROW = 0.5


@dataclass(slots=True)
class Paired:
    """Answers of one form: ``found`` of ``answers``, and lines without such a question that were ``claimed`` for it."""

    answers: int = 0
    found: int = 0
    claimed: int = 0


def pairs_found(folder: Path) -> dict[str, Paired]:
    """By form of the value what became of the answers in a folder of annotations (``*.json``, searched below it).

    Raises:
        InputError: there are none, or one is not of FUNSD's form.
    """
    total = {form: Paired() for form in FORMS}
    paths = sorted(folder.rglob("*.json"))
    if not paths:
        raise InputError("The folder holds no annotations.", "Give the folder of FUNSD's JSON files.")
    for path in paths:
        try:
            entities = {entity["id"]: entity for entity in json.loads(path.read_text("utf-8"))["form"]}
            _count(entities, total)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path.name} is no annotation of FUNSD.", "Give the folder of its JSON files.") from error
    return total


def _count(entities: Mapping[int, Any], total: dict[str, Paired]) -> None:
    lines: list[TextLine] = []
    owners: list[int] = []
    for number, entity in entities.items():
        for line in _lines_of(entity["words"]):
            lines.append(line)
            owners.append(number)
    wanted = _wanted(entities)
    seen: set[int] = set()
    for line, owner, said in zip(lines, owners, beside(lines), strict=True):
        if owner in seen:
            continue
        seen.add(owner)
        meaning, got = wanted.get(owner), said[0].meaning if said else None
        if meaning is not None and meaning.form in FORMS:
            total[meaning.form].answers += 1
            total[meaning.form].found += got == meaning
        elif (
            got is not None
            and got.form in FORMS
            and entities[owner]["label"] != "question"
            and not labels_in(line.text)
        ):
            total[got.form].claimed += 1


def _wanted(entities: Mapping[int, Any]) -> dict[int, Meaning | None]:
    """What the question of each answer means."""
    found: dict[int, Meaning | None] = {}
    for number, entity in entities.items():
        for pair in entity["linking"] if entity["label"] == "question" else ():
            other = pair[1] if pair[0] == number else pair[0]
            if other in entities and entities[other]["label"] == "answer":
                found[other] = label_meaning(entity["text"])
    return found


def _lines_of(words: Iterable[Mapping[str, Any]]) -> list[TextLine]:
    """The lines that the words of one entity stand on; characters count as equally wide."""
    rows: list[tuple[list[float], list[str]]] = []
    for word in words:
        left, top, right, bottom = word["box"]
        if not word["text"].strip():
            continue
        for box, texts in rows:
            if min(bottom, box[3]) - max(top, box[1]) > _SAME_ROW * min(bottom - top, box[3] - box[1]):
                box[:] = min(left, box[0]), min(top, box[1]), max(right, box[2]), max(bottom, box[3])
                texts.append(word["text"])
                break
        else:
            rows.append(([left, top, right, bottom], [word["text"]]))
    return [_line(box, " ".join(texts)) for box, texts in rows]


def _line(box: list[float], text: str) -> TextLine:
    count = len(text)
    spans = tuple((n / count, (n + 1) / count) for n in range(count))
    return TextLine(box_polygon(box[0], box[1], box[2], box[3]), text, spans, ())

"""Header fields, cells of documents, and lines that are read from images."""

from __future__ import annotations

from deidra.app.synth.texts.draw import Draw
from deidra.app.synth.texts.forms import cell_forms, composed, field_forms, grammar, line_forms, row_forms
from deidra.app.synth.texts.noise import misread
from deidra.app.synth.texts.parts import Part, lowered, mapped
from deidra.app.synth.texts.slots import fill

Made = tuple[list[Part], str, str]
"""The parts of a text, the keyword or label beside it, and what it was made from."""

_PRIVATE = 0.53
"""How many samples are made from forms with private values."""
_SHARED = 0.45
_UNDERSCORES = 0.07
_COMPOSED = 0.15
"""How many header values and lines are put together by chance, where the split has such forms."""
_COMMENTS = (
    "ImageComments", "PatientComments", "StudyComments", "VisitComments", "AdditionalPatientHistory", "ReasonForStudy",
    "RequestedProcedureComments", "CommentsOnThePerformedProcedureStep", "AcquisitionComments", "TextValue",
    "SpecialNeeds",
)  # fmt: skip
_DESCRIBED = ("Description", "ProtocolName", "SequenceName", "Comments")


def field(draw: Draw) -> Made:
    """The value of a header field, with its keyword."""
    if grammar(draw.pool.split) and draw.chance(_COMPOSED):
        form = composed(draw, "comment" if draw.chance(_PRIVATE) else "harmless")
        return _cased(draw, fill(draw, form), upper=0.25, lower=0.08), draw.one(_COMMENTS), form
    private = draw.chance(_PRIVATE)
    shared = draw.chance(_SHARED)
    tag, form = field_forms("shared" if shared else draw.pool.split).pick(draw, private, by_group=shared)
    parts = _cased(draw, fill(draw, form), upper=0.25, lower=0.08)
    if tag.endswith(_DESCRIBED) and draw.chance(_UNDERSCORES):
        parts = mapped(parts, lambda text: text.replace(" ", "_"))
    return parts, tag, form


def cell(draw: Draw) -> Made:
    """A cell of a document, with its label in the text or beside it, or a row of cells."""
    private = draw.chance(_PRIVATE)
    split = draw.pool.split
    if draw.chance(0.3):
        _, form = row_forms(split).pick(draw, private, by_group=False)
        return _scanned(draw, _cased(draw, fill(draw, form), upper=0.2, lower=0.04), 0.25), "", form
    label, form = cell_forms(split).pick(draw, private, by_group=True)
    if draw.chance(0.15):
        label = label.upper()
    if not private and draw.chance(0.2):
        return [draw.one((label, f"{label}:", f"{label}: ________"))], "", label
    parts = fill(draw, form)
    made = f"{label}: {form}"
    if draw.chance(0.45):
        return _scanned(draw, _cased(draw, parts, upper=0.15, lower=0.04), 0.2), label, made
    joint = draw.one((": ", ": ", ":", " ", "\n", " . . . ", " - ", ":  "))
    return _scanned(draw, _cased(draw, [f"{label}{joint}", *parts], upper=0.15, lower=0.04), 0.25), "", made


def line(draw: Draw) -> Made:
    """A line of text on an image, as a reader gets it."""
    made = []
    parts: list[Part] = []
    private = draw.chance(_PRIVATE)
    for _ in range(1 + draw.chance(0.12)):
        if grammar(draw.pool.split) and draw.chance(_COMPOSED):
            form = composed(draw, "line" if private else "harmless")
            parts += [*fill(draw, form), " "]
            made.append(form)
            continue
        section = "shared" if draw.chance(0.4) else draw.pool.split
        _, form = line_forms(section).pick(draw, private, by_group=False)
        parts += [*fill(draw, form), draw.one((" ", "  ", "   "))]
        made.append(form)
    return _scanned(draw, _cased(draw, parts, upper=0.35, lower=0.05), 0.45), "", " | ".join(made)


def _cased(draw: Draw, parts: list[Part], upper: float, lower: float) -> list[Part]:
    turn = draw.rng.random()
    if turn < upper:
        return mapped(parts, str.upper)
    return lowered(parts) if turn < upper + lower else parts


def _scanned(draw: Draw, parts: list[Part], share: float) -> list[Part]:
    """``parts`` with reading errors in a ``share`` of all texts."""
    return misread(parts, draw.rng, draw.rng.uniform(0.01, 0.07)) if draw.chance(share) else parts

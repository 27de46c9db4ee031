"""From a definition to what finds its type: shapes from the description and from examples, or likeness to examples."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deidra.app.detect.definitions.definition import Definition
from deidra.app.detect.definitions.matcher import Form, Matcher, form_of_shape, is_code
from deidra.app.detect.definitions.shapes import Kind, Shape, covers, shapes_of
from deidra.app.detect.definitions.standard import NEAR, phrases_of, standard_types
from deidra.app.detect.definitions.strength import share_elsewhere
from deidra.app.detect.definitions.wording import Wording, without_form, without_lead, wording_of
from deidra.app.detect.rules import rule_spans
from deidra.app.domain.errors import PolicyError
from deidra.app.domain.taxonomy import EntityType


def induced(definition: Definition) -> Matcher:
    """What finds a defined type. The same definition gives the same matcher.

    A pattern that is given counts alone. Else the shapes that the description tells and those of the examples count,
    one beside the other; examples without digits are words, and what is like them is found. Where name or description
    name a type that Deidra knows and tell no shape, that type is part of the definition.

    Raises:
        PolicyError: the definition is not valid, says nothing that could be found, or contradicts itself; the message
            says what contradicts what, without quoting an example.
    """
    told = definition.checked()
    wording = Wording() if told.pattern else wording_of(told.sentence)
    forms = [_explicit(told)] if told.pattern else _forms(told, wording)
    named = _named(told)
    types = () if told.pattern or wording.shapes else named
    codes = bool(forms) or bool(wording.shapes)
    if not (codes or types or told.examples):
        raise PolicyError(
            f"{told.name}: neither the words nor an example say what it looks like.",
            "Add an example, or words such as: a letter and eight digits.",
        )
    kind = told.type or (named[0] if named else EntityType.ID_OTHER if codes else EntityType.OTHERPHI)
    return Matcher(told, forms, types, _near_types(told, types), kind)


def _named(definition: Definition) -> tuple[EntityType, ...]:
    """The types of Deidra's own that the name means, or that the whole description enumerates."""
    if found := standard_types(definition.name) or standard_types(without_form(definition.name)):
        return found
    parts = [standard_types(part) for part in phrases_of(without_lead(definition.description))]
    return tuple(dict.fromkeys(t for types in parts for t in types)) if parts and all(parts) else ()


def _near_types(definition: Definition, types: Sequence[EntityType]) -> frozenset[EntityType]:
    """Types of rules that an example has as a whole and that cannot be told from those named."""
    wanted = {near for kind in types for near in NEAR.get(kind, ())}
    return frozenset(
        span.type
        for example in definition.examples
        for span in (rule_spans(example) if wanted else ())
        if span.type in wanted and (span.start, span.end) == (0, len(example))
    )


def _explicit(definition: Definition) -> Form:
    try:
        pattern = re.compile(definition.pattern)
    except (re.error, OverflowError) as error:
        raise PolicyError(f"{definition.name}: the pattern is no regular expression.", "Correct it.") from error
    form = Form(pattern, "the pattern given", share_elsewhere(definition.pattern))
    for number, example in enumerate(definition.examples, 1):
        if not form.matches(example):
            raise PolicyError(
                f"{definition.name}: example {number} does not have the pattern given.", "Correct one of the two."
            )
    return form


def _forms(definition: Definition, wording: Wording) -> list[Form]:
    codes = [example for example in definition.examples if is_code(example)]
    _check(definition, wording)
    told = () if wording.open else wording.shapes
    more = [code for code in codes if not any(shape.matches(code) for shape in told)]
    shapes = [*wording.shapes, *shapes_of(more, wording.prefix)]
    # Of codes whose length nobody has told, words are not meant.
    open_shapes = set(wording.shapes) if wording.open else set()
    unique = list(dict.fromkeys(shapes))
    return [form_of_shape(shape, shape in open_shapes or _holds_both(shape)) for shape in unique]


def _holds_both(shape: Shape) -> bool:
    return any(run.kind is Kind.ALNUM for run in shape.runs) and not any(run.kind is Kind.DIGIT for run in shape.runs)


def _check(definition: Definition, wording: Wording) -> None:
    """Raises an error if an example is not what the description says."""
    if not wording.shapes:
        return
    told = " or ".join(shape.words for shape in wording.shapes)
    for number, example in enumerate(definition.examples, 1):
        first = example[: len(wording.prefix)]
        if wording.open and wording.prefix and first.upper() == wording.prefix.upper():
            continue
        if not covers(wording.shapes, example):
            raise PolicyError(
                f"{definition.name}: the description says {told}; example {number} is something else.",
                "Correct the description or the example.",
            )

"""Sentences that the rest of Deidra makes in English, with values in them, held against templates and said anew."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence

from deidra.ui.translation import tr

_FIELDS = {"code": r"[^()]+", "keyword": r"\w+", "most": r"\d+", "number": r"\d+", "score": r"\d+\.\d\d"}
"""What fields look like; others hold anything."""


def said_anew(text: str, templates: Sequence[str], shown: Callable[[str, str], str]) -> str:
    """A text in the language in use: looked up as it is, else by the first template that it fills, else unchanged.

    Args:
        text: the English text.
        templates: English texts with ``{fields}``, which the catalogue has.
        shown: gives for the name and value of a field what is filled in.
    """
    found = tr(text)
    if found != text:
        return found
    for template in templates:
        if filled := _pattern(template).fullmatch(text):
            return tr(template, **{name: shown(name, value) for name, value in filled.groupdict().items()})
    return text


@functools.cache
def _pattern(template: str) -> re.Pattern[str]:
    """What a filled template looks like, with its fields as groups."""
    parts = re.split(r"\{(\w+)\}", template)
    # Texts and fields take turns, and a text comes first.
    return re.compile(
        "".join(f"(?P<{part}>{_FIELDS.get(part, '.+?')})" if n % 2 else re.escape(part) for n, part in enumerate(parts))
    )

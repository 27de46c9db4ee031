"""Counts the forms of words in generated texts: what a pattern is worth (``app/detect/definitions/strength.py``)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from deidra.app.detect.definitions.strength import form_of
from deidra.app.synth.texts.generate import samples
from deidra.app.synth.texts.sample import TextSample

_WORD = re.compile(r"[^\s,;]+")
_TOGETHER = 3
"""Neighbouring words that are counted as one text as well, if there is a digit in them."""
_LONGEST = 40
_LEAST = 4
"""Times that a form is met before it is written down."""
_TEXTS = 20_000


def forms(texts: Iterable[TextSample]) -> tuple[Counter[str], int]:
    """How often each form stands in texts, identifiers left out, and the number of words."""
    counted: Counter[str] = Counter()
    words = 0
    for sample in texts:
        held = [(s.start, s.end) for s in sample.spans if s.type.value.startswith("ID.")]
        places = [
            (match.start(), match.start() + len(match.group().rstrip(".:)(]")))
            for match in _WORD.finditer(sample.text)
            if not any(a < match.end() and match.start() < b for a, b in held)
        ]
        words += len(places)
        for number, (start, _) in enumerate(places):
            for _, end in places[number : number + _TOGETHER]:
                text = sample.text[start:end]
                if 0 < len(text) <= _LONGEST and "\n" not in text and (" " not in text or any(map(str.isdigit, text))):
                    counted[form_of(text)] += 1
    return counted, words


def write_forms(out: Path, count: int = _TEXTS) -> None:
    """Write the counts of the training split to a file (TOML)."""
    counted, words = forms(samples("train", 0, count))
    often = sorted((form, n) for form, n in counted.items() if n >= _LEAST)
    lines = [f'"{form}" = {n}' for form, n in often if form.isascii() and '"' not in form and "\\" not in form]
    head = f"# Made by app/evaluate/forms.py of {count} texts of the training split.\nwords = {words}\n\n[forms]\n"
    out.write_text(head + "\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    write_forms(Path(str(resources.files("deidra.app.detect.definitions") / "data" / "forms.toml")))

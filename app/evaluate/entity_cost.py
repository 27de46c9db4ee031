"""What tagging costs: CPU milliseconds a text, with and without the memory of texts already seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from deidra.app.decide.texts import TextJudge

Figures = dict[str, Any]
_FIELD = "CT abdomen and pelvis with contrast, venous phase, compared with {day} June {year}, case {number} ({word})"
_LINE = (
    "The patient is a {age} year old carpenter who was admitted on {day} March {year} with chest pain, seen by "
    "Dr. {word} at the clinic, and referred for a CT of the thorax; record {number}, phone (555) 201-{last}. There is "
    "no pneumothorax, the heart is not enlarged, and the aorta is normal. Follow up in six months with a plain film of "
    "the"
)
_WORDS = ("Okafor", "Lindqvist", "Haddad", "Moreau", "Tanaka", "Novak", "Ferreira", "Kowalski")
_TEXTS = 300


def varied(pattern: str, count: int) -> list[str]:
    """So many distinct texts of one length in words."""
    return [
        pattern.format(
            day=1 + n % 28,
            year=1990 + n % 30,
            age=20 + n % 70,
            number=100_000 + 7 * n,
            last=1000 + n,
            word=_WORDS[n % 8],
        )
        for n in range(count)
    ]


def measure_cost(judge: TextJudge, texts: int = _TEXTS) -> Figures:
    """CPU milliseconds for a field of 16 words and a line of 64, first and again, and distinct fields a CPU second."""
    field, line = varied(_FIELD, texts), varied(_LINE, texts)
    for text in (field[0], line[0]):
        # What is loaded with the first text is no cost of the others.
        judge.fresh(text)
    result: Figures = {}
    for name, group in (("field_16", field), ("line_64", line)):
        result[f"{name}_ms"] = _ms(judge.fresh, group)
        _ms(judge.spans, group)
        result[f"{name}_again_ms"] = _ms(judge.spans, group)
    result["fields_a_cpu_second"] = round(1000 / result["field_16_ms"], 1) if result["field_16_ms"] else None
    return result


def _ms(call: Callable[[str], object], texts: Sequence[str]) -> float:
    start = time.process_time()
    for text in texts:
        call(text)
    return round(1000 * (time.process_time() - start) / len(texts), 4)

"""Figures of an entity tagger: exact spans, overlap, tokens, calibration, and review against what is missed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deidra.app.evaluate.entity_sets import Example, Mark
from deidra.app.evaluate.uncertainty import reliability

Figures = dict[str, Any]
TOKEN = re.compile(r"\w+")
"""Tokens are runs of letters, digits and underscores."""
_BINS = 10
_RIGHT = 0.5
"""A span is right if at least this share of its characters is private."""


@dataclass(frozen=True, slots=True)
class Case:
    """A text with what is known and what was found; both in order, labels comparable."""

    example: Example
    found: tuple[Mark, ...]


def rates(right: int, found: int, known: int) -> Figures:
    """Precision, recall and F. A rate of nothing is None."""
    both = found + known
    return {
        "precision": round(right / found, 4) if found else None,
        "recall": round(right / known, 4) if known else None,
        "f": round(2 * right / both, 4) if both else None,
    }


def overall(cases: Sequence[Case]) -> Figures:
    """Figures over all types together.

    ``exact`` asks for place and label, ``exact_place`` for the place alone; ``overlap_recall`` is the share of known
    spans that share a character with a found one of any label; ``tokens`` are private or not, whatever the label.
    """
    known = sum(len(case.example.marks) for case in cases)
    found = sum(len(case.found) for case in cases)
    exact = sum(len(_keys(case.example.marks) & _keys(case.found)) for case in cases)
    places = sum(len(_places(case.example.marks) & _places(case.found)) for case in cases)
    touched = sum(any(mark.overlaps(f) for f in case.found) for case in cases for mark in case.example.marks)
    return {
        "texts": len(cases),
        "spans": known,
        "exact": rates(exact, found, known),
        "exact_place": rates(places, found, known),
        "overlap_recall": round(touched / known, 4) if known else None,
        "tokens": _token_rates(cases, None),
    }


def by_label(cases: Sequence[Case]) -> dict[str, Figures]:
    """The figures of each label. ``covered`` counts known spans touched by any found one, ``overlap`` of the label."""
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        for mark in case.example.marks:
            row = counts.setdefault(mark.label, Counter())
            touching = [f for f in case.found if f.overlaps(mark)]
            row["known"] += 1
            row["covered"] += bool(touching)
            row["overlap"] += any(f.label == mark.label for f in touching)
            row["exact"] += (mark.start, mark.end, mark.label) in _keys(case.found)
        for mark in case.found:
            counts.setdefault(mark.label, Counter())["found"] += 1
    return {
        label: {
            "spans": row["known"],
            **rates(row["exact"], row["found"], row["known"]),
            "overlap_recall": round(row["overlap"] / row["known"], 4) if row["known"] else None,
            "covered": round(row["covered"] / row["known"], 4) if row["known"] else None,
            "token_f": _token_rates(cases, label)["f"],
        }
        for label, row in sorted(counts.items())
    }


def by_source(cases: Sequence[Case]) -> dict[str, Figures]:
    """The overall figures of each source."""
    sources = sorted({case.example.source for case in cases})
    return {source: overall([case for case in cases if case.example.source == source]) for source in sources}


def _keys(marks: Iterable[Mark]) -> set[tuple[int, int, str]]:
    return {(mark.start, mark.end, mark.label) for mark in marks}


def _places(marks: Iterable[Mark]) -> set[tuple[int, int]]:
    return {(mark.start, mark.end) for mark in marks}


def _token_rates(cases: Sequence[Case], label: str | None) -> Figures:
    """Precision, recall and F of tokens that any mark (of the label) touches, summed over all texts."""
    right = found = known = 0
    for case in cases:
        truth = [mark for mark in case.example.marks if label in (None, mark.label)]
        said = [mark for mark in case.found if label in (None, mark.label)]
        if not truth and not said:
            continue
        for token in TOKEN.finditer(case.example.text):
            is_private = any(m.start < token.end() and token.start() < m.end for m in truth)
            is_found = any(m.start < token.end() and token.start() < m.end for m in said)
            known += is_private
            found += is_found
            right += is_private and is_found
    return rates(right, found, known)


def is_right(mark: Mark, known: Iterable[Mark]) -> bool:
    """Whether at least half of a found span is private, whatever its label."""
    private = {place for k in known for place in range(max(k.start, mark.start), min(k.end, mark.end))}
    return len(private) >= _RIGHT * (mark.end - mark.start)


def calibration_figures(cases: Sequence[Case]) -> Figures:
    """Expected calibration error of the scores, and the reliability diagram: found spans by score, in ten bins."""
    scored = [(mark.score, is_right(mark, case.example.marks)) for case in cases for mark in case.found]
    if not scored:
        return {"spans": 0, "ece": None, "bins": []}
    found = reliability(np.array([s for s, _ in scored]), np.array([right for _, right in scored], bool), _BINS)
    rows = [
        # The mean of a bin lies in it, but for rounding.
        {"from": min(_BINS - 1, int(score * _BINS + 1e-9)) / _BINS, "spans": count, "score": round(score, 4)}
        | {"right": round(share, 4)}
        for score, share, count in zip(found.probability, found.right, found.count, strict=True)
    ]
    return {"spans": len(scored), "ece": round(found.error, 4), "bins": rows}


def review_curve(cases: Sequence[Case], auto_score: float, auto_variance: float | None = None) -> list[Figures]:
    """What is missed if only spans of at least some score count, against what a curator is asked about.

    Each point is a score below which spans are ignored. A span is asked about if its score is below ``auto_score``
    or, where ``auto_variance`` is given, its variance is above that. ``review`` is the share of texts with such a
    span, ``missed`` the share of known spans that no counted span touches, ``wrong`` the number of spans that are
    applied without asking and are not private.
    """
    known = sum(len(case.example.marks) for case in cases)
    if not cases or not known:
        return []
    levels = sorted({0.0, 1.01, *(round(mark.score, 2) for case in cases for mark in case.found)})
    points = []
    for level in levels:
        asked = missed = wrong = questions = 0
        for case in cases:
            counted = [mark for mark in case.found if mark.score >= level - 0.005]
            doubted = [mark for mark in counted if _is_asked(mark, auto_score, auto_variance)]
            asked += bool(doubted)
            questions += len(doubted)
            missed += sum(not any(mark.overlaps(f) for f in counted) for mark in case.example.marks)
            wrong += sum(not is_right(m, case.example.marks) for m in counted if m not in doubted)
        points.append(
            {
                "least_score": level,
                "review": round(asked / len(cases), 4),
                "questions": questions,
                "missed": round(missed / known, 4),
                "wrong": wrong,
            }
        )
    return points


def _is_asked(mark: Mark, auto_score: float, auto_variance: float | None) -> bool:
    doubted = auto_variance is not None and mark.variance is not None and mark.variance > auto_variance
    return mark.score < auto_score or doubted

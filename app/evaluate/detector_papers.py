"""Tables about detection of two papers, made again on synthetic images, beside the published figures."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import asdict
from importlib import resources
from typing import Any

import numpy as np

from deidra.app.evaluate.detector_cases import Case
from deidra.app.evaluate.detector_figures import precision
from deidra.app.evaluate.detector_pool import group_result, pool

Figures = dict[str, Any]
NOTE = (
    "The sets differ, so the figures show the same measure and not a contest. Ours are synthetic images after the "
    "descriptions in the papers, with words, backgrounds and seeds that training did not see. The models of paper 000 "
    "and Presidio also decide which text is private and of which type; here the detector finds all text and the key "
    "says of which type each is."
)
_STYLES = {"paper_000": "paper000", "paper_003": "paper003"}


def published() -> Figures:
    """The figures in the papers."""
    text = (resources.files(__package__) / "data" / "papers.toml").read_text("utf-8")
    return tomllib.loads(text)


def paper_figures(cases: Sequence[Case], least_score: float) -> Figures:
    """Both papers' tables on the suite of papers; ``least_score`` is that of boxes the product tells of."""
    halves = {paper: [c for c in cases if _of(c, style)] for paper, style in _STYLES.items()}
    known = published()
    return {
        "note": NOTE,
        "paper_003": {"published": known["paper_003"], "ours": _table_2(halves["paper_003"], cases)},
        "paper_000": _by_type(halves["paper_000"], known["paper_000"], least_score),
    }


def _of(one: Case, style: str) -> bool:
    return style in one.truth.layout


def _table_2(own: Sequence[Case], every: Sequence[Case]) -> Figures:
    rows = {"images after paper 003": own, "all of the suite": every}
    return {name: {"images": len(cases), **precision(cases)["text"]} for name, cases in rows.items()}


def _by_type(cases: Sequence[Case], known: Figures, least_score: float) -> Figures:
    """Mean overlap and AP50 of the texts of each type: a text without a box counts as overlap 0."""
    all_ = pool(cases, least_score)
    types = np.array([t for c in cases for t in c.truth.type], object)
    ours: Figures = {}
    for name, label in zip(known["types"], known["labels"], strict=True):
        member = types == name
        result = group_result(all_, member, least_score)
        ours[label] = {"iou": float(all_.best[member].mean()) if member.any() else 0.0, **asdict(result)}
    return {"images": len(cases), "labels": known["labels"], "published": known, "ours": ours}

"""Risk scores of kinds of personal data, and of Deidra's entity types by them."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from importlib.resources import files

import numpy as np

from deidra.app.domain.labels import PAPER_LABELS
from deidra.app.domain.taxonomy import EntityType
from deidra.app.risk.graph import Weight

_PERCENTILE = 90
"""The score at this percentile is 100 (section 3.1)."""
_ALIASES = {"photo": "biometric data", "cvv": "cvv code"}
"""Names of the categories' table that the scores know by another."""


@functools.cache
def published(algorithm: str = "pagerank", weight: Weight = Weight.FREQUENCY) -> Mapping[str, float]:
    """The published scores of the 47 kinds.

    Args:
        algorithm: "pagerank" (which the paper uses), "hub", "authority", or "ehits" (hub and authority together).
        weight: what weighs an edge.
    """
    table = tomllib.loads((files("deidra.app.risk") / "scores.toml").read_text(encoding="utf-8"))
    parts = ("hub", "authority") if algorithm == "ehits" else (algorithm,)
    return {kind: sum(row[part][weight.value] for part in parts) for kind, row in table.items()}


def scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores from 0 to 100: the 90th percentile and all above it are 100."""
    top = float(np.percentile(list(scores.values()), _PERCENTILE)) if scores else 0.0
    return {kind: 100.0 if score >= top else 100 * score / top for kind, score in scores.items()}


def risk_of_type(kind: EntityType, scores: Mapping[str, float]) -> float:
    """The score of an entity type: that of the riskiest kind that it stands for; 0 for what the scores do not know.

    Args:
        kind: the type.
        scores: of kinds of personal data, scaled.
    """
    names = [name.strip() for name in PAPER_LABELS[kind].risk.split(",") if name.strip()]
    return max((scores.get(_ALIASES.get(name, name), 0.0) for name in names), default=0.0)

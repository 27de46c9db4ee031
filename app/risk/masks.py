"""Masks of three levels on one page, what each covers, and what risk stays (figures 1 and 5 of FiG-Priv)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np

from deidra.app.domain.geometry import Polygon
from deidra.app.domain.taxonomy import EntityType
from deidra.app.risk.scores import risk_of_type

_FINEST = 2000
"""Longer sides are measured on a grid of so many cells."""


class Level(StrEnum):
    """What a mask covers."""

    FULL = "full image"
    OBJECT = "object mask"
    FINE = "fine-grained mask"
    HIGH = "high-risk mask"


@dataclass(frozen=True, slots=True)
class Private:
    """One private text: where it stands and what it is."""

    polygon: Polygon
    type: EntityType


@dataclass(frozen=True, slots=True)
class Masked:
    """A page under one mask: ``covered`` is the share of its area (0 to 1); ``risk`` of what can still be read."""

    level: Level
    covered: float
    risk: float


def page_risk(types: Iterable[EntityType], scores: Mapping[str, float]) -> float:
    """The risk of a page: the scores of the types that can be read on it, each counted once."""
    return sum(risk_of_type(kind, scores) for kind in set(types))


def masks(
    texts: Sequence[Private], size: tuple[int, int], scores: Mapping[str, float], threshold: float
) -> list[Masked]:
    """What each level covers of a page and which risk it leaves.

    The object is the document, which fills a scan. The threshold moves from the fine-grained mask (0: all private texts
    are covered) to none at all (above 100).

    Args:
        texts: what is private on the page, in its pixels.
        size: width and height of the page in pixels.
        scores: of kinds of personal data, 0 to 100.
        threshold: texts of types with at least this score are of high risk.
    """
    high = [text for text in texts if risk_of_type(text.type, scores) >= threshold]
    low = [text.type for text in texts if text not in high]
    return [
        Masked(Level.FULL, 0.0, page_risk((text.type for text in texts), scores)),
        Masked(Level.OBJECT, 1.0, 0.0) if texts else Masked(Level.OBJECT, 0.0, 0.0),
        Masked(Level.FINE, covered(texts, size), 0.0),
        Masked(Level.HIGH, covered(high, size), page_risk(low, scores)),
    ]


def covered(texts: Sequence[Private], size: tuple[int, int]) -> float:
    """The share of a page (width, height) that lies under the polygons, each place once; 0 to 1."""
    scale = min(1.0, _FINEST / max(*size, 1))
    width, height = (max(1, round(side * scale)) for side in size)
    grid = np.zeros((height, width), np.uint8)
    for text in texts:
        cv2.fillPoly(grid, [np.round(np.array(text.polygon) * scale).astype(np.int32)], 1)
    return float(grid.mean())

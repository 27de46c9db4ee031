"""What of an image's ink would be covered if every box of a detector were painted, and what would be in vain."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deidra.app.decide.policy import RedactSection
from deidra.app.domain.geometry import Polygon
from deidra.app.redact.paint import Region

Mask = NDArray[np.bool_]
_PAINT = RedactSection()
"""Shape and padding as the product has them where nobody changes them."""


@dataclass(frozen=True, slots=True)
class Painted:
    """Of one image: share of each text's ink that is covered, ``(T,)``, and the share of the image covered in vain.

    ``stray_share`` is the part of ``false_share`` that boxes cover which lie on no text; the rest are edges drawn too
    wide.
    """

    share: NDArray[np.float64]
    false_share: float
    stray_share: float


STRAY = 0.2
"""A box of which less than this share lies near any text is on none."""


def painted_mask(polygons: Iterable[Polygon], height: int, width: int) -> Mask:
    """Pixels ``(H, W)`` that the product paints for these polygons."""
    mask = np.zeros((height, width), bool)
    for place, inside in _regions(polygons, height, width):
        mask[place] |= inside
    return mask


def _regions(polygons: Iterable[Polygon], height: int, width: int) -> Iterator[tuple[tuple[slice, slice], Mask]]:
    """Where the product paints for each polygon, and which pixels there."""
    for polygon in polygons:
        region = Region.of(polygon, width, height, _PAINT)
        left, top, right, bottom = region.box
        whole = np.ones((max(0, bottom - top), max(0, right - left)), bool)
        yield (slice(top, bottom), slice(left, right)), whole if region.inside is None else region.inside


def _stray_mask(polygons: Iterable[Polygon], allowed: Mask) -> Mask:
    """Pixels ``(H, W)`` painted in vain for polygons that lie on no text."""
    mask = np.zeros(allowed.shape, bool)
    for place, inside in _regions(polygons, *allowed.shape):
        vain = inside & ~allowed[place]
        if vain.sum() > (1 - STRAY) * inside.sum():
            mask[place] |= vain
    return mask


def allowed_mask(texts: Iterable[Sequence[Sequence[float]]], height: int, width: int) -> Mask:
    """Pixels ``(H, W)`` no farther from a text's four corners than the padding: covering them is no fault.

    Distances are along and across the text; a pixel that is within them in part counts as within.
    """
    mask = np.zeros((height, width), bool)
    for corners in texts:
        points = np.asarray(corners, np.float64)
        sides = np.linalg.norm(points - np.roll(points, -1, 0), axis=1)
        reach = math.ceil(max(_PAINT.padding_least, _PAINT.padding_share * float(sides.min())))
        # A slope widens the upright bounds of what lies near by at most this.
        most = math.ceil(1.5 * reach) + 1
        left, top = np.maximum(np.floor(points.min(0)).astype(int) - most, 0)
        right, bottom = np.ceil(points.max(0)).astype(int) + most
        x, y = np.arange(left, min(right, width)) + 0.5, np.arange(top, min(bottom, height)) + 0.5
        along = (points[1] - points[0]) / max(float(sides[0]), 1e-9)
        near = np.ones((len(y), len(x)), bool)
        for u, v in (along, (-along[1], along[0])):
            place, ends = x[None] * u + y[:, None] * v, points @ (u, v)
            touch = reach + (abs(u) + abs(v)) / 2
            near &= (place > ends.min() - touch) & (place < ends.max() + touch)
        mask[top : top + len(y), left : left + len(x)] |= near
    return mask


def painted(polygons: Sequence[Polygon], ink: NDArray[np.uint16], count: int, allowed: Mask) -> Painted:
    """What painting polygons does to ``ink (H, W)`` (0 none, n that of text n, up to ``count``)."""
    mask, stray = painted_mask(polygons, *ink.shape), _stray_mask(polygons, allowed)
    whole = np.bincount(ink.ravel(), minlength=count + 1)[1 : count + 1]
    hidden = np.bincount(ink[mask], minlength=count + 1)[1 : count + 1]
    return Painted(hidden / np.maximum(whole, 1), float((mask & ~allowed).mean()), float(stray.mean()))


@dataclass(frozen=True, slots=True)
class Redaction:
    """Painted images in figures, shares 0 to 1.

    ``phi_ink``: private ink that is covered. ``covered`` and ``phi_covered``: lines of which at least 99 % of the ink
    is covered, of all and of private ones. ``missed`` and ``phi_missed``: less than 10 %. ``false_area``: mean share of
    an image that is covered farther from any text than the padding; ``stray_area``: the part of it by boxes on no text.
    """

    images: int
    lines: int
    phi_lines: int
    phi_ink: float
    covered: float
    phi_covered: float
    missed: float
    phi_missed: float
    false_area: float
    stray_area: float


COVERED = 0.99
MISSED = 0.10


def redaction(done: Sequence[Painted], ink: Sequence[NDArray[np.int64]], phi: Sequence[NDArray[np.bool_]]) -> Redaction:
    """Figures over images; ``ink`` (pixels) and ``phi`` (private or not) have a value for each text of each image."""
    share = np.concatenate([d.share for d in done]) if done else np.zeros(0)
    pixels = np.concatenate(list(ink)) if done else np.zeros(0)
    private = np.concatenate(list(phi)) if done else np.zeros(0, bool)
    return Redaction(
        images=len(done),
        lines=len(share),
        phi_lines=int(private.sum()),
        phi_ink=_mean(share[private], pixels[private]),
        covered=_mean(share >= COVERED),
        phi_covered=_mean(share[private] >= COVERED),
        missed=_mean(share < MISSED),
        phi_missed=_mean(share[private] < MISSED),
        false_area=_mean(np.array([d.false_share for d in done])),
        stray_area=_mean(np.array([d.stray_share for d in done])),
    )


def _mean(values: NDArray[np.generic], weights: NDArray[np.int64] | None = None) -> float:
    """Mean, 0 of nothing."""
    if not len(values) or (weights is not None and not weights.sum()):
        return 0.0
    return float(np.average(values.astype(np.float64), weights=weights))

"""The numbers of many images as flat columns, and precision by group on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deidra.app.evaluate.detector_cases import Case
from deidra.app.evaluate.precision import average_precision, matched, overlap_matrix

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
RIGHT = 0.5
FOUND = 0.3
"""Overlap from which a text counts as found; so it does if :data:`HELD` of its area lies in boxes."""
HELD = 0.8
_GRID = (8, 48)
"""Rows and columns of points at which it is looked how much of a text's box others cover."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates (rows of ``M``, each image's best first) and texts (rows of ``T``) of many images.

    Of candidates: ``image``, ``score``, ``doubt``, ``side`` (the shorter, pixels), ``overlap`` (best with any text),
    ``nearest`` (that text, -1 none), ``match`` (the text that it finds at half overlap, each once; -1 none), ``off``
    ``(M, 4)`` (its edges less those of the nearest text, pixels) and ``sigma (M, 4)``. Of texts: ``text_image``,
    ``reach`` (the highest score of a threshold at which it is still found; 0 never), ``best`` ``(T,)`` (largest overlap
    with a candidate that the product tells of).
    """

    image: Ints
    score: Floats
    doubt: Floats
    side: Floats
    overlap: Floats
    nearest: Ints
    match: Ints
    off: Floats
    sigma: Floats
    text_image: Ints
    reach: Floats
    best: Floats

    @property
    def right(self) -> Flags:
        """Candidates that overlap a text by at least half."""
        return self.overlap >= RIGHT


def pool(cases: Sequence[Case], least_score: float) -> Pool:
    """Columns of the cases; ``least_score`` is that of boxes the product tells of."""
    parts = []
    texts = 0
    for index, one in enumerate(cases):
        parts.append(_columns(one, index, texts, least_score))
        texts += len(one.truth.boxes)
    empty = _columns_of_nothing()
    return Pool(*(np.concatenate([e, *(p[n] for p in parts)]) for n, e in enumerate(empty)))


def _columns_of_nothing() -> list[NDArray[np.generic]]:
    ints, floats, edges = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 4))
    return [ints, floats, floats, floats, floats, ints, ints, edges, edges, ints, floats, floats]


def _columns(one: Case, index: int, first: int, least_score: float) -> list[NDArray[np.generic]]:
    order = np.argsort(-one.found.score, kind="stable")
    boxes, score = one.found.boxes[order], one.found.score[order].astype(np.float64)
    truth = one.truth.boxes
    overlap = overlap_matrix(boxes, truth)
    best = overlap.max(1) if overlap.shape[1] else np.zeros(len(boxes))
    nearest = np.where(best > 0, overlap.argmax(1), -1) if overlap.shape[1] else np.full(len(boxes), -1)
    match = matched(overlap, RIGHT)
    off = np.zeros((len(boxes), 4))
    off[nearest >= 0] = boxes[nearest >= 0] - truth[nearest[nearest >= 0]]
    told = score >= least_score
    return [
        np.full(len(boxes), index),
        score,
        one.found.doubt[order].astype(np.float64),
        (boxes[:, 2:] - boxes[:, :2]).min(1, initial=np.inf).astype(np.float64),
        best,
        np.where(nearest >= 0, nearest + first, -1),
        np.where(match >= 0, match + first, -1),
        off,
        np.sqrt(one.found.edge_variance[order].astype(np.float64)),
        np.full(len(truth), index),
        reaches(boxes, score, truth, overlap),
        overlap[told].max(0, initial=0.0),
    ]


def reaches(
    boxes: NDArray[np.float32], score: Floats, texts: NDArray[np.float32], overlap: Floats | None = None
) -> Floats:
    """Of each text ``(T, 4)`` the highest threshold of the score at which boxes ``(M, 4)`` find it; 0 never.

    It is found if a box overlaps it by :data:`FOUND`, or the boxes together hold :data:`HELD` of its area. Boxes are in
    order of their scores, best first.
    """
    overlap = overlap_matrix(boxes, texts) if overlap is None else overlap
    reach = np.zeros(len(texts))
    for index, text in enumerate(texts):
        alone = np.flatnonzero(overlap[:, index] >= FOUND)
        if len(alone):
            reach[index] = score[alone[0]]
        better = np.flatnonzero((overlap[:, index] > 0) & (score > reach[index]))
        at = _held_by(boxes[better], text)
        if at is not None:
            reach[index] = score[better[at]]
    return reach


def _held_by(boxes: NDArray[np.float32], text: NDArray[np.float32]) -> int | None:
    """The first box that together with those before it holds enough of the text; None if all do not."""
    if not len(boxes):
        return None
    rows, columns = _GRID
    x = text[0] + (np.arange(columns) + 0.5) / columns * (text[2] - text[0])
    y = text[1] + (np.arange(rows) + 0.5) / rows * (text[3] - text[1])
    held = np.zeros(_GRID, bool)
    for index, (left, top, right, bottom) in enumerate(boxes):
        held |= ((y >= top) & (y < bottom))[:, None] & ((x >= left) & (x < right))[None]
        if held.mean() >= HELD:
            return index
    return None


@dataclass(frozen=True, slots=True)
class GroupResult:
    """Of a group's texts: how many, the share found (half overlap) by boxes that the product tells of, and AP50."""

    texts: int
    recall: float
    ap50: float


def group_result(all_: Pool, member: Flags, least_score: float, alone: Flags | None = None) -> GroupResult:
    """Precision on the texts of a group, ``member (T,)``.

    Candidates that find another text do not count. ``alone (M,)`` says which of those that find none count as wrong: by
    default those on images with a text of the group.
    """
    total = int(member.sum())
    if alone is None:
        alone = np.isin(all_.image, np.unique(all_.text_image[member]))
    belongs = np.append(member, False)
    hit = belongs[all_.match]
    again = (all_.match < 0) & all_.right
    counts = hit | (again & belongs[all_.nearest]) | ((all_.match < 0) & ~again & alone)
    told = int((hit & (all_.score >= least_score)).sum())
    ap = average_precision(all_.score[counts], hit[counts], total)
    return GroupResult(total, told / total if total else 0.0, ap)

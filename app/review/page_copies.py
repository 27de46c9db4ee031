"""What waits at the same place of another copy of a page: scanned twice, faxed, filed in two folders.

A copy lies otherwise and has other pixels, so places are carried over by the lines that both pages show.
"""

from __future__ import annotations

import re
from collections import Counter

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidfuzz.fuzz import ratio

from deidra.app.detect.copies import is_copy
from deidra.app.domain.geometry import Polygon, as_polygon, bounding_box, iou
from deidra.app.domain.model import Finding, FrameText
from deidra.storage import ProjectStore

Transform = NDArray[np.float64]
_NEAR_TEXT = 75
"""Likeness (0 to 100) from which two texts are one that was read twice; a text nobody could read is like any."""
_SAME_BOX = 0.5
"""Intersection over union of boxes at one place, after one is carried over to the other's page."""
_MOST_PAGES = 300
"""Pages that are compared with one page at most."""
_MARKS = 8
"""Lines by which copies of a page are looked for."""
_LONG_NUMBER = re.compile(r"\d{4}")
_REMEMBERED = 64
"""Pages whose copies are remembered: several items of a page are looked at one after the other."""
_LEAST_LINES = 2
_OFF = 0.004
"""Share of a page's longer side by which a line may lie beside where the others say."""

Place = tuple[str, int]
"""An asset's id and the number of a page, from 0."""


class PageCopies:
    """The copies of pages of one project. May be asked from any thread."""

    def __init__(self, store: ProjectStore) -> None:
        self._store = store
        self._known: dict[tuple[Place, int], list[Place]] = {}

    def like(self, finding: Finding) -> list[Finding]:
        """Findings that wait at the place of ``finding`` on copies of its page, with equal or nearly equal text.

        Their types may differ, as what was read does. The text that was located on both pages has to be the same but
        for a few words, with all longer numbers equal: the same form of somebody else is hardly ever a copy.
        """
        polygon = finding.polygon
        if finding.page is None or polygon is None:
            return []
        own = _page(self._store.assets.text(finding.asset_id), finding.page)
        places = self._copies((finding.asset_id, finding.page), own) if own is not None else []
        if own is None or not places:
            return []
        found = []
        waiting = self._store.findings.waiting_like("", sorted({asset for asset, _ in places}))
        for asset, number in places:
            page = _page(self._store.assets.text(asset), number)
            if page is None:
                continue
            there = bounding_box(carried(polygon, carrying(own, page)))
            for other in waiting:
                if (other.asset_id, other.page) == (asset, number) and _is_like(finding.text, other.text):
                    box = bounding_box(other.polygon) if other.polygon is not None else (0, 0, 0, 0)
                    found += [other] if iou(there, box) >= _SAME_BOX else []
        return found

    def _copies(self, place: Place, own: FrameText) -> list[Place]:
        """Pages with something that waits that are copies of one page, itself left out."""
        key = place, self._store.assets.count_frames()
        if key not in self._known:
            while len(self._known) >= _REMEMBERED:
                self._known.pop(next(iter(self._known)), None)
            marks, least = marks_of(own)
            near = [p for p in self._store.findings.waiting_pages_showing(marks, least) if p != place][:_MOST_PAGES]
            pages = ((p, _page(self._store.assets.text(p[0]), p[1])) for p in near)
            self._known[key] = [p for p, page in pages if page is not None and is_copy(own, page)]
        return self._known[key]


def marks_of(page: FrameText) -> tuple[list[str], int]:
    """Lines that hardly any other page shows, and how many of them a copy shows at least.

    These are lines with longer numbers, which are the same on copies; else the longest ones.
    """
    texts = sorted({line.text for line in page.lines if line.text.strip()}, key=lambda text: (-len(text), text))
    numbered = [text for text in texts if _LONG_NUMBER.search(text)][:_MARKS]
    marks = numbered or texts[:_MARKS]
    return marks, -(-len(marks) // 2) if numbered else min(2, len(marks))


def _is_like(text: str, other: str) -> bool:
    return not text or not other or ratio(text.lower(), other.lower()) >= _NEAR_TEXT


def carrying(page: FrameText, other: FrameText) -> Transform:
    """How places of a page are turned, scaled and shifted to lie on its copy, ``(2, 3)``.

    It is told by the lines that stand once on each page; where there are too few, by the sizes alone.
    """
    mine, theirs = _single(page), _single(other)
    shared = sorted(mine.keys() & theirs.keys())
    if len(shared) >= _LEAST_LINES:
        here, there = (np.concatenate([np.asarray(lines[t], np.float64) for t in shared]) for lines in (mine, theirs))
        within = max(1.0, _OFF * max(other.width, other.height))
        made, _ = cv2.estimateAffinePartial2D(here, there, method=cv2.RANSAC, ransacReprojThreshold=within)
        if made is not None and np.isfinite(made).all():
            return np.asarray(made, np.float64)
    across, down = other.width / max(1, page.width), other.height / max(1, page.height)
    return np.array([[across, 0, 0], [0, down, 0]], np.float64)


def carried(polygon: Polygon, how: Transform) -> Polygon:
    """A place of a page as it lies on the copy."""
    points = np.asarray(polygon, np.float64)
    return as_polygon((points @ how[:, :2].T + how[:, 2]).tolist())


def _single(page: FrameText) -> dict[str, Polygon]:
    texts = [line.text.strip().lower() for line in page.lines]
    counts = Counter(texts)
    return {t: line.polygon for t, line in zip(texts, page.lines, strict=True) if t and counts[t] == 1}


def _page(texts: list[FrameText], number: int) -> FrameText | None:
    return next((text for text in texts if text.index == number), None)

"""What waits at the same place of another copy of a page: scanned twice, faxed, filed in two folders.

A copy lies otherwise and has other pixels, so places are carried over by the lines that both pages show.
"""

from __future__ import annotations

from collections import Counter

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidfuzz.fuzz import ratio

from deidra.app.detect.copies import is_copy
from deidra.app.domain.geometry import Polygon, as_polygon, bounding_box, iou
from deidra.app.domain.model import Finding, FrameText
from deidra.app.domain.taxonomy import EntityType
from deidra.storage import ProjectStore

Transform = NDArray[np.float64]
_NEAR_TEXT = 75
"""Likeness (0 to 100) from which two texts are one that was read twice; a text nobody could read is like any."""
_NEAR_PLACE = 0.08
"""Share of a page by which its scans may be shifted: further away no copy is looked for."""
_SAME_BOX = 0.5
"""Intersection over union of boxes at one place, after one is carried over to the other's page."""
_MOST_PAGES = 300
"""Pages that are compared with one page at most, those with the nearest places first."""
_LEAST_LINES = 2
_OFF = 0.004
"""Share of a page's longer side by which a line may lie beside where the others say."""


def on_copies(store: ProjectStore, finding: Finding) -> list[Finding]:
    """Findings that wait at the place of ``finding`` on copies of its page, with equal or nearly equal text.

    They have its type, unless one of both could not be read. The text that was located on both pages has to be the
    same but for a few words, with all longer numbers equal: the same form of somebody else is no copy.
    """
    polygon = finding.polygon
    if finding.page is None or polygon is None:
        return []
    own = _page(store.assets.text(finding.asset_id), finding.page)
    if own is None:
        return []
    pages: dict[tuple[str, int], FrameText | None] = {}
    texts: dict[str, list[FrameText]] = {}
    found = []
    for other in _candidates(store, finding, own):
        key = other.asset_id, other.page or 0
        if key not in pages:
            if len(pages) == _MOST_PAGES:
                continue
            located = texts.setdefault(other.asset_id, store.assets.text(other.asset_id))
            page = _page(located, key[1])
            pages[key] = page if page is not None and is_copy(own, page) else None
        copied = pages[key]
        if copied is not None and other.polygon is not None:
            there = carried(polygon, carrying(own, copied))
            if iou(bounding_box(there), bounding_box(other.polygon)) >= _SAME_BOX:
                found.append(other)
    return found


def _candidates(store: ProjectStore, finding: Finding, own: FrameText) -> list[Finding]:
    """What waits on other pages near the same place with a like text, the nearest first."""
    unread = finding.type is EntityType.UNREAD or not finding.text
    types = None if unread or finding.type is None else (finding.type, EntityType.UNREAD)
    sizes = store.assets.page_sizes()
    middle = _middle(finding.polygon, (own.width, own.height))
    found = []
    for other in store.findings.waiting_on_pages(types):
        size = sizes.get((other.asset_id, other.page or 0))
        own_page = other.asset_id == finding.asset_id and other.page == finding.page
        if size is None or own_page or other.polygon is None or not _is_like(finding.text, other.text):
            continue
        apart = float(np.abs(_middle(other.polygon, size) - middle).max())
        if apart <= _NEAR_PLACE:
            found.append((apart, other))
    return [other for _, other in sorted(found, key=lambda one: one[0])]


def _is_like(text: str, other: str) -> bool:
    return not text or not other or ratio(text.lower(), other.lower()) >= _NEAR_TEXT


def _middle(polygon: Polygon | None, size: tuple[int, int]) -> NDArray[np.float64]:
    """The middle of a place as shares of the width and height of its page."""
    return np.asarray(np.asarray(polygon, np.float64).mean(axis=0) / np.maximum(size, 1))


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

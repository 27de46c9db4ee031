"""Polygons in pixel coordinates: x to the right, y down, origin at the top left corner of the frame.

A polygon is an ``(N, 2)`` float array or a tuple of ``(x, y)`` pairs. A box is ``(left, top, right,
bottom)`` with ``right`` and ``bottom`` exclusive.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

Point = tuple[float, float]
Polygon = tuple[Point, ...]
Box = tuple[int, int, int, int]


def as_polygon(points: Iterable[Sequence[float]]) -> Polygon:
    """``points`` as a hashable polygon with coordinates rounded to a tenth of a pixel."""
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in points)


def box_polygon(left: float, top: float, right: float, bottom: float) -> Polygon:
    """The four corners of a box, clockwise from the top left."""
    return as_polygon([(left, top), (right, top), (right, bottom), (left, bottom)])


def bounding_box(polygon: Polygon) -> Box:
    """The smallest whole-pixel box that holds ``polygon``."""
    xs = [x for x, _ in polygon]
    ys = [y for _, y in polygon]
    return math.floor(min(xs)), math.floor(min(ys)), math.ceil(max(xs)), math.ceil(max(ys))


def padded_box(polygon: Polygon, width: int, height: int, share: float = 0.15, least: float = 2) -> Box:
    """The bounding box grown by ``max(least pixels, share of its height)`` and clipped to the frame."""
    left, top, right, bottom = bounding_box(polygon)
    pad = math.ceil(max(least, share * min(bottom - top, right - left)))
    return max(0, left - pad), max(0, top - pad), min(width, right + pad), min(height, bottom + pad)


def intersection_area(a: Box, b: Box) -> int:
    """Shared pixels of two boxes."""
    return max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))


def area(box: Box) -> int:
    """Pixels in a box."""
    return max(0, box[2] - box[0]) * max(0, box[3] - box[1])


def iou(a: Box, b: Box) -> float:
    """Intersection over union of two boxes, 0 to 1."""
    shared = intersection_area(a, b)
    union = area(a) + area(b) - shared
    return shared / union if union else 0.0


def slice_along(polygon: Polygon, start: float, end: float) -> Polygon:
    """The part of a text quadrilateral between two fractions of its reading direction.

    ``polygon`` has four corners in the order top left, top right, bottom right, bottom left as the
    text is read, so the cut follows rotated text as well. ``start`` and ``end`` are 0 to 1.
    """
    (tl, tr, br, bl) = polygon

    def along(a: Point, b: Point, t: float) -> Point:
        return a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t

    return as_polygon([along(tl, tr, start), along(tl, tr, end), along(bl, br, end), along(bl, br, start)])

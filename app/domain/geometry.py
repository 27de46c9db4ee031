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
_UPRIGHT = math.sin(math.radians(1.5))
_SKEW = 0.1
"""Corners may be off by this share of the shorter side: they are rounded."""


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


def is_upright(polygon: Polygon) -> bool:
    """Whether ``polygon`` is a rectangle whose sides run along the axes: its bounding box without rounding."""
    xs, ys = {x for x, _ in polygon}, {y for _, y in polygon}
    return len(polygon) == len(set(polygon)) == 4 and len(xs) == len(ys) == 2


def padded_box(polygon: Polygon, width: int, height: int, share: float = 0.15, least: float = 2) -> Box:
    """The bounding box grown by ``max(least pixels, share of its height)`` and clipped to the frame.

    A box outside the frame is empty, at the frame's edge.
    """
    left, top, right, bottom = bounding_box(polygon)
    pad = math.ceil(max(least, share * min(bottom - top, right - left)))
    left, right = (min(max(0, x), width) for x in (left - pad, right + pad))
    top, bottom = (min(max(0, y), height) for y in (top - pad, bottom + pad))
    return left, top, right, bottom


def padded_polygon(polygon: Polygon, share: float = 0.15, least: float = 2) -> Polygon | None:
    """A sloping rectangle grown by ``max(least pixels, share of its shorter side)`` on each side, unclipped.

    None for a polygon that is no rectangle (its corners in order) or stands upright: its bounding box tells as much.
    """
    if len(polygon) != 4:
        return None
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = polygon
    sides = (bx - ax, by - ay), (dx - ax, dy - ay)
    long, short = sorted(sides, key=lambda side: -math.hypot(*side))
    length, height = math.hypot(*long), math.hypot(*short)
    if height < 1 or math.hypot(bx + dx - ax - cx, by + dy - ay - cy) > _SKEW * height:
        return None
    # Corners are rounded: the longer side tells the direction best.
    u = (long[0] / length, long[1] / length)
    v = (-u[1], u[0])
    if abs(short[0] * u[0] + short[1] * u[1]) > _SKEW * height or min(abs(u[0]), abs(u[1])) < _UPRIGHT:
        return None
    pad = max(least, share * height)
    along, across = ([x * axis[0] + y * axis[1] for x, y in polygon] for axis in (u, v))
    left, right, top, bottom = min(along) - pad, max(along) + pad, min(across) - pad, max(across) + pad
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return tuple((s * u[0] + t * v[0], s * u[1] + t * v[1]) for s, t in corners)


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

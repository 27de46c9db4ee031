"""Filling a region from what lies around it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.geometry import Box

Samples = NDArray[np.generic]
_MARGIN = 8
"""Pixels around a region that it is filled from."""
_RADIUS = 3


def inpaint(plane: Samples, box: Box, own: NDArray[np.bool_], hidden: NDArray[np.bool_], mixes: bool) -> bool:
    """Fill a region of a plane in place from the pixels around it.

    8-bit grey and colour are inpainted (Telea 2004). Other samples get the value of the nearest pixel
    outside: deep grey values keep to the range of the rim, and palette indices cannot be mixed.

    Args:
        plane: ``(H, W)`` or ``(H, W, S)``.
        box: where the region is; not empty.
        own: which pixels of ``box`` are filled.
        hidden: which pixels ``(H, W)`` of the plane must not be looked at: this region and all others.
        mixes: whether values between two samples have a meaning.

    Returns:
        False when nothing around the region may be looked at; the plane is untouched then.
    """
    left, top, right, bottom = box
    x, y = max(0, left - _MARGIN), max(0, top - _MARGIN)
    part = plane[y : bottom + _MARGIN, x : right + _MARGIN]
    unknown = hidden[y : bottom + _MARGIN, x : right + _MARGIN]
    if unknown.all():
        return False
    inside = np.zeros(unknown.shape, np.bool_)
    inside[top - y : bottom - y, left - x : right - x] = own
    if plane.dtype == np.uint8 and mixes:
        known = np.ascontiguousarray(part)
        known[unknown] = 0
        shape = known.shape
        if known.ndim == 3 and known.shape[2] == 1:
            known = known[:, :, 0]
        healed = cv2.inpaint(np.asarray(known, np.uint8), unknown.astype(np.uint8), _RADIUS, cv2.INPAINT_TELEA)
        part[inside] = healed.reshape(shape)[inside]
    else:
        rows, columns = _nearest(unknown)
        part[inside] = part[rows[inside], columns[inside]]
    return True


def _nearest(unknown: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each pixel, row and column of the nearest one that is known."""
    _, labels = cv2.distanceTransformWithLabels(
        unknown.astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_5, labelType=cv2.DIST_LABEL_PIXEL
    )
    places = np.zeros(int(labels.max()) + 1, np.intp)
    places[labels[~unknown]] = np.flatnonzero(~unknown)
    rows, columns = np.unravel_index(places[labels], unknown.shape)
    return rows, columns

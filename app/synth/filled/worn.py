"""What scanners and copiers do to pages."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from deidra.app.domain.geometry import as_polygon
from deidra.app.synth.filled.pages import Page

LEVELS = (0, 1, 2)
"""Clean; scanned (noise, blur, skew); copied (the same, then a threshold and JPEG)."""
_MOST_SKEW = 2.0


def worn(page: Page, level: int, rng: np.random.Generator) -> Page:
    """The page at one of :data:`LEVELS`; polygons go along when it is skewed by up to two degrees."""
    if level == 0:
        return page
    height, width = page.image.shape
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), float(rng.uniform(-_MOST_SKEW, _MOST_SKEW)), 1.0)
    image = cv2.warpAffine(page.image, turn, (width, height), flags=cv2.INTER_LINEAR, borderValue=(255,))
    image = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.5, 0.9)))
    noisy = image.astype(np.float32) + rng.normal(-6, rng.uniform(3, 8), image.shape)
    shown = np.clip(noisy, 0, 255).astype(np.uint8)
    if level == LEVELS[-1]:
        shown = np.where(shown < rng.integers(140, 185), 0, 255).astype(np.uint8)
        coded = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(45, 75))])[1]
        shown = np.asarray(cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE), np.uint8)
    texts = tuple(
        replace(text, polygon=as_polygon([tuple(turn @ (x, y, 1.0)) for x, y in text.polygon])) for text in page.texts
    )
    return replace(page, image=shown, texts=texts)

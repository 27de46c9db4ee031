"""Fonts that replacements can be written with: those of a few common families that the system has."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from PIL import ImageFont

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
_FILES = (
    *("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf", "LiberationSans-Italic.ttf"),
    *("LiberationSerif-Regular.ttf", "LiberationSerif-Bold.ttf", "LiberationSerif-Italic.ttf"),
    *("LiberationMono-Regular.ttf", "LiberationMono-Bold.ttf", "LiberationSansNarrow-Regular.ttf"),
    *("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf"),
    *("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf", "DejaVuSansCondensed.ttf"),
    *("arial.ttf", "arialbd.ttf", "times.ttf", "timesbd.ttf", "cour.ttf", "courbd.ttf", "calibri.ttf", "calibrib.ttf"),
    *("Arial.ttf", "Arial Bold.ttf", "Times New Roman.ttf", "Times New Roman Bold.ttf", "Courier New.ttf"),
)
"""Names under which Pillow finds them in the system's folders."""


@dataclass(frozen=True, slots=True)
class Face:
    """A font file; empty: the one that Pillow brings."""

    file: str = ""

    def at(self, size: float) -> Font:
        """The font at a size in pixels."""
        return _loaded(self.file, max(4.0, round(size * 4) / 4))


@functools.lru_cache(maxsize=512)
def _loaded(file: str, size: float) -> Font:
    if not file:
        return ImageFont.load_default(size)
    return ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.BASIC)


@functools.cache
def faces() -> tuple[Face, ...]:
    """All that are there; Pillow's own is the first."""
    found = [Face()]
    for file in _FILES:
        try:
            ImageFont.truetype(file, 10)
        except OSError:
            continue
        found.append(Face(file))
    return tuple(found)

"""Pictures without text for the scenes: what screens, films and papers of a hospital show behind the text.

Training, calibration and test pictures come from different generators: other outlines, noise, grain, hues and tables
(:mod:`.backgrounds_textures`), and parts of the body that training never shows (thighs, skulls). So a test picture is
held out in how it is made, not only in its random numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.synth.scenes import (
    backgrounds_colour,
    backgrounds_dental,
    backgrounds_nuclear,
    backgrounds_paper,
    backgrounds_patterns,
    backgrounds_radiographs,
    backgrounds_slices,
    backgrounds_ultrasound,
)
from deidra.app.synth.scenes.backgrounds_textures import FAMILIES, Colour, Family, chance, choose


@dataclass(frozen=True, slots=True)
class Painter:
    """How one kind is made. ``scales`` is the range of the resolution at which it is drawn, relative to the result.

    Scanners show a small matrix enlarged, and a camera's picture is soft; ``sharp`` is the share that is not enlarged.
    """

    draw: Callable[[np.random.Generator, tuple[int, int], Family], Colour]
    scales: tuple[float, float] = (1.0, 1.0)
    sharp: float = 0.2


_SLICE, _PHOTO = (0.5, 0.95), (0.4, 0.65)

_PAINTERS: dict[str, Painter] = {
    "ct": Painter(backgrounds_slices.ct, _SLICE),
    "mr": Painter(backgrounds_slices.mr, _SLICE),
    "xray": Painter(backgrounds_radiographs.xray, (0.6, 0.9)),
    "ultrasound": Painter(backgrounds_ultrasound.ultrasound, (0.6, 0.9), 0.4),
    "doppler": Painter(backgrounds_ultrasound.doppler, (0.6, 0.9), 0.4),
    "petct": Painter(backgrounds_nuclear.petct, (0.4, 0.8), 0.15),
    "bone_scan": Painter(backgrounds_nuclear.bone_scan),
    "film_sheet": Painter(backgrounds_nuclear.film_sheet, (0.6, 0.9), 0.4),
    "mammogram": Painter(backgrounds_radiographs.mammogram, (0.5, 0.9)),
    "angiography": Painter(backgrounds_radiographs.angiography, (0.5, 0.9)),
    "dental": Painter(backgrounds_dental.dental, (0.5, 0.9)),
    "dexa": Painter(backgrounds_dental.dexa),
    "endoscopy": Painter(backgrounds_colour.endoscopy, _PHOTO, 0.1),
    "fundus": Painter(backgrounds_colour.fundus, _PHOTO, 0.1),
    "skin": Painter(backgrounds_colour.skin, _PHOTO, 0.15),
    "photograph": Painter(backgrounds_colour.photograph, _PHOTO, 0.1),
    "pathology": Painter(backgrounds_colour.pathology, (0.5, 0.8), 0.2),
    "rendered": Painter(backgrounds_colour.rendered, _PHOTO, 0.15),
    "oct": Painter(backgrounds_ultrasound.oct_scan),
    "ecg": Painter(backgrounds_paper.ecg),
    "paper": Painter(backgrounds_paper.paper),
    "screenshot": Painter(backgrounds_paper.screenshot),
    "plain": Painter(backgrounds_paper.plain),
    "bars": Painter(backgrounds_paper.bars),
    "pattern": Painter(backgrounds_patterns.pattern, (0.5, 0.95), 0.6),
}

KINDS: tuple[str, ...] = tuple(_PAINTERS)
"""The kinds of background."""


def background(rng: np.random.Generator, kind: str, size: tuple[int, int], split: str) -> NDArray[np.uint8]:
    """A picture (H, W, 3), RGB, without any text.

    ``kind`` is one of :data:`KINDS`, ``size`` is ``(width, height)`` in pixels, each at least 16, and ``split`` is
    ``train``, ``calibrate`` or ``test``. The same state of ``rng`` gives the same bytes.
    """
    painter, family = _PAINTERS[kind], FAMILIES[split]
    scale = 1.0 if painter.scales[1] >= 1 or chance(rng, painter.sharp) else float(rng.uniform(*painter.scales))
    small = (max(64, round(size[0] * scale)), max(64, round(size[1] * scale)))
    picture = painter.draw(rng, small, family)
    if small == size:
        return picture
    how = choose(rng, (cv2.INTER_LINEAR, cv2.INTER_LINEAR, cv2.INTER_CUBIC))
    return np.asarray(cv2.resize(picture, size, interpolation=how), np.uint8)

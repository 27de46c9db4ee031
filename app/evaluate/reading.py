"""Reading a region of a picture, as a stranger with the best readers at hand would."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.detect.agents import AGENTS, Agent
from deidra.app.detect.locate import TextLocator
from deidra.models.text_reader import PPOCRReader

_LEAST_HEIGHT = 48
_MARGIN = 12


def box_reader(agents: Sequence[Agent] = AGENTS) -> Callable[[NDArray[np.uint8]], str]:
    """A function that returns all text of a region, ``(H, W)`` or ``(H, W, 3)`` RGB; empty where there is none.

    The region is searched for lines by the agents, as in a run whose policy names them; both readers read these,
    and the region is also read as one line.
    """
    locator, reader = TextLocator(agents), PPOCRReader()

    def read(values: NDArray[np.uint8]) -> str:
        if not values.size:
            return ""
        picture = np.repeat(values[:, :, None], 3, axis=2) if values.ndim == 2 else values
        factor = max(1, -(-_LEAST_HEIGHT // picture.shape[0]))
        picture = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC).astype(np.uint8)
        framed = np.pad(picture, ((_MARGIN, _MARGIN), (_MARGIN, _MARGIN), (0, 0)), mode="edge")
        found = [evidence.text for line in locator.lines([framed]) for evidence in line.evidence]
        found += [reading.text for reading in reader.read([np.ascontiguousarray(picture)])]
        return " ".join(text for text in found if text)

    return read

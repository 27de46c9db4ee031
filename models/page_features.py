"""What a page looks like to a network: its features inside a text detector, as one vector.

Deidra ships no network that was trained to compare pictures. Its text detectors have backbones that could: they are
asked for what the last block of the backbone says, and the mean over the page is its embedding. Nothing is downloaded.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from deidra.models.runtime import tapped_session

Floats = NDArray[np.float32]
WIDTH, HEIGHT = 384, 512
"""What the network sees of a page, in pixels: whole pages, on which lines can be seen but hardly be read."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """A backbone.

    Args:
        name: of the encoder.
        model: the model in the registry.
        tensor: what is taken from inside, ``(1, C, H, W)``.
        input: name of its input.
        scaled: whether the input is BGR of -1 to 1 instead of RGB bytes.
    """

    name: str
    model: str
    tensor: str
    input: str
    scaled: bool

    def cells(self, page: NDArray[np.uint8]) -> Floats:
        """Features ``(C, H / 32, W / 32)`` of a page ``(H, W, 3)`` RGB."""
        seen = cv2.resize(page, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
        batch = np.ascontiguousarray(np.asarray(seen, np.uint8).transpose(2, 0, 1)[None])
        given = (batch[:, ::-1].astype(np.float32) / 255 - 0.5) / 0.5 if self.scaled else batch
        options = onnxruntime.RunOptions()
        # The rest of the detector is not needed.
        options.only_execute_path_to_fetches = True
        (answer,) = tapped_session(self.model, self.tensor).run([self.tensor], {self.input: given}, options)
        return np.asarray(answer[0], np.float32)


ENCODERS = (
    Encoder(
        "deidra-det", "deidra-det", "/_detector/backbone/features.17/conv/conv.2/Conv_output_0", "images", scaled=False
    ),
    Encoder("ppocr-det", "ppocr-det", "p2o.pd_op.add.63.0", "x", scaled=True),
)
"""MobileNetV2, trained on ImageNet and then on text (320 features); the backbone of PP-OCRv6 small (384)."""


def pooled(cells: Floats) -> Floats:
    """The embedding of a page: the mean of its features over all places, ``(C,)``."""
    return np.asarray(cells.mean((1, 2)), np.float32)


def layout(cells: Floats, rows: int = 4, columns: int = 3) -> Floats:
    """The same in ``rows`` times ``columns`` fields of the page, one after the other, ``(C * rows * columns,)``."""
    channels, height, width = cells.shape
    parts = cells.reshape(channels, rows, height // rows, columns, width // columns)
    return np.asarray(parts.mean((2, 4)).reshape(-1), np.float32)

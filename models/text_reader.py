"""Text readers: what does a located line say? Two independent ones, so that they can disagree."""

from __future__ import annotations

import functools
import io
import itertools
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import pytesseract
from numpy.typing import NDArray
from PIL import Image as PILImage

from deidra.app.domain.geometry import Polygon
from deidra.models.runtime import session

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader says of one crop.

    ``confidence`` is the mean over the characters (0 to 1), ``variance`` its spread over them.
    ``char_spans`` gives each character's start and end as fractions of the crop's width; empty for
    readers that do not tell.
    """

    text: str
    confidence: float
    variance: float
    char_spans: tuple[tuple[float, float], ...] = ()


def crop(image: Image, polygon: Polygon) -> Image:
    """The upright picture of one text line, cut along its four corners; tall lines are turned."""
    corners = np.array(polygon, dtype=np.float32)
    width = max(np.linalg.norm(corners[0] - corners[1]), np.linalg.norm(corners[3] - corners[2]))
    height = max(np.linalg.norm(corners[0] - corners[3]), np.linalg.norm(corners[1] - corners[2]))
    size = max(1, round(float(width))), max(1, round(float(height)))
    target = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(corners, target)
    cut = cv2.warpPerspective(image, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    if cut.shape[0] >= cut.shape[1] * 1.5:
        cut = np.rot90(cut)
    return np.ascontiguousarray(cut, dtype=np.uint8)


class PPOCRReader:
    """PP-OCRv6 small recognition with a CTC head: greedy decoding, confidence by character."""

    name = "ppocr-rec"
    HEIGHT = 48
    BATCH = 8
    LEAST_WIDTH = 48
    STEP = 32
    """Pixels; widths are padded to multiples of it."""

    @functools.cached_property
    def _alphabet(self) -> list[str]:
        metadata = session("ppocr-rec").get_modelmeta().custom_metadata_map
        return ["", *metadata["character"].splitlines(), " "]

    def read(self, crops: Sequence[Image]) -> list[Reading]:
        """Read ``(H, W, 3)`` RGB crops; the answers come in the same order.

        What a crop says does not depend on the others: each is padded by its own width, and only crops that are equally
        wide then share a batch.
        """
        widths = [max(self.LEAST_WIDTH, round(self.HEIGHT * c.shape[1] / c.shape[0])) for c in crops]
        answers: list[Reading | None] = [None] * len(crops)
        alike: dict[int, list[int]] = {}
        for index, width in enumerate(widths):
            alike.setdefault(-(-width // self.STEP) * self.STEP, []).append(index)
        batches = [
            (widest, members[start : start + self.BATCH])
            for widest, members in sorted(alike.items())
            for start in range(0, len(members), self.BATCH)
        ]
        for widest, indices in batches:
            batch = np.zeros((len(indices), 3, self.HEIGHT, widest), np.float32)
            for row, i in enumerate(indices):
                resized = cv2.resize(crops[i][:, :, ::-1], (widths[i], self.HEIGHT))
                batch[row, :, :, : widths[i]] = ((resized.astype(np.float32) / 255 - 0.5) / 0.5).transpose(2, 0, 1)
            output = session("ppocr-rec").run(None, {"x": batch})[0]
            for row, i in enumerate(indices):
                answers[i] = self._decode(output[row], widest / widths[i])
        return [answer for answer in answers if answer is not None]

    def _decode(self, probabilities: NDArray[np.float32], stretch: float) -> Reading:
        best = probabilities.argmax(1)
        steps = len(best)
        chars, scores, centres = [], [], []
        for step, symbol in enumerate(best):
            if symbol and (step == 0 or symbol != best[step - 1]):
                chars.append(self._alphabet[symbol])
                scores.append(float(probabilities[step, symbol]))
                centres.append(min(1.0, (step + 0.5) / steps * stretch))
        if not chars:
            return Reading("", 0.0, 0.0)
        borders = [0.0, *((a + b) / 2 for a, b in itertools.pairwise(centres)), 1.0]
        spans = tuple((round(a, 4), round(b, 4)) for a, b in itertools.pairwise(borders))
        text = "".join(chars)
        # Leading and trailing blanks would shift the spans of words cut out later.
        lead, tail = len(text) - len(text.lstrip()), len(text.rstrip())
        return Reading(
            text.strip(), float(np.mean(scores)), float(np.var(scores)), spans[lead:tail] if tail > lead else ()
        )


class TesseractReader:
    """Tesseract's line reader (``--psm 7``) on enlarged crops, all crops of a frame in one process.

    Pictures travel through pipes as one multi-page TIFF: nothing is written to disk, so nothing can
    be left behind there.
    """

    name = "tesseract"
    HEIGHT = 64
    BORDER = 12
    MOST_WIDTH = 8000

    @staticmethod
    def command() -> str | None:
        """The path of the tesseract program, or None when it is not installed."""
        return shutil.which(str(pytesseract.pytesseract.tesseract_cmd))

    def read(self, crops: Sequence[Image]) -> list[Reading] | None:
        """Read ``(H, W, 3)`` RGB crops in order; None when tesseract is not installed or failed."""
        program = self.command()
        if program is None:
            return None
        if not crops:
            return []
        pages = [self._page(c) for c in crops]
        stream = io.BytesIO()
        pages[0].save(stream, "TIFF", save_all=True, append_images=pages[1:])
        command = [program, "stdin", "stdout", "--psm", "7", "--dpi", "200", "tsv"]
        environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
        result = subprocess.run(command, input=stream.getvalue(), capture_output=True, env=environment, check=False)  # noqa: S603
        if result.returncode != 0:
            return None
        return self._parse(result.stdout.decode("utf-8", "replace"), len(crops))

    def _page(self, cut: Image) -> PILImage.Image:
        grey = cv2.cvtColor(cut, cv2.COLOR_RGB2GRAY)
        scale = self.HEIGHT / grey.shape[0]
        width = min(self.MOST_WIDTH, max(8, round(grey.shape[1] * scale)))
        grey = cv2.resize(grey, (width, self.HEIGHT), interpolation=cv2.INTER_CUBIC)
        # Tesseract is trained on dark text on light paper; the border tells which the paper is.
        rim = np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])
        if np.median(rim) < grey.mean() or np.median(rim) < 100:
            grey = 255 - grey
        paper = int(np.median(np.concatenate([grey[0], grey[-1]])))
        edge = self.BORDER
        framed = cv2.copyMakeBorder(grey, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=float(paper))
        return PILImage.fromarray(np.asarray(framed, np.uint8))

    @staticmethod
    def _parse(tsv: str, count: int) -> list[Reading]:
        words: list[list[tuple[str, float]]] = [[] for _ in range(count)]
        for row in tsv.splitlines()[1:]:
            cells = row.split("\t")
            if len(cells) == 12 and cells[0] == "5" and cells[11].strip():
                page = int(cells[1]) - 1
                if page < count:
                    words[page].append((cells[11].strip(), float(cells[10]) / 100))
        readings = []
        for line in words:
            scores = [score for _, score in line] or [0.0]
            readings.append(Reading(" ".join(text for text, _ in line), float(np.mean(scores)), float(np.var(scores))))
        return readings

"""Locating text: the detectors find lines on a picture, two readers say what they say, barcodes are decoded."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.detect.agents import AGENTS, BARCODE, Agent
from deidra.app.detect.boxes import Located, Sighting, together
from deidra.app.domain.geometry import Box, area, as_polygon, bounding_box, box_polygon, intersection_area, padded_box
from deidra.app.domain.model import Evidence, TextLine
from deidra.models.barcode_reader import Barcode, BarcodeReader
from deidra.models.registry import verified_path
from deidra.models.text_detector import DetectedBox, PartDetector, PPOCRDetector, ScreeningDetector, TextDetector
from deidra.models.text_reader import PPOCRReader, Reading, TesseractReader, crop
from deidra.models.variational_detector import VariationalDetector

Image = NDArray[np.uint8]
_MAKERS: dict[Agent, Callable[[], TextDetector]] = {"deidra-det": VariationalDetector, "ppocr-det": PPOCRDetector}
_TOLD = 0.7
"""A sign of text of which this share lies in a box has been told of."""
_LARGE = 0.2
"""Boxes whose shorter side is this share of the picture's are large."""
_HELD = 0.5
"""A barcode of which this share lies in a line is part of it."""
_WITHIN = 0.8
"""A box of which this share lies in a barcode that was decoded shows bars or modules."""
_QUIET = 0.1
"""The zone around a barcode that counts as its own, as a share of its shorter side."""
_SURE_SIGN = 0.9
"""A sign that is text with at least this probability shows that text stands on the picture."""
_SURROUNDINGS, _LEAST_AROUND = 4.0, 64
"""What is shown of the surroundings of a sign: so many of its heights, and at least so many pixels."""
_MOST_IN_PARTS = 0.5
"""Parts that hold more than this share of a picture cost as much as all of it."""
_PAGE_SIDE = 1024
"""The longer side in pixels at which pages are searched: of 221 texts of filled pages the detectors find as many as on
pages of 1988 pixels, at less than a third of the cost."""
_LEAST_ON_PAGE, _SMALLEST = 6.0, 0.05
"""Where this share of the boxes on a reduced page is lower than so many pixels, small print may be lost on it. On pages
reduced still further, text of four pixels was found."""
_MOST_REMEMBERED = 2000
"""Readings that are kept; a reading is a few hundred bytes."""


def _is_told(sign: Box, told: Sequence[Box]) -> bool:
    return any(intersection_area(sign, box) >= _TOLD * area(sign) for box in told)


def _is_large(place: Box, picture: Image) -> bool:
    return bool(min(place[2] - place[0], place[3] - place[1]) >= _LARGE * min(picture.shape[:2]))


def _meet(a: Box, b: Box) -> bool:
    return intersection_area(a, b) > 0


def _parts(signs: Mapping[Box, float] | None, picture: Image, again: bool) -> list[Box] | None:
    """Surroundings of the signs on a picture; None for the whole of it.

    Where text surely stands there may be more of it, of which the first detector sees no sign: the whole is searched
    once, and again where the surroundings are most of the picture.

    Args:
        signs: places of signs with their probabilities; none are told of: None.
        picture: the picture.
        again: the whole of another rendering of the frame was searched before.
    """
    height, width = picture.shape[:2]
    if not signs or (not again and max(signs.values()) >= _SURE_SIGN):
        return None
    parts = _apart([padded_box(box_polygon(*sign), width, height, _SURROUNDINGS, _LEAST_AROUND) for sign in signs])
    return parts if sum(area(part) for part in parts) <= _MOST_IN_PARTS * height * width else None


def _seen(agent: TextDetector, picture: Image, parts: Sequence[Box] | None) -> list[DetectedBox]:
    """What a detector sees on parts of a picture, or on the whole of it where there are none or it cannot tell them."""
    if parts is None or not isinstance(agent, PartDetector):
        return agent.detect(picture)
    found = []
    height, width = picture.shape[:2]
    for left, top, right, bottom in parts:
        for box in agent.detect_part(picture[top:bottom, left:right], (height, width)):
            found.append(replace(box, polygon=as_polygon((x + left, y + top) for x, y in box.polygon)))
    return found


def _apart(boxes: list[Box]) -> list[Box]:
    """Boxes that hold the given ones and do not meet: those that meet become one."""
    apart: list[Box] = []
    for box in boxes:
        while met := [other for other in apart if _meet(box, other)]:
            apart = [other for other in apart if other not in met]
            lefts, tops, rights, bottoms = zip(box, *met, strict=True)
            box = (min(lefts), min(tops), max(rights), max(bottoms))
        apart.append(box)
    return apart


def detector(name: Agent) -> TextDetector:
    """A detector by its name.

    Raises:
        ModelError: its model is missing or is not the one that was tested.
    """
    verified_path(name)
    return _MAKERS[name]()


class TextLocator:
    """Finds and reads all text on pictures.

    Args:
        agents: names of the detectors that search every picture.
        second_reader: whether Tesseract reads every line as well.
        screen: the other detectors look at pictures on which the first sees something new that is text with at least
            this probability (0 to 1); 0: at all pictures.
        detectors: detectors in place of those that are named.
    """

    def __init__(
        self,
        agents: Sequence[Agent] = AGENTS,
        second_reader: bool = True,
        screen: float = 0.0,
        detectors: Sequence[TextDetector] = (),
    ) -> None:
        self._agents = agents
        self._given = detectors
        self._screen = screen
        self._reader = PPOCRReader()
        self._second = TesseractReader() if second_reader else None
        self._barcodes = BarcodeReader()
        self._memo: dict[bytes, tuple[Reading, Reading | None]] = {}

    @functools.cached_property
    def _detectors(self) -> Sequence[TextDetector]:
        """Made when the first picture comes: work without pictures needs no models."""
        return self._given or [detector(name) for name in self._agents]

    def page_lines(self, picture: Image) -> list[TextLine]:
        """The same for a page ``(H, W, 3)``, whose text is searched on a smaller picture unless it is small.

        Lines are read, and barcodes found, on the page as it is.

        Raises:
            ModelError: a model is missing or damaged.
        """
        factor = _PAGE_SIDE / max(picture.shape[:2])
        if factor >= 1:
            return self.lines([picture])
        size = round(picture.shape[1] * factor), round(picture.shape[0] * factor)
        seen = self.sightings([np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)], True)
        heights = sorted(_short_side(one.box) for one in seen)
        if heights and heights[int(_SMALLEST * len(heights))] < _LEAST_ON_PAGE:
            return self.lines([picture])
        scale = picture.shape[1] / size[0], picture.shape[0] / size[1]
        return self._lines([picture], [replace(one, box=_enlarged(one.box, *scale)) for one in seen])

    def lines(self, pictures: Sequence[Image]) -> list[TextLine]:
        """All text lines on renderings of one frame, top to bottom.

        Each picture is ``(H, W, 3)`` RGB of the same size, and every detector searches each; a line that
        is found several times is read on the picture that shows most of it. Barcodes are lines as well: all pictures
        are searched for those that can be decoded, and decoding is tried again where a detector sees one.

        Raises:
            ModelError: a model is missing or damaged.
        """
        return self._lines(pictures, self.sightings(pictures))

    def _lines(self, pictures: Sequence[Image], sightings: Sequence[Sighting]) -> list[TextLine]:
        """What stands in the places that the detectors saw, and all barcodes."""
        codes = [(number, code) for number, picture in enumerate(pictures) for code in self._barcodes.find(picture)]
        seen = [s for s in sightings if not any(_is_part(s.box, code, pictures[0]) for _, code in codes)]
        found = together([*seen, *(_sighting(number, code) for number, code in codes)])
        found.sort(key=lambda place: (place.polygon[0][1], place.polygon[0][0]))
        readings = self._read([crop(pictures[place.picture], place.polygon) for place in found])
        lines = []
        for place, pair in zip(found, readings, strict=True):
            line = TextLine(place.polygon, "", (), tuple(place.evidence(self._names)), place.kind)
            inside = [code for _, code in codes if _holds(place, code)]
            lines.append(_as_read(line, *pair, inside or self._decoded(line, pictures[place.picture])))
        return lines

    @property
    def _names(self) -> list[str]:
        """The agents that locate text, in the order of their evidence."""
        return [*(agent.name for agent in self._detectors), BarcodeReader.name]

    def _decoded(self, line: TextLine, picture: Image) -> list[Barcode]:
        """The barcodes in a line's place; none where no detector sees one."""
        return self._barcodes.read(picture, line.polygon) if line.kind == BARCODE else []

    def sightings(self, pictures: Sequence[Image], is_page: bool = False) -> list[Sighting]:
        """What the detectors see on renderings of one frame, or on a page.

        The first sees all of them. The others see those on which it finds a sign of text in a place of which they
        have not told on an earlier one. A large box of theirs in which the first sees no sign at all is none: letters
        of that size cannot be missed, but bodies are boxed. Of a page that is mostly empty they see the surroundings of
        the signs: on filled pages none of their 189 boxes was elsewhere, of 302 on real forms one.

        Raises:
            ModelError: a model is missing or damaged.
        """
        first, *others = self._detectors
        seen: list[Sighting] = []
        told: list[Box] = []
        whole = is_page
        for number, picture in enumerate(pictures):
            boxes, signs = self._look(first, picture)
            seen += [Sighting(first.name, number, box) for box in boxes]
            new = None if signs is None else {box: p for box, p in signs.items() if not _is_told(box, told)}
            if new is None or new:
                parts = _parts(new, picture, whole)
                whole = whole or parts is None
                for agent in others:
                    for box in _seen(agent, picture, parts):
                        place = bounding_box(box.polygon)
                        told.append(place)
                        if signs is None or not _is_large(place, picture) or any(_meet(place, sign) for sign in signs):
                            seen.append(Sighting(agent.name, number, box))
        return seen

    def _look(self, first: TextDetector, picture: Image) -> tuple[list[DetectedBox], dict[Box, float] | None]:
        """The first detector's boxes on a picture, and where it sees signs of text; None if it tells of none."""
        if not self._screen or not isinstance(first, ScreeningDetector):
            return first.detect(picture), None
        look = first.look(picture)
        return look.boxes, {box: probability for box, probability in look.signs if probability >= self._screen}

    def suspects(self, picture: Image) -> list[DetectedBox]:
        """What the first detector takes for text on a picture ``(H, W, 3)``, and barcodes: one look, no line is read.

        Raises:
            ModelError: a model is missing or damaged.
        """
        codes = [_sighting(0, code).box for code in self._barcodes.find(picture)]
        return [*self._detectors[0].detect(picture), *codes]

    def glance(self, line: TextLine, picture: Image) -> tuple[str, float]:
        """What a barcode holds or else the first reader reads in a line's place on a picture, and how sure it is."""
        codes = self._decoded(line, picture)
        if codes:
            return _contents(codes), 1.0
        (reading,) = self._reader.read([crop(picture, line.polygon)])
        return reading.text, reading.confidence

    def confidences(self, crops: Sequence[Image]) -> list[float]:
        """How sure the first reader is of what it reads on pictures of lines, ``(H, W, 3)`` each; 0 to 1."""
        return [reading.confidence for reading in self._reader.read(crops)]

    def is_text(self, line: TextLine, picture: Image) -> bool:
        """Whether the first detector sees text in a line's place on a picture."""
        left, top, right, bottom = bounding_box(line.polygon)
        around = 2 * min(right - left, bottom - top)
        x, y = max(0, left - around), max(0, top - around)
        part = picture[y : bottom + around, x : right + around]
        place = (left - x, top - y, right - x, bottom - y)
        return any(intersection_area(bounding_box(b.polygon), place) > 0 for b in self.suspects(part))

    def reread(self, lines: Sequence[TextLine], picture: Image) -> list[TextLine]:
        """Lines as they read on another picture on which they stand in the same places."""
        readings = self._read([crop(picture, line.polygon) for line in lines])
        return [_as_read(line, *pair, self._decoded(line, picture)) for line, pair in zip(lines, readings, strict=True)]

    def _read(self, crops: list[Image]) -> list[tuple[Reading, Reading | None]]:
        """What both readers say of each crop. Frames of a series repeat their text pixel by pixel: read it once."""
        keys = [hashlib.sha256(repr(c.shape).encode() + c.tobytes()).digest() for c in crops]
        new = {key: c for key, c in zip(keys, crops, strict=True) if key not in self._memo}
        if new:
            # Tesseract is a process of its own: both readers work at the same time.
            with ThreadPoolExecutor(1) as pool:
                answer = pool.submit(self._second.read, list(new.values())) if self._second else None
                first = self._reader.read(list(new.values()))
                second = answer.result() if answer else None
            for number, key in enumerate(new):
                self._memo[key] = (first[number], second[number] if second is not None else None)
        answers = [self._memo[key] for key in keys]
        while len(self._memo) > _MOST_REMEMBERED:
            del self._memo[next(iter(self._memo))]
        return answers


def _short_side(box: DetectedBox) -> float:
    corners = np.array(box.polygon)
    return float(min(np.linalg.norm(corners[0] - corners[1]), np.linalg.norm(corners[1] - corners[2])))


def _enlarged(box: DetectedBox, across: float, down: float) -> DetectedBox:
    """A box on a picture that is larger by two factors."""
    return replace(box, polygon=as_polygon((x * across, y * down) for x, y in box.polygon))


def _sighting(picture: int, code: Barcode) -> Sighting:
    """A decoded barcode as a box that its reader sees; it is sure, since contents are checked."""
    return Sighting(BarcodeReader.name, picture, DetectedBox(code.polygon, 1.0, 0.0, BARCODE))


def _is_part(box: DetectedBox, code: Barcode, picture: Image) -> bool:
    """Whether a box shows a part of a barcode that was decoded; print and handwriting are text even there."""
    place, whole = bounding_box(box.polygon), bounding_box(code.polygon)
    if box.kind not in ("", BARCODE) or intersection_area(place, whole) >= _HELD * area(whole):
        return False
    around = padded_box(code.polygon, picture.shape[1], picture.shape[0], _QUIET, 0)
    return intersection_area(place, around) >= _WITHIN * area(place)


def _holds(place: Located, code: Barcode) -> bool:
    box = bounding_box(code.polygon)
    return place.kind == BARCODE and intersection_area(bounding_box(place.polygon), box) >= _HELD * area(box)


def _contents(codes: Sequence[Barcode]) -> str:
    """What all barcodes of one place hold; each content counts once."""
    return " ".join(dict.fromkeys(code.content for code in codes if code.content))


def _as_read(line: TextLine, first: Reading, second: Reading | None, codes: Sequence[Barcode]) -> TextLine:
    """A line with what both readers read there, and with the contents of barcodes, which then are its text."""
    located = (e for e in line.evidence if e.text is None)
    read = [_read(PPOCRReader.name, first)]
    if second is not None:
        read.append(_read(TesseractReader.name, second))
    held = {code.content: code.symbology for code in codes if code.content}
    decoded = [Evidence(BarcodeReader.name, text, None, 1.0, 0.0, f"{kind}, decoded") for text, kind in held.items()]
    text, spans = (_contents(codes), ()) if decoded else (first.text, first.char_spans)
    return TextLine(line.polygon, text, spans, (*located, *read, *decoded), line.kind)


def _read(agent: str, reading: Reading) -> Evidence:
    return Evidence(agent, reading.text, None, round(reading.confidence, 4), round(reading.variance, 4), "read")

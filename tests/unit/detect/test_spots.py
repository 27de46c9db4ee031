"""Places of a stack where text stands: on which frames, and what it says on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest

from deidra.app.detect.spots import Spots, agreed
from deidra.app.domain.model import FrameText, TextLine

Line = Callable[..., TextLine]
SHAPE = (60, 200)


class Says:
    """A reader for frames whose first pixel tells what stands on them everywhere."""

    def __init__(self, line: Line, texts: Sequence[str], confidence: float = 0.9, text: bool = False) -> None:
        self._line, self._texts, self._confidence, self._text = line, texts, confidence, text
        self.glances = self.readings = 0

    def glance(self, _line: TextLine, picture: np.ndarray) -> tuple[str, float]:
        self.glances += 1
        return self._texts[picture[0, 0, 0]], self._confidence

    def reread(self, lines: Sequence[TextLine], picture: np.ndarray) -> list[TextLine]:
        self.readings += 1
        return [self._line(self._texts[picture[0, 0, 0]]) for _ in lines]

    def is_text(self, _line: TextLine, _picture: np.ndarray) -> bool:
        return self._text


def frame(number: int, says: int = 0) -> np.ndarray:
    """A frame on which text ``says`` stands; other texts look otherwise."""
    values = np.zeros(SHAPE, np.uint8)
    values[0, 0] = says
    values[10:20, 10 : 40 + 9 * says] = np.random.default_rng(says).integers(0, 255, (10, 30 + 9 * says))
    return values


def picture(values: np.ndarray) -> np.ndarray:
    return np.repeat(values[:, :, None], 3, axis=2)


def told(spots: Spots, total: int) -> list[tuple[int | None, list[str]]]:
    return [(f.index, [line.text for line in f.lines]) for f in spots.text(total, 200, 60)]


def test_what_looks_the_same_stands_on_all_frames_and_is_read_once(line: Line) -> None:
    reader = Says(line, ["OKONKWO"])
    spots = Spots(reader)
    spots.found(0, [line("OKONKWO")], frame(0))
    for number in range(1, 5):
        spots.glanced(number, frame(number), partial(picture, frame(number)))
    assert told(spots, 5) == [(None, ["OKONKWO"])]
    assert reader.glances == 0


def test_what_stands_on_one_frame_alone_is_of_that_frame(line: Line) -> None:
    reader = Says(line, ["", "OKONKWO"])
    spots = Spots(reader)
    spots.found(3, [line("OKONKWO")], frame(3, 1))
    spots.glanced(4, frame(4), lambda: picture(frame(4)))
    assert told(spots, 9) == [(3, ["OKONKWO"])]


def test_a_name_that_appears_once_in_the_place_of_other_text_is_of_its_frame(line: Line) -> None:
    spots = Spots(Says(line, ["AXIAL", "OKONKWO"]))
    spots.found(0, [line("AXIAL")], frame(0))
    for number in range(1, 6):
        values = frame(number, number == 3)
        spots.glanced(number, values, partial(picture, values))
    assert told(spots, 6) == [(None, ["AXIAL"]), (3, ["OKONKWO"])]


def test_a_counter_is_one_text(line: Line) -> None:
    reader = Says(line, ["00:01.2", "00:01.3", "00:01.4"])
    spots = Spots(reader)
    spots.found(0, [line("00:01.2")], frame(0))
    for number in (1, 2):
        spots.glanced(number, frame(number, number), partial(picture, frame(number, number)))
    assert told(spots, 3) == [(None, ["00:01.2"])]
    assert (reader.glances, reader.readings) == (2, 0)


def test_text_that_cannot_be_read_any_more_stands_there_while_a_detector_sees_it(line: Line) -> None:
    for seen, frames in ((True, None), (False, 0)):
        spots = Spots(Says(line, ["OKONKWO", ""], 0.0, text=seen))
        spots.found(0, [line("OKONKWO")], frame(0))
        spots.glanced(1, frame(1, 1), lambda: picture(frame(1, 1)))
        assert told(spots, 2) == [(frames, ["OKONKWO"])]


def test_an_unsure_reading_makes_no_other_text(line: Line) -> None:
    spots = Spots(Says(line, ["OKONKWO", "0K0|W"], 0.3, text=True))
    spots.found(0, [line("OKONKWO")], frame(0))
    spots.glanced(1, frame(1, 1), lambda: picture(frame(1, 1)))
    assert told(spots, 2) == [(None, ["OKONKWO"])]


def test_what_is_found_again_by_a_search_is_one_text_and_what_it_misses_stays(line: Line) -> None:
    spots = Spots(Says(line, ["x"]))
    spots.found(0, [line("OKONKWO", confidence=0.6, second=None), line("4711", top=40)], frame(0))
    spots.found(1, [line("OKONKWO", confidence=0.9, second=None)], frame(1))
    (found,) = spots.text(2, 200, 60)
    assert found.index is None
    assert [(x.text, x.evidence[2].score) for x in found.lines] == [("OKONKWO", 0.9), ("4711", 0.98)]


def test_an_equal_frame_says_what_the_earlier_one_said(line: Line) -> None:
    spots = Spots(Says(line, ["x"]))
    spots.found(0, [line("OKONKWO")], frame(0))
    spots.found(1, [], frame(1, 1))
    spots.repeated(2, 0)
    spots.repeated(3, 1)
    assert told(spots, 4) == [(None, ["OKONKWO"])]


def test_lines_in_different_places_stay_on_their_frames(line: Line) -> None:
    spots = Spots(Says(line, ["", ""]))
    spots.found(0, [line("A")], frame(0))
    spots.found(4, [line("B", top=40)], frame(4, 1))
    assert told(spots, 5) == [(0, ["A"]), (4, ["B"])]


@pytest.mark.parametrize(("total", "index"), [(1, 0), (2, None)])
def test_a_stack_without_text_gives_one_empty_entry(line: Line, total: int, index: int | None) -> None:
    spots = Spots(Says(line, []))
    spots.found(0, [], frame(0))
    assert spots.text(total, 200, 60) == [FrameText(index, 200, 60, ())]


def test_a_line_of_several_frames_has_the_evidence_of_every_detector_that_saw_it(line: Line) -> None:
    seen = line("OKONKWO", confidence=0.5, second=None, located=0.8)
    read = line("OKONKWO", confidence=0.9, second=None, located=0.7, agents=["deidra-det"])
    both = agreed([seen, read])
    assert {e.agent: e.score for e in both.evidence if e.text is None} == {"deidra-det": 0.8, "ppocr-det": 0.8}
    assert [e for e in both.evidence if e.text is not None] == [e for e in read.evidence if e.text is not None]


@pytest.mark.parametrize("kind", ["handwriting", "barcode"])
def test_handwriting_of_one_frame_does_not_pass_for_print_of_another(line: Line, kind: str) -> None:
    assert agreed([line("OKONKWO", confidence=0.2, kind=kind), line("OKONKWO", kind="printed")]).kind == kind

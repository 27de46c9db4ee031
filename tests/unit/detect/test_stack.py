"""Frames of a stack on which text appears are told from those that show nothing new."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deidra.app.detect.stack import CELL, Watch, contrast_of_cells, grouped
from deidra.app.domain.geometry import box_polygon
from deidra.models.text_detector import DetectedBox

HEIGHT, WIDTH = 120, 200


class Letters:
    """Takes for text what is as bright as the letters that :func:`written` puts on a frame."""

    def __init__(self) -> None:
        self.pictures: list[np.ndarray] = []

    def __call__(self, picture: np.ndarray) -> list[DetectedBox]:
        self.pictures.append(picture)
        ink = cv2.dilate((picture[:, :, 0] > 250).astype(np.uint8), np.ones((1, 9), np.uint8))
        count, _, stats, _ = cv2.connectedComponentsWithStats(ink)
        return [
            DetectedBox(box_polygon(x, y, x + w, y + h), 0.9, 0.0)
            for x, y, w, h, area in stats[1:count].tolist()
            if area > 40
        ]


def written(values: np.ndarray, text: str, x: int, y: int, grey: int = 255) -> np.ndarray:
    out = values.copy()
    cv2.putText(out, text, (x, y), cv2.FONT_HERSHEY_PLAIN, 0.8, (grey,) * 3, 1)
    return out


def flat(_rng: np.random.Generator) -> np.ndarray:
    return np.full((HEIGHT, WIDTH), 40, np.uint8)


def noisy(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(60, 8, (HEIGHT, WIDTH)).clip(0, 200).astype(np.uint8)


def speckled(rng: np.random.Generator) -> np.ndarray:
    return (
        cv2.GaussianBlur(rng.rayleigh(45, (HEIGHT, WIDTH)).astype(np.float32), (5, 5), 0).clip(0, 200).astype(np.uint8)
    )


def moving(rng: np.random.Generator) -> np.ndarray:
    """A bright disc somewhere near the middle."""
    out = flat(rng)
    cv2.circle(out, (100 + int(rng.integers(-6, 7)), 60 + int(rng.integers(-6, 7))), 30, 180, -1)
    return out


GROUNDS = [flat, noisy, speckled]


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("colour", [False, True])
@given(
    x=st.integers(2, WIDTH - 40),
    y=st.integers(12, HEIGHT - 2),
    at=st.integers(1, 19),
    text=st.sampled_from(["DOE", "J", "4711", "OKONKWO"]),
)
@settings(max_examples=25, deadline=None)
def test_text_that_appears_on_a_frame_is_noticed_there(ground, colour, x, y, at, text) -> None:
    rng = np.random.default_rng([x, y, at])
    watch = Watch(Letters())
    for number in range(20):
        values = ground(rng)
        values = np.repeat(values[:, :, None], 3, axis=2) if colour else values
        shown = written(values, text, x, y) if number == at else values
        assert watch.appears(shown) == (number in (0, at))


@given(st.integers(2, 8), st.integers(12, HEIGHT - 2), st.integers(1, 19), st.sampled_from(["DOE", "4711"]))
@settings(max_examples=25, deadline=None)
def test_what_moves_hides_no_text_that_appears_apart_from_it(x, y, at, text) -> None:
    rng = np.random.default_rng([x, y, at])
    watch = Watch(Letters())
    for number in range(20):
        shown = written(moving(rng), text, x, y) if number == at else moving(rng)
        assert watch.appears(shown) == (number in (0, at))


@given(gap=st.integers(0, 12), at=st.integers(1, 12))
@settings(max_examples=30, deadline=None)
def test_a_line_that_appears_under_one_that_stands_is_noticed(gap: int, at: int) -> None:
    rng, watch = np.random.default_rng(1), Watch(Letters())
    for number in range(at + 1):
        values = written(noisy(rng), "DATE 2020", 10, 40)
        shown = written(values, "OKONKWO", 10, 52 + gap) if number == at else values
        assert watch.appears(shown) == (number in (0, at))


def test_text_that_fades_in_over_a_few_frames_is_noticed() -> None:
    rng, watch = np.random.default_rng(1), Watch(Letters())
    found = [watch.appears(written(noisy(rng), "OKONKWO", 20, 60, 60 + 28 * n)) for n in range(8)]
    assert any(found[1:])


def test_faint_text_in_deep_pixels_is_noticed() -> None:
    deep = np.full((HEIGHT, WIDTH), 20_000, np.uint16)
    faint = deep + (written(np.zeros((HEIGHT, WIDTH), np.uint8), "OKONKWO", 20, 60) > 0) * np.uint16(9)
    watch = Watch(Letters())
    assert [watch.appears(v) for v in (deep, deep + np.uint16(1), faint)] == [True, False, True]


@pytest.mark.parametrize("ground", [noisy, speckled])
def test_noise_costs_no_look_of_the_detector(ground) -> None:
    rng, letters = np.random.default_rng(2), Letters()
    watch = Watch(letters)
    assert sum(watch.appears(ground(rng)) for _ in range(40)) == 1
    assert len(letters.pictures) <= 4


def test_a_frame_of_another_size_is_searched() -> None:
    watch = Watch(Letters())
    assert [watch.appears(np.zeros(shape, np.uint8)) for shape in ((40, 60), (40, 60), (40, 64))] == [True, False, True]


@given(st.integers(1, 40), st.integers(1, 40))
def test_cells_cover_a_frame_of_any_size(height: int, width: int) -> None:
    cells = contrast_of_cells(np.zeros((height, width), np.float32))
    assert cells.shape == (-(-height // CELL), -(-width // CELL))
    assert not cells.any()


def test_single_cells_are_no_group() -> None:
    cells = np.zeros((5, 6), bool)
    cells[0, 0] = cells[2, 3] = cells[3, 4] = True
    assert np.argwhere(grouped(cells)).tolist() == [[2, 3], [3, 4]]

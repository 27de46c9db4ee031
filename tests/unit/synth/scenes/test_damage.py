"""Damage: the ink goes where the matrix says, strokes survive, and each fault does what its name says."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from deidra.app.synth.scenes import damage_pixels as pixels
from deidra.app.synth.scenes.damage import (
    PaperChances,
    Warped,
    machine_damage,
    paper_augment,
    resize,
    warp,
)
from deidra.app.synth.scenes.damage_geometry import Journey

NEVER = PaperChances(0, 0, 0, 0, 0, 0, 0, 0)
BLOCKS = ((30, 20), (120, 35), (70, 90), (25, 110))


def blocks(half: int = 4) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """A picture (130, 150, 3) with bright squares on black, and their ink, numbered from 1."""
    image, ink = np.zeros((130, 150, 3), np.uint8), np.zeros((130, 150), np.uint16)
    for number, (x, y) in enumerate(BLOCKS, 1):
        image[y - half : y + half + 1, x - half : x + half + 1] = 60 * number
        ink[y - half : y + half + 1, x - half : x + half + 1] = number
    return image, ink


def middles(warped: Warped) -> dict[int, tuple[float, float]]:
    """The middle (x, y) of each number's ink that lies wholly inside."""
    found = {}
    for number in range(1, len(BLOCKS) + 1):
        rows, columns = np.nonzero(warped.ink == number)
        inside = len(rows) and rows.min() > 0 and columns.min() > 0
        if inside and rows.max() < warped.ink.shape[0] - 1 and columns.max() < warped.ink.shape[1] - 1:
            found[number] = (float(columns.mean()), float(rows.mean()))
    return found


def assert_ink_follows(warped: Warped, tolerance: float = 1.0) -> int:
    found = middles(warped)
    for number, middle in found.items():
        x, y, w = warped.matrix @ (*BLOCKS[number - 1], 1)
        assert middle == pytest.approx((x / w, y / w), abs=tolerance)
    return len(found)


@settings(max_examples=80, deadline=None)
@given(
    st.floats(-180, 180),
    st.floats(0.4, 2.5),
    st.floats(0.7, 1.5),
    st.floats(-40, 40),
    st.floats(-40, 40),
    st.booleans(),
)
def test_ink_and_picture_go_where_the_matrix_says(
    turn: float, scale: float, uneven: float, x: float, y: float, mirrored: bool
) -> None:
    c, s = np.cos(np.radians(turn)) * scale, np.sin(np.radians(turn)) * scale
    flip = -1 if mirrored else 1
    linear = np.array([(c * flip, -s * uneven), (s * flip, c * uneven)])
    shift = np.array((160 + x, 160 + y)) - linear @ (75, 65)
    matrix = np.array([(*linear[0], shift[0]), (*linear[1], shift[1]), (0, 0, 1)])
    image, ink = blocks(8)
    warped = warp(image, ink, matrix, (320, 320), (0, 0, 0))
    assert np.array_equal(warped.matrix, matrix)
    assert_ink_follows(warped, 1.0 + scale / 2)
    # The picture lies under the ink: its brightness says which square it is.
    for number in middles(warped):
        mine = warped.image[warped.ink == number][:, 0]
        assert int(mine.max()) == pytest.approx(60 * number, abs=14)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-9, 9), min_size=8, max_size=8))
def test_ink_follows_a_change_of_perspective(moves: list[float]) -> None:
    corners = np.array([(0, 0), (150, 0), (150, 130), (0, 130)], np.float32)
    moved = (corners + np.array(moves, np.float32).reshape(4, 2)).astype(np.float32)
    matrix = np.asarray(cv2.getPerspectiveTransform(corners, moved), np.float64)
    assert assert_ink_follows(warp(*blocks(), matrix, (150, 130), (0, 0, 0))) == len(BLOCKS)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.2, 1), st.floats(0.2, 1), st.booleans())
def test_a_stroke_of_one_pixel_survives_shrinking(across: float, down: float, by_warp: bool) -> None:
    size = (round(200 * across), round(200 * down))
    image, flat = np.zeros((200, 200, 3), np.uint8), np.zeros((200, 200), np.uint16)
    for number, place in enumerate(range(10, 190, 20), 1):
        flat[place, 15:185] = number
    for ink in (flat, np.ascontiguousarray(flat.T)):
        if by_warp:
            warped = warp(image, ink, np.diag([across, down, 1.0]), size, (0, 0, 0))
        else:
            warped = resize(image, ink, size, cv2.INTER_AREA)
        assert warped.ink.shape == (size[1], size[0])
        for number in range(1, 10):
            if ink is flat:
                assert (warped.ink == number).any(0).sum() >= 170 * across - 1
            else:
                assert (warped.ink == number).any(1).sum() >= 170 * down - 1


def test_warping_never_makes_up_a_number() -> None:
    image, ink = blocks(7)
    for degrees in (3, 17, 45, 160):
        trip = Journey(image, ink * 1000)
        trip.turn(degrees, (0, 0, 0))
        assert set(np.unique(trip.ink)) == {0, 1000, 2000, 3000, 4000}


def test_what_comes_from_outside_has_the_fill_colour_and_no_ink() -> None:
    image, ink = np.full((20, 20, 3), 9, np.uint8), np.ones((20, 20), np.uint16)
    warped = warp(image, ink, np.array([(1, 0, 10), (0, 1, 0), (0, 0, 1)], float), (30, 20), (1, 2, 3))
    assert warped.image[5, 5].tolist() == [1, 2, 3]
    assert warped.ink[5, 5] == 0
    assert warped.image[5, 15].tolist() == [9, 9, 9]
    assert warped.ink[5, 15] == 1


def test_shrinking_averages_instead_of_dropping_pixels() -> None:
    image = np.zeros((240, 240, 3), np.uint8)
    image[:, ::2] = 200
    warped = warp(image, np.zeros((240, 240), np.uint16), np.diag([0.25, 0.25, 1.0]), (60, 60), (0, 0, 0))
    assert warped.image[10:50, 10:50].mean() == pytest.approx(100, abs=3)
    assert warped.image[10:50, 10:50].std() < 12


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_turns_by_right_angles_change_no_pixel(quarters: int) -> None:
    image, ink = blocks()
    trip = Journey(image, ink)
    trip.turn_right_angles(quarters)
    assert np.array_equal(trip.image, np.rot90(image, quarters))
    assert assert_ink_follows(trip.done(), 0.01) == len(BLOCKS)


@pytest.mark.parametrize("across", [True, False])
def test_a_mirror_changes_no_pixel_and_undoes_itself(across: bool) -> None:
    image, ink = blocks()
    trip = Journey(image, ink)
    trip.mirror(across=across)
    assert np.array_equal(trip.image, image[:, ::-1] if across else image[::-1])
    assert assert_ink_follows(trip.done(), 0.01) == len(BLOCKS)
    trip.mirror(across=across)
    assert np.array_equal(trip.image, image)
    assert np.array_equal(trip.matrix, np.eye(3))


@pytest.mark.parametrize("factor", [0.5, 0.75, 1.3, 2.0])
def test_resizing_keeps_the_middle_of_the_ink_to_half_a_pixel(factor: float) -> None:
    image, ink = blocks()
    for how in (cv2.INTER_AREA, cv2.INTER_LINEAR, cv2.INTER_NEAREST):
        warped = resize(image, ink, (round(150 * factor), round(130 * factor)), how)
        assert assert_ink_follows(warped, 0.76) == len(BLOCKS)


def test_without_any_chance_nothing_happens() -> None:
    image, ink = blocks()
    warped = paper_augment(np.random.default_rng(1), image, ink, NEVER)
    assert np.array_equal(warped.image, image)
    assert np.array_equal(warped.ink, ink)
    assert np.array_equal(warped.matrix, np.eye(3))


def test_inversion_turns_black_into_white_and_leaves_the_ink() -> None:
    image, ink = blocks()
    warped = paper_augment(np.random.default_rng(1), image, ink, PaperChances(1, 0, 0, 0, 0, 0, 0, 0))
    assert np.array_equal(warped.image, 255 - image)
    assert np.array_equal(warped.ink, ink)


@pytest.mark.parametrize("place", range(8))
def test_each_step_of_the_papers_keeps_ink_and_picture_together(place: int) -> None:
    chances = PaperChances(*(1.0 if place == k else 0.0 for k in range(8)))
    image, ink = blocks()
    for seed in range(12):
        warped = paper_augment(np.random.default_rng(seed), image, ink, chances)
        assert_ink_follows(warped)
        assert warped.image.shape[:2] == warped.ink.shape
        assert not np.array_equal(warped.image, image)
        assert set(np.unique(warped.ink)) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("split", ["train", "calibrate", "test"])
def test_machine_damage_keeps_ink_and_picture_together(split: str) -> None:
    image, ink = blocks()
    seen = 0
    for seed in range(120):
        warped = machine_damage(np.random.default_rng(seed), image, ink, split)
        again = machine_damage(np.random.default_rng(seed), image, ink, split)
        assert np.array_equal(warped.image, again.image)
        assert np.array_equal(warped.ink, again.ink)
        assert warped.image.shape == (*warped.ink.shape, 3)
        assert (warped.image.dtype, warped.ink.dtype) == (np.uint8, np.uint16)
        seen += assert_ink_follows(warped, 2.0)
    assert seen > 120 * 3


def test_about_a_third_of_the_pictures_stays_clean() -> None:
    rng = np.random.default_rng(0)
    image, ink = rng.integers(0, 255, (64, 64, 3), np.uint8), np.zeros((64, 64), np.uint16)
    clean = sum(
        np.array_equal(machine_damage(np.random.default_rng(seed), image, ink, "train").image, image)
        for seed in range(1500)
    )
    assert 0.32 <= clean / 1500 <= 0.42


def test_damage_does_not_write_into_what_it_is_given() -> None:
    image, ink = blocks()
    before = image.copy(), ink.copy()
    for seed in range(60):
        machine_damage(np.random.default_rng(seed), image, ink, "train")
        paper_augment(np.random.default_rng(seed), image, ink)
    assert np.array_equal(image, before[0])
    assert np.array_equal(ink, before[1])


def test_a_window_clips_what_lies_outside_and_stretches_what_lies_inside() -> None:
    ramp = np.repeat(np.arange(256, dtype=np.uint8)[None, :, None], 3, 2)
    shown = pixels.windowed(ramp, pixels.Stretch(50, 150, 1.0, 16))[0, :, 0]
    assert shown[:51].max() == 0
    assert shown[150:].min() == 255
    assert shown[100] == pytest.approx(127.5, abs=1)
    assert len(np.unique(pixels.windowed(ramp, pixels.Stretch(0, 255, 1.0, 4)))) == 16
    assert np.array_equal(pixels.windowed(ramp, pixels.Stretch(0, 255, 1.0, 12)), ramp)


def test_jpeg_keeps_colours_in_order_and_grey_grey() -> None:
    image = np.zeros((64, 64, 3), np.uint8)
    image[:] = (200, 40, 90)
    for sampling in (420, 422, 444):
        assert np.abs(pixels.jpeg(image, 90, sampling).astype(int) - image).max() <= 4
    grey, _ = blocks()
    low, high = pixels.jpeg(grey, 30, 420), pixels.jpeg(grey, 95, 420)
    assert pixels.is_grey(low)
    assert np.abs(low.astype(int) - grey).mean() > np.abs(high.astype(int) - grey).mean()


def test_interlacing_moves_every_other_row_only() -> None:
    image, _ = blocks()
    combed = pixels.interlace(image, 2, 1.0)
    assert np.array_equal(combed[::2], image[::2])
    assert np.array_equal(combed[1::2, 2:], image[1::2, :-2])


def test_bled_colours_reach_beyond_their_edge_while_the_brightness_stays() -> None:
    image = np.full((40, 80, 3), 120, np.uint8)
    image[:, 40:] = (220, 60, 60)
    bled = pixels.chroma_bleed(image, 4, 0).astype(int)
    assert bled[20, 36, 0] - bled[20, 36, 2] > 8
    assert np.abs(bled[20, 10] - 120).max() <= 2


def test_salt_and_pepper_turn_the_wanted_share_black_or_white() -> None:
    image = np.full((200, 200, 3), 90, np.uint8)
    spoiled = pixels.salt_and_pepper(image, 0.05, np.random.default_rng(3))
    changed = spoiled[(spoiled != 90).any(2)]
    assert set(np.unique(changed)) == {0, 255}
    assert len(changed) / 40000 == pytest.approx(0.05, abs=0.005)


def test_sharpening_leaves_halos_and_blurring_lowers_the_edge() -> None:
    image = np.full((40, 40, 3), 80, np.uint8)
    image[:, 20:] = 160
    sharp, soft = pixels.sharpened(image, 1.5, 1.0), pixels.softened(image, 1.5, 1.5)
    assert sharp[20, 20, 0] > 165
    assert sharp[20, 19, 0] < 75
    assert 80 < soft[20, 19, 0] < soft[20, 20, 0] < 160

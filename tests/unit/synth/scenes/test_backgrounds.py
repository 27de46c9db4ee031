"""Backgrounds and distractors: pictures without text, the same for the same seed, held out by split."""

from __future__ import annotations

import numpy as np
import pytest

from deidra.app.synth.scenes.backgrounds import KINDS, background
from deidra.app.synth.scenes.backgrounds_textures import FAMILIES, branches, grain, noise, outline, paint, rgb
from deidra.app.synth.scenes.distractors import OVERLAYS, add_distractors
from deidra.app.synth.scenes.distractors_objects import OBJECTS

SPLITS = ("train", "calibrate", "test")


@pytest.mark.parametrize("kind", KINDS)
def test_a_background_is_rgb_of_the_wanted_size_and_the_same_for_the_same_seed(kind: str) -> None:
    for place, split in enumerate(SPLITS):
        for size in ((200, 120), (97, 161)):
            first = background(np.random.default_rng(place), kind, size, split)
            again = background(np.random.default_rng(place), kind, size, split)
            other = background(np.random.default_rng(place + 50), kind, size, split)
            assert first.shape == (size[1], size[0], 3)
            assert first.dtype == np.uint8
            assert np.array_equal(first, again)
            assert not np.array_equal(first, other)


@pytest.mark.parametrize("kind", KINDS)
def test_the_splits_make_different_pictures_from_the_same_seed(kind: str) -> None:
    pictures = [background(np.random.default_rng(3), kind, (160, 160), split) for split in SPLITS]
    assert not np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[0], pictures[2])
    assert not np.array_equal(pictures[1], pictures[2])


@pytest.mark.parametrize("size", [(16, 16), (640, 24), (24, 640), (1024, 300)])
def test_every_kind_can_be_made_at_odd_sizes(size: tuple[int, int]) -> None:
    for seed, kind in enumerate(KINDS):
        picture = background(np.random.default_rng(seed), kind, size, SPLITS[seed % 3])
        assert picture.shape == (size[1], size[0], 3)


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_is_empty_on_the_whole(kind: str) -> None:
    spread = [background(np.random.default_rng(seed), kind, (160, 160), "train").std() for seed in range(6)]
    assert max(spread) > 8


def test_the_grain_of_every_family_has_mean_zero_and_variance_one() -> None:
    for family in FAMILIES.values():
        values = grain(np.random.default_rng(1), (300, 300), family)
        assert abs(float(values.mean())) < 0.02
        assert float(values.std()) == pytest.approx(1, abs=0.05)


def test_the_families_have_grains_of_different_shape() -> None:
    def moments(split: str) -> tuple[float, float]:
        values = grain(np.random.default_rng(1), (300, 300), FAMILIES[split]).astype(float)
        values = (values - values.mean()) / values.std()
        return float((values**3).mean()), float((values**4).mean())

    assert moments("train") == pytest.approx((0, 3), abs=0.3)
    assert moments("calibrate")[1] > 4
    assert moments("test")[0] > 0.7


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("cells", [2, 15, 90])
def test_noise_fills_the_range_and_has_finer_lumps_with_more_cells(split: str, cells: float) -> None:
    picture = noise(np.random.default_rng(5), (240, 180), cells, FAMILIES[split], 1)
    assert picture.shape == (180, 240)
    assert float(picture.min()) == pytest.approx(0, abs=1e-5)
    assert float(picture.max()) == pytest.approx(1, abs=1e-5)
    if cells > 2:
        coarse = noise(np.random.default_rng(5), (240, 180), cells / 5, FAMILIES[split], 1)
        assert np.abs(np.diff(picture, axis=1)).mean() > 1.3 * np.abs(np.diff(coarse, axis=1)).mean()


@pytest.mark.parametrize("split", SPLITS)
def test_an_outline_without_roughness_keeps_to_its_radii(split: str) -> None:
    points = outline(np.random.default_rng(2), FAMILIES[split], (50, 40), (20, 10), 0, 0.0)
    assert points.shape == (64, 2)
    assert points.mean(0) == pytest.approx((50, 40), abs=1)
    assert np.ptp(points[:, 0]) == pytest.approx(40, rel=0.15)
    assert np.ptp(points[:, 1]) == pytest.approx(20, rel=0.15)


def test_paint_covers_adds_and_leaves_the_rest_alone() -> None:
    image = np.full((20, 20), 50, np.float32)
    square = np.array([(5, 5), (14, 5), (14, 14), (5, 14)], float)
    paint(image, square, 100)
    assert image[10, 10] == 100
    assert image[1, 1] == 50
    paint(image, square, 30, add=True)
    assert image[10, 10] == 130
    paint(image, square + 500, 255)
    assert image.max() == 130
    assert rgb(image * 10).max() == 255


def test_a_vessel_tree_gets_thinner_and_ends() -> None:
    tree = branches(np.random.default_rng(1), (0, 0), 0.0, 100, 10, 4)
    assert tree[0][1] == 10
    assert all(width < 10 for _, width in tree[1:])
    assert 8 < len(tree) <= 90
    assert np.allclose(tree[0][0][0], (0, 0))


@pytest.mark.parametrize("painter", [*OVERLAYS, *OBJECTS], ids=lambda painter: painter.__name__)
def test_every_distractor_draws_something_for_every_split(painter) -> None:
    for split in SPLITS:
        changed = 0
        for seed in range(8):
            image = np.full((200, 260, 3), 90, np.uint8)
            painter(np.random.default_rng(seed), image, FAMILIES[split])
            changed += int((image != 90).any())
        assert changed >= 6


def test_distractors_are_the_same_for_the_same_seed_and_sometimes_absent() -> None:
    absent = 0
    for seed in range(60):
        pictures = [np.full((120, 160, 3), 90, np.uint8) for _ in range(2)]
        for picture in pictures:
            add_distractors(np.random.default_rng(seed), picture, KINDS[seed % len(KINDS)], SPLITS[seed % 3])
        assert np.array_equal(*pictures)
        absent += int((pictures[0] == 90).all())
    assert 2 <= absent <= 30

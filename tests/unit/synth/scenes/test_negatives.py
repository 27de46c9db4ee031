"""What looks like text and is none: patterns, rows of marks, metal, grain; and the lone characters of training."""

from __future__ import annotations

import numpy as np
import pytest

from deidra.app.synth.scenes import machines
from deidra.app.synth.scenes.backgrounds_patterns import PATTERNS, checks, few_bars, pairs, rings, squares, star, steps
from deidra.app.synth.scenes.backgrounds_speckle import motion, speckle, spectrum
from deidra.app.synth.scenes.backgrounds_textures import FAMILIES
from deidra.app.synth.scenes.canvas import Canvas, Paint
from deidra.app.synth.scenes.distractors import OVERLAYS
from deidra.app.synth.scenes.distractors_grain import GRAINS
from deidra.app.synth.scenes.distractors_metal import HARD
from deidra.app.synth.scenes.distractors_objects import OBJECTS
from deidra.app.synth.scenes.distractors_patterns import PATTERN_PIECES
from deidra.app.synth.scenes.distractors_rows import ROWS
from deidra.app.synth.scenes.layouts_singles import single, singles
from deidra.app.synth.scenes.machines import RECIPES, Recipe, compose_machine

SPLITS = ("train", "calibrate", "test")
NEW = tuple(dict.fromkeys([*PATTERN_PIECES, *ROWS, *HARD, *GRAINS]))
ALL = tuple(dict.fromkeys([*OVERLAYS, *OBJECTS, *NEW]))


def _drawn(painter, split: str, seed: int, size: tuple[int, int] = (260, 200)) -> np.ndarray:
    image = np.full((size[1], size[0], 3), 90, np.uint8)
    painter(np.random.default_rng(seed), image, FAMILIES[split])
    return image


def _name(painter) -> str:
    return painter.__name__


@pytest.mark.parametrize("painter", NEW, ids=_name)
def test_every_new_distractor_draws_something_and_the_same_for_the_same_seed(painter) -> None:
    for split in SPLITS:
        changed = 0
        for seed in range(8):
            image = _drawn(painter, split, seed)
            assert np.array_equal(image, _drawn(painter, split, seed))
            changed += int((image != 90).any())
        assert changed >= 6


@pytest.mark.parametrize("painter", NEW, ids=_name)
def test_new_distractors_differ_between_the_splits_from_the_same_seeds(painter) -> None:
    drawn = [np.concatenate([_drawn(painter, split, seed) for seed in range(12)]) for split in SPLITS]
    assert not np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])
    assert not np.array_equal(drawn[1], drawn[2])


@pytest.mark.parametrize("size", [(16, 16), (640, 24), (24, 640)])
def test_every_distractor_can_be_drawn_at_odd_sizes(size: tuple[int, int]) -> None:
    for painter in ALL:
        for seed in range(6):
            assert _drawn(painter, SPLITS[seed % 3], seed, size).shape == (size[1], size[0], 3)


@pytest.mark.parametrize("maker", dict.fromkeys(PATTERNS), ids=_name)
def test_a_pattern_is_a_share_of_light_of_the_wanted_size_that_varies(maker) -> None:
    for seed in range(12):
        for size in ((90, 40), (33, 70), (3, 3)):
            share = maker(np.random.default_rng(seed), size, FAMILIES[SPLITS[seed % 3]])
            assert share.shape == (size[1], size[0])
            assert share.min() >= 0
            assert share.max() <= 1
            if size != (3, 3) and maker in (pairs, few_bars, checks, rings, star, steps, squares):
                assert np.ptp(share) > 0.01


def test_bars_are_as_wide_as_their_gaps_in_training_and_narrow_in_the_test() -> None:
    def light(split: str) -> float:
        shares = (pairs(np.random.default_rng(seed), (200, 200), FAMILIES[split]) for seed in range(30))
        return float(np.mean([share.mean() for share in shares]))

    assert light("train") == pytest.approx(0.5, abs=0.05)
    assert light("calibrate") == pytest.approx(0.5, abs=0.05)
    assert light("test") < 0.45


@pytest.mark.parametrize("split", SPLITS)
def test_speckle_has_no_holes_in_its_mean_and_coarser_grains_when_asked(split: str) -> None:
    fine, coarse = (speckle(np.random.default_rng(3), (200, 160), FAMILIES[split], wide, wide) for wide in (1.5, 6))
    assert 0.6 < float(fine.mean()) < 1.4
    assert np.abs(np.diff(fine, axis=1)).mean() > 1.5 * np.abs(np.diff(coarse, axis=1)).mean()


@pytest.mark.parametrize("maker", [spectrum, motion], ids=_name)
def test_strips_have_their_size_and_vary(maker) -> None:
    for seed in range(12):
        for size in ((200, 60), (24, 16)):
            strip = maker(np.random.default_rng(seed), size, FAMILIES[SPLITS[seed % 3]])
            assert strip.shape == (size[1], size[0], 3)
            assert np.isfinite(strip).all()
            assert strip.std() > 1


def test_test_patterns_are_a_small_part_of_the_machines_and_often_without_text() -> None:
    recipe = next(recipe for recipe in RECIPES if "pattern" in recipe.kinds)
    assert 0.02 <= recipe.weight <= 0.04
    assert recipe.empty >= 0.3


def _only(monkeypatch: pytest.MonkeyPatch, **changes) -> None:
    """One machine alone, with plain grey pictures."""
    recipe = Recipe(1.0, ("plain",), (300, 500), (1.0,), (11, 16), ((lambda c: None, 1.0),), **changes)
    monkeypatch.setattr(machines, "RECIPES", (recipe,))


def test_lone_characters_are_in_training_only(monkeypatch: pytest.MonkeyPatch) -> None:
    _only(monkeypatch, empty=0.0, singles=1.0)

    def styles(split: str) -> set[str]:
        made = (compose_machine(np.random.default_rng(seed), split, (320, 320)) for seed in range(12))
        return {draft.style.split("/")[0] for canvas in made for draft in canvas.drafts}

    assert "single" in styles("train")
    assert "single" not in styles("calibrate")
    assert "single" not in styles("test")


def test_a_machine_may_do_without_lone_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    _only(monkeypatch, empty=0.0, singles=0.0)
    made = [compose_machine(np.random.default_rng(seed), "train", (320, 320)) for seed in range(12)]
    assert all(not draft.style.startswith("single") for canvas in made for draft in canvas.drafts)


def test_an_empty_machine_has_distractors_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    _only(monkeypatch, empty=1.0, singles=1.0)
    for seed in range(6):
        canvas = compose_machine(np.random.default_rng(seed), "train", (320, 320))
        assert not canvas.drafts
        assert not canvas.ink.any()


def test_single_texts_are_letters_of_sides_and_numbers_of_one_or_two_digits() -> None:
    rng = np.random.default_rng(4)
    texts = [single(rng) for _ in range(400)]
    assert {"L", "R", "A", "P", "H", "F", "S", "I"} < set(texts)
    assert all(1 <= len(text) <= 2 for text in texts)
    assert all(text.lstrip("-").isdigit() or set(text) <= set("LRAPHFSI") for text in texts)


def test_singles_are_few_small_and_apart_and_their_ticks_are_no_ink() -> None:
    heights = []
    for seed in range(40):
        canvas = Canvas(np.full((400, 400, 3), 30, np.uint8), "train", np.random.default_rng(seed))
        singles(canvas)
        assert 1 <= len(canvas.drafts) <= 15
        for number, draft in enumerate(canvas.drafts, start=1):
            rows, _ = np.nonzero(canvas.ink == number)
            assert len(rows)
            assert len(draft.word.text) <= 4
            assert not draft.word.phi
            heights.append(np.ptp(rows) + 1)
    assert np.percentile(heights, 10) >= 5
    assert np.percentile(heights, 95) <= 18


@pytest.mark.parametrize("ground", [20, 235])
def test_an_outline_never_has_the_colour_of_its_ink(ground: int) -> None:
    canvas = Canvas(np.full((60, 60, 3), ground, np.uint8), "train", np.random.default_rng(1))
    changed = 0
    for level in (0, 60, 200, 255):
        for under in ((0, 0, 0), (255, 255, 255)):
            seen = canvas.seen((10, 10, 30, 30), Paint((level,) * 3, effect="outline", under=under))
            if seen.colour in ((0, 0, 0), (255, 255, 255)) and seen.colour != (level,) * 3:
                assert seen.under != seen.colour
                changed += 1
    assert changed >= 2

"""Scenes on pictures that a caller brings: the texts and the truth of other scenes, few letters, or none at all."""

from __future__ import annotations

import numpy as np
import pytest

from deidra.app.synth.scenes import scene as scenes
from deidra.app.synth.scenes.backdrops import KIND, Backdrop
from deidra.app.synth.scenes.damage import Warped
from deidra.app.synth.scenes.scene import LEAST_CONTRAST, Scene, contrast, scene

VIEW = (320, 320)


def _grey(rng: np.random.Generator, most: tuple[int, int]) -> np.ndarray:
    """A soft picture, as high as may be and a little narrower."""
    across = np.linspace(20, 90, max(16, most[0] - 20))
    return np.repeat(np.tile(across, (most[1], 1))[:, :, None], 3, axis=2).astype(np.uint8)


def _scenes(empty: float, count: int) -> list[Scene]:
    return [scene("machines", "train", seed, VIEW, Backdrop(_grey, empty)) for seed in range(count)]


@pytest.fixture(scope="module")
def written() -> list[Scene]:
    return _scenes(0.0, 60)


def test_the_same_seed_and_pictures_give_the_same_scene(written: list[Scene]) -> None:
    for first, again in zip(written[:8], _scenes(0.0, 8), strict=True):
        assert np.array_equal(first.image, again.image)
        assert np.array_equal(first.ink, again.ink)
        assert first.texts == again.texts


def test_scenes_without_text_claim_none() -> None:
    for made in _scenes(1.0, 30):
        assert made.texts == ()
        assert not made.ink.any()
        assert made.background == KIND


def test_a_part_of_the_scenes_stays_free_of_text() -> None:
    assert 20 <= sum(not made.texts for made in _scenes(0.5, 80)) <= 60


def test_scenes_keep_within_the_view_and_their_truth_lies_on_visible_ink(written: list[Scene]) -> None:
    assert sum(bool(made.texts) for made in written) > 50
    for made in written:
        rows, columns = made.ink.shape
        assert columns <= VIEW[0]
        assert rows <= VIEW[1]
        assert set(np.unique(made.ink)) - {0} == set(range(1, len(made.texts) + 1))
        for number, text in enumerate(made.texts, start=1):
            ys, xs = np.nonzero(made.ink == number)
            left, top, right, bottom = text.box
            # Damage can bend a line by some pixels.
            assert left - 4 <= xs.min() <= xs.max() + 1 <= right + 4
            assert top - 4 <= ys.min() <= ys.max() + 1 <= bottom + 4
            assert contrast(made.image, made.ink, number, np.array(text.polygon)) >= LEAST_CONTRAST


def test_nothing_but_ink_and_graphics_is_laid_over_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenes, "machine_damage", lambda rng, image, ink, *_: Warped(image, ink, np.eye(3)))
    monkeypatch.setattr("deidra.app.synth.scenes.backdrops.chance", lambda rng, share: False)
    monkeypatch.setattr("deidra.app.synth.scenes.backdrops.lay_out", lambda canvas, recipe: None)
    made = scene("machines", "train", 1, VIEW, Backdrop(_grey))
    assert np.array_equal(made.image, _grey(np.random.default_rng(), VIEW))


def test_texts_are_few_and_lone_letters_rare(written: list[Scene]) -> None:
    texts = [text for made in written for text in made.texts]
    assert np.median([len(made.texts) for made in written]) <= 4
    assert sum(len(text.text) == 1 for text in texts) < 0.15 * len(texts)


def test_other_splits_and_the_papers_refuse_such_pictures() -> None:
    for suite, split in (("machines", "calibrate"), ("machines", "test"), ("papers", "train")):
        with pytest.raises(ValueError):
            scene(suite, split, 1, VIEW, Backdrop(_grey))

"""Training pictures as the product stretches them: the same functions, and no text lost in them."""

from dataclasses import replace

import numpy as np
import pytest
from pydicom import Dataset

pytest.importorskip("torch", reason="needs torch and torchvision: pip install deidra[train]")
pytest.importorskip("torchvision", reason="needs torch and torchvision: pip install deidra[train]")

from deidra.app.load.pictures import equalised, renderings
from deidra.app.synth.scenes.scene import Scene, contrast, scene
from deidra.models.training.data import view
from deidra.models.training.renderings import DEPTH, as_rendered, grained, stretched


def deep(seed: int) -> np.ndarray:
    """Levels of 12 bits, most of them low."""
    return np.clip(np.random.default_rng(seed).gamma(1.2, 300, (70, 90)), 0, DEPTH).astype(np.uint16)


@pytest.fixture(scope="module")
def made() -> list[Scene]:
    return [scene("machines", "train", seed, (256, 256)) for seed in range(40)]


def test_the_pictures_are_those_of_the_product() -> None:
    values = deep(1)
    rng = np.random.default_rng(0)
    for way, theirs in zip(("full", "local", "ranks"), renderings(Dataset(), values), strict=True):
        assert np.array_equal(stretched(rng, values, way), theirs[:, :, 0])


@pytest.mark.parametrize("dtype", ["u1", ">u2", "i2", "i4", "f4"])
def test_ranks_do_not_depend_on_the_type_of_the_levels(dtype: str) -> None:
    values = deep(2) % 200
    assert np.array_equal(equalised(values), equalised(values.astype(dtype)))
    assert equalised(values).min() < 10
    assert equalised(values).max() == 255


def test_a_window_is_narrower_than_the_levels() -> None:
    for seed in range(20):
        shown = stretched(np.random.default_rng(seed), deep(seed), "window")
        assert (shown == 255).any()
        assert shown.std() > stretched(np.random.default_rng(seed), deep(seed), "full").std()


def test_noise_is_never_negative_and_small_beside_the_range() -> None:
    for seed in range(20):
        grey = grained(np.random.default_rng(seed), np.zeros((50, 60), np.float32), 1, 40)
        assert grey.dtype == np.float32
        assert grey.min() >= 0
        assert 0 < grey.std() < 60


def test_rendered_scenes_are_grey_and_all_their_texts_stay_visible(made: list[Scene]) -> None:
    changed = 0
    for number, one in enumerate(made):
        picture = as_rendered(np.random.default_rng(number), one)
        assert picture.shape == one.image.shape
        if picture is one.image:
            continue
        changed += 1
        assert (picture == picture[:, :, :1]).all()
        for ink, text in enumerate(one.texts, start=1):
            before, after = (contrast(p, one.ink, ink, np.array(text.polygon)) for p in (one.image, picture))
            assert after >= min(before, 30)
    assert changed > len(made) / 3


def test_a_scene_with_texts_too_faint_to_be_asked_for_stays_as_it_is(made: list[Scene]) -> None:
    one = replace(made[0], texts=(), faint=1)
    assert all(as_rendered(np.random.default_rng(seed), one) is one.image for seed in range(6))


def test_a_scene_whose_text_would_be_lost_stays_as_it_is(made: list[Scene]) -> None:
    one = next(m for m in made if m.texts)
    # White text on a light ramp: most narrow windows turn both white.
    light = np.tile(np.linspace(0, 250, one.ink.shape[1])[None, :, None], (one.ink.shape[0], 1, 3))
    light[one.ink > 0] = 255
    hidden = replace(one, image=light.astype(np.uint8))
    pictures = [as_rendered(np.random.default_rng(seed), hidden) for seed in range(40)]
    assert any(picture is hidden.image for picture in pictures)
    for picture in pictures:
        for ink, text in enumerate(hidden.texts, start=1):
            before, after = (contrast(p, one.ink, ink, np.array(text.polygon)) for p in (hidden.image, picture))
            assert after >= min(before, 30)


def test_a_rendered_scene_is_the_same_for_the_same_seed(made: list[Scene]) -> None:
    first, again = (as_rendered(np.random.default_rng(3), made[0]) for _ in range(2))
    assert np.array_equal(first, again)


def test_rendering_moves_no_box(made: list[Scene]) -> None:
    for number, one in enumerate(made[:10]):
        plain, rendered = (
            view(np.random.default_rng(number), one, 320, scaled=False, rendered=share) for share in (0.0, 1.0)
        )
        assert len(plain.boxes) == len(rendered.boxes) == len(one.texts)
        sizes = [v.boxes[:, 2:] - v.boxes[:, :2] for v in (plain, rendered)]
        assert np.allclose(*sizes, atol=0.01)

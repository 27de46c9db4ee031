"""A chest in three dimensions."""

from __future__ import annotations

import itertools

import numpy as np

from deidra.app.synth.volume import chest_slices


def test_neighbouring_slices_are_more_alike_than_distant_ones() -> None:
    slices = list(chest_slices(41, 128))
    near = np.mean([np.abs(a - b).mean() for a, b in itertools.pairwise(slices)])
    far = np.mean([np.abs(a - b).mean() for a, b in zip(slices[10:30], slices[20:40], strict=True)])
    assert 2 * near < far
    assert not np.array_equal(slices[10], slices[11])


def test_the_same_seed_gives_the_same_chest_and_another_seed_another() -> None:
    first, again, other = (np.stack(list(chest_slices(5, 64, seed))) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert first.shape == (5, 64, 64)
    assert 0 <= first.min() < 0.05 < 0.6 < first.max() <= 1

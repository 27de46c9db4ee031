"""Networks are asked for what they say inside: one more output, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

from deidra.app.domain.errors import ModelError
from deidra.models.page_features import ENCODERS, Encoder, layout, pooled
from deidra.models.runtime import session, tapped_session


def picture(seed: int = 0) -> np.ndarray:
    page = np.full((660, 510, 3), 250, np.uint8)
    rng = np.random.default_rng(seed)
    for row in range(60, 600, 40):
        page[row : row + 8, 40 : int(rng.integers(100, 470)) : 3] = 20
    return page


@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda e: e.name)
def test_an_encoder_tells_features_of_a_page_always_the_same_and_of_another_page_others(encoder: Encoder) -> None:
    first, again, other = encoder.cells(picture()), encoder.cells(picture()), encoder.cells(picture(5))
    assert first.shape[1:] == (16, 12)
    np.testing.assert_array_equal(first, again)
    assert np.abs(pooled(first) - pooled(other)).max() > 1e-4


@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda e: e.name)
def test_the_outputs_that_a_model_had_are_the_same_with_one_more(encoder: Encoder) -> None:
    own, tapped = session(encoder.model), tapped_session(encoder.model, encoder.tensor)
    names = [output.name for output in own.get_outputs()]
    assert [output.name for output in tapped.get_outputs()] == [*names, encoder.tensor]
    rng = np.random.default_rng(0)
    given = rng.integers(0, 256, (1, 3, 256, 256), np.uint8)
    fed = {encoder.input: given.astype(np.float32) / 255 if encoder.scaled else given}
    for before, after in zip(own.run(None, fed), tapped.run(names, fed), strict=True):
        np.testing.assert_allclose(before, after, atol=1e-5)


def test_a_tensor_that_is_not_there_is_told_as_a_fault_of_the_model() -> None:
    with pytest.raises(ModelError, match="deidra-det cannot be loaded"):
        tapped_session("deidra-det", "no such tensor")


def test_the_mean_of_the_fields_of_a_page_is_its_embedding() -> None:
    cells = np.random.default_rng(0).random((5, 16, 12)).astype(np.float32)
    fields = layout(cells).reshape(5, 4, 3)
    np.testing.assert_allclose(fields.mean((1, 2)), pooled(cells), rtol=1e-5)
    np.testing.assert_allclose(fields[:, 0, 0], cells[:, :4, :4].mean((1, 2)), rtol=1e-5)

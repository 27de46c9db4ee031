"""Transforms by level are those by pixel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from pydicom.dataset import Dataset
from pydicom.pixels.processing import apply_modality_lut, apply_voi_lut

from deidra.app.load.levels import Levels

DTYPES = (np.uint8, np.int8, np.uint16, np.int16, np.int32, np.uint32, np.float32)


def header(slope: float, intercept: float, centre: float, width: float) -> Dataset:
    dataset = Dataset()
    dataset.RescaleSlope, dataset.RescaleIntercept = slope, intercept
    dataset.WindowCenter, dataset.WindowWidth = centre, width
    dataset.BitsStored, dataset.PixelRepresentation = 16, 0
    dataset.PhotometricInterpretation = "MONOCHROME2"
    return dataset


@given(st.data(), st.sampled_from(DTYPES))
def test_a_frame_through_its_table_is_the_frame_transformed_pixel_by_pixel(
    data: st.DataObject, dtype: type[np.generic]
) -> None:
    values = data.draw(
        arrays(dtype, (6, 7), elements={"min_value": -100, "max_value": 100} if dtype is np.float32 else {})
    )
    dataset = header(data.draw(st.sampled_from([1, 0.5, 2])), data.draw(st.sampled_from([0, -1024])), 40, 400)
    levels = Levels(values)
    for voi in (False, True):
        table = levels.shades(dataset, voi=voi)
        plain = apply_modality_lut(values, dataset)
        plain = np.asarray(apply_voi_lut(plain, dataset) if voi else plain, np.float32)
        assert np.array_equal(levels.picture(table), plain)
        assert levels.ends(table) == (float(plain.min()), float(plain.max()))


@pytest.mark.parametrize("low", [-32768, -5, 0])
def test_nearly_all_values_lie_between_the_usual_ends(low: int) -> None:
    values: NDArray[np.int16] = (np.arange(10_000).reshape(100, 100) + low).astype(np.int16)
    levels = Levels(values)
    first, last = levels.most(levels.shades(Dataset(), voi=False))
    assert (first, last) == (low + 49, low + 9979)


def test_the_usual_ends_of_values_that_have_no_levels_are_their_percentiles() -> None:
    values = np.linspace(0, 1, 10_001, dtype=np.float32).reshape(73, 137)
    first, last = Levels(values).most(values)
    assert first == pytest.approx(0.005, abs=1e-4)
    assert last == pytest.approx(0.998, abs=1e-4)

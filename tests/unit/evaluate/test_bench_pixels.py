"""The cost of searching images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deidra.app.evaluate import bench_pixels
from deidra.app.evaluate.bench_pixels import CASES, PixelCost, PixelCosts, cost_of_search, search
from deidra.app.load.dicom import frame_count
from deidra.app.load.frames import Frames
from deidra.app.synth.encode import write


def cost(case: str, cpu: float) -> PixelCost:
    return PixelCost(case, 1, 1, cpu, 0.0, 0.0)


def test_stacks_are_told_beside_single_images() -> None:
    costs = PixelCosts((cost("CT slice", 0.5), cost("CT series", 15.0), cost("US frame", 2.0), cost("US cine", 7.0)))
    assert costs.series_in_slices == pytest.approx(0.1)
    assert costs.cine_in_frames == pytest.approx(3.5)


def test_the_cine_moves_under_text_that_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_pixels, "FRAMES", 3)
    (dataset,) = CASES["US cine"]()
    assert frame_count(dataset) == 3
    first, second, _ = (frame.values for frame in Frames(dataset))
    assert np.array_equal(first[:40, :200], second[:40, :200])
    assert not np.array_equal(first[200:400, 300:500], second[200:400, 300:500])


def test_a_file_is_searched_as_in_a_run(tmp_path: Path) -> None:
    (dataset,) = CASES["CT slice with text"]()
    (tmp_path / "0.dcm").write_bytes(write(dataset))
    images, searched, cpu, wall = search([tmp_path / "0.dcm"])
    assert (images, searched) == (1, 1)
    assert cpu > 0 < wall


def test_each_case_is_measured_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES["CT slice"]
    monkeypatch.setattr(bench_pixels, "CASES", {"small": case})
    (measured,) = cost_of_search().cases
    assert (measured.case, measured.images, measured.searched) == ("small", 1, 1)
    assert measured.peak_mb > 50

"""Slices of a series are searched together: which assets form a stack, and what each slice gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.decide.policy import Policy
from deidra.app.domain.model import Asset, AssetKind, AssetStatus
from deidra.app.metadata.keys import ProjectKey
from deidra.app.stages import MOST_STACKED, StageWorker, stacks
from tests.support.slices import SIZE, BrightLetters, slices


def asset(number: int, stack: Sequence[str]) -> Asset:
    return Asset(str(number), f"/{number}", "", "", 1, AssetKind.DICOM, AssetStatus.LOADED, info={"stack": list(stack)})


@given(st.lists(st.sampled_from(["", "a", "b"]), max_size=300))
def test_stacks_hold_every_asset_once_in_order_and_no_strangers(series: list[str]) -> None:
    assets = [asset(n, [s] if s else []) for n, s in enumerate(series)]
    made = stacks(assets)
    assert sorted((a for stack in made for a in stack), key=lambda a: int(a.id)) == assets
    for stack in made:
        assert [int(a.id) for a in stack] == sorted(int(a.id) for a in stack)
        assert len({tuple(a.info["stack"]) for a in stack}) == 1
        assert len(stack) == 1 or stack[0].info["stack"]
        assert len(stack) <= MOST_STACKED
    for name in ("a", "b"):
        own = [len(stack) for stack in made if stack[0].info["stack"] == [name]]
        assert all(n == MOST_STACKED for n in own[:-1])


def test_assets_that_were_loaded_before_stacks_were_known_are_searched_alone() -> None:
    old = replace(asset(1, []), info={"frames": 1})
    assert stacks([old, asset(2, ["a"])]) == [[old], [asset(2, ["a"])]]


@pytest.fixture
def worker() -> StageWorker:
    made = StageWorker(ProjectKey(bytes(32)), Policy())
    made._locator = BrightLetters()
    return made


@pytest.mark.parametrize("texts", [{0}, {5}, {11}, {4, 5, 6}, set(), set(range(12)), {0, 9}])
def test_each_slice_gets_the_text_that_stands_on_it(worker: StageWorker, tmp_path: Path, texts: set[int]) -> None:
    loaded = [worker.load(a).asset for a in slices(tmp_path, [n in texts for n in range(12)])]
    assert len(stacks(loaded)) == 1
    found = worker.detect_stack(loaded)
    assert [reason for _, reason in found] == [""] * 12
    assert {n for n, (text, _) in enumerate(found) if text and text.frames[0].lines} == texts
    assert all((f.index, f.width, f.height) == (0, SIZE, SIZE) for text, _ in found if text for f in text.frames)
    assert worker._locator.searches <= 1 + len(texts)
    assert sum(text.searched for text, _ in found if text) == worker._locator.searches


def test_a_slice_that_cannot_be_decoded_holds_no_other_back(worker: StageWorker, tmp_path: Path) -> None:
    made = slices(tmp_path, [True] * 4)
    Path(made[2].path).write_bytes(b"other content")
    found = worker.detect_stack(made)
    assert [bool(reason) for _, reason in found] == [False, False, True, False]
    assert [len(text.frames[0].lines) for text, _ in found if text] == [1, 1, 1]

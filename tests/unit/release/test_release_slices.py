"""Slices of a series are searched together after they were written, and each is judged alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deidra.app.decide.policy import Policy
from deidra.app.domain.model import Asset, Identifier
from deidra.app.domain.taxonomy import EntityType
from deidra.app.load.pdf import Passwords
from deidra.app.metadata.engine import Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.release import maker
from deidra.app.release.export import FileMaker, Order
from deidra.app.release.maker import MakerSetting, make_files, start_maker
from deidra.app.stages import StageWorker
from tests.support.slices import BrightLetters, slices

KEY = ProjectKey(bytes(32))
KNOWN = [Identifier("p", EntityType.PATIENT, "OKONKWO^ADA", "(0010,0010)")]
SUBJECT = Subject("P0123", -5)
COUNT = 12


@pytest.fixture
def locator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BrightLetters:
    seeing = BrightLetters()
    monkeypatch.setattr(maker, "TextLocator", lambda *_: seeing)
    (tmp_path / "out").mkdir()
    start_maker(MakerSetting(tmp_path / "out", KEY, Policy(), KNOWN, [], False, None, 1, Passwords()))
    return seeing


def orders(folder: Path, texts: set[int], unseen: set[int]) -> list[Order]:
    """One order a slice; of those ``unseen`` the run has found no text."""
    worker = StageWorker(KEY, Policy(), KNOWN)
    worker._locator = BrightLetters()
    loaded = [worker.load(a).asset for a in slices(folder, [n in texts for n in range(COUNT)])]
    made = []
    for number, (asset, (text, _)) in enumerate(zip(loaded, worker.detect_stack(loaded), strict=True)):
        assert text is not None
        findings = [] if number in unseen else worker.decide(asset, text.frames, SUBJECT)
        made.append(Order(asset, findings, SUBJECT))
    return made


@pytest.mark.parametrize("unseen", [set(), {0}, {5}, {11}, {4, 5, 6}, set(range(COUNT))])
def test_a_name_left_on_some_slices_holds_those_back_and_no_others(
    locator: BrightLetters, tmp_path: Path, unseen: set[int]
) -> None:
    results = make_files(orders(tmp_path, {0, 4, 5, 6, 11}, unseen))
    held = {n for n, (made, reason) in enumerate(results) if made is None or made.file is None or reason}
    assert held == unseen & {0, 4, 5, 6, 11}
    assert all(
        "re-scan: PATIENT found in the pixels" in made.reason for n, (made, _) in enumerate(results) if n in held
    )
    assert len(list((tmp_path / "out").glob("*.part"))) == COUNT - len(held)
    assert locator.searches <= 6


def _fails_on(number: int, original: Callable[..., object]) -> Callable[..., object]:
    def fail(self: FileMaker, order: Order) -> object:
        if order.asset.id == str(number):
            raise RuntimeError("quotes Okonkwo")
        return original(self, order)

    return fail


@pytest.mark.usefixtures("locator")
def test_a_fault_in_one_slice_holds_no_other_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = orders(tmp_path, {3}, set())
    monkeypatch.setattr(FileMaker, "copy", _fails_on(7, FileMaker.copy))
    results = make_files(given)
    assert [n for n, (made, _) in enumerate(results) if made is None] == [7]
    assert "RuntimeError" in results[7][1]
    assert "Okonkwo" not in results[7][1]


@pytest.mark.usefixtures("locator")
def test_a_changed_slice_is_held_back_alone(tmp_path: Path) -> None:
    given = orders(tmp_path, {3}, set())
    changed: Asset = replace(given[2].asset, sha256="0" * 64)
    given[2] = replace(given[2], asset=changed)
    results = make_files(given)
    assert [n for n, (made, reason) in enumerate(results) if reason or made is None] == [2]
    assert "changed" in results[2][1]
    assert len(list((tmp_path / "out").glob("*.part"))) == COUNT - 1


@pytest.mark.usefixtures("locator")
def test_nothing_unsearched_is_left_behind_when_a_release_breaks_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = orders(tmp_path, {3}, set())
    original = FileMaker.copy

    def stop(self: FileMaker, order: Order) -> object:
        if order.asset.id == "9":
            raise KeyboardInterrupt
        return original(self, order)

    monkeypatch.setattr(FileMaker, "copy", stop)
    with pytest.raises(KeyboardInterrupt):
        make_files(given)
    assert list((tmp_path / "out").iterdir()) == []

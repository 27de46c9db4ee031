"""The product's stages on single files, with findings at known places."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from deidra.app.decide.policy import Policy
from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, Asset, Finding, LocatedText, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.evaluate import pixels_product
from deidra.app.evaluate.pixels_product import run_product
from deidra.app.evaluate.pixels_truth import synthetic
from deidra.app.stages import StageWorker

FINDING = Finding(
    *("id", "asset", None, None, box_polygon(20, 20, 90, 40), None, "Okonkwo", EntityType.PATIENT),
    *(0.9, 0.0, 50.0, Verdict.AUTO, Action.REDACT),
)
QUEUED = replace(FINDING, id="other", polygon=box_polygon(100, 60, 150, 80), verdict=Verdict.QUEUE)
FIELD = replace(FINDING, id="field", polygon=None, tag="(0010,0010)", verdict=Verdict.QUEUE)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A worker that finds the same on every file; how many identifiers each one knows is told."""
    known: list[int] = []

    class Fixed(StageWorker):
        def __init__(self, key: Any, policy: Policy, identifiers: Any = ()) -> None:
            super().__init__(key, replace_agents(policy), identifiers)
            known.append(len(identifiers))

        def detect(self, _asset: Asset) -> LocatedText:
            return LocatedText((), 0)

        def decide(self, _asset: Asset, _frames: Any, _subject: Any) -> list[Finding]:
            return [FINDING, QUEUED, FIELD]

    def replace_agents(policy: Policy) -> Policy:
        return policy.model_copy(update={"detect": policy.detect.model_copy(update={"second_reader": False})})

    monkeypatch.setattr(pixels_product, "StageWorker", Fixed)
    return known


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("ct_1_implicit.dcm", "native"),
        ("mr_jpeg_ls.dcm", "re-encoded"),
        ("us_cine_jpeg.dcm", "jpeg-blocks"),
        ("us_ybr_full.dcm", "native"),
        ("ot_palette.dcm", "native"),
        ("xa_rle.dcm", "re-encoded"),
    ],
)
def test_findings_are_covered_and_nothing_else_changes(worker: list[int], tmp_path: Path, name: str, way: str) -> None:
    (one,) = [i for i in synthetic(tmp_path, [7]) if i.name.endswith(name)]
    (done,) = run_product([one.path], Policy())
    assert (done.refused, done.way, done.waiting, done.regions) == ("", way, 1, 2)
    assert (done.changed_outside, done.not_covered) == (0, 0)
    assert worker[0] == 0
    assert worker[1] > 3
    for frame, mask in done.auto.items():
        assert mask[20:40, 20:90].all()
        assert not mask[60:80, 100:150].any()
        assert done.accepted[frame][60:80, 100:150].all()
    assert done.cpu.keys() == {"load", "find", "decide", "redact"}


@pytest.mark.usefixtures("worker")
def test_pages_are_covered_as_documents_are(tmp_path: Path) -> None:
    path = tmp_path / "page.png"
    Image.fromarray(np.random.default_rng(0).integers(50, 255, (200, 300, 3)).astype(np.uint8)).save(path)
    (done,) = run_product([path], Policy())
    assert (done.way, done.refused, done.changed_outside, done.not_covered) == ("page", "", 0, 0)
    assert done.accepted[0].sum() > done.auto[0].sum() > 0


@pytest.mark.usefixtures("worker")
def test_changes_outside_and_regions_that_stay_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(picture: np.ndarray, *_: Any) -> np.ndarray:
        spoilt = picture.copy()
        spoilt[150:152, 200:210] ^= 1
        return spoilt

    monkeypatch.setattr(pixels_product, "redact_page", spoil)
    path = tmp_path / "page.png"
    Image.fromarray(np.random.default_rng(0).integers(50, 255, (200, 300, 3)).astype(np.uint8)).save(path)
    (done,) = run_product([path], Policy())
    assert (done.changed_outside, done.not_covered) == (20, 2)


@pytest.mark.usefixtures("worker")
def test_a_file_that_cannot_be_read_is_held_back_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("nothing", "utf-8")
    (whole, *_) = synthetic(tmp_path / "images", [7])
    (tmp_path / "damaged.dcm").write_bytes(whole.path.read_bytes()[:-5000])
    Image.new("RGB", (200, 100)).save(tmp_path / "page.png")
    first, second, third = run_product([tmp_path / n for n in ("text.txt", "damaged.dcm", "page.png")], Policy())
    assert first.refused
    assert second.refused
    assert third.refused == ""


def test_what_a_stage_refuses_is_held_back(worker: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise InputError("The pixels cannot be decoded.")

    monkeypatch.setattr(pixels_product.StageWorker, "detect", refuse)
    Image.new("RGB", (200, 100)).save(tmp_path / "page.png")
    (done,) = run_product([tmp_path / "page.png"], Policy())
    assert "cannot be decoded" in done.refused
    assert len(worker) == 2

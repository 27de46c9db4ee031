"""Covered lines are counted right, missed ones are named without saying what they say, the page shows all of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from deidra.app.cli_measure import evaluate
from deidra.app.decide.policy import Policy
from deidra.app.evaluate import pixels
from deidra.app.evaluate.pixels import Plan, covered, measure_pixels, share_of, summary
from deidra.app.evaluate.pixels_peer import PeerDone, PeerRun
from deidra.app.evaluate.pixels_product import Done
from deidra.app.evaluate.pixels_truth import Known, Text

NAME = Text(0, (10, 10, 60, 20), "PATIENT", "Okonkwo")
DATE = Text(1, (10, 30, 60, 40), "DATE.birth", "1953-04-17")
LABEL = Text(0, (70, 30, 90, 40), "none", "120 kV")


def mask(*boxes: tuple[int, int, int, int]) -> np.ndarray:
    found = np.zeros((50, 100), np.bool_)
    for left, top, right, bottom in boxes:
        found[top:bottom, left:right] = True
    return found


def image(name: str = "a", *texts: Text) -> Known:
    return Known(name, Path("pyproject.toml"), name, texts or (NAME, DATE, LABEL))


def done(**more: Any) -> Done:
    auto = {0: mask((8, 8, 62, 22)), 1: mask()}
    accepted = {0: mask((8, 8, 62, 22), (70, 30, 82, 40)), 1: mask((10, 30, 58, 40))}
    return Done(auto, accepted, 2, 3, way="native", cpu={"find": 1.5, "redact": 0.25}, **more)


@pytest.mark.parametrize(
    ("box", "share"),
    [((10, 10, 20, 20), 1.0), ((0, 0, 8, 8), 0.0), ((-5, 8, 16, 10), 0.5), ((200, 0, 210, 9), 0.0)],
)
def test_the_covered_share_is_that_of_the_part_inside_the_image(box: tuple[int, int, int, int], share: float) -> None:
    assert share_of({0: mask((8, 8, 62, 22))}, Text(0, box, "PATIENT", "")) == share


def test_a_frame_that_is_not_there_is_not_covered() -> None:
    assert share_of({0: mask((0, 0, 100, 50))}, DATE) == 0.0


def test_lines_are_fully_mostly_or_not_covered_and_harmless_ones_in_vain() -> None:
    taken = [(image(), {"auto": [1.0, 0.85, 0.5]}), (image("b", NAME, LABEL), {"auto": [0.989, 0.49]})]
    taken.append((image("c", LABEL), {"auto": [1.0]}))
    taken.append((image("d", NAME), {"auto": [0.99]}))
    assert covered(taken, "auto") == {
        "private": 4,
        "fully": 2,
        "mostly": 4,
        "untouched": 0,
        "harmless": 3,
        "harmless_covered": 2,
        "images_with_private": 3,
        "images_all_covered": 1,
    }


@pytest.fixture
def product(monkeypatch: pytest.MonkeyPatch) -> list[Done]:
    results = [done(), done(refused="The pixel data is damaged.")]

    def run(paths: Sequence[Path], _policy: Policy) -> Iterator[Done]:
        assert len(paths) == len(results)
        return iter(results)

    monkeypatch.setattr(pixels, "run_product", run)
    monkeypatch.setattr(pixels, "synthetic", lambda *_: [image(), image("broken")])
    return results


@pytest.mark.usefixtures("product")
def test_figures_are_written_and_held_back_images_do_not_count(tmp_path: Path) -> None:
    result = measure_pixels(Plan(tmp_path, Policy(), (7,)))
    assert json.loads((tmp_path / "result.json").read_text("utf-8")) == result
    figures = result["sets"]["synthetic"]
    assert (figures["images"], figures["refused"]) == (1, {"broken": "The pixel data is damaged."})
    overall = figures["overall"]
    assert [overall["auto"][k] for k in ("private", "fully", "untouched", "harmless_covered")] == [2, 1, 1, 0]
    assert [overall["accepted"][k] for k in ("fully", "mostly", "harmless_covered")] == [1, 2, 1]
    assert (overall["waiting"], overall["images_waiting"], overall["cpu_seconds"]) == (2, 1, 1.8)
    missed = {"image": "a", "frame": 1, "box": [10, 30, 60, 40], "kind": "DATE.birth", "covered": 0.96}
    assert figures["missed"] == [missed]
    assert figures["asked"] == []
    assert figures["identifying"]["accepted"] == overall["accepted"]
    assert figures["by_kind"]["auto"]["PATIENT"] == {"private": 1, "fully": 1, "mostly": 1}
    assert figures["rows"][0]["cpu_seconds"] == 1.75


@pytest.mark.usefixtures("product")
@pytest.mark.parametrize("show", [False, True])
def test_what_a_missed_line_says_is_told_on_demand_only(tmp_path: Path, show: bool) -> None:
    result = measure_pixels(Plan(tmp_path, Policy(), (7,), show_text=show))
    for text in (json.dumps(result), (tmp_path / "result.html").read_text("utf-8"), " ".join(summary(result))):
        assert "Okonkwo" not in text
    assert ("1953-04-17" in json.dumps(result)) is show
    assert ("1953-04-17" in (tmp_path / "result.html").read_text("utf-8")) is show


def test_times_sex_and_age_are_counted_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    clock = Text(0, (70, 30, 90, 40), "time", "10:15")
    monkeypatch.setattr(pixels, "run_product", lambda *_: iter([done()]))
    monkeypatch.setattr(pixels, "synthetic", lambda *_: [image("a", NAME, clock)])
    figures = measure_pixels(Plan(tmp_path, Policy(), (7,)))["sets"]["synthetic"]
    assert [figures[name]["auto"]["private"] for name in ("overall", "identifying")] == [2, 1]
    assert figures["identifying"]["auto"]["images_all_covered"] == 1


def test_a_line_that_waits_for_a_curator_is_listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = Done({0: mask()}, {0: mask((8, 8, 62, 22))}, 1, 1)
    monkeypatch.setattr(pixels, "run_product", lambda *_: iter([asked]))
    monkeypatch.setattr(pixels, "synthetic", lambda *_: [image("a", NAME)])
    figures = measure_pixels(Plan(tmp_path, Policy(), (7,)))["sets"]["synthetic"]
    assert [row["kind"] for row in figures["asked"]] == ["PATIENT"]
    assert figures["missed"] == []


@pytest.mark.usefixtures("product")
def test_the_peer_is_compared_on_files_that_both_could_take(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[Path] = []

    def run(_python: Path, paths: Sequence[Path]) -> PeerRun:
        asked.extend(paths)
        return PeerRun("1.0", "small", (PeerDone(((10, 10, 60, 20), (70, 30, 90, 40)), 0.5, ""),))

    monkeypatch.setattr(pixels, "run_peer", run)
    monkeypatch.setattr(pixels, "recognise", lambda _data: (pixels.AssetKind.DICOM, ""))
    result = measure_pixels(Plan(tmp_path, Policy(), (7,), peers=Path("python")))
    peer = result["sets"]["synthetic"]["peer"]
    assert len(asked) == 1
    assert [peer["peer"][k] for k in ("private", "fully", "untouched", "harmless_covered")] == [2, 1, 1, 1]
    assert peer["auto"]["fully"] == 1
    assert peer["failed"] == {}
    assert "1 of 2 private lines" in summary(result)[-1]
    assert "Beside presidio" in (tmp_path / "result.html").read_text("utf-8")


@pytest.mark.usefixtures("product")
def test_a_peer_that_fails_on_a_file_or_at_all_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pixels, "recognise", lambda _data: (pixels.AssetKind.DICOM, ""))
    monkeypatch.setattr(pixels, "run_peer", lambda *_: PeerRun("1", "m", (PeerDone((), 0.1, "ValueError"),)))
    plan = Plan(tmp_path, Policy(), (7,), peers=Path("python"))
    assert measure_pixels(plan)["sets"]["synthetic"]["peer"]["failed"] == {"a": "ValueError"}
    monkeypatch.setattr(pixels, "run_peer", lambda *_: PeerRun("", "", (), "not installed"))
    assert "not installed" in summary(measure_pixels(plan))[-1]
    assert "It did not run: not installed." in (tmp_path / "result.html").read_text("utf-8")


@pytest.mark.usefixtures("product")
def test_the_command_says_the_figures_or_prints_them_as_json(tmp_path: Path) -> None:
    said = CliRunner().invoke(evaluate, ["pixels", "--out", str(tmp_path), "--sets", "1"])
    assert said.exit_code == 0, said.output
    assert "1 of 2 private lines fully covered (1 untouched), 0 of 1 harmless ones covered" in said.output
    printed = CliRunner().invoke(evaluate, ["pixels", "--out", str(tmp_path), "--sets", "1", "--json"])
    assert json.loads(printed.stdout)["about"]["seeds"] == "7"

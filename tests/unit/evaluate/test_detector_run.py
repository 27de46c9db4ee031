from __future__ import annotations

import builtins
import dataclasses
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from deidra.app.cli_measure import evaluate
from deidra.app.domain.errors import KnownError
from deidra.app.evaluate import detector_cases, detector_run
from deidra.app.evaluate.calibrate import uncalibrated
from deidra.app.evaluate.detector import Plan, measure_detector, measure_papers, papers_summary, summary
from deidra.app.evaluate.detector_cost import square, time_detector
from deidra.app.evaluate.detector_plots import canvas
from deidra.app.evaluate.detector_run import Run
from deidra.app.synth.scenes.scene import Scene, SceneText
from deidra.models import calibration
from deidra.models.text_detector import DetectedBox
from deidra.models.variational_detector import Candidates

BOX = (20.0, 20.0, 80.0, 32.0)


def small_scene(suite: str, split: str, seed: int, view: tuple[int, int] | None = None) -> Scene:
    """One text; image 1 has none."""
    image, ink = np.zeros((64, 128, 3), np.uint8), np.zeros((64, 128), np.uint16)
    if seed == 1:
        return Scene(image, ink, (), suite, "ct", seed)
    ink[20:32, 20:80] = 1
    image[ink > 0] = 200
    corners = ((20.0, 20.0), (80.0, 20.0), (80.0, 32.0), (20.0, 32.0))
    text = SceneText("DOE", corners, "printed", None, True, "paper000/Arial/plain", 12.0)
    return Scene(image, ink, (text,), suite, "ct", seed)


class Counting:
    """A detector that finds the text and something else, and counts how often it is asked."""

    calls = 0

    def __init__(self, tuned: object = None) -> None:
        pass

    def candidates(self, images: list[np.ndarray]) -> list[Candidates]:
        Counting.calls += len(images)
        boxes = np.array([BOX, (100, 40, 120, 50)], np.float32)
        probability = np.array([[0.1, 0.8, 0.1, 0], [0.7, 0.3, 0, 0]], np.float32)
        variance = np.array([[0, 0.01, 0, 0], [0, 0.05, 0, 0]], np.float32)
        flat = np.zeros(2, np.float32)
        found = Candidates(boxes, flat, flat + 10, probability, variance, np.ones((2, 4), np.float32))
        return [found] * len(images)

    def detect(self, image: np.ndarray) -> list[DetectedBox]:
        return []


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    for module in (detector_cases, detector_run):
        monkeypatch.setattr(module, "scene", small_scene)
    monkeypatch.setattr(detector_cases, "VariationalDetector", Counting)
    monkeypatch.setattr(detector_cases, "PPOCRDetector", Counting)
    Counting.calls = 0
    return Run(tmp_path / "out", uncalibrated())


def test_images_are_examined_once_and_a_run_goes_on_where_it_ended(run: Run) -> None:
    first = run.cases("papers", 3)
    assert Counting.calls == 3
    assert first[0].found.score == pytest.approx([0.9, 0.3])
    assert first[0].painted["detector"].share.tolist() == [1.0]
    assert first[1].painted["detector"].false_share > 0.1
    [path] = run.out.iterdir()
    path.write_text(path.read_text("utf-8")[:-20], "utf-8")  # as if killed while writing
    again = run.cases("papers", 4)
    assert Counting.calls == 5
    assert [c.seed for c in again] == [0, 1, 2, 3]
    run.cases("papers", 4)
    assert Counting.calls == 5


def test_images_that_the_other_detector_has_not_seen_are_examined_again(run: Run) -> None:
    run.cases("papers", 2)
    cases = run.cases("papers", 2, ppocr=1)
    assert Counting.calls == 3
    assert [c.other is not None for c in cases] == [True, False]
    assert set(cases[0].painted) == {"detector", "ppocr", "union"}


def test_another_calibration_has_its_own_lines(run: Run) -> None:
    run.cases("papers", 1)
    dataclasses.replace(run, tuned=dataclasses.replace(run.tuned, least_score=0.5)).cases("papers", 1)
    assert Counting.calls == 2


def test_noise_is_put_on_images_with_text_only(run: Run) -> None:
    levels = run.noise("papers", 2)
    assert len(levels) == 13
    assert [len(level) for level in levels] == [2] * 13
    assert Counting.calls == 26
    assert levels[0][0].overlap == pytest.approx([1, 0])


def test_the_whole_result_is_written_with_its_page(run: Run) -> None:
    pytest.importorskip("matplotlib")
    result = measure_detector(run, Plan(images=3, ppocr=2, noise=1, cost=False))
    assert set(result["suites"]) == {"papers", "machines"}
    assert result["suites"]["papers"]["text_free"] == {"images": 1, "boxes_per_image": 2, "images_with_boxes": 1}
    assert (run.out / "result.json").is_file()
    assert "By layout" in (run.out / "result.html").read_text("utf-8")
    # The image without text has a box as sure as the two right ones: (51 + 50 * 2 / 3) / 101.
    assert summary(result)[0].startswith("papers: AP50 0.835")


def test_the_papers_tables_are_written(run: Run) -> None:
    result = measure_papers(run, 2)
    page = (run.out / "papers.html").read_text("utf-8")
    assert "Presidio" in page
    assert "The sets differ" in page
    assert papers_summary(result)[0].endswith("published (another set)")


def test_the_commands_measure_and_calibrate(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(calibration, "calibration", uncalibrated)
    out = ["--out", str(run.out)]
    done = CliRunner().invoke(
        evaluate, ["detector", *out, "--images", "2", "--ppocr", "0", "--noise", "0", "--no-cost", "--json"]
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["suites"]["machines"]["images"] == 2
    done = CliRunner().invoke(evaluate, ["papers", *out, "--images", "2"])
    assert "(another set)" in done.stdout
    done = CliRunner().invoke(evaluate, ["calibrate", *out, "--images", "3", "--missed", "0.5", "--wrong", "0.5"])
    assert "promise kept" in done.stdout
    values = json.loads((run.out / calibration.FILE).read_text("utf-8"))
    # Every text is found with .9, as sure as the false box on the image without text: a third of the boxes told of.
    assert values["least_score"] == pytest.approx(0.9, abs=1e-5)
    assert values["about"]["images_of_each"] == 3


def test_missing_matplotlib_is_said_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object, **named: object) -> object:
        if name.startswith("matplotlib"):
            raise ImportError
        return real(name, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    for name in [n for n in sys.modules if n.startswith("matplotlib.backends.backend_agg")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(KnownError, match="matplotlib is not installed") as caught:
        canvas()
    assert "deidra[bench]" in caught.value.advice


def test_cost_is_that_of_a_square_picture_with_text() -> None:
    picture = square(300)
    assert picture.shape == (300, 300, 3)
    assert picture.std() > 0
    cpu, wall = time_detector(Counting(), picture)
    assert 0 <= cpu < 1000
    assert 0 <= wall < 1000

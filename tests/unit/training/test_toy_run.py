"""A training of a few steps on small images: it learns, resumes, and becomes an ONNX file that says the same."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch and torchvision: pip install deidra[train]")
pytest.importorskip("torchvision", reason="needs torch and torchvision: pip install deidra[train]")
pytest.importorskip("onnx", reason="needs onnx: pip install deidra[train]")

from deidra.app.synth.scenes.scene import scene  # noqa: E402
from deidra.models.training import running, train  # noqa: E402
from deidra.models.training.data import MIX, Views, collate, view  # noqa: E402
from deidra.models.training.export import TOLERANCE, export  # noqa: E402
from deidra.models.training.network import Detector, Limits  # noqa: E402
from deidra.models.training.running import learning_rate  # noqa: E402
from deidra.models.training.train import Run, Settings  # noqa: E402
from deidra.models.training.variational import Coefficients  # noqa: E402


def settings(out: Path) -> Settings:
    return Settings(out, 1.0, 4, 2, 192, 0, 1e-3, 12_000, 2, MIX, None, None, None, Coefficients(), validation=2)


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> tuple[Path, dict]:
    torch.set_num_threads(2)
    out = tmp_path_factory.mktemp("run")
    Run(settings(out)).learn()
    first = json.loads((out / "report.json").read_text("utf-8"))
    Run(replace(settings(out), steps=6)).learn()
    return out, {"first": first, "second": json.loads((out / "report.json").read_text("utf-8"))}


def test_a_run_goes_on_from_its_checkpoint(trained) -> None:
    _, reports = trained
    assert reports["first"]["images"] == 8
    assert reports["second"]["images"] == 12


def test_a_run_that_is_cut_short_goes_on_from_where_it_was_last_saved(tmp_path, monkeypatch) -> None:
    torch.set_num_threads(2)
    monkeypatch.setattr(running, "KEEP", 0)
    steps = []

    def descend(*arguments: object) -> object:
        steps.append(1)
        if len(steps) == 3:
            raise KeyboardInterrupt
        return real(*arguments)

    real = train.descend
    monkeypatch.setattr(train, "descend", descend)
    with pytest.raises(KeyboardInterrupt):
        Run(settings(tmp_path)).learn()
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["checkpoint.pt", "weights.pt"]
    again = Run(settings(tmp_path))
    assert (again._step, again.average.steps) == (2, 2)


def test_the_report_tells_of_the_objective_and_of_what_was_set(trained) -> None:
    _, reports = trained
    assert {"map50", "noise_slope", "clean_variance", "missed_share", "threshold"} <= reports["first"][
        "objective"
    ].keys()
    assert reports["first"]["settings"]["seed"] == 12_000
    assert len(reports["first"]["noise"]["levels"]) == 13


def test_the_onnx_file_says_what_the_network_says(trained, tmp_path) -> None:
    out, _ = trained
    weights = torch.load(out / "weights.pt", weights_only=True)
    # So little training proposes nothing: let it.
    weights["proposal_head.out.bias"][0] = 2.0
    torch.save(weights, tmp_path / "weights.pt")
    exact, _ = export(tmp_path / "weights.pt", tmp_path / "toy.onnx", Limits(most=200))
    assert exact <= TOLERANCE
    assert (tmp_path / "toy.onnx").stat().st_size < 16 * 2**20


def test_any_size_of_image_is_taken(trained) -> None:
    model = Detector(channels=16).eval()
    with torch.no_grad():
        for height, width in ((256, 256), (320, 512)):
            out = model(torch.zeros(1, 3, height, width, dtype=torch.uint8), Limits(score=0.0))
            assert out.boxes.shape[1] == 4
            assert len(out.boxes) == len(out.variance) == len(out.edge_variance)


def test_views_hold_the_text_of_their_scenes_where_it_is_seen() -> None:
    made = scene("papers", "train", 30, (256, 256))
    cut = view(np.random.default_rng(0), made, 320, scaled=False)
    assert cut.image.shape == (320, 320, 3)
    assert len(cut.boxes) == len(made.texts)
    sizes = np.array([[t.box[2] - t.box[0], t.box[3] - t.box[1]] for t in made.texts])
    assert np.allclose(cut.boxes[:, 2:] - cut.boxes[:, :2], sizes, atol=0.01)


def test_workers_of_processes_draw_different_scenes() -> None:
    first = next(iter(Views(128, 500, rank=0, world=2, echo=1)))
    second = next(iter(Views(128, 500, rank=1, world=2, echo=1)))
    assert not np.array_equal(first.image, second.image)
    again = next(iter(Views(128, 500, rank=0, world=2, echo=1)))
    assert np.array_equal(first.image, again.image)


def test_a_batch_keeps_the_truth_of_each_image() -> None:
    drawn = [next(iter(Views(128, 500 + i, echo=1))) for i in range(2)]
    images, truths = collate(drawn)
    assert images.shape == (2, 3, 128, 128)
    assert [len(t.labels) for t in truths] == [len(v.labels) for v in drawn]


def test_the_learning_rate_rises_and_falls() -> None:
    rates = [learning_rate(share, 1.0) for share in (0.0, 0.04, 0.5, 1.0)]
    assert rates[0] < rates[1] > rates[2] > rates[3]
    assert rates[1] == pytest.approx(1.0)
    assert rates[3] == pytest.approx(0.01)


def test_a_search_logs_its_trials_and_its_best_point_can_be_trained_with(trained, tmp_path) -> None:
    pytest.importorskip("optuna", reason="needs optuna: pip install deidra[train]")
    from deidra.models.training.search import Size, search

    out, _ = trained
    search(out / "weights.pt", tmp_path, Size(0.001, images=16, steps=1, side=128, workers=0, validation=2, seed=0))
    (trial,) = json.loads((tmp_path / "trials.json").read_text("utf-8"))
    best = json.loads((tmp_path / "best.json").read_text("utf-8"))
    assert trial["params"] == best
    assert {"map50", "noise_slope", "clean_variance", "missed_share", "threshold"} <= trial.keys()
    clip = best.pop("clip")
    assert 1 <= clip <= 30
    assert Coefficients(**best).regression == best["regression"]

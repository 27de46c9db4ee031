"""Search the loss coefficients by Bayesian optimisation over equation 19.

``python -m deidra.models.training.search --weights WEIGHTS --out STUDY`` in one process for each card; all
write to one journal. A trial goes on from the same trained network with fresh variances, learns the
head alone (nothing else depends on the coefficients) for a fixed number of steps on a fixed set of
images, and is judged on images of the calibration split.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import optuna
import torch
from optuna.storages.journal import JournalFileBackend
from torch import Tensor
from torch.utils.data import DataLoader

from deidra.models.training.data import View, Views, collate
from deidra.models.training.measure import objective, validation_views
from deidra.models.training.network import Detector
from deidra.models.training.running import learning_rate
from deidra.models.training.targets import Truth
from deidra.models.training.tell import tell
from deidra.models.training.train import Trainee, descend, optimizer
from deidra.models.training.variational import Coefficients, VariationalLinear
from deidra.models.training.weights import load_weights

Batch = tuple[Tensor, list[Truth]]
RATE = 1e-3
STUDY = "coefficients"


def suggested(trial: optuna.Trial) -> tuple[Coefficients, float]:
    """Coefficients and the clipping threshold of a trial: the six of the paper, its threshold, and ours."""

    def scale(name: str, low: float, high: float) -> float:
        return trial.suggest_float(name, low, high, log=True)

    found = Coefficients(
        error=scale("error", 1e-3, 0.5),
        log_det=scale("log_det", 1e-3, 0.5),
        regression=scale("regression", 0.3, 3),
        kl_trace=scale("kl_trace", 1e-7, 1e-3),
        kl_mean=scale("kl_mean", 1e-7, 1e-3),
        kl_log_det=scale("kl_log_det", 1e-7, 1e-3),
        box_likelihood=scale("box_likelihood", 0.01, 0.5),
    )
    return found, scale("clip", 1, 30)


def fine_tuned(base: Detector, batches: list[Batch], steps: int, coefficients: Coefficients, clip: float) -> Detector:
    """A copy of the network whose head learnt ``steps`` batches with the coefficients."""
    model = copy.deepcopy(base)
    for layer in model.head.variational():
        fresh = VariationalLinear(layer.mean.shape[1], layer.mean.shape[0])
        layer.log_variance.data.copy_(fresh.log_variance)
        layer.bias_log_variance.data.copy_(fresh.bias_log_variance)
    model.freeze_all_but_head()
    trainee = Trainee(model, coefficients, next(model.parameters()).is_cuda)
    descent = optimizer(model, RATE)
    model.eval()  # the statistics of normalisation stay those of the trained network
    for step, (images, truths) in enumerate(itertools.islice(itertools.cycle(batches), steps)):
        for group in descent.param_groups:
            group["lr"] = learning_rate(step / steps, RATE)
        descend(trainee, descent, images, truths, clip)
    return model


@dataclass(frozen=True, slots=True)
class Size:
    """How large a search is: no trial starts after ``minutes``; each learns ``steps`` batches of ``images``."""

    minutes: float
    images: int
    steps: int
    side: int
    workers: int
    validation: int
    seed: int


def search(weights: Path, out: Path, size: Size) -> None:
    """Run trials until the time is over; the study lies in ``out/journal.log``."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    base = Detector()
    load_weights(base, weights)
    base.to(device).to(memory_format=torch.channels_last)
    batch = 16
    loader = iter(DataLoader(Views(size.side, 500_000_000), batch, num_workers=size.workers, collate_fn=collate))
    batches: list[Batch] = [next(loader) for _ in range(max(1, size.images // batch))]
    del loader
    views: list[View] = validation_views(size.validation, size.side)
    out.mkdir(parents=True, exist_ok=True)
    backend = JournalFileBackend(str(out / "journal.log"))
    study = optuna.create_study(
        study_name=STUDY,
        storage=optuna.storages.JournalStorage(backend),
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=size.seed, n_startup_trials=8, multivariate=True, constant_liar=True),
        load_if_exists=True,
    )
    end = time.monotonic() + 60 * size.minutes
    while time.monotonic() < end:
        trial = study.ask()
        coefficients, clip = suggested(trial)
        found, _ = objective(fine_tuned(base, batches, size.steps, coefficients, clip), views)
        for name, value in asdict(found).items():
            trial.set_user_attr(name, value)
        study.tell(trial, found.value)
        tell("trial", {"number": trial.number, **{k: round(v, 4) for k, v in asdict(found).items()}})
    write_best(study, out)


def write_best(study: optuna.Study, out: Path) -> None:
    """``best.json`` (coefficients and clip, as train.py reads them) and ``trials.json`` (all of them)."""
    (out / "best.json").write_text(json.dumps(study.best_trial.params, indent=1), "utf-8")
    done = [t for t in study.trials if t.value is not None]
    rows = [{"number": t.number, "params": t.params, **t.user_attrs} for t in done]
    (out / "trials.json").write_text(json.dumps(rows, indent=1), "utf-8")


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=4.0, help="no trial starts after this")
    parser.add_argument("--images", type=int, default=2400, help="training images, the same for every trial")
    parser.add_argument("--steps", type=int, default=250, help="steps of a trial, 16 images each")
    parser.add_argument("--side", type=int, default=640)
    parser.add_argument("--workers", type=int, default=15)
    parser.add_argument("--validation", type=int, default=160)
    parser.add_argument("--seed", type=int, default=0, help="give each process its own")
    given = vars(parser.parse_args())
    search(given.pop("weights"), given.pop("out"), Size(**given))


if __name__ == "__main__":
    main()

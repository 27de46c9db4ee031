"""Train the text detector: ``python -m deidra.models.training.train --out RUN`` (with torchrun on several GPUs).

The length of a run is given in minutes, since that is what is scarce; the learning rate follows the
share of the time that is used. A run goes on from its checkpoint if there is one.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, distributed, nn
from torch.utils.data import DataLoader

from deidra.app.domain.errors import KnownError
from deidra.models.training.data import MIX, Mix, Views, collate
from deidra.models.training.measure import objective, validation_views
from deidra.models.training.network import Detector
from deidra.models.training.running import Course, Place, stepped
from deidra.models.training.targets import Batch, Losses, Truth, losses, padded
from deidra.models.training.tell import tell
from deidra.models.training.variational import Coefficients
from deidra.models.training.weights import load_backbone, load_weights

CLIP = 1.55
"""Norm at which gradients are clipped, as the search chose it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One run. ``batch`` and ``workers`` are those of one process; ``minutes`` are those of training alone."""

    out: Path
    minutes: float
    steps: int
    batch: int
    side: int
    workers: int
    rate: float
    seed: int
    echo: int
    mix: Mix
    anatomy: Path | None
    weights: Path | None
    backbone: Path | None
    coefficients: Coefficients
    validation: int
    clip: float = CLIP
    head: bool = False
    frozen: int = 0
    still: bool = False


class Trainee(nn.Module):
    """The network with its losses, as one module that several processes can share."""

    def __init__(self, detector: Detector, coefficients: Coefficients, amp: bool) -> None:
        super().__init__()
        self.detector = detector
        self._coefficients, self._amp = coefficients, amp

    def forward(self, images: Tensor, truth: Batch) -> Losses:
        """All parts of the loss."""
        return losses(self.detector, images, truth, self._coefficients, self._amp)


def optimizer(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    """AdamW; the variational layers have their own prior instead of weight decay."""
    plain: list[nn.Parameter] = []
    decayed: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            prior = name.startswith("head.") and not name.startswith("head.reduce")
            (plain if parameter.ndim < 2 or prior else decayed).append(parameter)
    groups = [{"params": decayed, "weight_decay": 0.02}, {"params": plain, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.99), fused=torch.cuda.is_available())


def descend(
    trainee: nn.Module, descent: torch.optim.Optimizer, images: Tensor, truths: list[Truth], clip: float
) -> tuple[Losses, Tensor]:
    """One step on a batch; returns the losses and the norm of the gradient before it was clipped.

    A step whose gradient is not finite is left out.
    """
    device = next(p for group in descent.param_groups for p in group["params"]).device
    parts: Losses = trainee(images.to(device, non_blocking=True), padded(truths, device))
    norm = stepped(descent, parts.total(), clip)
    return parts, norm


class Run(Course[Detector]):
    """One run of training the detector."""

    def __init__(self, settings: Settings) -> None:
        self._settings, place = settings, Place.here()
        torch.manual_seed(settings.seed + place.rank)
        self.detector = Detector()
        if settings.backbone:
            load_backbone(self.detector, settings.backbone)
        if settings.weights:
            load_weights(self.detector, settings.weights)
        self.detector.to(place.device).to(memory_format=torch.channels_last)
        if settings.head:
            self.detector.freeze_all_but_head()
        self.detector.backbone.freeze(settings.frozen)
        super().__init__(settings, place, self.detector, optimizer(self.detector, settings.rate), "images")

    def _batches(self) -> Iterator[tuple[Tensor, list[Truth]]]:
        settings, place = self._settings, self._place
        first = settings.seed + self.examples
        views = Views(settings.side, first, place.rank, place.world, settings.echo, settings.mix, settings.anatomy)
        if views.anatomy and place.rank == 0:
            tell("anatomy", {"pictures": len(views.anatomy), "unreadable": views.anatomy.unreadable})
        loader = DataLoader(
            views,
            settings.batch,
            num_workers=settings.workers,
            collate_fn=collate,
            pin_memory=place.cuda,
            prefetch_factor=2 if settings.workers else None,
        )
        yield from loader

    def learn(self) -> None:
        """Train to the end of the run, then save and report."""
        settings, place = self._settings, self._place
        trainee = place.shared(Trainee(self.detector, settings.coefficients, place.cuda))
        batches = self._batches()
        next(batches)  # the workers are up: the clock starts now
        self.detector.train(not settings.head)  # what is not learnt keeps its statistics
        self.detector.backbone.freeze(settings.frozen)
        if settings.still:
            for module in self.detector.modules():
                if isinstance(module, nn.BatchNorm2d):
                    module.eval()

        def step(batch: tuple[Tensor, list[Truth]]) -> tuple[dict[str, Tensor], Tensor]:
            parts, norm = descend(trainee, self._descent, *batch, settings.clip)
            return parts._asdict(), norm

        self.go(batches, step)
        if place.rank == 0:
            self._report()
        place.wait()

    def _report(self) -> None:
        settings = self._settings
        report = self.report(settings)
        if settings.validation:
            found, response = objective(self.average.model, validation_views(settings.validation, settings.side))
            report |= {"objective": asdict(found), "noise": asdict(response)}
            tell("objective", asdict(found))
        (settings.out / "report.json").write_text(json.dumps(report, indent=1), "utf-8")


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the run")
    parser.add_argument("--minutes", type=float, default=8.0, help="length of the training")
    parser.add_argument("--steps", type=int, default=0, help="length in steps instead of minutes")
    parser.add_argument("--batch", type=int, default=32, help="images of a step, each process")
    parser.add_argument("--side", type=int, default=640, help="pixels of a side of the images")
    parser.add_argument("--workers", type=int, default=15, help="processes that make images, each process")
    parser.add_argument("--rate", type=float, default=1e-3, help="highest learning rate")
    parser.add_argument("--seed", type=int, default=1_000_000, help="number of the first scene")
    parser.add_argument("--echo", type=int, default=2, help="views of each scene")
    parser.add_argument("--papers", type=float, default=MIX.papers, help="share of the papers' suite")
    parser.add_argument("--anatomy", type=Path, help="folder of PNG files without text, behind some scenes")
    parser.add_argument("--anatomy-share", type=float, default=MIX.anatomy, help="share of scenes on these")
    parser.add_argument("--empty", type=float, default=MIX.empty, help="share of those without any text")
    parser.add_argument(
        "--rendered", type=float, default=MIX.rendered, help="share of views stretched as the product does"
    )
    parser.add_argument("--weights", type=Path, help="weights to go on from")
    parser.add_argument("--backbone", type=Path, help="ImageNet weights of MobileNetV2")
    parser.add_argument("--validation", type=int, default=300, help="images to validate on at the end")
    parser.add_argument("--frozen", type=int, default=0, help="first stages of the backbone that stay as they are")
    parser.add_argument("--head", action="store_true", help="learn the head alone")
    parser.add_argument("--still", action="store_true", help="normalisation keeps its statistics")
    parser.add_argument("--coefficients", type=Path, help="JSON of loss coefficients and clip (see search)")
    return parser


def main() -> None:
    """Entry point."""
    given = vars(arguments().parse_args())
    chosen = given.pop("coefficients")
    found = json.loads(chosen.read_text("utf-8")) if chosen else {}
    clip = found.pop("clip", CLIP)
    mix = Mix(given.pop("papers"), given.pop("anatomy_share"), given.pop("empty"), given.pop("rendered"))
    try:
        Run(Settings(**given, mix=mix, coefficients=Coefficients(**found), clip=clip)).learn()
    except KnownError as error:
        sys.exit(f"{error} {error.advice}".strip())
    finally:
        if distributed.is_initialized():
            distributed.destroy_process_group()


if __name__ == "__main__":
    main()

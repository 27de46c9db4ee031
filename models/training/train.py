"""Train the text detector: ``python -m deidra.models.training.train --out RUN`` (with torchrun on several GPUs).

The length of a run is given in minutes, since that is what is scarce; the learning rate follows the
share of the time that is used. A run goes on from its checkpoint if there is one.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from deidra.app.domain.errors import KnownError
from deidra.models.training.data import MIX, Mix, Views, collate
from deidra.models.training.measure import objective, validation_views
from deidra.models.training.network import Detector
from deidra.models.training.targets import Batch, Losses, Truth, losses, padded
from deidra.models.training.tell import tell
from deidra.models.training.variational import Coefficients
from deidra.models.training.weights import load_backbone, load_weights, save_weights

CLIP = 1.55
"""Norm at which gradients are clipped, as the search chose it."""
_AGREE = 10
"""Steps after which the processes agree again on how far the run is."""
_NOT_YET = 0.999999
"""Share that a process may reach by itself: only together they end."""
_TELL = 50
_KEEP = 3
"""Minutes after which the run is saved, so that little is lost where it is cut short."""
_TORCHRUN = (("WORLD_SIZE", 1), ("RANK", 0), ("LOCAL_RANK", 0))


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


class Average:
    """Exponential moving average of all parameters and buffers; what is validated and shipped."""

    def __init__(self, model: Detector, decay: float = 0.998) -> None:
        self.model = copy.deepcopy(model).eval()
        self.steps = 0
        self._decay = decay
        pairs = list(zip(self.model.state_dict().values(), model.state_dict().values(), strict=True))
        self._mine = [mine for mine, _ in pairs if mine.dtype.is_floating_point]
        self._theirs = [theirs for _, theirs in pairs if theirs.dtype.is_floating_point]

    @torch.no_grad()
    def update(self) -> None:
        """Move a little towards the trained weights; quickly at first."""
        self.steps += 1
        decay = min(self._decay, (1 + self.steps) / (10 + self.steps))
        torch._foreach_lerp_(self._mine, self._theirs, 1 - decay)


def learning_rate(share: float, peak: float) -> float:
    """Warm-up over the first 4 % of the run, then half a cosine down to 1 % of ``peak``."""
    if share < 0.04:
        return peak * (0.05 + 0.95 * share / 0.04)
    return peak * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(1.0, (share - 0.04) / 0.96))))


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
    parameters = [p for group in descent.param_groups for p in group["params"]]
    device = parameters[0].device
    parts: Losses = trainee(images.to(device, non_blocking=True), padded(truths, device))
    descent.zero_grad(set_to_none=True)
    torch.autograd.backward(parts.total())
    norm = nn.utils.clip_grad_norm_(parameters, clip)
    if torch.isfinite(norm):
        descent.step()
    return parts, norm


@dataclass(frozen=True, slots=True)
class Place:
    """Where this process stands among those that train together."""

    world: int
    rank: int
    device: torch.device

    @classmethod
    def here(cls) -> Place:
        """As torchrun tells; alone without it."""
        world, rank, local = (int(os.environ.get(k, d)) for k, d in _TORCHRUN)
        cuda = torch.cuda.is_available()
        device = torch.device("cuda", local) if cuda else torch.device("cpu")
        if cuda:
            torch.cuda.set_device(device)
            torch.set_float32_matmul_precision("high")
        if world > 1 and not distributed.is_initialized():
            distributed.init_process_group("nccl" if cuda else "gloo")
        return cls(world, rank, device)

    def agreed(self, share: float) -> float:
        """The largest share that any process knows of: all must stop at the same step."""
        if self.world == 1:
            return share
        value = torch.tensor([share], device=self.device)
        distributed.all_reduce(value, distributed.ReduceOp.MAX)
        return float(value)


class Run:
    """One run of training: the network, its average, the optimiser, and how far it is."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._place = settings, Place.here()
        torch.manual_seed(settings.seed + self._place.rank)
        self.detector = Detector()
        if settings.backbone:
            load_backbone(self.detector, settings.backbone)
        if settings.weights:
            load_weights(self.detector, settings.weights)
        self.detector.to(self._place.device).to(memory_format=torch.channels_last)
        if settings.head:
            self.detector.freeze_all_but_head()
        self.detector.backbone.freeze(settings.frozen)
        self.average = Average(self.detector)
        self._descent = optimizer(self.detector, settings.rate)
        settings.out.mkdir(parents=True, exist_ok=True)
        self._checkpoint = settings.out / "checkpoint.pt"
        self._step, self._used = 0, 0.0
        self._history: list[dict[str, float]] = []
        if self._checkpoint.is_file():
            self._resume()

    def _resume(self) -> None:
        kept = torch.load(self._checkpoint, map_location=self._place.device, weights_only=True)
        self.detector.load_state_dict(kept["model"])
        self.average.model.load_state_dict(kept["average"])
        self._descent.load_state_dict(kept["descent"])
        self._step, self._used = kept["step"], kept["used"]
        self.average.steps = self._step

    def _batches(self) -> Iterator[tuple[Tensor, list[Truth]]]:
        settings, place = self._settings, self._place
        first = settings.seed + self._step * settings.batch * place.world
        views = Views(settings.side, first, place.rank, place.world, settings.echo, settings.mix, settings.anatomy)
        if views.anatomy and place.rank == 0:
            tell("anatomy", {"pictures": len(views.anatomy), "unreadable": views.anatomy.unreadable})
        loader = DataLoader(
            views,
            settings.batch,
            num_workers=settings.workers,
            collate_fn=collate,
            pin_memory=place.device.type == "cuda",
            prefetch_factor=2 if settings.workers else None,
        )
        yield from loader

    def learn(self) -> None:
        """Train to the end of the run, then save."""
        settings, place = self._settings, self._place
        trainee: nn.Module = Trainee(self.detector, settings.coefficients, place.device.type == "cuda")
        if place.world > 1:
            ids = [place.device] if place.device.type == "cuda" else None
            trainee = DistributedDataParallel(trainee, device_ids=ids, gradient_as_bucket_view=True)
        batches = self._batches()
        next(batches)  # the workers are up: the clock starts now
        began = time.monotonic() - self._used
        self.detector.train(not settings.head)  # what is not learnt keeps its statistics
        self.detector.backbone.freeze(settings.frozen)
        if settings.still:
            for module in self.detector.modules():
                if isinstance(module, nn.BatchNorm2d):
                    module.eval()
        clock, kept = Clock(), self._used
        while (share := self._share(time.monotonic() - began)) < 1:
            for group in self._descent.param_groups:
                group["lr"] = learning_rate(share, settings.rate)
            with clock.waiting():
                images, truths = next(batches)
            parts, norm = descend(trainee, self._descent, images, truths, settings.clip)
            self.average.update()
            self._step += 1
            if place.rank == 0 and (self._step % _TELL == 0 or self._step == 1):
                self._tell(parts, norm, share, clock)
            self._used = time.monotonic() - began
            if place.rank == 0 and self._used - kept > 60 * _KEEP:
                self._save()
                kept = self._used
        if place.rank == 0:
            self._save()
            count = self._step * settings.batch * place.world
            _report(self.average.model, settings, self._history, count, self._used)
        if place.world > 1:
            distributed.barrier()

    def _share(self, elapsed: float) -> float:
        settings = self._settings
        if settings.steps:
            return self._step / settings.steps
        share = elapsed / (60 * settings.minutes)
        # To agree costs a wait for the slowest process, so it is done now and then.
        return self._place.agreed(share) if self._step % _AGREE == 0 else min(share, _NOT_YET)

    def _tell(self, parts: Losses, norm: Tensor, share: float, clock: Clock) -> None:
        row = {name: round(float(value.detach()), 4) for name, value in parts._asdict().items()}
        seconds, waited = clock.lap()
        images = _TELL * self._settings.batch * self._place.world
        row |= {"step": self._step, "share": round(share, 3), "norm": round(float(norm), 2)}
        row |= {"waited": round(waited / seconds, 3), "images_per_s": round(images / seconds, 1)}
        self._history.append(row)
        tell("step", row)

    def _save(self) -> None:
        kept: dict[str, object] = {"model": self.detector.state_dict(), "average": self.average.model.state_dict()}
        kept |= {"descent": self._descent.state_dict(), "step": self._step, "used": self._used}
        torch.save(kept, whole := self._checkpoint.with_suffix(".part"))
        whole.replace(self._checkpoint)
        save_weights(self.average.model, self._settings.out / "weights.pt")


class Clock:
    """How long a stretch of steps took, and how much of it was waiting for images; seconds."""

    def __init__(self) -> None:
        self._began, self._waited = time.monotonic(), 0.0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count what is done inside as waiting."""
        asked = time.monotonic()
        yield
        self._waited += time.monotonic() - asked

    def lap(self) -> tuple[float, float]:
        """Seconds and seconds of waiting since the last lap."""
        now = time.monotonic()
        result = now - self._began, self._waited
        self._began, self._waited = now, 0.0
        return result


def _report(model: Detector, settings: Settings, history: list[dict[str, float]], images: int, seconds: float) -> None:
    report: dict[str, object] = {"images": images, "seconds": round(seconds, 1), "history": history}
    report["settings"] = {k: str(v) if isinstance(v, Path) else v for k, v in asdict(settings).items()}
    report["torch"] = torch.__version__
    report["card"] = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    if settings.validation:
        found, response = objective(model, validation_views(settings.validation, settings.side))
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

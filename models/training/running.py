"""What the training of any network needs: processes that go together, the pace, an average, a checkpoint."""

from __future__ import annotations

import copy
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from deidra.models.training.tell import tell
from deidra.models.training.weights import save_weights

KEEP = 3
"""Minutes after which the run is saved, so that little is lost where it is cut short."""
_AGREE = 10
"""Steps after which the processes agree again on how far the run is."""
_NOT_YET = 0.999999
"""Share that a process may reach by itself: only together they end."""
_TELL = 50
_TORCHRUN = (("WORLD_SIZE", 1), ("RANK", 0), ("LOCAL_RANK", 0))

M = TypeVar("M", bound=nn.Module)
B = TypeVar("B")


class Average(Generic[M]):
    """Exponential moving average of all parameters and buffers; what is validated and shipped."""

    def __init__(self, model: M, decay: float = 0.998) -> None:
        self.model: M = copy.deepcopy(model).eval()
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


def stepped(descent: torch.optim.Optimizer, total: Tensor, clip: float) -> Tensor:
    """One step down from a loss; returns the norm of the gradient before it was clipped.

    A step whose gradient is not finite is left out.
    """
    parameters = [p for group in descent.param_groups for p in group["params"]]
    descent.zero_grad(set_to_none=True)
    torch.autograd.backward(total)
    norm = nn.utils.clip_grad_norm_(parameters, clip)
    if torch.isfinite(norm):
        descent.step()
    return norm


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

    @property
    def cuda(self) -> bool:
        """Whether this process has a card."""
        return self.device.type == "cuda"

    def agreed(self, share: float) -> float:
        """The largest share that any process knows of: all must stop at the same step."""
        if self.world == 1:
            return share
        value = torch.tensor([share], device=self.device)
        distributed.all_reduce(value, distributed.ReduceOp.MAX)
        return float(value)

    def shared(self, module: nn.Module) -> nn.Module:
        """The module, its gradients averaged over all processes."""
        if self.world == 1:
            return module
        ids = [self.device] if self.cuda else None
        return DistributedDataParallel(module, device_ids=ids, gradient_as_bucket_view=True)

    def wait(self) -> None:
        """Until all processes are here."""
        if self.world > 1:
            distributed.barrier()


class Clock:
    """How long a stretch of steps took, and how much of it was waiting for data; seconds."""

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


class Length(Protocol):
    """The part of a run's settings that says how long it is: ``steps`` if any, else ``minutes`` of training alone.

    ``batch`` is that of one process, ``out`` the folder of the run.
    """

    @property
    def out(self) -> Path:
        """Folder."""

    @property
    def minutes(self) -> float:
        """Minutes."""

    @property
    def steps(self) -> int:
        """Steps, 0 for none."""

    @property
    def batch(self) -> int:
        """Examples of a step."""


class Course(Generic[M]):
    """One run of training: the network, its average, the optimiser, and how far it is.

    It goes on from its checkpoint if there is one.

    Args:
        length: how long.
        place: of this process.
        model: the network.
        descent: the optimiser; the rates of its groups are the highest of the run.
        examples: what a batch consists of.
    """

    def __init__(self, length: Length, place: Place, model: M, descent: torch.optim.Optimizer, examples: str) -> None:
        self._length, self._place, self._descent, self._examples = length, place, descent, examples
        self._model = model
        self.average = Average(model)
        self._rates = [group["lr"] for group in descent.param_groups]
        length.out.mkdir(parents=True, exist_ok=True)
        self._checkpoint = length.out / "checkpoint.pt"
        self._step, self._used = 0, 0.0
        self._history: list[dict[str, float]] = []
        if self._checkpoint.is_file():
            self._resume()

    def _resume(self) -> None:
        kept = torch.load(self._checkpoint, map_location=self._place.device, weights_only=True)
        self._model.load_state_dict(kept["model"])
        self.average.model.load_state_dict(kept["average"])
        self._descent.load_state_dict(kept["descent"])
        self._step, self._used = kept["step"], kept["used"]
        self.average.steps = self._step

    @property
    def examples(self) -> int:
        """Examples that all processes together have learnt from."""
        return self._step * self._length.batch * self._place.world

    def go(self, batches: Iterator[B], step: Callable[[B], tuple[Mapping[str, Tensor], Tensor]]) -> None:
        """Train to the end of the run, then save.

        Args:
            batches: endless.
            step: learns from a batch; returns the parts of the loss and the norm of the gradient.
        """
        began = time.monotonic() - self._used
        clock, kept = Clock(), self._used
        while (share := self._share(time.monotonic() - began)) < 1:
            for group, rate in zip(self._descent.param_groups, self._rates, strict=True):
                group["lr"] = learning_rate(share, rate)
            with clock.waiting():
                batch = next(batches)
            parts, norm = step(batch)
            self.average.update()
            self._step += 1
            if self._place.rank == 0 and (self._step % _TELL == 0 or self._step == 1):
                self._tell(parts, norm, share, clock)
            self._used = time.monotonic() - began
            if self._place.rank == 0 and self._used - kept > 60 * KEEP:
                self._save()
                kept = self._used
        if self._place.rank == 0:
            self._save()

    def _share(self, elapsed: float) -> float:
        if self._length.steps:
            return self._step / self._length.steps
        share = elapsed / (60 * self._length.minutes)
        # To agree costs a wait for the slowest process, so it is done now and then.
        return self._place.agreed(share) if self._step % _AGREE == 0 else min(share, _NOT_YET)

    def _tell(self, parts: Mapping[str, Tensor], norm: Tensor, share: float, clock: Clock) -> None:
        row = {name: round(float(value.detach()), 4) for name, value in parts.items()}
        seconds, waited = clock.lap()
        examples = _TELL * self._length.batch * self._place.world
        row |= {"step": self._step, "share": round(share, 3), "norm": round(float(norm), 2)}
        row |= {"waited": round(waited / seconds, 3), f"{self._examples}_per_s": round(examples / seconds, 1)}
        self._history.append(row)
        tell("step", row)

    def _save(self) -> None:
        kept: dict[str, object] = {"model": self._model.state_dict(), "average": self.average.model.state_dict()}
        kept |= {"descent": self._descent.state_dict(), "step": self._step, "used": self._used}
        torch.save(kept, whole := self._checkpoint.with_suffix(".part"))
        whole.replace(self._checkpoint)
        save_weights(self.average.model, self._length.out / "weights.pt")

    def report(self, settings: Any) -> dict[str, object]:
        """What a report tells of every run; ``settings`` is a dataclass."""
        report: dict[str, object] = {self._examples: self.examples, "seconds": round(self._used, 1)}
        report["history"] = self._history
        report["settings"] = {k: str(v) if isinstance(v, Path) else v for k, v in asdict(settings).items()}
        report["torch"] = torch.__version__
        report["card"] = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
        return report

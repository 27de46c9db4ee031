"""Train the entity tagger: ``python -m deidra.models.training.tagger_train --out RUN --base FOLDER``.

With torchrun on several GPUs. The length of a run is given in minutes or steps; it goes on from its checkpoint if
there is one. The base is a BERT in the form of MiniLM-L6: ``config.json``, ``model.safetensors``, ``tokenizer.json``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, distributed, nn
from torch.utils.data import DataLoader

from deidra.app.domain.errors import KnownError
from deidra.app.evaluate.entity_figures import Case, by_label, by_source, calibration_figures, overall
from deidra.app.evaluate.entity_sets import Example, Mark
from deidra.app.synth.texts.sample import Split, TextSample
from deidra.models.tagger_pieces import Found, Pieces, found_in, padded, prefix_of, whole
from deidra.models.training.running import Course, Place, stepped
from deidra.models.training.tagger_bases import load_base, load_mpnet, read_tensors
from deidra.models.training.tagger_data import MIX, Batch, Series, Texts, drawn
from deidra.models.training.tagger_network import COEFFICIENTS, Losses, Size, Tagger, losses
from deidra.models.training.tell import tell
from deidra.models.training.variational import Coefficients
from deidra.models.training.weights import load_weights

CLIP = 1.0
"""Norm at which gradients are clipped."""
_TOGETHER = 128
"""Windows that validation reads at once."""
_CALIBRATE_SEED = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """One run.

    ``batch`` and ``workers`` are those of one process; ``rate`` is that of the encoder. ``taught`` is how much the
    teacher counts, whose weights are in ``teacher`` and whose ``config.json`` is in ``teacher_base``; ``tokenizer``
    cuts the texts for both.
    """

    out: Path
    base: Path
    minutes: float
    steps: int
    batch: int
    workers: int
    rate: float
    head_rate: float
    seed: int
    validation: int
    weights: Path | None = None
    tokenizer: Path | None = None
    teacher: Path | None = None
    teacher_base: Path | None = None
    taught: float = 0.0
    mix: tuple[float, ...] = MIX
    coefficients: Coefficients = COEFFICIENTS
    dropout: float = 0.1
    clip: float = CLIP
    split: Split = "calibrate"


class Trainee(nn.Module):
    """The network with its losses, as one module that several processes can share."""

    def __init__(self, tagger: Tagger, coefficients: Coefficients, amp: bool, teacher: Tagger | None = None) -> None:
        super().__init__()
        self.tagger = tagger
        self._coefficients, self._amp = coefficients, amp
        # In a list: it is no part of what is trained.
        self._teachers = [teacher.eval().requires_grad_(False)] if teacher else []

    def forward(self, ids: Tensor, shape: Tensor, mask: Tensor, labels: Tensor) -> Losses:
        """All parts of the loss; arguments as :class:`deidra.models.training.tagger_data.Batch`."""
        with torch.autocast(ids.device.type, torch.bfloat16, enabled=self._amp):
            said = None
            for teacher in self._teachers:
                with torch.no_grad():
                    said, _ = teacher(ids, shape, mask)
            return losses(self.tagger, (ids, shape, mask), labels, self._coefficients, said)


def optimizer(tagger: Tagger, rate: float, head_rate: float) -> torch.optim.Optimizer:
    """AdamW: the encoder slowly; what it has not learnt before, the head and the shapes, quickly.

    The variational head has its prior instead of weight decay.
    """
    decayed: list[nn.Parameter] = []
    plain: list[nn.Parameter] = []
    for name, parameter in tagger.encoder.named_parameters():
        if not name.startswith("shapes."):
            (plain if parameter.ndim < 2 else decayed).append(parameter)
    fresh = [*tagger.head.parameters(), *tagger.encoder.shapes.parameters()]
    groups = [
        {"params": decayed, "weight_decay": 0.01, "lr": rate},
        {"params": plain, "weight_decay": 0.0, "lr": rate},
        {"params": fresh, "weight_decay": 0.0, "lr": head_rate},
    ]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.99), fused=torch.cuda.is_available())


class Run(Course[Tagger]):
    """One run of training the entity tagger."""

    def __init__(self, settings: Settings) -> None:
        self._settings, place = settings, Place.here()
        torch.manual_seed(settings.seed + place.rank)
        size = Size.read(settings.base)
        self.pieces = Pieces.read(settings.tokenizer or settings.base / "tokenizer.json")
        words = len(self.pieces.vocabulary)
        self.tagger = Tagger(replace(size, words=words), settings.dropout)
        self.teacher: Tagger | None = None
        if settings.teacher:
            self.teacher = Tagger(replace(Size.read(settings.teacher_base or settings.base), words=words))
            load_weights(self.teacher, settings.teacher)
            self.teacher.to(place.device)
        if settings.weights:
            load_weights(self.tagger, settings.weights)
        else:
            _take_base(self.tagger, settings.base, self.pieces)
        self.tagger.to(place.device)
        descent = optimizer(self.tagger, settings.rate, settings.head_rate)
        super().__init__(settings, place, self.tagger, descent, "texts")

    def _batches(self) -> Iterator[Batch]:
        settings, place = self._settings, self._place
        # A text gives one input or more, so that hardly any is drawn again after a pause.
        series = Series(settings.seed, self.examples, place.rank, place.world, settings.mix)
        loader = DataLoader(
            Texts(self.pieces, series, settings.batch),
            batch_size=None,
            num_workers=settings.workers,
            pin_memory=place.cuda,
            prefetch_factor=4 if settings.workers else None,
        )
        yield from loader

    def learn(self) -> None:
        """Train to the end of the run, then save and report."""
        settings, place = self._settings, self._place
        trainee = place.shared(Trainee(self.tagger, settings.coefficients, place.cuda, self.teacher))
        batches = self._batches()
        next(batches)  # the workers are up: the clock starts now
        self.tagger.train()

        def step(batch: Batch) -> tuple[dict[str, Tensor], Tensor]:
            parts: Losses = trainee(*(part.to(place.device, non_blocking=True) for part in batch))
            return parts._asdict(), stepped(self._descent, parts.total(settings.taught), settings.clip)

        self.go(batches, step)
        if place.rank == 0:
            self._report()
        place.wait()

    def _report(self) -> None:
        settings = self._settings
        report = self.report(settings)
        if settings.validation:
            texts = validation_texts(settings.validation, settings.mix, settings.split)
            report["figures"] = figures = measured(self.average.model, self.pieces, texts)
            tell("figures", figures["overall"])
        (settings.out / "report.json").write_text(json.dumps(report, indent=1), "utf-8")


def _take_base(tagger: Tagger, base: Path, pieces: Pieces) -> None:
    tensors = read_tensors(base / "model.safetensors")
    if tagger.size.distances:
        theirs = Tokenizer.from_file(str(base / "tokenizer.json")).get_vocab()
        load_mpnet(tagger.encoder, tensors, theirs, pieces.vocabulary)
    else:
        load_base(tagger.encoder, tensors)


def validation_texts(number: int, mix: Sequence[float] = MIX, split: Split = "calibrate") -> list[TextSample]:
    """Texts of a split that shares no names and templates with that of training."""
    return [drawn(split, _CALIBRATE_SEED, i, mix) for i in range(number)]


def measured(tagger: Tagger, pieces: Pieces, texts: Sequence[TextSample]) -> dict[str, Any]:
    """Precision, recall and F of exact spans, and more: of all, by type and by source; calibration of the scores."""
    cases = []
    for made, found in zip(texts, tagged(tagger, pieces, texts), strict=True):
        known = tuple(Mark(span.start, span.end, span.type.value) for span in made.spans)
        said = tuple(Mark(f.start, f.end, f.type.value, f.score, variance=f.variance) for f in found)
        cases.append(Case(Example(made.text, known, made.tag, made.label, made.source), said))
    figures: dict[str, Any] = {"overall": overall(cases), "types": by_label(cases), "sources": by_source(cases)}
    return figures | {"calibration": calibration_figures(cases)}


@torch.no_grad()
def tagged(tagger: Tagger, pieces: Pieces, texts: Iterable[TextSample]) -> Iterator[list[Found]]:
    """What the network finds in each of the texts."""
    device = next(tagger.parameters()).device
    pieced = [pieces.cut(made.text, prefix_of(made.tag, made.label)) for made in texts]
    windows = [pieces.windows(text) for text in pieced]
    rows = [(len(w.row.ids), number, w.first) for number, own in enumerate(windows) for w in own]
    by_place = {(number, w.first): w for number, own in enumerate(windows) for w in own}
    answers: dict[tuple[int, int], tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = {}
    rows.sort()
    for start in range(0, len(rows), _TOGETHER):
        keys = [(number, first) for _, number, first in rows[start : start + _TOGETHER]]
        inputs = padded([by_place[key].row for key in keys])
        probability, variance = tagger(*(torch.from_numpy(part).to(device) for part in inputs))
        answers |= {
            key: (p[: len(by_place[key].row.ids)], v[: len(by_place[key].row.ids)])
            for key, p, v in zip(keys, probability.cpu().numpy(), variance.cpu().numpy(), strict=True)
        }
    for number, (text, own) in enumerate(zip(pieced, windows, strict=True)):
        said = [answers[number, w.first] for w in own]
        p, v = (whole(own, [answer[part] for answer in said], len(text)) for part in (0, 1))
        yield found_in(text, p, v)


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the run")
    parser.add_argument("--base", type=Path, required=True, help="folder of the BERT to begin with")
    parser.add_argument("--minutes", type=float, default=8.0, help="length of the training")
    parser.add_argument("--steps", type=int, default=0, help="length in steps instead of minutes")
    parser.add_argument("--batch", type=int, default=256, help="texts of a step, each process")
    parser.add_argument("--workers", type=int, default=15, help="processes that make texts, each process")
    parser.add_argument("--rate", type=float, default=3e-5, help="highest learning rate of the encoder")
    parser.add_argument("--head-rate", type=float, default=1e-3, help="the same of what is new")
    parser.add_argument("--seed", type=int, default=1, help="number of the series of texts")
    parser.add_argument("--validation", type=int, default=4000, help="texts to validate on at the end")
    parser.add_argument("--weights", type=Path, help="weights to go on from, instead of those of the base")
    parser.add_argument("--split", choices=("calibrate", "test"), default="calibrate", help="where these come from")
    parser.add_argument("--tokenizer", type=Path, help="tokenizer.json to use instead of the base's")
    parser.add_argument("--teacher", type=Path, help="weights of a network to learn from")
    parser.add_argument("--teacher-base", type=Path, help="folder of the teacher's config.json")
    parser.add_argument("--taught", type=float, default=0.0, help="how much the teacher counts, 0 to 1")
    parser.add_argument("--mix", type=float, nargs=len(MIX), default=MIX, help="weights of fields, notes, cells, lines")
    parser.add_argument("--dropout", type=float, default=0.1, help="share of values left out")
    parser.add_argument("--clip", type=float, default=CLIP, help="norm at which gradients are clipped")
    parser.add_argument("--coefficients", type=Path, help="JSON of loss coefficients")
    return parser


def main() -> None:
    """Entry point."""
    given = vars(arguments().parse_args())
    chosen = given.pop("coefficients")
    found = json.loads(chosen.read_text("utf-8")) if chosen else {}
    try:
        Run(Settings(**{**given, "mix": tuple(given["mix"])}, coefficients=replace(COEFFICIENTS, **found))).learn()
    except KnownError as error:
        sys.exit(f"{error} {error.advice}".strip())
    finally:
        if distributed.is_initialized():
            distributed.destroy_process_group()


if __name__ == "__main__":
    main()

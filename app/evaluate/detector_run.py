"""The long part of measuring: images one by one, with a line kept of each, so that a run can be cut off and go on."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from deidra.app.evaluate.detector_cases import NOISE_VIEW, Case, examine, examine_noise, prepare
from deidra.app.evaluate.uncertainty import SNR_LEVELS, Reported
from deidra.app.parallel import Team, team
from deidra.app.progress import Meter, ProgressSink
from deidra.app.synth.scenes.scene import scene
from deidra.models.calibration import Calibration
from deidra.models.registry import registry

MODEL = "deidra-det"
_T = TypeVar("_T")
_COMPARED = 4
"""Images by which it is seen whether the generator or the fonts are still the same."""


@dataclass(frozen=True, slots=True)
class Run:
    """How images are examined.

    Args:
        out: folder for the lines of each image; what is there already is not done again.
        tuned: calibration of the detector.
        split: which synthetic images.
        workers: processes.
        progress: told after each image.
    """

    out: Path
    tuned: Calibration
    split: str = "test"
    workers: int = 1
    progress: ProgressSink | None = None

    def cases(self, suite: str, images: int, ppocr: int = 0) -> list[Case]:
        """Images 0 to ``images`` of a suite, the first ``ppocr`` of them seen by PP-OCR as well."""
        path = self._path(suite)
        known = {c.seed: c for c in _lines(path, Case.from_json)}
        todo = [s for s in range(images) if s not in known or (s < ppocr and known[s].other is None)]
        flags = [s < ppocr for s in todo]
        wanted: list[Sequence[object]] = [[suite] * len(todo), [self.split] * len(todo), todo, flags]
        for line in self._work(path, f"{suite}: images", wanted, examine):
            done = Case.from_json(line)
            known[done.seed] = done
        return [known[s] for s in range(images)]

    def noise(self, suite: str, images: int) -> list[list[Reported]]:
        """What the detector says at each noise level of the first images with text: ``[level][image]``."""
        path = self._path(suite, "noise")
        known = dict(_lines(path, _noise_row))
        seeds = _with_text(suite, self.split, images)
        todo = [s for s in seeds if s not in known]
        wanted: list[Sequence[object]] = [[suite] * len(todo), [self.split] * len(todo), todo]
        for line in self._work(path, f"{suite}: noise", wanted, examine_noise):
            seed, row = _noise_row(line)
            known[seed] = row
        return [[known[s][level] for s in seeds] for level in range(len(SNR_LEVELS))]

    def _path(self, suite: str, what: str = "images") -> Path:
        """Lines made with another model, calibration or generator have another name."""
        entry = registry().get(MODEL)
        view = NOISE_VIEW if what == "noise" else None
        marks = [zlib.crc32(scene(suite, self.split, n, view).image.tobytes()) for n in range(_COMPARED)]
        key = json.dumps([entry.sha256 if entry else "", asdict(self.tuned), view, marks])
        return self.out / f"{suite}-{self.split}-{what}-{hashlib.sha256(key.encode()).hexdigest()[:8]}.jsonl"

    def _work(
        self, path: Path, stage: str, arguments: list[Sequence[object]], work: Callable[..., str]
    ) -> Iterator[str]:
        """Lines of ``work`` on the arguments, each kept before it is told of."""
        count = len(arguments[0])
        if not count:
            return
        meter = Meter(stage, count, self.progress, None)
        self.out.mkdir(parents=True, exist_ok=True)
        with team(self.workers, prepare, self.tuned, self.workers) as crew, path.open("a", encoding="utf-8") as stream:
            yield from _kept(crew, stream.write, stream.flush, meter, work, arguments)


def _kept(
    crew: Team,
    write: Callable[[str], object],
    flush: Callable[[], None],
    meter: Meter,
    work: Callable[..., str],
    arguments: list[Sequence[object]],
) -> Iterator[str]:
    for line in crew.map(work, *arguments):
        # A line that a killed run left unfinished ends here.
        write("\n" + line)
        flush()
        meter.step()
        yield line


def _lines(path: Path, read: Callable[[str], _T]) -> Iterator[_T]:
    """What a file holds, line by line; without lines that are not whole."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            try:
                yield read(line)
            except ValueError:
                continue


def _noise_row(line: str) -> tuple[int, list[Reported]]:
    row = json.loads(line)
    levels = [[np.array(level[n], np.float64) for n in ("variance", "overlap")] for level in row["levels"]]
    return int(row["seed"]), [Reported(np.zeros(len(v)), v, o) for v, o in levels]


def _with_text(suite: str, split: str, images: int) -> list[int]:
    """Numbers of the first images that have texts."""
    seeds: list[int] = []
    number = 0
    while len(seeds) < images:
        if scene(suite, split, number, NOISE_VIEW).texts:
            seeds.append(number)
        number += 1
    return seeds

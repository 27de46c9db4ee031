"""What it costs to find and read the text of images: time and memory, each case in a process of its own.

CPU seconds (user and system, Tesseract's processes included) count from after the models are loaded. The files are
made for the purpose; a series is 300 slices of one chest, a cine 87 frames of a moving organ under text that stands.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydicom import uid as uids
from pydicom.dataset import FileDataset

from deidra.app.decide.policy import load_policy
from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import Asset, AssetKind
from deidra.app.evaluate.usage import cpu_seconds, peak_mb
from deidra.app.metadata.keys import ProjectKey
from deidra.app.progress import Meter, ProgressSink
from deidra.app.stages import MOST_STACKED, StageWorker
from deidra.app.synth import headers, images
from deidra.app.synth.encode import add_pixels, to_levels, write
from deidra.app.synth.exams import identity, make_exams, visit
from deidra.app.synth.headers import Series, Study
from deidra.app.synth.images import Plane, burn, corner, draw_lines
from deidra.app.synth.people import make_cast
from deidra.app.synth.volume import chest_slices
from deidra.models.runtime import DEVICE_VARIABLE, THREADS_VARIABLE

SLICES, FRAMES = 300, 87
_TIMEOUT_S = 3600
_KEY = ProjectKey(bytes(32))
_US = (600, 800)


@dataclass(frozen=True, slots=True)
class PixelCost:
    """What one case costs. ``searched`` of its ``images`` were searched as a whole, the others glanced at."""

    case: str
    images: int
    searched: int
    cpu_seconds: float
    wall_seconds: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class PixelCosts:
    """All cases, and what stacks cost beside images that are searched one by one."""

    cases: tuple[PixelCost, ...]

    def _of(self, case: str) -> float:
        return next(c.cpu_seconds for c in self.cases if c.case == case)

    @property
    def series_in_slices(self) -> float:
        """CPU seconds of the series over those of as many slices that are searched alone."""
        return self._of("CT series") / (SLICES * self._of("CT slice"))

    @property
    def cine_in_frames(self) -> float:
        """CPU seconds of the cine over those of one of its frames alone."""
        return self._of("US cine") / self._of("US frame")


def cost_of_search(progress: ProgressSink | None = None, threads: int = 1) -> PixelCosts:
    """Run every case of :data:`CASES`.

    Args:
        progress: is told how far it is.
        threads: of the networks.

    Raises:
        KnownError: a process failed.
    """
    meter = Meter("cost", len(CASES), progress, None)
    costs = []
    for case in CASES:
        with tempfile.TemporaryDirectory(prefix="deidra-bench-") as folder:
            for number, dataset in enumerate(CASES[case]()):
                (Path(folder) / f"{number:04d}.dcm").write_bytes(write(dataset))
            costs.append(_in_process(case, folder, threads))
        meter.step()
    return PixelCosts(tuple(costs))


def _in_process(case: str, folder: str, threads: int) -> PixelCost:
    environment = {**os.environ, THREADS_VARIABLE: str(threads), DEVICE_VARIABLE: "cpu"}
    command = [sys.executable, "-W", "ignore", "-m", "deidra.app.evaluate.bench_pixels", folder]
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, check=True, timeout=_TIMEOUT_S, env=environment
        )
        count, searched, cpu, wall, peak = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.SubprocessError, ValueError, IndexError) as error:
        raise KnownError("The cost of a search could not be measured.", "Run: deidra doctor") from error
    return PixelCost(case, count, searched, cpu, wall, peak)


def _study() -> Study:
    return make_exams(make_cast(7)).ct


def _grey(plane: Plane, number: int, modality: str, sop_class: uids.UID) -> FileDataset:
    series = Series(_study(), 2, modality, "THORAX", "CHEST", ("Acme Medical", "Tomograph 64"))
    dataset = headers.base_dataset(series, number, sop_class)
    headers.add_geometry(dataset, series, number, 0.78)
    dataset.RescaleIntercept, dataset.RescaleSlope = "-1024", "1"
    dataset.WindowCenter, dataset.WindowWidth = "40", "400"
    add_pixels(dataset, to_levels(plane * 0.5, 12), "MONOCHROME2", 12)
    dataset.file_meta.TransferSyntaxUID = uids.ExplicitVRLittleEndian
    return dataset


def _slices(count: int) -> Iterator[FileDataset]:
    for number, plane in enumerate(chest_slices(count), 1):
        yield _grey(plane, number, "CT", uids.CTImageStorage)


def _one_slice() -> Iterator[FileDataset]:
    yield _grey(list(chest_slices(3))[1], 1, "CT", uids.CTImageStorage)


def _labelled_slice() -> Iterator[FileDataset]:
    plane = list(chest_slices(3))[1]
    lines = corner(plane.shape, "tl", identity(_study()), 16) + corner(plane.shape, "tr", visit(_study()), 14)
    yield _grey(burn(plane, draw_lines(plane.shape, lines)[0], 2.0), 1, "CT", uids.CTImageStorage)


def _radiograph() -> Iterator[FileDataset]:
    shape = (2500, 2000)
    lines = corner(shape, "tl", identity(_study()), 40) + corner(shape, "br", ["ERECT PA"], 40)
    plane = burn(images.chest(np.random.default_rng(3), shape), draw_lines(shape, lines)[0])
    yield _grey(plane, 1, "DX", uids.DigitalXRayImageStorageForPresentation)


def _ultrasound(count: int) -> Iterator[FileDataset]:
    study = _study()
    lines = corner(_US, "tl", identity(study), 17, "mono") + corner(_US, "tr", visit(study), 16, "mono")
    ink = draw_lines(_US, lines + corner(_US, "bl", ["MI 1.2", "TIS 0.4", "10 cm", "Gn 52"], 16, "mono"))[0]
    planes = (images.ultrasound(np.random.default_rng(n), _US, n * 0.3) for n in range(count))
    frames = np.stack([np.repeat(to_levels(burn(plane, ink), 8)[..., None], 3, 2) for plane in planes])
    series = Series(study, 1, "US", "LIVER LONG AXIS", "ABDOMEN", ("Sonic Works", "Echo 9"))
    kind = uids.UltrasoundMultiFrameImageStorage if count > 1 else uids.UltrasoundImageStorage
    dataset = headers.base_dataset(series, 1, kind)
    add_pixels(dataset, frames if count > 1 else frames[0], "RGB", 8, count if count > 1 else None)
    dataset.file_meta.TransferSyntaxUID = uids.ExplicitVRLittleEndian
    yield dataset


CASES: dict[str, Callable[[], Iterator[FileDataset]]] = {
    "CT slice": _one_slice,
    "CT slice with text": _labelled_slice,
    "CT series": lambda: _slices(SLICES),
    "US frame": lambda: _ultrasound(1),
    "US cine": lambda: _ultrasound(FRAMES),
    "radiograph": _radiograph,
}
"""Name of each case and the files that are searched in it."""


def search(paths: Sequence[Path]) -> tuple[int, int, float, float]:
    """Find and read the text of files as a run does.

    Returns:
        How many images they hold, how many of these were searched whole, CPU and wall seconds.
    """
    worker = StageWorker(_KEY, load_policy("basic"))
    assets = [worker.load(_asset(path)).asset for path in paths]
    # The models are loaded by a first search.
    StageWorker.detect(worker, assets[0])
    cpu, wall = cpu_seconds(), time.perf_counter()
    count = searched = 0
    for first in range(0, len(assets), MOST_STACKED):
        stack = assets[first : first + MOST_STACKED]
        found = worker.detect_stack(stack) if len(assets) > 1 else [(worker.detect(stack[0]), "")]
        count += sum(int(asset.info["frames"]) for asset in stack)
        searched += sum(text.searched for text, _ in found if text)
    return count, searched, cpu_seconds() - cpu, time.perf_counter() - wall


def _asset(path: Path) -> Asset:
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    return Asset(path.stem, str(path), "", digest, len(data), AssetKind.DICOM)


def main() -> None:
    """Entry point of the measuring process: a folder of files; prints what :func:`search` returns, and peak MB."""
    found = search(sorted(Path(sys.argv[1]).glob("*.dcm")))
    sys.stdout.write(json.dumps([*found, peak_mb()]) + "\n")


if __name__ == "__main__":
    main()

"""What searching a picture costs: time and memory of each detector, each measured in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.errors import KnownError
from deidra.app.evaluate.calibrate import uncalibrated
from deidra.app.evaluate.detector_cases import DETECTOR, PPOCR
from deidra.app.evaluate.usage import peak_mb
from deidra.app.progress import Meter, ProgressSink
from deidra.app.synth.scenes.scene import scene
from deidra.models.runtime import DEVICE_VARIABLE, THREADS_VARIABLE
from deidra.models.text_detector import PPOCRDetector, TextDetector
from deidra.models.variational_detector import VariationalDetector

SIDES = (512, 768, 1024, 2500)
THREADS = (1, 2)
ROUNDS = 3
_TIMEOUT_S = 900


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one detector on a square picture: best of some rounds in milliseconds, peak memory in MB (0 where unknown)."""

    agent: str
    side: int
    threads: int
    cpu_ms: float
    wall_ms: float
    peak_mb: float


def measure_cost(
    sides: Sequence[int] = SIDES, threads: Sequence[int] = THREADS, progress: ProgressSink | None = None
) -> list[Cost]:
    """Every combination, each in a fresh process.

    Raises:
        KnownError: a process failed.
    """
    jobs = [(agent, side, count) for side in sides for count in threads for agent in (DETECTOR, PPOCR)]
    meter = Meter("cost", len(jobs), progress, None)
    results = []
    for agent, side, count in jobs:
        results.append(_in_process(agent, side, count))
        meter.step()
    return results


def _in_process(agent: str, side: int, threads: int) -> Cost:
    environment = {**os.environ, THREADS_VARIABLE: str(threads), DEVICE_VARIABLE: "cpu"}
    command = [sys.executable, "-W", "ignore", "-m", "deidra.app.evaluate.detector_cost", agent, str(side)]
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, check=True, timeout=_TIMEOUT_S, env=environment
        )
        cpu, wall, peak = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.SubprocessError, ValueError, IndexError) as error:
        raise KnownError("The cost of a detector could not be measured.", "Run: deidra doctor") from error
    return Cost(agent, side, threads, cpu, wall, peak)


def square(side: int) -> NDArray[np.uint8]:
    """A square picture ``(side, side, 3)`` of a machine, with text, repeated where it is smaller."""
    made = next(s for s in (scene("machines", "test", n, (side, side)) for n in range(100)) if s.texts)
    rows, columns = (-(-side // n) for n in made.image.shape[:2])
    return np.ascontiguousarray(np.tile(made.image, (rows, columns, 1))[:side, :side])


def time_detector(detector: TextDetector, picture: NDArray[np.uint8], rounds: int = ROUNDS) -> tuple[float, float]:
    """CPU and wall milliseconds of the best round, after one that is not counted."""
    detector.detect(picture)
    best = (float("inf"), float("inf"))
    for _ in range(rounds):
        cpu, wall = time.process_time(), time.perf_counter()
        detector.detect(picture)
        best = min(best, (1000 * (time.process_time() - cpu), 1000 * (time.perf_counter() - wall)))
    return round(best[0], 1), round(best[1], 1)


def main() -> None:
    """Entry point of the measuring process: agent and side; prints CPU ms, wall ms and peak MB."""
    agent, side = sys.argv[1], int(sys.argv[2])
    # Where the threshold lies makes no difference to the time.
    detector: TextDetector = VariationalDetector(tuned=uncalibrated()) if agent == DETECTOR else PPOCRDetector()
    cpu, wall = time_detector(detector, square(side))
    sys.stdout.write(json.dumps([cpu, wall, peak_mb()]) + "\n")


if __name__ == "__main__":
    main()

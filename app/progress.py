"""Progress of long work, and the means to pause or stop it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tqdm import tqdm

from deidra.app.domain.errors import Cancelled


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """How far one stage is: ``rate`` in items a second (0 while unknown), ``eta_s`` in seconds."""

    stage: str
    done: int
    total: int
    rate: float
    eta_s: float | None


ProgressSink = Callable[[ProgressEvent], None]


class Bars:
    """One progress bar a stage on stderr, with rate and ETA.

    Args:
        unit: what is counted.
        pause_s: seconds between two lines where stderr is no terminal; silent there if None.
    """

    def __init__(self, unit: str, pause_s: float | None = None) -> None:
        self._bar: tqdm[Any] | None = None
        self._stage = ""
        self._unit, self._pause_s = unit, pause_s

    def __call__(self, event: ProgressEvent) -> None:
        """Show how far a stage is."""
        if event.stage != self._stage:
            self.close()
            self._stage = event.stage
            terminal = sys.stderr.isatty()
            self._bar = tqdm(
                total=event.total,
                desc=event.stage,
                unit=self._unit,
                mininterval=0.1 if terminal else self._pause_s or 0.1,
                disable=not terminal and self._pause_s is None,
            )
        if self._bar is not None:
            self._bar.update(event.done - self._bar.n)

    def close(self) -> None:
        """End the bar of the last stage."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class Control:
    """Pause, resume and cancel from any thread; the worker calls :meth:`checkpoint` between items."""

    def __init__(self) -> None:
        self._go = threading.Event()
        self._go.set()
        self._cancelled = False

    def pause(self) -> None:
        """Hold the worker at its next checkpoint."""
        self._go.clear()

    def resume(self) -> None:
        """Let the worker go on."""
        self._go.set()

    def cancel(self) -> None:
        """Stop the worker at its next checkpoint; finished items stay."""
        self._cancelled = True
        self._go.set()

    @property
    def paused(self) -> bool:
        """True while held."""
        return not self._go.is_set()

    @property
    def cancelled(self) -> bool:
        """True once cancelled."""
        return self._cancelled

    def checkpoint(self) -> None:
        """Wait while paused.

        Raises:
            Cancelled: the work was cancelled.
        """
        self._go.wait()
        if self._cancelled:
            raise Cancelled


class Meter:
    """Counts the items of one stage and tells the sink after each."""

    def __init__(self, stage: str, total: int, sink: ProgressSink | None, control: Control | None) -> None:
        self._stage = stage
        self._total = total
        self._sink = sink
        self._control = control
        self._done = 0
        self._started = time.monotonic()
        self._report()

    def checkpoint(self) -> None:
        """See :meth:`Control.checkpoint`."""
        if self._control is not None:
            self._control.checkpoint()

    def step(self) -> None:
        """One item is finished."""
        self._done += 1
        self._report()

    def _report(self) -> None:
        if self._sink is None:
            return
        elapsed = time.monotonic() - self._started
        rate = self._done / elapsed if self._done and elapsed > 0 else 0.0
        eta = (self._total - self._done) / rate if rate else None
        self._sink(ProgressEvent(self._stage, self._done, self._total, rate, eta))

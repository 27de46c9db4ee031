"""Making and settling released files in one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from deidra.app.decide.policy import Policy
from deidra.app.domain.model import Asset, Finding
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.release.export import Exporter, FileMaker, Order, Written


class OneByOne:
    """Writes assets into a release folder, one after the other."""

    def __init__(
        self,
        folder: Path,
        engine: HeaderEngine,
        policy: Policy,
        rescanner: Any,
        subject_of: Callable[[Asset], Subject],
        accept: bool,
    ) -> None:
        self._maker = FileMaker(folder, engine, policy, rescanner, accept)
        self._exporter = Exporter(folder)
        self._subject_of = subject_of

    def write(self, asset: Asset, findings: Sequence[Finding]) -> Written:
        """What becomes of one asset."""
        return self._exporter.settle(self._maker.make(Order(asset, findings, self._subject_of(asset))))

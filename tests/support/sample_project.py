"""What the end-to-end tests share: the sample set and a finished project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deidra.app.workflow import RunSummary


@dataclass(frozen=True)
class Sample:
    """The sample's folder and its answer key."""

    folder: Path
    key: dict[str, Any]

    @property
    def inputs(self) -> list[Path]:
        return [self.folder / "dicom", self.folder / "scans"]

    def location(self, relative: str) -> str:
        """The asset location of a file of the answer key."""
        path, _, member = relative.partition("!")
        return f"{(self.folder / path).absolute()}" + (f"!{member}" if member else "")


@dataclass(frozen=True)
class Finished:
    """A project after its run; copy it before changing it."""

    folder: Path
    sample: Sample
    summary: RunSummary

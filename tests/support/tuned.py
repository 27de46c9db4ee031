"""A made-up calibration of the variational detector, with numbers that are easy to reckon with."""

from __future__ import annotations

import pytest

from deidra.models.calibration import Calibration

TUNED = Calibration(
    lowest=0.0,
    highest=0.02,
    paper_threshold=0.25,
    scores=(0.0, 0.5, 1.0),
    right=(0.0, 0.4, 1.0),
    least_score=0.1,
    missed=0.005,
    sure=0.9,
    wrong=0.01,
)


def use_tuned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whoever asks for the calibration get the made-up one."""
    for module in ("deidra.app.detect.boxes", "deidra.app.decide.verdict"):
        monkeypatch.setattr(f"{module}.calibration", lambda: TUNED)

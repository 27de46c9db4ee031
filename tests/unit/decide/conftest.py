from __future__ import annotations

import pytest
from tuned import use_tuned

from deidra.app.metadata.keys import ProjectKey


@pytest.fixture
def key() -> ProjectKey:
    return ProjectKey(bytes(range(32)))


@pytest.fixture(autouse=True)
def tuned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The calibration that :mod:`tuned` makes up."""
    use_tuned(monkeypatch)

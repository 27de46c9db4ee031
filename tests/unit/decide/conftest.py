from __future__ import annotations

import pytest

from deidra.app.metadata.keys import ProjectKey


@pytest.fixture
def key() -> ProjectKey:
    return ProjectKey(bytes(range(32)))

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, Asset, AssetKind, Evidence, Finding, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.storage import ProjectStore
from deidra.storage.database import sqlite_url


@pytest.fixture
def db_path(tmp_path: Path) -> Path:
    return tmp_path / "project.db"


@pytest.fixture
def store(db_path: Path) -> Iterator[ProjectStore]:
    opened = ProjectStore(sqlite_url(db_path))
    yield opened
    opened.close()


@pytest.fixture
def raw(store: ProjectStore, db_path: Path) -> Iterator[sqlite3.Connection]:
    """A second connection that does not go through Deidra."""
    connection = sqlite3.connect(db_path, timeout=1)
    yield connection
    connection.close()


@pytest.fixture
def asset() -> Callable[..., Asset]:
    def make(name: str = "a", **changes: object) -> Asset:
        plain = Asset(name, f"/in/{name}.dcm", "", "0" * 64, 10, AssetKind.DICOM)
        return replace(plain, **changes)

    return make


@pytest.fixture
def finding() -> Callable[..., Finding]:
    def make(name: str, asset_id: str = "a", **changes: object) -> Finding:
        plain = Finding(
            id=name,
            asset_id=asset_id,
            frame=0,
            page=None,
            polygon=box_polygon(1, 2, 30, 12),
            tag=None,
            text=f"text of {name}",
            type=EntityType.PATIENT,
            score=0.5,
            variance=0.01,
            risk=40.0,
            verdict=Verdict.QUEUE,
            action=Action.REDACT,
            evidence=(Evidence("rules", "x", EntityType.PATIENT, 0.5, 0.01, "why"),),
        )
        return replace(plain, **changes)

    return make

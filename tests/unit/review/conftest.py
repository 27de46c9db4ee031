from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, Asset, AssetKind, Finding, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.review import ReviewDesk
from deidra.storage import ProjectStore
from deidra.storage.database import sqlite_url


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[Callable[[], ProjectStore]]:
    """Opens the project anew each time, as after a restart."""
    opened: list[ProjectStore] = []

    def again() -> ProjectStore:
        opened.append(ProjectStore(sqlite_url(tmp_path / "project.db")))
        return opened[-1]

    yield again
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[[], ProjectStore]) -> ProjectStore:
    store = open_store()
    store.assets.add([Asset("a", "/in/a", "", "", 1, AssetKind.DICOM)])
    plain = {"frame": 0, "page": None, "polygon": box_polygon(0, 0, 9, 9), "tag": None, "type": EntityType.PATIENT}
    store.findings.replace(
        "a",
        [
            Finding(
                id=name,
                asset_id="a",
                text=name,
                score=0.5,
                variance=variance,
                risk=50,
                verdict=verdict,
                action=Action.REDACT,
                proposal=proposal,
                **plain,
            )
            for name, variance, verdict, proposal in (
                ("f1", 0.0, Verdict.QUEUE, "Doe"),
                ("f2", 0.2, Verdict.QUEUE, None),
                ("f3", 0.1, Verdict.QUEUE, "Roe"),
                ("auto", 0.0, Verdict.AUTO, "Poe"),
            )
        ],
    )
    return store


@pytest.fixture
def desk(store: ProjectStore) -> ReviewDesk:
    return ReviewDesk(store)

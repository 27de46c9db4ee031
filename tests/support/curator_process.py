"""A curator in a process of its own. Here, since a new process finds modules of this folder and none of the tests."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from deidra.app.domain.errors import StoreError
from deidra.app.domain.model import DecisionKind
from deidra.storage import ProjectStore
from deidra.storage.database import sqlite_url
from deidra.storage.decisions import Choice

KEEP = DecisionKind.KEEP
T = TypeVar("T")


def _patiently(work: Callable[[], T]) -> T:
    """As a person does who reads that the database is locked: try again. A busy machine may starve one of the two."""
    for _ in range(20):
        try:
            return work()
        except StoreError as error:
            if "locked" not in str(error):
                raise
    return work()


def work_through(path: Path, name: str, start: object, results: object) -> None:
    """One curator in a process of its own: takes an item, looks who has it, decides, until nothing waits."""
    store = ProjectStore(sqlite_url(path))
    start.wait()
    done = []
    while (item := _patiently(lambda: store.leases.next(name))) is not None:
        holder = store.leases.held()[item]
        _patiently(partial(store.decisions.apply, "decide", [Choice(item, KEEP)], name, seen={item: None}))
        done.append((item, holder))
        # A person looks at the next item for a while; two that never rest starve each other on SQLite's lock.
        time.sleep(0.02)
    store.close()
    results.put((name, done))

"""The same work on many items, in this process or in several at the same time, with results in order."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any, Protocol, TypeVar

_Result = TypeVar("_Result")
_AHEAD = 3
"""Items on their way for each process: enough to keep all busy, few enough to hold little in memory."""


class Team(Protocol):
    """Whoever does the work."""

    def map(self, work: Callable[..., _Result], /, *arguments: Iterable[Any]) -> Iterator[_Result]:
        """Results in the order of the arguments. In other processes ``work`` runs ahead of them by a few items."""


@contextlib.contextmanager
def team(workers: int, prepare: Callable[..., None], *initial: Any) -> Iterator[Team]:
    """A team for some work.

    Args:
        workers: processes that work at the same time; with one the work is done here.
        prepare: called once in every process before any work, with ``initial``. It and the work are functions of
            a module, and what goes to and fro can be pickled.
    """
    if workers <= 1:
        prepare(*initial)
        yield _Alone()
        return
    # Other ways to start processes copy this one's threads and locks.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, prepare, initial)
    try:
        yield _Several(pool, workers)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class _Alone:
    def map(self, work: Callable[..., _Result], /, *arguments: Iterable[Any]) -> Iterator[_Result]:
        return map(work, *arguments)


class _Several:
    def __init__(self, pool: ProcessPoolExecutor, workers: int) -> None:
        self._pool = pool
        self._most = workers * _AHEAD

    def map(self, work: Callable[..., _Result], /, *arguments: Iterable[Any]) -> Iterator[_Result]:
        waiting: deque[Future[_Result]] = deque()
        for given in zip(*arguments, strict=False):
            waiting.append(self._pool.submit(work, *given))
            if len(waiting) >= self._most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

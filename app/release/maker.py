"""Making released files in any process: what it needs, and the work on one asset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from deidra.app.border import guarded
from deidra.app.decide.policy import Policy
from deidra.app.detect.locate import TextLocator
from deidra.app.domain.model import Identifier
from deidra.app.load.pdf import Passwords
from deidra.app.logs import log_to
from deidra.app.metadata.engine import HeaderEngine
from deidra.app.metadata.keys import ProjectKey
from deidra.app.release.export import Copy, FileMaker, Made, Order, kept_if_clean, made
from deidra.app.release.rescan import Rescanner
from deidra.models.runtime import share_cores


@dataclass(frozen=True, slots=True)
class MakerSetting:
    """What a process needs to make released files.

    Args:
        folder: the release folder.
        key: the project's key.
        policy: the project's policy.
        identifiers: the project's known identifiers.
        uids: original UIDs, which must not be found in a release.
        accept_pending: carry out proposals that nobody has decided on.
        log_file: the project's log, for a process of its own.
        processes: how many of them share the cores.
        passwords: tried on encrypted documents.
    """

    folder: Path
    key: ProjectKey
    policy: Policy
    identifiers: Sequence[Identifier]
    uids: Sequence[str]
    accept_pending: bool
    log_file: Path | None
    processes: int
    passwords: Passwords


_maker: list[FileMaker] = []
_rescanner: list[Rescanner] = []
"""This process's maker and what searches its files."""


def start_maker(setting: MakerSetting) -> None:
    """Make this process's maker."""
    if setting.log_file is not None:
        log_to(setting.log_file)
        share_cores(setting.processes)
    policy = setting.policy
    locator = TextLocator(policy.detect.agents, policy.detect.second_reader, policy.detect.screen)
    rescanner = Rescanner(setting.identifiers, setting.uids, policy, locator)
    engine = HeaderEngine(policy.profile, setting.key)
    _rescanner[:] = [rescanner]
    _maker[:] = [FileMaker(setting.folder, engine, policy, rescanner, setting.accept_pending, setting.passwords)]


def make_files(orders: Sequence[Order]) -> list[tuple[Made | None, str]]:
    """Released files of one stack under provisional names: of each the file, or None and the reason of a failure.

    What is written of a series is searched as the series was: slice beside slice.
    """
    maker, rescanner = _maker[0], _rescanner[0]
    if len(orders) == 1:
        (order,) = orders
        return [guarded("release", order.asset.id, lambda: maker.make(order))]
    scan = rescanner.slices()
    copies: dict[int, Copy] = {}
    results: dict[int, tuple[Made | None, str]] = {}

    def begin(number: int, order: Order) -> Made | None:
        copies[number] = copy = maker.copy(order)
        leak = scan.look(number, copy.path.read_bytes(), copy.kept)
        return None if leak is None else made(copy, leak)

    with kept_if_clean(copies.values()) as clean:
        for number, order in enumerate(orders):
            results[number] = guarded("release", order.asset.id, partial(begin, number, order))
        for number, (held, reason) in list(results.items()):
            if held is not None or reason:
                continue
            copy = copies[number]
            leak, reason = guarded("release", orders[number].asset.id, partial(scan.pixels, number, copy.decided))
            results[number] = (None, reason) if reason else (made(copy, leak), "")
            if leak is None and not reason:
                clean.append(copy)
    return [results[number] for number in range(len(orders))]

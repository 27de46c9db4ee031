"""Making released files in any process: what it needs, and the work on one asset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deidra.app.border import guarded
from deidra.app.decide.policy import Policy
from deidra.app.detect.locate import TextLocator
from deidra.app.domain.model import Asset, Finding, FrameText, Identifier
from deidra.app.load.pdf import Passwords
from deidra.app.logs import log_to
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.release.export import FileMaker, Made
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
"""This process's maker."""


def start_maker(setting: MakerSetting) -> None:
    """Make this process's maker."""
    if setting.log_file is not None:
        log_to(setting.log_file)
        share_cores(setting.processes)
    policy = setting.policy
    locator = TextLocator(policy.detect.agents, policy.detect.second_reader, policy.detect.screen)
    rescanner = Rescanner(setting.identifiers, setting.uids, policy, locator)
    engine = HeaderEngine(policy.profile, setting.key)
    _maker[:] = [FileMaker(setting.folder, engine, policy, rescanner, setting.accept_pending, setting.passwords)]


def make_file(
    asset: Asset, findings: Sequence[Finding], subject: Subject, texts: Sequence[FrameText]
) -> tuple[Made | None, str]:
    """A released file under a provisional name, or None and the reason why Deidra failed on it."""
    return guarded("release", asset.id, lambda: _maker[0].make(asset, findings, subject, texts))

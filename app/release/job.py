"""The release of a project: what may go out, in which order, and the record of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from deidra.app.decide.policy import Policy
from deidra.app.domain.errors import KnownError, ReleaseBlocked
from deidra.app.domain.model import Asset, AssetStatus, Finding, FrameText
from deidra.app.knowledge import known_identifiers
from deidra.app.load.pdf import Passwords
from deidra.app.metadata.engine import IMPLEMENTATION_VERSION, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.parallel import team
from deidra.app.progress import Control, Meter, ProgressSink
from deidra.app.release.export import Exporter, Order, Written
from deidra.app.release.maker import MakerSetting, make_files, start_maker
from deidra.app.release.manifest import INCOMPLETE, ReleasedFile, write_manifest
from deidra.app.release.report import TypeCounts, write_reports
from deidra.app.review.second import SecondDesk
from deidra.app.stages import stacks
from deidra.models.registry import registry
from deidra.storage import ProjectStore, audit
from deidra.storage.assets import Output
from deidra.storage.findings import FindingFilter

_WORTH_A_TEAM = 8
"""Fewer assets than this are done here: other processes need seconds to start."""


class Pending(StrEnum):
    """What to do with findings that wait for a curator."""

    REFUSE = "refuse"
    ACCEPT = "accept"
    QUARANTINE = "quarantine"


@dataclass(frozen=True, slots=True)
class ReleaseSummary:
    """What a release did. ``quarantined`` lists input path and reason."""

    folder: Path
    released: int
    quarantined: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ReleaseJob:
    """Everything a release needs from its project."""

    store: ProjectStore
    key: ProjectKey
    policy: Policy
    subject_of: Callable[[Asset], Subject]
    workers: int = 1
    log_file: Path | None = None
    passwords: Passwords = Passwords()  # noqa: RUF009 (frozen)

    def run(
        self, out: Path, pending: Pending, software: str, sink: ProgressSink | None, control: Control | None
    ) -> ReleaseSummary:
        """Write a release into ``out``; see :meth:`deidra.app.workflow.Project.release`."""
        started = time.monotonic()
        assets = self.store.assets.all()
        waiting = self.store.findings.pending_by_asset()
        self._check(assets, waiting, pending)
        self._check_second()
        _prepare(out)
        exporter = Exporter(out)
        types, released = TypeCounts(), dict[str, ReleasedFile]()
        decisions: Counter[str] = Counter()
        meter = Meter("release", len(assets), sink, control)
        kept_out = {asset.id: reason for asset in assets if (reason := held_back(asset, waiting, pending))}
        going = [asset for asset in assets if asset.id not in kept_out]
        workers = self.workers if len(going) >= _WORTH_A_TEAM else 1
        setting = MakerSetting(
            out,
            self.key,
            self.policy,
            known_identifiers(self.store),
            list(self.store.crosswalk("uid")),
            pending is Pending.ACCEPT,
            self.log_file if workers > 1 else None,
            workers,
            self.passwords,
        )
        for _ in kept_out:
            meter.step()
        together = stacks(going)
        with team(workers, start_maker, setting) as group:
            results = group.map(make_files, map(self._orders, together))
            for stack in together:
                meter.checkpoint()
                for asset, (made, fault) in zip(stack, next(results), strict=True):
                    written = exporter.settle(made) if made is not None else Written(None, fault)
                    if written.file is None:
                        kept_out[asset.id] = written.reason
                        continue
                    released[asset.id] = written.file
                    findings = self._findings(asset)
                    types.add(findings)
                    decisions.update(f.decision.value for f in findings if f.decision)
                for _ in stack:
                    meter.step()
        files = [released[asset.id] for asset in assets if asset.id in released]
        outputs = [
            Output(a.id, released[a.id].path, "released", "")
            if a.id in released
            else Output(a.id, "", "quarantined", kept_out[a.id])
            for a in assets
        ]
        held = [o for o in outputs if o.status == "quarantined"]
        facts = self._facts(software, len(held), len(files), decisions) | _search_facts(assets)
        reasons = Counter(o.reason for o in held)
        reports = write_reports(out, files, facts, types, reasons)
        write_manifest(out, files, facts, reports)
        (out / INCOMPLETE).unlink()
        self.store.assets.save_outputs(outputs)
        where = {asset.id: asset.location for asset in assets}
        listed = [(where[o.asset_id], o.reason) for o in held]
        return ReleaseSummary(out, len(files), listed, round(time.monotonic() - started, 1))

    @staticmethod
    def _check(assets: list[Asset], waiting: dict[str, int], pending: Pending) -> None:
        if any(a.status not in (AssetStatus.DECIDED, AssetStatus.QUARANTINED) for a in assets):
            raise KnownError("The run is not finished.", "Run again first: deidra run INPUT... --project DIR")
        if not assets:
            raise KnownError("The project is empty.", "Run first: deidra run INPUT... --project DIR")
        if waiting and pending is Pending.REFUSE:
            count = sum(waiting.values())
            raise ReleaseBlocked(
                f"{count} findings in {len(waiting)} files wait for a curator.",
                "Decide on them (deidra review), or release with --pending accept or --pending quarantine.",
            )

    def _check_second(self) -> None:
        state = SecondDesk(self.store, self.policy.review).state()
        if not state.is_done:
            raise ReleaseBlocked(
                f"The policy asks for a second reader: {state.unread} items are unread, "
                f"{state.differences} differences are not settled.",
                "Read them (deidra second list), settle differences (deidra second differences), then release.",
            )

    def _orders(self, stack: Sequence[Asset]) -> list[Order]:
        return [Order(a, self._findings(a), self.subject_of(a), self._texts(a)) for a in stack]

    def _findings(self, asset: Asset) -> list[Finding]:
        return self.store.findings.select(FindingFilter(asset_id=asset.id), with_evidence=False)

    def _texts(self, asset: Asset) -> list[FrameText]:
        """What was read on the pages of a document; images have no use for it."""
        return self.store.assets.text(asset.id) if asset.has_pages else []

    def _facts(self, software: str, held: int, rescanned: int, decisions: Counter[str]) -> dict[str, Any]:
        return {
            "created": audit.now(),
            "software": software,
            "implementation": IMPLEMENTATION_VERSION,
            "policy": self.policy.name,
            # Keyed: the examples of its definitions could be guessed from a plain digest.
            "policy_hmac": self.key.digest("policy", self.policy.digest).hex(),
            "models": {m.name: {"version": m.version, "sha256": m.sha256} for m in registry().values()},
            "quarantined": held,
            "rescanned": rescanned,
            "decisions": dict(sorted(decisions.items())),
        }


def _search_facts(assets: Iterable[Asset]) -> dict[str, int]:
    """How many frames and pages were looked at, and how many of them were searched whole."""
    done = [asset.info for asset in assets if "searched" in asset.info]
    frames = sum(int(info.get("pages", info.get("frames", 0))) for info in done)
    return {"frames": frames, "frames_searched": sum(int(info["searched"]) for info in done)}


def held_back(asset: Asset, waiting: dict[str, int], pending: Pending) -> str:
    """Why an asset stays out of a release, in words; empty where it does not."""
    if asset.status is AssetStatus.QUARANTINED:
        return asset.reason
    if asset.id in waiting and pending is Pending.QUARANTINE:
        return "findings wait for a curator"
    return ""


def _prepare(out: Path) -> None:
    try:
        if out.exists() and any(out.iterdir()):
            raise KnownError("The release folder is not empty.", "Choose a new folder: releases are never mixed.")
        out.mkdir(parents=True, exist_ok=True)
        (out / INCOMPLETE).write_text("This release is being written, or was interrupted. Do not use it.\n", "utf-8")
    except OSError as error:
        raise KnownError(
            "The release folder cannot be written.", "Choose another folder or free some space."
        ) from error

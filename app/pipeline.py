"""The main job: load, detect, decide, asset by asset, each step stored before the next begins.

A run that is killed at any moment and started again ends in the same database content: every step
of an asset is one transaction, and its outcome depends on the asset, the project key and the policy
alone. What depends on the whole project (known identifiers) comes last and is done again whenever
the identifiers or the policy have changed. Several processes may compute; this one alone stores, in
the order of the assets, so that their number changes nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import repeat
from pathlib import Path
from typing import Any

import structlog

from deidra.app.decide.policy import Policy
from deidra.app.domain.model import Asset, AssetStatus, Identifier, Inventory, LocatedText, Verdict
from deidra.app.knowledge import known_identifiers
from deidra.app.load.pdf import Passwords
from deidra.app.load.sources import Discovery, discover, walk
from deidra.app.metadata.keys import ProjectKey
from deidra.app.parallel import Team, team
from deidra.app.progress import Control, Meter, ProgressSink
from deidra.app.stages import Loaded, detect_stack, do_stage, stacks, start_worker
from deidra.app.subjects import PATIENT, Subjects
from deidra.storage import ProjectStore
from deidra.storage.findings import FindingFilter

log = structlog.get_logger("deidra")

_FINGERPRINT = "decided_with"
_DECIDED_AS = 2
"""Goes up whenever findings hold more than before, so that older ones are decided again."""
_MOST_ROUNDS = 3
"""What is read on images is known in the second round; nothing new comes from it but by a change of where names end."""
_WORTH_A_TEAM = 8
"""Fewer assets than this are done here: other processes need seconds to start."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run did. ``quarantined`` lists input path and reason."""

    inventory: Inventory
    assets: int
    released_automatically: int
    queued: int
    findings: int
    quarantined: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0


class Pipeline:
    """Runs the stages on a project.

    Args:
        store: the project's store.
        key: its key.
        policy: the policy in force.
        workers: processes that compute at the same time.
        log_file: where processes of their own log to.
        passwords: tried on encrypted documents.
    """

    def __init__(
        self,
        store: ProjectStore,
        key: ProjectKey,
        policy: Policy,
        workers: int = 1,
        log_file: Path | None = None,
        passwords: Passwords = Passwords(),  # noqa: B008 (frozen)
    ) -> None:
        self._store = store
        self._key = key
        self._policy = policy
        self._subjects = Subjects(store, key, policy)
        self._workers = workers
        self._log_file = log_file
        self._passwords = passwords

    def run(self, inputs: Sequence[Path], sink: ProgressSink | None, control: Control | None) -> RunSummary:
        """Take every input through all stages; see :meth:`deidra.app.workflow.Project.run`."""
        started = time.monotonic()
        self._register(inputs, sink, control)
        assets = self._store.assets
        with self._team(len(assets.all(AssetStatus.REGISTERED)) + len(assets.all(AssetStatus.LOADED)), ()) as group:
            self._each(
                "load", assets.all(AssetStatus.REGISTERED), group, _no_arguments, self._save_loaded, sink, control
            )
            self._detect(assets.all(AssetStatus.LOADED), group, sink, control)
        self._decide_all(sink, control)
        return summary(self._store, time.monotonic() - started)

    def decide(self, sink: ProgressSink | None, control: Control | None) -> RunSummary:
        """Type and judge what is known of every asset once more, where the policy or what is known has changed."""
        started = time.monotonic()
        self._decide_all(sink, control)
        return summary(self._store, time.monotonic() - started)

    def _team(self, size: int, known: Sequence[Identifier]) -> AbstractContextManager[Team]:
        workers = self._workers if size >= _WORTH_A_TEAM else 1
        log_file = self._log_file if workers > 1 else None
        return team(workers, start_worker, log_file, workers, self._key, self._policy, known, self._passwords)

    def _register(self, inputs: Sequence[Path], sink: ProgressSink | None, control: Control | None) -> None:
        paths = list(walk(inputs))
        meter = Meter("find", len(paths), sink, control)
        known = {asset.id: asset for asset in self._store.assets.all()}
        for path in paths:
            meter.checkpoint()
            found = [self._asset(item) for item in discover(path)]
            self._store.assets.add(found)
            for asset in found:
                # What was quarantined before gets another try: a missing decoder or file may be there now.
                if asset.id in known and known[asset.id].status is AssetStatus.QUARANTINED:
                    self._store.assets.set_status(asset.id, asset.status, asset.reason)
            meter.step()

    def _asset(self, item: Discovery) -> Asset:
        location = f"{item.source.path}\0{item.source.member}\0{item.sha256}"
        return Asset(
            id=self._key.token("asset", location, 20).lower(),
            path=str(item.source.path),
            member=item.source.member,
            sha256=item.sha256,
            size=item.size,
            kind=item.kind,
            status=AssetStatus.QUARANTINED if item.reason else AssetStatus.REGISTERED,
            reason=item.reason,
        )

    def _each(
        self,
        stage: str,
        assets: Sequence[Asset],
        group: Team,
        arguments: Callable[[Asset], tuple[Any, ...]],
        save: Callable[[Asset, Any], None],
        sink: ProgressSink | None,
        control: Control | None,
    ) -> None:
        """Do one stage's work on each asset; what cannot be done is quarantined and the batch goes on."""
        meter = Meter(stage, len(assets), sink, control)
        results = group.map(do_stage, repeat(stage), assets, map(arguments, assets))
        for asset in assets:
            meter.checkpoint()
            result, reason = next(results)
            if reason:
                log.warning("quarantined", stage=stage, asset=asset.id)
                self._store.assets.set_status(asset.id, AssetStatus.QUARANTINED, reason)
            else:
                save(asset, result)
            meter.step()

    def _detect(self, assets: Sequence[Asset], group: Team, sink: ProgressSink | None, control: Control | None) -> None:
        """Detect text, stack by stack: what is said of a slice depends on its stack, so a stack is stored at once."""
        meter = Meter("detect", len(assets), sink, control)
        together = stacks(assets)
        results = group.map(detect_stack, together)
        for stack in together:
            meter.checkpoint()
            found: dict[str, LocatedText] = {}
            held: dict[str, str] = {}
            for asset, (text, reason) in zip(stack, next(results), strict=True):
                if reason:
                    log.warning("quarantined", stage="detect", asset=asset.id)
                    held[asset.id] = reason
                else:
                    found[asset.id] = text
            self._store.assets.save_texts(found, held)
            for _ in stack:
                meter.step()

    def _save_loaded(self, _asset: Asset, loaded: Loaded) -> None:
        """Store an asset with its patient, and put the patient and all UIDs into the crosswalk."""
        if loaded.uids is None:
            self._store.assets.save_loaded(loaded.asset, [])
            return
        patient = self._subjects.patient_of(loaded.issued) if loaded.issued else loaded.patient
        if loaded.patient_id:
            self._store.assign(PATIENT, {loaded.patient_id: self._subjects.of_patient(patient).pseudonym})
        self._store.remember("uid", loaded.uids)
        known = [replace(identifier, patient_key=patient) for identifier in loaded.identifiers]
        self._store.assets.save_loaded(replace(loaded.asset, patient_key=patient), known)

    def _decide_all(self, sink: ProgressSink | None, control: Control | None) -> None:
        self._subjects.find_baselines()
        known = known_identifiers(self._store)
        for _ in range(_MOST_ROUNDS):
            fingerprint = self._fingerprint(known)
            assets = self._store.assets.all(AssetStatus.DETECTED)
            if self._store.value(_FINGERPRINT) != fingerprint:
                assets += self._store.assets.all(AssetStatus.DECIDED)
            with self._team(len(assets), known) as group:
                self._each("decide", assets, group, self._to_decide, self._save_findings, sink, control)
            self._store.set_value(_FINGERPRINT, fingerprint)
            # A name that was read on one image is looked for on all.
            before, known = known, known_identifiers(self._store)
            if known == before:
                return

    @property
    def is_current(self) -> bool:
        """Whether a decision under this policy would find nothing to do again; also where nothing was decided yet."""
        stored = self._store.value(_FINGERPRINT)
        return stored is None or stored == self._fingerprint_now()

    def _fingerprint_now(self) -> str:
        return self._fingerprint(known_identifiers(self._store))

    def _fingerprint(self, known: Iterable[Identifier]) -> str:
        told = [(one.type.value, one.value, one.source) for one in known]
        text = json.dumps([_DECIDED_AS, self._policy.digest, told, self._subjects.fingerprint])
        return self._key.digest("fingerprint", text).hex()

    def _to_decide(self, asset: Asset) -> tuple[Any, ...]:
        return self._store.assets.text(asset.id), self._subjects.of(asset)

    def _save_findings(self, asset: Asset, findings: Any) -> None:
        self._store.findings.replace(asset.id, findings)


def _no_arguments(_asset: Asset) -> tuple[Any, ...]:
    return ()


def summary(store: ProjectStore, seconds: float) -> RunSummary:
    """The state of a project in numbers."""
    assets = store.assets.all()
    held = [a for a in assets if a.status is AssetStatus.QUARANTINED]
    pending = store.findings.pending_by_asset()
    ready = sum(a.status is AssetStatus.DECIDED and a.id not in pending for a in assets)
    findings = sum(store.findings.count(FindingFilter(verdict=verdict)) for verdict in Verdict)
    return RunSummary(
        store.assets.inventory(),
        len(assets),
        ready,
        sum(pending.values()),
        findings,
        [(a.location, a.reason) for a in held],
        round(seconds, 1),
    )

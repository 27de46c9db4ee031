"""The main job: load, detect, decide, asset by asset, each step stored before the next begins.

A run that is killed at any moment and started again ends in the same database content: every step
of an asset is one transaction, and its outcome depends on the asset, the project key and the policy
alone. What depends on the whole project (known identifiers) comes last and is done again whenever
the identifiers or the policy have changed.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import structlog
from pydicom.dataset import FileDataset

from deidra.app.border import guarded
from deidra.app.decide.policy import Policy
from deidra.app.decide.surrogates import Surrogates
from deidra.app.decide.verdict import findings_of
from deidra.app.detect.drafts import Draft, region_drafts
from deidra.app.detect.fields import field_drafts
from deidra.app.detect.images import dicom_text, page_text
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.locate import TextLocator
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.errors import InputError
from deidra.app.domain.model import Asset, AssetKind, AssetStatus, Inventory, Verdict
from deidra.app.load.dicom import frame_count, read_dataset, refuse_unsupported, transfer_syntax
from deidra.app.load.encoded import EncodedFile, Splitter
from deidra.app.load.pages import Pages
from deidra.app.load.sources import Discovery, Source, discover, walk
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.identity import identifiers, patient_key
from deidra.app.metadata.keys import ProjectKey
from deidra.app.progress import Control, Meter, ProgressSink
from deidra.app.subjects import Subjects
from deidra.storage import ProjectStore
from deidra.storage.findings import FindingFilter

log = structlog.get_logger("deidra")

_FINGERPRINT = "decided_with"


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
    """Runs the stages on a project."""

    def __init__(self, store: ProjectStore, key: ProjectKey, policy: Policy) -> None:
        self._store = store
        self._key = key
        self._policy = policy
        self._engine = HeaderEngine(policy.profile, key)
        self._splitter = Splitter()
        self._surrogates = Surrogates(key)
        self._subjects = Subjects(store, key, policy)
        self._locator = TextLocator(second_reader=policy.detect.second_reader)

    def run(self, inputs: Sequence[Path], sink: ProgressSink | None, control: Control | None) -> RunSummary:
        """Take every input through all stages; see :meth:`deidra.app.workflow.Project.run`."""
        started = time.monotonic()
        self._register(inputs, sink, control)
        self._each("load", self._store.assets.all(AssetStatus.REGISTERED), self._load, sink, control)
        self._each("detect", self._store.assets.all(AssetStatus.LOADED), self._detect, sink, control)
        self._decide_all(sink, control)
        return summary(self._store, time.monotonic() - started)

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
        work: Callable[[Asset], None],
        sink: ProgressSink | None,
        control: Control | None,
    ) -> None:
        """Do one stage's work on each asset; what cannot be done is quarantined and the batch goes on."""
        meter = Meter(stage, len(assets), sink, control)
        for asset in assets:
            meter.checkpoint()
            _, reason = guarded(stage, asset.id, lambda asset=asset: work(asset))  # type: ignore[misc]
            if reason:
                self._quarantine(asset, stage, reason)
            meter.step()

    def _quarantine(self, asset: Asset, stage: str, reason: str) -> None:
        log.warning("quarantined", stage=stage, asset=asset.id)
        self._store.assets.set_status(asset.id, AssetStatus.QUARANTINED, reason)

    def _read(self, asset: Asset) -> bytes:
        data = Source(Path(asset.path), asset.member).read()
        if hashlib.sha256(data).hexdigest() != asset.sha256:
            raise InputError("The file was changed while Deidra worked on it.", "Run again.")
        return data

    def _load(self, asset: Asset) -> None:
        data = self._read(asset)
        if asset.kind is not AssetKind.DICOM:
            pages = Pages(data, asset.kind)
            loaded = replace(asset, status=AssetStatus.LOADED, info={"pages": pages.count})
            self._store.assets.save_loaded(loaded, [])
            return
        dataset = read_dataset(data)
        refuse_unsupported(dataset)
        patient = patient_key(dataset, self._key)
        loaded = replace(
            asset,
            status=AssetStatus.LOADED,
            patient_key=patient,
            study_uid=str(dataset.get("StudyInstanceUID") or ""),
            series_uid=str(dataset.get("SeriesInstanceUID") or ""),
            instance_uid=str(dataset.get("SOPInstanceUID") or ""),
            modality=str(dataset.get("Modality") or "")[:16],
            info={"frames": frame_count(dataset), "syntax": transfer_syntax(dataset)},
        )
        found = identifiers(dataset, patient)
        subject = self._subjects.of(loaded)
        self._remember(dataset, self._splitter.split(data), subject)
        self._store.assets.save_loaded(loaded, found)

    def _remember(self, dataset: FileDataset, file: EncodedFile, subject: Subject) -> None:
        """Put the patient and all UIDs into the crosswalk."""
        identity = str(dataset.get("PatientID") or "")
        if identity:
            self._store.assign("patient", {identity[:512]: subject.pseudonym})
        self._store.remember("uid", self._engine.process(file, subject).uids)

    def _detect(self, asset: Asset) -> None:
        data = self._read(asset)
        if asset.kind is AssetKind.DICOM:
            frames = dicom_text(read_dataset(data), self._locator)
        else:
            frames = page_text(Pages(data, asset.kind), self._locator)
        self._store.assets.save_text(asset.id, frames)

    def _decide_all(self, sink: ProgressSink | None, control: Control | None) -> None:
        self._subjects.find_baselines()
        known = self._store.assets.identifiers()
        fingerprint = self._fingerprint((i.type.value, i.value, i.source) for i in known)
        assets = self._store.assets.all(AssetStatus.DETECTED)
        if self._store.value(_FINGERPRINT) != fingerprint:
            assets += self._store.assets.all(AssetStatus.DECIDED)
        tagger = EntityTagger(KnownIdentifiers(known), self._policy.detect.types_off)
        self._each("decide", assets, lambda asset: self._decide(asset, tagger), sink, control)
        self._store.set_value(_FINGERPRINT, fingerprint)

    def _fingerprint(self, known: Iterable[tuple[str, str, str]]) -> str:
        text = json.dumps([self._policy.digest, list(known), self._subjects.fingerprint])
        return self._key.digest("fingerprint", text).hex()

    def _decide(self, asset: Asset, tagger: EntityTagger) -> None:
        drafts: list[Draft] = []
        subject = self._subjects.of(asset)
        unknown_words = asset.kind is AssetKind.DICOM and self._policy.detect.unknown_words
        for frame in self._store.assets.text(asset.id):
            drafts += region_drafts(frame, tagger, unknown_words)
        if asset.kind is AssetKind.DICOM:
            file = self._splitter.split(self._read(asset))
            drafts += field_drafts(
                self._engine.process(file, subject).changes, tagger, self._policy.cut_style(subject.shift_days)
            )
        findings = findings_of(asset, drafts, self._policy, self._key, self._surrogates, subject.shift_days)
        self._store.findings.replace(asset.id, findings)


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

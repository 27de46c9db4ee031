"""The stages of a run on one asset: load, detect, decide. They read files and compute; nothing is stored here.

What they say depends on the asset, the key and the policy alone, so they can run in any process and any order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from pydicom.dataset import FileDataset

from deidra.app.border import guarded
from deidra.app.decide.policy import Policy
from deidra.app.decide.surrogates import Surrogates
from deidra.app.decide.tagging import tagger_of
from deidra.app.decide.verdict import findings_of
from deidra.app.detect.devices import Device, confirmed, device_drafts, matching
from deidra.app.detect.documents import page_drafts
from deidra.app.detect.drafts import Draft, region_drafts
from deidra.app.detect.faces import is_photograph
from deidra.app.detect.fields import field_drafts
from deidra.app.detect.images import StackSearch, dicom_text, is_searched, page_text
from deidra.app.detect.locate import TextLocator
from deidra.app.detect.ultrasound import UltrasoundRegion, ultrasound_regions, weighed
from deidra.app.domain.errors import InputError
from deidra.app.domain.model import Asset, AssetKind, AssetStatus, Finding, FrameText, Identifier, LocatedText
from deidra.app.load.dicom import frame_count, read_dataset, refuse_unsupported, transfer_syntax
from deidra.app.load.embedded import embedded_pdf
from deidra.app.load.encoded import Splitter
from deidra.app.load.frames import Frames
from deidra.app.load.pages import Pages
from deidra.app.load.pdf import Passwords
from deidra.app.load.sources import Source
from deidra.app.logs import log_to
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.identity import IssuedId, event_dates, identifiers, issued_id, patient_key
from deidra.app.metadata.keys import ProjectKey
from deidra.models.runtime import share_cores

_NOBODY = Subject("NOBODY", -1)
MOST_STACKED = 64
"""Assets that are searched together: work for several processes, and little is lost when a run is killed."""
_STACKED = (
    *("SeriesInstanceUID", "Rows", "Columns", "SamplesPerPixel", "PhotometricInterpretation"),
    *("BitsAllocated", "BitsStored", "PixelRepresentation"),
)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was read from an asset; whose it is gets decided with the whole project in view.

    Args:
        asset: the asset with what its file says; without a patient.
        issued: its patient ID; None where it has none.
        patient: the patient key where there is no patient ID.
        patient_id: the patient ID as it stands.
        identifiers: values that identify somebody; without a patient.
        uids: UIDs that will be replaced, old to new.
    """

    asset: Asset
    issued: IssuedId | None = None
    patient: str = ""
    patient_id: str = ""
    identifiers: tuple[Identifier, ...] = ()
    uids: dict[str, str] | None = None


class StageWorker:
    """Does the stages' work.

    Args:
        key: the project's key.
        policy: the policy in force.
        known: the project's known identifiers; needed to decide.
        passwords: tried on encrypted documents.
    """

    def __init__(
        self,
        key: ProjectKey,
        policy: Policy,
        known: Sequence[Identifier] = (),
        passwords: Passwords = Passwords(),  # noqa: B008 (frozen)
    ) -> None:
        self._passwords = passwords
        self._key = key
        self._policy = policy
        self._engine = HeaderEngine(policy.profile, key)
        self._splitter = Splitter()
        self._surrogates = Surrogates(key)
        self._locator = TextLocator(policy.detect.agents, policy.detect.second_reader, policy.detect.screen)
        self._tagger = tagger_of(policy, known)

    def load(self, asset: Asset) -> Loaded:
        """Read an asset and say what it is.

        Raises:
            InputError: it is damaged, was changed, or holds what no stage can clean.
        """
        data = read(asset)
        if asset.kind is not AssetKind.DICOM:
            pages = Pages(data, asset.kind, self._passwords)
            return Loaded(replace(asset, status=AssetStatus.LOADED, info={"pages": pages.count}))
        dataset = read_dataset(data)
        refuse_unsupported(dataset)
        document = embedded_pdf(dataset)
        inside = {"pages": Pages(document, AssetKind.PDF, self._passwords).count} if document is not None else {}
        loaded = replace(
            asset,
            status=AssetStatus.LOADED,
            study_uid=str(dataset.get("StudyInstanceUID") or ""),
            series_uid=str(dataset.get("SeriesInstanceUID") or ""),
            instance_uid=str(dataset.get("SOPInstanceUID") or ""),
            modality=str(dataset.get("Modality") or "")[:16],
            info={
                "frames": frame_count(dataset),
                "syntax": transfer_syntax(dataset),
                "dates": event_dates(dataset),
                "stack": _stack(dataset),
                "device": Device.of(dataset).facts,
                "ultrasound": [region.facts for region in ultrasound_regions(dataset)],
                **inside,
            },
        )
        return Loaded(
            loaded,
            issued_id(dataset, self._key),
            patient_key(dataset, self._key),
            str(dataset.get("PatientID") or "")[:512],
            tuple(identifiers(dataset, "")),
            self._engine.process(self._splitter.split(data), _NOBODY).uids,
        )

    def detect(self, asset: Asset) -> LocatedText:
        """Locate and read all text on an asset's frames or pages."""
        data = read(asset)
        if asset.kind is AssetKind.DICOM:
            dataset = read_dataset(data)
            document = embedded_pdf(dataset)
            if document is not None:
                return page_text(Pages(document, AssetKind.PDF, self._passwords), self._locator)
            return dicom_text(dataset, self._locator)
        return page_text(Pages(data, asset.kind, self._passwords), self._locator)

    def detect_stack(self, assets: Sequence[Asset]) -> list[tuple[LocatedText | None, str]]:
        """The same for assets of one image each that are slices of one series; see :func:`stack_of`.

        Of each asset its text and an empty string, or None and the reason to hold it back.
        """
        search = StackSearch(self._locator)

        def look(number: int, asset: Asset) -> None:
            search.frame(number, Frames(read_dataset(read(asset))))

        held = [guarded("detect", asset.id, partial(look, n, asset))[1] for n, asset in enumerate(assets)]
        return [(None, reason) if reason else (search.text_of(n), "") for n, reason in enumerate(held)]

    def decide(self, asset: Asset, frames: Sequence[FrameText], subject: Subject) -> list[Finding]:
        """The findings of an asset.

        Args:
            asset: the asset.
            frames: the text on it.
            subject: what its patient becomes.
        """
        drafts: list[Draft] = []
        for frame in frames:
            if asset.has_pages:
                drafts += page_drafts(frame, self._tagger, self._policy.page_rules)
            else:
                drafts += region_drafts(frame, self._tagger, self._policy.detect.unknown_words)
        if frames and not asset.has_pages:
            drafts = self._by_header(asset, drafts)
        if asset.kind is AssetKind.DICOM:
            changes = self._engine.process(self._splitter.split(read(asset)), subject).changes
            drafts += field_drafts(changes, self._tagger, self._policy.cut_style(subject.shift_days))
        return findings_of(asset, drafts, self._policy, self._key, self._surrogates, subject.shift_days)

    def _by_header(self, asset: Asset, drafts: list[Draft]) -> list[Draft]:
        """The drafts of an asset's regions with what device rules and ultrasound regions add to them."""
        device = Device.stored(asset.info.get("device") or {})
        rules = matching(self._policy.device_rules, device)
        frame = None if asset.info.get("frames", 1) > 1 else 0
        regions = [UltrasoundRegion(*facts) for facts in asset.info.get("ultrasound", ())]
        return [*weighed(confirmed(drafts, rules, device), regions), *device_drafts(rules, device, frame)]


def _stack(dataset: FileDataset) -> list[str]:
    """What images of one frame have in common when they can be searched as a stack; empty: it is none of any."""
    if not is_searched(dataset) or frame_count(dataset) != 1 or not dataset.get("SeriesInstanceUID"):
        return []
    if is_photograph(dataset):
        return []
    return [str(dataset.get(keyword) or "") for keyword in _STACKED]


def stacks(assets: Sequence[Asset]) -> list[list[Asset]]:
    """Assets whose text is detected together: slices of a series, at most :data:`MOST_STACKED`, others alone.

    Both the stacks and the assets in them keep their order.
    """
    made: list[list[Asset]] = []
    open_: dict[tuple[str, ...], list[Asset]] = {}
    for asset in assets:
        key = tuple(asset.info.get("stack") or ())
        stack = open_.get(key)
        if stack is None or len(stack) == MOST_STACKED:
            stack = []
            made.append(stack)
            if key:
                open_[key] = stack
        stack.append(asset)
    return made


def read(asset: Asset) -> bytes:
    """The asset's file.

    Raises:
        InputError: it vanished, cannot be read, or is not the one that was registered.
    """
    data = Source(Path(asset.path), asset.member).read()
    if hashlib.sha256(data).hexdigest() != asset.sha256:
        raise InputError("The file was changed while Deidra worked on it.", "Run again.")
    return data


_worker: list[StageWorker] = []
"""This process's worker."""


def start_worker(
    log: Path | None,
    processes: int,
    key: ProjectKey,
    policy: Policy,
    known: Sequence[Identifier],
    passwords: Passwords = Passwords(),  # noqa: B008 (frozen)
) -> None:
    """Make this process's worker.

    Args:
        log: the project's log, for a process of its own; None here.
        processes: how many of them share the cores.
        key: the project's key.
        policy: the policy in force.
        known: the project's known identifiers.
        passwords: tried on encrypted documents.
    """
    if log is not None:
        log_to(log)
        share_cores(processes)
    _worker[:] = [StageWorker(key, policy, known, passwords)]


def detect_stack(assets: Sequence[Asset]) -> list[tuple[Any, str]]:
    """Detect on assets of one stack: the text of each and an empty string, or None and the reason to hold it back."""
    if len(assets) == 1:
        return [do_stage("detect", assets[0], ())]
    return list(_worker[0].detect_stack(assets))


def do_stage(stage: str, asset: Asset, arguments: tuple[Any, ...]) -> tuple[Any, str]:
    """One stage on one asset: its result and an empty string, or None and the reason to hold the asset back."""
    return guarded(stage, asset.id, lambda: getattr(_worker[0], stage)(asset, *arguments))

"""What the product does to the pixels of single files: its own stages find, decide and redact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.decide.policy import Policy
from deidra.app.domain.errors import InputError
from deidra.app.domain.model import Asset, AssetKind, AssetStatus, Finding, Identifier
from deidra.app.evaluate.usage import cpu_seconds
from deidra.app.load.bits import own_samples
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.load.pages import Pages
from deidra.app.load.sources import discover
from deidra.app.metadata.engine import Subject
from deidra.app.metadata.keys import KEY_BYTES, ProjectKey
from deidra.app.redact.description import LOSSY_JPEG
from deidra.app.redact.documents import redact_page
from deidra.app.redact.header import clean_pixels
from deidra.app.redact.jpeg_header import JpegHeader, NotReadable
from deidra.app.redact.paint import regions_of
from deidra.app.redact.plan import Mark, marks
from deidra.app.redact.streams import frames_of
from deidra.app.redact.written import Way
from deidra.app.stages import StageWorker

Mask = NDArray[np.bool_]
_KEY = ProjectKey(bytes(range(KEY_BYTES)))
_NOBODY = Subject("NOBODY", -1)
_EVEN = 2
"""Values in a covered region may differ by this much: a lossy stream is decoded."""


@dataclass(slots=True)
class Done:
    """What became of one file.

    Args:
        auto: frame to the pixels that are covered without asking.
        accepted: frame to those that are covered when every proposal is accepted.
        waiting: findings in the pixels that wait for a curator.
        regions: findings in the pixels that are covered, asked about or not.
        changed_outside: pixels outside the covered ones that are not what they were, on all frames.
        not_covered: regions that do not have one colour after redaction.
        way: how the pixels were written.
        cpu: CPU seconds of each stage, child processes included.
        findings: what was found in the pixels.
        refused: why the product holds the file back; empty when it does not.
    """

    auto: dict[int, Mask] = field(default_factory=dict)
    accepted: dict[int, Mask] = field(default_factory=dict)
    waiting: int = 0
    regions: int = 0
    changed_outside: int = 0
    not_covered: int = 0
    way: str = ""
    cpu: dict[str, float] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    refused: str = ""


def run_product(paths: Sequence[Path], policy: Policy) -> Iterator[Done]:
    """Take files through all stages as one project's, in their order, and redact them.

    What is known of people is what the headers of all these files say.
    """
    first = StageWorker(_KEY, policy)
    loads = [_load(first, path) for path in paths]
    worker = StageWorker(_KEY, policy, [one for load in loads for one in load.known])
    for load in loads:
        if load.done.refused:
            yield load.done
        else:
            yield _follow(load, worker, policy)


@dataclass(slots=True)
class _Load:
    asset: Asset | None
    known: list[Identifier]
    done: Done


def _load(worker: StageWorker, path: Path) -> _Load:
    done = Done()
    found = next(iter(discover(path)), None)
    if found is None or found.reason:
        done.refused = found.reason if found else "The file holds nothing that Deidra knows."
        return _Load(None, [], done)
    asset = Asset(
        id=found.sha256[:20],
        path=str(path),
        member=found.source.member,
        sha256=found.sha256,
        size=found.size,
        kind=found.kind,
        status=AssetStatus.REGISTERED,
    )
    start = cpu_seconds()
    try:
        loaded = worker.load(asset)
    except InputError as error:
        done.refused = str(error)
        return _Load(None, [], done)
    done.cpu["load"] = cpu_seconds() - start
    known = [replace(one, patient_key=loaded.patient or loaded.patient_id) for one in loaded.identifiers]
    return _Load(loaded.asset, known, done)


def _follow(load: _Load, worker: StageWorker, policy: Policy) -> Done:
    done, asset = load.done, load.asset
    if asset is None:
        return done
    try:
        start = cpu_seconds()
        text = worker.detect(asset)
        done.cpu["find"] = cpu_seconds() - start
        start = cpu_seconds()
        findings = worker.decide(asset, text.frames, _NOBODY)
        done.cpu["decide"] = cpu_seconds() - start
        done.findings = tuple(f for f in findings if f.polygon is not None)
        done.waiting = sum(f.pending for f in findings if f.polygon is not None)
        done.regions = len(marks(findings, accept_pending=True))
        _redact(Path(asset.path).read_bytes(), asset.kind, findings, policy, done)
    except InputError as error:
        done.refused = str(error)
    return done


def _redact(data: bytes, kind: AssetKind, findings: Sequence[Finding], policy: Policy, done: Done) -> None:
    """Redact with every proposal accepted, and compare with what was there."""
    auto, accepted = marks(findings), marks(findings, accept_pending=True)
    unit = (1, 1)
    pairs: Iterable[tuple[NDArray[Any], NDArray[Any]]]
    if kind is AssetKind.DICOM:
        before, changed = read_dataset(data), read_dataset(data)
        unit = _unit(before)
        start = cpu_seconds()
        written = clean_pixels(changed, findings, policy, accept_pending=True)
        done.cpu["redact"] = cpu_seconds() - start
        done.way = written.way.value
        unit = unit if written.way is Way.BLOCKS else (1, 1)
        old, new = Frames(before), Frames(changed)
        pairs = ((own_samples(before, old.frame(i).values), new.frame(i).values) for i in range(old.count))
    else:
        pages = Pages(data, kind)
        done.way = "page"
        pictures = (pages.page(i) for i in range(pages.count))
        pairs = ((p, redact_page(p, i, accepted, policy.redact)) for i, p in enumerate(pictures))
    for index, (was, now) in enumerate(pairs):
        done.auto[index] = _mask(auto, index, was, policy)
        mask = done.accepted[index] = _mask(accepted, index, was, policy)
        differs = was != now
        differs = differs.any(axis=2) if differs.ndim == 3 else differs
        done.changed_outside += int((differs & ~_whole_units(mask, unit)).sum())
        done.not_covered += sum(
            _spread(now[region.rows, region.columns][region.mask]) > _EVEN
            for region, _ in regions_of(accepted, index, was.shape[1], was.shape[0], policy.redact)
        )


def _spread(values: NDArray[Any]) -> float:
    return float(np.ptp(values.astype(np.float64), axis=0).max()) if values.size else 0.0


def _mask(found: Sequence[Mark], index: int, like: NDArray[Any], policy: Policy) -> Mask:
    height, width = like.shape[:2]
    mask = np.zeros((height, width), np.bool_)
    for region, _ in regions_of(found, index, width, height, policy.redact):
        mask[region.rows, region.columns] |= region.mask
    return mask


def _unit(dataset: Any) -> tuple[int, int]:
    """Width and height of what lossy JPEG can change alone."""
    if str(dataset.file_meta.get("TransferSyntaxUID", "")) not in LOSSY_JPEG:
        return 1, 1
    try:
        return JpegHeader.of(frames_of(dataset)[0]).unit
    except NotReadable:
        return 1, 1


def _whole_units(mask: Mask, unit: tuple[int, int]) -> Mask:
    """The mask grown to whole coded units, and by two pixels more: decoders smooth colours across the edge."""
    if unit == (1, 1):
        return mask
    height, width = mask.shape
    across, down = unit
    padded = np.zeros((-(-height // down) * down, -(-width // across) * across), np.bool_)
    padded[:height, :width] = mask
    units = padded.reshape(padded.shape[0] // down, down, padded.shape[1] // across, across).any(axis=(1, 3))
    grown = np.kron(units, np.ones((down, across), np.uint8))[:height, :width]
    return np.asarray(cv2.dilate(grown, np.ones((5, 5), np.uint8)) > 0)

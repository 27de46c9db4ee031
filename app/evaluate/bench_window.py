"""A synthetic project for measuring the window: large radiographs and many findings, written straight to the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pydicom import uid as uids
from pydicom.dataset import FileDataset

from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, Asset, AssetKind, AssetStatus, Evidence, Finding, Verdict
from deidra.app.domain.taxonomy import TYPES, EntityType
from deidra.app.synth import headers
from deidra.app.synth.encode import add_pixels, to_levels, write
from deidra.app.synth.exams import identity, make_exams
from deidra.app.synth.headers import Series
from deidra.app.synth.images import burn, chest, corner, draw_lines
from deidra.app.synth.people import make_cast
from deidra.storage import ProjectStore

SHAPE = (3000, 2500)
"""Rows and columns of a radiograph."""
_FILES = 6
"""Different pictures; more names than these share their bytes on the disk."""
EACH = 100
"""Findings of a file, unless asked otherwise."""
_AGENTS = ("text detector", "PP-OCR", "Tesseract", "header match")


def fill(store: ProjectStore, folder: Path, count: int, each: int = EACH) -> None:
    """Write radiographs of 12 bits into a folder, and ``count`` waiting findings, ``each`` on a file, into a store.

    Neighbours in the queue are on different files, as risk and variance are drawn by lot (seed 0), which is the worst
    case for whoever shows them.
    """
    rng = np.random.default_rng(0)
    originals = [folder / f"radiograph-{number}.dcm" for number in range(_FILES)]
    for path, dataset in zip(originals, _radiographs(), strict=True):
        path.write_bytes(write(dataset))
    numbers = range(-(-count // each))
    paths = []
    for number in numbers:
        path = folder / f"{number:06}.dcm"
        path.hardlink_to(originals[number % _FILES])
        paths.append(path)
    size = originals[0].stat().st_size
    kind, status = AssetKind.DICOM, AssetStatus.DECIDED
    store.assets.add(
        Asset(f"a{number:07}", str(path), "", f"{number:064x}", size, kind, status, modality="DX", info={"frames": 1})
        for number, path in zip(numbers, paths, strict=True)
    )
    left = count
    for number in numbers:
        store.findings.replace(f"a{number:07}", list(_findings(number, min(each, left), each, rng)))
        left -= each


def _radiographs() -> Iterator[FileDataset]:
    study = make_exams(make_cast(7)).ct
    bare = chest(np.random.default_rng(0), SHAPE)
    for number in range(_FILES):
        lines = corner(SHAPE, "tl", identity(study), 40) + corner(SHAPE, "br", [f"ERECT {number}"], 40)
        plane = burn(np.roll(bare, 40 * number, 1), draw_lines(SHAPE, lines)[0])
        series = Series(study, number + 2, "DX", "THORAX", "CHEST", ("Acme Medical", "Radiograph 3"))
        dataset = headers.base_dataset(series, number, uids.DigitalXRayImageStorageForPresentation)
        add_pixels(dataset, to_levels(plane, 12), "MONOCHROME2", 12)
        dataset.file_meta.TransferSyntaxUID = uids.ExplicitVRLittleEndian
        yield dataset


def _findings(number: int, count: int, each: int, rng: np.random.Generator) -> Iterator[Finding]:
    kinds: list[EntityType] = list(TYPES)
    for ordinal in range(count):
        text = f"Word{number} Name{ordinal}"
        kind = kinds[(number + ordinal) % len(kinds)]
        top = 20 + ordinal * (SHAPE[0] - 100) // each
        left = 20 + int(rng.integers(SHAPE[1] - 500))
        score, variance = float(rng.uniform(0.4, 1)), float(rng.uniform(0, 0.25))
        yield Finding(
            id=f"f{number:07}-{ordinal:03}",
            asset_id=f"a{number:07}",
            frame=0,
            page=None,
            polygon=box_polygon(left, top, left + 400, top + 25),
            tag=None,
            text=text,
            type=kind,
            score=score,
            variance=variance,
            risk=float(rng.integers(1, 100)),
            verdict=Verdict.QUEUE,
            action=Action.REDACT,
            reason="The readers do not agree.",
            evidence=tuple(Evidence(agent, text, kind, score, variance, "") for agent in _AGENTS),
        )

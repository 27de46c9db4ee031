"""Datasets to files and back, as tests of the header engine need it."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence

from pydicom.dataset import FileDataset

from deidra.app.decide.policy import Policy
from deidra.app.domain.model import Finding
from deidra.app.load.dicom import ensure_meta, read_dataset
from deidra.app.load.encoded import Splitter
from deidra.app.metadata.engine import HeaderEngine, HeaderResult, Override, Subject
from deidra.app.redact.header import RedactedFile, redact_dicom


def to_bytes(dataset: FileDataset) -> bytes:
    """The dataset as a DICOM file (PS3.10)."""
    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # What does not say of which class it is cannot be written strictly.
        dataset.save_as(stream, enforce_file_format=bool(dataset.get("SOPClassUID")))
    return stream.getvalue()


def become(dataset: FileDataset, data: bytes) -> None:
    """Make a dataset hold what a file holds."""
    new = read_dataset(data)
    dataset.clear()
    dataset.update(new)
    dataset.file_meta, dataset.preamble = new.file_meta, new.preamble
    dataset.set_original_encoding(*new.original_encoding, new.original_character_set)


class InPlace:
    """A header engine that works on datasets in place."""

    def __init__(self, engine: HeaderEngine) -> None:
        self.engine = engine
        self.profile = engine.profile

    def process(
        self, dataset: FileDataset, subject: Subject, overrides: Mapping[str, Override] | None = None
    ) -> HeaderResult:
        """De-identify ``dataset`` through its encoded form."""
        ensure_meta(dataset)
        file = Splitter().split_dataset(dataset)
        result = self.engine.process(file, subject, overrides)
        become(dataset, b"".join(self.engine.write(file, result, searched=False)))
        return result


def redact_in_place(
    dataset: FileDataset,
    findings: Sequence[Finding],
    engine: HeaderEngine,
    subject: Subject,
    policy: Policy,
    accept_pending: bool = False,
) -> RedactedFile:
    """Apply decisions on ``dataset`` through its file."""
    ensure_meta(dataset)
    result = redact_dicom(to_bytes(dataset), findings, engine, subject, policy, accept_pending)
    become(dataset, result.data)
    return result

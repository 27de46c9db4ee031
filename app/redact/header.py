"""De-identifying one DICOM file: header by profile and decisions, pixels by marks."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from pydicom.dataset import FileDataset

from deidra.app.decide.policy import Policy
from deidra.app.domain.errors import InputError
from deidra.app.domain.model import Finding
from deidra.app.load.dicom import ensure_meta, frame_count, is_mask
from deidra.app.metadata.engine import HeaderEngine, HeaderResult, Subject
from deidra.app.redact.codestream import strip_comments
from deidra.app.redact.pixels import clear_high_bits, drop_surplus, redact_pixels
from deidra.app.redact.plan import marks, overrides


@dataclass(frozen=True, slots=True)
class RedactedFile:
    """A de-identified dataset, what happened to its header, and how its pixels were written."""

    dataset: FileDataset
    header: HeaderResult
    pixels: str


def redact_dicom(
    dataset: FileDataset,
    findings: Sequence[Finding],
    engine: HeaderEngine,
    subject: Subject,
    policy: Policy,
    accept_pending: bool = False,
) -> RedactedFile:
    """Apply everything that was decided on a DICOM file, in place.

    Raises:
        InputError: the pixels cannot be searched, or must be changed but cannot be.
    """
    ensure_meta(dataset)
    if dataset.get("PixelData") and not frame_count(dataset):
        raise InputError("The image's size is missing, so its pixels cannot be searched.", "Export it again.")
    written = redact_pixels(dataset, marks(findings, accept_pending), policy.redact)
    cleared, cut = clear_high_bits(dataset), drop_surplus(dataset)
    stripped = strip_comments(dataset)
    if (cleared or cut or stripped) and written == "unchanged":
        written = "cleaned"
    searched = frame_count(dataset) > 0 and not is_mask(dataset)
    header = engine.process(dataset, subject, overrides(findings, accept_pending))
    if searched:
        dataset.BurnedInAnnotation = "NO"
    engine.mark(dataset, pixels_cleaned=searched)
    return RedactedFile(dataset, header, written)


def to_bytes(dataset: FileDataset) -> bytes:
    """The dataset as a DICOM file (PS3.10).

    Raises:
        InputError: an element cannot be written.
    """
    stream = io.BytesIO()
    try:
        with warnings.catch_warnings():
            # Values that were odd in the original are written as they were.
            warnings.simplefilter("ignore")
            dataset.save_as(stream, enforce_file_format=True)
    except (ValueError, TypeError, AttributeError, KeyError, OSError, NotImplementedError, LookupError) as error:
        # pydicom's message could quote the value.
        raise InputError(f"The file cannot be written ({type(error).__name__}).", "An element is malformed.") from error
    return stream.getvalue()

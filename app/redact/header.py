"""De-identifying one DICOM file: pixels by marks, header by profile and decisions."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from pydicom.dataset import FileDataset

from deidra.app.decide.policy import DocumentFormat, Policy
from deidra.app.domain.errors import InputError
from deidra.app.domain.model import AssetKind, Finding, FrameText
from deidra.app.load.dicom import ensure_meta, frame_count, is_mask, read_dataset
from deidra.app.load.embedded import embed_pdf, embedded_pdf
from deidra.app.load.encoded import Splitter
from deidra.app.load.pages import Pages
from deidra.app.load.pdf import Passwords
from deidra.app.metadata.engine import HeaderEngine, HeaderResult, Subject
from deidra.app.redact.codestream import strip_comments
from deidra.app.redact.documents import write_document
from deidra.app.redact.native import clear_high_bits, drop_surplus
from deidra.app.redact.pixels import redact_pixels
from deidra.app.redact.plan import marks, overrides
from deidra.app.redact.written import Way, Written


@dataclass(frozen=True, slots=True)
class RedactedFile:
    """A de-identified file, what happened to its header, and how its pixels were written, in one line."""

    data: bytes
    header: HeaderResult
    pixels: str


def redact_dicom(
    data: bytes,
    findings: Sequence[Finding],
    engine: HeaderEngine,
    subject: Subject,
    policy: Policy,
    accept_pending: bool = False,
    texts: Sequence[FrameText] = (),
    passwords: Passwords = Passwords(),  # noqa: B008 (frozen)
) -> RedactedFile:
    """Apply everything that was decided on a DICOM file.

    Args:
        data: the file.
        findings: its findings with their decisions.
        engine: the header engine.
        subject: what its patient becomes.
        policy: the policy in force.
        accept_pending: carry out proposals that nobody has decided on.
        texts: the text located on the pages of a document that the file holds.
        passwords: tried where that document is encrypted.

    Raises:
        InputError: the file is damaged, or its pixels cannot be searched or must be changed but cannot be.
    """
    dataset = read_dataset(data)
    document = embedded_pdf(dataset)
    if document is not None:
        pages = Pages(document, AssetKind.PDF, passwords)
        as_pdf = policy.redact.model_copy(update={"documents": DocumentFormat.PDF})
        clean = write_document(pages, marks(findings, accept_pending, policy.redact.surrogates), as_pdf, texts)
        whole = Splitter().split(data)
        header = engine.process(whole, subject, overrides(findings, accept_pending))
        return RedactedFile(
            _with_pdf(b"".join(engine.write(whole, header, searched=True)), clean.data), header, "rendered"
        )
    written = clean_pixels(dataset, findings, policy, accept_pending)
    searched = frame_count(dataset) > 0 and not is_mask(dataset)
    splitter = Splitter()
    file = splitter.split(data) if written.way is Way.UNCHANGED else splitter.split_dataset(dataset)
    header = engine.process(file, subject, overrides(findings, accept_pending))
    return RedactedFile(b"".join(engine.write(file, header, searched)), header, str(written))


def _with_pdf(file: bytes, document: bytes) -> bytes:
    """A file whose header is clean, with the clean document."""
    dataset = read_dataset(file)
    embed_pdf(dataset, document)
    stream = io.BytesIO()
    dataset.save_as(stream, enforce_file_format=True)
    return stream.getvalue()


def clean_pixels(dataset: FileDataset, findings: Sequence[Finding], policy: Policy, accept_pending: bool) -> Written:
    """Cover what was decided in the pixels, and remove what hides beside them, in place.

    Returns:
        How the pixels were written; :attr:`Way.UNCHANGED` when their bytes are the original's.

    Raises:
        InputError: the pixels cannot be searched, or must be changed but cannot be.
    """
    ensure_meta(dataset)
    if dataset.get("PixelData") and not frame_count(dataset):
        raise InputError("The image's size is missing, so its pixels cannot be searched.", "Export it again.")
    written = redact_pixels(dataset, marks(findings, accept_pending, policy.redact.surrogates), policy.redact)
    cleared, cut = clear_high_bits(dataset), drop_surplus(dataset)
    stripped = strip_comments(dataset)
    if (cleared or cut or stripped) and written.way is Way.UNCHANGED:
        written = Written(Way.CLEANED)
    return written

"""A PDF inside a DICOM file (PS3.3 A.45.1): taken out to be searched, and put back when it is clean."""

from __future__ import annotations

from pydicom.dataset import Dataset
from pydicom.uid import EncapsulatedPDFStorage

_MAGIC = b"%PDF-"
_HEAD = 1024


def embedded_pdf(dataset: Dataset) -> bytes | None:
    """The PDF that a DICOM file holds in place of an image; None for every other file."""
    if str(dataset.get("SOPClassUID") or "") != EncapsulatedPDFStorage or "PixelData" in dataset:
        return None
    value = dataset.get("EncapsulatedDocument")
    if not isinstance(value, bytes) or _MAGIC not in value[:_HEAD]:
        return None
    length = dataset.get("EncapsulatedDocumentLength")
    # Its length may be odd, that of a value is even.
    return value[:length] if isinstance(length, int) and 0 <= len(value) - length <= 1 else value


def embed_pdf(dataset: Dataset, data: bytes) -> None:
    """Put a PDF into a DICOM file in place of the one it holds."""
    dataset.EncapsulatedDocument = data + b"\0" * (len(data) % 2)
    dataset.EncapsulatedDocumentLength = len(data)
    dataset.MIMETypeOfEncapsulatedDocument = "application/pdf"

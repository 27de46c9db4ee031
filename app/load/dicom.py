"""DICOM files: reading without silent loss."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from collections.abc import Container

import pydicom
from pydicom.datadict import keyword_for_tag
from pydicom.dataelem import RawDataElement
from pydicom.dataset import FileDataset
from pydicom.errors import BytesLengthException, InvalidDicomError
from pydicom.pixels.utils import get_expected_length
from pydicom.uid import UID, ExplicitVRLittleEndian

from deidra.app.domain.errors import InputError
from deidra.app.load.charset import TEXT_VRS
from deidra.app.load.embedded import embedded_pdf
from deidra.app.load.grammar import (
    META_START,
    MOST_DEPTH,
    UNDEFINED,
    Encoding,
    NotStrict,
    Overrun,
    compresses,
    holds_items,
    inflated,
    is_deflated,
    items_end,
    meta_group,
    too_deep,
)
from deidra.app.load.mend import mended

_VIDEO = ("1.2.840.10008.1.2.4.10",)
"""Prefix of the MPEG and HEVC transfer syntaxes (PS3.5 A.4.5 to A.4.13)."""
_MASKS = {"1.2.840.10008.5.1.4.1.1.66.4", "1.2.840.10008.5.1.4.1.1.66.7"}
"""Segmentation and Label Map Segmentation Storage. The class counts: a modality is typed in by people."""
_MEDIA_DIRECTORY = "1.2.840.10008.1.3.10"
_ENCAPSULATED = "1.2.840.10008.5.1.4.1.1.104."
_VOICE = "1.2.840.10008.5.1.4.1.1.9.4."


def read_dataset(data: bytes) -> FileDataset:
    """Parse a DICOM file completely.

    Raises:
        InputError: it cannot be parsed, is truncated, or parts of it would be lost.
    """
    try:
        return _read(data)
    except InputError:
        again = mended(data)
        if again is None:
            raise
    return _read(again)


def _read(data: bytes) -> FileDataset:
    stream = io.BytesIO(data)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _check_deflated(data)
            dataset = pydicom.dcmread(stream, force=True)
            for _ in dataset.file_meta:
                pass  # a malformed element is found now, not when somebody asks for it
            end = _end(dataset, stream)
            _materialise(dataset, 0)
        if any("end of file" in str(warning.message).lower() for warning in caught):
            raise _cut_off()
        if not any(keyword_for_tag(tag) for tag in dataset._dict):
            raise InputError("The file holds no DICOM elements.", "Check that it is a DICOM image.")
        if not is_deflated(transfer_syntax(dataset)) and data[end:].strip(b"\0"):
            raise _lost()
        _settle_syntax(dataset)
    except InputError:
        raise
    except RecursionError as error:
        raise too_deep() from error
    except (InvalidDicomError, BytesLengthException, struct.error, zlib.error, EOFError, OSError) as error:
        raise InputError("The DICOM file is damaged and cannot be read.", "Export it again.") from error
    except (ValueError, KeyError, AttributeError, TypeError, NotImplementedError, LookupError, OverflowError) as error:
        # pydicom reports malformed elements with all of these; the message could quote values.
        raise InputError(
            f"The DICOM file holds a malformed element ({type(error).__name__}).", "Export it again."
        ) from error
    return dataset


def _cut_off() -> InputError:
    return InputError("The file is cut off: parts of it are missing.", "Export it again from its source.")


def _lost() -> InputError:
    return InputError("Parts of the file could not be understood and would be lost.", "Export it again.")


def _check_deflated(data: bytes) -> None:
    """Refuse deflated files that unpack to implausibly many bytes, or have others behind what is deflated."""
    try:
        start, meta = meta_group(data, META_START if data[128:META_START] == b"DICM" else 0)
    except NotStrict:
        return  # a meta group of another form
    if not is_deflated(meta.get(0x00020010, b"").rstrip(b"\0 ").decode("ascii", "replace")):
        return
    try:
        inflated(data, start)
    except Overrun as error:
        raise _cut_off() from error
    except NotStrict as error:
        raise _lost() from error
    except zlib.error as error:
        raise InputError("The DICOM file is damaged and cannot be read.", "Export it again.") from error


def _materialise(dataset: pydicom.Dataset, depth: int) -> None:
    """Convert every raw element now, so that a malformed one is found before anything is promised.

    Text stays as bytes, which are decoded when somebody asks: what is not valid in its character set would
    not be written again as it was.
    """
    if depth > MOST_DEPTH:
        raise too_deep()
    for tag in list(dataset.keys()):
        raw = dataset.get_item(tag)
        if isinstance(raw, RawDataElement):
            _check_length(raw)
        try:
            element = dataset[tag]
        except AttributeError:
            # What its type depends on (a descriptor, the number of bits) is missing; any bytes are words.
            if not isinstance(raw, RawDataElement):
                raise
            dataset._dict[tag] = raw._replace(VR="OW")
            element = dataset[tag]
        if element.VR == "SQ":
            for item in element.value:
                _materialise(item, depth + 1)
        elif isinstance(raw, RawDataElement) and raw.value and str(element.VR) in TEXT_VRS:
            value = raw.value + b" " * (len(raw.value) % 2)
            dataset._dict[tag] = raw._replace(VR=str(element.VR), value=value, length=len(value))


def _check_length(raw: RawDataElement) -> None:
    """Refuse an element that is longer than what it stands in: what follows it would be taken for its value."""
    value = raw.value or b""
    if raw.length not in (UNDEFINED, len(value)):
        raise _cut_off()
    if holds_items(value, 0, int(raw.tag), raw.VR or ""):
        implicit = raw.is_implicit_VR or raw.VR == "UN"
        try:
            items_end(value, 0, Encoding(implicit, implicit or raw.is_little_endian), len(value))
        except (Overrun, struct.error) as error:
            raise _cut_off() from error
        except NotStrict:
            pass  # the tolerant reader may know better


def _end(dataset: FileDataset, stream: io.BytesIO) -> int:
    """Where the last element ends; what stands behind it was not understood."""
    last = dataset.get_item(list(dataset.keys())[-1]) if len(dataset) else None
    if isinstance(last, RawDataElement) and last.length != UNDEFINED:
        return int(last.value_tell) + int(last.length)
    return stream.tell()


def _settle_syntax(dataset: FileDataset) -> None:
    """Correct a transfer syntax that says compressed where the pixels are not; refuse what cannot be settled."""
    element = dataset.get("PixelData") and dataset["PixelData"]
    if not element or compresses(transfer_syntax(dataset)) in (None, bool(element.is_undefined_length)):
        return
    if element.is_undefined_length:
        raise InputError("The pixels are compressed, but the file does not say how.", "Export it again.")
    try:
        expected = int(get_expected_length(dataset))
    except (AttributeError, TypeError, KeyError, ValueError) as error:
        raise InputError("The image's description is incomplete (rows, columns or bits).") from error
    if len(element.value) not in (expected, expected + 1):
        raise InputError("The pixels are not compressed in the way that the file says.", "Export it again.")
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian


def refuse_unsupported(dataset: FileDataset) -> None:
    """Refuse objects whose content no stage can clean.

    Raises:
        InputError: a DICOMDIR, an encapsulated document that is no PDF, recorded speech, floating-point pixels.
    """
    sop_class = str(dataset.get("SOPClassUID") or dataset.file_meta.get("MediaStorageSOPClassUID") or "")
    if embedded_pdf(dataset) is None:
        refuse_content(sop_class, dataset.keys())
    if dataset.get("PixelData") and not frame_count(dataset):
        raise InputError("The image's size is missing, so its pixels cannot be searched.", "Export it again.")
    if "FloatPixelData" in dataset or "DoubleFloatPixelData" in dataset:
        raise InputError("Pixels in floating-point numbers cannot be searched for text.", "Convert the image.")


def refuse_content(sop_class: str, tags: Container[int]) -> None:
    """Refuse objects whose content beside pixels no stage can clean.

    Args:
        sop_class: the SOP Class UID.
        tags: tags of the top-level elements.

    Raises:
        InputError: a DICOMDIR, an encapsulated document, or recorded speech.
    """
    if sop_class == _MEDIA_DIRECTORY or 0x00041220 in tags:
        raise InputError("A DICOMDIR lists patients and file names; it is not released.", "Nothing needs to be done.")
    if sop_class.startswith(_VOICE):
        raise InputError("The file holds recorded speech, which cannot be cleaned.", "Leave it out of the release.")
    if sop_class.startswith(_ENCAPSULATED) or 0x00420011 in tags:
        raise InputError(
            "A document is encapsulated in this file, and its content cannot be cleaned.", "Export the document itself."
        )


def transfer_syntax(dataset: FileDataset) -> str:
    """The transfer syntax UID; files without meta information are told by how they were parsed."""
    known = str(dataset.file_meta.get("TransferSyntaxUID", "")) if hasattr(dataset, "file_meta") else ""
    if known:
        return known
    implicit, little = dataset.original_encoding
    if implicit:
        return str(pydicom.uid.ImplicitVRLittleEndian)
    return str(pydicom.uid.ExplicitVRLittleEndian if little else pydicom.uid.ExplicitVRBigEndian)


def ensure_meta(dataset: FileDataset) -> None:
    """Give a file without preamble or meta group the transfer syntax that it was parsed with."""
    if not hasattr(dataset, "file_meta") or dataset.file_meta is None:
        dataset.file_meta = pydicom.dataset.FileMetaDataset()
    if not dataset.file_meta.get("TransferSyntaxUID"):
        dataset.file_meta.TransferSyntaxUID = UID(transfer_syntax(dataset))


def frame_count(dataset: pydicom.Dataset) -> int:
    """Number of frames; 0 for objects without an image that can be searched or shown."""
    if "PixelData" not in dataset or not dataset.get("Rows") or not dataset.get("Columns"):
        return 0
    return max(1, whole_number(dataset, "NumberOfFrames", 1))


def whole_number(dataset: pydicom.Dataset, keyword: str, default: int) -> int:
    """A numeric element as an int; ``default`` when it is absent, empty, multi-valued or no number."""
    try:
        return int(dataset.get(keyword) or default)
    except (TypeError, ValueError):
        return default


def is_mask(dataset: pydicom.Dataset) -> bool:
    """True for segmentations, whose pixels are labels and hold no text.

    The class alone is not enough: a picture with a wrong class would never be searched.
    """
    return str(dataset.get("SOPClassUID", "")) in _MASKS and bool(dataset.get("SegmentSequence"))


def is_encapsulated(dataset: FileDataset) -> bool:
    """True when the pixel data is compressed; private and unknown syntaxes count by their form."""
    uid = UID(transfer_syntax(dataset))
    if uid.is_transfer_syntax and not uid.is_private:
        return bool(uid.is_encapsulated)
    return bool(getattr(dataset["PixelData"], "is_undefined_length", False)) if "PixelData" in dataset else False


def is_video(dataset: FileDataset) -> bool:
    """True when the pixels are an MPEG, H.264 or HEVC stream."""
    return transfer_syntax(dataset).startswith(_VIDEO)

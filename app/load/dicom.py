"""DICOM files: reading without silent loss, and frames as pictures."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import pydicom
from numpy.typing import NDArray
from pydicom.datadict import keyword_for_tag
from pydicom.dataelem import RawDataElement
from pydicom.dataset import FileDataset
from pydicom.errors import BytesLengthException, InvalidDicomError
from pydicom.pixels.processing import apply_color_lut, apply_modality_lut, apply_voi_lut
from pydicom.pixels.utils import get_expected_length, pixel_array
from pydicom.uid import UID, ExplicitVRLittleEndian, JPEGBaseline8Bit, JPEGExtended12Bit

from deidra.app.domain.errors import InputError
from deidra.app.load.bits import SampleBits, bit_planes
from deidra.app.load.charset import TEXT_VRS
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
from deidra.app.load.jpeg import (
    IMAGECODECS_SYNTAXES,
    decode_with_imagecodecs,
    is_adobe_ycc,
    more_frames_than_declared,
)
from deidra.app.load.mend import mended

_VIDEO = ("1.2.840.10008.1.2.4.10",)
"""Prefix of the MPEG and HEVC transfer syntaxes (PS3.5 A.4.5 to A.4.13)."""
_MASKS = {"1.2.840.10008.5.1.4.1.1.66.4", "1.2.840.10008.5.1.4.1.1.66.7"}
"""Segmentation and Label Map Segmentation Storage. The class counts: a modality is typed in by people."""
_BRIGHT = 128
_PILLOWS = (str(JPEGBaseline8Bit), str(JPEGExtended12Bit))
"""Syntaxes that pydicom decodes with Pillow."""
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
        InputError: a DICOMDIR, an encapsulated document, recorded speech, floating-point pixels.
    """
    sop_class = str(dataset.get("SOPClassUID") or dataset.file_meta.get("MediaStorageSOPClassUID") or "")
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


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: ``values`` as stored, ``(H, W)`` or ``(H, W, 3)`` RGB."""

    index: int
    values: NDArray[np.generic]


class Frames:
    """Decoded frames of a dataset, one at a time.

    Raises:
        InputError: there is no decoder for the transfer syntax, or the pixels are damaged.
    """

    @property
    def dataset(self) -> FileDataset:
        """The file whose frames they are."""
        return self._dataset

    def __init__(self, dataset: FileDataset) -> None:
        self._dataset = dataset
        self.count = frame_count(dataset)
        ensure_meta(dataset)
        if is_video(dataset):
            raise InputError("The pixels are a video stream, which cannot be searched.", "Convert it to frames.")
        _complete_description(dataset)
        self._check_length()

    def _check_length(self) -> None:
        if not self.count:
            return
        if is_encapsulated(self._dataset):
            if more_frames_than_declared(self._dataset, self.count):
                raise InputError("The pixel data holds more frames than the header says.", "Export it again.")
            return
        if self._dataset.PixelData is None:
            raise InputError("The image has no pixel data.", "Export it again.")
        try:
            expected = int(get_expected_length(self._dataset))
        except (AttributeError, TypeError, KeyError, ValueError) as error:
            raise InputError("The image's description is incomplete (rows, columns or bits).") from error
        present = len(self._dataset.PixelData)
        if present < expected:
            raise InputError("The pixel data is shorter than the image's size says.", "Export it again.")
        if present >= expected + max(2, expected // self.count):
            raise InputError("The pixel data holds more frames than the header says.", "Export it again.")

    def __iter__(self) -> Iterator[Frame]:
        for index in range(self.count):
            yield self.frame(index)

    def frame(self, index: int) -> Frame:
        """Frame ``index`` (from 0), colour as RGB, palettes applied."""
        values = self.stored(index)
        if self._dataset.get("PhotometricInterpretation") == "PALETTE COLOR":
            try:
                values = apply_color_lut(values, self._dataset)
            except (AttributeError, KeyError, ValueError, IndexError, TypeError) as error:
                raise InputError("The image's colour table is damaged.", "Export it again.") from error
        return Frame(index, values)

    def stored(self, index: int) -> NDArray[np.generic]:
        """Frame ``index`` (from 0) as stored: palette images as indices, other colour as RGB."""
        return self._decoded(index, raw=False)

    def raw(self, index: int) -> NDArray[np.generic]:
        """Frame ``index`` (from 0) as its codec gives it: the colour space is that of the header.

        What a JPEG 2000 stream itself says about its colours (YBR_RCT, YBR_ICT) is undone: these are RGB.
        """
        return self._decoded(index, raw=True)

    def _decoded(self, index: int, raw: bool) -> NDArray[np.generic]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                values = self._decode(index, raw)
        except MemoryError as error:
            raise InputError("The image needs more memory than there is.") from error
        except (
            AttributeError,
            KeyError,
            ValueError,
            TypeError,
            RuntimeError,
            NotImplementedError,
            OSError,
            IndexError,
            EOFError,
        ) as error:
            # Decoders of six libraries fail in as many ways; the reason that helps is the same.
            raise InputError(
                f"The pixels cannot be decoded ({type(error).__name__}).",
                "The pixel data is damaged, or its transfer syntax is not supported.",
            ) from error
        expected = (whole_number(self._dataset, "Rows", 0), whole_number(self._dataset, "Columns", 0))
        if values.shape[:2] != expected:
            raise InputError("The decoded image has another size than the header says.", "Export it again.")
        return values

    def _decode(self, index: int, raw: bool) -> NDArray[np.generic]:
        syntax = transfer_syntax(self._dataset)
        # pydicom decodes the 8-bit form of this syntax by itself, and knows its colour markers.
        plain = syntax == JPEGExtended12Bit and whole_number(self._dataset, "BitsAllocated", 8) == 8
        if syntax in IMAGECODECS_SYNTAXES and not plain:
            return decode_with_imagecodecs(self._dataset, index, raw)
        # Pillow converts what an Adobe marker calls YCbCr, and pydicom would convert it again.
        raw = raw or (syntax in _PILLOWS and is_adobe_ycc(self._dataset, index))
        # Of native and RLE words pydicom drops the bits above BitsStored, which are samples where they sit higher.
        higher = whole_number(self._dataset, "HighBit", 0) >= whole_number(self._dataset, "BitsStored", 1)
        whole: dict[str, Any] = {"correct_unused_bits": False} if higher else {}
        return np.asarray(pixel_array(self._dataset, index=index if self.count > 1 else None, raw=raw, **whole))


def _complete_description(dataset: pydicom.Dataset) -> None:
    """ACR-NEMA files predate these elements; a single grey sample is what they always held."""
    if "SamplesPerPixel" not in dataset and "PhotometricInterpretation" not in dataset:
        dataset.SamplesPerPixel = 1
        dataset.PhotometricInterpretation = "MONOCHROME2"
    if "PixelRepresentation" not in dataset:
        dataset.PixelRepresentation = 0


def renderings(dataset: pydicom.Dataset, values: NDArray[np.generic]) -> list[NDArray[np.uint8]]:
    """Pictures of one frame, ``(H, W, 3)`` RGB, in which text may show: one window hides what another shows.

    Colour images give one. Grey ones give the full range and one with local contrast (CLAHE), which
    lifts faint text out of its surroundings; deeper than 8 bits also the ranks of the grey levels, and
    the header's own window, where these look different. Where something stands in the bits around the
    samples, which would hide what stands in these, the samples are shown alone; a picture of all bits and
    one of each bit around them follow.
    """
    if values.ndim == 3:
        return [_to_bytes(values)]
    bits = SampleBits.of(dataset) if values.dtype.kind in "iu" else None
    hidden = bits.hidden(values) if bits else None
    if bits is None or hidden is None or not hidden.any():
        return _coloured(_grey_pictures(dataset, values))
    pictures = [*_grey_pictures(dataset, bits.own(values)), _whole_range(values), *bit_planes(hidden)]
    return _coloured(pictures)


def _coloured(pictures: list[NDArray[np.uint8]]) -> list[NDArray[np.uint8]]:
    return [np.repeat(picture[:, :, None], 3, axis=2) for picture in pictures]


def _grey_pictures(dataset: pydicom.Dataset, values: NDArray[np.generic]) -> list[NDArray[np.uint8]]:
    grey = values.astype(np.float32)
    # Dim 8-bit images (fewer bits in use, or one) are stretched as deeper ones are.
    bright = values.dtype == np.uint8 and int(values.max(initial=0)) >= _BRIGHT
    full = np.asarray(values, np.uint8) if bright else window(grey, *_limits(grey, 0, 100))
    pictures = [full, local_contrast(full)]
    if values.dtype != np.uint8:
        pictures += [p for p in (equalised(values), *_windowed(dataset, values)) if _differs(p, full)]
    return pictures


def _whole_range(values: NDArray[np.generic]) -> NDArray[np.uint8]:
    grey = values.astype(np.float32)
    return window(grey, *_limits(grey, 0, 100))


def _differs(picture: NDArray[np.uint8], full: NDArray[np.uint8]) -> bool:
    return float(np.abs(picture.astype(np.int16) - full).mean()) > 8


def local_contrast(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A grey picture with its contrast spread tile by tile (CLAHE)."""
    return np.asarray(cv2.createCLAHE(2.0, (8, 8)).apply(picture), np.uint8)


def equalised(values: NDArray[np.generic]) -> NDArray[np.uint8]:
    """Grey levels by rank: what differs by few of 65,536 levels shows, wherever on the scale it is."""
    if values.dtype in (np.uint8, np.uint16):
        # So few levels can be counted without sorting; the top one is in use.
        levels, counts = values, np.bincount(values.ravel())
    else:
        _, levels, counts = np.unique(values, return_inverse=True, return_counts=True)
    # The middle of a level's ranks: large even areas stay apart from what is written on them.
    ranks = np.cumsum(counts) - counts / 2
    shades = np.asarray(ranks / ranks[-1] * 255, dtype=np.uint8)
    return np.asarray(shades[levels.reshape(values.shape)])


def _windowed(dataset: pydicom.Dataset, values: NDArray[np.generic]) -> list[NDArray[np.uint8]]:
    """The picture through the header's own window, where it has one."""
    if "WindowWidth" not in dataset:
        return []
    return [np.ascontiguousarray(display_picture(dataset, values)[:, :, 0])]


def _limits(grey: NDArray[np.float32], low: float, high: float) -> tuple[float, float]:
    first, last = np.percentile(grey, (low, high))
    return float(first), float(last)


def display_picture(dataset: pydicom.Dataset, values: NDArray[np.generic]) -> NDArray[np.uint8]:
    """One frame as a person expects it: modality and VOI transforms applied, MONOCHROME1 turned."""
    if values.ndim == 3:
        return _to_bytes(values)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            grey = apply_voi_lut(apply_modality_lut(values, dataset), dataset).astype(np.float32)
    except (AttributeError, KeyError, ValueError, TypeError, IndexError):
        grey = values.astype(np.float32)
    if "WindowWidth" in dataset or "VOILUTSequence" in dataset or values.dtype == np.uint8:
        low, high = float(grey.min()), float(grey.max())
    else:
        low, high = _limits(grey, 0.5, 99.8)
    picture = window(grey, low, high)
    if dataset.get("PhotometricInterpretation") == "MONOCHROME1":
        picture = 255 - picture
    return np.repeat(picture[:, :, None], 3, axis=2)


def window(grey: NDArray[np.float32], low: float, high: float) -> NDArray[np.uint8]:
    """``grey`` with ``low`` and below as black and ``high`` and above as white."""
    span = max(high - low, 1e-6)
    return np.asarray(np.clip((grey - low) / span, 0, 1) * 255, dtype=np.uint8)


def _to_bytes(values: NDArray[np.generic]) -> NDArray[np.uint8]:
    colour = values[:, :, :3]
    if colour.dtype == np.uint8:
        return np.ascontiguousarray(colour, dtype=np.uint8)
    floats = colour.astype(np.float64)
    top = max(float(floats.max()), 1.0)
    return np.asarray(floats / top * 255, dtype=np.uint8)

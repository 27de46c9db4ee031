"""Decoded frames of a DICOM file."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
import pydicom
from numpy.typing import NDArray
from pydicom.dataset import FileDataset
from pydicom.encaps import generate_fragments, parse_basic_offsets
from pydicom.pixels.processing import apply_color_lut
from pydicom.pixels.utils import get_expected_length, pixel_array
from pydicom.uid import JPEGBaseline8Bit, JPEGExtended12Bit

from deidra.app.domain.errors import InputError
from deidra.app.load.dicom import ensure_meta, frame_count, is_encapsulated, is_video, transfer_syntax, whole_number
from deidra.app.load.jpeg import (
    IMAGECODECS_SYNTAXES,
    decode_with_imagecodecs,
    is_adobe_ycc,
    more_frames_than_declared,
)
from deidra.app.load.video import Video

_PILLOWS = (str(JPEGBaseline8Bit), str(JPEGExtended12Bit))
"""Syntaxes that pydicom decodes with Pillow."""


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
        self._video = video_of(dataset) if is_video(dataset) and self.count else None
        _complete_description(dataset)
        if self._video is None:
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
        if self._video:
            return self._video.frame(index)
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


def video_of(dataset: FileDataset) -> Video:
    """The video that a file holds.

    Raises:
        InputError: the system has no ffmpeg, or the pixel data is damaged.
    """
    try:
        items = BytesIO(dataset.PixelData)
        parse_basic_offsets(items)
        stream = b"".join(generate_fragments(items))
    except (ValueError, TypeError, EOFError, struct.error) as error:
        raise InputError("The video stream cannot be told from its surroundings.", "Export it again.") from error
    return Video(stream, whole_number(dataset, "Rows", 0), whole_number(dataset, "Columns", 0))


def _complete_description(dataset: pydicom.Dataset) -> None:
    """ACR-NEMA files predate these elements; a single grey sample is what they always held."""
    if "SamplesPerPixel" not in dataset and "PhotometricInterpretation" not in dataset:
        dataset.SamplesPerPixel = 1
        dataset.PhotometricInterpretation = "MONOCHROME2"
    if "PixelRepresentation" not in dataset:
        dataset.PixelRepresentation = 0

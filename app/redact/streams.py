"""Encapsulated pixel data as the compressed streams of its frames, and back (PS3.5 A.4)."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from pydicom.dataset import FileDataset
from pydicom.encaps import encapsulate, encapsulate_extended, generate_frames
from pydicom.uid import ExplicitVRLittleEndian

from deidra.app.domain.errors import InputError
from deidra.app.load.dicom import frame_count

_TABLES = ("ExtendedOffsetTable", "ExtendedOffsetTableLengths")
_MOST_OFFSET = 2**32 - 1


def frames_of(dataset: FileDataset) -> list[bytes]:
    """The compressed stream of each frame; fragments of a frame are joined.

    Raises:
        InputError: the fragments cannot be told apart into as many frames as the header says.
    """
    count = frame_count(dataset)
    try:
        streams = list(generate_frames(dataset.PixelData, number_of_frames=count))
    except (ValueError, TypeError, EOFError, struct.error) as error:
        raise InputError("The frames of the compressed pixel data cannot be told apart.", "Export it again.") from error
    if len(streams) != count:
        raise InputError("The pixel data holds another number of frames than the header says.", "Export it again.")
    return streams


def store_frames(dataset: FileDataset, streams: Sequence[bytes]) -> None:
    """Make compressed streams the pixel data, one fragment a frame.

    The offset table is an extended one where the file had one or the basic one cannot reach the last frame
    (PS3.3 C.7.6.3.1.8, PS3.5 A.4: only one of the two is filled).
    """
    items = list(streams)
    extended = "ExtendedOffsetTable" in dataset or sum(len(item) + 9 for item in items[:-1]) > _MOST_OFFSET
    drop_tables(dataset)
    if extended:
        dataset.PixelData, dataset.ExtendedOffsetTable, dataset.ExtendedOffsetTableLengths = encapsulate_extended(items)
    else:
        dataset.PixelData = encapsulate(items)
    dataset["PixelData"].VR = "OB"
    dataset["PixelData"].is_undefined_length = True


def store_native(dataset: FileDataset, data: bytes | bytearray, dtype: np.dtype[np.generic]) -> None:
    """Make uncompressed little-endian samples the pixel data, and the transfer syntax Explicit VR Little Endian."""
    drop_tables(dataset)
    dataset.PixelData = bytes(data) + b"\0" * (len(data) % 2)
    dataset["PixelData"].VR = "OB" if dtype.itemsize == 1 else "OW"
    dataset["PixelData"].is_undefined_length = False
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian


def drop_tables(dataset: FileDataset) -> None:
    """Take extended offset tables out."""
    for keyword in _TABLES:
        if keyword in dataset:
            delattr(dataset, keyword)

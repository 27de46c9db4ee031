from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import UID, ExplicitVRBigEndian, ExplicitVRLittleEndian, SecondaryCaptureImageStorage

Make = Callable[..., FileDataset]


def build(
    values: NDArray[np.generic],
    photometric: str = "MONOCHROME2",
    syntax: str = ExplicitVRLittleEndian,
    bits_stored: int | None = None,
    planar: int = 0,
) -> FileDataset:
    """An image file with ``values`` of shape ``(frames, rows, columns)`` or ``(frames, rows, columns, 3)``."""
    uid = UID(syntax)
    dataset = FileDataset("", {}, bytes(128), FileMetaDataset(), uid.is_implicit_VR, uid.is_little_endian)
    dataset.file_meta.TransferSyntaxUID = uid
    dataset.SOPClassUID = SecondaryCaptureImageStorage
    dataset.SOPInstanceUID = "1.2.3.4"
    dataset.StudyInstanceUID = "1.2.3"
    dataset.PatientName = "Okonkwo^Adaeze"
    dataset.Modality = "OT"
    dataset.NumberOfFrames, dataset.Rows, dataset.Columns = values.shape[:3]
    dataset.SamplesPerPixel = 3 if values.ndim == 4 else 1
    dataset.PhotometricInterpretation = photometric
    if values.ndim == 4:
        dataset.PlanarConfiguration = planar
    bits = values.dtype.itemsize * 8
    dataset.BitsAllocated = bits
    dataset.BitsStored = bits_stored or bits
    dataset.HighBit = dataset.BitsStored - 1
    dataset.PixelRepresentation = int(values.dtype.kind == "i")
    stored = np.moveaxis(values, -1, 1) if values.ndim == 4 and planar else values
    data = stored.astype(values.dtype.newbyteorder(">" if syntax == ExplicitVRBigEndian else "<")).tobytes()
    dataset.add_new(0x7FE00010, "OB" if bits == 8 else "OW", data + b"\0" * (len(data) % 2))
    return dataset


@pytest.fixture(name="make", scope="session")
def make_fixture() -> Make:
    return build


@pytest.fixture(scope="session")
def native_values() -> Callable[[FileDataset], NDArray[np.generic]]:
    """Native pixel data as ``(frames, rows, columns[, samples])``, told from the header alone."""

    def decode(dataset: FileDataset) -> NDArray[np.generic]:
        frames, rows, columns = int(dataset.NumberOfFrames), dataset.Rows, dataset.Columns
        samples = dataset.SamplesPerPixel
        kind = "i" if dataset.PixelRepresentation else "u"
        order = ">" if dataset.file_meta.TransferSyntaxUID == ExplicitVRBigEndian else "<"
        dtype = np.dtype(f"{order}{kind}{dataset.BitsAllocated // 8}")
        values = np.frombuffer(dataset.PixelData, dtype, frames * rows * columns * samples)
        if samples == 1:
            return values.reshape(frames, rows, columns)
        if dataset.PlanarConfiguration == 1:
            return np.moveaxis(values.reshape(frames, samples, rows, columns), 1, -1)
        return values.reshape(frames, rows, columns, samples)

    return decode

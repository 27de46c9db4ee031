from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import UID, ExplicitVRLittleEndian, SecondaryCaptureImageStorage


def _new(syntax: str) -> FileDataset:
    uid = UID(syntax)
    dataset = FileDataset("", {}, bytes(128), FileMetaDataset(), uid.is_implicit_VR, uid.is_little_endian)
    dataset.file_meta.TransferSyntaxUID = UID(syntax)
    dataset.file_meta.MediaStorageSOPClassUID = SecondaryCaptureImageStorage
    dataset.file_meta.MediaStorageSOPInstanceUID = "1.2.3.4"
    dataset.SOPClassUID = SecondaryCaptureImageStorage
    dataset.SOPInstanceUID = "1.2.3.4"
    dataset.StudyInstanceUID = "1.2.3"
    dataset.SeriesInstanceUID = "1.2.3.1"
    dataset.PatientName = "Okonkwo^Adaeze"
    dataset.PatientID = "MRN4711"
    dataset.Modality = "OT"
    return dataset


@pytest.fixture(scope="session")
def make() -> Callable[..., FileDataset]:
    """Makes an image dataset from stored values ``(H, W)``, ``(H, W, 3)`` or with frames in front."""

    def build(
        values: NDArray[np.generic],
        photometric: str = "MONOCHROME2",
        syntax: str = ExplicitVRLittleEndian,
        frames: int | None = None,
        bits_stored: int | None = None,
        planar: int = 0,
        **elements: object,
    ) -> FileDataset:
        dataset = _new(syntax)
        plane = values[0] if frames is not None else values
        colour = plane.ndim == 3
        dataset.Rows, dataset.Columns = plane.shape[:2]
        dataset.SamplesPerPixel = 3 if colour else 1
        dataset.PhotometricInterpretation = photometric
        if colour:
            dataset.PlanarConfiguration = planar
        bits = values.dtype.itemsize * 8
        dataset.BitsAllocated = bits
        dataset.BitsStored = bits_stored or bits
        dataset.HighBit = dataset.BitsStored - 1
        dataset.PixelRepresentation = int(values.dtype.kind == "i")
        if frames is not None:
            dataset.NumberOfFrames = frames
        stored = np.moveaxis(values, -1, -3) if colour and planar else values
        order = ">" if syntax == "1.2.840.10008.1.2.2" else "<"
        data = stored.astype(values.dtype.newbyteorder(order)).tobytes()
        dataset.add_new(0x7FE00010, "OB" if bits == 8 else "OW", data + b"\0" * (len(data) % 2))
        for name, value in elements.items():
            setattr(dataset, name, value)
        return dataset

    return build


@pytest.fixture(scope="session")
def written() -> Callable[[FileDataset], bytes]:
    def write(dataset: FileDataset) -> bytes:
        stream = io.BytesIO()
        dataset.save_as(stream, enforce_file_format=True)
        return stream.getvalue()

    return write

from __future__ import annotations

from collections.abc import Callable

import pytest
from dicom_files import InPlace
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian

from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import Option, Profile


@pytest.fixture
def key() -> ProjectKey:
    return ProjectKey(bytes(range(32)))


@pytest.fixture
def subject() -> Subject:
    return Subject("PABCDEFGH", -100)


@pytest.fixture
def engine(key: ProjectKey) -> Callable[..., HeaderEngine]:
    def make(*options: Option) -> HeaderEngine:
        return InPlace(HeaderEngine(Profile(frozenset(options)), key))

    return make


@pytest.fixture
def header() -> FileDataset:
    """A small CT header without pixel data."""
    dataset = FileDataset("", {}, file_meta=FileMetaDataset(), preamble=b"PATIENT OKONKWO".ljust(128, b"\1"))
    meta = dataset.file_meta
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID = CTImageStorage
    meta.MediaStorageSOPInstanceUID = "1.2.3.4.5"
    meta.SourceApplicationEntityTitle = "OKONKWO_WS"
    meta.PrivateInformationCreatorUID = "1.2.3.999"
    meta.PrivateInformation = b"OKONKWO "
    dataset.SOPClassUID = CTImageStorage
    dataset.SOPInstanceUID = "1.2.3.4.5"
    dataset.StudyInstanceUID = "1.2.3.4"
    dataset.SeriesInstanceUID = "1.2.3.4.1"
    dataset.PatientName = "Okonkwo^Adaeze"
    dataset.PatientID = "MRN4711"
    dataset.PatientBirthDate = "19500228"
    dataset.StudyDate = "20240229"
    dataset.StudyTime = "101112.500"
    dataset.SeriesDescription = "AXIAL T2"
    dataset.Modality = "CT"
    return dataset

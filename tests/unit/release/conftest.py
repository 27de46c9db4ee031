from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import BasicTextSRStorage, ExplicitVRLittleEndian

from deidra.app.decide.policy import Policy
from deidra.app.domain.model import Asset, AssetKind, AssetStatus, Identifier
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.storage import ProjectStore
from deidra.storage.database import sqlite_url


@pytest.fixture
def key() -> ProjectKey:
    return ProjectKey(bytes(range(32)))


@pytest.fixture
def engine(key: ProjectKey) -> HeaderEngine:
    return HeaderEngine(Policy().profile, key)


@pytest.fixture
def subject() -> Subject:
    return Subject("P0123", -50)


@pytest.fixture
def identifiers() -> list[Identifier]:
    pairs = [
        *((EntityType.PATIENT, "Okonkwo^Adaeze"), (EntityType.ID_MRN, "MRN4711X"), (EntityType.DATE_BIRTH, "19501211")),
        (EntityType.STAFF, "Hill^Gregory"),
    ]
    return [Identifier("P", kind, value, "s") for kind, value in pairs]


@pytest.fixture
def report_file() -> Callable[..., bytes]:
    """A DICOM file without pixels, so that no picture has to be searched."""

    def make(**elements: object) -> bytes:
        dataset = FileDataset("", {}, bytes(128), FileMetaDataset(), False, True)
        dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
        dataset.SOPClassUID = BasicTextSRStorage
        dataset.SOPInstanceUID = "1.2.3.4.5678901"
        dataset.StudyInstanceUID = "1.2.3.4.1111111"
        dataset.SeriesInstanceUID = "1.2.3.4.2222222"
        dataset.PatientName = "Okonkwo^Adaeze"
        dataset.PatientID = "MRN4711X"
        dataset.Modality = "SR"
        for name, value in elements.items():
            setattr(dataset, name, value)
        stream = io.BytesIO()
        dataset.save_as(stream, enforce_file_format=True)
        return stream.getvalue()

    return make


@pytest.fixture
def asset_of(tmp_path: Path) -> Callable[..., Asset]:
    """Writes a file and gives the asset that stands for it."""

    def make(data: bytes, name: str = "a", kind: AssetKind = AssetKind.DICOM, **changes: object) -> Asset:
        path = tmp_path / "in" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        status = changes.pop("status", AssetStatus.DECIDED)
        digest = hashlib.sha256(data).hexdigest()
        return Asset(name, str(path), "", digest, len(data), kind, status, **changes)

    return make


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectStore]:
    opened = ProjectStore(sqlite_url(tmp_path / "project.db"))
    yield opened
    opened.close()

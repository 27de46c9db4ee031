from __future__ import annotations

from collections.abc import Callable

import pytest
from dicom_files import InPlace
from pydicom.dataset import FileDataset, FileMetaDataset

from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import Profile

ENGINE = InPlace(HeaderEngine(Profile(frozenset()), ProjectKey(bytes(32))))


@pytest.fixture
def nameless() -> Callable[[bytes], FileDataset]:
    def make(pixels: bytes) -> FileDataset:
        dataset = FileDataset("", {}, file_meta=FileMetaDataset())
        dataset.SeriesInstanceUID = "1.2.3.4.5"
        dataset.PixelData = pixels
        return dataset

    return make


def test_a_file_without_instance_uid_gets_one_that_its_file_meta_shares(
    nameless: Callable[[bytes], FileDataset],
) -> None:
    dataset = nameless(b"\1\2")
    ENGINE.process(dataset, Subject("P", -1))
    assert dataset.SOPInstanceUID.startswith("2.25.")
    assert dataset.file_meta.MediaStorageSOPInstanceUID == dataset.SOPInstanceUID


def test_different_files_without_instance_uid_get_different_ones(nameless: Callable[[bytes], FileDataset]) -> None:
    first, again, other = nameless(b"\1\2"), nameless(b"\1\2"), nameless(b"\1\3")
    for dataset in (first, again, other):
        ENGINE.process(dataset, Subject("P", -1))
    assert first.SOPInstanceUID == again.SOPInstanceUID
    assert first.SOPInstanceUID != other.SOPInstanceUID


def test_an_instance_uid_in_the_file_meta_group_alone_is_the_one_that_counts(
    nameless: Callable[[bytes], FileDataset],
) -> None:
    dataset = nameless(b"\1\2")
    dataset.file_meta.MediaStorageSOPInstanceUID = "1.2.840.99999.7"
    ENGINE.process(dataset, Subject("P", -1))
    assert dataset.SOPInstanceUID == ProjectKey(bytes(32)).uid("1.2.840.99999.7")

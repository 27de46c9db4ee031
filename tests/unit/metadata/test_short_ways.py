"""The short ways of the header engine (memo, groups, bytes, item by item) end where the long one ends."""

from __future__ import annotations

import pytest
from dicom_files import to_bytes
from hypothesis import given, settings
from hypothesis import strategies as st
from pydicom import Dataset
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import (
    CTImageStorage,
    DeflatedExplicitVRLittleEndian,
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
)

from deidra.app.decide.policy import load_policy
from deidra.app.load.encoded import Splitter
from deidra.app.metadata.changes import FieldChange
from deidra.app.metadata.element import ElementWorker
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.quick import QuickLeaves

KEY = ProjectKey(bytes(range(32)))
SUBJECT = Subject("P1", -100)
SYNTAXES = (
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
    ExplicitVRBigEndian,
    DeflatedExplicitVRLittleEndian,
)

uids = st.lists(st.integers(0, 99999), min_size=2, max_size=8).map(lambda parts: "1.2." + ".".join(map(str, parts)))
numbers = st.one_of(
    st.integers(-99999, 99999).map(str), st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: f"{value:.6g}")
)
times = st.times().map(lambda value: value.strftime("%H%M%S"))
fractions = st.times().map(lambda value: value.strftime("%H%M%S.%f"))


@st.composite
def items(draw: st.DrawFn, depth: int = 2) -> Dataset:
    item = Dataset()
    if draw(st.booleans()):
        item.ReferencedSOPClassUID = CTImageStorage
        item.ReferencedSOPInstanceUID = draw(uids)
    if draw(st.booleans()):
        item.ImagePositionPatient = [draw(numbers) for _ in range(3)]
    if draw(st.booleans()):
        item.ContentTime = draw(times)
    if draw(st.booleans()):
        item.ContentDate = "20240229"
    if draw(st.booleans()):
        item.PersonName = "Okonkwo^Adaeze"
    if draw(st.booleans()):
        item.CodeMeaning = draw(st.sampled_from(["", "Thorax", "x" * 64]))
    if draw(st.booleans()):
        item.private_block(0x0019, "ACME", create=True).add_new(1, "LO", "x")
    if depth and draw(st.booleans()):
        item.SourceImageSequence = draw(st.lists(items(depth - 1), max_size=2))
    item.is_undefined_length_sequence_item = draw(st.booleans())
    return item


@st.composite
def headers(draw: st.DrawFn) -> FileDataset:
    syntax = draw(st.sampled_from(SYNTAXES))
    dataset = FileDataset("", {}, bytes(128), FileMetaDataset(), syntax.is_implicit_VR, syntax.is_little_endian)
    dataset.file_meta.TransferSyntaxUID = syntax
    dataset.file_meta.MediaStorageSOPClassUID = dataset.SOPClassUID = CTImageStorage
    dataset.file_meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID = draw(uids)
    dataset.StudyInstanceUID = draw(uids)
    dataset.PatientID, dataset.PatientName = "MR1", "Okonkwo^Adaeze"
    dataset.StudyDate, dataset.StudyTime = "20240229", draw(times)
    dataset.AcquisitionTime = draw(st.one_of(times, fractions, st.just(""), st.just("12:34:56")))
    dataset.SliceLocation = draw(numbers)
    dataset.InstanceNumber = draw(st.integers(0, 99999))
    dataset.ImagePositionPatient = [draw(numbers) for _ in range(3)]
    dataset.SeriesDescription = draw(st.sampled_from(["AXIAL", "T2 Okonkwo", ""]))
    dataset.FrameOfReferenceUID = draw(st.one_of(uids, st.just("1.2.840.10008.1.4.1.1")))
    dataset.SourceImageSequence = draw(st.lists(items(), max_size=3))
    dataset.ReferencedImageSequence = draw(st.lists(items(), max_size=2))
    dataset.PixelRepresentation = 0
    if draw(st.booleans()):
        dataset.private_block(0x0019, "SIEMENS MR HEADER", create=True).add_new(0x0C, "IS", "1000")
    return dataset


def outcome(engine: HeaderEngine, splitter: Splitter, data: bytes) -> tuple[bytes, list[FieldChange], dict[str, str]]:
    file = splitter.split(data)
    result = engine.process(file, SUBJECT)
    return b"".join(engine.write(file, result, searched=False)), result.changes, result.uids


@pytest.mark.parametrize("preset", ["basic", "tcia", "safe-harbor", "limited"])
def test_bytes_changes_and_uids_are_those_of_the_long_way(preset: str) -> None:
    policy = load_policy(preset)

    @given(st.lists(headers(), min_size=1, max_size=3))
    @settings(max_examples=12, deadline=None)
    def check(files: list[FileDataset]) -> None:
        engine, splitter = HeaderEngine(policy.profile, KEY), Splitter()
        for dataset in [*files, *files]:
            data = to_bytes(dataset)
            short = outcome(engine, splitter, data)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(QuickLeaves, "handler", lambda *_: None)
                patch.setattr(ElementWorker, "_goes_item_by_item", lambda *_: False)
                long = outcome(HeaderEngine(policy.profile, KEY), Splitter(), data)
            assert short == long

    check()


@given(st.lists(headers(), min_size=2, max_size=4))
@settings(max_examples=15, deadline=None)
def test_a_splitter_that_has_seen_other_files_splits_like_a_new_one(files: list[FileDataset]) -> None:
    used = Splitter()
    for dataset in files:
        data = to_bytes(dataset)
        assert used.split(data) == Splitter().split(data)


def test_every_byte_of_a_file_belongs_to_one_element(header: FileDataset) -> None:
    header.ReferencedImageSequence = [Dataset(), Dataset()]
    data = to_bytes(header)
    file = Splitter().split(data)
    elements = file.elements
    assert elements[-1].end == len(file.body)
    assert [e.start for e in elements[1:]] == [e.end for e in elements[:-1]]
    assert len(file.body) - elements[0].start + 132 + 12 < len(data) + 132


def test_the_memo_stays_small_over_many_different_files(header: FileDataset) -> None:
    engine, splitter = HeaderEngine(load_policy("tcia").profile, KEY), Splitter()
    stream = engine._stream
    for number in range(300):
        header.SOPInstanceUID = f"1.2.3.{number}"
        header.ImageComments = f"{number} " * 3000
        engine.process(splitter.split(to_bytes(header)), SUBJECT)
    held = sum(len(o.data) for context in stream._memos._contexts.values() for o in context.memo.values())
    assert held < 24 << 20

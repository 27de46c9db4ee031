"""Text in elements whose VR is not read."""

from __future__ import annotations

import pytest
from dicom_files import InPlace, to_bytes
from pydicom import config
from pydicom.dataelem import DataElement
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian

from deidra.app.decide.policy import load_policy
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey

SECRET = "NWOSU^SECRET"


def out(tag, vr, value, preset):
    d = FileDataset("", {}, bytes(128), FileMetaDataset(), False, True)
    d.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    d.SOPInstanceUID = "1.2.3"
    with config.disable_value_validation():
        d[tag] = DataElement(tag, vr, value)
        InPlace(HeaderEngine(load_policy(preset).profile, ProjectKey(bytes(32)))).process(d, Subject("P", -5))
        return to_bytes(d)


@pytest.mark.parametrize("preset", ["basic", "tcia", "limited", "safe-harbor"])
@pytest.mark.parametrize(
    ("tag", "vr"),
    [
        (0x00080032, "TM"),
        (0x00181014, "TM"),
        (0x00101010, "AS"),
        (0x00080022, "DA"),
        (0x0008002A, "DT"),
        (0x00080016, "UI"),
        (0x0008010C, "UI"),
        (0x00081150, "UI"),
        (0x00080005, "CS"),
    ],
)
def test_text_in_an_element_of_another_type_does_not_stay(tag, vr, preset):
    assert SECRET.encode() not in out(tag, vr, SECRET, preset)


@pytest.mark.parametrize("preset", ["basic", "tcia", "limited", "safe-harbor"])
@pytest.mark.parametrize(
    ("tag", "vr"),
    [
        (0x0008041B, "OB"),
        (0x00686300, "OB"),
        (0x04000120, "OB"),
        (0x00340007, "OB"),
        (0x04000310, "OB"),
    ],
)
def test_bytes_that_nobody_reads_do_not_stay(tag, vr, preset):
    assert SECRET.encode() not in out(tag, vr, SECRET.encode(), preset)

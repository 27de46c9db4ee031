"""One file with an endless UID must not end a release (UIDs retained)."""

import hashlib
import io

from pydicom import config
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import BasicTextSRStorage, ExplicitVRLittleEndian
from release_files import OneByOne

from deidra.app.decide.policy import Policy
from deidra.app.domain.model import Asset, AssetKind
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import Option, Profile


class NoLeak:
    def scan(self, *_):
        return None


def test_an_endless_uid_holds_its_file_back_and_no_more(tmp_path):
    with config.disable_value_validation():
        d = FileDataset("", {}, bytes(128), FileMetaDataset(), False, True)
        d.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
        d.SOPClassUID, d.SOPInstanceUID = BasicTextSRStorage, "1." + "2" * 300
        d.PatientName, d.PatientID = "A^B", "1"
        stream = io.BytesIO()
        d.save_as(stream, enforce_file_format=True)
        (tmp_path / "a").write_bytes(stream.getvalue())
        (tmp_path / "out").mkdir()
        data = stream.getvalue()
        asset = Asset("a", str(tmp_path / "a"), "", hashlib.sha256(data).hexdigest(), len(data), AssetKind.DICOM)
        engine = HeaderEngine(Profile(frozenset({Option.UIDS})), ProjectKey(bytes(32)))
        written = OneByOne(tmp_path / "out", engine, Policy(), NoLeak(), lambda _: Subject("P", -5), False).write(
            asset, []
        )
    assert written.file is None

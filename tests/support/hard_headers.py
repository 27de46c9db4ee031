"""Headers that de-identification tools fail on, made small, and what a policy makes of them in one pass."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass

import pydicom
from pydicom import Dataset
from pydicom.dataelem import DataElement, RawDataElement
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.tag import Tag
from pydicom.uid import UID, CTImageStorage, ExplicitVRLittleEndian

from deidra.app.decide.headers import one_pass_engine
from deidra.app.decide.policy import load_policy
from deidra.app.load.dicom import read_dataset, refuse_unsupported
from deidra.app.load.encoded import Splitter
from deidra.app.metadata.changes import FieldChange, Subject
from deidra.app.metadata.identity import identifiers, patient_key
from deidra.app.metadata.keys import ProjectKey

KEY = ProjectKey(bytes(range(32)))
SUBJECT = Subject("PABCDEFGH", -100)
PRESETS = ("basic", "tcia")
NAME, SURNAME, IDENTITY, ACCESSION = "Okonkwo^Adaeze", "okonkwo", "MRN4711882", "ACC90017734"
DAY, NEW_DAY = "20240229", "20231121"
"""The study's date, and the same day moved."""
BIRTH = "19500228"
UIDS = {"instance": "1.2.840.99999.7.1.5", "series": "1.2.840.99999.7.1", "study": "1.2.840.99999.7"}


@dataclass(frozen=True)
class Cleaned:
    """A file that was de-identified: its bytes, its elements, and what happened to each of the original's."""

    data: bytes
    dataset: FileDataset
    changes: list[FieldChange]

    def holds(self, *secrets: str | bytes) -> list[str | bytes]:
        """Those of some secrets that still stand somewhere in the bytes, in any case of letters."""
        lower = self.data.lower()
        return [s for s in secrets if (s if isinstance(s, bytes) else s.encode("utf-8")).lower() in lower]

    def get(self, path: str) -> object:
        """A value by keywords and items, such as ``ContentSequence[0]/TextValue``; None when it is not there."""
        found: object = self.dataset
        for step in path.split("/"):
            name, _, number = step.rstrip("]").partition("[")
            if not isinstance(found, Dataset) or name not in found:
                return None
            found = found[name].value
            if number:
                found = found[int(number)] if int(number) < len(found) else None  # type: ignore[arg-type, index]
        return found


def item(**values: object) -> Dataset:
    """An item, or a dataset without a file."""
    dataset = Dataset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for keyword, value in values.items():
            setattr(dataset, keyword, value)
    return dataset


def code(value: str, meaning: str, scheme: str = "DCM") -> Dataset:
    """An item of a code sequence."""
    return item(CodeValue=value, CodingSchemeDesignator=scheme, CodeMeaning=meaning)


def header(syntax: str = ExplicitVRLittleEndian, **values: object) -> FileDataset:
    """A CT header of a patient with a name, an ID, a birth date and a study date."""
    uid = UID(syntax)
    dataset = FileDataset("", {}, bytes(128), FileMetaDataset(), uid.is_implicit_VR, uid.is_little_endian)
    dataset.file_meta.TransferSyntaxUID = uid
    dataset.file_meta.MediaStorageSOPClassUID = CTImageStorage
    dataset.file_meta.MediaStorageSOPInstanceUID = UIDS["instance"]
    given = {
        **{"SOPClassUID": CTImageStorage, "SOPInstanceUID": UIDS["instance"], "StudyInstanceUID": UIDS["study"]},
        **{"SeriesInstanceUID": UIDS["series"], "PatientName": NAME, "PatientID": IDENTITY, "Modality": "CT"},
        **{"PatientBirthDate": BIRTH, "StudyDate": DAY, "StudyTime": "101112", "AccessionNumber": ACCESSION},
        **values,
    }
    for keyword, value in given.items():
        if value is not None:
            dataset.update(item(**{keyword: value}))
    return dataset


def put(dataset: Dataset, tag: int, vr: str, value: object) -> None:
    """An element of any VR with any value, whatever the dictionary says; bytes stand as they are."""
    if isinstance(value, bytes):
        padded = value + (b"\0" if vr in ("UI", "OB", "UN") else b" ") * (len(value) % 2)
        dataset._dict[Tag(tag)] = RawDataElement(Tag(tag), vr, len(padded), padded, 0, False, True)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dataset[Tag(tag)] = DataElement(Tag(tag), vr, value)


def to_file(dataset: FileDataset) -> bytes:
    """The dataset as a file."""
    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset.save_as(stream, enforce_file_format=True)
    return stream.getvalue()


def clean(source: FileDataset | bytes, preset: str, others: tuple[FileDataset, ...] = ()) -> Cleaned:
    """De-identify a header in one pass, with the identifiers of its own patient and of other files known."""
    data = source if isinstance(source, bytes) else to_file(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = read_dataset(data)
        refuse_unsupported(read)
        known = [i for dataset in (read, *others) for i in identifiers(dataset, patient_key(dataset, KEY))]
        engine = one_pass_engine(known, load_policy(preset), KEY)
        file = Splitter().split(data)
        result = engine.process(file, SUBJECT)
        new = b"".join(engine.write(file, result, searched=False))
        read_dataset(new)
        dataset = pydicom.dcmread(io.BytesIO(new))
        for _ in dataset.iterall():
            pass
    return Cleaned(new, dataset, result.changes)


def text(value: object) -> str:
    """A value as text; nothing for none."""
    return "" if value is None else str(value)

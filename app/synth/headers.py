"""Data sets with the modules that scanners fill in, and private values in all the usual places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydicom import uid as uids
from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
from pydicom.sequence import Sequence as Items

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.people import Doctor, Person, Phi, Site, date_forms, us_date

_KERNEL = "KERNEL B30f MEDIUM SMOOTH"


@dataclass(frozen=True, slots=True)
class Study:
    """One examination of ``person``. ``time`` is HHMMSS."""

    person: Person
    site: Site
    day: date
    time: str
    accession: str
    description: str
    referring: Doctor
    performing: Doctor

    @property
    def uid(self) -> uids.UID:
        """Study Instance UID."""
        return make_uid("study", self.person.mrn, self.accession)

    def known(self) -> list[Phi]:
        """Every private text that may stand in free text of this study."""
        return list(self._known())

    def _known(self) -> Iterator[Phi]:
        for source in (self.person, self.site, self.referring, self.performing):
            yield from source.known()
        for text in date_forms(self.day):
            yield Phi(text, EntityType.DATE_OTHER)
        yield Phi(self.accession, EntityType.ID_OTHER)


@dataclass(frozen=True, slots=True)
class Series:
    """One series of a study. ``scanner`` is the manufacturer and the model."""

    study: Study
    number: int
    modality: str
    description: str
    body_part: str
    scanner: tuple[str, str]

    @property
    def uid(self) -> uids.UID:
        """Series Instance UID."""
        return make_uid(self.study.uid, "series", str(self.number))

    def instance_uid(self, number: int) -> uids.UID:
        """SOP Instance UID of instance ``number``."""
        return make_uid(self.uid, "instance", str(number))


def make_uid(*parts: str) -> uids.UID:
    """A UID that is the same for the same ``parts``."""
    return uids.generate_uid(entropy_srcs=list(parts))


def item(**values: Any) -> Dataset:
    """A sequence item with ``values`` by keyword."""
    dataset = Dataset()
    for keyword, value in values.items():
        setattr(dataset, keyword, value)
    return dataset


def code(value: str, scheme: str, meaning: str) -> Items:
    """A code sequence with one item."""
    return Items([item(CodeValue=value, CodingSchemeDesignator=scheme, CodeMeaning=meaning)])


def base_dataset(series: Series, number: int, sop_class: uids.UID, charset: str | None = None) -> FileDataset:
    """Patient, Study, Series, Equipment, Frame of Reference and SOP Common of instance ``number``.

    The transfer syntax is left to the writer. ``charset`` is Specific Character Set (PS3.3 C.12.1.1.2).
    """
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID = sop_class
    meta.MediaStorageSOPInstanceUID = series.instance_uid(number)
    meta.ImplementationClassUID = uids.PYDICOM_IMPLEMENTATION_UID
    meta.SourceApplicationEntityTitle = series.study.site.ae_title
    dataset = FileDataset("", {}, file_meta=meta, preamble=b"\0" * 128)
    if charset:
        dataset.SpecificCharacterSet = charset
    dataset.SOPClassUID = sop_class
    dataset.SOPInstanceUID = series.instance_uid(number)
    _patient_and_study(dataset, series.study)
    _series_and_equipment(dataset, series)
    dataset.InstanceNumber = number
    dataset.AcquisitionDate = dataset.ContentDate = dataset.StudyDate
    dataset.AcquisitionTime = dataset.ContentTime = dataset.SeriesTime
    dataset.InstanceCreationDate = dataset.StudyDate
    dataset.InstanceCreationTime = dataset.SeriesTime
    return dataset


def _patient_and_study(dataset: Dataset, study: Study) -> None:
    person, site = study.person, study.site
    dataset.PatientName = person.dicom_name
    dataset.PatientID = person.mrn
    dataset.IssuerOfPatientID = site.ae_title
    dataset.PatientBirthDate = person.birth.strftime("%Y%m%d")
    dataset.PatientSex = person.sex
    dataset.PatientAge = f"{person.age_on(study.day):03d}Y"
    dataset.PatientWeight = "71.5"
    dataset.PatientAddress = person.address
    dataset.PatientTelephoneNumbers = person.phone
    dataset.StudyInstanceUID = study.uid
    dataset.StudyDate = study.day.strftime("%Y%m%d")
    dataset.StudyTime = study.time
    dataset.StudyID = study.accession[-5:]
    dataset.AccessionNumber = study.accession
    dataset.StudyDescription = study.description
    dataset.ReferringPhysicianName = study.referring.caret
    dataset.ReferringPhysicianTelephoneNumbers = site.phone
    dataset.NameOfPhysiciansReadingStudy = study.performing.caret


def _series_and_equipment(dataset: Dataset, series: Series) -> None:
    study = series.study
    dataset.SeriesInstanceUID = series.uid
    dataset.SeriesNumber = series.number
    dataset.Modality = series.modality
    dataset.SeriesDescription = series.description
    dataset.ProtocolName = series.description
    dataset.BodyPartExamined = series.body_part
    dataset.SeriesDate = dataset.StudyDate
    dataset.SeriesTime = f"{int(study.time) + 100 * series.number:06d}"
    dataset.PerformingPhysicianName = study.performing.caret
    dataset.OperatorsName = f"{study.performing.family[:4]}^Tech"
    dataset.Manufacturer, dataset.ManufacturerModelName = series.scanner
    dataset.InstitutionName = study.site.name
    dataset.InstitutionAddress = study.site.address
    dataset.InstitutionalDepartmentName = "Radiology"
    dataset.StationName = study.site.station
    dataset.DeviceSerialNumber = f"SN{study.accession[-6:]}"
    dataset.SoftwareVersions = "5.2.1"
    dataset.RequestAttributesSequence = Items(
        [
            item(
                RequestedProcedureID=f"RP{study.accession[-6:]}",
                ScheduledProcedureStepID=f"SPS{study.accession[-6:]}",
                RequestedProcedureDescription=study.description,
                ReasonForTheRequestedProcedure=f"Follow-up of {study.person.full}",
            )
        ]
    )


def add_geometry(dataset: Dataset, series: Series, slice_number: int, pixel_mm: float) -> None:
    """Frame of Reference and Image Plane of an axial slice; ``pixel_mm`` is the spacing in mm."""
    dataset.FrameOfReferenceUID = make_uid(series.study.uid, "frame of reference")
    dataset.PositionReferenceIndicator = ""
    dataset.PatientPosition = "HFS"
    dataset.ImagePositionPatient = [-120.0, -120.0, -5.0 * slice_number]
    dataset.ImageOrientationPatient = [1, 0, 0, 0, 1, 0]
    dataset.PixelSpacing = [pixel_mm, pixel_mm]
    dataset.SliceThickness = "5.0"
    dataset.ImageType = ["ORIGINAL", "PRIMARY", "AXIAL"]


def add_private_block(dataset: Dataset, study: Study, nested: bool) -> tuple[str, ...]:
    """One block of private elements full of private data and one with harmless settings.

    ``nested`` adds a sequence, which in implicit VR a reader cannot tell from bytes. Returns the
    harmless values.
    """
    phi = dataset.private_block(0x0019, "ACME DEMOGRAPHICS 1.0", create=True)
    phi.add_new(0x01, "LO", study.person.caret)
    phi.add_new(0x02, "LO", f"MRN {study.person.mrn}")
    if nested:
        phi.add_new(0x03, "SQ", Items([item(PatientID=study.person.mrn, PatientComments=study.person.address)]))
    phi.add_new(0x04, "UN", f"Operator note: call {study.person.phone}".encode("ascii"))
    safe = dataset.private_block(0x0029, "ACME RECON 2.1", create=True)
    safe.add_new(0x10, "LO", _KERNEL)
    safe.add_new(0x11, "DS", "0.85")
    return (_KERNEL,)


def add_history(dataset: Dataset, study: Study) -> None:
    """Original Attributes Sequence (PS3.3 C.12.1) with the values before a merge of patient records."""
    before = item(PatientName=study.person.caret.upper(), PatientID=f"OLD-{study.person.mrn}")
    dataset.OriginalAttributesSequence = Items(
        [
            item(
                SourceOfPreviousValues=study.site.name,
                AttributeModificationDateTime=(study.day + timedelta(days=1)).strftime("%Y%m%d") + "091500",
                ModifyingSystem=study.site.ae_title,
                ReasonForTheAttributeModification="CORRECT",
                ModifiedAttributesSequence=Items([before]),
            )
        ]
    )


def add_comments(dataset: Dataset, study: Study) -> tuple[str, ...]:
    """Free text with names, dates and numbers in it. Returns harmless parts of it."""
    person = study.person
    dataset.ImageComments = f"Pt {person.full}, DOB {us_date(person.birth)}, motion in last slices"
    dataset.AdditionalPatientHistory = (
        f"Seen by {study.referring.full} on {study.day.isoformat()} for flank pain. Contact {person.email}."
    )
    dataset.OtherPatientNames = person.comma.replace(", ", "^")
    dataset.Occupation = "Ferry pilot"
    return ("motion in last slices", "for flank pain")


def add_overlay(dataset: Dataset, ink: NDArray[np.float64]) -> None:
    """A one-bit overlay in group 6000 the size of the image (PS3.3 C.9.2)."""
    bits = np.packbits((ink > 0.4).astype(np.uint8).ravel(), bitorder="little").tobytes()
    dataset.add_new(0x60000010, "US", ink.shape[0])
    dataset.add_new(0x60000011, "US", ink.shape[1])
    dataset.add_new(0x60000040, "CS", "G")
    dataset.add_new(0x60000050, "SS", [1, 1])
    dataset.add_new(0x60000100, "US", 1)
    dataset.add_new(0x60000102, "US", 0)
    dataset.add_new(0x60003000, "OB", bits + b"\0" * (len(bits) % 2))

"""A long series of like slices, as benchmarks need it: headers of a real scanner's size with little that varies."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
from faker import Faker
from pydicom import Dataset
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import UID, CTImageStorage, ExplicitVRLittleEndian, generate_uid

_SIZE = 512
_TEXTS = {
    "Manufacturer": "SIEMENS",
    "ManufacturerModelName": "SOMATOM Definition AS+",
    "SoftwareVersions": "syngo CT 2014A",
    "BodyPartExamined": "CHEST",
    "KVP": "120",
    "DataCollectionDiameter": "500",
    "ReconstructionDiameter": "380",
    "DistanceSourceToDetector": "1085.6",
    "GantryDetectorTilt": "0",
    "TableHeight": "155",
    "ExposureTime": "500",
    "XRayTubeCurrent": "210",
    "Exposure": "105",
    "FocalSpots": "1.2",
    "ConvolutionKernel": "B31f",
    "PatientPosition": "FFS",
    "SliceThickness": "1.5",
    "ContrastBolusAgent": "APPLIED",
    "RescaleIntercept": "-1024",
    "RescaleSlope": "1",
    "ImageType": ["ORIGINAL", "PRIMARY", "AXIAL", "CT_SOM5 SPI"],
    "ImageOrientationPatient": [1, 0, 0, 0, 1, 0],
    "PixelSpacing": [0.7421875, 0.7421875],
    "BurnedInAnnotation": "NO",
    "PatientSex": "F",
    "PatientAge": "061Y",
    "PatientSize": "1.66",
    "PatientWeight": "71",
    "StudyDescription": "CT THORAX MIT KM",
    "SeriesDescription": "Thorax  1.5  B31f",
    "ProtocolName": "Thorax_Abdomen_Routine",
    "ImageComments": "arterial phase",
    "RequestedProcedureDescription": "CT THORAX",
    "PerformedProcedureStepDescription": "CT Thorax",
    "DeviceSerialNumber": "64512",
    "StationName": "CTAWP64512",
    "InstitutionName": "St. Aldhelm Hospital",
    "InstitutionAddress": "14 Quarry Lane, Dorlton",
    "InstitutionalDepartmentName": "Radiology",
    "RequestingService": "PULMONOLOGY",
    "AdditionalPatientHistory": "cough for three weeks, smoker",
    "PatientComments": "wheelchair",
    "ContrastBolusRoute": "IV",
}


def slices(count: int, seed: int = 1) -> Iterator[bytes]:
    """CT slices of 512 x 512 pixels of one patient, as DICOM files with 134 elements on all levels.

    Args:
        count: how many; the instance number counts from 1.
        seed: the same seed gives the same files.
    """
    fake = Faker("en_US")
    fake.seed_instance(seed)
    shared = _shared(fake, seed)
    noise = np.random.default_rng(seed).integers(-40, 40, (_SIZE, _SIZE), dtype=np.int16)
    rows, columns = np.mgrid[:_SIZE, :_SIZE]
    body = ((rows - 256) ** 2 / 1.4 + (columns - 256) ** 2 < 190**2) * np.int16(1040)
    for number in range(1, count + 1):
        dataset = _slice(shared, seed, number)
        dataset.PixelData = (body + np.roll(noise, number, 0) + 40).astype("<i2").tobytes()
        stream = io.BytesIO()
        dataset.save_as(stream, enforce_file_format=True)
        yield stream.getvalue()


def _uid(*words: object) -> str:
    return str(generate_uid(entropy_srcs=["series", *map(str, words)]))


def _shared(fake: Faker, seed: int) -> Dataset:
    """What all slices have in common."""
    dataset = Dataset()
    for keyword, value in _TEXTS.items():
        setattr(dataset, keyword, value)
    dataset.SpecificCharacterSet = "ISO_IR 100"
    dataset.SOPClassUID = CTImageStorage
    dataset.Modality = "CT"
    dataset.PatientName = f"{fake.last_name()}^{fake.first_name()}^{fake.random_uppercase_letter()}"
    dataset.PatientID = fake.bothify("MR#######")
    dataset.OtherPatientIDs = fake.bothify("??-####")
    dataset.PatientBirthDate = "19530417"
    dataset.PatientAddress = fake.street_address()
    dataset.PatientTelephoneNumbers = fake.numerify("(0##) 555-####")
    for keyword in ("ReferringPhysicianName", "PerformingPhysicianName", "OperatorsName", "RequestingPhysician"):
        setattr(dataset, keyword, f"{fake.last_name()}^{fake.first_name()}^^Dr.")
    dataset.AccessionNumber = fake.numerify("A########")
    dataset.StudyID = fake.numerify("####")
    dataset.StudyInstanceUID, dataset.SeriesInstanceUID = _uid(seed, "study"), _uid(seed, "series")
    dataset.FrameOfReferenceUID = _uid(seed, "frame")
    for keyword in ("StudyDate", "SeriesDate", "PerformedProcedureStepStartDate", "DateOfLastCalibration"):
        setattr(dataset, keyword, "20140321")
    dataset.StudyTime, dataset.SeriesTime, dataset.PerformedProcedureStepStartTime = "093012", "093355.250", "093012"
    dataset.SeriesNumber, dataset.AcquisitionNumber = 3, 2
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
    dataset.Rows = dataset.Columns = _SIZE
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 16, 16, 15, 1
    dataset.WindowCenter, dataset.WindowWidth = [40, -600], [400, 1500]
    dataset.ReferencedStudySequence = [_reference("1.2.840.10008.3.1.2.3.1", _uid(seed, "study"))]
    dataset.RequestAttributesSequence = [_request(fake)]
    dataset.ProcedureCodeSequence = [_code("CTTHX", "99LOCAL", "CT thorax with contrast")]
    dataset.AnatomicRegionSequence = [_code("51185008", "SCT", "Thorax")]
    dataset.PerformedProtocolCodeSequence = [_code("RPID16", "RADLEX", "CT Chest WO and W IV Contrast")]
    _private(dataset, fake)
    return dataset


def _code(value: str, scheme: str, meaning: str) -> Dataset:
    item = Dataset()
    item.CodeValue, item.CodingSchemeDesignator, item.CodeMeaning = value, scheme, meaning
    return item


def _reference(sop_class: str, instance: str) -> Dataset:
    item = Dataset()
    item.ReferencedSOPClassUID, item.ReferencedSOPInstanceUID = sop_class, instance
    return item


def _request(fake: Faker) -> Dataset:
    item = Dataset()
    item.RequestedProcedureID, item.ScheduledProcedureStepID = fake.numerify("RP####"), fake.numerify("SPS####")
    item.RequestedProcedureDescription = item.ScheduledProcedureStepDescription = "CT THORAX"
    item.ScheduledProtocolCodeSequence = [_code("CTTHX", "99LOCAL", "CT thorax")]
    return item


def _private(dataset: Dataset, fake: Faker) -> None:
    block = dataset.private_block(0x0019, "SIEMENS CT VA0  COAD", create=True)
    for number in range(0x10, 0x1A):
        block.add_new(number, "DS", str(number * 1.5))
    block = dataset.private_block(0x0029, "SIEMENS CSA HEADER", create=True)
    block.add_new(0x08, "CS", "SOM 5")
    block.add_new(0x09, "LO", "VA10A 971201")
    block.add_new(0x10, "OB", fake.binary(length=2048))
    block = dataset.private_block(0x0021, "SIEMENS MED", create=True)
    block.add_new(0x10, "DS", "1.0")
    block.add_new(0x11, "DS", ["0", "0"])


def _slice(shared: Dataset, seed: int, number: int) -> FileDataset:
    """What differs from slice to slice."""
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID = CTImageStorage
    dataset = FileDataset("", shared, file_meta=meta, preamble=b"\0" * 128)
    instance = UID(_uid(seed, "instance", number))
    dataset.SOPInstanceUID = meta.MediaStorageSOPInstanceUID = instance
    dataset.InstanceNumber = number
    dataset.AcquisitionDate = dataset.ContentDate = "20140321"
    seconds = 35 * 60 + number * 0.5
    dataset.AcquisitionTime = f"09{int(seconds // 60) % 60:02d}{seconds % 60:09.6f}"
    dataset.ContentTime = dataset.AcquisitionTime
    dataset.ImagePositionPatient = [-190, -190, round(-120 + number * 1.5, 2)]
    dataset.SliceLocation = round(-120 + number * 1.5, 2)
    dataset.SourceImageSequence = [_reference(CTImageStorage, _uid(seed, "source", number))]
    return dataset

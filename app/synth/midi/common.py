"""What every instance has: file meta, patient, study, series, equipment and SOP common attributes."""

from __future__ import annotations

from datetime import timedelta
from random import Random

from pydicom import uid as uids
from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
from pydicom.sequence import Sequence as Items

from deidra.app.synth.midi import texts
from deidra.app.synth.midi.draft import Draft, Gap
from deidra.app.synth.midi.exam import Exam, Series, make_uid
from deidra.app.synth.midi.key import Row
from deidra.app.synth.midi.machines import add_private

_STUDY_MANAGEMENT = "1.2.840.10008.3.1.2.3.1"
_PERFORMED_STEP = "1.2.840.10008.3.1.2.3.3"


def code(value: str, scheme: str, meaning: str) -> Dataset:
    """One item of a code sequence."""
    item = Dataset()
    item.CodeValue, item.CodingSchemeDesignator, item.CodeMeaning = value, scheme, meaning
    return item


def start(series: Series, number: int, sop_class: str) -> Draft:
    """A draft of instance ``number`` with everything but what its modality adds.

    Which of the optional attributes are filled in is the same for a whole series.
    """
    rng = series.choices()
    exam, uid = series.exam, series.instance_uid(number)
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID = uids.UID(sop_class)
    meta.ImplementationClassUID = uids.PYDICOM_IMPLEMENTATION_UID
    meta.ImplementationVersionName = "SYNTH_1"
    draft = Draft(FileDataset("", {}, file_meta=meta, preamble=b"\0" * 128))
    draft.uid(meta, MediaStorageSOPInstanceUID=uid)
    if rng.random() < 0.5:
        draft.gone(meta, Row.PLACE, SourceApplicationEntityTitle=f"{exam.site.short}_STORE")
    data = draft.dataset
    data.SpecificCharacterSet = (
        exam.patient.charset.split("\\") if "\\" in exam.patient.charset else exam.patient.charset
    )
    draft.keep(data, SOPClassUID=sop_class)
    draft.uid(data, SOPInstanceUID=uid)
    draft.date(data, InstanceCreationDate=exam.date)
    draft.plain(data, InstanceCreationTime=series.time)
    _patient(draft, exam, rng)
    _study(draft, exam, rng)
    _series(draft, series, rng)
    _equipment(draft, series, rng)
    draft.keep(data, InstanceNumber=str(number))
    _contributor(draft, series, rng)
    if exam.in_trial:
        _trial(draft, exam)
    if rng.random() < 0.25:
        _merged_record(draft, exam)
    add_private(draft, series, number, rng)
    return draft


def add_acquisition(draft: Draft, series: Series, number: int, rng: Random) -> None:
    """Dates, comments and references of an image."""
    data, exam = draft.dataset, series.exam
    draft.date(data, AcquisitionDate=exam.date, ContentDate=exam.date)
    draft.plain(data, AcquisitionTime=series.time, ContentTime=series.time)
    if rng.random() < 0.6:
        draft.date(data, AcquisitionDateTime=f"{exam.date}{series.time}.{number:03d}000")
    if rng.random() < 0.55:
        draft.text(data, "ImageComments", texts.image_comment(exam, rng))
    if rng.random() < 0.3:
        draft.text(data, "DerivationDescription", texts.derivation(exam, rng))
    add_references(draft, series)
    data.BurnedInAnnotation = rng.choice(("YES", "NO", "NO"))
    if rng.random() < 0.3:
        del data.BurnedInAnnotation


def add_references(draft: Draft, series: Series) -> None:
    """Referenced Image Sequence and Source Image Sequence to images of earlier series."""
    for keyword, wanted in (
        ("ReferencedImageSequence", series.references[:3]),
        ("SourceImageSequence", series.references[3:6]),
    ):
        children = []
        for sop_class, instance in wanted:
            child = Dataset()
            draft.plain(child, ReferencedSOPClassUID=sop_class)
            draft.uid(child, ReferencedSOPInstanceUID=instance)
            if keyword == "SourceImageSequence":
                child.PurposeOfReferenceCodeSequence = Items([code("121322", "DCM", "Source image for processing")])
            children.append(child)
        if children:
            draft.items(draft.dataset, keyword, *children)
    if series.references:
        _add_series_reference(draft, series)


def _add_series_reference(draft: Draft, series: Series) -> None:
    """Referenced Series Sequence of the Common Instance Reference module."""
    group, children = Dataset(), []
    for sop_class, instance in series.references:
        child = Dataset()
        draft.plain(child, ReferencedSOPClassUID=sop_class)
        draft.uid(child, ReferencedSOPInstanceUID=instance)
        children.append(child)
    draft.uid(group, SeriesInstanceUID=series.source_uid)
    draft.items(group, "ReferencedInstanceSequence", *children)
    draft.items(draft.dataset, "ReferencedSeriesSequence", group)


def add_plane(draft: Draft, series: Series, number: int, spacing_mm: float) -> None:
    """Frame of Reference and Image Plane of an axial slice."""
    data = draft.dataset
    draft.uid(data, known=False, FrameOfReferenceUID=make_uid(series.exam.uid, "frame of reference"))
    draft.plain(data, PositionReferenceIndicator="")
    draft.keep(
        data,
        ImagePositionPatient=["-120.5", "-118.25", f"{-5.0 * number}"],
        ImageOrientationPatient=["1", "0", "0", "0", "1", "0"],
        PixelSpacing=[f"{spacing_mm}", f"{spacing_mm}"],
        SliceThickness="5.0",
        SliceLocation=f"{-5.0 * number}",
    )


def _patient(draft: Draft, exam: Exam, rng: Random) -> None:
    data, patient = draft.dataset, exam.patient
    draft.gone(data, Row.NAME, PatientName=patient.dicom_name)
    draft.patient_id(data, patient.mrn)
    draft.date(data, kept=False, PatientBirthDate=patient.birth.strftime("%Y%m%d"))
    draft.keep(data, Row.CHARACTERISTIC, PatientSex=patient.sex)
    if patient.age_on(exam.day) > 89:
        draft.gone(data, Row.DATE, PatientAge=exam.age)
    else:
        draft.keep(data, Row.CHARACTERISTIC, PatientAge=exam.age)
    draft.keep(data, Row.CHARACTERISTIC, PatientSize="1.68", PatientWeight=f"{50 + int(patient.mrn[-2:]) / 2}")
    chances: tuple[tuple[float, dict[str, str], Row], ...] = (
        (0.5, {"OtherPatientNames": f"{patient.maiden}^{patient.given}"}, Row.NAME),
        (0.4, {"PatientBirthName": f"{patient.maiden}^{patient.given}"}, Row.BASIC_X),
        (0.3, {"PatientMotherBirthName": f"{patient.maiden}^M"}, Row.BASIC_X),
        (0.5, {"PatientAddress": patient.home.text}, Row.PLACE),
        (0.5, {"PatientTelephoneNumbers": patient.phone}, Row.PHONE),
        (0.4, {"IssuerOfPatientID": f"{exam.site.short}_ADT"}, Row.BASIC_X),
        (0.3, {"MedicalRecordLocator": f"CHART{patient.mrn[-5:]}"}, Row.BASIC_X),
        (0.2, {"InsurancePlanIdentification": f"HP{patient.mrn[-6:]}"}, Row.BASIC_X),
        (0.2, {"CountryOfResidence": "LIECHTENSTEIN"}, Row.BASIC_X),
        (0.3, {"RegionOfResidence": patient.city}, Row.PLACE),
    )
    for chance, values, row in chances:
        if rng.random() < chance:
            draft.gone(data, row, **values)
    characteristics = {"EthnicGroup": "Caucasian", "SmokingStatus": "NO", "PregnancyStatus": 4}
    for keyword, value in characteristics.items():
        if rng.random() < 0.4 and (keyword != "PregnancyStatus" or patient.sex == "F"):
            draft.keep(data, Row.CHARACTERISTIC, **{keyword: value})
    if rng.random() < 0.6:
        other, social = Dataset(), Dataset()
        draft.gone(other, Row.RECORD, PatientID=f"OLD{patient.mrn[-7:]}")
        draft.plain(other, TypeOfPatientID="TEXT")
        draft.gone(social, Row.SSN, PatientID=patient.ssn)
        draft.plain(social, TypeOfPatientID="TEXT")
        draft.items(data, "OtherPatientIDsSequence", other, social)
    if rng.random() < 0.6:
        draft.text(data, "AdditionalPatientHistory", texts.history(exam, rng))
    if rng.random() < 0.6:
        draft.text(data, "PatientComments", texts.patient_comment(exam, rng))


def _study(draft: Draft, exam: Exam, rng: Random) -> None:
    data = draft.dataset
    draft.uid(data, StudyInstanceUID=exam.uid)
    draft.date(data, StudyDate=exam.date)
    draft.plain(data, StudyTime=exam.time)
    draft.gone(data, Row.BASIC_Z, ReferringPhysicianName=exam.referring.caret, StudyID=exam.study_id)
    draft.gone(data, Row.OTHER_ID, AccessionNumber=exam.accession)
    draft.text(data, "StudyDescription", texts.study_text(exam, Random(exam.uid)))  # noqa: S311
    if rng.random() < 0.5:
        draft.gone(data, Row.NAME, NameOfPhysiciansReadingStudy=exam.reader.caret)
        draft.gone(data, Row.PHONE, ReferringPhysicianTelephoneNumbers=exam.site.phone)
    if rng.random() < 0.3:
        draft.gone(data, Row.PLACE, ReferringPhysicianAddress=exam.site.address)
        draft.gone(data, Row.BASIC_X, RequestingPhysician=exam.referring.caret)
    if rng.random() < 0.3:
        draft.gone(data, Row.BASIC_Z, ConsultingPhysicianName=exam.reader.caret)
        draft.gone(data, Row.BASIC_X, AdmissionID=f"ADM{exam.study_id}")
    if rng.random() < 0.4:
        draft.text(data, "AdmittingDiagnosesDescription", [texts.finding(rng)])
    if rng.random() < 0.5:
        child = Dataset()
        draft.plain(child, ReferencedSOPClassUID=_STUDY_MANAGEMENT)
        draft.uid(child, known=False, ReferencedSOPInstanceUID=exam.prior_uid)
        draft.items(data, "ReferencedStudySequence", child)
    draft.items(data, "ProcedureCodeSequence", code(f"{exam.kind}{len(exam.title)}", "L", exam.kind))


def _series(draft: Draft, series: Series, rng: Random) -> None:
    data, exam = draft.dataset, series.exam
    draft.keep(data, Modality=series.modality, SeriesNumber=str(series.number))
    draft.uid(data, SeriesInstanceUID=series.uid)
    draft.date(data, SeriesDate=exam.date)
    draft.plain(data, SeriesTime=series.time)
    same = series.choices("texts")
    draft.text(data, "SeriesDescription", texts.series_text(exam, same, series.title))
    draft.gone(data, Row.BASIC_XZD, OperatorsName=f"{exam.operator.family}^{exam.operator.given}")
    draft.gone(data, Row.NAME, PerformingPhysicianName=exam.performing.caret)
    if series.modality != "SR":
        draft.text(data, "ProtocolName", texts.protocol_text(exam, same, series.title))
        draft.keep(data, BodyPartExamined=series.body_part)
        draft.items(data, "RequestAttributesSequence", _request(draft, exam, rng))
        draft.text(data, "PerformedProcedureStepDescription", [exam.title, Gap(" "), exam.patient.number])
        draft.date(data, PerformedProcedureStepStartDate=exam.date, PerformedProcedureStepEndDate=exam.date)
        draft.plain(data, PerformedProcedureStepStartTime=exam.time)
        if rng.random() < 0.6:
            draft.text(data, "CommentsOnThePerformedProcedureStep", texts.step_comment(exam, rng))
        if rng.random() < 0.3:
            draft.text(data, "RequestedProcedureComments", texts.request_comment(exam, rng))
        step = Dataset()
        draft.plain(step, ReferencedSOPClassUID=_PERFORMED_STEP)
        draft.uid(step, known=False, ReferencedSOPInstanceUID=make_uid(exam.uid, "performed step"))
        draft.items(data, "ReferencedPerformedProcedureStepSequence", step)


def _request(draft: Draft, exam: Exam, rng: Random) -> Dataset:
    """A Request Attributes item, which the basic profile removes: nothing in it must stay."""
    request, protocol, context, concept = Dataset(), Dataset(), Dataset(), Dataset()
    draft.gone(request, Row.OTHER_ID, AccessionNumber=exam.accession, RequestedProcedureID=f"RP{exam.study_id}")
    draft.gone(request, Row.OTHER_ID, ScheduledProcedureStepID=f"SPS{exam.study_id}")
    draft.uid(request, StudyInstanceUID=exam.uid)
    draft.text(request, "RequestedProcedureDescription", texts.study_text(exam, rng), None)
    draft.text(request, "ReasonForTheRequestedProcedure", texts.history(exam, rng), None)
    draft.text(request, "ScheduledProcedureStepDescription", [exam.title, Gap(" "), exam.patient.full], None)
    protocol.CodeValue, protocol.CodingSchemeDesignator, protocol.CodeMeaning = "P100", "99LOCAL", "Routine"
    context.ValueType = "PNAME"
    context.ConceptNameCodeSequence = Items([code("121008", "DCM", "Person Observer Name")])
    draft.gone(context, Row.BASIC_D, PersonName=exam.operator.caret)
    concept.ValueType = "DATE"
    concept.ConceptNameCodeSequence = Items([code("111526", "DCM", "DateTime Started")])
    draft.date(concept, Date=exam.date)
    draft.items(protocol, "ProtocolContextSequence", context, concept)
    draft.items(request, "ScheduledProtocolCodeSequence", protocol)
    return request


def _equipment(draft: Draft, series: Series, rng: Random) -> None:
    data, exam, machine = draft.dataset, series.exam, series.machine
    draft.keep(data, Manufacturer=machine.maker, ManufacturerModelName=machine.model, SoftwareVersions=machine.software)
    draft.keep(data, Row.DEVICE_KEEP, DeviceSerialNumber=machine.serial, StationName=machine.station)
    draft.gone(data, Row.BASIC_XZD, InstitutionName=exam.site.name)
    if rng.random() < 0.6:
        draft.gone(data, Row.PLACE, InstitutionAddress=exam.site.address)
    if rng.random() < 0.5:
        draft.gone(data, Row.DEVICE_CLEAN, PerformedStationAETitle=f"{exam.site.short}_{series.modality}1")
    if rng.random() < 0.4:
        draft.gone(data, Row.DEVICE_CLEAN, StationAETitle=f"{exam.site.short}{series.modality}AE")
    if rng.random() < 0.4:
        draft.keep(data, Row.DEVICE_KEEP, PerformedStationName=machine.station)
    if rng.random() < 0.4:
        calibrated = [(exam.day - timedelta(days=days)).strftime("%Y%m%d") for days in (9, 190)]
        draft.date(data, DateOfLastCalibration=calibrated)
        draft.plain(data, TimeOfLastCalibration=["063000", "071500"])


def _contributor(draft: Draft, series: Series, rng: Random) -> None:
    if rng.random() > 0.35:
        return
    exam, item = series.exam, Dataset()
    item.PurposeOfReferenceCodeSequence = Items([code("109103", "DCM", "Modifying Equipment")])
    draft.plain(item, Manufacturer="Router Systems")
    draft.gone(item, Row.BASIC_XZD, InstitutionName=exam.site.name)
    draft.gone(item, Row.BASIC_XZD, OperatorsName=exam.operator.caret)
    draft.date(item, ContributionDateTime=f"{exam.date}{exam.time}")
    draft.text(item, "ContributionDescription", ["Coerced", Gap(" for "), exam.patient.full], None)
    draft.items(draft.dataset, "ContributingEquipmentSequence", item)


def _trial(draft: Draft, exam: Exam) -> None:
    data = draft.dataset
    subject = f"SUBJ-{exam.patient.mrn[-4:]}-{exam.patient.family[:3].upper()}"
    draft.gone(
        data,
        Row.BASIC_D,
        ClinicalTrialSponsorName=f"{exam.site.short} Oncology Foundation",
        ClinicalTrialProtocolID=f"{exam.site.short}-0417",
        ClinicalTrialSubjectID=subject,
    )
    draft.gone(data, Row.BASIC_Z, ClinicalTrialSiteName=exam.site.name, ClinicalTrialSiteID=f"{exam.site.short}-01")
    draft.plain(data, ClinicalTrialProtocolName="")


def _merged_record(draft: Draft, exam: Exam) -> None:
    """Original Attributes Sequence with the values before two records were merged."""
    before, event = Dataset(), Dataset()
    draft.gone(before, Row.NAME, PatientName=f"{exam.patient.maiden}^{exam.patient.given}")
    draft.gone(before, Row.RECORD, PatientID=f"TMP{exam.patient.mrn[-6:]}")
    draft.date(before, kept=False, PatientBirthDate=(exam.patient.birth - timedelta(days=1)).strftime("%Y%m%d"))
    draft.gone(event, Row.BASIC_Z, SourceOfPreviousValues=exam.site.name)
    draft.date(event, AttributeModificationDateTime=f"{exam.date}235500")
    draft.plain(event, ModifyingSystem="ADT GATEWAY", ReasonForTheAttributeModification="CORRECT")
    draft.items(event, "ModifiedAttributesSequence", before)
    draft.items(draft.dataset, "OriginalAttributesSequence", event)

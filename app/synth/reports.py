"""A structured report with private values in its content tree (PS3.3 A.35.1, Basic Text SR)."""

from __future__ import annotations

import numpy as np
from pydicom import uid as uids
from pydicom.dataset import Dataset
from pydicom.sequence import Sequence as Items

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth import headers
from deidra.app.synth.exams import Exams, MadeFile, finish
from deidra.app.synth.headers import Series, code, item
from deidra.app.synth.people import Phi, us_date

_HARMLESS = (
    "Liver of normal size, no focal lesion. Two simple cysts of the right kidney, 14 mm and 9 mm.",
    "No change since the last examination.",
)

_RELATIVE = "Annelise Vandermeer"
"""A name that stands in no header element, so that nothing but the form of the words tells it."""


def make_report(exams: Exams, _rng: np.random.Generator) -> MadeFile:
    """The report on the first CT, with names, dates and UIDs as content items and inside text."""
    study = exams.ct
    person, reader = study.person, study.performing
    images = Series(study, 2, "CT", "", "", ("", ""))
    series = Series(study, 8, "SR", "RADIOLOGY REPORT", "ABDOMEN", ("Viewer House", "Desk 4"))
    dataset = headers.base_dataset(series, 1, uids.BasicTextSRStorage)
    dataset.CompletionFlag, dataset.VerificationFlag = "COMPLETE", "UNVERIFIED"
    dataset.ReferencedPerformedProcedureStepSequence = Items([])
    dataset.PerformedProcedureCodeSequence = Items([])
    findings = f"{person.full} ({person.mrn}) was examined on {us_date(study.day)} at {study.site.name}. {_HARMLESS[0]}"
    phoned = f"Findings were phoned to {study.referring.full} at {study.site.phone}."
    impression = f"{_HARMLESS[1]} {_RELATIVE} was informed. {phoned}"
    dataset.ValueType = "CONTAINER"
    dataset.ContinuityOfContent = "SEPARATE"
    dataset.ConceptNameCodeSequence = code("18748-4", "LN", "Diagnostic Imaging Report")
    dataset.ContentSequence = Items(
        [
            _content("PNAME", "HAS OBS CONTEXT", ("121008", "Person Observer Name"), PersonName=reader.caret),
            _content("PNAME", "HAS OBS CONTEXT", ("121029", "Subject Name"), PersonName=person.caret),
            _content("DATE", "HAS OBS CONTEXT", ("121031", "Subject Birth Date"), Date=person.birth.strftime("%Y%m%d")),
            _content("UIDREF", "HAS OBS CONTEXT", ("121018", "Procedure Study Instance UID"), UID=study.uid),
            _section(("121070", "Findings"), ("121071", "Finding"), findings),
            _section(("121076", "Conclusions"), ("121077", "Conclusion"), impression),
            _content(
                "IMAGE",
                "CONTAINS",
                ("121080", "Best illustration of finding"),
                ReferencedSOPSequence=Items([_image(images)]),
            ),
        ]
    )
    dataset.CurrentRequestedProcedureEvidenceSequence = Items(
        [
            item(
                StudyInstanceUID=study.uid,
                ReferencedSeriesSequence=Items(
                    [item(SeriesInstanceUID=images.uid, ReferencedSOPSequence=Items([_image(images)]))]
                ),
            )
        ]
    )
    dataset.file_meta.TransferSyntaxUID = uids.ExplicitVRLittleEndian
    return finish("dicom/sr_report.dcm", dataset, study, _HARMLESS, private=[Phi(_RELATIVE, EntityType.PATIENT)])


def _content(kind: str, relation: str, concept: tuple[str, str], **values: object) -> Dataset:
    """One content item whose concept is a (code, meaning) pair of the DCM scheme."""
    return item(
        RelationshipType=relation,
        ValueType=kind,
        ConceptNameCodeSequence=code(concept[0], "DCM", concept[1]),
        **values,
    )


def _section(title: tuple[str, str], concept: tuple[str, str], text: str) -> Dataset:
    """A container with one text item."""
    return _content(
        "CONTAINER",
        "CONTAINS",
        title,
        ContinuityOfContent="SEPARATE",
        ContentSequence=Items([_content("TEXT", "CONTAINS", concept, TextValue=text)]),
    )


def _image(series: Series) -> Dataset:
    return item(ReferencedSOPClassUID=uids.CTImageStorage, ReferencedSOPInstanceUID=series.instance_uid(1))

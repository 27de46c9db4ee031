"""Structured reports with names, dates and references in their content tree."""

from __future__ import annotations

from random import Random

from pydicom import uid as uids
from pydicom.dataset import Dataset
from pydicom.sequence import Sequence as Items

from deidra.app.synth.midi import texts
from deidra.app.synth.midi.common import code, start
from deidra.app.synth.midi.draft import Draft, Gap, Part, Phi
from deidra.app.synth.midi.exam import Exam, Series
from deidra.app.synth.midi.key import Row

_MEASURES = (
    ("410668003", "SCT", "Length"),
    ("103339001", "SCT", "Long axis"),
    ("103340004", "SCT", "Short axis"),
    ("118565006", "SCT", "Volume"),
)


def make_sr(series: Series, number: int) -> Draft:
    """Comprehensive SR Storage about the images in ``series.references``."""
    rng = series.choices(number)
    draft = start(series, number, uids.ComprehensiveSRStorage)
    data, exam = draft.dataset, series.exam
    draft.date(data, ContentDate=exam.date)
    draft.plain(data, ContentTime=series.time)
    data.ReferencedPerformedProcedureStepSequence = Items([])
    data.PerformedProcedureCodeSequence = Items([])
    draft.keep(data, CompletionFlag="COMPLETE", VerificationFlag="VERIFIED")
    draft.items(data, "VerifyingObserverSequence", _verifier(draft, series))
    draft.items(data, "CurrentRequestedProcedureEvidenceSequence", _evidence(draft, series))
    draft.keep(data, ValueType="CONTAINER", ContinuityOfContent="SEPARATE")
    draft.items(data, "ConceptNameCodeSequence", code("18748-4", "LN", "Diagnostic imaging report"))
    children = [
        _text(draft, "121060", "History", texts.history(exam, rng)),
        _date(draft, exam.date),
        _person(draft, "121008", "Person Observer Name", exam.reader.caret, Row.BASIC_D),
        _person(draft, "121029", "Subject Name", exam.patient.caret.text, Row.NAME),
        _subject_id(draft, exam.patient.mrn),
        _uid(draft, exam.uid),
        _findings(draft, series, rng),
        _text(draft, "121077", "Conclusion", _conclusion(exam, rng)),
    ]
    draft.items(data, "ContentSequence", *children)
    return draft


def _conclusion(exam: Exam, rng: Random) -> list[Part]:
    named: list[Part] = [texts.finding(rng), Gap(". Discussed with Dr. "), exam.referring.prose]
    dated: list[Part] = ["Stable since", Gap(" "), texts.written(exam.day, rng), Gap("; "), exam.phrase]
    phoned: list[Part] = [texts.finding(rng), Gap(". Called "), Phi(exam.site.phone, Row.PHONE)]
    return rng.choice((named, dated, phoned))


def _node(draft: Draft, relation: str, kind: str, value: str, meaning: str) -> Dataset:
    item = Dataset()
    draft.plain(item, RelationshipType=relation, ValueType=kind)
    concept = Dataset()
    draft.keep(concept, CodeValue=value, CodingSchemeDesignator="DCM" if value.isdigit() else "LN", CodeMeaning=meaning)
    draft.items(item, "ConceptNameCodeSequence", concept)
    return item


def _text(draft: Draft, value: str, meaning: str, parts: list[Part]) -> Dataset:
    item = _node(draft, "CONTAINS", "TEXT", value, meaning)
    draft.text(item, "TextValue", parts)
    return item


def _date(draft: Draft, value: str) -> Dataset:
    item = _node(draft, "HAS OBS CONTEXT", "DATE", "111060", "Study Date")
    draft.date(item, Date=value)
    return item


def _person(draft: Draft, value: str, meaning: str, name: str, row: Row) -> Dataset:
    item = _node(draft, "HAS OBS CONTEXT", "PNAME", value, meaning)
    draft.gone(item, row, PersonName=name)
    return item


def _subject_id(draft: Draft, number: str) -> Dataset:
    item = _node(draft, "HAS OBS CONTEXT", "TEXT", "121030", "Subject ID")
    draft.gone(item, Row.RECORD, TextValue=number)
    return item


def _uid(draft: Draft, value: str) -> Dataset:
    item = _node(draft, "HAS OBS CONTEXT", "UIDREF", "121018", "Procedure Study Instance UID")
    draft.uid(item, UID=value)
    return item


def _findings(draft: Draft, series: Series, rng: Random) -> Dataset:
    """A container with measurements, each inferred from an image: four levels of sequences."""
    box = _node(draft, "CONTAINS", "CONTAINER", "121070", "Findings")
    draft.plain(box, ContinuityOfContent="SEPARATE")
    children = []
    for (value, scheme, meaning), reference in zip(_MEASURES, series.references, strict=False):
        measure, measured = Dataset(), Dataset()
        draft.plain(measure, RelationshipType="CONTAINS", ValueType="NUM")
        draft.items(measure, "ConceptNameCodeSequence", code(value, scheme, meaning))
        draft.keep(measured, NumericValue=f"{rng.randint(30, 400) / 10}")
        draft.items(measured, "MeasurementUnitsCodeSequence", code("mm", "UCUM", "millimeter"))
        draft.items(measure, "MeasuredValueSequence", measured)
        image, referenced = Dataset(), Dataset()
        draft.plain(image, RelationshipType="INFERRED FROM", ValueType="IMAGE")
        draft.plain(referenced, ReferencedSOPClassUID=reference[0])
        draft.uid(referenced, ReferencedSOPInstanceUID=reference[1])
        draft.items(image, "ReferencedSOPSequence", referenced)
        draft.items(measure, "ContentSequence", image)
        children.append(measure)
    note = _node(draft, "CONTAINS", "TEXT", "121071", "Finding")
    draft.text(note, "TextValue", texts.image_comment(series.exam, rng))
    draft.items(box, "ContentSequence", *children, note)
    return box


def _verifier(draft: Draft, series: Series) -> Dataset:
    item, exam = Dataset(), series.exam
    draft.gone(item, Row.BASIC_D, VerifyingObserverName=exam.reader.caret, VerifyingOrganization=exam.site.name)
    draft.date(item, VerificationDateTime=f"{exam.date}{series.time}")
    item.VerifyingObserverIdentificationCodeSequence = Items([])
    return item


def _evidence(draft: Draft, series: Series) -> Dataset:
    study, group, instances = Dataset(), Dataset(), []
    for sop_class, instance in series.references:
        item = Dataset()
        draft.plain(item, ReferencedSOPClassUID=sop_class)
        draft.uid(item, ReferencedSOPInstanceUID=instance)
        instances.append(item)
    draft.items(group, "ReferencedSOPSequence", *instances)
    draft.uid(group, SeriesInstanceUID=series.source_uid)
    draft.items(study, "ReferencedSeriesSequence", group)
    draft.uid(study, StudyInstanceUID=series.exam.uid)
    return study

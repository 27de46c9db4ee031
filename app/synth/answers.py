"""The answer key: which private values were planted where, and which harmless texts must survive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pydicom.dataelem import DataElement
from pydicom.dataset import Dataset
from pydicom.multival import MultiValue

from deidra.app.domain.geometry import Box
from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.images import DrawnText
from deidra.app.synth.people import Phi


@dataclass(frozen=True, slots=True)
class Planted:
    """A private value. ``where`` is pixel, header, text or metadata.

    ``tag`` is a path such as ``(0040,0275)[1]/(0040,1001)`` with items counted from 0; ``frame`` and
    ``page`` count from 0; ``box`` is in pixels of that frame or page, upright, PDF pages at 200 dpi.
    """

    text: str
    type: EntityType
    where: str
    tag: str | None = None
    frame: int | None = None
    page: int | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A harmless text that must survive; the fields are those of :class:`Planted`."""

    text: str
    where: str
    tag: str | None = None
    frame: int | None = None
    page: int | None = None
    box: Box | None = None


@dataclass(slots=True)
class FileAnswers:
    """All that is known of one file. ``path`` is relative to the sample folder, with ``/``."""

    path: str
    kind: str
    phi: list[Planted] = field(default_factory=list)
    keep: list[Kept] = field(default_factory=list)

    def add_drawn(self, drawn: Iterable[DrawnText], *, frame: int | None = None, page: int | None = None) -> None:
        """Record texts that were drawn on one frame or page."""
        for item in drawn:
            if item.type is not None:
                self.phi.append(Planted(item.text, item.type, "pixel", None, frame, page, item.box))
            else:
                self.keep.append(Kept(item.text, "pixel", None, frame, page, item.box))

    def as_json(self) -> dict[str, Any]:
        """The entry of this file in ``planted.json``."""
        return asdict(self)


PHI_ELEMENTS = {
    "PatientName": EntityType.PATIENT,
    "OtherPatientNames": EntityType.PATIENT,
    "PersonName": EntityType.PATIENT,
    "PatientID": EntityType.ID_MRN,
    "PatientBirthDate": EntityType.DATE_BIRTH,
    "PatientAddress": EntityType.LOCATION_HOME_ADDRESS,
    "PatientTelephoneNumbers": EntityType.PHONE_HOME,
    "AccessionNumber": EntityType.ID_OTHER,
    "StudyID": EntityType.ID_OTHER,
    "DeviceSerialNumber": EntityType.ID_OTHER,
    "RequestedProcedureID": EntityType.ID_OTHER,
    "ScheduledProcedureStepID": EntityType.ID_OTHER,
    "StationName": EntityType.ID_OTHER,
    "InstitutionName": EntityType.HOSPITAL,
    "InstitutionAddress": EntityType.LOCATION_ADDRESS,
    "SourceApplicationEntityTitle": EntityType.HOSPITAL,
    "ReferringPhysicianName": EntityType.STAFF,
    "ReferringPhysicianTelephoneNumbers": EntityType.PHONE_OTHER,
    "PerformingPhysicianName": EntityType.STAFF,
    "NameOfPhysiciansReadingStudy": EntityType.STAFF,
    "OperatorsName": EntityType.STAFF,
    "RequestingPhysician": EntityType.STAFF,
    "Occupation": EntityType.PATORG,
}
"""Elements whose whole value is private, besides dates (VR DA and DT) and instance UIDs."""

KEPT_ELEMENTS = {"StudyDescription", "SeriesDescription", "ProtocolName", "BodyPartExamined"}
"""Elements whose value must survive where nothing private stands in it."""

_CLASS_UIDS = "1.2.840.10008."
"""Root of the UIDs that the standard defines; they identify nobody (PS3.6 Annex A)."""

_TEXT_VRS = {"AE", "CS", "LO", "LT", "PN", "SH", "ST", "UC", "UR", "UT", "UN"}


def header_answers(answers: FileAnswers, dataset: Dataset, known: Sequence[Phi], harmless: Iterable[str]) -> None:
    """Record every planted value of ``dataset`` and its file meta information.

    ``known`` are texts that count as private wherever they stand in free text; ``harmless`` are
    texts, whole values or parts of one, that must survive. Ages count above 89 years only (45 CFR 164.514).
    """
    spared = tuple(harmless)
    ordered = sorted(known, key=lambda phi: -len(phi.text))
    for path, element in _walk(dataset):
        for value in _values(element):
            found = list(_private(element, value, ordered))
            answers.phi += [Planted(phi.text, phi.type, "header", path) for phi in found]
            if not found and element.keyword in KEPT_ELEMENTS:
                answers.keep.append(Kept(value, "header", path))
            answers.keep += [Kept(text, "header", path) for text in spared if text in value]


def texts_in(text: str, known: Iterable[Phi]) -> Iterator[Phi]:
    """The private texts that stand in ``text``; one inside another that was found is not repeated."""
    for phi in known:
        if phi.text in text:
            text = text.replace(phi.text, "\0")
            yield phi


def _private(element: DataElement, value: str, known: Sequence[Phi]) -> Iterator[Phi]:
    if element.keyword in PHI_ELEMENTS:
        kind = PHI_ELEMENTS[element.keyword]
        # PersonName (0040,A123) holds the patient or staff, by its concept.
        staff = element.keyword == "PersonName" and any(phi.text == value and phi.type != kind for phi in known)
        yield Phi(value, EntityType.STAFF if staff else kind)
    elif element.VR in ("DA", "DT"):
        birth = any(phi.text == value and phi.type is EntityType.DATE_BIRTH for phi in known)
        yield Phi(value, EntityType.DATE_BIRTH if birth else EntityType.DATE_OTHER)
    elif element.VR == "UI":
        if not value.startswith(_CLASS_UIDS) and "Implementation" not in element.keyword:
            yield Phi(value, EntityType.ID_OTHER)
    elif element.VR == "AS":
        if value.endswith("Y") and int(value[:3]) > 89:
            yield Phi(value, EntityType.AGE)
    elif element.VR in _TEXT_VRS:
        yield from texts_in(value, known)


def _walk(dataset: Dataset, prefix: str = "") -> Iterator[tuple[str, DataElement]]:
    """Every element that is not a sequence, with its path."""
    meta = getattr(dataset, "file_meta", None)
    for element in [*(meta or ()), *dataset]:
        path = f"{prefix}({element.tag.group:04X},{element.tag.elem:04X})"
        if element.VR == "SQ":
            for number, item in enumerate(element.value):
                yield from _walk(item, f"{path}[{number}]/")
        else:
            yield path, element


def _values(element: DataElement) -> list[str]:
    value = element.value
    if isinstance(value, bytes):
        return [value.decode("ascii", "replace")] if element.VR == "UN" else []
    values = value if isinstance(value, MultiValue | list) else [value]
    return [str(item) for item in values if item not in (None, "")]

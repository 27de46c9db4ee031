"""Headers in one pass: the profile, and what the policy says of private text in the values that it keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pydicom import Dataset
from pydicom.datadict import dictionary_has_tag, dictionary_VR

from deidra.app.decide.policy import Policy
from deidra.app.decide.tagging import tagger_of
from deidra.app.decide.verdict import verdict_of
from deidra.app.detect.fields import field_drafts
from deidra.app.domain.errors import InputError
from deidra.app.domain.model import Action, DecisionKind, Identifier, Verdict
from deidra.app.load.charset import python_encodings
from deidra.app.load.encoded import EncodedElement, EncodedFile, EncodedGroup
from deidra.app.metadata.changes import FieldChange, Override, Subject
from deidra.app.metadata.element import FAULTS, decoded
from deidra.app.metadata.engine import HeaderEngine
from deidra.app.metadata.identity import IssuedId, identifying_values, issued_id, patient_key
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.stream import CHARACTER_SET

_TELLING_VRS = frozenset({"PN", "SQ", "LO", "SH", "DA", "ST", "LT", "UN", "UT", "UC", "CS"})
_PATIENT_TAGS = (0x00080018, 0x00100010, 0x00100020, 0x00100021, 0x00100030, 0x0020000D)
_MOST_SEEN = 50_000
_PIXEL_GROUP = 0x7FE0


class IdentifierReader:
    """Reads who a header is about, and every value that identifies somebody, once for each distinct element.

    Args:
        key: the key that patient keys are made with.
        issuers: all IDs with issuers of the files that will be read; none while they are being met.

    Attributes:
        met: IDs with issuers that were met.
    """

    def __init__(self, key: ProjectKey, issuers: Iterable[IssuedId] = ()) -> None:
        self._key = key
        # Where an ID has several issuers, the first in order is the one that is meant where none stands.
        self._issued: dict[str, list[IssuedId]] = {}
        for identity in sorted(issuers):
            self._issued.setdefault(identity.alone, []).append(identity)
        self.met: set[IssuedId] = set()
        self._seen: set[tuple[str, bytes, bytes]] = set()
        self._patients: dict[tuple[bytes, ...], str] = {}
        self._groups: dict[int, tuple[str, bytes, bytes]] = {}

    def patient(self, file: EncodedFile) -> str:
        """The patient key of a file."""
        raw = (*(file.value(tag) for tag in _PATIENT_TAGS[1:]), file.value(CHARACTER_SET))
        known = self._patients.get(raw)
        if known is None:
            dataset = Dataset()
            for element in file.elements:
                if element.tag in _PATIENT_TAGS:
                    dataset.update(_decoded(file, element, file.body[element.start : element.end]))
            identity = issued_id(dataset, self._key)
            if identity is not None and identity.issued:
                self.met.add(identity)
            known = patient_key(dataset, self._key, self._issued.get(identity.alone, ()) if identity else ())
            if any(raw[:-1]):
                self._patients[raw] = known
        return known

    def identifiers(self, file: EncodedFile) -> list[Identifier]:
        """The identifiers of a file that no earlier file of its patient has had.

        Raises:
            InputError: an element is malformed.
        """
        patient, charset = self.patient(file), file.value(CHARACTER_SET)
        found: list[Identifier] = []
        for group in file.groups:
            if group.number & 1 or group.number == _PIXEL_GROUP:
                continue
            raw = file.body[group.start : group.end]
            if self._groups.get(group.number) != (patient, charset, raw):
                found += self._of_group(file, group, patient, charset)
                self._groups[group.number] = (patient, charset, raw)
        return found

    def _of_group(self, file: EncodedFile, group: EncodedGroup, patient: str, charset: bytes) -> Iterator[Identifier]:
        for element in group.elements:
            vr = element.vr or _vr(element.tag)
            if vr not in _TELLING_VRS:
                continue
            raw = file.body[group.start + element.start : group.start + element.end]
            if (patient, charset, raw) in self._seen:
                continue
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            self._seen.add((patient, charset, raw))
            for kind, text, keyword in identifying_values(_decoded(file, element, raw)):
                yield Identifier(patient, kind, text, keyword)


def _vr(tag: int) -> str:
    return dictionary_VR(tag) if dictionary_has_tag(tag) else ""


def _decoded(file: EncodedFile, element: EncodedElement, raw: bytes) -> Dataset:
    encodings = python_encodings(file.value(CHARACTER_SET))
    try:
        dataset = decoded(element, raw, file.encoding, encodings)
        for _ in dataset:
            pass
    except FAULTS as error:
        raise InputError(
            f"The DICOM file holds a malformed element ({type(error).__name__}).", "Export it again."
        ) from error
    return dataset


def text_cleaner(
    identifiers: Iterable[Identifier], policy: Policy
) -> Callable[[Sequence[FieldChange], Subject], Mapping[str, Override]]:
    """What cuts private text out of kept values, uncertain parts included: nobody is asked in this pass."""
    tagger = tagger_of(policy, identifiers)

    def clean(changes: Sequence[FieldChange], subject: Subject) -> Mapping[str, Override]:
        kept = [change for change in changes if change.action is Action.KEEP]
        return {
            draft.tag: Override(DecisionKind.REPLACE, draft.proposal or "", "private text cut out", cut=True)
            for draft in field_drafts(kept, tagger, policy.cut_style(subject.shift_days))
            if draft.tag and verdict_of(draft, policy) is not Verdict.IGNORE
        }

    return clean


def one_pass_engine(identifiers: Iterable[Identifier], policy: Policy, key: ProjectKey) -> HeaderEngine:
    """A header engine that applies profile, recipe and text rules at once."""
    return HeaderEngine(policy.profile, key, text_cleaner(identifiers, policy))

"""The header engine: walks a dataset and gives every element its action.

Paths name elements: ``(0040,A730)[3]/(0040,A160)`` is element (0040,A160) in item 3 (from 0) of the
sequence (0040,A730).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydicom import Dataset
from pydicom._uid_dict import UID_dictionary
from pydicom.datadict import dictionary_has_tag
from pydicom.dataelem import DataElement
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import UID

from deidra.app.domain.errors import InputError
from deidra.app.domain.model import Action, DecisionKind
from deidra.app.metadata.dates import shift_value
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import EDITION, Code, Option, Profile

TEXT_VRS = frozenset({"AE", "CS", "LO", "LT", "PN", "SH", "ST", "UC", "UR", "UT"})
"""VRs whose values are read for identifiers when the profile keeps them."""
IMPLEMENTATION_CLASS_UID = "2.25.240868493586532414914430338205912764461"
IMPLEMENTATION_VERSION = "DEIDRA_0_1"
_MOST_SHOWN = 200
_UNKNOWN_CLASS = "1.2.840.10008.5.1.4.1.1.66"
"""Raw Data Storage: what a file is that does not say what it is."""
_DUMMIES = {
    **{"AS": "000Y", "CS": "REMOVED", "DA": "19000101", "DS": "0", "DT": "19000101", "IS": "0"},
    **{"LO": "REMOVED", "LT": "REMOVED", "PN": "REMOVED", "SH": "REMOVED", "ST": "REMOVED", "TM": "000000"},
    **{"UC": "REMOVED", "UR": "urn:removed", "UT": "REMOVED", "AE": "REMOVED", "FD": 0.0, "FL": 0.0},
    **{"SL": 0, "SS": 0, "UL": 0, "US": 0, "SV": 0, "UV": 0},
    **dict.fromkeys(("OB", "OD", "OF", "OL", "OV", "OW", "UN"), b"\0" * 8),
}
"""Values that are valid for their VR and tell nothing; other VRs become empty."""
_NO_INSTANCE = re.compile(
    r"(Class|Syntax|CodingScheme|Context|MappingResource)(Group|Version|Extension)?(Creator)?UIDs?$"
)
"""UI elements of these names say what something is, not which one it is."""
_WRITTEN_BY_DEIDRA = frozenset(
    {
        "PatientIdentityRemoved",
        "DeidentificationMethod",
        "DeidentificationMethodCodeSequence",
        "LongitudinalTemporalInformationModified",
    }
)


@dataclass(frozen=True, slots=True)
class FieldChange:
    """What happens to one element: ``after`` None means it is removed. ``kept_text`` marks values to read."""

    path: str
    keyword: str
    vr: str
    before: str
    after: str | None
    action: Action
    reason: str


@dataclass(frozen=True, slots=True)
class Override:
    """A curator's or cleaner's word on one element; ``text`` is the new value of a replacement."""

    kind: DecisionKind
    text: str = ""
    reason: str = "decision of a curator"


@dataclass(frozen=True, slots=True)
class Subject:
    """What the patient of a dataset becomes: the pseudonym, and the shift of all dates in days."""

    pseudonym: str
    shift_days: int


@dataclass(slots=True)
class HeaderResult:
    """Every element that was looked at, and the UIDs that were replaced (old to new)."""

    changes: list[FieldChange] = field(default_factory=list)
    uids: dict[str, str] = field(default_factory=dict)


class HeaderEngine:
    """Applies a profile to datasets, in place."""

    def __init__(self, profile: Profile, key: ProjectKey) -> None:
        self.profile = profile
        self._key = key

    def process(
        self, dataset: FileDataset, subject: Subject, overrides: Mapping[str, Override] | None = None
    ) -> HeaderResult:
        """De-identify a dataset in place, pixel data excepted.

        Args:
            dataset: a parsed file; PixelData may be missing.
            subject: the patient's pseudonym and date shift.
            overrides: by path, what a curator decided against the profile.

        Returns:
            Every element with its fate, in file order.

        Raises:
            InputError: a curator's new value does not fit the element's type.
        """
        result = HeaderResult()
        walk = _Walk(self.profile, self._key, subject, overrides or {}, result)
        walk.dataset(dataset, "")
        self._clean_meta(dataset, result)
        return result

    def _clean_meta(self, dataset: FileDataset, result: HeaderResult) -> None:
        """A new file meta group (PS3.10 7.1) and an empty preamble: senders and private data are dropped."""
        old = getattr(dataset, "file_meta", FileMetaDataset())
        meta = FileMetaDataset()
        sop_class = str(dataset.get("SOPClassUID") or old.get("MediaStorageSOPClassUID") or _UNKNOWN_CLASS)
        meta.MediaStorageSOPClassUID = UID(sop_class)
        if not dataset.get("SOPInstanceUID"):
            dataset.SOPInstanceUID = self._missing_instance_uid(dataset, old)
        meta.MediaStorageSOPInstanceUID = UID(str(dataset.SOPInstanceUID))
        meta.TransferSyntaxUID = old.get("TransferSyntaxUID")
        meta.ImplementationClassUID = UID(IMPLEMENTATION_CLASS_UID)
        meta.ImplementationVersionName = IMPLEMENTATION_VERSION
        dataset.file_meta = meta
        dataset.preamble = b"\0" * 128

    def _missing_instance_uid(self, dataset: Dataset, meta: Dataset) -> UID:
        """A UID for a file that has none: from its file meta group, else from what it holds."""
        known = str(meta.get("MediaStorageSOPInstanceUID") or "")
        if not known:
            pixels = hashlib.sha256(dataset.get("PixelData") or b"").hexdigest()
            known = "|".join(str(dataset.get(k, "")) for k in ("SeriesInstanceUID", "InstanceNumber")) + pixels
        return UID(self._key.uid(known))

    def mark(self, dataset: Dataset, pixels_cleaned: bool) -> None:
        """Say in the header what was done: (0012,0062), (0012,0063), (0012,0064) and (0028,0303)."""
        dataset.PatientIdentityRemoved = "YES"
        dataset.DeidentificationMethod = ["Deidra", f"{EDITION} Annex E"]
        items = []
        for value, meaning in self.profile.method_codes(pixels_cleaned):
            item = Dataset()
            item.CodeValue, item.CodingSchemeDesignator, item.CodeMeaning = value, "DCM", meaning
            items.append(item)
        dataset.DeidentificationMethodCodeSequence = items
        if Option.FULL_DATES in self.profile.options:
            dates = "UNMODIFIED"
        else:
            dates = "MODIFIED" if Option.MODIFIED_DATES in self.profile.options else "REMOVED"
        dataset.LongitudinalTemporalInformationModified = dates


class _Walk:
    """One pass over one dataset."""

    def __init__(
        self,
        profile: Profile,
        key: ProjectKey,
        subject: Subject,
        overrides: Mapping[str, Override],
        result: HeaderResult,
    ) -> None:
        self._profile = profile
        self._key = key
        self._subject = subject
        self._overrides = overrides
        self._result = result

    def dataset(self, dataset: Dataset, prefix: str) -> None:
        creators = {
            (element.tag.group, element.tag.element): str(element.value)
            for element in dataset
            if element.tag.is_private_creator
        }
        used_creators: set[tuple[int, int]] = set()
        for element in list(dataset):
            path = f"{prefix}({element.tag.group:04X},{element.tag.element:04X})"
            if element.tag.is_private:
                slot = (element.tag.group, element.tag.element >> 8)
                if element.tag.is_private_creator:
                    continue
                override = self._overrides.get(path)
                kept = self._profile.keeps_private(creators.get(slot, ""), element.tag)
                if kept or (override and override.kind is not DecisionKind.BLANK):
                    used_creators.add(slot)
                    self._keep_private(dataset, element, path, override)
                else:
                    self._remove(dataset, element, path, "private attribute that is not known to be safe")
                continue
            self._public(dataset, element, path)
        for group, number in creators:
            if (group, number) not in used_creators:
                del dataset[group, number]

    def _keep_private(self, dataset: Dataset, element: DataElement, path: str, override: Override | None) -> None:
        if override is not None and override.kind is DecisionKind.REPLACE:
            self._set(dataset, element, path, override.text, Action.REPLACE, override.reason)
        else:
            reason = "kept by decision" if override else "private attribute named safe by the standard"
            self._record(element, path, _shown(element), Action.KEEP, reason)

    def _public(self, dataset: Dataset, element: DataElement, path: str) -> None:
        if element.keyword in ("PixelData", "FloatPixelData", "DoubleFloatPixelData"):
            return
        if element.tag.element == 0 or element.keyword == "DataSetTrailingPadding":
            # Group lengths and padding carry nothing; writers recompute or drop them.
            del dataset[element.tag]
            return
        if element.keyword in _WRITTEN_BY_DEIDRA:
            return
        override = self._overrides.get(path)
        if override is not None and self._overridden(dataset, element, path, override):
            return
        if element.VR == "SQ":
            self._sequence(dataset, element, path)
        elif element.keyword in ("PatientID", "PatientName"):
            self._set(dataset, element, path, self._subject.pseudonym, Action.REPLACE, "patient pseudonym")
        else:
            self._plain(dataset, element, path, self._profile.code(element.tag))

    def _overridden(self, dataset: Dataset, element: DataElement, path: str, override: Override) -> bool:
        if override.kind is DecisionKind.KEEP:
            self._record(element, path, _shown(element), Action.KEEP, override.reason)
        elif override.kind is DecisionKind.BLANK:
            self._set(dataset, element, path, "" if element.VR != "SQ" else [], Action.EMPTY, override.reason)
        elif override.kind is DecisionKind.REPLACE:
            self._set(dataset, element, path, override.text, Action.REPLACE, override.reason)
        else:
            return False
        return True

    def _sequence(self, dataset: Dataset, element: DataElement, path: str) -> None:
        code = self._profile.code(element.tag)
        if code is Code.REMOVE:
            self._remove(dataset, element, path, f"{EDITION} action X")
        elif code is Code.EMPTY:
            self._set(dataset, element, path, [], Action.EMPTY, f"{EDITION} action Z")
        else:
            self._record(element, path, _shown(element), Action.KEEP, "items are handled one by one")
            for number, item in enumerate(element.value):
                self.dataset(item, f"{path}[{number}]/")

    def _plain(self, dataset: Dataset, element: DataElement, path: str, code: Code) -> None:
        vr = str(element.VR)
        if code is Code.REMOVE:
            self._remove(dataset, element, path, f"{EDITION} action X")
        elif code is Code.EMPTY:
            self._set(dataset, element, path, "", Action.EMPTY, f"{EDITION} action Z")
        elif code is Code.DUMMY:
            self._dummy(dataset, element, path)
        elif code is Code.UID or (code is Code.ABSENT and vr == "UI" and not _NO_INSTANCE.search(element.keyword)):
            self._remap(dataset, element, path)
        elif code is Code.CLEAN and vr in ("DA", "DT", "TM"):
            self._shift(dataset, element, path)
        elif code is Code.ABSENT:
            self._absent(dataset, element, path, vr)
        else:
            # Kept values and values to clean look the same here; text of both is read by the detect stage.
            self._record(element, path, _shown(element), Action.KEEP, f"{EDITION} action {code.value}")

    def _absent(self, dataset: Dataset, element: DataElement, path: str, vr: str) -> None:
        """Attributes that the table does not name: kept only when the standard knows them and they are no risk."""
        if not dictionary_has_tag(element.tag) or vr == "UN":
            self._remove(dataset, element, path, "not an attribute of the standard")
        elif vr == "PN":
            self._set(dataset, element, path, "", Action.EMPTY, "a person's name outside the profile's table")
        elif vr in ("DA", "DT") and Option.FULL_DATES not in self._profile.options:
            self._shift(dataset, element, path)
        else:
            self._record(element, path, _shown(element), Action.KEEP, "not in the profile's table")

    def _dummy(self, dataset: Dataset, element: DataElement, path: str) -> None:
        if str(element.VR) == "UI":
            self._remap(dataset, element, path)
            return
        dummy = _DUMMIES.get(str(element.VR), "")
        self._set(dataset, element, path, dummy, Action.DUMMY, f"{EDITION} action D")

    def _remap(self, dataset: Dataset, element: DataElement, path: str) -> None:
        if Option.UIDS in self._profile.options:
            self._record(element, path, _shown(element), Action.KEEP, "UIDs are retained")
            return
        values = [str(v) for v in element.value] if element.VM > 1 else [str(element.value or "")]
        new = [self._new_uid(value.strip(" \0")) for value in values]
        if new == values:
            self._record(element, path, _shown(element), Action.KEEP, "a UID of the standard")
        else:
            self._set(dataset, element, path, new if len(new) > 1 else new[0], Action.REMAP, "keyed UID")

    def _new_uid(self, old: str) -> str:
        if not old or old in UID_dictionary:
            return old
        new = self._key.uid(old)
        self._result.uids[old] = new
        return new

    def _shift(self, dataset: Dataset, element: DataElement, path: str) -> None:
        vr = str(element.VR)
        if vr == "TM":
            self._record(element, path, _shown(element), Action.KEEP, "dates move by whole days, so times stay")
            return
        values = "\\".join(str(v) for v in element.value) if element.VM > 1 else str(element.value or "")
        moved = shift_value(vr, values, self._subject.shift_days)
        if moved is None:
            self._set(dataset, element, path, "", Action.EMPTY, "a date that cannot be parsed")
        elif moved:
            self._set(
                dataset,
                element,
                path,
                moved.split("\\") if "\\" in moved else moved,
                Action.SHIFT,
                "the patient's date shift",
            )
        else:
            self._record(element, path, "", Action.KEEP, "no value")

    def _set(
        self, dataset: Dataset, element: DataElement, path: str, value: object, action: Action, reason: str
    ) -> None:
        before = _shown(element)
        try:
            dataset[element.tag] = DataElement(element.tag, element.VR, value)
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(
                f"The new value of {path} does not fit its type ({element.VR}).", "Decide on that item again."
            ) from error
        after = _shown(dataset[element.tag])
        if before or after:
            self._append(path, element, before, after, action, reason)

    def _remove(self, dataset: Dataset, element: DataElement, path: str, reason: str) -> None:
        self._append(path, element, _shown(element), None, Action.REMOVE, reason)
        del dataset[element.tag]

    def _record(self, element: DataElement, path: str, after: str, action: Action, reason: str) -> None:
        self._append(path, element, after, after, action, reason)

    def _append(
        self, path: str, element: DataElement, before: str, after: str | None, action: Action, reason: str
    ) -> None:
        keyword = element.keyword or (element.name if element.tag.is_private else "")
        self._result.changes.append(FieldChange(path, keyword, str(element.VR), before, after, action, reason))


def _shown(element: DataElement) -> str:
    """An element's value as text for people; long binary values by their size."""
    value = element.value
    if value is None:
        return ""
    if element.VR == "SQ":
        return f"{len(value)} items"
    if isinstance(value, bytes):
        text = value.rstrip(b"\0 ")
        if text and len(text) <= _MOST_SHOWN and all(32 <= byte < 127 for byte in text):
            return text.decode("ascii")
        return f"{len(value)} bytes" if value else ""
    if element.VM > 1:
        return "\\".join(str(v) for v in value)
    return str(value)

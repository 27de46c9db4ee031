"""One pass over one dataset: every element gets its action, sequences are entered."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence

from pydicom import Dataset, config
from pydicom._uid_dict import UID_dictionary
from pydicom.datadict import dictionary_has_tag, dictionary_VR
from pydicom.dataelem import DataElement
from pydicom.valuerep import validate_value

from deidra.app.domain.errors import InputError
from deidra.app.domain.model import Action, DecisionKind
from deidra.app.metadata.changes import FieldChange, HeaderResult, Override, Subject
from deidra.app.metadata.dates import shift_value
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import EDITION, Code, Option, Profile
from deidra.app.metadata.recipes import Rule, RuleAction
from deidra.app.metadata.values import BYTES, DUMMIES, fits_dictionary, has_form, shown

TEXT_VRS = frozenset({"AE", "CS", "LO", "LT", "PN", "SH", "ST", "UC", "UR", "UT"})
"""VRs whose values are read for identifiers when the profile keeps them."""
_PIXELS = frozenset({"PixelData", "FloatPixelData", "DoubleFloatPixelData"})
_WRITTEN_BY_DEIDRA = frozenset(
    {
        "PatientIdentityRemoved",
        "DeidentificationMethod",
        "DeidentificationMethodCodeSequence",
        "LongitudinalTemporalInformationModified",
    }
)
_NO_INSTANCE = re.compile(
    r"(Class|Syntax|CodingScheme|Context|MappingResource)(Group|Version|Extension)?(Creator)?UIDs?$"
)
"""UI elements of these names say what something is, not which one it is."""
_NEEDED_BYTES = re.compile(
    r"LookupTable|LUTData|WaveformData|ICCProfile|PointCoordinates|PointIndex|EdgePoint|Triangle|Surface|Vertex|Line|"
    r"Track|FilterMap|HistogramData|SmallestImage|LargestImage|PixelPadding|VectorGrid|OffsetTable|DoubleFloat|Spectroscopy"
)
"""Bytes that carry an image's colours, geometry or signal, without which an object is of no use."""
_SAFE_PRIVATE_VRS = frozenset({"CS", "DS", "FD", "FL", "IS", "LO", "SH", "SL", "SS", "UL", "US"})
"""VRs of the private attributes that the standard names safe; the same tag as bytes or items is something else."""
_STRUCTURE_VRS = frozenset({"AT", "CS", "FD", "FL", "SL", "SS", "UL", "US"})
"""Coordinates, counts and defined terms: a dummy of them would break an item and hide nothing."""
_OLDEST_AGE = 89
_EMPTY_TEXT = "REMOVED"


class Walk:
    """Applies a profile to a dataset and its items, in place."""

    def __init__(
        self,
        profile: Profile,
        key: ProjectKey,
        subject: Subject,
        overrides: Mapping[str, Override],
        result: HeaderResult,
        rules: Sequence[Rule] = (),
    ) -> None:
        self._profile = profile
        self._key = key
        self._subject = subject
        self._overrides = overrides
        self._result = result
        self._rules = rules

    def dataset(self, dataset: Dataset, prefix: str, dummies: bool = False) -> None:
        """Handle every element; ``dummies`` turns all values below a sequence with action D into dummies."""
        creators = {
            (element.tag.group, element.tag.element): str(element.value)
            for element in dataset
            if element.tag.is_private_creator
        }
        used: set[tuple[int, int]] = set()
        for element in list(dataset):
            path = f"{prefix}({element.tag.group:04X},{element.tag.element:04X})"
            if not element.tag.is_private:
                self._public(dataset, element, path, dummies)
            elif not element.tag.is_private_creator:
                slot = (element.tag.group, element.tag.element >> 8)
                if self._private(dataset, element, path, creators.get(slot, "")):
                    used.add(slot)
        for slot in creators.keys() - used:
            del dataset[slot]

    def _private(self, dataset: Dataset, element: DataElement, path: str, creator: str) -> bool:
        """True when the element stays."""
        override = self._overrides.get(path)
        if override is not None and override.kind is DecisionKind.REPLACE:
            self._set(dataset, element, path, override.text, Action.REPLACE, override.reason)
            return True
        if override is not None and override.kind is DecisionKind.KEEP:
            self._keep(element, path, override.reason)
            return True
        if override is None and self._by_rule(dataset, element, path, creator):
            return element.tag in dataset
        safe = self._profile.keeps_private(creator, element.tag) and str(element.VR) in _SAFE_PRIVATE_VRS
        if safe and override is None:
            self._keep(element, path, "private attribute named safe by the standard")
            return True
        self._remove(dataset, element, path, "private attribute that is not known to be safe")
        return False

    def _public(self, dataset: Dataset, element: DataElement, path: str, dummies: bool) -> None:
        top = "/" not in path
        if top and (element.keyword in _PIXELS or element.keyword in _WRITTEN_BY_DEIDRA):
            # Pixels have a stage of their own; the marks are written when all is done.
            return
        if element.tag.element == 0 or element.keyword == "DataSetTrailingPadding":
            # Group lengths and padding carry nothing; writers recompute or drop them.
            del dataset[element.tag]
        elif element.keyword in _PIXELS:
            self._remove(dataset, element, path, "pixels inside an item, which nobody searches")
        elif path not in self._overrides and self._by_rule(dataset, element, path, ""):
            pass
        elif element.keyword in ("PatientID", "PatientName") and path not in self._overrides:
            typed = DataElement(element.tag, dictionary_VR(element.tag), self._subject.pseudonym)
            self._put(dataset, element, typed, path, Action.REPLACE, "patient pseudonym")
        elif not fits_dictionary(element):
            self._remove(dataset, element, path, f"its type {element.VR} contradicts the standard")
        elif not self._overridden(dataset, element, path):
            if element.VR == "SQ":
                self._sequence(dataset, element, path, dummies)
            else:
                self._plain(dataset, element, path, dummies)

    def _by_rule(self, dataset: Dataset, element: DataElement, path: str, creator: str) -> bool:
        """Do what the first matching rule of the recipe says; False when there is none."""
        rule = next((rule for rule in self._rules if rule.matches(element, creator)), None)
        if rule is None:
            return False
        reason = "rule of the policy"
        if rule.action is RuleAction.KEEP:
            self._keep(element, path, reason)
        elif rule.action is RuleAction.REMOVE:
            self._remove(dataset, element, path, reason)
        elif rule.action is RuleAction.EMPTY:
            self._set(dataset, element, path, [] if element.VR == "SQ" else "", Action.EMPTY, reason)
        elif rule.action is RuleAction.REPLACE:
            self._check_replacement(element, path, rule.value)
            self._set(dataset, element, path, rule.value, Action.REPLACE, reason)
        elif rule.action is RuleAction.HASH:
            token = self._key.token("hash", str(element.value or ""), 16)
            self._set(dataset, element, path, token, Action.REPLACE, reason)
        elif rule.action is RuleAction.REMAP:
            self._remap(dataset, element, path)
        elif rule.action is RuleAction.SHIFT:
            self._shift(dataset, element, path)
        else:
            self._dummy(dataset, element, path)
        return True

    def _overridden(self, dataset: Dataset, element: DataElement, path: str) -> bool:
        override = self._overrides.get(path)
        if override is None:
            return False
        if override.kind is DecisionKind.KEEP:
            self._keep(element, path, override.reason)
        elif override.kind is DecisionKind.BLANK:
            self._set(dataset, element, path, "" if element.VR != "SQ" else [], Action.EMPTY, override.reason)
        elif override.kind is DecisionKind.REPLACE:
            self._check_replacement(element, path, override.text)
            # Text from which everything was cut out may belong to an element that must have a value.
            self._set(dataset, element, path, override.text or _EMPTY_TEXT, Action.REPLACE, override.reason)
        else:
            return False
        return True

    @staticmethod
    def _check_replacement(element: DataElement, path: str, text: str) -> None:
        try:
            if element.VR == "SQ":
                raise ValueError
            validate_value(str(element.VR), text, config.RAISE)
        except (ValueError, TypeError) as error:
            raise _unfit(element, path) from error

    def _sequence(self, dataset: Dataset, element: DataElement, path: str, dummies: bool) -> None:
        code = self._profile.code(element.tag)
        if code is Code.REMOVE:
            self._remove(dataset, element, path, f"{EDITION} action X")
        elif code is Code.EMPTY:
            self._set(dataset, element, path, [], Action.EMPTY, f"{EDITION} action Z")
        else:
            below = dummies or code is Code.DUMMY
            reason = "its items become dummies" if below else "items are handled one by one"
            self._append(path, element, shown(element), shown(element), Action.KEEP, reason)
            for number, item in enumerate(element.value):
                self.dataset(item, f"{path}[{number}]/", below)

    def _plain(self, dataset: Dataset, element: DataElement, path: str, dummies: bool) -> None:
        vr, code = str(element.VR), self._profile.code(element.tag)
        if code not in (Code.REMOVE, Code.EMPTY, Code.DUMMY, Code.UID) and not has_form(element):
            # What is no date or number could be anything, and nobody reads it.
            if vr == "UI" and not _NO_INSTANCE.search(element.keyword):
                self._new_uids(dataset, element, path)
            else:
                self._set(dataset, element, path, "", Action.EMPTY, "a value that does not look like its type")
            return
        unread = code is Code.CLEAN and vr not in TEXT_VRS and vr not in ("DA", "DT", "TM")
        if unread or (code is Code.KEEP and vr in BYTES):
            # Cleaning means reading, and so does keeping; what is neither text, date nor number cannot be read.
            code = self._profile.basic_code(element.tag)
        structure = vr in _STRUCTURE_VRS and code is Code.ABSENT
        if dummies and code is not Code.REMOVE and not structure and not _NO_INSTANCE.search(element.keyword):
            code = Code.DUMMY
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
        elif vr == "AS":
            self._age(dataset, element, path)
        else:
            # Kept values and values to clean look the same here; text of both is read by the detect stage.
            self._keep(element, path, f"{EDITION} action {code.value}")

    def _absent(self, dataset: Dataset, element: DataElement, path: str, vr: str) -> None:
        """Attributes that the table does not name: kept only when the standard knows them and they are no risk."""
        options = self._profile.options
        if not dictionary_has_tag(element.tag) or vr == "UN":
            self._remove(dataset, element, path, "not an attribute of the standard")
        elif vr == "PN":
            self._set(dataset, element, path, "", Action.EMPTY, "a person's name outside the profile's table")
        elif vr in ("DA", "DT") and Option.FULL_DATES not in options and "Version" not in element.keyword:
            if Option.MODIFIED_DATES in options:
                self._shift(dataset, element, path)
            else:
                self._set(dataset, element, path, "", Action.EMPTY, "a date outside the profile's table")
        elif vr == "AS":
            self._age(dataset, element, path)
        elif vr in BYTES and not _NEEDED_BYTES.search(element.keyword):
            self._remove(dataset, element, path, "bytes that nobody reads, outside the profile's table")
        else:
            self._keep(element, path, "not in the profile's table")

    def _age(self, dataset: Dataset, element: DataElement, path: str) -> None:
        """Ages over 89 become 90 (45 CFR 164.514(b)(2)(i)(C))."""
        match = re.fullmatch(r"\s*(\d{1,3})Y\s*", str(element.value or ""))
        if match and int(match[1]) > _OLDEST_AGE:
            self._set(dataset, element, path, f"{_OLDEST_AGE + 1:03d}Y", Action.CLEAN, "ages over 89 are one group")
        else:
            self._keep(element, path, "age")

    def _dummy(self, dataset: Dataset, element: DataElement, path: str) -> None:
        if str(element.VR) == "UI":
            self._remap(dataset, element, path)
        else:
            self._set(dataset, element, path, DUMMIES.get(str(element.VR), ""), Action.DUMMY, f"{EDITION} action D")

    def _remap(self, dataset: Dataset, element: DataElement, path: str) -> None:
        if Option.UIDS in self._profile.options:
            self._keep(element, path, "UIDs are retained")
        else:
            self._new_uids(dataset, element, path)

    def _new_uids(self, dataset: Dataset, element: DataElement, path: str) -> None:
        values = [str(v) for v in element.value] if element.VM > 1 else [str(element.value or "")]
        new = [self._new_uid(value.strip(" \0")) for value in values]
        if new == values:
            self._keep(element, path, "a UID of the standard")
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
            self._keep(element, path, "dates move by whole days, so times stay")
            return
        values = "\\".join(str(v) for v in element.value) if element.VM > 1 else str(element.value or "")
        moved = shift_value(vr, values, self._subject.shift_days)
        if moved is None:
            self._set(dataset, element, path, "", Action.EMPTY, "a date that cannot be parsed")
        elif moved:
            value = moved.split("\\") if "\\" in moved else moved
            self._set(dataset, element, path, value, Action.SHIFT, "the patient's date shift")
        else:
            self._keep(element, path, "no value")

    def _set(
        self, dataset: Dataset, element: DataElement, path: str, value: object, action: Action, reason: str
    ) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                new = DataElement(element.tag, element.VR, value)
        except (ValueError, TypeError, AttributeError) as error:
            raise _unfit(element, path) from error
        self._put(dataset, element, new, path, action, reason)

    def _put(
        self, dataset: Dataset, old: DataElement, new: DataElement, path: str, action: Action, reason: str
    ) -> None:
        before, after = shown(old), shown(new)
        dataset[old.tag] = new
        if before or after:
            self._append(path, old, before, after, action, reason)

    def _remove(self, dataset: Dataset, element: DataElement, path: str, reason: str) -> None:
        self._append(path, element, shown(element), None, Action.REMOVE, reason)
        del dataset[element.tag]

    def _keep(self, element: DataElement, path: str, reason: str) -> None:
        value = shown(element)
        self._append(path, element, value, value, Action.KEEP, reason)

    def _append(
        self, path: str, element: DataElement, before: str, after: str | None, action: Action, reason: str
    ) -> None:
        keyword = element.keyword or (element.name if element.tag.is_private else "")
        self._result.changes.append(FieldChange(path, keyword, str(element.VR), before, after, action, reason))


def _unfit(element: DataElement, path: str) -> InputError:
    return InputError(f"The new value of {path} does not fit its type ({element.VR}).", "Decide on that item again.")

"""One pass over one dataset: every element gets its action, sequences are entered."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence

from pydicom import Dataset, config
from pydicom._uid_dict import UID_dictionary
from pydicom.datadict import dictionary_has_tag, dictionary_VM, dictionary_VR
from pydicom.dataelem import DataElement
from pydicom.tag import BaseTag
from pydicom.valuerep import validate_value

from deidra.app.domain.errors import InputError
from deidra.app.domain.model import Action, DecisionKind
from deidra.app.metadata.changes import FieldChange, HeaderResult, Override, Subject
from deidra.app.metadata.content import content_code
from deidra.app.metadata.dates import DateMode, change_value, grouped_age
from deidra.app.metadata.iod import attribute_type
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import EDITION, Code, Option, Profile
from deidra.app.metadata.recipes import Rule, RuleAction
from deidra.app.metadata.values import BYTES, DUMMIES, as_text, fits_dictionary, has_form, retyped, shown

TEXT_VRS = frozenset({"AE", "CS", "LO", "LT", "PN", "SH", "ST", "UC", "UR", "UT"})
"""VRs whose values are read for identifiers when the profile keeps them."""
_PIXELS = frozenset({0x7FE00008, 0x7FE00009, 0x7FE00010})
WRITTEN_BY_DEIDRA = frozenset({0x00120062, 0x00120063, 0x00120064, 0x00280303})
"""Patient Identity Removed, De-identification Method and its codes, Longitudinal Temporal Information Modified."""
_TRAILING_PADDING = 0xFFFCFFFC
NO_INSTANCE = re.compile(
    r"(Class|Syntax|CodingScheme|Context|MappingResource)(Group|Version|Extension)?(Creator)?UIDs?$"
)
"""UI elements of these names say what something is, not which one it is."""
_NEEDED_BYTES = re.compile(
    r"LookupTable|LUTData|WaveformData|ICCProfile|PointCoordinates|PointIndex|EdgePoint|Triangle|Surface|Vertex|Line|"
    r"FloatingPointValues|LongPrimitive|Track|FilterMap|HistogramData|SmallestImage|LargestImage|PixelPadding|VectorGrid|OffsetTable|DoubleFloat|Spectroscopy"
)
"""Bytes that carry an image's colours, geometry or signal, without which an object is of no use."""
_SAFE_PRIVATE_VRS = frozenset(
    {
        *("CS", "DA", "DS", "DT", "FD", "FL", "IS", "LO", "SH", "SL", "SS", "TM", "UI", "UL", "US"),
    }
)
"""VRs in which safe private attributes may come whatever their usual one is; others are something else."""
_STRUCTURE_VRS = frozenset({"AT", "CS", "FD", "FL", "SL", "SS", "UL", "US"})
"""Coordinates, counts and defined terms: a dummy of them would break an item and hide nothing."""
CONTENT_SEQUENCE = 0x0040A730
_CONTENT_VALUES = tuple(
    map(BaseTag, (0x0040A160, 0x0040A123, 0x0040A120, 0x0040A121, 0x0040A122, 0x0040A168, 0x0040A300))
)
"""Elements that hold the value of a content item: text, person name, date and time, date, time, code, number."""
_REFERENCES = frozenset({"COMPOSITE", "IMAGE", "WAVEFORM", "UIDREF", "CONTAINER"})
"""Content items that only refer: their UIDs are replaced, which is all that could tell something."""
_BINARY_NUMBERS = frozenset({"FD", "FL", "SL", "SS", "UL", "US"})
_EMPTY_TEXT = "REMOVED"
_NUMBERS_AS_TEXT = frozenset({"DS", "IS"})
_PSEUDONYMS = frozenset({"PatientID", "PatientName"})
_NO_ADDRESS = frozenset({"CodingSchemeURL", "URNCodeValue"})
"""UR elements that name a vocabulary; all others name servers, and often what lies there."""
ITEMS_REASON = "items are handled one by one"


class Walk:
    """Applies a profile to a dataset and its items, in place.

    Args:
        profile: the profile with its options.
        key: the project's key.
        subject: what the patient becomes.
        overrides: by path, what differs from the profile.
        result: takes changes and new UIDs.
        rules: the rules of a recipe that count in this file.
        sop_class: the file's SOP Class UID, whose IOD gives attributes their types.
    """

    def __init__(
        self,
        profile: Profile,
        key: ProjectKey,
        subject: Subject,
        overrides: Mapping[str, Override],
        result: HeaderResult,
        rules: Sequence[Rule] = (),
        sop_class: str = "",
    ) -> None:
        self._profile = profile
        self._key = key
        self._subject = subject
        self._overrides = overrides
        self._result = result
        self._rules = rules
        self._sop_class = sop_class
        self._parents: tuple[int, ...] = ()

    def only(self, dataset: Dataset, tag: BaseTag, parents: tuple[int, ...] = ()) -> None:
        """Handle one element; others are there because its meaning depends on them.

        Args:
            dataset: the element, and what its meaning depends on.
            tag: which element.
            parents: tags of the sequences around it, from the top. Paths start at the element all the same.
        """
        self._parents = parents
        creator = ""
        if tag.is_private:
            slot = BaseTag(tag.group << 16 | tag.element >> 8)
            creator = str(dataset[slot].value) if slot in dataset else ""
        self._element(dataset, dataset[tag], "", creator, dummies=False)

    def _items(self, element: DataElement, path: str, dummies: bool) -> None:
        """Handle every item; ``dummies`` turns all values below a sequence with action D into dummies."""
        self._parents += (int(element.tag),)
        cleans = element.tag == CONTENT_SEQUENCE and Option.STRUCTURED_CONTENT in self._profile.options
        gone = []
        for number, item in enumerate(element.value):
            prefix = f"{path}[{number}]/"
            if cleans and self._content_goes(item, prefix):
                gone.append(number)
            else:
                self._item(item, prefix, dummies)
        for number in reversed(gone):
            del element.value[number]
        self._parents = self._parents[:-1]

    def _content_goes(self, item: Dataset, prefix: str) -> bool:
        """Do what PS3.15 Table E.3.4-1 says of a content item by its concept name; True when it is to be removed."""
        concept, kind = item.get("ConceptNameCodeSequence"), str(item.get("ValueType") or "")
        if not concept or kind in _REFERENCES:
            return False
        name = (str(concept[0].get("CodeValue") or ""), str(concept[0].get("CodingSchemeDesignator") or ""))
        code = content_code(*name, self._profile.options, kind)
        values = [item[tag] for tag in _CONTENT_VALUES if tag in item]
        paths = {f"{prefix}({v.tag.group:04X},{v.tag.element:04X})": v for v in values}
        if code not in (Code.REMOVE, Code.DUMMY) or paths.keys() & self._overrides.keys():
            return False
        for path, value in paths.items():
            if code is Code.REMOVE:
                self._append(path, value, shown(value), None, Action.REMOVE, f"{EDITION} Table E.3.4-1 action X")
            elif value.VR != "SQ":
                self._dummy(item, value, path)
        self._result.touched |= code is Code.REMOVE
        return code is Code.REMOVE

    def _item(self, dataset: Dataset, prefix: str, dummies: bool) -> None:
        creators = {int(e.tag): str(e.value) for e in dataset if e.tag.is_private_creator}
        used: set[int] = set()
        for element in list(dataset):
            tag = element.tag
            if tag.is_private_creator:
                continue
            slot = tag.group << 16 | tag.element >> 8 if tag.is_private else 0
            self._element(dataset, element, prefix, creators.get(slot, ""), dummies)
            if tag in dataset:
                used.add(slot)
        for slot in creators.keys() - used:
            del dataset[slot]
            self._result.touched = True

    def _element(self, dataset: Dataset, element: DataElement, prefix: str, creator: str, dummies: bool) -> None:
        path = f"{prefix}({element.tag.group:04X},{element.tag.element:04X})"
        if element.tag.is_private:
            self._private(dataset, element, path, creator)
        else:
            self._public(dataset, element, path, dummies)

    def _private(self, dataset: Dataset, element: DataElement, path: str, creator: str) -> None:
        override = self._overrides.get(path)
        if override is not None and override.kind is DecisionKind.REPLACE:
            self._set(dataset, element, path, override.text, Action.REPLACE, override.reason)
        elif override is not None and override.kind is DecisionKind.KEEP:
            self._keep(element, path, override.reason)
        elif override is None and self._by_rule(dataset, element, path, creator):
            pass
        elif override is not None or not self._safe_private(dataset, element, path, creator):
            self._remove(dataset, element, path, "private attribute that is not known to be safe")

    def _safe_private(self, dataset: Dataset, element: DataElement, path: str, creator: str) -> bool:
        """Handle a private attribute that is known to be safe; False when it is not, or its value does not fit."""
        known = self._profile.private_code(creator, element.tag)
        if known is None:
            return False
        code, usual = known
        if element.VR in BYTES and isinstance(element.value, bytes):
            typed = retyped(element, usual)
            if typed is None:
                return False
            element = dataset[element.tag] = typed
            self._result.touched = True
        vr = str(element.VR)
        if (vr not in _SAFE_PRIVATE_VRS and vr != usual) or not has_form(element):
            return False
        reason = "private attribute known to be safe"
        if vr == "SQ":
            self._append(path, element, shown(element), shown(element), Action.KEEP, reason)
            self._items(element, path, dummies=False)
        elif vr == "UI":
            self._remap(dataset, element, path)
        elif code is Code.UID:
            token = self._key.token("private", str(element.value or ""), 16)
            self._set(dataset, element, path, token, Action.REPLACE, "keyed token")
        elif vr in ("DA", "DT") or (code is Code.CLEAN and vr == "TM"):
            self._shift(dataset, element, path)
        elif code is Code.CLEAN:
            return False
        else:
            self._keep(element, path, reason)
        return True

    def _public(self, dataset: Dataset, element: DataElement, path: str, dummies: bool) -> None:
        if element.tag.element == 0 or element.tag == _TRAILING_PADDING:
            # Group lengths and padding carry nothing; writers recompute or drop them.
            del dataset[element.tag]
            self._result.touched = True
        elif element.tag in _PIXELS:
            self._remove(dataset, element, path, "pixels inside an item, which nobody searches")
        elif path not in self._overrides and self._by_rule(dataset, element, path, ""):
            pass
        elif element.keyword in _PSEUDONYMS and path not in self._overrides:
            typed = DataElement(element.tag, dictionary_VR(element.tag), self._subject.pseudonym)
            self._put(dataset, element, typed, path, Action.REPLACE, "patient pseudonym")
        elif not fits_dictionary(element):
            self._remove(dataset, element, path, f"its type {element.VR} contradicts the standard")
        elif not self._overridden(dataset, element, path):
            if element.VR == "SQ":
                self._sequence(dataset, element, path, dummies)
            else:
                self._plain(dataset, element, path, dummies)

    def _code(self, element: DataElement) -> Code:
        return self._profile.code(element.tag, self._type(element))

    def _type(self, element: DataElement) -> str:
        """The attribute's type in the file's IOD (PS3.5 7.4), where the profile's table needs it."""
        if not self._profile.depends_on_type(element.tag):
            return ""
        return attribute_type(self._sop_class, self._parents, int(element.tag))

    def _by_rule(self, dataset: Dataset, element: DataElement, path: str, creator: str) -> bool:
        """Do what the first matching rule of the recipe says; False when there is none."""
        rules = self._rules
        if element.keyword in _PSEUDONYMS:
            # A rule for many elements does not mean these two, which become the pseudonym.
            rules = [rule for rule in rules if rule.names_one]
        rule = next((rule for rule in rules if rule.matches(element, creator, path)), None)
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
            moving = (DateMode.SHIFT, DateMode.FIXED, DateMode.BASELINE, DateMode.YEAR)
            mode = self._profile.dates
            self._shift(dataset, element, path, mode if mode in moving else DateMode.SHIFT)
        elif rule.action is RuleAction.CLEAN:
            self._clean(dataset, element, path, reason)
        else:
            self._dummy(dataset, element, path)
        return True

    def _clean(self, dataset: Dataset, element: DataElement, path: str, reason: str) -> None:
        """Keep what can be read, so that private text is cut out of it; dates move; what cannot be read goes."""
        vr = str(element.VR)
        if vr in ("DA", "DT", "TM"):
            self._shift(dataset, element, path)
        elif vr == "UI":
            self._remap(dataset, element, path)
        elif vr == "SQ":
            self._append(path, element, shown(element), shown(element), Action.KEEP, reason)
            self._items(element, path, dummies=False)
        elif vr in BYTES:
            self._remove(dataset, element, path, "bytes that nobody reads")
        else:
            self._keep(element, path, reason)

    def _overridden(self, dataset: Dataset, element: DataElement, path: str) -> bool:
        override = self._overrides.get(path)
        if override is None:
            return False
        if override.kind is DecisionKind.KEEP:
            self._keep(element, path, override.reason)
        elif override.kind is DecisionKind.BLANK:
            self._set(dataset, element, path, "" if element.VR != "SQ" else [], Action.EMPTY, override.reason)
        elif override.kind is DecisionKind.REPLACE:
            if not override.cut:
                self._check_replacement(element, path, override.text)
            # Text from which everything was cut out may belong to an element that must have a value.
            nothing = "" if element.VR in _NUMBERS_AS_TEXT else _EMPTY_TEXT
            self._set(dataset, element, path, override.text or nothing, Action.REPLACE, override.reason)
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
        code = self._code(element)
        if code is Code.REMOVE:
            self._remove(dataset, element, path, f"{EDITION} action X")
        elif code is Code.EMPTY:
            self._set(dataset, element, path, [], Action.EMPTY, f"{EDITION} action Z")
        else:
            below = dummies or code is Code.DUMMY
            reason = "its items become dummies" if below else ITEMS_REASON
            self._append(path, element, shown(element), shown(element), Action.KEEP, reason)
            self._items(element, path, below)

    def _plain(self, dataset: Dataset, element: DataElement, path: str, dummies: bool) -> None:
        element = self._without_surplus(dataset, element)
        vr, code = str(element.VR), self._code(element)
        if code not in (Code.REMOVE, Code.EMPTY, Code.DUMMY, Code.UID) and not has_form(element):
            # What is no date or number could be anything, and nobody reads it.
            if vr == "UI" and not NO_INSTANCE.search(element.keyword):
                self._new_uids(dataset, element, path)
            else:
                self._unusable(dataset, element, path, "a value that does not look like its type")
            return
        unread = code is Code.CLEAN and vr not in TEXT_VRS and vr not in ("DA", "DT", "TM")
        if unread or (code is Code.KEEP and vr in BYTES):
            # Cleaning means reading, and so does keeping; what is neither text, date nor number cannot be read.
            code = self._profile.basic_code(element.tag, self._type(element))
        structure = vr in _STRUCTURE_VRS and code is Code.ABSENT
        if dummies and code is not Code.REMOVE and not structure and not NO_INSTANCE.search(element.keyword):
            code = Code.DUMMY
        if code is Code.REMOVE:
            self._remove(dataset, element, path, f"{EDITION} action X")
        elif code is Code.EMPTY:
            self._set(dataset, element, path, "", Action.EMPTY, f"{EDITION} action Z")
        elif code is Code.DUMMY:
            self._dummy(dataset, element, path)
        elif code is Code.UID or (code is Code.ABSENT and vr == "UI" and not NO_INSTANCE.search(element.keyword)):
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

    def _without_surplus(self, dataset: Dataset, element: DataElement) -> DataElement:
        """A binary number without what stands behind it where there may be one only: that could be anything."""
        single = dictionary_has_tag(element.tag) and dictionary_VM(element.tag) == "1"
        if element.VR not in _BINARY_NUMBERS or element.VM <= 1 or not single:
            return element
        dataset[element.tag] = DataElement(element.tag, element.VR, element.value[0])
        self._result.touched = True
        return dataset[element.tag]

    def _absent(self, dataset: Dataset, element: DataElement, path: str, vr: str) -> None:
        """Attributes that the table does not name: kept only when the standard knows them and they are no risk."""
        options = self._profile.options
        if not dictionary_has_tag(element.tag) or vr == "UN":
            self._remove(dataset, element, path, "not an attribute of the standard")
        elif vr == "TM":
            text = change_value(vr, as_text(element), DateMode.KEEP, 0) or ""
            self._time(dataset, element, path, text, "not in the profile's table")
        elif vr == "UR" and element.keyword not in _NO_ADDRESS:
            self._remove(dataset, element, path, "an address outside the profile's table")
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
        text = str(element.value or "")
        grouped = grouped_age(text)
        if grouped == text.strip():
            self._keep(element, path, "age")
        elif grouped is None:
            self._set(dataset, element, path, "", Action.EMPTY, "an age that cannot be read")
        else:
            self._set(dataset, element, path, grouped, Action.CLEAN, "ages over 89 are one group")

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

    def _shift(self, dataset: Dataset, element: DataElement, path: str, mode: DateMode | None = None) -> None:
        vr, mode = str(element.VR), mode or self._profile.dates
        values = "\\".join(str(v) for v in element.value) if element.VM > 1 else str(element.value or "")
        if not values.strip(" \0\\"):
            self._keep(element, path, "no value")
            return
        if vr == "TM" and not self._profile.keeps_times:
            self._unusable(dataset, element, path, "times of day are not kept")
            return
        changed = change_value(vr, values, mode, self._subject.shift_days)
        if changed and vr == "DT" and not self._profile.keeps_times:
            changed = "\\".join(part[:8] for part in changed.split("\\"))
        if vr == "TM" and changed is not None:
            self._time(dataset, element, path, changed, "dates move by whole days, so times stay")
        elif not changed:
            self._unusable(dataset, element, path, "a date that cannot be parsed")
        else:
            value = changed.split("\\") if "\\" in changed else changed
            reason = "only the year stays" if mode is DateMode.YEAR else "the patient's date shift"
            self._set(dataset, element, path, value, Action.SHIFT, reason)

    def _time(self, dataset: Dataset, element: DataElement, path: str, text: str, reason: str) -> None:
        """Keep a time of day; older forms with colons are written as they are today."""
        if text == "\\".join(part.strip() for part in as_text(element).split("\\")):
            self._keep(element, path, reason)
        else:
            value = text.split("\\") if "\\" in text else text
            self._set(dataset, element, path, value, Action.CLEAN, "written without colons")

    def _unusable(self, dataset: Dataset, element: DataElement, path: str, reason: str) -> None:
        """A value that must not stay: emptied, or a dummy where a value may be required."""
        known = self._profile.basic_code(element.tag, self._type(element))
        if known is Code.DUMMY or (known is Code.REMOVE and element.VR == "TM"):
            self._set(dataset, element, path, DUMMIES[str(element.VR)], Action.DUMMY, reason)
        else:
            self._set(dataset, element, path, "", Action.EMPTY, reason)

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
        self._result.touched = True
        if before or after:
            self._append(path, old, before, after, action, reason)

    def _remove(self, dataset: Dataset, element: DataElement, path: str, reason: str) -> None:
        self._append(path, element, shown(element), None, Action.REMOVE, reason)
        del dataset[element.tag]
        self._result.touched = True

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

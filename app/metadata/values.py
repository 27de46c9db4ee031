"""Values of header elements: how they are shown, what stands in for them, what fits their type."""

from __future__ import annotations

import re

from pydicom.datadict import dictionary_has_tag, dictionary_VR
from pydicom.dataelem import DataElement, RawDataElement, convert_raw_data_element
from pydicom.errors import BytesLengthException
from pydicom.tag import BaseTag

from deidra.app.metadata.dates import DateMode, change_value

_MOST_SHOWN = 200
_SIZES = {"FD": 8, "FL": 4, "SL": 4, "SS": 2, "UL": 4, "US": 2}
_ASCII_VRS = frozenset({"AS", "CS", "DA", "DS", "DT", "IS", "LO", "LT", "SH", "ST", "TM", "UI"})
BYTES = frozenset({"OB", "OD", "OF", "OL", "OV", "OW", "UN"})
"""VRs whose values nobody reads."""
_TEXT = frozenset({"AE", "CS", "LO", "LT", "SH", "ST", "UC", "UR", "UT"})
_NUMBERS = frozenset({"FD", "FL", "SL", "SS", "SV", "UL", "US", "UV", "DS", "IS"})
_BYTES = frozenset({"OB", "OD", "OF", "OL", "OV", "OW"})
DUMMIES: dict[str, object] = {
    **{"AS": "000Y", "CS": "REMOVED", "DA": "19000101", "DS": "0", "DT": "19000101", "IS": "0"},
    **{"LO": "REMOVED", "LT": "REMOVED", "PN": "REMOVED", "SH": "REMOVED", "ST": "REMOVED", "TM": "000000"},
    **{"UC": "REMOVED", "UR": "urn:removed", "UT": "REMOVED", "AE": "REMOVED", "FD": 0.0, "FL": 0.0},
    **{"SL": 0, "SS": 0, "UL": 0, "US": 0, "SV": 0, "UV": 0, "AT": 0},
    **dict.fromkeys((*_BYTES, "UN"), b"\0" * 8),
}
"""Values that are valid for their VR and tell nothing."""


def fits_dictionary(element: DataElement) -> bool:
    """False when a public element has another kind of VR than the standard gives it (PS3.6).

    A date that says it is bytes, or an identifier that says it is a sequence, would pass by every
    rule for dates and identifiers. Kinds that are mixed up in real files without harm count as one.
    """
    if not dictionary_has_tag(element.tag):
        return True
    return any(_kind(str(element.VR)) == _kind(vr) for vr in dictionary_VR(element.tag).split(" or "))


def _kind(vr: str) -> str:
    for name, group in (("text", _TEXT), ("number", _NUMBERS), ("bytes", _BYTES)):
        if vr in group or vr in name:
            return name
    # Pixel values and their palettes stand as words or as bytes.
    return vr


_UID = re.compile(r"[0-9]+(\.[0-9]+)*")
_FORMS = {
    "AS": re.compile(r"\d{1,3}[DWMY]"),
    "UI": _UID,
    "DS": re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"),
    "IS": re.compile(r"[+-]?\d{1,12}(\.0*)?"),
}
"""What values of these VRs look like (PS3.5 6.2), with the older forms that are still met."""
_CHARACTER_SETS = re.compile(r"(ISO[_ ](IR|2022 IR) \d{1,3}|ISO-IR \d{1,3}|GB18030|GBK|)")


def has_form(element: DataElement) -> bool:
    """False when a value that is no free text does not look like its VR: it could hold anything."""
    vr = str(element.VR)
    if vr in ("DA", "DT", "TM"):
        return element.value is None or change_value(vr, as_text(element), DateMode.KEEP, 0) is not None
    form = _CHARACTER_SETS if element.keyword == "SpecificCharacterSet" else _FORMS.get(vr)
    if form is None or element.value is None:
        return True
    values = element.value if element.VM > 1 else [element.value]
    texts = (str(getattr(v, "original_string", v)).strip(" \0") for v in values)
    return all(not text or form.fullmatch(text) for text in texts)


def as_text(element: DataElement) -> str:
    """An element's values as they stand in the file, separated by backslashes."""
    values = element.value if element.VM > 1 else [element.value]
    return "\\".join(str(getattr(value, "original_string", value) or "") for value in values)


def retyped(element: DataElement, vr: str) -> DataElement | None:
    """Bytes of unknown type as a value of the type that they usually have; None when they are no such value."""
    value = bytes(element.value or b"")
    if value and not value.strip(b" \0"):
        return None
    size = _SIZES.get(vr)
    if size:
        if len(value) % size:
            return None
    elif vr not in _ASCII_VRS or not value.isascii() or not all(32 <= byte < 127 for byte in value.rstrip(b"\0")):
        return None
    raw = RawDataElement(BaseTag(element.tag), vr, len(value), value, 0, is_implicit_VR=False, is_little_endian=True)
    try:
        typed = convert_raw_data_element(raw)
    except (ValueError, TypeError, OverflowError, BytesLengthException):
        return None
    return typed if has_form(typed) else None


def shown(element: DataElement) -> str:
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

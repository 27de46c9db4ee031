"""Values of header elements: how they are shown, what stands in for them, what fits their type."""

from __future__ import annotations

from pydicom.datadict import dictionary_has_tag, dictionary_VR
from pydicom.dataelem import DataElement

_MOST_SHOWN = 200
_TEXT = frozenset({"AE", "CS", "LO", "LT", "SH", "ST", "UC", "UR", "UT"})
_NUMBERS = frozenset({"FD", "FL", "SL", "SS", "SV", "UL", "US", "UV", "DS", "IS", "AT"})
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

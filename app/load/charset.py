"""Text of elements under the character set that their file declares (PS3.5 6.1, PS3.3 C.12.1.1.2)."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import MutableSequence, Sequence

from pydicom import Dataset
from pydicom.charset import convert_encodings, decode_bytes, default_encoding
from pydicom.datadict import dictionary_has_tag, dictionary_VR
from pydicom.dataelem import RawDataElement

TEXT_VRS = frozenset({"LO", "LT", "PN", "SH", "ST", "UC", "UT"})
"""VRs whose repertoire Specific Character Set extends (PS3.5 6.1.2.2)."""
_PLAIN_VRS = frozenset({"AE", "CS", "UR"})
_CHARACTER_SET = 0x00080005
_DELIMITERS = {0x0A, 0x0C, 0x0D, 0x09, 0x5C, 0x3D, 0x5E}


def python_encodings(value: bytes) -> list[str]:
    """Python's names for the encodings that a Specific Character Set value declares.

    Unknown terms count as the default repertoire.
    """
    terms: MutableSequence[str] = [term.strip(" \0") for term in value.decode("ascii", "replace").split("\\")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return list(convert_encodings(terms))
        except (LookupError, ValueError):
            return [default_encoding]


def repair(dataset: Dataset, encodings: Sequence[str]) -> bool:
    """Make text that is not valid under its character set valid, on all levels, in place.

    Undeclared text is taken as UTF-8 where it is that, else as Windows-1252; letters outside the
    declared repertoire are written without their marks.

    Args:
        dataset: elements that were read and not converted yet.
        encodings: Python's names of the declared encodings.

    Returns:
        True when something was changed.
    """
    own = dataset.get_item(_CHARACTER_SET) if _CHARACTER_SET in dataset else None
    if isinstance(own, RawDataElement):
        encodings = python_encodings(own.value or b"")
    changed = False
    for tag in list(dataset.keys()):
        raw = dataset.get_item(tag)
        if not isinstance(raw, RawDataElement):
            if raw.VR == "SQ":
                for item in raw.value:
                    changed |= repair(item, encodings)
        elif raw.value and _vr(raw) in _PLAIN_VRS and b"\0" in raw.value.rstrip(b"\0 "):
            value = _even(raw.value.replace(b"\0", b""))
            dataset._dict[tag] = raw._replace(value=value, length=len(value))
            changed = True
        elif raw.value and _vr(raw) in TEXT_VRS and not is_valid(raw.value, encodings):
            value = repaired(raw.value, encodings[0])
            dataset._dict[tag] = raw._replace(value=value, length=len(value))
            changed = True
        elif _vr(raw) == "SQ":
            for item in dataset[tag].value:
                changed |= repair(item, encodings)
    return changed


def _vr(raw: RawDataElement) -> str:
    """The type of an element that was not converted yet; empty when only a private dictionary could tell."""
    return raw.VR or (dictionary_VR(raw.tag) if dictionary_has_tag(raw.tag) else "")


def is_valid(value: bytes, encodings: Sequence[str]) -> bool:
    """True when encoded text is valid under the encodings."""
    if b"\0" in value.rstrip(b"\0 "):
        return False  # two bytes a letter, or something hidden behind the end that readers see
    if value.isascii() and b"\x1b" not in value:
        return True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            text = decode_bytes(value, list(encodings), _DELIMITERS)
    except (UnicodeError, LookupError, UserWarning, ValueError):
        return False
    # The default repertoire is ASCII; Python's name for it would take any byte.
    return not (list(encodings) == [default_encoding] and not text.isascii())


def repaired(value: bytes, encoding: str) -> bytes:
    """Text of an undeclared encoding, encoded anew."""
    text = ""
    value = value.replace(b"\0", b"")
    for guess in ("utf-8", "cp1252", "latin-1"):
        try:
            text = value.decode(guess)
            break
        except UnicodeDecodeError:
            continue
    if encoding == default_encoding:
        encoding = "ascii"
    new = b"".join(_fitted(char, encoding) for char in text if char != "\x1b")
    return _even(new)


def _even(value: bytes) -> bytes:
    return value + b" " * (len(value) % 2)


def _fitted(char: str, encoding: str) -> bytes:
    try:
        return char.encode(encoding)
    except UnicodeEncodeError:
        plain = unicodedata.normalize("NFKD", char).encode("ascii", "ignore")
        return plain or b"?"

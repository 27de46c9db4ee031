"""The header engine: de-identifies the header of a file by profile, key and decisions.

Paths name elements: ``(0040,A730)[3]/(0040,A160)`` is element (0040,A160) in item 3 (from 0) of the
sequence (0040,A730).
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Mapping

from pydicom import Dataset
from pydicom.uid import UID

from deidra.app.load.encoded import PIXEL_DATA, EncodedFile, Encoding, encoded
from deidra.app.metadata.changes import FieldChange, HeaderResult, Override, Subject
from deidra.app.metadata.element import Cleaner
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import EDITION, Option, Profile
from deidra.app.metadata.stream import HeaderStream
from deidra.app.metadata.walk import TEXT_VRS

__all__ = ["TEXT_VRS", "FieldChange", "HeaderEngine", "HeaderResult", "Override", "Subject"]

IMPLEMENTATION_CLASS_UID = "2.25.240868493586532414914430338205912764461"
IMPLEMENTATION_VERSION = "DEIDRA_0_1"
_SOP_CLASS, _INSTANCE, _SERIES, _NUMBER = 0x00080016, 0x00080018, 0x0020000E, 0x00200013
_META_CLASS, _META_INSTANCE = 0x00020002, 0x00020003
_BURNED_IN = 0x00280301


class HeaderEngine:
    """Applies a profile to files.

    Args:
        profile: the profile with options and recipe.
        key: the project's key.
        cleaner: reads kept values in the same pass; None when that is a stage of its own.
    """

    def __init__(self, profile: Profile, key: ProjectKey, cleaner: Cleaner | None = None) -> None:
        self.profile = profile
        self._key = key
        self._stream = HeaderStream(profile, key, cleaner)
        self._marks: dict[tuple[Encoding, bool], list[tuple[int, bytes]]] = {}

    def process(
        self, file: EncodedFile, subject: Subject, overrides: Mapping[str, Override] | None = None
    ) -> HeaderResult:
        """De-identify a header; pixel data stays as it is.

        Args:
            file: a file split into its elements.
            subject: the patient's pseudonym and date shift.
            overrides: by path, what a curator decided against the profile.

        Returns:
            Every element with its fate, in file order, and the encoded elements that stay.

        Raises:
            InputError: a value is malformed, or a curator's new value does not fit the element's type.
        """
        return self._stream.process(file, subject, overrides or {})

    def write(self, file: EncodedFile, result: HeaderResult, searched: bool) -> list[bytes | memoryview]:
        """The parts of a new file: empty preamble, new file meta group, marks, elements in order.

        The transfer syntax and the bytes of the pixel data are those of ``file``.

        Args:
            file: the file that was processed.
            result: what :meth:`process` made of it; takes the SOP Instance UID where the file has none.
            searched: the pixels were searched for text and cleaned.
        """
        parts = [part for part in result.parts if part[1] and not (searched and part[0] == _BURNED_IN)]
        new: list[tuple[int, bytes | memoryview]] = [*parts, *self._marks_of(file.encoding, searched)]
        uid = result.value(_INSTANCE, file.encoding).encode("latin-1")
        if not uid:
            uid = self._missing_instance_uid(file).encode()
            made = Dataset()
            made.SOPInstanceUID = UID(uid.decode())
            new = [part for part in new if part[0] != _INSTANCE]
            result.parts[:] = [part for part in result.parts if part[0] != _INSTANCE]
            result.parts.append((_INSTANCE, encoded(made, file.encoding)))
            new.append(result.parts[-1])
        new.sort(key=lambda part: part[0])
        body = [data for _, data in new]
        if file.deflated:
            packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
            packed = b"".join([*map(packer.compress, body), packer.flush()])
            body = [packed + b"\0" * (len(packed) % 2)]
        return [b"\0" * 128 + b"DICM", _meta_group(self._sop_class(file), uid, file.transfer_syntax), *body]

    @staticmethod
    def _sop_class(file: EncodedFile) -> bytes:
        """The SOP class; empty for a file that does not say what it is, for which none is made up."""
        for value in (file.value(_SOP_CLASS), file.meta.get(_META_CLASS, b"")):
            stripped = value.rstrip(b"\0 ")
            if stripped and UID(stripped.decode("ascii", "replace")).is_valid:
                return stripped
        return b""

    def _missing_instance_uid(self, file: EncodedFile) -> str:
        """A UID for a file that has none: from its file meta group, else from what it holds."""
        known = file.meta.get(_META_INSTANCE, b"").rstrip(b"\0 ").decode("ascii", "replace")
        if not known:
            pixels = hashlib.sha256(file.value(PIXEL_DATA)).hexdigest()
            parts = (file.value(tag).decode("latin-1").strip(" \0") for tag in (_SERIES, _NUMBER))
            known = "|".join(parts) + pixels
        return self._key.uid(known)

    def _marks_of(self, encoding: Encoding, searched: bool) -> list[tuple[int, bytes]]:
        known = self._marks.get((encoding, searched))
        if known is None:
            marks = self._mark(searched)
            known = []
            for element in marks:
                single = Dataset()
                single.add(element)
                known.append((int(element.tag), encoded(single, encoding)))
            self._marks[encoding, searched] = known
        return known

    def _mark(self, searched: bool) -> Dataset:
        """What says in the header what was done: (0012,0062), (0012,0063), (0012,0064) and (0028,0303)."""
        dataset = Dataset()
        dataset.PatientIdentityRemoved = "YES"
        dataset.DeidentificationMethod = ["Deidra", f"{EDITION} Annex E"]
        items = []
        for value, meaning in self.profile.method_codes(searched):
            item = Dataset()
            item.CodeValue, item.CodingSchemeDesignator, item.CodeMeaning = value, "DCM", meaning
            items.append(item)
        dataset.DeidentificationMethodCodeSequence = items
        if Option.FULL_DATES in self.profile.options:
            dates = "UNMODIFIED"
        else:
            dates = "MODIFIED" if Option.MODIFIED_DATES in self.profile.options else "REMOVED"
        dataset.LongitudinalTemporalInformationModified = dates
        if searched:
            dataset.BurnedInAnnotation = "NO"
        return dataset


def _meta_group(sop_class: bytes, instance: bytes, syntax: str) -> bytes:
    """A new file meta group (PS3.10 7.1): senders and private information of the old one are dropped."""
    elements = (
        (0x0002, b"UI", sop_class),
        (0x0003, b"UI", instance),
        (0x0010, b"UI", syntax.encode()),
        (0x0012, b"UI", IMPLEMENTATION_CLASS_UID.encode()),
        (0x0013, b"SH", IMPLEMENTATION_VERSION.encode()),
    )
    group = struct.pack("<HH2sHL2s", 2, 1, b"OB", 0, 2, b"\0\1")
    for number, vr, value in elements:
        if not value:
            continue
        padded = value + (b"\0" if vr == b"UI" else b" ") * (len(value) % 2)
        group += struct.pack("<HH2sH", 2, number, vr, len(padded)) + padded
    return struct.pack("<HH2sHL", 2, 0, b"UL", 4, len(group)) + group

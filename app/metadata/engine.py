"""The header engine: de-identifies the header of a dataset by profile, key and decisions.

Paths name elements: ``(0040,A730)[3]/(0040,A160)`` is element (0040,A160) in item 3 (from 0) of the
sequence (0040,A730).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from pydicom import Dataset
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import UID

from deidra.app.metadata.changes import FieldChange, HeaderResult, Override, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import EDITION, Option, Profile
from deidra.app.metadata.recipes import active_rules
from deidra.app.metadata.walk import TEXT_VRS, Walk

__all__ = ["TEXT_VRS", "FieldChange", "HeaderEngine", "HeaderResult", "Override", "Subject"]

IMPLEMENTATION_CLASS_UID = "2.25.240868493586532414914430338205912764461"
IMPLEMENTATION_VERSION = "DEIDRA_0_1"
_UNKNOWN_CLASS = "1.2.840.10008.5.1.4.1.1.66"
"""Raw Data Storage: what a file is that does not say what it is."""


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
        rules = active_rules(self.profile.rules, dataset)
        walk = Walk(self.profile, self._key, subject, overrides or {}, result, rules)
        walk.dataset(dataset, "")
        self._clean_meta(dataset, result)
        return result

    def _clean_meta(self, dataset: FileDataset, result: HeaderResult) -> None:
        """A new file meta group (PS3.10 7.1) and an empty preamble: senders and private data are dropped."""
        old = getattr(dataset, "file_meta", FileMetaDataset())
        meta = FileMetaDataset()
        sop_class = str(dataset.get("SOPClassUID") or old.get("MediaStorageSOPClassUID") or _UNKNOWN_CLASS)
        meta.MediaStorageSOPClassUID = UID(sop_class if UID(sop_class).is_valid else _UNKNOWN_CLASS)
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

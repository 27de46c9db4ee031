"""The answer key: actions, the rows of the results table, and the checks as a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Action(StrEnum):
    """What a check asks of a released instance."""

    TAG_RETAINED = "tag_retained"
    TEXT_NOTNULL = "text_notnull"
    TEXT_RETAINED = "text_retained"
    TEXT_REMOVED = "text_removed"
    DATE_SHIFTED = "date_shifted"
    UID_CHANGED = "uid_changed"
    UID_CONSISTENT = "uid_consistent"
    PATID_CONSISTENT = "patid_consistent"
    PIXELS_RETAINED = "pixels_retained"
    PIXELS_HIDDEN = "pixels_hidden"


class Row(StrEnum):
    """A row of the results table. HIPAA letters are those of the identifiers in 45 CFR 164.514(b)(2)(i)."""

    IOD_1 = "DICOM-IOD-1"
    IOD_2 = "DICOM-IOD-2"
    PATIENT_ID = "DICOM-P15-BASIC-C"
    UID = "DICOM-P15-BASIC-U"
    NAME = "HIPAA-A"
    PLACE = "HIPAA-B"
    DATE = "HIPAA-C"
    PHONE = "HIPAA-D"
    SSN = "HIPAA-G"
    RECORD = "HIPAA-H"
    OTHER_ID = "HIPAA-R"
    BASIC_D = "TCIA-P15-BASIC-D"
    BASIC_X = "TCIA-P15-BASIC-X"
    BASIC_XZD = "TCIA-P15-BASIC-X/Z/D"
    BASIC_Z = "TCIA-P15-BASIC-Z"
    BASIC_ZD = "TCIA-P15-BASIC-Z/D"
    DESCRIPTOR = "TCIA-P15-DESC-C"
    DEVICE_CLEAN = "TCIA-P15-DEV-C"
    DEVICE_KEEP = "TCIA-P15-DEV-K"
    MODIFIED_DATE = "TCIA-P15-MOD-C"
    CHARACTERISTIC = "TCIA-P15-PAT-K"
    PIXELS = "TCIA-P15-PIX-K"
    PRIVATE_KEEP = "TCIA-PTKB-K"
    PRIVATE_REMOVE = "TCIA-PTKB-X"
    REVIEWED = "TCIA-REV"

    @property
    def category(self) -> str:
        """``dicom``, ``hipaa`` or ``tcia``."""
        return self.value.split("-", 1)[0].lower()


@dataclass(frozen=True, slots=True)
class Check:
    """One question about a released instance.

    ``instance`` is the SOP Instance UID before release and ``file`` the path below the set's DICOM
    folder. ``tag`` is a path such as ``(0040,0275)[0]/(0040,1001)`` with items counted from 0;
    a private element is named by its creator, ``(0019,"SIEMENS MR HEADER",0C)``. ``answer`` is the
    text that must stay or go, the UID or ID before release, or the MD5 of the pixel data. ``box``
    is ``frame left top right bottom``: the frame counts from 0, pixels with exclusive right and bottom.
    """

    instance: str
    file: str
    row: Row
    tag: str
    action: Action
    answer: str
    box: str = ""


COLUMNS = ("sop_instance_uid", "file", "category", "subcategory", "tag", "action", "answer", "box")


def write_key(path: Path, checks: Iterable[Check]) -> int:
    """Write the checks as CSV with the header :data:`COLUMNS`; returns how many there were."""
    count = 0
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for check in checks:
            row, tag = check.row, check.tag
            writer.writerow(
                (check.instance, check.file, row.category, row.value, tag, check.action.value, check.answer, check.box)
            )
            count += 1
    return count

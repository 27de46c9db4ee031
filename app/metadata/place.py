"""Where a de-identified DICOM file lies in an output folder."""

from __future__ import annotations

import re

from deidra.app.domain.errors import InputError

_UID = re.compile(r"(?=.{1,64}$)[0-9]+(\.[0-9]+)*", re.ASCII)


def dicom_place(pseudonym: str, study: str, series: str, instance: str) -> str:
    """The path ``PATIENT/STUDY/SERIES/INSTANCE.dcm``; a missing study or series is named as such.

    Args:
        pseudonym: the patient's.
        study: the new Study Instance UID; empty where there is none.
        series: the new Series Instance UID; empty where there is none.
        instance: the new SOP Instance UID.

    Raises:
        InputError: one of them is no UID; it could lead anywhere or tell anything.
    """
    names = (study or "no-study", series or "no-series", instance)
    for name, default in zip(names, ("no-study", "no-series", None), strict=True):
        if name != default and not _UID.fullmatch(name):
            raise InputError("A UID of the file is malformed.", "Export it again.")
    return "/".join((pseudonym, *names)) + ".dcm"

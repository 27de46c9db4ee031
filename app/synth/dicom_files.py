"""The DICOM instances of the sample set: most modalities, transfer syntaxes and character sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deidra.app.synth import dicom_screens, dicom_slices, dicom_xray, reports
from deidra.app.synth.exams import Exams, MadeFile, make_exams
from deidra.app.synth.people import Cast

Maker = Callable[[Exams, np.random.Generator], MadeFile]

MAKERS: tuple[Maker, ...] = (
    *(dicom_slices.make_ct(number) for number in (1, 2, 3)),
    dicom_slices.make_mr,
    dicom_slices.make_pt,
    dicom_slices.make_zipped,
    dicom_screens.make_us_rgb,
    dicom_screens.make_us_ybr,
    dicom_screens.make_us_cine,
    dicom_screens.make_sc,
    dicom_screens.make_ot,
    dicom_xray.make_dx,
    dicom_xray.make_cr,
    dicom_xray.make_mg,
    dicom_xray.make_xa,
    reports.make_report,
)
"""One maker for each instance."""


def make_dicom(cast: Cast, seed: int) -> list[MadeFile]:
    """All instances. Paths start with ``dicom/``; one is a member of ``dicom/archive.zip``."""
    exams = make_exams(cast)
    return [maker(exams, np.random.default_rng([seed, place])) for place, maker in enumerate(MAKERS)]

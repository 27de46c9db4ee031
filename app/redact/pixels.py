"""Covering regions in DICOM pixel data: what lies outside stays exactly as it is, and so does the transfer syntax.

| pixel data | how | outside the regions |
|---|---|---|
| native | where it stands | same bytes |
| RLE, JPEG-LS and JPEG 2000 lossless, HTJ2K lossless, JPEG lossless | marked frames encoded again | same values |
| JPEG of 8 bits (baseline, extended, progressive) | in the DCT blocks, by libturbojpeg | same coefficients |
| MPEG, H.264, HEVC | decoded once by ffmpeg, stored lossless | same |
| near-lossless JPEG-LS, lossy JPEG 2000 and HTJ2K, JPEG of 12 bits, others | decoded once, stored lossless | same |

What is encoded is decoded again and compared. Where it differs, or a library is missing, another lossless
syntax is taken, and the result says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydicom.dataset import FileDataset

from deidra.app.decide.policy import RedactSection
from deidra.app.load.dicom import frame_count, is_encapsulated, is_video
from deidra.app.redact.encapsulated import may_hide_bits, redact_encapsulated
from deidra.app.redact.native import redact_native
from deidra.app.redact.plan import Mark
from deidra.app.redact.video import redact_video
from deidra.app.redact.written import Way, Written


def redact_pixels(dataset: FileDataset, marks: Sequence[Mark], settings: RedactSection) -> Written:
    """Cover marks in the pixel data, in place, and make the header's description follow.

    Bits around the samples of lossless streams are cleared, whether there are marks or not.

    Args:
        dataset: a parsed file with pixel data.
        marks: polygons in stored pixel coordinates, with frame numbers from 0.
        settings: fill and padding.

    Returns:
        How the pixels were written.

    Raises:
        InputError: the pixels cannot be decoded.
    """
    if frame_count(dataset) and is_video(dataset):
        return redact_video(dataset, marks, settings)
    if not frame_count(dataset) or not (marks or may_hide_bits(dataset)):
        return Written(Way.UNCHANGED)
    if is_encapsulated(dataset):
        return redact_encapsulated(dataset, marks, settings)
    return redact_native(dataset, marks, settings)
